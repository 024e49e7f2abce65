"""How the built pages are used: doors, cards, ledger, keyboard and phone, measured in a browser."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browser import opened

from private_bandits_book.book import find_book
from private_bandits_book.parameters import validate

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).parents[1]
PHONE = {"viewport": {"width": 360, "height": 800}, "has_touch": True, "is_mobile": True}
DESK = {"viewport": {"width": 1440, "height": 900}}


@pytest.fixture(scope="module")
def book(site: Path) -> Path:
    return site / "book"


# --- the first page, and what stands on top of a chapter


@pytest.mark.book
def test_the_first_screen_of_a_phone_has_four_doors_and_the_picture(book: Path, browser: Browser) -> None:
    with opened(browser, book / "intro.html", **PHONE) as page:
        height = page.evaluate("innerHeight")
        boxes = [one.bounding_box() for one in page.locator(".doors a").all()]
        assert len(boxes) == 4 and all(box is not None and box["y"] + box["height"] <= height for box in boxes)
        figure = page.locator("figure img").first.bounding_box()
        assert figure is not None and figure["y"] < height - 40  # in the tallest fonts tried: 56


@pytest.mark.book
def test_a_card_leads_on_a_phone_to_as_many_claims_as_it_says(book: Path, browser: Browser) -> None:
    with opened(browser, book / "cascading.html", **PHONE) as page:
        last = page.locator(".chapter-card .claim-verdict").last
        count = int(last.inner_text().split()[1])
        last.click()
        page.wait_for_url("**/claims.html?*")
        page.locator("details.claim").first.wait_for(state="attached")
        found = page.locator("details.claim:visible")
        assert found.count() == count
        box = found.first.bounding_box()
        assert box is not None and box["y"] < 330  # before any prose


@pytest.mark.parametrize("chapter", find_book().chapters())
def test_the_command_of_a_card_is_taken(chapter: str) -> None:
    epsilon = runpy.run_path(str(ROOT / "book" / "_ext" / "card.py"))["EPSILON"]
    validate(chapter, find_book().parameters(chapter), {"epsilons": [epsilon]})


# --- the ledger


@pytest.mark.book
def test_a_link_opens_the_fold_in_which_its_verdict_stands(book: Path, browser: Browser) -> None:
    with opened(browser, book / "semibandits.html", "#semibandits-claim-theorem-3", **DESK) as page:
        folds = page.locator("details.claim-group:has(> details.verdict)")
        line = page.locator("#semibandits-claim-theorem-3")
        assert line.evaluate("(one) => one.open && one.checkVisibility()") and folds.count() > 1
        page.evaluate("for (const one of document.querySelectorAll('article details')) one.open = false")
        page.evaluate("location.hash = ''")
        page.evaluate("location.hash = '#semibandits-claim-theorem-3'")
        page.wait_for_function("document.querySelector('#semibandits-claim-theorem-3').open")
        assert line.is_visible() and page.locator("details.claim-group[open]").count() == 1


@pytest.mark.book
def test_the_ledger_finds_whole_words_and_places_first(book: Path, browser: Browser) -> None:
    with opened(browser, book / "claims.html", **DESK) as page:
        page.get_by_label("Words").fill("chen theorem 9")
        places = page.locator("details.claim:visible .claim-place").evaluate_all(
            "all => all.map((one) => one.firstChild.textContent.trim())"
        )
        assert sorted(places[:2]) == ["Theorem 9", "Theorem 9, sketch"] and len(places) < 20
        page.get_by_label("Words").fill("no such words")
        assert page.get_by_text("No claim is like this").is_visible()
        page.get_by_role("button", name="Show all").click()
        assert page.locator("details.claim:visible").count() == page.locator("details.claim").count()


@pytest.mark.book
def test_rows_of_a_long_table_are_chosen_by_words_and_by_a_column(book: Path, browser: Browser) -> None:
    with opened(browser, book / "audit.html", **DESK) as page:
        table, form = page.locator("table.filtered").first, page.locator("form.claims-form").first
        rows = [row.inner_text().lower() for row in table.locator("tbody tr").all()]
        form.locator("input").fill("laplace ucb")
        kept = [row for row in rows if "laplace" in row and "ucb" in row]
        shown = [row.inner_text().lower() for row in table.locator("tbody tr:visible").all()]
        assert shown == kept and 0 < len(kept) < len(rows)
        assert form.locator("output").inner_text() == f"{len(kept)} of {len(rows)} rows"
        form.locator("select").first.select_option(index=1)
        fewer = [row.inner_text().lower() for row in table.locator("tbody tr:visible").all()]
        assert set(fewer) < set(kept)


# --- keyboard, names, copying


@pytest.mark.book
def test_the_focus_is_always_seen_and_the_link_that_skips_leads_to_the_words(book: Path, browser: Browser) -> None:
    seen = """() => {
      const one = document.activeElement;
      const look = [one, ...one.children].map((part) => getComputedStyle(part));
      const ring = ({ outlineStyle, outlineWidth, outlineColor }) => `${outlineStyle} ${outlineWidth} ${outlineColor}`;
      const blue = "rgb(2, 98, 167)";
      const seen = (style) => style.boxShadow.includes(blue) || ring(style) === `solid 3px ${blue}`;
      return [one.outerHTML.slice(0, 90), look.some(seen)];
    }"""
    with opened(browser, book / "cascading.html", **DESK) as page:
        unseen = []
        for _ in range(45):
            page.keyboard.press("Tab")
            html, found = page.evaluate(seen)
            unseen += [html] * (not found)
        assert unseen == []
        page.reload()
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.closest('article') !== null")


# --- what is folded


@pytest.mark.parametrize(
    ("source", "drawn"),
    [
        ('chapter.figure("figure-1", plots.curves(runs, yscale="log"), "A sentence.")', True),
        ('chapter.figure("a", plots.rows(plots.panel(x)), f"{y}")\nchapter.figure("b", plots.bars(y), "B.")', True),
        ('chapter.figure("figure-1", plots.curves(chapter.play(arms, [one])), "It plays.")', False),
        ('runs = chapter.play(arms, [one])\nchapter.figure("figure-1", plots.curves(runs), "It plays.")', False),
        ('chapter.figure("a", plots.curves(runs.assign(regret=runs["regret"] / 2)), "It halves.")', False),
        ('chapter.figure("a", plots.curves(runs.groupby("t").mean()), "It computes.")', False),
        ("%time chapter.figure('a', plots.curves(runs), 'It is no Python.')", False),
        ("", False),
    ],
)
def test_a_cell_that_only_draws_is_known_and_no_other(source: str, drawn: bool) -> None:
    assert runpy.run_path(str(ROOT / "book" / "_ext" / "folds.py"))["draws"](source) is drawn
