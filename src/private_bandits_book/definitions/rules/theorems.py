"""The bounds: Theorems 1-4, Table 1. The corollaries and Table 2 rest on them."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from scipy.optimize import brentq
from scipy.special import lambertw

from private_bandits import checks
from private_bandits.estimates import Interval, fit_exponent, mean_interval
from private_bandits.papers.definitions import bounds, replacements
from private_bandits_book.definitions import discussion, entries
from private_bandits_book.definitions.rules.common import GRID, GROWING, HORIZON, N_ARMS, SLACK, rules
from private_bandits_book.definitions.study import LOCAL, LONG, Study, hardest
from private_bandits_book.ledger import Claim
from private_bandits_book.rules import NOT_REPRODUCED, LowerBound, LowerRate, Ruling, all_of
from private_bandits_book.studies import Runs
from private_bandits_book.sweep import by_replication, fit_log

_LEAST = 1_000  # rounds before which no rate shows


def _unless_refuted(exact: Ruling, found: Ruling) -> Ruling:
    """A theorem that is proved stands unless a run lies below it; runs above it add nothing to a proof."""
    return all_of(exact, found) if found.verdict == NOT_REPRODUCED else exact


@rules.combining("theorem-1")
def _theorem_1(study: Study, claim: Claim, parts: Mapping[str, Ruling]) -> Ruling:
    pairs = [(bounds.theorem_1(N_ARMS, HORIZON, e), replacements.local_minimax(N_ARMS, HORIZON, e)) for e in GRID]
    floor = replacements.minimax(N_ARMS, HORIZON)
    vacuous = min(e for e, (value, _) in zip(GRID, pairs, strict=True) if value <= floor)
    share = max(value / other for value, other in pairs)
    exact = claim.holds(all(value <= other for value, other in pairs), share, vacuous=vacuous)
    return _unless_refuted(exact, parts["theorem-1-runs"])


@rules("theorem-1-runs")
def _theorem_1_runs(study: Study, claim: Claim) -> Ruling:
    """The local algorithm nearest to Theorem 1 on its hardest instance, where the theorem binds if it does anywhere."""
    game = study.n_arms, study.horizon
    runs = Runs(run for run in study.hardest if run.name in LOCAL and math.isfinite(run.epsilon))
    printed, floor = {e: bounds.theorem_1(*game, e) for e in study.epsilons}, replacements.minimax(*game)
    binding = [epsilon for epsilon, bound in printed.items() if bound > floor] or [min(printed)]
    worst = [run for run in hardest(runs) if run.epsilon in binding]
    nearest = min(worst, key=lambda run: run.final.mean() / printed[run.epsilon])
    same = runs.select(nearest.name, epsilon=nearest.epsilon)
    return all_of(
        LowerBound(printed[nearest.epsilon], floor=floor)(mean_interval(nearest.final)),
        LowerRate(0.5, tolerance=SLACK)(_envelope_exponent(same)),
    )


def _envelope_exponent(runs: Runs) -> Interval | None:
    """The exponent in t of the largest mean regret over the gaps, over the last decade; None where there is none."""
    t = np.asarray(runs[0].data.t.values, float)
    last = np.flatnonzero(t >= t[-1] / 10)
    curves = np.array([run.curves for run in runs])
    worst = np.argmax(curves.mean(axis=1), axis=0)
    samples = np.array([curves[worst[at], :, at] for at in last]).T
    if len(last) < 3 or t[-1] < _LEAST or not (samples > 0).all():
        return None
    return fit_exponent(t[last], samples)


@rules("theorem-2")
def _theorem_2(study: Study, claim: Claim) -> Ruling:
    """No c(a) > 0 serves every epsilon <= a/2: the regret of DP-SE stays of order sqrt(T ln T) as epsilon falls."""
    largest = {e: _left_for_c(e) for e in (1e-2, 1e-3, 1e-4, 1e-5)}
    silent = [e for e in GRID if math.isnan(bounds.lambert_choice(e))]
    falling, left = list(largest.values()), ", ".join(f"{value:.3g} at eps = {e:g}" for e, value in largest.items())
    held, real = falling[-1] >= falling[0] / 10, range_2(1.0)[0]
    return claim.holds(held, falling[-1], left=left, silent=max(silent), real=real)


def range_2(a: float) -> tuple[float, float]:
    """The epsilons, at most a/2, at which the proof of Theorem 2 has a real gap.

    Parameters
    ----------
    a : float
        The level of the statement, in (0, 300].

    Returns
    -------
    (float, float)
        Smallest and largest; (nan, nan) if there is none.

    Raises
    ------
    ValueError
        If a is out of range.
    """
    offset = bounds.spurious_term(checks.real("a", a, above=0, at_most=300))
    if offset < 2.0:
        return math.nan, math.nan
    low, high = (float(-lambertw(-math.exp(1.0 - offset), k).real) for k in (0, -1))
    bottom = _level_of(low) if low > 0 else 0.0
    top = a / 2.0 if bounds.spurious_term(a / 2.0) <= high else _level_of(high)
    return (bottom, top) if bottom <= top else (math.nan, math.nan)


def _level_of(extra: float) -> float:
    """The epsilon at which `spurious_term` is `extra`."""
    target = math.log(extra)
    return math.exp(brentq(lambda log: math.log(bounds.spurious_term(math.exp(log))) - target, -354.0, 5.85))


def _left_for_c(epsilon: float) -> float:
    """The guarantee of DP-SE at epsilon/2 over the entry of Table 1, the least over T at which both say something."""
    extra = bounds.spurious_term(epsilon)
    left = []
    for horizon in (10**k for k in range(2, 17)):
        guarantee = discussion.dp_se_minimax(N_ARMS, horizon, epsilon / 2)
        if horizon >= 2 * (N_ARMS - 1) / extra and guarantee < horizon:
            left.append(guarantee / math.sqrt((N_ARMS - 1) * horizon / extra))
    return min(left)


@rules("theorem-3")
def _theorem_3(study: Study, claim: Claim) -> Ruling:
    shares = {e: bounds.theorem_3(N_ARMS, HORIZON, e) / HORIZON for e in GRID}
    above = [e for e, share in shares.items() if share > 1]
    proof = max(bounds.theorem_3(N_ARMS, HORIZON, e, "proof") for e in GRID) / replacements.minimax(N_ARMS, HORIZON)
    most = max(shares.values())
    return claim.holds(not above, most, above=max(above, default=0), most=most, proof=proof)


@rules.combining("theorem-4")
def _theorem_4(study: Study, claim: Claim, parts: Mapping[str, Ruling]) -> Ruling:
    four = [bounds.theorem_4(LONG.means, 3, e) / replacements.local_lower(LONG.means, 3, e) for e in GRID]
    exact = claim.holds(max(four) <= 1, max(four), most=max(four), least=min(four), epsilon=GRID[-1])
    return _unless_refuted(exact, parts["theorem-4-runs"])


@rules("theorem-4-runs")
def _theorem_4_runs(study: Study, claim: Claim) -> Ruling:
    """The local algorithm with the least regret in the longer study against Theorem 4, at the epsilon `GROWING`."""
    horizon = int(study.long["t"].max())
    bound, floor = bounds.theorem_4(LONG.means, horizon, GROWING), replacements.lai_robbins(LONG.means, horizon)
    rule = LowerBound(bound, floor=floor)
    at = study.long[study.long["epsilon"] == GROWING]
    runs = [by_replication(part, "t") for name, part in at.groupby("policy") if name in LOCAL]
    if not runs:
        return rule(None)
    t, least = min(runs, key=lambda run: float(run[1][:, -1].mean()))
    return all_of(rule(mean_interval(least[:, -1])), LowerRate(1.0, tolerance=SLACK)(fit_log(t, least)))


@rules("table-1")
def _table_1(study: Study, claim: Claim) -> Ruling:
    two = entries.table_2(LONG.means, HORIZON, GRID)
    wrong = two[~two["agrees"]]
    span = f"{wrong['low'].min():.2g} to {wrong['high'].max():.2g}" if len(wrong) else "one number"
    right, names = len(two) - len(wrong), ", ".join(wrong["result"]) or "none"
    return claim.holds(wrong.empty, right, right=right, entries=len(two), wrong=names, span=span)
