"""More than one machine, on one: a real scheduler and two worker processes of one thread each, on loopback only."""

from __future__ import annotations

import importlib
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import cluster_player
import joblib
import pytest
import xarray as xr
from cluster_player import Player
from distributed import Client
from joblib.externals.loky import get_reusable_executor

from private_bandits import simulate
from private_bandits.papers.cascading import b_lb, ucb_laplace
from private_bandits_book.book import Book
from private_bandits_book.cli import main
from private_bandits_book.runs import csv_text

pytestmark = pytest.mark.check
PROBLEM = b_lb(n_arms=8, list_size=3, p=0.4, gap=0.3)
LAPLACE = ucb_laplace(epsilon=1.0, list_size=3)
HERE = Path(__file__).parent
LIMIT = 60  # seconds for anything that a busy machine may delay


class Cluster:
    """A scheduler and two workers, each a process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{port}"
        self._start("scheduler", "scheduler", "--port", str(port), "--no-show")
        (folder / "scheduler").write_text(str(self.processes["scheduler"].pid))
        for name in ("one", "two"):
            self._start(name, "worker", self.address, "--nthreads", "1", "--no-nanny")
        with Client(self.address, timeout=LIMIT) as client:
            client.wait_for_workers(2, timeout=LIMIT)

    def _start(self, name: str, role: str, *words: str) -> None:
        paths = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])
        self.processes[name] = subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{role}", *words, "--host", "127.0.0.1", "--no-dashboard"],
            env={**os.environ, "PYTHONPATH": paths, cluster_player.FOLDER: str(self.folder)},
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    @property
    def workers(self) -> set[int]:
        return {self.processes[name].pid for name in ("one", "two")}

    def played(self) -> set[int]:
        """The processes that played."""
        return {int(path.name.removeprefix("pid-")) for path in self.folder.glob("pid-*")}

    def stop(self) -> None:
        for process in self.processes.values():
            process.kill()
            process.wait()


@pytest.fixture
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    made = Cluster(tmp_path_factory.mktemp("cluster"))
    yield made
    made.stop()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a player that plays in this process leaves its number."""
    monkeypatch.setenv(cluster_player.FOLDER, str(tmp_path))
    return tmp_path


def play(policy, **changes) -> xr.Dataset:
    return simulate(PROBLEM, policy, **{"horizon": 200, "replications": 12, "seed": 3, "checkpoints": [50]} | changes)


def test_a_cluster_gives_the_bits_of_one_process(cluster, folder):
    alone = [play(Player()), play(LAPLACE)]
    with Client(cluster.address), joblib.parallel_config(backend="dask"):
        for n_jobs in (1, -1):
            xr.testing.assert_identical(play(Player(), n_jobs=n_jobs), alone[0])
            xr.testing.assert_identical(play(LAPLACE, n_jobs=n_jobs), alone[1])
    assert cluster.played() == cluster.workers


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")  # of Python 3.12
@pytest.mark.parametrize("n_jobs", [1, 2, 4])
@pytest.mark.parametrize("backend", ["threading", "loky", "multiprocessing"])
def test_workers_on_one_machine_give_the_bits_of_one_process(folder, monkeypatch, backend, n_jobs):
    # a short run in Python would have one worker
    monkeypatch.setattr(importlib.import_module("private_bandits.simulation"), "_FEW_IN_PYTHON", 0)
    alone = play(Player()), play(LAPLACE)
    for path in folder.iterdir():
        path.unlink()
    get_reusable_executor().shutdown()  # processes of another test would leave their numbers elsewhere
    with joblib.parallel_config(backend=backend):
        xr.testing.assert_identical(play(Player(), n_jobs=n_jobs), alone[0])
        xr.testing.assert_identical(play(LAPLACE, n_jobs=n_jobs), alone[1])
    played, here = {path.name for path in folder.glob("pid-*")}, f"pid-{os.getpid()}"
    # this one rehearses each policy
    assert played == {here} if backend == "threading" or n_jobs == 1 else played > {here}


def test_a_worker_killed_in_the_middle_gives_the_same_bits(cluster, folder):
    alone = play(Player())
    with Client(cluster.address), joblib.parallel_config(backend="dask"):
        xr.testing.assert_equal(play(Player("worker")), alone)
    assert cluster.played() == cluster.workers
    assert [process.poll() is None for process in cluster.processes.values()].count(False) == 1


def test_a_worker_with_other_code_is_refused(cluster, tiny, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(
        importlib.import_module("private_bandits.simulation"), "versions", lambda: "private-bandits 0.0"
    )
    assert main(["run", "tiny", "-o", str(tmp_path / "out"), "--scheduler", cluster.address], book=tiny) == 2
    err = capsys.readouterr().err
    assert err.startswith("private-bandits: the worker tcp://127.0.0.1:") and err.count("\n") == 1
    assert "must have private-bandits 0.0, sources-" in err


@pytest.fixture
def played(tiny: Book, monkeypatch: pytest.MonkeyPatch) -> Book:
    """The tiny book with a chapter that plays."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")]))
    path = tiny.pages / "tiny.ipynb"
    notebook = json.loads(path.read_text())
    notebook["cells"] = notebook["cells"][:3]
    source = """from cluster_player import Player
from private_bandits import simulate
from private_bandits.papers.cascading import b_lb

problem = b_lb(n_arms=8, list_size=3, p=0.4, gap=0.3)
data = simulate(problem, Player(mood.removeprefix('calm')), horizon=horizon, replications=12, seed=seed, n_jobs=n_jobs)
chapter.table("played", data.regret.to_dataframe().reset_index(), "What was played.")"""
    cell = {"cell_type": "code", "execution_count": None, "id": "c9", "metadata": {}, "outputs": [], "source": source}
    notebook["cells"].append(cell)
    path.write_text(json.dumps(notebook))
    return tiny


def test_the_runs_of_a_chapter_go_to_the_scheduler(cluster, played, folder, capsys):
    assert main(["reproduce", "--scheduler", cluster.address], book=played) == 0
    assert cluster.played() == cluster.workers
    alone = simulate(PROBLEM, Player(), horizon=50, replications=12, seed=7).regret.to_dataframe().reset_index()
    assert (played.data("tiny") / "played.csv").read_text() == csv_text(alone)
    assert joblib.parallel.get_active_backend()[0].__class__.__name__ == "LokyBackend"


def test_a_lost_scheduler_is_one_line(cluster, played, folder, capsys):
    words = ["run", "tiny", "-p", "mood=scheduler", "-o", str(folder / "out"), "--scheduler", cluster.address]
    assert main(words, book=played) == 1
    out, err = capsys.readouterr()
    assert (out, err.splitlines()[-1]) == ("", f"the scheduler at {cluster.address} was lost")
    assert not (folder / "out").exists()
