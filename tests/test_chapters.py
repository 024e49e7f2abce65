from __future__ import annotations

import math
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pandas as pd
import papermill
import pytest

from private_bandits.checks import brief
from private_bandits_book import parameters
from private_bandits_book.book import Book, find_book
from private_bandits_book.chapter import Chapter
from private_bandits_book.jobs import execute
from private_bandits_book.jobs.cluster import OUTPUT_VARIABLE, STRICT_VARIABLE
from private_bandits_book.jobs.execute import ChapterFailed
from private_bandits_book.jobs.reproduce import moved, reproduce
from private_bandits_book.parameters import Parameter, UsageError, declared, validate
from private_bandits_book.plots import Picture

KNOWN = {
    "horizon": Parameter("int", 1000),
    "replications": Parameter("int", 20),
    "seed": Parameter("int", 1),
    "epsilons": Parameter("list[float]", [0.2, 1]),
    "list_sizes": Parameter("list[int]", [4, 8]),
    "delta": Parameter("float", 1e-3),
    "gap": Parameter("float", 0.15),
    "n_jobs": Parameter("int", 1),
    "output_dir": Parameter("str", ""),
    "warm_up": Parameter("int", 0),
    "scale": Parameter("float", 1.0),
    "verbose": Parameter("bool", False),
}
VALUES = {
    "horizon": 7,
    "replications": 2,
    "seed": 7,
    "epsilons": [1.0],
    "n_jobs": 1,
    "output_dir": "",
    "mood": "calm",
}


# Parameters


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("horizon", 0, "horizon must be >= 1"),
        ("horizon", True, "horizon must be an integer"),
        ("horizon", math.inf, "horizon must be an integer"),
        ("n_jobs", 10**300, "n_jobs must be >= -1 and <= 4611686018427387904"),
        ("replications", 1, "replications must be >= 2"),
        ("epsilons", [], "epsilons must be a non-empty list"),
        ("epsilons", 0.5, "epsilons must be a non-empty list, as [0.5],"),
        ("epsilons", [1, True], "epsilons[1] must be a number > 0"),
        ("epsilons", [math.inf], "epsilons[0] must be finite and > 0"),
        ("epsilons", [1, 1.0], "epsilons must not repeat a value"),
        ("list_sizes", [4, 4.5], "list_sizes[1] must be an integer >= 1"),
        ("delta", 0, "delta must be > 0 and < 1"),
        ("n_jobs", 0, "n_jobs must be -1 (all cores) or >= 1"),
        ("output_dir", 5, "output_dir must be a string"),
        ("scale", "1", "scale must be a number"),
        ("verbose", 1, "verbose must be True or False"),
    ],
)
def test_a_bad_parameter_is_named_with_what_is_allowed_and_what_was_given(name, value, message):
    with pytest.raises(UsageError) as caught:
        validate("study", KNOWN, {name: value})
    text = str(caught.value)
    given = value[-1] if isinstance(value, list) and "[" in message else value
    assert text.startswith(message) and text.endswith(f"got {brief(given)}") and "\n" not in text


@pytest.mark.parametrize(
    "made", [np.array, pd.Series, tuple, lambda of: range(1, 3)], ids=["array", "series", "tuple", "range"]
)
def test_a_list_of_numbers_may_have_any_form(made):
    values = validate("mine", {"epsilons": Parameter("list[float]", [1.0])}, {"epsilons": made([1, 2])})
    assert values["epsilons"] == [1.0, 2.0] and {type(each) for each in values["epsilons"]} == {float}


def test_validation_returns_every_value_in_its_own_type():
    given = {"horizon": 1e5, "epsilons": (1, 0.5), "list_sizes": [2.0], "scale": 3, "n_jobs": -1}
    values = validate("study", KNOWN, given)
    assert list(values) == list(KNOWN) and values["replications"] == 20
    assert values["horizon"] == 100_000 and isinstance(values["horizon"], int)
    assert values["epsilons"] == [1.0, 0.5] and all(isinstance(epsilon, float) for epsilon in values["epsilons"])
    assert values["list_sizes"] == [2] and isinstance(values["list_sizes"][0], int)


def test_the_module_of_a_paper_may_bind_parameters_to_each_other(monkeypatch):
    def check_parameters(*, horizon, warm_up, **others):
        if warm_up >= horizon:
            raise ValueError(f"warm_up must be < horizon = {horizon}, got {warm_up}")

    monkeypatch.setattr(parameters, "paper", lambda name: SimpleNamespace(check_parameters=check_parameters))
    assert validate("study", KNOWN, {"warm_up": 9})["warm_up"] == 9
    with pytest.raises(UsageError, match="warm_up must be < horizon = 5, got 9"):
        validate("study", KNOWN, {"warm_up": 9, "horizon": 5})


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        (["horizon = 5"], "typed literals only"),
        (["horizon: int = 5\nprint(horizon)"], "typed literals only"),
        (["horizon: complex = 5"], "the type of horizon must be one of"),
        (["horizon: int = 5"] * 2, "one parameters cell, got 2"),
    ],
)
def test_a_chapter_has_one_cell_of_typed_literals(sources, message):
    cells = [nbformat.v4.new_code_cell(source, metadata={"tags": ["parameters"]}) for source in sources]
    with pytest.raises(ValueError, match=message):
        declared(nbformat.v4.new_notebook(cells=cells))


# The book


def test_chapters_come_in_reading_order(tiny):
    source = tiny.path("tiny").read_bytes()
    for name in ("alpha", "omega", "unlisted"):
        (tiny.pages / f"{name}.ipynb").write_bytes(source)
    nbformat.write(nbformat.v4.new_notebook(), tiny.pages / "plain.ipynb")
    toc = "format: jb-book\nroot: book/intro\nparts:\n- chapters:\n  - file: book/omega\n    sections:\n"
    toc += "    - file: book/tiny.ipynb\n    - file: book/plain\n- chapters: [{file: book/alpha}]\n"
    (tiny.root / "_toc.yml").write_text(toc)
    assert tiny.chapters() == ["omega", "tiny", "alpha", "unlisted"]
    assert tiny.title("tiny") == "A tiny chapter"


# What a chapter shows and writes


@pytest.fixture
def chapter(tiny, shown, tmp_path, monkeypatch):
    monkeypatch.setenv(OUTPUT_VARIABLE, str(tmp_path / "out"))
    return Chapter("tiny", VALUES, tiny)


FRAME = pd.DataFrame({"policy": ["a|b", "*c*"], "epsilon": [0.1, math.inf], "t": [10, 20], "x": [1 / 3, None]})


def test_results_go_to_the_parameter_else_the_variable_else_nowhere(tiny, shown, tmp_path, monkeypatch):
    monkeypatch.delenv(OUTPUT_VARIABLE, raising=False)
    monkeypatch.chdir(tmp_path)
    before = set(tmp_path.rglob("*"))
    Chapter("tiny", VALUES, tiny).table("points", FRAME, "Some.")
    assert set(tmp_path.rglob("*")) == before
    monkeypatch.setenv(OUTPUT_VARIABLE, str(tmp_path / "variable"))
    Chapter("tiny", VALUES, tiny).table("points", FRAME, "Some.")
    Chapter("tiny", VALUES | {"output_dir": "parameter"}, tiny).table("points", FRAME, "Some.")
    assert shown[0] == shown[1] == shown[2]
    for folder in ("variable", "parameter"):
        text = (tmp_path / folder / "data" / "points.csv").read_bytes()
        assert text == b"policy,epsilon,t,x\na|b,0.1,10,0.3333333333\n*c*,inf,20,\n"


def test_a_figure_is_written_shown_and_closed(chapter, shown, tmp_path):
    fig, ax = plt.subplots()
    _ = ax.plot([1, 2])
    caption, alt = 'Regret: "up"\n\n  & `code` $x$', 'A line: it says "up" # <b>'
    chapter.figure("figure-1a", Picture(fig, FRAME, alt), caption)
    bundle = shown[-1]._repr_mimebundle_()
    assert not plt.fignum_exists(fig.number)
    assert (tmp_path / "out/figures/figure-1a.svg").read_bytes().startswith(b"<?xml")
    assert (tmp_path / "out/data/figure-1a.csv").is_file()
    assert bundle["text/plain"] == "<figure figure-1a>"
    assert 'alt="A line: it says &quot;up&quot; # &lt;b&gt;"' in bundle["text/html"]
    assert ':alt: "A line: it says \\"up\\" # <b>"\n\nRegret: "up" & `code` $x$ {download}' in bundle["text/markdown"]


def test_a_table_shows_what_is_asked_and_writes_everything(chapter, shown, tmp_path):
    heads = {"policy": "policy", "x": "$x$", "epsilon": "eps"}
    chapter.table("table-1", FRAME, "Some `numbers`.", heads, {"x": ".1f"})
    assert "| a\\|b | 0.3 | 0.1 |\n| \\*c\\* |  | ∞ |\n" in shown[-1].markdown
    assert (tmp_path / "out/data/table-1.csv").read_text().startswith("policy,epsilon,t,x\n")
    with pytest.raises(ValueError, match="columns of table-1 must be among policy, epsilon, t, x, got 'y'"):
        chapter.table("table-1", FRAME, "c", {"y": "y"})


# Execution


def page(folder: Path, source: str) -> Path:
    """Write a notebook of one cell, which starts faster than a chapter."""
    path = folder / "page.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)]), path)
    return path


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            "import warnings\nwarnings.warn('worries')",
            r"(?s)page: cell \[1\] wrote to stderr:.*UserWarning: worries",
        ),
        ("import os\nos.write(2, b'Traceback\\nError: no room\\n')\nos._exit(3)", "page: Kernel died: Error: no room$"),
        ("import numpy\nnumpy.zeros(1 << 55)", "page: (_Array)?MemoryError: Unable to allocate [^\n]*$"),
    ],
)
def test_a_chapter_that_fails_warns_or_dies_is_refused(tmp_path, capfd, source, message):
    with pytest.raises(ChapterFailed, match=message):
        execute.execute(page(tmp_path, source), {})
    assert capfd.readouterr() == ("", "")


def test_the_kernel_is_this_interpreter_whatever_is_registered(tiny, tmp_path, monkeypatch):
    kernel = tmp_path / "jupyter" / "kernels" / "python3"
    kernel.mkdir(parents=True)
    (kernel / "kernel.json").write_text('{"argv": ["no-such-python"], "display_name": "x", "language": "python"}')
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    source = f"import os, sys\nprint(sys.executable)\nprint(repr(os.environ[{OUTPUT_VARIABLE!r}]))"
    output = tmp_path / "a $HOME"
    (cell,) = execute.execute(page(tmp_path, source), {}, output=output).notebook.cells
    assert cell.outputs[0].text.splitlines() == [sys.executable, repr(str(output))]


# Which numbers moved


def test_a_moved_number_is_named_by_row_and_column():
    old = "policy,epsilon,t,regret\na,1,10,3\na,1,20,4\nb,1,10,5\n"
    assert list(moved(old, old)) == []
    assert list(moved(old, old.replace("20,4", "20,4.5"))) == ["policy=a, epsilon=1, t=20: regret 4 -> 4.5"]
    assert list(moved(old, old.replace("b,1,10,5", "a,1,20,4"))) == [
        "row 3: policy b -> a", "row 3: t 10 -> 20", "row 3: regret 5 -> 4",
    ]  # fmt: skip
    assert list(moved(old, old + "b,1,20,9\n")) == ["3 rows of 4 columns -> 4 rows of 4 columns"]
    assert list(moved(old, "")) == ["3 rows of 4 columns -> 0 rows of 0 columns"]


# The gate: every committed chapter regenerates what is committed with it


def replay(path: Path, output: Path) -> tuple[list[bool], str]:
    """Compare every cell of a notebook with nbval, strictly; return which passed, and the log."""
    settings, results = output.with_suffix(".ini"), output.with_suffix(".xml")
    settings.write_text("[pytest]\n")
    command = [sys.executable, "-m", "pytest", "-c", str(settings), "-p", "no:cacheprovider", f"--junitxml={results}"]
    command += ["--nbval", "--nbval-current-env", "--nbval-cell-timeout", "600", str(path)]
    drop = ("PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER", "PYTHONWARNINGS")
    environment = {name: value for name, value in os.environ.items() if name not in drop}
    environment |= {OUTPUT_VARIABLE: str(output), STRICT_VARIABLE: "1"}
    done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", errors="replace")
    cases = ElementTree.parse(results).iter("testcase")
    return [not list(case) for case in cases], done.stdout[-6000:]


def compared(notebook: nbformat.NotebookNode) -> list[bool]:
    """Return, for each code cell, whether nbval compares its output: it was run, and nothing exempts it."""
    exempt = re.compile("nbval[-_](ignore|skip|raises|check)", flags=re.IGNORECASE)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return [
        cell.execution_count == place and not exempt.search(f"{cell.source} {cell.metadata.get('tags')}")
        for place, cell in enumerate(code, start=1)
    ]


def files(folder: Path, pattern: str) -> dict[str, bytes]:
    return {
        path.name: path.read_bytes() for path in folder.glob(pattern) if not path.name.startswith(("long-", "seeds."))
    }


def stale_by(book: Book, name: str) -> str:
    """What mends a notebook; a page of all chapters is made with whichever is reproduced."""
    chapter = name if name in book.chapters() else book.chapters()[0]
    return f"{name} is not what its sources give: run private-bandits reproduce {chapter}"


def assert_cells_pass(book: Book, chapter: str, output: Path) -> None:
    """Assert that every code cell gives its stored output again; its files go to `output`."""
    path = book.pages / f"{chapter}.ipynb"
    cells = compared(nbformat.read(path, as_version=4))
    stale = stale_by(book, chapter)
    assert cells and all(cells), f"code cells that nbval does not compare: {cells}\n{stale}"
    passed, log = replay(path, output)
    if len(passed) != len(cells) or not all(passed):
        pytest.fail(f"{log}\n{stale}", pytrace=False)


def assert_files_agree(book: Book, chapter: str, output: Path) -> None:
    """Assert that the files in `output` are the committed ones, byte for byte, longer studies excepted."""
    kinds = (("data", "*.csv", book.data(chapter)), ("figures", "*.svg", book.figures(chapter)))
    for folder, pattern, committed in kinds:
        made, stored = files(output / folder, pattern), files(committed, pattern)
        assert made or folder == "figures"
        differ = sorted(name for name in made.keys() | stored.keys() if made.get(name) != stored.get(name))
        assert not differ, f"{', '.join(differ)} differ; {stale_by(book, chapter)}"


def test_a_chapter_saved_in_jupyter_is_checked_as_unchanged(published):
    path = published.path("tiny")
    saved = nbformat.read(path, as_version=4)
    saved.metadata.kernelspec.display_name = "Python 3 (ipykernel)"
    saved.metadata.language_info.version = "3.11.7"
    saved.cells[1].metadata["editable"] = True
    nbformat.write(saved, path)
    said = []
    assert not reproduce(published, ["tiny"], check=True, report=said.append)
    (line,) = (line for line in said if line.startswith("book/tiny.ipynb"))
    assert line == "book/tiny.ipynb: metadata only, as Jupyter writes them when it opens and saves a notebook"


CHAPTERS = find_book().chapters()


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_committed_chapter_declares_parameters_that_papermill_shows(name):
    book = find_book()
    known = book.parameters(name)
    assert {"horizon", "replications", "seed", "epsilons", "n_jobs", "output_dir"} <= set(known)
    assert validate(name, known, {}) == {key: parameter.default for key, parameter in known.items()}
    shown = papermill.inspect_notebook(book.path(name))
    assert list(shown) == list(known) and all(parameter["help"] for parameter in shown.values())


@pytest.mark.parametrize("name", CHAPTERS)
def test_notebook_of_a_committed_chapter_gives_its_outputs_data_and_figures(name, tmp_path):
    assert_cells_pass(find_book(), name, tmp_path / "out")
    assert_files_agree(find_book(), name, tmp_path / "out")


@pytest.mark.parametrize("name", find_book().summaries())
def test_a_committed_page_of_all_chapters_gives_its_outputs(name, tmp_path):
    assert_cells_pass(find_book(), name, tmp_path / "out")
