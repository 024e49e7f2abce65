"""The faults that `make prove-gates` plants can be planted; proving them takes most of an hour."""

from __future__ import annotations

import shlex

import pytest
from prove_gates import ROOT, faults, planted

FAULTS = faults()


def test_there_are_many_and_each_has_a_name():
    names = [fault["what"] for fault in FAULTS]
    assert len(names) == len(set(names)) >= 40


@pytest.mark.parametrize("fault", FAULTS, ids=[fault["what"] for fault in FAULTS])
def test_a_fault_fits_its_file_and_has_a_gate(fault):
    text = (ROOT / fault["file"]).read_text(encoding="utf-8")
    assert planted(fault, text) != text
    assert all((ROOT / word).is_file() for word in shlex.split(fault["gate"]) if word.startswith("tests/"))


def test_a_fault_that_fits_nowhere_is_an_error():
    with pytest.raises(ValueError, match="0 times"):
        planted(FAULTS[0] | {"old": "nowhere"}, "text")
