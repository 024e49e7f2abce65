"""The card below the title of a chapter: its paper, what its claims came to, and how to run it again."""

from __future__ import annotations

import csv
import re
from collections import Counter
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from docutils import nodes
from sphinx.application import Sphinx

from private_bandits_book.book import find_book
from private_bandits_book.judging.verdicts import BOOK, INHERITED, PAPER, SIGNS, described, maker

SIMULATOR = "run-it-here"  # the section that `placed` adds
EPSILON = 0.3  # of the command that a reader copies, of no chapter's own


def put(app: Sphinx, doctree: nodes.document) -> None:
    """Put the card of a chapter below its title, at the end where it judges nothing; a rerun says itself what it is."""
    docname, book = app.env.docname, find_book()
    chapter = docname.rpartition("/")[2]
    if docname not in {f"book/{name}" for name in book.chapters()}:
        return
    title = next(doctree.findall(nodes.title))
    data = Path(app.srcdir, "book", "data")
    claims, costs = (_rows(app, path) for path in (data / chapter / "claims.csv", data / "costs.csv"))
    seconds = {row["work"]: int(row["seconds"]) for row in costs}
    longer = sum(taken for work, taken in seconds.items() if work.startswith(f"{chapter}/"))
    parts = [
        _paper(doctree, described(chapter)[0], _judged(claims)),
        _verdicts(chapter, claims),
        _again(doctree, chapter, seconds, longer),
    ]
    html = f'<aside class="chapter-card" aria-label="This chapter">{"".join(parts)}</aside>'
    # a page that judges nothing begins with what it says
    place = title.parent.index(title) + 1 if claims else -1
    title.parent.insert(place, nodes.raw("", html, format="html"))


def _rows(app: Sphinx, path: Path) -> list[dict[str, str]]:
    app.env.note_dependency(str(path))
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines())) if path.is_file() else []


def _theirs(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    return [row for row in rows if maker(row["claim"], row["kind"]) == PAPER]


def _judged(rows: list[dict[str, str]]) -> str:
    """Return what is judged: the paper, slides where every claim is read there, or what the chapter itself claims."""
    theirs = _theirs(rows)
    if not theirs:
        return "chapter"
    return "slides" if all(row["locus"].startswith("Slides") for row in theirs) else "paper"


def _paper(doctree: nodes.document, paper: str, judged: str) -> str:
    """Return the paper of a chapter, or that slides are judged, with the link by which its text cites it first."""
    cited = (one for one in doctree.findall(nodes.reference) if _plain(one.astext()) == _plain(paper))
    where = next((one["refuri"] for one in cited if one.get("refuri", "").startswith("https://")), "")
    linked = f'<a href="{escape(where)}">{escape(paper)}</a>' if where else escape(paper)
    return f"<p>{linked}{', slides of the talk' if judged == 'slides' else ''}</p>" if paper else ""


def _plain(words: str) -> str:
    return re.sub(r"\W+", " ", words).strip()


def _verdicts(chapter: str, rows: list[dict[str, str]]) -> str:
    """Return a bar of verdicts, and below it how many there are of each, which lead to them."""
    theirs = _theirs(rows)
    counts = Counter(row["verdict"] for row in theirs or rows)
    heirs = sum(row["evidence"] == INHERITED for row in theirs or rows)
    held = [(verdict, counts[verdict]) for verdict in SIGNS if counts[verdict]]
    bar = "".join(f'<span data-verdict="{verdict}" style="flex-grow: {count}"></span>' for verdict, count in held)
    of = PAPER if theirs else BOOK
    links = (
        f'<a href="claims.html?{escape(urlencode({"paper": chapter, "of": of, "verdict": verdict}))}">'
        f'<span class="claim-verdict" data-verdict="{verdict}">{SIGNS[verdict]} {count} {verdict}</span></a>'
        for verdict, count in held
    )
    follow = f", {heirs} of which follow from others" if heirs else ""
    said = f"{sum(counts.values())} claims of the {_judged(rows)}{follow}: "
    return f'<div class="verdict-bar" aria-hidden="true">{bar}</div><p>{said}{", ".join(links)}</p>' if held else ""


def _again(doctree: nodes.document, chapter: str, seconds: dict[str, int], longer: int) -> str:
    """Return the command that runs a chapter at another epsilon, what that takes, and the notebook."""
    command = f"private-bandits run {chapter} -p 'epsilons=[{EPSILON}]'"
    took = f", in about {_time(seconds[chapter])}" if chapter in seconds else ""
    stored = f" Its longer studies are stored; they take {_time(longer)}." if longer else ""
    links = (
        f'<a href="rerun.html">All parameters</a>, <a href="../_sources/book/{chapter}.ipynb" download>the notebook</a>'
    )
    return (
        f"<p>{_here(doctree)}Rerun with your parameters{took}:</p>"
        f'<div class="highlight"><pre>{escape(command)}\n</pre></div><p>{links}.{stored}</p>'
    )


def _here(doctree: nodes.document) -> str:
    """Return the way to the simulator of a chapter that has one."""
    placed = any(SIMULATOR in section["ids"] for section in doctree.findall(nodes.section))
    return f'<a class="try" href="#{SIMULATOR}">Try it here</a> ' if placed else ""


def _time(seconds: int) -> str:
    return f"{seconds} s" if seconds < 60 else f"{seconds / 60:.0f} minutes"


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("doctree-read", put)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
