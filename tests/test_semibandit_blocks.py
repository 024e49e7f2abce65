"""Blocks of exact answers about the least reported arm: kernel, leaps, privacy by enumeration, the bounds."""

from __future__ import annotations

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pytest
from semibandit_settings import OURS

from private_bandits.papers import semibandits as paper
from private_bandits.papers.semibandits import bounds, instances, repair_blocks
from private_bandits.papers.semibandits.shared import Plain
from private_bandits.problems import SemiBandit
from private_bandits.simulation import simulate, trace


def blocks_for(problem, epsilon, horizon):
    """The policy with the problem's sizes."""
    return paper.cucb_blocks(epsilon, list_size=problem.list_size, n_arms=problem.n_arms, horizon=horizon)


# --- leaps


@pytest.mark.parametrize("policy", ["blocks", "radius"])
@pytest.mark.parametrize("epsilon", [0.5, math.inf])
def test_leaps_change_nothing_that_is_certain(policy, epsilon):
    """With means of 0 and 1 the reports are certain, so that leaps leave ties and noise as they were."""
    problem = SemiBandit.from_sets([1.0, 1.0, 1.0, 0.0, 0.0, 0.0], [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5]])
    horizon, marks = 6000, [1, 7, 500, 2222, 5999, 6000]
    made = blocks_for(problem, epsilon, horizon)
    if policy == "radius":
        made = paper.super_arm_radius(math.inf, horizon=horizon)
    runs = []
    for leap in (0, 3, 100, 1 << 62):
        leaping = type(made)(**{**vars(made), "record": made.record._replace(leap=leap)})
        shown = trace(problem, leaping, horizon=horizon, seed=4)
        run = simulate(problem, leaping, horizon=horizon, replications=2, seed=4, checkpoints=marks, progress=False)
        runs.append((np.sort(shown[:, :-1], axis=1).tolist(), run.regret.values.tolist()))
    assert all(each == runs[0] for each in runs)
    assert runs[0][1][0][-1] > 0


@pytest.mark.parametrize("policy", ["blocks", "radius"])
def test_leaps_have_the_same_law(policy):
    problem, horizon = instances.k_path(12, 3, 0.6), 30_000
    made, means = paper.cucb_blocks(1.0, list_size=3, n_arms=12, horizon=horizon), []
    if policy == "radius":  # of bits, which are flipped in a leap too
        made = paper.super_arm_radius(1.0, horizon=horizon)
    for leap in (0, 1 << 62):
        leaping = type(made)(**{**vars(made), "record": made.record._replace(leap=leap)})
        run = simulate(problem, leaping, horizon=horizon, replications=300, seed=leap % 7, progress=False)
        lost = run.regret[:, -1]
        means.append((float(lost.mean()), float(lost.std()) / math.sqrt(300)))
    (one, error), (other, more) = means
    assert abs(one - other) < 4 * math.hypot(error, more) < 0.1 * one


# --- privacy, by enumeration of the library's own reference


class Odometer:
    """Runs a program on every sequence of its choices: `pick` returns one of some values with its probability."""

    def __init__(self):
        self.path, self.width, self.place, self.weight = [], [], 0, 1.0

    def pick(self, law):
        if self.place == len(self.path):
            self.path.append(0)
            self.width.append(len(law))
        value, chance = law[self.path[self.place]]
        self.place += 1
        self.weight *= chance
        return value

    def runs(self, program):
        while True:
            self.place, self.weight = 0, 1.0
            yield program(), self.weight
            while self.path and self.path[-1] + 1 == self.width[-1]:
                self.path.pop()
                self.width.pop()
            if not self.path:
                return
            self.path[-1] += 1


SHARED = SemiBandit.from_sets([0.5, 0.5, 0.5], [[0, 1], [1, 2]])
SINGLE = SemiBandit.from_sets([0.5, 0.5], [[0], [1]])


def laws(monkeypatch, problem, rounds, again=False):
    """P(super arms | answers) of the reference: an answer is that of the arm that is asked about, a user each.

    Noise is discrete, P(k) = 2^-|k| / 3, so that e^epsilon = 2, and the noisy sum of a reports is cut at -1 and a + 1,
    which is post-processing. The level is a hundredth, so that blocks are short and radii small enough for the answers
    to decide: privacy hangs on neither. With `again`, a planted mistake, a released sum has the earlier reports, too.
    """
    wheel, state = Odometer(), {}

    class Asked(Plain):
        def outcomes(self, arms, env):
            arm = arms[0]
            bit = wheel.pick([(0.0, 1.0), (1.0, 1.0)])
            state["asked"].append((arm, int(bit)))
            state["open"][arm].append(int(bit))
            return {arm: bit}  # another arm's outcome is a KeyError

    def released(rng, scale):
        assert scale == pytest.approx(1 / math.log(2))
        arm = state["asked"][-1][0]
        block, state["open"][arm] = state["open"][arm], []
        state["all"][arm] += block
        counted = state["all"][arm] if again else block
        total, ends = sum(counted), (-1, len(counted) + 1)
        law = [(v, 2.0 ** -abs(v - total) / 3 * (2 if v in ends else 1)) for v in range(ends[0], ends[1] + 1)]
        assert sum(chance for _, chance in law) == pytest.approx(1)
        return wheel.pick(law) - sum(block)  # which the reference adds

    def tie():
        return wheel.pick([(0.25, 0.5), (0.75, 0.5)])

    small = SimpleNamespace(**{**vars(math), "log": lambda x: 0.01 * math.log(x)})
    monkeypatch.setattr(repair_blocks, "math", small)
    monkeypatch.setattr(repair_blocks, "Plain", Asked)
    monkeypatch.setattr(repair_blocks, "laplace", released)
    source = SimpleNamespace(env=None, noise=None, choice=SimpleNamespace(random=tie))

    sizes = {"n_arms": problem.n_arms, "list_size": problem.list_size, "horizon": rounds}

    def program():
        state.update(asked=[], open={arm: [] for arm in range(3)}, all={arm: [] for arm in range(3)})
        rows = repair_blocks.reference(problem, rounds, source, epsilon=math.log(2), **sizes)
        return tuple(tuple(sorted(row[:-1])) for row in rows), tuple(state["asked"])

    found = {}
    for (played, asked), weight in wheel.runs(program):
        arms = tuple(arm for arm, _ in asked)
        law = found.setdefault(played, (arms, {}))
        assert law[0] == arms  # who is asked follows from the super arms
        bits = tuple(bit for _, bit in asked)
        law[1][bits] = law[1].get(bits, 0.0) + weight
    return found


@pytest.mark.parametrize(("rounds", "largest"), [(2, 1.0), (3, 13 / 8), (4, 13 / 8)])
def test_one_user_moves_no_probability_by_more_than_e_to_epsilon(monkeypatch, rounds, largest):
    found = laws(monkeypatch, SHARED, rounds)
    users = list(itertools.product((0, 1), repeat=3))
    table = np.zeros((*[8] * rounds, len(found)))  # all data sets, a user's outcomes of all arms each
    for data in itertools.product(range(8), repeat=rounds):
        for row, (arms, law) in enumerate(found.values()):
            table[(*data, row)] = law[tuple(users[u][arm] for u, arm in zip(data, arms, strict=True))]
    np.testing.assert_allclose(table.sum(axis=-1), 1.0)
    worst = max(float((table.max(axis=user) / table.min(axis=user)).max()) for user in range(rounds))
    assert worst == pytest.approx(largest, abs=1e-12) and worst <= 2


@pytest.mark.parametrize(("again", "largest"), [(False, 2.0), (True, 4.0)])
def test_two_arms_attain_e_to_epsilon_and_fresh_noise_on_old_reports_exceeds_it(monkeypatch, again, largest):
    worst = 0.0
    for _, law in laws(monkeypatch, SINGLE, 4, again).values():
        for bits, chance in law.items():
            for user in range(4):
                changed = (*bits[:user], 1 - bits[user], *bits[user + 1 :])
                worst = max(worst, chance / law[changed])
    assert worst == pytest.approx(largest, abs=1e-12)


# --- Theorem B


def test_the_upper_bound_by_hand():
    problem = SemiBandit.from_sets([0.9, 0.8, 0.6, 0.5, 0.3], [[0, 1], [2, 3], [1, 4], [3, 4]], weights=2.0)
    f = math.log(10**5) + math.log(17)
    g = f + 2 * math.sqrt(2 * f)
    # gaps 1.2 to 1.2 or 1.8, five arms, four super arms
    terms = bounds.cucb_blocks_upper(problem=problem, horizon=10**5, epsilon=0.5)
    assert terms.sampling == pytest.approx(8 * 2 * 4 * f * (2 * (2 / 1.2 - 1 / 1.2) + 2 * (2 / 1.2 - 1 / 1.8)))
    assert terms.private == pytest.approx(16 * 2 * g / 0.5 * (4 + 2 * math.log(1.5)))
    assert terms.rest == pytest.approx((5 + 4) * 1.8)
    assert bounds.cucb_blocks_upper(problem=problem, horizon=10**5, epsilon=math.inf).private == 0.0
    largest = instances.separated("max-path", others=4, list_size=2, distance=0.5)
    for horizon, level in ((10**5, f), (1, 0.0)):
        found = bounds.cucb_blocks_upper(problem=largest, horizon=horizon, epsilon=1.0).sampling
        assert found == pytest.approx(4 * 8 * 2 * (level + 2 * math.log(2)) / 0.5)


@pytest.mark.parametrize("epsilon", [0.05, 1.0])
@pytest.mark.parametrize("name", ["K-path", "windows", "public", "largest", "mixed"])
def test_the_upper_bound_holds(name, epsilon):
    problem, horizon = OURS[name], 10**7
    policy = blocks_for(problem, epsilon, horizon)
    lost = simulate(problem, policy, horizon=horizon, replications=3, seed=1, progress=False)
    most = sum(bounds.cucb_blocks_upper(problem=problem, horizon=horizon, epsilon=epsilon))
    assert most / 1000 < float(lost.regret[:, -1].max()) < most


# --- Theorem 9 and the two rates


def test_central_rates_by_hand():
    game = {"n_arms": 12, "list_size": 4, "gap": 0.6, "b_1": 2.0}
    low, high = bounds.central_rates(**game, epsilon=0.01)
    x = 0.6 / 8
    plain = (0.5 - x) * math.log((0.5 - x) / 0.5) + (0.5 + x) * math.log((0.5 + x) / 0.5)
    assert 0.01 * x < plain
    assert low == pytest.approx(2 * (12 - 4) / 0.01, rel=0.05) and low > 2 * (12 - 4) / 0.01
    assert high == pytest.approx(8 * 12 * 4 * 4 / 0.6 + 16 * 12 * 2 / 0.01)
    assert bounds.central_rates(**game, epsilon=math.inf)[0] == pytest.approx(2 * 0.6 / plain)
    theorem = bounds.theorem_9(**game, epsilon=0.01, horizon=1000, variant="corrected")
    assert low == pytest.approx(theorem / math.log(1000))


def test_where_theorem_9_fails():

    def fails(size, gap, epsilon, b_1=1.0, constant=1.0):
        return bounds.theorem_9_fails(list_size=size, gap=gap, b_1=b_1, epsilon=epsilon, constant=constant)

    assert not fails(16, 1.6, 1e-9)  # K must exceed 16 / c
    for size, x, constant in ((64, 0.1, 0.5), (4096, 0.3, 1 / 64), (40, 0.01, 1.0)):
        least = x * (constant * size - 16) / (8 - constant)
        assert fails(size, 3 * x * size, 0.999 * least, 3.0, constant) and least > 0
        assert not fails(size, 3 * x * size, 1.001 * least, 3.0, constant)
        assert 2 * 16 / constant > size or fails(size, x * size, constant * x * size / 16, 1.0, constant)
