"""The files beside the pages, which every build copies anew: none that nothing loads, and fonts of the icons shown.

The theme's styles and fonts have two thousand icons.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from sphinx.application import Sphinx

_NAME = re.compile(r"\bfa-[a-z0-9-]+")
_RULE = re.compile(r'((?:\.fa-[\w-]+:before,?)+)\{content:"\\?([^"]+)"\}')
_FILES = re.compile(r'url\(([^()]+)\.woff2\) format\("woff2"\),url\(\1\.ttf\) format\("truetype"\)')
_NOT_LOADED = ["locales", "scripts/fontawesome.js*", "**/*.map", "design-*"]
_NOT_LOADED += ["sphinx-design*", "togglebutton*", "*thebe*"]


def tidy(app: Sphinx, error: Exception | None) -> None:
    """Take away what no page loads, cut the icons, and let the search quote articles."""
    if error or app.builder.format != "html":
        return
    static = Path(app.outdir, "_static")
    for pattern in _NOT_LOADED:
        for found in static.glob(pattern):
            shutil.rmtree(found) if found.is_dir() else found.unlink()
    _cut_icons(Path(app.outdir), static)
    # paper is light, whatever the screen has
    colours = static / "pygments.css"
    dark = re.compile(r'(?:^html\[data-theme="dark"\].*\n?)+', re.MULTILINE)
    text = dark.sub(r"@media screen {\n\g<0>}\n", colours.read_text(encoding="utf-8"))
    colours.write_text(text, encoding="utf-8")
    # a snippet of what the search finds is of the article, not of the menu above it
    tools = static / "searchtools.js"
    code = tools.read_text(encoding="utf-8").replace(
        """querySelector('[role="main"]')""", 'querySelector(".bd-article")'
    )
    tools.write_text(code, encoding="utf-8")


def _cut_icons(site: Path, static: Path) -> None:
    """Cut rules and letters of icons that no page and no script names."""
    used = set[str]()
    for path in [*site.rglob("*.html"), *static.glob("scripts/*theme.js")]:
        used |= set(_NAME.findall(path.read_text(encoding="utf-8")))
    style = static / "styles" / "pydata-sphinx-theme.css"
    letters = set[int]()

    def rule(found: re.Match[str]) -> str:
        if not used & set(_NAME.findall(found[1])):
            return ""
        code = found[2].strip()
        letters.add(int(code, 16) if len(code) > 1 else ord(code))
        return found[0]

    text = _RULE.sub(rule, style.read_text(encoding="utf-8"))
    style.write_text(_FILES.sub(r'url(\1.woff) format("woff")', text), encoding="utf-8")
    for path in static.glob("vendor/fontawesome/webfonts/*.ttf"):
        font = TTFont(path, recalcTimestamp=False)  # the time of the cut is none of the font
        cut = Subsetter(Options(layout_features=[]))
        cut.populate(unicodes=letters)
        cut.subset(font)
        font.flavor = "woff"  # which needs no compressor of its own
        font.save(path.with_suffix(".woff"))
        path.unlink()
        path.with_suffix(".woff2").unlink()


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("build-finished", tidy, priority=900)  # after the theme, which writes colours then
    return {"parallel_read_safe": True, "parallel_write_safe": True}
