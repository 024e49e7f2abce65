"""The runs of the cascading chapter: its panels at small parameters, and the committed longer studies."""

from __future__ import annotations

import math

import pandas as pd
import pytest
from replay import committed, folder, replayed

from private_bandits_book.cascading import check_parameters, study
from private_bandits_book.cascading.study import Study

PARAMETERS = {
    "horizon": 60, "replications": 2, "seed": 1, "n_jobs": 1, "epsilons": [0.2, 1.0], "central_epsilons": [0.5, 1.0],
    "cucb_epsilons": [0.2, 2.0], "items_epsilon": 1.0, "sizes_epsilon": 0.2, "sweep_step": 0.5, "sweep_stop": 2.0,
    "n_items": 8, "list_size": 2, "item_counts": [4, 8], "list_sizes": [2, 4], "p": 0.2, "gap": 0.15, "delta": 1e-3,
}  # fmt: skip


@pytest.mark.parametrize("label", ["learning", "growth"])
def test_a_longer_study_is_replayed(label):
    runs = {"learning": study.learning_runs, "growth": study.growth_runs}[label]()
    frame = committed("cascading", label)
    assert frame["replication"].nunique() == study.LEAST_RUNS >= 5
    replayed(frame, runs, rounds=30_000)
    policy, epsilon = {"learning": ("Response, first item", 0.2), "growth": ("Gaussian", 4.0)}[label]
    named = [run for run in runs if (run.policy.name, run.policy.privacy.epsilon) == (policy, epsilon)]
    replayed(frame, named, whole=True)


def test_every_locus_has_a_row_at_any_parameters():
    small = Study(**PARAMETERS, long_study=lambda label: pd.read_csv(folder("cascading") / f"long-{label}.csv"))
    ledger = small.ledger
    loci = set(ledger["locus"])
    assert loci >= {f"Theorem {n}" for n in range(1, 13)} | {f"Lemma {n}" for n in range(1, 7)}
    assert loci >= {f"Figure 1({x})" for x in "abcdefghi"} | {f"Figure 2({x})" for x in "abcd"}
    own = ledger["locus"] == "This book"
    assert (ledger["kind"] == "contribution").sum() == 7 + own.sum() and own.sum() == 8
    verdicts = ledger.set_index("claim")["verdict"]
    for panel in ("figure-1c", "figure-1d", "figure-2c", "figure-2d", "kveton-table-1"):
        assert verdicts[panel] == "undecided"
    ours = {("CascadeUCB1", ""): 20, ("Response, first item", "repaired"): 20}
    published = {("Laplace", "published"): 40, ("Gaussian", "published"): 40}
    for panel, expected in ((small.local[0.2], ours | published), (small.sizes[4], dict([*ours.items()][1:]))):
        played = {
            (run.name, run.variant): len(run.curves) for run in panel if math.isfinite(run.epsilon) or not run.variant
        }
        assert {run: count for run, count in played.items() if count > 2} == expected
    assert small.sizes[2] is small.local[0.2]
    before = len(small._played)
    assert (
        small._local(0.2, 2, 2 * small.headline_replications) and len(small._played) == before
    )  # equal runs are played once


@pytest.mark.parametrize(("step", "stop"), [(1.0, 1.0), (1.0, 2.0), (0.5, 3.0)])
def test_a_short_sweep_still_has_every_reading(step, stop):
    sweep = Study(**PARAMETERS | {"sweep_step": step, "sweep_stop": stop, "horizon": 2}).sweep
    for variant in ("published", "stated", "repaired"):
        assert max(run.epsilon for run in sweep.select(variant=variant)) == stop


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"list_size": 20}, "list_size must be <= 19"),
        ({"gap": 0.2}, "gap must be"),
        ({"list_sizes": [20]}, "list_sizes must be <= 19|list_sizes must be >= 1"),
        ({"item_counts": [4]}, "item_counts must be >= 5"),
        ({"sweep_step": 0.0}, "sweep_step must be"),
        ({"sweep_stop": 0.01}, "sweep_stop must be"),
    ],
)
def test_parameters_must_fit_each_other(change, message):
    good = PARAMETERS | {"n_items": 20, "list_size": 4, "item_counts": [8], "list_sizes": [4]}
    check_parameters(**good)
    with pytest.raises(ValueError, match=message):
        check_parameters(**{**good, **change})
