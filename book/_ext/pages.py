"""Pages as they are written, once each: no markup that changes the look, tables that are read, and what is spoken.

Each page passes here between its template and its file, so that no build works on a page a second time. What is plain
comes first: an interval and an empty head are known as such when nothing else is left in a cell. A build that reads one
page anew writes all of them, as a clean one does: the search's index has lost what the others were to be found by.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from pybtex.database import Entry, parse_file
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.jinja2glue import BuiltinTemplateLoader

from private_bandits_book.book import find_book
from private_bandits_book.judging.verdicts import SIGNS, VERDICTS
from private_bandits_book.numbers import typeset

LONG = 20  # rows of a table that is longer than most screens
SENTENCE = 40  # letters of a cell that is read and not looked up
_VERDICT = re.compile(rf"(<td[^>]*>)<strong>({'|'.join(VERDICTS)})</strong>")
_TABLE = re.compile(r'<table class="(?!indextable)([^"]*)"([^>]*)>(.*?)</table>', re.DOTALL)
_CELL = re.compile(r"<td>(.*?)</td>", re.DOTALL)
_WORDS = re.compile(r"(?<=>)[^<>]+(?=</td>)")
_KEY = re.compile(r"[a-z]{2,}\d{4}[a-z]*")  # of a work, as data name it
_INTERVAL = re.compile(r'(?<!kept">)\[[-−\d][^][\s<>]*, [-−\d∞][^][\s<>]*\]')

_CODE = re.compile(r"<pre>.*?</pre>", re.DOTALL)
_SHARE = re.compile(r"(?<=\d) (?=%)")
_TOKEN = re.compile(r'<span class="(?:n|p|w|o|nb|mi|mf|kc|ow|nn|fm)">([^<]*)</span>')
# The icons come from the theme's fonts, code unfolds by book.css, and there are no tabs.
_UNUSED = r"fontawesome\.js|togglebutton|design-tabs|sphinx-design"
_PLAIN = {
    rf'\s*<script[^>]* src="[^"]*(?:{_UNUSED})[^"]*"></script>': "",
    rf'\s*<link[^>]* href="[^"]*(?:{_UNUSED})[^"]*" ?/>': "",
    r"\s*<script>(?:let toggle|var togglebutton)[^<]*</script>": "",
    r"(/mystnb\.[0-9a-f]+\.css)\?v=\w+": r"\1",  # a checksum that only a second build has, of a file named after one
    # what the theme would colour, frame, space or keep in one line
    r'<span class="pre">([^<]*)</span>': r"\1",
    r"(<t[dh]\b[^>]*>)<p>((?:(?!<p>|</p>).)*)</p>(</t[dh]>)": r"\1\2\3",
    r' class="(?:xref )?(?:download )?docutils literal notranslate"': "",
    r' class="reference download internal"': ' class="download"',
    r'<tr class="row-(?:odd|even)">': "<tr>",
    r'<td class="text-left"></td>': "<td></td>",
    r"(</t[dhr]>)\n(?=</?t[dhr]\b)": r"\1",
    r'<span class="sd-summary-state-marker.*?</svg></span>': "",
    r'<details class="sd-[^"]*"': '<details class="sd-dropdown"',
    r' class="sd-(?:card-text|summary-text|summary-title sd-card-header|summary-content sd-card-body docutils)"': "",
    r'(<div class="cell[\w -]*) docutils container"': r'\1"',
}
# What the themes leave out for those who do not see a page, or do not use a mouse.
_SPOKEN = {
    r'(<a class="[^"]*" href="[^"]*">([^<]*)</a><details[^>]*>)<summary>(?=<span class="toctree-toggle")': (
        r'\1<summary aria-label="Pages below \2">'
    ),
    r' aria-label="Toggle hidden content"': "",  # beside the words of the fold, which are its name
    # the link leads to the words, if there are any, and not to the bar above them
    r'<article class="bd-article">': '<article class="bd-article" id="words" tabindex="-1">',
    r'href="#main-content">Skip to main content(?=.*<article [^>]*id="words")': 'href="#words">Skip to the words',
    r'<div role="list" class="citation-list">': '<div class="citation-list">',  # its entries are no list's items
    r' role="doc-biblioentry"': "",  # deprecated
    r' aria-label="Search" data-bs': " data-bs",  # another name than the one that is read on it
    r"<th(\b[^>]*)></th>": r"<td\1></td>",  # the head of nothing
    r'<h1>((?:<span class="section-number">[^<]*</span>)?)(\w+-\w+)': r'<h1>\1<span class="kept">\2</span>',
}


class Pages(BuiltinTemplateLoader):
    """The templates of the site, and what is done to the page that each makes."""

    def render(self, template: str, context: dict[str, Any]) -> str:
        """Return a finished page."""
        return finished(super().render(template, context), context["pagename"])


def finished(page: str, name: str) -> str:
    """Return a page after all passes, which would change it no more."""
    passes: tuple[Callable[[str], str], ...] = (plain, marked, spoken)
    for each in passes:
        page = each(page)
    return _nested(page) if name.startswith("_modules/") else page


def plain(page: str) -> str:
    """Take what nothing here uses, and the classes by which the theme would give a page another look."""
    # keywords, words and comments have colours; a number keeps its percent sign in its line
    page = _replaced(page, _PLAIN)
    words = [_SHARE.sub("\N{NO-BREAK SPACE}", part) for part in _CODE.split(page)]
    codes = [_TOKEN.sub(r"\1", code) for code in _CODE.findall(page)]
    return "".join(part for pair in zip(words, [*codes, ""], strict=True) for part in pair)


def marked(page: str) -> str:
    """Let a long table count its rows, which scroll under its head, its sentences have room, an interval a line.

    Numbers and verdicts have one form, whatever made them.
    """
    return _VERDICT.sub(_verdict, _TABLE.sub(_marked, page))


def spoken(page: str) -> str:
    """Name what has no name, and call nothing a list or a head that is none."""
    return _replaced(page, _SPOKEN)


def _replaced(page: str, pairs: dict[str, str]) -> str:
    for pattern, new in pairs.items():
        page = re.sub(pattern, new, page, flags=re.DOTALL)
    return page


def _marked(table: re.Match[str]) -> str:
    classes, rest, inside = table.groups()
    inside = _WORDS.sub(lambda words: _told(words[0]), inside)
    inside = _INTERVAL.sub(r'<span class="kept">\g<0></span>', _CELL.sub(_sentence, inside))
    rows = inside.partition("<tbody")[2].count("<tr")
    if rows >= LONG and "long-table" not in classes:
        said = f'<span class="rows">{rows} rows</span></caption>'
        inside = inside.replace("</caption>", f" {said}", 1) if "</caption>" in inside else f"\n<caption>{said}{inside}"
        classes += " long-table"
    return f'<table class="{classes}"{rest}>{inside}</table>'


def _told(words: str) -> str:
    """Return the words of a cell as readers write them: works by authors and year, signs as in formulas."""
    words = _KEY.sub(lambda key: cited().get(key[0], key[0]), words)
    return typeset(words).replace(" &gt;= ", " ≥ ").replace(" &lt;= ", " ≤ ")


@cache
def cited() -> dict[str, str]:
    """Return how a text cites each work, by its key: Wang et al. (2021)."""
    works = parse_file(str(find_book().root / "book" / "references.bib")).entries
    return {key: f"{_authors(work)} ({work.fields['year']})" for key, work in works.items()}


def _authors(work: Entry) -> str:
    names = [" ".join(person.last_names) for person in work.persons.get("author", ())]
    return " and ".join(names) if len(names) < 3 else f"{names[0]} et al."


def _verdict(cell: re.Match[str]) -> str:
    """Give the verdict of a row the form that it has elsewhere."""
    start, verdict = cell.groups()
    return f'{start}<span class="claim-verdict" data-verdict="{verdict}">{SIGNS[verdict]} {verdict}</span>'


def _sentence(cell: re.Match[str]) -> str:
    return f'<td class="sentence">{cell[1]}</td>' if len(re.sub("<[^>]*>", "", cell[1])) > SENTENCE else cell[0]


def _nested(page: str) -> str:
    """Put a list of modules into the item above it."""
    before, head, rest = page.partition("<ul><li><a href")
    listed, foot, after = rest.partition("</article>")
    inner, last, end = listed.replace("</li>\n<ul>", "\n<ul>").rpartition("</ul>")
    return before + head + inner.replace("</ul>", "</ul></li>") + last + end + foot + after


def _through_here(app: Sphinx, config: Config) -> None:
    config.template_bridge = "pages.Pages"
    os.environ["DOCUTILSCONFIG"] = ""  # a reader's docutils.conf would give pages other headings


def _all(app: Sphinx, env: BuildEnvironment) -> list[str]:
    Path(app.outdir, "searchindex.js").unlink(missing_ok=True)  # which keeps words that no page has any more
    return sorted(env.all_docs)


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("config-inited", _through_here)
    app.connect("env-updated", _all)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
