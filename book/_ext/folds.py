"""Cells that fold: parameters, imports and drawings without their code, solutions whole. Cells that compute stay."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from sphinx.application import Sphinx


class Fold(NamedTuple):
    """What folds of a cell, and what is read on it."""

    tag: str
    closed: str
    opened: str


SOLUTION = Fold("hide-cell", "Solution in code", "Solution in code")
PARAMETERS = Fold("hide-input", "Show the parameters", "Hide the parameters")
IMPORTS = Fold("hide-input", "Show what is imported", "Hide what is imported")
DRAWING = Fold("hide-input", "Show how it is drawn", "Hide how it is drawn")

# What chooses rows, writes words or reads what is stored; all else computes.
_CHOOSES = {"isin", "eq", "startswith", "endswith", "get", "items", "join", "upper", "lower"}
_PLAIN = {"dict", "list", "sorted", "zip", "enumerate", "range", "len", "filter", "reversed", "str", "tuple", "set"}
_DRAWS = ("plots.", "pictures.", "chapter.figure", "chapter.long")


def fold(app: Sphinx, docname: str, source: list[str]) -> None:
    """Fold cells of a notebook, and say on each fold what is in it."""
    if app.env.doc2path(docname).endswith(".ipynb"):
        notebook = json.loads(source[0])
        for cell in notebook["cells"]:
            tags = cell["metadata"].setdefault("tags", [])
            if cell["cell_type"] == "code" and (folded := _folded(tags, "".join(cell["source"]))):
                cell["metadata"]["tags"] = [*(tag for tag in tags if not tag.startswith("hide-")), folded.tag]
                cell["metadata"]["mystnb"] = {"code_prompt_show": folded.closed, "code_prompt_hide": folded.opened}
        source[0] = json.dumps(notebook, ensure_ascii=False, indent=1)


def _folded(tags: Iterable[str], source: str) -> Fold | None:
    for tag, folded in (("solution", SOLUTION), ("parameters", PARAMETERS)):
        if tag in tags:
            return folded
    return IMPORTS if imports(source) else DRAWING if draws(source) else None


def imports(source: str) -> bool:
    """Return whether code does nothing but import, and make its chapter."""
    lines = _lines(source)
    made = [line for line in lines if not isinstance(line, ast.Import | ast.ImportFrom)]
    return len(lines) > len(made) and all(ast.unparse(line).startswith("chapter = Chapter(") for line in made)


def draws(source: str) -> bool:
    """Return whether code does nothing but draw: it shows figures, and chooses of what there is and how it looks."""
    lines = _lines(source)
    named = all(isinstance(line, ast.Assign | ast.AugAssign | ast.Expr) for line in lines)
    calls = [ast.unparse(one.func) for line in lines for one in ast.walk(line) if isinstance(one, ast.Call)]
    computes = any(isinstance(one, ast.BinOp) and not _joins(one) for line in lines for one in ast.walk(line))
    return named and not computes and "chapter.figure" in calls and all(map(_only_draws, calls))


def _lines(source: str) -> list[ast.stmt]:
    try:
        return ast.parse(source).body
    except SyntaxError:  # of IPython
        return []


def _joins(sign: ast.BinOp) -> bool:
    """Return whether this joins or finds what is chosen, and is no arithmetic."""
    return isinstance(sign.op, ast.BitOr | ast.BitAnd | ast.FloorDiv)


def _only_draws(called: str) -> bool:
    return called.startswith(_DRAWS) or called in _PLAIN or called.rpartition(".")[2] in _CHOOSES


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("source-read", fold, priority=700)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
