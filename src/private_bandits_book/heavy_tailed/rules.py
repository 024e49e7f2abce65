"""The rules of the heavy-tailed chapter's claims.

What is claimed of every algorithm, a lower bound, is decided by the bounds that are derived here (`orders`): that an
algorithm of ours loses much says nothing of others. So is an upper bound on LDP Robust SE, for which the slides show no
algorithm: a lower bound on every local algorithm can refute it, one of ours cannot reproduce it; what ours reaches is a
claim of this book. An upper bound on an elimination is that of its schedule, which `orders` adds up with its constants:
its runs could only break it. Where runs decide, the nearest wrong power is the next one, of 1/gap and 1/epsilon, and
of T at the worst gap 3/4, the local rate of rewards with a variance.
"""

import itertools
from typing import Any

import numpy as np

from private_bandits import baselines
from private_bandits.estimates import Interval, difference_interval, mean_interval
from private_bandits.papers.heavy_tailed import bounds
from private_bandits_book.heavy_tailed import comparisons, orders, rates
from private_bandits_book.heavy_tailed.study import EVEN, PRINTED, Study
from private_bandits_book.ledger import Claim, Rulebook
from private_bandits_book.rules import Holds, Less, NotRun, Privacy, Ruling, after_repair, all_of
from private_bandits_book.studies import key
from private_bandits_book.sweep import LEARNT
from private_bandits_book.verdicts import DERIVED, NOT_REPRODUCED

_PLAYED = {
    key(policy): policy for policy in (baselines.ldp_ucb_response(1.0), baselines.adap_ucb(1.0))
}  # where runs decide

rules = Rulebook(rounds=lambda study: _rounds(study.horizon))


def _rounds(rounds: float) -> str:
    return f"{rounds:.3g}".replace("e+", "e")


@rules("noise-pays")
def _noise_pays(study: Study, claim: Claim) -> Ruling:
    """What the noise of the record pays, of a record whose noise was set for that."""
    epsilon = 1.0
    policy = study.policies(study.vs[0], epsilon)[claim.facts["key"]]
    paid = policy.privacy
    return Privacy(epsilon, evidence=claim.evidence)(paid.effective_epsilon, paid.effective_delta or 0.0).of(policy)


# --- orders: bounds with constants, and exponents


@rules("derived")
def _derived(study: Study, claim: Claim, names: str = "orders") -> Ruling:
    named = claim.facts.get("arguments", {})
    return all_of(*(_order(name, v, **named) for v in study.vs for name in claim.facts[names]))


def _order(name: str, *arguments: float, **named: Any) -> Ruling:
    """What a function of `orders` rules; undecided at a v so small that a bound is no double."""
    try:
        with np.errstate(over="raise", divide="raise", invalid="raise"):
            return getattr(orders, name)(*arguments, **named)
    except ArithmeticError:
        return Holds(DERIVED)(None)


@rules("theorem-dp-robust-ucb")
def _radius_and_order(study: Study, claim: Claim) -> Ruling:
    covered = study.confidence[study.confidence["key"] == rates.UCB].query("value == 18.0 and epsilon <= 1.0")
    proven, cases = int(covered["proven"].sum()), len(covered)
    return all_of(claim.holds(proven == cases if cases else None, proven=proven, cases=cases), _derived(study, claim))


@rules("theorem-dp-upper-dependent", "theorem-dp-upper-independent")
def _repaired(study: Study, claim: Claim) -> Ruling:
    """Print and repair differ in the power of u alone: as printed it also asks for the rest."""
    power, rest = _derived(study, claim, "printed"), _derived(study, claim)
    if claim.claim == "theorem-dp-upper-dependent":
        rest = _below_its_bound(study, claim, rest)
    return after_repair(power, rest) if power.verdict == NOT_REPRODUCED else all_of(power, rest)


def _below_its_bound(study: Study, claim: Claim, derived: Ruling) -> Ruling:
    """Runs of DP Robust SE over its bound with constants, at the smallest settled gaps where it is not vacuous."""
    horizon, arms, shares = study.length, rates.N_ARMS, []
    for v in study.vs:
        for gap, regret in reversed(study.points.get((rates.DP, v), {}).items()):
            mass = gap ** ((1.0 + v) / v)
            means, unit = [mass, *[0.0] * (arms - 1)], mass ** (-1.0 / (1.0 + v))
            bound = unit * bounds.dp_upper(means, 1.0, v, mass, horizon, 1.0 / horizon, variant="corrected")
            if bound < gap * (arms - 1) / arms * horizon:
                shares.append(mean_interval(regret / bound).low)
                break
    return all_of(derived, claim.holds(max(shares) <= 1.0, share=max(shares))) if shares else derived


@rules("of-any-algorithm")
def _of_any_algorithm(study: Study, claim: Claim) -> Ruling:
    """An upper bound on an algorithm that is not shown: refuted for all of them, or open."""
    general = _derived(study, claim, "refuted_by")
    return general if general.verdict == NOT_REPRODUCED else NotRun("the slides show no algorithm to measure")()


@rules("of-bounded")
def _of_bounded(study: Study, claim: Claim) -> Ruling:
    return _order(claim.facts["order"], **claim.facts["arguments"])


@rules("measured")
def _measured(study: Study, claim: Claim) -> Ruling:
    """Whether a policy's exponents are at most those claimed, and below the next."""
    name, parts = claim.facts["key"], []
    for quantity, claimed in claim.facts["powers"].items():
        fit, wrong = study.rate(name, quantity), claim.facts["alternatives"][quantity]
        if not any(fit is one for one in study.exponents):
            raise LookupError(f"the study must fit an exponent of {rates.NAMES[name]} in {quantity}")
        parts.append(fit.ruling(*(rates.form(quantity, exponent) for exponent in (claimed, wrong))))
    return all_of(*parts).of(_PLAYED[name])


# --- panels


@rules("figure-dp-settings")
def _below(study: Study, claim: Claim) -> Ruling:
    """Whether SE ends below UCB in every panel, at every shape and horizon at which one of the two has learnt."""
    cases = (panel for panels in study.judged.values() for panel in panels.values())
    parts = [comparisons.below(panel) for panel in cases if comparisons.has_learnt(panel)]
    # the closest first, as it says most
    parts.sort(key=lambda ruling: -ruling.measurement.measured)
    return all_of(*parts) if parts else Less("SE's share of uniform play", "UCB's")(None)


@rules("learns")
def _learns(study: Study, claim: Claim) -> Ruling:
    """Every epsilon ends below half of uniform play, a larger one below a smaller, and the means keep their bound."""
    v = claim.facts["v"]
    if v not in study.local:
        return claim.holds(None)
    panel, uniform = study.local[v], study.local[v].final(EVEN)
    runs = sorted(panel.select(variant=PRINTED), key=lambda run: run.epsilon)
    if any(np.all(np.abs(run.final / uniform - 1.0) < 1e-6) for run in runs):  # no run has finished an epoch
        return claim.holds(None)
    parts = []
    for run in runs:
        seen = mean_interval(run.final / uniform)
        below = Interval(*(end - LEARNT for end in seen[:3]))
        parts.append(Less(f"share of uniform play at epsilon {run.epsilon:g}", "one half")(below))
    for small, large in itertools.pairwise(runs):
        difference = difference_interval(large.final / uniform, small.final / uniform)
        parts.append(Less(f"at epsilon {large.epsilon:g}", f"at {small.epsilon:g}")(difference))
    known = study.local_confidence[study.local_confidence["key"] == rates.LDP]
    means = known.query("v == @v and value == 24.0 and draws > 0")
    beyond, draws = int(means["beyond"].sum()), int(means["draws"].sum())
    kept = claim.holds(beyond == 0 if draws else None, beyond=beyond, draws=draws)
    return all_of(*parts, kept).of(*(run.policy for run in runs))
