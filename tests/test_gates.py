"""The faults that `make prove-gates` plants can be planted, and were all seen by a test of the gate."""

from __future__ import annotations

import ast
import csv
import shlex

import pytest
from prove_gates import ROOT, TABLE, faults, planted

FAULTS = faults()


def rows(path):
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


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


def test_the_gates_belong_to_make_test():
    """Each names a file, or a test in it, that is not only weekly."""
    for fault in FAULTS:
        for word in (one for one in shlex.split(fault["gate"]) if one.startswith("tests/")):
            path, _, name = word.partition("::")
            tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
            weekly = [ast.unparse(node) for node in tree.body if isinstance(node, ast.Assign)]
            assert "pytestmark = pytest.mark.check" not in weekly, fault["what"]
            tests = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
            wanted = [tests[name.partition("[")[0]]] if name else tests.values()
            marks = [ast.unparse(mark) for test in wanted for mark in test.decorator_list]
            assert not name or "pytest.mark.check" not in marks, fault["what"]


def test_every_fault_was_seen_by_one_of_its_tests():
    table = rows(TABLE)
    assert [row["fault"] for row in table] == [fault["what"] for fault in FAULTS]
    for row, fault in zip(table, FAULTS, strict=True):
        assert row["proven"] == "True" and row["gate"].partition("::")[0] in fault["gate"]
