"""Short policies in Python that the book's algorithms are compared with."""

from private_bandits_book.rivals.all_or_nothing import AllOrNothing
from private_bandits_book.rivals.azize_adac_ucb import AdaCUCB
from private_bandits_book.rivals.azize_dp_imed import DPIMED
from private_bandits_book.rivals.chowdhury_elimination import DiscreteSE
from private_bandits_book.rivals.hu_lazy_ucb import LazyUCB
from private_bandits_book.rivals.hu_thompson import DPTS, LazyDPTS
from private_bandits_book.rivals.hu_thompson_ucb import DPTSUCB
from private_bandits_book.rivals.single_observation import OneBit, OneItem

__all__ = [
    "DPIMED",
    "DPTS",
    "DPTSUCB",
    "AdaCUCB",
    "AllOrNothing",
    "DiscreteSE",
    "LazyDPTS",
    "LazyUCB",
    "OneBit",
    "OneItem",
]
