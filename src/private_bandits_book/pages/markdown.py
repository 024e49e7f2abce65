"""Words and numbers as Markdown shows them."""

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from private_bandits_book.numbers import interval, typeset, written


def pipes(heads: Sequence[str], rows: Sequence[Sequence[str]], align: Sequence[str] = ()) -> str:
    """Return a Markdown table of cells that are Markdown."""
    lines = [heads, align or [":---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def text(value: Any, spec: str | None = None) -> str:
    """Return a value as a table shows it: four significant digits for floats unless `spec` says otherwise.

    Python's 1.2e+07 is 1.2·10⁷, its slide_rate two words, and an interval has both its ends.
    """
    if isinstance(value, str):
        return typeset(value.replace("_", " "))
    from private_bandits.estimates import Interval  # a command that only executes does without it

    if isinstance(value, Interval):
        return interval(value)
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if value is None or value != value:
        return ""
    if isinstance(value, float) and math.isinf(value):
        return "∞" if value > 0 else "−∞"
    shown = format(value, spec if spec is not None else ".4g" if isinstance(value, float) else "")
    return written(shown) if isinstance(value, int | float | np.number) else shown


def plain(words: str) -> str:
    """Return words that MyST shows as they stand, in one line."""
    return re.sub(r"([\\`*_\[\]<>$|{}~&#])", r"\\\1", " ".join(words.split()))
