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
from private_bandits_book.contextual import sweeps
from private_bandits_book.contextual.facts import stochastic_arms
from private_bandits_book.contextual.messages import BALL, cost, split
from private_bandits_book.contextual.study import STUCK_ACTIONS, STUCK_GAP, STUCK_OFFSET, Study
from private_bandits_book.contextual.sweeps import ADVERSARIAL, KERNEL, LINE, STOCHASTIC
from private_bandits_book.contextual.table_1 import ONE_POINT, ROWS, TWO_POINTS, slug
from private_bandits_book.contextual.words import plain
from private_bandits_book.exhibits import Exhibits, Made, tabled, wide
from private_bandits_book.figures.captions import interval
from private_bandits_book.sweep import EPSILON, LOG, RateFit

_MEASURED = {"table-best-arm": "best_arm", "table-published-setting": "setting"}
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


def _exponents(study: Study, keys: Sequence[str]) -> pd.DataFrame:
    """The fitted exponents of some rows, their ranges, and the claimed ones where Table 1 has them."""
    rows = []
    for one in study.fits:
        row, variant = ROWS.get(one.labels["row"]), one.labels["reading"]
        if one.labels["row"] in keys:
            claimed = math.nan
            if row is not None and one.quantity in (EPSILON, row.quantity):
                plain = row.plain if variant == "no privacy" else row.power
                claimed = row.epsilon if one.quantity == EPSILON else plain
            labels = {"row": one.labels["row"], "policy": one.labels["policy"], "reading": variant}
            labels |= {"quantity": one.quantity, "claimed": claimed} | _ran(one) | (one.fit or Interval()).columns()
            rows.append(labels | {"points": one.points, "shown": interval(one.fit)})
    return pd.DataFrame(rows)


for _label, _keys in (("one-point", ONE_POINT), ("arms", (ADVERSARIAL, STOCHASTIC, LINE, KERNEL))):
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
    return tabled(study.stuck, gap=STUCK_GAP, offset=STUCK_OFFSET, actions=STUCK_ACTIONS)


@tables("table-contextual")
def context_exponents(study: Study) -> pd.DataFrame:
    """Every fit of the longer studies with contexts, with its epsilon and its range."""
    rows = []
    for one in study.fits:
        if "dim" in one.labels:
            labels = {"policy": one.labels["policy"], "reading": one.labels["reading"], "quantity": one.quantity}
            labels |= {"dim": one.labels["dim"]} | _ran(one)
            labels |= (one.fit or Interval()).columns() | {"points": one.points, "replications": one.replications}
            rows.append(labels | {"shown": interval(one.fit)})
    return pd.DataFrame(rows)


def _ran(one: RateFit, variant: str = "") -> dict[str, str]:
    """Epsilon and T of the runs behind a fit, at the values that count."""
    row, reading = one.labels["row"], variant or one.labels["reading"]
    sweep = sweeps.sweep(row, one.quantity, reading, one.labels.get("dim", 2))
    values = [value for value in sweep.values if value in set(one.values)] or list(sweep.values)
    told = [sweep.run(value)[0].labels for value in values]
    ends = {
        name: (min(each[name] for each in told), max(each[name] for each in told)) for name in ("epsilon", "horizon")
    }
    low, high = ends["epsilon"]
    epsilon = "∞" if math.isinf(low) else f"{low:g}" if low == high else f"{low:g} to {high:g}"
    return {"at_epsilon": epsilon, "at_horizon": " to ".join(dict.fromkeys(_short(t) for t in ends["horizon"]))}


def _short(t: float) -> str:
    return f"{t:.2g}".replace("e+0", "e").replace("e+", "e")


@tables("table-1")
def table_1(study: Study) -> pd.DataFrame:
    """Table 1: for each row its powers of T, of 1/epsilon and without privacy, at which epsilon and T, and verdicts."""
    rows, found = [], study.ledger.set_index("claim")
    for key, row in ROWS.items():
        for part, (quantity, claimed, variant) in row.claims.items():
            verdict = found.loc[f"table-1-{slug(key)}-{part}"]
            labels: dict[str, Any] = {"problem": f"{row.kind}, {row.problem}", "algorithm": row.algorithm, "part": part}
            labels |= {"formula": row.non_private if part == "non-private" else row.formula, "quantity": quantity}
            labels |= {"printed": plain(labels["formula"]), "claimed": claimed}
            seen = study.part(key, part)
            ran = _ran(study.fit(key, quantity, variant, claimed=True)) if variant else dict.fromkeys(_ran_columns, "—")
            labels |= (seen or Interval()).columns() | {"shown": interval(seen)} | ran
            rows.append(labels | {"evidence": verdict["evidence"], "verdict": verdict["verdict"]})
    return pd.DataFrame(rows)


_ran_columns = ("at_epsilon", "at_horizon")


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
