"""Upper meets lower: private bandit algorithms of other papers, played against the bounds of this one.

Basu et al. (2019) have no experiments. Two questions need some. On one instance, over epsilon: how far is what is
achieved from the problem-dependent bounds? Over instances: does any algorithm do better than a minimax bound says is
possible? Every run is kept by replication, so that a figure and a verdict come from the same numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from private_bandits import baselines
from private_bandits.policy import Policy
from private_bandits.problems import Arms
from private_bandits_book.studies import LongRun, Panel, Player, Run, long_study

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
class Experiments(Player):
    """The chapter's simulations at its parameters; equal runs are played once."""

    n_arms: int
    gap: float
    epsilons: Sequence[float]

    def sweep(self) -> Panel:
        """Every algorithm on the chapter's instance, at every epsilon."""
        return self._instance(self.gap)

    def hardest(self) -> Panel:
        """Every algorithm at every epsilon over instances from easy to hard."""
        return [run for gap in sorted({*GAPS, self.gap}, reverse=True) for run in self._instance(gap)]

    def _instance(self, gap: float) -> Panel:
        runs = [self._run("UCB", math.inf, gap)]
        for name in (*LOCAL, *CENTRAL):
            runs += [self._run(name, epsilon, gap) for epsilon in (*self.epsilons, math.inf)]
        return runs

    def _run(self, name: str, epsilon: float, gap: float) -> Run:
        policy = MAKERS[name](epsilon, self.n_arms, self.horizon)
        return self.run(instance(self.n_arms, gap), policy, swept={"gap": gap})


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


def long_runs() -> list[LongRun]:
    """Every algorithm at every epsilon to T = 10^8, and UCB without privacy."""
    private = [long_run(name, epsilon) for name in (*LOCAL, *CENTRAL) for epsilon in LONG_EPSILONS]
    return [long_run("UCB", math.inf), *(long_run(name, math.inf) for name in CENTRAL), *private]


def long_run(name: str, epsilon: float) -> LongRun:
    """Return a run of the longer study."""
    problem, policy = instance(LONG_N_ARMS, LONG_GAP), MAKERS[name](epsilon, LONG_N_ARMS, LONG_HORIZON)
    labels = {"policy": name, "epsilon": epsilon}
    return LongRun(labels, problem, policy, LONG_HORIZON, LONG_SEED, LONG_REPLICATIONS, start=1000)


def long_studies() -> dict[str, Callable[..., pd.DataFrame]]:
    """Return the longer study by name; it takes `progress`, whether to show a bar."""
    return {"upper-lower": long_study("upper-lower", long_runs)}
