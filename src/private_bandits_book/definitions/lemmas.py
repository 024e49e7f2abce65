"""Lemmas 1 and 2 of Basu, Dimitrakakis and Tossou (2019), checked by enumeration on concrete policies.

A ratio compares the exact loss with the one that the lemma allows; the lemma holds where it is at most 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd

from private_bandits import checks
from private_bandits.privacy import FinitePolicy, exact_loss, table_laws
from private_bandits.privacy.policies import (
    Eavesdropper,
    Exponential,
    Greedy,
    Hedge,
    LaplaceArgmax,
    LocallyPrivate,
    Response,
    Retraction,
)


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
    rounds = checks.integer("horizon", horizon, at_least=2)
    dp = exact_loss(policy, rounds)
    instantaneous = exact_loss(policy, rounds, definition="instantaneous")
    return Composition(
        dp,
        instantaneous,
        _ratio(instantaneous, 2 * dp),
        _ratio(dp, rounds * instantaneous),
        _ratio(dp, (rounds - 1) * instantaneous),
    )


def suite(epsilon: float, n_arms: int = 2, slack: float = 0.01) -> dict[str, FinitePolicy]:
    """Return the policies with bandit feedback, by name; `epsilon` is what one round, or one response, is built for.

    Parameters
    ----------
    epsilon : float
        > 0, finite.
    n_arms : int
        >= 2; the retraction always has two.
    slack : float
        Of the retraction, in (0, 1/2].
    """
    return {
        "randomised response on the best arm": Response(epsilon, n_arms),
        "exponential mechanism": Exponential(epsilon, n_arms),
        "argmax with Laplace noise": LaplaceArgmax(epsilon, n_arms),
        "argmax of private responses": LocallyPrivate(Greedy(n_arms), epsilon),
        "retraction": Retraction(epsilon, slack),
        "argmax without noise": Greedy(n_arms),
    }


def eavesdroppers(epsilon: float) -> dict[str, FinitePolicy]:
    """Return the policies with partial monitoring, by name: where Lemma 1 fails.

    Parameters
    ----------
    epsilon : float
        > 0, finite.
    """
    return {
        "answer of the arm not pulled": Eavesdropper(epsilon),
        "exponential mechanism, all outcomes": Hedge(epsilon, 2),
    }


def losses(epsilon: float, horizon: int, n_arms: int = 2) -> pd.DataFrame:
    """Return the exact loss of every policy under the first four definitions, with the ratios of both lemmas.

    Parameters
    ----------
    epsilon : float
        > 0, finite: what one round, or one response, is built for.
    horizon : int
        T, >= 2.
    n_arms : int
        >= 2, of the policies with bandit feedback.

    Returns
    -------
    DataFrame
        A row per policy: `policy, feedback, epsilon, horizon, outcomes, rewards, instantaneous, local, lemma_1`
        (outcomes, by every pair of tables, over rewards), `forward, backward, sharper` (as in `Composition`).
    """
    rows = []
    for feedback, policies in (("bandit", suite(epsilon, n_arms)), ("all outcomes", eavesdroppers(epsilon))):
        for name, policy in policies.items():
            first, pair = lemma_1(policy, horizon), lemma_2(policy, horizon)
            rows.append(
                {
                    "policy": name,
                    "feedback": feedback,
                    "epsilon": epsilon,
                    "horizon": horizon,
                    "outcomes": pair.dp,
                    "rewards": first.rewards,
                    "instantaneous": pair.instantaneous,
                    "local": exact_loss(policy, horizon, definition="local"),
                    "lemma_1": _ratio(first.tables, first.rewards),
                    "forward": pair.forward,
                    "backward": pair.backward,
                    "sharper": pair.sharper,
                }
            )
    return pd.DataFrame(rows)


def growth(
    epsilon: float,
    horizons: Sequence[int],
    environments: Sequence[Sequence[float]] = ((0.2, 0.8), (0.8, 0.2)),
) -> pd.DataFrame:
    """Return the exact losses over the horizon: "bounded by a constant independent of the length of interactions".

    Two policies with two arms: randomised response on the best arm, epsilon a round, and the argmax of private
    responses, epsilon a response. The loss of environment privacy is a multiple of the distance of the two preferences,
    printed (arms and all generated rewards, the policy cancels) and of the arms alone.

    Parameters
    ----------
    epsilon : float
        > 0, finite.
    horizons : sequence of int
        >= 1, at most 8 or so.
    environments : two sequences of float
        Means of the arms under two preferences.

    Returns
    -------
    DataFrame
        `policy, definition, horizon, epsilon, loss`; definitions as in `exact_loss`, with "environment, history" and
        "environment, actions", and "local, every response of a person" (all T rewards may change).
    """
    policies: dict[str, FinitePolicy] = {
        "randomised response on the best arm": Response(epsilon, 2),
        "argmax of private responses": LocallyPrivate(Greedy(2), epsilon),
    }
    rows = []
    for (name, policy), horizon in product(policies.items(), horizons):
        found = {
            "outcomes": exact_loss(policy, horizon),
            "instantaneous": exact_loss(policy, horizon, definition="instantaneous"),
            "local": exact_loss(policy, horizon, definition="local"),
            "local, every response of a person": exact_loss(policy, horizon, definition="local", changes=horizon),
        } | {
            f"environment, {output}": exact_loss(
                policy, horizon, definition="environment", environments=environments, output=output
            )
            for output in ("history", "actions")
        }
        rows += [
            {"policy": name, "definition": definition, "horizon": horizon, "epsilon": epsilon, "loss": loss}
            for definition, loss in found.items()
        ]
    return pd.DataFrame(rows)


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
