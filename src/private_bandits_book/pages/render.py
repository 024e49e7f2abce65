"""How a figure, a table or a file of a chapter looks: MyST in the book, HTML in Jupyter."""

import base64
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from itertools import groupby
from typing import Any, NamedTuple

import pandas as pd

from private_bandits.estimates import Interval
from private_bandits_book.numbers import heading, typeset
from private_bandits_book.pages.markdown import pipes, plain, text


class Table(NamedTuple):
    """A table with what is said of it: the columns to show and their headings, and the formats of their numbers."""

    frame: pd.DataFrame
    caption: str
    columns: Mapping[str, str] | None = None
    formats: Mapping[str, str] | None = None
    filtered: bool = False  # whether the page has a form that chooses rows


@dataclass(frozen=True)
class Display:
    """The value of a notebook cell.

    Attributes
    ----------
    text, html, markdown : str
        What a console, Jupyter and the book show.
    png : str
        What a viewer shows that has neither HTML nor MyST, in base64; empty for none.
    """

    text: str
    html: str
    markdown: str
    png: str = ""

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        bundle = {"text/plain": self.text, "text/html": self.html, "text/markdown": self.markdown}
        return bundle | ({"image/png": self.png} if self.png else {})


def figure(
    chapter: str, label: str, *, svg: str, caption: str, alt: str, png: bytes = b"", files: Sequence[str] = ()
) -> Display:
    """Return a numbered figure with its caption, alternative text and links to its data: of its label, or of these."""
    caption, alt = typeset(_line("caption", caption)), typeset(_line("alt", alt))
    image = base64.b64encode(svg.encode()).decode()
    return Display(
        text=f"<figure {label}>",
        html=(
            f'<figure id="{chapter}-{label}"><img src="data:image/svg+xml;base64,{image}" alt="{escape(alt)}">'
            f"<figcaption>{escape(caption)}</figcaption></figure>"
        ),
        markdown=_directive(
            "figure",
            f"figures/{chapter}/{label}.svg",
            # A JSON string is a quoted YAML scalar, so colons and quotes in it are safe.
            {"name": f"{chapter}-{label}", "alt": json.dumps(alt, ensure_ascii=False)},
            f"{caption} {' '.join(_download(chapter, file) for file in files or [label])}",
        ),
        png=base64.b64encode(png).decode(),
    )


_SEARCHED = {"refuted_by": "Would be refuted by", "closest": "Closest that was tried"}


def verdict(
    chapter: str,
    claim: str,
    locus: str,
    statement: str,
    verdict: str,
    evidence: str = "",
    reason: str = "",
    refuted_by: str = "",
    closest: str = "",
) -> Display:
    """Return one line that says what a claim came to, and unfolds its evidence and reason.

    Parameters
    ----------
    chapter, claim : str
        Its address is `<chapter>-claim-<claim>`.
    locus, statement : str
        Where it stands in the paper, and what it says; mathematics between dollars here and in the reason.
    verdict, evidence, reason : str
    refuted_by, closest : str
        What would refute it, and how near a search for that came; unfolded, too.
    """
    entry = {"chapter": chapter, "claim": claim, "locus": locus, "statement": statement}
    entry |= {"verdict": verdict, "evidence": evidence, "reason": reason}
    told = {key: _line(key, value) if value else "" for key, value in entry.items()}
    if empty := [key for key in ("chapter", "claim", "locus", "statement", "verdict") if not told[key]]:
        raise ValueError(f"{empty[0]} must not be empty, got {entry[empty[0]]!r}")
    told |= {key: _line(key, text) for key, text in (("refuted_by", refuted_by), ("closest", closest)) if text}
    line = f"{told['locus']}: {told['statement']}"
    more = [_why(told["evidence"], told["reason"]), *_searched(told)]
    return Display(
        text=f"{line} {told['verdict']}",
        html=_unfolding(f"{chapter}-claim-{claim}", line, told["verdict"], "<br>".join(more)),
        markdown=_directive("verdict", "", {}, json.dumps(told, ensure_ascii=False)),
    )


def table(chapter: str, label: str, made: Table) -> Display:
    """Return a numbered table with its caption and a link to its data; a column of the format "claim" links to rows."""
    formats = made.formats or {}
    heads, rows, left = _cells(label, made)
    caption, linked = typeset(_line("caption", made.caption)), partial(_linked, chapter)
    write = [linked if formats.get(name) == "claim" else plain for name in heads]
    align = [":---" if side else "---:" for side in left]
    body = [[style(cell) for style, cell in zip(write, row, strict=True)] for row in rows]
    return Display(
        text=f"<table {label}>",
        html=html_table(list(heads.values()), rows, caption, left, address=f"{chapter}-{label}"),
        markdown=_directive(
            "table",
            caption,
            {"name": f"{chapter}-{label}"} | ({"class": "filtered"} if made.filtered else {}),
            pipes(list(heads.values()), body, align),
        )
        + f"\n\n{_download(chapter, label)}",
    )


def frame(made: Table) -> Display:
    """Return a small table without number, caption and data: what a cell has found."""
    heads, rows, left = _cells("the frame", made)
    body, align = [[plain(cell) for cell in row] for row in rows], [":---" if side else "---:" for side in left]
    widths = [max(map(len, column)) for column in zip(heads.values(), *rows, strict=True)]
    lines = [
        "  ".join(
            f"{cell:<{wide}}" if side else f"{cell:>{wide}}" for cell, wide, side in zip(row, widths, left, strict=True)
        )
        for row in [[*heads.values()], *rows]
    ]
    return Display(
        text="\n".join(line.rstrip() for line in lines),
        html=html_table(list(heads.values()), rows, left=left),
        markdown=pipes([plain(head) for head in heads.values()], body, align),
    )


def _cells(label: str, made: Table) -> tuple[dict[str, str], list[tuple[str, ...]], list[bool]]:
    """The heads of a table by column, its cells in words, and which columns are words."""
    frame, formats = made.frame, made.formats or {}
    columns = dict(made.columns) if made.columns is not None else {name: str(name) for name in frame.columns}
    missing = [name for name in [*columns, *formats] if name not in frame.columns]
    if missing:
        raise ValueError(f"columns of {label} must be among {', '.join(frame.columns)}, got {missing[0]!r}")
    texts = [[text(value, formats.get(name)) for value in frame[name]] for name in columns]
    left = [not (pd.api.types.is_numeric_dtype(frame[name]) or _intervals(frame[name])) for name in columns]
    return {name: heading(head) for name, head in columns.items()}, list(zip(*texts, strict=True)), left


def _intervals(column: pd.Series) -> bool:
    return all(isinstance(value, Interval) for value in column)


def claims(rows: Sequence[Mapping[str, str]], caption: str) -> Display:
    """Return the ledger of all chapters, a line a claim that unfolds."""
    body = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    html = "".join(
        f"<h2>{escape(paper)}</h2>{''.join(map(_claim, found))}"
        for (_, paper), found in groupby(rows, key=lambda row: (row["chapter"], row["paper"]))
    )
    return Display(
        text="<claims>",
        html=f"<p>{escape(caption)}</p>{html}",
        markdown=f"{plain(caption)}\n\n{_directive('claims', '', {'home': ''}, body)}",
    )


def _claim(row: Mapping[str, str]) -> str:
    told = {"Measured": row["number"], "Excluded": row["excludes"]}
    more = [_why(row["evidence"], row["reason"])]
    more += [f"{head}: {escape(typeset(words))}" for head, words in told.items() if words]
    more += _searched(row)
    if row["rests_on"]:
        parts = map(escape, row["rests_on"].split(";"))
        links = (f'<a href="#{row["chapter"]}-{part}">{part}</a>' for part in parts)
        more += ["Rests on: " + ", ".join(links)]
    more += [f"Made by: <code>{escape(row['command'])}</code>"]
    line = f"{row['locus']}: {row['statement']}"
    return _unfolding(f"{row['chapter']}-{row['claim']}", line, row["verdict"], "<br>".join(more))


def codes(parts: Sequence[tuple[str, str, str]]) -> Display:
    """Return code to unfold: titles, where it stands, sources."""
    boxes = [
        _directive("dropdown", f"{plain(title)} `{place}`", {}, f"```python\n{source}\n```")
        for title, place, source in parts
    ]
    html = "".join(
        f"<details><summary>{escape(title)} <code>{place}</code></summary>"
        f"<pre><code>{escape(source)}</code></pre></details>"
        for title, place, source in parts
    )
    return Display(text="<code>", html=html, markdown="\n\n".join(boxes))


def html_table(
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    caption: str = "",
    left: Sequence[bool] | None = None,
    address: str = "",
) -> str:
    """Return a table in HTML; `left` says which columns are words, all of them unless given.

    Words stand left in a box: Jupyter's style puts all cells right, and sanitisers take `style` away.
    """
    sides = left if left is not None else [True] * len(heads)

    def cells(tag: str, row: Sequence[str]) -> str:
        texts = (
            f'<div align="left">{escape(words)}</div>' if side else escape(words)
            for words, side in zip(row, sides, strict=True)
        )
        return "".join(f"<{tag}>{words}</{tag}>" for words in texts)

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    named = f' id="{escape(address)}"' if address else ""
    return f"<table{named}>{title}<thead><tr>{cells('th', heads)}</tr></thead><tbody>{body}</tbody></table>"


def _directive(name: str, argument: str, options: Mapping[str, str], body: str) -> str:
    """Write a MyST directive whose fence is longer than any run of its character inside it."""
    mark = "~" if "`" in argument else "`"  # the line of a fence of backticks may hold no other backtick
    fence = mark * max([3, *(len(run) + 1 for run in re.findall(f"{mark}+", f"{argument}\n{body}"))])
    settings = "".join(f":{key}: {value}\n" for key, value in options.items())
    return f"{fence}{{{name}}} {argument}\n{settings}\n{body}\n{fence}"


def _download(chapter: str, label: str) -> str:
    return f"{{download}}`{label}.csv <data/{chapter}/{label}.csv>`"


def _line(name: str, prose: str) -> str:
    """Return prose as one line; a caption or an alternative text is never empty."""
    line = " ".join(prose.split())
    if not line:
        raise ValueError(f"{name} must not be empty, got {prose!r}")
    return line


def _linked(chapter: str, claim: str) -> str:
    """Return a link to a row of the chapter's ledger."""
    return f'<a href="#{chapter}-claim-{escape(claim)}">{escape(claim)}</a>'


def _why(evidence: str, reason: str) -> str:
    """Return the kind of evidence and the reason of a verdict, as HTML."""
    parts = (f"<em>{escape(evidence.capitalize())}</em>" if evidence else "", escape(typeset(reason)))
    return ": ".join(part for part in parts if part)


def _searched(told: Mapping[str, str]) -> list[str]:
    """Return what would refute a claim, and how near the search came, as HTML; nothing where none was made."""
    return [f"{head}: {escape(typeset(told[key]))}" for key, head in _SEARCHED.items() if told.get(key)]


def _unfolding(address: str, line: str, verdict: str, more: str) -> str:
    """Return the line of a claim, which unfolds HTML."""
    summary = f"{escape(typeset(line))} <strong>{escape(verdict)}</strong>"
    return f'<details id="{escape(address)}"><summary>{summary}</summary><p>{more}</p></details>'
