"""Chapters as programs: validate their parameters, execute them, publish what they make."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from private_bandits_book.chapters.page import Chapter

__all__ = ["Chapter"]


def __getattr__(name: str) -> Any:
    """Import `Chapter` when it is first asked for: the command line starts without figures and tables."""
    if name != "Chapter":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from private_bandits_book.chapters.page import Chapter

    return Chapter
