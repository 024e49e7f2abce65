"""Lemma 4 of Basu et al. (2019) by computation: what a private channel keeps of a divergence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from private_bandits import checks
from private_bandits.mechanisms import response_probabilities
from private_bandits.privacy.divergences import kl_divergence, local_factor, response_kl, total_variation


def response_channel(epsilon: float, levels: int = 2) -> np.ndarray:
    """k-ary randomised response as a matrix, shape (levels, levels): row i answers the reward i/(levels - 1)."""
    keep, other = response_probabilities(epsilon, levels)
    channel = np.full((levels, levels), other)
    np.fill_diagonal(channel, keep)
    return channel


def laplace_channel(epsilon: float, levels: int = 2, reach: float = 4.0, bins: int = 64) -> np.ndarray:
    """Laplace noise on rewards in [0, 1], reported in bins, as a matrix of shape (levels, bins + 2).

    Parameters
    ----------
    epsilon : float
        > 0 and finite; the noise has scale 1/epsilon.
    levels : int
        Rewards i/(levels - 1), >= 2 of them.
    reach : float
        The bins cover [-reach/epsilon, 1 + reach/epsilon] evenly, and two more the rest; > 0.
    bins : int
        >= 1. Binning is post-processing, so that the channel is epsilon-LDP and keeps less than the noise itself.
    """
    budget = checks.real("epsilon", epsilon, above=0)
    margin = checks.real("reach", reach, above=0) / budget
    edges = np.linspace(-margin, 1.0 + margin, checks.integer("bins", bins, at_least=1) + 1)
    rewards = np.linspace(0.0, 1.0, checks.integer("levels", levels, at_least=2))
    distance = budget * (edges[None, :] - rewards[:, None])
    tail = 0.5 * np.exp(-np.abs(distance))
    # differences of the smaller of both tails, or a far bin loses its digits and the channel its privacy
    below, above = np.where(distance < 0, tail, 1.0 - tail), np.where(distance < 0, 1.0 - tail, tail)
    inner = np.where(distance[:, 1:] < 0, np.diff(below, axis=1), -np.diff(above, axis=1))
    return np.column_stack([below[:, 0], inner, above[:, -1]])


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
    if matrix.ndim != 2 or p.shape != q.shape or p.shape != matrix.shape[:1]:
        raise ValueError(f"channel must have a row for each of the {p.size} rewards, got shape {matrix.shape}")
    factor = local_factor(checks.real("epsilon", epsilon, above=0))
    reports, others, distance = p @ matrix, q @ matrix, total_variation(p, q)
    kept, rewards = kl_divergence(reports, others), kl_divergence(p, q)
    return Reported(
        kept=kept,
        symmetric=kept + kl_divergence(others, reports),
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
    """How loose Lemma 4 is: a row per channel, epsilon and pair of Bernoulli rewards.

    Parameters
    ----------
    epsilons : sequence of float
        Each > 0; infinity is skipped, the bounds are infinite there.
    pairs : sequence of (float, float)
        Means of the reward in both environments.

    Returns
    -------
    pandas.DataFrame
        Columns channel, epsilon, p, q, the fields of `Reported`, and `looseness` = printed / kept, of which
        `channel_loss` = best / kept is the channel's, `duchi_loss` = duchi / best the bound's and
        `pinsker_loss` = printed / duchi Pinsker's; 4 of the last factor is the wrong norm.
    """
    rows = []
    for epsilon in epsilons:
        if math.isinf(checks.epsilon(epsilon)):
            continue
        channels = {"randomised response": response_channel(epsilon), "binned Laplace": laplace_channel(epsilon)}
        for p, q in pairs:
            for name, channel in channels.items():
                found = lemma_4(channel, [1.0 - p, p], [1.0 - q, q], epsilon)
                losses: Mapping[str, float] = {
                    "looseness": _ratio(found.printed, found.kept),
                    "channel_loss": _ratio(found.best, found.kept),
                    "duchi_loss": _ratio(found.duchi, found.best),
                    "pinsker_loss": _ratio(found.printed, found.duchi),
                }
                rows.append({"channel": name, "epsilon": epsilon, "p": p, "q": q, **found._asdict(), **losses})
    names = ["channel", "epsilon", "p", "q", *Reported._fields, "looseness", "channel_loss", "duchi_loss"]
    return pd.DataFrame(rows, columns=[*names, "pinsker_loss"])


def _ratio(above: float, below: float) -> float:
    return above / below if below > 0 else math.nan
