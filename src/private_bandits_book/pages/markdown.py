"""Words and numbers as Markdown shows them."""

import math
import re
from collections.abc import Sequence
from typing import Any

from private_bandits_book.numbers import times_power


def pipes(heads: Sequence[str], rows: Sequence[Sequence[str]], align: Sequence[str] = ()) -> str:
    """Return a Markdown table of cells that are Markdown."""
    lines = [heads, align or [":---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def text(value: Any, spec: str | None = None) -> str:
    """Return a value as a table shows it: four significant digits for floats unless `spec` says otherwise.

    Python's 1.2e+07 is 1.2·10⁷, its slide_rate two words.
    """
    if isinstance(value, str):
        return value.replace("_", " ")
    if value is None or value != value:
        return ""
    if isinstance(value, float) and math.isinf(value):
        return "∞" if value > 0 else "−∞"
    shown = format(value, spec if spec is not None else ".4g" if isinstance(value, float) else "")
    shown = re.sub("^-", "−", shown)
    mantissa, e, exponent = shown.partition("e")
    return times_power("" if mantissa == "1" else mantissa, int(exponent)) if e else shown


def plain(words: str) -> str:
    """Return words that MyST shows as they stand, in one line."""
    return re.sub(r"([\\`*_\[\]<>$|{}~&#])", r"\\\1", " ".join(words.split()))
