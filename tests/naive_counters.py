"""The counters of Chan, Shi and Song (2011) as the paper writes them: slow and plain.

Each mechanism keeps its partial sums, adds noise to them when the box does, and records every noisy sum that
it forms as (exact value, Laplace scale). Draws come from the generator in the order of the items.
Pass epsilon as a Fraction for exact scales, and rng None to record without noise.
"""

from __future__ import annotations

import math


class Binary:
    """Algorithm 2, with `levels` partial sums of noise scale levels / epsilon each."""

    def __init__(self, epsilon, levels, rng):
        self.scale = levels / epsilon
        self.rng = rng
        self.t = 0
        self.alpha = [0] * levels
        self.noisy = [0] * levels
        self.record = []

    def add(self, x):
        self.t += 1
        bits = [j for j in range(len(self.alpha)) if self.t >> j & 1]
        i = bits[0]
        self.alpha[i] = sum(self.alpha[:i]) + x
        for j in range(i):
            self.alpha[j] = self.noisy[j] = 0
        self.noisy[i] = self.alpha[i] + draw(self.rng, self.scale)
        self.record.append((self.alpha[i], self.scale))
        self.scales = [self.scale for _ in bits]
        return sum(self.noisy[j] for j in bits)


class Logarithmic:
    """Algorithm 3: one noise at each power of two, all of which stay in the sum."""

    def __init__(self, epsilon, rng):
        self.scale = 1 / epsilon
        self.rng = rng
        self.t = 0
        self.beta = 0
        self.since = 0
        self.record = []

    def add(self, x):
        self.t += 1
        self.beta += x
        self.since += x
        if self.t & (self.t - 1):
            return None
        self.beta += draw(self.rng, self.scale)
        self.record.append((self.since, self.scale))
        self.since = 0
        return self.beta


class Hybrid:
    """Algorithm 4: half of epsilon for Algorithm 3, half for an Algorithm 2 after each power of two."""

    def __init__(self, epsilon, rng):
        self.epsilon = epsilon
        self.rng = rng
        self.logarithmic = Logarithmic(epsilon / 2, rng)
        self.record = []

    def add(self, x):
        release = self.logarithmic.add(x)
        t = self.logarithmic.t
        level = int(math.log2(t))
        self.scales = [self.logarithmic.scale] * (level + 1)
        if release is not None:
            self.record.append(self.logarithmic.record[-1])
            self.base = release
            self.binary = Binary(self.epsilon / 2, level, self.rng)
            return release
        release = self.base + self.binary.add(x)
        self.record.append(self.binary.record[-1])
        self.scales += self.binary.scales
        return release


def draw(rng, scale):
    return 0 if rng is None else rng.laplace(0.0, float(scale))
