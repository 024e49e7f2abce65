"""The page on the auditor: its rows, its faults, its trials, what its ledger makes of them, and what it says."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pandas as pd
import pytest
from replay import prose

from private_bandits import baselines
from private_bandits.policy import Playable, Player
from private_bandits.privacy import Guarantee, audit, lower_end
from private_bandits.privacy.audit import Audit
from private_bandits_book.book import find_book
from private_bandits_book.chapters.audit import cases, rows, rules, studies
from private_bandits_book.pages.algorithms import COLUMNS, listed
from private_bandits_book.pages.algorithms import rows as listing
from private_bandits_book.pages.summaries import algorithms
from private_bandits_book.runs import family

BOOK = find_book()
DATA = BOOK.data("audit")
AGAIN = "other algorithms are listed now: run private-bandits reproduce audit --long"
CASES = cases.cases(**studies.PARAMETERS)


@pytest.fixture(scope="module")
def trials():
    return pd.read_csv(DATA / "long-reliability.csv")


def table():
    return pd.read_csv(DATA / "table-audit.csv", keep_default_na=False)


def test_every_algorithm_of_the_book_has_a_row_of_its_own():
    named = {(case.paper, case.variant) for case in CASES}
    assert {(policy.paper or "ours", policy.variant) for _, policy in listed()} <= named
    assert len({(*case[:5], case.delta, case.asked.get("promised"), _promised(case)) for case in CASES}) == len(CASES)


def _promised(case):
    return case.target.privacy.epsilon if isinstance(case.target, Playable) else None


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.known], ids=lambda case: f"{case.algorithm} {case.variant}"
)
def test_known_faults_are_found_and_what_is_right_is_not_accused(case):
    found = case.audited(6000, 1)
    assert (found.verdict == "breaks its promise") == (case.known == "breaks")
    assert found.verdict not in ("consistent", "suspect")


class Noisy(Player):
    """Of two arms the one with the larger noisy sum, after one pull each."""

    name, paper, algorithm, variant, chosen = "Noisy", "azize2022", "Algorithm 9", "printed", "printed"
    mechanism = "gaussian"

    def __init__(self, epsilon, factor=1.0, trust="central"):
        self.scale = factor / epsilon
        self.privacy = Guarantee.certified(epsilon, epsilon, trust, "one noisy number a pull")

    def start(self, problem, choice, noise):
        self.noise, self.sums, self.t = noise, noise.laplace(0.0, self.scale, problem.n_arms), 0
        return self

    def ask(self):
        return [self.t if self.t < len(self.sums) else int(self.sums.argmax())]

    def tell(self, feedback):
        if self.t < len(self.sums):
            self.sums[self.t] += feedback[0]
        self.t += 1
        return [feedback[0] + self.noise.laplace(0.0, self.scale)]


@pytest.mark.parametrize(
    ("factor", "trust", "verdict"),
    [(1.0, "central", "consistent"), (0.1, "local", "breaks its promise")],
)
def test_a_policy_in_python_can_be_listed_and_is_audited_and_coloured(factor, trust, verdict, monkeypatch):
    known = baselines.algorithms

    def with_one_more(epsilon, *, delta):
        return [*known(epsilon, delta=delta), ("azize_algorithm_1", Noisy(epsilon, factor, trust))]

    monkeypatch.setattr(baselines, "algorithms", with_one_more)
    (row,) = (dict(zip(COLUMNS, row, strict=True)) for row in listing() if "Noisy" in row)
    assert (row["algorithm"], row["variant"], row["trust"], row["promised"]) == ("Algorithm 9", "printed", trust, "1")
    assert "Algorithm 9, printed" in algorithms("x").markdown
    (policy,) = (policy for _, policy in listed() if policy.name == "Noisy")
    assert family(policy) == "gaussian"
    (case,) = (case for case in cases.cases(**studies.PARAMETERS) if case.algorithm == "Algorithm 9: Noisy")
    assert case.slow == (trust == "central") and case.view == ("actions" if trust == "central" else "messages")
    assert case.audited(2000, 1).verdict == verdict
    monkeypatch.setattr(Noisy, "__init__", lambda self, *_: None)
    with pytest.raises(ValueError, match="privacy of Noisy must be a Guarantee to be listed, got 'not stated'"):
        [*listed()]


def test_no_row_contradicts_itself():
    frame = table()
    numbers = frame[["promised", "paid_low", "paid_high"]].apply(pd.to_numeric, errors="coerce")
    assert (numbers["paid_low"] <= numbers["paid_high"] * (1 + 1e-9)).all()
    unsure = frame["verdict"].isin(["consistent", "keeps its promise"])
    assert (numbers["paid_low"] <= numbers["promised"] * (1 + 2e-9))[unsure].all()
    assert (numbers["paid_low"] > numbers["promised"])[frame["verdict"] == "breaks its promise"].all()
    both = frame["method"].str.startswith("closed form") & (frame["method"] != "closed form")
    assert (frame["paid_low"] == frame["paid_high"])[both].all() and both.sum() > 20


def test_what_figures_say_that_a_policy_pays_lies_in_its_interval():
    """Labels of figures show `privacy.effective_epsilon`; a row that runs decide holds at 95 %."""
    above, checked = [], 0
    for case, found in zip(CASES, table().itertuples(), strict=True):
        if isinstance(case.target, Playable) and case.target.privacy.effective_delta <= float(found.delta):
            said = case.target.privacy.effective_epsilon * (1 + 1e-9)
            assert said <= float(found.paid_high) * (1 + 2e-9), case[:5]
            assert float(found.paid_low) <= said or "sampled" in found.method, case[:5]
            above += [float(found.paid_low) > said] if "sampled" in found.method else []
            checked += math.isfinite(float(found.paid_high))
    assert sum(above) <= 0.05 * len(above) and checked > 60


def test_rows_of_the_longer_study_are_those_of_the_cases_and_are_found_again():
    kept = pd.read_csv(DATA / "long-table.csv").set_index("place")
    slow = [place for place, case in enumerate(CASES) if case.slow]
    assert kept.index.tolist() == slow, AGAIN
    for place in [place for place in slow if CASES[place].view == "messages"][::12]:  # which are quick
        again = rows._row(CASES[place], studies.RUNS, studies.SEED + place)
        assert again[10] == kept.loc[place, "verdict"] and again[14] == kept.loc[place, "hits"]


def test_a_known_loss_is_shown_only_where_runs_agree():
    case = next(case for case in CASES if case.exact == 1.0)
    found = audit([[0.75, 0.25], [0.25, 0.75]], promised=1.0)
    parts = {name: getattr(found, name) for name in Audit.__dataclass_fields__}
    agreeing = Audit(**parts | {"high_by": "accounting", "epsilon_high": 1.0, "epsilon_low": 0.8, "method": "sampled"})
    assert rows.ends(case, agreeing) == (1.0, 1.0, "closed form, sampled")
    refuted = Audit(**parts | {"high_by": "none", "epsilon_high": math.inf, "epsilon_low": 2.0, "method": "sampled"})
    assert rows.ends(case, refuted) == (2.0, math.inf, "sampled")
    unseen = Audit(**parts | {"high_by": "none", "epsilon_high": math.inf, "epsilon_low": 0.2, "verdict": "consistent"})
    assert rows.ends(case._replace(exact=math.inf), unseen)[:2] == (0.2, math.inf)


@pytest.mark.parametrize("name", [None, *studies.PARAMETERS])
def test_committed_rows_are_read_at_the_pages_promises_only(name, monkeypatch):
    known = {**studies.PARAMETERS, "runs": 0, "seed": 0, "n_jobs": 1, **({name: None} if name else {})}
    monkeypatch.setattr(studies, "audited", lambda *_, **__: "audited")
    chapter = SimpleNamespace(parameters=known, long=lambda label: table().rename_axis("place").reset_index())
    assert isinstance(studies.slow_rows(chapter, []), str) == (name is not None)


def test_the_committed_trials_are_those_of_the_study_and_are_run_again_alike(trials):
    wanted = {trial[:3]: trial.seeds for trial in studies.trials()}
    assert trials.groupby(["kind", "epsilon", "runs"]).size().to_dict() == wanted
    for trial in list(studies.trials())[::4]:
        same = (trials["kind"] == trial.kind) & (trials["epsilon"] == trial.epsilon) & (trials["runs"] == trial.runs)
        row = trials[same].iloc[7]
        again = trial.played(7)
        assert again[4] == pytest.approx(row["low"], rel=1e-6, abs=1e-9) and again[6] == row["accused"]


def test_the_committed_views_are_those_of_the_study_and_are_audited_again_alike():
    kept = pd.read_csv(DATA / "long-views.csv")
    wanted = {view: studies.VIEW_SEEDS for view in studies.VIEWS}
    assert kept.groupby(["view", "rounds"]).size().to_dict() == wanted
    for view, rounds in studies.VIEWS[:3]:
        (row,) = kept[(kept["view"] == view) & (kept["rounds"] == rounds) & (kept["seed"] == 7)].to_numpy()
        *facts, low, accused = studies.viewed(0.5, view, rounds, 7)
        assert facts == row[:3].tolist() and low == pytest.approx(row[3]) and accused == row[4]
    right = [studies.viewed(1.0, "messages", 1, seed)[4] for seed in range(3)]
    assert not any(right)


def test_the_ceilings_that_the_page_names_are_those_of_the_test(trials):
    words = " ".join(prose("audit"))
    tested = (250, 1500, 5000)  # of 1,000, 6,000 and 20,000 runs
    certified, accused = (
        [f"{lower_end(hits=runs, others=0, runs=runs, alpha=alpha):.1f}" for runs in tested] for alpha in (0.05, 0.001)
    )
    rows = zip(("1,000", "6,000", "20,000"), certified, accused, strict=True)
    assert " ".join(f"| {runs} | {most} | {up_to} |" for runs, most, up_to in rows) in words
    assert f"With so few runs no promise above {accused[0]} can be refuted" in words
    few = trials[(trials["kind"] == "noise halved") & (trials["runs"] == 1000)].groupby("epsilon")["accused"].mean()
    assert few[4.0] == 0 and few[0.5] > 0.5 and min(few[1.0], few[2.0]) > 0.9


@pytest.mark.parametrize(
    ("verdicts", "runs", "verdict"),
    [
        (("breaks its promise", "keeps its promise"), 400, "reproduced"),
        (("consistent", "keeps its promise"), 400, "undecided"),
        (("consistent", "keeps its promise"), 6000, "not reproduced"),
        (("breaks its promise", "breaks its promise"), 400, "not reproduced"),
    ],
)
def test_few_runs_that_miss_a_fault_decide_nothing(verdicts, runs, verdict):
    frame = pd.DataFrame({"known": ["breaks", "keeps"], "verdict": verdicts})
    assert rules.own_faults(frame, runs).verdict == verdict


def test_the_findings_are_those_of_the_data():
    (text,) = (text for text in prose("audit") if "## What we found" in text)
    counts = rows.counts(table())
    assert f"{counts['breaks its promise']} of {counts.sum()} promises are broken" in text
    assert f"{counts['keeps its promise']} promises are kept" in text
    trials = pd.read_csv(DATA / "long-reliability.csv")
    accused = trials.loc[trials["kind"].isin(studies.RIGHT), "accused"]
    assert f"{accused.sum() or 'none'} of {len(accused):,} audits" in text
