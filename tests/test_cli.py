from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from conftest import TINY
from crash import tree

import private_bandits
from private_bandits_book import book as books
from private_bandits_book.book import Book
from private_bandits_book.cli import main
from private_bandits_book.jobs import reproduce as reproducing
from private_bandits_book.jobs.execute import ChapterFailed
from private_bandits_book.judging.claims import COLUMNS


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def refused(words: list[str], capsys: pytest.CaptureFixture[str], **options: Book) -> str:
    """Assert that a command exits with 2 and one line; return the line."""
    assert main(words, **options) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("private-bandits: ") and err.count("\n") == 1 and err.endswith("\n")
    return err.removeprefix("private-bandits: ").strip()


# What is refused, with nothing written


ALL = "horizon, replications, seed, epsilons, n_jobs, output_dir, mood"
RUN = ["run", "tiny", "-o", "new/out"]
REFUSED = [
    ([], "the following arguments are required: COMMAND"),
    (["run", "../tiny"], "chapter must be one of tiny (did you mean tiny?), got '../tiny'"),
    ([*RUN, "-p", "horizon", "200"], "-p must be NAME=VALUE, got 'horizon 200'"),
    ([*RUN, "-p", "epsilons=[0.2,", "1]"], "unrecognized arguments: '1]' (did you mean -p 'epsilons=[0.2, 1]'?)"),
    ([*RUN, "-p", "horizn=10"], f"horizn is not a parameter of tiny (did you mean horizon?): {ALL}, got 10"),
    ([*RUN, "-p", "horizon=two\nlines"], "horizon must be an integer >= 1, got 'two\\nlines'"),
    ([*RUN, "-p", "output_dir=elsewhere"], "output_dir must be empty, as -o is the folder, got 'elsewhere'"),
    ([*RUN, "-p", "mo\nod=3"], f"mo od is not a parameter of tiny (did you mean mood?): {ALL}, got 3"),
    ([*RUN, "-f", "none.yml"], "-f must be a readable file, got none.yml: "),
    ([*RUN, "-f", "- 1\n"], "-f must hold `name: value` lines, got params.yml without any"),
    ([*RUN, "-f", "horizon: yes\n"], "horizon must be an integer >= 1, got 'yes'"),
]


@pytest.mark.parametrize(("words", "message"), REFUSED)
def test_what_cannot_be_read_is_one_line_and_writes_nothing(tiny, here, capsys, words, message):
    """What ends a line after -f is the text of a file."""
    if words[-1:] and words[-1].endswith("\n"):
        (here / "params.yml").write_text(words[-1])
        words = [*words[:-1], "params.yml"]
    assert refused(words, capsys, book=tiny).startswith(message)
    assert {path.name for path in here.iterdir()} <= {"params.yml"}


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("book/untitled.ipynb", b""),
        ("book/binary.ipynb", b"\x00\xff"),
        ("_toc.yml", b"root: ["),
    ],
)
def test_a_file_of_the_book_that_cannot_be_read_is_named_in_a_line(tiny, capsys, file, content):
    (tiny.root / file).write_bytes(content)
    assert refused(["list"], capsys, book=tiny).startswith(f"{tiny.root / file} must be readable, got ")


def test_a_folder_that_is_not_an_earlier_run_is_left_alone(tiny, here, capsys, monkeypatch):
    (here / "mine").mkdir()
    (here / "mine" / "notes.txt").write_text("keep me")
    (here / "file").write_text("keep me")
    before = tree(here)
    for name in ("mine", "file"):
        line = refused(["run", "tiny", "-o", name], capsys, book=tiny)
        assert "must be absent, empty or byte for byte an earlier run's, got " in line and name in line
    assert "must be writable" in refused(["run", "tiny", "-o", "file/below"], capsys, book=tiny)
    (here / "empty").mkdir()
    monkeypatch.chdir(here / "empty")
    assert "must not be or hold the current folder" in refused(["run", "tiny", "-o", "."], capsys, book=tiny)
    assert tree(here) == before | {"empty": None}


# What a run makes


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run: parameters from a file and from the command line, over an earlier, empty folder."""
    folder = tmp_path_factory.mktemp("made")
    root = Path(shutil.copytree(TINY, folder / "tiny"))
    (folder / "params.yml").write_text("horizon: 1e2\nreplications: 5\nepsilons: [1e-1, 2]\n")
    (folder / "out").mkdir()
    before = tree(root)
    words = f"run tiny -f {folder}/params.yml -p replications=4 -p mood=</script><b>bold -o {folder}/out"
    with pytest.MonkeyPatch.context() as environment:  # of a reader who is strict, and draws in windows
        environment.setenv("PYTHONWARNINGS", "error")
        environment.setenv("MPLBACKEND", "nonsense")
        assert main(words.split(), book=Book(root)) == 0
    assert tree(root) == before and {path.name for path in folder.iterdir()} == {"out", "params.yml", "tiny"}
    return folder / "out"


def test_a_run_holds_notebook_page_data_figures_and_provenance(made):
    assert {path.name for path in (made / "data").iterdir()} == {"figure-1.csv", "table-1.csv"}
    assert {path.name for path in (made / "figures").iterdir()} == {"figure-1.svg"}
    data = pd.read_csv(made / "data" / "figure-1.csv")
    assert data["epsilon"].tolist() == [0.1, 2] and set(data["t"]) == {100}
    cells = json.loads((made / "tiny.ipynb").read_text(encoding="utf-8"))["cells"]
    given = 'horizon = 100\nreplications = 4\nepsilons = [0.1, 2.0]\nmood = "</script><b>bold"\n'
    assert "".join(cells[2]["source"]) == f"# Parameters\n{given}"
    provenance = json.loads((made / "provenance.json").read_text(encoding="utf-8"))
    assert provenance["parameters"] == {
        "horizon": 100, "replications": 4, "seed": 7, "epsilons": [0.1, 2.0], "n_jobs": 1, "output_dir": "",
        "mood": "</script><b>bold",
    }  # fmt: skip
    assert provenance["chapter"] == "tiny" and provenance["seed"] == 7
    assert provenance["versions"]["numpy"] and provenance["python"].startswith("3.")
    spent = provenance["seconds"]
    assert len(spent["cells"]) == 6 and 0 < sum(spent["cells"].values()) <= spent["total"] + 0.01


def test_the_page_of_a_run_opens_offline_and_shows_figures_and_tables(made):
    text = (made / "tiny.html").read_text(encoding="utf-8")
    page = BeautifulSoup(text, "html.parser")
    assert page.select('img[alt^="A line: mean after 100 steps"]')
    words = page.get_text()
    assert "Fig. 1 " in words and "Table 1 " in words
    assert words.count("a|b *c* $d <script>e()</script> {f} [g](h)") == 3  # in the code, and in two rows
    assert "<script>e()" not in text and "<b>bold" not in text
    addresses = [str(tag.get("src") or tag.get("href")) for tag in page.select("[src], [href]")]
    local = {re.split("[?#]", one)[0] for one in addresses if not re.match("data:|mailto:|[^?#]*://", one)}
    assert {path for path in local if not (made / path).exists()} == set()
    assert "_images/figure-1.svg" in local and any(path.endswith("figure-1.csv") for path in local)


# The client of the kernel asks a hundred times as often whether it lives, and the signal comes just before it waits.
_ASKING = """
import asyncio, signal, sys
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)  # a test run in the background inherits an ignored one
sleep, here = asyncio.sleep, Path.cwd()
async def asking(seconds):
    await sleep(seconds / 100)
    if list(here.glob(".out-*/new/waiting")):
        signal.raise_signal(signal.SIGINT)
asyncio.sleep = asking
from private_bandits_book.book import Book
from private_bandits_book.cli import main
sys.exit(main(sys.argv[2:], book=Book(Path(sys.argv[1]))))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
def test_an_interrupted_run_is_quiet_and_leaves_the_earlier_one(made, tiny, tmp_path):
    shutil.copytree(made, tmp_path / "out")
    before = tree(tmp_path)
    words = [sys.executable, "-c", _ASKING, str(tiny.root), "run", "tiny", "-p", "mood=wait", "-o", "out"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, timeout=90)
    said = [b"private-bandits: run tiny with horizon=50, replications=3, seed=7", b"private-bandits: interrupted"]
    assert (done.returncode, done.stdout, done.stderr.splitlines()) == (130, b"", said)
    assert tree(tmp_path) == before


# list, reproduce, claims


def test_reproduce_says_what_moved_and_twice_leaves_no_difference(published, capsys):
    canonical = tree(published.root)
    data = published.data("tiny") / "figure-1.csv"
    frame = pd.read_csv(data)
    value = frame.loc[1, "regret"]
    data.write_bytes(data.read_bytes().replace(f"{value:.10g}".encode(), b"9.75"))
    (published.data("tiny") / "figure-9.csv").write_text("t\n1\n")
    (published.data("tiny") / "long-horizon.csv").write_text("t\n1\n")
    (published.figures("tiny") / "figure-1.svg").unlink()
    said = [
        f"book/data/tiny/figure-1.csv: policy=walk, epsilon=2: regret 9.75 -> {value:.10g}",
        "book/data/tiny/figure-9.csv: no longer made",
        "book/figures/tiny/figure-1.svg: new",
    ]
    stale = tree(published.root)
    assert main(["reproduce", "--check"], book=published) == 1
    assert capsys.readouterr().out.splitlines() == said and tree(published.root) == stale
    assert main(["reproduce", "tiny"], book=published) == 0
    assert capsys.readouterr().out.splitlines() == said
    assert tree(published.root) == canonical | {"book/data/tiny/long-horizon.csv": b"t\n1\n"}


def test_reproduce_publishes_nothing_if_a_chapter_fails(published, capsys, monkeypatch):
    (published.pages / "zeta.ipynb").write_bytes(published.path("tiny").read_bytes())
    (published.data("tiny") / "figure-1.csv").unlink()
    before = tree(published.root)

    def execute(path, parameters, *, output, strict=False):
        if path.stem == "zeta":
            raise ChapterFailed("zeta: ValueError")
        return SimpleNamespace(notebook=nbformat.read(published.path("tiny"), as_version=4))

    monkeypatch.setattr(reproducing, "execute", execute)
    assert main(["reproduce"], book=published) == 1
    assert capsys.readouterr().err == "private-bandits: reproduce tiny, zeta\nzeta: ValueError\n"
    assert tree(published.root) == before


def test_reproduce_needs_a_clone(tiny, capsys, monkeypatch):
    monkeypatch.setattr(books, "_PACKAGED", tiny.root)
    assert refused(["reproduce"], capsys) == "reproduce must run in a clone of the repository, got the packaged book"
    assert main(["list"]) == 0
    assert capsys.readouterr().out == "tiny  A tiny chapter\n"


@pytest.fixture
def judged(tiny: Book) -> Book:
    """The tiny book with two committed claims."""
    tiny.data("tiny").mkdir(parents=True)
    rows = [
        ("theorem-4", "theorem", "Theorem 4", "It holds.", 12.5, 11, 14, "not reproduced", "12.5 is too much")
        + ("private-bandits reproduce tiny", "measured", "", "", "", ""),
        ("figure-1a", "figure", "Figure 1(a)", 'It "falls", é.', "", "", "", "undecided", "cannot be measured")
        + ("private-bandits reproduce tiny", "inherited", "", "theorem-4", "", ""),
    ]
    pd.DataFrame(rows, columns=list(COLUMNS)).to_csv(tiny.data("tiny") / "claims.csv", index=False)
    return tiny


def test_claims_prints_two_lines_a_claim_and_the_totals(judged, capsys):
    assert main(["claims"], book=judged) == 0
    shown = capsys.readouterr().out
    assert main(["claims", "tiny"], book=judged) == 0
    assert capsys.readouterr().out == shown
    assert shown.splitlines()[:2] == [
        "tiny theorem-4  Theorem 4: It holds.",
        "    not reproduced (measured): 12.5 [11, 14]; 12.5 is too much",
    ]
    assert re.fullmatch(r"2 numbered .*: 1 not reproduced, 1 undecided\. 2 rows.*", shown.splitlines()[-1])


@pytest.mark.parametrize(
    ("words", "claims"),
    [
        (["--verdict", "undecided"], ["figure-1a"]),
        (["--verdict", "undecided", "--evidence", "measured"], []),
        ([], ["theorem-4", "figure-1a"]),
    ],
)
def test_claims_are_chosen_and_written_as_csv_and_json(judged, capsys, words, claims):
    assert main(["claims", *words, "--format", "json"], book=judged) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["claim"] for row in rows] == claims
    assert main(["claims", *words, "--format", "csv"], book=judged) == 0
    table = pd.read_csv(StringIO(capsys.readouterr().out), keep_default_na=False, dtype=str)
    assert list(table.columns) == ["chapter", *COLUMNS]
    assert table.to_dict("records") == rows


def test_every_letter_goes_to_a_file_whatever_the_code_page():
    told = {}
    for form in ("text", "csv", "json"):
        words = [sys.executable, "-m", "private_bandits_book", "claims", "cascading", "--format", form]
        done = subprocess.run(words, capture_output=True, env=os.environ | {"PYTHONIOENCODING": "ascii"})
        assert (done.returncode, done.stderr) == (0, b"")
        told[form] = done.stdout.decode("utf-8")
    rows = json.loads(told["json"])
    assert pd.read_csv(StringIO(told["csv"]), keep_default_na=False, dtype=str).to_dict("records") == rows
    assert any(not row["reason"].isascii() and row["reason"] in told["text"] for row in rows)


def test_algorithms_lists_every_algorithm_with_its_file_and_what_it_pays(capsys):
    assert main(["algorithms"]) == 0
    header, *lines, _, counted = capsys.readouterr().out.splitlines()
    assert header.split() == ["paper", "algorithm", "variant", "options", "policy", "trust", "promised", "pays", "file"]
    rows = [re.split(r"  +", line) for line in lines]
    assert all(len(row) == 9 and (Path(private_bandits.__file__).parent / row[8]).is_file() for row in rows)
    assert counted.startswith(f"{len(rows)} algorithms and variants.")
    (stated,) = (row for row in rows if row[0] == "wang2021" and row[1:4] == ["Algorithm 2", "-", "stated"])
    assert stated[5:] == ["local", "1", "inf", "papers/cascading/algorithm_2.py"]
    (repaired,) = (row for row in rows if row[4] == "Response, first item")
    assert repaired[5:8] == ["local", "1", "1"]
