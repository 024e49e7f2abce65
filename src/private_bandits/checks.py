"""Argument checks of the public boundary: one message form, nothing clipped silently."""

import math
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np


def real(
    name: str,
    value: Any,
    *,
    above: float | None = None,
    at_least: float | None = None,
    below: float | None = None,
    at_most: float | None = None,
    infinite: bool = False,
) -> float:
    """Check that a value is a number in a range.

    Parameters
    ----------
    name : str
        Of the argument, for the message.
    value : object
        A real number; bools and NaN are refused.
    above, at_least, below, at_most : float, optional
        Ends of the range, left out or included.
    infinite : bool
        Whether +infinity is allowed.

    Returns
    -------
    float
        The value.

    Raises
    ------
    ValueError
        If it is not such a number; the message names the range.
    """
    number = float(value) if isinstance(value, Real) and not isinstance(value, (bool, np.bool_)) else math.nan
    finite = math.isfinite(number) or (infinite and number > 0)
    if finite and _inside(number, above, at_least, below, at_most):
        return number
    allowed = _range(above, at_least, below, at_most)
    if math.isnan(number):
        raise ValueError(f"{name} must be a number{allowed and ' ' + allowed}, got {value!r}")
    if not finite:
        raise ValueError(f"{name} must be finite{allowed and ' and ' + allowed}, got {value!r}")
    raise ValueError(f"{name} must be {allowed}, got {value!r}")


def integer(name: str, value: Any, *, at_least: int | None = None, at_most: int | None = None) -> int:
    """Check that a value is an integer in a range.

    Parameters
    ----------
    name : str
        Of the argument, for the message.
    value : object
        An integer; bools and floats are refused, even integral floats.
    at_least, at_most : int, optional
        Ends of the range, included.

    Returns
    -------
    int
        The value.

    Raises
    ------
    ValueError
        If it is not such an integer.
    """
    number = int(value) if isinstance(value, Integral) and not isinstance(value, (bool, np.bool_)) else None
    if number is not None and _inside(number, None, at_least, None, at_most):
        return number
    allowed = _range(None, at_least, None, at_most)
    if number is None:
        raise ValueError(f"{name} must be an integer{allowed and ' ' + allowed}, got {value!r}")
    raise ValueError(f"{name} must be {allowed}, got {value!r}")


def epsilon(value: Any, name: str = "epsilon") -> float:
    """Check a privacy parameter.

    Parameters
    ----------
    value : object
        A number > 0, or infinity for no privacy.
    name : str
        Of the argument, for the message.

    Returns
    -------
    float
        The value.

    Raises
    ------
    ValueError
        If it is not such a number.
    """
    return real(name, value, above=0, infinite=True)


def delta(value: Any, name: str = "delta") -> float:
    """Check an error probability.

    Parameters
    ----------
    value : object
        A number in (0, 1).
    name : str
        Of the argument, for the message.

    Returns
    -------
    float
        The value.

    Raises
    ------
    ValueError
        If it is not such a number.
    """
    return real(name, value, above=0, below=1)


def vector(name: str, value: Any, *, at_least: float | None = None, at_most: float | None = None) -> np.ndarray:
    """Check that a value is a list of numbers in a range.

    Parameters
    ----------
    name : str
        Of the argument, for the message.
    value : object
        A non-empty sequence or array of real numbers.
    at_least, at_most : float, optional
        Ends of the range of every entry, included.

    Returns
    -------
    float64 array, shape (entries,)
        A copy.

    Raises
    ------
    ValueError
        If it is not such a list; the message names the entry.
    """
    entries = value.tolist() if isinstance(value, np.ndarray) else value
    if isinstance(entries, (str, bytes)) or not isinstance(entries, Sequence):
        raise ValueError(f"{name} must be a list of numbers, got {value!r}")
    if len(entries) == 0:
        raise ValueError(f"{name} must not be empty, got {value!r}")
    return np.array([real(f"{name}[{i}]", x, at_least=at_least, at_most=at_most) for i, x in enumerate(entries)])


def choice(name: str, value: Any, allowed: Sequence[str]) -> str:
    """Check that a value is one of several words.

    Parameters
    ----------
    name : str
        Of the argument, for the message.
    value : object
        One of the words.
    allowed : sequence of str
        The words.

    Returns
    -------
    str
        The value.

    Raises
    ------
    ValueError
        If it is none of them.
    """
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {value!r}")
    return str(value)


def _inside(
    number: float, above: float | None, at_least: float | None, below: float | None, at_most: float | None
) -> bool:
    return (
        (above is None or number > above)
        and (at_least is None or number >= at_least)
        and (below is None or number < below)
        and (at_most is None or number <= at_most)
    )


def _range(above: float | None, at_least: float | None, below: float | None, at_most: float | None) -> str:
    words = (("> ", above), (">= ", at_least), ("< ", below), ("<= ", at_most))
    return " and ".join(f"{sign}{bound:g}" for sign, bound in words if bound is not None)
