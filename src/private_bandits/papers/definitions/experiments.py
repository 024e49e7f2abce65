"""Upper meets lower: private bandit algorithms of other papers, played against the bounds of this one.

Basu et al. (2019) have no experiments. Two questions need some. On one instance, over epsilon: how far is what is
achieved from the problem-dependent bounds? Over instances: does any algorithm do better than a minimax bound says is
possible? Every run is kept by replication, so that a figure and a verdict come from the same numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr
from tqdm import tqdm

from private_bandits import baselines
from private_bandits.problems import Arms
from private_bandits.simulate import Policy, simulate

GAPS = (0.8, 0.4, 0.2, 0.1, 0.05, 0.02, 0.01)
"""Distances of the worse arms among which the hardest instance is looked for."""

Maker = Callable[[float, int, int], Policy]
LOCAL: dict[str, Maker] = {
    "LDP-UCB-L": lambda epsilon, n_arms, horizon: baselines.ldp_ucb_laplace(epsilon),
    "LDP-UCB-B": lambda epsilon, n_arms, horizon: baselines.ldp_ucb_response(epsilon),
}
CENTRAL: dict[str, Maker] = {
    "DP-SE": lambda epsilon, n_arms, horizon: baselines.dp_se(epsilon, n_arms, horizon),
    "AdaP-UCB": lambda epsilon, n_arms, horizon: baselines.adap_ucb(epsilon),
    "AdaP-KLUCB": lambda epsilon, n_arms, horizon: baselines.adap_klucb(epsilon),
}
PLAIN: dict[str, Maker] = {"UCB": lambda epsilon, n_arms, horizon: baselines.ucb()}
MAKERS = LOCAL | CENTRAL | PLAIN
TRUST = dict.fromkeys(LOCAL, "local") | dict.fromkeys(CENTRAL, "central") | dict.fromkeys(PLAIN, "none")
FAMILIES = {
    "LDP-UCB-L": "laplace",
    "LDP-UCB-B": "response",
    "DP-SE": "elimination",
    "AdaP-UCB": "laplace",
    "AdaP-KLUCB": "laplace",
    "UCB": "none",
}


class Run(NamedTuple):
    """One policy on one instance: its regret by replication."""

    name: str
    epsilon: float
    gap: float
    data: xr.Dataset

    @property
    def curves(self) -> np.ndarray:
        """Pseudo-regret, shape (replications, checkpoints)."""
        return np.asarray(self.data.regret.values)

    @property
    def final(self) -> np.ndarray:
        """Pseudo-regret at the horizon, shape (replications,)."""
        return self.curves[:, -1]


def instance(n_arms: int, gap: float) -> Arms:
    """Return one arm of mean 1/2 + gap/2 and n_arms - 1 of mean 1/2 - gap/2, Bernoulli.

    Parameters
    ----------
    n_arms : int, >= 2
    gap : float in (0, 1)
    """
    return Arms.bernoulli(np.array([0.5 + gap / 2] + [0.5 - gap / 2] * (n_arms - 1)))


def uniform_regret(n_arms: int, gap: float, horizon: int) -> float:
    """Return the expected regret of uniform play on `instance`."""
    return gap * (1 - 1 / n_arms) * horizon


@dataclass
class Experiments:
    """The chapter's simulations at its parameters; equal runs are played once."""

    horizon: int
    replications: int
    seed: int
    n_jobs: int
    n_arms: int
    gap: float
    epsilons: Sequence[float]
    _played: dict[Any, xr.Dataset] = field(default_factory=dict, repr=False)

    def sweep(self) -> list[Run]:
        """Every algorithm on the chapter's instance, at every epsilon."""
        return self._instance(self.gap)

    def hardest(self) -> list[Run]:
        """Every algorithm at every epsilon over instances from easy to hard."""
        return [run for gap in sorted({*GAPS, self.gap}, reverse=True) for run in self._instance(gap)]

    def _instance(self, gap: float) -> list[Run]:
        runs = [self._run("UCB", math.inf, gap)]
        for name in (*LOCAL, *CENTRAL):
            runs += [self._run(name, epsilon, gap) for epsilon in (*self.epsilons, math.inf)]
        return runs

    def _run(self, name: str, epsilon: float, gap: float) -> Run:
        key = (name, epsilon, gap)
        if key not in self._played:
            self._played[key] = simulate(
                instance(self.n_arms, gap),
                MAKERS[name](epsilon, self.n_arms, self.horizon),
                horizon=self.horizon,
                replications=self.replications,
                seed=self.seed,
                n_jobs=self.n_jobs,
                progress=False,
            )
        return Run(name, epsilon, gap, self._played[key])


def find(runs: Iterable[Run], name: str, epsilon: float, gap: float | None = None) -> Run:
    """Return the one run with this name, epsilon and gap."""
    found = [r for r in runs if r.name == name and r.epsilon == epsilon and gap in (None, r.gap)]
    if len(found) != 1:
        raise LookupError(f"{len(found)} runs of {name!r} at epsilon {epsilon}, gap {gap}")
    return found[0]


def finals(runs: Iterable[Run]) -> pd.DataFrame:
    """Return the mean regret at the horizon, tidy, a row per run."""
    return pd.DataFrame(
        {
            "policy": run.name,
            "family": FAMILIES[run.name],
            "trust": TRUST[run.name],
            "epsilon": run.epsilon,
            "gap": run.gap,
            "t": int(run.data.t.values[-1]),
            "regret": run.final.mean(),
            "regret_se": run.final.std(ddof=1) / math.sqrt(len(run.final)),
            "replications": len(run.final),
        }
        for run in runs
    )


def factors(runs: Sequence[Run], epsilon: float) -> pd.DataFrame:
    """Return the price of privacy over time: the largest mean regret over the gaps at epsilon over that at infinity."""
    rows = []
    for name in (*LOCAL, *CENTRAL):
        private, plain = (_envelope(runs, name, e) for e in (epsilon, math.inf))
        t = next(run for run in runs if run.name == name).data.t.values
        for mark, above, below in zip(t.tolist(), private.tolist(), plain.tolist(), strict=True):
            if below > 0:
                rows.append((name, epsilon, mark, above, below, above / below, len(runs[0].final)))
    names = ["policy", "epsilon", "t", "regret", "plain", "factor", "replications"]
    return pd.DataFrame(rows, columns=names)


def _envelope(runs: Sequence[Run], name: str, epsilon: float) -> np.ndarray:
    """The largest mean regret over the gaps at every checkpoint."""
    curves = [run.curves.mean(axis=0) for run in runs if (run.name, run.epsilon) == (name, epsilon)]
    return np.max(curves, axis=0)


# --- the longer study, run by `private-bandits reproduce definitions --long`

LONG_HORIZON = 100_000_000
LONG_REPLICATIONS = 5
LONG_SEED = 20191
LONG_N_ARMS, LONG_GAP = 3, 0.5
LONG_EPSILONS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


class LongRun(NamedTuple):
    """A run of the longer study: enough to play it again."""

    name: str
    epsilon: float


def long_runs() -> list[LongRun]:
    """Every algorithm at every epsilon to T = 10^8, and UCB without privacy."""
    private = [LongRun(name, epsilon) for name in (*LOCAL, *CENTRAL) for epsilon in LONG_EPSILONS]
    return [LongRun("UCB", math.inf), *(LongRun(name, math.inf) for name in CENTRAL), *private]


def play_long(
    run: LongRun, *, replications: int = LONG_REPLICATIONS, horizon: int = LONG_HORIZON, n_jobs: int = -1
) -> pd.DataFrame:
    """Play a longer run and return it tidy, a row per replication and checkpoint."""
    data = simulate(
        instance(LONG_N_ARMS, LONG_GAP),
        MAKERS[run.name](run.epsilon, LONG_N_ARMS, LONG_HORIZON),
        horizon=horizon,
        replications=replications,
        seed=LONG_SEED,
        n_jobs=n_jobs,
        progress=False,
    )
    frame = data.regret.to_dataframe().reset_index()
    frame = frame[frame["t"] >= min(1000, horizon)]
    labels = {"policy": run.name, "epsilon": run.epsilon}
    return frame.assign(**labels)[[*labels, "replication", "t", "regret"]]


def long_studies() -> dict[str, Callable[..., pd.DataFrame]]:
    """Return the longer study by name; it takes `progress`, whether to show a bar."""

    def play(progress: bool = False) -> pd.DataFrame:
        frames = [play_long(run) for run in tqdm(long_runs(), desc="upper-lower", disable=not progress)]
        return pd.concat(frames, ignore_index=True)

    return {"upper-lower": play}
