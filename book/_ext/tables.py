"""Long tables: each says in its caption how many rows it has, and scrolls under its own head."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

LONG = 20  # rows of a table that is longer than most screens
_TABLE = re.compile(r'<table class="(?!indextable)([^"]*)"([^>]*)>(.*?)</table>', re.DOTALL)


def count(app: Sphinx, error: Exception | None) -> None:
    """Count the rows of each written table."""
    if error or app.builder.format != "html":
        return
    for path in Path(app.outdir).rglob("*.html"):
        page = path.read_text(encoding="utf-8")
        counted = _TABLE.sub(_counted, page)
        if counted != page:
            path.write_text(counted, encoding="utf-8")


def _counted(table: re.Match[str]) -> str:
    classes, rest, inside = table.groups()
    rows = inside.partition("<tbody")[2].count("<tr")
    if rows < LONG or "long-table" in classes:
        return table[0]
    said = f'<span class="rows">{rows} rows</span></caption>'
    inside = inside.replace("</caption>", f" {said}", 1) if "</caption>" in inside else f"\n<caption>{said}{inside}"
    return f'<table class="{classes} long-table"{rest}>{inside}</table>'


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("build-finished", count)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
