"""Make the notes, each printed to be read alone: its own text and sections of the pages of proofs, word for word.

A line of a note that is nothing but a link to a section of a page of proofs, or to a figure or table of a chapter,
stands for what it leads to. The words of a link to a section are its heading.
"""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml
from bs4 import BeautifulSoup, Tag
from chromium import read, to_pdf
from pdf import faults

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "book" / "_ext"))
from placed import cited  # noqa: E402
from published import site_of  # noqa: E402
from sphinx.application import Sphinx  # noqa: E402

NOTES = sorted(ROOT.glob("notes/*.md"))
STYLE = Path(__file__).with_name("notes.css")
REFERENCES = ROOT / "book" / "references.bib"
CITED = "Private Bandits, 2026"
PAGES = range(4, 13)

_PLACE = re.compile(r"^\[([^]]+)\]\(\.\./(book/\w+\.(?:md|ipynb))#([\w-]+)\)$", flags=re.MULTILINE)
_LINK = re.compile(r"\[([^][]+)\]\((?!https?:)([^)\s]*?)(?:#([\w-]+))?\)")
_CONFIG = {
    "bibtex_bibfiles": [REFERENCES.name],
    "bibtex_default_style": "plain",
    "bibtex_reference_style": "as_chapters",
    "extensions": ["myst_parser", "sphinxcontrib.bibtex", "mathml", "placed"],
    "html_math_renderer": "mathml",
    "html_theme": "basic",
    "myst_enable_extensions": ["amsmath", "dollarmath"],
    "nitpicky": True,
    "project": "Private Bandits",
}


def main(folder: str, form: str = "pdf") -> None:
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    wrong = []
    for name, article in articles().items():
        title = article.select_one("h1")
        assert title is not None
        sheet = f'<link rel="stylesheet" href="{STYLE.as_uri()}">'
        head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title.get_text()}</title>{sheet}'
        page = out / f"{name}.html"
        page.write_text(f"{head}<body>{article}", encoding="utf-8")
        if form == "pdf":
            pdf = page.with_suffix(".pdf")
            to_pdf(page.read_text(encoding="utf-8"), pdf, width=643)
            text = read("pdftotext", "-raw", str(pdf), "-")
            pages = text.count(chr(12))  # a form feed ends each page
            print(f"{pdf}: {pages} pages")
            wrong += faults({name: article}, text, pdf.stat().st_size)
            wrong += [] if pages in PAGES else [f"{name} has {pages} pages"]
    if wrong:
        sys.exit("\n".join(wrong))


def assembled(note: Path, root: Path = ROOT) -> str:
    """Return a note as one page of Markdown: nothing in it leads to another, and what it cites stands at its end."""
    text = _PLACE.sub(lambda found: _placed(root / found[2], found[3], found[1]), note.read_text(encoding="utf-8"))
    targets = set(re.findall(r'<a id="([\w-]+)">|^:name: ([\w-]+)$', text, flags=re.MULTILINE))
    here = {one for pair in targets for one in pair if one}
    text = _LINK.sub(lambda found: f"[{found[1]}](#{found[3]})" if found[3] in here else f"{found[1]} ({CITED})", text)
    book, told = (yaml.safe_load(path.read_text(encoding="utf-8")) for path in (root / "CITATION.cff", _cff(note)))
    (author,) = (one["name"] for one in told["authors"])
    repository = os.environ.get("PRIVATE_BANDITS_REPOSITORY", "")
    address = site_of(repository) if repository else ""
    entry = {"title": told["title"], "author": f"{{{author}}}", "year": told["preferred-citation"]["year"]}
    entry |= {"note": f"With Private Bandits, version {book['version']}"}
    entry |= {"url": f"{address}notes/{note.stem}.pdf"} if address else {}
    fields = "".join(f"  {name:6} = {{{value}}},\n" for name, value in entry.items())
    works = "\n".join(cited(text, REFERENCES, note.stem))
    return (
        f"---\norphan: true\n---\n\n# {told['title']}\n\n"
        f"{author}, {book['date-released']}, with version {book['version']} of Private Bandits. {address}\n\n{text}\n"
        f"## Cite this note\n\n```bibtex\n@misc{{private-bandits-{note.stem},\n{fields}}}\n```\n\n## References\n\n"
        f"{author} (2026). *{book['title']}.* Version {book['version']}. {address}\n\n"
        f"```{{bibliography}}\n:filter: False\n:keyprefix: {note.stem}-\n:labelprefix: {note.stem[0].upper()}\n\n"
        f"{works}\n```\n"
    )


def _cff(note: Path) -> Path:
    return note.with_suffix(".cff")


def _placed(page: Path, name: str, title: str) -> str:
    """Return a section of a page of proofs, or a figure or table as a chapter's notebook shows it."""
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".md":
        begin = re.search(rf'^<a id="{name}"></a>\n(##+) {re.escape(title)}$', text, flags=re.MULTILINE)
        if begin is None:
            raise ValueError(f"{page.name} has no section {title!r} at #{name}")
        end = re.compile(rf'^(?:<a id="[\w-]+"></a>\n)?#{{1,{len(begin[1])}}} ', flags=re.MULTILINE)
        rest = end.search(text, begin.end())
        return f'<a id="{name}"></a>\n## {title}{text[begin.end() : rest.start() if rest else None]}'.rstrip()
    shown = [out for cell in json.loads(text)["cells"] for out in cell.get("outputs", [])]
    texts = ["".join(out.get("data", {}).get("text/markdown", "")) for out in shown]
    (exhibit,) = (one for one in texts if f":name: {name}\n" in one)
    return re.sub(r" *\{download\}`[^<]*<([^>]*)>`", r" Data: `book/\1`.", exhibit).strip()


def articles() -> dict[str, Tag]:
    """Return each note as an article of HTML."""
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder) / "source", Path(folder) / "out"
        shutil.copytree(ROOT / "book" / "figures", source / "figures")
        shutil.copy(REFERENCES, source)
        for note in NOTES:
            (source / note.name).write_text(assembled(note), encoding="utf-8")
        config: dict[str, Any] = _CONFIG | {"root_doc": NOTES[0].stem}
        sphinx = Sphinx(source, None, out, out, "html", config, status=None, warningiserror=True)
        sphinx.build()
        if sphinx.statuscode:
            sys.exit("the notes have warnings")
        return {note.stem: _article(out / f"{note.stem}.html") for note in NOTES}


def _article(page: Path) -> Tag:
    found = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser").select_one("div.body")
    assert found is not None, page
    found.name, found.attrs = "article", {}
    for tag in found.select("a.headerlink, script"):
        tag.decompose()
    for tag in found.select("img"):
        drawing = base64.b64encode((page.parent / str(tag["src"])).read_bytes()).decode()
        tag["src"] = f"data:image/svg+xml;base64,{drawing}"
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
