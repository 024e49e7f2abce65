"""Leaps drawn as binomial numbers: the law of the rounds one by one, and no leap beyond what is certain."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
import scipy.stats
import xarray as xr

from private_bandits import simulate
from private_bandits.baselines import ldp_ucb_response, ucb
from private_bandits.kernels import binomials, index, leap
from private_bandits.papers.cascading import b_lb, cascade_ucb1, repaired_local, ucb_gaussian, ucb_laplace, uniform
from private_bandits.papers.semibandits import cucb, cucb_ldp2
from private_bandits.problems import Arms, Cascade, SemiBandit
from private_bandits.simulate import streams

TRIALS = [(1, 0.3), (30, 0.05), (40, 0.5), (64, 0.9), (200, 0.05), (1000, 0.2), (1000, 0.013), (10**6, 0.3)]
ONE_BY_ONE, AT_ONCE = False, True
PAIRS = SemiBandit.top_k([0.9, 0.8, 0.4, 0.4, 0.3], 2)
GAMES = {
    "cascade": (Cascade([0.6, 0.4, 0.2, 0.1, 0.05], 2), cascade_ucb1()),
    "cascade, answers": (Cascade([0.7, 0.6, 0.2, 0.1, 0.1], 2), repaired_local(4.0, 2)),
    "arms, answers": (Arms.bernoulli([0.8, 0.4, 0.2]), ldp_ucb_response(4.0)),
    "super arms": (PAIRS, cucb()),
    "super arms, answers": (PAIRS, cucb_ldp2(8.0)),
}
HORIZON = 100_000


def law_of(found, chances):
    """The p-value of counts of outcomes; those expected less than 20 times are taken together."""
    expected = np.append(chances, max(1.0 - np.sum(chances), 0.0)) * found.sum()
    found, rare = np.append(found, 0), expected < 20
    left = [np.append(one[~rare], one[rare].sum()) for one in (found, expected)]
    if left[1][-1] < 20:
        left = [np.append(one[1:-1], one[0] + one[-1]) for one in left]
    return scipy.stats.chisquare(*left).pvalue if len(left[0]) > 1 else 1.0


@pytest.mark.parametrize(("n", "p"), TRIALS)
def test_binomial_numbers_have_their_law(n, p):
    rng = np.random.default_rng(1)
    drawn = np.array([binomials.binomial(rng, n, p) for _ in range(100_000)])
    least, most = drawn.min(), drawn.max()
    chances = scipy.stats.binom.pmf(np.arange(least, most + 1), n, p)
    width = max(1, len(chances) // 60)  # cells of several numbers
    edges = np.arange(0, len(chances), width)
    found = np.add.reduceat(np.bincount(drawn - least), edges)
    assert law_of(found, np.add.reduceat(chances, edges)) > 1e-3


def test_what_is_certain_is_not_drawn():
    rng = np.random.default_rng(1)
    before = rng.bit_generator.state
    assert [binomials.binomial(rng, n, p) for n, p in ((0, 0.5), (50, 0.0), (50, 1.0))] == [0, 0, 50]
    assert rng.bit_generator.state == before


def test_a_distance_falls_by_what_the_worst_order_takes():
    rng = np.random.default_rng(2)
    for _ in range(2000):
        slots = np.zeros((1, leap.WIDTH))
        slots[0, [leap.COUNT, leap.SUM]] = 100.0, 30.0
        slots[0, [leap._LOW, leap._HIGH]] = rng.uniform(-0.5, 1.5, 2)
        zeros, ones = (int(rng.integers(0, 4)) for _ in range(2))
        least = start = leap.room(slots, 0)
        for order in set(itertools.permutations([0.0] * zeros + [1.0] * ones)):
            slots[0, [leap.COUNT, leap.SUM]] = 100.0, 30.0
            for report in order:
                slots[0, [leap.COUNT, leap.SUM]] += 1.0, report
                least = np.minimum(least, leap.room(slots, 0))
        slots[0, [leap.COUNT, leap.SUM]] = 100.0, 30.0
        down_and_up = np.array(leap.falls(slots, 0, zeros, ones))
        assert (np.array(start) - down_and_up <= np.array(least) + 1e-9).all()
        low, high = slots[0, [leap._LOW, leap._HIGH]]
        if 0.0 <= low <= 1.0 and 0.0 <= high <= 1.0:  # and no less
            assert np.array(start) - down_and_up == pytest.approx(np.array(least), abs=1e-9)


def state_of(problem, record, pulls, totals):
    """The state after rounds that nobody played."""
    state = index.start(problem.record(), record)
    state.pulls[:], state.total[:] = pulls, totals
    state.mean[:], state.root[:] = np.divide(totals, pulls), 1.0 / np.sqrt(pulls)
    return state


def played(problem, policy, how, source, pieces, state=None, checkpoints=()):
    """The state and the regret at the checkpoints after rounds in some pieces."""
    record = policy.record._replace(binomials=how)
    state = index.start(problem.record(), record) if state is None else index.State(*map(np.copy, state))
    marks, nothing = np.array(checkpoints, np.int64), index.blank(problem, record, 0)
    regret = np.zeros(len(marks))
    for before, last in itertools.pairwise(pieces):
        index.advance(problem.record(), record, state, before + 1, last, marks, regret, nothing, *source)
    return state, regret


def enumerated(means, terms, pulls, totals, before, rounds):
    """The law of the pulls and clicks of the second of two arms after some rounds of UCB1, by all outcomes."""
    law = {(0, 0, 0): 1.0}
    for t in range(before + 1, before + rounds + 1):
        a, after = sum(math.sqrt(alpha * math.log(t) + beta) for alpha, beta in terms), Counter()
        for (seconds, hits, second_hits), chance in law.items():
            n = pulls[0] + t - before - 1 - seconds, pulls[1] + seconds
            s = totals[0] + hits, totals[1] + second_hits
            arm = int(s[1] / n[1] + a / math.sqrt(n[1]) > s[0] / n[0] + a / math.sqrt(n[0]))
            for hit, part in ((1, means[arm]), (0, 1.0 - means[arm])):
                after[seconds + arm, hits + hit * (1 - arm), second_hits + hit * arm] += chance * part
        law = after
    return law


def test_a_short_run_has_the_law_of_all_its_outcomes():
    """The first arm is ahead at first: its sums are drawn, then its rounds, and then the second is played."""
    problem, policy, before, rounds = Arms.bernoulli([0.2, 0.5]), ucb(), 10**4, 90
    pulls, totals, source = (1000, 300), (510, 110), streams(3, 0)
    start = state_of(problem, policy.record, pulls, totals)
    exact = enumerated(problem.means, policy.record.terms, pulls, totals, before, rounds)
    ends = [played(problem, policy, AT_ONCE, source, [before, before + rounds], start)[0] for _ in range(4000)]
    found = Counter((int(end.pulls[1] - 300), int(end.total[0] - 510), int(end.total[1] - 110)) for end in ends)
    for shown in ((0,), (1,), (0, 1), (0, 1, 2)):
        law, seen = Counter(), Counter()
        for outcomes, into in ((exact, law), (found, seen)):
            for outcome, weight in outcomes.items():
                into[tuple(outcome[place] for place in shown)] += weight
        assert seen.keys() <= law.keys()
        assert law_of(np.array([seen[outcome] for outcome in law]), np.array([*law.values()])) > 1e-3, shown
    assert 0.3 < sum(chance for (seconds, *_), chance in exact.items() if seconds == 0) < 0.7


def orders(zeros, ones):
    """All orders of so many reports."""
    places = range(zeros + ones)
    return [[int(place in hits) for place in places] for hits in itertools.combinations(places, ones)]


def in_order(reports, one, cascade, counts, line):
    """The rounds until a sum of such reports is not above half its count and the line, and the sums."""
    counts, sums, given = [*counts], [0] * len(reports), [[*each] for each in reports]
    for t in itertools.count(1):
        first, inside = int(np.argmin(counts)) if one else 0, True
        for slot in [first] if one else range(len(reports)):
            report = given[slot].pop(0)
            counts[slot], sums[slot] = counts[slot] + 1, sums[slot] + report
            inside &= sums[slot] - 0.5 * counts[slot] > line
            if report and cascade:
                break
        if not inside or not any(given):
            return t, *sums


@pytest.mark.parametrize(
    ("one", "cascade", "counts", "left", "ones"),
    [
        (False, False, (4,), (6,), (3,)),
        (False, True, (4, 4), (6, 4), (2, 1)),
        (True, False, (6, 4), (2, 4), (1, 2)),
        (False, False, (4, 4), (4, 4), (2, 1)),
    ],
    ids=["one item", "cascade", "fewest reports", "super arm"],
)
def test_sums_that_are_drawn_come_in_random_order_until_one_crosses(one, cascade, counts, left, ones):
    problem, size, line = Cascade(np.full(3, 0.5), len(counts)), len(counts), -3.2
    state, rng = index.start(problem.record(), cascade_ucb1().record), np.random.default_rng(6)
    state.slots[:, leap._LOW], state.slots[:, leap._LOW_0], state.slots[:, leap._HIGH] = 0.5, line, 1.0
    state.slots[:, leap._HIGH_0] = 100.0
    ways = [orders(n - k, k) for n, k in zip(left, ones, strict=True)]
    law, found = Counter(in_order(way, one, cascade, counts, line) for way in itertools.product(*ways)), Counter()
    for _ in range(6000):
        state.slots[:, leap.COUNT], state.slots[:, leap.SUM] = counts, 0.0
        state.swapped[0], state.swapped[1] = left, ones
        t = binomials._in_order(one, cascade, state, size, 1, 1 + sum(left if one else left[:1]), rng)
        found[t - 1, *map(int, state.slots[:, leap.SUM])] += 1
    assert found.keys() <= law.keys() and len({t for t, *_ in law}) > 1
    chances = np.array([*law.values()]) / sum(law.values())
    assert law_of(np.array([found[outcome] for outcome in law]), chances) > 1e-3


def extremes(n, total, zeros, ones, rounds, flip, a):
    """The least and the largest index before each of the rounds, whenever and in whatever order reports come."""
    seen, indices = zeros + ones, []
    for reports, wait in itertools.product(([0] * zeros + [1] * ones, [1] * ones + [0] * zeros), (0, rounds - seen)):
        came = np.clip(np.arange(rounds) - wait, 0, seen)
        sums = total + np.append(0, np.cumsum(reports))[came]
        indices.append((sums / (n + came) - flip) / (1.0 - 2.0 * flip) + a / np.sqrt(n + came))
    return np.min(indices, axis=0), np.max(indices, axis=0)


@pytest.mark.parametrize("flip", [0.0, 0.2])
@pytest.mark.parametrize("one", [False, True], ids=["all", "fewest reports"])
def test_no_order_of_what_is_drawn_at_once_changes_the_list(one, flip, monkeypatch):
    """Sums of any size, for up to three times as many rounds as promise: some stand, the others are played in order."""
    problem, policy, rng = Cascade(np.full(6, 0.5), 3), cascade_ucb1(), np.random.default_rng(8)
    promising, begun, in_order = binomials._promising, [], []

    def several(one, cascade, means, state, size, flip, most):
        rounds = min(int(rng.integers(1, 4)) * promising(one, cascade, means, state, size, flip, most), most) // 3 * 3
        begun.append((rounds, state.slots.copy(), state.swapped.copy()))
        return rounds

    monkeypatch.setattr(binomials, "_promising", several)
    monkeypatch.setattr(binomials, "binomial", lambda env, n, p: int(n * rng.beta(20 * p, 20 - 20 * p)))
    monkeypatch.setattr(binomials, "_in_order", lambda *given: in_order.append(given[-2]) or given[-2])
    stand = 0
    for _ in range(800):
        t, pulls = 10**5, np.full(6, 30_000) if one else rng.integers(20_000, 40_000, 6)
        totals = np.floor(pulls * (flip + (1 - 2 * flip) * rng.uniform(0.48, 0.52, 6)))
        state = state_of(problem, policy.record, pulls, totals)
        state.mean[:] = (totals / pulls - flip) / (1 - 2 * flip)
        indices = state.mean + math.sqrt(1.5 * math.log(t)) * state.root
        state.order[:] = np.argsort(-indices)[:3]
        state.floats[0], hidden = indices[state.order], np.argsort(-indices)[3:]
        rival, steepest = indices[hidden].max(), state.root[hidden].max()
        given = (state.floats[0], state.order, state.pulls, state.total, state.slots, rival, steepest)
        most = leap.levels(policy.record.terms, policy.record.cap, *given, t, flip, -np.inf, 0.0, 10**6)
        begun.clear()
        if most > 0:
            binomials.draw.py_func(one, problem.record(), state, flip, t, most, None)
        for (rounds, slots, _), (_, _, (left, ones)) in itertools.pairwise(begun):
            a, above = np.sqrt(1.5 * np.log(np.arange(t, t + rounds))), np.inf
            for slot in range(3):
                n, total = slots[slot, [leap.COUNT, leap.SUM]]
                low, high = extremes(n, total, left[slot] - ones[slot], ones[slot], rounds, flip, a)
                assert (high < above).all()
                above = low
            assert (np.max(state.mean[hidden, None] + a * state.root[hidden, None], axis=0) < above).all()
            t, stand = t + rounds, stand + 1
    assert stand > 50 and len(in_order) > 50


def test_the_clicks_of_one_leap_are_those_of_a_cascade():
    problem, policy, before, rounds = Cascade([0.2, 0.3, 0.5, 0.6], 3), cascade_ucb1(), 10**6, 100
    pulls = 10**9
    start = state_of(problem, policy.record, pulls, pulls * np.array([0.9, 0.8, 0.7, 0.1]))
    source, clicks, seen = streams(4, 0), [], []
    for _ in range(20_000):
        end, _ = played(problem, policy, AT_ONCE, source, [before, before + rounds], start)
        clicks.append(np.round(end.total - start.total)[:3])
        seen.append((end.pulls - pulls)[:3])
    assert end.regret[0] == pytest.approx(rounds * (problem.best - problem.reward([0, 1, 2])))
    reach = np.array([1.0, 0.8, 0.56])
    for item, chance in enumerate(reach * problem.means[:3]):
        counts = np.bincount(np.array(clicks, int)[:, item], minlength=rounds + 1)
        assert law_of(counts, scipy.stats.binom.pmf(np.arange(rounds + 1), rounds, chance)) > 1e-3
    clicks, seen = np.array(clicks), np.array(seen)
    assert np.array_equal(seen[:, 1:], rounds - np.cumsum(clicks, axis=1)[:, :2]) and (seen[:, 0] == rounds).all()


@pytest.mark.parametrize("name", GAMES)
def test_games_have_the_law_of_the_rounds_one_by_one(name):
    """Pulls, clicks and regret of 300 games each, in most rounds of which sums are drawn."""
    (problem, policy), samples, drawn = GAMES[name], [], []
    for how in (ONE_BY_ONE, AT_ONCE):
        rows, source = [], streams(5 + how, 0)
        for number in range(300):
            end, regret = played(problem, policy, how, source, [0, HORIZON], checkpoints=[HORIZON])
            rows.append([*end.pulls, *end.total, regret[0]])
            if number == 0:
                drawn += np.flatnonzero(streams(5 + how, 0).env.random(3 * HORIZON) == source.env.random()).tolist()
        samples.append(np.array(rows))
    assert drawn[1] < 0.75 * drawn[0]
    for one, other in zip(*(sample.T for sample in samples), strict=True):
        assert scipy.stats.ks_2samp(one, other).pvalue > 1e-3


@pytest.mark.parametrize("name", ["arms, answers", "super arms, answers"])
def test_no_round_is_lost_between_checkpoints_and_pieces(name):
    """Each round has one report, and a regret at a checkpoint is that of the pulls so far."""
    problem, policy = GAMES[name]
    marks = [1, 2, 31, 32, 33, 1000, 1001, 40_000, 40_033, 90_000]
    for cuts in ([0, 90_000], [0, 1, 33, 999, 1000, 40_010, 90_000]):
        end, regret = played(problem, policy, AT_ONCE, streams(1, 0), cuts, checkpoints=marks)
        assert end.pulls.sum() == 90_000 and (np.diff(regret) >= 0).all()
        if problem.list_size == 1:
            assert regret[-1] == pytest.approx(float(end.pulls @ problem.gaps))
    for mark in marks:
        end, regret = played(problem, policy, AT_ONCE, streams(1, 0), [0, mark], checkpoints=[mark])
        assert end.pulls.sum() == mark and regret[0] == pytest.approx(end.regret[0])


def test_the_option_is_off_says_so_when_on_and_keeps_to_its_seed():
    problem, policy = b_lb(8, 3, 0.4, 0.3), cascade_ucb1()
    run = {"horizon": 200_000, "replications": 3, "seed": 1, "checkpoints": [100, 199_999]}
    off, on = simulate(problem, policy, **run), simulate(problem, policy, **run, binomial_leaps=True)
    xr.testing.assert_identical(off, simulate(problem, policy, **run, binomial_leaps=False))
    assert "binomial_leaps" not in off.attrs and on.attrs == off.attrs | {"binomial_leaps": 1}
    assert (on.regret[:, -1] != off.regret[:, -1]).any()
    xr.testing.assert_identical(on, simulate(problem, policy, **run, binomial_leaps=True, n_jobs=2))


class InPython:
    name = "in Python"

    def start(self, problem, choice, noise):
        raise AssertionError


LISTS = b_lb(8, 3, 0.4, 0.3)


@pytest.mark.parametrize(
    ("problem", "policy"),
    [
        (LISTS, ucb_laplace(1.0, 3)),
        (LISTS, ucb_gaussian(1.0, 1e-3, 3)),
        (LISTS, uniform()),
        (LISTS, cascade_ucb1(least_first=True)),
        (LISTS, repaired_local(1.0, 3, "padded")),
        (SemiBandit.from_sets([0.5, 0.4], [[0], [1]], reward="max"), cucb()),
        (SemiBandit.from_sets([0.5, 0.4, 0.3], [[0, 1], [1, 2]]), cucb()),
        (Arms.bernoulli([0.5, 0.4]), InPython()),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_what_has_no_binomial_leaps_is_refused(problem, policy):
    with pytest.raises(ValueError, match=f"^binomial_leaps must be False for {policy.name}"):
        simulate(problem, policy, horizon=10, replications=1, seed=0, binomial_leaps=True)


def test_answers_about_each_item_that_a_user_saw_are_refused():
    """There a click decides who is seen, and the report about it may be false."""
    record = repaired_local(1.0, 3).record._replace(reports=index.ALL, binomials=True)
    with pytest.raises(ValueError, match="binomial_leaps"):
        index.check("answers", LISTS, record, 10)
    assert index.check("answers", SemiBandit.top_k(LISTS.means, 3), record, 10) == {}
