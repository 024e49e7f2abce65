"""The binary mechanism read at some items only: a leaf a round, a release where an arm reports."""

from __future__ import annotations

from private_bandits import mechanisms
from private_bandits._compiled import compiled


@compiled
def tree_noise_at(rng, n, last, node_scale, row):
    """Noise of the binary mechanism's release after item n, the release before it having come after item `last`.

    The nodes that both sums share keep their noise; each node that is new in the sum is drawn, the largest first. A
    node that was skipped is never released, so the releases have the joint law of those of `mechanisms.tree_noise` at
    the same items; at n = last + 1 they are its very draws. The draws are at most one per item.

    Parameters
    ----------
    rng : numpy.random.Generator
    n, last : int
        Items, 0 <= last < n; last = 0 before the first release.
    node_scale : float
        Laplace scale of a node; nothing is drawn at 0.
    row : float64 array, shape (mechanisms.COUNTER_ROW,)
        State, zeros before the first release: position d holds the noise of the d largest nodes in use.
    """
    if node_scale == 0.0:
        return 0.0
    bit = 0
    while (n ^ last) >> (bit + 1):
        bit += 1
    place = 0
    above = n >> (bit + 1)  # the largest nodes, which both sums have
    while above:
        above &= above - 1
        place += 1
    while bit >= 0:
        if (n >> bit) & 1:
            row[place + 1] = row[place] + mechanisms.laplace(rng, node_scale)
            place += 1
        bit -= 1
    return row[place]
