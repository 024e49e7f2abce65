"""The robust index boxes and the quantile box, line by line in plain Python: oracles of `robust` and `quantile`.

A transcription reads the three streams in the kernels' order: one uniform number of the environment per reward, the
choice stream for ties only, one Laplace draw per item of a tree. It returns the arm of every round.
"""

from __future__ import annotations

import math

from private_bandits.plain import largest


def pareto(mean, shape, env):
    """One reward by the inverse of the survival function."""
    return mean * (shape - 1) / shape * (1 - env.random()) ** (-1 / shape)


class GrowingTree:
    """Algorithm 2 of Chan, Shi and Song (2011), each partial sum with noise for its own range, the largest leaf's."""

    def __init__(self, epsilon, levels, rng):
        self.epsilon, self.levels, self.rng = epsilon, levels, rng
        self.t = 0
        self.alpha = [0.0] * levels
        self.noisy = [0.0] * levels
        self.scales = {}  # (first leaf, last leaf) -> scale

    def add(self, x, reach):
        """Insert x in [-reach, reach], where reach is not below any earlier one, and return the noisy sum."""
        self.t += 1
        bits = [j for j in range(self.levels) if self.t >> j & 1]
        i = bits[0]
        self.alpha[i] = sum(self.alpha[:i]) + x
        for j in range(i):
            self.alpha[j] = self.noisy[j] = 0.0
        scale = 2 * reach * self.levels / self.epsilon
        self.scales[self.t - 2**i + 1, self.t] = scale
        self.noisy[i] = self.alpha[i] + self.rng.laplace(0.0, scale)
        return sum(self.noisy[j] for j in bits)


def dp_robust_ucb(means, shape, horizon, streams, epsilon, v, u, capacity, c=18):
    """Algorithm 1, made for `capacity` rounds."""
    arms = range(len(means))
    log_t = math.log(capacity)
    levels = int(math.log2(capacity)) + 1
    trees = [GrowingTree(epsilon, levels, streams.noise) for a in arms]  # line 1
    pulls = [0 for a in arms]  # line 2
    sums = [0.0 for a in arms]
    played = []
    for t in range(1, horizon + 1):
        if t <= len(means):  # lines 4 and 5
            a = t - 1
        else:
            bonus = [
                c * u ** (1 / (1 + v)) * (math.log(2 * t**4) * log_t ** (1.5 + 1 / v) / (n * epsilon)) ** (v / (1 + v))
                for n in pulls
            ]
            a = largest([sums[a] / pulls[a] + bonus[a] for a in arms], 1, streams.choice, ordered=False)[0]  # line 12
        x = pareto(means[a], shape, streams.env)
        pulls[a] += 1  # lines 6 and 13
        b_n = (epsilon * u * pulls[a] / log_t**1.5) ** (1 / (1 + v))  # line 3
        x = x if abs(x) <= b_n else 0.0  # lines 7 and 14
        sums[a] = trees[a].add(x, b_n)  # lines 8, 11 and 15
        played.append(a)
    return played


def robust_ucb(means, shape, horizon, streams, v, u, capacity=None):
    """Robust UCB of Bubeck et al. (2013) with truncated means; the logarithm of `capacity`, or of the round."""
    arms = range(len(means))
    rewards = [[] for a in arms]
    played = []
    for t in range(1, horizon + 1):
        log = math.log(capacity**2) if capacity else math.log(4 * t**2)
        if t <= len(means):
            a = t - 1
        else:
            index = [
                sum(rewards[a]) / len(rewards[a]) + 4 * u ** (1 / (1 + v)) * (log / len(rewards[a])) ** (v / (1 + v))
                for a in arms
            ]
            a = largest(index, 1, streams.choice, ordered=False)[0]
        x = pareto(means[a], shape, streams.env)
        threshold = (u * (len(rewards[a]) + 1) / log) ** (1 / (1 + v))
        rewards[a].append(x if x <= threshold else 0.0)
        played.append(a)
    return played


def quantile_se(means, shape, horizon, streams, epsilon, beta, width):
    """Ours: elimination with thresholds that are private quantiles; every reward is drawn by itself."""
    alive = list(range(len(means)))
    played, epoch, rate = [], 0, min(epsilon, 1)
    while len(alive) > 1:
        epoch += 1
        log = math.log(4 * len(alive) * epoch**2 / beta)
        half = math.ceil(8 * 2**epoch * log / rate)
        for _ in range(2 * half):
            played += alive
        if len(played) > horizon:
            return played[:horizon]
        centre, radius = {}, {}
        for a in alive:
            first = [pareto(means[a], shape, streams.env) for _ in range(half)]
            score = {}
            for j in range(-64, 65):
                score[j] = -abs(sum(x > 2.0**j for x in first) - 2 * log / rate)
                if epsilon < math.inf:
                    score[j] = (
                        -math.log(2) * abs(j) + epsilon / 2 * score[j] - math.log(-math.log(streams.noise.random()))
                    )
            threshold = 2.0 ** max(score, key=score.get)
            second = [pareto(means[a], shape, streams.env) for _ in range(half)]
            centre[a] = sum(x for x in second if x <= threshold) / half
            if epsilon < math.inf:
                centre[a] += streams.noise.laplace(0.0, 2 * threshold / (half * epsilon))
            radius[a] = width * threshold * log / (half * rate)
        bar = max(centre[a] - radius[a] for a in alive)
        alive = [a for a in alive if centre[a] + radius[a] >= bar]
    return (played + alive * horizon)[:horizon]
