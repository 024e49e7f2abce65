"""The built pages in a browser: nothing is asked of a network, scrolls sideways or is cut, and axe is content."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from browser import opened, visited

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

WIDTHS, SCHEMES = (360, 768, 1440), ("light", "dark")
AXE_WIDTHS = 360, 1440
# Another machine has other fonts, and the words of a page must have room for wider ones; formulas bring their own.
STILL = """*, ::before, ::after { transition: none !important; }
  body * { letter-spacing: 0.05em } math * { letter-spacing: 0 }"""
RULES: dict[str, dict[str, Any]] = {"light": {}, "dark": {"runOnly": ["color-contrast"]}}
AXE = """async (rules) => {
  const ALIKE = ["math", "tr:nth-child(n+3)", "details.claim:nth-of-type(n+4)", "pre:not(#codecell0, #codecell1)"];
  const found = await axe.run({exclude: ALIKE}, {resultTypes: ["violations"], preload: false, ...rules});
  return found.violations.filter((fault) => ["serious", "critical"].includes(fault.impact)).flatMap((fault) =>
    fault.nodes.slice(0, 3).map((node) => `${fault.id}: ${node.target} ${node.html.slice(0, 100)}`));
}"""
KILO = 1024
SETTLED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))"

# What stands outside the page and is not in a frame that scrolls, and what such a frame or any other box cuts.
CUT = """() => [...document.querySelectorAll("table, caption, figcaption, figure img, math, pre, h2, h3, p, li, dt")]
  .filter((one) => {
    const box = one.getBoundingClientRect();
    if (!box.width) return false;
    for (let frame = one.parentElement; frame; frame = frame.parentElement) {
      const style = getComputedStyle(frame);
      if (/auto|scroll/.test(style.overflowX)) return false;
      if (/hidden|clip/.test(style.overflowX)) return box.right > frame.getBoundingClientRect().right + 1;
    }
    return box.right > innerWidth + 1 || box.left < -1;
  }).map((one) => one.outerHTML.slice(0, 120))"""


@pytest.fixture(scope="module")
def axe() -> str:
    found = find_spec("axe_playwright_python")
    assert found is not None and found.origin is not None
    return (Path(found.origin).parent / "axe.min.js").read_text(encoding="utf-8")


def written(site: Path) -> list[Path]:
    """The pages, without the theme's parts and the one that only leads to the first."""
    return [path for path in sorted(site.rglob("*.html")) if "_static" not in path.parts and path.parent != site] + [
        site / "search.html",
        site / "genindex.html",
    ]


def faults(page: Page, axe: str, widths: tuple[int, ...] = WIDTHS) -> Iterator[str]:
    """Look at an open page at some widths, and light and dark with axe where its code is given."""
    page.add_style_tag(content=STILL)
    if axe:
        page.evaluate(axe)
    for width in reversed(widths):
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate(SETTLED)
        for scheme in SCHEMES if axe and width in AXE_WIDTHS else ():
            page.emulate_media(color_scheme=scheme)
            yield from (f"{width} {scheme}: {said}" for said in page.evaluate(AXE, RULES[scheme]))
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        wide = page.evaluate("document.documentElement.scrollWidth")
        yield from (f"{width}: {said}" for said in [f"{wide} wide"] * (wide > width) + page.evaluate(CUT))
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = false; })")


@pytest.mark.book
def test_every_page_on_a_phone(site: Path, browser: Browser) -> None:
    """Nothing is wider than the screen or cut, with all unfolded, goes wrong in a script or asks for a network."""
    sources = [path for path in written(site) if "_modules" in path.parts]  # all made alike
    addresses = [path.as_uri() for path in written(site) if path not in sources[1:]]
    pages = visited(browser, addresses, viewport={"width": 360, "height": 900}, reduced_motion="reduce")
    assert [f"{page.url}: {said}" for page in pages for said in faults(page, "", (360,))] == []


@pytest.mark.book
@pytest.mark.check
def test_every_page_at_every_width_light_and_dark(site: Path, browser: Browser, axe: str) -> None:
    """Nothing is wider than the screen or cut, with all unfolded, and axe finds nothing serious.

    Of what is made alike axe reads a few: rows, claims, code, and pages of sources. A formula has the colour of its
    line, and in the dark only contrasts are others.
    """
    found, sources = [], [path for path in written(site) if "_modules" in path.parts]
    for path in written(site):
        with opened(browser, path, viewport={"width": WIDTHS[-1], "height": 900}, reduced_motion="reduce") as page:
            found += [f"{path.name}: {said}" for said in faults(page, "" if path in sources[1:] else axe)]
    assert found == []


@pytest.fixture(scope="module")
def served(site: Path) -> Iterator[str]:
    """The address of the pages on this machine, below a path; the search shows what it reads from them."""
    handler = partial(_Silent, directory=str(site.parent))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/{site.name}"
        server.shutdown()


class _Silent(SimpleHTTPRequestHandler):
    def log_message(self, *said: Any) -> None:
        """Say nothing."""


@pytest.mark.book
@pytest.mark.parametrize(
    ("asked", "address"),
    [
        ("chen theorem 9", "book/claims.html#semibandits-theorem-9"),
        ("convex exercise 2", "book/convex.html#exercise-2-by-changing-a-line"),
        ("ucb_laplace", "book/api/cascading.html#private_bandits.papers.cascading.ucb_laplace"),
    ],
)
def test_the_search_lands_on_what_was_asked(served: str, browser: Browser, asked: str, address: str) -> None:
    page = browser.new_page()
    page.goto(f"{served}/book/intro.html")
    page.keyboard.press("Control+k")
    page.keyboard.type(asked)
    page.keyboard.press("Enter")
    link = page.locator("#search-results a").first
    link.wait_for()
    page.wait_for_load_state("networkidle")  # each page that was found
    assert ".pdf" not in page.locator("#search-results").inner_text()  # of the menu above an article
    link.click()
    assert address in page.url
    landed = page.locator(f'[id="{address.partition("#")[2]}"]')
    landed.wait_for()
    box = landed.bounding_box()
    assert box is not None and -1 <= box["y"] < 700
    assert landed.get_attribute("open") is not None or "claims" not in address
    page.close()


# --- weight, from the files


def loads(page: Path) -> tuple[set[Path], set[Path]]:
    """What a page loads when it opens, with itself and what its styles load, and its pictures, which wait."""
    text = page.read_text(encoding="utf-8")
    found = re.findall(r'<(?:script|link|img)\b[^>]*? (?:src|href)="([^"#?]+)[^"]*"[^>]*>', text)
    files = {(page.parent / one).resolve() for one in found if not one.endswith(".html")}
    files = {path for path in files if path.is_file()}
    for style in [path for path in files if path.suffix == ".css"]:
        fonts = re.findall(r"url\(\"?([^\"?#)]+\.woff2?)", style.read_text(encoding="utf-8"))
        # the browser takes a font that a glyph asks for: brands are shown nowhere
        files |= {(style.parent / font).resolve() for font in fonts if "brands" not in font}
    pictures = {path for path in files if "_images" in path.parts}
    assert all('loading="lazy"' in one for one in re.findall(r'<img[^>]*"[^"]*_images/[^>]*>', text))
    return {page, *(files - pictures)}, pictures


def weight(files: set[Path]) -> int:
    return sum(path.stat().st_size for path in files if path.is_file())


@pytest.mark.book
def test_pages_are_light(site: Path) -> None:
    """In kilobytes, uncompressed: of a page, of its first load, and scrolled to its end."""
    found = []
    for path in (path for path in written(site) if "_modules" not in path.parts):
        first, pictures = loads(path)
        most = {"HTML": 400 if path.name == "claims.html" else 200, "first load": 1050, "scrolled": 1536}
        sizes = {"HTML": path.stat().st_size, "first load": weight(first), "scrolled": weight(first | pictures)}
        found += [f"{path.name}: {kind} {sizes[kind]:,}" for kind in most if sizes[kind] > KILO * most[kind]]
    assert found == []
