"""The rules that judge the claims of Zheng et al. (2020) by what was measured; the claims are in `claims.toml`.

Table 1 states orders, so most claims are rates from above. The claimed form has the logarithms that are printed: of
Theorem 3 behind the noise, and of the learner's own bound. Its nearest wrong alternative is fixed by family, before any
run, with the logarithm of Theorem 3 and no other: the next larger of T^(1/2), T^(2/3), T^(3/4) and T^(5/6), which for
smooth and strongly convex losses is the rate that the paper improves on, and one power more of 1/epsilon or of ln T.
Orders in 1/epsilon are claimed for epsilon <= 1, and fits above decide nothing. Whether a learner improves on plain
gradient descent is judged by the difference of their powers, on the same losses, horizons and seeds.
"""

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from private_bandits.papers.contextual.appendix_b2 import identifier

from private_bandits.estimates import Interval, difference_interval, fit_exponent, ratio_interval
from private_bandits.papers.contextual import instances, ldp_glm, ldp_linucb, one_point
from private_bandits.policy import Policy
from private_bandits_book.contextual import facts, rates, sweeps
from private_bandits_book.contextual.exact_rules import rules
from private_bandits_book.contextual.study import CLAIMED, STUCK_ACTIONS, Study
from private_bandits_book.contextual.table_1 import LINEAR, ONE_POINT, OURS, ROWS, TWO_POINTS, WEIGHTED, slug
from private_bandits_book.figures.captions import interval, scientific
from private_bandits_book.ledger import Claim, claims_of
from private_bandits_book.rules import Less, Near, NotRun, Privacy, Ruling, after_repair, all_of, by_runs, rests_on
from private_bandits_book.rules import Rate as Growth
from private_bandits_book.sweep import EPSILON, HORIZON, LEAST_POINTS, LEAST_RUNS, LOG, Form, RateFit, abscissa, power

_REDUCED = "ln(T/delta)"  # the factor of Theorem 3
_CONJECTURED = 0.75
ALPHA = 0.1  # with which the ellipsoids may fail

Rate = Mapping[str, Any]
"""A row of Table 1 with its part, or with what is swept and the variant; `claimed` powers and `alternatives`."""


def law(powers: Mapping[str, float]) -> Form:
    """Return the product of powers of T, ln T, ln(T/delta) and 1/epsilon as a law of growth."""

    def base(name: str, value: float) -> float:
        return math.log(value / sweeps.DELTA) if name == _REDUCED else float(abscissa(name, value))

    return Form(
        " ".join(name if name == _REDUCED else power(name, exponent).name for name, exponent in powers.items()),
        lambda value: math.prod(base(name, value) ** exponent for name, exponent in powers.items()),
    )


def _runs(stated: Rate) -> tuple[str, str, str]:
    """Row, quantity and variant of the runs that a rate is measured on."""
    if "part" not in stated:
        return stated["row"], stated["swept"], stated["variant"]
    quantity, _, variant = ROWS[stated["row"]].claims[stated["part"]]
    return stated["row"], quantity, variant


def rate(study: Study, stated: Rate, dim: int = 2) -> Ruling:
    """Judge a claimed rate by the runs at which it is claimed, and name what was run."""
    return _rated(study, stated, dim).of(_played(*_runs(stated), dim))


def _played(row: str, quantity: str, variant: str, dim: int = 2) -> Policy:
    """What the runs of a sweep play, at one of its values."""
    sweep = sweeps.sweep(row, quantity, variant, dim)
    return sweep.run(sweep.values[0])[0].policy


def _rated(study: Study, stated: Rate, dim: int) -> Ruling:
    row, quantity, variant = _runs(stated)
    if quantity == EPSILON:
        values = sweeps.sweep(row, quantity, variant, dim).values
        small = sum(epsilon <= CLAIMED for epsilon in values)
        if small < LEAST_POINTS:
            why = f"1/epsilon is claimed for epsilon <= {CLAIMED:g}, where {small} of the {len(values)} values run lie"
            return NotRun(f"{why}; a fit takes {LEAST_POINTS}")()
    fit = study.fit(row, quantity, variant, dim)
    if fit.fit is not None and fit.replications < LEAST_RUNS:
        why = f"{fit.replications} runs are left beside those that chose the gap; a verdict takes {LEAST_RUNS}"
        return NotRun(f"{why} (exponent in {quantity} {fit.fit.measured:.3g})")()
    reduced = {_REDUCED: 1.0} if _REDUCED in stated["claimed"] else {}
    others = [law({name: exponent} | reduced) for name, exponent in stated["alternatives"].items()]
    if "against" in stated and fit.fit is not None and fit.fit.low <= fit.exponent(law(stated["claimed"])):
        apart = study.difference(row, variant, stated["against"])  # the alternative is the plain learner's power
        return Less(f"exponent in {quantity} {interval(fit.fit)} holds the claim; it", "that of gradient descent")(
            apart
        )
    most = study.most(row, quantity, variant, dim)
    if not len(most) or fit.regrets is None:
        return fit.ruling(law(stated["claimed"]), *others)
    rule = Growth(
        fit.exponent(law(stated["claimed"])), {one.name: fit.exponent(one) for one in others}, quantity=quantity
    )
    return by_runs(rule, partial(_widened, fit), fit.regrets, most=most)


def _widened(fit: RateFit, regrets: np.ndarray) -> Interval:
    """The exponent of other regrets at the points of a fit, as uncertain as the fit is, whose gap was searched."""
    assert fit.fit is not None
    found = fit_exponent(abscissa(fit.quantity, fit.values), regrets)
    below, above = fit.fit.measured - fit.fit.low, fit.fit.high - fit.fit.measured
    return Interval(found.measured, min(found.low, found.measured - below), max(found.high, found.measured + above))


def _run_at(study: Study, stated: Rate) -> str:
    """Constants, epsilon and horizons of the runs that a rate is judged by or, where it is not judged, of all."""
    row, quantity, variant = _runs(stated)
    sweep = sweeps.sweep(row, quantity, variant)
    small = [value for value in sweep.values if value <= CLAIMED] if quantity == EPSILON else []
    values = small if len(small) >= LEAST_POINTS else sweep.values
    labels = [sweep.run(value)[0].labels for value in values]
    epsilons, horizons = ([each[name] for each in labels] for name in ("epsilon", "horizon"))
    constants = "" if variant in ("printed", "analytic", "laplace", "no privacy") else f"({variant}) "
    at = rf"$\epsilon$ = {_span(epsilons, 'g')}, " if math.isfinite(epsilons[0]) else ""
    return f"{constants}at {at}$T$ {'up to' if quantity == LOG else '='} {_span(horizons, ',d')}"


def _span(values: list[Any], code: str) -> str:
    ends = dict.fromkeys((min(values), max(values)))
    return " to ".join(format(value, code) for value in ends)


_RATES = {claim.claim: claim.facts for claim in claims_of("contextual") if "claimed" in claim.facts}
rules.words |= {name: partial(_run_at, stated=stated) for name, stated in _RATES.items()}


# --- Table 1 and what rests on it


@rules("rate")
def _rate(study: Study, claim: Claim) -> Ruling:
    return rate(study, claim.facts)


@rules("not-run")
def _not_run(study: Study, claim: Claim) -> Ruling:
    return NotRun(claim.facts["not_run"])()


@rules("beyond")
def _beyond(study: Study, claim: Claim) -> Ruling:
    """A horizon that no run reaches; in how many rounds the bonus would be small is computed."""
    needed = {
        variant: scientific(
            facts.horizon_needed(2, partial(ldp_glm, 1.0, sweeps.DELTA, 2, variant=variant, noise=noise))
        )
        for variant, noise in (("printed", "classical"), ("repaired", "analytic"))
    }
    return NotRun(claim.facts["not_run"].format(**needed))()


@rules("table-1-convex-smooth-horizon")
def _smooth(study: Study, claim: Claim) -> Ruling:
    """The printed sigma does not keep the promise at the epsilon at which this learner has a rate."""
    row, quantity, variant = _runs(claim.facts)
    kept = _played(row, quantity, variant)
    problem, delta = instances.convex(ROWS[row].losses), kept.privacy.delta
    horizon = sweeps.sweep(row, quantity, variant).values[0]
    printed = one_point(problem, horizon, kept.privacy.epsilon, delta, kept.method)
    found = Privacy(kept.privacy.epsilon, delta)(printed.privacy.effective_epsilon, delta)
    return after_repair(found.of(printed), rate(study, claim.facts))


@rules("table-1-convex-smooth-epsilon")
def _capped(study: Study, claim: Claim) -> Ruling:
    row = ROWS["convex, smooth"]
    rounds = facts.cap_ends(instances.convex(row.losses), row.learners[0], CLAIMED, sweeps.DELTA)
    return NotRun(claim.facts["not_run"].format(rounds=scientific(rounds)))()


@rules("paired")
def _paired(study: Study, claim: Claim) -> Ruling:
    """The powers of T of several learners, each less that of the plain one."""
    rulings, row = [], claim.facts["row"]
    for variant, other in claim.facts["pairs"]:
        seen = study.difference(row, variant, other)
        if seen is None:
            why = f"{variant} and {other} have fewer than {LEAST_POINTS} horizons in common at which both have learnt"
            return NotRun(why)()
        rule = Less(f"power of T, {variant},", f"that of: {other}")
        rulings.append(rule(seen).of(*(_played(row, HORIZON, name) for name in (variant, other))))
    return all_of(*rulings)


@rules("mab-both-worlds", "two-points-optimal", "two-points-tuned", "kernel-method", "prior-joint-dp", "laplace-linear")
def _rates(study: Study, claim: Claim) -> Ruling:
    return all_of(*(rate(study, stated) for stated in claim.facts["rates"]))


def _row(study: Study, row: str, parts: Mapping[str, Ruling]) -> Ruling:
    """A row of Table 1 as one ruling: both exponents."""
    return all_of(*(parts[f"table-1-{slug(row)}-{part}"] for part in ("horizon", "epsilon")))


@rules.combining("corollary-4-smooth", "corollary-4-strong", "theorem-6-convex", "theorem-6-strong")
def _one_row(study: Study, claim: Claim, parts: dict[str, Ruling]) -> Ruling:
    return _row(study, claim.facts["row"], parts)


@rules.combining("theorem-3")
def _theorem_3(study: Study, claim: Claim, parts: dict[str, Ruling]) -> Ruling:
    return rests_on({slug(row): _row(study, row, parts) for row in ONE_POINT})


@rules("two-points-differ")
def _differ(study: Study, claim: Claim) -> Ruling:
    rulings = []
    for variant, words in (("printed", "private"), ("no privacy", "without privacy")):
        difference = study.difference(TWO_POINTS[0], variant, variant, ONE_POINT[0])
        if difference is None:
            why = "two points and one have fewer than four horizons in common, so their powers do not pair"
            return NotRun(why)()
        rule = Less(f"power of T, {words}, with two points", "with one")
        rulings.append(rule(difference).of(*(_played(row, HORIZON, variant) for row in (TWO_POINTS[0], ONE_POINT[0]))))
    return all_of(*rulings)


@rules.combining("contribution-reduction")
def _reduction(study: Study, claim: Claim, parts: dict[str, Ruling]) -> Ruling:
    plain = {row: parts.pop(f"table-1-{slug(row)}-non-private") for row in ONE_POINT}
    return rests_on(parts | {"without privacy": rests_on(plain)})


# --- the best arm


@rules("best-arm")
def _best_arm(study: Study, claim: Claim) -> Ruling:
    """At the epsilon and gap with the highest upper end; runs that were given up leave it open."""
    frame = study.best_arm
    frame = frame[np.isfinite(frame["epsilon"])]
    if frame.empty or (frame["stopped"] < frame["replications"]).any():
        return claim.holds(None)
    row = frame.loc[frame["wrong_high"].idxmax()]
    at = f"epsilon = {row['epsilon']:g} and gap = {row['gap']:g}"
    share = Interval(row["wrong"] / row["replications"], row["wrong_low"], row["wrong_high"])
    found = _below(f"share wrong of {row['replications']:g} runs at {at}", share, row["failure"])
    return found.of(identifier(row["failure"], row["epsilon"], study.delta, method="analytic"))


def _below(what: str, share: Interval, allowed: float) -> Ruling:
    """Whether a share of runs is below what is allowed."""
    return Less(what, f"{allowed:g} allowed")(Interval(*(end - allowed for end in share[:3])))


# --- Algorithms 3 and 5


@rules("limit-without-noise")
def _limit(study: Study, claim: Claim) -> Ruling:
    return after_repair(*(_locks_in(study, variant) for variant in ("printed", OURS[LINEAR])))


def _locks_in(study: Study, variant: str) -> Ruling:
    """Whether more than alpha of the runs without noise are on a wrong action from the start to the horizon."""
    policy, frame = ldp_linucb(math.inf, study.delta, STUCK_ACTIONS, study.horizon, variant), study.stuck
    rows, plain = (frame[frame["reading"] == which] for which in (variant, ""))
    learnt = not rows.empty and not plain.empty and float(plain["high"].iloc[0]) <= ALPHA
    ends = rows.iloc[0][["locked", "low", "high"]] if learnt else [math.nan] * 3  # too few rounds or runs to tell
    return _below("share of runs locked in on a wrong action", Interval(*ends), ALPHA).of(policy)


# --- the conjecture


@rules("conjecture")
def _conjecture(study: Study, claim: Claim) -> Ruling:
    """Not the best if another private algorithm has a smaller power on the same problems, in every case."""
    cases = [(f"{WEIGHTED}, skewed", f"{OURS[LINEAR]}, skewed", 2)]
    cases += [(WEIGHTED, OURS[LINEAR], dim) for dim in sweeps.DIMS]
    found = [study.difference(LINEAR, one, other, dim=dim) for one, other, dim in cases]
    each = [(one, dim) for one, _, dim in cases], [(other, dim) for _, other, dim in cases]
    fits = [[study.fit(LINEAR, HORIZON, name, dim=dim).fit for name, dim in names] for names in each]
    apart, (weighted, plain) = [one for one in found if one], ([one for one in each if one] for each in fits)
    if min(map(len, (apart, weighted, plain))) < len(cases):
        return claim.holds(None)
    high, low = max(one.high for one in weighted), min(one.low for one in plain)
    beaten = high < _CONJECTURED and max(one.high for one in apart) < 0.0
    less = Interval(*(end - _CONJECTURED for end in weighted[0][:3]))
    words = {
        "skewed": f"{weighted[0].measured:.3f} and {plain[0].measured:.3f}",
        "apart": f"{apart[0].measured:.3f} [{apart[0].low:.3f}, {apart[0].high:.3f}]",
    }
    ruling = claim.holds(False if beaten else None, less, high=high, low=low, **words)
    return ruling.of(*(_played(LINEAR, HORIZON, variant) for variant in (WEIGHTED, OURS[LINEAR])))


@rules("weighted-regression")
def _weighted(study: Study, claim: Claim) -> Ruling:
    each = [rate(study, claim.facts["rate"], dim) for dim in claim.facts["dims"]]
    return all_of(*each, rate(study, claim.facts["skewed"]), rate(study, claim.facts["price"]))


@rules("weights-matter")
def _matter(study: Study, claim: Claim) -> Ruling:
    """At each horizon with a worst gap of its own; where the two are closest, it decides."""
    names, frame = (f"{WEIGHTED}, skewed", "no weights, skewed"), study.long_study("stretches")
    swept = [sweeps.sweep(LINEAR, HORIZON, name) for name in names]
    pairs = zip(*(rates.points(sweep, frame) for sweep in swept), strict=True)
    apart = [
        difference_interval(*(100.0 / plain.regrets.mean() * each.regrets for each in (one, plain)))
        for one, plain in pairs
        if one.counts and plain.counts
    ]
    closest = max(apart, key=lambda one: one.high, default=None)
    rule = Less("regret with weights, in percent of that without,", "that without")
    return rule(closest).of(*(_played(LINEAR, HORIZON, name) for name in names))


@rules("published-price")
def _price(study: Study, claim: Claim) -> Ruling:
    plain, printed, derived = (study.published.select(variant=name)[0] for name in ("", "printed", "derived"))
    percent = 100.0 / float(printed.final.mean()) if printed.final.mean() > 0.0 else math.nan
    lost = difference_interval(percent * plain.final, percent * printed.final)
    near = ratio_interval(derived.final, plain.final) if min(derived.final.mean(), plain.final.mean()) > 0.0 else None
    rulings = (
        Less("regret of LinUCB, in percent of that as printed,", "that as printed")(lost).of(
            plain.policy, printed.policy
        ),
        Near(1.0, tolerance=0.1)(near).of(plain.policy, derived.policy),
    )
    return all_of(*rulings)
