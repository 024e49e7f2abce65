"""Algorithm 2 of Zheng et al. (2020), Two-Point Feedback Private BCO: the learner is told one noisy difference a round.

The promise is on the message of a user, whatever was played before: its loss f is any G-Lipschitz function. The noise
is found as in Algorithm 1, for the sensitivity 2G times the distance of the two points.
"""

from typing import Any

import numpy as np

from private_bandits.kernels import online
from private_bandits.papers.contextual import algorithm_4
from private_bandits.papers.contextual.accounting import PAPER, message_privacy, noise_facts, number_scale
from private_bandits.papers.contextual.algorithm_1 import NOISES
from private_bandits.papers.contextual.shared_convex import check_convex, noise_on, suffer
from private_bandits.policy import Policy, words
from private_bandits.problems import ConvexLoss

STEPS = ("printed", "tuned", "strong")


def two_point(
    epsilon: float,
    *,
    problem: ConvexLoss,
    delta: float = 0.0,
    horizon: int,
    step: str = "printed",
    noise: str = "gaussian",
    calibration: str = "classical",
) -> Policy:
    """Algorithm 2: the learner is told f(x_1) - f(x_2) + <n, x_1 - x_2>, n of variance sigma^2.

    sigma = 2G sqrt(2 ln(1.25/delta)) / epsilon. The learner is that of Agarwal, Dekel and Xiao
    (2010), with rho = ln T / T, at most half the inner radius.

    Parameters
    ----------
    epsilon : float
        > 0; infinity gives the learner itself.
    problem : ConvexLoss
        On the ball, with spread 0; others with no larger G may be played too.
    delta : float
        In (0, 1); 0 with Laplace noise.
    horizon : int
        T, from which the steps are set, >= 1.
    step : {"printed", "tuned", "strong"}
        eta = 1/sqrt(T) as printed, which costs 1/epsilon^2; R / (d sqrt((G^2 + V) T)) with V the variance of n,
        ours, which costs 1/epsilon; or 1/(mu t) for strongly convex losses.
    noise : {"gaussian", "laplace"}
        For Laplace, one number of scale 4 G rho / epsilon is added instead of <n, x_1 - x_2>.
    calibration : {"classical", "analytic"}
        How sigma is found.

    Returns
    -------
    Policy
        Its `method` is the step.

    Raises
    ------
    ValueError
        If an argument is out of range, or the step is for other losses.

    Notes
    -----
    Both values are of one function, without noise of their own: `spread` must be 0. |x_1 - x_2| = 2 rho, so two users'
    differences are at most 4 G rho apart and the noise on them has the standard deviation 2 rho sigma: the calibration
    is right. What is bounded is the mean regret of the two points.

    Examples
    --------
    >>> from private_bandits.problems import ConvexLoss
    >>> problem = ConvexLoss.ball([[0.5, 0.0], [-0.5, 0.0]], kind="distance")
    >>> policy = two_point(1.0, problem=problem, delta=1e-3, horizon=1000, step="tuned")
    >>> policy.variant, round(policy.record.scale, 2), round(policy.record.radius, 4)
    ('tuned, gaussian, classical', 7.55, 0.0069)
    """
    check_convex(problem)
    scale = number_scale(2.0 * problem.lipschitz, epsilon, delta, noise, calibration)
    steps = algorithm_4.two_point_tuning(problem, horizon, scale, noise, step)._asdict()
    del steps["regret"]
    record = online.Record(
        learner=online.TWO_POINT,
        noise=NOISES[noise] if scale else online.EXACT,
        scale=scale * (2.0 * steps["radius"] if noise == "laplace" else 1.0),
        limit=problem.lipschitz,
        n_arms=problem.dim,
        horizon=horizon,
        **steps,
    )
    reason = "one noisy difference of losses is all that is sent"
    privacy = message_privacy(scale, 2.0 * problem.lipschitz, epsilon, delta, noise, reason)
    mechanism, found = noise_facts(scale, noise, calibration)
    return Policy(
        name="Gradient descent, two points",
        paper=PAPER,
        algorithm="Algorithm 2",
        variant=words(step, noise, calibration),
        privacy=privacy,
        record=record,
        mechanism=mechanism,
        calibration=found,
        method=step,
    )


def reference(
    problem: ConvexLoss,
    rounds: int,
    streams: Any,
    *,
    epsilon: float,
    delta: float = 0.0,
    horizon: int,
    step: str = "printed",
    noise: str = "gaussian",
    calibration: str = "classical",
) -> list[list[float]]:
    """Play Algorithm 2 line by line around Algorithm 4.

    Parameters
    ----------
    problem : ConvexLoss
        On the ball, with spread 0.
    rounds : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `streams.streams`.
    epsilon : float
        > 0; infinity means no noise.
    delta : float
        In (0, 1); 0 with Laplace noise.
    horizon : int
        T >= 2, from which the steps are set.
    step : {"printed", "tuned", "strong"}
        Of Algorithm 4.
    noise : {"gaussian", "laplace"}
    calibration : {"classical", "analytic"}
        How sigma is found.

    Returns
    -------
    list of list of float
        A row a round: both points, and what is sent.

    Raises
    ------
    KeyError
        If there is no such step.
    """
    sigma = noise_on(2.0 * problem.lipschitz, epsilon, delta, noise, calibration)  # line 2
    given: dict[str, Any] = {"horizon": horizon, "scale": sigma, "noise": noise, "step": step}
    learner, rows = algorithm_4.reference(problem, streams.choice, **given), []  # line 1
    asked = next(learner)
    for t in range(1, rounds + 1):  # line 3
        x_1, x_2 = asked  # line 4
        f_1, f_2 = suffer(problem, t, asked, streams.env)  # line 5
        sent = f_1 - f_2
        if noise == "laplace" and sigma:
            sent += streams.noise.laplace(0.0, sigma * np.linalg.norm(x_1 - x_2))
        elif sigma:
            sent += streams.noise.normal(0.0, sigma, problem.dim) @ (x_1 - x_2)
        rows.append([*x_1, *x_2, sent])
        asked = learner.send(sent)
    return rows
