"""Private Bandits: a reproducible companion to five papers on what privacy costs a bandit learner."""

from private_bandits._compiled import fresh_cache

with fresh_cache():
    from private_bandits.simulate import simulate

__all__ = ["simulate"]
__version__ = "0.1.0"
