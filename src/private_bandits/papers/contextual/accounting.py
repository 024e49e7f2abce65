"""What a user of Zheng et al. (2020) sends, how far it can move, and what the noise then pays.

Algorithms 1 and 2 send one number. Algorithms 3 and 5 send matrices and vectors and add the same Gaussian noise to
every entry, so the messages of a round are one Gaussian vector and pay by their joint L2 sensitivity. The paper instead
splits epsilon and delta over the messages, by bounds on each, which gives its constants: 2 + 4 = 6 with delta/2 each,
hence 2.5, and 2 + 2 + 2 = 6 with delta/3 each, 3.75.

Actions lie in the unit ball. With unit x, x' and c = <x, x'>:

* x x': its upper triangle moves by at most the Frobenius norm, sqrt(2 - 2 c^2), so by sqrt 2; the paper takes 2.
* y x, |y| <= r: 2 r. With x x' that is at most sqrt(2 (1 - c^2) + 2 r^2 (1 + c)).
* <x, estimate> x = x x' estimate: by at most the spectral norm, sqrt(1 - c^2), so by 1; the paper takes 2.
* the gradient, error times x with |error| <= reach: less than 2 reach, as the error of an action depends on the action;
  two rewards of one action, 2 apart or 1 for binary ones, move it by as much.

So what Algorithm 5 pays is exact (in dimension 2 and more; less in dimension 1, where all x x' of unit vectors are the
same), and for Algorithm 3 it is bounded from both sides.
"""

import math
from typing import NamedTuple

from private_bandits import checks
from private_bandits.mechanisms import gaussian_epsilon, gaussian_sigma, laplace_scale
from private_bandits.policy import Calibration, Mechanism
from private_bandits.privacy import Guarantee

PAPER = "zheng2020"
LARGEST_MEAN = math.e / (1.0 + math.e)
"""C of the logistic link: its largest value on [-1, 1], attained at 1."""
SLOPE = LARGEST_MEAN * (1.0 - LARGEST_MEAN)
"""Smallest slope of the logistic link on [-1, 1], at both ends."""
RESPONSES = ("bounded", "binary")
LARGEST_REWARD = 2.0
"""Rewards lie in [-2, 2]: a mean in [-1, 1], and noise in [-1, 1]."""


# --- one number: Algorithms 1 and 2


def number_scale(sensitivity: float, epsilon: float, delta: float, noise: str, calibration: str) -> float:
    """Laplace scale or Gaussian standard deviation of the noise on one number (Section 2 of the paper).

    Parameters
    ----------
    sensitivity : float
        How far two users' numbers are apart at most, > 0.
    epsilon : float
        > 0; infinity means no privacy.
    delta : float
        In (0, 1); 0 with Laplace noise.
    noise : {"gaussian", "laplace"}
    calibration : {"classical", "analytic"}
        Of `mechanisms.gaussian_sigma`; not read with Laplace noise.

    Returns
    -------
    float
        0 at epsilon = infinity.

    Raises
    ------
    ValueError
        If an argument is out of range, or a delta is given with Laplace noise.
    """
    checks.choice("noise", noise, ("gaussian", "laplace"))
    checks.choice("calibration", calibration, ("classical", "analytic"))
    if math.isinf(checks.epsilon(epsilon)):
        return 0.0
    if noise == "laplace":
        if checks.real("delta", delta, at_least=0, below=1) > 0.0:
            raise ValueError(f"delta must be 0 with noise='laplace', got {checks.brief(delta)}")
        return laplace_scale(epsilon, sensitivity=sensitivity)
    return gaussian_sigma(epsilon, delta=checks.delta(delta), sensitivity=sensitivity, calibration=calibration)


def noise_facts(scale: float, noise: str, calibration: str) -> tuple[Mechanism, Calibration]:
    """Return `mechanism` and `calibration` of a `Policy`.

    Parameters
    ----------
    scale, noise, calibration
        Of `number_scale`; at scale 0 there is no noise to speak of.

    Returns
    -------
    Mechanism, Calibration
    """
    if scale == 0.0:
        return "none", ""
    if noise == "laplace":
        return "laplace", ""
    return "gaussian", "analytic" if calibration == "analytic" else "classical"


def noise_variance(scale: float, noise: str) -> float:
    """Variance of one draw.

    Parameters
    ----------
    scale : float
        Standard deviation or Laplace scale, >= 0.
    noise : {"gaussian", "laplace"}

    Returns
    -------
    float
    """
    return scale**2 if noise == "gaussian" else 2.0 * scale**2


def noise_reach(scale: float, noise: str, horizon: int) -> float:
    """The size that one draw exceeds with probability 1/T^2: sigma sqrt(2 ln(2 T^2)), or b ln(T^2).

    Parameters
    ----------
    scale : float
        Standard deviation or Laplace scale, >= 0.
    noise : {"gaussian", "laplace"}
    horizon : int
        T >= 1; 1 counts as 2.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If the horizon is out of range.
    """
    rounds = max(checks.integer("horizon", horizon, at_least=1), 2)
    factor = math.sqrt(2.0 * math.log(2 * rounds**2)) if noise == "gaussian" else 2.0 * math.log(rounds)
    return scale * factor


def message_privacy(
    scale: float, sensitivity: float, epsilon: float, delta: float, noise: str, reason: str
) -> Guarantee:
    """The guarantee of one number with noise: the nominal one, and what the noise exactly pays at the nominal delta.

    Parameters
    ----------
    scale : float
        Laplace scale or Gaussian standard deviation, >= 0.
    sensitivity : float
        How far two users' exact numbers are apart at most, > 0.
    epsilon : float
        Nominal, > 0.
    delta : float
        Nominal, in (0, 1); not read with Laplace noise.
    noise : {"gaussian", "laplace"}
    reason : str
        One line.

    Returns
    -------
    Guarantee
        Local; that of no privacy at scale 0.

    Raises
    ------
    ValueError
        If delta is out of range.
    """
    if scale == 0.0:
        return Guarantee.none()
    if noise == "laplace":
        return Guarantee.certified(epsilon, sensitivity / scale, "local", reason)
    failure = checks.delta(delta)
    return Guarantee.certified(
        epsilon, gaussian_epsilon(scale, delta=failure, sensitivity=sensitivity), "local", reason, failure
    )


# --- matrices and vectors: Algorithms 3 and 5


class Message(NamedTuple):
    """One of the messages of a round.

    Parameters
    ----------
    name : str
    printed : float
        Its L2 sensitivity by the paper.
    exact : float
        Its sensitivity or, for the gradient, an upper bound.
    relative_noise : float
        Standard deviation of its entries, in units of sigma.
    """

    name: str
    printed: float
    exact: float
    relative_noise: float = 1.0


def linucb_messages(largest_reward: float = LARGEST_REWARD) -> tuple[Message, Message]:
    """The two messages of Algorithm 5.

    Parameters
    ----------
    largest_reward : float
        > 0: rewards lie in [-largest_reward, largest_reward].

    Returns
    -------
    tuple of Message

    Raises
    ------
    ValueError
        If the reward is out of range.
    """
    reach = 2.0 * checks.real("largest_reward", largest_reward, above=0)
    return Message("x x'", 2.0, math.sqrt(2.0)), Message("y x", reach, reach)


def glm_messages(responses: str = "bounded", variant: str = "printed") -> tuple[Message, Message, Message]:
    """The three messages of Algorithm 3 with the logistic link.

    Parameters
    ----------
    responses : {"bounded", "binary"}
        What a reward may be. `bounded` is the paper's model, the mean plus noise in [-1, 1]: with g in [1 - C, C] the
        error g - y reaches 2 C. `binary`: y is 0 or 1, and the error reaches C = g(1) = 0.731.
    variant : {"printed", "repaired"}
        The gradient's noise: C sigma, as printed, or the reach of the error times sigma.

    Returns
    -------
    tuple of Message

    Raises
    ------
    ValueError
        If an argument is not one of those listed.

    Notes
    -----
    For a link that is only known to lie in [-C, C], the bounded error reaches 2 C + 1. The printed noise covers C: for
    this link less than it should by a factor of at most 2, and of 2 / (2 C) = 1.37 at least.
    """
    reach = error_reach(responses)
    checks.choice("variant", variant, ("printed", "repaired"))
    covered = LARGEST_MEAN if variant == "printed" else reach
    gradient = Message("gradient", 2.0 * covered, 2.0 * reach, covered)
    return Message("x x'", 2.0, math.sqrt(2.0)), Message("<x, estimate> x", 2.0, 1.0), gradient


def error_reach(responses: str) -> float:
    """Largest |g(<x, estimate>) - y| of the logistic link.

    Parameters
    ----------
    responses : {"bounded", "binary"}
        As for `glm_messages`.

    Returns
    -------
    float
        2 C or C.

    Raises
    ------
    ValueError
        If it is not one of those listed.
    """
    checks.choice("responses", responses, RESPONSES)
    return LARGEST_MEAN if responses == "binary" else 2.0 * LARGEST_MEAN


def joint_sensitivity(messages: tuple[Message, ...]) -> float:
    """L2 sensitivity of all messages of a round together, each in units of its own noise.

    With k the squared half-sensitivity of the last message and m = 2 for Algorithm 5, 3 for Algorithm 3, the squared
    distance is at most m (1 - c^2) + 2 k (1 + c), largest at c = min(k/m, 1). Exact for Algorithm 5 in dimension 2 and
    more, an upper bound for Algorithm 3, where <x, estimate> limits the error.

    Parameters
    ----------
    messages : tuple of Message
        Two or three, as of `linucb_messages` and `glm_messages`.

    Returns
    -------
    float
    """
    last = messages[-1]
    squares = float(len(messages))
    k = (last.exact / last.relative_noise / 2.0) ** 2
    return (k + squares) / math.sqrt(squares) if k <= squares else 2.0 * math.sqrt(k)


def noise_scale(messages: tuple[Message, ...], epsilon: float, delta: float, calibration: str = "classical") -> float:
    """Sigma of Algorithm 3 or 5.

    Parameters
    ----------
    messages : tuple of Message
        What a user sends.
    epsilon : float
        > 0; infinity means no privacy.
    delta : float
        In (0, 1).
    calibration : {"classical", "analytic"}
        `classical`, as printed: (sum of printed sensitivities) sqrt(2 ln(1.25 n / delta)) / epsilon for n messages,
        each sensitivity in units of its message's noise. `analytic`: the smallest sigma for the joint sensitivity that
        the algorithm reckons with, its gradient taken to move by no more than its noise is sized for.

    Returns
    -------
    float
        0 at epsilon = infinity.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    if checks.choice("calibration", calibration, ("classical", "analytic")) == "classical":
        total = sum(one.printed / one.relative_noise for one in messages)
        # each message's share of epsilon is in proportion to its sensitivity, so one sigma serves them all
        return gaussian_sigma(
            epsilon, delta=checks.delta(delta) / len(messages), sensitivity=total, calibration="classical"
        )
    last = messages[-1]
    believed = last._replace(exact=min(last.printed, last.exact))
    return gaussian_sigma(epsilon, delta=delta, sensitivity=joint_sensitivity((*messages[:-1], believed)))


def vector_privacy(messages: tuple[Message, ...], epsilon: float, delta: float, sigma: float) -> Guarantee:
    """The guarantee of all messages of a round together, by their joint sensitivity.

    Parameters
    ----------
    messages : tuple of Message
        What a user sends.
    epsilon : float
        Nominal, > 0.
    delta : float
        Nominal, in (0, 1).
    sigma : float
        >= 0.

    Returns
    -------
    Guarantee
        Local; that of no privacy at sigma 0.
    """
    joint = joint_sensitivity(messages)
    reason = f"{len(messages)} messages a user, one Gaussian vector of sensitivity {joint:.4g} in units of sigma"
    return Guarantee.certified(epsilon, gaussian_epsilon(sigma, delta=delta, sensitivity=joint), "local", reason, delta)
