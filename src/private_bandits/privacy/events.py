"""Events that tell two neighbours apart, learnt from runs: numbers of an outcome, and thresholds on them.

Any event is a fair test once it is fixed, so nothing here has to be right: only the runs that test an event count,
and those are others.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from private_bandits.privacy.sampled import certified_loss

_BINS = 16
_KEPT = 12
_LEVELS = 48
_STRICT = 1e-3  # error at which events are compared: the best of many is a lucky one


class Event(NamedTuple):
    """A threshold on a number of the outcome, and what the tested runs say of it.

    It is likelier on the first of the witness's two data: `hits` of `runs` there, `others` of `other_runs`.
    """

    statistic: str
    sign: float
    threshold: float
    hits: int = 0
    runs: int = 0
    others: int = 0
    other_runs: int = 0

    def __str__(self) -> str:
        side, level = (">=", self.threshold) if self.sign > 0 else ("<=", -self.threshold)
        return f"{self.statistic} {side} {level:.4g}"


class Found(NamedTuple):
    """An event with the number that it looks at; `swapped` where it is likelier on the second of the two data."""

    event: Event
    number: Callable[[np.ndarray], np.ndarray]
    swapped: bool
    worth: float

    def count(self, rows: np.ndarray) -> int:
        """Count the outcomes in the event.

        Parameters
        ----------
        rows : float array, shape (outcomes, width)

        Returns
        -------
        int
        """
        return int(np.sum(self.happened(rows)))

    def happened(self, rows: np.ndarray) -> np.ndarray:
        """Say which outcomes are in the event.

        Parameters
        ----------
        rows : float array, shape (outcomes, width)

        Returns
        -------
        bool array, shape (outcomes,)
        """
        return np.asarray(self.event.sign * _rounded(self.number(rows)) >= self.event.threshold)


def features(outcomes: Sequence[Any], layout: tuple[bool, int] | None = None) -> tuple[np.ndarray, tuple[bool, int]]:
    """Turn outcomes into rows of equal length.

    Parameters
    ----------
    outcomes : sequence
        Numbers, tuples or arrays of numbers.
    layout : (bool, int), optional
        Of rows made before; theirs by default. What is longer is cut.

    Returns
    -------
    float array, shape (outcomes, width)
        Where lengths differ, the length comes first, and what is missing is minus infinity.
    (bool, int)
        Whether lengths come first, and how many numbers follow.

    Raises
    ------
    ValueError
        If an outcome is no number and holds none, or holds a NaN.
    """
    try:
        rows = [np.asarray(outcome, dtype=float).ravel() for outcome in outcomes]
    except (TypeError, ValueError, OverflowError):
        raise ValueError("target must return numbers, tuples or arrays of numbers") from None
    sizes = np.array([len(row) for row in rows])
    varies, width = layout or (bool((sizes != sizes[0]).any()), int(sizes.max()))
    table = np.full((len(rows), width), -math.inf)
    for place, row in enumerate(rows):
        table[place, : len(row)] = row[:width]
    if np.isnan(table).any() or width == 0:
        raise ValueError("target must return at least one number, and no NaN")
    return (np.column_stack([sizes, table]) if varies else table), (varies, width)


def learn(first: np.ndarray, second: np.ndarray, delta: float, ratio: Any = None) -> Found:
    """Learn the event that certifies most.

    A number of the outcome is fitted on either half and looked at on the other, where its threshold is chosen; then it
    is fitted on both.

    Parameters
    ----------
    first, second : float array, shape (outcomes, width)
        Outcomes on two neighbours, at least two of each.
    delta : float
        In [0, 1).
    ratio : callable, optional
        ln of the density of rows on the first over that on the second, where it is known.

    Returns
    -------
    Found
    """
    sides = (first[::2], second[::2]), (first[1::2], second[1::2])
    apart = sorted(range(first.shape[1]), key=lambda place: -_Coded(first[:, place], second[:, place]).evidence)
    fits = [dict(_numbers(*side, apart, ratio)) for side in (*sides, (first, second))]
    best: Found | None = None
    for name, number in fits[2].items():
        if not (name in fits[0] and name in fits[1]):
            continue
        crossed = [_rounded(np.concatenate([fits[1][name](sides[0][s]), fits[0][name](sides[1][s])])) for s in (0, 1)]
        refitted = _rounded(np.concatenate([number(first), number(second)]))
        for sign in (1.0, -1.0):
            mine, other = (np.sort(sign * values) for values in crossed)
            pooled, last = np.sort(np.concatenate([mine, other])), np.sort(sign * refitted)
            levels = np.unique(pooled[-np.unique(np.geomspace(1, len(pooled), _LEVELS).astype(int))])
            k, j = (len(each) - np.searchsorted(each, levels) for each in (mine, other))
            n, m = len(mine), len(other)
            for swapped, counts in ((False, (k, n, j, m)), (True, (j, m, k, n))):
                worth = certified_loss(*counts, delta, _STRICT)
                place = int(np.argmax(worth))
                if best is None or worth[place] > best.worth:
                    threshold = last[-int(k[place] + j[place])]  # as many outcomes as before it was fitted anew
                    best = Found(Event(name, sign, float(threshold)), number, swapped, float(worth[place]))
    assert best is not None
    return best


def _rounded(values: np.ndarray) -> np.ndarray:
    """Leave out the last digits: they tell 0 + noise from 1 + noise, which is the floating-point noise's own fault."""
    return np.round(values, 9).astype(np.float32)


def _numbers(
    first: np.ndarray, second: np.ndarray, apart: list[int], ratio: Any
) -> Iterator[tuple[str, Callable[..., np.ndarray]]]:
    """Yield numbers of an outcome that may tell the two apart, with their names; `apart` orders the entries."""
    if ratio is not None:
        yield "ln density ratio", ratio
    for place in apart[:_KEPT]:
        yield f"entry {place}", lambda rows, place=place: rows[:, place]
    codes = {place: _Coded(first[:, place], second[:, place]) for place in apart}
    used = [place for place in apart if codes[place].evidence > 0] or apart[:1]
    yield (
        "sum of ln ratios of entries",
        lambda rows: np.sum([codes[place].ratio(rows[:, place]) for place in used], axis=0),
    )
    if len(apart) == 1:
        return
    if np.isfinite(first).all() and np.isfinite(second).all():
        yield "sum of entries", lambda rows: rows.sum(axis=1)
        kept = apart[: 4 * _KEPT]
        spread = np.cov(np.vstack([first[:, kept], second[:, kept]]).T) + 1e-9 * np.eye(len(kept))
        weights = np.linalg.lstsq(spread, first[:, kept].mean(axis=0) - second[:, kept].mean(axis=0), rcond=None)[0]
        yield "linear discriminant", lambda rows: rows[:, kept] @ weights
    whole = _patterns(first, second)
    if whole is not None:
        yield "ln ratio of whole outcomes", whole


class _Coded:
    """One entry in bins, and the logarithm of how much likelier each is on the first."""

    def __init__(self, first: np.ndarray, second: np.ndarray) -> None:
        values = np.unique(np.concatenate([first, second]))
        if len(values) > _BINS:
            values = np.unique(np.quantile(np.concatenate([first, second]), np.arange(_BINS) / _BINS, method="lower"))
        self.edges = values[1:]
        counts = [
            np.bincount(np.searchsorted(self.edges, each, side="right"), minlength=len(values)) + 0.5
            for each in (first, second)
        ]
        p, q = (each / each.sum() for each in counts)
        self.table = np.log(p) - np.log(q)
        chi = len(first) * len(second) / (len(first) + len(second)) * float(np.sum((p - q) ** 2 / (p + q) * 2))
        freedom = len(values) - 1
        self.evidence = chi - freedom - 2 * math.sqrt(2 * freedom)

    def ratio(self, column: np.ndarray) -> np.ndarray:
        return self.table[np.searchsorted(self.edges, column, side="right")]


def _patterns(first: np.ndarray, second: np.ndarray) -> Callable[[np.ndarray], np.ndarray] | None:
    """The ratio of whole outcomes, where few enough are different to be seen again."""
    seen = [np.unique(each, axis=0, return_counts=True) for each in (first, second)]
    if sum(len(rows) for rows, _ in seen) > (len(first) + len(second)) / 4:
        return None
    counts: dict[bytes, np.ndarray] = {}
    for side, (rows, numbers) in enumerate(seen):
        for row, number in zip(rows, numbers, strict=True):
            counts.setdefault(row.tobytes(), np.full(2, 0.5))[side] += number
    ratio = {row: float(np.log(n[0] / n[1])) for row, n in counts.items()}
    return lambda rows: np.array([ratio.get(row.tobytes(), 0.0) for row in rows])
