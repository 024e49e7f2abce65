"""The rules of the semi-bandits chapter on given evidence, on both sides of every threshold."""

from __future__ import annotations

import math

import pandas as pd
import pytest
from claims import about, between

from private_bandits_book.chapters.semibandits import rules
from private_bandits_book.chapters.semibandits.studies import SUBJECT
from private_bandits_book.judging.rulings import NotShown
from private_bandits_book.judging.verdicts import MEASURED, NOT_REPRODUCED, REPRODUCED, UNDECIDED


def row(found, quantity="K", instances="one matters", best=1.0, **subject):
    known = dict.fromkeys(SUBJECT, "") | {"variant": "printed"} | subject
    return {"quantity": quantity, "instances": instances, "best": best, "exponent": found, **known}


# --- what is measured


@pytest.mark.parametrize(
    ("left", "removed", "verdict"),
    [
        (about(0.2), between(0.1, 0.3), REPRODUCED),
        (about(0.25), between(0.1, 0.3), UNDECIDED),
        (about(0.8), between(0.1, 0.3), NOT_REPRODUCED),
        (about(0.0), between(-0.1, 0.3), UNDECIDED),
        (about(0.0), between(-0.3, -0.1), NOT_REPRODUCED),
    ],
)
def test_no_growth_is_left_and_some_is_removed(left, removed, verdict):
    rows = pd.DataFrame([row(left, algorithm="Algorithm 2, lines 4-7"), row(about(9), algorithm="Algorithm 1")])
    found = rules.least_pulled_removes_k(rows, [removed])
    assert (found.verdict, found.evidence) == (verdict, MEASURED) and found.about


@pytest.mark.parametrize(
    ("loss", "at", "verdict"),
    [(1.0, 1.2, REPRODUCED), (1.0, 1.5, UNDECIDED), (1.0, 1.8, NOT_REPRODUCED), (1.1, 1.0, NOT_REPRODUCED)],
)
def test_the_super_arm_radius_is_private_and_has_one_factor(loss, at, verdict):
    subject = {"algorithm": "super-arm radius", "instances": "K-path"}
    rows = pd.DataFrame([row(about(at), **subject), row(about(9), **subject, best=0.5)])
    assert rules.own_super_arm_radius(loss, 1.0, rows).verdict == verdict


@pytest.mark.parametrize(
    ("rising", "level", "verdict"),
    [
        (between(0.1, 2.0), about(0.2), REPRODUCED),
        (between(-0.1, 2.0), about(0.2), UNDECIDED),
        (between(-2.0, -0.1), about(0.2), NOT_REPRODUCED),
        (between(0.1, 2.0), about(0.5), UNDECIDED),
        (between(0.1, 2.0), about(0.8), NOT_REPRODUCED),
        (between(0.1, 2.0), about(-0.8), NOT_REPRODUCED),
    ],
)
def test_one_ratio_rises_and_one_is_level(rising, level, verdict):
    assert rules.own_lower_ratio(rising, level).verdict == verdict


@pytest.mark.parametrize(
    ("blocks", "printed", "verdict"),
    [
        (0.4, 1.2, REPRODUCED),  # margins 0.18 and 0.25
        (0.2, 0.8, REPRODUCED),
        (0.6, 1.0, UNDECIDED),
        (0.9, 1.0, NOT_REPRODUCED),
        (0.3, 1.5, UNDECIDED),
        (0.3, 1.9, NOT_REPRODUCED),
        (0.3, 0.1, NOT_REPRODUCED),
    ],
)
def test_what_privacy_adds_grows_as_the_noise(blocks, printed, verdict):
    rows = [row(about(blocks), algorithm="super-arm blocks") | {"expected": 0.28, "sizes": [1, 4, 16, 64]}]
    rows += [row(about(printed), algorithm="Algorithm 3, lines 4-7") | {"expected": math.nan, "sizes": [1, 4]}]
    rows += [row(about(9.0), algorithm="super-arm radius") | {"expected": math.nan, "sizes": [1, 4, 16, 64]}]
    assert rules.own_blocks_k(pd.DataFrame(rows)).verdict == verdict


def test_an_exponent_that_was_not_measured_is_not_shown():
    with pytest.raises(NotShown, match="exponents of K, algorithm Algorithm 2"):
        rules.least_pulled_removes_k(pd.DataFrame([row(about(0.0), algorithm="Algorithm 1")]), [between(0.1, 0.2)])
