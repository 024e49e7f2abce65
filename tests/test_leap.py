"""A leap plays what the plain loop plays: lists, draws, sums and regret, bit for bit."""

from __future__ import annotations

import functools
import math
from collections import Counter
from typing import Any

import numpy as np
import pytest

from private_bandits.baselines import ldp_ucb_response, ucb
from private_bandits.kernels import index
from private_bandits.papers.cascading import (
    b_lb,
    cascade_ucb1,
    repaired_local,
    ucb_gaussian,
    ucb_hybrid,
    ucb_laplace,
    uniform,
)
from private_bandits.papers.semibandits import cucb, cucb_dp, cucb_ldp1, cucb_ldp2
from private_bandits.problems import Arms, Cascade, SemiBandit
from private_bandits.simulate import log_checkpoints, streams
from private_bandits_book.audit.cases import cases

CARRIED = (
    "pulls",
    "total",
    "mean",
    "root",
    "order",
    "regret",
)  # the indices are those of the last round without a leap
LISTS = {
    "CascadeUCB1": lambda size: cascade_ucb1(),
    "Laplace": lambda size: ucb_laplace(1.0, size, 0.01),
    "Laplace, stated": lambda size: ucb_laplace(5.0, size),
    "Gaussian": lambda size: ucb_gaussian(1.0, 1e-3, size, 0.01),
    "response": lambda size: repaired_local(2.0, size),
    "truthful answers": lambda size: repaired_local(math.inf, size),
}
SUPER_ARMS = {
    "all": lambda size: cucb(),
    "least": lambda size: cucb("least"),
    "LDP1": lambda size: cucb_ldp1(10.0, size),
    "LDP2": lambda size: cucb_ldp2(5.0),
}
ARMS = {"UCB1": lambda size: ucb(), "LDP-UCB-B": lambda size: ldp_ucb_response(2.0)}
GAMES = [(Cascade, LISTS), (SemiBandit.top_k, SUPER_ARMS), (lambda means, size: Arms.bernoulli(means), ARMS)]


def played(problem, record, leaps, looks=True, *, pieces, checkpoints=(), traced=False, state=None, seed=0):
    """Everything that a run leaves behind, and whether its last round belonged to a leap."""
    numbers, source = problem.record(), streams(seed, 0)
    state = index.start(numbers, record) if state is None else index.State(*map(np.copy, state))
    trace, marks = index.blank(problem, record, pieces[-1] if traced else 0), np.array(checkpoints, np.int64)
    regret, loop = np.zeros(len(marks)), index._loop_of(numbers, record, leaps, looks)
    for before, last in zip(pieces, pieces[1:], strict=False):
        if before == 0 and record.observe_first:
            index._observe_first(numbers, record, state, source[0])
        loop(numbers, record, state, before + 1, last, marks, regret, trace, *source)
    left = {name: getattr(state, name).tolist() for name in CARRIED}
    return trace, left | {"at": regret.tolist(), "streams": [s.bit_generator.state for s in source]}, state.indices


def leapt(problem, record, plainly=(False,), **run):
    """Assert that both loops leave the same bits; whether the last round belonged to a leap."""
    (trace, left, indices), (plain, expected, fresh) = (
        played(problem, record, *flags, **run) for flags in ((True,), plainly)
    )
    different = np.flatnonzero((trace != plain).any(axis=1))
    assert not len(different), f"round {different[0] + 1}: {trace[different[0]]}, not {plain[different[0]]}"
    assert left == expected
    return indices.tolist() != fresh.tolist()


@pytest.mark.parametrize(("make", "policies"), GAMES, ids=["Cascade", "SemiBandit", "Arms"])
def test_random_games_cut_anywhere(make, policies):
    rng, leaps = np.random.default_rng(3), {name: 0 for name in policies}
    for number in range(12 * len(policies)):
        name = list(policies)[number % len(policies)]
        n_items = int(rng.integers(2, 9))
        means = rng.choice([rng.random(n_items), rng.choice([0.0, 0.3, 1.0], n_items), np.full(n_items, 0.5)])
        problem = make(means, int(rng.integers(1, n_items + 1)))
        horizon = int(rng.integers(1, 20_000))
        cuts, marks = (np.unique(rng.integers(1, horizon + 1, 3)).tolist() for _ in range(2))
        pieces = [0, *[cut for cut in cuts if cut < horizon], horizon]
        run = {"pieces": pieces, "checkpoints": marks[:-1], "traced": True, "seed": number}
        leaps[name] += leapt(problem, policies[name](problem.list_size).record, **run)
    assert all(leaps.values()), leaps


SETS = SemiBandit.from_sets([0.5, 0.4, 0.45, 0.3], [[0, 1], [1, 2], [0, 3], [2, 3]])
SHORT_RUNS = [  # those of the audit, super arms found by a scan, and so many arms that few are looked at
    *((case.asked["problem"], case.target) for case in cases(200, 1.0, 1e-3, 2) if "problem" in case.asked),
    *((SETS, policy) for policy in (cucb(), cucb_ldp1(2.0, 2), cucb_ldp2(1.0), cucb_dp(50.0, 2, 4, 200))),
    (SemiBandit.from_sets([0.5, 0.5, 0.1], [[0, 1], [2]], reward="max"), cucb()),  # its own is the shared one
    *((Cascade(np.linspace(0.1, 0.6, 400), 3), policy) for policy in (cascade_ucb1(), ucb_laplace(1.0, 3))),
]


@pytest.mark.parametrize(
    ("problem", "policy"), [game for game in SHORT_RUNS if isinstance(game[1].record, index.Record)]
)
def test_short_runs_share_a_loop(problem, policy, monkeypatch):
    """It plays the same bits as the policy's own, whichever of them plays a part of a run."""
    numbers, marks, found = problem.record(), np.array([50, 120, 200]), []
    n_items = len(numbers.means)

    def afresh(long: float) -> Any:
        monkeypatch.setattr(index, "_loop", functools.cache(index._loop.__wrapped__))  # nothing is compiled
        monkeypatch.setattr(index, "_work", Counter())
        monkeypatch.setattr(index, "LONG", long)
        return index._loop_of(numbers, policy.record)

    for long, expected in ((math.inf, [False, False, False]), (100 * n_items, [False, False, True]), (0, [True] * 3)):
        own = afresh(long)
        state, source, regret = index.start(numbers, policy.record), streams(5, 0), np.zeros(3)
        trace, loops = index.blank(problem, policy.record, 200), []
        for first, last in ((1, 60), (61, 90), (91, 200)):
            loops.append(index._loop_for(numbers, policy.record, True, last - first + 1))
            index.advance(numbers, policy.record, state, first, last, marks, regret, trace, *source)
        left = {name: getattr(state, name).tolist() for name in (*CARRIED, "counters")}
        found.append([trace.tolist(), left, regret.tolist(), [s.bit_generator.state for s in source]])
        alike = own is index._loop(None, None, None, None, False)  # an oracle for which there is one loop only
        assert [loop is own for loop in loops] == [each or alike for each in expected]
        assert (index._loop_for(numbers, policy.record, True, 1) is own) == (expected[2] or alike)  # it is there
    assert found[0] == found[1] == found[2]
    afresh(2 * n_items)
    drawn = policy.record._replace(binomials=True)  # other numbers, which no other loop draws
    assert index._loop_for(numbers, drawn, True, 1) is index._loop_of(numbers, drawn)
    own = afresh(2 * n_items)
    loops = [index._loop_for(numbers, policy.record, True, 1) for _ in range(200)]
    assert [loop is own for loop in loops] == [alike] * 199 + [True]


MANY = {  # and how many arms
    **{name: (make, 300) for name, make in LISTS.items()},
    "Hybrid": (lambda size: ucb_hybrid(1.0, 300, 3000), 300),
    "few places": (lambda size: cascade_ucb1(), 1000),
}


@pytest.mark.parametrize("name", MANY)
@pytest.mark.parametrize("make", [Cascade, SemiBandit.top_k], ids=["Cascade", "SemiBandit"])
def test_among_many_arms_few_are_looked_at(name, make, monkeypatch):
    """The same bits as from all of them, ties and rounds without a report included, wherever a run is cut."""
    rng, (policy, n_items) = np.random.default_rng(7), MANY[name]
    for number, means in enumerate((rng.random(n_items), rng.choice([0.0, 0.3, 1.0], n_items), np.full(n_items, 0.5))):
        problem, horizon = make(means, 1 if n_items == 1000 else int(rng.integers(1, 5))), 3000
        record = policy(problem.list_size).record
        pieces = [0, int(rng.integers(1, 200)), int(rng.integers(200, horizon)), horizon]
        leapt(problem, record, (False, False), pieces=pieces, traced=True, seed=number)
        assert index._loop_of(problem.record(), record) is not index._loop_of(problem.record(), record, True, False)


def test_few_are_looked_at_in_most_rounds():
    problem, record = Cascade(np.random.default_rng(2).random(1000), 4), cascade_ucb1().record
    *_, indices = played(problem, record, True, pieces=[0, 4999])
    *_, after = played(problem, record, True, pieces=[0, 5000])
    assert np.array_equal(indices, after)  # nobody looked at all of them in the last round
    problem = Cascade(np.full(1000, 0.01), 4)
    *_, indices = played(problem, record, True, pieces=[0, 199])
    *_, after = played(problem, record, True, pieces=[0, 200])
    assert np.array_equal(indices, after)  # nor when they are alike but for who was shown


@pytest.mark.parametrize("name", ["CascadeUCB1", "Laplace", "Hybrid"])
@pytest.mark.parametrize("few", [True, False], ids=["few reports", "many reports"])
def test_a_crowd_of_equal_arms_is_drawn_from(name, few):
    """Arms that join it, leave it, are above it, as far as it rises, and more of them than its shortlist holds."""
    rng, (policy, n_items), leaps = np.random.default_rng(9), MANY[name], 0
    for number in range(60):
        size, begun = int(rng.integers(1, 5)), int(rng.integers(300, 3000))
        n, s, others = 2 if few else int(rng.integers(20, 200)), 1, rng.permutation(n_items)[: int(rng.integers(1, 30))]
        pulls, totals = np.full(n_items, n), np.full(n_items, float(s))
        if few:
            pulls[others] = rng.integers(1, 4, len(others))
            totals[others] = rng.integers(0, pulls[others] + 1)
        else:  # close to it in index
            a = math.sqrt(1.5 * math.log(begun))
            pulls[others] = 10 ** rng.uniform(1.0, 7.0, len(others))
            near = s / n + a / math.sqrt(n) - a / np.sqrt(pulls[others]) + rng.uniform(-0.03, 0.03, len(others))
            totals[others] = np.floor(pulls[others] * near)
        problem, record = SemiBandit.top_k(rng.random(n_items), size), policy(size).record
        state = index.start(problem.record(), record)
        state.pulls[:], state.total[:] = pulls, totals
        state.mean[:], state.root[:] = totals / pulls, 1.0 / np.sqrt(pulls)
        run = {"pieces": [begun, begun + (400 if few else 4000)], "state": state, "traced": True, "seed": number}
        leaps += leapt(problem, record, (False, False), **run)
    assert few or leaps or name == "Hybrid"


def some_sets(rng, n_items):
    """Super arms of several sizes that share arms, of several weights, some 0."""
    sizes = rng.integers(1, n_items + 1, int(rng.integers(1, 12)))
    sets = {tuple(sorted(rng.permutation(n_items)[:size].tolist())) for size in sizes}
    weights = rng.choice([np.ones(n_items), rng.choice([0.0, 0.5, 1.0, 2.0], n_items)])
    return {"sets": sorted(sets), "weights": weights, "offset": float(rng.choice([0.0, 1.0]))}


def test_random_families_cut_anywhere():
    rng, leaps = np.random.default_rng(5), {name: 0 for name in SUPER_ARMS}
    for number in range(15 * len(leaps)):
        name = list(leaps)[number % len(leaps)]
        n_items = int(rng.integers(2, 9))
        means = rng.choice([rng.random(n_items), rng.choice([0.0, 0.3, 1.0], n_items), np.full(n_items, 0.5)])
        problem = SemiBandit.from_sets(means, **some_sets(rng, n_items))
        horizon = int(rng.integers(1, 40_000))
        cuts, marks = (np.unique(rng.integers(1, horizon + 1, 3)).tolist() for _ in range(2))
        pieces = [0, *[cut for cut in cuts if cut < horizon], horizon]
        run = {"pieces": pieces, "checkpoints": marks[:-1], "traced": True, "seed": number}
        leaps[name] += leapt(problem, SUPER_ARMS[name](problem.list_size).record, **run)
    assert all(leaps.values()), leaps


@pytest.mark.parametrize("name", SUPER_ARMS)
@pytest.mark.parametrize("apart", [1, 4])
def test_a_million_rounds_of_windows(name, apart):
    """Windows of 4 of 20 arms: all 20, each sharing 3 with the next, or 5 that share none."""
    means = b_lb(20, 4, 0.2, 0.15).means
    windows = [[(first + i) % 20 for i in range(4)] for first in range(0, 20, apart)]
    run = {"pieces": [0, 2 * 10**5], "checkpoints": log_checkpoints(2 * 10**5)[:-1]}
    problem, record = SemiBandit.from_sets(means, windows), SUPER_ARMS[name](4).record
    assert any([leapt(problem, record, **run, seed=seed) for seed in range(5)])


@pytest.mark.parametrize("name", LISTS)
def test_a_million_rounds(name):
    marks = log_checkpoints(10**6)[:-1]
    leapt(b_lb(20, 4, 0.2, 0.15), LISTS[name](4).record, pieces=[0, 10**6], checkpoints=marks)


def state_of(problem, record, pulls, means):
    """The state after rounds that nobody played."""
    state = index.start(problem.record(), record)
    state.pulls[:] = pulls
    state.total[:] = np.round(np.multiply(pulls, means))
    state.mean[:], state.root[:] = state.total / pulls, 1.0 / np.sqrt(pulls)
    return state


def test_an_item_that_is_not_shown_rises_with_the_time():
    """Arm 0 stays at 0.9 while ln t lifts arm 1 from 0.88; no outcome brings that forward."""
    problem, record = Arms.bernoulli([0.9, 0.1]), ucb().record
    before = 10**4
    radius = math.sqrt(2 * math.log(before))
    state = state_of(problem, record, [10**12, 400], [0.9, 0.88 - radius / 20])
    assert leapt(problem, record, state=state, pieces=[before, before + 100])
    leapt(problem, record, state=state, pieces=[before, 20 * before])
    assert played(problem, record, True, state=state, pieces=[before, 20 * before])[1]["pulls"][1] > 400


def test_an_item_that_is_shown_and_not_seen_rises_with_the_time():
    """The first item is always clicked, so nobody sees the second, which ln t lifts above it."""
    problem, record = Cascade([1.0, 0.5, 0.0], 2), cascade_ucb1().record
    before = 10**4
    radius = math.sqrt(1.5 * math.log(before))
    state = state_of(problem, record, [10**12, 400, 10**12], [1.0, 0.98 - radius / 20, 0.1])
    assert leapt(problem, record, state=state, pieces=[before, before + 100])
    leapt(problem, record, state=state, pieces=[before, 20 * before])
    assert played(problem, record, True, state=state, pieces=[before, 20 * before])[1]["pulls"][1] > 400


@pytest.mark.parametrize("weight", [1.0, 0.0])
def test_an_index_below_0_ends_a_leap(weight):
    """The second index is hardly above 0, where a random super arm is due; the first keeps the sum far ahead."""
    problem = SemiBandit.from_sets([0.0] * 3, [[0, 1], [2]], weights=[1.0, weight, 1.0])
    record = cucb_ldp1(5.0, 2).record
    before, n = 10**5, 10**6
    radius = sum(math.sqrt(alpha * math.log(before + 1) + beta) for alpha, beta in record.terms) / math.sqrt(n)
    state = state_of(problem, record, np.full(3, n), np.zeros(3))
    state.mean[:] = np.array([0.9, 2e-6, 1e-3]) - radius
    state.total[:] = state.mean * n
    run = {"state": state, "pieces": [before, before + 200], "traced": True}
    assert leapt(problem, record._replace(fallback=False), **run)
    for seed in range(5):
        leapt(problem, record, **run, seed=seed)
    assert 2 in played(problem, record, True, **run, seed=4)[0][before:, 0]


@pytest.mark.parametrize("problem", [Arms.bernoulli([1.0, 0.0]), SemiBandit.from_sets([1.0, 0.0], [[0], [1]])])
def test_rounding_is_kept_away_from(problem):
    """Indices a few units in the last place apart, at a time when ln t moves by less than one a round."""
    record = ucb().record
    before, n = 10**15, 10**14
    for units in range(1, 60):
        state = state_of(problem, record, [n, 2**20], [1.0, 0.0])
        lead = state.mean[0] + math.sqrt(2 * math.log(before + 1)) * state.root[0]
        state.mean[1] = lead - math.sqrt(2 * math.log(before + 1)) * state.root[1] - units * 2.0**-53
        leapt(problem, record, state=state, pieces=[before, before + 200])


def test_where_there_is_no_certificate_the_loop_is_the_plain_one():
    lists, top = b_lb(8, 2, 0.2, 0.15).record(), SemiBandit.top_k([0.5, 0.4, 0.1], 2).record()
    sums, most, shared, failing = (
        SemiBandit.from_sets([0.5, 0.5, 0.1], [[0, 1], [2]], **words).record()
        for words in ({}, {"reward": "max"}, {"groups": [0, 0, -1]}, {"beta": 0.9})
    )
    without = [(lists, ucb_hybrid(1.0, 8, 50).record), (lists, uniform().record), (most, cucb().record)]
    without += [(shared, cucb().record), (failing, cucb().record), (top, cucb_dp(50.0, 2, 3, 50).record)]
    without += [(lists, cascade_ucb1(least_first=True).record), (lists, cascade_ucb1().record._replace(forced=1.0))]
    leaping = [(lists, cascade_ucb1().record), (lists, repaired_local(1.0, 2).record), (top, cucb().record)]
    leaping += [(sums, cucb().record), (sums, cucb_ldp2(1.0).record), (top, cucb_ldp1(1.0, 2).record)]
    assert all(index._loop_of(*game) is index._loop_of(*game, False) for game in without)
    assert not any(index._loop_of(*game) is index._loop_of(*game, False) for game in leaping)
