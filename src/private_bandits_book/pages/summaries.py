"""What the pages of all chapters show: what they take, their parameters, and every algorithm."""

import re
from collections.abc import Mapping
from itertools import groupby
from typing import Any
from unicodedata import normalize

from IPython.display import Markdown

from private_bandits_book.book import find_book
from private_bandits_book.pages.algorithms import rows
from private_bandits_book.pages.markdown import pipes, text
from private_bandits_book.pages.render import Display, html_table
from private_bandits_book.parameters import Parameter, longer_studies

_ENTRY = re.compile(r"^@\w+\{(\w+),\n(.*?)^\}", flags=re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"^ *(author|year) *= *\{(.*?)\},?$", flags=re.MULTILINE | re.DOTALL)
_ACCENT = re.compile(r"""\{?\\(['`"^~])(\w)\}?""")
_MARKS = {"'": "\u0301", "`": "\u0300", '"': "\u0308", "^": "\u0302", "~": "\u0303"}
_NAME = re.compile(r"\b\w+_\w+\b")


def parameters() -> Markdown:
    """List every parameter of every chapter: its default, and what it is."""
    book, parts = find_book(), []
    for chapter in book.chapters():
        known = book.parameters(chapter)
        values = {name: one.default for name, one in known.items()}
        parts += [f"## `{chapter}`: {book.title(chapter)}", settings(known, values)]
    return Markdown("\n\n".join(parts))


def costs() -> Markdown:
    """List what each chapter and each longer study takes, as far as `benchmarks/costs.py` has measured it."""
    heads, lines, book = ("Work", "Minutes", "CPU minutes", "Memory"), [], find_book()
    for row in book.costs():
        chapter, _, study = row["work"].partition("/")
        said = f"its study `{study}`" if study else f"`{chapter}`"
        minutes = (f"{int(row[name]) / 60:.1f}" for name in ("seconds", "cpu"))
        lines.append((said, *minutes, f"{row['memory']} MB"))
    timed = sum("/" in row["work"] for row in book.costs())
    known = sum(len(longer_studies(chapter)) for chapter in book.chapters())
    said = f"{timed} of the {known} longer studies were timed; the others take from minutes to hours."
    return Markdown(f"{pipes(heads, lines, (':---', '---:', '---:', '---:'))}\n\n{said}")


def settings(known: Mapping[str, Parameter], values: Mapping[str, Any]) -> str:
    """List the parameters of a chapter with these values."""
    lines = [(f"`{name}`", f"`{values[name]!r}`", _NAME.sub(r"`\g<0>`", one.says)) for name, one in known.items()]
    return pipes(("Parameter", "Value", "Meaning"), lines)


def algorithms(page: str) -> Display:
    """List every algorithm by the room it stands in; `page` begins the keys of its citations.

    The book links works and sources; Jupyter names them.
    """
    heads = ("Algorithm", "Policy", "Trust", "Promises ε", "Pays ε", "File")
    works = _works((find_book().pages / "references.bib").read_text(encoding="utf-8"))
    parts, html = [], ""
    for room, found in groupby(rows(), key=lambda row: row[-1].rpartition("/")[0]):
        lines, shown = [], []
        for paper, place, variant, options, policy, *privacy, file in found:
            said = "".join(f", {text(words)}" for words in (place, variant, options) if words != "-")
            facts = (policy, *(words.replace("inf", "∞") for words in privacy))
            cited = paper if paper == "ours" else f"{{cite:t}}`{page}-{paper}`"
            source = f"../_modules/private_bandits/{file.replace('.py', '.html')}"
            lines.append((cited + said, *facts, f'<a href="{source}">source</a>'))
            shown.append((works.get(paper, paper) + said, *facts, file))
        name = room.replace("/", ".")
        parts += [f"## `{name}`", pipes(heads, lines)]
        html += f"<h2><code>{name}</code></h2>{html_table(heads, shown)}"
    listed = f"```{{bibliography}}\n:filter: docname in docnames\n:keyprefix: {page}-\n```"
    return Display("<algorithms>", html, "\n\n".join([*parts, "## References", listed]))


def _works(references: str) -> dict[str, str]:
    """Return names and years of works by their keys in a file of BibTeX: Wang et al. (2021)."""
    found, references = {}, _ACCENT.sub(lambda one: normalize("NFC", one[2] + _MARKS[one[1]]), references)
    for key, entry in _ENTRY.findall(references):
        fields = dict(_FIELD.findall(entry))
        last = [author.partition(",")[0] for author in " ".join(fields["author"].split()).split(" and ")]
        names = " and ".join(last) if len(last) < 3 else f"{last[0]} et al."
        found[key] = f"{names} ({fields['year']})"
    return found
