"""Whatever a chapter's parameters are given, they are refused in a line that names one, before anything runs."""

from __future__ import annotations

import math
import os
import time

import hostile
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from private_bandits_book import commands
from private_bandits_book.chapters.book import find_book
from private_bandits_book.chapters.execute import ChapterFailed, execute
from private_bandits_book.chapters.parameters import UsageError, validate
from private_bandits_book.cli import main

BOOK = find_book()
PARAMETERS = {chapter: BOOK.parameters(chapter) for chapter in BOOK.chapters()}
NAMES = [(chapter, name) for chapter, known in PARAMETERS.items() for name in known]
SECONDS = 5.0


def finite(value):
    return all(map(finite, value)) if isinstance(value, list) else not isinstance(value, float) or math.isfinite(value)


def fault(chapter, changed):
    """What is wrong with how a chapter takes values; None if they are finite, or it says in a line what it wants."""
    try:
        with hostile.limited(SECONDS):
            values = validate(chapter, PARAMETERS[chapter], changed)
    except UsageError as error:
        said = str(error)
        hostile.COUNTED["refused"] += 1
        if len(said) > 200 or "\n" in said:
            return f"{len(said)} characters: {said[:200]}"
        return None if any(name in said for name in PARAMETERS[chapter]) else f"names no parameter: {said}"
    except hostile.TooLong:
        return "takes too long"
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:150]}"
    hostile.COUNTED["answered"] += 1
    return None if all(map(finite, values.values())) else f"takes {changed}"[:200]


@pytest.fixture(scope="module", autouse=True)
def imported():
    """What a chapter's validation imports is not on the clock."""
    for chapter, known in PARAMETERS.items():
        validate(chapter, known, {"epsilons": [1.0]})
    hostile.COUNTED.clear()
    yield
    hostile.tell("chapter parameters")


@settings(max_examples=hostile.CASES // 4, **hostile.SETTINGS)
@given(
    st.sampled_from(NAMES),
    st.lists(st.sampled_from(range(len(hostile.HOSTILE))), min_size=1, max_size=2),
    st.integers(0),
)
def test_a_parameter_that_nobody_meant_is_refused_by_name_or_taken(where, values, other):
    chapter, name = where
    names = [name, [*PARAMETERS[chapter]][other % len(PARAMETERS[chapter])]]
    changed = dict(zip(names, (hostile.HOSTILE[value] for value in values), strict=False))
    wrong = fault(chapter, changed)
    assert wrong is None, f"{chapter} {str(changed)[:200]}: {wrong}"


DIGITS = "1" * 5000
# the text of a file, and whether it says anything that is allowed
FILES = {
    "an impossible date": "horizon: 2026-02-31\n",
    "a date": "horizon: 2026-02-03\n",
    "5000 digits": f"horizon: {DIGITS}\n",
    "400 digits": f"horizon: {DIGITS[:400]}\n",
    "3000 lists": f"epsilons: {3000 * '['}{3000 * ']'}\n",
    "a list of itself": "epsilons: &x [*x]\n",
    "aliases of aliases": "a0: &a0 [1]\n"
    + "".join(f"a{n}: &a{n} [{', '.join(9 * [f'*a{n - 1}'])}]\n" for n in range(1, 9)),
    "a call": "horizon: !!python/object/apply:os.mkdir ['executed']\n",
    "a name": "horizon: !!python/name:os.mkdir\n",
    "a tag": "horizon: !mine 1\n",
    "bytes": "horizon: !!binary aGVsbG8=\n",
    "not a number": "epsilons: [.nan]\n",
    "infinity": "epsilons: [.inf]\n",
    "a long name": f"{'x' * 1000}: 1\n",
    "a long value": f"horizon: {'x' * 100_000}\n",
    "a number as a name": "1: 2\n",
    "a name given twice": "horizon: 300\nhorizon: 400\n",
    "merged lines": "<<: {horizon: 300}\n",
    "an octal": "seed: 012\n",
    "minutes": "horizon: 1:00\n",
    "two documents": "horizon: 1\n---\nhorizon: 2\n",
    "a null byte": "horizon: \0\n",
    "no text": "horizon: \x85\udcff\n",
}


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_a_hostile_file_is_one_line_and_executes_nothing(tiny, tmp_path, monkeypatch, capsys, text):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "params.yml").write_text(text, encoding="utf-8", errors="surrogateescape")
    before, since = sorted(os.listdir()), time.process_time()
    assert main(["run", "tiny", "-f", "params.yml"], book=tiny) == 2
    assert time.process_time() - since < SECONDS
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and len(err) < 260, err
    assert sorted(os.listdir()) == before


@pytest.mark.parametrize(
    "text",
    [
        DIGITS,
        DIGITS[:400],
        f"{400 * '9'}.5",
        3000 * "[" + 3000 * "]",
        "x" * 100_000,
        "1e400",
        "-1e400",
        "__import__('os').mkdir('executed')",
    ]
    + [
        "{}",
        "[[1]]",
        "1 if 1 else 2",
        "b'1'",
        "1j",
        "\0",
        "(1,",
        "[*'a']",
        "2**64",
        "None",
        "...",
        "1_000_000_000_000_000_000_000",
    ],
)
def test_a_hostile_literal_is_one_line_and_executes_nothing(tiny, tmp_path, monkeypatch, capsys, text):
    monkeypatch.chdir(tmp_path)
    before = sorted(os.listdir())
    assert main(["run", "tiny", "-p", f"horizon={text}", "-p", "replications=1"], book=tiny) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and len(err) < 260, err
    assert sorted(os.listdir()) == before


def test_a_list_that_a_chapter_needs_is_not_empty():
    with pytest.raises(UsageError, match="vs must be a non-empty list"):
        validate("heavy_tailed", PARAMETERS["heavy_tailed"], {"vs": []})


@pytest.mark.parametrize(
    "text", ["012", "1:00", "1e5", "1_000", "0x10", ".5", "yes", "True", "2026-02-03", "~", "[1e-1, 2]"]
)
def test_a_text_means_the_same_in_a_file_and_on_the_command_line(tmp_path, text):
    (tmp_path / "params.yml").write_text(f"seed: {text}\n")
    given = commands._parser().parse_args(["run", "tiny", "-p", f"seed={text}"])
    assert commands._from_file(tmp_path / "params.yml") == commands._parameters(given)


def test_what_is_quoted_is_a_text(tmp_path):
    (tmp_path / "params.yml").write_text("'mood': '012'\nhorizon: 1e5\n")
    assert commands._from_file(tmp_path / "params.yml") == {"mood": "012", "horizon": 1e5}


def test_papermill_says_in_a_line_what_it_cannot_take(tiny):
    with pytest.raises(ChapterFailed) as caught:
        execute(tiny.path("tiny"), {"horizon": -5})
    assert str(caught.value).splitlines()[1:] == [
        'Exception encountered at "In [3]":',
        "UsageError: horizon must be >= 1, got -5",
    ]
