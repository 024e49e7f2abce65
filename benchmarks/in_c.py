"""Compile `cascade.c` and play it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

_SOURCE = Path(__file__).with_name("cascade.c")
_FLAGS = ("-O3", "-march=native", "-ffast-math")


class NoCompiler(Exception):
    """There is no C compiler, or it does not take the source; the message says which."""


class CascadeInC:
    """The round by hand, compiled into a folder.

    Attributes
    ----------
    compiler : str
        Command and version.
    """

    def __init__(self, folder: Path) -> None:
        found = next((path for path in map(shutil.which, ("cc", "gcc", "clang")) if path), None)
        if found is None:
            raise NoCompiler("no C compiler (cc, gcc or clang) on the path")
        self._program = folder / "cascade"
        built = subprocess.run(
            [found, *_FLAGS, "-o", self._program, _SOURCE, "-lm"], capture_output=True, text=True, check=False
        )
        if built.returncode:
            raise NoCompiler(f"{found} does not compile {_SOURCE.name}: {built.stderr.strip().splitlines()[0]}")
        about = subprocess.run([found, "--version"], capture_output=True, text=True, check=True)
        self.compiler = f"{about.stdout.splitlines()[0]}, {' '.join(_FLAGS)}"

    def play(self, rounds: int, seed: int, *work: object) -> tuple[float, float]:
        """Return the seconds that the loop took by its own clock, and the pseudo-regret."""
        words = [str(word) for word in (rounds, seed, *work)]
        answer = subprocess.run([self._program, *words], capture_output=True, text=True, check=True)
        nanoseconds, regret = map(float, answer.stdout.split())
        return nanoseconds * 1e-9 * rounds, regret
