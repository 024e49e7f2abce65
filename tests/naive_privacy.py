"""The definitions of Basu, Dimitrakakis and Tossou (2019), line by line, in plain Python: every table, every pair.

An outcome is a tuple with a reward for each arm, a table is a tuple of outcomes; `see(outcome, arm)` is what the
learner sees. Nothing is shared with the library but the policies.
"""

from __future__ import annotations

import math
from itertools import product


def own_reward(outcome, arm):
    return outcome[arm]


def probability(policy, arms, table, see=own_reward):
    """P_pi(a_1, ..., a_t | x_1, ..., x_t)."""
    chance, history = 1.0, ()
    for t, arm in enumerate(arms):
        if chance == 0.0:
            return 0.0
        chance *= float(policy.probabilities(history)[arm])
        history += ((arm, see(table[t], arm)),)
    return chance


def loss_between(p, q):
    if p == q == 0.0:
        return 0.0
    return math.inf if p == 0.0 or q == 0.0 else abs(math.log(p / q))


def tables(n_arms, horizon, rewards):
    return list(product(product(rewards, repeat=n_arms), repeat=horizon))


def changed(row, alternatives):
    """Every row that differs from `row` in at most one place."""
    for place, value in product(range(len(row)), alternatives):
        yield (*row[:place], value, *row[place + 1 :])


def outcomes_loss(policy, n_arms, horizon, rewards=(0, 1), see=own_reward):
    """Definition 2: neighbouring tables differ in whole rows."""
    worst = 0.0
    for arms in product(range(n_arms), repeat=horizon):
        chance = {x: probability(policy, arms, x, see) for x in tables(n_arms, horizon, rewards)}
        for x in chance:
            for y in changed(x, list(product(rewards, repeat=n_arms))):
                worst = max(worst, loss_between(chance[x], chance[y]))
    return worst


def rewards_loss(policy, n_arms, horizon, rewards=(0, 1), see=own_reward):
    """The display before Lemma 1: the tables differ in one obtained reward, x_{t, a_t}."""
    worst = 0.0
    for arms in product(range(n_arms), repeat=horizon):
        chance = {x: probability(policy, arms, x, see) for x in tables(n_arms, horizon, rewards)}
        for x in chance:
            for t, reward in product(range(horizon), rewards):
                row = tuple(reward if arm == arms[t] else x[t][arm] for arm in range(n_arms))
                worst = max(worst, loss_between(chance[x], chance[(*x[:t], row, *x[t + 1 :])]))
    return worst


def instantaneous_loss(policy, n_arms, horizon, rewards=(0, 1)):
    """Definition 3, under bandit feedback: arms that have a probability under both reward sequences."""
    worst = 0.0
    for t in range(1, horizon + 1):
        for before in product(range(n_arms), repeat=t - 1):
            for r in product(rewards, repeat=t - 1):
                for s in changed(r, rewards):
                    pasts = [tuple(zip(before, seen, strict=True)) for seen in (r, s)]
                    if all(reachable(policy, past) for past in pasts):
                        laws = zip(*(policy.probabilities(past) for past in pasts), strict=True)
                        worst = max(worst, *(loss_between(float(p), float(q)) for p, q in laws))
    return worst


def reachable(policy, past):
    return all(policy.probabilities(past[:t])[arm] > 0 for t, (arm, _) in enumerate(past))


def local_loss(channel, horizon):
    """Definition 4: P(z_1, ..., z_T | r_1, ..., r_T), one reward of T changed."""
    n, m = len(channel), len(channel[0])
    worst = 0.0
    for r in product(range(n), repeat=horizon):
        for s, z in product(changed(r, range(n)), product(range(m), repeat=horizon)):
            p, q = (math.prod(channel[x][y] for x, y in zip(row, z, strict=True)) for row in (r, s))
            worst = max(worst, loss_between(p, q))
    return worst


def environment_loss(policy, one, other, horizon, output, rewards=(0, 1), see=own_reward):
    """Definition 5: ln P(g_T | nu) / P(g_T | nu'), g_T the arms and all generated rewards, or the arms alone."""
    n_arms = len(one)
    laws = []
    for environment in (one, other):
        law = {}
        for table in tables(n_arms, horizon, rewards):
            chance = math.prod(environment[a][rewards.index(x[a])] for x in table for a in range(n_arms))
            for arms in product(range(n_arms), repeat=horizon):
                key = (arms, table) if output == "history" else arms
                law[key] = law.get(key, 0.0) + chance * probability(policy, arms, table, see)
        laws.append(law)
    return max(loss_between(laws[0][key], laws[1][key]) for key in laws[0])


def private_probability(learner, channel, arms, rewards):
    """P(a | r) of a learner that sees each reward through a channel: summed over every response sequence."""
    total = 0.0
    for responses in product(range(len(channel[0])), repeat=len(arms)):
        chance = math.prod(channel[r][z] for r, z in zip(rewards, responses, strict=True))
        history = tuple(zip(arms, responses, strict=True))
        for t, arm in enumerate(arms):
            chance *= float(learner.probabilities(history[:t])[arm])
        total += chance
    return total
