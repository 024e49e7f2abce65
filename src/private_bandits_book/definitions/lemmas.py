"""Definitions 1 to 5 and Lemmas 1 and 2 of Basu, Dimitrakakis and Tossou (2019), by enumeration on concrete policies.

A ratio compares the exact loss with the one that the lemma allows; the lemma holds where it is at most 1.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from private_bandits.privacy import FinitePolicy, channel_loss, exact_loss, table_laws
from private_bandits_book import policies
from private_bandits_book.definitions.inference import PREFERENCES, noisy_answers
from private_bandits_book.package_data import tables

NAMES: dict[str, str] = tables("definitions", "texts")["names"]["policies"]
"""What the small policies are called, by their keys."""
RESPONSE, _EXPONENTIAL, LAPLACE, PRIVATE, _RETRACTION, BARE, _EAVESDROPPER, _HEDGE = NAMES

_EVERY_RESPONSE = "local, every response of a person"


class Feedback(NamedTuple):
    """Lemma 1: the losses on outcomes and on rewards; `tables` is that on outcomes, by every table of outcomes."""

    outcomes: float
    tables: float
    rewards: float


class Composition(NamedTuple):
    """Lemma 2: both losses, and each over what the other allows.

    `forward` is instantaneous / (2 dp), `backward` dp / (T instantaneous), `sharper` dp / ((T - 1) instantaneous): the
    first arm depends on no reward, so T can be T - 1. A ratio is nan where both losses are 0 or infinite.
    """

    dp: float
    instantaneous: float
    forward: float
    backward: float
    sharper: float


def lemma_1(policy: FinitePolicy, horizon: int) -> Feedback:
    """Lemma 1: the loss on outcomes against the loss on rewards, equal under bandit feedback.

    Parameters
    ----------
    policy : FinitePolicy
    horizon : int
        T, >= 1. `tables` compares every pair of tables that differ in one row, up to 4 million cells in all.

    Returns
    -------
    Feedback
        `outcomes` and `tables` are one number found in two ways.
    """
    return Feedback(
        exact_loss(policy, horizon, definition="outcomes"),
        _tables_loss(table_laws(policy, horizon), horizon),
        exact_loss(policy, horizon, definition="rewards"),
    )


def lemma_2(policy: FinitePolicy, horizon: int) -> Composition:
    """Lemma 2: epsilon-DP gives 2 epsilon instantaneous; epsilon instantaneous gives T epsilon DP.

    Parameters
    ----------
    policy : FinitePolicy
    horizon : int
        T, >= 2.
    """
    dp, instantaneous = exact_loss(policy, horizon), exact_loss(policy, horizon, definition="instantaneous")
    allowed = 2 * dp, horizon * instantaneous, (horizon - 1) * instantaneous
    return Composition(dp, instantaneous, *map(_ratio, (instantaneous, dp, dp), allowed))


def suite(epsilon: float, slack: float = 0.01) -> dict[str, FinitePolicy]:
    """Return the policies with two arms and bandit feedback, by name; `slack` is the retraction's, in (0, 1/2].

    What one round, or one response, is built for is `epsilon`, > 0 and finite.
    """
    return {
        RESPONSE: policies.Response(epsilon, 2),
        _EXPONENTIAL: policies.Exponential(epsilon, 2),
        LAPLACE: policies.LaplaceArgmax(epsilon, 2),
        PRIVATE: policies.LocallyPrivate(policies.Greedy(2), epsilon),
        _RETRACTION: policies.Retraction(epsilon, slack),
        BARE: policies.Greedy(2),
    }


def eavesdroppers(epsilon: float) -> dict[str, FinitePolicy]:
    """Return the policies with partial monitoring, by key: where Lemma 1 fails."""
    return {_EAVESDROPPER: policies.Eavesdropper(epsilon), _HEDGE: policies.Hedge(epsilon, 2)}


def losses(epsilon: float, horizon: int) -> pd.DataFrame:
    """Return the exact loss of every policy under all definitions, with the ratios of both lemmas.

    The environment column is the loss of Definition 5 between two people with opposite preferences, the distance of
    their means counted as one. `lemma_1` is the loss on outcomes, by every pair of tables, over that on rewards, the
    other ratios are those of `Composition`.
    """
    rows: list[dict[str, Any]] = []
    for feedback, everyone in (("bandit", suite(epsilon)), ("all outcomes", eavesdroppers(epsilon))):
        for name, policy in everyone.items():
            first, pair = lemma_1(policy, horizon), lemma_2(policy, horizon)
            found = {"key": name, "policy": NAMES[name], "feedback": feedback, "epsilon": epsilon, "horizon": horizon}
            found |= {"outcomes": pair.dp, "rewards": first.rewards, "instantaneous": pair.instantaneous}
            found |= {"local": exact_loss(policy, horizon, definition="local")}
            found |= {"environment": _environment(policy, horizon), "lemma_1": _ratio(first.tables, first.rewards)}
            rows.append(found | {"forward": pair.forward, "backward": pair.backward, "sharper": pair.sharper})
    return pd.DataFrame(rows)


def calibrated(epsilon: float, horizon: int) -> float:
    """Return the loss of Definition 5 between the same two people behind the channel of `inference.noisy_answers`.

    It is epsilon times the distance of their means, 0.6, or less where that needs no noise.
    """
    return _environment(noisy_answers(epsilon, horizon), horizon)


def mechanisms(epsilon: float, sizes: Iterable[int] = (2, 3, 5)) -> pd.DataFrame:
    """Return the exact loss of Definition 1 for single draws: a randomiser as a channel from input to output.

    A row per mechanism and size; `kind` is "response", "exponential" or "argmax".
    """
    rows = []
    for size in sizes:
        truth = np.eye(size)
        score = np.exp(epsilon / 2 * truth)
        respond = np.where(truth == 1, math.exp(epsilon), 1.0) / (math.exp(epsilon) + size - 1)
        for kind, name, channel in (
            ("response", f"{size}-ary randomised response", respond),
            ("exponential", f"exponential mechanism, {size} values", score / score.sum(axis=1, keepdims=True)),
            ("argmax", f"argmax of {size} values", truth),
        ):
            rows.append({"kind": kind, "mechanism": name, "epsilon": epsilon, "loss": channel_loss(channel)})
    return pd.DataFrame(rows)


def tightness(epsilon: float, horizons: Iterable[int], slacks: Iterable[float]) -> pd.DataFrame:
    """Return how nearly policies reach the two halves of Lemma 2: exact loss over what the lemma allows.

    `half` is the ratio of `Composition` that a row has: "forward", "backward" or "sharper".
    """
    rows: list[tuple[Any, ...]] = []
    for slack in slacks:
        found = lemma_2(policies.Retraction(epsilon, slack), 3)
        rows.append(
            ("forward", "ε-DP gives 2ε instantaneous", f"retraction, slack {slack:g}", 3, *found[:2], found.forward)
        )
    for horizon in horizons:
        found = lemma_2(policies.Response(epsilon, 2), horizon)
        rows.append(("backward", "ε instantaneous gives Tε DP", NAMES[RESPONSE], horizon, *found[:2], found.backward))
        rows.append(("sharper", "ε instantaneous gives (T-1)ε DP", NAMES[RESPONSE], horizon, *found[:2], found.sharper))
    return pd.DataFrame(rows, columns=["half", "claim", "policy", "horizon", "dp", "instantaneous", "ratio"])


def growth(epsilon: float, horizons: Sequence[int]) -> pd.DataFrame:
    """Return the exact losses over the horizon: "bounded by a constant independent of the length of interactions".

    Two policies with two arms: randomised response on the best arm, epsilon a round, and the argmax of private
    responses, epsilon a response. The loss of environment privacy is a multiple of the distance of the two preferences,
    printed (arms and all generated rewards, the policy cancels) and of the arms alone. In "local, every response of a
    person" all T rewards may change.
    """
    everyone = suite(epsilon)
    asked: dict[str, dict[str, Any]] = {
        "outcomes": {},
        "instantaneous": {"definition": "instantaneous"},
        "local": {"definition": "local"},
        _EVERY_RESPONSE: {"definition": "local"},  # T responses that are independent, given the rewards
    }
    for output in ("history", "actions"):
        asked[f"environment, {output}"] = {"definition": "environment", "environments": PREFERENCES, "output": output}
    rows = []
    for name, horizon, (definition, how) in product((RESPONSE, PRIVATE), horizons, asked.items()):
        loss = exact_loss(everyone[name], horizon, **how) * (horizon if definition == _EVERY_RESPONSE else 1)
        rows.append((name, NAMES[name], definition, horizon, epsilon, loss))
    return pd.DataFrame(rows, columns=["key", "policy", "definition", "horizon", "epsilon", "loss"])


def _environment(policy: FinitePolicy, horizon: int) -> float:
    between: dict[str, Any] = {"environments": PREFERENCES, "distance": lambda first, second: 1.0}
    return exact_loss(policy, horizon, definition="environment", **between)


def _tables_loss(laws: np.ndarray, horizon: int) -> float:
    """Return the largest |ln| ratio over sequences of arms and pairs of tables that differ in one row."""
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(laws)
        gaps = [np.nanmax(logs.max(axis=t) - logs.min(axis=t)) for t in range(horizon - 1)]
    return max(map(float, gaps), default=0.0)


def _ratio(above: float, below: float) -> float:
    if above == below == 0 or math.isinf(above) and math.isinf(below):
        return math.nan
    return above / below if below > 0 else math.inf
