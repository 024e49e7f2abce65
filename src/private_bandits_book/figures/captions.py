"""A figure with what is said of it, and numbers as captions and sentences write them."""

import math

import numpy as np

from private_bandits.estimates import Interval
from private_bandits_book.numbers import times_power


def scientific(value: float) -> str:
    """Return two digits and a power of ten: 1.2·10⁷, or 10⁷ where they are 1.0."""
    if not math.isfinite(value):
        return f"{value:g}".replace("inf", "∞")
    mantissa, exponent = f"{value:.1e}".split("e")
    return times_power("" if mantissa == "1.0" else mantissa, int(exponent))


def rounded(value: float) -> str:
    """Return a whole number with commas, from a million on in the form of `scientific`."""
    if abs(value) <= 0.5:
        return "0"
    return scientific(value) if abs(value) >= 1e6 else f"{value:,.0f}"


def short(value: float) -> str:
    """Return a number of any size, in three digits."""
    if math.isnan(value):
        return "not measured"
    if value == 0 or 1e-3 <= abs(value) < 1e6:
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return scientific(value)


def power(rounds: int, *, digit: bool = False) -> str:
    """Return rounds as 10⁶ where they are a power of ten, 1000 or more, else with commas.

    With `digit`, one digit times a power of ten is written so too: 4·10⁷.
    """
    mantissa, exponent = f"{rounds:.0e}".split("e")
    if rounds < 1000 or int(mantissa) * 10 ** int(exponent) != rounds or (mantissa != "1" and not digit):
        return f"{rounds:,}"
    return times_power("" if mantissa == "1" else mantissa, int(exponent))


def interval(seen: Interval | None, claimed: float = math.nan) -> str:
    """Return a value with its interval, the claimed one in brackets; empty where nothing was measured."""
    if seen is None:
        return ""
    text = f"{seen.measured:.2f} [{seen.low:.2f}, {seen.high:.2f}]".replace("-0.00", "0.00")
    return text if math.isnan(claimed) else f"{text} ({np.round(claimed, 2):g})"
