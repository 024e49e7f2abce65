"""How good is the auditor? False alarms where nothing is wrong, and how often what is wrong is found."""

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy
from joblib import delayed
from tqdm import tqdm

from private_bandits.baselines import dp_se
from private_bandits.mechanisms.calibration import gaussian_sigma
from private_bandits.papers.semibandits import cucb_ldp2
from private_bandits.policy import Player
from private_bandits.privacy import audit
from private_bandits.privacy.sampled import certified_loss
from private_bandits_book.audit.cases import PAIR, SETS
from private_bandits_book.studies import in_processes

SEEDS = 200
NAIVE = 50  # of them, for which a single outcome and a published auditor are tried, too
NUMBERS = (1000, 2000, 4000, 20_000)
ANSWERS = {11: 4.5, 19: 5.2}  # a true loss, and what 10,000 runs are to certify
POLICY_NUMBERS = (500, 1000, 2000)
HIDDEN_RUNS = 6000
ROUNDS = 100  # of the policy with a hidden leak: in the last one it tells nothing
ELIMINATION = 4000  # rounds of DP-SE
FAILURE = 0.01
_PAIR = (0.0, 1.0)
HALVED = ("halved", "policy halved", "state halved")
COLUMNS = ("kind", "epsilon", "runs", "seed", "low", "naive", "statdp")


class Trial(NamedTuple):
    """A mechanism or policy whose promise is kept or broken, and is audited again and again."""

    kind: (
        str  # "right", "halved", "answers", "leak", "delta", "hidden", "policy right", "policy halved", "state halved"
    )
    epsilon: float  # promised; of "answers" the true loss
    runs: int

    def played(self, seed: int) -> tuple[Any, ...]:
        """Return the row of one seed: what the audit certifies, what one whole outcome does, and StatDP's p-value."""
        target, asked = self._audited(seed)
        low = audit(target, runs=self.runs, seed=seed, **asked).epsilon_low
        single = published = math.nan
        noise = self.kind in ("halved", "right") and self.epsilon == 1.0
        if seed < NAIVE and (noise or self.kind == "answers"):
            single = naive(target, _PAIR, self.runs, seed)
            published = statdp(target, _PAIR, self.runs, self.epsilon, seed) if noise else math.nan
        return (*self, seed, low, single, published)

    def _audited(self, seed: int) -> tuple[Any, dict[str, Any]]:
        """What is audited, and how."""
        factor = 2 if self.kind in HALVED else 1
        match self.kind:
            case "policy right" | "policy halved":
                users = [(np.zeros((1, SETS.n_items)), np.ones((1, SETS.n_items)))]
                asked = {"neighbours": users, "problem": SETS, "horizon": 1}
                return cucb_ldp2(factor * self.epsilon, "repaired"), asked
            case "state halved":
                rows = np.zeros((2, ELIMINATION, 2))
                rows[1, 0] = 1.0
                asked = {"neighbours": [(*rows,)], "problem": PAIR, "horizon": ELIMINATION, "view": "state"}
                return dp_se(factor * self.epsilon, 2, ELIMINATION), asked
            case "hidden":
                return Hidden(37 * seed % (ROUNDS - 1)), {"problem": PAIR, "horizon": ROUNDS}
            case "answers":
                target: Callable[..., Any] = partial(answers, number=int(self.epsilon))
            case "leak":
                target = partial(leaking, epsilon=self.epsilon)
            case "delta":
                sigma = gaussian_sigma(self.epsilon, 10 * FAILURE, 1.0)
                return partial(gaussian, sigma=sigma), {"neighbours": [_PAIR], "delta": FAILURE}
            case _:
                target = partial(laplace, scale=1.0 / (factor * self.epsilon))
        return target, {"neighbours": [_PAIR]}


class Hidden(Player):
    """A policy that plays at random, but for one round, whose reward decides what is played next."""

    name = "one reward decides"

    def __init__(self, leaking: int) -> None:
        self.leaking = leaking

    def start(self, problem: Any, choice: np.random.Generator, noise: np.random.Generator) -> Any:
        """Begin a run."""
        self.arms, self.t = choice.integers(0, 2, ROUNDS).tolist(), 0
        return self

    def ask(self) -> list[int]:
        """Return the arm."""
        return [self.arms[self.t]]

    def tell(self, feedback: list[float]) -> None:
        """Take the reward."""
        if self.t == self.leaking:
            self.arms[self.t + 1] = int(feedback[0])
        self.t += 1


def laplace(x: float, rng: np.random.Generator, scale: float) -> float:
    """Send a number with Laplace noise."""
    return float(x + rng.laplace(0.0, scale))


def gaussian(x: float, rng: np.random.Generator, sigma: float) -> float:
    """Send a number with Gaussian noise."""
    return float(x + rng.normal(0.0, sigma))


def answers(x: float, rng: np.random.Generator, number: int) -> np.ndarray:
    """Answer by randomised response at epsilon = 1, so many times: the loss is their number."""
    return np.where(rng.random(number) < 1 / (1 + math.exp(-1)), x, 1 - x)


def leaking(x: float, rng: np.random.Generator, epsilon: float) -> float:
    """Send a number with the noise that it needs, but in one round of a hundred in clear."""
    return float(x) if rng.random() < 0.01 else laplace(x, rng, 1 / epsilon)


def naive(target: Callable[..., Any], pair: tuple[float, float], runs: int, seed: int) -> float:
    """What one whole outcome certifies, rounded to a tenth: the best on one half of the runs, tested on the other."""
    rng, counts = np.random.default_rng([seed, 2]), []
    for _ in range(2):
        sides = [np.round([np.ravel(target(x, rng)) for _ in range(runs // 4)], 1) for x in pair]
        counts.append([pd.Series(map(bytes, side)).value_counts() for side in sides])
    table = pd.concat(counts[0], axis=1).fillna(0).to_numpy()
    outcomes = list(pd.concat(counts[0], axis=1).index)
    best, n = -math.inf, runs // 4
    for side in (0, 1):
        worth = certified_loss(table[:, side], n, table[:, 1 - side], n, 0.0, 0.05)
        if worth.max() > best:
            best, chosen, first = float(worth.max()), outcomes[int(np.argmax(worth))], side
    k, j = (int(counts[1][side].get(chosen, 0)) for side in (first, 1 - first))
    return max(0.0, float(certified_loss(k, n, j, n, 0.0, 0.05)))


def statdp(target: Callable[..., Any], pair: tuple[float, float], runs: int, epsilon: float, seed: int) -> float:
    """The p-value of a promise by StatDP (Ding et al. 2018), rebuilt: a half-line, learnt on one half of the runs.

    The other half tests it by Fisher's exact test, after each outcome of the likelier side was kept with exp(-epsilon).
    """
    rng, n = np.random.default_rng([seed, 3]), runs // 4

    def tested(counts: Any) -> float:
        return thinned_p_value(max(counts), min(counts), n, epsilon, rng)

    sides = [np.array([target(x, rng) for _ in range(n)]) for x in pair]
    pooled, width = np.sort(np.concatenate(sides)), int(1.4 * n)
    begin = int(np.argmin(pooled[width:] - pooled[:-width]))  # of the densest 70 %
    levels = np.linspace(pooled[begin], pooled[begin + width], 10)
    level = min(levels, key=lambda level: tested([int((side < level).sum()) for side in sides]))
    return tested([int(sum(target(x, rng) < level for _ in range(n))) for x in pair])


def thinned_p_value(hits: int, others: int, runs: int, epsilon: float, rng: np.random.Generator) -> float:
    """The p-value of P(event | a) <= exp(epsilon) P(event | b), from counts in so many runs on either."""
    kept = rng.binomial(hits, math.exp(-epsilon), 200)
    return float(scipy.stats.hypergeom.sf(kept - 1, 2 * runs, runs, kept + others).mean())


def trials() -> Iterator[Trial]:
    """Yield what is tried."""
    yield from (Trial("right", epsilon, 20_000) for epsilon in (0.2, 1.0, 4.0))
    yield from (Trial("halved", epsilon, runs) for epsilon in (0.2, 1.0, 4.0) for runs in NUMBERS)
    yield from (Trial("halved", epsilon, NUMBERS[-1]) for epsilon in (0.5, 2.0))
    yield from (Trial("answers", float(true), 10_000) for true in ANSWERS)
    yield from (Trial("leak", 1.0, runs) for runs in NUMBERS)
    yield from (Trial("delta", 1.0, runs) for runs in NUMBERS)
    yield Trial("hidden", 1.0, HIDDEN_RUNS)
    yield Trial("policy right", 1.0, POLICY_NUMBERS[-1])
    yield from (Trial(kind, 1.0, runs) for kind in ("policy halved", "state halved") for runs in POLICY_NUMBERS)


def played(seeds: range, n_jobs: int = 1, chosen: Callable[[Trial], bool] = lambda trial: True) -> pd.DataFrame:
    """Return what each trial certifies with each seed, a row each."""
    work = [(trial, seed) for trial in trials() if chosen(trial) for seed in seeds]
    rows = in_processes((delayed(_one)(*each) for each in work), n_jobs)
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _one(trial: Trial, seed: int) -> tuple[Any, ...]:
    return trial.played(seed)


def long_reliability(progress: bool = False) -> pd.DataFrame:
    """Return the trials with 200 seeds each."""
    bar = tqdm(list(trials()), desc="reliability", disable=not progress)
    return pd.concat([played(range(SEEDS), chosen=trial.__eq__) for trial in bar], ignore_index=True)
