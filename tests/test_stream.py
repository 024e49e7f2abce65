"""The generator that is written out draws what NumPy's draws, and leaves it as NumPy would; others are left alone."""

from __future__ import annotations

import numpy as np
import pytest

from private_bandits._compiled import compiled
from private_bandits.kernels import index
from private_bandits.kernels.stream import limit, number, put, readable, step, taken
from private_bandits.papers.cascading import b_lb, cascade_ucb1, repaired_local


@compiled(borrows=True)
def draw(rng, numbers):
    stream = taken(rng)
    for place in range(len(numbers)):
        stream = step(stream)
        numbers[place] = number(stream)
    put(rng, stream)


def test_the_numbers_and_the_state_are_those_of_numpy():
    for seed in range(3):
        rng, numpy_s = np.random.default_rng(seed), np.random.default_rng(seed)
        for generator in (rng, numpy_s):
            generator.integers(10, dtype=np.uint32)  # half a number is kept
        numbers = np.zeros(100_000, np.int64)
        draw(rng, numbers)
        assert (numbers * 2.0**-53).tolist() == numpy_s.random(len(numbers)).tolist()
        assert rng.bit_generator.state == numpy_s.bit_generator.state
        assert rng.bit_generator.state["has_uint32"] == 1


def test_a_limit_cuts_where_the_chance_does():
    uniform = np.random.default_rng(0).random(1000)
    near = np.nextafter(uniform, 1.0), uniform, np.nextafter(uniform, 0.0), uniform[::-1], 0.0 * uniform
    for chances in near:
        below = [int(number * 2**53) < limit(chance) for number, chance in zip(uniform, chances, strict=True)]
        assert below == (uniform < chances).tolist()
    assert [limit(chance) for chance in (0.0, 5e-324, 2.0**-53, 1.0)] == [0, 1, 1, 2**53]


OTHERS = [np.random.MT19937, np.random.Philox, np.random.SFC64, np.random.PCG64DXSM]


def test_only_a_pcg64_of_its_own_is_readable():
    mine, other = (np.random.Generator(np.random.PCG64(seed)) for seed in range(2))
    assert readable(mine, other) and readable(mine, np.random.Generator(OTHERS[0](0)))
    assert not readable(mine, mine) and not readable(mine, np.random.Generator(mine.bit_generator))
    assert not any(readable(np.random.Generator(bits(0))) for bits in OTHERS)


@pytest.mark.parametrize("bits", [np.random.PCG64, *OTHERS])
@pytest.mark.parametrize("policy", [cascade_ucb1(), repaired_local(2.0, 4)], ids=["no noise", "response"])
@pytest.mark.parametrize("shared", [False, True])
def test_any_bit_generator_plays_the_plain_rounds(bits, policy, shared):
    """With a generator that is not readable, and with one for all three streams."""
    problem, horizon, found = b_lb(20, 4, 0.2, 0.15), 50_000, []
    numbers, marks = problem.record(), np.array([horizon])
    for play in (index.advance, index._loop_of(numbers, policy.record, False)):
        source = [np.random.Generator(bits(0 if shared else seed)) for seed in range(3)]
        source = [source[0]] * 3 if shared else source
        state, regret = index.start(numbers, policy.record), np.zeros(1)
        trace = index.blank(problem, policy.record, horizon)
        if play is not index.advance and policy.record.observe_first:
            index._observe_first(numbers, policy.record, state, source[0])
        play(numbers, policy.record, state, 1, horizon, marks, regret, trace, *source)
        found.append([trace.tolist(), regret.tolist(), state.total.tolist(), [rng.random() for rng in source]])
    assert found[0] == found[1]
