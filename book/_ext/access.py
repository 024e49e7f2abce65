"""What the themes leave out for those who do not see a page, or do not use a mouse."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

_SAID = {
    r'<summary>(?=<span class="toctree-toggle")': '<summary aria-label="Pages below this one">',
    r'<div role="list" class="citation-list">': '<div class="citation-list">',  # its entries are no list's items
    r' role="doc-biblioentry"': "",  # deprecated
    r' aria-label="Search" data-bs': " data-bs",  # another name than the one that is read on it
    r"<th(\b[^>]*)></th>": r"<td\1></td>",  # the head of nothing
    # the fold above the cell of parameters, whose figures' code is not folded
    r"(tag_parameters(?s:.*?))Show the source((?s:.*?))Hide the source": r"\1Show the parameters\2Hide the parameters",
    r'<h1>((?:<span class="section-number">[^<]*</span>)?)(\w+-\w+)': r'<h1>\1<span class="kept">\2</span>',
}


def complete(app: Sphinx, error: Exception | None) -> None:
    """Say it on each written page."""
    if error or app.builder.format != "html":
        return
    for path in Path(app.outdir).rglob("*.html"):
        page = path.read_text(encoding="utf-8")
        for pattern, said in _SAID.items():
            page = re.sub(pattern, said, page)
        if path.parent.name == "_modules":
            page = _nested(page)
        path.write_text(page, encoding="utf-8")
    # a snippet of what the search finds is of the article, not of the menu above it
    tools = Path(app.outdir, "_static", "searchtools.js")
    code = tools.read_text(encoding="utf-8").replace(
        """querySelector('[role="main"]')""", 'querySelector(".bd-article")'
    )
    tools.write_text(code, encoding="utf-8")


def _nested(page: str) -> str:
    """Put a list of modules into the item above it."""
    before, head, rest = page.partition("<ul><li><a href")
    listed, foot, after = rest.partition("</article>")
    inner, last, end = listed.replace("</li>\n<ul>", "\n<ul>").rpartition("</ul>")
    return before + head + inner.replace("</ul>", "</ul></li>") + last + end + foot + after


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("build-finished", complete)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
