"""What tests of a chapter's rules are given: the rules by their claims, and intervals."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module

from private_bandits.estimates import Interval


def rules_of(chapter: str) -> dict[str, Callable]:
    """The rules of a chapter by the claims that they are named after."""
    room = import_module(f"private_bandits_book.chapters.{chapter}.rules")
    functions = inspect.getmembers(room, inspect.isfunction)
    own = {name: rule for name, rule in functions if rule.__module__ == room.__name__ and name[0] != "_"}
    return {name.replace("_", "-"): rule for name, rule in own.items()}


def between(low: float, high: float) -> Interval:
    return Interval((low + high) / 2, low, high)


def about(middle: float, half: float = 0.01) -> Interval:
    return Interval(middle, middle - half, middle + half)
