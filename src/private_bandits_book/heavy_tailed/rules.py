"""The rules of the heavy-tailed chapter's claims.

What is claimed of every algorithm, a lower bound, is decided by the bounds that are derived here (`orders`): that an
algorithm of ours loses much says nothing of others. So is an upper bound on LDP Robust SE, for which the slides show no
algorithm: a lower bound on every local algorithm can refute it, one of ours cannot. Upper bounds on the slides'
algorithms are asked of both, of the bound that the algorithm's constants give and of its runs, on the instance of the
lower bounds (`rates`).
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from private_bandits.estimates import Interval, difference_interval, mean_interval
from private_bandits.papers.heavy_tailed import bounds
from private_bandits_book.heavy_tailed import orders, rates
from private_bandits_book.heavy_tailed.comparisons import LEARNT, fluid_margin
from private_bandits_book.heavy_tailed.study import PRINTED, RUNS, Study, last
from private_bandits_book.ledger import Claim, Rulebook
from private_bandits_book.rules import (
    NOT_REPRODUCED,
    REPRODUCED,
    Holds,
    Less,
    Privacy,
    Ruling,
    UpperRate,
    after_repair,
    all_of,
)
from private_bandits_book.sweep import LOG

SLACK = 0.1  # what a fitted exponent in 1/gap, 1/epsilon, T or u may miss by at finite horizons
LOG_SLACK = 0.02  # the same in ln T, beside the slope that the algorithm's own logarithm has over the same horizons
_HEAVY, _BOUNDED = "table-heavytailed", "table-bounded"

rules = Rulebook(rounds=lambda study: f"{study.horizon:.3g}".replace("e+", "e"))


@rules("privacy-dp-robust-ucb", "privacy-dp-robust-se", "privacy-ldp-robust-se")
def _noise_pays(study: Study, claim: Claim) -> Ruling:
    epsilon = 1.0
    paid = study.policies(study.vs[0], epsilon)[claim.facts["policy"]].privacy  # computed from the noise of the record
    return Privacy(epsilon)(paid.effective_epsilon, paid.effective_delta or 0.0)


# --- orders: bounds with constants, and exponents


@rules(
    "discussion-non-private-rate",
    "discussion-additional-factor",
    "theorem-dp-lower",
    "theorem-ldp-lower-dependent",
    "theorem-ldp-lower-independent",
    f"{_HEAVY}-dependent-dp-lower",
    f"{_HEAVY}-dependent-ldp-lower",
    f"{_HEAVY}-independent-ldp-lower",
)
def _derived(study: Study, claim: Claim, names: str = "orders") -> Ruling:
    return all_of(*(_order(name, v) for v in study.vs for name in claim.facts[names]))


def _order(name: str, *arguments: float, **named: bool) -> Ruling:
    """What a function of `orders` rules; undecided at a v so small that a bound is no double."""
    try:
        with np.errstate(over="raise", divide="raise", invalid="raise"):
            return orders.ORDERS[name](*arguments, **named)
    except ArithmeticError:
        return Holds()(None)


@rules("theorem-dp-robust-ucb")
def _radius_and_order(study: Study, claim: Claim) -> Ruling:
    covered = study.confidence[study.confidence["policy"] == rates.UCB].query("value == 18.0 and epsilon <= 1.0")
    proven, cases = int(covered["proven"].sum()), len(covered)
    return all_of(claim.holds(proven == cases if cases else None, proven=proven, cases=cases), _derived(study, claim))


@rules(f"{_HEAVY}-dependent-dp-upper", f"{_HEAVY}-independent-dp-upper")
def _order_and_runs(study: Study, claim: Claim) -> Ruling:
    parts = []
    for v in study.vs:
        parts += [_order(name, v) for name in claim.facts["orders"]]
        parts.append(_measured(study, claim, v))
        if claim.claim == "theorem-dp-upper-dependent":
            parts.append(_below_its_bound(study, claim, v))
    return all_of(*parts)


@rules("theorem-dp-upper-dependent", "theorem-dp-upper-independent")
def _repaired(study: Study, claim: Claim) -> Ruling:
    """Print and repair differ in the power of u alone: as printed it also asks for the rest."""
    power, rest = _derived(study, claim, "printed"), _order_and_runs(study, claim)
    return after_repair(power, rest) if power.verdict == NOT_REPRODUCED else all_of(power, rest)


@rules(
    "theorem-ldp-upper-dependent",
    "theorem-ldp-upper-independent",
    f"{_HEAVY}-dependent-ldp-upper",
    f"{_HEAVY}-independent-ldp-upper",
)
def _of_any_algorithm(study: Study, claim: Claim) -> Ruling:
    """An upper bound on an algorithm that is not shown: refuted for all of them, shown by one of ours, or open."""
    general, ours = _derived(study, claim), all_of(*(_measured(study, claim, v) for v in study.vs))
    if general.verdict == NOT_REPRODUCED:
        return general
    return all_of(general, ours if ours.verdict == REPRODUCED else Holds()(None))


@rules(*(f"{_BOUNDED}-{kind}-{model}-lower" for kind in ("dependent", "independent") for model in ("dp", "ldp")))
def _bounded_lower(study: Study, claim: Claim) -> Ruling:
    return _order(claim.facts["order"], local=claim.facts["local"])


@rules(*(f"{_BOUNDED}-{kind}-{model}-upper" for kind in ("dependent", "independent") for model in ("dp", "ldp")))
def _measured(study: Study, claim: Claim, v: float = math.nan) -> Ruling:
    """Whether a policy's exponents are at most those claimed, each allowed what a fit misses by."""
    name, parts, words = claim.facts["policy"], [], []
    for quantity in claim.facts["exponents"]:
        seen, slack = study.rate(name, quantity, v), SLACK
        rate = rates.claimed(name, quantity, v, printed=claim.facts.get("as_printed", False))
        if quantity == LOG:
            rate, slack = rate * rates.log_slope(study.horizon, seen.points), LOG_SLACK
        parts.append(UpperRate(rate, tolerance=slack)(seen.fit))
        words.append(f"({quantity}) {math.nan if seen.fit is None else seen.fit.measured:.3g} for {rate:.3g}")
    found = all_of(*parts)
    holds = {REPRODUCED: True, NOT_REPRODUCED: False}.get(found.verdict)
    where = name if math.isnan(v) else f"v={v:g}"
    return Holds()(holds, f"{where}: exponents {', '.join(words)}", found.measurement)


def _below_its_bound(study: Study, claim: Claim, v: float) -> Ruling:
    """Runs of DP Robust SE against its bound with constants, at the smallest settled gap where it is not vacuous."""
    horizon, arms = study.length, rates.N_ARMS
    for gap, regret in reversed(study.points.get((rates.DP, v), {}).items()):
        mass = gap ** ((1.0 + v) / v)
        means, unit = [mass, *[0.0] * (arms - 1)], mass ** (-1.0 / (1.0 + v))
        bound = unit * bounds.dp_upper(means, 1.0, v, mass, horizon, 1.0 / horizon, variant="corrected")
        if bound < gap * (arms - 1) / arms * horizon:
            seen = mean_interval(regret)
            return claim.holds(seen.low <= bound, v=v, regret=seen.measured, bound=bound)
    return claim.holds(None)


# --- panels


@rules(*(f"figure-dp-setting-{number}{letter}" for number in (1, 2, 3) for letter in "abcd"))
def _below(study: Study, claim: Claim) -> Ruling:
    """Whether SE ends below UCB; undecided where neither has learnt. A fluid value is as wide as its bias."""
    rule, panel = Less("SE's share of uniform play", "UCB's"), study.central.get(tuple(claim.facts["panel"]))
    if panel is None:
        return rule(None)
    uniform, mine = panel.final("uniform"), panel.find(rates.DP, PRINTED)
    other = last(panel, rates.UCB, PRINTED)
    if min(mine.final.mean(), other.final.mean()) > LEARNT * uniform:
        return rule(None)
    if other.swept["kind"] == RUNS:
        return rule(_over(uniform, difference_interval(mine.final, other.final)))
    error = fluid_margin(study.learnt)
    if math.isnan(error):
        return rule(None)
    seen, value = mean_interval(mine.final), float(other.final[0])
    margin = error * value
    difference = Interval(seen.measured - value, seen.low - value - margin, seen.high - value + margin)
    return rule(_over(uniform, difference))


@rules("figure-ldp-a", "figure-ldp-b")
def _learns(study: Study, claim: Claim) -> Ruling:
    """Every epsilon ends below half of uniform play, a larger one below a smaller, and the means keep their bound."""
    v = claim.facts["v"]
    if v not in study.local:
        return claim.holds(None)
    panel, uniform = study.local[v], study.local[v].final("uniform")
    runs = sorted(panel.select(variant=PRINTED), key=lambda run: run.epsilon)
    if any(np.all(np.abs(run.final / uniform - 1.0) < 1e-6) for run in runs):  # no run has finished an epoch
        return claim.holds(None)
    parts = []
    for run in runs:
        seen = mean_interval(run.final / uniform)
        below = Interval(*(end - LEARNT for end in seen[:3]))
        parts.append(Less(f"share at epsilon {run.epsilon:g}", f"{LEARNT:g}")(below))
    for small, large in itertools.pairwise(runs):
        difference = _over(uniform, difference_interval(large.final, small.final))
        parts.append(Less(f"at epsilon {large.epsilon:g}", f"{small.epsilon:g}")(difference))
    known = study.local_confidence[study.local_confidence["policy"] == rates.LDP]
    means = known.query("v == @v and value == 24.0 and draws > 0")
    beyond, draws = int(means["beyond"].sum()), int(means["draws"].sum())
    return all_of(*parts, claim.holds(beyond == 0 if draws else None, beyond=beyond, draws=draws))


def _over(uniform: float, value: Interval) -> Interval:
    return Interval(*(end / uniform for end in value[:3]))
