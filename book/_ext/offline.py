"""Make the built pages load nothing from elsewhere: MathJax from the site itself, no live-code scripts."""

from __future__ import annotations

import shutil
from importlib.metadata import files
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config

MATHJAX = "tex-mml-chtml.js"
FONTS = "output/chtml/fonts/woff-v2"


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("config-inited", silence_thebe, priority=0)
    app.connect("build-finished", copy_mathjax)
    app.connect("build-finished", drop_source_maps)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def silence_thebe(app: Sphinx, config: Config) -> None:
    """Disconnect sphinx-thebe, which writes CDN and launch addresses into every page even where it is off."""
    for listeners in app.events.listeners.values():
        listeners[:] = [one for one in listeners if not one.handler.__module__.startswith("sphinx_thebe")]
    styles = app.registry.css_files
    styles[:] = [style for style in styles if "thebe" not in style[0]]


def copy_mathjax(app: Sphinx, error: Exception | None) -> None:
    """Copy the one MathJax component that `mathjax_path` names, and its fonts."""
    if error or app.builder.format != "html":
        return
    source = _mathjax_folder()
    target = Path(app.outdir, "_static", "mathjax")
    shutil.copytree(source / FONTS, target / FONTS, dirs_exist_ok=True)
    shutil.copy(source / MATHJAX, target)


def drop_source_maps(app: Sphinx, error: Exception | None) -> None:
    """Remove the themes' debugging files, a third of the site that no page loads."""
    if error or app.builder.format != "html":
        return
    for path in Path(app.outdir, "_static").rglob("*.map"):
        path.unlink()


def _mathjax_folder() -> Path:
    for file in files("sphinx-mathjax-offline") or []:
        if file.name == MATHJAX:
            return Path(str(file.locate())).parent
    raise FileNotFoundError(f"{MATHJAX} is not in sphinx-mathjax-offline: install the project's dependencies")
