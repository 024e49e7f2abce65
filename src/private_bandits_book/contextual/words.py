"""How the chapter writes numbers, and the computed lines that its figures draw beside runs."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from private_bandits.estimates import Interval
from private_bandits_book.figures.captions import interval
from private_bandits_book.figures.lines import line
from private_bandits_book.package_data import tables
from private_bandits_book.studies import Run
from private_bandits_book.sweep import RateFit

LOOKS: dict[str, Any] = tables("contextual", "texts")["looks"]
"""What figures call things, and the families of their colours."""


def power(seen: Interval | None) -> str:
    """Return a measured power."""
    return "not measured" if seen is None else f"{seen.measured:.2f}"


def plain(formula: str) -> str:
    """Return a TeX formula of Table 1 as readers type it."""
    for tex, typed in (("^{3/4}", "^(3/4)"), ("^{2/3}", "^(2/3)"), ("^{1/2}", "^(1/2)"), (r"\epsilon", "ε")):
        formula = formula.replace(tex, typed)
    return formula.replace("^2", "²").replace(r"\log ", "ln ").replace(r"\log", "ln")


def fitted(fits: Iterable[RateFit], rows: Sequence[str], quantity: str) -> str:
    """Return every fitted exponent of some rows, named after its variant."""
    found = []
    for one in fits:
        row, variant = one.labels["row"], one.labels["reading"]
        if row in rows and one.quantity == quantity and one.fit is not None:
            found.append(f"{f'{row}, {variant}' if len(rows) > 1 else variant} {interval(one.fit)}")
    return "; ".join(found) or "none"


def of(epsilon: float) -> str:
    """Return an epsilon as labels write it."""
    return "no privacy" if math.isinf(epsilon) else f"ε = {epsilon:g}"


def at(run: Run) -> str:
    """Return a run's epsilon as sentences write it."""
    return "without privacy" if math.isinf(run.epsilon) else f"at ε = {run.epsilon:g}"


def slope(points: pd.DataFrame, power: float, label: str) -> pd.DataFrame:
    """Return the line of a power of 1/epsilon through the point of the largest epsilon."""
    points = points.sort_values("epsilon")
    end = points.iloc[-1]
    regret = end["regret"] * (end["epsilon"] / points["epsilon"]) ** power
    return line(label, "none", points.assign(regret=regret))
