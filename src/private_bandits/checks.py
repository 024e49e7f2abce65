"""Argument checks of the public boundary: one message form, nothing clipped silently."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from numbers import Integral, Real
from typing import Any, TypeVar

import numpy as np

_T = TypeVar("_T")

ROUNDS = 2**62
"""The most rounds of a run: compiled code counts in 64 bits."""
LARGEST = 1e150
"""The largest number of what plays or draws: the square of a larger one is no float."""
LEAST_EPSILON = 1e-9
"""The least epsilon of what plays or draws: below it noise drowns any count, and answers tell nothing."""

LEAST_DELTA = 1e-300
"""The least probability of a failure where something is played or drawn: its share among rounds must be a float."""

_FORMULA: ContextVar[bool] = ContextVar("formula", default=False)


def brief(value: Any) -> str:
    """Show what was given in a message: its start, if it is long.

    Parameters
    ----------
    value : object

    Returns
    -------
    str
        At most 60 characters.
    """
    try:
        text = " ".join((repr(value) if isinstance(value, str | bytes) else str(value)).split())
    except ValueError:  # Python writes no integer of more than 4,300 digits
        text = "more digits than can be written"
    return text if len(text) <= 60 else f"{text[:56]} ..."


def listed(value: Any) -> bool:
    """Say whether a value is a list of something.

    Parameters
    ----------
    value : object

    Returns
    -------
    bool
        True for a sequence or array that is not empty, and no text.
    """
    sequence = isinstance(value, Sequence) and not isinstance(value, str | bytes)
    return (sequence and len(value) > 0) or (isinstance(value, np.ndarray) and value.ndim > 0 and value.size > 0)


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
        A real number, in size at most `LARGEST` or, in a `formula`, what a float holds; bools and NaN are refused.
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
    number = held(value) if isinstance(value, Real) and not isinstance(value, bool | np.bool_) else math.nan
    finite = math.isfinite(number) or (infinite and number == math.inf == value)
    if finite and _inside(number, above, at_least, below, at_most):
        if LARGEST < abs(number) < math.inf and not _FORMULA.get():
            raise ValueError(f"{name} must be at most {LARGEST:g} in size, got {brief(value)}")
        return number
    allowed = _range(above, at_least, below, at_most)
    if math.isnan(number):
        raise ValueError(f"{name} must be a number{allowed and ' ' + allowed}, got {brief(value)}")
    if not finite:
        raise ValueError(f"{name} must be finite{allowed and ' and ' + allowed}, got {brief(value)}")
    raise ValueError(f"{name} must be {allowed}, got {brief(value)}")


def integer(name: str, value: Any, *, at_least: int | None = None, at_most: int | None = None) -> int:
    """Check that a value is an integer in a range.

    Parameters
    ----------
    name : str
        Of the argument, for the message.
    value : object
        An integer that a float holds; bools and floats are refused, even integral floats.
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
    number = int(value) if isinstance(value, Integral) and not isinstance(value, bool | np.bool_) else None
    fits = number is not None and math.isfinite(held(number))
    if number is not None and fits and _inside(number, None, at_least, None, at_most):
        return number
    few = number is None or number <= ROUNDS
    end = None if few and at_most == ROUNDS else at_most  # the most rounds are named only where they are exceeded
    allowed = _range(None, at_least, None, end)
    if number is None:
        raise ValueError(f"{name} must be an integer{allowed and ' ' + allowed}, got {brief(value)}")
    if not fits and at_most is None:
        raise ValueError(f"{name} must be finite{allowed and ' and ' + allowed}, got {brief(value)}")
    raise ValueError(f"{name} must be {allowed}, got {brief(value)}")


def held(value: Any) -> float:
    """Return a real number as a float, infinite where no float holds it.

    Parameters
    ----------
    value : int, float, fraction or another real number

    Returns
    -------
    float
    """
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def epsilon(value: Any, name: str = "epsilon", *, infinite: bool = True) -> float:
    """Check a privacy parameter.

    Parameters
    ----------
    value : object
        A number >= `LEAST_EPSILON`, or infinity for no privacy; in a `formula` any number > 0.
    name : str
        Of the argument, for the message.
    infinite : bool
        Whether infinity is allowed.

    Returns
    -------
    float
        The value.

    Raises
    ------
    ValueError
        If it is not such a number.
    """
    number = real(name, value, above=0, infinite=infinite)
    if number < LEAST_EPSILON and not _FORMULA.get():
        raise ValueError(f"{name} must be >= 1e-9 where something is played or drawn, got {brief(value)}")
    return number


@contextmanager
def quietly() -> Iterator[None]:
    """Let numbers fall below the smallest float, whatever the caller has asked NumPy and SciPy for.

    Returns
    -------
    context manager
    """
    import scipy.special  # imported where it is used, as commands that only read check too

    with np.errstate(under="ignore"), scipy.special.errstate(all="ignore"):
        yield


@contextmanager
def formula() -> Iterator[None]:
    """Let numbers be as small and large as floats in this block, or in the function that this decorates.

    Nothing is played there: an epsilon is any number > 0. What NumPy computes may overflow to infinity, or
    underflow to 0, without a warning.

    Yields
    ------
    None

    Examples
    --------
    >>> with formula():
    ...     epsilon(1e-12)
    1e-12
    """
    before = _FORMULA.set(True)
    try:
        with quietly(), np.errstate(over="ignore", divide="ignore"):
            yield
    finally:
        _FORMULA.reset(before)


def delta(value: Any, name: str = "delta") -> float:
    """Check an error probability.

    Parameters
    ----------
    value : object
        A number in (0, 1), at least `LEAST_DELTA` or, in a `formula`, any.
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
    number = real(name, value, above=0, below=1)
    if number < LEAST_DELTA and not _FORMULA.get():
        raise ValueError(f"{name} must be >= {LEAST_DELTA:g} where something is played or drawn, got {brief(value)}")
    return number


def log_horizon(value: Any) -> float:
    """Check the horizon of a formula in which only its logarithm stands, so that it may be beyond what a float holds.

    Parameters
    ----------
    value : object
        An integer >= 1.

    Returns
    -------
    float
        ln T.

    Raises
    ------
    ValueError
        If it is not such an integer.

    Examples
    --------
    >>> round(log_horizon(10**1000), 1)
    2302.6
    """
    if isinstance(value, Integral) and not isinstance(value, bool | np.bool_) and int(value) >= 1:
        return math.log(int(value))
    return math.log(integer("horizon", value, at_least=1))


def kind(name: str, value: Any, of: type[_T]) -> _T:
    """Check that a value is of a class.

    Parameters
    ----------
    name : str
        Of the argument, for the message.
    value : object
        An instance of the class, or of a subclass.
    of : type

    Returns
    -------
    object
        The value.

    Raises
    ------
    ValueError
        If it is none.
    """
    if not isinstance(value, of):
        raise ValueError(f"{name} must be a {of.__name__}, got {brief(value)}")
    return value


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
    if not listed(entries):
        wanted = "not be empty" if isinstance(entries, list | tuple) else "be a list of numbers"
        raise ValueError(f"{name} must {wanted}, got {brief(value)}")
    return np.array([real(f"{name}[{i}]", x, at_least=at_least, at_most=at_most) for i, x in enumerate(entries)])


def array(name: str, value: Any, *, ndim: int | None = None) -> np.ndarray:
    """Check that a value is an array of finite numbers.

    Parameters
    ----------
    name : str
        Of the argument, for the message.
    value : array_like
        Not empty, of at least one dimension; no entry is masked.
    ndim : int, optional
        How many dimensions it must have; default: any.

    Returns
    -------
    float64 array
        A copy.

    Raises
    ------
    ValueError
        If it is none.
    """
    try:
        numbers = np.array(value)
    except (ValueError, TypeError, OverflowError):  # rows of different lengths, or numbers that are none of NumPy's
        numbers = np.zeros(0)
    fit = numbers.dtype.kind in "iuf" and numbers.size > 0 and numbers.ndim > 0 and ndim in (None, numbers.ndim)
    if not fit or isinstance(value, np.ma.MaskedArray) or not np.isfinite(numbers.astype(np.float64)).all():
        kind = "array" if ndim is None else f"{ndim}-d array"
        raise ValueError(f"{name} must be a non-empty {kind} of finite numbers, got {brief(value)}")
    return numbers.astype(np.float64)


def integers(name: str, value: Any, *, at_least: int, at_most: int, number: int | None = None) -> list[int]:
    """Check that a value is a list of integers in a range.

    Parameters
    ----------
    name : str
        Of the argument, for the message.
    value : object
        A sequence or one-dimensional array of integers.
    at_least, at_most : int
        Ends of the range of every entry, included.
    number : int, optional
        How many there must be; without it at least 1.

    Returns
    -------
    list of int

    Raises
    ------
    ValueError
        If it is not such a list; the message names the entry.
    """
    if not listed(value) or number not in (None, len(value)):
        wanted = "a non-empty list of integers" if number is None else f"a list of {number} integers"
        raise ValueError(f"{name} must be {wanted}, got {brief(value)}")
    return [integer(f"{name}[{i}]", x, at_least=at_least, at_most=at_most) for i, x in enumerate(value)]


def counts(name: str, value: Any, *, at_most: int) -> np.ndarray:
    """Check that a value is an integer >= 0 or an array of such.

    Parameters
    ----------
    name : str
        Of the argument, for the message.
    value : object
        An integer, or a non-empty array or nested sequence of integers.
    at_most : int
        The largest that is allowed.

    Returns
    -------
    integer array
        Of no dimensions for an integer.

    Raises
    ------
    ValueError
        If it is none.
    """
    try:
        numbers = np.asarray(value)
    except ValueError:  # rows of different lengths
        numbers = np.zeros(0)
    if numbers.dtype.kind not in "iu" or numbers.size == 0 or numbers.min() < 0 or numbers.max() > at_most:
        raise ValueError(f"{name} must be integers >= 0 and <= {at_most}, got {brief(value)}")
    return numbers


def flag(name: str, value: Any) -> bool:
    """Check that a value is True or False.

    Parameters
    ----------
    name : str
        Of the argument, for the message.
    value : object
        A bool.

    Returns
    -------
    bool

    Raises
    ------
    ValueError
        If it is none.
    """
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False, got {brief(value)}")
    return bool(value)


def text(name: str, value: Any) -> str:
    """Check that a value is a text that a file can hold.

    Parameters
    ----------
    name : str
        Of the argument, for the message.
    value : object
        A string without null characters and halves of surrogate pairs.

    Returns
    -------
    str
        The value.

    Raises
    ------
    ValueError
        If it is none.
    """
    if not isinstance(value, str) or value != value.replace("\0", "").encode(errors="ignore").decode():
        raise ValueError(f"{name} must be a text, got {brief(value)}")
    return str(value)


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
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {brief(value)}")
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
    return " and ".join(
        f"{sign}{bound if isinstance(bound, int) and bound < 10**20 else format(bound, 'g')}"
        for sign, bound in words
        if bound is not None
    )
