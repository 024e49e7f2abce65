"""The rules that judge the claims of Zheng et al. (2020) by what was measured; the claims are in `claims.toml`.

Table 1 states orders, so most claims are rates from above. The claimed form has the logarithms that are printed: of
Theorem 3 behind the noise, and of the learner's own bound. Its nearest wrong alternative is fixed by family, before any
run, with the logarithm of Theorem 3 and no other: the next larger of T^(1/2), T^(2/3), T^(3/4) and T^(5/6), which for
smooth and strongly convex losses is the rate that the paper improves on, and one power more of 1/epsilon or of ln T.
Orders in 1/epsilon are claimed for epsilon <= 1, and fits above decide nothing.
"""

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from private_bandits.estimates import Interval
from private_bandits.papers.contextual import ldp_linucb
from private_bandits.papers.contextual.appendix_b2 import identifier
from private_bandits.policy import Policy
from private_bandits_book.contextual import facts, sweeps
from private_bandits_book.contextual.exact_rules import rules
from private_bandits_book.contextual.study import CLAIMED, STUCK_ACTIONS, Study
from private_bandits_book.contextual.table_1 import LINEAR, ONE_POINT, OURS, ROWS, TWO_POINTS, slug
from private_bandits_book.ledger import Claim, claims_of
from private_bandits_book.rules import Less, NotRun, NotTestable, Ruling, UpperBound, after_repair, all_of, rests_on
from private_bandits_book.sweep import EPSILON, HORIZON, LEAST_POINTS, LEAST_RUNS, LOG, Form, abscissa, power

_REDUCED = "ln(T/delta)"  # the factor of Theorem 3
_SMALL = (0.1, 0.5, 1.0)  # where T^(3/4)/epsilon covers T^(3/4)/sqrt epsilon
_DECADES = range(1, 21)  # of T at which the printed radius is held against what it has to cover
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


def rate(study: Study, stated: Rate) -> Ruling:
    """Judge a claimed rate by the runs at which it is claimed, and name what was run."""
    return _rated(study, stated).of(_played(*_runs(stated)))


def _played(row: str, quantity: str, variant: str) -> Policy:
    """What the runs of a sweep play, at one of its values."""
    sweep = sweeps.sweep(row, quantity, variant)
    return sweep.run(sweep.values[0])[0].policy


def _rated(study: Study, stated: Rate) -> Ruling:
    row, quantity, variant = _runs(stated)
    if quantity == EPSILON:
        values = sweeps.sweep(row, quantity, variant).values
        small = sum(epsilon <= CLAIMED for epsilon in values)
        if small < LEAST_POINTS:
            why = f"1/epsilon is claimed for epsilon <= {CLAIMED:g}, where {small} of the {len(values)} values run lie"
            return NotRun(f"{why}; a fit takes {LEAST_POINTS}")()
    fit = study.fit(row, quantity, variant, claimed=True)
    if fit.fit is not None and fit.replications < LEAST_RUNS:
        why = f"{fit.replications} runs are left beside those that chose the gap; a verdict takes {LEAST_RUNS}"
        return NotRun(f"{why} (exponent in {quantity} {fit.fit.measured:.3g})")()
    reduced = {_REDUCED: 1.0} if _REDUCED in stated["claimed"] else {}
    others = [law({name: exponent} | reduced) for name, exponent in stated["alternatives"].items()]
    return fit.ruling(law(stated["claimed"]), *others)


def _run_at(study: Study, stated: Rate) -> str:
    """Constants, epsilon and horizons of the runs that a rate is judged by or, where it is not judged, of all."""
    row, quantity, variant = _runs(stated)
    sweep = sweeps.sweep(row, quantity, variant)
    small = [value for value in sweep.values if value <= CLAIMED] if quantity == EPSILON else []
    values = small if len(small) >= LEAST_POINTS else sweep.values
    labels = [sweep.run(value)[0].labels for value in values]
    epsilons, horizons = ([each[name] for each in labels] for name in ("epsilon", "horizon"))
    constants = "" if variant in ("printed", "laplace", "no privacy") else f"({variant}) "
    at = f"epsilon = {_span(epsilons, 'g')}, " if math.isfinite(epsilons[0]) else ""
    return f"{constants}at {at}T {'up to' if quantity == LOG else '='} {_span(horizons, ',d')}"


def _span(values: list[Any], code: str) -> str:
    ends = dict.fromkeys((min(values), max(values)))
    return " to ".join(format(value, code) for value in ends)


_RATES = {claim.claim: claim.facts for claim in claims_of("contextual") if "claimed" in claim.facts}
rules.words |= {name: partial(_run_at, stated=stated) for name, stated in _RATES.items()}


def _bound(study: Study, row: str) -> list[Ruling]:
    """Measured regret against the derived bound, where it comes nearest to one that is below uniform play."""
    frame = study.finals
    rows = frame[(frame["row"] == row) & (frame["reading"] == "printed") & (frame["bound"] < frame["uniform"])]
    if rows.empty:
        return []
    nearest = rows.loc[(rows["low"] / rows["bound"]).idxmax()]
    seen = Interval(nearest["measured"], nearest["low"], nearest["high"])
    return [UpperBound(nearest["bound"], uniform=nearest["uniform"])(seen)]


# --- Table 1 and what rests on it


@rules("rate")
def _rate(study: Study, claim: Claim) -> Ruling:
    return rate(study, claim.facts)


@rules("not-run")
def _not_run(study: Study, claim: Claim) -> Ruling:
    return NotRun(claim.facts["not_run"])()


@rules("mab-both-worlds", "two-points-optimal", "two-points-tuned")
def _rates(study: Study, claim: Claim) -> Ruling:
    return all_of(*(rate(study, stated) for stated in claim.facts["rates"]))


def _row(study: Study, row: str, parts: Mapping[str, Ruling]) -> Ruling:
    """A row of Table 1 as one ruling: both exponents, and the derived bound."""
    own = [parts[f"table-1-{slug(row)}-{part}"] for part in ("horizon", "epsilon")]
    return all_of(*own, *_bound(study, row))


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
        difference = study.lowered(variant)
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


@rules.combining("contribution-improves")
def _improves(study: Study, claim: Claim, parts: dict[str, Ruling]) -> Ruling:
    """A rate below T^(3/4) is no comparison: that takes plain gradient descent on the same losses and seeds."""
    return all_of(NotRun(claim.facts["against"])(), *parts.values())


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


@rules("printed-radius")
def _covers(study: Study, claim: Claim) -> Ruling:
    """Whether the printed radius covers what its ellipsoids need."""
    share = min(
        facts.radius_share(study.dims[0], 10**power, epsilon, study.delta, ALPHA)
        for epsilon in _SMALL
        for power in _DECADES
    )
    return claim.holds(share >= 1.0, share, share=share, least=_SMALL[0], most=_SMALL[-1])


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


@rules("conjecture")
def _conjecture(study: Study, claim: Claim) -> Ruling:
    seen = study.exponent(LINEAR, HORIZON, OURS[LINEAR])
    here = "" if seen is None else f"; T^{seen.measured:.2f} is measured here at epsilon = {sweeps.LEARNT_EPSILON:g}"
    return NotTestable(claim.facts["reason"].format(here=here))()
