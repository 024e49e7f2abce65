"""What the pages of all chapters show: what they take, their parameters, and every algorithm."""

import re
from collections.abc import Mapping
from itertools import groupby
from typing import Any

from IPython.display import Markdown

from private_bandits_book.algorithms import rows
from private_bandits_book.chapters.book import find_book
from private_bandits_book.chapters.parameters import Parameter
from private_bandits_book.chapters.words import pipes, text

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
    """List what each chapter and each longer study takes, as `benchmarks/costs.py` has measured it."""
    heads, lines = ("Work", "Minutes", "CPU minutes", "Memory"), []
    for row in find_book().costs():
        chapter, _, study = row["work"].partition("/")
        said = f"its study `{study}`" if study else f"`{chapter}`"
        minutes = (f"{int(row[name]) / 60:.1f}" for name in ("seconds", "cpu"))
        lines.append((said, *minutes, f"{row['memory']} MB"))
    return Markdown(pipes(heads, lines, (":---", "---:", "---:", "---:")))


def settings(known: Mapping[str, Parameter], values: Mapping[str, Any]) -> str:
    """List the parameters of a chapter with these values."""
    lines = [(f"`{name}`", f"`{values[name]!r}`", _NAME.sub(r"`\g<0>`", one.says)) for name, one in known.items()]
    return pipes(("Parameter", "Value", "Meaning"), lines)


def algorithms(page: str) -> Markdown:
    """List every algorithm by the room it stands in, and link its source; `page` begins the keys of its citations."""
    heads = ("Algorithm", "Policy", "Trust", "Promises ε", "Pays ε", "File")
    parts = []
    for room, found in groupby(rows(), key=lambda row: row[-1].rpartition("/")[0]):
        lines = []
        for paper, place, variant, options, policy, *privacy, file in found:
            cited = paper if paper == "ours" else f"{{cite:t}}`{page}-{paper}`"
            said = ", ".join([cited, *(text(words) for words in (place, variant, options) if words != "-")])
            paid = (words.replace("inf", "∞") for words in privacy)
            source = f"../_modules/private_bandits/{file.replace('.py', '.html')}"
            lines.append((said, policy, *paid, f'<a href="{source}">source</a>'))
        parts += [f"## `{room.replace('/', '.')}`", pipes(heads, lines)]
    return Markdown("\n\n".join(parts))
