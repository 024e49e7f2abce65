"""A browser for the tests of pages: Debian's chromium, or one that playwright knows."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NOT_RUN = "THE BROWSER CHECKS DO NOT RUN"
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


def lacking() -> str:
    """Say what keeps the pages from being looked at, or nothing."""
    words = f"{NOT_RUN}: {{}}; apt-get install chromium, and pip install playwright"
    if find_spec("playwright") is None:
        return words.format("playwright is not installed")
    if any(map(shutil.which, NAMES)):
        return ""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        there = Path(playwright.chromium.executable_path).is_file()
    return "" if there else words.format("no chromium was found")


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the browser of this machine, for as long as the block lasts; without one the test is skipped."""
    if words := lacking():
        pytest.skip(words)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = next(filter(None, map(shutil.which, NAMES)), None)
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


def visited(browser: Browser, addresses: Iterable[str], **context: Any) -> Iterator[Page]:
    """Open built pages one after the other in one tab, as a process for each is most of what a page costs.

    When the next one is asked for, nothing has gone wrong in a page, and nothing was asked of a network.
    """
    with browser.new_context(**context) as made:
        page = made.new_page()
        faults: list[str] = []
        page.on("console", lambda said: faults.append(said.text) if said.type in {"error", "warning"} else None)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("request", lambda asked: faults.append(asked.url) if asked.url.startswith(("http", "ws")) else None)
        if context.get("java_script_enabled", True):  # without, a browser drops the scripts that it began to load
            page.on("requestfailed", lambda asked: faults.append(f"failed: {asked.url}"))
        for address in addresses:
            page.goto(address)
            yield page
            assert not faults, (address, faults)


@contextmanager
def opened(browser: Browser, path: Path, fragment: str = "", **context: Any) -> Iterator[Page]:
    """Open a built page from its file, to be asked as `visited` pages are."""
    yield from visited(browser, [f"{path.resolve().as_uri()}{fragment}"], **context)
