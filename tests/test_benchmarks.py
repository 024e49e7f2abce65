"""The page on speed is what its script makes of the committed results."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def page(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    sys.modules.pop("page", None)
    import page

    return page


def test_the_page_is_that_of_the_results(page):
    made = page.text(*(page.read(name) for name in ("results", "peers", "growth")))
    assert (ROOT / "book" / "performance.md").read_text(encoding="utf-8") == made


def test_its_figures_are_those_of_the_results(page):
    for name, image in page.draw(page.read("growth")["games"]).items():
        assert (ROOT / "book" / "figures" / "performance" / name).read_text(encoding="utf-8") == image


def test_a_peer_that_loses_something_else_is_refused(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    import peers

    rows = [
        {"library": name, "plays": plays, "regret": regret, "regret_error": 5.0}
        for name, plays, regret in (("ours", "UCB1", 440.0), ("same", "UCB1", 456.0), ("tuned", "UCB1-Tuned", 77.0))
    ]
    peers.agree(rows)
    with pytest.raises(RuntimeError, match="other: regret 235, ours 440: not UCB1"):
        peers.agree([*rows, {"library": "other", "plays": "UCB1", "regret": 235.0, "regret_error": 5.0}])
