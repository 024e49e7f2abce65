"""The page for policies and problems of a reader's own works by copy and paste."""

from __future__ import annotations

import ast
import json
from pathlib import Path

PAGE = json.loads((Path(__file__).parents[1] / "book" / "own.ipynb").read_text(encoding="utf-8"))
CELLS = [cell for cell in PAGE["cells"] if cell["cell_type"] == "code"]


def test_its_cells_are_all_shown_and_run_in_order_from_an_empty_session(capsys):
    assert not any({"hide-input", "remove-input", "hide-cell"} & {*cell["metadata"].get("tags", [])} for cell in CELLS)
    session: dict[str, object] = {"__name__": "__main__"}
    for cell in CELLS:
        exec("".join(cell["source"]).replace("10_000", "1_000"), session)
    assert "replayed  loss at least" in capsys.readouterr().out


def test_its_classes_are_short():
    classes = [node for cell in CELLS for node in ast.parse("".join(cell["source"])).body]
    lines = {each.name: each.end_lineno - each.lineno + 1 for each in classes if isinstance(each, ast.ClassDef)}
    assert {"Gaussian", "Turning", "PositionBased"} < set(lines)
    assert max(lines[name] for name in ("Gaussian", "Turning", "PositionBased")) <= 20 and max(lines.values()) <= 28
