"""Policies that the book's algorithms are compared with: short ones in Python, and loops of their own for long runs."""

from private_bandits_book.rivals.all_observations import AllObserved
from private_bandits_book.rivals.all_or_nothing import AllOrNothing
from private_bandits_book.rivals.azize_adac_ucb import AdaCUCB
from private_bandits_book.rivals.azize_dp_imed import DPIMED
from private_bandits_book.rivals.batch_by_batch import BatchByBatch
from private_bandits_book.rivals.chowdhury_elimination import DiscreteSE
from private_bandits_book.rivals.clipped_rewards import clipped_rewards
from private_bandits_book.rivals.exceedance_counts import exceedance_counts
from private_bandits_book.rivals.expected_improvement import ExpectedImprovement
from private_bandits_book.rivals.greedy_epochs import greedy_epochs
from private_bandits_book.rivals.hu_lazy_ucb import LazyUCB
from private_bandits_book.rivals.hu_thompson import DPTS, LazyDPTS
from private_bandits_book.rivals.hu_thompson_ucb import DPTSUCB
from private_bandits_book.rivals.improvement_bits import ImprovementBits, OneExplorer
from private_bandits_book.rivals.level_by_pulls import LevelByPulls
from private_bandits_book.rivals.level_by_squares import level_by_squares
from private_bandits_book.rivals.list_batches import ListBatches
from private_bandits_book.rivals.one_item_index import OneItemIndex
from private_bandits_book.rivals.random_lines import random_lines
from private_bandits_book.rivals.replay_batches import KnownNoise, OneDraw
from private_bandits_book.rivals.residual_epochs import residual_epochs
from private_bandits_book.rivals.single_observation import OneBit, OneItem
from private_bandits_book.rivals.threshold_ladder import threshold_ladder
from private_bandits_book.rivals.whole_reply import AllBits, WholeReply

__all__ = [
    "DPIMED",
    "DPTS",
    "DPTSUCB",
    "AdaCUCB",
    "AllBits",
    "AllObserved",
    "AllOrNothing",
    "BatchByBatch",
    "DiscreteSE",
    "ExpectedImprovement",
    "ImprovementBits",
    "KnownNoise",
    "LazyDPTS",
    "LazyUCB",
    "LevelByPulls",
    "ListBatches",
    "OneBit",
    "OneDraw",
    "OneExplorer",
    "OneItem",
    "OneItemIndex",
    "WholeReply",
    "clipped_rewards",
    "exceedance_counts",
    "greedy_epochs",
    "level_by_squares",
    "random_lines",
    "residual_epochs",
    "threshold_ladder",
]
