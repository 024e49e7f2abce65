"""The comparison: what is paid, who is ranked, where curves meet, and that nobody is left out without a reason."""

from __future__ import annotations

import importlib
import math

import numpy as np
import pandas as pd
import pytest
import scipy

from private_bandits_book.algorithms import listed
from private_bandits_book.comparison import panels, tables
from private_bandits_book.comparison.settings import LONG, SETTINGS, called, kept, paying
from private_bandits_book.comparison.study import CENTRAL, LOCAL, Study, crossing, ranking, rest
from private_bandits_book.exhibits import names
from private_bandits_book.studies import key

PARAMETERS = {
    "horizon": 1000,
    "long_horizon": 10**12,
    "replications": 4,
    "seed": 7,
    "n_jobs": 1,
    "epsilons": [0.5, 1.0],
    "epsilon": 1.0,
    "delta": 1e-3,
}


@pytest.fixture(scope="module")
def study():
    return Study.at(PARAMETERS, lambda label: pd.DataFrame())


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 10.0])
def test_every_policy_pays_the_target_or_leaks(name, epsilon):
    for make in SETTINGS[name](1000, 1e-3).private:
        policy = paying(make, epsilon)
        if kept(policy):
            assert policy.privacy.effective_epsilon == pytest.approx(epsilon, rel=1e-9, abs=0)
        else:
            assert policy.privacy.epsilon == epsilon and math.isinf(policy.privacy.effective_epsilon)


def test_what_pays_less_than_it_promises_gets_a_larger_nominal_epsilon():
    nominal = [paying(make, 1.0).privacy.epsilon for make in SETTINGS["super_arms"](1000, 1e-3).private]
    assert max(nominal) > 1.5 and min(nominal) == 1.0


def test_a_policy_is_called_as_the_library_has_it():
    made = {called(make): make(1.0) for name in SETTINGS for make in SETTINGS[name](1000, 1e-3).private}
    assert "contextual.ldp_linucb" in made and "baselines.dp_se" in made
    for call in made:
        room, function = call.split(".")
        place = "private_bandits.baselines" if room == "baselines" else f"private_bandits.papers.{room}"
        assert callable(getattr(importlib.import_module(place), function))


@pytest.mark.check
def test_linear_contexts_are_played_by_stretches_to_the_long_horizon(study):
    assert all(run.t[-1] == PARAMETERS["long_horizon"] for name in LONG for run in study.runs[name])
    assert all(run.t[-1] == PARAMETERS["horizon"] for name in set(SETTINGS) - set(LONG) for run in study.runs[name])
    runs = study.runs["linear"]
    assert {type(run.policy.record).__module__.split(".")[-1] for run in runs} == {"stretches", "weighted"}
    lost = {run.swept["label"]: float(run.final.mean()) for run in runs.select(pays=1.0)}
    order = ["LinUCB, joint privacy", "Weighted regression", "LDP-LinUCB, derived, analytic"]
    assert sorted(lost, key=lost.__getitem__)[:3] == order


def test_a_figure_of_many_policies_keeps_the_least_of_each_kind(study):
    hidden = panels._hidden(study.runs["lists"].select(pays=1.0))
    shown = [run for run in study.runs["lists"].select(pays=1.0) if run.swept["place"] not in hidden]
    kinds = [(run.family, run.policy.privacy.trust) for run in shown if kept(run.policy)]
    assert len(kinds) == len(set(kinds)) == 5 and len(shown) == 6
    assert study.best("lists", CENTRAL).place not in hidden
    assert panels._hidden(study.runs["linear"].select(pays=1.0)) == set()


def test_a_setting_plays_every_policy_on_its_problem(study):
    for name in SETTINGS:
        runs = study.runs[name]
        assert len(runs) == len(study.setting(name).plain) + 2 * len(study.setting(name).private)
        assert {len(run.final) for run in runs} == {4}
        assert len({run.swept["label"] for run in runs.select(pays=1.0)}) == len(study.setting(name).private)
        assert {float(run.problem.uniform_regret()) for run in runs} == {runs[0].problem.uniform_regret()}


def left_out(study, played):
    """The listed algorithms that are not among the played ones and have no reason."""
    reasons = names(study, "elsewhere")
    return [
        one
        for _, policy in listed(1.0, 1e-3)
        if (one := tables.identity(policy)) not in played and not {one, key(policy)} & set(reasons)
    ]


def test_no_listed_algorithm_is_left_out_without_a_reason(study):
    played = {tables.identity(run.policy) for runs in study.runs.values() for run in runs}
    assert left_out(study, played) == []
    assert all(left_out(study, played - {one}) == [one] for one in ("ren2020; LDP-UCB-B; printed",))
    known = {name for _, policy in listed(1.0, 1e-3) for name in (tables.identity(policy), key(policy))}
    assert set(names(study, "elsewhere")) <= known - played


def test_a_ranking_rests_on_paired_differences():
    random = np.random.default_rng(3)
    shared = random.normal(0.0, 50.0, 20)
    means = {"a": 100.0, "b": 101.0, "c": 130.0}
    finals = [mean + shared + random.normal(0.0, 4.0, 20) for mean in means.values()]
    frame = ranking(list(means), finals).set_index("label")
    for label, final in zip(means, finals, strict=True):
        apart = final - finals[0]
        ends = scipy.stats.ttest_1samp(apart, 0.0).confidence_interval(0.95) if label != "a" else (0.0, 0.0)
        assert frame.loc[label, ["over_low", "over_high"]].tolist() == pytest.approx(list(ends), abs=1e-9)
        ends = scipy.stats.ttest_1samp(final, 0.0).confidence_interval(0.95)
        assert frame.loc[label, ["regret_low", "regret_high"]].tolist() == pytest.approx(list(ends))
    # unpaired, the spread that the seeds share would hide the last one's loss
    assert frame["rank"].to_dict() == {"a": 1, "b": 1, "c": 3}
    assert scipy.stats.ttest_ind(finals[0], finals[2]).pvalue > 0.05


def test_a_crossing_is_solved_and_its_interval_covers():
    x, noise = [0.1, 1.0, 10.0], np.random.default_rng(5).normal(0.0, 0.02, (2, 20, 1))
    a = 100.0 * np.array([1.0, 1.0, 1.0]) * np.exp(noise[0])
    b = 100.0 * np.array([2.0**3, 2.0, 2.0**-1]) * np.exp(noise[1])
    found = crossing(x, a, b)  # the ratio goes from 2 to 1/2 between 1 and 10
    assert found.low < math.sqrt(10.0) < found.high and found.high / found.low < 1.2
    exact = crossing(x, np.tile(a[:1], (5, 1)), np.tile(a[:1] * [8.0, 2.0, 0.5], (5, 1)))
    assert exact.measured == pytest.approx(math.sqrt(10.0)) and exact.low == pytest.approx(exact.high)
    assert math.isnan(crossing(x, a, 10.0 * b).measured)


def test_a_crossing_that_some_runs_decide_has_the_ends_of_the_range():
    a, b = np.full((4, 2), 10.0), np.array([[12.0, 20.0], [12.0, 9.0], [12.0, 9.0], [12.0, 1.0]])
    assert b.mean(axis=0)[1] < 10.0 < np.delete(b, 3, 0).mean(axis=0)[1]
    assert crossing([1.0, 4.0], a, b)[1:3] == (1.0, 4.0)


def test_what_leaks_is_dotted_and_never_ranked(study):
    for name in SETTINGS:
        leaking = [run for run in study.runs[name].select(pays=1.0) if not kept(run.policy)]
        ranked = tables.ranked(study, name)
        assert not {run.swept["label"] for run in leaking} & set(ranked["label"])
        assert ranked["epsilon"].tolist() == pytest.approx([1.0] * len(ranked))
        assert len(ranked) + len(leaking) == len(study.setting(name).private)
    frame = pd.DataFrame({"epsilon": [1.0, 1.0, math.inf], "effective_epsilon": [1.0, math.inf, math.inf]})
    assert panels.dotted(frame.assign(trust=[LOCAL, LOCAL, "none"]))["trust"].tolist() == [LOCAL, "leaking", "none"]


def test_the_best_is_chosen_on_other_runs_than_it_is_measured_on(study):
    values = np.arange(8.0)
    assert rest(values).tolist() == [1.0, 3.0, 5.0, 7.0] and rest(values[:3]).tolist() == [0.0, 1.0, 2.0]
    best = study.best("lists", CENTRAL)
    others = [run for run in study.runs["lists"].select(pays=1.0) if run.policy.privacy.trust == CENTRAL]
    assert best.run.final[::2].mean() == min(run.final[::2].mean() for run in others if kept(run.policy))
    assert study.best("linear", CENTRAL).run.name == "LinUCB, joint privacy"
    assert study.best("linear", "none") is None
    assert study.price(best.run).measured == pytest.approx(best.run.final[1::2].mean() / rest_of_plain(study, "lists"))


def rest_of_plain(study, name):
    """The least mean without privacy, chosen and measured as the best policies are."""
    return min(study.free[name], key=lambda run: run.final[::2].mean()).final[1::2].mean()


def test_the_bonus_is_the_records(study):
    lines = {policy.name: policy.record for _, policy in listed(1.0, 1e-3) if policy.variant[-1:] == ("stated",)}
    assert tables.bonus(lines["Laplace"]) == "√(1.5L/n) + √(216L/n)"
    assert tables.bonus(lines["Hybrid"]).endswith("L·ln(n)¹·⁵/n")
    shown = tables.anatomy(study)["policy"].str.split("; ").explode()
    assert len(shown) == len(list(listed(1.0, 1e-3)))
