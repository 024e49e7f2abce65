"""Chapters as programs: validate their parameters, execute them, publish what they make."""

from private_bandits_book.chapters.page import Chapter

__all__ = ["Chapter"]
