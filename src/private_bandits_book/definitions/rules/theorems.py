"""The bounds: Theorems 1-4, Table 1. The corollaries and Table 2 rest on them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from private_bandits.estimates import Interval, fit_exponent, mean_interval
from private_bandits.papers.definitions import bounds, replacements
from private_bandits_book.definitions import discussion, entries
from private_bandits_book.definitions.rules.common import GRID, GROWING, HORIZON, N_ARMS, SLACK, holds, rules
from private_bandits_book.definitions.study import LOCAL, LONG, Study, hardest
from private_bandits_book.rules import NOT_REPRODUCED, LowerBound, LowerRate, Ruling, all_of
from private_bandits_book.studies import Runs
from private_bandits_book.sweep import by_replication, fit_log

_LEAST = 1_000  # rounds before which no rate shows


def _unless_refuted(exact: Ruling, found: Ruling) -> Ruling:
    """A theorem that is proved stands unless a run lies below it; runs above it add nothing to a proof."""
    return all_of(exact, found) if found.verdict == NOT_REPRODUCED else exact


@rules.combining("theorem-1")
def _theorem_1(study: Study, claim: Any, parts: Mapping[str, Ruling]) -> Ruling:
    pairs = [(bounds.theorem_1(N_ARMS, HORIZON, e), replacements.local_minimax(N_ARMS, HORIZON, e)) for e in GRID]
    floor = replacements.minimax(N_ARMS, HORIZON)
    vacuous = min(e for e, (value, _) in zip(GRID, pairs, strict=True) if value <= floor)
    exact = holds(
        all(value <= other for value, other in pairs),
        "the value lies below a bound that holds for rewards in [0, 1] at every epsilon of the grid, though the proof "
        f"gives half of it; for epsilon >= {vacuous:g} it says no more than the non-private bound",
        max(value / other for value, other in pairs),
    )
    return _unless_refuted(exact, parts["theorem-1-runs"])


@rules("theorem-1-runs")
def _theorem_1_runs(study: Study, claim: Any) -> Ruling:
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
def _theorem_2(study: Study, claim: Any) -> Ruling:
    """No c(a) > 0 serves every epsilon <= a/2: the regret of DP-SE stays of order sqrt(T ln T) as epsilon falls."""
    largest = {e: _left_for_c(e) for e in (1e-2, 1e-3, 1e-4, 1e-5)}
    silent = [e for e in GRID if math.isnan(bounds.lambert_choice(e))]
    falling = list(largest.values())
    return holds(
        falling[-1] >= falling[0] / 10,
        "DP-SE at eps/2 is eps-instantaneous (Lemma 2), and its guarantee leaves for c(a) at most "
        + ", ".join(f"{value:.3g} at eps = {e:g}" for e, value in largest.items())
        + f": no constant serves every eps <= a/2. The gap that the proof picks is not real for eps <= {max(silent):g} "
        f"at a = 2 eps, and at a = 1 not for eps < {bounds.range_2(1.0)[0]:.2g}; where it is real, the bound without "
        "privacy gives the statement",
        falling[-1],
    )


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
def _theorem_3(study: Study, claim: Any) -> Ruling:
    shares = {e: bounds.theorem_3(N_ARMS, HORIZON, e) / HORIZON for e in GRID}
    above = [e for e, share in shares.items() if share > 1]
    proof = max(bounds.theorem_3(N_ARMS, HORIZON, e, "proof") for e in GRID) / replacements.minimax(N_ARMS, HORIZON)
    most = max(shares.values())
    return holds(
        not above,
        f"at T = 10^8 and c = 0 it exceeds T, which no regret does, for epsilon <= {max(above, default=0):g}, "
        f"by {most:.3g} at most, and any fixed c only moves this epsilon; the line of the "
        f"proof before it is at most {proof:.3g} of the non-private bound",
        most,
    )


@rules.combining("theorem-4")
def _theorem_4(study: Study, claim: Any, parts: Mapping[str, Ruling]) -> Ruling:
    four = [bounds.theorem_4(LONG.means, 3, e) / replacements.local_lower(LONG.means, 3, e) for e in GRID]
    exact = holds(
        max(four) <= 1,
        f"the constant is at most {max(four):.3g} of the exact one for Bernoulli arms, {min(four):.1g} at "
        f"epsilon {GRID[-1]:g}",
        max(four),
    )
    return _unless_refuted(exact, parts["theorem-4-runs"])


@rules("theorem-4-runs")
def _theorem_4_runs(study: Study, claim: Any) -> Ruling:
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
def _table_1(study: Study, claim: Any) -> Ruling:
    two = entries.table_2(LONG.means, HORIZON, GRID)
    wrong = two[~two["agrees"]]
    span = f"{wrong['low'].min():.2g} to {wrong['high'].max():.2g}" if len(wrong) else "one number"
    return holds(
        wrong.empty,
        f"{len(two) - len(wrong)} of {len(two)} entries are their result's bound up to a constant; those of "
        f"{', '.join(wrong['result']) or 'none'} are {span} times it as epsilon varies, at the B = 1/epsilon that "
        "fits the proof",
        float(len(two) - len(wrong)),
    )
