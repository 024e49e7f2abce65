"""Exact losses of two arms over long horizons: dynamic programming over the pulls and sums that play depends on."""

from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from private_bandits import checks
from private_bandits.privacy.enumeration import logs

LONGEST = 200


class Change(NamedTuple):
    """Where the largest loss is paid: after these pulls and sums the arm is pulled, and its reward is changed."""

    loss: float
    round: int
    pulls: tuple[int, int]
    sums: tuple[int, int]
    arm: int
    rewards: tuple[int, int]


@runtime_checkable
class Sufficient(Protocol):
    """A policy whose play depends on pulls and sums alone."""

    def law(self, pulls: np.ndarray, sums: np.ndarray, /) -> Any:
        """Return the probabilities of the next arm.

        Parameters
        ----------
        pulls, sums : int array, shape (..., 2)
            Of each arm.

        Returns
        -------
        array_like, shape (..., 2)
        """


def sufficient_loss(policy: Sufficient, horizon: int) -> Change:
    """Exact loss of a two-armed policy whose play is fresh randomness given pulls and sums: largest, and where.

    Parameters
    ----------
    policy : Sufficient
        For int arrays of shape (..., 2), pulls and sums of rewards 0 and 1 of each arm, it returns the probabilities of
        the next arm, of the same shape. A policy whose noise is kept from round to round has none.
    horizon : int
        T, from 1 to 200; the effort grows with its fourth power.

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
    grids = [_grid(t) for t in range(rounds)]
    played = [_play(policy, *grid) for grid in grids]
    rest = {(arm, step): np.zeros((rounds + 1,) * 3) for arm in (0, 1) for step in (1, -1)}
    worst: Change | None = None
    reached = _reached(grids, played)
    for t in range(rounds - 1, -1, -1):
        pulls, sums = grids[t]
        after = {change: _best_reward(values, pulls, sums) for change, values in rest.items()}
        if t < rounds - 1:  # the last reward is never used
            worst = _largest(worst, rest, reached[t], played[t], t, pulls, sums)
        where = (pulls[:, 0], sums[:, 0], sums[:, 1])
        for (arm, step), values in after.items():
            moved = sums.copy()
            moved[:, arm] += step
            feasible = (moved[:, arm] >= 0) & (moved[:, arm] <= pulls[:, arm])
            other = np.zeros((rounds + 1,) * 3 + (2,))
            other[where] = played[t]
            with np.errstate(invalid="ignore"):
                gap = played[t] - other[pulls[:, 0], np.clip(moved[:, 0], 0, None), np.clip(moved[:, 1], 0, None)]
                total = np.where(np.isneginf(played[t]), -np.inf, gap + values)
            fresh = np.zeros((rounds + 1,) * 3)
            fresh[where] = np.where(feasible, total.max(axis=1), 0.0)
            rest[arm, step] = fresh
    return worst or Change(0.0, 1, (0, 0), (0, 0), 0, (0, 1))


def _grid(t: int) -> tuple[np.ndarray, np.ndarray]:
    """All pulls and sums after t rounds, a row each."""
    n, one, two = np.meshgrid(*(np.arange(t + 1),) * 3, indexing="ij")
    kept = (one <= n) & (two <= t - n)
    n, one, two = n[kept], one[kept], two[kept]
    return np.stack([n, t - n], axis=1), np.stack([one, two], axis=1)


def _play(policy: Any, pulls: np.ndarray, sums: np.ndarray) -> np.ndarray:
    law = np.asarray(policy.law(pulls, sums), dtype=float)
    if law.shape != pulls.shape or not (law >= 0).all() or np.abs(law.sum(axis=1) - 1).max() > 1e-9:
        raise ValueError("policy.law(pulls, sums) must be a distribution over 2 arms in each row")
    return logs(law)


def _reached(grids: list[Any], played: list[np.ndarray]) -> list[np.ndarray]:
    """Which states can be, round by round."""
    found = [np.ones(1, bool)]
    size = len(grids) + 1
    for (pulls, sums), law, (later, totals) in zip(grids, played, grids[1:], strict=False):
        cube = np.zeros((size,) * 3, bool)
        for arm in (0, 1):
            come = found[-1] & ~np.isneginf(law[:, arm])
            for reward in (0, 1):
                cube[_index(pulls[come], sums[come], arm, reward)] = True
        found.append(cube[later[:, 0], totals[:, 0], totals[:, 1]])
    return found


def _index(pulls: np.ndarray, sums: np.ndarray, arm: int, reward: int) -> tuple[np.ndarray, ...]:
    """Where a state is after an arm has paid a reward."""
    first = sums[:, 0] + (reward if arm == 0 else 0)
    return pulls[:, 0] + (arm == 0), first, sums[:, 1] + (reward if arm == 1 else 0)


def _best_reward(values: np.ndarray, pulls: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """The largest rest after each arm, whatever it pays."""
    return np.stack(
        [np.maximum(*(values[_index(pulls, sums, arm, reward)] for reward in (0, 1))) for arm in (0, 1)], axis=1
    )


def _largest(
    worst: Change | None, rest: Any, reached: np.ndarray, law: np.ndarray, t: int, pulls: np.ndarray, sums: np.ndarray
) -> Change:
    """The largest loss of a change in the round after t, or the one so far."""
    for arm in (0, 1):
        possible = reached & ~np.isneginf(law[:, arm])
        for reward in (0, 1):
            found = np.where(possible, rest[arm, 1 - 2 * reward][_index(pulls, sums, arm, reward)], -1.0)
            place = int(np.argmax(found))
            if worst is None or found[place] > worst.loss:
                before = tuple(pulls[place].tolist()), tuple(sums[place].tolist())
                worst = Change(float(found[place]), t + 1, *before, arm, (reward, 1 - reward))
    assert worst is not None
    return worst
