"""What the definitions protect: Definitions 1-5, Figure 1, the example, Lemmas 1-7, Fact 1."""

from __future__ import annotations

import math

import numpy as np

from private_bandits_book.definitions import discussion, games, graphs, histories, inference, tables
from private_bandits_book.definitions.claims.evidence import HORIZON, N_ARMS, SAME, Evidence, loss_of, near
from private_bandits_book.ledger import Book
from private_bandits_book.rules import Holds, Ruling, after_repair


def judge(book: Book, evidence: Evidence) -> None:
    """Add the rows of this room."""
    _definitions(book, evidence)
    _example(book, evidence)
    _relations(book, evidence)
    _decompositions(book, evidence)


def _definitions(book: Book, evidence: Evidence) -> None:
    epsilon = float(evidence.losses["epsilon"].iloc[0])
    horizon = int(evidence.losses["horizon"].iloc[0])
    loss = evidence.losses.set_index("policy")
    once = evidence.mechanisms.set_index("mechanism")["loss"]
    answers, scores, bare = (once[once.index.str.contains(word)] for word in ("response", "exponential", "argmax"))
    book.judge(
        "definition-1",
        "definition",
        "Definition 1",
        "An epsilon-DP mechanism makes every output at most e^epsilon times likelier on one input than on a neighbour.",
        Holds()(
            bool(near(answers, epsilon) and (scores <= epsilon * (1 + SAME)).all() and np.isinf(bare).all()),
            f"at epsilon {epsilon:g} k-ary randomised response pays {answers.max():.10g}, the exponential mechanism "
            f"{scores.max():.4g}, an argmax without noise {loss_of(bare.min())}",
            float(answers.max()),
        ),
    )
    response, private, noiseless = (
        loss.loc[name]
        for name in ("randomised response on the best arm", "argmax of private responses", "argmax without noise")
    )
    book.judge(
        "definition-2",
        "definition",
        "Definition 2",
        "A DP bandit bounds what all its actions tell about the outcomes of one round.",
        Holds()(
            near(private["outcomes"], epsilon) and math.isinf(noiseless["outcomes"]),
            f"over {horizon} rounds the argmax of epsilon-private responses pays {private['outcomes']:.4g}, randomised "
            f"response of {epsilon:g} a round {response['outcomes']:.4g}, an argmax without noise "
            f"{loss_of(noiseless['outcomes'])}",
            float(private["outcomes"]),
        ),
    )
    book.judge(
        "definition-3",
        "definition",
        "Definition 3",
        "An instantaneous-DP bandit bounds what the next action tells about one earlier reward.",
        Holds()(
            near(response["instantaneous"], epsilon) and math.isinf(noiseless["instantaneous"]),
            f"randomised response of {epsilon:g} a round pays {response['instantaneous']:.4g}, an argmax without noise "
            f"{loss_of(noiseless['instantaneous'])}",
            float(response["instantaneous"]),
        ),
    )
    others = loss.drop(index="argmax of private responses")["local"]
    book.judge(
        "definition-4",
        "definition",
        "Definition 4",
        "A locally private bandit bounds what the learner itself sees of one reward.",
        Holds()(
            near(private["local"], epsilon) and bool(np.isinf(others).all()),
            f"a learner behind randomised responses pays {private['local']:.4g}; the {len(others)} policies that see "
            "rewards, however noisy their actions, pay infinity",
            float(private["local"]),
        ),
    )
    seeing = loss.drop(index="argmax of private responses")["environment"]
    allowed, provided = inference.DISTANCE, tables.calibrated(1.0, horizon)
    book.judge(
        "definition-5",
        "definition",
        "Definition 5",
        "Environment privacy bounds what a history tells about the environment, and an algorithm can provide it.",
        after_repair(
            Holds()(
                seeing.min() <= allowed * (1 + SAME),
                f"the policy cancels: the {len(seeing)} policies that see rewards pay {seeing.min():.4g} or more over "
                f"{horizon} rounds, with noise or without, where epsilon 1 allows {allowed:g} between the two people",
                float(seeing.min()),
            ),
            Holds()(
                provided <= allowed * (1 + SAME),
                f"noise on every arm's reward, made for it, pays {provided:.4g}",
                provided,
            ),
        ),
    )
    book.judge(
        "figure-1",
        "figure",
        "Figure 1",
        "One family of graphical models shows who sees what under each definition.",
        _graph(),
    )


def _graph() -> Ruling:
    plain, local, partial = graphs.bandit(), graphs.bandit(local=True), graphs.bandit(partial_monitoring=True)
    rewards, outcomes = graphs.REWARDS[0], (graphs.OUTCOMES[0], graphs.ENVIRONMENT)
    message = [graphs.MESSAGES[0]]
    read = {
        "no privacy: actions depend on rewards": not graphs.separated(plain, [rewards], []),
        "local: given the messages, actions tell nothing of rewards": graphs.separated(
            local, [rewards, *outcomes], message
        ),
        "DP: given the rewards, actions tell nothing of other outcomes": graphs.separated(plain, outcomes, [rewards]),
        "partial monitoring: they do": not graphs.separated(partial, outcomes[:1], [rewards]),
        "environment: given the outcomes, actions tell nothing of nu": graphs.separated(
            plain, outcomes[1:], [graphs.OUTCOMES[0]]
        ),
    }
    return Holds()(
        all(read.values()),
        "read off the graphs by d-separation: " + "; ".join(f"{k} ({'yes' if v else 'no'})" for k, v in read.items()),
    )


def _example(book: Book, evidence: Evidence) -> None:
    frame = evidence.inference
    shown = frame[(frame["observer"] == "every ad") & (frame["guess"] == "the answers of one visit")]
    for name, statement, rows, every in (
        (
            "example-dp",
            "Under DP an observer of the actions cannot tell responses apart: no guess beats e^eps/(1 + e^eps).",
            shown[shown["definition"] == "outcomes"],
            frame[frame["definition"] == "rewards"],
        ),
        (
            "example-local",
            "Under local DP not even the learner can tell responses apart.",
            frame[(frame["definition"] == "local") & (frame["guess"] == "one answer")],
            frame[frame["guess"] == "all answers of one person"],
        ),
    ):
        share, beyond = (rows["success"] / rows["bound"]).max(), every.loc[(every["success"] - every["bound"]).idxmax()]
        outside = f"; {beyond['guess']}, {beyond['success']:.4g} against {beyond['bound']:.4g}, is not covered"
        book.judge(
            name,
            "privacy",
            "Section 4, example",
            statement,
            Holds()(
                bool(rows["kept"].all()),
                f"the best guess of {rows['guess'].iloc[0]} reaches at most {share:.4g} of the bound"
                + (outside if beyond["success"] > beyond["bound"] else ""),
                float(share),
            ),
        )


def _relations(book: Book, evidence: Evidence) -> None:
    loss = evidence.losses
    bandit, partial = (loss[loss["feedback"] == kind] for kind in ("bandit", "all outcomes"))
    ratio = bandit["lemma_1"].dropna()
    book.judge(
        "lemma-1",
        "lemma",
        "Lemma 1",
        "A bandit is epsilon-DP on outcomes if and only if it is on rewards; not so under partial monitoring.",
        Holds()(
            near(ratio, 1.0) and bool((partial["lemma_1"] > 1 + SAME).all()),
            f"the losses agree for all {len(bandit)} policies with bandit feedback; one that also sees what is "
            f"not paid out pays {partial['outcomes'].iloc[0]:.4g} on outcomes and {partial['rewards'].iloc[0]:.4g} "
            "on rewards",
            float(ratio.max()),
        ),
    )
    forward, backward = (bandit[side].dropna().max() for side in ("forward", "backward"))
    tight = evidence.tightness.groupby("claim", sort=False)["ratio"].max()
    book.judge(
        "lemma-2",
        "lemma",
        "Lemma 2",
        "epsilon-DP gives 2 epsilon instantaneous DP; epsilon instantaneous DP gives t epsilon DP after t steps.",
        Holds()(
            bool(max(forward, backward, *tight) <= 1 + SAME),
            f"exact losses are at most {forward:.4g} and {backward:.4g} of what the lemma allows; policies reach "
            + ", ".join(f"{value:.4g} of it where {name}" for name, value in tight.items()),
            float(max(forward, backward)),
        ),
    )
    first, second = discussion.remark_1(N_ARMS, HORIZON, 1.0, 1e-4)
    book.judge(
        "remark-1",
        "lemma",
        "Remark 1",
        "Theorem 4's proof with problem-independent terms is that of Theorem 1. (Definition 3 cites it for Lemma 1.)",
        Holds()(near(first, second), f"both third steps give {first:.6g} at T = 10^8, K = {N_ARMS}, gap 0.0001", first),
    )
    found = [games.fact_1(1), games.fact_1(2), games.fact_1(3), games.fact_1(2, 1.0)]
    apart = max(abs(one.minimax - one.bayes) for one in found)
    book.judge(
        "fact-1",
        "lemma",
        "Fact 1",
        "For bounded rewards minimax regret and the largest Bayesian regret over priors are the same.",
        Holds()(
            apart < 1e-9,
            f"two linear programs over every policy agree to {apart:.1g} at T = 1, 2, 3, and over every 1-DP policy at "
            "T = 2",
            found[2].minimax,
        ),
    )


def _decompositions(book: Book, evidence: Evidence) -> None:
    frame = evidence.divergences
    knowing, step = tables.knowing(), tables.false_step()
    error = max(
        float((frame["divergence"] - frame["policy_term"] - frame["reward_term"]).abs().max()),
        abs(knowing.divergence - knowing.policy_term - knowing.reward_term),
    )
    book.judge(
        "lemma-3",
        "lemma",
        "Lemma 3",
        "The divergence of two histories is that of the actions, which vanishes, plus E[N_a] times that of each arm.",
        Holds()(
            error < 1e-9,
            f"on every history both sides agree to {error:.1g}; for a policy that knows the environment the first term "
            f"is {knowing.policy_term:.4g}",
            error,
        ),
    )
    pulls, loose = evidence.looseness, frame["lemma_4_printed"] / frame["lemma_4_divergence"]
    book.judge(
        "lemma-4",
        "lemma",
        "Lemma 4",
        "Under local DP the divergence is at most 2 min(4, e^2eps) (e^eps - 1)^2 sum E[N_a] D(f_a || f'_a).",
        Holds()(
            bool((pulls["kept"] <= pulls["printed"]).all() and (loose >= 1).all()),
            f"holds, {min(pulls['looseness'].min(), loose.min()):.3g} to {loss_of(pulls['looseness'].max())} times "
            "too large; Pinsker in the wrong norm is a factor of 4 of it",
            float(pulls["looseness"].min()),
        ),
    )
    book.judge(
        "lemma-5",
        "lemma",
        "Lemma 5",
        "Under instantaneous DP the divergence is at most that of the rewards plus a term that grows with epsilon.",
        Holds()(
            bool((frame["divergence"] <= frame["reward_term"] + frame["lemma_5_extra"] + 1e-12).all()),
            f"holds because the added term, {frame['lemma_5_extra'].min():.3g} or more, is positive where the "
            f"truth is 0; its proof bounds {frame['lemma_5_likeliest'].max():.3g} by "
            f"{frame['lemma_5_claimed'].min():.3g}",
            float(frame["lemma_5_extra"].min()),
        ),
    )
    text, appendix = (frame[f"lemma_6_{side}"] - frame["divergence"] for side in ("text", "appendix"))
    book.judge(
        "lemma-6",
        "lemma",
        "Lemma 6",
        "Under DP the divergence is at most 2 (eps + c) + e^(2 (eps + c)) times that of neighbouring histories.",
        Holds()(
            bool((text >= 0).all() and (appendix >= 0).all()),
            "holds because the divergences of neighbouring histories are one number; text and appendix differ; the "
            f"proof bounds an integral of {step.integral:.3g} by {step.claimed:.3g}",
            float((frame["lemma_6_text"] / frame["divergence"]).min()),
        ),
    )
    excess = float((frame["lemma_7_ratio"] - frame["lemma_7_bound"]).max())
    book.judge(
        "lemma-7",
        "lemma",
        "Lemma 7",
        "Under DP, where log densities are L-Lipschitz, histories with neighbouring rewards differ by eps + L Delta.",
        Holds()(excess < 1e-9, f"exact ratios of Bernoulli histories exceed the bound by at most {excess:.2g}", excess),
    )
    slopes = histories.lipschitz()
    failing = sorted(slopes.loc[~slopes["bounded"], "family"].unique())
    worst = slopes["slope"] * slopes["difference"]
    book.judge(
        "lemma-7-families",
        "lemma",
        "Lemma 7",
        "The Lipschitz assumption covers Gaussian, Beta, exponential and Bernoulli rewards.",
        Holds()(
            not failing,
            f"L Delta has no bound for {', '.join(failing)}: the slope of the log density or the difference of two "
            f"rewards grows with the range, their product to {worst.max():.3g}",
        ),
    )
