"""What the definitions protect: Definitions 1-5, Figure 1, the example, Lemmas 1-7, Fact 1."""

import math

import numpy as np
import pandas as pd

from private_bandits.privacy import exact_loss, table_laws
from private_bandits_book.definitions import discussion, games, graphs, histories, implications, inference, lemmas
from private_bandits_book.definitions.lemmas import BARE, LAPLACE, PRIVATE, RESPONSE
from private_bandits_book.definitions.rules.common import HORIZON, N_ARMS, SAME, loss_of, near, rules
from private_bandits_book.definitions.study import Study
from private_bandits_book.ledger import Claim
from private_bandits_book.rules import Ruling, beyond_rounding


@rules("definition-1")
def _definition_1(study: Study, claim: Claim) -> Ruling:
    once, epsilon = study.mechanisms.set_index("kind")["loss"], study.exact_epsilon
    answers, scores, bare = (once.loc[[kind]] for kind in ("response", "exponential", "argmax"))
    held = near(answers, epsilon) and bool((scores <= epsilon * (1 + SAME)).all() and np.isinf(bare).all())
    facts = {"answers": answers.max(), "scores": scores.max(), "bare": loss_of(bare.min())}
    return claim.holds(held, answers.max(), study=study, **facts)


@rules("definition-2")
def _definition_2(study: Study, claim: Claim) -> Ruling:
    response, private, bare = study.losses.set_index("key").loc[[RESPONSE, PRIVATE, BARE], "outcomes"]
    held = near(private, study.exact_epsilon) and math.isinf(bare)
    return claim.holds(held, private, study=study, private=private, response=response, bare=loss_of(bare))


@rules("definition-3")
def _definition_3(study: Study, claim: Claim) -> Ruling:
    response, bare = study.losses.set_index("key").loc[[RESPONSE, BARE], "instantaneous"]
    held = near(response, study.exact_epsilon) and math.isinf(bare)
    return claim.holds(held, response, study=study, response=response, bare=loss_of(bare))


@rules("definition-4")
def _definition_4(study: Study, claim: Claim) -> Ruling:
    loss = study.losses.set_index("key")["local"]
    private, others = loss[PRIVATE], loss.drop(index=PRIVATE)
    held = near(private, study.exact_epsilon) and bool(np.isinf(others).all())
    return claim.holds(held, private, private=private, others=len(others))


@rules("definition-5")
def _definition_5(study: Study, claim: Claim) -> Ruling:
    allowed, provided = inference.DISTANCE, lemmas.calibrated(1.0, study.exact_horizon)
    paid = study.losses.set_index("key").loc[PRIVATE, "environment"]
    most = study.exact_horizon * math.expm1(study.exact_epsilon) * np.abs(np.subtract(*inference.PREFERENCES)).sum()
    held = bool(provided <= allowed * (1 + SAME) and paid <= most)
    return claim.holds(held, provided, study=study, allowed=allowed, provided=provided, paid=paid, most=most)


@rules("definition-5-algorithm")
def _by_an_algorithm(study: Study, claim: Claim) -> Ruling:
    others, allowed = study.losses.set_index("key")["environment"].drop(index=PRIVATE), inference.DISTANCE
    facts = {"study": study, "others": len(others), "seeing": others.min(), "allowed": allowed}
    return claim.holds(others.min() <= allowed * (1 + SAME), others.min(), **facts)


@rules("local-implies-dp")
def _local_implies_dp(study: Study, claim: Claim) -> Ruling:
    found = implications.behind_responses(study.exact_epsilon, study.exact_horizon)
    most, bare = max(found.values()), study.losses.set_index("key").loc[RESPONSE, "local"]
    held = most <= study.exact_epsilon * (1 + SAME)
    return claim.holds(held, most, study=study, learners=len(found), most=most, bare=loss_of(bare))


@rules("mishra-thakurta")
def _statistics(study: Study, claim: Claim) -> Ruling:
    loss = study.losses.set_index("key").loc[LAPLACE, "local"]
    return claim.holds(loss <= study.exact_epsilon * (1 + SAME), loss, loss=loss_of(loss))


@rules("bounded-loss")
def _bounded(study: Study, claim: Claim) -> Ruling:
    """The loss of each definition, of what is made for it, over what it allows, at every length."""
    paid = _growing(study)
    own = [(PRIVATE, "outcomes"), (RESPONSE, "instantaneous"), (PRIVATE, "local")]
    over = [
        *(paid[own] / study.exact_epsilon).max(),
        *(lemmas.calibrated(1.0, t) / inference.DISTANCE for t in paid.index),
    ]
    return claim.holds(max(over) <= 1 + SAME, max(over), most=max(over))


@rules("bounded-loss-actions")
def _bounded_actions(study: Study, claim: Claim) -> Ruling:
    """The loss in all actions of a policy that is private in each."""
    paid = _growing(study)[RESPONSE, "outcomes"]
    held = bool(paid.iloc[-1] <= paid.iloc[0] * (1 + SAME))
    return claim.holds(held, paid.iloc[-1], study=study, first=paid.iloc[0], last=paid.iloc[-1])


def _growing(study: Study) -> pd.DataFrame:
    frame = lemmas.growth(study.exact_epsilon, [2, 3, 4, 5, 6])
    return frame.pivot(index="horizon", columns=["key", "definition"], values="loss")


@rules("own-views")
def _views(study: Study, claim: Claim) -> Ruling:
    found = {rounds: implications.views(rounds) for rounds in (4, 5)}
    held = all(near(lists, 2.0 ** (3 - rounds)) and near(tables, 1.0) for rounds, (lists, tables) in found.items())
    return claim.holds(held, found[5][0], lists=found[5][0], tables=found[5][1])


@rules("own-concentrated")
def _concentrated(study: Study, claim: Claim) -> Ruling:
    """Both implications on what is tightest, and the missing one on a threshold that moves away."""
    pure = implications.concentration(implications.responding(study.exact_epsilon))
    exact, formula = implications.converted(0.1, 1e-6)
    far = [implications.threshold(0.1, level) for level in (1.0, 30.0)]
    losses = [exact_loss(policy, 2) for policy in far]
    kept = max(map(implications.concentration, far))
    held = pure <= study.exact_epsilon**2 / 2 and exact <= formula and kept <= 0.1 * (1 + SAME) and losses[1] > 5
    return claim.holds(held, losses[1], study=study, pure=pure, exact=exact, formula=formula, kept=kept, losses=losses)


@rules("own-approximate")
def _approximate(study: Study, claim: Claim) -> Ruling:
    policy, delta = implications.rarely(1e-6), 1e-6
    paid, rho = implications.delta(table_laws(policy, 2).reshape(4, -1)), implications.concentration(policy)
    return claim.holds(near(paid, delta) and math.isinf(rho), paid, paid=paid, rho=loss_of(rho))


@rules("figure-1")
def _figure_1(study: Study, claim: Claim) -> Ruling:
    plain, local, partial = graphs.bandit(), graphs.bandit(local=True), graphs.bandit(partial_monitoring=True)
    rewards, message = [graphs.REWARDS[0]], [graphs.MESSAGES[0]]
    hidden = [graphs.OUTCOMES[0], graphs.ENVIRONMENT]
    asked = {
        "rewards, without privacy": (plain, rewards, [], False),
        "rewards, given the messages": (local, [*rewards, *hidden], message, True),
        "outcomes, given the rewards": (plain, hidden, rewards, True),
        "outcomes, given the rewards, under partial monitoring": (partial, hidden[:1], rewards, False),
        "the environment, given the outcomes": (plain, hidden[1:], hidden[:1], True),
    }
    wrong = [what for what, (*pair, expected) in asked.items() if graphs.separated(*pair) is not expected]
    right = len(asked) - len(wrong)
    return claim.holds(not wrong, right, right=right, asked=len(asked), wrong=wrong[0] if wrong else "none")


@rules("example-dp")
def _example_dp(study: Study, claim: Claim) -> Ruling:
    frame = study.inference
    seen = frame[(frame["observer"] == "every ad") & (frame["guess"] == "the answers of one visit")]
    return _guessed(claim, seen[seen["definition"] == "outcomes"], frame[frame["definition"] == "rewards"])


@rules("example-environment")
def _example_environment(study: Study, claim: Claim) -> Ruling:
    kept = study.inference[study.inference["definition"] == "environment"]
    return _guessed(claim, kept, kept)


@rules("example-local")
def _example_local(study: Study, claim: Claim) -> Ruling:
    frame = study.inference
    once = frame[(frame["definition"] == "local") & (frame["guess"] == "one answer")]
    return _guessed(claim, once, frame[frame["guess"] == "all answers of one person"])


def _guessed(claim: Claim, covered: pd.DataFrame, others: pd.DataFrame) -> Ruling:
    """Whether no guess that a definition covers beats its bound; one that it does not cover is named."""
    share = (covered["success"] / covered["bound"]).max()
    far = others.loc[(others["success"] - others["bound"]).idxmax()]
    outside = f"; {far['guess']}, {far['success']:.4g} against {far['bound']:.4g}, is not covered"
    beyond = outside if far["success"] > far["bound"] else ""
    return claim.holds(covered["kept"].all(), share, guess=covered["guess"].iloc[0], share=share, beyond=beyond)


@rules("lemma-1")
def _lemma_1(study: Study, claim: Claim) -> Ruling:
    bandit, partial = (study.losses[study.losses["feedback"] == kind] for kind in ("bandit", "all outcomes"))
    ratio = bandit["lemma_1"].dropna()
    held = near(ratio, 1.0) and bool((partial["lemma_1"] > 1 + SAME).all())
    first = partial.iloc[0]
    losses = {"outcomes": first["outcomes"], "rewards": first["rewards"]}
    return claim.holds(held, ratio.max(), study=study, policies=len(bandit), **losses)


@rules("lemma-2")
def _lemma_2(study: Study, claim: Claim) -> Ruling:
    bandit = study.losses[study.losses["feedback"] == "bandit"]
    forward, backward = (bandit[side].dropna().max() for side in ("forward", "backward"))
    tight = study.tightness.groupby("claim", sort=False)["ratio"].max()
    reached = ", ".join(f"{value:.4g} of it where {name}" for name, value in tight.items())
    most, held = max(forward, backward), bool(max(forward, backward, *tight) <= 1 + SAME)
    return claim.holds(held, most, study=study, forward=forward, backward=backward, reached=reached)


@rules("remark-1")
def _remark_1(study: Study, claim: Claim) -> Ruling:
    first, second = discussion.remark_1(N_ARMS, HORIZON, 1.0, 1e-4)
    return claim.holds(near(first, second), first, first=first, n_arms=N_ARMS)


@rules("fact-1")
def _fact_1(study: Study, claim: Claim) -> Ruling:
    found = [games.fact_1(1), games.fact_1(2), games.fact_1(3), games.fact_1(2, 1.0)]
    apart = beyond_rounding(max(abs(one.minimax - one.bayes) for one in found))
    return claim.holds(apart < 1e-9, found[2].minimax, apart=apart)


@rules("lemma-3")
def _lemma_3(study: Study, claim: Claim) -> Ruling:
    frame, knowing = study.divergences, histories.knowing()
    errors = (frame["divergence"] - frame["policy_term"] - frame["reward_term"]).abs()
    error = max(float(errors.max()), abs(knowing.divergence - knowing.policy_term - knowing.reward_term))
    error = beyond_rounding(error)
    return claim.holds(error < 1e-9, error, study=study, policies=len(frame), error=error, knowing=knowing)


@rules("lemma-4")
def _lemma_4(study: Study, claim: Claim) -> Ruling:
    pulls, loose = study.looseness, study.divergences["lemma_4_printed"] / study.divergences["lemma_4_divergence"]
    held = bool((pulls["kept"] <= pulls["printed"]).all() and (loose >= 1).all())
    least, most = min(pulls["looseness"].min(), loose.min()), pulls["looseness"].max()
    return claim.holds(held, least, pairs=len(pulls), study=study, least=least, most=loss_of(most))


@rules("lemma-5")
def _lemma_5(study: Study, claim: Claim) -> Ruling:
    frame, extra = study.divergences, study.divergences["lemma_5_extra"]
    held = bool((frame["divergence"] <= frame["reward_term"] + extra + 1e-12).all())
    likeliest, claimed = frame["lemma_5_likeliest"].max(), frame["lemma_5_claimed"].min()
    facts = {"extra": extra.min(), "likeliest": likeliest, "claimed": claimed}
    return claim.holds(held, extra.min(), study=study, policies=len(frame), **facts)


@rules("lemma-6")
def _lemma_6(study: Study, claim: Claim) -> Ruling:
    frame, step = study.divergences, histories.false_step()
    held = bool((frame[["lemma_6_text", "lemma_6_appendix"]].min(axis=1) >= frame["divergence"]).all())
    return claim.holds(held, (frame["lemma_6_text"] / frame["divergence"]).min(), policies=len(frame), step=step)


@rules("lemma-7")
def _lemma_7(study: Study, claim: Claim) -> Ruling:
    excess = beyond_rounding((study.divergences["lemma_7_ratio"] - study.divergences["lemma_7_bound"]).max())
    return claim.holds(excess < 1e-9, excess, study=study, policies=len(study.divergences), excess=excess)


@rules("lemma-7-families")
def _families(study: Study, claim: Claim) -> Ruling:
    slopes = histories.lipschitz()
    failing = sorted(slopes.loc[~slopes["bounded"], "family"].unique())
    worst = (slopes["slope"] * slopes["difference"]).max()
    return claim.holds(not failing, worst, failing=", ".join(failing) or "none", worst=worst)
