"""Rates, judged by equivalence: more runs settle a verdict, and never destroy one."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from private_bandits_book.rules import NOT_LEARNT, Ruling, measurement, ruling
from private_bandits_book.verdicts import MEASURED, NOT_REPRODUCED, REPRODUCED, UNDECIDED

_SHARE = 0.25  # of the distance between a claimed power and the nearest wrong one: how far from either counts as there


class Power(NamedTuple):
    """A power of growth that is claimed, and the nearest wrong ones, all in one fit at the same points.

    Attributes
    ----------
    claimed : float
        The claimed power.
    above : float
        The nearest wrong power above it.
    below : float
        The nearest wrong one below it, where exactly this power is claimed; NaN where at most this one is.
    quantity : str
        In what the power is: "ln T", "K".
    """

    claimed: float
    above: float
    below: float = math.nan
    quantity: str = ""

    def judge(self, measured: Any = None) -> Ruling:
        """Judge a measured power by its interval.

        The margin is a quarter of the distance to a wrong power. *At most* a power is reproduced if the interval ends
        below the claimed power plus the margin; *exactly* a power if it begins above the claimed one less the margin,
        too. Either is not reproduced if the interval lies beyond a wrong power, up to the margin. Anything else is
        undecided, so that with more runs each power tends to one verdict, but for those between the zones.

        Parameters
        ----------
        measured : Interval or float, optional
            The measured power; None or NaN where there is none.

        Examples
        --------
        >>> from private_bandits.estimates import Interval
        >>> Power(1.0, above=2.0, quantity="K").judge(Interval(0.9, 0.7, 1.1)).verdict
        'reproduced'
        >>> Power(1.0, above=2.0, below=0.0).judge(Interval(0.6, 0.4, 0.8)).verdict
        'undecided'
        """
        seen = measurement(measured)
        if any(map(math.isnan, (*seen[:3], self.claimed, self.above))):
            return ruling(UNDECIDED, NOT_LEARNT, seen, MEASURED)
        exactly = not math.isnan(self.below)
        if not (self.claimed < self.above and (not exactly or self.below < self.claimed)):
            raise ValueError(f"wrong powers must lie around the claimed one, got {self}")
        over = _SHARE * (self.above - self.claimed)
        under = _SHARE * (self.claimed - self.below) if exactly else math.inf
        where = f"{'exactly' if exactly else 'at most'} {self.claimed:.3g}"
        wrong = [f"{power:.3g}" for power in (self.below, self.above) if not math.isnan(power)]
        said = f"power{f' of {self.quantity}' if self.quantity else ''} {seen.measured:.3g} "
        said += f"[{seen.low:.3g}, {seen.high:.3g}]; claimed {where}, wrong {' and '.join(wrong)}"
        if seen.high < self.claimed + over and seen.low > self.claimed - under:
            return ruling(REPRODUCED, said, seen, MEASURED, excludes=tuple(wrong))
        if seen.low > self.above - over or (exactly and seen.high < self.below + under):
            return ruling(NOT_REPRODUCED, said, seen, MEASURED)
        return ruling(UNDECIDED, said, seen, MEASURED)
