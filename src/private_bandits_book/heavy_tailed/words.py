"""Numbers of the chapter as its captions and sentences write them."""

from __future__ import annotations

import math

import pandas as pd

from private_bandits_book.figures import scientific


def ratios(values: pd.Series) -> str:
    """Numbers by v, in a row."""
    return " and ".join(f"{portion(value)} (v = {v:g})" for v, value in values.items())


def portion(value: float) -> str:
    """A share or a factor to two digits."""
    return f"{value:.2g}" if 1e-3 <= value < 100 else short(value)


def percent(value: float) -> str:
    """The size of a share as a percentage."""
    return "an unmeasured part" if math.isnan(value) else f"{abs(100 * value):.2g} %"


def short(value: float) -> str:
    """A number as readers write it, from 10⁻¹² to 10²⁵."""
    if math.isnan(value):
        return "not measured"
    if value == 0 or 1e-3 <= abs(value) < 1e6:
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return scientific(value)
