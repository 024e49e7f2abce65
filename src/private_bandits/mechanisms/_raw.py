"""What compiled loops call: samplers and counters that check none of their arguments, and so are not exported."""

from private_bandits.mechanisms.concentration import chernoff_exponent, chernoff_rate
from private_bandits.mechanisms.counters import COUNTER_ROW, hybrid_noise, hybrid_noises, tree_noise, tree_noise_at
from private_bandits.mechanisms.noise import gaussian, geometric, hypercube, laplace, respond

__all__ = ["COUNTER_ROW", "chernoff_exponent", "chernoff_rate", "gaussian", "geometric", "hybrid_noise"]
__all__ += ["hybrid_noises", "hypercube", "laplace", "respond", "tree_noise", "tree_noise_at"]
