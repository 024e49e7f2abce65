"""Rates, judged by equivalence: more runs settle a verdict, and never destroy one.

A claimed exponent of growth and the nearest wrong ones are named before any run, all in one fit at the same points. The
margin is a quarter of the distance to a wrong one. With more runs each exponent tends to one verdict, but for those
between the zones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

from private_bandits.estimates import Interval
from private_bandits_book.judging.rulings import NOT_LEARNT, Ruling, all_of, condemning, measurement, ruling
from private_bandits_book.judging.verdicts import MEASURED, NOT_REPRODUCED, REPRODUCED, UNDECIDED

# of the distance between a claimed exponent and the nearest wrong one: how far from either counts as there
_SHARE = 0.25

Measured = Interval | float | None | Sequence[Interval | float | None]


def at_most(found: Measured, claimed: float, *, wrong: float, quantity: str = "") -> Ruling:
    """Judge whether regret grows with at most the claimed exponent.

    It is reproduced if the interval ends below the claimed exponent plus the margin, not reproduced if it begins above
    the wrong one less the margin, and undecided otherwise.

    Parameters
    ----------
    found : Interval, float, None or sequence of them
        The measured exponent; None or NaN where there is none. Each of several must be at most the claimed one.
    claimed : float
        The claimed exponent.
    wrong : float
        The nearest wrong exponent above it.
    quantity : str
        In what the exponent is: "ln T", "K".

    Returns
    -------
    Ruling

    Examples
    --------
    >>> at_most(Interval(0.9, 0.7, 1.1), 1, wrong=2, quantity="K").verdict
    'reproduced'
    """
    return _each(found, claimed, math.nan, wrong, quantity)


def exactly(found: Measured, claimed: float, *, below: float, above: float, quantity: str = "") -> Ruling:
    """Judge whether regret grows with the claimed exponent and no other.

    It is reproduced if the interval lies within the margins around the claimed one, not reproduced if it lies beyond a
    wrong one, up to the margin, and undecided otherwise.

    Parameters
    ----------
    found, claimed, quantity
        As for `at_most`.
    below, above : float
        The nearest wrong exponents.

    Returns
    -------
    Ruling

    Raises
    ------
    ValueError
        If they do not lie around the claimed one.

    Examples
    --------
    >>> exactly(Interval(0.6, 0.4, 0.8), 1, below=0, above=2).verdict
    'undecided'
    """
    if math.isnan(below):
        raise ValueError(f"wrong exponents must lie around {claimed:g}, got {below:g} below")
    return _each(found, claimed, below, above, quantity)


def _each(found: Measured, claimed: float, below: float, above: float, quantity: str) -> Ruling:
    judge = partial(_judged, claimed=claimed, below=below, above=above, quantity=quantity)
    if isinstance(found, Interval) or not isinstance(found, Sequence):
        return judge(found)
    return all_of(*map(judge, found))


def _judged(found: Interval | float | None, claimed: float, below: float, above: float, quantity: str) -> Ruling:
    seen, exact = measurement(found), not math.isnan(below)
    if any(map(math.isnan, (*seen[:3], claimed, above))):
        return ruling(UNDECIDED, NOT_LEARNT, seen, MEASURED)
    if not (claimed < above and (not exact or below < claimed)):
        raise ValueError(f"wrong exponents must lie around {claimed:g}, got {below:g} and {above:g}")
    over, under = _SHARE * (above - claimed), _SHARE * (claimed - below) if exact else math.inf
    where = f"{'' if exact else 'at most '}{claimed:.3g}"
    wrong = [f"{exponent:.3g}" for exponent in (below, above) if not math.isnan(exponent)]
    said = f"exponent{f' of {quantity}' if quantity else ''} {seen.measured:.3g} "
    margins = " and ".join(dict.fromkeys(f"{margin:.3g}" for margin in (under, over) if math.isfinite(margin)))
    said += f"[{seen.low:.3g}, {seen.high:.3g}]; claimed {where}, with a margin of {margins}"
    if seen.high < claimed + over and seen.low > claimed - under:
        return ruling(REPRODUCED, said, seen, MEASURED, excludes=tuple(wrong))
    wide = condemning(seen)
    if wide.low > above - over or (exact and wide.high < below + under):
        return ruling(NOT_REPRODUCED, said, seen, MEASURED)
    return ruling(UNDECIDED, said, seen, MEASURED)
