"""Table 1 of Zheng et al. (2020): its rows as printed, and which runs of ours stand for each, in `table_1.toml`.

Logarithms and the dimension are left out, as in the paper. A *variant* says with which noise or constants a private run
is made: "printed", "analytic" or "laplace" noise, "tight" for its sensitivity, "tuned" or "strong" steps, "derived" or
"repaired" constants, and "no privacy".
"""

from typing import NamedTuple

from private_bandits_book.package_data import tables
from private_bandits_book.sweep import EPSILON


class Row(NamedTuple):
    """One row of the table, as `table_1.toml` explains it."""

    kind: str  # "context-free", "two points" or "contextual"
    problem: str
    algorithm: str
    quantity: str
    order: str
    non_private: str
    power: float
    epsilon: float
    plain: float
    source: str
    derived: float
    variants: list[str]
    losses: str = ""
    learners: tuple[str, ...] | list[str] = ()

    @property
    def key(self) -> str:
        """What the chapter calls it."""
        words = self.problem.replace(" and", ",")
        return f"two points, {words}" if self.kind == "two points" else words

    @property
    def formula(self) -> str:
        """The private bound in TeX."""
        return rf"{self.order}/\epsilon" + ("^2" if self.epsilon == 2.0 else "")

    @property
    def claims(self) -> dict[str, tuple[str, float, str]]:
        """Quantity, claimed power and variant of each part of the row."""
        horizon, epsilon, plain = self.variants
        private = {"horizon": (self.quantity, self.power, horizon), "epsilon": (EPSILON, self.epsilon, epsilon)}
        return private | {"non-private": (self.quantity, self.plain, plain)}


ROWS = {row.key: row for row in (Row(**stated) for stated in tables("contextual", "table_1")["row"])}
"""By what the chapter calls them."""
ONE_POINT, TWO_POINTS, (LINEAR, LOGISTIC) = (
    tuple(key for key, row in ROWS.items() if row.kind == kind) for kind in ("context-free", "two points", "contextual")
)
STRONG, WEIGHTED = ONE_POINT[3], "weighted regression"
OURS = {LINEAR: "derived", LOGISTIC: "repaired"}
"""Variants of Algorithms 5 and 3 with constants of ours, which keep what the theorems promise."""


def slug(key: str) -> str:
    """Return a row's name as part of a label."""
    return key.replace(", ", "-").replace(" ", "-")
