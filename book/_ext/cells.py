"""The code of a page's cells comes when one is unfolded: as a script, which a page without a server can load."""

from __future__ import annotations

import json
import re
from itertools import count
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

_CODE = re.compile(
    r'<details class="([^"]*)">(\s*<summary(?:(?!</?details).)*?</summary>)'
    r'(\s*<div class="(?:cell_input|sd-summary-content)[^>]*>\s*<div class="highlight-i?python'
    r"(?:(?!</?details).)*)</details>",
    re.DOTALL,
)
_NOTEBOOK = re.compile(r'<a href="([^"]+\.ipynb)"')


def part(app: Sphinx, error: Exception | None) -> None:
    """Write the code of each page beside it."""
    if error or app.builder.name != "html":
        return
    for path in Path(app.outdir).rglob("*.html"):
        page = path.read_text(encoding="utf-8")
        found, notebook = [one[3] for one in _CODE.finditer(page)], _NOTEBOOK.search(page)
        if found and notebook:
            beside = path.with_suffix(".cells.js")
            beside.write_text(f"window.cells = {json.dumps(found)};\n", encoding="utf-8")
            path.write_text(_folded(page, beside.name, notebook[1]), encoding="utf-8")


def _folded(page: str, file: str, notebook: str) -> str:
    """Return the page with the place of each code in the file, and for one without scripts a link to the notebook."""
    places = count()
    return _CODE.sub(
        lambda one: (
            f'<details class="{one[1]}" data-code="{file}#{next(places)}">{one[2]}'
            f'<p><a href="{notebook}">in the notebook</a></p></details>'
        ),
        page,
    )


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("build-finished", part)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
