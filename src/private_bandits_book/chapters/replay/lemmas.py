"""What only verdicts need: every run of a small replay with its exact probability, and the page's bound."""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

Law = dict[Any, Fraction]
Table = Sequence[Sequence[int]]
Policy = Callable[[Sequence[int], Sequence[int]], list[int]]


class Batches(NamedTuple):
    """The constants of a small replay; the last three plant a fault."""

    q: Fraction  # exp(-epsilon)
    first: int = 2
    growth: int = 1
    cost: Fraction = Fraction(0)
    again: bool = False  # a batch is released twice
    early: bool = False  # the store is filled before the last reward of a batch, and with it again
    reading: bool = False  # a batch whose rewards are all 1 gets one pull more


class _Place(NamedTuple):
    """Where a run is between two batches: an entry per arm of each tuple."""

    pulls: tuple[int, ...]
    counts: tuple[int, ...]
    sums: tuple[int, ...]
    left: tuple[int, ...]
    ones: tuple[int, ...]
    arm: int  # that the policy waits for
    played: tuple[int, ...]


def released(n: int, total: int, q: Fraction) -> list[Fraction]:
    """The law of a sum of n rewards with two-sided geometric noise, clipped to 0, ..., n."""
    mass = [(1 - q) / (1 + q) * q ** abs(y - total) for y in range(n + 1)]
    mass[0], mass[n] = q**total / (1 + q), q ** (n - total) / (1 + q)
    return mass if n else [Fraction(1)]


def worth(n: int, cost: Fraction) -> int:
    """The observations that a release of n rewards counts as."""
    return max(1, math.floor(n * n / (n + cost)))


def largest_index(counts: Sequence[int], sums: Sequence[int]) -> list[int]:
    """An index policy with a rational index, (s + 1) / n; the arms that share the largest one."""
    index = [Fraction(s + 1, n) if n else Fraction(10**9) for s, n in zip(sums, counts, strict=True)]
    return [arm for arm, value in enumerate(index) if value == max(index)]


def actions(table: Table, batches: Batches, policy: Policy = largest_index) -> Law:
    """The probability of every sequence of arms, exactly: each release, rounding, order and tie.

    The table has a row of rewards a round but for the last, whose reward is never used.
    """
    none = (0,) * len(table[0])
    horizon = len(table) + 1
    front: Law = {}
    for asked, tie in _asked(_Place(none, none, none, none, none, 0, ()), policy):
        front[asked] = tie
    found: Law = {}
    while front:
        after: Law = {}
        for place, chance in front.items():
            if len(place.played) == horizon:
                found[place.played] = found.get(place.played, Fraction(0)) + chance
                continue
            for then, likely in _replayed(place, policy) if place.left[place.arm] else _pulled(place, table, batches):
                after[then] = after.get(then, Fraction(0)) + chance * likely
        front = after
    return found


def _asked(place: _Place, policy: Policy) -> Iterator[tuple[_Place, Fraction]]:
    choices = policy(place.counts, place.sums)
    return ((place._replace(arm=arm), Fraction(1, len(choices))) for arm in choices)


def _replayed(place: _Place, policy: Policy) -> Iterator[tuple[_Place, Fraction]]:
    """The policy is given the next observation of the arm that it waits for, and asks."""
    arm = place.arm
    share = Fraction(place.ones[arm], place.left[arm])
    for one, likely in ((1, share), (0, 1 - share)):
        if likely:
            counts, sums = _added(place.counts, arm, 1), _added(place.sums, arm, one)
            left, ones = _added(place.left, arm, -1), _added(place.ones, arm, -one)
            for then, tie in _asked(place._replace(counts=counts, sums=sums, left=left, ones=ones), policy):
                yield then, likely * tie


def _pulled(place: _Place, table: Table, batches: Batches) -> Iterator[tuple[_Place, Fraction]]:
    """The next batch is pulled and released; one that the horizon cuts short is not."""
    arm, begun, horizon = place.arm, len(place.played), len(table) + 1
    size = max(batches.first, batches.growth * place.pulls[arm])
    if batches.reading and all(row[arm] for row in table[begun : begun + size]):
        size += 1
    size = min(size, horizon - begun)
    rewards = [row[arm] for row in table[begun : begun + size]]
    place = place._replace(pulls=_added(place.pulls, arm, size), played=place.played + (arm,) * size)
    if begun + size == horizon:
        yield place, Fraction(1)
        return
    parts = [rewards] * (2 if batches.again else 1)
    if batches.early and size > 1:
        parts = [rewards[:-1], rewards]
    for drawn in itertools.product(*(list(_stores(part, batches)) for part in parts)):
        k, ones = (sum(store[at] for store, _ in drawn) for at in (0, 1))
        chance = Fraction(1)
        for _, likely in drawn:
            chance *= likely
        yield place._replace(left=_added(place.left, arm, k), ones=_added(place.ones, arm, ones)), chance


def _stores(rewards: Sequence[int], batches: Batches) -> Iterator[tuple[tuple[int, int], Fraction]]:
    """What a release counts as and its sum, which is rounded at random."""
    n = len(rewards)
    k = worth(n, batches.cost)
    for y, likely in enumerate(released(n, sum(rewards), batches.q)):
        whole, part = divmod(Fraction(k * y, n), 1)
        for ones, rounded in ((int(whole), 1 - part), (int(whole) + 1, part)):
            if rounded:
                yield (k, ones), likely * rounded


def _added(values: tuple[int, ...], place: int, more: int) -> tuple[int, ...]:
    return (*values[:place], values[place] + more, *values[place + 1 :])


def ratio(table: Table, other: Table, batches: Batches) -> Fraction | float:
    """The largest P(arms | one table) / P(arms | another), over all sequences of arms."""
    one, two = actions(table, batches), actions(other, batches)
    return max(chance / two[played] if played in two else math.inf for played, chance in one.items())


def worst_ratio(horizon: int, batches: Batches, arms: int = 2) -> Fraction | float:
    """The largest `ratio` of all tables of 0 and 1 that differ in one user's row."""
    rows = list(itertools.product((0, 1), repeat=arms))
    laws = {table: actions(table, batches) for table in itertools.product(rows, repeat=horizon - 1)}  # the last is free
    worst: Fraction | float = Fraction(1)
    for table, law in laws.items():
        for user, row in itertools.product(range(horizon - 1), rows):
            other = laws[(*table[:user], row, *table[user + 1 :])]
            worst = max(worst, *(chance / other[arms] if arms in other else math.inf for arms, chance in law.items()))
    return worst


def failure(rho: float) -> float:
    """C_rho of the page's lemma; the maximum on a grid of 1,001 points, each term rounded up to its neighbour's."""

    def g(x: float) -> float:
        return -math.log1p(-rho * math.sqrt(x))

    def at(x: float, rest: float) -> float:
        return g(x) + sum(g(rest * 2.0**-m) for m in range(120)) + g(rest / 2.0)

    return math.exp(max(at((i + 1) / 1000, 1.0 - i / 1000) for i in range(1000)))  # g grows in both arguments


def regret_bound(means: Sequence[float], horizon: int, epsilon: float, alpha: float = 3.0, kappa: float = 9.0) -> float:
    """Theorem 2 of the page's proofs, at the best rho; infinite where none has a >= 2."""
    log, best, found = math.log(horizon), max(means), math.inf
    gaps = [best - mean for mean in means if mean < best]
    pulls = [4.0 * alpha * log / gap**2 + 1.0 for gap in gaps]
    regret = sum(4.0 * d * (n + math.sqrt(n * kappa * log) / epsilon) for d, n in zip(gaps, pulls, strict=True))
    for rho in (i / 100 for i in range(1, 100)):
        a = rho * math.sqrt(alpha * kappa) - rho**2 * kappa / 4.0
        if a >= 2.0:
            found = min(found, regret + 2.0 * len(means) * failure(rho) * horizon ** (2.0 - a))
    return found
