"""The book builds without a warning, its pages load nothing external, and images and links are sound."""

from __future__ import annotations

import csv
import json
import re
import runpy
from collections.abc import Iterable
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import unquote, urlsplit

import pytest
import yaml
from bs4 import BeautifulSoup
from fontTools.ttLib import TTFont

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted(path.stem for path in (ROOT / "book").glob("*.ipynb"))
CHAPTERS = sorted(path.name for path in (ROOT / "book" / "data").iterdir() if path.is_dir())
LEDGERS = {path.parent.name: path for path in (ROOT / "book" / "data").glob("*/claims.csv")}
LEDGERS = {name: path for name, path in LEDGERS.items() if path.is_file()}

_ELSEWHERE = re.compile(r"^\s*(https?:|ftp:)?//", re.IGNORECASE)
_CSS_LOAD = re.compile(r"(?:url\(|@import)\s*(?:url\()?\s*['\"]?\s*((?:https?:)?//[^'\")\s]+)", re.IGNORECASE)
_JS_LOAD = re.compile(
    r"(?:\.src\s*=|\.href\s*=|\bimport\s*\(?|\bfrom|\bfetch\(|\bimportScripts\(|\.open\(\s*['\"]GET['\"],|\bload\(|\burl:)"
    r"\s*['\"`]\s*((?:https?:)?//[^'\"`\s]+)"
)
# Inline scripts are the project's and the themes' few lines; no address has a business there.
_ADDRESS = re.compile(r"['\"`]\s*((?:https?:)?//[^'\"`\s]+)")
_FETCHED = {"src", "srcset", "data", "poster", "xlink:href"}
# What a <link> only points to; others are fetched.
_POINTING = "[rel=alternate], [rel=canonical], [rel=index], [rel=next], [rel=prev], [rel=search]"


class Page:
    """What a page loads, shows and points to."""

    def __init__(self, path: Path, soup: BeautifulSoup) -> None:
        self.path, self.soup = path, soup
        tags = self.soup.find_all(True)
        self.ids = {str(tag[key]) for tag in tags for key in ("id", "name") if key in tag.attrs}
        self.loads = [str(tag[key]) for tag in tags for key in _FETCHED & tag.attrs.keys()]
        self.loads += [str(tag["href"]) for tag in self.soup.select(f":not(a, {_POINTING})[href]")]
        self.links = [str(tag["href"]) for tag in self.soup.select("a[href]")]
        self.images = [(str(tag.get("src", "")), str(tag.get("alt", ""))) for tag in self.soup.select("img")]
        self.scripts = "\n".join(tag.string or "" for tag in self.soup.select("script"))
        self.styles = "\n".join(tag.string or "" for tag in self.soup.select("style"))
        self.styles += "\n".join(str(tag["style"]) for tag in self.soup.select("[style]"))


@pytest.fixture(scope="module")
def pages(soups: dict[Path, BeautifulSoup]) -> dict[Path, Page]:
    assert {f"{name}.html" for name in [*NOTEBOOKS, "intro"]} <= {path.name for path in soups}
    return {path: Page(path, soup) for path, soup in soups.items()}


@pytest.mark.book
def test_nothing_is_loaded_from_elsewhere(site: Path, pages: dict[Path, Page]) -> None:
    found = [f"{page.path.name}: {one}" for page in pages.values() for one in external_loads(page)]
    for path in site.rglob("*.css"):
        found += [f"{path.name}: {one}" for one in _CSS_LOAD.findall(path.read_text(encoding="utf-8"))]
    for path in site.rglob("*.js"):
        found += [f"{path.name}: {one}" for one in _JS_LOAD.findall(path.read_text(encoding="utf-8"))]
    assert found == []


@pytest.mark.book
def test_what_a_page_loads_is_there(site: Path, pages: dict[Path, Page]) -> None:
    missing = [
        f"{path.relative_to(site)}: {one}"
        for path, page in pages.items()
        for one in page.loads
        if not one.startswith("data:") and not _target(path, one).is_file()
    ]
    assert missing == []


@pytest.mark.book
def test_every_formula_is_drawn_and_the_font_has_its_letters(site: Path, pages: dict[Path, Page]) -> None:
    drawn = set(TTFont(site / "_static" / "math.woff").getBestCmap())
    texts = {path.name: path.read_text(encoding="utf-8") for path in pages}
    formulas = {name: re.findall(r"<math.*?</math>", text, flags=re.DOTALL) for name, text in texts.items()}
    assert sum(map(len, formulas.values())) > 2000
    for name, text in texts.items():
        assert "math notranslate" not in text and "merror" not in text, name
        for formula in formulas[name]:
            letters = set(unescape(re.sub("<[^>]*>|\u2061", "", formula)))
            letters |= {_italic(one) for one in re.findall(r"<mi>(\w)</mi>", formula)}
            assert {ord(one) for one in letters} <= drawn, f"{name}: {formula}"


def _italic(letter: str) -> str:
    """Return how a browser draws a letter that stands alone in a formula."""
    if letter == "h":
        return "ℎ"
    names = {"A": 0x1D434, "a": 0x1D44E, "α": 0x1D6FC}
    for first, italic in names.items():
        if 0 <= ord(letter) - ord(first) < 26:
            return chr(italic + ord(letter) - ord(first))
    return letter


@pytest.mark.parametrize(
    ("tex", "said"),
    [
        (r"\frac12+\frac1K", "<mfrac><mn>1</mn><mn>2</mn></mfrac><mo>+</mo><mfrac><mn>1</mn><mi>K</mi></mfrac>"),
        (r"X^21", "<msup><mi>X</mi><mn>2</mn></msup><mn>1</mn>"),
        (r"800{,}000", "<mn>800,000</mn>"),
        (r"\mu'_{a_t}", "<msubsup><mi>μ</mi><msub><mi>a</mi><mi>t</mi></msub><mi>′</mi></msubsup>"),
    ],
)
def test_a_formula_says_what_its_source_says(tex: str, said: str) -> None:
    assert said in runpy.run_path(str(ROOT / "book" / "_ext" / "mathml.py"))["mathml"](tex)


@pytest.mark.book
def test_every_image_says_what_it_shows(pages: dict[Path, Page]) -> None:
    images = [(page.path.name, *image) for page in pages.values() for image in page.images]
    assert len(images) > len(pages)
    assert [f"{name}: {src[:80]}" for name, src, alt in images if mute(src, alt)] == []


@pytest.mark.book
def test_every_local_link_leads_somewhere(pages: dict[Path, Page]) -> None:
    links = [(page, link) for page in pages.values() for link in page.links]
    assert [f"{page.path.name}: {link}" for page, link in links if not alive(page, link, pages)] == []


@pytest.mark.book
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_chapter_shows_its_figures_and_links_its_data(chapter: str, pages: dict[Path, Page]) -> None:
    (page,) = (page for path, page in pages.items() if path.parts[-2:] == ("book", f"{chapter}.html"))
    shown = [str(one["id"]) for one in page.soup.select("figure[id]")]
    figures = {path.stem for path in (ROOT / "book" / "figures" / chapter).glob("*.svg") if ".narrow" not in path.name}
    assert figures
    assert sorted(shown) == sorted(re.sub(r"[._]", "-", f"{chapter}-{name}") for name in figures)
    data = {path.name for path in (ROOT / "book" / "data" / chapter).glob("*.csv")}
    both = (one for path, one in pages.items() if path.name in (f"{chapter}.html", f"{chapter}_proofs.html"))
    assert data <= {link.rpartition("/")[2] for one in both for link in one.links}


def test_a_rerun_with_fewer_panels_keeps_the_numbers_of_the_book() -> None:
    number = runpy.run_path(str(ROOT / "book" / "_ext" / "numbering.py"))["number"]
    shown = {f"cascading-{name}": (1,) for name in ("figure-1e", "figure-learning", "figure-own-panel")}
    rerun = SimpleNamespace(
        toc_fignumbers={"cascading": {"figure": shown}, "tiny": {"figure": {"tiny-figure-2": (2,)}}}
    )
    number(None, rerun)
    assert rerun.toc_fignumbers == {
        "cascading": {"figure": {"cascading-figure-learning": (5, 2)}},
        "tiny": {"figure": {}},
    }


@pytest.mark.book
def test_every_claim_has_one_address_and_is_found(site: Path, pages: dict[Path, Page]) -> None:
    """On the page of all claims an address is chapter and name; the search leads there, and it to the chapter."""
    rows = [(name, row["claim"]) for name in _listed() if name in LEDGERS for row in _rows(LEDGERS[name])]
    by_name = {path.name: page for path, page in pages.items() if path.parent.name == "book"}
    text = by_name["claims.html"].path.read_text(encoding="utf-8")
    addresses = re.findall(r'<details class="claim"[^>]* id="([^"]+)"', text)
    assert addresses == [f"{chapter}-{claim}" for chapter, claim in rows]
    for chapter, claim in rows:
        address, page = f"{chapter}-claim-{claim}", by_name[f"{chapter}.html"]
        assert f"{page.path.name}#{address}" in by_name["claims.html"].links or address not in page.ids
    assert "semibandits_proofs.html#proof-semi-theorem-9" in by_name["claims.html"].links
    for chapter in LEDGERS:
        assert any(one.startswith(f"{chapter}-claim-") for one in by_name[f"{chapter}.html"].ids)
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    found = json.loads(index[index.index("(") + 1 : index.rindex(")")])
    every = [row for rows in found["objects"].values() for row in rows]
    objects = {(found["docnames"][page], anchor) for page, _, _, anchor, _ in every}
    assert objects >= {("book/claims", address) for address in addresses}
    titles = {f"{before}.{title}" for before, one in found["objects"].items() for *_, title in one}
    assert "Theorem 4, Wang et al. (2021): reproduced after repair" in titles


@pytest.mark.book
def test_the_first_page_counts_every_claim(pages: dict[Path, Page]) -> None:
    (page,) = (page for path, page in pages.items() if path.name == "intro.html")
    (table,) = (one for one in page.soup.select("table") if "the papers" in one.get_text())
    lines = [[cell.get_text() for cell in row.select("td")] for row in table.select("tbody tr")]
    counts = [re.findall(r"\d+", cell) for first, *rest in lines if first.strip() != "the papers" for cell in rest]
    every = sum(len(_rows(path)) for path in LEDGERS.values())
    assert sum(map(int, sum(counts, []))) == every, "list each chapter in the directive verdicts of book/intro.md"


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _listed() -> list[str]:
    """The pages in the order of the table of contents, without those below other pages."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    parts = (part["chapters"] for part in toc["parts"] if part.get("numbered"))
    return [entry["file"].removeprefix("book/") for part in parts for entry in part]


@pytest.mark.book
def test_a_finished_page_is_finished(pages: dict[Path, Page]) -> None:
    finished = runpy.run_path(str(ROOT / "book" / "_ext" / "pages.py"))["finished"]
    for page in pages.values():
        text = page.path.read_text(encoding="utf-8")
        assert finished(text, page.path.stem) == text, page.path


def external_loads(page: Page) -> list[str]:
    addresses: Iterable[str] = [*page.loads, *_CSS_LOAD.findall(page.styles), *_ADDRESS.findall(page.scripts)]
    return [one for one in addresses if _ELSEWHERE.match(one)]


def mute(src: str, alt: str) -> bool:
    name = Path(urlsplit(src).path).name if not src.startswith("data:") else ""
    said = alt.strip()
    return said in {"", src, name, Path(name).stem} or said.startswith(("<Figure", "../"))


def alive(page: Page, link: str, pages: dict[Path, Page]) -> bool:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return True
    target = _target(page.path, link) if parts.path else page.path
    if not target.is_file():
        return False
    return not parts.fragment or target not in pages or unquote(parts.fragment) in pages[target].ids


def _target(page: Path, link: str) -> Path:
    return (page.parent / unquote(urlsplit(link).path)).resolve()
