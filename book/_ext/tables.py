"""Tables: a long one counts its rows and scrolls under its own head; sentences have room, intervals a line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

LONG = 20  # rows of a table that is longer than most screens
SENTENCE = 40  # letters of a cell that is read and not looked up
_TABLE = re.compile(r'<table class="(?!indextable)([^"]*)"([^>]*)>(.*?)</table>', re.DOTALL)
_CELL = re.compile(r"<td>(.*?)</td>", re.DOTALL)
_INTERVAL = re.compile(r'(?<!kept">)\[[-\d][^][\s<>]*, [-\d∞][^][\s<>]*\]')


def mark(app: Sphinx, error: Exception | None) -> None:
    """Count the rows of each written table, and mark its sentences and its intervals."""
    if error or app.builder.format != "html":
        return
    for path in Path(app.outdir).rglob("*.html"):
        page = path.read_text(encoding="utf-8")
        marked = _TABLE.sub(_marked, page)
        if marked != page:
            path.write_text(marked, encoding="utf-8")


def _marked(table: re.Match[str]) -> str:
    classes, rest, inside = table.groups()
    inside = _INTERVAL.sub(r'<span class="kept">\g<0></span>', _CELL.sub(_sentence, inside))
    rows = inside.partition("<tbody")[2].count("<tr")
    if rows >= LONG and "long-table" not in classes:
        said = f'<span class="rows">{rows} rows</span></caption>'
        inside = inside.replace("</caption>", f" {said}", 1) if "</caption>" in inside else f"\n<caption>{said}{inside}"
        classes += " long-table"
    return f'<table class="{classes}"{rest}>{inside}</table>'


def _sentence(cell: re.Match[str]) -> str:
    return f'<td class="sentence">{cell[1]}</td>' if len(re.sub("<[^>]*>", "", cell[1])) > SENTENCE else cell[0]


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("build-finished", mark)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
