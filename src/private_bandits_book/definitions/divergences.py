"""Lemma 4 of Basu et al. (2019) by computation: what a private channel keeps of a divergence."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from private_bandits.mechanisms import response_probabilities
from private_bandits.privacy.divergences import kl_divergence, local_factor, response_kl


def total_variation(first: Any, second: Any) -> float:
    """Half the L1 distance of two finite distributions.

    Parameters
    ----------
    first, second : array_like of float, shape (outcomes,)
        Probabilities; they are not checked.

    Returns
    -------
    float
        In [0, 1].
    """
    return 0.5 * float(np.sum(np.abs(np.asarray(first, dtype=float) - np.asarray(second, dtype=float))))


def response_channel(epsilon: float, levels: int = 2) -> np.ndarray:
    """k-ary randomised response as a matrix, shape (levels, levels): row i answers the reward i/(levels - 1)."""
    keep, flip = response_probabilities(epsilon, levels)
    channel = np.full((levels, levels), flip)
    np.fill_diagonal(channel, keep)
    return channel


class Reported(NamedTuple):
    """What a channel keeps of the divergence of two rewards, beside the bounds of Lemma 4."""

    kept: float  # D(g || g'), of the reports
    symmetric: float  # D(g || g') + D(g' || g)
    rewards: float  # D(f || f'), of the rewards
    tv: float  # of the rewards
    best: float  # most that any channel keeps, for two rewards; nan for more
    duchi: float  # min(4, e^2eps) (e^eps - 1)^2 TV^2
    printed: float  # 2 min(4, e^2eps) (e^eps - 1)^2 D(f || f')
    corrected: float  # half of min(4, e^2eps) (e^eps - 1)^2 D(f || f'), Pinsker in the right norm


def lemma_4(channel: Any, first: Any, second: Any, epsilon: float) -> Reported:
    """Lemma 4 for one pull: the exact divergence of the private reports and the chain of bounds that the proof takes.

    Parameters
    ----------
    channel : array_like of float, shape (rewards, reports)
        Row i is the distribution of the report on reward i.
    first, second : array_like of float, shape (rewards,)
        Distributions of the reward in both environments.
    epsilon : float
        Privacy of the channel, > 0 and finite.

    Notes
    -----
    kept <= symmetric <= duchi <= corrected <= printed holds for every epsilon-LDP channel; the printed bound uses
    Pinsker's inequality for the L1 distance, TV^2 <= 2 D, where the norm of `duchi` allows TV^2 <= D/2.
    """
    matrix, p, q = np.asarray(channel, dtype=float), np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    factor, distance = local_factor(epsilon), total_variation(p, q)
    kept, rewards = kl_divergence(p @ matrix, q @ matrix), kl_divergence(p, q)
    return Reported(
        kept=kept,
        symmetric=kept + kl_divergence(q @ matrix, p @ matrix),
        rewards=rewards,
        tv=distance,
        best=response_kl(float(p[1]), float(q[1]), epsilon) if len(p) == 2 else math.nan,
        duchi=factor * distance**2,
        printed=2.0 * factor * rewards,
        corrected=0.5 * factor * rewards,
    )


def lemma_4_table(
    epsilons: Sequence[float], pairs: Sequence[tuple[float, float]] = ((0.5, 0.55), (0.5, 0.75), (0.1, 0.9))
) -> pd.DataFrame:
    """How loose Lemma 4 is for randomised response: a row per epsilon and pair of means of Bernoulli rewards.

    Columns epsilon, p, q, the fields of `Reported`, and `looseness` = printed / kept, of which `duchi_loss` = duchi /
    best is the bound's and `pinsker_loss` = printed / duchi Pinsker's; 4 of the last factor is the wrong norm.
    """
    rows = []
    for epsilon in epsilons:
        for p, q in pairs:
            found = lemma_4(response_channel(epsilon), [1.0 - p, p], [1.0 - q, q], epsilon)
            rows.append({"epsilon": epsilon, "p": p, "q": q, **found._asdict()})
    frame = pd.DataFrame(rows)
    losses = {"looseness": ("printed", "kept"), "duchi_loss": ("duchi", "best"), "pinsker_loss": ("printed", "duchi")}
    for name, (above, below) in losses.items():
        frame[name] = frame[above] / frame[below].where(frame[below] > 0)
    return frame
