"""Numbers of figures and tables, those of the committed chapter, so that a rerun with fewer panels keeps them.

What a paper numbers keeps the paper's label, which its caption says; what the book adds is numbered by chapter.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from private_bandits_book.book import Book, find_book

_PAPERS = re.compile(r"-(figure|table)-[0-9]")


def number(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Replace the numbers that Sphinx has counted through the whole site."""
    book = find_book()
    places = {name: place for place, name in enumerate(_pages(book), 1)}
    for docname, kinds in env.toc_fignumbers.items():
        page = docname.rpartition("/")[2]
        known = _numbers(book, page) if page in places else {}
        for kind, given in kinds.items():
            kinds[kind] = {one: (places[page], known[one]) for one in given if one in known}
    return []


def _pages(book: Book) -> list[str]:
    """The pages of the numbered parts of the table of contents, without those below other pages."""
    listed = yaml.safe_load((book.root / "_toc.yml").read_text(encoding="utf-8"))
    parts = (part["chapters"] for part in listed["parts"] if part.get("numbered"))
    return [page["file"].rpartition("/")[2] for page in chain(*parts)]


def _numbers(book: Book, chapter: str) -> dict[str, int]:
    """The numbers of a chapter's own figures, and of its tables, by address: in the order of the committed notebook."""
    path, found = book.pages / f"{chapter}.ipynb", dict[str, int]()
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    for kind in ("figure", "table"):
        names = dict.fromkeys(re.findall(rf":name: ({chapter}-{kind}-[a-z0-9.-]+)", text))
        own = [name for name in names if not _PAPERS.search(name)]
        found |= {nodes.make_id(name): place for place, name in enumerate(own, 1)}
    return found


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("env-get-updated", number, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
