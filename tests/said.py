"""Sentences in which numbers stand, for the tests of letters and notes."""

from __future__ import annotations

import re

from private_bandits.papers.semibandits import bounds

_PARTS = {"{n}": r"([\d,]*\d(?:\.\d+)?)", "{w}": r"(\d[^.;]*?)", "{any}": ".*?"}


def pattern(words: str) -> str:
    """Return what finds a sentence: `{n}` is a number, `{w}` are words that begin with one, `{any}` is anything."""
    parts = re.split(r"(\{(?:n|w|any)\})", words)
    return "".join(_PARTS.get(part, re.escape(part)) for part in parts)


def theorem_9(*, size: int = 4096, first: float = 8.0) -> tuple[str, str]:
    """Both sides of the contradiction with Theorem 9, after it has been asked whether the theorem fails there."""
    x, epsilon, c = 0.3, 1.0, 1 / 64
    assert bounds.theorem_9_fails(list_size=size, gap=x * size, epsilon=epsilon, constant=c)
    return f"{first / x + 16 / epsilon:.1f}", f"{c * (1 / x + size / epsilon):.1f}"
