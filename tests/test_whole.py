"""Nothing of the reader's is lost, and nothing is left behind, whatever a command is stopped by."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import crash
import nbformat
import psutil
import pytest

from private_bandits_book.cli import main
from private_bandits_book.jobs import output
from private_bandits_book.jobs import run as running
from private_bandits_book.jobs.atomic import replacing, write
from private_bandits_book.jobs.execute import execute

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither such signals nor fork")


@posix
@pytest.mark.parametrize("step", [pytest.param(1, marks=pytest.mark.check), 7])
def test_stopped_at_any_write_and_started_again_the_old_or_the_new_is_whole(tmp_path, step):
    words = [sys.executable, crash.__file__, str(tmp_path), str(step)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=True)
    found = dict(line.rsplit(" ", 1) for line in done.stdout.splitlines())
    ways = crash.CODES if step == 1 else ["kill", "end"]
    assert set(found) == {f"{command} {how}" for command in ("run", "reproduce") for how in ways}, done.stdout
    assert all(int(writes) > 15 for writes in found.values())


@pytest.fixture
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "execute", crash.play("old"))
    monkeypatch.setattr(running, "_build_page", _page)


def _page(book, chapter, fresh, said):
    for name in ("_static/theme.css", "tiny.html", "data/_hidden.csv"):
        (fresh / name).parent.mkdir(exist_ok=True)
        (fresh / name).write_text("made")


MINE = {
    "added, like Sphinx's": ("_my_notes.md", lambda path: path.write_text("mine")),
    "added, in a hidden folder": (".git/HEAD", lambda path: (path.parent.mkdir(), path.write_text("mine"))),
    "added, in a folder of Sphinx": ("_static/mine.css", lambda path: path.write_text("mine")),
    "a link": ("data/mine.csv", lambda path: path.symlink_to("figure-0.csv")),
    "edited": ("tiny.ipynb", lambda path: path.write_text(path.read_text() + " ")),
    "of the same size": ("data/figure-0.csv", lambda path: path.write_text("own")),
    "no run": ("provenance.json", lambda path: path.write_text(path.read_text().replace(running._MARK, "me"))),
}


@pytest.mark.usefixtures("fast")
@pytest.mark.parametrize(("name", "change"), MINE.values(), ids=MINE)
def test_a_run_with_anything_of_the_readers_is_refused_by_name(tiny, tmp_path, capsys, name, change):
    words = ["run", "tiny", "-o", str(tmp_path / "out")]
    assert main(words, book=tiny) == 0 and main(words, book=tiny) == 0
    change(tmp_path / "out" / name)
    before = crash.tree(tmp_path)
    capsys.readouterr()
    assert main(words, book=tiny) == 2
    said = capsys.readouterr().err
    assert f"{output.ALLOWED}, got {tmp_path / 'out'}" in said and crash.tree(tmp_path) == before
    assert name == "provenance.json" or f"with {name} in it, added or changed since" in said


@pytest.mark.usefixtures("fast")
def test_what_the_reader_adds_while_it_runs_is_kept(tiny, tmp_path, monkeypatch):
    words = ["run", "tiny", "-o", str(tmp_path / "out")]
    assert main(words, book=tiny) == 0
    before = crash.tree(tmp_path / "out")
    monkeypatch.setattr(running, "_build_page", lambda *given: (tmp_path / "out" / "mine").write_text("mine"))
    assert main(words, book=tiny) == 2
    assert crash.tree(tmp_path / "out") == before | {"mine": b"mine"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "tiny"]


def test_two_runs_into_one_folder_do_not_mix(tmp_path):
    out = tmp_path / "out"
    with replacing(out, lambda folder: None) as one:
        (one / "first").touch()
        with replacing(out, lambda folder: None) as other:
            (other / "second").touch()
            assert not out.exists()
        assert set(crash.tree(out)) == {"second"}
    assert set(crash.tree(tmp_path)) == {"out", "out/first"}


@pytest.mark.usefixtures("fast")
def test_what_a_killed_run_left_under_another_name_is_the_readers(tiny, tmp_path, capsys):
    (tmp_path / "out-earlier").mkdir()
    assert main(["run", "tiny", "-o", str(tmp_path / "out")], book=tiny) == 2
    said = f"got {tmp_path / 'out'}: {tmp_path / 'out-earlier'} is there, which a run that was killed has left\n"
    assert capsys.readouterr().err.endswith(said) and not (tmp_path / "out").exists()


def test_what_is_interrupted_as_it_publishes_is_published(tmp_path, monkeypatch):
    real, told = os.replace, []

    def replace(fresh, path):
        if not told:
            told.append(path)
            raise KeyboardInterrupt
        real(fresh, path)

    (tmp_path / "old").touch()
    files = {tmp_path / "a" / "one": b"1", tmp_path / "two": b"2", tmp_path / "old": None}
    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path, files)
    assert crash.tree(tmp_path) == {"a": None, "a/one": b"1", "two": b"2"}


# Signals and streams of a process of its own


def process(words, cwd, before="", book="", **options):
    """A command of its own; a job in the background ignores the first signal."""
    script = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    script += "signal.signal(signal.SIGHUP, signal.SIG_DFL)\n" + before  # which `nohup` would have ignored
    script += "\nfrom private_bandits_book.cli import main"
    if book:
        script += "\nfrom pathlib import Path; from private_bandits_book.book import Book"
        script += f"\nsys.exit(main({words!r}, book=Book(Path({str(book)!r}))))"
    line = [sys.executable, "-P", "-c", f"{script}\nsys.exit(main())", *words]
    return subprocess.Popen(line, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


# the last one where the terminal is closed
SIGNALS = pytest.mark.parametrize(
    ("kind", "code", "said"),
    [("SIGINT", 130, "interrupted"), ("SIGTERM", 143, "terminated"), ("SIGHUP", 129, "terminated")],
)
# where a signal comes, before and after the door is open: as something is imported
IMPORTED = """
class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == {name!r}:
            signal.raise_signal(signal.{kind})
sys.meta_path.insert(0, Finder)
"""


@posix
@pytest.mark.parametrize("name", ["private_bandits_book.jobs.commands", "papermill"])
@SIGNALS
def test_a_signal_while_it_starts_is_one_line(tmp_path, name, kind, code, said):
    one = process(["reproduce", "nothing"], tmp_path, IMPORTED.format(name=name, kind=kind))
    assert one.communicate(timeout=60) == ("", f"private-bandits: {said}\n") and one.returncode == code


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """An environment without asserts and a home that can be written, with folders of its own for what is passing."""
    known = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "SYSTEMROOT") if name in os.environ}
    places = {name: str(tmp_path / name) for name in ("TMPDIR", "TEMP", "JUPYTER_RUNTIME_DIR")}
    for place in places.values():
        Path(place).mkdir()
    home = {"NUMBA_CACHE_DIR": os.devnull, "HOME": f"{os.devnull}/home"}
    return known | places | home | {"PYTHONOPTIMIZE": "1"}


# what a page or a kernel would import from the current folder
SHADOWS = ("random", "json", "numpy", "jupyter_book", "IPython", "sitecustomize")


def _writes(path, place):
    return f"open({str(path)!r}, 'a').write({place.name!r})\n"


def _forged(folder, executed):
    """An output folder that nobody made by a run: its notebook and modules are hostile, and its checksums are right."""
    (folder / "data").mkdir(parents=True)
    for name in ("conf.py", "numpy.py", "data/__init__.py"):
        (folder / name).write_text(_writes(executed, folder / name))
    cell = nbformat.v4.new_code_cell(_writes(executed, folder / "tiny.ipynb"))
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), folder / "tiny.ipynb")
    (folder / "data" / "evil.csv").write_text("=cmd|' /C calc'!A0,<script>e()</script>\n")
    made = {name: hashlib.sha256(content).hexdigest() for name, content in crash.tree(folder).items() if content}
    (folder / "provenance.json").write_bytes(json.dumps({"made_by": running._MARK, "contents": made}).encode())
    return crash.tree(folder)


@pytest.mark.parametrize("entry", ["", "its folder"])
def test_a_kernel_imports_nothing_beside_its_notebook_though_pythonpath_begins_there(entry, tmp_path, monkeypatch):
    (tmp_path / "beside.py").write_text("")
    cells = [nbformat.v4.new_code_cell("import beside")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "one.ipynb")
    known = os.environ.get("PYTHONPATH", str(tmp_path / "none"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path) if entry else "", known]))
    with pytest.raises(Exception, match="No module named 'beside'"):
        execute(tmp_path / "one.ipynb", {})


@posix
def test_a_run_executes_nothing_of_the_current_folder_the_output_folder_and_no_profile(tiny, tmp_path, bare):
    here = tmp_path / "here"
    startup = here / "ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    earlier = _forged(here / "out", tmp_path / "executed")
    for place in [here / f"{name}.py" for name in SHADOWS] + [startup / "00.py", tiny.pages / "random.py"]:
        place.write_text(_writes(tmp_path / "executed", place))
    one = process(["run", "tiny", "-o", "out"], here, book=tiny.root, env=bare | {"IPYTHONDIR": str(here / "ipython")})
    out, err = one.communicate(timeout=120)
    lines = [line for line in err.splitlines() if not line.endswith("so far")]  # of a slow machine
    assert (one.returncode, out, len(lines)) == (0, "out/tiny.html\n", 3), err
    assert not (tmp_path / "executed").exists() and (here / "out" / "tiny.html").is_file()
    assert not set(earlier) & set(crash.tree(here / "out")) - {"tiny.ipynb", "data", "provenance.json"}
    assert not any(map(os.listdir, (bare["TMPDIR"], bare["JUPYTER_RUNTIME_DIR"])))


@posix
def test_a_run_that_is_told_to_end_leaves_no_process_and_no_file(tiny, tmp_path, bare):
    before = crash.tree(tmp_path)
    one = process(["run", "tiny", "-p", "mood=wait", "-o", "out"], tmp_path, book=tiny.root, env=bare)
    end = time.monotonic() + 60
    while not list(tmp_path.glob(".out-*/new/waiting")) and time.monotonic() < end:
        time.sleep(0.05)
    mine = psutil.Process(one.pid).children(recursive=True)
    one.send_signal(signal.SIGTERM)
    out, err = one.communicate(timeout=30)
    lines = [line for line in err.splitlines()[1:] if not line.endswith("so far")]
    assert (one.returncode, out, lines) == (143, "", ["private-bandits: terminated"])
    assert len(mine) == 1 and not any(child.is_running() for child in mine)
    assert crash.tree(tmp_path) == before
