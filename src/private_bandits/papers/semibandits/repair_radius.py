"""Our repair for B_1-smooth rewards: CUCB-LDP2's question, one bit for an answer, and a radius for a super arm."""

import math
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.kernels import superarm
from private_bandits.mechanisms import response_probabilities
from private_bandits.papers.semibandits.shared import Plain, anew, run_lengths
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee, channel_loss
from private_bandits.reference_tools import least_reported_first, respond

LONG = 2**26  # runs of more rounds are drawn by leaps


def super_arm_radius(epsilon: float, *, horizon: int | None) -> Policy:
    """One randomised bit about the least pulled arm, and one radius for the super arm; ours.

    Radii of K arms add up to K times one of them, while independent errors add up to the root of K of it. Each user
    reports on one arm, so that the errors are independent whatever the joint law of the outcomes: with a the largest
    number of `grid` that all arms of a super arm S have reported, and means of their first a reports,

        index = min(r(S) at these means + sqrt(level sum over S of w_i^2 / (2 a)) / tanh(epsilon/2), r(S) at means of 1)

    with level = ln T + ln(length of the grid), and |S| ln 2 more where r is not linear. A radius for a super arm is
    that of ESCB (Combes et al. 2015); asking about the least pulled arm is CUCB-LDP2. The regret is at most
    `bounds.super_arm_radius_upper`, of order m K where that of CUCB-LDP2 has m K^2.

    Parameters
    ----------
    epsilon : float
        Privacy of a user, > 0; infinity for truthful answers.
    horizon : int or None
        T >= 1 of ln T, and the longest run. None: T need not be known, as the algorithm is made anew for runs of 2, 4,
        16, 256, ... rounds, each the square of the one before; then the regret is at most four times as large in the
        limit.

    Returns
    -------
    Policy
        For a SemiBandit of listed super arms with an exact oracle.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> super_arm_radius(0.2, horizon=1000).privacy.label()
    'ε=0.2'
    """
    if horizon is None:
        return anew(lambda length: super_arm_radius(epsilon, horizon=length))
    length = checks.integer("horizon", horizon, at_least=1, at_most=checks.ROUNDS)
    truth, flip = response_probabilities(checks.epsilon(epsilon), n_values=2)
    points = grid(length)
    level, leap = math.log(length) + math.log(len(points)), superarm.LEAP if length > LONG else length
    record = superarm.Record(np.array(points, np.int64), level, flip, length, leap=leap)
    paid = channel_loss([[truth, flip], [flip, truth]])
    privacy = Guarantee.certified(epsilon, paid, "local", "one randomised bit about an arm that is public")
    return Policy(
        name="Super-arm radius",
        algorithm="super-arm radius",
        variant="repaired",
        privacy=privacy,
        record=record,
        mechanism="response",
        method="least pulled",
    )


def grid(horizon: int) -> list[int]:
    """The numbers of reports that are compared: from 1 on, each about a tenth more than the one before, up to T.

    Parameters
    ----------
    horizon : int
        T >= 1.

    Returns
    -------
    list of int
        a, then a + a/10 rounded up.

    Examples
    --------
    >>> grid(20)
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19]
    """
    points = [1]
    while (following := points[-1] - (-points[-1] // 10)) <= horizon:
        points.append(following)
    return points


def reference(problem: Any, rounds: int, streams: Any, *, epsilon: float, horizon: int | None) -> list[list[int]]:
    """Play the algorithm line by line, return what `simulation.trace` returns.

    Parameters
    ----------
    problem : SetBandit
        With an exact oracle.
    rounds : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `streams.streams`.
    epsilon : float
        > 0; infinity for truthful answers.
    horizon : int or None
        T >= 1, for which the constants are made; None: anew for each run of `run_lengths`.

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the super arm, padded with -1 to K, and its size.
    """
    if horizon is None:
        runs = run_lengths(rounds)
        return [row for length, n in runs for row in reference(problem, n, streams, epsilon=epsilon, horizon=length)]
    bandit = Plain(problem)
    flip = 1 / (1 + math.exp(epsilon))
    points = grid(horizon)
    answers: list[list[int]] = [[] for i in bandit.arms]
    rows = []
    for _ in range(rounds):
        index = []
        for s in bandit.sets:
            ceiling = bandit.value(s, [1.0 for i in bandit.arms])
            reached = [a for a in points if a <= min(len(answers[i]) for i in s)]
            if reached:
                a = reached[-1]
                means = [(sum(answers[i][:a]) / a - flip) / (1 - 2 * flip) for i in bandit.arms]
                squares = sum((1.0 if bandit.weights is None else bandit.weights[i]) ** 2 for i in s)
                level = math.log(horizon) + math.log(len(points))
                level += 0.0 if bandit.weights is not None else len(s) * math.log(2)
                radius = math.sqrt(0.5 * level * squares / a) / (1 - 2 * flip)
                index.append(min(bandit.value(s, means) + radius, ceiling))
            else:
                index.append(ceiling)
        ties = [list(s) for s, u in zip(bandit.sets, index, strict=True) if u == max(index)]
        s_t = ties[int(streams.choice.random() * len(ties)) if len(ties) > 1 else 0]
        s_t = least_reported_first(s_t, [len(given) for given in answers])
        x = bandit.outcomes(s_t, streams.env)
        answers[s_t[0]].append(respond(int(x[s_t[0]]), 2, flip, streams.noise))
        rows.append(bandit.row(s_t))
    return rows
