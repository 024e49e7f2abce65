"""The chapter on the auditor: its rows, its faults, its trials, and what its ledger makes of them."""

from __future__ import annotations

import json
import math
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from private_bandits.policy import Policy
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
    rows = [(case, case.audited(6000, 1)) for case in CASES if case.asked.get("runs") == 0]
    assert len(rows) > 20
    for case, found in rows:
        parts = case.paper in ("abbasi2011", "hanna2022", "shariff2018")  # nothing is proved of a user's whole message
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


def test_what_figures_say_that_a_policy_pays_lies_in_its_interval():
    """Labels of figures show `privacy.effective_epsilon`; a row that runs decide holds at 95 %."""
    table = pd.read_csv(DATA / "table-audit.csv", keep_default_na=False)
    rows = cases.cases(10, 1.0, 1e-3, 100)
    assert table[["algorithm", "paper", "variant", "trust", "view"]].to_numpy().tolist() == [[*row[:5]] for row in rows]
    above, checked = [], 0
    for case, found in zip(rows, table.itertuples(), strict=True):
        if isinstance(case.target, Policy) and case.target.privacy.effective_delta <= float(found.delta):
            said = case.target.privacy.effective_epsilon * (1 + 1e-9)
            assert said <= float(found.paid_high) * (1 + 2e-9), case[:5]
            assert float(found.paid_low) <= said or "sampled" in found.method, case[:5]
            above += [float(found.paid_low) > said] if "sampled" in found.method else []
            checked += math.isfinite(float(found.paid_high))
    assert sum(above) <= 0.05 * len(above) and checked > 60


def test_a_committed_breach_is_found_again_by_its_call():
    table = pd.read_csv(DATA / "table-breaches.csv")
    assert len(table) > 20
    for _, row in table[table["counts"].notna()].iloc[::4].iterrows():
        found = eval(row["replay"], {"cases": cases.cases})
        assert (str(found.event), found.verdict) == (row["event"], "breaks its promise")
        assert row["counts"] == f"{found.event.hits}, {found.event.others} of {found.event.runs}"


def test_neighbours_in_words():
    assert tables.in_words(([1.0, 0.0], [0.0, 0.0])) == "1 first, then 0 against 0 everywhere"
    one, other = np.zeros((2, 3, 4))
    other[1] = 1.0
    assert tables.in_words((one, other)) == "user 2: 0 everywhere against 1 everywhere; all others 0 everywhere"
    assert tables.in_words(cases._users()[0]) == "other contexts or rewards of the first user"


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
    assert rows["own-faults"] == "reproduced"
    del worse.__dict__["ledger"]
    place = next(place for place, case in enumerate(made.cases) if case.known == "keeps")
    worse.__dict__["cases"] = [
        case._replace(known="breaks") if number == place else case for number, case in enumerate(made.cases)
    ]
    assert worse.ledger.set_index("claim")["verdict"]["own-faults"] == "not reproduced"


@pytest.mark.parametrize(
    ("runs", "known", "verdict"),
    [(400, "breaks", "undecided"), (400, "keeps", "not reproduced"), (6000, "breaks", "not reproduced")],
)
def test_few_runs_that_miss_a_fault_decide_nothing(runs, known, verdict):
    made = study(runs=runs)
    rows = [case._replace(known=known) for case in made.cases]
    held = "consistent" if known == "breaks" else "breaks its promise"
    made.__dict__ |= {"cases": rows, "verdicts_held": [held for _ in rows]}
    assert made.ledger.set_index("claim")["verdict"]["own-faults"] == verdict


def test_with_few_runs_every_row_has_one_pair_and_none_is_accused_that_is_right():
    found = [(case, case.audited(400, 1)) for case in CASES if case.known or "neighbours" in case.asked]
    assert {found.verdict for case, found in found if case.known == "keeps"} == {"keeps its promise"}
    assert sum(found.verdict == "breaks its promise" for _, found in found) > 8


@pytest.mark.parametrize(
    ("hits", "others", "runs", "epsilon", "published", "spread"),
    [
        (300, 190, 1000, 0.5, 0.6807, 0.0121),
        (2000, 700, 5000, 1.0, 0.1996, 0.0101),
        (2000, 740, 5000, 1.0, 0.5505, 0.0142),
        (50, 12, 200, 1.0, 0.1983, 0.0098),
    ],
)
def test_the_rebuilt_test_of_statdp_gives_the_p_values_of_its_package(hits, others, runs, epsilon, published, spread):
    """Of pystatdp 0.1.3.1, `hypotest.test_statistics`: mean and spread of 50 calls."""
    rng = np.random.default_rng(4)
    found = np.mean([reliability.thinned_p_value(hits, others, runs, epsilon, rng) for _ in range(20)])
    assert found == pytest.approx(published, abs=4 * spread * (1 / 20 + 1 / 50) ** 0.5)


def test_statdp_finds_halved_noise_and_accuses_nothing_that_is_right():
    halved = [reliability.Trial("halved", 1.0, 4000).played(seed)[-1] for seed in range(10)]
    right = [reliability.Trial("right", 1.0, 20_000).played(seed)[-1] for seed in range(10)]
    assert max(halved) < 0.05 < min(right)


def test_one_outcome_certifies_less_than_a_learnt_event():
    trial = reliability.Trial("answers", 11.0, 10_000)
    *_, ours, naive, _ = trial.played(3)
    assert 0 < naive < ours < 11.0 and math.isfinite(naive)


def test_findings_count_the_rows():
    found = panels.findings(study())
    assert found["breaks"] + found["keeps"] + found["open"] == found["rows"]
    assert found["faults"] == found["found"] and found["accused"] == 0


def test_the_audit_of_ones_own_policy_is_ten_lines_that_run_alone():
    cells = json.loads((DATA.parents[1] / "audit.ipynb").read_text(encoding="utf-8"))["cells"]
    (source,) = ["".join(cell["source"]) for cell in cells if "class Follow" in "".join(cell["source"])]
    assert len([line for line in source.splitlines() if line.strip()]) <= 10
    done = subprocess.run(
        [sys.executable, "-i", "-q"], input=source + "\n", capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0 and "Error" not in done.stderr and "breaks its promise" in done.stdout
