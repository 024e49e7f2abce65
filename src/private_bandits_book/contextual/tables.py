"""The tables of the chapter."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from private_bandits.estimates import Interval
from private_bandits.mechanisms import gaussian_sigma
from private_bandits.papers.contextual import accounting, bounds, tunings
from private_bandits.papers.contextual.algorithm_1 import one_point
from private_bandits.papers.contextual.algorithm_2 import two_point
from private_bandits.papers.contextual.algorithm_3 import ldp_glm
from private_bandits.papers.contextual.algorithm_5 import ldp_linucb
from private_bandits.papers.contextual.instances import convex, stochastic_arms
from private_bandits.problems import ConvexLoss
from private_bandits_book.contextual import linear_rates
from private_bandits_book.contextual.claims import measured, measured_plain
from private_bandits_book.contextual.convex_study import ONE_POINT, SWEEP, TWO_POINTS
from private_bandits_book.contextual.evidence import Evidence
from private_bandits_book.contextual.linear_study import unit_vectors
from private_bandits_book.contextual.summary import EPSILON, ROWS
from private_bandits_book.studies import Run

DERIVED_EPSILON = {
    "convex": 1 / 2,
    "convex, smooth": 2 / 3,
    "strongly convex": 2 / 3,
    "strongly convex, smooth": 1.0,
    "two points, convex": 2.0,
    "two points, strongly convex": 2.0,
    "linear": 1 / 2,
    "generalised linear": 1 / 2,
}
"""Powers of 1/epsilon in the bounds of the library, for small epsilon and large T, by the rows of Table 1."""


def messages(epsilon: float, delta: float) -> pd.DataFrame:
    """Return what a user of each algorithm sends, how far it can move, its share of the promise, and what it pays."""
    frames = []
    for name in ("Algorithm 1", "Algorithm 2"):
        ball = ConvexLoss.ball([[0.5, 0.0], [-0.5, 0.0]], kind="distance")
        first = name == "Algorithm 1"
        policy = one_point(ball, 1, epsilon, delta) if first else two_point(ball, 1, epsilon, delta)
        limit = ball.bound if first else ball.lipschitz
        sigma = gaussian_sigma(epsilon, delta, 2.0 * limit, method="classical")
        row = {
            "message": "f(x)" if first else "f(x1) - f(x2), of 2 rho",
            "sensitivity_printed": 2.0,
            "sensitivity": 2.0,
            "epsilon_share": epsilon,
            "delta_share": delta,
            "sigma": sigma / limit,
            "epsilon_paid": policy.privacy.effective_epsilon,
        }
        frames.append(pd.DataFrame([{"algorithm": name} | row]))
    for name, sent in (
        ("Algorithm 5, |y| <= 2", accounting.linucb_messages()),
        ("Algorithm 3, rewards 0 or 1", accounting.glm_messages("binary")),
        ("Algorithm 3, mean and noise", accounting.glm_messages("bounded")),
    ):
        frames.append(accounting.split(sent, epsilon, delta).assign(algorithm=name))
    return pd.concat(frames, ignore_index=True)


def paid(epsilons: Sequence[float], delta: float) -> pd.DataFrame:
    """Return what every algorithm pays, by the printed noise and others, a column for each nominal epsilon."""
    ball = ConvexLoss.ball([[0.5, 0.0], [-0.5, 0.0]], kind="distance")
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for epsilon in epsilons:
        for name, noise, policy in (
            ("Algorithm 1", "classical", one_point(ball, 1, epsilon, delta)),
            ("Algorithm 1", "analytic", one_point(ball, 1, epsilon, delta, method="analytic")),
            ("Algorithm 1", "Laplace", one_point(ball, 1, epsilon, noise="laplace")),
            ("Algorithm 2", "classical", two_point(ball, 1, epsilon, delta)),
            ("Algorithm 2", "analytic", two_point(ball, 1, epsilon, delta, method="analytic")),
            ("Algorithm 2", "Laplace", two_point(ball, 1, epsilon, noise="laplace")),
            ("Algorithm 5", "classical", ldp_linucb(epsilon, delta, 2, 1)),
            ("Algorithm 5", "analytic", ldp_linucb(epsilon, delta, 2, 1, "derived", "analytic")),
            ("Algorithm 3", "classical", ldp_glm(epsilon, delta, 2, 1)),
            ("Algorithm 3, repaired", "analytic", ldp_glm(epsilon, delta, 2, 1, "repaired", "analytic")),
        ):
            kept: Any = policy.privacy
            row = rows.setdefault((name, noise), {"algorithm": name, "noise": noise, "delta": kept.effective_delta})
            row[f"paid_at_{epsilon:g}"] = kept.effective_epsilon
    return pd.DataFrame(list(rows.values()))


def table_1(evidence: Evidence) -> pd.DataFrame:
    """Return Table 1: a row of it per row, as printed and measured; texts for the page beside the numbers."""
    rows = []
    for key, row in ROWS.items():
        told: dict[str, Any] = {
            "problem": f"{row.kind}, {row.problem}",
            "printed": plain(row.formula),
            "formula": row.formula,
            "quantity": row.quantity,
            "algorithm": row.box,
        }
        for name, claimed, seen in (
            ("horizon", row.power, measured(evidence, key, row.quantity)),
            ("epsilon", row.epsilon, measured(evidence, key, EPSILON)),
            ("plain", row.non_private_power, measured_plain(evidence, key)),
        ):
            found = seen or Interval()
            told |= {f"{name}_claimed": claimed, f"{name}_measured": found.measured}
            told |= {f"{name}_low": found.low, f"{name}_high": found.high, name: interval(found, claimed)}
        told |= {"non_private": plain(row.non_private), "source": row.source}
        rows.append(told | {"epsilon_derived": DERIVED_EPSILON[key]})
    return pd.DataFrame(rows)


def exponents_of(evidence: Evidence, keys: Sequence[str]) -> pd.DataFrame:
    """Return the fitted exponents of some rows, with the claimed ones where Table 1 has them."""
    rows = []
    for one in evidence.exponents:
        if one.row in keys:
            row = ROWS.get(one.row)
            claimed = math.nan
            if row is not None and one.quantity == EPSILON:
                claimed = row.epsilon
            elif row is not None and one.quantity == row.quantity:
                claimed = row.non_private_power if one.reading == "no privacy" else row.power
            found = one.fit or Interval()
            told: dict[str, Any] = {"row": one.row, "policy": one.box, "reading": one.reading}
            told |= {"quantity": one.quantity, "claimed": claimed} | found.columns()
            rows.append(told | {"points": one.points, "shown": interval(found)})
    return pd.DataFrame(rows)


def contextual_exponents(frame: pd.DataFrame) -> pd.DataFrame:
    """Return every fit of the longer study "linear"."""
    found = linear_rates.fitted(frame)
    seen = [Interval(row.measured, row.low, row.high) for row in found.itertuples()]
    return found.assign(shown=[interval(one) for one in seen])


def needs(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the horizons of `linear_study.horizons`, a column for each epsilon."""
    rows: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in frame.itertuples():
        told = rows.setdefault(
            (row.policy, row.reading, row.dim), {"policy": row.policy, "reading": row.reading, "dim": row.dim}
        )
        told[f"epsilon_{row.epsilon:g}"] = row.horizon_needed
    return pd.DataFrame(list(rows.values()))


def bounds_table(horizons: Sequence[int], epsilons: Sequence[float], delta: float) -> pd.DataFrame:
    """Return the theorems' bounds, printed orders with constant 1 and derived ones, over uniform play's regret.

    A row per bound and variant, columns `e<epsilon>_t<T>`. Corollary 4 and Theorem 6 stand for the losses of the
    chapter's rows, Theorem 3 for Tsallis-INF on four arms, Theorems 8 and 10 for unit vectors in two dimensions.
    """
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for epsilon in epsilons:
        for horizon in sorted(set(map(int, horizons))):
            for name, variant, value, uniform in _bounds(horizon, epsilon, delta):
                row = rows.setdefault((name, variant), {"bound": name, "variant": variant})
                row[f"e{epsilon:g}_t{horizon}"] = value / (uniform * horizon)
    return pd.DataFrame(list(rows.values()))


def _bounds(horizon: int, epsilon: float, delta: float) -> list[tuple[str, str, float, float]]:
    arms = ConvexLoss.from_arms(stochastic_arms())
    regret = tunings.tuning("tsallis", arms, horizon, 1.0).regret
    found = [
        (
            "Theorem 3, Tsallis-INF",
            variant,
            bounds.theorem_3(regret, 1.0, horizon, epsilon, delta, variant),
            arms.uniform_regret(),
        )
        for variant in ("printed", "derived")
    ]
    for key, (kind, learners) in ONE_POINT.items():
        problem, order = convex(kind), horizon ** ROWS[key].power / epsilon
        derived = bounds.corollary_4(problem, horizon, epsilon, delta, learners[0])
        each = problem.uniform_regret()
        found += [(f"Corollary 4, {key}", "printed", order, each), (f"Corollary 4, {key}", "derived", derived, each)]
    for key, (kind, steps) in TWO_POINTS.items():
        problem = convex(kind)
        root = math.sqrt(horizon) if key == "two points, convex" else math.log(max(horizon, 2))
        found.append((f"Theorem 6, {key}", "printed", root / epsilon**2, problem.uniform_regret()))
        found += [
            (
                f"Theorem 6, {key}",
                f"derived, {step} step",
                bounds.theorem_6(problem, horizon, epsilon, delta, step),
                problem.uniform_regret(),
            )
            for step in steps
        ]
    for number, bound, link in ((8, bounds.theorem_8, "linear"), (10, bounds.theorem_10, "logistic")):
        each = unit_vectors(2, link).uniform_regret()
        found += [
            (f"Theorem {number}, d = 2", words, bound(2, horizon, epsilon, delta, variant), each)
            for variant, words in (
                ("order", "printed"),
                ("printed", "the box's own constants"),
                ("derived", "derived"),
            )
        ]
    return found


def two_point_slopes(panel: Sequence[Run]) -> dict[tuple[str, str], float]:
    """The power of 1/epsilon between the smallest and the largest epsilon of a sweep, by row and step."""
    found = {}
    for row, (_, steps) in TWO_POINTS.items():
        for step in steps:
            runs = sorted(
                (r for r in panel if r.swept["row"] == row and r.reading == step and r.epsilon in SWEEP),
                key=lambda run: run.epsilon,
            )
            ends = [float(run.final.mean()) for run in (runs[0], runs[-1])]
            apart = math.log(runs[-1].epsilon / runs[0].epsilon)
            found[row, step] = math.log(ends[0] / ends[1]) / apart if min(ends) > 0 else math.nan
    return found


def plain(formula: str) -> str:
    """A TeX formula of the summary as readers type it."""
    for tex, typed in (("^{3/4}", "^(3/4)"), ("^{2/3}", "^(2/3)"), ("^{1/2}", "^(1/2)"), (r"\epsilon", "ε")):
        formula = formula.replace(tex, typed)
    return formula.replace("^2", "²").replace(r"\log ", "ln ").replace(r"\log", "ln")


def interval(seen: Interval, claimed: float = math.nan) -> str:
    """A value with its interval, the claimed one in brackets; empty where nothing was measured."""
    if math.isnan(seen.measured):
        return ""
    text = f"{seen.measured:.2f} [{seen.low:.2f}, {seen.high:.2f}]".replace("-0.00", "0.00")
    return text if math.isnan(claimed) else f"{text} ({np.round(claimed, 2):g})"
