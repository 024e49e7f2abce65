"""A learner that leaves the number of its process in a folder, and can end a process in the middle of a run.

It has a file of its own as the workers of a cluster import it.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from copy import copy
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = "CLUSTER_TEST_FOLDER"


class Player:
    """Plays a random list; in a cluster the fifth replication to start first kills the process that `kill` names."""

    name = "player"

    def __init__(self, kill: str = "") -> None:
        self.kill = kill

    def start(self, problem: Any, choice: np.random.Generator, noise: np.random.Generator) -> Player:
        run = copy(self)  # threads share the policy
        run.choice, run.items, run.size = choice, problem.n_arms, problem.list_size
        folder = Path(os.environ[FOLDER])
        (folder / f"pid-{os.getpid()}").touch()
        number = len(list(folder.glob("started-*")))
        (folder / f"started-{number}-{os.getpid()}").touch()
        scheduler = folder / "scheduler"
        if self.kill and scheduler.exists() and number >= 4 and not (folder / "killed").exists():
            (folder / "killed").touch()
            pid = os.getpid() if self.kill == "worker" else int(scheduler.read_text())
            os.kill(pid, signal.SIGTERM if os.name == "nt" else signal.SIGKILL)
        return run

    def ask(self) -> Sequence[int]:
        return self.choice.choice(self.items, self.size, replace=False).tolist()

    def tell(self, feedback: Sequence[float]) -> None:
        pass
