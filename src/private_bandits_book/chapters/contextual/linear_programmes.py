"""Policies with two actions and inputs 0 or 1 as plans: the least regret of all of them is a linear programme.

A plan is the probability of each sequence of actions given the inputs that it would see. Plans form a polytope, and
epsilon-privacy of the actions adds linear constraints to it. A node of a plan is the actions of the rounds so far, and
the inputs that are known before the last of them is chosen.
"""

import math
from itertools import product

import numpy as np

Node = tuple[tuple[int, ...], tuple[int, ...]]


def nodes(rounds: int, late: int) -> dict[Node, int]:
    """Return the places of a plan's nodes; an input is known `late` rounds after its own, 0 or 1."""
    bits = [list(product((0, 1), repeat=t)) for t in range(rounds + 1)]
    pairs = (pair for t in range(1, rounds + 1) for pair in product(bits[t], bits[t - late]))
    return {pair: place for place, pair in enumerate(pairs)}


def flow(place: dict[Node, int]) -> tuple[np.ndarray, np.ndarray]:
    """Return equations, and totals: the next actions share the chance of those before, whatever the last input was."""
    rows: dict[Node, np.ndarray] = {}
    for (actions, known), column in place.items():
        row = rows.setdefault((actions[:-1], known), np.zeros(len(place)))
        row[column] = 1.0
        if actions[:-1]:
            row[place[actions[:-1], known[:-1]]] = -1.0
    return np.array(list(rows.values())), np.array([0.0 if before else 1.0 for before, _ in rows])


def neighbours(place: dict[Node, int], rounds: int, epsilon: float) -> np.ndarray:
    """Return rows w - e^epsilon w' <= 0, scaled, for full sequences of actions whose inputs differ in one round."""
    rows = [np.zeros(len(place))]
    if math.isfinite(epsilon):
        for actions, known in place:
            if len(actions) == rounds:
                for t in range(len(known)):
                    row = np.zeros(len(place))
                    turned = (*known[:t], 1 - known[t], *known[t + 1 :])
                    row[place[actions, known]], row[place[actions, turned]] = math.exp(-epsilon), -1.0
                    rows.append(row)
    return np.array(rows)
