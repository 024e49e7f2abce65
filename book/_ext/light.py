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
    r'<span class="(?:n|p|w|o|nb|mi|mf)">([^<]*)</span>': r"\1",  # code has colours for keywords, words and comments
    r"(<t[dh]\b[^>]*>)<p>((?:(?!<p>|</p>).)*)</p>(</t[dh]>)": r"\1\2\3",
    r'<tr class="row-(?:odd|even)">': "<tr>",
    r'(<t[dh]) class="(?:head )?text-left"': r"\1",
    r'(<t[dh] class=")head ': r"\1",
    r'<span class="pre">([^<]*)</span>': r"\1",
    r' class="docutils literal notranslate"': "",
    r' class="reference internal"': "",
    r"<img (?!loading)": '<img loading="lazy" ',
}
_NOT_LOADED = ["locales", "vendor/fontawesome/webfonts/*.ttf", "scripts/fontawesome.js*", "**/*.map", "design-*"]
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
        path.write_text(page, encoding="utf-8")
    for pattern in _NOT_LOADED:
        for found in Path(app.outdir, "_static").glob(pattern):
            shutil.rmtree(found) if found.is_dir() else found.unlink()


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("build-finished", lighten)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
