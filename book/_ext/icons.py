"""The theme's icons: its styles and fonts have two thousand, and keep those that a page shows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from sphinx.application import Sphinx

_NAME = re.compile(r"\bfa-[a-z0-9-]+")
_RULE = re.compile(r'((?:\.fa-[\w-]+:before,?)+)\{content:"\\?([^"]+)"\}')
_FILES = re.compile(r'url\(([^()]+)\.woff2\) format\("woff2"\),url\(\1\.ttf\) format\("truetype"\)')


def keep(app: Sphinx, error: Exception | None) -> None:
    """Cut rules and letters of icons that no page and no script names."""
    if error or app.builder.format != "html":
        return
    static = Path(app.outdir, "_static")
    used = set[str]()
    for path in [*Path(app.outdir).rglob("*.html"), *static.glob("scripts/*theme.js")]:
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
        font = TTFont(path)
        cut = Subsetter(Options(layout_features=[]))
        cut.populate(unicodes=letters)
        cut.subset(font)
        font.flavor = "woff"  # which needs no compressor of its own
        font.save(path.with_suffix(".woff"))
        path.unlink()
        path.with_suffix(".woff2").unlink()


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("build-finished", keep)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
