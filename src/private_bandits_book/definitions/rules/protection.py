"""What the definitions protect: Definitions 1-5, Figure 1, the example, Lemmas 1-7, Fact 1."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from private_bandits_book.definitions import discussion, games, graphs, histories, inference, lemmas
from private_bandits_book.definitions.lemmas import BARE, PRIVATE, RESPONSE
from private_bandits_book.definitions.rules.common import HORIZON, N_ARMS, SAME, holds, loss_of, near, rules
from private_bandits_book.definitions.study import Study
from private_bandits_book.rules import Ruling, after_repair


def _losses(study: Study) -> tuple[pd.Series, pd.Series, pd.Series, pd.DataFrame]:
    """The exact losses of three policies (noise on the actions, private responses, no noise), and of all."""
    loss = study.losses.set_index("policy")
    return loss.loc[RESPONSE], loss.loc[PRIVATE], loss.loc[BARE], loss


@rules("definition-1")
def _definition_1(study: Study, claim: Any) -> Ruling:
    once, epsilon = study.mechanisms.set_index("mechanism")["loss"], study.exact_epsilon
    answers, scores, bare = (once[once.index.str.contains(word)] for word in ("response", "exponential", "argmax"))
    return holds(
        bool(near(answers, epsilon) and (scores <= epsilon * (1 + SAME)).all() and np.isinf(bare).all()),
        f"at epsilon {epsilon:g} k-ary randomised response pays {answers.max():.10g}, the exponential mechanism "
        f"{scores.max():.4g}, an argmax without noise {loss_of(bare.min())}",
        float(answers.max()),
    )


@rules("definition-2")
def _definition_2(study: Study, claim: Any) -> Ruling:
    response, private, bare = (row["outcomes"] for row in _losses(study)[:3])
    return holds(
        near(private, study.exact_epsilon) and math.isinf(bare),
        f"over {study.exact_horizon} rounds the argmax of epsilon-private responses pays {private:.4g}, randomised "
        f"response of {study.exact_epsilon:g} a round {response:.4g}, an argmax without noise {loss_of(bare)}",
        float(private),
    )


@rules("definition-3")
def _definition_3(study: Study, claim: Any) -> Ruling:
    response, _, bare = (row["instantaneous"] for row in _losses(study)[:3])
    return holds(
        near(response, study.exact_epsilon) and math.isinf(bare),
        f"randomised response of {study.exact_epsilon:g} a round pays {response:.4g}, an argmax without noise "
        f"{loss_of(bare)}",
        float(response),
    )


@rules("definition-4")
def _definition_4(study: Study, claim: Any) -> Ruling:
    _, private, _, loss = _losses(study)
    others = loss.drop(index=PRIVATE)["local"]
    return holds(
        near(private["local"], study.exact_epsilon) and bool(np.isinf(others).all()),
        f"a learner behind randomised responses pays {private['local']:.4g}; the {len(others)} policies that see "
        "rewards, however noisy their actions, pay infinity",
        float(private["local"]),
    )


@rules("definition-5")
def _definition_5(study: Study, claim: Any) -> Ruling:
    seeing = _losses(study)[-1].drop(index=PRIVATE)["environment"]
    allowed, provided = inference.DISTANCE, lemmas.calibrated(1.0, study.exact_horizon)
    return after_repair(
        holds(
            seeing.min() <= allowed * (1 + SAME),
            f"the policy cancels: the {len(seeing)} policies that see rewards pay {seeing.min():.4g} or more over "
            f"{study.exact_horizon} rounds, with noise or without, where epsilon 1 allows {allowed:g} between the two "
            "people",
            float(seeing.min()),
        ),
        holds(
            provided <= allowed * (1 + SAME),
            f"noise on every arm's reward, made for it, pays {provided:.4g}",
            provided,
        ),
    )


@rules("figure-1")
def _figure_1(study: Study, claim: Any) -> Ruling:
    plain, local, partial = graphs.bandit(), graphs.bandit(local=True), graphs.bandit(partial_monitoring=True)
    rewards, message = [graphs.REWARDS[0]], [graphs.MESSAGES[0]]
    hidden = [graphs.OUTCOMES[0], graphs.ENVIRONMENT]
    asked = {
        "no privacy: actions depend on rewards": (plain, rewards, [], False),
        "local: given the messages, actions tell nothing of rewards": (local, [*rewards, *hidden], message, True),
        "DP: given the rewards, actions tell nothing of other outcomes": (plain, hidden, rewards, True),
        "partial monitoring: they do": (partial, hidden[:1], rewards, False),
        "environment: given the outcomes, actions tell nothing of nu": (plain, hidden[1:], hidden[:1], True),
    }
    read = {what: graphs.separated(*pair) is told for what, (*pair, told) in asked.items()}
    told = "; ".join(f"{what} ({'yes' if true else 'no'})" for what, true in read.items())
    return holds(all(read.values()), f"read off the graphs by d-separation: {told}")


@rules("example-dp")
def _example_dp(study: Study, claim: Any) -> Ruling:
    frame = study.inference
    shown = frame[(frame["observer"] == "every ad") & (frame["guess"] == "the answers of one visit")]
    return _guessed(shown[shown["definition"] == "outcomes"], frame[frame["definition"] == "rewards"])


@rules("example-local")
def _example_local(study: Study, claim: Any) -> Ruling:
    frame = study.inference
    once = frame[(frame["definition"] == "local") & (frame["guess"] == "one answer")]
    return _guessed(once, frame[frame["guess"] == "all answers of one person"])


def _guessed(covered: pd.DataFrame, others: pd.DataFrame) -> Ruling:
    """Whether no guess that a definition covers beats its bound; one that it does not cover is named."""
    share = (covered["success"] / covered["bound"]).max()
    beyond = others.loc[(others["success"] - others["bound"]).idxmax()]
    outside = f"; {beyond['guess']}, {beyond['success']:.4g} against {beyond['bound']:.4g}, is not covered"
    return holds(
        bool(covered["kept"].all()),
        f"the best guess of {covered['guess'].iloc[0]} reaches at most {share:.4g} of the bound"
        + (outside if beyond["success"] > beyond["bound"] else ""),
        float(share),
    )


@rules("lemma-1")
def _lemma_1(study: Study, claim: Any) -> Ruling:
    bandit, partial = (study.losses[study.losses["feedback"] == kind] for kind in ("bandit", "all outcomes"))
    ratio = bandit["lemma_1"].dropna()
    return holds(
        near(ratio, 1.0) and bool((partial["lemma_1"] > 1 + SAME).all()),
        f"the losses agree for all {len(bandit)} policies with bandit feedback; one that also sees what is not paid "
        f"out pays {partial['outcomes'].iloc[0]:.4g} on outcomes and {partial['rewards'].iloc[0]:.4g} on rewards",
        float(ratio.max()),
    )


@rules("lemma-2")
def _lemma_2(study: Study, claim: Any) -> Ruling:
    bandit = study.losses[study.losses["feedback"] == "bandit"]
    forward, backward = (bandit[side].dropna().max() for side in ("forward", "backward"))
    tight = study.tightness.groupby("claim", sort=False)["ratio"].max()
    return holds(
        bool(max(forward, backward, *tight) <= 1 + SAME),
        f"exact losses are at most {forward:.4g} and {backward:.4g} of what the lemma allows; policies reach "
        + ", ".join(f"{value:.4g} of it where {name}" for name, value in tight.items()),
        float(max(forward, backward)),
    )


@rules("remark-1")
def _remark_1(study: Study, claim: Any) -> Ruling:
    first, second = discussion.remark_1(N_ARMS, HORIZON, 1.0, 1e-4)
    numbers = f"both third steps give {first:.6g} at T = 10^8, K = {N_ARMS}, gap 0.0001"
    return holds(near(first, second), numbers, first)


@rules("fact-1")
def _fact_1(study: Study, claim: Any) -> Ruling:
    found = [games.fact_1(1), games.fact_1(2), games.fact_1(3), games.fact_1(2, 1.0)]
    apart = max(abs(one.minimax - one.bayes) for one in found)
    return holds(
        apart < 1e-9,
        f"two linear programs over every policy agree to {apart:.1g} at T = 1, 2, 3, and over every 1-DP policy at "
        "T = 2",
        found[2].minimax,
    )


@rules("lemma-3")
def _lemma_3(study: Study, claim: Any) -> Ruling:
    frame, knowing = study.divergences, histories.knowing()
    error = max(
        float((frame["divergence"] - frame["policy_term"] - frame["reward_term"]).abs().max()),
        abs(knowing.divergence - knowing.policy_term - knowing.reward_term),
    )
    return holds(
        error < 1e-9,
        f"on every history both sides agree to {error:.1g}; for a policy that knows the environment the first term "
        f"is {knowing.policy_term:.4g}",
        error,
    )


@rules("lemma-4")
def _lemma_4(study: Study, claim: Any) -> Ruling:
    pulls, frame = study.looseness, study.divergences
    loose = frame["lemma_4_printed"] / frame["lemma_4_divergence"]
    return holds(
        bool((pulls["kept"] <= pulls["printed"]).all() and (loose >= 1).all()),
        f"holds, {min(pulls['looseness'].min(), loose.min()):.3g} to {loss_of(pulls['looseness'].max())} times "
        "too large; Pinsker in the wrong norm is a factor of 4 of it",
        float(pulls["looseness"].min()),
    )


@rules("lemma-5")
def _lemma_5(study: Study, claim: Any) -> Ruling:
    frame = study.divergences
    extra, most = frame["lemma_5_extra"], frame["lemma_5_likeliest"].max()
    return holds(
        bool((frame["divergence"] <= frame["reward_term"] + extra + 1e-12).all()),
        f"holds because the added term, {extra.min():.3g} or more, is positive where the truth is 0; its proof bounds "
        f"{most:.3g} by {frame['lemma_5_claimed'].min():.3g}",
        float(extra.min()),
    )


@rules("lemma-6")
def _lemma_6(study: Study, claim: Any) -> Ruling:
    frame, step = study.divergences, histories.false_step()
    text, appendix = (frame[f"lemma_6_{side}"] - frame["divergence"] for side in ("text", "appendix"))
    return holds(
        bool((text >= 0).all() and (appendix >= 0).all()),
        "holds because the divergences of neighbouring histories are one number; text and appendix differ; the "
        f"proof bounds an integral of {step.integral:.3g} by {step.claimed:.3g}",
        float((frame["lemma_6_text"] / frame["divergence"]).min()),
    )


@rules("lemma-7")
def _lemma_7(study: Study, claim: Any) -> Ruling:
    excess = float((study.divergences["lemma_7_ratio"] - study.divergences["lemma_7_bound"]).max())
    numbers = f"exact ratios of Bernoulli histories exceed the bound by at most {excess:.2g}"
    return holds(excess < 1e-9, numbers, excess)


@rules("lemma-7-families")
def _families(study: Study, claim: Any) -> Ruling:
    slopes = histories.lipschitz()
    failing = sorted(slopes.loc[~slopes["bounded"], "family"].unique())
    worst = slopes["slope"] * slopes["difference"]
    return holds(
        not failing,
        f"L Delta has no bound for {', '.join(failing)}: the slope of the log density or the difference of two "
        f"rewards grows with the range, their product to {worst.max():.3g}",
    )
