"""Words and numbers as Markdown shows them."""

import math
import re
from collections.abc import Sequence
from typing import Any


def pipes(heads: Sequence[str], rows: Sequence[Sequence[str]], align: Sequence[str] = ()) -> str:
    """Return a Markdown table of cells that are Markdown."""
    lines = [heads, align or [":---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def text(value: Any, spec: str | None = None) -> str:
    """Return a value as a table shows it: four significant digits for floats unless `spec` says otherwise."""
    if isinstance(value, str):
        return value
    if value is None or value != value:
        return ""
    if isinstance(value, float) and math.isinf(value):
        return "∞" if value > 0 else "-∞"
    return format(value, spec if spec is not None else ".4g" if isinstance(value, float) else "")


def plain(words: str) -> str:
    """Return words that MyST shows as they stand, in one line."""
    return re.sub(r"([\\`*_\[\]<>$|{}~&#])", r"\\\1", " ".join(words.split()))
