"""The list of the largest indices: against its transcription, fair among ties, and thrifty with the choice stream."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.stats import chi2

from private_bandits.kernels.parts.selection import top_item, top_list
from private_bandits.reference_tools import largest

SIZES = [(1, 1), (2, 1), (3, 2), (5, 5), (7, 3), (20, 4), (20, 19)]


def top(values, size, *, ordered=True, rng=None):
    """The list, after one that an earlier round left there."""
    order, scratch = np.arange(len(values))[::-1][:size].copy(), np.full(size, 1e300)
    top_list(np.array(values, float), ordered, rng or np.random.default_rng(0), order, scratch)
    return order.tolist()


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize(("n_arms", "size"), SIZES)
def test_the_same_list_from_the_same_stream_as_the_transcription(n_arms, size, ordered):
    rng = np.random.default_rng(17)
    ours, theirs = np.random.default_rng(5), np.random.default_rng(5)
    for _ in range(300):
        values = rng.choice([-math.inf, 0.0, 0.5, 1.0, 1.5, math.inf], n_arms)
        assert top(values, size, ordered=ordered, rng=ours) == largest(values.tolist(), size, theirs, ordered)
        assert ours.bit_generator.state == theirs.bit_generator.state


@pytest.mark.parametrize("n_arms", [1, 2, 5, 20])
def test_one_item_is_a_list_of_one(n_arms):
    rng = np.random.default_rng(18)
    ours, theirs = np.random.default_rng(5), np.random.default_rng(5)
    for _ in range(300):
        values = rng.choice([-math.inf, 0.0, 0.5, math.inf], n_arms)
        assert [top_item(values, ours)] == largest(values.tolist(), 1, theirs)
        assert ours.bit_generator.state == theirs.bit_generator.state


@pytest.mark.parametrize(
    ("values", "size", "ordered"),
    [
        ([1, 1, 1, 1, 1], 2, True),
        ([1, 1, 1, 1, 1, 1], 3, False),
        ([1, 0, 1, 3, 1, 3, 1], 4, False),
        ([math.inf, 0, math.inf, math.inf], 2, True),
    ],
)
def test_ties_are_broken_uniformly(values, size, ordered):
    """Chi-square over every list that sorting allows."""
    items = range(len(values))
    wanted = sorted(values, reverse=True)[:size]
    lists = {tuple(order) for order in itertools.permutations(items, size) if [values[e] for e in order] == wanted}
    if not ordered:
        lists = {tuple(sorted(order)) for order in lists}
    rounds, counts, rng = 400 * len(lists), dict.fromkeys(lists, 0), np.random.default_rng(11)
    for _ in range(rounds):
        chosen = top(values, size, ordered=ordered, rng=rng)
        counts[tuple(chosen if ordered else sorted(chosen))] += 1
    statistic = sum((count - 400) ** 2 / 400 for count in counts.values())
    assert chi2.sf(statistic, len(lists) - 1) > 1e-3
