"""The baselines, transcribed line by line in plain Python: the oracle of the elimination and episode kernels.

A transcription reads the three streams as the kernel does, and returns the arm of every round. The rewards of an epoch
or an episode are one call of `total`: by default one binomial draw, the kernel's; `one_by_one` draws the same sum
reward by reward, which gives other numbers of the same law.
"""

from __future__ import annotations

import math

from private_bandits.plain import largest, respond


def binomial(env, n, mean):
    return env.binomial(n, mean)


def one_by_one(env, n, mean):
    return int((env.random(n) < mean).sum())


def dp_se(means, horizon, streams, epsilon, beta, total=binomial):
    """Sajed and Sheffet (2019), Algorithm 2; at epsilon = infinity without noise and without its bound."""
    viable = list(range(len(means)))  # S <- {1, ..., K}
    played = []
    epoch = 0
    while len(viable) > 1:  # repeat ... until |S| = 1
        epoch += 1
        gap = 2.0**-epoch
        log_8 = math.log(8 * len(viable) * epoch**2 / beta)
        log_4 = math.log(4 * len(viable) * epoch**2 / beta)
        pulls = math.ceil(max(32 * log_8 / gap**2, 8 * log_4 / (epsilon * gap)) + 1)
        for _ in range(pulls):
            for arm in viable:
                played.append(arm)
                if len(played) == horizon:
                    return played
        mean = {arm: total(streams.env, pulls, means[arm]) / pulls for arm in viable}
        h = math.sqrt(log_8 / (2 * pulls))
        c = log_4 / (pulls * epsilon)
        if math.isfinite(epsilon):
            for arm in viable:
                mean[arm] += streams.noise.laplace(0.0, 1 / (epsilon * pulls))
        best = max(mean.values())
        viable = [arm for arm in viable if not best - mean[arm] > 2 * h + 2 * c]
    return played + viable * (horizon - len(played))  # pull the arm in S in all remaining rounds


def adap(means, horizon, streams, epsilon, index, total=binomial):
    """Azize and Basu (2022), Algorithm 1, for an index of (noisy mean, round, pulls)."""
    arms = range(len(means))
    pulls = [0 for arm in arms]
    mean = [0.0 for arm in arms]
    played = []
    while len(played) < horizon:
        arm, length = len(played), 1  # choose each arm once
        if len(played) >= len(means):
            arm = largest([index(mean[a], len(played) + 1, pulls[a]) for a in arms], 1, streams.choice)[0]
            length = pulls[arm]  # until its pulls have doubled
        played += [arm] * length
        pulls[arm] += length
        mean[arm] = total(streams.env, length, means[arm]) / length
        if math.isfinite(epsilon):
            mean[arm] += streams.noise.laplace(0.0, 2 / (epsilon * pulls[arm]))
    return played[:horizon]


def adap_ucb(means, horizon, streams, epsilon, alpha, total=binomial):
    """The index of Equation (7)."""

    def index(mean, t, n):
        radius = math.sqrt(alpha * math.log(2 * t) / (2 * 0.5 * n))
        return mean + radius + alpha * math.log(t) / (epsilon * 0.5 * n)

    return adap(means, horizon, streams, epsilon, index, total)


def kl(p, q):
    """Divergence of Bernoulli(p) from Bernoulli(q)."""
    ones = p * math.log(p / q) if p > 0 else 0.0
    zeros = (1 - p) * math.log((1 - p) / (1 - q)) if p < 1 else 0.0
    return zeros + ones


def adap_klucb(means, horizon, streams, epsilon, alpha, total=binomial):
    """The largest q with d(clipped mean, q) <= alpha ln(t) / (N/2), to the last digit, as equal indices tie."""

    def index(mean, t, n):
        clipped = min(max(0.0, mean + alpha * math.log(t) / (epsilon * 0.5 * n)), 1.0)
        if clipped == 1.0:
            return 1.0
        inside, outside = clipped, 1.0
        while inside < (inside + outside) / 2 < outside:
            q = (inside + outside) / 2
            if kl(clipped, q) <= alpha * math.log(t) / (0.5 * n):
                inside = q
            else:
                outside = q
        return inside

    return adap(means, horizon, streams, epsilon, index, total)


def ucb_box(means, horizon, streams, width, report, forced=0.0):
    """Mean of the reports + width sqrt(ln t / n); arms without reports, or with n <= forced ln(t + 1), come first."""
    arms = range(len(means))
    pulls = [0 for arm in arms]
    total = [0.0 for arm in arms]
    played = []
    for t in range(1, horizon + 1):
        upper = [math.inf for arm in arms]
        for a in arms:
            if pulls[a] > 0 and not pulls[a] <= forced * math.log(t + 1):
                upper[a] = total[a] / pulls[a] + width * math.sqrt(math.log(t) / pulls[a])
        arm = largest(upper, 1, streams.choice)[0]
        reward = 1 if streams.env.random() < means[arm] else 0
        pulls[arm] += 1
        total[arm] += report(reward, streams.noise)
        played.append(arm)
    return played


def ucb(means, horizon, streams):
    """Auer, Cesa-Bianchi and Fischer (2002), UCB1."""
    return ucb_box(means, horizon, streams, math.sqrt(2), lambda reward, noise: reward)


def ldp_ucb_laplace(means, horizon, streams, epsilon):
    """Ren et al. (2020), LDP-UCB-L."""
    width = math.sqrt(2) + math.sqrt(32) / epsilon
    return ucb_box(
        means, horizon, streams, width, lambda reward, noise: reward + noise.laplace(0.0, 1 / epsilon), forced=4.0
    )


def ldp_ucb_response(means, horizon, streams, epsilon):
    """Ren et al. (2020), LDP-UCB-B: the index is that of the bits themselves."""
    lie = 1 / (1 + math.exp(epsilon))
    return ucb_box(means, horizon, streams, math.sqrt(2), lambda reward, noise: respond(reward, 2, lie, noise))
