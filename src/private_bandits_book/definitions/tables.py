"""The tables of the chapter."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from private_bandits.estimates import mean_interval
from private_bandits.papers.definitions import bounds, replacements
from private_bandits.privacy import FinitePolicy, channel_loss, exact_loss, policies
from private_bandits.privacy.divergences import local_factor
from private_bandits_book.definitions import histories, inference, lemmas
from private_bandits_book.definitions.experiments import TRUST, Experiments, instance, uniform_regret
from private_bandits_book.studies import Run

_MEANS = ((0.4, 0.6), (0.6, 0.4))
_SMALL = ((0.6, 0.6), (0.65, 0.65))
_PROOF_EPSILON = 0.1  # at which the proof of Lemma 6 fails, on _SMALL
_RESULTS = {
    ("DP", "minimax"): "Theorem 3",
    ("DP", "Bayesian minimax"): "Corollary 3",
    ("instantaneous DP", "minimax"): "Theorem 2",
    ("instantaneous DP", "Bayesian minimax"): "Corollary 2",
    ("local DP", "minimax"): "Theorem 1",
    ("local DP", "Bayesian minimax"): "Corollary 1",
    ("local DP", "problem-dependent"): "Theorem 4",
}
_Bound = Callable[..., float]
_ENTRIES: dict[str, _Bound] = {
    "DP": bounds.theorem_3,
    "instantaneous DP": bounds.theorem_2,
    "local DP": bounds.theorem_1,
}
_COROLLARIES: dict[str, _Bound] = {
    "DP": bounds.corollary_3,
    "instantaneous DP": bounds.corollary_2,
    "local DP": bounds.corollary_1,
}


def losses(epsilon: float, horizon: int) -> pd.DataFrame:
    """Return the exact loss of the small policies under all five definitions, and the ratios of Lemmas 1 and 2.

    The environment column is the loss of Definition 5 between two people with opposite preferences, the distance of
    their means counted as one.
    """
    frame = lemmas.losses(epsilon, horizon)
    everyone = lemmas.suite(epsilon) | lemmas.eavesdroppers(epsilon)
    frame.insert(8, "environment", [_environment(everyone[name], horizon) for name in frame["policy"]])
    return frame


def calibrated(epsilon: float, horizon: int) -> float:
    """Return the loss of Definition 5 between the same two people behind the channel of `inference.noisy_answers`.

    It is epsilon times the distance of their means, 0.6, or less where that needs no noise.
    """
    return _environment(inference.noisy_answers(epsilon, horizon), horizon)


def mechanisms(epsilon: float, sizes: Sequence[int] = (2, 3, 5)) -> pd.DataFrame:
    """Return the exact loss of Definition 1 for single draws: a randomiser as a channel from input to output."""
    rows = []
    for size in sizes:
        truth = np.eye(size)
        score = np.exp(epsilon / 2 * truth)
        respond = np.where(truth == 1, math.exp(epsilon), 1.0) / (math.exp(epsilon) + size - 1)
        rows += [
            {"mechanism": f"{size}-ary randomised response", "epsilon": epsilon, "loss": channel_loss(respond)},
            {
                "mechanism": f"exponential mechanism, {size} values",
                "epsilon": epsilon,
                "loss": channel_loss(score / score.sum(axis=1, keepdims=True)),
            },
            {"mechanism": f"argmax of {size} values", "epsilon": epsilon, "loss": channel_loss(truth)},
        ]
    return pd.DataFrame(rows)


def tightness(epsilon: float, horizons: Sequence[int], slacks: Sequence[float]) -> pd.DataFrame:
    """Return how nearly policies reach the two halves of Lemma 2: exact loss over what the lemma allows."""
    rows = []
    for slack in slacks:
        found = lemmas.lemma_2(policies.Retraction(epsilon, slack), 3)
        rows.append(_tight("ε-DP gives 2ε instantaneous", f"retraction, slack {slack:g}", 3, found, found.forward))
    for horizon in horizons:
        found = lemmas.lemma_2(policies.Response(epsilon, 2), horizon)
        name = "randomised response on the best arm"
        rows.append(_tight("ε instantaneous gives Tε DP", name, horizon, found, found.backward))
        rows.append(_tight("ε instantaneous gives (T-1)ε DP", name, horizon, found, found.sharper))
    return pd.DataFrame(rows)


def divergences(epsilon: float, horizon: int) -> pd.DataFrame:
    """Return Lemmas 3 to 7 on every history of small bandits: both sides of each, a row per policy.

    The environments have means (0.4, 0.6) and (0.6, 0.4).
    """
    rows = []
    for name, policy in lemmas.suite(epsilon).items():
        if isinstance(policy, policies.Greedy):
            continue
        three = histories.lemma_3(policy, *_MEANS, horizon)
        four = histories.lemma_4(policy, *_MEANS, horizon, epsilon)
        five = histories.lemma_5(policy, *_MEANS, horizon)
        six = histories.lemma_6(policy, *_MEANS, horizon)
        seven = histories.lemma_7(policy, _MEANS[0], horizon)
        acts = histories.action_bound(policy, *_MEANS, horizon)
        rows.append(
            {
                "policy": name,
                "epsilon": epsilon,
                "horizon": horizon,
                "divergence": three.divergence,
                "policy_term": three.policy_term,
                "reward_term": three.reward_term,
                "lemma_4_divergence": four.divergence,
                "lemma_4_best": four.best,
                "lemma_4_printed": four.printed,
                "lemma_5_extra": five.extra,
                "lemma_5_likeliest": five.likeliest,
                "lemma_5_claimed": five.claimed,
                "lemma_6_text": six.text,
                "lemma_6_appendix": six.appendix,
                "lemma_7_ratio": seven.log_ratio,
                "lemma_7_bound": seven.bound,
                "actions": acts.actions,
                "actions_bound": acts.private,
            }
        )
    return pd.DataFrame(rows)


def false_step() -> histories.CentralBound:
    """Return Lemma 6 where a step of its proof fails: two equal arms, little privacy loss, one reward turned."""
    return histories.lemma_6(policies.Exponential(_PROOF_EPSILON, 2), *_SMALL, 2)


def knowing() -> histories.Decomposition:
    """Return Lemma 3 for a policy that knows the environment: the only kind for which its first term is not 0."""
    return histories.lemma_3(policies.Response(1.0, 2), *_MEANS, 3, other=policies.Response(0.5, 2))


def table_1(n_arms: int, horizon: int, epsilons: Sequence[float], gap: float) -> pd.DataFrame:
    """Return Table 1 in numbers, a row per definition and epsilon; nan where the paper says "open problem"."""
    means = instance(n_arms, gap).means
    return pd.DataFrame(
        {
            "definition": name,
            "epsilon": epsilon,
            "n_arms": n_arms,
            "horizon": horizon,
            "minimax": entry(n_arms, horizon, epsilon, "table"),
            "bayesian_minimax": entry(n_arms, horizon, epsilon, "table"),
            "problem_dependent": _entry(means, horizon, epsilon) if name == "local DP" else math.nan,
        }
        for name, entry in _ENTRIES.items()
        for epsilon in epsilons
    )


def table_2(n_arms: int, horizon: int, epsilons: Sequence[float], gap: float) -> pd.DataFrame:
    """Return Table 2, which result proves which entry of Table 1, and whether it does.

    `low` and `high` are the extremes over epsilon of the entry over the result's bound, constants that are
    left open set to 1. The two agree if that is one number, the constant that the table drops.
    """
    means = instance(n_arms, gap).means
    rows = []
    for (name, regret), locus in _RESULTS.items():
        if regret == "problem-dependent":
            pairs = [(_entry(means, horizon, e), bounds.theorem_4(means, horizon, e)) for e in epsilons]
        else:
            result = (_ENTRIES if regret == "minimax" else _COROLLARIES)[name]
            pairs = [
                (_ENTRIES[name](n_arms, horizon, e, "table"), result(n_arms, horizon, e, "printed")) for e in epsilons
            ]
        ratios = [entry / bound for entry, bound in pairs if math.isfinite(entry) and 0 < bound < math.inf]
        low, high = (min(ratios), max(ratios)) if ratios else (math.nan, math.nan)
        rows.append(
            {
                "definition": name,
                "regret": regret,
                "result": locus,
                "low": low,
                "high": high,
                "agrees": bool(ratios) and high <= low * (1 + 1e-9),
            }
        )
    return pd.DataFrame(rows)


def readings(means: Sequence[float] | np.ndarray, horizon: int, epsilon: float) -> pd.DataFrame:
    """Return each entry of Table 1 as the table, the theorem and the proof have it, and what replaces it.

    Columns definition, regret ("minimax" stands for Bayesian minimax too), reading, locus, value, plain (the bound
    without privacy), vacuous (not above plain) and impossible (above T; never for problem-dependent bounds, which are
    asymptotic). The value is nan where the reading says nothing.
    """
    game, arms = (len(means), horizon, epsilon), (means, horizon, epsilon)
    dp, instantaneous, local, dependent = bounds.theorem_3, bounds.theorem_2, bounds.theorem_1, "problem-dependent"
    entries = [
        ("DP", "minimax", "table", "Table 1, B = 1/epsilon", dp(*game, "table")),
        ("DP", "minimax", "theorem", "Theorem 3, Corollary 3", dp(*game)),
        ("DP", "minimax", "proof", "proof, the line before the last", dp(*game, "proof")),
        ("DP", "minimax", "strict", "steps of the proof", dp(*game, "strict")),
        ("DP", "minimax", "replacement", "Azize and Basu (2022)", dp(*game, "corrected")),
        ("DP", "minimax", "replacement", "central_minimax", dp(*game, "sharp")),
        ("DP", dependent, "replacement", "Azize and Basu (2022)", replacements.azize_basu(*arms)),
        ("DP", dependent, "replacement", "central_lower", replacements.central_lower(*arms)),
        ("instantaneous DP", "minimax", "table", "Table 1", instantaneous(*game, "table")),
        ("instantaneous DP", "minimax", "proof", "proof, the last line", instantaneous(*game, "proof")),
        ("instantaneous DP", "minimax", "strict", "steps of the proof", instantaneous(*game, "solved")),
        ("instantaneous DP", "minimax", "replacement", "without privacy", instantaneous(*game, "corrected")),
        ("local DP", "minimax", "table", "Table 1", local(*game, "table")),
        ("local DP", "minimax", "theorem", "Theorem 1, Corollary 1", local(*game)),
        ("local DP", "minimax", "strict", "steps of the proof", local(*game, "strict")),
        ("local DP", "minimax", "replacement", "Theorem 1, corrected", local(*game, "corrected")),
        ("local DP", "minimax", "replacement", "local_minimax", replacements.local_minimax(*game)),
        ("local DP", dependent, "theorem", "Table 1, Theorem 4", bounds.theorem_4(*arms)),
        ("local DP", dependent, "replacement", "Theorem 4, corrected", bounds.theorem_4(*arms, "corrected")),
        ("local DP", dependent, "replacement", "local_lower", replacements.local_lower(*arms)),
    ]
    frame = pd.DataFrame(entries, columns=["definition", "regret", "reading", "locus", "value"])
    plain = {"minimax": replacements.minimax(*game[:2]), dependent: replacements.lai_robbins(means, horizon)}
    frame["plain"] = frame["regret"].map(plain)
    frame["vacuous"] = ~(frame["value"] > frame["plain"])
    frame["impossible"] = (frame["value"] > horizon) & (frame["regret"] == "minimax")
    return frame


def disagreements(n_arms: int, horizon: int, epsilons: Sequence[float], gap: float) -> pd.DataFrame:
    """Return `readings` on the chapter's instance at every epsilon."""
    means = instance(n_arms, gap).means
    frames = [readings(means, horizon, epsilon).assign(epsilon=epsilon) for epsilon in epsilons]
    frame = pd.concat(frames, ignore_index=True)
    frame.insert(3, "epsilon", frame.pop("epsilon"))
    return frame.assign(n_arms=n_arms, horizon=horizon)


def spread(frame: pd.DataFrame) -> pd.DataFrame:
    """Return `disagreements` with a column `at_<epsilon>` for every epsilon, for the page."""
    keys = ["definition", "regret", "reading", "locus"]
    order = frame[keys].drop_duplicates()
    wide = frame.assign(at=["at_" + f"{e:g}" for e in frame["epsilon"]]).pivot(index=keys, columns="at", values="value")
    columns = [f"at_{e:g}" for e in frame["epsilon"].unique()]
    return order.merge(wide.reset_index(), on=keys, how="left", sort=False)[[*keys, *columns]]


def lower_bounds(trust: str, n_arms: int, gap: float, horizon: int, epsilon: float) -> dict[str, float]:
    """Return the usable problem-dependent bounds on the chapter's instance, the best first, times ln T."""
    means = instance(n_arms, gap).means
    if trust == "local":
        return {
            "response": replacements.local_lower(means, horizon, epsilon),
            "Theorem 4, corrected": bounds.theorem_4(means, horizon, epsilon, "corrected"),
            "Theorem 4": bounds.theorem_4(means, horizon, epsilon),
            "no privacy": replacements.lai_robbins(means, horizon),
        }
    return {
        "d_epsilon": replacements.central_lower(means, horizon, epsilon),
        "Azize and Basu": replacements.azize_basu(means, horizon, epsilon),
        "no privacy": replacements.lai_robbins(means, horizon),
    }


def minimax_bounds(trust: str, n_arms: int, horizon: int, epsilon: float) -> dict[str, float]:
    """Return the usable minimax bounds, the best first."""
    if trust == "local":
        return {
            "response": replacements.local_minimax(n_arms, horizon, epsilon),
            "Theorem 1, corrected": bounds.theorem_1(n_arms, horizon, epsilon, "corrected"),
            "Theorem 1": bounds.theorem_1(n_arms, horizon, epsilon, "strict"),
            "no privacy": replacements.minimax(n_arms, horizon),
        }
    return {
        "d_epsilon": replacements.central_minimax(n_arms, horizon, epsilon),
        "Azize and Basu": replacements.azize_basu_minimax(n_arms, horizon, epsilon),
        "no privacy": replacements.minimax(n_arms, horizon),
    }


def upper_lower(runs: Iterable[Run], setting: Experiments, question: str) -> pd.DataFrame:
    """Return what is achieved over what is unavoidable, tidy, a row per policy and epsilon.

    `question` is "instance" (against the problem-dependent bound times ln T) or "hardest" (the run with the most regret
    over the gaps against the minimax bound). `bound` is the best usable one; every usable one has its column too.
    """
    rows = []
    for run in list(runs) if question == "instance" else hardest(runs):
        trust, gap = TRUST[run.name], run.swept["gap"]
        if question == "instance":
            found = lower_bounds(trust, setting.n_arms, gap, setting.horizon, run.epsilon)
        else:
            found = minimax_bounds(trust, setting.n_arms, setting.horizon, run.epsilon)
        rows.append(_row(run.name, trust, run.epsilon, gap, run.final, setting.n_arms, setting.horizon, found))
    return pd.DataFrame(rows)


def hardest(runs: Iterable[Run]) -> list[Run]:
    """Return the run with the most regret over the gaps, for every policy and epsilon."""
    found: dict[tuple[str, float], Run] = {}
    for run in runs:
        key = run.name, run.epsilon
        if key not in found or run.final.mean() > found[key].final.mean():
            found[key] = run
    return list(found.values())


def long_upper_lower(study: pd.DataFrame, n_arms: int, gap: float) -> pd.DataFrame:
    """Return the same as `upper_lower` from the longer study, on its instance at its horizon."""
    horizon = int(study["t"].max())
    final = study[study["t"] == horizon]
    rows = []
    for (name, epsilon), part in final.groupby(["policy", "epsilon"], sort=False):
        found = lower_bounds(TRUST[name], n_arms, gap, horizon, epsilon)
        rows.append(_row(name, TRUST[name], epsilon, gap, part["regret"].to_numpy(), n_arms, horizon, found))
    return pd.DataFrame(rows)


def ratios(*frames: tuple[str, pd.DataFrame]) -> pd.DataFrame:
    """Return upper over lower with a column `at_<epsilon>` for every epsilon, a row per question and policy."""
    rows = []
    for question, frame in frames:
        for name, part in frame[np.isfinite(frame["epsilon"])].groupby("policy", sort=False):
            row: dict[str, Any] = {"question": question, "policy": name, "trust": part["trust"].iloc[0]}
            rows.append(row | {f"at_{e:g}": r for e, r in zip(part["epsilon"], part["ratio"], strict=True)})
    return pd.DataFrame(rows)


def _row(
    name: str,
    trust: str,
    epsilon: float,
    gap: float,
    final: np.ndarray,
    n_arms: int,
    horizon: int,
    found: dict[str, float],
) -> dict[str, Any]:
    measured = mean_interval(final)
    bound = max(value for value in found.values() if not math.isnan(value))
    uniform = uniform_regret(n_arms, gap, horizon)
    # An asymptotic bound above uniform play only says that the horizon is too short for it.
    says = 0 < bound < uniform
    ratio = [x / bound if says else math.nan for x in (measured.measured, measured.low, measured.high)]
    return {
        "policy": name,
        "trust": trust,
        "epsilon": epsilon,
        "gap": gap,
        "t": horizon,
        "regret": measured.measured,
        "regret_se": measured.se,
        "replications": len(final),
        "bound": bound,
        "ratio": ratio[0],
        "ratio_low": ratio[1],
        "ratio_high": ratio[2],
        "uniform": uniform,
        **found,
    }


def _entry(means: np.ndarray, horizon: int, epsilon: float) -> float:
    """The problem-dependent entry of Table 1, with c(nu) the constant of Lai and Robbins."""
    return replacements.lai_robbins(means, horizon) / (2.0 * local_factor(epsilon))


def _environment(policy: FinitePolicy, horizon: int) -> float:
    return exact_loss(
        policy,
        horizon,
        definition="environment",
        environments=inference.PREFERENCES,
        distance=lambda first, second: 1.0,
    )


def _tight(claim: str, policy: str, horizon: int, found: lemmas.Composition, ratio: float) -> dict[str, Any]:
    return {
        "claim": claim,
        "policy": policy,
        "horizon": horizon,
        "dp": found.dp,
        "instantaneous": found.instantaneous,
        "ratio": ratio,
    }
