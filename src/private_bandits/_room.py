"""Room for the frames of a deep recursion, such as a compiler's.

Python keeps its frames in pieces of memory of 16 kB. Where a recursion goes to and fro over the end of one, the next is
asked of the system and given back at every call: in the first run of the audit 446,000 times, for three seconds.
"""

from collections.abc import Callable
from types import FunctionType
from typing import TypeVar

_WORDS = 66_000  # of 8 bytes: half of the piece that a frame of this size gets is left to the frames above it

Function = TypeVar("Function", bound=Callable[..., object])


def with_room(function: Function) -> Function:
    """Let the frame of a function claim so much memory that there is room for those above it in its own piece.

    Parameters
    ----------
    function : callable
        One written in Python.

    Returns
    -------
    callable
        The same one; a call takes 30 microseconds longer.

    Examples
    --------
    >>> with_room(lambda: 1)()
    1
    """
    assert isinstance(function, FunctionType)
    function.__code__ = function.__code__.replace(co_stacksize=_WORDS)
    return function
