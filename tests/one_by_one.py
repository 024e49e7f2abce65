"""Streams whose environment draws a sum of Bernoulli rewards reward by reward: other numbers of the same law."""

from __future__ import annotations

from private_bandits.streams import streams


class OneByOne:
    def __init__(self, rng):
        self.rng = rng

    def binomial(self, n, mean):
        return int((self.rng.random(n) < mean).sum())


def one_by_one(seed, replication):
    source = streams(seed, replication)
    return source._replace(env=OneByOne(source.env))
