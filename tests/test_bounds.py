"""The bounds of Wang et al. (2021) and Kveton et al. (2015): values by hand, limits, and the sums of the proofs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from chernoff import chernoff

from private_bandits.mechanisms import lemma_1_constant
from private_bandits.papers.cascading import bounds
from private_bandits.problems import Cascade, SemiBandit

# gaps to the second best item 0.2 and 0.4, so the sum of 1/gap is 7.5
MEANS = [0.1, 0.6, 0.3, 0.5]
PROBLEM = Cascade(MEANS, 2)
HORIZON = 1000
LOG = math.log(HORIZON)
GAME, CORRECTED = {"problem": PROBLEM, "horizon": HORIZON}, {"variant": "corrected"}
TAIL = 8 * math.pi**2 / 3  # 2 pi^2 L / 3
DELTA_3 = 1.25 * math.exp(-3)  # ln(1.25/delta) = 3
close = pytest.approx


# --- values by hand


def test_kveton_by_hand():
    divergence = 0.05 * math.log(0.05 / 0.2) + 0.95 * math.log(0.95 / 0.8)
    assert bounds.kveton_lower(n_arms=4, list_size=2, p=0.2, gap=0.15, horizon=HORIZON) == close(
        2 * 0.15 * 0.8 * LOG / divergence
    )


def test_theorem_2_by_hand():
    # c_1 L / epsilon = 2, and with K in place of L it is 1; 192 * 7.5 = 1440
    told = GAME | {"epsilon": 2.0, "xi": 1.0, "c_1": 1.0, "c_2": 5.0}
    assert bounds.theorem_2(**told) == close(1440 * (2 * LOG) ** 2 + TAIL + 5)
    assert bounds.theorem_2(**told, variant="proof") == close(1440 * LOG**2 + TAIL + 5)
    assert bounds.theorem_2(**GAME, epsilon=2.0) == close(1440 * (2 * lemma_1_constant() * LOG) ** 1.5 + TAIL)


def test_theorem_4_by_hand():
    # K / epsilon = 1, and (sqrt 1.5 + sqrt 24)^2 = 37.5
    assert bounds.theorem_4(**GAME, epsilon=2.0) == close(4 * 37.5 * 7.5 * LOG + TAIL)
    assert bounds.theorem_4(**GAME, epsilon=2.0, **CORRECTED) == close(8 * 37.5 * 7.5 * LOG + TAIL + 3 * 4 * LOG)


def test_theorem_6_by_hand():
    # (8/epsilon) sqrt(K * 3) = sqrt 6 = 2 sqrt 1.5 at epsilon = 8, so the square is 24
    assert bounds.theorem_6(**GAME, epsilon=8.0, delta=DELTA_3) == close(2 * 24 * 7.5 * LOG)
    assert bounds.theorem_6(**GAME, epsilon=8.0, delta=DELTA_3, **CORRECTED) == close(2 * 24 * 7.5 * LOG + TAIL)


def test_theorem_8_by_hand():
    # ln(e + epsilon/delta) = 3, so b = sqrt(4 * 2 * 3) / 2 = sqrt 6 and (sqrt 1.5 + sqrt 24 b)^2 = (sqrt 1.5 + 12)^2
    delta, square = 2.0 / (math.exp(3) - math.e), (math.sqrt(1.5) + 12) ** 2
    assert bounds.theorem_8(**GAME, epsilon=2.0, delta=delta) == close(8 * square * 7.5 * LOG + TAIL + 12 * LOG)


@pytest.mark.parametrize(("epsilon", "capped"), [(1.0, 1.0), (math.inf, 2.0)])
def test_theorem_10_by_hand(epsilon, capped):
    # Delta_min = 0.2, f^-1(0.2) = 0.1; Delta_max = 1.1 - 0.4; m = 4
    pulls = 128 * 2 * 3 * LOG / (capped * 0.01)
    rests = {
        "printed": math.pi**2 / 3 + 1,
        "proof": 2 * math.pi**2 / 3 + 2,
        "corrected": math.pi**2 / 3 + 3 + 2 * LOG,
    }
    for variant, rest in rests.items():
        value = bounds.theorem_10(
            problem=SemiBandit.top_k(MEANS, 2), horizon=HORIZON, epsilon=epsilon, delta=DELTA_3, variant=variant
        )
        assert value == close((pulls + rest) * 4 * 0.7)
        # the part that tells the variants apart is small beside the pulls
        assert value / 2.8 - pulls == close(rest, rel=1e-6)


@pytest.mark.parametrize(
    ("weight", "privacy"),
    # e^eps = 1.5, 3: 2 min(4, e^2eps) (e^eps - 1)^2
    [(1.5, 2 * 2.25 * 0.25), (3.0, 2 * 4 * 4)],
)
def test_theorem_11_by_hand(weight, privacy):
    arguments = {"n_arms": 5, "list_size": 2, "p": 0.5, "gap": 0.25, "epsilon": math.log(weight), "horizon": HORIZON}
    assert bounds.theorem_11(**arguments) == close(3 * 0.5 * 0.25 / (privacy * 0.25) * LOG)
    divergence = 0.25 * math.log(0.5) + 0.75 * math.log(1.5)  # d(0.25 || 0.5)
    assert bounds.theorem_11(**arguments, variant="corrected") == close(3 * 0.25 * 0.5 / (privacy * divergence) * LOG)
    low = 0.5 - 0.25 * (weight - 1) / (weight + 1)  # a bit about 0.25 is 1 that often, one about 0.5 half of the time
    kept = low * math.log(2 * low) + (1 - low) * math.log(2 * (1 - low))
    assert bounds.theorem_11(**arguments, variant="derived") == close(3 * 0.25 * 0.5 / kept * LOG, rel=1e-9)


def test_theorem_12_by_hand():
    arguments = {"n_arms": 5, "list_size": 2, "p": 0.5, "gap": 0.25, "horizon": HORIZON}
    assert bounds.theorem_12(**arguments, epsilon=0.2) == close(3 * 0.5 * (4 + 5) * LOG)
    # the log-odds of 0.25 and 0.5 differ by ln 3: from there on privacy costs nothing
    plain = 3 * 0.5 * 0.25 / (0.25 * math.log(0.5) + 0.75 * math.log(1.5)) * LOG
    assert bounds.theorem_12(**arguments, epsilon=math.log(3), variant="corrected") == close(plain)
    private = 3 * 0.5 * 0.25 / (-math.log(0.5 + 0.5 / 2) - 0.25 * math.log(2)) * LOG  # e^eps = 2
    assert bounds.theorem_12(**arguments, epsilon=math.log(2), variant="corrected") == close(private)
    assert private > plain
    assert bounds.theorem_12(**arguments, epsilon=1e-6, variant="corrected") == close(3 * 0.5 / 1e-6 * LOG, rel=1e-5)


# --- no privacy


def test_without_privacy_the_bounds_lead_with_kveton():
    leading, free = 90 * LOG + TAIL, GAME | {"epsilon": math.inf}  # the sum of 12/gap of Theorem 2 of Kveton et al.
    assert bounds.theorem_4(**free, **CORRECTED) == close(leading + 12 * LOG)
    assert bounds.theorem_6(**free, delta=1e-3, **CORRECTED) == close(leading)
    assert bounds.theorem_8(**free, delta=1e-3) == close(leading + 12 * LOG)
    game = {"n_arms": 20, "list_size": 4, "p": 0.2, "gap": 0.15, "horizon": HORIZON}
    assert bounds.theorem_11(**game, epsilon=math.inf) == 0.0
    assert bounds.theorem_11(**game, epsilon=math.inf, variant="derived") == close(bounds.kveton_lower(**game))


def test_without_privacy_theorem_2_forgets_the_sampling():
    """As printed it does not grow with T; corrected it is Kveton's layering of 6 ln T / gap^2 pulls, at most 12/gap."""
    free = GAME | {"epsilon": math.inf}
    assert bounds.theorem_2(**free) == bounds.theorem_2(**free | {"horizon": HORIZON**2}) == TAIL
    layered = sum(1 / first + second * (1 / second**2 - 1 / first**2) for first, second in ((0.3, 0.2), (0.5, 0.4)))
    corrected = bounds.theorem_2(**free, **CORRECTED)
    assert corrected == close(6 * layered * LOG + TAIL)
    assert corrected - TAIL < 90 * LOG


# --- Theorem 2, corrected


def _pulls_by_scan(gap, n_arms, epsilon, c_1):
    """The last number of pulls at which both radii together still exceed gap/2."""
    s = 2
    last = 0
    while True:
        radius = math.sqrt(1.5 * LOG / s) + 3 * c_1 * n_arms * math.log(s) ** 1.5 * LOG / (epsilon * s)
        if 2 * radius > gap:
            last = s
        elif s > 100 and s > 2 * last:
            return last
        s += 1


@pytest.mark.parametrize(("gap", "epsilon"), [(0.4, 1.0), (0.5, 50.0)])
def test_corrected_theorem_2_solves_its_inequality(gap, epsilon):
    problem = Cascade([0.6, 0.6 - gap, 0.6 - gap], 1)
    corrected = bounds.theorem_2(problem=problem, horizon=HORIZON, epsilon=epsilon, variant="corrected", c_1=2.0)
    pulls = (corrected - 2 * math.pi**2) / (2 * gap)
    scanned = _pulls_by_scan(gap, 3, epsilon, 2.0)
    assert scanned - 1e-6 <= pulls <= scanned + 1 + 1e-6


# --- the repair that asks about the first item


@pytest.mark.parametrize(("means", "size"), [([0.4, 0.4, 0.1, 0.1, 0.1], 2), ([0.6, 0.2], 1)])
def test_the_bound_of_the_repair_is_the_sum_of_its_proof(means, size):
    """Each item pays for each count once: twice its radius, at most the largest gap, until that is the smallest."""
    horizon, epsilon = 10**5, 0.7
    best, others = means[:size], means[size:]
    smallest, largest = best[-1] - others[0], best[0] - others[-1]
    kappa = sum((1 - best[-1]) ** k for k in range(size))
    radii = [
        math.sqrt(1.5 * math.log(horizon) / n) * (math.exp(epsilon) + 1) / (math.exp(epsilon) - 1)
        for n in range(1, 200_000)
    ]
    paid = sum(kappa * min(largest, 2 * r) for r in radii if 2 * r >= smallest)
    tail = sum(t**-2 for t in range(1, 10**5))
    found = bounds.repaired_first_upper(problem=Cascade(np.array(means), size), horizon=horizon, epsilon=epsilon)
    assert len(means) * (paid + 1 + tail) <= found <= 1.01 * len(means) * (paid + 1 + tail)


# --- the repair that releases blocks


@pytest.mark.parametrize(
    ("means", "size", "epsilon", "horizon", "design"),
    [
        ([0.7, 0.2], 1, 2.0, 50, "keep"),  # cut within a block
        ([0.4, 0.4, 0.1, 0.1, 0.1], 2, 0.7, 10**5, "keep"),
        ([0.9, 0.5, 0.3, 0.05], 2, 30.0, 10**5, "forget"),
    ],
)
def test_the_bound_of_blocks_is_the_sum_of_its_proof(means, size, epsilon, horizon, design):
    """Report by report: twice the radius of the closed blocks, at most the largest gap, until that is the smallest."""
    smallest, largest = means[size - 1] - means[size], means[0] - means[-1]
    kappa = sum((1 - means[size - 1]) ** k for k in range(size))
    closed, open_block, error, paid = [], 0, largest, 0.0
    for _ in range(horizon):
        if error < smallest:
            break
        paid, open_block = paid + kappa * error, open_block + 1
        if open_block == max(math.ceil(8 / epsilon), math.ceil((0.2 if design == "keep" else 1) * sum(closed) - 1e-9)):
            closed, open_block = [*closed, open_block], 0
            held = closed if design == "keep" else closed[-1:]
            radius = chernoff(3 * math.log(2 * horizon), sum(held), [1 / epsilon] * len(held)) / sum(held)
            error = min(largest, 2 * radius)
    found = bounds.repaired_blocks_upper(
        problem=Cascade(np.array(means), size), horizon=horizon, epsilon=epsilon, design=design
    )
    assert found == pytest.approx(len(means) * (paid + math.pi**2 / 6), rel=1e-8)
