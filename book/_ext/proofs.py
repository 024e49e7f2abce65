"""Proofs stand on a page of their own beside their chapter's, which has a link where each is written."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

_PROOF = re.compile(
    r'<details class="[^"]*sd-dropdown[^>]*>\s*<summary[^>]*>\s*<span class="sd-summary-text">(Proof\b.*?)</span>'
    r"<span class=\"sd-summary-state.*?</summary>(.*?)</details>",
    flags=re.DOTALL,
)
_ARTICLE = re.compile(r"(<article[^>]*>).*(</article>)", flags=re.DOTALL)
_TITLE = re.compile(r"<h1>(.*?)<a class", flags=re.DOTALL)
_CONTENTS = re.compile(r'(<nav id="pst-page-toc-nav"[^>]*>).*?(</nav>)', flags=re.DOTALL)


def part(app: Sphinx, error: Exception | None) -> None:
    """Part each page that was written from its proofs; a site of one page keeps them."""
    if error or app.builder.name != "html":
        return
    for path in [path for path in Path(app.outdir).rglob("*.html") if "_modules" not in path.parts]:
        page = path.read_text(encoding="utf-8")
        if _PROOF.search(page):
            beside = path.with_name(f"{path.stem}_proofs.html")
            proofs, page = _parted(page, path.name, beside.name)
            beside.write_text(proofs, encoding="utf-8")
            path.write_text(page, encoding="utf-8")


def _parted(page: str, name: str, beside: str) -> tuple[str, str]:
    """Return the page of the proofs, and the page without them."""
    found = list(_PROOF.finditer(page))
    heads = [re.sub("<a class.*?</a>", "", re.findall("<h[2-4]>(.*?)</h", page[: one.start()])[-1]) for one in found]
    title = _TITLE.search(page)
    body = f'<section id="proofs">\n<h1>Proofs: {title[1] if title else ""}</h1>\n'
    contents = ""
    for place, (one, head) in enumerate(zip(found, heads, strict=True), 1):
        said = f"{head}: {one[1][0].lower()}{one[1][1:]}"
        body += f'<section id="proof-{place}">\n<h2>{said}</h2>\n{one[2]}\n'
        body += f'<p><a href="{name}#proof-{place}">Where it is used</a></p>\n</section>\n'
        contents += f'<li class="toc-h2 nav-item toc-entry"><a class="nav-link" href="#proof-{place}">{said}</a></li>\n'
    places = iter(range(1, len(found) + 1))
    page = _PROOF.sub(lambda one: _link(beside, next(places), one[1]), page)
    listed = f'<ul class="nav section-nav flex-column">\n{contents}</ul>'
    shell = _CONTENTS.sub(lambda nav: nav[1] + listed + nav[2], page)
    shell = re.sub(rf'="(https://[^"]*/){re.escape(name)}"', rf'="\g<1>{beside}"', shell)  # its own address
    proofs = _ARTICLE.sub(lambda all_: f"{all_[1]}\n{body}</section>\n{all_[2]}", shell)
    return _elsewhere(proofs, page, name), _elsewhere(page, proofs, beside)


def _link(beside: str, place: int, said: str) -> str:
    return f'<p id="proof-{place}"><a href="{beside}#proof-{place}">{said}</a></p>'


def _elsewhere(page: str, other: str, name: str) -> str:
    """Lead what the other page has there."""
    here, there = (set(re.findall(r'\bid="([^"]+)"', text)) for text in (page, other))
    page = re.sub(r'href="#([^"]+)"', lambda to: f'href="{name * (to[1] in there - here)}#{to[1]}"', page)
    return page.replace('href="#"', f'href="{name}"')


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("build-finished", part)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
