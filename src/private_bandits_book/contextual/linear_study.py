"""The experiments for Algorithms 3 and 5 that Zheng et al. (2020) lack, with LinUCB, GLOC and random play beside them.

Three kinds of rounds. *Unit vectors*: fresh action sets, which explore by themselves; a bonus that is alike in all
directions then costs nothing. *One set*: the same orthogonal actions in every round, so that only the bonus explores.
*Digits*: a real data set. The readings are the constants of a box, `LINEAR` and `LOGISTIC`; in those named "small
bonus" beta_t is multiplied by `bonus_factor`, and nothing else changes. Beta_t also covers what the shift c_t takes
from the estimates, so with a small bonus the ellipsoids no longer hold: `lock_in` shows what that can cost.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import expit

from private_bandits import checks
from private_bandits.estimates import mean_interval
from private_bandits.papers.contextual import digits
from private_bandits.papers.contextual.algorithm_3 import ldp_glm
from private_bandits.papers.contextual.algorithm_5 import ldp_linucb
from private_bandits.papers.contextual.bounds import horizon_needed, linucb_upper, theorem_8, theorem_10
from private_bandits.papers.contextual.oful import linucb
from private_bandits.papers.contextual.online_to_confidence import gloc
from private_bandits.policy import Policy
from private_bandits.privacy import binomial_interval
from private_bandits.problems import LinearContext
from private_bandits.simulate import trace
from private_bandits_book.studies import Panel, Player, Run

N_ACTIONS = 5
"""Actions of a round of fresh unit vectors."""
GAP = 0.5
"""Of the one set: theta is this times the first unit vector."""
SMALL_BONUS = 0.1
# reading: variant of the box, noise, whether the bonus is small
LINEAR = {
    "printed": ("printed", "classical", False),
    "printed, small bonus": ("printed", "classical", True),
    "derived, classical noise": ("derived", "classical", False),
    "derived": ("derived", "analytic", False),
    "derived, small bonus": ("derived", "analytic", True),
}
LOGISTIC = {
    "printed": ("printed", "classical", False),
    "printed, small bonus": ("printed", "classical", True),
    "repaired, classical noise": ("repaired", "classical", False),
    "repaired": ("repaired", "analytic", False),
    "repaired, small bonus": ("repaired", "analytic", True),
}
LEARNERS = ("newton", "gradient")
STUCK_GAP, STUCK_OFFSET, STUCK_ACTIONS = 0.2, 0.5, 4
DIGIT_ROUNDS = 10_000
PUBLISHED_DIM, PUBLISHED_ACTIONS = 20, 20
PUBLISHED_EPSILON, PUBLISHED_DELTA = 8e5, 0.1
# reading: variant of the box, noise, epsilon
PUBLISHED = {
    "printed": ("printed", "classical", PUBLISHED_EPSILON),
    "derived": ("derived", "classical", PUBLISHED_EPSILON),
    "derived, analytic noise": ("derived", "analytic", PUBLISHED_EPSILON),
    "epsilon 1": ("derived", "analytic", 1.0),
}
_SAME_ROUNDS = 2_000
_LOCKED = 0.9  # share of the largest regret from which a run counts as locked in


def theta(dim: int) -> np.ndarray:
    """Return the parameter of the unit vectors, norm 1, all entries alike."""
    return np.full(dim, 1.0 / math.sqrt(dim))


def unit_vectors(dim: int, link: str = "linear") -> LinearContext:
    """Return the problem of fresh unit vectors."""
    return LinearContext.sphere(theta(dim), N_ACTIONS, link)


def one_set(dim: int, link: str = "linear", gap: float = GAP, offset: float = 0.0) -> LinearContext:
    """Return the problem of one set of `dim` orthogonal actions, theta = (offset + gap, offset, ..., offset)."""
    values = np.full((1, dim), float(offset))
    values[0, 0] += gap
    return LinearContext.table(np.eye(dim)[None], values if link == "linear" else expit(values), link)


@dataclass
class Experiments(Player):
    """The chapter's simulations of contextual learners at its parameters; equal runs are played once."""

    delta: float
    bonus_factor: float = SMALL_BONUS

    def contexts(self, dim: int, epsilon: float, link: str = "linear") -> Panel:
        """Every reading on fresh unit vectors; link "linear" is Algorithm 5, "logistic" Algorithm 3."""
        return self._every(unit_vectors(dim, link), epsilon)

    def fixed(self, dim: int, epsilon: float, link: str = "linear") -> Panel:
        """Every reading on one set of orthogonal actions."""
        return self._every(one_set(dim, link), epsilon)

    def greedy(self) -> Panel:
        """Epsilon = infinity on one set of four actions, means 0.7 and 0.5: LinUCB, and both limits of Algorithm 5."""
        problem = one_set(STUCK_ACTIONS, gap=STUCK_GAP, offset=STUCK_OFFSET)
        panel = [self.run(problem, linucb(STUCK_ACTIONS))]
        for variant in ("derived", "printed"):
            policy = ldp_linucb(math.inf, self.delta, STUCK_ACTIONS, self.horizon, variant)
            panel.append(self.run(problem, policy, variant))
        return panel

    def shifted(self, epsilon: float) -> Panel:
        """Algorithm 5 on one set of two good actions, means 0.7 and 0.5, with the whole bonus and a small one.

        The shift draws the estimate of an action that is seldom played towards 0, below that of the other.
        """
        problem = one_set(2, gap=STUCK_GAP, offset=STUCK_OFFSET)
        panel = [
            self.run(problem, linucb(2, bonus_factor=factor), reading)
            for reading, factor in (("", 1.0), ("small bonus", self.bonus_factor))
        ]
        return panel + [
            self.run(problem, policy, reading)
            for reading, policy in self._private(2, epsilon, "linear").items()
            if reading.startswith("derived")
        ]

    def digits(self, epsilons: Sequence[float]) -> Panel:
        """Digits: LinUCB with the whole bonus and a small one, and the derived Algorithm 5 with the small one.

        At most 10,000 rounds. Rewards are 0 or 1, so the noise is that of rewards in [-1, 1]. Ten thousand rounds are
        few for d = 40: with its whole bonus LinUCB still explores at the end, without any privacy.
        """
        problem, rounds = digits.problem(), min(self.horizon, DIGIT_ROUNDS)
        panel = [
            self.run(problem, linucb(problem.dim, bonus_factor=factor), reading, horizon=rounds)
            for reading, factor in (("", 1.0), ("small bonus", self.bonus_factor))
        ]
        for epsilon in epsilons:
            policy = ldp_linucb(
                epsilon, self.delta, problem.dim, rounds, "derived", "analytic", self.bonus_factor, largest_reward=1.0
            )
            panel.append(self.run(problem, policy, "derived, small bonus", horizon=rounds))
        return panel

    def bonuses(self, epsilon: float, factors: Sequence[float]) -> Panel:
        """The derived Algorithm 5 at d = 2, beta times each factor: on unit vectors, and on the set of `shifted`."""
        problems = {"unit vectors": unit_vectors(2), "one set": one_set(2, gap=STUCK_GAP, offset=STUCK_OFFSET)}
        return [
            self.run(
                problem,
                ldp_linucb(epsilon, self.delta, 2, self.horizon, "derived", "analytic", factor),
                "derived",
                {"problem": name, "bonus_factor": float(factor)},
            )
            for name, problem in problems.items()
            for factor in factors
        ]

    def published(self) -> Panel:
        """The authors' epsilon = 800,000 and delta = 0.1 at d = 20, 20 unit vectors a round, beside no privacy.

        Theirs is a recommendation data set that this book does not carry; the noise, not the data, is what is tested.
        The readings are `PUBLISHED`. The classical noise at 800,000 is what is printed, and pays far more; the analytic
        one pays 800,000, which promises nobody anything either.
        """
        problem = LinearContext.sphere(theta(PUBLISHED_DIM), PUBLISHED_ACTIONS)
        return [self.run(problem, linucb(PUBLISHED_DIM))] + [
            self.run(
                problem, ldp_linucb(epsilon, PUBLISHED_DELTA, PUBLISHED_DIM, self.horizon, variant, noise), reading
            )
            for reading, (variant, noise, epsilon) in PUBLISHED.items()
        ]

    def limits(self, dims: Sequence[int]) -> pd.DataFrame:
        """Do the boxes at epsilon = infinity play as their learner does, action for action?

        Returns
        -------
        DataFrame
            A row per box, reading, problem and dim: `policy`, `reading`, `learner`, `problem`, `dim`, `rounds`, and
            `same`, the share of rounds with the learner's action in one run of at most 2,000 rounds.
        """
        rounds, rows = min(self.horizon, _SAME_ROUNDS), []
        for dim in dims:
            for link in ("linear", "logistic"):
                learner = linucb(dim) if link == "linear" else gloc(dim, rounds, "gradient", responses="binary")
                for kind, problem in (("unit vectors", unit_vectors(dim, link)), ("one set", one_set(dim, link))):
                    played = trace(problem, learner, horizon=rounds, seed=self.seed)[:, 0]
                    for reading, policy in self._limit(dim, rounds, link).items():
                        shown = trace(problem, policy, horizon=rounds, seed=self.seed)[:, 0]
                        rows.append(
                            {
                                "policy": policy.name,
                                "reading": reading,
                                "learner": learner.name,
                                "problem": kind,
                                "dim": int(dim),
                                "rounds": rounds,
                                "same": float(np.mean(shown == played)),
                            }
                        )
        return pd.DataFrame(rows)

    def _limit(self, dim: int, rounds: int, link: str) -> dict[str, Policy]:
        if link == "linear":
            return {v: ldp_linucb(math.inf, self.delta, dim, rounds, v) for v in ("derived", "printed")}
        return {v: ldp_glm(math.inf, self.delta, dim, rounds, v, responses="binary") for v in ("repaired", "printed")}

    def _every(self, problem: LinearContext, epsilon: float) -> Panel:
        dim, panel = problem.dim, []
        if problem.link == "linear":
            panel.append(self.run(problem, linucb(dim), swept={"dim": dim}))
        else:
            panel += [
                self.run(problem, gloc(dim, self.horizon, learner), learner, {"dim": dim}) for learner in LEARNERS
            ]
        return panel + [
            self.run(problem, policy, reading, {"dim": dim})
            for reading, policy in self._private(dim, epsilon, problem.link).items()
        ]

    def _private(self, dim: int, epsilon: float, link: str) -> dict[str, Policy]:
        return private_policies(dim, epsilon, self.delta, self.horizon, link, self.bonus_factor)


def private_policies(
    dim: int, epsilon: float, delta: float, horizon: int, link: str, bonus_factor: float = SMALL_BONUS
) -> dict[str, Policy]:
    """Return Algorithm 5 or, for the logistic link, Algorithm 3 with rewards 0 and 1, by reading."""
    if link == "linear":
        return {
            reading: ldp_linucb(epsilon, delta, dim, horizon, variant, noise, bonus_factor if small else 1.0)
            for reading, (variant, noise, small) in LINEAR.items()
        }
    return {
        reading: ldp_glm(
            epsilon, delta, dim, horizon, variant, noise, bonus_factor if small else 1.0, responses="binary"
        )
        for reading, (variant, noise, small) in LOGISTIC.items()
    }


def lock_in(panel: Sequence[Run]) -> pd.DataFrame:
    """How many runs on one set of actions end up on a wrong one.

    Returns
    -------
    DataFrame
        A row per run of the panel: `policy`, `reading`, `epsilon`, `t`, `replications`; `locked`, the share of
        replications that paid at least nine tenths of the largest regret there is, with its exact interval `low` and
        `high`; `regret` and `uniform`, means.
    """
    rows = []
    for run in panel:
        most = float(np.max(np.max(run.problem.means, axis=1) - np.min(run.problem.means, axis=1)))
        rounds, count = int(run.data.t[-1]), len(run.final)
        locked = int(np.sum(run.final >= _LOCKED * most * rounds))
        low, high = binomial_interval(locked, count)
        rows.append(
            {
                "policy": run.name,
                "reading": run.reading,
                "epsilon": run.epsilon,
                "t": rounds,
                "replications": count,
                "locked": locked / count,
                "low": low,
                "high": high,
                "regret": float(run.final.mean()),
                "uniform": run.uniform,
            }
        )
    return pd.DataFrame(rows)


def accuracy(panel: Sequence[Run]) -> pd.DataFrame:
    """Share of right digits of every run, tidy: over all rounds, and over the later half where there is a checkpoint.

    Returns
    -------
    DataFrame
        `policy`, `reading`, `epsilon`, `t`, `right`, `right_se`, `replications`; `later`, the share of right answers
        after the last checkpoint at or before t/2.
    """
    rows = []
    for run in panel:
        t = run.data.t.values
        half = int(np.searchsorted(t, t[-1] / 2.0, side="right")) - 1
        right = 1.0 - run.final / t[-1]
        later = 1.0 - (run.final - run.curves[:, half]) / (t[-1] - t[half]) if 0 <= half < len(t) - 1 else right
        rows.append(
            {
                "policy": run.name,
                "reading": run.reading,
                "epsilon": run.epsilon,
                "t": int(t[-1]),
                "right": float(right.mean()),
                "right_se": float(right.std(ddof=1) / math.sqrt(len(right))),
                "later": float(later.mean()),
                "replications": len(right),
            }
        )
    return pd.DataFrame(rows)


def bounds_checked(panel: Sequence[Run], delta: float) -> pd.DataFrame:
    """Theorems 8 and 10 and LinUCB's bound beside measured regret; for the panels of `contexts` and `fixed`.

    Returns
    -------
    DataFrame
        A row per run with a whole bonus: `row` of Table 1, `box`, `reading`, `problem`, `dim`, `epsilon`, `horizon`,
        `bound`, `uniform`, and the mean regret `measured` with its interval `low` and `high`. Bounds hold with
        probability 0.9; one above `uniform` is vacuous.
    """
    rows = []
    for run in panel:
        bound = _bound(run, delta)
        if bound is None:
            continue
        seen = mean_interval(run.final)
        rows.append(
            {
                "row": "linear" if run.problem.link == "linear" else "generalised linear",
                "box": run.name,
                "reading": run.reading or "no privacy",
                "problem": "one set" if len(run.problem.sets) else "unit vectors",
                "dim": run.problem.dim,
                "epsilon": run.epsilon,
                "horizon": int(run.data.t[-1]),
                "bound": bound,
                "uniform": run.uniform,
                "measured": seen.measured,
                "low": seen.low,
                "high": seen.high,
            }
        )
    return pd.DataFrame(rows)


def _bound(run: Run, delta: float) -> float | None:
    dim, rounds = run.problem.dim, int(run.data.t[-1])
    if run.name == "LinUCB":
        return linucb_upper(dim, rounds)
    table = LINEAR if run.problem.link == "linear" else LOGISTIC
    variant, noise, small = table.get(run.reading, ("", "", True))
    if small:  # also the learners of GLOC
        return None
    variant = "printed" if variant == "printed" else "derived"
    if run.problem.link == "linear":
        return theorem_8(dim, rounds, run.epsilon, delta, variant, noise)
    return theorem_10(dim, rounds, run.epsilon, delta, variant, noise, responses="binary")


def horizons(
    dims: Sequence[int], epsilons: Sequence[float], delta: float, level: float = 0.1, bonus_factor: float = SMALL_BONUS
) -> pd.DataFrame:
    """The rounds after which the bonus of a unit vector stays below `level`, explored alike in every direction.

    Returns
    -------
    DataFrame
        A row per box, reading, dim and epsilon: `policy`, `reading`, `dim`, `epsilon`, `horizon_needed`. Only for one
        set of actions, or few, does learning have to wait for it.
    """
    rows = []
    for box, name, readings in (("linucb", "LDP-LinUCB", LINEAR), ("glm", "LDP-GLOC", LOGISTIC)):
        for reading, (variant, noise, small) in readings.items():
            for dim in dims:
                for epsilon in epsilons:
                    needed = horizon_needed(
                        dim,
                        checks.epsilon(epsilon),
                        delta,
                        level,
                        box,
                        variant,
                        noise,
                        bonus_factor if small else 1.0,
                    )
                    rows.append(
                        {
                            "policy": name,
                            "reading": reading,
                            "dim": int(dim),
                            "epsilon": float(epsilon),
                            "horizon_needed": needed,
                        }
                    )
    return pd.DataFrame(rows)
