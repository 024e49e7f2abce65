"""The rules that judge the claims of Wang et al. (2021); the claims themselves are in `claims.toml`.

A panel's claim has two halves: what the curves show, and that this is what the nominal epsilon costs. The published
noise fails the second; then the stated noise, whose values keep it, is asked for the same order of the mechanisms, and
the repaired algorithm, which keeps it in everything, for the same cost between no privacy and uniform play.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from private_bandits.estimates import Interval, difference_interval, fit_exponent, mean_interval, ratio_interval
from private_bandits.mechanisms import gaussian_epsilon, gaussian_sigma
from private_bandits.papers.cascading import (
    bounds,
    cascade_ucb1,
    cucb_gaussian,
    repaired_central,
    repaired_local,
    ucb_composition,
    ucb_gaussian,
    ucb_hybrid,
    ucb_laplace,
)
from private_bandits.privacy import Guarantee
from private_bandits.problems import Cascade
from private_bandits_book.cascading import lemmas
from private_bandits_book.cascading.study import (
    GROWTH_HORIZON,
    LEARNING_DELTA,
    LEARNING_HORIZON,
    LEARNING_INSTANCE,
    Study,
    growth_cascade,
    growth_semi_bandit,
    learning_problem,
)
from private_bandits_book.ledger import Claim, Rulebook, claims_of
from private_bandits_book.rules import (
    Less,
    LowerBound,
    Near,
    Privacy,
    Ruling,
    UpperBound,
    UpperRate,
    after_repair,
    all_of,
)
from private_bandits_book.studies import Run, Runs
from private_bandits_book.sweep import EPSILON, LOG, SIZE, RateFit, abscissa, by_replication, fit_log

_KVETON = 986.8  # Kveton et al. (2015), Table 1, B_LB(16, 4, 0.2, 0.15) at T = 100000
_KVETON_HORIZON = 100_000
_RATE_SLACK = 0.15  # what a fitted exponent in K, 1/epsilon or ln(1/delta) may miss by at finite horizons
_GROWTH_SLACK = 0.35  # the same for the exponent in ln T, whose lever arm is short
_LEARNT = 0.1  # share of uniform play's regret per round below which a growth in ln T can be seen
_COMPARABLE = 1.5  # regret over the non-private one that we call comparable
_XI = 0.5
_BOUND_CASE = (2, 4.0)  # K and epsilon of the growth study where no printed bound is vacuous
_LOWER_EPSILON = 0.2
_DELTA = "ln(1.25/delta)"
_SLACK = {SIZE: _RATE_SLACK, EPSILON: _RATE_SLACK, LOG: _GROWTH_SLACK, _DELTA: _RATE_SLACK}
_PLAIN, _FIRST, _CENTRAL, _CUCB, _LAPLACE, _GAUSSIAN, _COMPOSITION, _HYBRID, _HYBRID_PRINTED = (
    policy.name
    for policy in (
        cascade_ucb1(),
        repaired_local(1.0, 1),
        repaired_central(1.0, 2, 1, 2),
        cucb_gaussian(1.0, LEARNING_DELTA, 2, 1),
        ucb_laplace(1.0, 1),
        ucb_gaussian(1.0, LEARNING_DELTA, 1),
        ucb_composition(1.0, LEARNING_DELTA, 1),
        ucb_hybrid(1.0, 2, 2, variant="proof"),
        ucb_hybrid(1.0, 2, 2),
    )
)
_GROWN: dict[str, tuple[str, Callable[[int], Any], Callable[[Any, float], float]]] = {
    "ucb_laplace": (_LAPLACE, growth_cascade, lambda on, e: bounds.theorem_4(on, GROWTH_HORIZON, e)),
    "ucb_gaussian": (_GAUSSIAN, growth_cascade, lambda on, e: bounds.theorem_6(on, GROWTH_HORIZON, e, LEARNING_DELTA)),
    "ucb_composition": (
        _COMPOSITION,
        growth_cascade,
        lambda on, e: bounds.theorem_8(on, GROWTH_HORIZON, e, LEARNING_DELTA),
    ),
    "cucb_gaussian": (
        _CUCB,
        growth_semi_bandit,
        lambda on, e: bounds.theorem_10(on, GROWTH_HORIZON, e, LEARNING_DELTA),
    ),
}
"""Of the algorithms of the study of growth, as claims name them: the key of its rows, what it plays on, its bound."""

rules = Rulebook(comparable=f"{_COMPARABLE:g}")


def growth_fits(study: pd.DataFrame) -> list[RateFit]:
    """Return every exponent of the study of growth; the repaired algorithm has no claim."""
    grown = [claim.facts for claim in claims_of("cascading") if "powers" in claim.facts]
    asked = [
        (*_GROWN[facts["algorithm"]][:2], quantity, facts["powers"][quantity])
        for quantity in (LOG, SIZE, EPSILON, _DELTA)
        for facts in grown
        if quantity in facts["powers"]
    ]
    asked += [(_FIRST, growth_cascade, quantity, math.nan) for quantity in (LOG, SIZE, EPSILON)]
    return [
        RateFit({"policy": policy, "claimed": power}, quantity, _exponent(study, policy, game, quantity), 0)
        for policy, game, quantity, power in asked
    ]


def _exponent(study: pd.DataFrame, policy: str, game: Callable[[int], Any], quantity: str) -> Interval | None:
    """Fit one exponent of the study of growth, at its fixed values of the other quantities."""
    frame = study[study["policy"] == policy]
    size, epsilon = _BOUND_CASE
    if quantity == LOG:
        one = frame[(frame["list_size"] == size) & (frame["epsilon"] == epsilon)]
        return _growth(*by_replication(one, "t"), game(size).uniform_regret())
    final = frame[frame["t"] == GROWTH_HORIZON]
    fixed_size, fixed_epsilon = final["list_size"] == 4, final["epsilon"] == 1.0
    usual = final["delta"].isin([0.0, LEARNING_DELTA])
    rows, column = {
        SIZE: (fixed_epsilon & usual, "list_size"),
        EPSILON: (fixed_size & usual, "epsilon"),
        _DELTA: (fixed_size & fixed_epsilon, "delta"),
    }[quantity]
    values, samples = by_replication(final[rows], column)
    return fit_exponent(np.log(1.25 / values) if quantity == _DELTA else abscissa(quantity, values), samples)


def _growth(t: np.ndarray, curves: np.ndarray, uniform: float) -> Interval | None:
    """Exponent in ln T over the last two decades, where the policy has learnt; None where it has not."""
    before = np.searchsorted(t, t[-1] / 100)
    late = (curves[:, -1] - curves[:, before]).mean() / (t[-1] - t[before])
    return None if late > _LEARNT * uniform else fit_log(t, curves)


def _learning(study: Study, policy: str, epsilon: float) -> tuple[np.ndarray, np.ndarray]:
    frame = study.learning
    return by_replication(frame[(frame["policy"] == policy) & (frame["epsilon"] == epsilon)], "t")


# --- anchor, lemmas


@rules("kveton-table-1")
def _anchor(study: Study, claim: Claim) -> Ruling:
    at_paper_scale = study.horizon == _KVETON_HORIZON
    return Near(_KVETON, tolerance=0.03 * _KVETON)(mean_interval(study.anchor.final) if at_paper_scale else None)


@rules("lemma-1")
def _lemma_1(study: Study, claim: Claim) -> Ruling:
    gamma = 0.01
    found = lemmas.hybrid_coverage(gamma=gamma)
    printed = claim.holds(found.printed <= gamma, found.printed, found=found, gamma=gamma)
    return after_repair(printed, claim.holds(found.counter <= gamma, found.counter, "repaired", found=found))


@rules("lemma-2")
def _lemma_2(study: Study, claim: Claim) -> Ruling:
    n_items, horizon = study.n_items, study.horizon
    leak = lemmas.pulls_leak(study.epsilon, n_items, horizon) if n_items >= 4 and horizon >= 2 else None
    printed = claim.holds(None if leak is None else leak <= 0.0, leak, leak=leak)
    repaired = repaired_central(study.epsilon, n_items, study.list_size, horizon)
    return after_repair(printed, Privacy(study.epsilon)(repaired.privacy.effective_epsilon))


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


# --- privacy theorems


@rules("theorem-1", "theorem-3", "theorem-5", "theorem-8-privacy", "theorem-9")
def _promise(study: Study, claim: Claim) -> Ruling:
    epsilon, delta, size, n_items = study.epsilon, study.delta, study.list_size, study.n_items
    local = repaired_local(epsilon, size)
    printed, repaired, allowed = {
        "theorem-1": (
            ucb_hybrid(epsilon, n_items, study.horizon),
            repaired_central(epsilon, n_items, size, study.horizon),
            0.0,
        ),
        "theorem-3": (ucb_laplace(epsilon, size), local, 0.0),
        "theorem-5": (ucb_gaussian(epsilon, delta, size), local, delta),
        "theorem-8-privacy": (ucb_composition(epsilon, delta, size), local, delta),
        "theorem-9": (
            cucb_gaussian(epsilon, delta, n_items, size),
            cucb_gaussian(epsilon, delta, n_items, size, variant="repaired"),
            delta,
        ),
    }[claim.claim]
    rule = Privacy(epsilon, allowed)
    found = [rule(p.privacy.effective_epsilon, p.privacy.effective_delta or 0.0) for p in (printed, repaired)]
    return after_repair(*found)


@rules("theorem-7")
def _theorem_7(study: Study, claim: Claim) -> Ruling:
    grid = lemmas.theorem_7_excess([1, 2, 4, 8, 16], [0.1, 0.2, 0.5, 0.9], [1e-2, 1e-3, 1e-6], pure=False)
    return claim.holds(grid.ratio <= 1.0, grid.ratio, ratio=grid.ratio)


# --- regret theorems, on the longer studies


@rules("theorem-2")
def _theorem_2(study: Study, claim: Claim) -> Ruling:
    t, curves = _learning(study, _HYBRID, 1.0)
    problem = learning_problem()
    uniform = problem.uniform_regret()
    bound = UpperBound(bounds.theorem_2(problem, LEARNING_HORIZON, 1.0, _XI), uniform=uniform * LEARNING_HORIZON)
    growth = UpperRate(1.0 + _XI, tolerance=_GROWTH_SLACK)(_growth(t, curves, uniform))
    return all_of(bound(mean_interval(curves[:, -1])), growth)


@rules("theorem-4", "theorem-6", "theorem-8-regret", "theorem-10")
def _regret(study: Study, claim: Claim) -> Ruling:
    (policy, game, bound), powers = _GROWN[claim.facts["algorithm"]], claim.facts["powers"]
    rates = [
        UpperRate(powers[quantity], tolerance=allowed)(_exponent(study.growth, policy, game, quantity))
        for quantity, allowed in _SLACK.items()
        if quantity in powers
    ]
    if claim.facts.get("forces_reports", False):
        rates.append(_forced(claim))
    return all_of(_printed_bound(study.growth, policy, game, bound), *rates)


def _forced(claim: Claim) -> Ruling:
    """The step of the proof that needs 3 ln t reports of an item, which the algorithm does not force."""
    unforced, forced = lemmas.unforced_tail_ratio(LEARNING_HORIZON), lemmas.laplace_tail_ratio()
    printed = claim.holds(unforced.ratio <= 1.0, found=unforced)
    return after_repair(printed, claim.holds(forced <= 1.0, said="repaired", ratio=forced))


def _printed_bound(
    frame: pd.DataFrame, policy: str, game: Callable[[int], Any], bound: Callable[[Any, float], float]
) -> Ruling:
    """The printed constant where none is vacuous."""
    (size, epsilon), horizon = _BOUND_CASE, GROWTH_HORIZON
    problem = game(size)
    chosen = (frame["policy"] == policy) & (frame["list_size"] == size) & (frame["epsilon"] == epsilon)
    final = frame[chosen & frame["delta"].isin([0.0, LEARNING_DELTA]) & (frame["t"] == horizon)]
    uniform = problem.uniform_regret() * horizon
    return UpperBound(bound(problem, epsilon), uniform=uniform)(mean_interval(final["regret"].to_numpy()))


@rules("theorem-11")
def _theorem_11(study: Study, claim: Claim) -> Ruling:
    found = lemmas.swapped_divergence()
    printed = claim.holds(found.swapped <= 1.0, found.swapped, found=found)
    step = after_repair(printed, claim.holds(found.ordered <= 1.0, found.ordered, "repaired", found=found))
    arguments = (*LEARNING_INSTANCE, LEARNING_HORIZON)
    return all_of(step, _lower(study, _FIRST, bounds.theorem_11(*arguments, _LOWER_EPSILON)))


@rules("theorem-12")
def _theorem_12(study: Study, claim: Claim) -> Ruling:
    return _lower(study, _CENTRAL, bounds.theorem_12(*LEARNING_INSTANCE, LEARNING_HORIZON, _LOWER_EPSILON))


def _lower(study: Study, policy: str, bound: float) -> Ruling:
    _, curves = _learning(study, policy, _LOWER_EPSILON)
    plain = bounds.kveton_lower(*LEARNING_INSTANCE, LEARNING_HORIZON)
    return LowerBound(bound, floor=plain)(mean_interval(curves[:, -1]))


# --- the panels


def _less(smaller: str, larger: str, a: Run, b: Run) -> Ruling:
    return Less(smaller, larger)(difference_interval(a.final, b.final))


def _keeps(run: Run) -> Ruling:
    """Whether everything that a run releases keeps its nominal privacy."""
    privacy: Guarantee = run.policy.privacy
    return Privacy(privacy.epsilon, privacy.delta)(privacy.effective_epsilon, privacy.effective_delta or 0.0)


def _values_keep(run: Run) -> Ruling:
    """Whether the values of a run keep it."""
    privacy: Guarantee = run.policy.privacy
    return Privacy(privacy.epsilon, privacy.delta)(privacy.value_epsilon, privacy.value_delta or 0.0)


def _picture(runs: Runs, epsilon: float) -> Ruling:
    """An honest local algorithm: more regret than without privacy, less than uniform play, at its epsilon."""
    repaired, plain = (runs.find(_FIRST, "repaired", e) for e in (epsilon, math.inf))
    return all_of(
        _keeps(repaired),
        _less("the repaired algorithm without privacy", "the repaired one", plain, repaired),
        _less("the repaired algorithm", "uniform play", repaired, runs.find("uniform")),
    )


def _order(runs: Runs, epsilon: float, variant: str) -> Ruling:
    """What a local panel shows: non-private, then Gaussian, then Laplace, whose values keep the nominal epsilon."""
    laplace, gaussian = (runs.find(name, variant, epsilon) for name in (_LAPLACE, _GAUSSIAN))
    return all_of(
        _less("non-private", "Gaussian", runs.find(_PLAIN), gaussian),
        _less("Gaussian", "Laplace", gaussian, laplace),
        _values_keep(laplace),
    )


def _panel(claim: Claim, letters: str, given: Sequence[float]) -> int | None:
    """The place of a panel's value among those of its parameter; None where the parameter has no such value."""
    place = letters.index(claim.claim[-1])
    return place if place < len(given) else None


@rules("figure-1a", "figure-1b", "figure-1c", "figure-1d")
def _local(study: Study, claim: Claim) -> Ruling:
    place = _panel(claim, "abcd", study.epsilons)
    if place is None:
        return _missing()
    epsilon = study.epsilons[place]
    runs = study.local[epsilon]
    printed, honest = (_order(runs, epsilon, variant) for variant in ("published", "stated"))
    return after_repair(printed, all_of(honest, _picture(runs, epsilon)))


@rules("figure-1e")
def _sweep(study: Study, claim: Claim) -> Ruling:
    printed = [
        part
        for runs in (study.sweep.select(name, "published") for name in (_LAPLACE, _GAUSSIAN))
        for part in (*_falls_near(study, runs), _values_keep(runs[-1]))
    ]
    repaired = study.sweep.select(_FIRST, "repaired")
    return after_repair(all_of(*printed), all_of(*_falls_near(study, repaired), _keeps(repaired[-1])))


def _falls_near(study: Study, runs: Runs) -> tuple[Ruling, Ruling]:
    """Regret falls with epsilon, and comes near the non-private one."""
    ratio = ratio_interval(runs[-1].final, study.sweep.find(_PLAIN).final)
    excess = Interval(ratio.measured - _COMPARABLE, ratio.low - _COMPARABLE, ratio.high - _COMPARABLE)
    return (
        _less("regret at the largest epsilon", "at the smallest", runs[-1], runs[0]),
        Less(f"regret over the non-private one, {ratio.measured:.3g},", f"{_COMPARABLE:g}")(excess),
    )


@rules("figure-1f", "figure-1g")
def _central(study: Study, claim: Claim) -> Ruling:
    panel = study.central if claim.claim == "figure-1f" else study.items
    curves = [panel.select(_HYBRID_PRINTED, "published"), panel.select(_CENTRAL, "repaired")]
    if claim.claim == "figure-1f":
        published, repaired = (sorted(curve, key=lambda run: run.epsilon) for curve in curves)
    else:
        published, repaired = (sorted(curve, key=lambda run: -run.swept["n_items"]) for curve in curves)
    if len(repaired) < 2:
        return _missing()
    forwards = 1 if claim.claim == "figure-1f" else -1
    return after_repair(
        all_of(_falling(published), *(_values_keep(run) for run in published[::forwards])),
        all_of(_falling(repaired), *(_keeps(run) for run in repaired[::forwards])),
    )


def _falling(runs: Sequence[Run]) -> Ruling:
    pairs = zip(runs, runs[1:], strict=False)
    return all_of(*(_less("regret at the next value", "at this one", b, a) for a, b in pairs))


@rules("figure-1h", "figure-1i")
def _cucb(study: Study, claim: Claim) -> Ruling:
    given = sorted(study.cucb)
    place = _panel(claim, "hi", given)
    if place is None:
        return _missing()
    runs, epsilon = study.cucb[given[place]], given[place]
    plain, published, repaired = runs.find("CUCB"), *(runs.find(_CUCB, r, epsilon) for r in ("published", "repaired"))
    printed = all_of(
        _less("CUCB", "CUCB Gaussian", plain, published), _gap_shrinks(study, "published"), _values_keep(published)
    )
    honest = all_of(
        _less("CUCB", "the repaired CUCB", plain, repaired),
        _gap_shrinks(study, "repaired"),
        _less("the repaired CUCB", "uniform play", repaired, runs.find("uniform")),
        _keeps(repaired),
    )
    return after_repair(printed, honest)


def _gap_shrinks(study: Study, variant: str) -> Ruling:
    given = sorted(study.cucb)
    if len(given) < 2:
        return _missing()
    small, large = (study.cucb[e].find(_CUCB, variant, e) for e in (given[0], given[-1]))
    return _less("regret at the larger epsilon", "at the smaller", large, small)


@rules("figure-2a", "figure-2b", "figure-2c", "figure-2d")
def _sizes(study: Study, claim: Claim) -> Ruling:
    place, epsilon = _panel(claim, "abcd", study.list_sizes), study.sizes_epsilon
    if place is None:
        return _missing()
    runs = study.sizes[study.list_sizes[place]]
    before = study.sizes[study.list_sizes[place - 1]] if place else None
    printed, honest = (_size_panel(before, runs, epsilon, variant) for variant in ("published", "stated"))
    return after_repair(printed, all_of(honest, _picture(runs, epsilon)))


def _size_panel(before: Runs | None, runs: Runs, epsilon: float, variant: str) -> Ruling:
    """The order of a panel, the privacy of its values, and the gap against the panel before it."""
    order = _order(runs, epsilon, variant)
    if before is None:
        return order
    smaller, larger = (_gap(panel, epsilon, variant) for panel in (before, runs))
    return all_of(order, Less("the gap at the smaller K", "at this K")(difference_interval(smaller, larger)))


def _gap(runs: Runs, epsilon: float, variant: str) -> np.ndarray:
    return runs.find(_LAPLACE, variant, epsilon).final - runs.find(_GAUSSIAN, variant, epsilon).final


def _missing() -> Ruling:
    return Less("", "")(None)
