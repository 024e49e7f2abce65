"""The faults that `make prove-gates` plants can be planted, and were all seen by a test of the gate."""

from __future__ import annotations

import csv
import shlex

import pytest
from prove_gates import ROOT, TABLE, faults, planted, read_by

FAULTS = faults()


def rows(path):
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


@pytest.mark.parametrize("fault", FAULTS, ids=[fault["what"] for fault in FAULTS])
def test_a_fault_fits_its_file_and_has_a_gate(fault):
    text = (ROOT / fault["file"]).read_text(encoding="utf-8")
    assert planted(fault, text) != text
    assert all((ROOT / word).is_file() for word in shlex.split(fault["gate"]) if word.startswith("tests/"))


def test_what_is_proved_is_proved_anew_where_what_it_reads_has_changed():
    tree = ["1\tsrc/a.py", "2\ttests/conftest.py", "3\ttests/test_a.py", "4\ttests/test_b.py", "5\ttests/faults.toml"]
    assert read_by("tests/test_b.py -k this", "\n".join(tree)) == [tree[0], tree[1], tree[3]]


def test_every_fault_was_seen_by_one_of_its_tests():
    table = rows(TABLE)
    names = [fault["what"] for fault in FAULTS]
    assert [row["fault"] for row in table] == names and len(names) == len({*names}) >= 40
    for row, fault in zip(table, FAULTS, strict=True):
        file, _, test = row["gate"].partition("::")
        assert row["proven"] == "True" and file in fault["gate"]
        assert f"def {test}(" in (ROOT / file).read_text(encoding="utf-8")
