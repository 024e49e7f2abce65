"""What the message of a user pays: where a link's noise hides too little, and with the noise of the authors' code."""

import math

from private_bandits.mechanisms import gaussian_epsilon
from private_bandits.papers.contextual.accounting import (
    Message,
    glm_messages,
    joint_sensitivity,
    linucb_messages,
    noise_scale,
)

SMALL_LINK = 0.1


def small_link(epsilon: float, delta: float, repaired: bool = False, size: float = SMALL_LINK) -> float:
    """What Algorithm 3 pays for the link g(a) = C a with C = `size`, which keeps every assumption of the paper.

    The algorithm and its Theorem 9 ask for |g| <= C on [-1, 1] and noise in [-1, 1]. Two users with the same action and
    reward noise 1 and -1 send gradients that are 2 apart, and the printed noise has C sigma: that message alone,
    exactly, so that Algorithm 3 pays no less. Repaired, the gradient has (2 C + 1) sigma for its reach and nothing else
    changes; the sensitivity of all three messages together is bounded from above: it pays no more.

    Parameters
    ----------
    epsilon, delta : float
        Nominal.
    repaired : bool
    size : float
        C > 0.
    """
    messages = glm_messages()
    if not repaired:
        return gaussian_epsilon(size * noise_scale(messages, epsilon, delta), delta=delta, sensitivity=2.0)
    reach = 2.0 * size + 1.0
    messages = (*messages[:2], Message("gradient", 2.0 * reach, 2.0 * reach, reach))
    sigma = noise_scale(messages, epsilon, delta)
    return gaussian_epsilon(sigma, delta=delta, sensitivity=joint_sensitivity(messages))


def of_code(epsilon: float, delta: float) -> tuple[float, float]:
    """Return sigma of Algorithm 5 in the authors' code, LDPbandit2020, and what it pays for rewards in [-2, 2].

    Parameters
    ----------
    epsilon, delta : float
        Nominal.
    """
    sigma = 4.0 * math.sqrt(math.log(1.25 / delta)) / epsilon
    return sigma, gaussian_epsilon(sigma, delta=delta, sensitivity=joint_sensitivity(linucb_messages()))
