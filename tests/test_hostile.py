"""Whatever is handed to a public function or to a chapter, it answers numbers or says in a line what it cannot take."""

from __future__ import annotations

import contextlib
import inspect
import math
import os
import time
from itertools import islice

import hostile
import numpy as np
import pytest

from private_bandits import baselines, simulate
from private_bandits.papers import heavy_tailed
from private_bandits.policy import Policy
from private_bandits.problems import Arms, Cascade, ConvexLoss, LinearContext, SemiBandit
from private_bandits_book.cli import main
from private_bandits_book.jobs import commands, parameter_file


@pytest.fixture(scope="module")
def calls():
    """Everything public; compiling is not on the clock, and not to be interrupted."""
    found = hostile.public()
    for path, function in found.items():
        with contextlib.suppress(ValueError, TypeError):
            function(**hostile.meant(path, function))
    return found


SIGNED = {"n_jobs", "axis", "offset"}
UNREAD = ("algorithms",)  # lists


def test_what_is_meant_is_answered_and_what_is_no_number_or_below_0_refused(calls):
    """Of every parameter of everything public somebody looks at the range."""
    assert len(calls) > 100
    for path, function in calls.items():
        assert hostile.called(path, function, {}) == "answered", path
        assert not hasattr(function, "py_func"), f"{path} is compiled: it checks nothing"
        for name, value in hostile.meant(path, function).items():
            assert hostile.called(path, function, {name: np.array(["a", "b"])}), (path, name)
            if isinstance(value, float | int) and not isinstance(value, bool) and not path.endswith(UNREAD):
                for wrong in (math.nan,) if name in SIGNED else (math.nan, -1.0):
                    assert hostile.called(path, function, {name: wrong}) == "refused", (path, name, wrong)


def test_what_nobody_meant_is_refused_by_name_or_answered(calls):
    ended = [hostile.called(path, calls[path], changed) for path, changed in islice(hostile.call_cases(calls, 1), 60)]
    ended += [hostile.validated(*case) for case in islice(hostile.parameter_cases(1), 30)]
    assert {*ended} == {"refused", "answered"}


# calls that once broke, and the argument that they name now
CORPUS = [
    ("Cascade.reward", {"items": [0, 0]}, "items"),
    ("ConvexLoss.arms", {"schedule": 5}, "schedule"),
    ("estimates.mean_interval", {"samples": hostile.MASKED}, "samples"),
    ("papers.contextual.ldp_linucb", {"noise": "laplace", "delta": hostile.CONTEXT}, "delta"),
    ("papers.definitions.replacements.asoodeh_zhang", {"divergences": np.ones(5)}, "divergences"),
    ("papers.semibandits.separated", {"kind": "K-path", "others": 1}, "others"),
    ("policy_checks.check_policy", {"problem": np.random.default_rng(0)}, "problem"),
    ("privacy.audit", {"neighbours": 1}, "neighbours"),
    ("privacy.audit", {"target": hostile.Fair(), "horizon": 3, "view": np.array([1, None], object)}, "view"),
    ("privacy.exact_loss", {"definition": "environment", "environments": 1}, "environments"),
    ("problems.ConvexLoss", {"domain": "nonsense"}, "domain"),
    ("simulation.simulate", {"checkpoints": np.array(1.0)}, "checkpoints"),
    ("simulation.simulate", {"policy": hostile.cascading.cascade_ucb1}, "policy"),
    # numbers that no float holds, that Python does not write, or whose square is no float
    ("baselines.adap_ucb", {"epsilon": 10**309}, "epsilon must be finite"),
    ("Arms.bernoulli", {"means": [10**5000, 0.5]}, r"means\[0\] must be finite"),
    ("privacy.audit", {"target": baselines.adap_ucb(1.0), "horizon": 10**400, "runs": 0}, "horizon"),
    ("papers.semibandits.cucb_ldp1", {"epsilon": 1e300}, r"epsilon must be at most 1e\+150 in size"),
    ("estimates.mean_interval", {"samples": [10**400, 0.5]}, "samples"),
    ("papers.contextual.instances.convex", {"kind": []}, "kind"),
    ("privacy.lower_end", {"alpha": 5e-324}, "alpha"),
    ("papers.heavy_tailed.ldp_robust_se", {"v": 5e-324}, "v must be >= 1e-9"),
    ("papers.contextual.two_point", {"noise": "laplace", "calibration": 1e300, "epsilon": math.inf}, "calibration"),
    ("papers.contextual.ldp_glm", {"beta": 5e-324, "responses": "binary"}, "beta must be >= 1e-300"),
    ("privacy.certified_loss", {"hits": [[0.5], [0.5, 0.2]]}, "hits"),
]


def test_what_once_broke(calls):
    for path, changed, named in CORPUS:
        with hostile.limited(1.0), pytest.raises((ValueError, TypeError), match=named) as caught:
            calls[path](**hostile.meant(path, calls[path]) | changed)
        assert len(str(caught.value)) <= 200


def test_what_plays_or_draws_refuses_an_epsilon_as_good_as_0_and_takes_infinity(calls):
    """By the one check that chapters use, too; a formula takes both."""
    for path, call in calls.items():
        formula = path.startswith("papers.") and path.split(".")[2] in ("bounds", "factor", "replacements")
        makes = inspect.signature(call).return_annotation in (Policy, "Policy") or path.startswith("mechanisms.")
        if "epsilon" in inspect.signature(call).parameters and makes and not formula:
            given = hostile.meant(path, call)
            with pytest.raises(
                ValueError, match=r"^epsilon must be >= 1e-9 where something is played or drawn, got 1e-12"
            ):
                call(**given | {"epsilon": 1e-12})
            assert hostile.called(path, call, {"epsilon": math.inf}) == "answered", path
    for given in ({"epsilons": [1.0, 1e-12]}, {"gap": int("9" * 400)}, {"horizon": 10**400}):
        assert hostile.validated("cascading", given) == "refused"


def test_what_is_large_or_has_few_digits_is_no_overflow(calls):
    few = np.float32(0.1)
    for path, changed in (("robust_ucb", {"v": few}), ("robust_se", {"v": few}), ("ldp_robust_se", {"epsilon": few})):
        large = {"c" if path == "ldp_robust_se" else "u": 1e15}
        assert hostile.called(f"papers.heavy_tailed.{path}", calls[f"papers.heavy_tailed.{path}"], changed | large)
    bound = calls["papers.contextual.bounds.local_lower"]
    found = {epsilon: bound(epsilon=epsilon, horizon=100) for epsilon in (1e-9, 2.0**31, math.inf)}
    assert [*found.values()] == [pytest.approx(100 / 24), 0.0, 0.0]
    for path, function in calls.items():
        if "horizon" in hostile.meant(path, function) and not path.startswith("simulation."):
            assert hostile.called(path, function, {"horizon": 2**62}), path


# --- the ends of ranges


def problems():
    """Problems at the ends of their ranges, each with its number of items and their size."""
    for means in ([0.5] * 3, [0.6, 0.6, 0.2], [0.0] * 3, [1.0] * 3, [1.0, 0.0, 0.5]):
        for size in (1, 2, 3):
            yield 3, size, Cascade(means, size)
            yield 3, size, SemiBandit.top_k(means, size)
        yield 3, 3, SemiBandit.from_sets(means, [[0, 1, 2]])
        yield 3, 1, Arms.bernoulli(means)
        for link in ("linear", "logistic"):
            yield 3, 1, LinearContext.table([[[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]]], [means], link=link)
        yield 3, 1, ConvexLoss.arms([means, means[::-1]])
    yield 1, 1, Cascade([0.5], 1)
    yield 1, 1, Arms.bernoulli([0.5])
    yield 2, 1, heavy_tailed.pareto_arms([0.5, 0.5], 2.0)
    yield 2, 1, ConvexLoss.ball([[1.0, 0.0]])


def regret_of_the_ends(path, function, epsilons):
    """How many games a policy plays; in each its regret is finite and never falls."""
    meant, played = hostile.meant(path, function), 0
    for epsilon in epsilons if "epsilon" in meant else (1.0,):
        for n_arms, size, problem in problems():
            ends = {"epsilon": epsilon, "n_arms": n_arms, "list_size": size}
            for horizon in (1, 50):
                given = {name: value for name, value in (ends | {"horizon": horizon}).items() if name in meant}
                try:
                    policy, made_for = function(**meant | given), meant.get("problem", problem)
                    lost = simulate(made_for, policy, horizon=horizon, replications=1, seed=1).regret.values
                except ValueError as error:
                    assert len(str(error)) <= 200 and "\n" not in str(error)
                    continue
                played += 1
                assert np.isfinite(lost).all() and (np.diff(lost, prepend=0.0) >= 0).all(), (problem, given, lost)
    return played


@pytest.mark.check
def test_regret_at_the_ends_of_every_range_is_finite_and_never_falls(calls):
    for path, call in calls.items():  # an envelope plays another policy
        if inspect.signature(call).return_annotation is Policy and path != "papers.contextual.by_stretches":
            assert regret_of_the_ends(path, call, (1e-9, 1e6, math.inf)), path


@pytest.mark.parametrize(("horizon", "epsilon"), [(2**53 + 1, 1.0), (2**62, 1e-9), (2**62, math.inf)])
def test_the_longest_runs_overflow_nowhere(horizon, epsilon):
    """With one arm, or too much noise to tell two, an epoch may have all rounds; the next one would end behind 2^63."""
    two, pareto = Arms.bernoulli([0.6, 0.4]), heavy_tailed.setting(1, 0.9)
    games = [(problem, baselines.dp_klucb(epsilon)) for problem in (two, Arms.bernoulli([0.5]))]
    games += [(Arms.bernoulli([0.5] * size), baselines.dp_se(epsilon, n_arms=size, horizon=horizon)) for size in (1, 3)]
    games += [(problem, heavy_tailed.quantile_se(epsilon, beta=1e-6)) for problem, _ in games]
    games += [(pareto, heavy_tailed.dp_robust_se(epsilon, v=0.9, u=1.0, beta=0.1))]
    games += [(pareto, heavy_tailed.adap_robust_ucb(epsilon, v=0.9, u=1.0, horizon=horizon))]
    for problem, policy in games:
        result = simulate(problem, policy, horizon=horizon, replications=1, seed=1)
        lost, worst = result.regret.values[0], problem.means.max() - problem.means.min()
        assert result.t.values[-1] == horizon and (np.diff(result.t) > 0).all()
        assert (np.diff(lost, prepend=0.0) >= 0).all() and (lost <= worst * result.t.values * (1 + 1e-12)).all()


# --- parameters of a run

DIGITS = "1" * 5000
FILES = {
    "an impossible date": "horizon: 2026-02-31\n",
    "5000 digits": f"horizon: {DIGITS}\n",
    "a list of itself": "epsilons: &x [*x]\n",
    "aliases of aliases": "a0: &a0 [1]\n" + "".join(f"a{n}: &a{n} [{9 * f'*a{n - 1}, '}]\n" for n in range(1, 9)),
    "a call": "horizon: !!python/object/apply:os.mkdir ['executed']\n",
    "a long value": f"{'x' * 1000}: {'x' * 100_000}\n",
    "a name given twice": "horizon: 300\nhorizon: 400\n",
    "an octal": "seed: 012\n",
    "two documents": "horizon: 1\n---\nhorizon: 2\n",
    "no text": "horizon: \x85\udcff\n",
}
LITERALS = (DIGITS, "9" * 400, 3000 * "[" + 3000 * "]", "x" * 100_000, "-1e400", "2**64", "{}", "1j", "\0", "(1,")
LITERALS = (*LITERALS, f"{400 * '9'}.5", f"1_{20 * '0'}", "__import__('os').mkdir('executed')")


def test_a_hostile_parameter_is_one_line_and_executes_nothing(tiny, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    before, words = [*sorted(os.listdir()), "params.yml"], [("-p", f"horizon={text}") for text in LITERALS]
    for given in (*FILES.values(), *words):
        if isinstance(given, str):
            (tmp_path / "params.yml").write_text(given, encoding="utf-8", errors="surrogateescape")
        since = time.process_time()
        assert main(["run", "tiny", *(("-f", "params.yml") if isinstance(given, str) else given)], book=tiny) == 2
        assert time.process_time() - since < hostile.SECONDS
        out, err = capsys.readouterr()
        assert out == "" and err.count("\n") == 1 and len(err) < 260, err
        assert sorted(os.listdir()) == sorted(before)


def test_a_text_means_the_same_in_a_file_and_on_the_command_line(tmp_path):
    for text in ("012", "1:00", "1e5", "1_000", "0x10", ".5", "yes", "True", "2026-02-03", "~", "[1e-1, 2]"):
        (tmp_path / "params.yml").write_text(f"seed: {text}\n")
        given = commands._parser().parse_args(["run", "tiny", "-p", f"seed={text}"])
        assert parameter_file.read(tmp_path / "params.yml") == commands._parameters(given)
    (tmp_path / "params.yml").write_text("'mood': '012'\nhorizon: 1e5\n")
    assert parameter_file.read(tmp_path / "params.yml") == {"mood": "012", "horizon": 1e5}
