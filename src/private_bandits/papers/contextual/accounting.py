"""What a user of Algorithms 3 and 5 of Zheng et al. (2020) sends, how far it can move, and what the noise then pays.

Both boxes add the same Gaussian noise to every entry of what a user sends, so the messages of a round are one Gaussian
vector and pay by their joint L2 sensitivity. The paper instead splits epsilon and delta over the messages, by bounds on
each, which gives its constants: 2 + 4 = 6 with delta/2 each, hence 2.5, and 2 + 2 + 2 = 6 with delta/3 each, 3.75.

Actions lie in the unit ball. With unit x, x' and c = <x, x'>:

* x x': its upper triangle moves by at most the Frobenius norm, sqrt(2 - 2 c^2), so by sqrt 2; the paper takes 2.
* y x, |y| <= r: 2 r. With x x' that is at most sqrt(2 (1 - c^2) + 2 r^2 (1 + c)).
* <x, estimate> x = x x' estimate: by at most the spectral norm, sqrt(1 - c^2), so by 1; the paper takes 2.
* the gradient, error times x with |error| <= reach: 2 reach.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

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
_COLUMNS = ("message", "sensitivity_printed", "sensitivity", "epsilon_share", "delta_share", "sigma", "epsilon_paid")


@dataclass(frozen=True)
class Message:
    """One of the messages of a round."""

    name: str
    printed: float  # its sensitivity by the paper
    exact: float  # its sensitivity: attained or, for the gradient, an upper bound
    relative_noise: float = 1.0  # standard deviation of its entries, in units of sigma


def linucb_messages(largest_reward: float = 2.0) -> tuple[Message, Message]:
    """The two messages of Algorithm 5; rewards in [-largest_reward, largest_reward]."""
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

    Notes
    -----
    For a link that is only known to lie in [-C, C], the bounded error reaches 2 C + 1. The printed noise covers C.
    """
    reach = error_reach(responses)
    checks.choice("variant", variant, ("printed", "repaired"))
    covered = LARGEST_MEAN if variant == "printed" else reach
    gradient = Message("gradient", 2.0 * covered, 2.0 * reach, covered)
    return Message("x x'", 2.0, math.sqrt(2.0)), Message("<x, estimate> x", 2.0, 1.0), gradient


def error_reach(responses: str) -> float:
    """Largest |g(<x, estimate>) - y| of the logistic link."""
    checks.choice("responses", responses, RESPONSES)
    return LARGEST_MEAN if responses == "binary" else 2.0 * LARGEST_MEAN


def joint_sensitivity(messages: tuple[Message, ...]) -> float:
    """L2 sensitivity of all messages of a round together, each in units of its own noise.

    With k the squared half-sensitivity of the last message and m = 2 for Algorithm 5, 3 for Algorithm 3, the squared
    distance is at most m (1 - c^2) + 2 k (1 + c), largest at c = min(k/m, 1). Exact for Algorithm 5, an upper bound for
    Algorithm 3, where <x, estimate> limits the error.
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
    believed = Message(last.name, last.printed, min(last.printed, last.exact), last.relative_noise)
    return gaussian_sigma(epsilon, delta, joint_sensitivity((*messages[:-1], believed)))


def split(messages: tuple[Message, ...], epsilon: float, delta: float, noise: str = "classical") -> pd.DataFrame:
    """What each message is charged and what it pays, a row per message, then all together.

    Returns
    -------
    DataFrame
        `sensitivity_printed` and `sensitivity` of the message; `epsilon_share` and `delta_share`, the part of the
        promise that the paper gives to it; `sigma` of its entries; `epsilon_paid`, exactly, at its share of delta. The
        last row has the joint sensitivity in units of sigma, and what the round pays at delta.
    """
    sigma = noise_scale(messages, epsilon, delta, noise)
    total = sum(one.printed / one.relative_noise for one in messages)
    part = delta / len(messages)
    rows: list[tuple[str, float, float, float, float, float, float]] = []
    for one in messages:
        scale = sigma * one.relative_noise
        share = epsilon * one.printed / one.relative_noise / total
        rows.append((one.name, one.printed, one.exact, share, part, scale, gaussian_epsilon(scale, part, one.exact)))
    joint = joint_sensitivity(messages)
    rows.append(("together", total, joint, epsilon, delta, sigma, gaussian_epsilon(sigma, delta, joint)))
    return pd.DataFrame(rows, columns=list(_COLUMNS))


def published_setting() -> pd.DataFrame:
    """The setting of the authors' own experiment, epsilon = 800,000 and delta = 0.1, and what it guarantees.

    Returns
    -------
    DataFrame
        A row per noise formula: `formula`, `sigma`, `epsilon` (nominal), `delta`, `sensitivity` (of both messages
        together, rewards in [-1, 1]), `epsilon_paid` (exact), and `noise_for_1`, the factor by which sigma would have
        to grow for epsilon = 1 at the same delta.

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
