"""Numbers as readers write them: powers of ten with a raised exponent. It imports nothing that draws."""

import re

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def power_of_ten(exponent: int) -> str:
    """Return 10 with its exponent raised: 10⁵."""
    return "10" + str(exponent).translate(_SUPERSCRIPTS)


def times_power(mantissa: str, exponent: int) -> str:
    """Return a number times a power of ten, or the power alone where it is empty."""
    ten = power_of_ten(exponent)
    return f"{mantissa}·{ten}" if mantissa else ten


def typeset(words: str) -> str:
    """Return words whose numbers have minus signs, and powers of ten instead of Python's 2e+04.

    What stands between dollars is a formula, and stays.
    """
    parts = words.split("$")
    return "$".join(part if place % 2 else _typeset(part) for place, part in enumerate(parts))


def _typeset(words: str) -> str:
    words = re.sub(r"(?<![\w.])(\d[\d.]*)e([+-]\d\d+)\b", _power, words)
    return re.sub(r"(?<![\w)\]])-(?=[\d∞])|(?<= )-(?= )", "−", words)


def _power(number: re.Match[str]) -> str:
    return times_power(number[1] if number[1] != "1" else "", int(number[2]))
