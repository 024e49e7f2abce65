"""Semi-bandits of every kind that the index kernel plays: decision sets, rewards, shared draws, oracles."""

from __future__ import annotations

from private_bandits.papers.semibandits import instances
from private_bandits.problems import SemiBandit

MEANS = [0.9, 0.8, 0.3, 0.3, 0.6, 0.1]
MIXED = [[0, 1], [2], [3, 4, 5], [5, 0], [1, 3, 2]]
PATHS = [[0, 1], [2, 3], [4, 5]]
TABLE = [[0.5, 0.1, 0.0], [0.4, 0.4, 0.4], [0.1, 0.5, 0.2], [0.3, 0.0, 0.5]]
KINDS = {
    "top-1": SemiBandit.top_k(MEANS, 1),
    "top-3": SemiBandit.top_k(MEANS, 3),
    "all": SemiBandit.top_k(MEANS, 6),
    "mixed sizes": SemiBandit.from_sets(MEANS, MIXED),
    "weights": SemiBandit.from_sets(MEANS, MIXED, weights=[2.0, 0.0, 1.0, 0.5, 3.0, 0.0]),
    "groups": SemiBandit.from_sets(MEANS, PATHS, groups=[0, 0, 1, 1, -1, -1]),
    "max": SemiBandit.from_sets(MEANS, MIXED, reward="max"),
    "coverage": SemiBandit.coverage(TABLE, 2),
}
INSTANCES = {
    "top-K": instances.top_k(6, 3, 0.3),
    "K-path": instances.k_path(6, 2, 0.8, b_1=2.0),
    "public": instances.public_arms(8, 3, 0.3),
    "one valuable": instances.separated("one matters", others=3, list_size=3, distance=0.1, best=0.5),
}
OURS = {  # for the algorithms of the book, which scan listed super arms
    "K-path": instances.separated("K-path", others=6, list_size=3, distance=0.4),
    "windows": instances.separated("windows", others=5, list_size=3, distance=0.4, best=0.8),
    "public": instances.public_arms(8, 3, 0.9),
    "largest": instances.separated("max-path", others=4, list_size=2, distance=0.5),
    "coverage": instances.coverage(n_nodes=4, n_targets=2, n_chosen=2, p=0.7, gap=0.3),
    "mixed": SemiBandit.from_sets([0.9, 0.8, 0.3, 0.6], [[0, 1], [2], [1, 2, 3]], weights=[1.0, 0.5, 2.0, 0.0]),
}
