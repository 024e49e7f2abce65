"""The faults that `make prove-gates` plants can be planted and were all seen; what mutants no test sees has reasons."""

from __future__ import annotations

import csv
import shlex

import mutate
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


def test_the_code_is_mutated_where_it_is_and_every_survivor_has_a_reason():
    for room in mutate.PLAN["room"]:
        assert all((ROOT / "src" / name).is_file() for name in room["files"])
        tests = [word.partition("::")[0] for word in shlex.split(room["tests"]) if word.startswith("tests/")]
        assert tests and all((ROOT / word).is_file() for word in tests)
    committed = {name: rows(mutate.DATA / f"{name}.csv") for name in ("mutants", "survivors")}
    assert [row["room"] for row in committed["mutants"]] == list(dict.fromkeys(r["name"] for r in mutate.PLAN["room"]))
    counts = [(int(row["tried"]), int(row["killed"])) for row in committed["mutants"]]
    assert all(tried >= 20 and killed >= mutate.LEAST * tried for tried, killed in counts)
    survivors = sum(tried - killed for tried, killed in counts)
    reasons = {(each["file"], each["after"]): each["reason"] for each in mutate.PLAN["survivor"]}
    assert all(row["reason"] == reasons[row["file"], row["after"]] != "" for row in committed["survivors"])
    assert len(committed["survivors"]) == survivors


def test_every_fault_was_seen_by_one_of_its_tests():
    table = rows(TABLE)
    assert [row["fault"] for row in table] == [fault["what"] for fault in FAULTS]
    for row, fault in zip(table, FAULTS, strict=True):
        assert row["proven"] == "True" and row["gate"].partition("::")[0] in fault["gate"]
