"""What a link to a page shows elsewhere: its title, its first finding, and a card where the address is known."""

from __future__ import annotations

import re
import textwrap
from html import escape
from typing import Any

from docutils import nodes
from docutils.utils.math import tex2unichar
from sphinx.application import Sphinx

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_SIGNS = {**tex2unichar.mathalpha, **tex2unichar.mathrel, **tex2unichar.mathbin}


def describe(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """Add title, description and card to the head of a page."""
    if doctree is None:
        return
    said = {"og:title": re.sub("<[^>]*>", "", context["title"]), "og:site_name": app.config.html_title}
    said |= {"og:type": "article", "og:description": summary(doctree), "description": summary(doctree)}
    if context.get("pageurl"):
        said |= {"og:url": context["pageurl"], "og:image": f"{app.config.html_baseurl}_static/card.png"}
        said |= {"twitter:card": "summary_large_image"}
    for name, text in said.items():
        kind = "property" if name.startswith("og:") else "name"
        context["metatags"] += f'\n<meta {kind}="{name}" content="{escape(text)}" />'


def summary(doctree: nodes.document) -> str:
    """Return how the first finding of a page begins, or else its text: the sentences that make sixty letters."""
    short = next((one for one in doctree.findall(nodes.section) if "in-short" in one["ids"]), doctree)
    found = next(short.findall(nodes.list_item), short) if short is not doctree else doctree
    paragraph = next(found.findall(nodes.paragraph), None)
    if paragraph is None:
        return ""
    texts = paragraph.findall(nodes.Text)
    text = "".join(_spoken(one) if isinstance(one.parent, nodes.math) else one for one in texts)
    said, *more = re.split(r"(?<=[.!?]) (?=[^a-z])", " ".join(text.split()).removesuffix(":"))
    while more and len(said) < 60:
        said += f" {more.pop(0)}"
    return textwrap.shorten(said, 300, placeholder=" …")


def _spoken(tex: str) -> str:
    """Return a formula as letters and signs."""
    tex = re.sub(r"\^\{?(-?\d+)\}?", lambda power: power[1].translate(_RAISED), tex)
    return re.sub(r"[{}$]|\\[,;!]", "", re.sub(r"\\([a-zA-Z]+) ?", lambda sign: _SIGNS.get(sign[1], sign[1]), tex))


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("html-page-context", describe)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
