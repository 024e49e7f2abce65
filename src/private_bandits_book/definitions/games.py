"""Fact 1 of Basu et al. (2019) by linear programming, over every policy of a bandit with two arms and 0/1 rewards.

A policy is a plan: the probability of each sequence of arms given the rewards that it would see. Plans form a polytope,
and DP at epsilon adds linear constraints to it, so that the least worst-case regret is a linear program.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog

_ARMS = 2
_Node = tuple[tuple[int, ...], tuple[int, ...]]  # arms of the rounds so far, and the rewards of all but the last


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
    place = {node: i for i, node in enumerate(_nodes(horizon))}
    regret, best = _regret(place, horizon)
    equal, ones = _flow(place)
    near = _neighbours(place, horizon, epsilon)
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


def _nodes(rounds: int) -> Iterator[_Node]:
    for t in range(1, rounds + 1):
        for arms in product(range(_ARMS), repeat=t):
            for rewards in product((0, 1), repeat=t - 1):
                yield arms, rewards


def _regret(place: dict[_Node, int], rounds: int) -> tuple[np.ndarray, np.ndarray]:
    """Regret of a plan w against each table is `best + regret @ w`."""
    tables = np.array(list(product((0, 1), repeat=rounds * _ARMS))).reshape(-1, rounds, _ARMS)
    regret = np.zeros((len(tables), len(place)))
    for row, table in enumerate(tables):
        for (arms, rewards), column in place.items():
            if all(table[t, arms[t]] == rewards[t] for t in range(len(rewards))):
                regret[row, column] = -table[len(arms) - 1, arms[-1]]
    return regret, tables.sum(axis=1).max(axis=1).astype(float)


def _flow(place: dict[_Node, int]) -> tuple[np.ndarray, np.ndarray]:
    """A plan's next arms share the probability of the arms before, whatever the last reward was."""
    rows: dict[_Node, np.ndarray] = {}
    for (arms, rewards), column in place.items():
        row = rows.setdefault((arms[:-1], rewards), np.zeros(len(place)))
        row[column] = 1.0
        if rewards:
            row[place[arms[:-1], rewards[:-1]]] = -1.0
    return np.array(list(rows.values())), np.array([0.0 if rewards else 1.0 for _, rewards in rows])


def _neighbours(place: dict[_Node, int], rounds: int, epsilon: float) -> np.ndarray:
    """Rows w - e^epsilon w' <= 0 for full sequences of arms whose rewards differ in one round."""
    rows = [np.zeros(len(place))]
    if math.isfinite(epsilon):
        for arms, rewards in list(place):
            if len(arms) == rounds:
                for t in range(len(rewards)):
                    row = np.zeros(len(place))
                    turned = (*rewards[:t], 1 - rewards[t], *rewards[t + 1 :])
                    row[place[arms, rewards]], row[place[arms, turned]] = math.exp(-epsilon), -1.0
                    rows.append(row)
    return np.array(rows)
