"""Events that tell two neighbours apart, learnt from runs: numbers of an outcome, and thresholds on them.

Any event is a fair test once it is fixed, so nothing here has to be right: only the runs that test an event count,
and those are others.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from private_bandits.privacy.sampled import certified_loss

_BINS = 16
_ATOMS = 1024  # values with a cell of their own
_DIGITS = 12  # that count: the last ones tell 0 + noise from 1 + noise, which is the floating-point noise's own fault
_KEPT = 12
_SEEN = 48  # entries that a linear discriminant weighs
_FAR = 1e6  # in a discriminant, which is of sums and differences
_LEVELS = 48
_CELLS = 8  # of an entry, where two are looked at together
_PAIRED = 512  # entries that may be the second of two
_AGAIN = 4  # times that a number comes before it counts as a value of its own
_STRICT = 1e-3  # error at which events are compared: the best of many is a lucky one


class Event(NamedTuple):
    """A threshold on a number of the outcome, and what the tested runs say of it.

    It is likelier on the first of the witness's two data: `hits` of `runs` there, `others` of as many on the other.
    """

    statistic: str
    sign: float
    threshold: float
    hits: int = 0
    runs: int = 0
    others: int = 0

    def __str__(self) -> str:
        side, level = (">=", self.threshold) if self.sign > 0 else ("<=", -self.threshold)
        return f"{self.statistic} {side} {level:.4g}"


class Found(NamedTuple):
    """An event with the number that it looks at; `swapped` where it is likelier on the second of the two data."""

    event: Event
    number: Callable[[np.ndarray], np.ndarray]
    swapped: bool
    worth: float

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
        Where lengths differ, the length comes first. What is missing is minus infinity, and NaN the least number.
    (bool, int)
        Whether lengths come first, and how many numbers follow.

    Raises
    ------
    ValueError
        If an outcome is no number and holds none.
    """
    try:
        rows = [np.asarray(outcome, dtype=float).ravel() for outcome in outcomes]
    except (TypeError, ValueError, OverflowError):
        raise ValueError("target must return numbers, tuples or arrays of numbers") from None
    sizes = np.array([len(row) for row in rows])
    varies, width = layout or (bool((sizes != sizes[0]).any()), int(sizes.max()))
    if width == 0:
        raise ValueError("target must return at least one number")
    if (sizes == width).all():
        table = np.array(rows)
    else:
        table = np.full((len(rows), width), -math.inf)
        for place, row in enumerate(rows):
            table[place, : len(row)] = row[:width]
    table[np.isnan(table)] = -np.finfo(float).max
    table = _rounded(table)
    return (np.column_stack([sizes, table]) if varies else table), (varies, width)


def learn(first: np.ndarray, second: np.ndarray, delta: float) -> Found:
    """Learn the event that certifies most.

    A number of the outcome is fitted on either half and looked at on the other, where its threshold is chosen; then it
    is fitted on both.

    Parameters
    ----------
    first, second : float array, shape (outcomes, width)
        Outcomes on two neighbours, as many of each, at least two.
    delta : float
        In [0, 1).

    Returns
    -------
    Found
    """
    sides = (first[::2], second[::2]), (first[1::2], second[1::2])
    fits = [dict(_numbers(*side)) for side in (*sides, (first, second))]
    best: Found | None = None
    for name in [name for name in fits[2] if name in fits[0] and name in fits[1]]:
        crossed = [_rounded(np.concatenate([fits[1][name](sides[0][s]), fits[0][name](sides[1][s])])) for s in (0, 1)]
        refitted = [_rounded(fits[2][name](side)) for side in (first, second)]
        for sign, swapped in product((1.0, -1.0), (False, True)):
            order = slice(None, None, -1) if swapped else slice(None)
            mine, other = (np.sort(sign * values) for values in crossed[order])
            pooled = np.sort(np.concatenate([mine, other]))
            levels = np.unique(pooled[-np.unique(np.geomspace(1, len(pooled), _LEVELS).astype(int))])
            worth, counts = _worth(mine, other, levels, delta)
            place = int(np.argmax(worth))
            if best is None or worth[place] > best.worth:
                mine, other = (np.sort(sign * values) for values in refitted[order])
                pooled = np.sort(np.concatenate([mine, other]))
                least = pooled[-counts[place]]  # as many outcomes as it had crossed, or less where many are equal
                near = np.array([least, pooled[min(np.searchsorted(pooled, least, "right"), len(pooled) - 1)]])
                again = _worth(mine, other, near, delta)[0]
                sure = float(min(worth[place], again.max()))  # the last fit may be another one than those that crossed
                if best is None or sure > best.worth:
                    best = Found(Event(name, sign, float(near[np.argmax(again)])), fits[2][name], swapped, sure)
    assert best is not None
    return best


def _worth(mine: np.ndarray, other: np.ndarray, levels: np.ndarray, delta: float) -> tuple[np.ndarray, np.ndarray]:
    """What each threshold on sorted numbers certifies, and how many are above it."""
    k, j = (len(each) - np.searchsorted(each, levels) for each in (mine, other))
    return certified_loss(hits=k, others=j, runs=len(mine), delta=delta, alpha=_STRICT), k + j


def _rounded(values: np.ndarray) -> np.ndarray:
    """Keep the first digits, and nothing of sums that cancel."""
    values = np.where(np.abs(values) < 10.0**-_DIGITS, 0.0, values)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        unit = 10.0 ** np.clip(np.floor(np.log10(np.abs(values))) - _DIGITS + 1, -300, 290)
        return np.where(np.isfinite(values) & (values != 0.0), np.round(values / unit) * unit, values)


def _numbers(first: np.ndarray, second: np.ndarray) -> Iterator[tuple[str, Callable[..., np.ndarray]]]:
    """Yield numbers of an outcome that may tell the two apart, with their names."""
    coded = [_Coded(first[:, place], second[:, place]) for place in range(first.shape[1])]
    apart = sorted(range(len(coded)), key=lambda place: -coded[place].evidence)
    for place in apart[:_KEPT]:
        yield f"entry {place}", lambda rows, place=place: rows[:, place]
    used = [place for place in apart if coded[place].evidence > 0] or apart[:1]
    yield (
        "sum of ln ratios of entries",
        lambda rows: np.sum([coded[place].ratio(rows[:, place]) for place in used], axis=0),
    )
    if len(apart) > 1:
        yield "sum of entries", lambda rows: np.clip(rows, -1e30, 1e30).sum(axis=1)
        both, most = np.clip(np.concatenate([first, second])[:, apart[:_SEEN]], -_FAR, _FAR), apart[:_SEEN]
        gap = both[: len(first)].mean(axis=0) - both[len(first) :].mean(axis=0)
        # directions without spread are left out, and digits that differ from one machine's BLAS to another's
        weights = np.linalg.lstsq(np.cov(both.T), gap, rcond=1e-12)[0]
        weights = np.round(weights / (np.abs(weights).max() or 1.0), 6)
        yield "linear discriminant", lambda rows: np.clip(rows[:, most], -_FAR, _FAR) @ weights
        yield "ln ratio of two entries", _Two(first, second, apart)
        patterns, codes = np.unique(np.concatenate([first, second]), axis=0, return_inverse=True)
        if len(patterns) <= (len(first) + len(second)) / 4:  # seen again and again
            counts = [
                np.bincount(side, minlength=len(patterns)) + 0.5 for side in np.split(codes.ravel(), [len(first)])
            ]
            known = {row.tobytes(): value for row, value in zip(patterns, np.log(counts[0] / counts[1]), strict=True)}
            yield "ln ratio of whole outcomes", lambda rows: np.array([known.get(row.tobytes(), 0.0) for row in rows])


class _Coded:
    """One entry in bins, values that come again and again in their own, and how much likelier each is on the first."""

    def __init__(self, first: np.ndarray, second: np.ndarray) -> None:
        pooled = np.concatenate([first, second])
        values, times = np.unique(pooled, return_counts=True)
        if len(values) > _BINS:
            often = np.argsort(-times, kind="stable")[:_ATOMS]
            again = values[often][times[often] >= _AGAIN]
            quantiles = np.quantile(pooled, np.arange(_BINS) / _BINS, method="lower")
            values = np.unique(np.concatenate([quantiles, again, np.nextafter(again, math.inf)]))
        self.edges = values[1:]
        p, q = ((n := np.bincount(self.code(each), minlength=len(values)) + 0.5) / n.sum() for each in (first, second))
        self.table = np.log(p) - np.log(q)
        pairs, freedom = len(first) * len(second) / len(pooled), len(values) - 1
        self.evidence = pairs * float(np.sum((p - q) ** 2 / (p + q) * 2)) - freedom - 2 * math.sqrt(2 * freedom)

    def code(self, column: np.ndarray) -> np.ndarray:
        return np.searchsorted(self.edges, column, side="right")

    def ratio(self, column: np.ndarray) -> np.ndarray:
        return np.asarray(self.table[self.code(column)])


class _Two:
    """The two entries that tell most together, which may tell nothing alone: one says whether the other counts."""

    def __init__(self, first: np.ndarray, second: np.ndarray, order: list[int]) -> None:
        seen, kept = order[:_PAIRED], min(len(order), _SEEN if len(order) <= _SEEN else _KEPT)
        self.edges = {place: _levels(np.concatenate([first[:, place], second[:, place]])) for place in seen}
        begin = np.concatenate([[0], np.cumsum([len(self.edges[place]) + 1 for place in seen])])
        tables = []
        for rows in (first, second):
            cells = np.zeros((len(rows), begin[-1]), np.float32)
            for start, place in zip(begin, seen, strict=False):
                cells[np.arange(len(rows)), start + self.code(rows, place)] = 1.0
            tables.append((cells[:, : begin[kept]].T @ cells).astype(float))
        (p, q), (m, n) = tables, (len(first), len(second))
        terms = np.divide((p / m - q / n) ** 2, p / m**2 + q / n**2, out=np.zeros_like(p), where=p + q > 0)
        apart, used = (
            np.add.reduceat(np.add.reduceat(x, begin[:kept]), begin[:-1], axis=1)
            for x in (terms, (p + q > 0).astype(float))
        )
        freedom = np.maximum(used - 1.0, 1.0)
        apart = np.round((apart - freedom) / np.sqrt(2 * freedom), 6)
        np.fill_diagonal(apart, -math.inf)
        i, j = divmod(int(np.argmax(apart)), apart.shape[1])
        block = np.s_[begin[i] : begin[i + 1], begin[j] : begin[j + 1]]
        self.places, self.table = (seen[i], seen[j]), np.log(p[block] + 0.5) - np.log(q[block] + 0.5)

    def code(self, rows: np.ndarray, place: int) -> np.ndarray:
        return np.searchsorted(self.edges[place], rows[:, place], side="right")

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        return np.asarray(self.table[self.code(rows, self.places[0]), self.code(rows, self.places[1])])


def _levels(pooled: np.ndarray) -> np.ndarray:
    """Where the cells of an entry part: between its values if they are few, else at quantiles."""
    values = np.unique(pooled)
    if len(values) > _CELLS:
        values = np.unique(np.quantile(pooled, np.arange(_CELLS) / _CELLS, method="lower"))
    return values[1:]
