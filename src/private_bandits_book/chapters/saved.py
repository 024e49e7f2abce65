"""Runs that version 0.1 saved still execute: the cells of their notebooks are answered by what they show.

Such a notebook makes its evidence itself and passes pictures and tables to its chapter, by label. The exhibits are made
by label now, so the cells after the chapter's are read for their labels, and nothing else of them is run.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from IPython import get_ipython

from private_bandits_book.chapters import page

_SHOWING = {"show", "figure", "table", "data"}


class Chapter(page.Chapter):
    """A chapter whose notebook was written for version 0.1."""

    def __init__(self, name: str, **parameters: Any) -> None:
        super().__init__(name, **parameters)
        self._shown: set[str] = set()
        shell = get_ipython()
        if shell is not None:
            shell.input_transformers_post.append(self._rewritten)

    def again(self, *labels: str) -> None:
        """Display the exhibits whose labels begin with these, each once in a notebook."""
        for label in self.labels(*labels):
            if label not in self._shown:
                self._shown.add(label)
                self.panels(label)

    def _rewritten(self, lines: list[str]) -> list[str]:
        """Return what a saved cell shows, as a cell of today."""
        calls = [node for node in ast.walk(ast.parse("".join(lines))) if isinstance(node, ast.Call)]
        names = {_name(call) for call in calls}
        if "ledger" in names:
            return ["chapter.ledger()"]
        labels = [label for call in calls if _name(call) in _SHOWING for label in _labels(call)]
        labels += ["findings"] * ("in_short" in names)
        return [f"chapter.again({', '.join(map(repr, labels))})"] if labels else ["pass"]


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _labels(call: ast.Call) -> Iterator[str]:
    """Yield the labels that a call is given: constants, and the constant beginnings of others."""
    for argument in call.args:
        if isinstance(argument, ast.JoinedStr) and argument.values:
            argument = argument.values[0]
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
            yield argument.value
