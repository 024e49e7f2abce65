"""Exercises of a chapter: the sections below "Try this", and their solutions, folded.

A solution in words is `<details><summary>Solution</summary>` in the notebook, which Jupyter and a forge fold as well.
One that computes is a cell with the tag `solution`, which only the build folds.
"""

from __future__ import annotations

import json
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

FOLDED = {"code_prompt_show": "Solution in code", "code_prompt_hide": "Solution in code"}


def fold(app: Sphinx, docname: str, source: list[str]) -> None:
    """Fold the cells that are solutions, with what they show."""
    if not app.env.doc2path(docname).endswith(".ipynb"):
        return
    notebook = json.loads(source[0])
    solutions = [cell["metadata"] for cell in notebook["cells"] if "solution" in cell["metadata"].get("tags", ())]
    for metadata in solutions:
        metadata["tags"] = [*metadata["tags"], "hide-cell"]
        metadata["mystnb"] = FOLDED
    if solutions:
        source[0] = json.dumps(notebook, ensure_ascii=False, indent=1)


def mark(app: Sphinx, doctree: nodes.document) -> None:
    """Let style sheets know exercises and the solutions in words."""
    for section in doctree.findall(nodes.section):
        if "try-this" in section["ids"]:
            for exercise in (one for one in section.children if isinstance(one, nodes.section)):
                exercise["classes"].append("exercise")
                for raw in [one for one in exercise.findall(nodes.raw) if one.astext().startswith("<details>")]:
                    words = raw.astext().replace("<details>", '<details class="solution">', 1)
                    raw.replace_self(nodes.raw("", words, format="html"))


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("source-read", fold)
    app.connect("doctree-read", mark)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
