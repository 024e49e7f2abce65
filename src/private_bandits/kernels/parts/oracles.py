"""The super arm of the largest value, found by a scan of all sets, with random ties."""

from private_bandits.compilation import compiled
from private_bandits.kernels.parts.selection import top_item
from private_bandits.problems.families import set_value


@compiled(borrows=True)
def answer(family, indices, failed, choice, order, worth, missed):
    """Write the oracle's super arm for the indices.

    Parameters
    ----------
    family : Family
        Whose super arms are listed.
    indices : float64 array, shape (n_arms,)
    failed : bool
        Return a uniformly random super arm.
    choice : numpy.random.Generator
        A random super arm, and ties, uniformly random among sets of exactly equal value; read only where one matters.
    order : int64 array, shape (list_size,), written
        -1 beyond the size of the super arm.
    worth : float64 array, an entry per set, scratch
    missed : float64 array, an entry of 1 per target, scratch

    Returns
    -------
    int
        Size of the super arm.
    """
    row = _scan(family, indices, failed, choice, worth, missed)
    for position in range(len(order)):
        order[position] = family.sets[row, position]
    return family.sizes[row]


@compiled(inline="always")
def _scan(family, indices, failed, choice, worth, missed):
    sets, sizes, reward = family.sets, family.sizes, family.reward
    weights, targets = family.weights, family.targets
    if failed:
        return int(choice.random() * len(sets)) if len(sets) > 1 else 0
    for row in range(len(sets)):
        worth[row] = set_value(reward, weights, targets, indices, sets[row], sizes[row], missed)
    return top_item(worth, choice)
