"""Policies and problems of a reader's own: their page works by copy and paste."""

from __future__ import annotations

import json
from pathlib import Path

from private_bandits_book.pages import render

PAGE = json.loads((Path(__file__).parents[1] / "book" / "own.ipynb").read_text(encoding="utf-8"))
CELLS = [cell for cell in PAGE["cells"] if cell["cell_type"] == "code"]


def test_its_cells_are_all_shown_and_run_in_order_from_an_empty_session():
    assert not any({"hide-input", "remove-input", "hide-cell"} & {*cell["metadata"].get("tags", [])} for cell in CELLS)
    session: dict[str, object] = {"__name__": "__main__"}
    for cell in CELLS:
        exec("".join(cell["source"]).replace("10_000", "1_000"), session)
    assert [name for name, *_ in session["audited"]] == ["greedy", "greedy, replayed"]


def test_a_figure_shows_itself_in_a_console_by_its_name():
    shown = render.figure("own", "figure-own", svg="<svg/>", caption="A.", alt="B.")
    assert repr(shown) == "<figure figure-own>"
