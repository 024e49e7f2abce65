"""Print the built book without the library's reference into one PDF; check that nothing of it is missing or cut."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import yaml
from bs4 import BeautifulSoup, Tag
from chromium import read, to_pdf

ROOT = Path(__file__).parents[1]
SITE = ROOT / "_build" / "html"
PDF = ROOT / "_build" / "private-bandits.pdf"
LARGEST = 20_000_000
LEFT_OUT = "The reference of the library, folded code and the solutions of exercises are left out; the pages have them."


def main() -> None:
    listed = documents(yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8")))
    parts = [part for name in listed for part in (name, f"{name}_proofs")]  # some have their proofs on a page beside
    names = [name for name in dict.fromkeys(parts) if (SITE / f"{name}.html").is_file()]
    articles = {name: article(name, names) for name in names}
    once = printed(articles, {})
    printed(articles, once)
    text, size = read("pdftotext", "-raw", str(PDF), "-"), PDF.stat().st_size
    wrong = faults(articles, text, size)
    print(f"{PDF}: {text.count(chr(12))} pages, {size / 1e6:.1f} MB")  # a form feed ends each page
    if wrong:
        sys.exit("\n".join(wrong))


def documents(entry: dict[str, Any]) -> Iterator[str]:
    """Yield the pages of a table of contents in reading order, without the reference of the library."""
    yield from (entry[key] for key in ("root", "file") if key in entry and "/api/" not in entry[key])
    for key in ("parts", "chapters", "sections"):
        for inner in entry.get(key, []):
            yield from documents(inner)


def article(name: str, names: list[str]) -> Tag:
    """Return what a page says, its anchors named after it, its links leading to articles, to other sites or nowhere."""
    page = (SITE / f"{name}.html").resolve()
    found = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser").select_one("article.bd-article")
    assert found is not None, page
    inside = {(SITE / f"{one}.html").resolve(): one for one in names}
    for tag in found.select("a.headerlink, .viewcode-link, script"):
        tag.decompose()
    for tag in found.select("[id]"):
        tag["id"] = f"{name}/{tag['id']}"
    found["id"] = name
    for tag in found.select("a[href]"):
        link = urlsplit(str(tag["href"]))
        if link.scheme:
            continue
        target = (page.parent / unquote(link.path)).resolve() if link.path else page
        if target in inside:
            tag["href"] = f"#{inside[target]}" + (f"/{link.fragment}" if link.fragment else "")
        else:
            tag.unwrap()
    for tag in found.select("picture > source"):  # the drawing for a phone
        tag.decompose()
    for tag in found.select("img"):
        tag["src"] = (page.parent / unquote(str(tag["src"]))).resolve().as_uri()
        del tag["loading"]
    # A formula is one thing to who hears the page.
    for tag in found.select("math"):
        tag["role"], tag["aria-label"] = "img", tag.get_text()
    for tag in found.select("details.hide, details.solution, .exercise details"):  # what a reader unfolds to look it up
        tag.decompose()
    if name == "book/claims":  # it lists what the chapters unfold
        for tag in found.select(".claim-more"):
            tag.decompose()
    return found


def printed(articles: dict[str, Tag], numbers: dict[str, int]) -> dict[str, int]:
    """Print the articles behind their contents, and return the page of every anchor that something points to."""
    first = BeautifulSoup((SITE / f"{next(iter(articles))}.html").read_text(encoding="utf-8"), "html.parser")
    sheets = [urlsplit(str(tag["href"])).path for tag in first.select("link[rel=stylesheet]")]
    here = SITE / next(iter(articles))
    links = "".join(f'<link rel="stylesheet" href="{(here.parent / path).resolve().as_uri()}">' for path in sheets)
    contents = "".join(_line(one, numbers) for page in articles.values() for one in page.select("h1, h2"))
    text = (
        f'<!doctype html><html lang="en" data-theme="light"><meta charset="utf-8"><title>Private Bandits</title>{links}'
        f'<body><main class="bd-main"><div class="bd-content"><div class="bd-article-container">'
        f'<article class="bd-article"><p>{LEFT_OUT}</p><nav class="print-contents">{contents}</nav></article>'
        f"{''.join(map(str, articles.values()))}</div></div></main>"
    )
    to_pdf(text, PDF, width=673)
    told = read("pdfinfo", "-dests", str(PDF))
    return {name: int(page) for page, name in re.findall(r'^ *(\d+) .*"(.+)"$', told, flags=re.MULTILINE)}


def _line(head: Tag, numbers: dict[str, int]) -> str:
    section = head.find_parent("section")
    assert section is not None
    number = numbers.get(str(section["id"]), "")
    kind = "outer" if head.name == "h1" else "inner"
    return f'<p class="{kind}"><a href="#{section["id"]}">{escape(head.get_text())}</a> <span>{number}</span></p>'


def faults(articles: dict[str, Tag], text: str, size: int) -> list[str]:
    """Return what is wrong with a PDF of this text: titles and captions that it lacks, what the page found."""
    wrong = re.findall("Fault: .*", text)
    if size > LARGEST:
        wrong.append(f"{size} bytes are more than {LARGEST}")
    flat = _squeezed(text)
    for name, page in articles.items():
        for tag in page.select("h1, figcaption, caption"):
            said = [one for one in tag.find_all(string=True) if one.find_parent("math") is None]
            wrong += [f"{name}: the PDF lacks {one!r}" for one in said if _squeezed(one) not in flat]
    return wrong


def _squeezed(text: str) -> str:
    """Return a text without what breaks lines: space and hyphens."""
    return re.sub(r"[\s-]", "", unicodedata.normalize("NFKC", text))


if __name__ == "__main__":
    main()
