"""Noise, counters and their calibration: each randomiser exists once, compiled.

`calibration` turns a privacy parameter into a scale and back, `noise` holds the compiled samplers, `counters`
the continual counters built on them, `concentration` how far sums of noise stray. Kernels, classes and audits call
these functions and no others; what checks none of its arguments is not exported here.
"""

from private_bandits.mechanisms.calibration import (
    gaussian_epsilon,
    gaussian_sigma,
    laplace_scale,
    response_probabilities,
)
from private_bandits.mechanisms.counters import HybridCounter, TreeCounter, lemma_1_constant
from private_bandits.mechanisms.noise import randomized_response

__all__ = ["HybridCounter", "TreeCounter", "gaussian_epsilon", "gaussian_sigma", "laplace_scale"]
__all__ += ["lemma_1_constant", "randomized_response", "response_probabilities"]
