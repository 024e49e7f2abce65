"""The chapter on the auditor: its rows, its faults, its trials, and what its ledger makes of them."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from private_bandits.privacy.audit import Audit
from private_bandits_book.algorithms import listed
from private_bandits_book.audit import cases, panels, reliability, tables
from private_bandits_book.audit.study import Study
from private_bandits_book.chapters.book import find_book

DATA = find_book().data("audit")
PARAMETERS = {
    **{"horizon": 10, "replications": 2, "seed": 1, "n_jobs": 1, "epsilons": [1.0], "runs": 6000},
    **{"epsilon": 1.0, "delta": 1e-3, "exact_horizon": 12},
}
CASES = cases.cases(10, 1.0, 1e-3, 12)


def study(**changes):
    made = Study(**PARAMETERS | changes, long_study=lambda label: pd.read_csv(DATA / f"long-{label}.csv"))
    made.__dict__["cases"] = [case for case in CASES if case.known and case.algorithm != "Algorithm 2: DP-SE"]
    return made


def test_every_algorithm_of_the_book_has_a_row():
    named = {(case.paper, case.variant) for case in CASES}
    assert {(policy.paper or "ours", policy.version) for _, policy in listed()} <= named
    assert len({(*case[:5], case.delta) for case in CASES}) == len(CASES)


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.known], ids=lambda case: f"{case.algorithm} {case.variant}"
)
def test_known_faults_are_found_and_what_is_right_is_not_accused(case):
    found = case.audited(6000, 1)
    assert (found.verdict == "breaks its promise") == (case.known == "breaks")
    assert found.verdict != "consistent"


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.view == "messages"][::4], ids=lambda case: case.algorithm
)
def test_no_lower_end_lies_above_what_the_policy_says_that_it_pays(case):
    found = case.audited(6000, 1)
    assert isinstance(found, Audit) and found.epsilon_low <= found.epsilon_high
    assert found.verdict == "breaks its promise" or found.promised is None or found.epsilon_low <= found.promised


def test_rows_by_accounting_alone_pay_what_their_policies_say_and_certify_nothing():
    rows = [(case, case.audited(6000, 1)) for case in CASES if case.asked.get("method") == "accounting"]
    assert len(rows) > 20
    for case, found in rows:
        parts = case.paper in ("abbasi2011", "shariff2018")  # nothing is proved of a user's whole message
        paid = math.inf if parts else case.target.privacy.effective_epsilon
        assert found.epsilon_high == pytest.approx(paid, rel=1e-6)
        by = "none" if parts else "accounting"
        assert (found.epsilon_low, found.high_by, found.method) == (0.0, by, "accounting")


def test_the_table_has_the_columns_of_the_contract_and_breaches_are_replayed():
    made = study()
    frame = tables.audited(made).data
    assert ",".join(frame.columns) == (
        "algorithm,paper,variant,trust,view,promised,paid_low,paid_high,delta,method,verdict"
    )
    replays = tables.breaches(made)
    assert len(replays) == (frame["verdict"] == "breaks its promise").sum() > 5
    assert replays["neighbours"].str.len().min() > 5


def test_holm_is_applied_over_the_table():
    made = study()
    audits = made.audits
    weak = next(place for place, found in enumerate(audits) if not found.exact and found.p_value < 1e-6)
    changed = Audit(**{name: getattr(audits[weak], name) for name in Audit.__dataclass_fields__} | {"p_value": 0.04})
    made.__dict__["audits"] = [changed if place == weak else found for place, found in enumerate(audits)]
    before, after = study().verdicts_held[weak], made.verdicts_held[weak]
    assert (before, after) == ("breaks its promise", "consistent")


def test_the_committed_trials_are_those_of_200_seeds_and_are_played_again_alike():
    kept = pd.read_csv(DATA / "long-reliability.csv")
    wanted = {tuple(trial): reliability.SEEDS for trial in reliability.trials()}
    assert kept.groupby(["kind", "epsilon", "runs"]).size().to_dict() == wanted
    for trial in list(reliability.trials())[::3]:
        row = kept[
            (kept["kind"] == trial.kind) & (kept["epsilon"] == trial.epsilon) & (kept["runs"] == trial.runs)
        ].iloc[7]
        again = trial.played(7)
        assert again[4] == pytest.approx(row["low"], rel=1e-6, abs=1e-9)


def test_the_numbers_that_were_promised_of_the_auditor():
    made = study()
    for kind in ("right", "policy right"):
        rows = made.trials[made.trials["kind"] == kind]
        for epsilon, group in rows.groupby("epsilon"):
            assert np.mean(group["low"] > epsilon) <= 0.05
    halved = made.trials[(made.trials["kind"] == "halved") & (made.trials["runs"] == 20_000)]
    assert set(halved["epsilon"]) == {0.2, 0.5, 1.0, 2.0, 4.0}
    assert all(np.mean(group["low"] > epsilon) >= 0.95 for epsilon, group in halved.groupby("epsilon"))
    for true, least in reliability.ANSWERS.items():
        assert np.mean(made.share("answers", least, epsilon=true)) >= 0.95


def test_a_ledger_is_as_good_as_its_trials():
    made = study()
    rows = made.ledger.set_index("claim")["verdict"]
    assert rows["own-alarms"] == rows["own-power"] == rows["own-answers"] == "reproduced"
    worse = study()
    worse.__dict__["audits"], worse.__dict__["trials"] = (
        made.audits,
        made.trials.assign(low=lambda rows: rows["low"] * 3),
    )
    assert worse.ledger.set_index("claim")["verdict"]["own-alarms"] == "not reproduced"


def test_one_outcome_certifies_less_than_a_learnt_event():
    trial = reliability.Trial("answers", 11.0, 10_000)
    _, _, _, _, ours, naive = trial.played(3)
    assert 0 < naive < ours < 11.0 and math.isfinite(naive)


def test_findings_count_the_rows():
    found = panels.findings(study())
    assert found["breaks"] + found["keeps"] + found["open"] == found["rows"]
    assert found["faults"] == found["found"] and found["accused"] == 0
