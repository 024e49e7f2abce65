"""The faults that `make prove-gates` plants can be planted, and were all seen by a test of the gate."""

from __future__ import annotations

import csv
import shlex

import pytest
from prove_gates import ROOT, TABLE, faults, planted

FAULTS = faults()


def rows(path):
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


@pytest.mark.parametrize("fault", FAULTS, ids=[fault["what"] for fault in FAULTS])
def test_a_fault_fits_its_file_and_has_a_gate(fault):
    text = (ROOT / fault["file"]).read_text(encoding="utf-8")
    assert planted(fault, text) != text
    assert all((ROOT / word).is_file() for word in shlex.split(fault["gate"]) if word.startswith("tests/"))


def test_every_fault_was_seen_by_one_of_its_tests():
    table = rows(TABLE)
    names = [fault["what"] for fault in FAULTS]
    assert [row["fault"] for row in table] == names and len(names) == len({*names}) >= 40
    for row, fault in zip(table, FAULTS, strict=True):
        assert row["proven"] == "True" and row["gate"].partition("::")[0] in fault["gate"]
