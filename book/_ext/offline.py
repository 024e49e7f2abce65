"""Make the built pages load nothing from elsewhere: no live-code scripts."""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("config-inited", silence_thebe, priority=0)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def silence_thebe(app: Sphinx, config: Config) -> None:
    """Disconnect sphinx-thebe, which writes CDN and launch addresses into every page even where it is off."""
    for listeners in app.events.listeners.values():
        listeners[:] = [one for one in listeners if not one.handler.__module__.startswith("sphinx_thebe")]
    styles = app.registry.css_files
    styles[:] = [style for style in styles if "thebe" not in style[0]]
