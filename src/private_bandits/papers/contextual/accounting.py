"""What a user of Algorithms 3 and 5 of Zheng et al. (2020) sends, how far it can move, and what the noise then pays.

Both boxes add the same Gaussian noise to every entry of what a user sends, so the messages of a round are one Gaussian
vector and pay by their joint L2 sensitivity. The paper instead splits epsilon and delta over the messages, by bounds on
each, which gives its constants: 2 + 4 = 6 with delta/2 each, hence 2.5, and 2 + 2 + 2 = 6 with delta/3 each, 3.75.

Actions lie in the unit ball. With unit x, x' and c = <x, x'>:

* x x': its upper triangle moves by at most the Frobenius norm, sqrt(2 - 2 c^2), so by sqrt 2; the paper takes 2.
* y x, |y| <= r: 2 r. With x x' that is at most sqrt(2 (1 - c^2) + 2 r^2 (1 + c)).
* <x, estimate> x = x x' estimate: by at most the spectral norm, sqrt(1 - c^2), so by 1; the paper takes 2.
* the gradient, error times x with |error| <= reach: less than 2 reach, as the error of an action depends on the action;
  two rewards of one action, 2 apart or 1 for binary ones, move it by as much.

So what Algorithm 5 pays is exact (in dimension 2 and more; less in dimension 1, where all x x' of unit vectors are the
same), and for Algorithm 3 it is bounded from both sides.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from private_bandits import checks
from private_bandits.mechanisms import gaussian_epsilon, gaussian_sigma

LARGEST_MEAN = math.e / (1.0 + math.e)
"""C of the logistic link: its largest value on [-1, 1], attained at 1."""
SLOPE = LARGEST_MEAN * (1.0 - LARGEST_MEAN)
"""Smallest slope of the logistic link on [-1, 1], at both ends."""
NOISES = ("classical", "analytic")
RESPONSES = ("bounded", "binary")
_COLUMNS = (
    "message",
    "sensitivity_printed",
    "sensitivity",
    "epsilon_share",
    "delta_share",
    "sigma",
    "epsilon_paid",
    "epsilon_attained",
)


@dataclass(frozen=True)
class Message:
    """One of the messages of a round."""

    name: str
    printed: float  # its sensitivity by the paper
    exact: float  # its sensitivity or, for the gradient, an upper bound
    attained: float  # a distance that two users have
    relative_noise: float = 1.0  # standard deviation of its entries, in units of sigma


def linucb_messages(largest_reward: float = 2.0) -> tuple[Message, Message]:
    """The two messages of Algorithm 5; rewards in [-largest_reward, largest_reward]."""
    reach = 2.0 * checks.real("largest_reward", largest_reward, above=0)
    return Message("x x'", 2.0, math.sqrt(2.0), math.sqrt(2.0)), Message("y x", reach, reach, reach)


def glm_messages(responses: str = "bounded", variant: str = "printed") -> tuple[Message, Message, Message]:
    """The three messages of Algorithm 3 with the logistic link.

    Parameters
    ----------
    responses : {"bounded", "binary"}
        What a reward may be. `bounded` is the paper's model, the mean plus noise in [-1, 1]: with g in [1 - C, C] the
        error g - y reaches 2 C. `binary`: y is 0 or 1, and the error reaches C = g(1) = 0.731.
    variant : {"printed", "repaired"}
        The gradient's noise: C sigma, as printed, or the reach of the error times sigma.

    Notes
    -----
    For a link that is only known to lie in [-C, C], the bounded error reaches 2 C + 1. The printed noise covers C: for
    this link less than it should by a factor of at most 2, and of 2 / (2 C) = 1.37 at least; see `small_link`.
    """
    reach = error_reach(responses)
    checks.choice("variant", variant, ("printed", "repaired"))
    covered = LARGEST_MEAN if variant == "printed" else reach
    attained = 1.0 if responses == "binary" else 2.0
    gradient = Message("gradient", 2.0 * covered, 2.0 * reach, attained, covered)
    root = math.sqrt(2.0)
    return Message("x x'", 2.0, root, root), Message("<x, estimate> x", 2.0, 1.0, 1.0), gradient


def small_link(epsilon: float, delta: float, largest_mean: float = 0.1) -> float:
    """Exact epsilon that the gradient of Algorithm 3 alone pays at delta, as printed, for a link of small values.

    The box and its Theorem 9 ask for |g| <= C on [-1, 1] and noise in [-1, 1]. With g(a) = C a, C <= 1, two users with
    the same action and noise 1 and -1 have gradients 2 apart, and the noise on them has standard deviation C sigma:
    with C small the promise is broken.

    Parameters
    ----------
    epsilon, delta
        Nominal: > 0, in (0, 1).
    largest_mean : float
        C in (0, 1].
    """
    size = checks.real("largest_mean", largest_mean, above=0, at_most=1)
    sigma = noise_scale(glm_messages(), epsilon, delta)
    return gaussian_epsilon(size * sigma, delta, 2.0)


def error_reach(responses: str) -> float:
    """Largest |g(<x, estimate>) - y| of the logistic link."""
    checks.choice("responses", responses, RESPONSES)
    return LARGEST_MEAN if responses == "binary" else 2.0 * LARGEST_MEAN


def joint_sensitivity(messages: tuple[Message, ...]) -> float:
    """L2 sensitivity of all messages of a round together, each in units of its own noise.

    With k the squared half-sensitivity of the last message and m = 2 for Algorithm 5, 3 for Algorithm 3, the squared
    distance is at most m (1 - c^2) + 2 k (1 + c), largest at c = min(k/m, 1). Exact for Algorithm 5 in dimension 2 and
    more, an upper bound for Algorithm 3, where <x, estimate> limits the error.
    """
    last = messages[-1]
    squares = float(len(messages))
    k = (last.exact / last.relative_noise / 2.0) ** 2
    return (k + squares) / math.sqrt(squares) if k <= squares else 2.0 * math.sqrt(k)


def noise_scale(messages: tuple[Message, ...], epsilon: float, delta: float, noise: str = "classical") -> float:
    """Sigma of a box, 0 at epsilon = infinity.

    Parameters
    ----------
    messages : tuple of Message
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    noise : {"classical", "analytic"}
        `classical`, as printed: (sum of printed sensitivities) sqrt(2 ln(1.25 n / delta)) / epsilon for n messages,
        each sensitivity in units of its message's noise. `analytic`: the smallest sigma for the joint sensitivity that
        the box reckons with, its gradient taken to move by no more than its noise is sized for.
    """
    checks.choice("noise", noise, NOISES)
    if noise == "classical":
        total = sum(one.printed / one.relative_noise for one in messages)
        # each message's share of epsilon is in proportion to its sensitivity, so one sigma serves them all
        return gaussian_sigma(epsilon, checks.delta(delta) / len(messages), total, method="classical")
    last = messages[-1]
    believed = replace(last, exact=min(last.printed, last.exact))
    return gaussian_sigma(epsilon, delta, joint_sensitivity((*messages[:-1], believed)))


def split(messages: tuple[Message, ...], epsilon: float, delta: float, noise: str = "classical") -> pd.DataFrame:
    """What each message is charged and what it pays, a row per message, then all together.

    Returns
    -------
    DataFrame
        `sensitivity_printed` and `sensitivity` of the message; `epsilon_share` and `delta_share`, the part of the
        promise that the paper gives to it; `sigma` of its entries; `epsilon_paid` at its share of delta for this
        sensitivity, and `epsilon_attained` for a distance that two users have: the same but for the gradient. The last
        row has the joint sensitivity in units of sigma, and what the round pays at delta.
    """
    sigma = noise_scale(messages, epsilon, delta, noise)
    total = sum(one.printed / one.relative_noise for one in messages)
    part = delta / len(messages)
    rows: list[tuple[str, float, float, float, float, float, float, float]] = []
    for one in messages:
        scale = sigma * one.relative_noise
        share = epsilon * one.printed / one.relative_noise / total
        most, least = (gaussian_epsilon(scale, part, distance) for distance in (one.exact, one.attained))
        rows.append((one.name, one.printed, one.exact, share, part, scale, most, least))
    joint = joint_sensitivity(messages)
    last = messages[-1]
    attained = joint if len(messages) == 2 else last.attained / last.relative_noise
    most, least = (gaussian_epsilon(sigma, delta, distance) for distance in (joint, attained))
    rows.append(("together", total, joint, epsilon, delta, sigma, most, least))
    return pd.DataFrame(rows, columns=list(_COLUMNS))


def published_setting() -> pd.DataFrame:
    """The setting of the authors' own experiment, epsilon = 800,000 and delta = 0.1, and what it guarantees.

    Returns
    -------
    DataFrame
        A row per noise formula: `formula`, `sigma`, `epsilon` (nominal), `delta`, `sensitivity` (of both messages
        together, actions in the unit ball and rewards in [-1, 1]), `epsilon_paid` (exact), and `noise_for_1`, the
        factor by which sigma would have to grow for epsilon = 1 at the same delta.

    Notes
    -----
    The experiment is in the authors' repository, not in the paper. Its code has 4 sqrt(ln(1.25/delta)) / epsilon where
    its description has 4 sqrt(2 ln(1.25/delta)) / epsilon; two messages with delta/2 each ask for 2.5, and the
    classical formula is proven for epsilon < 1 only. The last row is what 800,000 asks for.
    """
    epsilon, delta = 8e5, 0.1
    messages = linucb_messages(1.0)
    joint = joint_sensitivity(messages)
    log = math.log(1.25 / delta)
    sigmas = {
        "as coded": 4.0 * math.sqrt(log) / epsilon,
        "as described": 4.0 * math.sqrt(2.0 * log) / epsilon,
        "Algorithm 5, rewards in [-1, 1]": noise_scale(messages, epsilon, delta),
        "Algorithm 5, rewards in [-2, 2]": noise_scale(linucb_messages(), epsilon, delta),
        "analytic": noise_scale(messages, epsilon, delta, "analytic"),
    }
    needed = noise_scale(messages, 1.0, delta, "analytic")
    paid = np.array([gaussian_epsilon(sigma, delta, joint) for sigma in sigmas.values()])
    scales = np.array(list(sigmas.values()))
    return pd.DataFrame(
        {
            "formula": list(sigmas),
            "sigma": scales,
            "epsilon": epsilon,
            "delta": delta,
            "sensitivity": joint,
            "epsilon_paid": paid,
            "noise_for_1": needed / scales,
        }
    )
