"""The instances of Chen et al. (2020), and families on which K can grow while all else stays.

Base arms that are not in the best super arm number n_arms - size in every family but `coverage`, whose base arms are
the pairs of a node and a target. `gap` is the regret Delta of one round; on top-K it is also the
distance of two means, on a K-path that distance is gap / (b_1 size).
"""

import numpy as np

from private_bandits import checks
from private_bandits.problems import SemiBandit, SetBandit

REACH = 0.35  # the proofs ask for a distance of means below this


def top_k(n_arms: int, list_size: int, gap: float) -> SemiBandit:
    """Top-K, linear: `list_size` arms of mean 1/2, the others of 1/2 - gap; B_1 = 1.

    Not in the paper, whose instances make arms share draws.

    Parameters
    ----------
    n_arms, list_size : int
        m and K, 1 <= list_size < n_arms.
    gap : float
        Delta, in (0, 1/2].

    Returns
    -------
    SemiBandit

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> top_k(4, 2, 0.25).means.tolist()
    [0.5, 0.5, 0.25, 0.25]
    """
    arms, chosen = _sizes(n_arms, list_size)
    checks.real("gap", gap, above=0, at_most=0.5)
    return SemiBandit.top_k(np.where(np.arange(arms) < chosen, 0.5, 0.5 - gap), chosen)


def k_path(n_arms: int, list_size: int, gap: float, *, b_1: float = 1.0) -> SetBandit:
    """The K-path instance of Theorem 6: n_arms/list_size disjoint paths, the arms of a path share one draw.

    The reward of a path is b_1 times the sum of its weights; means are 1/2 on the best path, else
    1/2 - gap/(b_1 list_size).

    Parameters
    ----------
    n_arms, list_size : int
        n_arms a multiple of list_size, at least twice it.
    gap : float
        Delta, in (0, 0.35 b_1 list_size).
    b_1 : float
        Smoothness, > 0.

    Returns
    -------
    SetBandit

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> problem = k_path(4, 2, 0.5)
    >>> problem.sets, problem.means.tolist(), problem.b_inf
    (((0, 1), (2, 3)), [0.5, 0.5, 0.25, 0.25], 2.0)
    """
    check_paths(n_arms, list_size)
    distance = means_apart(gap, checks.real("b_1", b_1, above=0) * list_size, "b_1 list_size")
    arms = np.arange(n_arms)
    means = np.where(arms < list_size, 0.5, 0.5 - distance)
    return SemiBandit.from_sets(
        means, arms.reshape(-1, list_size).tolist(), weights=b_1, groups=(arms // list_size).tolist()
    )


def public_arms(n_arms: int, list_size: int, gap: float, *, b_1: float = 1.0) -> SemiBandit:
    """The public-arm instance of Theorem 9: K arms of the best super arm, K - 1 public arms, the others private.

    A suboptimal super arm is one of the n_arms - 2 list_size + 1 private arms with all public ones, which share a draw.
    The best one has means 1/2, all other arms 1/2 - gap/(b_1 list_size). Order of arms: best, public, private.

    Parameters
    ----------
    n_arms, list_size : int
        K >= 1 and m >= 2 K. The print gives the best super arm m arms; it means K.
    gap : float
        Delta, in (0, 0.35 b_1 list_size).
    b_1 : float
        Smoothness, > 0.

    Returns
    -------
    SetBandit

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> public_arms(6, 2, 0.5).sets
    ((0, 1), (2, 3), (2, 4), (2, 5))
    """
    chosen = checks.integer("list_size", list_size, at_least=1)
    arms = checks.integer("n_arms", n_arms, at_least=2 * chosen)
    distance = means_apart(gap, checks.real("b_1", b_1, above=0) * chosen, "b_1 list_size")
    public = list(range(chosen, 2 * chosen - 1))
    sets = [list(range(chosen)), *([*public, arm] for arm in range(2 * chosen - 1, arms))]
    groups = [0 if arm in public else -1 for arm in range(arms)]
    means = np.where(np.arange(arms) < chosen, 0.5, 0.5 - distance)
    return SemiBandit.from_sets(means, sets, weights=b_1, groups=groups)


KINDS = ("one matters", "max-path", "top-K", "K-path", "windows")


def separated(kind: str, *, others: int, list_size: int, distance: float, best: float = 1.0) -> SemiBandit:
    """A family on which K grows at one number of bad arms: `list_size` arms of mean `best`, others `distance` below.

    Not in the paper. At best = 1 an index that is cut there puts a bad arm aside exactly when its radius is below the
    distance, so that no radius of a good arm bends a power; without privacy the lower bounds are 0 there.

    Parameters
    ----------
    kind : {"one matters", "max-path", "top-K", "K-path", "windows"}
        * `one matters`: one arm of value and the same K - 1 dummies, of mean 1/2 and weight 0: B_inf = B_1 = 1.
        * `max-path`: disjoint paths, a path worth its largest mean, the arms of a path share a draw: B_inf = B_1 = 1.
        * `top-K`: any `list_size` arms, a sum.
        * `K-path`: that of `k_path`, a sum.
        * `windows`: `list_size` arms in a row, of a sum; the good ones come first.
    others : int
        Bad arms, >= 1; in `max-path` and `K-path` a multiple of list_size.
    list_size : int
        K >= 1.
    distance : float
        Of the means, in (0, best].
    best : float
        In (0, 1].

    Returns
    -------
    SemiBandit

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> problem = separated("max-path", others=4, list_size=2, distance=0.25)
    >>> problem.sets, problem.means.tolist(), problem.b_inf
    (((0, 1), (2, 3), (4, 5)), [1.0, 1.0, 0.75, 0.75, 0.75, 0.75], 1.0)
    """
    checks.choice("kind", kind, KINDS)
    good, bad = checks.integer("list_size", list_size, at_least=1), checks.integer("others", others, at_least=1)
    top = checks.real("best", best, above=0, at_most=1)
    low = top - checks.real("distance", distance, above=0, at_most=top)
    means = np.where(np.arange(good + bad) < good, top, low)
    if kind == "top-K":
        return SemiBandit.top_k(means, good)
    if kind == "windows":
        return SemiBandit.from_sets(means, [range(first, first + good) for first in range(bad + 1)])
    if kind == "one matters":
        dummies = list(range(bad + 1, good + bad))
        weights = np.where(np.arange(good + bad) <= bad, 1.0, 0.0)
        means = np.select([np.arange(good + bad) < 1, weights > 0], [top, low], 0.5)
        return SemiBandit.from_sets(means, [[arm, *dummies] for arm in range(bad + 1)], weights=weights)
    if bad % good:
        raise ValueError(f"others must be a multiple of list_size={good}, got {bad}")
    paths, reward = np.arange(good + bad).reshape(-1, good), "largest" if kind == "max-path" else "linear"
    return SemiBandit.from_sets(means, paths.tolist(), reward=reward, groups=(np.arange(good + bad) // good).tolist())


def coverage(*, n_nodes: int, n_targets: int, n_chosen: int, p: float, gap: float) -> SetBandit:
    """Probabilistic maximum coverage: `n_chosen` nodes that reach each target with probability p, others with p - gap.

    Parameters
    ----------
    n_nodes, n_targets, n_chosen : int
        1 <= n_chosen < n_nodes; the base arms are the n_nodes n_targets pairs, and K = n_chosen n_targets.
    p, gap : float
        p in (0, 1], gap in (0, p].

    Returns
    -------
    SetBandit

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> problem = coverage(n_nodes=3, n_targets=2, n_chosen=1, p=0.5, gap=0.25)
    >>> problem.sets, problem.best
    (((0, 1), (2, 3), (4, 5)), 1.0)
    """
    nodes, chosen = _sizes(n_nodes, n_chosen, ("n_nodes", "n_chosen"))
    checks.integer("n_targets", n_targets, at_least=1)
    checks.real("p", p, above=0, at_most=1)
    checks.real("gap", gap, above=0, at_most=p)
    reach = np.where(np.arange(nodes) < chosen, p, p - gap)
    return SemiBandit.coverage(np.repeat(reach[:, None], n_targets, axis=1), chosen)


def _sizes(of: int, chosen: int, names: tuple[str, str] = ("n_arms", "list_size")) -> tuple[int, int]:
    number = checks.integer(names[0], of, at_least=2)
    return number, checks.integer(names[1], chosen, at_least=1, at_most=number - 1)


def means_apart(gap: float, scale: float, words: str) -> float:
    """Return the distance of the means, gap / scale, within the range of the proofs.

    Parameters
    ----------
    gap : float
        Distance of the rewards, > 0 and less than `REACH` times the scale.
    scale : float
        What the rewards have for a distance 1 of the means, > 0.
    words : str
        What the scale is, for the message.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If the gap is out of range.
    """
    apart, unit = checks.real("gap", gap, above=0), checks.real(words, scale, above=0)
    if not apart < REACH * unit:
        raise ValueError(f"gap must be < {REACH:g} {words} = {REACH * unit:g}, got {checks.brief(gap)}")
    return apart / unit


def check_paths(n_arms: int, list_size: int) -> None:
    """Raise a ValueError unless n_arms is a multiple of list_size and at least twice it.

    Parameters
    ----------
    n_arms, list_size : int
        m and K.

    Raises
    ------
    ValueError
        If they do not fit.
    """
    path = checks.integer("list_size", list_size, at_least=1)
    if checks.integer("n_arms", n_arms, at_least=2 * path) % path:
        raise ValueError(f"n_arms must be a multiple of list_size={path}, got {n_arms}")
