"""The boxes, transcribed line by line in plain Python: the oracle of the compiled kernels.

A transcription reads the same three streams in the same order: environment (one uniform number per observed
position; w_0 first, one per item), choice (ties only), noise. It returns, for each round, the list and the number of
observed positions. Running means are kept as sums, so that equal data give equal means.
"""

from __future__ import annotations

import math

from private_bandits.plain import Binary, Hybrid, click, laplace_sum_bound, largest, least_reported_first, respond


def cascading_box(means, size, horizon, streams, bonus, perturb):
    """Wang et al. (2021), Algorithms 2 and 3, which differ in the bonus and in the noise of an observation."""
    items = range(len(means))
    w_0 = [1.0 if streams.env.random() < means[e] else 0.0 for e in items]  # Observe w_0
    pulls = [1 for e in items]  # T_0(e) <- 1
    total = list(w_0)  # w_1(e) <- w_0(e)
    shown_rounds = []
    for t in range(1, horizon + 1):
        upper = [total[e] / pulls[e] + math.sqrt(1.5 * math.log(t) / pulls[e]) + bonus(t, pulls[e]) for e in items]
        shown = largest(upper, size, streams.choice)  # the K items with largest private UCBs
        c_t = click(means, shown, streams.env)
        for k in range(1, int(min(c_t, size)) + 1):
            e = shown[k - 1]
            pulls[e] += 1
            total[e] += (1.0 if c_t == k else 0.0) + perturb(streams.noise)
        shown_rounds.append([*shown, int(min(c_t, size))])
    return shown_rounds


def cascade_ucb1(means, size, horizon, streams):
    """Kveton et al. (2015), Algorithm 1 with the UCB1 radius."""
    return cascading_box(means, size, horizon, streams, lambda t, n: 0.0, lambda noise: 0.0)


def cascading_algorithm_1(means, size, horizon, streams, epsilon, c_1, multiplier=1.0, variant="printed"):
    """Algorithm 1: a hybrid mechanism of epsilon/L for every item; w_0 stays outside the mechanism."""
    items = range(len(means))
    n_items = len(means)
    mechanisms = [Hybrid(epsilon / n_items / multiplier, streams.noise) for e in items]
    w_0 = [1.0 if streams.env.random() < means[e] else 0.0 for e in items]
    pulls = [1 for e in items]
    released = [0.0 for e in items]
    shown_rounds = []
    for t in range(1, horizon + 1):
        upper = []
        for e in items:
            log_n = math.log(horizon if variant == "printed" else pulls[e])
            bonus = multiplier * 3 * c_1 * n_items * log_n**1.5 * math.log(t) / (epsilon * pulls[e])
            upper.append((w_0[e] + released[e]) / pulls[e] + math.sqrt(1.5 * math.log(t) / pulls[e]) + bonus)
        shown = largest(upper, size, streams.choice)
        c_t = click(means, shown, streams.env)
        for k in range(1, int(min(c_t, size)) + 1):
            e = shown[k - 1]
            pulls[e] += 1
            released[e] = mechanisms[e].add(1.0 if c_t == k else 0.0)  # insert w_t(e)
        shown_rounds.append([*shown, int(min(c_t, size))])
    return shown_rounds


def cascading_algorithm_2(means, size, horizon, streams, epsilon, multiplier=1.0):
    """Algorithm 2, Laplace."""
    return cascading_box(
        means,
        size,
        horizon,
        streams,
        lambda t, n: multiplier * size / epsilon * math.sqrt(24 * math.log(t) / n),
        lambda noise: noise.laplace(0.0, multiplier * size / epsilon),
    )


def cascading_algorithm_3(means, size, horizon, streams, epsilon, delta, multiplier=1.0):
    """Algorithm 3, Gaussian."""
    sigma = multiplier / epsilon * math.sqrt(2 * size * math.log(1.25 / delta))
    return cascading_box(
        means,
        size,
        horizon,
        streams,
        lambda t, n: sigma * math.sqrt(2 * math.log(2 * t**3) / n),
        lambda noise: noise.normal(0.0, sigma),
    )


def cascading_theorem_8(means, size, horizon, streams, epsilon, delta, multiplier=1.0):
    """Theorem 8, Laplace noise calibrated by composition."""
    logs = math.log(math.e + epsilon / delta)
    return cascading_box(
        means,
        size,
        horizon,
        streams,
        lambda t, n: multiplier * 4 / epsilon * math.sqrt(6 * size * logs * math.log(t) / n),
        lambda noise: noise.laplace(0.0, multiplier * math.sqrt(4 * size * logs) / epsilon),
    )


def cascading_algorithm_4(means, size, horizon, streams, epsilon, delta, multiplier=1.0):
    """Algorithm 4, CUCB under LDP, Gaussian; the oracle takes the K largest."""
    items = range(len(means))
    sigma = multiplier / epsilon * math.sqrt(2 * size * math.log(1.25 / delta))
    total = [1.0 if streams.env.random() < means[e] else 0.0 for e in items]  # Observe u_0
    pulls = [1 for e in items]
    shown_rounds = []
    for t in range(len(means) + 1, len(means) + horizon + 1):  # for t = m + 1, ...
        upper = []
        for e in items:
            noise_bonus = 2 / epsilon * math.sqrt(2 * size * math.log(1.25 / delta) * math.log(t) / pulls[e])
            upper.append(total[e] / pulls[e] + math.sqrt(3 * math.log(t) / (2 * pulls[e])) + multiplier * noise_bonus)
        shown = largest(upper, size, streams.choice, ordered=False)
        for e in shown:
            pulls[e] += 1
            weight = 1.0 if streams.env.random() < means[e] else 0.0
            total[e] += weight + (streams.noise.normal(0.0, sigma) if sigma else 0.0)
        shown_rounds.append([*shown, size])
    return shown_rounds


def repaired_cucb(means, size, horizon, streams, sigma):
    """Ours: Algorithm 4 without u_0, at a given sigma; items without reports come first."""
    items = range(len(means))
    total = [0.0 for e in items]
    pulls = [0 for e in items]
    shown_rounds = []
    for t in range(len(means) + 1, len(means) + horizon + 1):
        upper = [math.inf for e in items]
        for e in items:
            if pulls[e]:
                radius = math.sqrt(1.5 * math.log(t) / pulls[e])
                upper[e] = total[e] / pulls[e] + radius + 2 * sigma * math.sqrt(math.log(t) / pulls[e])
        shown = largest(upper, size, streams.choice, ordered=False)
        for e in shown:
            pulls[e] += 1
            total[e] += (1.0 if streams.env.random() < means[e] else 0.0) + streams.noise.normal(0.0, sigma)
        shown_rounds.append([*shown, size])
    return shown_rounds


def uniform(means, size, horizon, streams):
    """Uniformly random lists."""
    shown_rounds = []
    for _ in range(horizon):
        shown = largest([0.0] * len(means), size, streams.choice)
        shown_rounds.append([*shown, int(min(click(means, shown, streams.env), size))])
    return shown_rounds


def repaired_first(means, size, horizon, streams, epsilon):
    """Ours: randomised response on the click of the first item, the least reported of the list."""
    items = range(len(means))
    lie = 1 / (math.exp(epsilon) + 1)
    reports = [0 for e in items]
    yes = [0 for e in items]
    shown_rounds = []
    for t in range(1, horizon + 1):
        upper = [math.inf for e in items]
        for e in items:
            if reports[e]:
                mean = (yes[e] / reports[e] - lie) / (1 - 2 * lie)
                upper[e] = mean + math.sqrt(1.5 * math.log(t) / reports[e]) / (1 - 2 * lie)
        shown = least_reported_first(largest(upper, size, streams.choice), reports)
        c_t = click(means, shown, streams.env)
        told = respond(1 if c_t == 1 else 0, 2, lie, streams.noise)
        reports[shown[0]] += 1
        yes[shown[0]] += told
        shown_rounds.append([*shown, int(min(c_t, size))])
    return shown_rounds


def repaired_central_first(means, size, horizon, streams, epsilon):
    """Ours: the click of the first item goes to that item's hybrid mechanism."""
    items = range(len(means))
    mechanisms = [Hybrid(epsilon, streams.noise) for e in items]
    reports = [0 for e in items]
    released = [0.0 for e in items]
    shown_rounds = []
    for t in range(1, horizon + 1):
        log_tail = math.log(2 * t**3)
        upper = [math.inf for e in items]
        for e in items:
            if reports[e]:
                bonus = laplace_sum_bound(mechanisms[e].scales, log_tail) / reports[e]
                upper[e] = released[e] / reports[e] + math.sqrt(1.5 * math.log(t) / reports[e]) + bonus
        shown = least_reported_first(largest(upper, size, streams.choice), reports)
        c_t = click(means, shown, streams.env)
        reports[shown[0]] += 1
        released[shown[0]] = mechanisms[shown[0]].add(1.0 if c_t == 1 else 0.0)
        shown_rounds.append([*shown, int(min(c_t, size))])
    return shown_rounds


def ratio_box(means, size, horizon, streams, radius, send, lie=0.0):
    """Ours: the ratio index of a reply sent by `send` as a click vector.

    If a false answer has probability `lie` each, told clicks have expectation lie + (1 - (K + 1) lie) P(click).
    """
    items = range(len(means))
    width = 1 - (size + 1) * lie
    told_here = [0.0 for e in items]
    left = [0.0 for e in items]  # displays less what was told of the positions above
    positions = [[] for e in items]  # where the item has been shown
    shown_rounds = []
    for t in range(1, horizon + 1):
        upper = [math.inf for e in items]
        for e in items:
            displays, above = len(positions[e]), sum(k - 1 for k in positions[e])
            clicks = (told_here[e] - displays * lie) / width
            examined = displays - (displays - left[e] - above * lie) / width
            if displays and examined > 0:
                upper[e] = (clicks + radius(t, positions[e])) / examined
        shown = largest(upper, size, streams.choice)
        c_t = click(means, shown, streams.env)
        told = send(c_t, streams.noise)
        for k in range(1, size + 1):
            e = shown[k - 1]
            told_here[e] += told[k - 1]
            left[e] += 1 - sum(told[: k - 1])
            positions[e].append(k)
        shown_rounds.append([*shown, int(min(c_t, size))])
    return shown_rounds


def repaired_reply(means, size, horizon, streams, epsilon):
    """Ours: (K+1)-ary randomised response on the reply."""
    lie = 1 / (math.exp(epsilon) + size)

    def send(c_t, noise):
        told = 1 + respond(int(min(c_t, size + 1)) - 1, size + 1, lie, noise)
        return [1.0 if told == k else 0.0 for k in range(1, size + 1)]

    def radius(t, positions):
        return math.sqrt(1.5 * len(positions) * math.log(t)) / (1 - (size + 1) * lie)

    return ratio_box(means, size, horizon, streams, radius, send, lie)


def repaired_one_hot(means, size, horizon, streams, epsilon):
    """Ours: the padded click vector with Laplace noise."""
    scale = (2 if size > 1 else 1) / epsilon

    def send(c_t, noise):
        return [(1.0 if c_t == k else 0.0) + noise.laplace(0.0, scale) for k in range(1, size + 1)]

    def radius(t, positions):
        draws = [scale] * sum(positions)
        return math.sqrt(1.5 * len(positions) * math.log(t)) + laplace_sum_bound(draws, math.log(2 * t**3))

    return ratio_box(means, size, horizon, streams, radius, send)


def repaired_rounds(means, size, horizon, streams, epsilon, capacity):
    """Ours: trees indexed by rounds for the clicks and the examinations of every item, made for `capacity` rounds."""
    items = range(len(means))
    reach = size + 1 if size > 1 else 1
    click_trees = [Binary(epsilon / reach, capacity.bit_length(), streams.noise) for e in items]
    examination_trees = [Binary(epsilon / reach, capacity.bit_length(), streams.noise) for e in items]
    clicks = [0.0 for e in items]
    examined = [0.0 for e in items]
    displayed = [False for e in items]
    shown_rounds = []
    for t in range(1, horizon + 1):
        log_t, log_tail = math.log(t), math.log(2 * t**3)
        upper = [math.inf for e in items]
        for e in items:
            if displayed[e] and examined[e] > 0:
                noise = laplace_sum_bound(click_trees[e].scales + examination_trees[e].scales, log_tail)
                upper[e] = (clicks[e] + math.sqrt(1.5 * log_t * (examined[e] + noise)) + noise) / examined[e]
        shown = largest(upper, size, streams.choice)
        c_t = click(means, shown, streams.env)
        for e in items:
            position = shown.index(e) + 1 if e in shown else math.inf
            clicks[e] = click_trees[e].add(1.0 if c_t == position and position <= size else 0.0)
            seen = position <= size and position <= c_t
            examined[e] = examination_trees[e].add(1.0 if seen else 0.0)
            displayed[e] |= position <= size
        shown_rounds.append([*shown, int(min(c_t, size))])
    return shown_rounds
