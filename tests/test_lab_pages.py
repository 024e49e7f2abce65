"""The laboratory in a real browser, on built pages opened from their files."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from browser import opened
from bs4 import BeautifulSoup
from lab import ask
from lab_policies import CHAPTERS

from private_bandits import simulate

pytestmark = pytest.mark.book
PAGES = ("definitions", "semibandits", "convex", "cascading", "heavy_tailed")
BESIDE = 4.5  # joint standard errors, at which a right sampler fails once in 100,000
SMALL = """[...document.querySelectorAll("[data-lab] :is(input, select)")]
  .filter((one) => parseFloat(getComputedStyle(one).fontSize) < 16).length"""
COMMITTED = Path(__file__).parents[1] / "book" / "data" / "definitions" / "figure-inference.csv"


@pytest.fixture(scope="module")
def book(site: Path) -> Path:
    return site / "book"


def _hash(chapter: str, **state: Any) -> str:
    return f"#{urlencode({'lab': chapter} | state)}"


def _panel(page: Any, chapter: str) -> Any:
    return page.locator(f'[data-lab="{chapter}"]')


def _state(page: Any, chapter: str, state: str, seconds: int = 60) -> None:
    page.locator(f'[data-lab="{chapter}"][data-lab-state="{state}"]').wait_for(timeout=1000 * seconds)


def _run(page: Any, chapter: str, seconds: int = 60) -> None:
    _panel(page, chapter).locator("[data-lab-run]").click()
    _state(page, chapter, "done", seconds)


def _csv(page: Any, chapter: str) -> list[dict[str, str]]:
    with page.expect_download() as waited:
        _panel(page, chapter).get_by_role("button", name="Data as CSV").click()
    return list(csv.DictReader(io.StringIO(Path(waited.value.path()).read_text(encoding="utf-8"))))


def _ends(rows: list[dict[str, str]]) -> dict[str, tuple[float, float]]:
    """The mean and its standard error at the last round, by policy."""
    return {row["policy"]: (float(row["regret"]), float(row["regret_se"])) for row in rows}


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_curves_end_where_the_library_ends(chapter: str, book: Path, browser: Any) -> None:
    """Three of the algorithms that are offered, against as many runs of the library."""
    declared = CHAPTERS[chapter]
    rng = np.random.default_rng(7)
    values = declared.values(rng) | {"horizon": 1500, "replications": 40, "seed": 5}
    listed = {one["id"]: one["label"] for one in ask(("offered", chapter, values))[0]}
    offered = {name: listed[name] for name in list(listed)[:: len(listed) // 3]}
    with opened(browser, book / f"{chapter}.html", _hash(chapter, **values, algorithms=" ".join(offered))) as page:
        _run(page, chapter)
        rows = _csv(page, chapter)
    found = _ends(rows)
    assert len(found) == len(offered)
    for name, label in offered.items():
        policy = declared.policies[name](values)
        runs = simulate(declared.problem(values, policy), policy, horizon=1500, replications=40, seed=6).regret[:, -1]
        mean, error = next(end for shown, end in found.items() if shown.startswith(label))
        together = math.hypot(error, float(runs.std(ddof=1)) / math.sqrt(40))
        assert abs(mean - float(runs.mean())) <= BESIDE * together + 1e-9, name


def test_the_attacker_wins_as_often_as_is_committed(book: Path, browser: Any) -> None:
    with COMMITTED.open(encoding="utf-8", newline="") as file:
        (row,) = (
            row for row in csv.DictReader(file)
            if row["guess"] == "all answers of one person" and float(row["epsilon"]) == 1.0
        )  # fmt: skip
    with opened(browser, book / "definitions.html", _hash("definitions", epsilon=1, answers=row["changes"])) as page:
        _run(page, "definitions")
        last = _csv(page, "definitions")[-1]
    share, half, rate = float(last["success"]), float(last["half_width"]), float(row["success"])
    assert last["games"] == "20000" and abs(share - rate) <= BESIDE * half / 1.96


def test_it_stops_and_runs_again(book: Path, browser: Any) -> None:
    long = _hash("cascading", horizon=10**8, replications=4)
    with opened(browser, book / "cascading.html", long) as page:
        panel = _panel(page, "cascading")
        assert "about" in panel.locator(".lab-work").inner_text()
        panel.locator("[data-lab-run]").click()
        _state(page, "cascading", "running")
        page.wait_for_function("document.querySelector('[data-lab] progress').value > 0", timeout=60_000)
        panel.get_by_role("button", name="Stop").click()
        _state(page, "cascading", "stopped")
        panel.get_by_label("horizon T", exact=True).fill("1000")
        _state(page, "cascading", "idle")
        _run(page, "cascading")


@pytest.mark.parametrize("chapter", [*PAGES, "explorer"])
def test_a_panel_runs_as_it_stands_and_a_phone_shows_three_fields_below_one_plot(
    chapter: str, book: Path, browser: Any
) -> None:
    with opened(browser, book / f"{chapter}.html", viewport={"width": 390, "height": 844}) as page:
        panel = _panel(page, chapter)
        fields, plots = panel.locator(".lab-field:visible"), panel.locator("[data-lab-result] svg[role=img]:visible")
        assert panel.count() == 1 and fields.count() == 3 and plots.count() == 1
        plot, least, most = plots.bounding_box(), fields.first.bounding_box(), fields.last.bounding_box()
        assert plot["width"] > 300 and plot["height"] > 250 and plot["y"] + plot["height"] <= least["y"]
        assert most["y"] + most["height"] - plot["y"] < 844
        if chapter in PAGES:
            assert panel.get_attribute("data-lab-state") == "idle"
            panel.locator("[data-lab-result]").scroll_into_view_if_needed()
            _state(page, chapter, "done")  # by itself
            assert panel.locator("[data-lab-result] svg polyline.lab-line").count() >= 2
            assert panel.locator("[data-lab-result] svg polygon.lab-band").count() >= 1
            assert len(_csv(page, chapter)) > 10
        panel.get_by_role("button", name="More fields").click()
        assert fields.count() == panel.locator(".lab-field").count() > 3


def test_an_address_brings_back_what_was_set(book: Path, browser: Any) -> None:
    with opened(browser, book / "cascading.html") as page:
        panel = _panel(page, "cascading")
        panel.get_by_label("horizon T", exact=True).fill("3000")
        panel.get_by_label("privacy ε", exact=True).fill("0.7")
        panel.get_by_role("button", name="repaired", exact=True).click()
        panel.get_by_label("log regret").uncheck()
        fragment = page.evaluate("location.hash")
        names = panel.locator(".lab-row input:checked").evaluate_all("boxes => boxes.map((box) => box.id)")
    with opened(browser, book / "cascading.html", fragment) as page:
        panel = _panel(page, "cascading")
        assert panel.get_by_label("horizon T", exact=True).input_value() == "3000"
        assert panel.get_by_label("privacy ε", exact=True).input_value() == "0.7"
        assert not panel.get_by_label("log regret").is_checked()
        assert panel.locator(".lab-row input:checked").evaluate_all("boxes => boxes.map((box) => box.id)") == names
        assert len(names) > 4
        assert page.evaluate("location.hash") == fragment


def test_without_javascript_a_figure_stands_there(soups: dict[Path, BeautifulSoup]) -> None:
    found = {path.stem: one.select("[data-lab] noscript img[src][alt]") for path, one in soups.items()}
    assert {name for name, images in found.items() if images} >= {*PAGES, "explorer"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["cascading", "explorer"])
def test_panels_are_accessible_on_a_phone(name: str, scheme: str, book: Path, browser: Any) -> None:
    look = {"viewport": {"width": 360, "height": 900}, "color_scheme": scheme}
    with opened(browser, book / f"{name}.html", **look) as page:
        assert page.evaluate(SMALL) == 0
        found = Axe().run(page, context="[data-lab]", options={"preload": False}).response["violations"]
        assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []
