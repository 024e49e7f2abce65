"""Robust index policies far beyond the rounds that can be played: the regret of a run, between two ends.

An index of `kernels.robust` is M(n) + r(t) / n^w: its arm's noisy mean after n pulls, and a radius that moves with t
only as a power of ln t. At a fixed r an arm's pulls before all indices lie below x number the first n with
M(n) + r / n^w < x, and the arms decouple. Three things are drawn and three are bounded:

* The pulls of a doubling are cut into 2^PARTS dyadic blocks. Sums of rewards are drawn a block at a time, the rewards
  above a cut one by one with their places, so that each meets its own threshold.
* The tree's noise at the start of a block is drawn node by node. Inside, the nodes belong to the block alone, and the
  least of their prefix sums has a law that follows from that of half a block (`least_prefixes`): it is drawn, too.
* Inside a block the sum stays near its drift (Bernstein's inequality for the largest of partial sums), 1 / n^w between
  its ends, and thresholds grow by a factor 1 + d: with least and largest prefix sum -x and y in units of the threshold
  at the block's start, the noise's minimum lies between -(1 + d) x - d y and -x, by Abel's summation.
* Let L be the least of the largest indices of the first t rounds, attained in round s. All pulls of an arm before t
  came at indices >= L, and in round s all indices were <= L. So an arm's pulls are at most those before L at r(t), and
  at least those at r(s). The pulls add up to t, which brackets L, and shows a lower bound on s.
"""

import math
from functools import cache

import numpy as np

from private_bandits.compilation import compiled
from private_bandits.kernels.parts.sums import pareto_scale, truncated_moment
from private_bandits.kernels.protocol import lower_bound
from private_bandits.kernels.robust import Record
from private_bandits.mechanisms import _raw as mechanisms
from private_bandits.problems.lists import ListRecord

PARTS = 7
TAIL = 64.0  # expected number of rewards of a block that are drawn one by one
FAILURE = 20.0  # a bound inside a block fails with probability 2 exp(-FAILURE)
_STEP, _LARGEST = 1.0 / 64.0, 96.0  # of the prefix sums' law
_HALVINGS = 50
_LEAST = 1e-300
_PER_DECADE = 32


def bracket(
    problem: ListRecord, policy: Record, checkpoints: np.ndarray, env: np.random.Generator, noise: np.random.Generator
) -> np.ndarray:
    """Draw a run and return the ends between which its regret lies.

    Parameters
    ----------
    problem : ListRecord
        Pareto arms.
    policy : Record
        Of `kernels.robust`, with thresholds that follow the pulls alone.
    checkpoints : int64 array, increasing
        Rounds, more than there are arms, up to 2^53.
    env, noise : numpy.random.Generator
        Of rewards and of the tree.

    Returns
    -------
    float64 array, shape (2, checkpoints)
        The least and the largest regret that the run can have.

    Raises
    ------
    ValueError
        If thresholds move with the round or a checkpoint is out of range.
    """
    t = np.asarray(checkpoints, np.int64)
    if policy.truncation_alpha != 0.0 or problem.shape == 0.0:
        raise ValueError("policy must have thresholds that follow the pulls alone, on Pareto arms")
    if t[0] <= len(problem.means) or t[-1] > 2**53:
        raise ValueError(f"checkpoints must be > {len(problem.means)} and <= 2^53, got {t[0]} and {t[-1]}")
    grid = np.unique(np.concatenate([_grid(len(problem.means), int(t[-1])), t]))
    return np.asarray(_bracket(problem, policy, grid, _laws(54 - PARTS), env, noise))[:, np.searchsorted(grid, t)]


def _grid(first: int, last: int) -> np.ndarray:
    """Rounds from `first` to `last`, all of them at first and then `_PER_DECADE`."""
    decades = math.log10(last / first)
    return np.unique(np.round(first * 10 ** np.linspace(0.0, decades, 2 + int(_PER_DECADE * decades))).astype(np.int64))


@compiled
def least_prefixes(levels):
    """Return the law of the least prefix sum of trees with unit Laplace noise.

    Parameters
    ----------
    levels : int
        >= 1.

    Returns
    -------
    float64 array, shape (levels, points)
        Row b: the probabilities that no sum of the nodes in use at the leaves 0, ..., 2^b - 1 of a block is below -x,
        at x = 0, 1/64, ...: the product of that of the first half and that of the second half, from its node on.
    """
    points = int(_LARGEST / _STEP) + 1
    decay = math.exp(-_STEP)
    near = 1.0 - (1.0 - decay) / _STEP  # weights of a linear piece's ends in its integral against exp(-distance)
    far = 1.0 - decay - near
    law = np.ones((levels, points))
    behind = np.zeros(points)
    for level in range(1, levels):
        before, row = law[level - 1], law[level]
        for j in range(1, points):
            behind[j] = decay * behind[j - 1] + far * before[j - 1] + near * before[j]
        ahead = 1.0
        row[points - 1] = before[points - 1]
        for j in range(points - 2, -1, -1):
            ahead = decay * ahead + near * before[j] + far * before[j + 1]
            row[j] = before[j] * 0.5 * (behind[j] + ahead)
    return law


_laws = cache(least_prefixes)


@compiled
def _quantile(law, probability):
    """The least x at which a law of `least_prefixes` has a probability."""
    if probability <= law[0]:
        return 0.0
    place = min(lower_bound(law, probability), len(law) - 1)
    return _STEP * (place - (law[place] - probability) / max(law[place] - law[place - 1], _LEAST))


@compiled
def _blocks(longest):
    """First pulls of the blocks up to `longest`, and one more."""
    starts = [1]
    while starts[-1] <= longest:
        size = 1
        while starts[-1] >> PARTS >= 2 * size:
            size *= 2
        starts.append(starts[-1] + size)
    return np.array(starts)


@compiled
def _sum(env, first, size, mean, shape, reach, inverse):
    """The sum of the truncated rewards first + 1, ..., first + size of an arm."""
    total, scale, least = 0.0, pareto_scale(mean, shape), (reach * (first + 1)) ** inverse
    if (reach * (first + size)) ** inverse < scale:
        return 0.0
    cut = max(min(scale * (size / TAIL) ** (1.0 / shape), least), scale)
    tail = size if cut == scale else env.binomial(size, (scale / cut) ** shape)
    for number in range(tail):
        place = number + 1 if tail == size else 1 + int(size * env.random())
        reward = cut * (1.0 - env.random()) ** (-1.0 / shape)
        if reward <= (reach * (first + place)) ** inverse:
            total += reward
    if tail == size:
        return total
    above = (scale / cut) ** shape
    one = truncated_moment(mean, shape, cut, 1.0) / (1.0 - above)
    two = truncated_moment(mean, shape, cut, 2.0) / (1.0 - above)
    body = float(size - tail)
    return total + body * one + math.sqrt(body * max(two - one * one, 0.0)) * env.standard_normal()


@compiled
def _path(env, noise, mean, policy, shape, starts, laws, low, high):
    """Fill in bounds on the least mean of an arm inside each block."""
    reach, inverse, scale = policy.truncation / policy.truncation_beta, 1.0 / (1.0 + policy.v), policy.scale
    tree = np.zeros(mechanisms.COUNTER_ROW)
    total, level = _sum(env, np.int64(0), np.int64(1), mean, shape, reach, inverse), 0
    for k in range(len(starts) - 1):
        s, size = starts[k], starts[k + 1] - starts[k]
        threshold = (reach * s) ** inverse
        prefix = mechanisms.tree_noise(noise, s, scale * threshold, tree)
        low[k] = high[k] = (total + prefix) / s
        if size > 1:
            while 1 << level < size:
                level += 1
            last, late = s + size - 1, (reach * (s + size)) ** inverse
            least = truncated_moment(mean, shape, threshold, 1.0)
            most = truncated_moment(mean, shape, late, 1.0)
            spread = math.sqrt(2.0 * FAILURE * size * truncated_moment(mean, shape, late, 2.0))
            below = min((total - spread) / s, (total - spread + (size - 1) * least) / last)
            if scale > 0.0:
                dip = _quantile(laws[level], noise.random())
                grown = late / threshold - 1.0
                peak = _quantile(laws[level], 1.0 - math.exp(-FAILURE))
                deep = prefix - scale * threshold * ((1.0 + grown) * dip + grown * peak)
                shallow = prefix - scale * threshold * dip
                below += deep / (s if deep < 0.0 else last)
                rise = spread + late * FAILURE / 3.0
                above = max((total + rise) / s, (total + rise + (size - 1) * most) / last)
                high[k] = min(high[k], above + shallow / (last if shallow < 0.0 else s))
            low[k] = min(high[k], below)
        total += _sum(env, s, size, mean, shape, reach, inverse)


@compiled
def _least_pulls(low, late, starts, pulls, level, radius):
    """The first pulls from `pulls` on at which an index may lie below a level."""
    k = lower_bound(starts, pulls + 1) - 1
    if low[k] + radius * late[k] < level:
        return pulls
    k += 1
    while k < len(low) and low[k] + radius * late[k] >= level:
        k += 1
    return starts[k]


@compiled
def _most_pulls(high, early, starts, pulls, level, radius):
    """Pulls from `pulls` on by which an index has been below a level."""
    k = lower_bound(starts, pulls)
    while k < len(high) and high[k] + radius * early[k] >= level:
        k += 1
    return starts[k + 1] - 1 if k < len(high) else starts[-1]


@compiled
def _level(many, ends, powers, starts, pulls, radius, rounds):
    """A level before which all arms have at least so many rounds, as `_total` counts; rounded up if it counts many.

    Infinite where they have them at once.
    """
    high, step = -np.inf, 1e-3
    for arm in range(len(pulls)):
        k = min(lower_bound(starts, pulls[arm] + 1), len(powers)) - 1
        high = max(high, ends[arm, k] + radius * powers[k])
    high += 1e-12 * (1.0 + abs(high))
    if _total(many, ends, powers, starts, pulls, high, radius) >= rounds:
        return np.inf
    while _total(many, ends, powers, starts, pulls, high - step, radius) < rounds:
        step *= 2.0
    low = high - step
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        if _total(many, ends, powers, starts, pulls, middle, radius) >= rounds:
            low = middle
        else:
            high = middle
    return high if many else low


@compiled
def _total(many, ends, powers, starts, pulls, level, radius):
    total = 0
    for arm in range(len(pulls)):
        if many:
            total += _most_pulls(ends[arm], powers, starts, pulls[arm], level, radius)
        else:
            total += _least_pulls(ends[arm], powers, starts, pulls[arm], level, radius)
    return total


@compiled
def _bracket(problem, policy, rounds, laws, env, noise):
    """Bounds on the regret at rounds that begin with the number of arms, when each has been pulled once."""
    means, best, n_arms, power = problem.means, problem.best, len(problem.means), policy.v / (1.0 + policy.v)
    starts, many = _blocks(rounds[-1]), len(rounds) > 0  # of a literal True functions would be compiled once more
    blocks = len(starts) - 1
    low, high = np.zeros((n_arms, blocks)), np.zeros((n_arms, blocks))
    for arm in range(n_arms):
        _path(env, noise, means[arm], policy, problem.shape, starts, laws, low[arm], high[arm])
    early, late = np.zeros(blocks), np.zeros(blocks)
    for k in range(blocks):
        early[k], late[k] = float(starts[k]) ** -power, (starts[k + 1] - 1.0) ** -power
    least, most = np.ones((len(rounds), n_arms), np.int64), np.ones((len(rounds), n_arms), np.int64)
    levels, regret = np.zeros(len(rounds)), np.zeros((2, len(rounds)))
    for mark in range(1, len(rounds)):
        t = rounds[mark]
        before, after = _radius(policy, rounds[mark - 1] + 1, power), _radius(policy, t, power)
        above = _level(many, high, early, starts, most[mark - 1], after, t)
        levels[mark] = _level(not many, low, late, starts, least[mark - 1], before, t)
        for arm in range(n_arms):
            least[mark, arm] = _least_pulls(low[arm], late, starts, least[mark - 1, arm], above, before)
            # since any earlier round, by the least level since then: an arm that is not pulled gains one block in all
            found, span, level = t, 1, np.inf
            for since in range(mark - 1, -1, -1):
                level = min(level, levels[since + 1])
                if mark - since == span or since == 0:
                    span *= 2
                    found = min(found, _most_pulls(high[arm], early, starts, most[since, arm], level, after))
            most[mark, arm] = found
        fewest, largest = 0, 0
        for arm in range(n_arms):
            fewest += least[mark, arm]
            largest += most[mark, arm]
        for arm in range(n_arms):
            gap, floor, ceiling = max(best - means[arm], 0.0), least[mark, arm], most[mark, arm]
            least[mark, arm] = max(floor, t - (largest - ceiling))
            most[mark, arm] = min(ceiling, t - (fewest - floor))
            regret[0, mark] += gap * least[mark, arm]
            regret[1, mark] += gap * most[mark, arm]
    return regret


@compiled
def _radius(policy, t, power):
    return policy.factor * (policy.alpha * math.log(t) + policy.beta) ** power
