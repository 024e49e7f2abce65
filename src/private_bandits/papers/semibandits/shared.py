"""What the algorithms of Chen et al. (2020) share: their constants' frame, and a semi-bandit in plain Python.

Every one caps its indices at 1 (no report counts as infinity), asks the oracle if all indices are >= 0 and otherwise
plays "any" super arm, for us a uniformly random one. They have ln T. `horizon=None` puts ln t in its place, which
needs no horizon and is ours; a horizon gives ln T as printed. Their input delta is used nowhere.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.kernels import index, restarts
from private_bandits.policy import Policy, words
from private_bandits.problems import SetBandit
from private_bandits.reference_tools import Generator, largest

PAPER = "chen2020"
VARIANTS = ("printed", "repaired")
SAMPLING = (1.5, 0.0)  # the sqrt(1.5 ln t / n) of CUCB


def index_record(terms: list[tuple[float, float]], **constants: Any) -> index.Record:
    """Return a record with what all algorithms share: the cap, the fallback, no free observation.

    Parameters
    ----------
    terms : list of (float, float)
        The pairs (alpha, beta) of the index; those of zeros are left out.
    **constants : object
        The other fields of the record.

    Returns
    -------
    Record
    """
    left = np.array([pair for pair in terms if pair != (0.0, 0.0)]).reshape(-1, 2)
    return index.Record(left, cap=1.0, fallback=True, observe_first=False, semi_bandit=True, **constants)


def local_record(
    scale: float, printed: float, variant: str, horizon: int | None, reports: int, list_size: int
) -> index.Record:
    """Return an index on noisy reports: `printed` is the square of what multiplies sqrt(ln T / n) in print.

    Parameters
    ----------
    scale : float
        Laplace scale of a report, >= 0.
    printed : float
        >= 0.
    variant : {"printed", "repaired"}
        Whose index.
    horizon : int, optional
        T >= 1; None for ln t in the place of ln T.
    reports : int
        Which arms of a super arm report, of `kernels.index`.
    list_size : int
        What the noise was calibrated for; 0 fits any problem.

    Returns
    -------
    Record

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    checks.choice("variant", variant, VARIANTS)
    square, linear = (printed, 0.0) if variant == "printed" else (1.5 + 12.0 * scale**2, 3.0 * scale)
    term, bonus, length = (square, 0.0), index.FLAT_BONUS, 0
    if horizon is not None:
        length = checks.integer("horizon", horizon, at_least=1)
        log_t = math.log(length)
        term, bonus, linear = (0.0, square * log_t), index.FIXED_BONUS, linear * log_t
    return index_record(
        [term],
        noise=index.LAPLACE if scale else index.EXACT,
        scale=scale,
        bonus=bonus if linear else index.NO_BONUS,
        bonus_scale=linear,
        reports=reports,
        list_size=list_size,
        horizon=length,
    )


def anew(made: Callable[[int], Policy]) -> Policy:
    """Return a policy that is made anew for runs of 2, 4, 16, 256, ... rounds: one that need not know the horizon.

    Parameters
    ----------
    made : callable
        Takes a horizon and returns a policy for it, of the same kernel for each.

    Returns
    -------
    Policy
    """
    runs = [made(length) for length in restarts.LENGTHS]
    record = restarts.Record(tuple(run.record for run in runs))
    variant = words(runs[0].variant, "restarted")
    return replace(runs[0], name=f"{runs[0].name}, restarted", variant=variant, record=record)


def run_lengths(rounds: int) -> list[tuple[int, int]]:
    """Return the runs of a policy that is made anew: for how many rounds each is made, and how many are played.

    Parameters
    ----------
    rounds : int
        In all, >= 1.

    Returns
    -------
    list of (int, int)

    Examples
    --------
    >>> run_lengths(30)
    [(2, 2), (4, 4), (16, 16), (256, 8)]
    """
    runs: list[tuple[int, int]] = []
    while rounds > 0:
        length = 2**2 ** len(runs)
        runs.append((length, min(length, rounds)))
        rounds -= length
    return runs


class Plain:
    """A semi-bandit in plain Python: the oracle of line 5 and the users of line 6.

    Where several super arms are worth exactly the same, one number of the choice stream decides; a user draws one
    number of the environment stream for each arm, or for each group of arms that share a draw.

    Parameters
    ----------
    problem : SemiBandit
        Whose oracle is not a Python function.
    """

    def __init__(self, problem: Any) -> None:
        self.means, self.size = problem.means.tolist(), problem.list_size
        self.arms = range(len(self.means))
        self.groups = [-1 for i in self.arms]
        self.sets: list[list[int]] = []  # none: any `size` arms
        if isinstance(problem, SetBandit):
            self.sets = list(map(list, problem.sets))
            self.weights = None if problem.weights is None else problem.weights.tolist()
            self.best_arm = problem.reward_name == "largest"
            self.targets = [0 for i in self.arms] if problem.targets is None else problem.targets.tolist()
            self.groups = self.groups if problem.groups is None else problem.groups.tolist()

    def super_arm(self, indices: Sequence[float], choice: Generator) -> list[int]:
        """Line 5: return what the oracle plays if no index is negative, else any super arm.

        Parameters
        ----------
        indices : sequence of float
            Of the arms.
        choice : Generator
            For ties, and for any super arm.

        Returns
        -------
        list of int
        """
        return self.oracle(indices, choice) if min(indices) >= 0 else self.any_super_arm(choice)

    def oracle(self, values: Sequence[float], choice: Generator) -> list[int]:
        """Return a super arm of the largest reward if `values` were the means.

        Parameters
        ----------
        values : sequence of float
            Of the arms.
        choice : Generator
            For ties.

        Returns
        -------
        list of int
        """
        if not self.sets:
            return largest(values, self.size, choice, ordered=False)
        worth = [self.value(arms, values) for arms in self.sets]
        best = max(worth)
        return _one_of([arms for arms, value in zip(self.sets, worth, strict=True) if value == best], choice)

    def any_super_arm(self, choice: Generator) -> list[int]:
        """Return a uniformly random super arm.

        Parameters
        ----------
        choice : Generator
            One number, where there are several.

        Returns
        -------
        list of int
        """
        if self.sets:
            return _one_of(self.sets, choice)
        return largest([0.0 for i in self.arms], self.size, choice, ordered=False)

    def outcomes(self, arms: Sequence[int], env: Generator) -> dict[int, float]:
        """Return X_i of the arms of a super arm.

        Parameters
        ----------
        arms : sequence of int
            The super arm.
        env : Generator
            One number for each arm, or for each group of arms that share a draw.

        Returns
        -------
        dict of int to float
            0 or 1 for each arm.
        """
        drawn: dict[int, float] = {}
        x = {}
        for i in arms:
            own = self.groups[i] if self.groups[i] >= 0 else -1 - i
            if own not in drawn:
                drawn[own] = env.random()
            x[i] = 1.0 if drawn[own] < self.means[i] else 0.0
        return x

    def row(self, arms: Sequence[int]) -> list[int]:
        """Return what `simulation.trace` has of a round: the super arm, padded with -1 to K, and its size.

        Parameters
        ----------
        arms : sequence of int
            The super arm.

        Returns
        -------
        list of int
        """
        return [*arms, *[-1] * (self.size - len(arms)), len(arms)]

    def value(self, arms: Sequence[int], values: Sequence[float]) -> float:
        """The sum of w value, the largest value, or the sum over targets of the chance that an arm hits.

        Parameters
        ----------
        arms : sequence of int
            The super arm.
        values : sequence of float
            Of all arms, in the place of their means.

        Returns
        -------
        float
        """
        if self.best_arm:
            return max(values[i] for i in arms)
        if self.weights is not None:
            return sum(self.weights[i] * values[i] for i in arms if self.weights[i] > 0)
        missed: dict[int, float] = {}
        for i in arms:
            missed[self.targets[i]] = missed.get(self.targets[i], 1.0) * (1 - min(max(values[i], 0.0), 1.0))
        return sum(1 - miss for miss in missed.values())


def _one_of(super_arms: list[list[int]], choice: Generator) -> list[int]:
    """A copy of one of them, at random."""
    return list(super_arms[int(choice.random() * len(super_arms)) if len(super_arms) > 1 else 0])
