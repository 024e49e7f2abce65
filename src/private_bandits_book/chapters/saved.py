"""Runs that version 0.1 saved still execute: the cells of their notebooks are answered by what they show.

Such a notebook makes its evidence itself and passes pictures and tables to its chapter, by label. The exhibits are made
by label now, so the cells after the chapter's are read for their labels, and nothing else of them is run.
"""

import ast
from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any

from IPython import get_ipython

from private_bandits_book.chapters import page

_SHOWING = {"show", "figure", "table", "data"}
_WORDS = {"in_short": "findings", "formulas": "formulas"}  # what is made of words has no label in a saved notebook


class Chapter(page.Chapter):
    """A chapter whose notebook was written for version 0.1."""

    def __init__(self, name: str, **parameters: Any) -> None:
        super().__init__(name, **parameters)
        self._displayed: set[str] = set()
        shell = get_ipython()
        if shell is not None:
            shell.input_transformers_post.append(self._rewritten)

    def again(self, *labels: str) -> None:
        """Display the exhibits whose labels begin with these, each once in a notebook."""
        for label in self.labels(*labels):
            if label not in self._displayed:
                self._displayed.add(label)
                self.panels(label)

    def _rewritten(self, lines: list[str]) -> list[str]:
        """Return what a saved cell shows, as a cell of today."""
        tree = ast.parse("".join(lines))
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        names = {_name(call) for call in calls}
        if "ledger" in names:
            return ["chapter.ledger()"]
        stand_for = dict(_stand_for(tree))
        labels = [_beginning(given, stand_for) for call in calls if _name(call) in _SHOWING for given in call.args]
        labels += [_WORDS[name] for name in _WORDS if name in names]
        given = ", ".join(repr(label) for label in labels if label)
        return [f"chapter.again({given})"] if given else ["pass"]


def _name(call: ast.Call) -> str:
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _stand_for(tree: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names of a cell that it sets, or asks to be equal to something, and to what."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            yield node.targets[0].id, node.value
        elif isinstance(node, ast.Compare) and isinstance(node.left, ast.Name) and isinstance(node.ops[0], ast.Eq):
            yield node.left.id, node.comparators[0]


def _beginning(label: ast.expr, stand_for: Mapping[str, ast.expr]) -> str:
    """Return what is known of a label: a constant, or the beginning of an f-string; "" of anything else."""
    if isinstance(label, ast.Name) and label.id in stand_for:
        others = {name: value for name, value in stand_for.items() if name != label.id}
        return _beginning(stand_for[label.id], others)
    if isinstance(label, ast.JoinedStr):
        parts = (_beginning(part, stand_for) for part in label.values)
        return "".join(takewhile(bool, parts))
    if isinstance(label, ast.FormattedValue):
        return _beginning(label.value, stand_for)
    return str(label.value) if isinstance(label, ast.Constant) else ""
