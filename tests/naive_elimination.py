"""The elimination boxes for heavy-tailed rewards, transcribed line by line in plain Python.

Rewards and noise are drawn one by one, arm by arm within an epoch, which the kernel does for epochs of at most
`kernels.sums.DIRECT` pulls.
"""

from __future__ import annotations

import math

from private_bandits.plain import largest, pareto


def epochs(means, shape, horizon, streams, epoch_of, release):
    """Algorithm 3 of the slides, with its lines 6 to 8 and 20 in `epoch_of` and its lines 17 and 18 in `release`.

    `epoch_of(|S|, tau)` gives R, B and the distance from the largest mean at which an arm is removed;
    `release(rewards, B)` gives the estimate of one arm from its truncated rewards.
    """
    viable = list(range(len(means)))
    played = []
    tau = 0
    while len(viable) > 1:
        tau += 1
        pulls, threshold, distance = epoch_of(len(viable), tau)
        for _ in range(pulls):
            for arm in viable:
                played.append(arm)
                if len(played) == horizon:
                    return played
        estimate = {}
        for arm in viable:
            rewards = [pareto(streams.env, means[arm], shape) for _ in range(pulls)]
            estimate[arm] = release([x if abs(x) <= threshold else 0.0 for x in rewards], threshold)
        largest = max(estimate.values())
        viable = [arm for arm in viable if not largest - estimate[arm] > distance]
    return played + viable * (horizon - len(played))


def dp_robust_se(means, shape, horizon, streams, epsilon, v, u, beta, c=24):
    """Algorithm 3; at c = 24 the rule is 12 err."""

    def epoch_of(size, tau):
        gap = 2.0**-tau
        log = math.log(4 * size * tau**2 / beta)
        pulls = math.ceil(u ** (1 / v) * (c ** ((1 + v) / v) * log / (epsilon * gap ** ((1 + v) / v))) + 1)
        threshold = (u * pulls * epsilon / log) ** (1 / (1 + v))
        err = u ** (1 / (1 + v)) * (log / (pulls * epsilon)) ** (v / (1 + v))
        return pulls, threshold, c / 2 * err

    def release(rewards, threshold):
        return sum(rewards) / len(rewards) + streams.noise.laplace(0.0, 2 * threshold / (len(rewards) * epsilon))

    return epochs(means, shape, horizon, streams, epoch_of, release)


def adap_robust_ucb(means, shape, horizon, streams, epsilon, v, u):
    """Ours: doubling episodes with forgetting, a truncated mean, and a width in ln T."""
    arms = range(len(means))
    log, samples = math.log(horizon), min(1, epsilon)
    width = 1 + math.sqrt(2) + 1 / 3 + 2 * min(1, 1 / epsilon)
    pulls = [0 for arm in arms]
    estimate = [0.0 for arm in arms]
    played = []
    while len(played) < horizon:
        arm, length = len(played), 1
        if len(played) >= len(means):
            upper = []
            for a in arms:
                err = u ** (1 / (1 + v)) * (log / (pulls[a] / 2 * samples)) ** (v / (1 + v))
                upper.append(estimate[a] + width * err)
            arm = largest(upper, 1, streams.choice)[0]
            length = pulls[arm]
        played += [arm] * length
        pulls[arm] += length
        threshold = (u * length * samples / log) ** (1 / (1 + v))
        estimate[arm] = 0.0
        if threshold >= means[arm] * (shape - 1) / shape:  # below the least reward nothing counts or is drawn
            rewards = [pareto(streams.env, means[arm], shape) for _ in range(length)]
            estimate[arm] = sum(x if x <= threshold else 0.0 for x in rewards) / length
        if math.isfinite(epsilon):
            estimate[arm] += streams.noise.laplace(0.0, 2 * threshold * 2 / (epsilon * pulls[arm]))
    return played[:horizon]


def robust_se(means, shape, horizon, streams, v, u, beta, c):
    """Ours: Algorithm 3 without noise, epsilon = 1 in its lengths."""

    def epoch_of(size, tau):
        log = math.log(4 * size * tau**2 / beta)
        pulls = math.ceil(u ** (1 / v) * (c * 2**tau) ** ((1 + v) / v) * log + 1)
        err = u ** (1 / (1 + v)) * (log / pulls) ** (v / (1 + v))
        return pulls, (u * pulls / log) ** (1 / (1 + v)), c / 2 * err

    return epochs(means, shape, horizon, streams, epoch_of, lambda rewards, threshold: sum(rewards) / len(rewards))


def ldp_robust_se(means, shape, horizon, streams, epsilon, v, u, beta, c, variant="repaired"):
    """Ours: every user sends x 1{|x| <= B} + Lap(2 B / epsilon), the reports of an arm are averaged."""

    def epoch_of(size, tau):
        gap = 2.0**-tau
        log = math.log(8 * size * tau**2 / beta)
        if variant == "repaired":
            pulls = math.ceil(u ** (2 / v) * c ** (2 * (1 + v) / v) * log / (epsilon**2 * gap ** (2 * (1 + v) / v)) + 1)
            threshold = (u * math.sqrt(pulls) * epsilon / math.sqrt(log)) ** (1 / (1 + v))
            err = u ** (1 / (1 + v)) * (math.sqrt(log) / (math.sqrt(pulls) * epsilon)) ** (v / (1 + v))
        else:
            pulls = math.ceil(u ** (2 / v) * c ** ((1 + v) / v) * log / (epsilon**2 * gap ** ((1 + v) / v)) + 1)
            threshold = (u * pulls * epsilon**2 / log) ** (1 / (1 + v))
            err = u ** (1 / (1 + v)) * (log / (pulls * epsilon**2)) ** (v / (1 + v))
        return pulls, threshold, c / 2 * err

    def release(rewards, threshold):
        total = sum(rewards)
        reports = [streams.noise.laplace(0.0, 2 * threshold / epsilon) for _ in rewards]
        return (total + sum(reports)) / len(rewards)

    return epochs(means, shape, horizon, streams, epoch_of, release)
