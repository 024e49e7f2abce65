"""What a page in ordinary Markdown leaves to the build: its laboratory, its bibliography, its targets, and links.

Chapters and proofs read whole in Jupyter and on a forge, as they hold no role and no directive. A work is cited by a
link whose words end with its year, [Wang et al. (2021)](https://arxiv.org/abs/2105.11126): the name that comes first
and the year are its key in `references.bib`. The line `<a id="proof-one"></a>` before a heading is a target of links.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from docutils import nodes
from pybtex.database import Entry, parse_file
from sphinx.addnodes import download_reference
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinxcontrib.bibtex.plugin import register_plugin
from sphinxcontrib.bibtex.style import template
from sphinxcontrib.bibtex.style.referencing import PersonStyle
from sphinxcontrib.bibtex.style.referencing.basic_author_year import BasicAuthorYearTextualReferenceStyle


@dataclass(frozen=True)
class Placed:
    """What is placed on a page: a chapter's laboratory before a heading, and the bibliography at the end.

    Attributes
    ----------
    letter : str
        That of the bibliography's labels.
    before : str
        The heading of the section that follows the laboratory; none where there is no laboratory.
    figure, shown : str
        The figure that stands for the laboratory where no script runs, and what it shows.
    said : str
        What the laboratory lets a reader do.
    """

    letter: str
    before: str = ""
    figure: str = ""
    shown: str = ""
    said: str = ""


CHAPTERS = {
    "cascading": Placed(
        before="The problem",
        figure="figure-1e",
        shown="Regret of the local algorithms at the last round against ε, on Figure 1's instance.",
        said="Move $\\epsilon$, and the runs are played again, in your own browser.",
        letter="C",
    ),
    "primer": Placed(letter="M"),
    "replay": Placed(letter="R"),
    "audit": Placed(letter="A"),
    "own": Placed(letter="O"),
    "comparison": Placed(letter="W"),
    "semibandits": Placed(
        before="The problem",
        figure="figure-removed",
        shown="Regret of CUCB-LDP1 and CUCB-LDP2 against the size of the super arm.",
        said="Move $K$: does one number about the least pulled arm cost less than $K$ numbers?",
        letter="S",
    ),
    "contextual": Placed(letter="X"),
    "convex": Placed(
        before="The problem",
        figure="figure-steps",
        shown="Regret of Algorithm 2 at small ε, with the printed step and with one that knows the noise.",
        said="Move $\\epsilon$: what is the privacy loss of the noise, and what the regret of Algorithm 2?",
        letter="V",
    ),
    "definitions": Placed(
        before="What we found",
        figure="figure-inference",
        shown="The success rate of the best guess of one unknown bit against epsilon, for three ways to hide it.",
        said="Be the attacker: you see what an $\\epsilon$-private channel lets out about one bit, and guess it. Then "
        "let the best attacker guess a thousand times.",
        letter="D",
    ),
    "heavy_tailed": Placed(
        before="The problem",
        figure="figure-price",
        shown="Regret over that without privacy against ε, on setting 1 of the talk.",
        said="Move $\\epsilon$. Elimination is drawn by whole epochs, so $10^{15}$ rounds take as long as a thousand.",
        letter="H",
    ),
    "cascading_proofs": Placed(letter="K"),
    "contextual_proofs": Placed(letter="P"),
    "definitions_proofs": Placed(letter="Q"),
    "heavy_tailed_proofs": Placed(letter="Y"),
    "replay_proofs": Placed(letter="L"),
    "semibandits_proofs": Placed(letter="B"),
}

_TARGET = re.compile(r'^<a id="([^"\s]+)"></a>$', flags=re.MULTILINE)
_CITED = re.compile(r"\[([^][]+?),? \(?(\d{4})\)?\]\((https?://[^)\s]+)\)")
_WORK = re.compile(r"(\w[^()\d]*?),? (\(?)(\d{4})\)?")
_ELSEWHERE = re.compile(r"\.(?:ipynb|md)(?:#|$)|-claim-")
_NUMBER = re.compile(r"\d{4}\.\d{4,5}|10\.\d{4,}/\S+")  # of arXiv, or a DOI


@dataclass
class AsChapters(BasicAuthorYearTextualReferenceStyle):
    """What the page of algorithms cites by a role: Wang et al. (2021), all of it the link, as chapters do."""

    person: PersonStyle = field(default_factory=lambda: PersonStyle(other=" et al."))

    def inner(self, role_name: str) -> Any:
        return template.reference[
            template.join[self.person.author_or_editor_or_title(full=False), " (", template.year, ")"]
        ]


def place(app: Sphinx, docname: str, source: list[str]) -> None:
    """Place what a page lacks; what a notebook has placed itself stays."""
    page = docname.rpartition("/")[2]
    if app.env.doc2path(docname).endswith(".md"):
        text = _TARGET.sub(r"(\1)=", source[0])
        source[0] = text + (_references(app, docname, text) if page in CHAPTERS else "")
    elif page in CHAPTERS:
        source[0] = _placed(app, docname, source[0])


def _placed(app: Sphinx, docname: str, source: str) -> str:
    """Return a chapter's notebook with its laboratory and its bibliography."""
    chapter = docname.rpartition("/")[2]
    notebook, wanted = json.loads(source), CHAPTERS[chapter]
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
    texts = [_TARGET.sub(r"(\1)=", "".join(cell["source"])) for cell in cells]
    if wanted.before and not any("{lab}" in text for text in texts):
        texts = [_before(text, wanted.before, _lab(chapter, wanted)) for text in texts]
        if not any("{lab}" in text for text in texts):
            _warn(docname, f"a heading must be {wanted.before!r}, for the laboratory to stand before it; none is")
    for cell, text in zip(cells, texts, strict=True):
        cell["source"] = text
    if not any("{bibliography}" in text for text in texts):  # the last cell may show something
        works = _references(app, docname, "\n".join(texts))
        notebook["cells"].append({"cell_type": "markdown", "id": "works", "metadata": {}, "source": works})
    return json.dumps(notebook, ensure_ascii=False, indent=1)


def _references(app: Sphinx, docname: str, text: str) -> str:
    """Return the bibliography of a page."""
    path = Path(app.srcdir, "book", "references.bib")
    app.env.note_dependency(str(path))
    return _bibliography(docname, cited(text, path, docname))


def cited(text: str, references: Path, docname: str) -> list[str]:
    """Return the keys of the works that a text cites."""
    known, keys = parse_file(str(references)).entries, dict[str, None]()
    for names, year, target in _CITED.findall(text):
        begins = f"{re.split(r'[ ,-]', names)[0].lower()}{year}"
        found = [key for key in known if re.fullmatch(rf"{re.escape(begins)}[a-z]*", key)]
        number = _NUMBER.search(target)
        here = [key for key in found if number and number[0] in _numbers(known[key])]
        if not found:
            _warn(docname, f"{names} ({year}) is cited, and references.bib has no {begins}")
        keys |= dict.fromkeys(here or ([begins] if begins in found else found))
    return [*keys]


def _numbers(entry: Entry) -> str:
    return f"{entry.fields.get('note', '')} {entry.fields.get('doi', '')}"


def _lab(chapter: str, wanted: Placed) -> str:
    figure = f"figures/{chapter}/{wanted.figure}.svg"
    return f"## Run it here\n\n{wanted.said}\n\n```{{lab}} {chapter}\n:figure: {figure}\n\n{wanted.shown}\n```\n\n"


def _before(text: str, heading: str, added: str) -> str:
    pattern = rf"^(?=## {re.escape(heading)}$)"
    return re.sub(pattern, added.replace("\\", r"\\"), text, count=1, flags=re.MULTILINE)


def _bibliography(docname: str, keys: list[str]) -> str:
    page = docname.rpartition("/")[2]
    options = f":filter: False\n:keyprefix: {page}-\n:labelprefix: {CHAPTERS[page].letter}\n"
    listed = "\n".join(keys)
    return f"\n\n## References\n\n```{{bibliography}}\n{options}\n{listed}\n```\n" if keys else ""


def _warn(docname: str, said: str) -> None:
    logging.getLogger(__name__).warning(said, location=docname)


def note(app: Sphinx, doctree: nodes.document) -> None:
    """Let an ordinary link, `[its noise](api/mechanisms.md#its-address)`, lead to any address of a page."""
    slugs = app.env.metadata[app.env.docname].setdefault("myst_slugs", {})
    for node in doctree.findall(nodes.Element):
        for address in node.get("ids", ()):
            slugs.setdefault(address, (0, address, address))


def cite(app: Sphinx, doctree: nodes.document) -> None:
    """Let links to works read alike: Sajed and Sheffet (2019); in brackets Sajed and Sheffet, 2019."""
    for link in doctree.findall(nodes.reference):
        work = _WORK.fullmatch(link.astext()) if link.get("refuri", "").startswith("http") else None
        if work:
            names = work[1].replace(" & ", " and ")
            link.children = [nodes.Text(f"{names} ({work[3]})" if work[2] else f"{names}, {work[3]}")]


def lift(app: Sphinx, doctree: nodes.document) -> None:
    """Let what a cell shows under headings be sections of the page, which its contents list."""
    for head in reversed(list(doctree.findall(nodes.rubric))):
        output = cell = head.parent
        if head.get("level") == 2 and output.get("mime_type") == "text/markdown":
            at = output.index(head)
            while "cell" not in cell["classes"]:
                cell = cell.parent
            title = nodes.title("", "", *head.children)
            section = nodes.section("", title, *output[at + 1 :], ids=head["ids"], names=head["names"])
            del output[at:]
            cell.parent.insert(cell.parent.index(cell) + 1, section)


def tuck(app: Sphinx, doctree: nodes.document) -> None:
    """Let the caption of a table link its data, as that of a figure does."""
    for table in doctree.findall(nodes.table):
        below = table.next_node(nodes.paragraph, descend=False, siblings=True)
        if isinstance(table[0], nodes.title) and below is not None and below.parent is table.parent:
            if [type(one) for one in below.children] == [download_reference]:
                table[0] += [nodes.Text(" "), *below.children]
                below.parent.remove(below)


def loosen(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Let a link to what this site lacks, as that of a rerun lacks the book's other pages, be its words."""
    here = {address for node in doctree.findall(nodes.Element) for address in node.get("ids", ())}
    for link in list(doctree.findall(nodes.reference)):
        if link.get("refid", "") not in here and _ELSEWHERE.search(link.get("refid", "")):
            link.replace_self(link.children)


def setup(app: Sphinx) -> dict[str, Any]:
    register_plugin("sphinxcontrib.bibtex.style.referencing", "as_chapters", AsChapters)
    app.connect("source-read", place, priority=600)
    app.connect("doctree-read", lift, priority=100)  # before the contents are read off
    app.connect("doctree-read", tuck)
    app.connect("doctree-read", note)
    app.connect("doctree-read", cite)
    app.connect("doctree-resolved", loosen)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
