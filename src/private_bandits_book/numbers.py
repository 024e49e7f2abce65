"""Numbers as readers write them, on axes, in tables, captions and verdicts. It imports nothing that draws.

Thousands have commas, from a million on and below a thousandth there are powers of ten, a minus is no hyphen, and a
percent sign stands off by a narrow blank that breaks no line. Epsilon has the form that formulas have.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from private_bandits.estimates import Interval

EPSILON = "\u03f5"
"""What TeX and MathML make of \\epsilon."""
_BLANK = "\u202f"
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def power_of_ten(exponent: int) -> str:
    """Return 10 with its exponent raised: 10⁵."""
    return "10" + str(exponent).translate(_SUPERSCRIPTS)


def times_power(mantissa: str, exponent: int) -> str:
    """Return a number times a power of ten, or the power alone where it is empty."""
    ten = power_of_ten(exponent)
    return f"{mantissa}·{ten}" if mantissa else ten


def scientific(value: float, digits: int = 2) -> str:
    """Return a few digits and a power of ten: 1.2·10⁷, or 10⁷ where they are 1.0."""
    if not math.isfinite(value):
        return f"{value:g}".replace("inf", "∞").replace("-", "−")
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return times_power("" if mantissa == "1" else mantissa, int(exponent)).replace("-", "−")


def short(value: float, digits: int = 3) -> str:
    """Return a number of any size, in a few digits; before the point all are shown up to a million."""
    if math.isnan(value):
        return "not measured"
    if value == 0 or 1e-3 <= abs(value) < 1e6:
        near = float(f"{value:.{digits}g}")
        return (f"{value:,.0f}" if abs(near) >= 10 ** (digits - 1) else f"{near:g}").replace("-", "−")
    return scientific(value, digits)


def power(rounds: int, *, digit: bool = False) -> str:
    """Return rounds as 10⁶ where they are a power of ten, 1000 or more, else with commas.

    With `digit`, one digit times a power of ten is written so too: 4·10⁷.
    """
    mantissa, exponent = f"{rounds:.0e}".split("e")
    if rounds < 1000 or int(mantissa) * 10 ** int(exponent) != rounds or (mantissa != "1" and not digit):
        return f"{rounds:,}"
    return times_power("" if mantissa == "1" else mantissa, int(exponent))


def percent(share: float, digits: int = 0) -> str:
    """Return a share of 1 in percent: 95 %."""
    return f"{100 * share:.{digits}f}{_BLANK}%".replace("-", "−")


def interval(seen: Interval | None, claimed: float = math.nan) -> str:
    """Return a value with its interval, the claimed one in brackets; empty where nothing was measured."""
    if seen is None:
        return ""
    text = f"{seen.measured:.2f} [{seen.low:.2f}, {seen.high:.2f}]".replace("-0.00", "0.00")
    return (text if math.isnan(claimed) else f"{text} ({round(claimed, 2):g})").replace("-", "−")


def ticks(values: Sequence[float]) -> list[str]:
    """Return the numbers at an axis, all in one way: decades that are far apart as powers of ten."""
    known = [abs(value) for value in values if value]
    decades = bool(known) and all(math.isclose(math.log10(v), round(math.log10(v)), abs_tol=1e-9) for v in known)
    far = bool(known) and (max(known) >= (1e4 if decades else 1e6) or min(known) < 1e-3)
    return [_tick(value, far) for value in values]


def _tick(value: float, far: bool) -> str:
    if far and value and not (0.1 <= abs(value) <= 10):
        return scientific(value, 3)
    return (f"{value:,.0f}" if value == round(value) else f"{value:g}").replace("-", "−")


def written(shown: str) -> str:
    """Return what Python's formats make of a number as readers write it."""
    mantissa, e, exponent = shown.partition("e")
    if e and -4 < int(exponent) < 6:
        return short(float(shown), len(re.sub(r"\D", "", mantissa)))
    if e:
        mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
        return times_power("" if mantissa == "1" else mantissa, int(exponent)).replace("-", "−")
    whole, point, rest = shown.partition(".")
    if re.fullmatch(r"-?\d{4,}", whole):
        whole = power(int(whole), digit=True) if abs(int(whole)) >= 10**6 and not point else f"{int(whole):,}"
    return re.sub(r"\s*%$", f"{_BLANK}%", f"{whole}{point}{rest}").replace("-", "−")


def heading(words: str) -> str:
    """Return the head of a column, or what a name in code says as one: words with a capital, symbols as they are."""
    words = typeset(words.replace("_", " "))
    first = re.split(r"[ ,(]", words, maxsplit=1)[0]
    symbol = first in ("ln", "log") or not re.match(r"[a-z]{2}|a$", first)
    return words if symbol else words[:1].upper() + words[1:]


def typeset(words: str) -> str:
    """Return words whose numbers are as readers write them, and whose epsilon is as in formulas.

    What stands between dollars is a formula, and what stands between backquotes is code: both stay.
    """
    parts = re.split(r"(\$[^$]*\$|`[^`]*`)", words)
    return "".join(part if place % 2 else _typeset(part) for place, part in enumerate(parts))


def _typeset(words: str) -> str:
    words = re.sub(r"(?<![\w.])\d[\d.]*e[+-]\d\d+\b", lambda found: written(found[0]), words)
    words = re.sub(r"(?<![\w.,/=^-])\d{5,}(?![\w.,]*\w)", lambda found: f"{int(found[0]):,}", words)
    words = re.sub(r"(?<=\d)[ \u00a0]?%", f"{_BLANK}%", words)
    words = re.sub(r"\bepsilon\b|ε", EPSILON, words)
    words = re.sub(r"\bdelta\b", "δ", words)
    return re.sub(r"(?<![\w)\]])-(?=[\d∞])|(?<= )-(?= )", "−", words)
