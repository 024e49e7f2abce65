"""Algorithm 1 of Zheng et al. (2020), One-Point Bandits Learning-LDP: any learner, told one noisy loss a round.

The promise is on the message of a user, whatever was played before: its loss f is any function with |f| <= B.
`calibration="classical"` is the printed sigma, 2B sqrt(2 ln(1.25/delta)) / epsilon, proven for epsilon < 1 only;
"analytic" keeps the promise for every epsilon with the least noise. Laplace noise, which the paper mentions, gives pure
epsilon. The guarantee holds what is paid exactly.
"""

import math
from typing import Any

from private_bandits import checks
from private_bandits.kernels import online
from private_bandits.papers.contextual import (
    agarwal_algorithm_1,
    flaxman_bgd,
    hazan_algorithm_1,
    saha_algorithm_1,
    zimmert_tsallis_inf,
)
from private_bandits.papers.contextual.accounting import PAPER, message_privacy, noise_facts, number_scale
from private_bandits.papers.contextual.shared_convex import Learner, check_convex, noise_on, suffer
from private_bandits.papers.contextual.tunings import LEARNERS, behind_noise
from private_bandits.policy import Policy, words
from private_bandits.problems import ConvexLoss
from private_bandits.reference_tools import Generator

_KERNELS = {
    "sphere": ("Gradient descent, one point", online.SPHERE),
    "sphere_strong": ("Gradient descent, one point, strongly convex", online.SPHERE),
    "saha_tewari": ("Saha and Tewari", online.BARRIER),
    "hazan_levy": ("Hazan and Levy", online.BARRIER),
    "stochastic": ("Agarwal et al., one dimension", online.QUARTERS),
    "tsallis": ("Tsallis-INF", online.TSALLIS),
}
NOISES = {"gaussian": online.GAUSSIAN, "laplace": online.LAPLACE}


def one_point(
    epsilon: float,
    *,
    problem: ConvexLoss,
    delta: float = 0.0,
    horizon: int,
    variant: str = "printed",
    learner: str = "sphere",
    noise: str = "gaussian",
    calibration: str = "classical",
) -> Policy:
    """Algorithm 1: the learner is told f(x) + Z, Z of variance sigma^2 = (2B)^2 2 ln(1.25/delta) / epsilon^2.

    Parameters
    ----------
    epsilon : float
        > 0; infinity gives the learner itself.
    problem : ConvexLoss
        Whose bounds the noise and the steps are made for; other problems with no larger B may be played too.
    delta : float
        In (0, 1); 0 with Laplace noise.
    horizon : int
        T, from which the steps are set, >= 1.
    variant : {"printed", "derived"}
        `printed`: sensitivity 2B. `derived`, for arms only: their losses lie in [0, 1], so it is 1.
    learner : {"sphere", "sphere_strong", "saha_tewari", "hazan_levy", "stochastic", "tsallis"}
        Each has a file, see `tunings.tuning`; `stochastic` is `agarwal_algorithm_1`, for stochastic losses on an
        interval (higher dimension is left out); the last two are for `ConvexLoss.arms`.
    noise : {"gaussian", "laplace"}
    calibration : {"classical", "analytic"}
        How sigma is found.

    Returns
    -------
    Policy
        Its `method` is the learner.

    Raises
    ------
    ValueError
        If an argument is out of range, or learner or variant are for another problem.

    Notes
    -----
    The paper leaves the learner a black box for bounded losses, while the noise is not bounded. The steps are tuned for
    B^2 plus the noise's variance in gradient descent, which needs no more, and the intervals of the stochastic learner
    are as wide as the noise asks. The barrier methods and the two for arms are told the noisy loss clipped to [-B - s,
    B + s], for arms to [-s, 1 + s] and then scaled to [0, 1]; a draw exceeds s with probability 1/T^2. At epsilon =
    infinity s is 0 and nothing is changed.

    Examples
    --------
    >>> from private_bandits.problems import ConvexLoss
    >>> problem = ConvexLoss.ball([[0.5, 0.0], [-0.5, 0.0]], kind="distance")
    >>> policy = one_point(1.0, problem=problem, delta=1e-3, horizon=1000)
    >>> policy.name, round(policy.record.scale, 2), policy.privacy.label()
    ('Gradient descent, one point', 11.33, 'ε=1, pays 0.634')
    """
    checks.choice("learner", learner, tuple(LEARNERS))
    checks.choice("variant", variant, ("printed", "derived"))
    check_convex(problem)
    width = 1.0 if problem.domain == "arms" else 2.0 * problem.bound
    if variant == "derived" and problem.domain != "arms":
        raise ValueError(f"problem: variant 'derived' needs ConvexLoss.arms, got {problem}")
    sensitivity = width if variant == "derived" else 2.0 * problem.bound
    scale = number_scale(sensitivity, epsilon, delta, noise, calibration)
    name, code = _KERNELS[learner]
    steps = behind_noise(learner, problem, horizon, scale, noise)._asdict()
    del steps["regret"]
    record = online.Record(
        learner=code,
        noise=NOISES[noise] if scale else online.EXACT,
        scale=scale,
        limit=problem.bound,
        n_arms=problem.dim,
        horizon=horizon,
        **steps,
    )
    privacy = message_privacy(scale, width, epsilon, delta, noise, "one noisy loss is all that is sent")
    mechanism, found = noise_facts(scale, noise, calibration)
    return Policy(
        name=name,
        paper=PAPER,
        algorithm="Algorithm 1",
        variant=words(variant, noise, calibration),
        chosen=variant,
        privacy=privacy,
        record=record,
        mechanism=mechanism,
        calibration=found,
        method=learner,
    )


def reference(
    problem: ConvexLoss,
    rounds: int,
    streams: Any,
    *,
    epsilon: float,
    delta: float = 0.0,
    horizon: int,
    variant: str = "printed",
    learner: str = "sphere",
    noise: str = "gaussian",
    calibration: str = "classical",
) -> list[list[float]]:
    """Play Algorithm 1 line by line around a learner.

    Parameters
    ----------
    problem : ConvexLoss
        Any.
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
    variant : {"printed", "derived"}
        Whether losses lie in [-B, B], or those of arms in [0, 1].
    learner : str
        As for `one_point`; each is the `reference` of its file.
    noise : {"gaussian", "laplace"}
    calibration : {"classical", "analytic"}
        How sigma is found.

    Returns
    -------
    list of list of float
        A row a round: the point, and what is sent.
    """
    b = 0.5 if variant == "derived" else problem.bound
    sigma = noise_on(2.0 * b, epsilon, delta, noise, calibration)  # lines 1 and 2
    player = told(learner, problem, streams.choice, horizon, sigma, noise)
    return around(player, problem, rounds, streams, sigma, noise)


def around(
    player: Learner, problem: ConvexLoss, rounds: int, streams: Any, sigma: float, noise: str
) -> list[list[float]]:
    """Play lines 3 to 6 around a learner.

    Parameters
    ----------
    player : generator
        The learner, yet to be asked for its first point.
    problem : ConvexLoss
    rounds : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `streams.streams`.
    sigma : float
        Standard deviation or Laplace scale of the noise, >= 0.
    noise : {"gaussian", "laplace"}

    Returns
    -------
    list of list of float
        A row a round: the point, and what is sent.
    """
    law = streams.noise.normal if noise == "gaussian" else streams.noise.laplace
    x, rows = next(player), []
    for t in range(1, rounds + 1):  # line 3
        (loss,) = suffer(problem, t, [x], streams.env)  # lines 4 and 5
        sent = loss + (law(0.0, sigma) if sigma else 0.0)
        rows.append([*map(float, x), sent])
        x = player.send(sent)  # line 6
    return rows


def told(learner: str, problem: ConvexLoss, choice: Generator, horizon: int, sigma: float, noise: str) -> Learner:
    """Return the reference of a learner that is told losses with this noise, with the bound on them it is tuned to.

    Parameters
    ----------
    learner : str
        As for `one_point`.
    problem : ConvexLoss
    choice : Generator
        What the learner draws from.
    horizon : int
        T >= 2, from which the steps are set.
    sigma : float
        Standard deviation or Laplace scale of the noise, >= 0.
    noise : {"gaussian", "laplace"}

    Returns
    -------
    generator
        The learner, yet to be asked for its first point.
    """
    if learner == "stochastic":
        return agarwal_algorithm_1.reference(problem, horizon=horizon, scale=sigma, noise=noise)
    if learner in ("sphere", "sphere_strong"):
        squared = problem.bound**2 + (sigma**2 if noise == "gaussian" else 2 * sigma**2)
        strong = learner == "sphere_strong"
        return flaxman_bgd.reference(problem, choice, horizon=horizon, feedback=math.sqrt(squared), strong=strong)
    # what one draw exceeds with probability 1/T^2
    beyond = sigma * (math.sqrt(2 * math.log(2 * horizon**2)) if noise == "gaussian" else math.log(horizon**2))
    if learner == "tsallis":
        return zimmert_tsallis_inf.reference(problem, choice, reach=beyond)
    box = {"saha_tewari": saha_algorithm_1, "hazan_levy": hazan_algorithm_1}[learner]
    return box.reference(problem, choice, horizon=horizon, feedback=problem.bound + beyond)
