"""The bounds of Basu et al. (2019) and what replaces them: literal formulas, maxima by scipy, and known values."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq, linprog, minimize_scalar
from scipy.stats import entropy

from private_bandits.papers.definitions import bounds, replacements
from private_bandits_book.chapters.contextual import linear_programmes

MILLION = 10**6
GAME = {"n_arms": 5, "horizon": MILLION}
EPSILONS = (0.05, math.log(2.0), 4.0)
close = pytest.approx


def _factor(epsilon):
    """min(4, e^2eps) (e^eps - 1)^2, literally."""
    return min(4.0, math.exp(2 * epsilon)) * (math.exp(epsilon) - 1) ** 2


def _kl(p, q):
    return float(entropy([p, 1 - p], [q, 1 - q]))


def _largest(value, top):
    """Largest value over gaps in (0, top], on the logarithmic scale."""
    found = minimize_scalar(
        lambda log: -value(math.exp(log)), bounds=(-14, math.log(top)), method="bounded", options={"xatol": 1e-10}
    )
    return max(-found.fun, value(top))


# --- Theorem 1


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_theorem_1_is_the_printed_formula(epsilon):
    told = GAME | {"epsilon": epsilon}
    table = math.sqrt(4 * MILLION) / (min(2, math.exp(epsilon)) * (math.exp(epsilon) - 1))
    assert bounds.theorem_1(**told, variant="table") == close(table)
    assert bounds.theorem_1(**told) == bounds.corollary_1(**told) == close(table / (4 * math.e**4))
    assert bounds.theorem_1(**told, variant="proof") == close(table / (8 * math.e**4))
    assert bounds.theorem_1(**told, c=0.002) == close(0.002 * table)


def test_theorem_1_is_silent_below_its_threshold():
    for variant, times, gap in (("printed", 1, 1.0), ("proof", 4, 0.5)):
        threshold = bounds.horizon_1(n_arms=10, epsilon=0.01, variant=variant)
        assert threshold == close(times * 9 / _factor(0.01)) == close(9 / (_factor(0.01) * gap**2))
        assert math.isnan(bounds.theorem_1(n_arms=10, horizon=math.floor(threshold), epsilon=0.01, variant=variant))
        assert bounds.theorem_1(n_arms=10, horizon=math.ceil(threshold), epsilon=0.01, variant=variant) > 0


def _raised(n_arms, horizon, epsilon, gap):
    """The bound of the page at a gap, for the divergence of one response."""
    keep = 1.0 if math.isinf(epsilon) else (math.exp(epsilon) - 1) / (math.exp(epsilon) + 1)
    kept = math.inf if gap * keep >= 0.5 else _kl(0.5, 0.5 + gap * keep)
    return horizon * gap * (1 - 1 / n_arms - math.sqrt(horizon * kept / (2 * n_arms)))


def _explored(n_arms, horizon, epsilon, share):
    """The root of Theorem B at a mean of arm 1: c (K-1) n = (1-c) (T e^(-eps n) - n), n the pulls of another arm."""

    def excess(pulls):
        return (1 - share) * (horizon * math.exp(-epsilon * pulls) - pulls) - share * (n_arms - 1) * pulls

    return share * (n_arms - 1) * brentq(excess, 0.0, horizon, xtol=1e-12, rtol=1e-13)


@pytest.mark.parametrize("epsilon", [0.001, 0.5, 8.0, math.inf])
@pytest.mark.parametrize(("n_arms", "horizon"), [(2, 1), (3, 1000), (10, MILLION)])
def test_minimax_bounds_are_nearly_the_best_of_their_theorems(n_arms, horizon, epsilon):
    """At no gap is the theorem's value higher by much, and it is one of its values."""
    raised = _largest(lambda gap: _raised(n_arms, horizon, epsilon, gap), 0.5)
    explored = 0.0 if math.isinf(epsilon) else _largest(lambda c: _explored(n_arms, horizon, epsilon, c), 0.999)
    both = replacements.local_minimax, replacements.theorem_b
    local, central = (bound(n_arms=n_arms, epsilon=epsilon, horizon=horizon) for bound in both)
    assert explored * (1 + 1e-9) >= central >= 0.995 * explored
    assert max(raised, explored) * (1 + 1e-9) >= local >= (0.95 if horizon > n_arms else 0.89) * raised
    assert bounds.theorem_1(n_arms=n_arms, horizon=horizon, epsilon=epsilon, variant="derived") == local
    value = replacements.central_minimax(n_arms=n_arms, horizon=horizon, epsilon=epsilon)
    assert value == max(central, replacements.minimax(n_arms=n_arms, horizon=horizon))
    assert value <= local * (1 + 1e-12)
    assert bounds.theorem_3(n_arms=n_arms, horizon=horizon, epsilon=epsilon, variant="derived") == value


def _exact_minimax(horizon, instances, epsilon=math.inf):
    """The least largest regret, over all epsilon-DP policies, on these instances with two arms."""
    place = linear_programmes.nodes(horizon, late=1)
    equal, ones = linear_programmes.flow(place)
    near = linear_programmes.neighbours(place, horizon, epsilon)
    rows = np.zeros((len(instances), len(place)))
    for row, means in zip(rows, instances, strict=True):
        for (arms, rewards), column in place.items():
            chances = [means[a] if x == 1 else 1 - means[a] for a, x in zip(arms, rewards, strict=False)]
            row[column] = (max(means) - means[arms[-1]]) * math.prod(chances)
    worst = np.column_stack([rows, -np.ones(len(rows))])
    found = linprog(
        np.append(np.zeros(len(place)), 1.0),
        A_ub=np.vstack([worst, np.column_stack([near, np.zeros(len(near))])]),
        b_ub=np.zeros(len(rows) + len(near)),
        A_eq=np.column_stack([equal, np.zeros(len(equal))]),
        b_eq=ones,
        bounds=[(0, None)] * len(place) + [(None, None)],
    )
    assert found.success
    return found.fun


@pytest.mark.parametrize(("horizon", "gap"), [(1, 0.25), (3, 0.45), (4, 0.1)])
def test_no_policy_beats_the_minimax_theorems(horizon, gap):
    """Every policy, by linear programming: without privacy against the first theorem, epsilon-DP against Theorem B."""
    raised = [(0.5 + gap, 0.5), (0.5, 0.5 + gap)]
    plain = _exact_minimax(horizon, raised)
    assert plain >= _raised(2, horizon, math.inf, gap) - 1e-9
    assert horizon == 1 or plain < 0.5 * horizon * gap - 1e-3  # something is learnt
    grid = [(a, b) for a in (0.0, 0.25, 0.5, 0.75, 1.0) for b in (0.0, 0.5, 1.0)]
    for epsilon in (0.2, 3.0):
        assert (
            replacements.central_minimax(n_arms=2, horizon=horizon, epsilon=epsilon)
            <= _exact_minimax(horizon, grid, epsilon) + 1e-9
        )
        share = 2 * gap  # the mean of the arm that is known
        found = _exact_minimax(horizon, [(share, 0.0), (share, 1.0)], epsilon)
        assert found >= _explored(2, horizon, epsilon, share) - 1e-9


# --- Theorem 2


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_theorem_2_is_the_printed_formula(epsilon):
    told, extra = GAME | {"epsilon": epsilon}, 2 * epsilon * (math.exp(2 * epsilon) - 1)
    assert bounds.spurious_term(epsilon=epsilon) == close(extra)
    table = math.sqrt(4 * MILLION / extra)
    assert bounds.theorem_2(**told, variant="table") == bounds.corollary_2(**told) == close(table)
    assert bounds.theorem_2(**told, c=0.25) == close(table / 4)
    assert bounds.theorem_2(**told, variant="corrected") == replacements.minimax(**GAME)


def test_theorem_2_proof_line_by_hand():
    level = 2 * 0.4 * math.expm1(0.8)
    line = math.exp(level) / (4 * math.sqrt(2)) * math.sqrt(4 * MILLION / (math.exp(0.2) * (math.exp(0.4) - 1)))
    assert bounds.theorem_2(**GAME, epsilon=0.2, variant="proof") == close(line)
    capped = math.exp(2 * 2 * (math.exp(4) - 1)) / (4 * math.sqrt(2)) * math.sqrt(4 * MILLION / (2 * math.expm1(2)))
    assert bounds.theorem_2(**GAME, epsilon=1.0, variant="proof") == close(capped)


# --- Theorem 3


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("c", [0.0, 0.7])
def test_theorem_3_is_the_printed_formula(epsilon, c):
    told, power = GAME | {"epsilon": epsilon}, epsilon ** (1 + 1 / epsilon)
    root = math.sqrt(4 * MILLION * math.log(epsilon + 1) / (power * (epsilon**2 + 1) ** (1 / epsilon)))
    assert bounds.theorem_3(**told, c=c) == close(root / (8 * math.exp(3 * (epsilon + c))))
    table = 4 * MILLION * math.log(epsilon**2 + 1) / (math.exp(6 * epsilon) * power * (epsilon + 3) ** (1 / epsilon))
    assert bounds.theorem_3(**told, variant="table", c=c, b=3.0) == close(math.sqrt(table))
    assert bounds.corollary_3(**told) == bounds.theorem_3(**told)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("c", [0.0, 0.7])
def test_theorem_3_proof_line_follows_from_its_gap(epsilon, c):
    told, both = GAME | {"epsilon": epsilon, "c": c}, epsilon + c
    gap = math.sqrt(4 * math.log(epsilon**2 + 1) / (4 * MILLION * epsilon * math.exp(2 * both)))
    steps = MILLION * gap / 8 * math.exp(-2 * both - math.exp(2 * both) * 2 * MILLION * gap**2 / 4)
    assert bounds.theorem_3(**told, variant="corrected") == close(steps)
    assert bounds.theorem_3(**told, variant="proof") == close(2 * steps)
    threshold = bounds.horizon_3(n_arms=5, epsilon=epsilon, c=c)
    assert math.sqrt(4 * math.log(epsilon**2 + 1) / (4 * threshold * epsilon * math.exp(2 * both))) == close(0.5)


# --- problem-dependent


def test_theorem_4_is_the_printed_formula():
    means, log = [0.9, 0.6, 0.5], math.log(1000)
    plain = sum((0.9 - m) / _kl(m, 0.9) for m in means[1:]) * log
    assert replacements.lai_robbins(means=means, horizon=1000) == close(plain)
    for epsilon in EPSILONS:
        told, printed = {"means": means, "horizon": 1000, "epsilon": epsilon}, plain / (2 * _factor(epsilon))
        assert bounds.theorem_4(**told) == bounds.theorem_5(**told) == close(printed)
        assert bounds.theorem_4(**told, variant="corrected") == close(4 * printed)
        keep = (math.exp(epsilon) - 1) / (math.exp(epsilon) + 1)
        answers = [0.5 + keep * (m - 0.5) for m in means]
        sharp = sum((0.9 - m) / _kl(r, answers[0]) for m, r in zip(means[1:], answers[1:], strict=True)) * log
        assert bounds.theorem_4(**told, variant="derived") == close(sharp)
        assert sharp > 4 * printed


def test_sharp_problem_dependent_bounds_end_in_lai_and_robbins():
    game = {"means": [0.7, 0.4, 0.4], "horizon": 100}
    plain, log = replacements.lai_robbins(**game), math.log(100)
    local, central, earlier = replacements.local_lower, replacements.central_lower, replacements.azize_basu
    for bound in (local, central, earlier):
        assert bound(**game, epsilon=math.inf) == close(plain)
        values = [bound(**game, epsilon=10.0**x) for x in range(-4, 3)]
        assert all(a >= b - 1e-12 for a, b in zip(values, values[1:], strict=False))
        assert min(values) >= plain - 1e-12
    for variant in ("printed", "corrected"):
        assert bounds.theorem_4(**game, epsilon=math.inf, variant=variant) == 0.0
    # two arms that cost 1/epsilon each
    assert central(**game, epsilon=1e-6) == close(2e6 * log, rel=1e-3)
    assert earlier(**game, epsilon=1e-6) == close(2e6 / 6 * log, rel=1e-3)
    for epsilon in EPSILONS:
        told = game | {"epsilon": epsilon}
        assert local(**told) >= central(**told) >= earlier(**told)
