"""Exact losses of two arms over long horizons: dynamic programming over the pulls and sums that play depends on."""

from itertools import product
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from private_bandits import checks
from private_bandits.privacy.enumeration import logs

LONGEST = 120


class Change(NamedTuple):
    """Where the largest loss is paid: after these pulls and sums the arm is pulled, and its reward is changed."""

    loss: float
    round: int
    pulls: tuple[int, int]
    sums: tuple[int, int]
    arm: int
    rewards: tuple[int, int]


@runtime_checkable
class Lawful(Protocol):
    """A finite policy with the law of its play by pulls and sums."""

    law: Any


def sufficient(policy: Any, horizon: int) -> bool:
    """Say whether the play of a finite policy is its `law` of pulls and sums of two arms that pay 0 or 1.

    Parameters
    ----------
    policy : FinitePolicy
    horizon : int
        Rounds, >= 1.

    Returns
    -------
    bool
        Whether no class overrides `probabilities` alone, and both agree on every history of up to four rounds and on
        a few long ones.
    """
    lawful = isinstance(policy, Lawful)
    if not lawful or policy.signal is not None or set(policy.rewards) != {0, 1}:
        return False
    made = [next((c for c in type(policy).__mro__ if name in vars(c)), object) for name in ("law", "probabilities")]
    if not issubclass(*made) or len(policy.probabilities(())) != 2:
        return False
    rng = np.random.default_rng(0)
    longer = [rng.integers(0, 2, (t, 2)).tolist() for t in rng.integers(0, horizon, 50)]
    for history in [
        *longer,
        *(h for t in range(min(horizon, 5)) for h in product(product((0, 1), repeat=2), repeat=t)),
    ]:
        pulls, sums = np.zeros((2, 1, 2), int)
        for arm, reward in history:
            pulls[0, arm] += 1
            sums[0, arm] += reward
        play = np.asarray(policy.probabilities(tuple(map(tuple, history))), dtype=float)
        if not np.allclose(policy.law(pulls, sums), play, rtol=1e-9, atol=1e-300):
            return False
    return True


def sufficient_loss(policy: Any, horizon: int) -> Change:
    """Exact loss of a two-armed policy whose play is fresh randomness given pulls and sums: largest, and where.

    Parameters
    ----------
    policy : FinitePolicy
        Its `law(pulls, sums)`, for int arrays of shape (..., 2), pulls and sums of rewards 0 and 1 of each arm, returns
        the probabilities of the next arm, of the same shape. A policy whose noise is kept from round to round has none.
    horizon : int
        T, from 1 to 120; the effort grows with its fourth power.

    Returns
    -------
    Change

    Raises
    ------
    ValueError
        If an argument is out of range, or the policy does not return distributions.

    Notes
    -----
    Neighbours are tables that differ in one user's row; the loss is the largest of ln P(arms | x) / P(arms | x'). From
    a state (pulls, sums) of x, with one reward more or less of one arm in x', the largest rest of it is found from the
    last round on; it starts wherever a state can be reached.
    """
    rounds = checks.integer("horizon", horizon, at_least=1, at_most=LONGEST)
    reached = [np.ones((1, 1, 1), bool)]
    for t in range(rounds - 1):
        later = np.zeros((t + 2,) * 3, bool)
        possible = _play(policy, t) > -np.inf
        for arm, reward in product((0, 1), repeat=2):
            later[_after(arm, reward)] |= reached[t] & possible[arm]
        reached.append(later)
    rest = {(arm, step): np.zeros((rounds + 1,) * 3) for arm in (0, 1) for step in (1, -1)}
    worst = Change(0.0, 1, (0, 0), (0, 0), 0, (0, 1))
    for t in range(rounds - 1, -1, -1):
        played = _play(policy, t)
        for arm, reward in product((0, 1), repeat=2) if t < rounds - 1 else ():  # the last reward is never used
            possible = reached[t] & (played[arm] > -np.inf)
            found = np.where(possible, rest[arm, 1 - 2 * reward][_after(arm, reward)], 0.0)
            n, *sums = map(int, np.unravel_index(np.argmax(found), found.shape))
            if found[n, *sums] > worst.loss:
                pulls = (n, t - n)
                worst = Change(float(found[n, *sums]), t + 1, pulls, (sums[0], sums[1]), arm, (reward, 1 - reward))
        for (arm, step), values in rest.items():
            other = played.take(np.clip(np.arange(t + 1) + step, 0, t), axis=2 + arm)
            later = np.stack([np.maximum(*(values[_after(a, reward)] for reward in (0, 1))) for a in (0, 1)])
            with np.errstate(invalid="ignore"):
                rest[arm, step] = np.where(played > -np.inf, played - other + later, -np.inf).max(axis=0)
    return worst


def _play(policy: Any, t: int) -> np.ndarray:
    """ln of the law after t rounds: for each arm, pulls of the first and two sums, -inf where they cannot be."""
    n, one, two = np.indices((t + 1,) * 3)
    kept = (one <= n) & (two <= t - n)
    n, one, two = n[kept], one[kept], two[kept]
    law = np.asarray(policy.law(np.stack([n, t - n], axis=1), np.stack([one, two], axis=1)), dtype=float)
    if law.shape != (len(n), 2) or not (law >= 0).all() or np.abs(law.sum(axis=1) - 1).max() > 1e-9:
        raise ValueError("policy.law(pulls, sums) must be a distribution over 2 arms in each row")
    cube = np.full((2, t + 1, t + 1, t + 1), -np.inf)  # arms first: a maximum over a last axis of two is slow
    cube[:, kept] = logs(law).T
    return cube


def _after(arm: int, reward: int) -> tuple[slice, ...]:
    """The states after an arm has paid a reward, in the order of those before."""
    moved, still = (slice(1, None), slice(None, -1)), slice(None, -1)
    paid = moved[0] if reward else still
    return (moved[0], paid, still) if arm == 0 else (still, still, paid)
