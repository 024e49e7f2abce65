"""The laboratory: panels in which the experiment runs, and the one script that all of them share.

From `file://` a browser loads neither modules nor workers, and a run's page must open there. So the modules of
`book/_lab` are joined into one classic script, a function that its workers run from its own text. The module of their
constants is made anew from the library.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

PANELS = ("cascading", "semibandits", "definitions", "convex", "heavy_tailed", "explorer")
_IMPORT = re.compile(r'^import \{ (\w+(?:, \w+)*) \} from "\./(\w+)\.js";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:(?:async )?function\*?|const|class) (\w+))", re.MULTILINE)
_NEITHER = re.compile(r"^(?:import|export)\b.*$", re.MULTILINE)


def joined(folder: Path, entry: str = "main", **made: str) -> str:
    """Return the modules that `entry` needs as one classic script, each in a scope of its own, and no global name.

    A module that is made has its text here.
    """
    names = _in_order(folder, entry)
    parts = [_scoped(name, made.get(name) or (folder / f"{name}.js").read_text(encoding="utf-8")) for name in names]
    return "\n".join(["(function lab() {", '"use strict";', *parts, "})();", ""])


def _in_order(folder: Path, entry: str) -> list[str]:
    """Return the names of the modules, each after those that it imports."""
    done: list[str] = []

    def visit(name: str, above: tuple[str, ...]) -> None:
        if name in above:
            raise ValueError(f"modules must not import in a circle, got {' -> '.join([*above, name])}")
        if name not in done:
            for _, other in _IMPORT.findall((folder / f"{name}.js").read_text(encoding="utf-8")):
                visit(other, (*above, name))
            done.append(name)

    visit(entry, ())
    return done


def _scoped(name: str, source: str) -> str:
    """Return a module as a function's scope that gives its exports."""
    exports = ", ".join(_EXPORT.findall(source))
    source = _EXPORT.sub("", _IMPORT.sub(r"const { \1 } = in_\2;", source))
    if left := _NEITHER.search(source):
        raise ValueError(f"{name}.js must import and export as `join` knows it, got {left[0]!r}")
    return f"const in_{name} = (() => {{\n{source.strip()}\nreturn {{ {exports} }};\n}})();"


class lab(nodes.General, nodes.Element):
    """A panel; its children are what is shown without JavaScript."""


class Lab(SphinxDirective):
    """A panel of the laboratory. Without JavaScript it is a committed figure of the page, and the words of the body."""

    has_content = True
    required_arguments = 1
    option_spec = {"figure": directives.unchanged_required}  # noqa: RUF012

    def run(self) -> list[nodes.Node]:
        name = directives.choice(self.arguments[0], PANELS)
        words = " ".join(self.content)
        panel = lab(ids=[f"lab-{name}"], panel=name)
        figure = self.options.get("figure", "")
        # A rerun may have no such figure at its parameters.
        if figure and Path(self.env.relfn2path(figure)[1]).is_file():
            panel += nodes.image(uri=figure, alt=words, loading="lazy")
        panel += nodes.paragraph("", words)
        return [panel]


def _opens(self: Any, node: lab) -> None:
    facts = {"data-lab": node["panel"], "data-lab-state": "idle"}
    self.body.append(self.starttag(node, "div", CLASS="lab", **facts) + "<noscript>")


def _closes(self: Any, node: lab) -> None:
    self.body.append("</noscript></div>\n")


def write(app: Sphinx) -> None:
    """Write the script into the site before its pages, which name it with a checksum."""
    if app.builder.format == "html":
        target = Path(app.outdir, "_static", "lab.js")
        target.parent.mkdir(parents=True, exist_ok=True)
        script = joined(Path(app.srcdir, "book", "_lab"), constants=import_module("constants").module())
        target.write_text(script, encoding="utf-8")


def load(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """Load script and style on the pages that have a panel."""
    if doctree is not None and next(doctree.findall(lab), None) is not None:
        app.add_js_file("lab.js", loading_method="defer")
        app.add_css_file("lab.css")


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("lab", Lab)
    app.add_node(lab, html=(_opens, _closes))
    app.connect("builder-inited", write)
    app.connect("html-page-context", load)
    return {"version": "1", "env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}
