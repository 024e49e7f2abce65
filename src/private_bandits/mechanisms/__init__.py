"""Noise, counters and their calibration: each randomiser exists once, compiled.

`calibration` turns a privacy parameter into a scale and back, `noise` holds the compiled samplers, `counters`
the continual counters built on them, `tails` how far sums of noise stray. Kernels, classes and audits call these
functions and no others.
"""

from private_bandits._moved import forward
from private_bandits.mechanisms.calibration import (
    gaussian_delta,
    gaussian_epsilon,
    gaussian_sigma,
    laplace_scale,
    response_probabilities,
)
from private_bandits.mechanisms.counters import (
    COUNTER_ROW,
    HybridCounter,
    TreeCounter,
    hybrid_noise,
    hybrid_noises,
    lemma_1_constant,
    tree_noise,
    tree_noise_at,
)
from private_bandits.mechanisms.noise import gaussian, hypercube, laplace, randomized_response, respond
from private_bandits.mechanisms.tails import chernoff_exponent, chernoff_rate

__all__ = [
    "COUNTER_ROW",
    "HybridCounter",
    "TreeCounter",
    "chernoff_exponent",
    "chernoff_rate",
    "gaussian",
    "gaussian_delta",
    "gaussian_epsilon",
    "gaussian_sigma",
    "hybrid_noise",
    "hybrid_noises",
    "hypercube",
    "laplace",
    "laplace_scale",
    "lemma_1_constant",
    "randomized_response",
    "respond",
    "response_probabilities",
    "tree_noise",
    "tree_noise_at",
]


forward(__name__)
