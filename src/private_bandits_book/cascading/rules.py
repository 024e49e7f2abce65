"""The rules that judge the claims of Wang et al. (2021); the claims themselves are in `claims.toml`.

A panel is judged by its curves as published; that its label is what it costs is a claim of its own. The repairs here
ask for one bit about one item, which is another mechanism, or other feedback: they are contributions of this book and
lend no claim of the paper a verdict. Of each claimed power the nearest wrong one is the next; in K of the algorithms
that improve on K^2, K^2. Powers of K are weighed by what one wrong item costs a list, (1 - p)^(K - 1), in claim and
alternative alike.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from private_bandits.estimates import Interval, difference_interval, mean_interval, ratio_interval
from private_bandits.mechanisms import gaussian_epsilon, gaussian_sigma, response_probabilities
from private_bandits.papers import cascading as paper
from private_bandits.papers.cascading import bounds
from private_bandits.papers.cascading.repair_first import first_channel
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee, channel_loss
from private_bandits.problems import Cascade
from private_bandits_book.cascading import keys, lemmas
from private_bandits_book.cascading.study import (
    BOUND_CASE,
    GROWTH_HORIZON,
    GROWTH_P,
    LEARNING_DELTA,
    LEARNING_HORIZON,
    Study,
    growth_problem,
    growth_sweep,
    learning_problem,
    learning_runs,
)
from private_bandits_book.ledger import Claim, Rulebook, claims_of
from private_bandits_book.rules import Less, Near, Privacy, Ruling, UpperBound, after_repair, all_of, by_runs
from private_bandits_book.studies import Run, Runs, key, played
from private_bandits_book.sweep import DELTA, EPSILON, LOG, PLANNED, SIZE, Form, RateFit, by_replication, power

_KVETON = 986.8  # Kveton et al. (2015), Table 1, B_LB(16, 4, 0.2, 0.15) at T = 100000
_KVETON_HORIZON = 100_000
_LEARNT = 0.1  # share of uniform play's regret per round below which a growth in ln T can be seen
_COMPARABLE = 1.5  # regret over the non-private one that we call comparable
_XI = 0.5
_ATTRACTIVE = (0.05, 0.2, 0.5, 0.9)  # weights p at which lower bounds are compared
_PRINTED: dict[str, Callable[..., float]] = {
    "ucb_laplace": bounds.theorem_4,
    "ucb_gaussian": partial(bounds.theorem_6, delta=LEARNING_DELTA),
    "ucb_composition": partial(bounds.theorem_8, delta=LEARNING_DELTA),
    "cucb_gaussian": partial(bounds.theorem_10, delta=LEARNING_DELTA),
}
"""Of the algorithms of the study of growth that have claims, which name them so."""

rules = Rulebook(comparable=f"{_COMPARABLE:g}")


def growth_fits(study: pd.DataFrame) -> list[RateFit]:
    """Return every exponent of the study of growth; the repaired algorithm has no claim."""
    grown = [claim.facts for claim in claims_of("cascading") if "powers" in claim.facts]
    asked = [
        (facts["algorithm"], quantity, facts["powers"][quantity])
        for quantity in (LOG, SIZE, EPSILON, DELTA)
        for facts in grown
        if quantity in facts["powers"]
    ]
    asked += [("repaired_local", quantity, math.nan) for quantity in (LOG, SIZE, EPSILON)]
    return [_fit(study, algorithm, quantity, claimed) for algorithm, quantity, claimed in asked]


def _fit(study: pd.DataFrame, algorithm: str, quantity: str, claimed: float = math.nan) -> RateFit:
    """Fit one exponent of the study of growth, at its fixed values of the other quantities."""
    sweep = growth_sweep(algorithm, quantity)
    policy, rows = sweep.runs()[0].policy, sweep.rows(study)
    labels = {"key": key(policy), "policy": policy.name, "claimed": claimed}
    if quantity == LOG:
        uniform = growth_problem(algorithm, sweep.labels["list_size"]).uniform_regret()
        return RateFit.growing(labels, *by_replication(rows, "t"), uniform, _LEARNT)
    values, samples = by_replication(rows[rows["t"] == GROWTH_HORIZON], sweep.swept)
    return RateFit.over(labels, quantity, zip(values, samples.T, strict=True), PLANNED)


def _form(algorithm: str, quantity: str, exponent: float) -> Form:
    """A claimed power; that of K on a cascade with what one wrong item costs a list."""
    claimed = power(quantity, exponent)
    if quantity == SIZE and algorithm != "cucb_gaussian":
        return Form(claimed.name, lambda size: claimed.at(size) * (1.0 - GROWTH_P) ** (size - 1))
    return claimed


def _learning(study: Study, policy: str, epsilon: float) -> tuple[np.ndarray, np.ndarray]:
    frame = played(study.learning, learning_runs(), policy)
    return by_replication(frame[frame["epsilon"] == epsilon], "t")


# --- anchor, lemmas


@rules("kveton-table-1")
def _anchor(study: Study, claim: Claim) -> Ruling:
    at_paper_scale = study.horizon == _KVETON_HORIZON
    rule, run = Near(_KVETON, tolerance=0.03 * _KVETON), study.anchor
    found = by_runs(rule, mean_interval, run.final, most=run.uniform) if at_paper_scale else rule()
    return found.of(run.policy)


@rules("lemma-1")
def _lemma_1(study: Study, claim: Claim) -> Ruling:
    gamma = 0.01
    found = lemmas.hybrid_coverage(gamma=gamma)
    stands = None if found.printed.low <= gamma < found.printed.high else found.printed.high <= gamma
    printed = claim.holds(stands, found.printed, found=found, gamma=gamma)
    excess = Interval(*(end - gamma for end in found.counter[:3]))
    repaired = Less("frequency of failure of the bound from the node scales", f"{gamma:g}")(excess)
    return after_repair(*(one.of(keys.MADE[keys.HYBRID_PRINTED]) for one in (printed, repaired)))


@rules("lemma-2")
def _lemma_2(study: Study, claim: Claim) -> Ruling:
    n_items, horizon = study.n_items, study.horizon
    leak = lemmas.pulls_leak(study.epsilon, n_items, horizon) if n_items >= 4 and horizon >= 2 else None
    return claim.holds(None if leak is None else leak <= 0.0, leak, leak=leak)


@rules("lemma-3")
def _lemma_3(study: Study, claim: Claim) -> Ruling:
    delta = study.delta
    found = lemmas.classical_gaussian_excess([0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0], delta)
    analytic = gaussian_epsilon(gaussian_sigma(found.epsilon, delta, 1.0), delta, 1.0) / found.epsilon
    printed = claim.holds(found.ratio <= 1.0, found.ratio, found=found)
    return after_repair(printed, claim.holds(analytic <= 1 + 1e-9, analytic, "repaired", analytic=analytic))


@rules("lemma-4")
def _lemma_4(study: Study, claim: Claim) -> Ruling:
    slack = lemmas.decomposition_slack(Cascade(np.array([0.6, 0.45, 0.3, 0.2, 0.05]), 3))
    below, above = (abs(round(one, 12)) for one in slack)
    return claim.holds(min(slack) >= -1e-12, below=below, above=above)


@rules("lemma-5", "lemma-6")
def _tail(study: Study, claim: Claim) -> Ruling:
    ratio = lemmas.laplace_tail_ratio() if claim.claim == "lemma-5" else lemmas.gaussian_tail_ratio()
    return claim.holds(ratio <= 1.0, ratio, ratio=ratio)


# --- privacy


@rules("theorem-1", "theorem-3", "theorem-5", "theorem-8-privacy")
def _promise(study: Study, claim: Claim) -> Ruling:
    epsilon, delta, size = study.epsilon, study.delta, study.list_size
    policy = {
        "theorem-1": paper.ucb_hybrid(epsilon, study.n_items, study.horizon),
        "theorem-3": paper.ucb_laplace(epsilon, size),
        "theorem-5": paper.ucb_gaussian(epsilon, delta, size),
        "theorem-8-privacy": paper.ucb_composition(epsilon, delta, size),
    }[claim.claim]
    return _keeps(policy, claim.evidence)


@rules("theorem-9")
def _theorem_9(study: Study, claim: Claim) -> Ruling:
    arguments = (study.epsilon, study.delta, study.n_items, study.list_size)
    made = (paper.cucb_gaussian(*arguments), paper.cucb_gaussian(*arguments, variant="repaired"))
    return after_repair(*(_keeps(policy, claim.evidence) for policy in made))


@rules("experiments-privacy")
def _labels(study: Study, claim: Claim) -> Ruling:
    """The published curve that pays most for its label; at the stated noise they still leak what they count."""
    panels = [
        *study.local.values(),
        *study.sizes.values(),
        *study.cucb.values(),
        study.sweep,
        study.central,
        study.items,
    ]
    published = (run for runs in panels for run in runs.select(None, "published"))
    worst = max((run.policy for run in published), key=lambda policy: _share(policy.privacy), default=None)
    if worst is None:
        return _missing()
    privacy = worst.privacy
    return Privacy(privacy.epsilon, privacy.delta, claim.evidence)(privacy.value_epsilon, privacy.value_delta or 0.0)


def _share(privacy: Guarantee) -> float:
    return math.inf if privacy.value_epsilon is None else privacy.value_epsilon / privacy.epsilon


def _keeps(policy: Policy, evidence: str) -> Ruling:
    """Whether everything that an algorithm releases keeps its nominal privacy."""
    privacy = policy.privacy
    rule = Privacy(privacy.epsilon, privacy.delta, evidence)
    return rule(privacy.effective_epsilon, privacy.effective_delta or 0.0).of(policy)


@rules("theorem-7")
def _theorem_7(study: Study, claim: Claim) -> Ruling:
    grid = lemmas.theorem_7_excess([1, 2, 4, 8, 16], [0.1, 0.2, 0.5, 0.9], [1e-2, 1e-3, 1e-6], pure=False)
    return claim.holds(grid.ratio <= 1.0, grid.ratio, ratio=grid.ratio)


# --- regret theorems, on the longer studies


@rules("theorem-2")
def _theorem_2(study: Study, claim: Claim) -> Ruling:
    t, curves = _learning(study, keys.HYBRID, 1.0)
    problem = learning_problem()
    uniform = problem.uniform_regret()
    bound = UpperBound(bounds.theorem_2(problem, LEARNING_HORIZON, 1.0, _XI), uniform=uniform * LEARNING_HORIZON)
    forms = (power(LOG, claim.facts[which]) for which in ("growth", "excluded"))
    grown = RateFit.growing({}, t, curves, uniform, _LEARNT).ruling(*forms)
    return all_of(bound(mean_interval(curves[:, -1])), grown).of(keys.MADE[keys.HYBRID])


@rules("theorem-4", "theorem-6", "theorem-8-regret", "theorem-10")
def _regret(study: Study, claim: Claim) -> Ruling:
    algorithm = claim.facts["algorithm"]
    policy = growth_sweep(algorithm, LOG).runs()[0].policy
    rates = [
        _fit(study.growth, algorithm, quantity).ruling(
            *(_form(algorithm, quantity, claim.facts[which][quantity]) for which in ("powers", "alternatives"))
        )
        for quantity in claim.facts["powers"]
    ]
    return all_of(_printed_bound(study.growth, algorithm), *rates).of(policy)


@rules("theorem-4-proof")
def _forced(study: Study, claim: Claim) -> Ruling:
    """The step of the proof that needs 3 ln t reports of an item, which the algorithm does not force."""
    unforced = lemmas.unforced_tail_ratio(LEARNING_HORIZON)
    return claim.holds(unforced.ratio <= 1.0, unforced.ratio, found=unforced, forced=lemmas.laplace_tail_ratio())


def _printed_bound(frame: pd.DataFrame, algorithm: str) -> Ruling:
    """The printed constant where none is vacuous."""
    rows, horizon = growth_sweep(algorithm, LOG).rows(frame), GROWTH_HORIZON
    problem = growth_problem(algorithm, int(BOUND_CASE[SIZE]))
    final, uniform = rows.loc[rows["t"] == horizon, "regret"].to_numpy(), problem.uniform_regret() * horizon
    rule = UpperBound(_PRINTED[algorithm](problem, horizon, BOUND_CASE[EPSILON]), uniform=uniform)
    return by_runs(rule, mean_interval, final, most=uniform)


@rules("theorem-11")
def _theorem_11(study: Study, claim: Claim) -> Ruling:
    found, ratio = lemmas.swapped_divergence(), _over_corrected(bounds.theorem_11)
    printed = claim.holds(found.swapped <= 1.0, found.swapped, found=found)
    step = after_repair(printed, claim.holds(found.ordered <= 1.0, found.ordered, "repaired", found=found))
    return all_of(step, claim.holds(ratio <= 1.0 + 1e-9, ratio, "bounds", ratio=ratio, p=_ATTRACTIVE))


@rules("theorem-12")
def _theorem_12(study: Study, claim: Claim) -> Ruling:
    ratio = _over_corrected(bounds.theorem_12)
    return claim.holds(ratio <= 2.0 + 1e-9, ratio, ratio=ratio, p=_ATTRACTIVE)


def _over_corrected(bound: Callable[..., float]) -> float:
    """The printed lower bound over what is proved, at most, on B_LB; how many items and rounds there are cancels."""
    settings = [
        (20, 4, p, share * p, LEARNING_HORIZON, epsilon)
        for p in _ATTRACTIVE
        for share in (0.05, 0.5, 0.95)
        for epsilon in (0.01, 0.2, 1.0, 5.0)
    ]
    return max(bound(*at) / bound(*at, variant="corrected") for at in settings)


# --- the panels, as published


def _less(smaller: str, larger: str, a: Run, b: Run) -> Ruling:
    return _compared(Less(smaller, larger), difference_interval, a, b)


def _compared(rule: Less, estimate: Callable[..., Interval], *runs: Run) -> Ruling:
    """Judge what is estimated from the regrets of several runs; a run that never learns plays uniformly."""
    finals, most = [run.final for run in runs], max(run.uniform for run in runs)
    return by_runs(rule, estimate, *finals, most=most).of(*(run.policy for run in runs))


def _order(runs: Runs, epsilon: float) -> Ruling:
    """What a local panel shows: non-private, then Gaussian, then Laplace."""
    laplace, gaussian = (runs.find(name, "published", epsilon) for name in (keys.LAPLACE, keys.GAUSSIAN))
    return all_of(
        _less("non-private", "Gaussian", runs.find(keys.PLAIN), gaussian),
        _less("Gaussian", "Laplace", gaussian, laplace),
    )


def _value(claim: Claim, given: Sequence[Any]) -> Any:
    """The value that a panel is of, by its place; None where its parameter has too few."""
    return given[claim.facts["place"]] if claim.facts["place"] < len(given) else None


@rules("figure-1a", "figure-1b", "figure-1c", "figure-1d")
def _local(study: Study, claim: Claim) -> Ruling:
    epsilon = _value(claim, study.epsilons)
    return _missing() if epsilon is None else _order(study.local[epsilon], epsilon)


@rules("figure-1e")
def _sweep(study: Study, claim: Claim) -> Ruling:
    """Regret falls with epsilon, and comes near the non-private one."""
    parts, plain = [], study.sweep.find(keys.PLAIN)
    for policy in (keys.LAPLACE, keys.GAUSSIAN):
        runs, name = study.sweep.select(policy, "published"), keys.MADE[policy].name
        ratio = ratio_interval(runs[-1].final, plain.final).measured
        comparable = Less(f"{name} over the non-private one, {ratio:.3g},", f"{_COMPARABLE:g}")
        parts.append(_less(f"{name} at the largest epsilon", "at the smallest", runs[-1], runs[0]))
        parts.append(_compared(comparable, _excess, runs[-1], plain))
    return all_of(*parts)


def _excess(a: np.ndarray, b: np.ndarray) -> Interval:
    return Interval(*(end - _COMPARABLE for end in ratio_interval(a, b)[:3]))


@rules("figure-1f", "figure-1g")
def _central(study: Study, claim: Claim) -> Ruling:
    return all_of(*_falling(_curve(study, claim.facts["along"], keys.HYBRID_PRINTED, "published")))


def _curve(study: Study, along: str, name: str, variant: str) -> list[Run]:
    """The runs of a central panel, that with most regret to be expected first."""
    if along == "epsilon":
        return sorted(study.central.select(name, variant), key=lambda run: run.epsilon)
    return sorted(study.items.select(name, variant), key=lambda run: -run.swept["n_items"])


def _falling(runs: Sequence[Run]) -> list[Ruling]:
    if len(runs) < 2:
        return [_missing()]
    return [_less("regret at the next value", "at this one", b, a) for a, b in pairwise(runs)]


@rules("figure-1h", "figure-1i")
def _cucb(study: Study, claim: Claim) -> Ruling:
    given = sorted(study.cucb)
    epsilon = _value(claim, study.cucb_epsilons)
    if epsilon is None or len(given) < 2:
        return _missing()
    runs = study.cucb[epsilon]
    small, large = (study.cucb[e].find(keys.CUCB, "published", e) for e in (given[0], given[-1]))
    return all_of(
        _less("CUCB", "CUCB Gaussian", runs.find(keys.CUCB), runs.find(keys.CUCB, "published", epsilon)),
        _less("regret at the larger epsilon", "at the smaller", large, small),
    )


@rules("figure-2a", "figure-2b", "figure-2c", "figure-2d")
def _sizes(study: Study, claim: Claim) -> Ruling:
    """The order of a panel, and its gap, as a factor, against that of the panel before it."""
    given, epsilon = study.list_sizes, study.sizes_epsilon
    size = _value(claim, given)
    if size is None:
        return _missing()
    runs = study.sizes[size]
    if size == given[0]:
        return _order(runs, epsilon)
    grows = Less("Laplace over Gaussian, in logarithms, at the smaller K", "at this K")
    return all_of(_order(runs, epsilon), _from_to(grows, _factor, study, given[given.index(size) - 1], size))


@rules("figure-2-difference")
def _differences(study: Study, claim: Claim) -> Ruling:
    given, grows = sorted(study.list_sizes), Less("the gap at a K", "at the next one")
    steps = [_from_to(grows, difference_interval, study, *each) for each in pairwise(given)]
    return all_of(*steps) if steps else _missing()


def _from_to(rule: Less, apart: Callable[..., Interval], study: Study, *sizes: int) -> Ruling:
    """Judge how far Laplace is from Gaussian at one K against another."""
    both, epsilon = (keys.LAPLACE, keys.GAUSSIAN), study.sizes_epsilon
    runs = [study.sizes[at].find(policy, "published", epsilon) for at in sizes for policy in both]
    return _compared(rule, lambda *finals: _minus(apart(*finals[:2]), apart(*finals[2:])), *runs)


def _factor(laplace: np.ndarray, gaussian: np.ndarray) -> Interval:
    """The logarithm of Laplace's regret over Gaussian's."""
    return Interval(*(math.log(end) for end in ratio_interval(laplace, gaussian)[:3]))


def _minus(a: Interval, b: Interval) -> Interval:
    """The difference of two independent measurements, whose half widths add as squares."""
    middle = a.measured - b.measured
    below = math.hypot(a.measured - a.low, b.high - b.measured)
    above = math.hypot(a.high - a.measured, b.measured - b.low)
    return Interval(middle, middle - below, middle + above)


# --- what this book adds


@rules("own-local-privacy")
def _own_local_privacy(study: Study, claim: Claim) -> Ruling:
    """What the one bit pays, by enumeration over all replies."""
    epsilon, policy = study.epsilon, paper.repaired_local(study.epsilon, study.list_size)
    paid = channel_loss(first_channel(response_probabilities(epsilon, 2)[1], study.list_size))
    return Privacy(epsilon, evidence=claim.evidence)(float(paid)).of(policy)


@rules("own-local-regret")
def _own_local_regret(study: Study, claim: Claim) -> Ruling:
    """Against its own non-private version and uniform play, in every local panel."""
    panels = [(study.local[epsilon], epsilon) for epsilon in study.epsilons]
    panels += [(study.sizes[size], study.sizes_epsilon) for size in study.list_sizes]
    parts = []
    for runs, epsilon in panels:
        repaired, plain = (runs.find(keys.FIRST, "repaired", e) for e in (epsilon, math.inf))
        parts += [
            _less("without privacy", "one bit", plain, repaired),
            _less("one bit", "uniform play", repaired, runs.find(keys.UNIFORM)),
        ]
    return all_of(*parts)


@rules("own-central-privacy")
def _own_central_privacy(study: Study, claim: Claim) -> Ruling:
    return _keeps(paper.repaired_central(study.epsilon, study.n_items, study.list_size, study.horizon), claim.evidence)


@rules("own-central-regret")
def _own_central_regret(study: Study, claim: Claim) -> Ruling:
    curves = (_curve(study, along, keys.CENTRAL, "repaired") for along in ("epsilon", "n_items"))
    return all_of(*(step for curve in curves for step in _falling(curve)))


def _missing() -> Ruling:
    return Less("", "")(None)
