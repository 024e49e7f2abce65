"""The experiments, the ledger and the longer studies of the cascading chapter."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from private_bandits.papers.cascading import bounds
from private_bandits.simulate import simulate
from private_bandits_book.cascading import check_parameters, claims, experiments, pictures, tables
from private_bandits_book.chapters.page import csv_text

DATA = Path(__file__).parents[1] / "book" / "data" / "cascading"
RUNS = {"learning": experiments.learning_runs(), "growth": experiments.growth_runs()}


def stored(study):
    return pd.read_csv(DATA / f"long-{study}.csv", dtype={"regret": str})


def rows_of(frame, run):
    privacy = run.policy.privacy
    chosen = (frame["policy"] == run.policy.name) & (frame["list_size"] == run.problem.list_size)
    chosen &= frame["n_items"] == run.problem.n_items
    for name in ("epsilon", "delta", "effective_epsilon"):
        chosen &= np.isclose(frame[name], getattr(privacy, name), rtol=1e-9) | (
            np.isinf(frame[name]) & math.isinf(getattr(privacy, name))
        )
    return frame[chosen]


def replay(run, replication, horizon):
    """Play one replication of a longer run again, in the form in which it is stored."""
    data = simulate(run.problem, run.policy, horizon=horizon, replications=replication + 1, seed=run.seed, n_jobs=-1)
    regret = data.regret.sel(replication=replication).to_dataframe().reset_index()[["t", "regret"]]
    return dict(zip(regret["t"], csv_text(regret[["regret"]]).split()[1:], strict=True))


@pytest.mark.parametrize("study", RUNS)
def test_a_longer_study_holds_every_run_and_nothing_else(study):
    frame = stored(study)
    parts = [rows_of(frame, run) for run in RUNS[study]]
    assert all(part["replication"].nunique() == experiments.LONG_REPLICATIONS >= 5 for part in parts)
    assert sum(map(len, parts)) == len(frame)


@pytest.mark.parametrize(("study", "number"), [(study, i) for study, runs in RUNS.items() for i in range(len(runs))])
def test_the_beginning_of_every_longer_run_is_replayed(study, number):
    run = RUNS[study][number]
    part = rows_of(stored(study), run)
    part = part[(part["replication"] == 1) & (part["t"] <= 30_000)]
    again = replay(run, 1, 50_000)
    assert len(part) > 10
    assert part["regret"].tolist() == [again[t] for t in part["t"]]


@pytest.mark.parametrize(
    ("study", "policy", "epsilon"), [("learning", "Response, first item", 0.2), ("growth", "Gaussian", 4.0)]
)
def test_one_replication_is_replayed_to_its_end(study, policy, epsilon):
    run = next(r for r in RUNS[study] if (r.policy.name, r.policy.privacy.epsilon) == (policy, epsilon))
    part = rows_of(stored(study), run)
    part = part[part["replication"] == 0]
    again = replay(run, 0, run.horizon)
    assert part["t"].max() == run.horizon
    assert part["regret"].tolist() == [again[t] for t in part["t"]]


@pytest.fixture(scope="module")
def small():
    """The whole chapter at a size where nothing can be decided by measurement."""
    setting = experiments.Experiments(60, 2, 1, 1, 8, 2, 0.2, 0.15, 1e-3)
    return claims.Evidence(
        local={e: setting.local(e) for e in (0.2, 1.0)},
        sweep=setting.sweep(0.5, 2.0, 2),
        central=setting.central([0.5, 1.0]),
        items=setting.items([4, 8], 1.0),
        cucb={e: setting.cucb(e) for e in (0.2, 2.0)},
        sizes={k: setting.local(0.2, k) for k in (2, 4)},
        sizes_epsilon=0.2,
        local_designs=setting.local_designs([(2, 1.0), (2, 1.0)]),
        central_designs=setting.central_designs([1.0]),
        anchor=setting.anchor(2),
        learning=pd.read_csv(DATA / "long-learning.csv"),
        growth=pd.read_csv(DATA / "long-growth.csv"),
        epsilon=0.2,
        setting=setting,
    )


def test_every_locus_has_a_row_at_any_parameters(small):
    ledger = claims.judge(small)
    loci = set(ledger["locus"])
    assert loci >= {f"Theorem {n}" for n in range(1, 13)} | {f"Lemma {n}" for n in range(1, 7)}
    assert loci >= {f"Figure 1({x})" for x in "abcdefghi"} | {f"Figure 2({x})" for x in "abcd"}
    assert (ledger["kind"] == "contribution").sum() == 7
    verdicts = ledger.set_index("claim")["verdict"]
    for panel in ("figure-1c", "figure-1d", "figure-2c", "figure-2d", "kveton-table-1"):
        assert verdicts[panel] == "undecided"
    for promise in ("theorem-1", "theorem-3", "theorem-5", "theorem-9"):
        assert verdicts[promise] == "reproduced after repair"


def test_a_single_epsilon_decides_no_comparison(small):
    setting = small.setting
    small = claims.Evidence(
        **{
            **vars(small),
            "central": setting.central([1.0]),
            "cucb": {1.0: setting.cucb(1.0)},
            "items": setting.items([4], 1.0),
        }
    )
    verdicts = claims.judge(small).set_index("claim")["verdict"]
    assert verdicts["figure-1f"] == verdicts["figure-1g"] == verdicts["figure-1i"] == "undecided"


def test_pictures_and_tables_follow_the_runs(small):
    setting = small.setting
    drawn = [
        pictures.local(small.local[0.2], 0.2, 2, setting, "Figure 1(a)"),
        pictures.sweep(small.sweep, setting, 0.5),
        pictures.central(small.central, setting),
        pictures.items(small.items, setting, 1.0),
        pictures.cucb(small.cucb[0.2], 0.2, setting, "Figure 1(h)"),
        pictures.local_designs(small.local_designs, setting),
        pictures.central_designs(small.central_designs, setting),
        pictures.learning(small.learning, "local", 1.0),
        pictures.learning(small.learning, "central", 0.2),
    ]
    for picture in drawn:
        assert {"policy", "epsilon", "t", "regret", "regret_se", "replications"} <= set(picture.data)
        assert "runs" in picture.caption and "nan" not in picture.caption + picture.alt
    assert "ε = 0.2" in drawn[0].caption
    upper = tables.upper_bounds(setting, 1.0)
    assert set(upper["theorem"]) == {f"Theorem {n}" for n in (2, 4, 6, 8, 10, 11, 12)}
    paid = tables.paid(setting, [0.2, 1.0])
    assert set(paid[paid["reading"] != "repaired"]["everything"]) == {"∞"}
    assert set(paid[paid["reading"] == "repaired"]["everything"]) == {"ε"}
    proofs = tables.repairs([1, 4], 0.5)
    assert np.isinf(proofs["length_loss"].iloc[1])
    assert proofs["first_loss"].tolist() == pytest.approx([0.5, 0.5])
    assert len(tables.records(setting, 0.2)) == 10


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        ([], "As printed, no algorithm is private.** The local ones"),
        (
            ["Laplace"],
            "As printed, 4 of 5 algorithms are not private**: Gaussian, Composition, Hybrid",
        ),
        (None, "As printed, every algorithm is private.**"),
    ],
)
def test_the_summary_says_which_algorithms_are_private(small, monkeypatch, kept, said):
    paid = tables.paid(small.setting, [0.2])
    changed = paid["policy"].isin(paid["policy"] if kept is None else kept) & (paid["reading"] == "stated")
    frame = paid.assign(everything=paid["everything"].mask(changed, "ε"))
    monkeypatch.setattr(tables, "paid", lambda *a: frame)
    assert said in pictures.in_short(small, claims.judge(small))


def test_bounds_of_the_longer_study_are_on_its_instance(monkeypatch):
    problem = experiments.learning_problem()
    for trust, number in (("local", 11), ("central", 12)):
        found = pictures._learning_bounds(problem, trust, 0.5)[f"Theorem {number}"](10**7)
        assert found == getattr(bounds, f"theorem_{number}")(20, 4, 0.2, 0.15, 10**7, 0.5)
    six = pictures._learning_bounds(problem, "local", 0.5)["Theorem 6"](10**7)
    assert six == bounds.theorem_6(problem, 10**7, 0.5, 1e-3)
    assert problem.means.tolist() == pytest.approx([0.2] * 4 + [0.05] * 16)
    monkeypatch.setattr(pictures, "LEARNING_INSTANCE", (20, 4, 0.2, 0.1))
    monkeypatch.setattr(pictures, "LEARNING_DELTA", 1e-6)
    moved = pictures._learning_bounds(problem, "local", 0.5)
    assert moved["Theorem 11"](10**7) == bounds.theorem_11(20, 4, 0.2, 0.1, 10**7, 0.5)
    assert moved["Theorem 6"](10**7) > six


def test_equal_runs_are_played_once(small):
    before = len(small.setting._played)
    small.setting.local(0.2)
    assert len(small.setting._played) == before


@pytest.mark.parametrize(("step", "stop"), [(1.0, 1.0), (1.0, 2.0), (0.5, 3.0)])
def test_a_short_sweep_still_has_every_reading(small, step, stop):
    panel = small.setting.sweep(step, stop, 5)
    for reading in ("published", "stated", "repaired"):
        assert max(run.policy.privacy.epsilon for run in panel if run.reading == reading) == stop


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"list_size": 20}, "list_size must be <= 19"),
        ({"gap": 0.2}, "gap must be"),
        ({"epsilons": [1, 2, 3, 4, 5]}, "epsilons must have at most 4"),
        ({"list_sizes": [20]}, "list_sizes must be <= 19|list_sizes must be >= 1"),
        ({"item_counts": [4]}, "item_counts must be >= 5"),
        ({"item_counts": []}, "item_counts must not be empty"),
        ({"sweep_step": 0.0}, "sweep_step must be"),
        ({"sweep_stop": 0.01}, "sweep_stop must be"),
    ],
)
def test_parameters_must_fit_each_other(change, message):
    good = {
        "n_items": 20, "list_size": 4, "p": 0.2, "gap": 0.15, "epsilons": [1.0], "cucb_epsilons": [1.0],
        "list_sizes": [4], "item_counts": [8], "sweep_step": 0.02, "sweep_stop": 2.0,
    }  # fmt: skip
    check_parameters(**good)
    with pytest.raises(ValueError, match=message):
        check_parameters(**{**good, **change})
