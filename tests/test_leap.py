"""A leap plays what the plain loop plays: lists, draws, sums and regret, bit for bit."""

from __future__ import annotations

import math

import numpy as np
import pytest

from private_bandits.baselines import ldp_ucb_response, ucb
from private_bandits.kernels import index
from private_bandits.kernels.parts import leap
from private_bandits.papers.cascading import (
    cascade_ucb1,
    repaired_local,
)
from private_bandits.problems import Arms, Cascade, SemiBandit
from private_bandits.streams import streams

CARRIED = ("pulls", "total", "mean", "root", "regret")
LISTS = {
    "CascadeUCB1": lambda size: cascade_ucb1(),
    "response": lambda size: repaired_local(2.0, list_size=size),
    "truthful answers": lambda size: repaired_local(math.inf, list_size=size),
}
SUPER_ARMS = {"all": lambda size: cascade_ucb1(), "response": lambda size: repaired_local(2.0, list_size=size)}
ARMS = {"UCB1": lambda size: ucb(), "LDP-UCB-B": lambda size: ldp_ucb_response(2.0)}
GAMES = [(Cascade, LISTS), (SemiBandit.top_k, SUPER_ARMS), (lambda means, size: Arms.bernoulli(means), ARMS)]


def played(problem, record, leaps, *, pieces, checkpoints=(), traced=False, state=None, seed=0):
    """Everything that a run leaves behind, and the indices of the last round that looked for a list."""
    numbers, source = problem.record(), streams(seed, 0)
    state = index.start(numbers, record) if state is None else index.State(*map(np.copy, state))
    trace, marks = index.blank(problem, record, pieces[-1] if traced else 0), np.array(checkpoints, np.int64)
    regret = np.zeros(len(marks))
    for before, last in zip(pieces, pieces[1:], strict=False):
        if before == 0 and record.observe_first:
            index._observe_first(numbers, record, state, source[0])
        game = (numbers, record, state, before + 1, last, marks, regret, trace, *source)
        if leaps:
            leap.rounds(record.reports == index.FIRST, *game)
        else:
            index._rounds(*game)
    left = {name: getattr(state, name).tolist() for name in CARRIED}
    return trace, left | {"at": regret.tolist(), "streams": [s.bit_generator.state for s in source]}, state.indices


def leapt(problem, record, **run):
    """Assert that both loops leave the same bits; whether the last round belonged to a leap."""
    (trace, left, indices), (plain, expected, fresh) = (
        played(problem, record, leaps, **run) for leaps in (True, False)
    )
    different = np.flatnonzero((trace != plain).any(axis=1))
    assert not len(different), f"round {different[0] + 1}: {trace[different[0]]}, not {plain[different[0]]}"
    assert left == expected
    return indices.tolist() != fresh.tolist()


@pytest.mark.parametrize(("make", "policies"), GAMES, ids=["Cascade", "SemiBandit", "Arms"])
def test_random_games_cut_anywhere(make, policies):
    rng, leaps = np.random.default_rng(3), {name: 0 for name in policies}
    for number in range(20 * len(policies)):
        name = list(policies)[number % len(policies)]
        n_arms = int(rng.integers(2, 9))
        means = rng.choice([rng.random(n_arms), rng.choice([0.0, 0.3, 1.0], n_arms), np.full(n_arms, 0.5)])
        problem = make(means, int(rng.integers(1, n_arms + 1)))
        horizon = int(rng.integers(1, 20_000))
        cuts, marks = (np.unique(rng.integers(1, horizon + 1, 3)).tolist() for _ in range(2))
        pieces = [0, *[cut for cut in cuts if cut < horizon], horizon]
        run = {"pieces": pieces, "checkpoints": marks[:-1], "traced": True, "seed": number}
        leaps[name] += leapt(problem, policies[name](problem.list_size).record, **run)
    assert all(leaps.values()), leaps


def state_of(problem, record, pulls, means):
    """The state after rounds that nobody played."""
    state = index.start(problem.record(), record)
    state.pulls[:] = pulls
    state.total[:] = np.round(np.multiply(pulls, means))
    state.mean[:], state.root[:] = state.total / pulls, 1.0 / np.sqrt(pulls)
    return state


@pytest.mark.parametrize(
    ("problem", "policy", "mean", "scale"),
    [
        (Arms.bernoulli([0.9, 0.1]), ucb(), 0.88, 2.0),  # arm 0 stays at 0.9, and arm 1 is not shown
        (Cascade([1.0, 0.5, 0.0], 2), cascade_ucb1(), 0.98, 1.5),  # item 0 is always clicked, so nobody sees item 1
    ],
)
def test_an_item_that_is_not_shown_or_not_seen_rises_with_the_time(problem, policy, mean, scale):
    """No outcome brings that forward: ln t lifts it above the other."""
    record, before = policy.record, 10**4
    radius = math.sqrt(scale * math.log(before))
    others = problem.n_arms - 2
    pulls, means = [10**12, 400] + [10**12] * others, [mean + 0.02, mean - radius / 20] + [0.1] * others
    state = state_of(problem, record, pulls, means)
    assert leapt(problem, record, state=state, pieces=[before, before + 100])
    leapt(problem, record, state=state, pieces=[before, 20 * before])
    assert played(problem, record, True, state=state, pieces=[before, 20 * before])[1]["pulls"][1] > 400


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
