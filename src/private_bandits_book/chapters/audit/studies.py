"""The longer studies of the page on the auditor: the audits that take seconds each, how good it is, what views show.

`private-bandits reproduce audit --long` makes them; the trials are committed by seed.
"""

import math
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from joblib import delayed
from tqdm import tqdm

from private_bandits.mechanisms.calibration import gaussian_sigma
from private_bandits.papers.semibandits import cucb_ldp2
from private_bandits.policy import Player
from private_bandits.privacy import audit
from private_bandits.privacy.sampled import certified_loss
from private_bandits_book.chapters.audit.cases import PAIR, SETS, Case, cases
from private_bandits_book.chapters.audit.rows import BREAKS, audited
from private_bandits_book.studies import in_processes

SEED, RUNS = 2026, 20_000
PARAMETERS: dict[str, Any] = {"horizon": 10, "epsilons": [1.0, 0.5], "delta": 1e-3}
SEEDS, SOME = 200, 50  # of a trial, and of one that takes long
ROUNDS = 100  # of the policy with a hidden leak
FAILURE = 0.01
NUMBERS = (1000, 2000, 4000, 20_000)
VIEWS = (("messages", 1), ("state", 1), ("actions", 2), ("actions", 10), ("actions", 40))  # and rounds
VIEW_SEEDS, VIEW_RUNS = 40, 6000
HALVED = ("noise halved", "CUCB-LDP2, noise halved")
_PAIR = (0.0, 1.0)


def table(progress: bool = False) -> pd.DataFrame:
    """Return the rows that take long, at the page's parameters."""
    rows = audited(cases(**PARAMETERS), RUNS, SEED, n_jobs=-1, slow=True)
    return rows.rename_axis("place").reset_index()


def slow_rows(chapter: Any, listed: list[Case]) -> pd.DataFrame:
    """Return the rows that take long: the committed ones, or at other promises audits of the page's runs.

    Parameters
    ----------
    chapter : Chapter
    listed : list of Case
    """
    known = chapter.parameters
    if all(known[name] == value for name, value in PARAMETERS.items()):
        kept = chapter.long("table").set_index("place")
        return kept.fillna({"variant": "", "known": "", "neighbours": "", "event": ""})
    return audited(listed, known["runs"], known["seed"], known["n_jobs"], slow=True)


class Trial(NamedTuple):
    """A mechanism or policy, right or faulty, that is audited again and again."""

    kind: str  # what is audited
    epsilon: float  # promised; of "answers" the true loss
    runs: int
    seeds: int = SEEDS

    def played(self, seed: int) -> tuple[Any, ...]:
        """Return the row of one seed: what is certified by one test and by two intervals, and whether it is accused."""
        target, asked = self._audited(seed)
        found = audit(target, runs=self.runs, seed=seed, promised=self.epsilon, **asked)
        event = found.event
        assert event is not None
        counts: dict[str, Any] = {"hits": event.hits, "others": event.others, "runs": event.runs}
        two = certified_loss(**counts, delta=found.delta, alpha=0.05)
        return *self[:3], seed, found.epsilon_low, max(0.0, float(two)), found.verdict == BREAKS

    def _audited(self, seed: int) -> tuple[Any, dict[str, Any]]:
        factor = 2.0 if self.kind in HALVED else 1.0
        match self.kind:
            case "CUCB-LDP2" | "CUCB-LDP2, noise halved":
                users = [(np.zeros((1, SETS.n_arms)), np.ones((1, SETS.n_arms)))]
                asked = {"neighbours": users, "problem": SETS, "horizon": 1, "accounted": math.inf}
                return cucb_ldp2(factor * self.epsilon, variant="repaired"), asked
            case "one reward of 100":
                return Hidden(37 * seed % (ROUNDS - 1)), {"problem": PAIR, "horizon": ROUNDS}
            case "answers":
                return partial(answers, number=int(self.epsilon)), {"neighbours": [_PAIR]}
            case "one message of 100 without noise":
                return partial(leaking, epsilon=self.epsilon), {"neighbours": [_PAIR]}
            case "Gaussian noise" | "Gaussian noise for ten times delta":
                failure = FAILURE * (1.0 if self.kind == "Gaussian noise" else 10.0)
                sigma = gaussian_sigma(self.epsilon, delta=failure, sensitivity=1.0)
                return partial(gaussian, sigma=sigma), {"neighbours": [_PAIR], "delta": FAILURE}
        return partial(laplace, scale=1.0 / (factor * self.epsilon)), {"neighbours": [_PAIR]}


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


class Noisy(Player):
    """A policy that adds Laplace noise to each reward and plays the largest sum: `Noisy` of the page."""

    name = "noisy sums"

    def __init__(self, scale: float = 1.0) -> None:
        self.scale = scale

    def start(self, problem: Any, choice: np.random.Generator, noise: np.random.Generator) -> Any:
        """Begin a run."""
        self.noise, self.sums = noise, noise.laplace(0, 1, problem.n_arms)
        return self

    def ask(self) -> list[int]:
        """Return the arm."""
        return [int(self.sums.argmax())]

    def tell(self, feedback: list[float]) -> float:
        """Take the reward, and return what is sent."""
        sent = float(feedback[0] + self.noise.laplace(0, self.scale))
        self.sums[self.sums.argmax()] += sent
        return sent

    def state(self) -> np.ndarray:
        """Return what is read."""
        return self.sums


def viewed(scale: float, view: str, rounds: int, seed: int) -> tuple[str, int, int, float, bool]:
    """Return the row of one seed: what an audit of noisy sums certifies under a view, and whether it accuses them."""
    asked = partial(audit, Noisy(scale), problem=PAIR, horizon=rounds, view=view)
    found = asked(promised=1.0, runs=VIEW_RUNS, seed=seed)
    return view, rounds, seed, found.epsilon_low, found.verdict == BREAKS


def views(progress: bool = False) -> pd.DataFrame:
    """Return a row per view and seed, of half the noise that the promise needs."""
    rows = []
    for view, rounds in tqdm(VIEWS, desc="views", disable=not progress):
        rows += in_processes((delayed(viewed)(0.5, view, rounds, seed) for seed in range(VIEW_SEEDS)), -1)
    return pd.DataFrame(rows, columns=["view", "rounds", "seed", "low", "accused"])


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
    """Send a number with the noise that it needs, but in one round of a hundred without it."""
    return float(x) if rng.random() < 0.01 else laplace(x, rng, 1 / epsilon)


RIGHT = ("Laplace noise", "CUCB-LDP2", "Gaussian noise")


def trials() -> Iterator[Trial]:
    """Yield what is tried: what is right, then what is faulty."""
    yield from (Trial("Laplace noise", epsilon, RUNS) for epsilon in (0.2, 1.0, 4.0))
    yield Trial("CUCB-LDP2", 1.0, 2000)
    yield Trial("Gaussian noise", 1.0, RUNS)
    yield from (Trial("noise halved", 1.0, runs) for runs in NUMBERS)
    yield from (Trial("noise halved", epsilon, 1000) for epsilon in (0.5, 2.0, 4.0))
    yield from (Trial("noise halved", epsilon, RUNS) for epsilon in (0.2, 4.0))
    yield from (Trial("CUCB-LDP2, noise halved", 1.0, runs) for runs in (500, 1000, 2000))
    yield from (Trial("one message of 100 without noise", 1.0, runs) for runs in NUMBERS)
    yield from (Trial("Gaussian noise for ten times delta", 1.0, runs) for runs in NUMBERS)
    yield from (Trial("answers", true, 10_000) for true in (11.0, 19.0))
    yield Trial("one reward of 100", 1.0, 6000, SOME)


def reliability(progress: bool = False) -> pd.DataFrame:
    """Return a row per trial and seed."""
    rows = []
    for trial in tqdm(list(trials()), desc="reliability", disable=not progress):
        rows += in_processes((delayed(trial.played)(seed) for seed in range(trial.seeds)), -1)
    return pd.DataFrame(rows, columns=["kind", "epsilon", "runs", "seed", "low", "two_intervals", "accused"])
