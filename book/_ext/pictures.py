"""Figures of a page: each is a link to its file, takes its place before it is loaded, and is loaded when it is near.

A figure with a narrow one beside it, `<name>.narrow.svg`, shows that one on a phone.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

_POINT = 4 / 3  # pixels


def size(svg: str) -> tuple[int, int]:
    """Return the width and the height in pixels of a drawing of matplotlib, which has them in points."""
    found = [re.search(rf'<svg[^>]* {name}="([\d.]+)pt"', svg) for name in ("width", "height")]
    width, height = (round(float(one[1]) * _POINT) if one else 0 for one in found)
    return width, height


def _visit(translator: Any, node: nodes.image) -> None:
    builder, uri = translator.builder, node["uri"]
    if not (uri.endswith(".svg") and uri in builder.images and isinstance(node.parent, nodes.figure)):
        type(translator).visit_image(translator, node)
        return
    file = Path(builder.srcdir, uri)
    width, height = size(file.read_text(encoding="utf-8"))
    src = f"{builder.imgpath}/{builder.images[uri]}"
    narrow = _narrow(builder, file.with_suffix(".narrow.svg"), builder.images[uri])
    link = translator.starttag(node, "a", "", CLASS="picture", href=src).rstrip("\n")
    image = translator.emptytag(
        {}, "img", "", alt=node.get("alt", ""), src=src, width=width, height=height, loading="lazy"
    )
    translator.body.append(f"{link}<picture>{narrow}{image}</picture></a>" if narrow else f"{link}{image}</a>")


def _narrow(builder: Any, file: Path, name: str) -> str:
    """Return the source of a picture for a phone, which is copied beside the other; nothing where there is none."""
    if not file.is_file():
        return ""
    folder = Path(builder.outdir, builder.imagedir)
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, folder / f"narrow-{name}")
    width, height = size(file.read_text(encoding="utf-8"))
    where = f'srcset="{builder.imgpath}/narrow-{name}" width="{width}" height="{height}"'
    return f'<source media="screen and (max-width: 44rem)" {where}>'


def _depart(translator: Any, node: nodes.image) -> None:
    """Nothing is left open."""


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_node(nodes.image, override=True, html=(_visit, _depart))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
