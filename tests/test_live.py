"""A reader's notebook: any cell is edited and run again, in one kernel, and numbers, figure and ruling follow."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import nbformat
import pandas as pd
import pytest
from nbclient import NotebookClient

from private_bandits_book.book import find_book
from private_bandits_book.numbers import typeset

BOOK = find_book()
SMALL = {  # parameters at which a chapter is quick
    "audit": "runs = 2000",
    "comparison": "horizon = 300; epsilons = [3.0]; epsilon = 10.0",
    "contextual": "horizon = 300",
    "convex": "horizon = 1000",
    "definitions": "horizon = 1000; epsilons = [0.5, 1.0]",
    "heavy_tailed": "replications = 2",
    "own": "horizon = 300",
    "replay": "horizon = 1000; epsilons = [0.5, 1.0]",
    "semibandits": "horizon = 1000",
}


class Notebook:
    """A chapter in a kernel: its code cells, by what they contain."""

    def __init__(self, client: NotebookClient) -> None:
        self.client = client
        self.cells = [cell for cell in client.nb.cells if cell.cell_type == "code"]

    def run(self, cell: nbformat.NotebookNode) -> dict[str, str]:
        """Run a cell, and return what it shows, by kind; an error is raised."""
        cell.outputs = []
        self.client.execute_cell(cell, 0)
        if told := [output.text for output in cell.outputs if output.get("name") == "stderr"]:
            raise ValueError(told[0])
        shown = [output.get("data", {"text/plain": output.get("text", "")}) for output in cell.outputs]
        return {kind: "".join(one.get(kind, "") for one in shown) for kind in ("text/plain", "text/html")}

    def edited(self, words: str, old: str = "", new: str = "# an edit\n") -> dict[str, str]:
        """Run the cell with these words again, after an edit: by default a comment in its first line."""
        (cell,) = (cell for cell in self.cells if words in cell.source)
        assert old in cell.source
        return self.run(nbformat.from_dict({**cell, "source": cell.source.replace(old, new, 1)}))

    def typed(self, source: str) -> dict[str, str]:
        """Run a new cell."""
        return self.run(nbformat.v4.new_code_cell(source))


@contextmanager
def opened(name: str, parameters: str) -> Iterator[Notebook]:
    """Open a chapter in a kernel, and run all its cells with these parameters."""
    notebook = nbformat.read(BOOK.path(name), as_version=4)
    client = NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(BOOK.pages)}})
    with client.setup_kernel():
        live = Notebook(client)
        live.first = [live.run(live.cells[0]) and live.typed(parameters)]
        live.first += [live.run(cell) for cell in live.cells[1:]]
        yield live


def ruling(shown: dict[str, str], claim: str) -> str:
    """Return the verdict and the reason that a cell shows of a claim."""
    (found,) = re.findall(rf'-claim-{claim}".*?<strong>(.*?)</strong>.*?<p>(.*?)</p>', shown["text/html"])
    return ": ".join(found)


def test_an_edited_cell_is_run_again_and_all_that_it_makes_follows(tmp_path):
    small = f"horizon, replications, epsilons, output_dir = 2e3, 3, [0.2, 1.0], {str(tmp_path)!r}"
    with opened("cascading", small) as notebook:

        def figure(label: str) -> pd.DataFrame:
            return pd.read_csv(tmp_path / "data" / f"{label}.csv")

        # a judged figure
        first = notebook.edited('"own-central-over-local"')
        again = notebook.edited('"own-central-over-local"', "our two private algorithms", "two algorithms")
        assert ruling(first, "own-central-over-local") == ruling(again, "own-central-over-local")
        assert "of two algorithms." in again["text/html"] and "T = 2,000" in again["text/html"]

        # a parameter, in any later cell: checked, played, drawn and judged
        notebook.typed("horizon, replications = 5e3, 4.0")
        again = notebook.edited('"own-central-over-local"')
        assert "T = 5,000" in again["text/html"] and "4 " in again["text/html"]
        assert figure("figure-private")["t"].unique().tolist() == [5000]
        assert ruling(first, "own-central-over-local") != ruling(again, "own-central-over-local")
        assert notebook.typed("print(horizon, replications)")["text/plain"].split() == ["5000", "4"]

        # a list of policies
        assert "Algorithm 1 at" in notebook.edited('"figure-1f"')["text/html"]
        without = notebook.edited(
            '"figure-1f"', "paper.ucb_hybrid(epsilon, **sizes, noise_multiplier=0.01)", "paper.uniform()"
        )
        assert ruling(without, "figure-1f").startswith("undecided: <em>Exact</em>: its runs are not shown")

        # the last ruling counts
        notebook.edited("chapter.ledger()")
        rows = figure("claims").set_index("claim")
        assert rows.loc["figure-1f", "verdict"] == "undecided"
        assert typeset(rows.loc["own-central-over-local", "reason"]) in ruling(again, "own-central-over-local")

        # and what is refused is a line, in a kernel as well
        with pytest.raises(ValueError, match="^UsageError: epsilons must be a non-empty list, as \\[1\\], got 1\n$"):
            notebook.typed("epsilons = 1")


@pytest.mark.check
@pytest.mark.parametrize("name", sorted({*BOOK.chapters()} - {"cascading"}))
def test_cells_run_again_from_the_last_to_the_first_show_the_same(name):
    with opened(name, f"{SMALL[name]}; replications = 3") as notebook:
        for number in reversed(range(1, len(notebook.cells))):
            cell = notebook.cells[number]
            if "Chapter(" not in cell.source:
                assert notebook.edited(cell.source) == notebook.first[number], cell.source
