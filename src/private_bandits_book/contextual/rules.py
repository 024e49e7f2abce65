"""The rules that judge the claims of Zheng et al. (2020) by what was measured; the claims are in `claims.toml`.

Table 1 states orders, so most claims are rates: an upper bound of order O(...) asks for exponents at most as large. A
fitted exponent speaks of the instances and the variant it was fitted on; one that was not measured leaves its claim
undecided. Bounds with constants are ours, derived, and decide something only below uniform play.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd

from private_bandits.estimates import Interval
from private_bandits.papers.contextual import bounds
from private_bandits_book.contextual import facts
from private_bandits_book.contextual.exact_rules import rules
from private_bandits_book.contextual.study import Study
from private_bandits_book.contextual.sweeps import LINE, context_sweeps
from private_bandits_book.contextual.table_1 import LINEAR, LOGISTIC, ONE_POINT, OURS, ROWS, TWO_POINTS, slug
from private_bandits_book.ledger import Claim
from private_bandits_book.rules import Less, NotTestable, Ruling, UpperBound, UpperRate, after_repair, all_of, rests_on
from private_bandits_book.sweep import EPSILON, HORIZON, LOG

__all__ = ["rules"]

SLACK = {HORIZON: 0.1, LOG: 0.35, EPSILON: 0.15}  # what a fitted exponent may miss by at finite horizons
_ROOT = ((HORIZON, 0.5), (EPSILON, 1.0))  # the powers of sqrt T/epsilon
_SMALL = (0.1, 0.5, 1.0)  # where T^(3/4)/epsilon covers T^(3/4)/sqrt epsilon
_DECADES = range(1, 21)  # of T at which the printed radius is held against what it has to cover
ALPHA = 0.1  # with which the ellipsoids may fail


def _measured_at(study: Study, row: str, part: str) -> str:
    """The variant of a contextual row with constants of ours, and at which epsilon it is measured."""
    quantity, _, variant = ROWS[row].claims[part]
    (sweep,) = [
        sweep
        for key, sweep in context_sweeps()
        if (key, sweep.quantity, sweep.labels["dim"], sweep.labels["reading"]) == (row, quantity, 2, variant)
        and sweep.bound is not None
    ]
    epsilons = sweep.values if quantity == EPSILON else [sweep.run(sweep.values[0])[0].labels["epsilon"]]
    span = " to ".join(f"{epsilon:g}" for epsilon in dict.fromkeys((min(epsilons), max(epsilons))))
    return f"{variant}, at nominal epsilon = {span}"


rules.words |= {
    f"{name}_{part}": partial(_measured_at, row=row, part=part)
    for name, row in (("linear", LINEAR), ("logistic", LOGISTIC))
    for part in ("horizon", "epsilon")
}


def rate(study: Study, row: str, quantity: str, power: float, variant: str) -> Ruling:
    """Whether a measured exponent keeps the claimed power, with the logarithms of the derived bound at the same points.

    What the bound has above the claimed power at finite horizons are its logarithms, which the orders leave out.
    """
    found = study.fit(row, quantity, variant)
    logs = 0.0 if found.of_bound is None else max(round(found.of_bound.measured - power, 4), 0.0)
    return UpperRate(power, tolerance=SLACK[quantity], logs=logs)(found.fit)


def _strict(study: Study, row: str, variant: str) -> Ruling:
    """Whether the powers are those of sqrt T/epsilon, whatever the derived bound has."""
    powers = [(power, SLACK[quantity], study.exponent(row, quantity, variant)) for quantity, power in _ROOT]
    return all_of(*(UpperRate(power, tolerance=slack)(seen) for power, slack, seen in powers))


def _bound(study: Study, row: str, variant: str) -> list[Ruling]:
    """Measured regret against the derived bound, where it comes nearest to one that is below uniform play."""
    frame = study.finals
    rows = frame[(frame["row"] == row) & (frame["reading"] == variant) & (frame["bound"] < frame["uniform"])]
    if rows.empty:
        return []
    nearest = rows.loc[(rows["low"] / rows["bound"]).idxmax()]
    seen = Interval(nearest["measured"], nearest["low"], nearest["high"])
    return [UpperBound(nearest["bound"], uniform=nearest["uniform"])(seen)]


# --- Table 1 and what rests on it


@rules(*(f"table-1-{slug(row)}-{part}" for row in ROWS for part in ("horizon", "epsilon", "non-private")))
def _table_1(study: Study, claim: Claim) -> Ruling:
    row = claim.facts["row"]
    return rate(study, row, *ROWS[row].claims[claim.facts["part"]])


def _row(study: Study, row: str, parts: Mapping[str, Ruling]) -> Ruling:
    """A row of Table 1 as one ruling: both exponents, and the derived bound."""
    own = [parts[f"table-1-{slug(row)}-{part}"] for part in ("horizon", "epsilon")]
    return all_of(*own, *_bound(study, row, ROWS[row].variants[0]))


@rules.combining("corollary-4-smooth", "corollary-4-strong", "theorem-6-convex", "theorem-6-strong")
def _one_row(study: Study, claim: Claim, parts: dict[str, Ruling]) -> Ruling:
    return _row(study, claim.facts["row"], parts)


@rules.combining("theorem-3")
def _theorem_3(study: Study, claim: Claim, parts: dict[str, Ruling]) -> Ruling:
    return rests_on({row: _row(study, row, parts) for row in ONE_POINT})


@rules("corollary-4-stochastic")
def _stochastic(study: Study, claim: Claim) -> Ruling:
    rates = [rate(study, LINE, quantity, power, "laplace") for quantity, power in _ROOT]
    return all_of(*rates, *_bound(study, LINE, "laplace"))


@rules("laplace-regret")
def _laplace_regret(study: Study, claim: Claim) -> Ruling:
    powers = {row: ROWS[row].power for row in (ONE_POINT[1], ONE_POINT[3])} | {LINE: 0.5}
    return rests_on({row: rate(study, row, HORIZON, power, "laplace") for row, power in powers.items()})


@rules("two-points-optimal")
def _optimal(study: Study, claim: Claim) -> Ruling:
    return after_repair(*(_strict(study, TWO_POINTS[0], variant) for variant in ("printed", "tuned")))


@rules("two-points-differ")
def _differ(study: Study, claim: Claim) -> Ruling:
    rulings = []
    for variant, words in (("printed", "private"), ("no privacy", "without privacy")):
        two, one = (study.exponent(row, HORIZON, variant) for row in (TWO_POINTS[0], ONE_POINT[0]))
        difference = None
        if two is not None and one is not None:
            difference = Interval(two.measured - one.measured, two.low - one.high, two.high - one.low)
        rulings.append(Less(f"power of T, {words}, with two points", "with one")(difference))
    return all_of(*rulings)


@rules("mab-both-worlds")
def _both_worlds(study: Study, claim: Claim) -> Ruling:
    return all_of(*(rate(study, *each) for each in claim.facts["rates"]))


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
    undecided = row["wrong_low"] <= row["failure"] < row["wrong_high"]
    held = None if undecided else bool(row["wrong_high"] <= row["failure"])
    return claim.holds(held, row["wrong"] / row["replications"], row=row)


# --- Algorithms 3 and 5


@rules("theorem-8", "theorem-10")
def _contextual(study: Study, claim: Claim) -> Ruling:
    eighth = claim.claim == "theorem-8"
    found = facts.bound_powers(bounds.theorem_8 if eighth else bounds.theorem_10, "printed", study.delta)
    claimed = ((HORIZON, 0.75), (EPSILON, 1.0))
    rates = [
        UpperRate(most, tolerance=SLACK[quantity])(power)
        for (quantity, most), power in zip(claimed, found, strict=True)
    ]
    return all_of(*([_covers(study, claim)] if eighth else []), *rates)


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
    return after_repair(*(_locks_in(claim, study.stuck, variant) for variant in ("printed", OURS[LINEAR])))


def _locks_in(claim: Claim, frame: pd.DataFrame, variant: str) -> Ruling:
    """Whether more than alpha of the runs without noise are on a wrong action from the start to the horizon."""
    rows, plain = (frame[frame["reading"] == which] for which in (variant, ""))
    if rows.empty or plain.empty or float(plain["high"].iloc[0]) > ALPHA:  # too few rounds or runs to tell
        return claim.holds(None)
    row = rows.iloc[0]
    holds = True if row["high"] <= ALPHA else (False if row["low"] > ALPHA else None)
    return claim.holds(holds, row["locked"], row=row, alpha=ALPHA)


@rules("conjecture")
def _conjecture(study: Study, claim: Claim) -> Ruling:
    seen = study.exponent(LINEAR, HORIZON, OURS[LINEAR])
    here = "" if seen is None else f"; T^{seen.measured:.2f} [{seen.low:.2f}, {seen.high:.2f}] is measured here"
    return NotTestable(claim.facts["reason"].format(here=here))()
