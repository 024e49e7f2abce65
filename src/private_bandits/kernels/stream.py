"""NumPy's default generator written out, for loops in which the call of a bit generator is most of a round.

PCG64 (O'Neill 2014, XSL-RR 128/64) is a multiplication and an addition modulo 2^128. Of the state it returns 64 bits,
the upper 53 of which, over 2^53, are the number of `Generator.random`. A loop takes the state out of a generator, steps
it in registers and puts it back: the generator is left as calls would have left it.
"""

import ctypes
import functools
import math
from typing import Any

import numpy as np
from numba import types
from numba.core.cgutils import ir
from numba.extending import intrinsic

from private_bandits._compiled import compiled

_WORD, _WIDE = ir.IntType(64), ir.IntType(128)
_MULTIPLIER, _HALF = ir.Constant(_WIDE, 0x2360ED051FC65DA44385DF649FCCF645), ir.Constant(_WIDE, 64)
_STREAM = types.UniTuple(types.uint64, 4)  # the upper and the lower half of the state, and of what a step adds


def readable(rng: np.random.Generator, *others: np.random.Generator) -> bool:
    """Whether a loop may take the state out of a generator while it draws from others.

    Parameters
    ----------
    rng, *others : numpy.random.Generator

    Returns
    -------
    bool
        True if it draws from a PCG64 that is none of the others', and NumPy keeps its state as two integers of 128
        bits.
    """
    bits = rng.bit_generator
    return type(bits) is np.random.PCG64 and all(bits is not other.bit_generator for other in others) and _wide()


@functools.cache
def _wide() -> bool:
    bits = np.random.PCG64(0)
    state = ctypes.cast(bits.ctypes.state_address, ctypes.POINTER(ctypes.POINTER(ctypes.c_uint64)))[0]
    numbers = bits.state["state"]
    halves = [numbers[name] >> shift & 2**64 - 1 for name in ("state", "inc") for shift in (0, 64)]
    return state[:4] == halves


def _places(target: Any, builder: Any, generator: Any) -> list[Any]:
    """Where the numbers of a stream are kept, in its order."""
    bits = target.make_helper(builder, types.npy_rng, generator).bit_generator
    address = target.make_helper(builder, types.NumPyRandomBitGeneratorType("bit_generator"), bits).state
    state = builder.load(builder.inttoptr(address, _WORD.as_pointer().as_pointer()))
    return [builder.gep(state, [ir.Constant(_WORD, place)]) for place in (1, 0, 3, 2)]


@intrinsic
def taken(typing: Any, rng: Any) -> Any:
    """Take the state out of a generator.

    Parameters
    ----------
    typing : Context
        Given by numba, here and below.
    rng : numpy.random.Generator
        One that is `readable`.

    Returns
    -------
    stream : (uint64, uint64, uint64, uint64)
    """

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        words = [builder.load(place) for place in _places(context, builder, arguments[0])]
        return context.make_tuple(builder, _STREAM, words)

    return _STREAM(rng), lower


@intrinsic
def put(typing: Any, rng: Any, stream: Any) -> Any:
    """Put a state back.

    Parameters
    ----------
    typing : Context
    rng : numpy.random.Generator
        The one that it was taken out of.
    stream : (uint64, uint64, uint64, uint64)

    Returns
    -------
    None
    """

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        for half, place in enumerate(_places(context, builder, arguments[0])[:2]):
            builder.store(builder.extract_value(arguments[1], half), place)
        return context.get_dummy_value()

    return types.void(rng, stream), lower


@intrinsic
def step(typing: Any, stream: Any) -> Any:
    """Draw a number.

    Parameters
    ----------
    typing : Context
    stream : (uint64, uint64, uint64, uint64)

    Returns
    -------
    stream : (uint64, uint64, uint64, uint64)
    """

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        halves = [builder.extract_value(arguments[0], place) for place in range(4)]
        wide = [builder.zext(half, _WIDE) for half in halves]
        state, plus = (builder.or_(builder.shl(upper, _HALF), lower) for upper, lower in (wide[:2], wide[2:]))
        state = builder.add(builder.mul(state, _MULTIPLIER), plus)
        drawn = [builder.trunc(part, _WORD) for part in (builder.lshr(state, _HALF), state)]
        return context.make_tuple(builder, _STREAM, [*drawn, *halves[2:]])

    return _STREAM(stream), lower


@compiled(inline="always")
def number(stream):
    """Return the number that was drawn last: 2^53 times that of `Generator.random`.

    Parameters
    ----------
    stream : (uint64, uint64, uint64, uint64)

    Returns
    -------
    int
    """
    turn, folded = stream[0] >> np.uint64(58), stream[0] ^ stream[1]
    turned = folded >> turn | folded << ((np.uint64(0) - turn) & np.uint64(63))
    return np.int64(turned >> np.uint64(11))


@compiled(inline="always")
def limit(chance):
    """Return what a `number` is below when that of `Generator.random` is below a chance, and not otherwise.

    Parameters
    ----------
    chance : float
        In [0, 1].

    Returns
    -------
    int
    """
    return np.int64(math.ceil(chance * 2.0**53))
