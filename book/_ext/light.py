"""What a page need not carry: scripts and styles that nothing here uses, and markup that no style sees."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

# The icons come from the theme's fonts, code unfolds by book.css, and there are no tabs.
_ASSETS = r"fontawesome\.js|togglebutton|design-tabs|sphinx-design"
_LEFT_OUT = [
    rf'\s*<script[^>]* src="[^"]*(?:{_ASSETS})[^"]*"></script>',
    rf'\s*<link[^>]* href="[^"]*(?:{_ASSETS})[^"]*" ?/>',
    r"\s*<script>(?:let toggle|var togglebutton)[^<]*</script>",
]
_SHORTER = {
    r'<span class="(?:n|p|w|o|nb|mi|mf|kc|ow|nn|fm)">([^<]*)</span>': r"\1",  # colours for keywords, words, comments
    r"(<t[dh]\b[^>]*>)<p>((?:(?!<p>|</p>).)*)</p>(</t[dh]>)": r"\1\2\3",
    r'<tr class="row-(?:odd|even)">': "<tr>",
    r'(<t[dh]) class="(?:head )?text-left"': r"\1",
    r'(<t[dh] class=")(?:head )?text-right"': r'\1r"',
    r'(<t[dh] class=")head ': r"\1",
    r"(</t[dh]>|<tr>)\n(?=<t[dh]|</tr>)": r"\1",
    r'<span class="pre">([^<]*)</span>': r"\1",
    r' class="(?:xref )?(?:download )?docutils literal notranslate"': "",
    r' class="reference internal"': "",
    r' class="reference download internal"': ' class="download"',
    r'<span class="sd-summary-state-marker.*?</svg></span>': "",
    r'<details class="sd-[^"]*"': '<details class="sd-dropdown"',
    r' class="sd-(?:card-text|summary-text|summary-title sd-card-header|summary-content sd-card-body docutils)"': "",
    r'(<div class="cell[\w -]*) docutils container"': r'\1"',
    r'(<a class="headerlink"[^>]*) title="[^"]*"': r"\1",
    r'(<span class="bibtex-citation"[^>]*>.*?</span>)': lambda cited: re.sub(' title="[^"]*"', "", cited[1]),
    r"(<a [^>]*>)<span>([^<]*)</span></a>": r"\1\2</a>",
}
_RIGHT = ' class="r"'
_NOT_LOADED = ["locales", "scripts/fontawesome.js*", "**/*.map", "design-*"]
_NOT_LOADED += ["sphinx-design*", "togglebutton*", "*thebe*"]


def lighten(app: Sphinx, error: Exception | None) -> None:
    """Take from each written page, and from the folder beside them, what no reader would miss."""
    if error or app.builder.format != "html":
        return
    for path in Path(app.outdir).rglob("*.html"):
        page = path.read_text(encoding="utf-8")
        for pattern in _LEFT_OUT:
            page = re.sub(pattern, "", page)
        for pattern, short in _SHORTER.items():
            page = re.sub(pattern, short, page, flags=re.DOTALL)
        page = re.sub(r"<table.*?</table>", _aligned, page, flags=re.DOTALL)
        parts = re.split("(<pre.*?</pre>)", page, flags=re.DOTALL)
        parts[::2] = [re.sub(r"\s*\n\s*", "\n", part) for part in parts[::2]]
        page = "".join(parts)
        path.write_text(page, encoding="utf-8")
    for pattern in _NOT_LOADED:
        for found in Path(app.outdir, "_static").glob(pattern):
            shutil.rmtree(found) if found.is_dir() else found.unlink()


def _aligned(table: re.Match[str]) -> str:
    """Say once which columns of a table are set to the right."""
    rows = [re.findall(r"<t[dh]([^>]*)>", row) for row in table[0].split("<tr>")[1:]]
    right = [place for place, column in enumerate(zip(*rows, strict=False), 1) if set(column) == {_RIGHT}]
    if not right or len({len(row) for row in rows}) > 1:
        return table[0]

    def row(line: re.Match[str]) -> str:
        places = iter(range(1, len(rows[0]) + 1))
        return re.sub(r"(<t[dh])([^>]*)", lambda cell: cell[1] + cell[2] * (next(places) not in right), line[0])

    told = " ".join(f"r{place}" for place in right)
    return re.sub(r"<tr>.*?</tr>", row, table[0], flags=re.DOTALL).replace('class="table', f'class="table {told}', 1)


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("build-finished", lighten)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
