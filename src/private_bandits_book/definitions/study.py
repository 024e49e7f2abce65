"""What the chapter measures: small policies exactly, and the private algorithms of other papers against the bounds.

Basu et al. (2019) have no experiments. Two questions need some. On one instance, over epsilon: how far is what is
achieved from the problem-dependent bounds? Over instances: does any algorithm do better than a minimax bound says is
possible? Every run is kept by replication, so that a figure and a verdict come from the same numbers.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from private_bandits import baselines
from private_bandits.estimates import mean_interval
from private_bandits.papers.definitions import replacements
from private_bandits.policy import Policy
from private_bandits.problems import Arms
from private_bandits_book import studies
from private_bandits_book.definitions import divergences, entries, histories, inference, lemmas
from private_bandits_book.studies import LongRun, Run, Runs, key, looked, means, played
from private_bandits_book.sweep import LEAST_RUNS

GAPS = (0.8, 0.4, 0.2, 0.1, 0.05, 0.02, 0.01)
"""Distances of the worse arms among which the hardest instance is looked for."""

FINE = tuple(np.geomspace(0.01, 0.9, 56).round(3).tolist())
"""More of them, where phases that double make regret jump from gap to gap."""

_MAKERS: tuple[Callable[[float, int, int], Policy], ...] = (
    lambda epsilon, n_arms, horizon: baselines.ldp_ucb_response(epsilon),
    lambda epsilon, n_arms, horizon: baselines.dp_se(epsilon, n_arms, horizon),
    lambda epsilon, n_arms, horizon: baselines.adap_klucb(epsilon),
    lambda epsilon, n_arms, horizon: baselines.dp_klucb(epsilon),
    lambda epsilon, n_arms, horizon: baselines.ucb(),
)
MAKERS = {key(make(1.0, 2, 1)): make for make in _MAKERS}
"""Of each algorithm at epsilon, K and T, by its key."""
LDP_UCB, DP_SE, ADAP_KLUCB, DP_KLUCB, UCB = MAKERS

_MADE = {name: make(1.0, 2, 1) for name, make in MAKERS.items()}
NAMES = {name: policy.name for name, policy in _MADE.items()}
TRUST = {name: policy.privacy.trust for name, policy in _MADE.items()}
STATED = {(UCB, math.inf): 50, (LDP_UCB, 0.1): 50, (DP_KLUCB, 0.1): 200}
"""Of the algorithms and epsilons whose regret in the longer study the findings state, the number of runs.

They follow from 2,000 runs on another seed.
"""
PRICE, PRICED = 0.2, (LDP_UCB, DP_KLUCB)
"""The epsilon of the study of the price, and what it plays there and without privacy."""
PRICE_GAPS, PRICE_HORIZON = (0.8, 0.4, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002), 10_000_000
CORRUPT_EPSILONS, CORRUPT_HORIZON = (0.5, 1.0, 2.0, 5.0), 100_000
LEFT = 0.9  # of the regret of uniform play, from which a line is not drawn
LOCAL, CENTRAL = ([name for name in MAKERS if TRUST[name] == trust] for trust in ("local", "central"))


class Long(NamedTuple):
    """The game of the longer study, run by `private-bandits reproduce definitions --long`."""

    n_arms: int = 3
    gap: float = 0.5
    horizon: int = 100_000_000
    epsilons: tuple[float, ...] = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)

    @property
    def means(self) -> np.ndarray:
        """Means of its instance."""
        return instance(self.n_arms, self.gap).means


LONG = Long()


def instance(n_arms: int, gap: float) -> Arms:
    """Return one arm of mean 1/2 + gap/2 and n_arms - 1 of mean 1/2 - gap/2, Bernoulli; gap in (0, 1)."""
    return Arms.bernoulli(np.array([0.5 + gap / 2] + [0.5 - gap / 2] * (n_arms - 1)))


def uniform_regret(n_arms: int, gap: Any, horizon: Any) -> Any:
    """Return the expected regret of uniform play on `instance`."""
    return gap * (1 - 1 / n_arms) * horizon


@dataclass
class Study(studies.Study):
    """The chapter at its parameters."""

    chapter, names = "definitions", NAMES
    n_arms: int
    gap: float
    exact_epsilon: float
    exact_horizon: int
    guesses: int

    @property
    def shown(self) -> list[float]:
        """Every third epsilon, for tables with a column each."""
        return self.epsilons[::3]

    @property
    def means(self) -> np.ndarray:
        """Means of the chapter's instance."""
        return instance(self.n_arms, self.gap).means

    @cached_property
    def losses(self) -> pd.DataFrame:
        """The exact loss of small policies under every definition."""
        return lemmas.losses(self.exact_epsilon, self.exact_horizon)

    @cached_property
    def mechanisms(self) -> pd.DataFrame:
        """The exact loss of single draws (Definition 1)."""
        return lemmas.mechanisms(self.exact_epsilon)

    @cached_property
    def tightness(self) -> pd.DataFrame:
        """How nearly policies reach Lemma 2."""
        return lemmas.tightness(self.exact_epsilon, range(2, self.exact_horizon + 1), [0.5, 0.1, 0.01, 0.001])

    @cached_property
    def divergences(self) -> pd.DataFrame:
        """Lemmas 3 to 7 on every history."""
        return histories.divergences(self.exact_epsilon, self.exact_horizon)

    @cached_property
    def looseness(self) -> pd.DataFrame:
        """Lemma 4 for one pull."""
        return divergences.lemma_4_table(self.epsilons)

    @cached_property
    def inference(self) -> pd.DataFrame:
        """The guessing games of the advertising example."""
        return inference.inference(self.epsilons, self.exact_horizon, self.guesses, self.seed)

    @cached_property
    def variants(self) -> pd.DataFrame:
        """Every entry of Table 1 in every variant, on the chapter's instance at every epsilon."""
        at = [entries.variants(self.means, self.horizon, epsilon) for epsilon in self.epsilons]
        return pd.concat(at, ignore_index=True)

    @cached_property
    def hardest(self) -> Runs:
        """Every algorithm at every epsilon over instances from easy to hard."""
        return Runs(run for gap in self.gaps for run in self._on(gap))

    def _on(self, gap: float) -> Runs:
        """Every algorithm on one instance, at every epsilon."""
        played = [(UCB, math.inf), *((name, e) for name in (*LOCAL, *CENTRAL) for e in (*self.epsilons, math.inf))]
        problem = instance(self.n_arms, gap)
        policies = [MAKERS[name](epsilon, self.n_arms, self.horizon) for name, epsilon in played]
        return Runs(self.run(problem, policy, swept={"gap": gap}) for policy in policies)

    def rows(self, policy: str) -> pd.DataFrame:
        """The longer study's rows of a policy, by its key."""
        return played(self.long_study("upper-lower"), long_runs(), policy)

    @cached_property
    def on_instance(self) -> pd.DataFrame:
        """Upper over lower on the chapter's instance; see `upper_lower`."""
        return upper_lower(self._on(self.gap), "instance")

    @cached_property
    def on_hardest(self) -> pd.DataFrame:
        """Upper over lower on the hardest instance, a minimax question."""
        return upper_lower(hardest(self.hardest), "hardest")

    @cached_property
    def gap_table(self) -> pd.DataFrame:
        """What central algorithms lose on their hardest instances at the smallest epsilon, over both minimax bounds.

        The instance is chosen among `FINE` by the chapter's runs, and the mean is of more.
        """
        epsilon, rows = min(self.epsilons), []
        se, printed, kept, plain = (MAKERS[name](epsilon, self.n_arms, self.horizon) for name in (*CENTRAL, UCB))
        free = MAKERS[DP_KLUCB](math.inf, self.n_arms, self.horizon)
        said = ["DP-SE", "AdaP-KLUCB, as printed", "AdaP-KLUCB, α = 1", "DP-KLUCB", "DP-KLUCB, ε = ∞", "UCB"]
        played = [se, printed, baselines.adap_klucb(epsilon, 1.0), kept, free, plain]
        lower = [replacements.azize_basu_minimax, replacements.central_minimax]
        for name, policy in zip(said, played, strict=True):
            tried = [self.run(instance(self.n_arms, gap), policy, swept={"gap": gap}) for gap in FINE]
            worst = max(tried, key=lambda run: float(run.final.mean()))
            found = mean_interval(self.run(worst.problem, policy, replications=self.headline_replications).final)
            over = [found.measured / bound(self.n_arms, self.horizon, epsilon) for bound in lower]
            rows.append((name, epsilon, worst.swept["gap"], *found[:3], self.headline_replications, *over))
        names = ["algorithm", "epsilon", "gap", "regret", "low", "high", "runs", "over_azize_basu", "ratio"]
        return pd.DataFrame(rows, columns=names)

    @property
    def gaps(self) -> list[float]:
        """Distances of the worse arms that are played, the largest first."""
        return sorted({*GAPS, self.gap}, reverse=True)

    @cached_property
    def on_long(self) -> pd.DataFrame:
        """Upper over lower on the instance of the longer study, at its horizon."""
        frame = self.long_study("upper-lower")
        horizon = int(frame["t"].max())
        rows = looked(frame[frame["t"] == horizon], long_runs(), ["policy", "epsilon"])
        final = rows.groupby(["key", "family", "epsilon"], sort=False)["regret"]
        game = (LONG.n_arms, LONG.gap, horizon, "instance")
        return pd.DataFrame(
            [_met(name, family, epsilon, part.to_numpy(), *game) for (name, family, epsilon), part in final]
        )


def hardest(runs: Iterable[Run]) -> Runs:
    """Return the run with the most regret over the gaps, for every policy and epsilon."""
    found: dict[tuple[str, float], Run] = {}
    for run in runs:
        at = key(run.policy), run.epsilon
        found[at] = max(found.get(at, run), run, key=lambda one: float(one.final.mean()))
    return Runs(found.values())


def upper_lower(runs: Iterable[Run], question: str) -> pd.DataFrame:
    """Return what is achieved over what is unavoidable, tidy, a row per run.

    `question` is "instance" (against the problem-dependent bound times ln T) or "hardest" (against the minimax bound).
    `bound` is the best usable one; every usable one has its column too.
    """
    rows = []
    for run in runs:
        n_arms, gap, horizon = len(run.problem.means), run.swept["gap"], int(run.data.t[-1])
        rows.append(_met(key(run.policy), run.family, run.epsilon, run.final, n_arms, gap, horizon, question))
    return pd.DataFrame(rows)


def _met(
    name: str, family: str, epsilon: float, final: np.ndarray, n_arms: int, gap: float, horizon: int, question: str
) -> dict[str, Any]:
    measured, uniform = mean_interval(final), uniform_regret(n_arms, gap, horizon)
    found = entries.usable(question, TRUST[name], instance(n_arms, gap).means, horizon, epsilon)
    bound = max(value for value in found.values() if not math.isnan(value))
    # an asymptotic bound above uniform play only says that the horizon is too short for it
    unit = bound if 0 < bound < uniform else math.nan
    return {
        "key": name,
        "policy": NAMES[name],
        "family": family,
        "trust": TRUST[name],
        "epsilon": epsilon,
        "gap": gap,
        "t": horizon,
        "regret": measured.measured,
        "regret_se": measured.se,
        "replications": len(final),
        "bound": bound,
        "ratio": measured.measured / unit,
        "ratio_low": measured.low / unit,
        "ratio_high": measured.high / unit,
        "uniform": uniform,
        **found,
    }


def factors(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the price of privacy over time: the largest mean regret over the gaps at epsilon over that at infinity.

    A row has it only where both have left uniform play.
    """
    rows = looked(frame, price_runs(), ["policy", "epsilon"])
    found = means(rows, ["key", "policy", "family", "trust", "epsilon", "gap", "t"])
    worst = found.loc[found.groupby(["key", "epsilon", "t"], sort=False)["regret"].idxmax()]
    n_arms = LONG.n_arms
    worst = worst[worst["regret"] < LEFT * uniform_regret(n_arms, worst["gap"], worst["t"])]
    private, plain = worst[np.isfinite(worst["epsilon"])], worst[np.isinf(worst["epsilon"])]
    joint = private.merge(plain[["key", "t", "regret", "regret_se"]], on=["key", "t"], suffixes=("", "_plain"))
    joint["factor"] = joint["regret"] / joint["regret_plain"]
    spread = np.hypot(joint["regret_se"] / joint["regret"], joint["regret_se_plain"] / joint["regret_plain"])
    return joint.assign(factor_se=joint["factor"] * spread)


def price_runs() -> list[LongRun]:
    """The algorithms of the study of the price, with and without privacy, over gaps."""
    marks = np.unique(np.geomspace(1e3, PRICE_HORIZON, 17).round()).astype(int).tolist()
    runs = []
    for name, epsilon, gap in product(PRICED, (PRICE, math.inf), PRICE_GAPS):
        problem, policy = instance(LONG.n_arms, gap), MAKERS[name](epsilon, LONG.n_arms, PRICE_HORIZON)
        labels = {"policy": NAMES[name], "epsilon": epsilon, "gap": gap}
        often = 100 if name == DP_KLUCB else 20  # its runs differ most
        runs.append(LongRun(labels, problem, policy, PRICE_HORIZON, 20192, often, marks))
    return runs


def corrupt_runs() -> list[LongRun]:
    """The algorithm for corrupt bandits on the instance of the longer study, where its bound is below uniform play."""
    problem, horizon = instance(LONG.n_arms, LONG.gap), CORRUPT_HORIZON
    policies = {epsilon: baselines.kl_ucb_cf(epsilon) for epsilon in CORRUPT_EPSILONS}
    labels = {epsilon: {"policy": policy.name, "epsilon": epsilon} for epsilon, policy in policies.items()}
    return [LongRun(labels[e], problem, policies[e], horizon, 20193, 40, checkpoints=[horizon]) for e in policies]


def long_runs() -> list[LongRun]:
    """Every algorithm at every epsilon of the longer study, and without privacy UCB and the central ones."""
    private = [long_run(name, epsilon) for name in (*LOCAL, *CENTRAL) for epsilon in LONG.epsilons]
    return [*(long_run(name, math.inf) for name in (UCB, *CENTRAL)), *private]


def long_run(name: str, epsilon: float) -> LongRun:
    """Return a run of the longer study."""
    problem, policy = instance(LONG.n_arms, LONG.gap), MAKERS[name](epsilon, LONG.n_arms, LONG.horizon)
    least = 20 if name == DP_KLUCB else LEAST_RUNS
    labels, runs = {"policy": NAMES[name], "epsilon": epsilon}, STATED.get((name, epsilon), least)
    return LongRun(labels, problem, policy, LONG.horizon, seed=20191, replications=runs, start=1000)
