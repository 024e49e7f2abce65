"""Fact 1 of Basu et al. (2019) by linear programming, over every policy of a bandit with two arms and 0/1 rewards.

A policy is a plan (`plans`), whose inputs are the rewards that it would see, and the least worst-case regret is a
linear program.
"""

import math
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog

from private_bandits_book import plans

_ARMS = 2


class Fact(NamedTuple):
    """Both sides of Fact 1 for one game."""

    minimax: float  # min over policies of the largest regret over reward tables
    bayes: float  # regret of the best policy for the worst prior, found from that prior alone


def fact_1(horizon: int, epsilon: float = math.inf) -> Fact:
    """Minimax and Bayesian minimax regret against reward tables, over all policies that are epsilon-DP.

    Parameters
    ----------
    horizon : int
        1, 2 or 3.
    epsilon : float
        > 0; Definition 2, infinity for all policies.

    Notes
    -----
    Fact 1 exchanges min over policies and max over priors, which wants a convex set of policies. All policies are one,
    and so are the epsilon-DP ones; of two epsilon-instantaneous ones a fair mixture may pay (T - 2) epsilon in the last
    round, if the rounds before show which one plays. The paper's definition has the min outside, and there the largest
    regret over priors is the one over tables for any set of policies at all.
    """
    place = plans.nodes(horizon, late=1)
    regret, best = _regret(place, horizon)
    equal, ones = plans.flow(place)
    near = plans.neighbours(place, horizon, epsilon)
    tables, size = regret.shape
    worst = linprog(
        np.append(np.zeros(size), 1.0),
        A_ub=np.vstack([np.column_stack([regret, -np.ones(tables)]), np.column_stack([near, np.zeros(len(near))])]),
        b_ub=np.concatenate([-best, np.zeros(len(near))]),
        A_eq=np.column_stack([equal, np.zeros(len(equal))]),
        b_eq=ones,
        bounds=[(0, None)] * size + [(None, None)],
        method="highs",
    )
    prior = np.maximum(-worst.ineqlin.marginals[:tables], 0.0)
    prior /= prior.sum()
    reply = linprog(prior @ regret, A_ub=near, b_ub=np.zeros(len(near)), A_eq=equal, b_eq=ones, method="highs")
    return Fact(float(worst.fun), float(reply.fun + prior @ best))


def _regret(place: dict[plans.Node, int], rounds: int) -> tuple[np.ndarray, np.ndarray]:
    """Regret of a plan w against each table is `best + regret @ w`."""
    tables = np.array(list(product((0, 1), repeat=rounds * _ARMS))).reshape(-1, rounds, _ARMS)
    regret = np.zeros((len(tables), len(place)))
    for row, table in enumerate(tables):
        for (arms, rewards), column in place.items():
            if all(table[t, arms[t]] == rewards[t] for t in range(len(rewards))):
                regret[row, column] = -table[len(arms) - 1, arms[-1]]
    return regret, tables.sum(axis=1).max(axis=1).astype(float)
