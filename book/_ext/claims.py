"""The ledger: a line a claim that unfolds, an address for each, and a domain by which search and links find it.

The body of the directive `claims` is a line of JSON a claim, as `private_bandits_book` writes it. A claim is at home
where the directive has the flag `home`, on the page of all ledgers, and there its address is its name; on the page of
its chapter it is the name behind `claim-`, as figures and tables have addresses of their own there. The directive
`verdict` is one line below the figure where a claim is judged; with a ledger on the same page it has the address.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.builders import Builder
from sphinx.domains import Domain, ObjType
from sphinx.environment import BuildEnvironment
from sphinx.roles import XRefRole
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode

from private_bandits_book.book import find_book
from private_bandits_book.judging.verdicts import (
    AFTER_REPAIR,
    BOOK,
    DERIVED,
    INHERITED,
    NOT_REPRODUCED,
    NOT_TESTABLE,
    OTHERS,
    PAPER,
    REPRODUCED,
    SIGNS,
    UNDECIDED,
    described,
    maker,
)  # fmt: skip
from private_bandits_book.numbers import typeset


class claims(nodes.General, nodes.Element):
    """All lines."""


class claim(nodes.General, nodes.Element):
    """One line, and what it unfolds."""


class group(nodes.General, nodes.Element):
    """Lines, folded under how many there are of each verdict: the worst first."""


class unfolded(nodes.General, nodes.Element):
    """What a line unfolds."""


class verdict(nodes.General, nodes.Element):
    """What a claim came to, below the figure where it is judged."""


class Claims(SphinxDirective):
    """A ledger."""

    has_content = True
    option_spec = {"home": directives.flag, "name": directives.unchanged}  # noqa: RUF012

    def run(self) -> list[nodes.Node]:
        listed = [json.loads(line) for line in self.content if line.strip()]
        if "home" in self.options:
            chapters = groupby(listed, key=lambda entry: entry["chapter"])
            return [node for chapter, rows in chapters for node in self._chapter(chapter, list(rows))]
        box = claims("", *_grouped([self._claim(entry, home=False) for entry in listed]))
        box += _made_by(*dict.fromkeys(entry["command"] for entry in listed))  # one chapter, and one command
        self.add_name(box)
        return [box]

    def _chapter(self, chapter: str, rows: list[dict[str, str]]) -> list[nodes.Node]:
        """Head the claims of a chapter, with its paper if it has one."""
        paper, title = described(chapter)[0], find_book().title(chapter)
        said = title if paper in ("", BOOK) else f"{paper}: {title}"
        head = nodes.rubric("", said, ids=[f"ledger-{chapter}"], level=2)
        return [head, claims("", *(self._claim(entry, home=True) for entry in rows))]

    def _claim(self, entry: dict[str, str], home: bool) -> claim:
        chapter, name = entry["chapter"], entry["claim"]
        address = f"{chapter}-{name}" if home else f"{chapter}-claim-{name}"
        first = _ledger(self.env).note(
            f"{chapter}/{name}",
            f"{entry['locus']}, {entry['paper']}: {entry['verdict']}",
            self.env.docname,
            address,
            home,
        )
        of = entry["paper"] if entry["paper"] in (BOOK, OTHERS) else PAPER
        row = claim(ids=[address] * first, of=of, **{key: entry[key] for key in ("verdict", "evidence")})
        row += _words("place", entry["locus"], entry["paper"] if home else "")
        row += _words("says", entry["statement"])
        row += _words("number", entry["number"])
        row += _words("verdict", f"{SIGNS[entry['verdict']]} {entry['verdict']}", _ground(entry))
        more = unfolded()
        more += [_line(head, entry[key]) for key, head in _MORE.items() if entry.get(key)]
        if entry.get("rests_on"):
            more += _line("Rests on", "")
            more[-1] += _listed(_reference(chapter, part) for part in entry["rests_on"].split(";"))
        if entry.get("shown"):
            more += _line("Shown", "")
            more[-1] += addnodes.pending_xref(
                "", nodes.inline(text=entry["shown"]), refdomain="claim", reftype="exhibit", refexplicit=True,
                reftarget=f"{chapter}-{entry['shown']}",
            )  # fmt: skip
        if proof := self._proof(chapter, name, entry["evidence"]):
            more += _line("Proof", "")
            where, said = proof
            more[-1] += addnodes.pending_xref(
                "",
                nodes.inline("", "", *_mathematics(said)),
                refdomain="claim",
                reftype="proof",
                refexplicit=True,
                reftarget=where,
            )
        if home:
            more += _line("Judged", "")
            judged = _reference(chapter, name, "judged", "in its chapter")
            more[-1] += judged
            judged["locus"] = entry["locus"]
            more += _made_by(entry["command"])
        row += more
        return row

    def _proof(self, chapter: str, name: str, evidence: str) -> tuple[str, str] | None:
        """Return where a claim is proved, and the heading there: at the target named after it, or on its page."""
        page = f"book/{chapter}_proofs"
        path = Path(self.env.srcdir, f"{page}.md")
        self.env.note_dependency(str(path))
        if not path.is_file():
            return None
        for target, heading in _PROOF.findall(path.read_text(encoding="utf-8")):
            if target.endswith(f"-{name.removeprefix('own-')}"):
                return f"{page}#{target}", heading
        return (page, "on its page") if evidence == DERIVED else None


class Verdict(SphinxDirective):
    """A line of JSON: chapter, claim, locus, statement, verdict, and, unfolded, evidence, reason and search."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        entry = json.loads(" ".join(self.content))
        chapter, name = entry["chapter"], entry["claim"]
        address = f"{chapter}-claim-{name}"
        title = f"{entry['locus']}, {chapter}: {entry['verdict']}"
        first = _ledger(self.env).note(f"{chapter}/{name}", title, self.env.docname, address, False)
        line = verdict(ids=[address] * first, verdict=entry["verdict"])
        line += _words("place", f"{entry['locus']}: ")
        line += _words("says", entry["statement"])
        line += [nodes.Text(" "), _words("verdict", f"{SIGNS[entry['verdict']]} {entry['verdict']}")]
        more = unfolded()
        why = nodes.paragraph()
        if entry["evidence"]:
            why += [nodes.emphasis(text=_ground(entry).capitalize()), nodes.Text(": " if entry["reason"] else ". ")]
        why += [*_mathematics(entry["reason"]), nodes.Text(" ")]
        why += _reference(chapter, name, "home", "In the list of all claims")
        more += why
        more += [_line(head, entry[key]) for key, head in _SEARCHED.items() if entry.get(key)]
        line += more
        return [line]


def _grouped(lines: list[claim]) -> Iterator[group]:
    """Fold the lines by verdict, so that a chapter's ledger takes little of its page."""
    for verdict in SIGNS:
        held = [line for line in lines if line["verdict"] == verdict]
        if held:
            yield group("", *held, said="", verdicts=[verdict] * len(held))


def gather(app: Sphinx, doctree: nodes.document) -> None:
    """Fold the lines that a cell shows below one that says what they came to, and the table of a chapter's claims."""
    for cell in (one for one in doctree.findall(nodes.container) if "cell" in one["classes"]):
        lines = list(cell.findall(verdict))
        if len(lines) > 1:
            judged = [line["verdict"] for line in lines]
            fold = group(said=f"{len(lines)} claims: ", verdicts=judged)
            lines[0].replace_self(fold)
            for line in lines[1:]:
                line.parent.remove(line)
            fold += lines
        for table in list(cell.findall(nodes.table)):
            if judged := _judged(table):
                said, place = f"The chapter's first {len(judged)} claims: ", _LEDGER
                fold = group(said=said, verdicts=judged, ids=[place] * (place not in doctree.ids))
                doctree.ids.setdefault(place, fold)
                table.replace_self(fold)
                fold += table


def _judged(table: nodes.table) -> list[str]:
    """Return the verdicts in which the rows of a table end, if all do."""
    ends = [row.children[-1].next_node(nodes.strong) for body in table.findall(nodes.tbody) for row in body.children]
    words = [end.astext() if end is not None else "" for end in ends]
    return words if all(word in SIGNS for word in words) else []


_LEDGER = "ledger"  # the address of the cell that judges what no other cell of a chapter does
_PROOF = re.compile(r'^<a id="(proof-[\w-]+)"></a>\s*^#+ (.+)$', flags=re.MULTILINE)


def _ground(entry: dict[str, str]) -> str:
    """Return the evidence of a claim in words, which say of what fails by itself that it is false."""
    false = entry["verdict"] == NOT_REPRODUCED and entry["evidence"] not in ("", INHERITED)
    return f"false, {entry['evidence']}" if false else entry["evidence"]


_SEARCHED = {"refuted_by": "Would be refuted by", "closest": "Closest that was tried"}
_MORE = {"reason": "Why", "excludes": "Excluded"} | _SEARCHED


def _made_by(*commands: str) -> nodes.paragraph:
    line = _line("Made by", "")
    line += _listed(nodes.literal(text=command) for command in commands)
    return line


def _reference(chapter: str, name: str, kind: str = "claim", words: str = "") -> nodes.Node:
    target = f"{chapter}/{name}"  # not its address: the search would take the title for that
    return addnodes.pending_xref(
        "", nodes.inline(text=words or name), refdomain="claim", reftype=kind, refexplicit=True, reftarget=target
    )


def _listed(parts: Iterable[nodes.Node]) -> Iterator[nodes.Node]:
    for place, part in enumerate(parts):
        if place:
            yield nodes.Text(", ")
        yield part


def _line(head: str, words: str) -> nodes.paragraph:
    line = nodes.paragraph()
    line += [nodes.strong(text=head), nodes.Text(" "), *_mathematics(words)]
    return line


def _mathematics(words: str) -> Iterator[nodes.Node]:
    """Return words and formulas: what stands between dollars is mathematics, and so are a symbol's name and index."""
    parts = typeset(words).split("$")
    parts[::2] = (_INDEXED.sub(_formula, _GREEK.sub(lambda name: _LETTERS[name[0]], part)) for part in parts[::2])
    for place, part in enumerate("$".join(parts).split("$")):
        if part:
            yield nodes.math(part, part) if place % 2 else nodes.Text(part)


_LETTERS = {"epsilon": "ε", "delta": "δ", "Delta": "Δ"}
_GREEK = re.compile(r"\b(?:epsilon|[dD]elta)\b")
_INDEXED = re.compile(r"\b([A-Z][a-z]*)_(inf(?:inity)?|max|min|\w)\b")


def _formula(symbol: re.Match[str]) -> str:
    """Return Delta_max and B_inf as TeX."""
    letter = f"\\{symbol[1]}" if len(symbol[1]) > 1 else symbol[1]
    index = {"inf": r"\infty", "infinity": r"\infty", "max": r"\max", "min": r"\min"}.get(symbol[2], symbol[2])
    return f"${letter}_{{{index}}}$"


def _words(name: str, words: str, small: str = "") -> nodes.inline:
    """Return a cell of a line."""
    cell = nodes.inline(classes=[f"claim-{name}"])
    cell += _mathematics(words)
    if small:
        cell += nodes.inline(text=small, classes=["claim-small"])
    return cell


_NUMBERED = re.compile(r"[A-Z][a-z]+ [\d.]+, [^,]+: [a-z ]+")


class Verdicts(SphinxDirective):
    """How many claims have each verdict, by chapter: from the committed ledgers, given titles.

    The papers come first. What the book claims is counted in lines of its own, and so is what other works have.
    A row that only follows from others is counted behind a plus.
    """

    has_content = True

    def run(self) -> list[nodes.Node]:
        titles = dict(line.split(": ", 1) for line in self.content if line.strip())
        found = {chapter: self._rows(chapter) for chapter in titles}
        papers = {chapter: [row for row in rows if _maker(row) == PAPER] for chapter, rows in found.items()}
        named = {chapter: f"[{title}]({chapter}.ipynb)" for chapter, title in titles.items()}
        lines = [["", *(f"{sign} {verdict}" for verdict, sign in SIGNS.items())], [":---"] + ["---:"] * len(SIGNS)]
        lines += [[named[chapter], *_counted(rows)] for chapter, rows in papers.items() if rows]
        every = [row for rows in papers.values() for row in rows]
        lines += [["**the papers**", *(count and f"**{count}**" for count in _counted(every))]]
        ours = [row for chapter, rows in found.items() if papers[chapter] for row in rows if _maker(row) == BOOK]
        lines += [["this book, in these chapters", *_counted(ours)]]
        lines += [[named[chapter], *_counted(rows)] for chapter, rows in found.items() if not papers[chapter]]
        others = [row for rows in found.values() for row in rows if _maker(row) == OTHERS]
        lines += [["other works, checked on the way", *_counted(others)]]
        text = StringList(["| " + " | ".join(line) + " |" for line in lines], self.get_source_info()[0])
        box = nodes.container()
        self.state.nested_parse(text, self.content_offset, box)
        return [box]

    def _rows(self, chapter: str) -> list[dict[str, str]]:
        path = Path(self.env.srcdir, "book", "data", chapter, "claims.csv")
        self.env.note_dependency(str(path))
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))


def _maker(row: dict[str, str]) -> str:
    return maker(row["claim"], row["kind"])


def _counted(rows: list[dict[str, str]]) -> list[str]:
    """Count by verdict: "7" of themselves, "7 + 2" where two more follow from others."""
    counts = Counter((row["verdict"], row["evidence"] == INHERITED) for row in rows)
    pairs = [(counts[verdict, False], counts[verdict, True]) for verdict in SIGNS]
    return [f"{own} + {heirs}" if heirs else str(own or "") for own, heirs in pairs]


class Ledger(Domain):
    """The claims of the book, by chapter and name."""

    name = "claim"
    label = "claims"
    object_types = {"claim": ObjType("claim", "claim")}  # noqa: RUF012
    roles = {"claim": XRefRole()}  # noqa: RUF012
    initial_data = {"places": {}}  # noqa: RUF012

    def get_type_name(self, type: ObjType, primary: bool = False) -> str:
        """Return what the search calls a claim."""
        return "claim"

    @property
    def places(self) -> dict[str, dict[str, tuple[str, str, bool]]]:
        """By claim and page: its title, its address there, and whether it is at home."""
        return self.data.setdefault("places", {})

    def note(self, name: str, title: str, docname: str, address: str, home: bool) -> bool:
        """Note that a claim stands on a page, and return whether this is the first time, which has the address."""
        found = self.places.setdefault(name, {})
        first = docname not in found
        found.setdefault(docname, (title, address, home))
        return first

    def clear_doc(self, docname: str) -> None:
        for name in [name for name, found in self.places.items() if docname in found]:
            del self.places[name][docname]
            if not self.places[name]:
                del self.places[name]

    def merge_domaindata(self, docnames: Any, otherdata: dict[str, Any]) -> None:
        for name, found in otherdata["places"].items():
            self.places.setdefault(name, {}).update({d: place for d, place in found.items() if d in docnames})

    def get_objects(self) -> Iterator[tuple[str, str, str, str, str, int]]:
        for name, found in self.places.items():
            docname, (title, address, _) = max(found.items(), key=lambda place: place[1][2])
            # the place that a paper numbers comes first
            yield name, title, "claim", docname, address, 0 if _NUMBERED.fullmatch(title) else 1

    def resolve_xref(
        self, env: BuildEnvironment, fromdocname: str, builder: Builder, typ: str, target: str,
        node: addnodes.pending_xref, contnode: nodes.Element,
    ) -> nodes.Element | None:  # fmt: skip
        if typ == "exhibit":  # a figure or a table, if the page has it at its parameters
            labels = env.get_domain("std").data["anonlabels"]
            where = labels.get(target)
            return make_refnode(builder, fromdocname, where[0], where[1], [contnode]) if where else None
        if typ == "proof":
            page, _, address = target.partition("#")
            return make_refnode(builder, fromdocname, page, address, [contnode]) if page in env.all_docs else contnode
        found = self.places.get(target, {})
        if typ == "home":  # its row on the page of all claims, if the site has it
            found = {docname: place for docname, place in found.items() if place[2]}
            contnode = contnode if found else nodes.inline()
        elif typ == "judged":  # its line on the page of its chapter, or else where that speaks of it
            found = {docname: place for docname, place in found.items() if not place[2]}
            page = "/".join([*fromdocname.split("/")[:-1], target.partition("/")[0]])
            if not found and page in env.all_docs:
                place = _headed(env, page, node["locus"])
                found = {page: ("", place or _LEDGER, False)}
                contnode = contnode if place else nodes.inline(text="at the end of its chapter")
        elif fromdocname in found:
            found = {fromdocname: found[fromdocname]}
        for docname, (_, address, _) in sorted(found.items(), key=lambda place: not place[1][2]):
            return make_refnode(builder, fromdocname, docname, address, [contnode])
        return contnode if typ in ("home", "judged") else None

    def resolve_any_xref(
        self, env: BuildEnvironment, fromdocname: str, builder: Builder, target: str, node: addnodes.pending_xref,
        contnode: nodes.Element,
    ) -> list[tuple[str, nodes.Element]]:  # fmt: skip
        """Resolve an ordinary link, `[Theorem 4](#cascading-claim-theorem-4)`, as if it led to where the claim is."""
        named = _ADDRESS.fullmatch(target)
        name = "/".join(named.groups()) if named else ""
        to = self.resolve_xref(env, fromdocname, builder, "claim", name, node, contnode)
        return [("claim:claim", to)] if to is not None else []


def _headed(env: BuildEnvironment, page: str, locus: str) -> str:
    """Return the address of the section whose heading has a claim's place, if there is one."""
    named = re.compile(rf"\b{re.escape(locus)}\b(?! ?[,\d])")
    sections = env.tocs[page].findall(nodes.reference)
    return next((one["anchorname"].lstrip("#") for one in sections if named.search(one.astext())), "")


_WORST_FIRST = (NOT_REPRODUCED, UNDECIDED, AFTER_REPAIR, REPRODUCED, NOT_TESTABLE)
_ADDRESS = re.compile(r"(\w+)-claim-([^\"]+)")
_LINK = re.compile(rf' href="#{_ADDRESS.pattern}"')


def lead(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Lead links in HTML, as tables of a chapter have them, to where the claim is: on their page, or on that of all."""
    places = _ledger(app.env).places
    assert app.builder is not None

    def led(link: re.Match[str]) -> str:
        found = places.get("/".join(link.groups()), {})
        for where, (_, address, home) in found.items():
            if home and docname not in found:
                return f' href="{app.builder.get_relative_uri(docname, where)}#{address}"'
        return link[0] if docname in found else ""

    for raw in doctree.findall(nodes.raw):
        if "-claim-" in raw.astext():
            raw.children = [nodes.Text(_LINK.sub(led, raw.astext()))]


def load(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """Let the search put first what is named by the words that were asked for."""
    if page == "search":
        app.add_js_file("search.js", loading_method="defer")


def _ledger(env: BuildEnvironment) -> Ledger:
    domain = env.get_domain("claim")
    assert isinstance(domain, Ledger)
    return domain


def _opens_claims(self: Any, node: claims) -> None:
    self.body.append(self.starttag(node, "div", CLASS="claims"))


def _closes_claims(self: Any, node: claims) -> None:
    self.body.append("</div>\n")


def _opens_claim(self: Any, node: claim) -> None:
    facts = {f"data-{key}": node[key] for key in ("of", "verdict", "evidence")}
    self.body.append(self.starttag(node, "details", CLASS="claim", **facts) + "<summary>")


def _closes_claim(self: Any, node: claim) -> None:
    self.body.append("</details>\n")


def _opens_verdict(self: Any, node: verdict) -> None:
    start = self.starttag(node, "details", CLASS="verdict", **{"data-verdict": node["verdict"]})
    self.body.append(start + "<summary>")


def _opens_group(self: Any, node: group) -> None:
    counts = Counter(node["verdicts"])
    told = ", ".join(
        f'<span class="claim-verdict" data-verdict="{verdict}">{SIGNS[verdict]} {counts[verdict]} {verdict}</span>'
        for verdict in _WORST_FIRST
        if counts[verdict]
    )
    self.body.append(self.starttag(node, "details", CLASS="claim-group") + f"<summary>{node['said']}{told}</summary>")


def _opens_unfolded(self: Any, node: unfolded) -> None:
    self.body.append('</summary><div class="claim-more">')


def _closes_unfolded(self: Any, node: unfolded) -> None:
    self.body.append("</div>")


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_domain(Ledger)
    app.add_directive("claims", Claims)
    app.add_directive("verdict", Verdict)
    app.add_directive("verdicts", Verdicts)
    app.add_node(claims, html=(_opens_claims, _closes_claims))
    app.add_node(group, html=(_opens_group, _closes_claim))
    app.add_node(claim, html=(_opens_claim, _closes_claim))
    app.add_node(verdict, html=(_opens_verdict, _closes_claim))
    app.add_node(unfolded, html=(_opens_unfolded, _closes_unfolded))
    app.connect("doctree-read", gather)
    app.connect("doctree-resolved", lead)
    app.connect("html-page-context", load)
    return {"version": "1", "env_version": 2, "parallel_read_safe": True, "parallel_write_safe": True}
