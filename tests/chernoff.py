"""Chernoff's bound for reports in [0, 1] and Laplace noises, its rate found by SciPy."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import minimize_scalar


def chernoff(log_tail, samples, scales):
    """What their sum exceeds its mean by with probability e^-log_tail at most."""
    scales = np.array(scales)

    def bound(rate):
        return (log_tail + samples * rate**2 / 8 - np.log(1 - (rate * scales) ** 2).sum()) / rate

    end = min(1 / scales.max(initial=1e-9), math.sqrt(8 * log_tail / samples) if samples else math.inf)
    return minimize_scalar(bound, bounds=(0, end), method="bounded", options={"xatol": 1e-9 * end}).fun
