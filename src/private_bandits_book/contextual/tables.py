"""The tables of the chapter."""

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import pandas as pd

from private_bandits.estimates import Interval
from private_bandits.mechanisms import gaussian_sigma
from private_bandits.papers import contextual as paper
from private_bandits.papers.contextual import accounting, bounds, tunings
from private_bandits.papers.contextual.instances import convex, unit_vectors
from private_bandits.problems import ConvexLoss
from private_bandits_book.contextual.facts import centre_regret, stochastic_arms
from private_bandits_book.contextual.messages import BALL, cost, split
from private_bandits_book.contextual.study import STUCK_ACTIONS, STUCK_GAP, STUCK_OFFSET, Study
from private_bandits_book.contextual.sweeps import ADVERSARIAL, BEST_ARM, LINE, STOCHASTIC, context_sweeps
from private_bandits_book.contextual.table_1 import ONE_POINT, ROWS, TWO_POINTS
from private_bandits_book.contextual.words import LOOKS, plain
from private_bandits_book.exhibits import Exhibits, Made, tabled, wide
from private_bandits_book.figures.captions import interval
from private_bandits_book.sweep import EPSILON, LOG

_MEASURED = {"table-best-arm": "best_arm", "table-limits": "limits", "table-published-setting": "setting"}
tables = Exhibits(measured=_MEASURED)


@tables("table-messages")
def messages(study: Study) -> Made:
    """What a user of each algorithm sends, how far it can move, its share of the promise, and what it pays."""
    epsilon, delta = study.epsilons[0], study.delta
    frames = []
    for name, message, limit, make in (
        ("Algorithm 1", "f(x)", BALL.bound, paper.one_point),
        ("Algorithm 2", "f(x1) - f(x2), of 2 rho", BALL.lipschitz, paper.two_point),
    ):
        labels: dict[str, Any] = {"algorithm": name, "message": message, "sensitivity_printed": 2.0, "sensitivity": 2.0}
        labels |= {"epsilon_share": epsilon, "delta_share": delta}
        sigma = gaussian_sigma(epsilon, delta, 2.0 * limit, method="classical") / limit
        frames.append(pd.DataFrame([labels | {"sigma": sigma, "epsilon_paid": cost(make(BALL, 1, epsilon, delta))}]))
    for name, sent, gradient in (
        ("Algorithm 5, |y| <= 2", accounting.linucb_messages(), None),
        ("Algorithm 3, rewards 0 or 1", accounting.glm_messages("binary"), 1.0),
        ("Algorithm 3, mean and noise", accounting.glm_messages("bounded"), 2.0),
    ):
        frames.append(split(sent, epsilon, delta, gradient).assign(algorithm=name))
    return tabled(pd.concat(frames, ignore_index=True), epsilon=epsilon)


@tables("table-privacy")
def paid(study: Study) -> pd.DataFrame:
    """What every algorithm pays, by the printed noise and others, a column for each nominal epsilon."""
    delta, cells = study.delta, []
    for epsilon in study.epsilons:
        for name, noise, policy in (
            ("Algorithm 1", "classical", paper.one_point(BALL, 1, epsilon, delta)),
            ("Algorithm 1", "analytic", paper.one_point(BALL, 1, epsilon, delta, method="analytic")),
            ("Algorithm 1", "Laplace", paper.one_point(BALL, 1, epsilon, noise="laplace")),
            ("Algorithm 2", "classical", paper.two_point(BALL, 1, epsilon, delta)),
            ("Algorithm 2", "analytic", paper.two_point(BALL, 1, epsilon, delta, method="analytic")),
            ("Algorithm 2", "Laplace", paper.two_point(BALL, 1, epsilon, noise="laplace")),
            ("Algorithm 5", "classical", paper.ldp_linucb(epsilon, delta, 2, 1)),
            ("Algorithm 5", "analytic", paper.ldp_linucb(epsilon, delta, 2, 1, "derived", "analytic")),
            ("Algorithm 3", "classical", paper.ldp_glm(epsilon, delta, 2, 1)),
            ("Algorithm 3, repaired", "analytic", paper.ldp_glm(epsilon, delta, 2, 1, "repaired", "analytic")),
        ):
            labels = {"algorithm": name, "noise": noise, "delta": policy.privacy.effective_delta}
            cells.append((labels, f"paid_at_{epsilon:g}", cost(policy)))
    return wide(cells)


@tables("table-learners")
def learners(study: Study) -> pd.DataFrame:
    """Regret at the horizon over that of standing still, for every learner of the one-point panel, by epsilon."""
    cells = []
    for run in study.one_point:
        share = float(run.final.mean() / centre_regret(run.problem, run.t[-1])[0])
        labels = {"row": run.swept["row"], "learner": LOOKS["short"].get(run.swept["learner"], run.name)}
        cells.append((labels, f"at_{run.epsilon:g}", share))
    return wide(cells)


def _exponents(study: Study, keys: Sequence[str]) -> pd.DataFrame:
    """The fitted exponents of some rows, with the claimed ones where Table 1 has them."""
    rows = []
    for one in study.fits:
        row, variant = ROWS.get(one.labels["row"]), one.labels["reading"]
        if one.labels["row"] in keys:
            claimed = math.nan
            if row is not None and one.quantity in (EPSILON, row.quantity):
                plain = row.plain if variant == "no privacy" else row.power
                claimed = row.epsilon if one.quantity == EPSILON else plain
            labels = {"row": one.labels["row"], "policy": one.labels["policy"], "reading": variant}
            labels |= {"quantity": one.quantity, "claimed": claimed} | (one.fit or Interval()).columns()
            rows.append(labels | {"points": one.points, "shown": interval(one.fit)})
    return pd.DataFrame(rows)


for _label, _keys in (("one-point", ONE_POINT), ("arms", (ADVERSARIAL, STOCHASTIC, LINE, BEST_ARM))):
    tables(f"table-{_label}")(partial(_exponents, keys=_keys))


@tables("table-horizons")
def horizons(study: Study) -> pd.DataFrame:
    """The rounds that a small bonus needs, a column for each epsilon."""
    cells = []
    for row in study.needed.itertuples():
        labels = {"policy": row.policy, "reading": row.reading, "dim": row.dim}
        cells.append((labels, f"epsilon_{row.epsilon:g}", row.horizon_needed))
    return wide(cells)


@tables("table-locked")
def locked(study: Study) -> Made:
    """The runs that end up on a wrong action."""
    return tabled(study.locked, gap=STUCK_GAP, offset=STUCK_OFFSET, actions=STUCK_ACTIONS)


@tables("table-contextual")
def context_exponents(study: Study) -> pd.DataFrame:
    """Every fit of the longer study with contexts."""
    rows = []
    for (_, sweep), fit in zip(context_sweeps(), study.context_fits, strict=True):
        labels = {name: fit.row()[name] for name in ("problem", "policy", "reading", "quantity", "dim")}
        labels |= (fit.fit or Interval()).columns() | {"points": fit.points, "replications": fit.replications}
        labels |= {"horizon": max(run.horizon for run in sweep.run(sweep.values[-1]))}
        rows.append(labels | {"of_bound": (fit.of_bound or Interval()).measured, "shown": interval(fit.fit)})
    return pd.DataFrame(rows)


@tables("table-1")
def table_1(study: Study) -> pd.DataFrame:
    """Table 1: a row of it per row, as printed and measured; texts for the page beside the numbers."""
    rows = []
    for key, row in ROWS.items():
        labels: dict[str, Any] = {
            "problem": f"{row.kind}, {row.problem}",
            "printed": plain(row.formula),
            "formula": row.formula,
            "quantity": row.quantity,
            "algorithm": row.algorithm,
        }
        parts = zip(("horizon", "epsilon", "plain"), row.claims.values(), strict=True)
        for name, (quantity, claimed, variant) in parts:
            seen = study.exponent(key, quantity, variant)
            numbers = {"claimed": claimed} | (seen or Interval()).columns()
            labels |= {f"{name}_{column}": value for column, value in numbers.items()} | {name: interval(seen, claimed)}
        labels |= {"non_private": plain(row.non_private), "source": row.source}
        rows.append(labels | {"epsilon_derived": row.derived})
    return pd.DataFrame(rows)


@tables("table-bounds")
def bounds_table(study: Study) -> pd.DataFrame:
    """The theorems' bounds, printed orders with constant 1 and derived ones, over uniform play's regret.

    A row per bound and variant, columns `e<epsilon>_t<T>`. Corollary 4 and Theorem 6 stand for the losses of the
    chapter's rows, Theorem 3 for Tsallis-INF on four arms, Theorems 8 and 10 for unit vectors in two dimensions.
    """
    cells = []
    for epsilon, horizon, _ in study.bound_settings:
        for name, variant, value, uniform in bounds_at(horizon, epsilon, study.delta):
            cells.append(({"bound": name, "variant": variant}, f"e{epsilon:g}_t{horizon}", value / (uniform * horizon)))
    return wide(cells)


def bounds_at(horizon: int, epsilon: float, delta: float) -> Iterator[tuple[str, str, float, float]]:
    """Yield name, variant and value of every bound, and the regret of uniform play a round."""
    arms = ConvexLoss.from_arms(stochastic_arms())
    regret = tunings.tuning("tsallis", arms, horizon, 1.0).regret
    for variant in ("printed", "derived"):
        derived = bounds.theorem_3(regret, 1.0, horizon, epsilon, delta, variant)
        yield "Theorem 3, Tsallis-INF", variant, derived, arms.uniform_regret()
    for key in ONE_POINT:
        problem, name = convex(ROWS[key].losses), f"Corollary 4, {key}"
        derived = bounds.corollary_4(problem, horizon, epsilon, delta, ROWS[key].learners[0])
        yield name, "printed", horizon ** ROWS[key].power / epsilon, problem.uniform_regret()
        yield name, "derived", derived, problem.uniform_regret()
    for key in TWO_POINTS:
        problem, name = convex(ROWS[key].losses), f"Theorem 6, {key}"
        root = math.log(max(horizon, 2)) if ROWS[key].quantity == LOG else math.sqrt(horizon)
        yield name, "printed", root / epsilon**2, problem.uniform_regret()
        for step in ROWS[key].learners:
            derived = bounds.theorem_6(problem, horizon, epsilon, delta, step)
            yield name, f"derived, {step} step", derived, problem.uniform_regret()
    words = {"order": "printed", "printed": "the box's own constants", "derived": "derived"}
    for name, bound, link in (("8", bounds.theorem_8, "linear"), ("10", bounds.theorem_10, "logistic")):
        for variant, said in words.items():
            each = unit_vectors(2, link).uniform_regret()
            yield f"Theorem {name}, d = 2", said, bound(2, horizon, epsilon, delta, variant), each
