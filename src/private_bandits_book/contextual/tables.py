"""The tables of the chapter."""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import pandas as pd

from private_bandits.estimates import Interval
from private_bandits.papers import contextual as paper
from private_bandits_book.contextual import sweeps
from private_bandits_book.contextual.messages import BALL, cost
from private_bandits_book.contextual.study import STUCK_ACTIONS, STUCK_GAP, STUCK_OFFSET, Study
from private_bandits_book.contextual.sweeps import ADVERSARIAL, KERNEL, LINE, STOCHASTIC
from private_bandits_book.contextual.table_1 import ONE_POINT, ROWS, slug
from private_bandits_book.contextual.words import plain
from private_bandits_book.exhibits import Exhibits, Made, pivot, tabled
from private_bandits_book.figures.captions import interval
from private_bandits_book.sweep import EPSILON, RateFit

_MEASURED = {"table-best-arm": "best_arm", "table-published-setting": "setting"}
tables = Exhibits(measured=_MEASURED)


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
    return pivot(cells)


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
    return pivot(cells)


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
            labels: dict[str, Any] = {"problem": key, "algorithm": row.algorithm, "part": part}
            labels |= {"formula": row.non_private if part == "non-private" else row.formula, "quantity": quantity}
            labels |= {"printed": plain(labels["formula"]), "claimed": claimed}
            seen = study.part(key, part)
            ran = _ran(study.fit(key, quantity, variant)) if variant else dict.fromkeys(_ran_columns, "—")
            labels |= (seen or Interval()).columns() | {"shown": interval(seen)} | ran
            rows.append(labels | {"evidence": verdict["evidence"], "verdict": verdict["verdict"]})
    return pd.DataFrame(rows)


_ran_columns = ("at_epsilon", "at_horizon")
