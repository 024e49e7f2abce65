"""UCB1 on ten Bernoulli arms as another library plays it, in that library's own environment.

`python peer.py NAME` reads lines "ROUNDS SEED" from the standard input, plays a game for each, and answers "=", the
seconds of processor time that it took, and its pseudo-regret. The loop is that of the library's documentation.
"""

from __future__ import annotations

import math
import random
import sys
import time
from collections.abc import Callable

MEANS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.55, 0.6, 0.7, 0.8, 0.9)
Game = Callable[[int, int], list[int]]  # rounds, seed -> pulls of each arm


def river(rounds: int, seed: int) -> list[int]:
    """Play `river.bandit.UCB`, whose delta = 1 is UCB1."""
    from river import bandit

    rewards, arms, pulls = random.Random(seed), list(range(len(MEANS))), [0] * len(MEANS)
    policy = bandit.UCB(delta=1.0, seed=seed)
    for _ in range(rounds):
        arm = policy.pull(arms)
        policy.update(arm, float(rewards.random() < MEANS[arm]))
        pulls[arm] += 1
    return pulls


def coba(rounds: int, seed: int) -> list[int]:
    """Play `coba.BanditUCBLearner`, which is UCB1-Tuned: coba has no UCB1."""
    from coba import BanditUCBLearner

    rewards, arms, pulls = random.Random(seed), list(range(len(MEANS))), [0] * len(MEANS)
    learner = BanditUCBLearner(seed)
    for _ in range(rounds):
        arm, probability = learner.predict(None, arms)
        learner.learn(None, arm, float(rewards.random() < MEANS[arm]), probability)
        pulls[arm] += 1
    return pulls


def mabby(rounds: int, seed: int) -> list[int]:
    """Play `mabby.strategies.UCB1Strategy`, whose alpha = sqrt(2) is UCB1."""
    import numpy as np
    from mabby.strategies import UCB1Strategy

    rewards, rng, pulls = random.Random(seed), np.random.default_rng(seed), [0] * len(MEANS)
    strategy = UCB1Strategy(alpha=math.sqrt(2.0))
    strategy.prime(len(MEANS), rounds)
    for _ in range(rounds):
        arm = int(strategy.choose(rng))
        strategy.update(arm, float(rewards.random() < MEANS[arm]), rng)
        pulls[arm] += 1
    return pulls


def mabwiser(rounds: int, seed: int) -> list[int]:
    """Play `mabwiser.mab.MAB` with `LearningPolicy.UCB1`."""
    from mabwiser.mab import MAB, LearningPolicy

    rewards, pulls = random.Random(seed), [0] * len(MEANS)
    learner = MAB(list(range(len(MEANS))), LearningPolicy.UCB1(alpha=1.0), seed=seed)
    learner.fit(list(range(len(MEANS))), [float(rewards.random() < mean) for mean in MEANS])
    for _ in range(rounds):
        arm = learner.predict()
        learner.partial_fit([arm], [float(rewards.random() < MEANS[arm])])
        pulls[arm] += 1
    return pulls


def smpybandits(rounds: int, seed: int) -> list[int]:
    """Play `SMPyBandits.Policies.UCB`."""
    import numpy as np
    from SMPyBandits.Policies import UCB

    np.random.seed(seed)  # the library draws from this one generator; it has the process to itself
    rewards, pulls = random.Random(seed), [0] * len(MEANS)
    policy = UCB(len(MEANS))
    policy.startGame()
    for _ in range(rounds):
        arm = int(policy.choice())
        policy.getReward(arm, float(rewards.random() < MEANS[arm]))
        pulls[arm] += 1
    return pulls


GAMES: dict[str, Game] = {game.__name__: game for game in (river, coba, mabby, mabwiser, smpybandits)}

if __name__ == "__main__":
    game = GAMES[sys.argv[1]]
    for line in sys.stdin:
        rounds, seed = map(int, line.split())
        began = time.process_time()
        pulls = game(rounds, seed)
        seconds = time.process_time() - began
        print("=", seconds, sum((max(MEANS) - mean) * n for mean, n in zip(MEANS, pulls, strict=True)), flush=True)
