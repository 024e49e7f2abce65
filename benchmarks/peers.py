"""Race UCB1 on ten Bernoulli arms against other bandit libraries, each in an environment of its own.

The environments are made in `.peers/` at the first run. All take turns, a game each, on processor time, with imports,
compilation and a first game outside the clock; a rate is the median over the turns. Who plays UCB1 must lose as much as
ours, to within 5 standard errors. The table goes to `peers.json`. An environment that cannot be made is left out there.
"""

from __future__ import annotations

import json
import math
import os
import platform
import statistics
import subprocess
import sys
import venv
from dataclasses import dataclass
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from ours import Play, ours
from peer import MEANS

from private_bandits.baselines import ucb
from private_bandits.problems import Arms

ROUNDS, TURNS = 20_000, 15
GAMES = 50  # of ours in a turn: one takes no more than a tick of the clock
AT_LEAST = 60.0  # target: our rate over the fastest peer's
ROOT = Path(__file__).parents[1]
RESULTS = Path(__file__).with_name("peers.json")


@dataclass(frozen=True)
class Peer:
    """A library, what it needs, and what it plays."""

    package: str
    needs: tuple[str, ...]
    plays: str = "UCB1"


PEERS = {
    "river": Peer("river", ("river==0.26.1",)),
    "coba": Peer("coba", ("coba==8.1.0",), "UCB1-Tuned"),
    "mabby": Peer("mabby", ("mabby==0.1.2",)),
    "mabwiser": Peer("mabwiser", ("mabwiser==2.7.4",)),
    # The last release (2019) calls what SciPy has removed since.
    "smpybandits": Peer("SMPyBandits", ("SMPyBandits==0.9.7", "numpy==1.23.5", "scipy==1.10.1")),
}


OURS = Peer("private-bandits", (f"private-bandits=={version('private-bandits')}",))


class Missing(Exception):
    """A peer's environment cannot be made here; the message says why."""


class Player:
    """A peer that waits in a process of its own."""

    def __init__(self, name: str, peer: Peer) -> None:
        python = environment(name, peer)
        self._process = subprocess.Popen(
            [python, Path(__file__).with_name("peer.py"), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def __call__(self, rounds: int, seed: int) -> tuple[float, float]:
        assert self._process.stdin and self._process.stdout
        print(rounds, seed, file=self._process.stdin, flush=True)
        for line in self._process.stdout:
            if line.startswith("= "):
                seconds, regret = map(float, line.split()[1:])
                return seconds, regret
        raise Missing("it stopped while playing")

    def close(self) -> None:
        self._process.kill()
        self._process.wait()


def environment(name: str, peer: Peer) -> Path:
    """Make the environment of a peer where it is not there yet; return its Python."""
    folder = ROOT / ".peers" / name
    python, ready = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python"), folder / "ready"
    if not ready.exists() or ready.read_text(encoding="utf-8") != " ".join(peer.needs):
        print(f"making {folder.relative_to(ROOT)}: {', '.join(peer.needs)}", flush=True)
        venv.create(folder, with_pip=True, clear=True)
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *peer.needs]
        done = subprocess.run(pip, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Missing(done.stderr.strip().splitlines()[-1])
        ready.write_text(" ".join(peer.needs), encoding="utf-8")
    return python


def race(players: dict[str, Play]) -> dict[str, list[tuple[float, float]]]:
    """Let all play in turns: seconds a round and regret after `ROUNDS`, for each."""
    for play in players.values():
        play(100, 0)
    games: dict[str, list[tuple[float, float]]] = {name: [] for name in players}
    for turn in range(1, TURNS + 1):
        for name, play in players.items():
            seconds, regret = play(ROUNDS, turn)
            games[name].append((seconds / ROUNDS, regret))
        print(f"turn {turn} of {TURNS}", end="\r", file=sys.stderr, flush=True)
    return games


def row(name: str, played: list[tuple[float, float]]) -> dict[str, Any]:
    """Return a library's row of the table."""
    seconds, regrets = (np.array(column) for column in zip(*played, strict=True))
    peer = PEERS.get(name, OURS)
    return {
        "library": peer.package,
        "version": peer.needs[0].partition("==")[2],
        "plays": peer.plays,
        "rounds_a_second": 1.0 / statistics.median(seconds),
        "low": float(1.0 / seconds.max()),
        "high": float(1.0 / seconds.min()),
        "regret": float(regrets.mean()),
        "regret_error": float(regrets.std(ddof=1) / math.sqrt(TURNS)),
    }


def agree(rows: list[dict[str, Any]]) -> None:
    """Refuse a library that says UCB1 and does not lose what UCB1 loses."""
    first = rows[0]
    for other in rows[1:]:
        error = math.hypot(other["regret_error"], first["regret_error"])
        if other["plays"] == first["plays"] and abs(other["regret"] - first["regret"]) > 5.0 * error:
            raise RuntimeError(
                f"{other['library']}: regret {other['regret']:.0f}, ours {first['regret']:.0f}: not UCB1"
            )


def main() -> None:
    """Print and keep the table."""
    mine = ours(Arms.bernoulli(MEANS), ucb())
    mine(1_000_000, 0)  # compiles the loop

    def play(rounds: int, seed: int) -> tuple[float, float]:
        seconds, regrets = zip(*(mine(rounds, GAMES * seed + game) for game in range(GAMES)), strict=True)
        return sum(seconds) / GAMES, sum(regrets) / GAMES

    players: dict[str, Any] = {OURS.package: play}
    missing = {}
    try:
        for name, peer in PEERS.items():
            try:
                players[name] = Player(name, peer)
            except Missing as reason:
                missing[name] = str(reason)
                print(f"{name} is left out: {reason}")
        rows = [row(name, played) for name, played in race(players).items()]
    finally:
        for player in players.values():
            if isinstance(player, Player):
                player.close()
    agree(rows)
    ratio = rows[0]["rounds_a_second"] / max(other["rounds_a_second"] for other in rows[1:])
    table = {
        "date": date.today().isoformat(),
        "machine": {"python": platform.python_version(), "machine": platform.machine(), "cores": os.cpu_count()},
        "rounds": ROUNDS,
        "turns": TURNS,
        "ratio": ratio,
        "at_least": AT_LEAST,
        "peers": sorted(rows, key=lambda row: -row["rounds_a_second"]),
        "left_out": missing,
    }
    RESULTS.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
    for found in table["peers"]:
        span = f"[{found['low']:.3g}, {found['high']:.3g}]"
        regret = f"{found['regret']:.0f} +/- {found['regret_error']:.0f}"
        words = f"{found['library']:16} {found['version']:8} {found['plays']:10}"
        print(f"{words} {found['rounds_a_second']:10.3g} {span:22} {regret}")
    print(f"{ratio:.0f} times the fastest peer, >= {AT_LEAST:g}: {'met' if ratio >= AT_LEAST else 'missed'}")


if __name__ == "__main__":
    main()
