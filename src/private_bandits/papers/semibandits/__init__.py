"""Chen et al. (2020), *(Locally) Differentially Private Combinatorial Semi-Bandits*.

Boxes, instances, graphs, bounds, lemmas, experiments, claims.
"""

from private_bandits._moved import forward
from private_bandits.papers.semibandits.boxes import cucb, cucb_dp, cucb_dp_least_pulled, cucb_ldp1, cucb_ldp2
from private_bandits.papers.semibandits.graphs import maximum_spanning_tree, online_shortest_path
from private_bandits.papers.semibandits.instances import coverage, k_path, one_valuable, public_arms, rescaled, top_k

__all__ = [
    "coverage",
    "cucb",
    "cucb_dp",
    "cucb_dp_least_pulled",
    "cucb_ldp1",
    "cucb_ldp2",
    "k_path",
    "maximum_spanning_tree",
    "one_valuable",
    "online_shortest_path",
    "public_arms",
    "rescaled",
    "top_k",
]

forward(__name__)
