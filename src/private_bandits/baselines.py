"""Policies of other papers that several chapters play beside their own.

All are for `Arms` with rewards in [0, 1]. The users of the local policies randomise their rewards; the central ones see
the rewards in clear and release noisy means, each reward in one mean only.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from private_bandits import checks
from private_bandits.kernels import elimination, episodes, index
from private_bandits.mechanisms import laplace_scale, response_probabilities
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee, channel_loss

_RADIUS = (2.0, 0.0)  # the sqrt(2 ln t / n) of UCB1


def ucb() -> Policy:
    """UCB1 of Auer, Cesa-Bianchi and Fischer (2002), Figure 1: mean + sqrt(2 ln t / n), no privacy.

    Arms without a reward come first, in random order. Their ln counts the rounds already played, ours the running one.
    """
    record = index.IndexRecord(np.array([_RADIUS]), observe_first=False, list_size=1)
    return Policy("UCB", "auer2002", "Figure 1", "printed", Guarantee.none(), record)


def ldp_ucb_laplace(epsilon: float) -> Policy:
    """LDP-UCB-L of Ren et al. (2020): Lap(1/epsilon) on each reward.

    mean + sqrt(2 ln t / n) + sqrt(32 ln t / (epsilon^2 n)); arms with n <= 4 ln(t + 1) come first, in random order.

    Parameters
    ----------
    epsilon : float
        Privacy of a user, > 0; infinity gives `ucb`.

    Notes
    -----
    The constants are those of the authors' code, which is what "printed" means here. It starts every arm with one
    fictitious reward of 0; we start with none.
    """
    scale = laplace_scale(epsilon, 1.0)
    record = index.IndexRecord(
        np.array([_RADIUS, (32.0 * scale**2, 0.0)]) if scale else np.array([_RADIUS]),
        noise=index.LAPLACE if scale else index.EXACT,
        scale=scale,
        observe_first=False,
        forced=4.0 if scale else 0.0,
        list_size=1,
    )
    privacy = Guarantee.certified(epsilon, 1.0 / scale if scale else math.inf, "local", "Laplace noise on each reward")
    mechanism = "laplace" if scale else "none"
    return Policy("LDP-UCB-L", "ren2020", "LDP-UCB-L", "printed", privacy, record, mechanism)


def ldp_ucb_response(epsilon: float) -> Policy:
    """LDP-UCB-B of Ren et al. (2020): each reward is sent by randomised response.

    The bit sent is false with probability p = 1 / (1 + e^epsilon). The index is m + sqrt(2 ln t / n) with m the mean
    of the bits. We hold the unbiased (m - p) / (1 - 2p) and divide the radius by 1 - 2p too: the order is the same.

    Parameters
    ----------
    epsilon : float
        Privacy of a user, > 0; infinity gives `ucb`.
    """
    truth, other = response_probabilities(epsilon, 2)
    record = index.IndexRecord(
        np.array([(2.0 / (1.0 - 2.0 * other) ** 2, 0.0)]),
        noise=index.RESPONSE if other else index.EXACT,
        other=other,
        observe_first=False,
        list_size=1,
    )
    paid = channel_loss([[truth, other], [other, truth]])
    privacy = Guarantee.certified(epsilon, paid, "local", "randomised response on each reward")
    mechanism = "response" if other else "none"
    return Policy("LDP-UCB-B", "ren2020", "LDP-UCB-B", "printed", privacy, record, mechanism)


def dp_se(epsilon: float, n_arms: int, horizon: int, beta: float | None = None) -> Policy:
    """DP-SE of Sajed and Sheffet (2019), Algorithm 2: successive elimination on noisy means.

    In epoch e, with S the surviving arms, L = ln(8 |S| e^2 / beta) and M = ln(4 |S| e^2 / beta), each is pulled

        R = max(32 L 4^e, 8 M 2^e / epsilon) + 1

    times, its mean gets its own Lap(1/(epsilon R)), and it leaves if it lies more than 2 sqrt(L / (2R)) +
    2 M / (epsilon R) below the largest noisy mean. Every epoch starts from fresh rewards.

    Parameters
    ----------
    epsilon : float
        Nominal privacy, > 0; infinity gives successive elimination without noise and its bonus.
    n_arms : int
        Number of arms.
    horizon : int
        Longest run, from which beta is set.
    beta : float, optional
        Probability in (0, 1) that some confidence bound fails; default 1/horizon (1/2 at horizon 1).

    Notes
    -----
    The constants are read from public implementations that agree, which is what "printed" means here. R is rounded up
    where it first appears, so that the noise, the bounds and the pulls agree.
    """
    scale = laplace_scale(epsilon, 1.0)
    arms = checks.integer("n_arms", n_arms, at_least=1)
    length = checks.integer("horizon", horizon, at_least=1)
    failure = 1.0 / max(length, 2) if beta is None else checks.real("beta", beta, above=0, below=1)
    record = elimination.ElimRecord(
        np.array([(32.0, 8.0, 2.0, math.sqrt(2.0), 0.5), (8.0 * scale, 4.0, 1.0, 2.0 * scale, 1.0)]),
        beta=failure,
        noise=elimination.ON_MEAN,
        scale=scale,
        n_items=arms,
        horizon=length,
    )
    privacy = Guarantee.certified(epsilon, 1.0 / scale if scale else math.inf, "central", _ONE_MEAN)
    return Policy("DP-SE", "sajed2019", "Algorithm 2", "printed", privacy, record, "elimination")


def adap_ucb(epsilon: float, alpha: float = 3.1) -> Policy:
    """AdaP-UCB of Azize and Basu (2022), Algorithm 1 with the index of Equation (7).

    An arm's pulls N double in each of its episodes. Its index at the start of an episode in round t is

        m + Lap(2/(epsilon N)) + sqrt(alpha ln(2t) / N) + 2 alpha ln t / (epsilon N),

    with m the mean of its last episode, N/2 rewards, and one draw of noise per episode.

    Parameters
    ----------
    epsilon : float
        Nominal privacy, > 0; infinity leaves m + sqrt(alpha ln(2t) / N).
    alpha : float
        Width of the bound, > 3 in the paper's theorems; 3.1 in its experiments.

    Notes
    -----
    The first pull of an arm is an episode of N = 1 rewards, not N/2: its noise is twice what it needs.
    """
    scale, width = laplace_scale(epsilon, 2.0), checks.real("alpha", alpha, above=0)
    terms = np.array([(width, width * math.log(2.0), 0.5), (width * scale, 0.0, 1.0)])
    record = episodes.EpisodeRecord(terms, scale=scale)
    return _episodic("AdaP-UCB", "Algorithm 1, Equation (7)", epsilon, scale, record)


def adap_klucb(epsilon: float, alpha: float = 3.1) -> Policy:
    """AdaP-KLUCB of Azize and Basu (2022), Algorithm 1: the episodes of `adap_ucb`, an index for Bernoulli rewards.

    The index is the largest q in [0, 1] with kl(p, q) <= 2 alpha ln t / N, where p is m + Lap(2/(epsilon N)) +
    2 alpha ln t / (epsilon N), clipped to [0, 1]. Parameters as for `adap_ucb`.
    """
    scale, width = laplace_scale(epsilon, 2.0), checks.real("alpha", alpha, above=0)
    record = episodes.EpisodeRecord(np.array([(width * scale, 0.0, 1.0)]), level=2.0 * width, scale=scale)
    return _episodic("AdaP-KLUCB", "Algorithm 1, index after Equation (7)", epsilon, scale, record)


def _episodic(name: str, place: str, epsilon: float, scale: float, record: NamedTuple) -> Policy:
    """Every episode but the first has N/2 rewards, so a mean has sensitivity 2/N and noise scale / N."""
    privacy = Guarantee.certified(epsilon, 2.0 / scale if scale else math.inf, "central", _ONE_MEAN)
    return Policy(name, "azize2022", place, "printed", privacy, record, "laplace" if scale else "none")


_ONE_MEAN = "each reward enters one noisy mean, and all else follows from those"
