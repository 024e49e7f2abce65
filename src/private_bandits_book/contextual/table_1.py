"""Table 1 of Zheng et al. (2020): its rows as printed, and which runs of ours stand for each.

Logarithms and the dimension are left out, as in the paper. A *variant* says with which noise or constants a private run
is made: "printed", "analytic" or "laplace" noise, "tight" for its sensitivity, "tuned" or "strong" steps, "derived" or
"repaired" constants, and "no privacy".
"""

from __future__ import annotations

from typing import NamedTuple

from private_bandits_book.sweep import EPSILON, HORIZON, LOG

_ORDERS = {0.75: "T^{3/4}", 2.0 / 3.0: "T^{2/3}", 0.5: "T^{1/2}"}


class Row(NamedTuple):
    """One row of the table."""

    kind: str  # "context-free", "two points" or "contextual"
    problem: str
    algorithm: str
    quantity: str  # T or ln T, in which the powers are
    power: float
    epsilon: float  # power of 1/epsilon
    plain: float  # the best power without privacy ...
    source: str  # ... and where it is from, a key of the bibliography
    derived: float  # the power of 1/epsilon in the library's bound, for small epsilon and large T
    variants: tuple[str, str, str] = ("printed", "printed", "no privacy")  # what stands for the three powers

    @property
    def key(self) -> str:
        """What the chapter calls it."""
        words = self.problem.replace(" and", ",")
        return f"two points, {words}" if self.kind == "two points" else words

    @property
    def order(self) -> str:
        """What the private regret is claimed to grow as, in TeX."""
        return _order(self.quantity, self.power)

    @property
    def formula(self) -> str:
        """The private bound in TeX."""
        return rf"{self.order}/\epsilon" + ("^2" if self.epsilon == 2.0 else "")

    @property
    def non_private(self) -> str:
        """The best bound without privacy in TeX."""
        return _order(self.quantity, self.plain)

    @property
    def claims(self) -> dict[str, tuple[str, float, str]]:
        """Quantity, claimed power and variant of each part of the row."""
        return {
            "horizon": (self.quantity, self.power, self.variants[0]),
            "epsilon": (EPSILON, self.epsilon, self.variants[1]),
            "non-private": (self.quantity, self.plain, self.variants[2]),
        }


def _order(quantity: str, power: float) -> str:
    return r"\log T" if quantity == LOG else _ORDERS[power]


_FREE, _PAIR, _CONTEXTS = "context-free", "two points", "contextual"
_THIRDS, _NOISY = 2.0 / 3.0, ("laplace", "laplace", "no privacy")
_DERIVED = ("derived", "derived, classical noise", "no privacy")
_REPAIRED = ("repaired", "repaired, classical noise, beta times 0.1", "no privacy, Newton steps")
ROWS = {
    row.key: row
    for row in (
        Row(_FREE, "convex", "Algorithm 1", HORIZON, 0.75, 1.0, 0.75, "flaxman2005", 0.5),
        Row(_FREE, "convex and smooth", "Algorithm 1", HORIZON, _THIRDS, 1.0, _THIRDS, "saha2011", _THIRDS, _NOISY),
        Row(_FREE, "strongly convex", "Algorithm 1", HORIZON, _THIRDS, 1.0, _THIRDS, "agarwal2010", _THIRDS),
        Row(_FREE, "strongly convex and smooth", "Algorithm 1", HORIZON, 0.5, 1.0, 0.5, "hazan2014", 1.0),
        Row(_PAIR, "convex", "Algorithm 2", HORIZON, 0.5, 2.0, 0.5, "agarwal2010", 2.0),
        Row(_PAIR, "strongly convex", "Algorithm 2", LOG, 1.0, 2.0, 1.0, "agarwal2010", 2.0),
        Row(_CONTEXTS, "linear", "Algorithm 5", HORIZON, 0.75, 1.0, 0.5, "abbasi2011", 0.5, _DERIVED),
        Row(_CONTEXTS, "generalised linear", "Algorithm 3", HORIZON, 0.75, 1.0, 0.5, "li2017", 0.5, _REPAIRED),
    )
}
"""By what the chapter calls them."""
ONE_POINT = tuple(key for key, row in ROWS.items() if row.kind == _FREE)
TWO_POINTS = tuple(key for key, row in ROWS.items() if row.kind == _PAIR)
PLAYS = {
    "convex": ("distance", ("sphere",)),
    "convex, smooth": ("smooth", ("saha_tewari", "sphere")),
    "strongly convex": ("kinked", ("sphere_strong", "sphere")),
    "strongly convex, smooth": ("quadratic", ("hazan_levy", "sphere_strong")),
    "two points, convex": ("distance", ("printed", "tuned")),
    "two points, strongly convex": ("quadratic", ("printed", "tuned", "strong")),
}
"""Losses of a row without contexts, and its learners or steps: its own first, for ln T last."""
LINEAR, LOGISTIC = (key for key, row in ROWS.items() if row.kind == _CONTEXTS)
OURS = {LINEAR: "derived", LOGISTIC: "repaired"}
"""Variants of Algorithms 5 and 3 with constants of ours, which keep what the theorems promise."""


def slug(key: str) -> str:
    """Return a row's name as part of a label."""
    return key.replace(", ", "-").replace(" ", "-")
