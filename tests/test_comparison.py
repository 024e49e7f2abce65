"""The comparison: equal privacy, who is ranked, what is recommended, and prices of at least 1."""

from __future__ import annotations

import json
import math
import re
from functools import partial
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy

from private_bandits import baselines, simulate
from private_bandits.papers import cascading, semibandits
from private_bandits.privacy import Guarantee, concentrated_rho
from private_bandits.problems import Arms
from private_bandits_book import chapter as room
from private_bandits_book.book import find_book
from private_bandits_book.chapter import Chapter
from private_bandits_book.chapters.comparison import ranking
from private_bandits_book.chapters.comparison.studies import STUDIES
from private_bandits_book.rivals.single_observation import OneBit
from private_bandits_book.studies import play_long

BOOK = find_book()
DATA = BOOK.data("comparison")
RANKINGS = sorted(path.stem for path in DATA.glob("table-ranking-*.csv"))
TREE = partial(semibandits.cucb_dp, list_size=3, n_arms=6, horizon=1000, variant="printed")
LEAKING = partial(cascading.ucb_laplace, list_size=4, noise_multiplier=0.01)


def of_rho(nominal):
    """A policy that promises as much zero-concentrated privacy as one that is nominally private without delta."""
    privacy = Guarantee.concentrated(concentrated_rho(nominal), "central", "sums", delta=1e-3, gaussian=True)
    return SimpleNamespace(privacy=privacy)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("make", [baselines.adap_ucb, TREE, of_rho], ids=["as promised", "pays less", "rho"])
def test_a_policy_pays_the_target(make, epsilon):
    policy = ranking.paying(make, epsilon)
    assert policy.privacy.effective_epsilon == pytest.approx(epsilon, rel=1e-9, abs=0)
    assert (policy.privacy.epsilon > 1.5 * epsilon) == (make is TREE)
    assert ranking.certified(policy)


def test_one_that_leaks_has_it_as_its_promise():
    policy = ranking.paying(LEAKING, 0.3)
    assert policy.privacy.epsilon == 0.3 and math.isinf(policy.privacy.effective_epsilon)
    assert not ranking.certified(policy) and ranking.certified(baselines.adap_ucb(1.0))


def runs(**finals):
    """Runs at epsilon = 1, and those of "free" without privacy; names with "local" or "leaking" have that trust."""
    frames = []
    for name, values in finals.items():
        trust = next((one for one in ("local", "leaking", "free") if one in name), "central")
        facts = {"policy": name, "trust": trust.replace("free", "none"), "pays": math.inf if trust == "free" else 1.0}
        facts["mechanism"] = "none" if trust == "free" else "laplace"
        frame = pd.DataFrame({"replication": range(len(values)), "regret": values, "t": 9, "uniform": 50.0})
        frames.append(frame.assign(**facts, epsilon=facts["pays"], nominal=facts["pays"], family="laplace"))
    return pd.concat(frames, ignore_index=True)


def test_a_ranking_rests_on_paired_differences():
    random = np.random.default_rng(3)
    shared = random.normal(0.0, 50.0, 20)
    means = {"free": 100.0, "a": 200.0, "b_local": 201.0, "c": 230.0}
    finals = {name: mean + shared + random.normal(0.0, 4.0, 20) for name, mean in means.items()}
    frame = ranking.ranking(runs(**finals, d_leaking=0 * shared), 1.0).set_index("policy")
    assert frame["rank"].to_dict() == {"a": "1 (tied)", "b_local": "1 (tied)", "c": "3"}  # and what leaks has none
    for name in ("a", "c"):
        ends = scipy.stats.ttest_1samp(finals[name], 0.0).confidence_interval(0.95)
        assert frame.loc[name, ["regret_low", "regret_high"]].tolist() == pytest.approx(list(ends))
    # unpaired, the spread that the seeds share would hide that c has more regret
    assert scipy.stats.ttest_ind(finals["a"], finals["c"]).pvalue > 0.05


def test_the_best_is_chosen_on_other_runs_than_it_is_measured_on():
    lucky = np.tile([1.0, 9.0], 4)  # on the runs that choose
    frame = runs(free=lucky, free_too=np.full(8, 4.0), a=np.full(8, 18.0))
    name, values = ranking.without(frame)
    assert name == "free" and values.tolist() == [9.0] * 4
    priced = ranking.priced(frame)
    assert priced[priced["policy"] == "a"]["regret"].tolist() == [2.0] * 8
    assert priced[priced["policy"] == "uniform"]["regret"].item() == 50.0


def test_the_recommendation_follows_the_runs():
    def advised(**finals):
        spread = np.linspace(-1.0, 1.0, 8)
        return ranking.advice(ranking.ranking(runs(free=9 + spread, **{k: v + spread for k, v in finals.items()}), 1.0))

    assert re.search(r"Take \*\*a\*\* .* else \*\*b_local\*\*", advised(a=20.0, b_local=40.0))
    assert advised(a=40.0, b_local=20.0).startswith("Take **b_local**")
    assert advised(a=20.0).startswith("With a trusted curator take **a**,")
    both = advised(a=20.0, b=20.0 + np.linspace(0.5, -0.5, 8), b_local=40.0)
    assert both.startswith(("Take **a** or **b** (tied) if", "Take **b** or **a** (tied) if"))


@pytest.mark.parametrize("label", RANKINGS)
def test_no_price_is_below_1(label):
    """Else a better policy without privacy is in the book, and the denominator is wrong."""
    frame = pd.read_csv(DATA / f"{label}.csv")
    assert len(RANKINGS) == 6 and (frame["price_high"] >= 1.0).all()
    assert (frame["epsilon"] == 1.0).all() and (frame["regret_low"] <= frame["regret_high"]).all()


def test_the_page_says_what_its_tables_say():
    cells = json.loads(BOOK.path("comparison").read_text(encoding="utf-8"))["cells"]
    shown = "".join(json.dumps(cell.get("outputs", "")) for cell in cells)
    for label in RANKINGS:
        assert json.dumps(ranking.advice(pd.read_csv(DATA / f"{label}.csv", dtype={"rank": str})))[1:-1] in shown


def test_every_policy_runs_at_every_epsilon_and_without_noise():
    asked = []

    def play(problem, policies, pays, stored="", **how):
        asked.extend((policy.name, pays, stored) for policy in policies)
        return pd.DataFrame({"epsilon": [pays], "effective_epsilon": [pays], "trust": "central", "pays": pays})

    chapter = SimpleNamespace(parameters={"epsilons": [0.5, 2.0], "epsilon": 1.0}, play=play)
    ranking.play(chapter, None, [baselines.ucb()], [baselines.adap_ucb], slow={"bits": baselines.dp_klucb})
    every = 0.5, 1.0, 2.0, math.inf
    slow, ours = ([(name, each, kept) for each in every] for name, kept in (("DP-KLUCB", "bits"), ("AdaP-UCB", "")))
    assert asked == [("UCB", math.inf, ""), *slow, *ours]


@pytest.mark.parametrize(
    "change",
    [{"seed": 7}, {"horizon": 200}, {"replications": 21}, {"means": [0.7, 0.6]}, {"epsilon": 0.7}],
    ids=str,
)
def test_a_stored_study_is_never_shown_beside_runs_of_another_kind(change, monkeypatch):
    own = {name: one.default for name, one in BOOK.parameters("comparison").items()} | {"n_jobs": 1}
    chapter = Chapter("comparison", names := dict(own))
    played = []

    def few(problem, policy, **how):
        played.append(how)
        return simulate(problem, policy, horizon=9, replications=2, seed=0)

    monkeypatch.setattr(room, "simulate", few)

    def asked(epsilon=1.0, means=(0.75, 0.625, 0.5, 0.375, 0.25), **other):
        names.update(own | other)
        return chapter.play(Arms.bernoulli(means), [OneBit(epsilon)], stored="bits-arms", checkpoints=[])

    assert len(asked()) == 20 and len(asked(replications=5)) == 5 and not played
    asked(**change)
    assert len(played) == 1


def test_a_private_policy_without_noise_is_named_so():
    frame = runs(free=np.full(8, 9.0), a=np.full(8, 18.0))
    assert ranking.without(pd.concat([frame, frame[frame["policy"] == "a"].assign(pays=math.inf, regret=4.0)]))[0] == (
        "a, without noise"
    )


@pytest.mark.parametrize("label", STUDIES)
def test_a_stored_run_is_played_again(label):
    known = pd.read_csv(DATA / f"long-{label}.csv")
    number, run = next((n, run) for n, run in enumerate(STUDIES[label].runs()) if run.labels["pays"] == 1.0)
    again = play_long(run._replace(replications=range(3, 4)), 1)
    one = known[(known["run"] == number) & (known["replication"] == 3)]
    assert again["regret"].item() == pytest.approx(one["regret"].item())
