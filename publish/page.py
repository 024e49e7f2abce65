"""Make the picture of a page that README shows: the simulator of a chapter, after its runs, from the built book."""

from __future__ import annotations

from pathlib import Path

from chromium import NAMES, program
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "_build" / "html" / "book" / "cascading.html"
PICTURE = Path(__file__).with_name("page.png")

with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=program(*NAMES), args=["--no-sandbox"])
    page = browser.new_page(viewport={"width": 1280, "height": 1180})
    page.goto(PAGE.as_uri())
    place = page.locator("section#run-it-here")
    place.evaluate("one => one.scrollIntoView()")
    page.get_by_text("Done in").wait_for()
    box = place.bounding_box() or {"x": 0, "y": 0}
    clip = {"x": box["x"] - 24, "y": max(box["y"], 0), "width": 744, "height": 1060}
    page.screenshot(path=PICTURE, clip=clip)
    browser.close()
