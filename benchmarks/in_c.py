"""Compile the programs in C and play them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

_FLAGS = ("-O3", "-march=native", "-ffast-math")


class NoCompiler(Exception):
    """There is no C compiler, or it does not take the source; the message says which."""


class Program:
    """A round by hand, compiled into a folder.

    Attributes
    ----------
    compiler : str
        Command and version.
    """

    def __init__(self, name: str, folder: Path) -> None:
        source = Path(__file__).with_name(f"{name}.c")
        found = next((path for path in map(shutil.which, ("cc", "gcc", "clang")) if path), None)
        if found is None:
            raise NoCompiler("no C compiler (cc, gcc or clang) on the path")
        self._program = folder / name
        built = subprocess.run(
            [found, *_FLAGS, "-o", self._program, source, "-lm"], capture_output=True, text=True, check=False
        )
        if built.returncode:
            raise NoCompiler(f"{found} does not compile {source.name}: {built.stderr.strip().splitlines()[0]}")
        about = subprocess.run([found, "--version"], capture_output=True, text=True, check=True)
        self.compiler = f"{about.stdout.splitlines()[0]}, {' '.join(_FLAGS)}"

    def play(self, rounds: int, seed: int, *work: object) -> tuple[float, float]:
        """Return the seconds that the loop took by its own clock, and the pseudo-regret."""
        words = [str(word) for word in (rounds, seed, *work)]
        answer = subprocess.run([self._program, *words], capture_output=True, text=True, check=True)
        seconds, regret = map(float, answer.stdout.split())
        return seconds, regret
