"""A reader's notebook: any cell is edited and run again, in one kernel."""

from __future__ import annotations

import nbformat
import pytest
from nbclient import NotebookClient

from private_bandits_book.book import find_book

BOOK = find_book()
SMALL = {  # parameters at which a chapter is quick
    "audit": "runs = 2000",
    "cascading": "horizon = 1000; epsilons = [0.2, 1.0]",
    "comparison": "horizon = 300; epsilons = [3.0]; epsilon = 10.0",
    "contextual": "horizon = 300",
    "convex": "horizon = 1000",
    "definitions": "horizon = 1000; epsilons = [0.5, 1.0]",
    "heavy_tailed": "replications = 2",
    "own": "horizon = 300",
    "replay": "horizon = 1000; epsilons = [0.5, 1.0]",
    "semibandits": "horizon = 1000",
}


def run(client: NotebookClient, cell: nbformat.NotebookNode) -> list[dict[str, str]]:
    """Run a cell, and return what it shows, by kind; an error is raised."""
    cell.outputs = []
    client.execute_cell(cell, 0)
    assert not [output.text for output in cell.outputs if output.get("name") == "stderr"]
    shown = [output.get("data", {"text/plain": output.get("text", "")}) for output in cell.outputs]
    return [{kind: one[kind] for kind in ("text/plain", "text/html") if kind in one} for one in shown]


@pytest.mark.check
@pytest.mark.parametrize("name", BOOK.chapters())
def test_cells_run_again_from_the_last_to_the_first_show_the_same(name):
    """After an edit of each, a comment in its first line."""
    notebook = nbformat.read(BOOK.path(name), as_version=4)
    client = NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(BOOK.pages)}})
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    cells.insert(1, nbformat.v4.new_code_cell(f"{SMALL[name]}; replications = 3"))
    with client.setup_kernel():
        first = [run(client, cell) for cell in cells]
        for number in reversed(range(2, len(cells))):
            if "Chapter(" not in cells[number].source:
                edited = nbformat.from_dict({**cells[number], "source": f"# an edit\n{cells[number].source}"})
                assert run(client, edited) == first[number], cells[number].source
