"""What the chapter's policies are found by."""

from private_bandits.papers import cascading as paper
from private_bandits_book.studies import key

_POLICIES = [paper.cascade_ucb1(), paper.repaired_local(1.0, 1), paper.repaired_central(1.0, 2, 1, 2)]
_POLICIES += [paper.cucb_gaussian(1.0, 1e-3, 2, 1), paper.ucb_laplace(1.0, 1), paper.ucb_gaussian(1.0, 1e-3, 1)]
_POLICIES += [paper.ucb_composition(1.0, 1e-3, 1), paper.ucb_hybrid(1.0, 2, 2, variant="proof")]
_POLICIES += [paper.ucb_hybrid(1.0, 2, 2), paper.uniform()]
_POLICIES += [paper.repaired_padded(1.0, 1), paper.repaired_padded(1.0, 1, 1e-3)]
_POLICIES += [paper.repaired_padded(1.0, 1, over="displays")]
MADE = {key(policy): policy for policy in _POLICIES}
"""The policies that are asked for, at any numbers, by their keys."""
PLAIN, FIRST, CENTRAL, CUCB, LAPLACE, GAUSSIAN, COMPOSITION, HYBRID, HYBRID_PRINTED, UNIFORM, *_DESIGNS = MADE
PADDED, PADDED_GAUSSIAN, DISPLAYS = _DESIGNS
