"""Algorithms 1 to 3 of Chen et al. (2020), transcribed line by line in plain Python: the oracle of the kernel.

The protocol is that of `naive.py`: three streams; environment, one uniform number per observed arm, or per group of
arms that share a draw; choice, one number where several super arms are worth exactly the same; noise. Each round gives
the super arm, padded with -1 to K, and the number of observed arms.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from private_bandits.plain import largest, least_reported_first


class Setting(NamedTuple):
    """A semi-bandit in plain Python: m, K, the oracle, "any super arm", and what a user generates."""

    m: int
    size: int
    oracle: object
    any_super_arm: object
    outcomes: object


# --- rewards, oracles, users


def linear(weights, offset=0.0):
    """r(S) = sum of w (mu - offset)."""
    return lambda arms, mu: sum(weights[i] * (mu[i] - offset) for i in arms if weights[i] > 0)


def covered(targets):
    """r(S) = sum over targets of the chance that an arm of S hits."""

    def reward(arms, mu):
        aims = list(dict.fromkeys(targets[i] for i in arms))
        return sum(1 - math.prod(1 - min(max(mu[i], 0.0), 1.0) for i in arms if targets[i] == j) for j in aims)

    return reward


def one_of(candidates, choice):
    return candidates[int(choice.random() * len(candidates)) if len(candidates) > 1 else 0]


def exact(sets, reward):
    """A super arm of the largest reward; of several, one at random."""

    def oracle(mu, choice):
        worth = [reward(arms, mu) for arms in sets]
        return list(one_of([arms for arms, w in zip(sets, worth, strict=True) if w == max(worth)], choice))

    return oracle


def greedy(nodes, size, targets):
    """`size` nodes, each of those that add most to the coverage."""

    def oracle(mu, choice):
        chosen = []
        missed = dict.fromkeys(targets, 1.0)
        for _ in range(size):
            left = [node for node in nodes if node not in chosen]
            adds = [sum(missed[targets[i]] * min(max(mu[i], 0.0), 1.0) for i in node) for node in left]
            chosen.append(one_of([node for node, a in zip(left, adds, strict=True) if a == max(adds)], choice))
            for i in chosen[-1]:
                missed[targets[i]] *= 1 - min(max(mu[i], 0.0), 1.0)
        return [i for node in chosen for i in node]

    return oracle


def failing(oracle, any_super_arm, beta):
    """An oracle that returns any super arm with probability 1 - beta."""
    return lambda mu, choice: any_super_arm(choice) if choice.random() >= beta else oracle(mu, choice)


def users(means, groups=None):
    """Outcomes X_{t,i}, i in S_t; arms of one group compare the same uniform number with their means."""

    def outcomes(arms, env):
        drawn, shared = {}, {}
        for i in arms:
            group = groups[i] if groups else -1
            if group < 0:
                drawn[i] = env.random()
            else:
                if group not in shared:
                    shared[group] = env.random()
                drawn[i] = shared[group]
        return {i: 1.0 if drawn[i] < means[i] else 0.0 for i in arms}

    return outcomes


def top_k(means, size):
    return Setting(
        len(means),
        size,
        lambda mu, choice: largest(mu, size, choice, ordered=False),
        lambda choice: largest([0.0] * len(means), size, choice, ordered=False),
        users(means),
    )


def listed(means, sets, reward, groups=None, beta=1.0):
    def any_super_arm(choice):
        return list(one_of(sets, choice))

    oracle = exact(sets, reward)
    if beta < 1:
        oracle = failing(oracle, any_super_arm, beta)
    return Setting(len(means), max(map(len, sets)), oracle, any_super_arm, users(means, groups))


# --- the boxes


def shown(arms, size):
    return [*arms, *[-1] * (size - len(arms)), len(arms)]


def algorithm_1(setting, horizon, streams, epsilon, bonus):
    """CUCB-LDP1; `bonus(t, n)` is 4 sqrt(2 K ln T / (epsilon^2 n)) in print."""
    base = range(setting.m)
    pulls = [0 for i in base]  # T_{0,i} = 0
    total = [0.0 for i in base]
    rounds = []
    for t in range(1, horizon + 1):
        upper = [min(total[i] / pulls[i] + bonus(t, pulls[i]), 1.0) if pulls[i] else 1.0 for i in base]  # line 4
        if min(upper) >= 0:  # line 5
            s_t = setting.oracle(upper, streams.choice)
        else:
            s_t = setting.any_super_arm(streams.choice)
        x = setting.outcomes(s_t, streams.env)  # line 6
        sent = {i: x[i] + laplace(streams.noise, setting.size / epsilon) for i in s_t}
        for i in s_t:  # line 7
            pulls[i] += 1
            total[i] += sent[i]
        rounds.append(shown(s_t, setting.size))
    return rounds


def algorithm_2(setting, horizon, streams, epsilon, bonus):
    """CUCB-LDP2; `bonus(t, n)` is 4 sqrt(2 ln T / (epsilon^2 n)) in print. I_t is put first; ties by place in S_t."""
    base = range(setting.m)
    pulls = [0 for i in base]  # T_{0,i} = 0; it grows with the reports of i only
    total = [0.0 for i in base]
    rounds = []
    for t in range(1, horizon + 1):
        upper = [min(total[i] / pulls[i] + bonus(t, pulls[i]), 1.0) if pulls[i] else 1.0 for i in base]  # line 4
        if min(upper) >= 0:  # line 5
            s_t = setting.oracle(upper, streams.choice)
        else:
            s_t = setting.any_super_arm(streams.choice)
        s_t = least_reported_first(s_t, pulls)  # I_t = argmin T_{t-1,i}
        x = setting.outcomes(s_t, streams.env)  # line 6
        i_t = s_t[0]
        total[i_t] += x[i_t] + laplace(streams.noise, 1 / epsilon)  # line 7
        pulls[i_t] += 1
        rounds.append(shown(s_t, setting.size))
    return rounds


class RoundTree:
    """A dyadic tree over rounds; the noise of a node is drawn when the node is first read, the largest node first."""

    def __init__(self, scale, noise):
        self.scale, self.noise = scale, noise
        self.nodes = {}
        self.leaves = {}

    def prefix(self, t):
        """Sum of the leaves 1..t plus the noise of the nodes that make it up."""
        start, total = 0, 0.0
        for level in reversed(range(t.bit_length())):
            if t >> level & 1:
                if (level, start) not in self.nodes:
                    self.nodes[level, start] = laplace(self.noise, self.scale)
                total += self.nodes[level, start]
                start += 1 << level
        return sum(x for s, x in self.leaves.items() if s <= t) + total


def algorithm_3(setting, horizon, streams, scale, bonus, least=False):
    """CUCB-DP; in print `scale` is 2 K log T / epsilon, `bonus(t, n)` sqrt(4 ln(mT) / n) + 12 K ln^3 T / (n epsilon).

    `least`: the variant of Section 3.2, whose leaf holds the outcome of the least pulled arm.
    """
    base = range(setting.m)
    pulls = [0 for i in base]
    mean = [0.0 for i in base]
    trees = [RoundTree(scale, streams.noise) for i in base]
    rounds = []
    for t in range(1, horizon + 1):
        upper = [min(mean[i] + bonus(t, pulls[i]), 1.0) if pulls[i] else 1.0 for i in base]  # line 4
        if min(upper) >= 0:  # line 5
            s_t = setting.oracle(upper, streams.choice)
        else:
            s_t = setting.any_super_arm(streams.choice)
        if least:
            s_t = least_reported_first(s_t, pulls)
        x = setting.outcomes(s_t, streams.env)  # line 6
        for i in s_t[:1] if least else s_t:  # line 7
            trees[i].leaves[t] = x[i]
            pulls[i] += 1
            mean[i] = trees[i].prefix(t) / pulls[i]
        rounds.append(shown(s_t, setting.size))
    return rounds


def forced_ucb(setting, horizon, streams, forced, noise_scale, bonus):
    """LDP-UCB-L of Ren et al. (2020): an arm with N <= forced ln(t + 1) is played, one at random if several."""
    base = range(setting.m)
    pulls = [0 for i in base]
    total = [0.0 for i in base]
    rounds = []
    for t in range(1, horizon + 1):
        upper = [total[i] / pulls[i] + bonus(t, pulls[i]) if pulls[i] else math.inf for i in base]
        must = [i for i in base if pulls[i] <= forced * math.log(t + 1)]
        s_t = setting.oracle([math.inf if i in must else upper[i] for i in base], streams.choice)
        x = setting.outcomes(s_t, streams.env)
        for i in s_t:
            pulls[i] += 1
            total[i] += x[i] + laplace(streams.noise, noise_scale)
        rounds.append(shown(s_t, setting.size))
    return rounds


def laplace(noise, scale):
    return noise.laplace(0.0, scale) if scale else 0.0
