"""The code of a figure: below the call that shows it, the function of the companion that draws it."""

from __future__ import annotations

import ast
import importlib.util
import re
from functools import cache
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

_CALL = re.compile(r'chapter\.(?:show|panels)\("(figure-[^"]+)"\)')


def unfold(app: Sphinx, doctree: nodes.document) -> None:
    """Add to the cells that show figures what draws them, each function once a page."""
    chapter, shown = app.env.docname.rpartition("/")[2], set[str]()
    for cell in doctree.findall(lambda node: "cell_input" in getattr(node, "attributes", {}).get("classes", ())):
        for block in list(cell.findall(nodes.literal_block)):
            call = _CALL.fullmatch(block.astext().strip())
            code = _source(chapter, call[1]) if call else ""
            if code and code not in shown:
                shown.add(code)
                block.children = [nodes.Text(f"{block.astext().strip()}\n\n\n{code}")]
                block.rawsource = block.astext()


def _source(chapter: str, label: str) -> str:
    """The function whose decorator declares the label, or what the label begins with; none where there is none."""
    found = [one for one in _panels(chapter) if one[1].fullmatch(label)]
    return max(found, key=lambda one: len(one[0]), default=("", "", ""))[2]


@cache
def _panels(chapter: str) -> list[tuple[str, re.Pattern[str], str]]:
    """Label, pattern of its panels' labels, and source, of each function of a chapter's room that `panels` declares."""
    room = Path(str(importlib.util.find_spec("private_bandits_book").origin)).parent / chapter / "panels.py"
    found, text = [], room.read_text(encoding="utf-8") if room.is_file() else ""
    for function in ast.parse(text).body:
        if isinstance(function, ast.FunctionDef) and function.decorator_list:
            code = "\n".join(text.splitlines()[function.decorator_list[0].lineno - 1 : function.end_lineno])
            calls = (one for one in function.decorator_list if isinstance(one, ast.Call))
            for given in (one for one in calls if ast.unparse(one.func) == "panels"):
                label, named = given.args[0].value, {key.arg: key.value for key in given.keywords}
                ends = f"[{named['letters'].value}]" if "letters" in named else ".*" if "each" in named else ""
                found.append((label, re.compile(re.escape(label) + ends), code))
    return found


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("doctree-read", unfold)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
