"""The self-concordant barrier of the ball, and the minimiser that follows a regularised leader.

R(x) = -ln(1 - |x|^2 / radius^2), with nu = 1.
"""

import math

import numpy as np

from private_bandits.compilation import compiled
from private_bandits.kernels.parts.cholesky import dot, eliminate, solve_transposed, solve_upper

NEWTON_STEPS = 200


@compiled(borrows=True)
def barrier(radius, x, slope, hessian):
    """Write gradient and Hessian of the barrier at an interior point.

    Parameters
    ----------
    radius : float
        Of the ball, > 0.
    x : float64 array, shape (dim,)
    slope : float64 array, shape (dim,), written
    hessian : float64 array, shape (dimension, dimension), written
    """
    room = radius * radius - dot(x, x)
    for i in range(len(x)):
        slope[i] = 2.0 * x[i] / room
        for j in range(len(x)):
            hessian[i, j] = 4.0 * x[i] * x[j] / (room * room)
        hessian[i, i] += 2.0 / room


@compiled(borrows=True)
def ftrl_step(radius, step, linear, pull, x, slope, hessian):
    """Move x to the minimiser of step (<linear, x> + pull |x|^2 / 2) + R(x) by damped Newton steps.

    The function is self-concordant, so a step divided by 1 + its Newton decrement stays inside the set and descends.

    Parameters
    ----------
    radius : float
        Of the ball, > 0.
    step : float
        > 0.
    linear : float64 array, shape (dim,)
    pull : float
        >= 0.
    x : float64 array, shape (dim,), written
        An interior point.
    slope, hessian : float64 arrays, shapes (dim,) and (dimension, dimension), scratch
    """
    last = np.inf
    for _ in range(NEWTON_STEPS):
        barrier(radius, x, slope, hessian)
        for i in range(len(x)):
            slope[i] += step * (linear[i] + pull * x[i])
            hessian[i, i] += step * pull
        eliminate(hessian, 0.0)
        solve_transposed(hessian, slope)
        decrement = math.sqrt(dot(slope, slope))
        if decrement < 1e-10 or (decrement < 1e-5 and decrement >= last):  # no digit is left to gain
            return
        solve_upper(hessian, slope)
        for i in range(len(x)):
            x[i] -= slope[i] / (1.0 + (decrement if decrement > 0.25 else 0.0))
        last = decrement
