"""The bounds of Basu et al. (2019) and what replaces them: literal formulas, maxima by scipy, and known values."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.optimize import brentq, linprog, minimize_scalar
from scipy.stats import entropy

from private_bandits.papers.definitions import bounds, replacements
from private_bandits.privacy import FinitePolicy, exact_loss
from private_bandits.privacy.divergences import private_kl
from private_bandits_book import plans

MILLION = 10**6
EPSILONS = (0.05, 0.3, math.log(2.0), 1.0, 4.0)
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
    table = math.sqrt(4 * MILLION) / (min(2, math.exp(epsilon)) * (math.exp(epsilon) - 1))
    assert bounds.theorem_1(5, MILLION, epsilon, "table") == close(table)
    assert bounds.theorem_1(5, MILLION, epsilon) == close(table / (4 * math.e**4))
    assert bounds.theorem_1(5, MILLION, epsilon, c=0.002) == close(0.002 * table)
    assert bounds.corollary_1(5, MILLION, epsilon) == bounds.theorem_1(5, MILLION, epsilon)


def test_theorem_1_at_the_numbers_of_the_notes():
    for epsilon, value in ((0.1, 39.4), (0.2, 16.9), (1.0, 1.33)):
        assert bounds.theorem_1(2, MILLION, epsilon) == close(value, rel=5e-3)
    assert replacements.minimax(2, MILLION) == close(math.sqrt(2e6) / 16, rel=1e-5)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_theorem_1_repaired_step_by_step(epsilon):
    """Strict follows from T D/8 exp(-divergence) at the paper's gap, below what the best one gives."""
    factor, pulls = _factor(epsilon), MILLION / 4
    gap = math.sqrt(1 / (factor * pulls))
    strict = MILLION * gap / 8 * math.exp(-2 * factor * pulls * 2 * gap**2)
    assert bounds.theorem_1(5, MILLION, epsilon, "strict") == close(strict)
    assert bounds.theorem_1(5, MILLION, epsilon) == close(2 * strict)
    # Bernoulli rewards of mean 1/2 and 1/2 + 2 D are 2 D apart
    best = _largest(lambda gap: MILLION * gap / 8 * math.exp(-factor * pulls * (2 * gap) ** 2), 0.25)
    assert best == close(math.exp(-0.5) / (16 * math.sqrt(2)) * math.sqrt(4 * MILLION / factor), rel=1e-6)
    assert strict < best <= bounds.theorem_1(5, MILLION, epsilon, "sharp")


@pytest.mark.parametrize(("variant", "times"), [("printed", 1), ("strict", 4)])
def test_theorem_1_is_silent_below_its_threshold(variant, times):
    threshold = times * 9 / _factor(0.01)
    assert bounds.horizon_1(10, 0.01, variant) == close(threshold)
    assert math.isnan(bounds.theorem_1(10, math.floor(threshold), 0.01, variant))
    assert bounds.theorem_1(10, math.ceil(threshold), 0.01, variant) > 0
    # at the threshold the gap is 1 as printed, 1/2 as the proof has it
    assert math.sqrt(9 / (_factor(0.01) * threshold)) == close({"printed": 1.0, "strict": 0.5}[variant])


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


GAMES = [(2, 1), (2, 30), (3, 1000), (10, 40), (10, MILLION)]


@pytest.mark.parametrize("epsilon", [0.001, 0.05, 0.5, 2.0, 8.0, math.inf])
@pytest.mark.parametrize(("n_arms", "horizon"), GAMES)
def test_minimax_bounds_are_nearly_the_best_of_their_theorems(n_arms, horizon, epsilon):
    """At no gap is the theorem's value higher by much, and it is one of its values."""
    raised = _largest(lambda gap: _raised(n_arms, horizon, epsilon, gap), 0.5)
    explored = 0.0 if math.isinf(epsilon) else _largest(lambda c: _explored(n_arms, horizon, epsilon, c), 0.999)
    local, central = (bound(n_arms, horizon, epsilon) for bound in (replacements.local_minimax, replacements.theorem_b))
    assert explored * (1 + 1e-9) >= central >= 0.995 * explored
    assert max(raised, explored) * (1 + 1e-9) >= local >= (0.95 if horizon > n_arms else 0.89) * raised
    assert bounds.theorem_1(n_arms, horizon, epsilon, "sharp") == local
    value = replacements.central_minimax(n_arms, horizon, epsilon)
    assert value == max(central, replacements.minimax(n_arms, horizon))
    assert value <= local * (1 + 1e-12)
    assert bounds.theorem_3(n_arms, horizon, epsilon, "sharp") == value


def test_local_bounds_fall_with_epsilon_and_keep_to_the_plain_one():
    values = [replacements.local_minimax(5, MILLION, 10.0**x) for x in range(-4, 3)]
    assert values == sorted(values, reverse=True)
    assert values[0] == close(MILLION * 0.5 * 0.8, rel=0.06)  # nothing is learned
    assert values[-1] == replacements.minimax(5, MILLION)
    for epsilon in (0.1, 0.5, math.inf):
        long = replacements.local_minimax(5, 10**10, epsilon) / math.sqrt(5e10)
        assert long == close(0.8**2 / 4 / math.tanh(epsilon / 2), rel=1e-3)


def test_theorem_b_grows_with_the_logarithm():
    for n_arms, epsilon in ((2, 1.0), (5, 0.01)):
        far = [replacements.theorem_b(n_arms, 10**power, epsilon) * epsilon / (n_arms - 1) for power in (30, 60, 120)]
        steps = np.diff(far) / math.log(10) / [30, 60]
        assert 0.9 < steps[0] < steps[1] < 1.0  # (K-1) ln T / epsilon
        for power in (2, 4, 8):
            least = (n_arms - 1) / (4 * epsilon) * math.log1p(epsilon * 10**power / n_arms)
            assert replacements.theorem_b(n_arms, 10**power, epsilon) >= least
    # it exceeds the bound without privacy while epsilon sqrt(T) is below a multiple of ln T
    turn = {}
    for t in (10**8, 10**16):
        plain = replacements.minimax(2, t)
        turn[t] = brentq(lambda e, t=t, plain=plain: replacements.theorem_b(2, t, e) - plain, 1e-9, 1.0)
    scaled = [epsilon * math.sqrt(t) / math.log(t) for t, epsilon in turn.items()]
    assert scaled[0] == close(scaled[1], rel=0.15)
    assert replacements.theorem_b(2, 1000, math.inf) == 0.0


def _exact_minimax(horizon, instances, epsilon=math.inf):
    """The least largest regret, over all epsilon-DP policies, on these instances with two arms."""
    place = plans.nodes(horizon, late=1)
    equal, ones = plans.flow(place)
    near = plans.neighbours(place, horizon, epsilon)
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


@pytest.mark.parametrize("gap", [0.1, 0.25, 0.45])
@pytest.mark.parametrize("horizon", [1, 2, 3, 4])
def test_no_policy_beats_the_minimax_theorems(horizon, gap):
    """Every policy, by linear programming: without privacy against the first theorem, epsilon-DP against Theorem B."""
    raised = [(0.5 + gap, 0.5), (0.5, 0.5 + gap)]
    plain = _exact_minimax(horizon, raised)
    assert plain >= _raised(2, horizon, math.inf, gap) - 1e-9
    assert horizon == 1 or plain < 0.5 * horizon * gap - 1e-3  # something is learnt
    for epsilon in (0.2, 1.0, 3.0):
        assert _exact_minimax(horizon, raised, epsilon) >= plain - 1e-9
        share = 2 * gap  # the mean of the arm that is known
        found = _exact_minimax(horizon, [(share, 0.0), (share, 1.0)], epsilon)
        assert found >= _explored(2, horizon, epsilon, share) - 1e-9
        assert found <= _exact_minimax(horizon, [(share, 0.0), (share, 1.0), *raised], epsilon) + 1e-9


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 2.0])
def test_theorem_b_is_below_what_every_private_policy_has(epsilon):
    grid = [(a, b) for a in (0.0, 0.25, 0.5, 0.6, 0.75, 1.0) for b in (0.0, 0.5, 1.0)]
    for horizon in (1, 2, 3, 4):
        found = _exact_minimax(horizon, grid, epsilon)
        assert replacements.theorem_b(2, horizon, epsilon) <= found + 1e-9
        assert replacements.central_minimax(2, horizon, epsilon) <= found + 1e-9


# --- Theorem 2


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_theorem_2_is_the_printed_formula(epsilon):
    extra = 2 * epsilon * (math.exp(2 * epsilon) - 1)
    assert bounds.spurious_term(epsilon) == close(extra)
    table = math.sqrt(4 * MILLION / extra)
    assert bounds.theorem_2(5, MILLION, epsilon, "table") == close(table)
    assert bounds.theorem_2(5, MILLION, epsilon, c=0.25) == close(table / 4)
    assert bounds.corollary_2(5, MILLION, epsilon) == close(table)
    assert bounds.theorem_2(5, MILLION, epsilon, "corrected") == replacements.minimax(5, MILLION)


def test_theorem_2_proof_line_by_hand():
    level = 2 * 0.4 * math.expm1(0.8)
    line = math.exp(level) / (4 * math.sqrt(2)) * math.sqrt(4 * MILLION / (math.exp(0.2) * (math.exp(0.4) - 1)))
    assert bounds.theorem_2(5, MILLION, 0.2, "proof") == close(line)
    capped = math.exp(2 * 2 * (math.exp(4) - 1)) / (4 * math.sqrt(2)) * math.sqrt(4 * MILLION / (2 * math.expm1(2)))
    assert bounds.theorem_2(5, MILLION, 1.0, "proof") == close(capped)
    assert capped > MILLION  # e^(+delta) puts it above T


def test_the_gap_of_theorem_2_does_not_exist_for_small_epsilon():
    """The proof wants C = -u W(-e^(u - delta)/u), and W is real from -1/e on."""
    low, high = 0.20439, 0.3
    for epsilon, real in ((low * 0.998, False), (low * 1.002, True), (high, True)):
        argument = -math.exp(bounds.spurious_term(epsilon) - bounds.spurious_term(0.6)) / bounds.spurious_term(epsilon)
        assert (argument >= -1 / math.e) is real


# --- Theorem 3


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("c", [0.0, 0.7])
def test_theorem_3_is_the_printed_formula(epsilon, c):
    power = epsilon ** (1 + 1 / epsilon)
    root = math.sqrt(4 * MILLION * math.log(epsilon + 1) / (power * (epsilon**2 + 1) ** (1 / epsilon)))
    assert bounds.theorem_3(5, MILLION, epsilon, c=c) == close(root / (8 * math.exp(3 * (epsilon + c))))
    table = 4 * MILLION * math.log(epsilon**2 + 1) / (math.exp(6 * epsilon) * power * (epsilon + 3) ** (1 / epsilon))
    assert bounds.theorem_3(5, MILLION, epsilon, "table", c=c, b=3.0) == close(math.sqrt(table))
    assert bounds.corollary_3(5, MILLION, epsilon) == bounds.theorem_3(5, MILLION, epsilon)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("c", [0.0, 0.7])
def test_theorem_3_proof_line_follows_from_its_gap(epsilon, c):
    both = epsilon + c
    gap = math.sqrt(4 * math.log(epsilon**2 + 1) / (4 * MILLION * epsilon * math.exp(2 * both)))
    steps = MILLION * gap / 8 * math.exp(-2 * both - math.exp(2 * both) * 2 * MILLION * gap**2 / 4)
    assert bounds.theorem_3(5, MILLION, epsilon, "strict", c) == close(steps)
    assert bounds.theorem_3(5, MILLION, epsilon, "proof", c) == close(2 * steps)
    threshold = bounds.horizon_3(5, epsilon, c)
    assert math.sqrt(4 * math.log(epsilon**2 + 1) / (4 * threshold * epsilon * math.exp(2 * both))) == close(0.5)


def test_theorem_3_at_the_numbers_of_the_notes():
    assert bounds.theorem_3(2, MILLION, 0.05) == close(1.06e15, rel=5e-3)
    assert bounds.theorem_3(2, MILLION, 0.1) == close(8.6e6, rel=5e-3)
    assert bounds.theorem_3(2, MILLION, 0.05, "proof") == close(23.4, abs=0.06)
    assert bounds.theorem_3(2, MILLION, 0.1, "proof") == close(27.8, abs=0.06)


def test_table_and_proof_of_theorem_3_agree_only_for_one_b():
    for epsilon in (0.05, 0.3, 1.0, 2.0):
        line = 8 * bounds.theorem_3(2, MILLION, epsilon, "proof")
        assert bounds.theorem_3(2, MILLION, epsilon, "table") == close(line)
        assert bounds.theorem_3(2, MILLION, epsilon, "table", b=2 / epsilon) < 0.96 * line


def test_theorem_3_explodes_as_printed_and_vanishes_as_proved():
    proof = [bounds.theorem_3(2, MILLION, 10.0**-x, "proof") for x in range(1, 9)]
    assert proof == sorted(proof, reverse=True)
    # sqrt(epsilon T)/8
    assert proof[-1] == close(math.sqrt(1e-8 * MILLION) / 8, rel=1e-6)
    assert bounds.theorem_3(2, MILLION, 1e-4) == math.inf
    assert math.isnan(bounds.theorem_3(10**5, 3, 0.1))


# --- problem-dependent


def test_theorem_4_is_the_printed_formula():
    means, log = [0.9, 0.6, 0.5], math.log(1000)
    for epsilon in EPSILONS:
        plain = sum((0.9 - m) / _kl(m, 0.9) for m in means[1:])
        printed = plain / (2 * _factor(epsilon)) * log
        assert bounds.theorem_4(means, 1000, epsilon) == close(printed)
        assert bounds.theorem_5(means, 1000, epsilon) == close(printed)
        assert bounds.theorem_4(means, 1000, epsilon, "corrected") == close(4 * printed)
        keep = (math.exp(epsilon) - 1) / (math.exp(epsilon) + 1)
        answers = [0.5 + keep * (m - 0.5) for m in means]
        sharp = sum((0.9 - m) / _kl(r, answers[0]) for m, r in zip(means[1:], answers[1:], strict=True)) * log
        assert bounds.theorem_4(means, 1000, epsilon, "sharp") == close(sharp)
        assert sharp > 4 * printed
        assert replacements.lai_robbins(means, 1000) == close(plain * log)


def test_sharp_problem_dependent_bounds_end_in_lai_and_robbins():
    means = [0.7, 0.4, 0.4]
    plain = replacements.lai_robbins(means, 100)
    for bound in (replacements.local_lower, replacements.central_lower, replacements.azize_basu):
        assert bound(means, 100, math.inf) == close(plain)
        values = [bound(means, 100, 10.0**x) for x in range(-4, 3)]
        assert all(a >= b - 1e-12 for a, b in zip(values, values[1:], strict=False))
        assert min(values) >= plain - 1e-12
    assert bounds.theorem_4(means, 100, math.inf) == bounds.theorem_4(means, 100, math.inf, "corrected") == 0.0
    # two arms that cost 1/epsilon each
    assert replacements.central_lower(means, 100, 1e-6) == close(2e6 * math.log(100), rel=1e-3)
    assert replacements.azize_basu(means, 100, 1e-6) == close(2e6 / 6 * math.log(100), rel=1e-3)
    for epsilon in EPSILONS:
        assert replacements.central_lower(means, 100, epsilon) >= replacements.azize_basu(means, 100, epsilon)
        assert replacements.local_lower(means, 100, epsilon) >= replacements.central_lower(means, 100, epsilon)


def test_equal_and_certain_arms():
    assert replacements.lai_robbins([0.5, 0.5], 100) == 0.0
    assert replacements.lai_robbins([1.0, 0.5], 100) == 0.0  # one reward of 0 tells
    for bound in (replacements.local_lower, replacements.central_lower, replacements.azize_basu):
        assert bound([1.0, 0.5], 100, 0.5) == 0.0  # no arm can be raised above the best
        assert bound([1.0 - 1e-9, 0.5], 100, 0.5) > 0.0
    assert private_kl(0.5, 1.0, 0.5) == close(0.25)


# --- Lemma 2 and mixtures


@dataclass(frozen=True)
class Camp(FinitePolicy):
    """Answers in each round but the first and last about the first, true or false by `side`, then plays `side`."""

    horizon: int
    side: int

    def probabilities(self, history):
        if not history:
            return np.full(2, 0.5)
        if len(history) == self.horizon - 1:
            return np.eye(2)[self.side]
        likely = 1 / (1 + math.exp(-0.4))
        return np.array([likely, 1 - likely] if history[0][1] == 1 - self.side else [1 - likely, likely])


class Mixture(FinitePolicy):
    """Draws one of its parts before the first round."""

    def __init__(self, *parts):
        self.parts = parts

    def probabilities(self, history):
        weights = [
            math.prod(part.probabilities(history[:t])[arm] for t, (arm, _) in enumerate(history)) for part in self.parts
        ]
        return np.average([part.probabilities(history) for part in self.parts], axis=0, weights=weights)


@pytest.mark.parametrize("horizon", [3, 4, 5])
def test_a_mixture_of_instantaneous_policies_pays_more(horizon):
    parts = Camp(horizon, 0), Camp(horizon, 1)
    paid = [exact_loss(policy, horizon, definition="instantaneous") for policy in (parts[0], Mixture(*parts))]
    assert paid == [close(0.4), close((horizon - 2) * 0.4)]


# --- refusals


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bounds.theorem_1(1, 10, 1.0), "n_arms must be >= 2"),
        (lambda: bounds.theorem_1(2, 0, 1.0), "horizon must be >= 1"),
        (lambda: bounds.theorem_1(2, 10, -1.0), "epsilon must be > 0"),
        (lambda: bounds.theorem_1(2, 10, 1.0, c=0.1), "c must be > 0 and <= "),
        (lambda: bounds.theorem_1(2, 10, 1.0, "proof"), "variant must be one of"),
        (lambda: bounds.horizon_1(2, 1.0, "sharp"), "variant must be one of"),
        (lambda: bounds.theorem_2(2, 10, 1.0, c=0.0), "c must be > 0"),
        (lambda: bounds.theorem_2(2, 10, 1.0, "strict"), "variant must be one of"),
        (lambda: bounds.theorem_3(2, 10, 1.0, c=-1.0), "c must be >= 0"),
        (lambda: bounds.theorem_3(2, 10, 1.0, b=0.0), "b must be > 0"),
        (lambda: bounds.theorem_3(2, 10.0, 1.0), "horizon must be an integer"),
        (lambda: bounds.theorem_4([0.5, 1.5], 10, 1.0), "means"),
        (lambda: bounds.theorem_4([0.5, 0.4], 10, 1.0, "table"), "variant must be one of"),
        (lambda: bounds.theorem_1(2, 10, 1.0, "corrected"), "variant must be one of"),
        (lambda: bounds.theorem_4([], 10, 1.0), "means must not be empty"),
        (lambda: replacements.minimax(2, 0), "horizon must be >= 1"),
        (lambda: replacements.central_lower([0.5, 0.4], 10, 0.0), "epsilon must be > 0"),
    ],
)
def test_bad_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_no_privacy():
    for variant in ("printed", "strict", "table"):
        assert bounds.theorem_1(5, 1000, math.inf, variant) == 0.0
    assert bounds.theorem_2(5, 1000, math.inf) == 0.0
    assert math.isnan(bounds.theorem_2(5, 1000, math.inf, "proof"))
    for variant in ("printed", "proof", "strict", "table"):
        assert bounds.theorem_3(5, 1000, math.inf, variant) == 0.0
    for bound in (replacements.local_minimax, replacements.central_minimax):
        assert bound(5, 1000, math.inf) == replacements.minimax(5, 1000)
