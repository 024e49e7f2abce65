"""The rules that judge the claims of Wang et al. (2021); the claims themselves are in `claims.toml`.

A panel is judged by its curves as published; that its label is what it costs is a claim of its own. The repairs here
ask for one bit about one item, which is another mechanism, or other feedback: they are contributions of this book and
lend no claim of the paper a verdict. Of each claimed power the nearest wrong one is the next; in K of the algorithms
that improve on K^2, K^2. Powers of K are weighed by what one wrong item costs a list, (1 - p)^(K - 1), in claim and
alternative alike.
"""

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
from private_bandits.papers.cascading import b_lb, bounds
from private_bandits.papers.cascading.instances import one_hot_replies
from private_bandits.papers.cascading.repair_first import first_channel
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee, channel_loss, sensitivity
from private_bandits.problems import Cascade
from private_bandits_book.cascading import keys, lemmas
from private_bandits_book.cascading.study import (
    BOUND_CASE,
    CENTRAL_DESIGNS,
    GROWTH_HORIZON,
    GROWTH_P,
    LEARNING_DELTA,
    LEARNING_HORIZON,
    Study,
    growth_problem,
    growth_sweep,
    hybrid_run,
    local_designs,
)
from private_bandits_book.ledger import Claim, Rulebook, claims_of
from private_bandits_book.rules import Holds, Less, Near, Privacy, Ruling, UpperBound, after_repair, all_of, by_runs
from private_bandits_book.studies import Run, Runs, key, played
from private_bandits_book.sweep import DELTA, EPSILON, LOG, PLANNED, SIZE, Form, RateFit, by_replication, power
from private_bandits_book.verdicts import MEASURED

_KVETON = 986.8  # Kveton et al. (2015), Table 1, B_LB(16, 4, 0.2, 0.15) at T = 100000
_KVETON_HORIZON = 100_000
_LEARNT = 0.1  # share of uniform play's regret per round below which a growth in ln T can be seen
_COMPARABLE = 1.5  # regret over the non-private one that we call comparable
_XI = 0.5
_FREE, _VAST = 1e6, 1e12  # a constant c_2 that the paper leaves open, and an epsilon at which privacy costs nothing
_HALFWAY = 0.5  # between a claimed power and the next: how far from it computed ones may be, as logarithms bend them
_SMALL = 2.0  # epsilon up to which noise on a block is said to beat noise on a bit
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
    fit = RateFit.over(labels, quantity, zip(values, samples.T, strict=True), PLANNED)
    if quantity == SIZE and not math.isnan(claimed):
        labels["claimed"] = fit.exponent(_form(algorithm, quantity, claimed))
    return fit


def _form(algorithm: str, quantity: str, exponent: float) -> Form:
    """A claimed power; that of K on a cascade with what one wrong item costs a list."""
    claimed = power(quantity, exponent)
    if quantity == SIZE and algorithm != "cucb_gaussian":
        return Form(claimed.name, lambda size: claimed.at(size) * (1.0 - GROWTH_P) ** (size - 1))
    return claimed


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
    """The bound forgets the ln T that sampling costs, and whatever its constants are, two neighbours refute it."""

    def printed(problem: Cascade, horizon: int) -> float:
        return bounds.theorem_2(problem, horizon, _VAST, _XI, c_2=_FREE)

    found = lemmas.first_contradiction(printed)
    return claim.holds(math.isinf(found.horizon), found.horizon, found=found, epsilon=_VAST, c_2=_FREE)


@rules("theorem-2-growth")
def _theorem_2_growth(study: Study, claim: Claim) -> Ruling:
    run = hybrid_run()
    rows = played(study.growth, [run], key(run.policy))
    fit = RateFit.growing({}, *by_replication(rows, "t"), run.problem.uniform_regret(), _LEARNT)
    claimed, other = (power(LOG, claim.facts[which]) for which in ("growth", "excluded"))
    return _settled(fit, claimed, other).of(keys.MADE[keys.HYBRID])


def _settled(fit: RateFit, claimed: Form, alternative: Form) -> Ruling:
    """Judge a growth, if in ln T it has reached what every consistent algorithm loses; below, it cannot last."""
    if fit.quantity == LOG and fit.fit is not None:
        least, low, high = fit.exponent(power(LOG, 1.0)), fit.fit.low, fit.fit.high
        if high < least - 1e-6:
            reason = f"exponent in ln T {fit.fit.measured:.4g} [{low:.4g}, {high:.4g}]: below the {least:.3g} of every "
            reason += "consistent algorithm, so it cannot last"
            return Holds(MEASURED)(None, reason, fit.fit)
    return fit.ruling(claimed, alternative)


@rules("theorem-4", "theorem-6", "theorem-8-regret", "theorem-10")
def _regret(study: Study, claim: Claim) -> Ruling:
    algorithm = claim.facts["algorithm"]
    policy = growth_sweep(algorithm, LOG).runs()[0].policy
    rates = [
        _settled(
            _fit(study.growth, algorithm, quantity),
            *(_form(algorithm, quantity, claim.facts[which][quantity]) for which in ("powers", "alternatives")),
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


# --- what is said of the bounds, and of the setting


def _on_b_lb(bound: Callable[..., float], **fixed: float) -> Callable[..., float]:
    """A bound on a problem as one of B_LB's numbers."""
    return lambda n_items, size, p, gap, *at: bound(b_lb(n_items, size, p, gap), *at, **fixed)


@rules("matching-ldp")
def _matching_ldp(study: Study, claim: Claim) -> Ruling:
    """Theorem 6, whose K is the least, against the strongest reading of Theorem 11."""
    apart = lemmas.bounds_apart(_on_b_lb(bounds.theorem_6, delta=LEARNING_DELTA), lemmas.local_lower)
    return claim.holds(max(apart) < _HALFWAY, apart.size, apart=apart)


@rules("matching-dp")
def _matching_dp(study: Study, claim: Claim) -> Ruling:
    apart = lemmas.bounds_apart(_on_b_lb(bounds.theorem_2, xi=_XI), bounds.theorem_12)
    return claim.holds(apart.log_t <= _XI + 1e-3, apart.log_t, apart=apart, xi=_XI)


@rules("definitions-alike")
def _alike(study: Study, claim: Claim) -> Ruling:
    apart = lemmas.bounds_apart(bounds.theorem_11, bounds.theorem_12)
    return claim.holds(abs(apart.noise) < _HALFWAY, apart.noise, apart=apart)


@rules("theorem-11-remark")
def _remark_11(study: Study, claim: Claim) -> Ruling:
    printed, repaired = (
        lemmas.bounds_apart(bound, lemmas.remark_11).size for bound in (bounds.theorem_11, lemmas.local_lower)
    )
    found = claim.holds(printed > -_HALFWAY, printed, power=printed)
    return after_repair(found, claim.holds(repaired > -_HALFWAY, repaired, "repaired", power=repaired))


@rules("unavoidable-log")
def _unavoidable(study: Study, claim: Claim) -> Ruling:
    """At t^-3, by Lemma 1 and by the noises themselves; the next lower power of its kind is 2."""
    derived, growth = lemmas.utility_growth(), lemmas.counter_growth()
    return claim.holds(derived > 2.25, derived, derived=derived, growth=growth)


@rules("first-polylog")
def _first_polylog(study: Study, claim: Claim) -> Ruling:
    growth = lemmas.earlier_growth()
    return claim.holds(growth > 1.0 + _HALFWAY, growth, growth=growth)


@rules("k-squared")
def _k_squared(study: Study, claim: Claim) -> Ruling:
    growth, moved = lemmas.click_growth(), sensitivity(one_hot_replies(study.list_size))
    return claim.holds(growth > _HALFWAY, growth, growth=growth, moved=moved)


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
    """What every message pays: the bit by enumeration over all replies, the others as their noise was scaled."""
    epsilon, size = study.epsilon, study.list_size
    paid = channel_loss(first_channel(response_probabilities(epsilon, 2)[1], size))
    bit, *others = local_designs(epsilon, study.delta, size).values()
    found = Privacy(epsilon, evidence=claim.evidence)(float(paid)).of(bit)
    return all_of(found, *(_keeps(policy, claim.evidence) for policy in others))


@rules("own-local-regret")
def _own_local_regret(study: Study, claim: Claim) -> Ruling:
    """Against its own non-private version and uniform play, in every local panel."""
    parts = []
    for runs, epsilon in _local_panels(study):
        repaired, plain = (runs.find(keys.FIRST, "repaired", e) for e in (epsilon, math.inf))
        parts += [
            _less("without privacy", "one bit", plain, repaired),
            _less("one bit", "uniform play", repaired, runs.find(keys.UNIFORM)),
        ]
    return all_of(*parts)


def _local_panels(study: Study) -> list[tuple[Runs, float]]:
    """The panels of Figures 1(a)-(d) and 2, and their epsilons."""
    panels = [(study.local[epsilon], epsilon) for epsilon in study.epsilons]
    return panels + [(study.sizes[size], study.sizes_epsilon) for size in study.list_sizes]


@rules("own-local-designs")
def _own_local_designs(study: Study, claim: Claim) -> Ruling:
    """The one bit against every other message that keeps its promise, setting by setting."""
    parts = []
    for bit in study.local_designs.select(keys.FIRST):
        others = study.local_designs.select(epsilon=bit.epsilon, **bit.swept)
        parts += [_less("one bit", other.variant, bit, other) for other in others if other is not bit]
    return all_of(*parts) if parts else _missing()


@rules("own-one-answer")
def _own_one_answer(study: Study, claim: Claim) -> Ruling:
    """Against Algorithm 3 at the noise that its theorem needs, in every local panel."""
    parts = []
    for runs, epsilon in _local_panels(study):
        kept, asked = runs.find(keys.GAUSSIAN, "stated", epsilon), runs.find(keys.FIRST, "repaired", epsilon)
        parts.append(_less("one bit", "Gaussian, every answer", asked, kept))
    return all_of(*parts)


@rules("own-clicks-per-display")
def _own_clicks(study: Study, claim: Claim) -> Ruling:
    """A negative control without noise, whose bias grows with the list."""
    sizes = sorted({run.swept["list_size"] for run in study.control})
    pairs = [[study.control.find(which, over, list_size=size) for over, which in _OVER] for size in sizes]
    if len(pairs) < 2:
        return _missing()
    factor = _compared(
        Less("per display over per examination, in logarithms, at the smallest K", "at the largest"),
        lambda *finals: _minus(_factor(*finals[:2]), _factor(*finals[2:])),
        *(run for pair in (pairs[0], pairs[-1]) for run in reversed(pair)),
    )
    return all_of(*(_less("per examination", "per display", *pair) for pair in pairs), factor)


_OVER = (("examinations", keys.PADDED), ("displays", keys.DISPLAYS))


@rules("own-central-privacy")
def _own_central_privacy(study: Study, claim: Claim) -> Ruling:
    at = (study.epsilon, study.n_items, study.list_size, study.horizon)
    return all_of(*(_keeps(paper.repaired_central(*at, design), claim.evidence) for design in CENTRAL_DESIGNS))


@rules("own-central-over-local")
def _own_central_over_local(study: Study, claim: Claim) -> Ruling:
    """The one bit is centrally private as well, so a trusted shop is of use only if noise on blocks loses less."""
    kept = [run for run in study.central_designs.select(keys.CENTRAL) if run.epsilon <= _SMALL]
    parts = [
        _less("blocks, kept", "one bit", run, study.central_designs.find(keys.FIRST, "local", run.epsilon))
        for run in sorted(kept, key=lambda run: run.epsilon)
    ]
    return all_of(*parts) if parts else _missing()


@rules("own-central-regret")
def _own_central_regret(study: Study, claim: Claim) -> Ruling:
    curves = (_curve(study, along, keys.CENTRAL, "repaired") for along in ("epsilon", "n_items"))
    return all_of(*(step for curve in curves for step in _falling(curve)))


def _missing() -> Ruling:
    return Less("", "")(None)
