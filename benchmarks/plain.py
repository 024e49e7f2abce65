"""The cascade round as a plain Python loop: lists, math and random."""

from __future__ import annotations

import math
from random import Random


def play(means: list[float], size: int, scale: float, rounds: int, seed: int) -> float:
    """Return the pseudo-regret of Algorithm 2 of Wang et al. (2021), Laplace noise of `scale`, none at 0.

    `means` has more than `size` entries.
    """
    uniform = Random(seed).random
    items = range(len(means))
    total = [float(uniform() < w) for w in means]
    mean = list(total)
    root = [1.0 for _ in items]
    count = [1 for _ in items]
    best = 1.0 - math.prod(1.0 - w for w in sorted(means)[-size:])
    regret = 0.0
    for t in range(1, rounds + 1):
        log_t = math.log(t)
        a = math.sqrt(1.5 * log_t) + scale * math.sqrt(24.0 * log_t)
        index = [m + a * r for m, r in zip(mean, root, strict=True)]
        ranked = sorted(items, key=index.__getitem__, reverse=True)
        if any(index[ranked[k]] == index[ranked[k + 1]] for k in range(size)):
            ranked = sorted(items, key=lambda e: (index[e], uniform()), reverse=True)
        miss = 1.0
        for e in ranked[:size]:
            miss *= 1.0 - means[e]
        regret += best - (1.0 - miss)
        for e in ranked[:size]:
            clicked = uniform() < means[e]
            count[e] += 1
            total[e] += clicked
            if scale:
                u = uniform() - 0.5
                total[e] += math.copysign(scale * math.log1p(-2.0 * abs(u)), u)
            mean[e] = total[e] / count[e]
            root[e] = 1.0 / math.sqrt(count[e])
            if clicked:
                break
    return regret
