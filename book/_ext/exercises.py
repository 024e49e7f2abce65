"""Exercises of a chapter: the sections below "Try this", and their solutions, folded.

A solution in words is `<details><summary>Solution</summary>` in the notebook, which Jupyter and a forge fold as well.
One that computes is a cell with the tag `solution`, which `folds` folds.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx


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
    app.connect("doctree-read", mark)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
