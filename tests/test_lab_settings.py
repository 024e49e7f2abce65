"""The laboratory's panels: their regret is the library's, bad values are refused in words, and the command runs."""

from __future__ import annotations

import shlex
from ast import literal_eval

import numpy as np
import pytest
from lab import ask
from lab_policies import CHAPTERS
from scipy import stats

from private_bandits import simulate
from private_bandits.estimates import mean_interval
from private_bandits_book.book import find_book
from private_bandits_book.parameters import validate

RUNS = 60
PLAYED = [
    ("cascading", "laplace-published", {"horizon": 3000, "epsilon": 0.2}),
    ("cascading", "blocks-keep", {"horizon": 3000, "epsilon": 2.0}),
    ("semibandits", "ldp2-repaired", {"horizon": 4000, "epsilon": 10.0}),
    ("convex", "laplace-tuned", {"horizon": 2000, "kind": "quadratic"}),
    ("heavy_tailed", "ldp-se-small", {"horizon": 10**13}),
    ("heavy_tailed", "dp-ucb-small", {"horizon": 3000}),
]


def test_regret_is_that_of_the_library() -> None:
    defaults = ask(*(("defaults", chapter) for chapter, _, _ in PLAYED))
    values = [own | given | {"replications": RUNS} for own, (_, _, given) in zip(defaults, PLAYED, strict=True)]
    games = [(chapter, name, one) for (chapter, name, _), one in zip(PLAYED, values, strict=True)]
    for (chapter, name, given), played in zip(games, ask(*(("played", *game) for game in games)), strict=True):
        policy = CHAPTERS[chapter].policies[name](given)
        problem = CHAPTERS[chapter].problem(given, policy)
        kept = simulate(problem, policy, horizon=given["horizon"], replications=RUNS, seed=1, checkpoints=[1])
        ours, theirs = np.array(played)[:, -1], kept.regret.values[:, -1]
        assert stats.ks_2samp(ours, theirs).pvalue > 1e-3, name
        spread = np.hypot(ours.std(ddof=1), theirs.std(ddof=1)) / np.sqrt(RUNS)
        assert abs(ours.mean() - theirs.mean()) < 4 * spread, name


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_bad_values_are_refused_in_words(chapter: str) -> None:
    good = ask(("defaults", chapter))[0]
    refused = {
        "epsilon": (0, -1, "one", float("inf")),
        "horizon": (0, 2.5, 1e17),
        "replications": (1, 1001),
        "seed": (-1, 0.5),
    }
    special = {
        "cascading": [{"list_size": 20}, {"gap": 0.2}, {"p": 1.5}, {"delta": 0}],
        "semibandits": [{"list_size": 12}, {"family": "K-path", "list_size": 5}, {"gap": 0.6}, {"family": "tree"}],
        "convex": [{"kind": "linear"}, {"delta": 1}],
        "heavy_tailed": [{"setting": 4}, {"v": 1.5}, {"beta": 0}, {"horizon": 1}],
    }[chapter]
    cases = [{name: bad} for name, listed in refused.items() for bad in listed] + special
    found = ask(("check", chapter, good), *(("check", chapter, good | case) for case in cases))
    assert found[0] is None
    for case, said in zip(cases, found[1:], strict=True):
        assert any(said.startswith(f"{name} must be") for name in (*case, "n_arms")), (case, said)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_command_is_one_that_runs(chapter: str) -> None:
    rng, default = np.random.default_rng(0), ask(("defaults", chapter))[0]
    cases = [default, *(default | CHAPTERS[chapter].values(rng) for _ in range(20))]
    for values, command in zip(cases, ask(*(("command", chapter, case) for case in cases)), strict=True):
        program, run, named, *options = shlex.split(command)
        assert (program, run, named) == ("private-bandits", "run", chapter)
        assert options[::2] == ["-p"] * (len(options) // 2)
        given = {name: literal_eval(text) for name, _, text in (option.partition("=") for option in options[1::2])}
        shown = validate(chapter, find_book().parameters(chapter), given)
        assert shown["epsilons"] == [values["epsilon"]]
        kept = (set(values) & set(shown)) - ({"gap"} if values.get("family", "top-K") != "top-K" else set())
        assert {name: shown[name] for name in kept} == {name: values[name] for name in kept}


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_panel_begins_at_its_chapters_instance(chapter: str) -> None:
    begins, book = ask(("defaults", chapter))[0], validate(chapter, find_book().parameters(chapter), {})
    instance = (set(begins) & set(book)) - {"horizon", "replications", "seed"}  # a panel is played while one waits
    assert instance and {name: begins[name] for name in instance} == {name: book[name] for name in instance}


def test_the_sweep_over_sizes_leaves_the_number_of_bad_arms() -> None:
    values = ask(("defaults", "semibandits"))[0]
    swept = ask(("swept", "semibandits", values))[0]
    assert len({one["list_size"] for one in swept}) == len(swept) > 2
    assert {one["n_arms"] - one["list_size"] for one in swept} == {values["n_arms"] - values["list_size"]}


@pytest.mark.parametrize("runs", [[3.0, 5.0], [1.0, 4.0, 4.0, 9.0], np.arange(20.0).tolist()])
def test_the_band_of_a_panel_is_the_t_interval_of_the_mean(runs: list[float]) -> None:
    mean, low, high, *_ = mean_interval(runs)
    assert ask(("summary", runs))[0] == pytest.approx([mean, (high - low) / 2], rel=1e-3)
