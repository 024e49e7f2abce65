"""Quantile SE on a law whose mean comes from rare rewards, which no quantile of an early epoch sees."""

import math
from typing import Any

import numpy as np

from private_bandits.kernels import quantile
from private_bandits.mechanisms import noise as mechanisms
from private_bandits.papers.heavy_tailed import quantile_se
from private_bandits.streams import streams

LONG = 4096.0  # first pulls over 2 L / epsilon, of the variant with a long first epoch; 8 is ours
RARE = 8e-4  # how often the better arm, of mean 0.9, pays on top of U[0, 0.2]; the other has U[0.4, 0.6]


def loses_the_best(first: float, rate: float, beta: float, seed: int, replication: int) -> bool:
    """Play Quantile SE at epsilon = 1 to its decision, every reward by itself; is it for the worse arm?"""
    source, epoch = streams(seed, replication), 0
    policy: Any = quantile_se(1.0, beta=beta, first=first).record
    while True:
        epoch += 1
        log = math.log(8.0 * epoch**2 / beta)
        half = math.ceil(first * 2.0**epoch * log)
        centres, widths = [], []
        for arm in (0, 1):
            chosen, kept = (_rewards(source.env, arm, half, rate) for _ in range(2))
            place = quantile.choose(source.noise, _exceedances(chosen), policy.share * log, 1.0)
            threshold = 2.0 ** (quantile.LOWEST + place)
            noise = mechanisms.laplace(source.noise, 2.0 * threshold / half)
            centres.append(float(kept[kept <= threshold].sum(dtype=float)) / half + noise)
            widths.append(policy.width * threshold * log / half)
        if abs(centres[0] - centres[1]) > sum(widths):
            return centres[0] < centres[1]


def _rewards(env: np.random.Generator, arm: int, number: int, rate: float) -> np.ndarray:
    if arm == 1:
        return np.float32(0.4) + np.float32(0.2) * env.random(number, np.float32)
    rewards = np.float32(0.2) * env.random(number, np.float32)
    rewards[: env.binomial(number, rate)] += 0.8 / rate  # exchangeable: only their number counts
    return rewards


def _exceedances(rewards: np.ndarray) -> np.ndarray:
    """How many rewards lie above each power of two from 2^-64 on."""
    fraction, exponent = np.frexp(rewards)
    passed = exponent - quantile.LOWEST - (fraction == 0.5)
    counts = np.bincount(np.clip(passed, 0, quantile.THRESHOLDS), minlength=quantile.THRESHOLDS + 1)
    return np.asarray(np.cumsum(counts[::-1])[::-1][1:], np.int64)
