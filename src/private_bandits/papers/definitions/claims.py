"""Every claim of Basu et al. (2019), with what was computed or measured and the rule that judges it.

Statements about definitions, lemmas and bounds are decided by exact numbers on the grid `GRID` of epsilons, whatever
the chapter's parameters are; what needs a simulation follows them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from private_bandits.claims import (
    NOT_REPRODUCED,
    Claim,
    Holds,
    Less,
    LowerBound,
    LowerRate,
    Row,
    Ruling,
    after_repair,
    all_of,
    ledger,
    rests_on,
)
from private_bandits.estimates import Fit, difference_interval, fit_exponent, fit_growth, mean_interval
from private_bandits.papers.definitions import (
    bounds,
    discussion,
    games,
    graphs,
    histories,
    inference,
    replacements,
    tables,
)
from private_bandits.papers.definitions.experiments import (
    LOCAL,
    LONG_GAP,
    LONG_N_ARMS,
    Experiments,
    Run,
    factors,
    instance,
    uniform_regret,
)

CHAPTER = "private-bandits reproduce definitions"
LONG = "private-bandits reproduce definitions --long"
GRID = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
_K, _T = 3, 100_000_000
_SAME = 1e-9  # relative error of two exact numbers
_TINY = 1e-9  # an epsilon below which the usable bounds are all of T that they can be
_GROWING = 0.2  # the epsilon of the longer study at which Theorem 4 binds and regret has settled to ln T
_LEAST = 1_000  # rounds before which no rate shows
_SLACK = 0.2  # what a fitted exponent may miss by


@dataclass
class Evidence:
    """What the chapter computed and measured."""

    setting: Experiments
    losses: pd.DataFrame
    mechanisms: pd.DataFrame
    tightness: pd.DataFrame
    divergences: pd.DataFrame
    looseness: pd.DataFrame
    inference: pd.DataFrame
    sweep: Sequence[Run]
    hardest: Sequence[Run]
    long: pd.DataFrame


class _Book:
    """Rows in the order they are judged, and the rulings that later rows build on."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.rulings: dict[str, Ruling] = {}

    def judge(self, name: str, locus: str, statement: str, ruling: Ruling, command: str = CHAPTER) -> None:
        kind = {"fact": "lemma", "remark": "lemma", "example": "privacy"}.get(name.split("-")[0], name.split("-")[0])
        self.rulings[name] = ruling
        self.rows.append(Claim(name, kind, locus, statement, lambda: ruling, command).judge())

    def rest(self, name: str, locus: str, statement: str, parts: Sequence[str]) -> None:
        self.judge(name, locus, statement, rests_on({part: self.rulings[part] for part in parts}))


def judge(evidence: Evidence) -> pd.DataFrame:
    """Return the ledger: definitions, lemmas, theorems, tables, Figure 1, and what the paper concludes from them."""
    book = _Book()
    _definitions(book, evidence)
    _example(book, evidence)
    _relations(book, evidence)
    _decompositions(book, evidence)
    _theorems(book, evidence)
    _tables(book, evidence)
    _discussion(book, evidence)
    return ledger(book.rows)


# --- what the definitions protect


def _definitions(book: _Book, evidence: Evidence) -> None:
    epsilon = float(evidence.losses["epsilon"].iloc[0])
    horizon = int(evidence.losses["horizon"].iloc[0])
    loss = evidence.losses.set_index("policy")
    once = evidence.mechanisms.set_index("mechanism")["loss"]
    answers, scores, bare = (once[once.index.str.contains(word)] for word in ("response", "exponential", "argmax"))
    book.judge(
        "definition-1",
        "Definition 1",
        "An epsilon-DP mechanism makes every output at most e^epsilon times likelier on one input than on a neighbour.",
        Holds()(
            bool(_near(answers, epsilon) and (scores <= epsilon * (1 + _SAME)).all() and np.isinf(bare).all()),
            f"at epsilon {epsilon:g} k-ary randomised response pays {answers.max():.10g}, the exponential mechanism "
            f"{scores.max():.4g}, an argmax without noise {_loss(bare.min())}",
            float(answers.max()),
        ),
    )
    response, private, noiseless = (
        loss.loc[name]
        for name in ("randomised response on the best arm", "argmax of private responses", "argmax without noise")
    )
    book.judge(
        "definition-2",
        "Definition 2",
        "A DP bandit bounds what all its actions tell about the outcomes of one round.",
        Holds()(
            _near(private["outcomes"], epsilon) and math.isinf(noiseless["outcomes"]),
            f"over {horizon} rounds the argmax of epsilon-private responses pays {private['outcomes']:.4g}, randomised "
            f"response of {epsilon:g} a round {response['outcomes']:.4g}, an argmax without noise "
            f"{_loss(noiseless['outcomes'])}",
            float(private["outcomes"]),
        ),
    )
    book.judge(
        "definition-3",
        "Definition 3",
        "An instantaneous-DP bandit bounds what the next action tells about one earlier reward.",
        Holds()(
            _near(response["instantaneous"], epsilon) and math.isinf(noiseless["instantaneous"]),
            f"randomised response of {epsilon:g} a round pays {response['instantaneous']:.4g}, an argmax without noise "
            f"{_loss(noiseless['instantaneous'])}",
            float(response["instantaneous"]),
        ),
    )
    others = loss.drop(index="argmax of private responses")["local"]
    book.judge(
        "definition-4",
        "Definition 4",
        "A locally private bandit bounds what the learner itself sees of one reward.",
        Holds()(
            _near(private["local"], epsilon) and bool(np.isinf(others).all()),
            f"a learner behind randomised responses pays {private['local']:.4g}; the {len(others)} policies that see "
            "rewards, however noisy their actions, pay infinity",
            float(private["local"]),
        ),
    )
    seeing = loss.drop(index="argmax of private responses")["environment"]
    allowed, provided = inference.DISTANCE, tables.calibrated(1.0, horizon)
    book.judge(
        "definition-5",
        "Definition 5",
        "Environment privacy bounds what a history tells about the environment, and an algorithm can provide it.",
        after_repair(
            Holds()(
                seeing.min() <= allowed * (1 + _SAME),
                f"the policy cancels: the {len(seeing)} policies that see rewards pay {seeing.min():.4g} or more over "
                f"{horizon} rounds, with noise or without, where epsilon 1 allows {allowed:g} between the two people",
                float(seeing.min()),
            ),
            Holds()(
                provided <= allowed * (1 + _SAME),
                f"noise on every arm's reward, made for it, pays {provided:.4g}",
                provided,
            ),
        ),
    )
    book.judge(
        "figure-1", "Figure 1", "One family of graphical models shows who sees what under each definition.", _graph()
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


def _example(book: _Book, evidence: Evidence) -> None:
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
            "Section 4, example",
            statement,
            Holds()(
                bool(rows["kept"].all()),
                f"the best guess of {rows['guess'].iloc[0]} reaches at most {share:.4g} of the bound"
                + (outside if beyond["success"] > beyond["bound"] else ""),
                float(share),
            ),
        )


def _relations(book: _Book, evidence: Evidence) -> None:
    loss = evidence.losses
    bandit, partial = (loss[loss["feedback"] == kind] for kind in ("bandit", "all outcomes"))
    ratio = bandit["lemma_1"].dropna()
    book.judge(
        "lemma-1",
        "Lemma 1",
        "A bandit is epsilon-DP on outcomes if and only if it is on rewards; not so under partial monitoring.",
        Holds()(
            _near(ratio, 1.0) and bool((partial["lemma_1"] > 1 + _SAME).all()),
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
        "Lemma 2",
        "epsilon-DP gives 2 epsilon instantaneous DP; epsilon instantaneous DP gives t epsilon DP after t steps.",
        Holds()(
            bool(max(forward, backward, *tight) <= 1 + _SAME),
            f"exact losses are at most {forward:.4g} and {backward:.4g} of what the lemma allows; policies reach "
            + ", ".join(f"{value:.4g} of it where {name}" for name, value in tight.items()),
            float(max(forward, backward)),
        ),
    )
    first, second = discussion.remark_1(_K, _T, 1.0, 1e-4)
    book.judge(
        "remark-1",
        "Remark 1",
        "Theorem 4's proof with problem-independent terms is that of Theorem 1. (Definition 3 cites it for Lemma 1.)",
        Holds()(_near(first, second), f"both third steps give {first:.6g} at T = 10^8, K = {_K}, gap 0.0001", first),
    )
    found = [games.fact_1(1), games.fact_1(2), games.fact_1(3), games.fact_1(2, 1.0)]
    apart = max(abs(one.minimax - one.bayes) for one in found)
    book.judge(
        "fact-1",
        "Fact 1",
        "For bounded rewards minimax regret and the largest Bayesian regret over priors are the same.",
        Holds()(
            apart < 1e-9,
            f"two linear programs over every policy agree to {apart:.1g} at T = 1, 2, 3, and over every 1-DP policy at "
            "T = 2",
            found[2].minimax,
        ),
    )


def _decompositions(book: _Book, evidence: Evidence) -> None:
    frame = evidence.divergences
    knowing, step = tables.knowing(), tables.false_step()
    error = max(
        float((frame["divergence"] - frame["policy_term"] - frame["reward_term"]).abs().max()),
        abs(knowing.divergence - knowing.policy_term - knowing.reward_term),
    )
    book.judge(
        "lemma-3",
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
        "Lemma 4",
        "Under local DP the divergence is at most 2 min(4, e^2eps) (e^eps - 1)^2 sum E[N_a] D(f_a || f'_a).",
        Holds()(
            bool((pulls["kept"] <= pulls["printed"]).all() and (loose >= 1).all()),
            f"holds, {min(pulls['looseness'].min(), loose.min()):.3g} to {_loss(pulls['looseness'].max())} times "
            "too large; Pinsker in the wrong norm is a factor of 4 of it",
            float(pulls["looseness"].min()),
        ),
    )
    book.judge(
        "lemma-5",
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
        "Lemma 7",
        "Under DP, where log densities are L-Lipschitz, histories with neighbouring rewards differ by eps + L Delta.",
        Holds()(excess < 1e-9, f"exact ratios of Bernoulli histories exceed the bound by at most {excess:.2g}", excess),
    )
    slopes = histories.lipschitz()
    failing = sorted(slopes.loc[~slopes["bounded"], "family"].unique())
    worst = slopes["slope"] * slopes["difference"]
    book.judge(
        "lemma-7-families",
        "Lemma 7",
        "The Lipschitz assumption covers Gaussian, Beta, exponential and Bernoulli rewards.",
        Holds()(
            not failing,
            f"L Delta has no bound for {', '.join(failing)}: the slope of the log density or the difference of two "
            f"rewards grows with the range, their product to {worst.max():.3g}",
        ),
    )


# --- the bounds


def _theorems(book: _Book, evidence: Evidence) -> None:
    one = [bounds.theorem_1(_K, _T, e) for e in GRID]
    usable = [replacements.local_minimax(_K, _T, e) for e in GRID]
    vacuous = [e for e, value in zip(GRID, one, strict=True) if value <= replacements.minimax(_K, _T)]
    found = _hardest_local(evidence)
    book.judge(
        "theorem-1",
        "Theorem 1",
        "Minimax regret under local DP is at least c sqrt((K-1) T) / (min(2, e^eps) (e^eps - 1)), c = 1/(4 e^4).",
        _unless_refuted(
            Holds()(
                all(value <= other for value, other in zip(one, usable, strict=True)),
                "the value lies below a bound that holds for rewards in [0, 1] at every epsilon of the grid, though "
                f"the proof gives half of it; for epsilon >= {min(vacuous):g} it says no more than the non-private "
                "bound",
                max(value / other for value, other in zip(one, usable, strict=True)),
            ),
            found,
        ),
    )
    book.judge(
        "theorem-1-runs",
        "Theorem 1",
        "Local algorithms do no better than Theorem 1 on their hardest instances, and regret grows as sqrt(T) there.",
        found,
    )
    book.judge(
        "theorem-2",
        "Theorem 2",
        "Minimax regret under instantaneous DP is at least c(a) sqrt((K-1) T / (2 eps (e^2eps - 1))) for every eps "
        "<= a/2.",
        _theorem_2(),
    )
    above = [(e, bounds.theorem_3(_K, _T, e) / _T) for e in GRID if bounds.theorem_3(_K, _T, e) > _T]
    book.judge(
        "theorem-3",
        "Theorem 3",
        "Minimax regret under DP is at least e^(-3 (eps + c))/8 sqrt((K-1) T ln(eps + 1) / (eps^(1 + 1/eps) (eps^2 + "
        "1)^(1/eps))).",
        Holds()(
            not above,
            f"at T = 10^8 and c = 0 it exceeds T, which no regret does, for epsilon <= {max(e for e, _ in above):g}, "
            f"by {max(x for _, x in above):.3g} at most, and any fixed c only moves this epsilon; the line of the "
            "proof before it is at most "
            f"{max(bounds.theorem_3(_K, _T, e, 'proof') / replacements.minimax(_K, _T) for e in GRID):.3g} of the "
            "non-private bound",
            max(x for _, x in above),
        ),
    )
    means = instance(LONG_N_ARMS, LONG_GAP).means
    four = [bounds.theorem_4(means, 3, e) / replacements.local_lower(means, 3, e) for e in GRID]
    found = _longer_local(evidence.long, means)
    book.judge(
        "theorem-4",
        "Theorem 4 (5 in the appendix)",
        "Under local DP regret grows at least as sum gap / (2 min(4, e^2eps) (e^eps - 1)^2 D(f_a || f*)) times ln T.",
        _unless_refuted(
            Holds()(
                max(four) <= 1,
                f"the constant is at most {max(four):.3g} of the exact one for Bernoulli arms, {min(four):.1g} at "
                f"epsilon {GRID[-1]:g}",
                max(four),
            ),
            found,
        ),
        LONG,
    )
    book.judge(
        "theorem-4-runs",
        "Theorem 4 (5 in the appendix)",
        f"At epsilon {_GROWING:g} local algorithms do no better than Theorem 4, and regret grows as ln T.",
        found,
        LONG,
    )
    for number, (theorem, words) in {
        1: ("theorem-1", "local DP"),
        2: ("theorem-2", "instantaneous DP"),
        3: ("theorem-3", "DP"),
    }.items():
        book.rest(
            f"corollary-{number}",
            f"Corollary {number}",
            f"The bound of Theorem {number} holds for Bayesian minimax regret under {words} too.",
            (theorem, "fact-1"),
        )


def _unless_refuted(exact: Ruling, found: Ruling) -> Ruling:
    """A theorem that is proved stands unless a run lies below it; runs above it add nothing to a proof."""
    return all_of(exact, found) if found.verdict == NOT_REPRODUCED else exact


def _hardest_local(evidence: Evidence) -> Ruling:
    """The local algorithm nearest to Theorem 1 on its hardest instance, where the theorem binds if it does anywhere."""
    setting = evidence.setting
    game = setting.n_arms, setting.horizon
    runs = [run for run in evidence.hardest if run.name in LOCAL and math.isfinite(run.epsilon)]
    printed = {epsilon: bounds.theorem_1(*game, epsilon) for epsilon in setting.epsilons}
    floor = replacements.minimax(*game)
    binding = [epsilon for epsilon, bound in printed.items() if bound > floor] or [min(printed)]
    worst = [run for run in tables.hardest(runs) if run.epsilon in binding]
    nearest = min(worst, key=lambda run: run.final.mean() / printed[run.epsilon])
    same = [run for run in runs if (run.name, run.epsilon) == (nearest.name, nearest.epsilon)]
    return all_of(
        LowerBound(printed[nearest.epsilon], floor=floor)(mean_interval(nearest.final)),
        LowerRate(0.5, tolerance=_SLACK)(_envelope_exponent(same)),
    )


def _envelope_exponent(runs: Sequence[Run]) -> Fit | None:
    """The exponent in t of the largest mean regret over the gaps, over the last decade; None where there is none."""
    t = np.asarray(runs[0].data.t.values, float)
    last = np.flatnonzero(t >= t[-1] / 10)
    curves = np.array([run.curves for run in runs])
    worst = np.argmax(curves.mean(axis=1), axis=0)
    samples = np.array([curves[worst[at], :, at] for at in last]).T
    if len(last) < 3 or t[-1] < _LEAST or not (samples > 0).all():
        return None
    return fit_exponent(t[last], samples)


def _longer_local(long: pd.DataFrame, means: np.ndarray) -> Ruling:
    """The local algorithm with the least regret in the longer study against Theorem 4, at the epsilon `_GROWING`."""
    horizon = int(long["t"].max())
    runs = {name: _curves(long, name, _GROWING) for name in LOCAL}
    curves = [run for run in runs.values() if run.size]
    rule = LowerBound(bounds.theorem_4(means, horizon, _GROWING), floor=replacements.lai_robbins(means, horizon))
    if not curves:
        return rule(None)
    least = min(curves, key=lambda run: float(run[:, -1].mean()))
    t = np.unique(long["t"].to_numpy(float))
    return all_of(
        rule(mean_interval(least[:, -1])),
        LowerRate(1.0, tolerance=_SLACK)(_growth(t, least)),
    )


def _growth(t: np.ndarray, curves: np.ndarray) -> Fit | None:
    """The exponent in ln t over the last two decades; None where a part of them has no regret."""
    try:
        return fit_growth(t, curves, t[-1] / 100, t[-1])
    except ValueError:
        return None


def _curves(long: pd.DataFrame, name: str, epsilon: float) -> np.ndarray:
    """Regret in the longer study, shape (replications, checkpoints); empty where it was not played."""
    part = long[(long["policy"] == name) & (long["epsilon"] == epsilon)]
    return part.pivot(index="replication", columns="t", values="regret").to_numpy(float)


def _theorem_2() -> Ruling:
    """No c(a) > 0 serves every epsilon <= a/2: the regret of DP-SE stays of order sqrt(T ln T) as epsilon falls."""
    largest = {e: _left_for_c(e) for e in (1e-2, 1e-3, 1e-4, 1e-5)}
    silent = [e for e in GRID if math.isnan(bounds.lambert_choice(e))]
    falling = list(largest.values())
    return Holds()(
        falling[-1] >= falling[0] / 10,
        "DP-SE at eps/2 is eps-instantaneous (Lemma 2), and its guarantee leaves for c(a) at most "
        + ", ".join(f"{value:.3g} at eps = {e:g}" for e, value in largest.items())
        + f": no constant serves every eps <= a/2. The gap that the proof picks is not real for eps <= {max(silent):g} "
        f"at a = 2 eps, and at a = 1 not for eps < {bounds.range_2(1.0)[0]:.2g}; where it is real, the bound without "
        "privacy gives the statement",
        falling[-1],
    )


def _left_for_c(epsilon: float) -> float:
    """The guarantee of DP-SE at epsilon/2 over the entry of Table 1, the least over T at which both say something."""
    extra = bounds.spurious_term(epsilon)
    left = []
    for horizon in (10**k for k in range(2, 17)):
        guarantee = discussion.dp_se_minimax(_K, horizon, epsilon / 2)
        if horizon >= 2 * (_K - 1) / extra and guarantee < horizon:
            left.append(guarantee / math.sqrt((_K - 1) * horizon / extra))
    return min(left)


def _tables(book: _Book, evidence: Evidence) -> None:
    two = tables.table_2(_K, _T, GRID, LONG_GAP)
    wrong = two[~two["agrees"]]
    span = f"{wrong['low'].min():.2g} to {wrong['high'].max():.2g}" if len(wrong) else "one number"
    book.judge(
        "table-1",
        "Table 1",
        "The entries are the bounds of the theorems and corollaries, constants dropped.",
        Holds()(
            wrong.empty,
            f"{len(two) - len(wrong)} of {len(two)} entries are their result's bound up to a constant; those of "
            f"{', '.join(wrong['result']) or 'none'} are {span} times it as epsilon varies, at the B = 1/epsilon that "
            "fits the proof",
            float(len(two) - len(wrong)),
        ),
    )
    book.rest(
        "table-2",
        "Table 2",
        "Seven theorems and corollaries prove the entries of Table 1.",
        ("theorem-1", "theorem-2", "theorem-3", "theorem-4", "corollary-1", "corollary-2", "corollary-3"),
    )


# --- what the paper concludes


def _discussion(book: _Book, evidence: Evidence) -> None:
    _multiplicative(book, evidence)
    _additive(book)
    _corrupt(book)
    _limits(book)
    book.judge(
        "contribution-weaker",
        "Abstract",
        "The cost of privacy depends less on epsilon where local privacy is not required.",
        _weaker(evidence.long),
        LONG,
    )
    book.rest(
        "contribution-unify",
        "Section 1",
        "The definitions are unified and connected, by one graphical model.",
        (
            "definition-1",
            "definition-2",
            "definition-3",
            "definition-4",
            "definition-5",
            "lemma-1",
            "lemma-2",
            "figure-1",
        ),
    )
    book.rest(
        "contribution-bounds",
        "Section 1",
        "One framework proves minimax and Bayesian bounds for every definition.",
        ("theorem-1", "theorem-2", "theorem-3", "corollary-1", "corollary-2", "corollary-3"),
    )


def _multiplicative(book: _Book, evidence: Evidence) -> None:
    frame = discussion.multiplicative(_K, GRID, [10**8, 10**16])
    wide = frame.pivot(index=["definition", "kind", "epsilon"], columns="horizon", values="factor")
    early, late = (wide[t] for t in (10**8, 10**16))
    local, guarantee = late.loc["local DP", "lower bound"], late.loc["DP", "guarantee"]
    smallest = frame[(frame["kind"] == "guarantee") & (frame["horizon"] == 10**16)].set_index("epsilon").loc[GRID[0]]
    epsilon = _middle(evidence.setting.epsilons)
    book.judge(
        "discussion-multiplicative-local",
        "Section 5.4",
        "Local privacy multiplies the regret by a factor that depends on epsilon.",
        Holds()(
            _near(local / early.loc["local DP", "lower bound"], 1.0, 1e-3) and bool((local >= 1).all()),
            f"the factor of the lower bound does not fall with T: {local.iloc[0]:.4g} at epsilon {GRID[0]:g}, "
            f"{local.loc[1.0]:.4g} at 1; " + _measured(evidence, "LDP-UCB-B", epsilon),
            float(local.loc[1.0]),
        ),
    )
    book.judge(
        "discussion-multiplicative-central",
        "Section 5.4",
        "So does DP: minimax regret changes by a multiplicative factor that depends on epsilon.",
        Holds()(
            bool(guarantee.loc[GRID[0]] > 1 + 1e-3),
            f"at epsilon {GRID[0]:g} and T = 10^16 privacy adds a part of {smallest['factor'] - 1:.2g} to the "
            f"guarantee of DP-SE, which is {smallest['over_plain']:.4g} times the lower bound without privacy, of "
            "order sqrt(ln T) with no epsilon in it; " + _measured(evidence, "AdaP-UCB", epsilon),
            float(smallest["factor"]),
        ),
    )


def _measured(evidence: Evidence, name: str, epsilon: float) -> str:
    """Say what the simulated factor is at the horizon, and its largest value before."""
    frame = factors(evidence.hardest, epsilon)
    part = frame[frame["policy"] == name]
    if part.empty:
        return f"no regret of {name} to compare at this horizon"
    peak, last = part["factor"].max(), part["factor"].iloc[-1]
    return f"{name} at epsilon {epsilon:g} measured {peak:.3g} at most, {last:.3g} at T = {evidence.setting.horizon}"


def _additive(book: _Book) -> None:
    means = instance(LONG_N_ARMS, LONG_GAP).means
    frame = discussion.additive(means, [0.01, 0.05, 0.1], [10**4, 10**8, 10**16])
    allowed = 32 * (LONG_N_ARMS - 1) * np.log(64 * LONG_N_ARMS * frame["horizon"].astype(float)) / frame["epsilon"]
    share = frame["extra"] / allowed
    exceeds = [_coefficients(means, e) for e in (0.01, 0.05, 0.1)]
    book.judge(
        "discussion-additive",
        "Section 6",
        "A constant privacy loss with only an additive term on the regret cannot be true, even one of order "
        "K ln T / epsilon.",
        Holds()(
            bool((share > 1).any()),
            "DP-SE has constant loss, and its guarantee exceeds the non-private one by a term: at most "
            f"{share.max():.3g} times 32 (K-1) ln(64 K T) / epsilon over epsilon from 0.01 to 0.1 and T to 10^16",
            float(share.max()),
        ),
    )
    printed, repaired, plain = (min(one[i] for one in exceeds) for i in range(3))
    book.judge(
        "discussion-conjecture",
        "Sections 5.4, 6",
        "The bounds falsify the conjecture that DP adds only a term 1/epsilon to regret on one instance, without ln T.",
        after_repair(
            Holds()(
                printed > plain,
                "the paper has no problem-dependent bound under DP (Table 1 says open), so none of it raises the "
                f"coefficient of ln T above the {plain:.4g} without privacy",
                printed,
            ),
            Holds()(
                repaired > plain,
                f"the bound with d_eps has a coefficient of ln T of {repaired:.4g} or more for epsilon up to 0.1, "
                f"above {plain:.4g}",
                repaired,
            ),
        ),
    )


def _coefficients(means: np.ndarray, epsilon: float) -> tuple[float, float, float]:
    """Coefficients of ln T that are proved under DP: by the paper (0 if none), with d_epsilon, and without privacy."""
    log = math.log(_T)
    frame = bounds.table_1(len(means), _T, epsilon, means)
    paper = frame[(frame["definition"] == "DP") & (frame["regret"] == "problem-dependent")]
    paper = paper[paper["reading"] != "replacement"]
    ours, plain = replacements.central_lower(means, _T, epsilon), replacements.lai_robbins(means, _T)
    return float(paper["value"].max() / log) if len(paper) else 0.0, ours / log, plain / log


def _corrupt(book: _Book) -> None:
    frame = discussion.corrupt_bandits(instance(LONG_N_ARMS, LONG_GAP).means, GRID)
    book.judge(
        "discussion-corrupt",
        "Section 6",
        "kl-UCB-CF and TS-CF for corrupt bandits are suboptimal by at least (1 + e^-eps)^2.",
        Holds()(
            bool((frame["over_lower"] >= frame["claimed"] * (1 - _SAME)).all()),
            f"by theorem their rate is the exact lower bound, {frame['over_lower'].max():.6g} times it at every "
            f"epsilon: nothing does better; over Theorem 4 it is {frame['over_printed'].min():.3g} to "
            f"{frame['over_printed'].max():.3g}, the slack of that theorem",
            float(frame["over_lower"].max()),
        ),
    )


def _limits(book: _Book) -> None:
    line = [bounds.theorem_3(_K, _T, e, "proof") for e in (_TINY, *GRID)]
    private = [replacements.central_minimax(_K, _T, e) for e in (_TINY, *GRID)]
    local = [replacements.local_minimax(_K, _T, e) for e in (_TINY, *GRID)]
    book.judge(
        "discussion-limit",
        "Section 5.4",
        "As epsilon goes to 0 the bounds, as proved, grow until T caps them, and they fall as epsilon grows.",
        after_repair(
            Holds()(
                _reaches_and_falls(line),
                f"the line of the proof before Theorem 3 is {line[0]:.3g} at epsilon {_TINY:g} and {max(line):.3g} at "
                "most: it goes to 0 (the local and the instantaneous entry, and Theorem 3 as printed, do go to "
                "infinity)",
                line[0],
            ),
            Holds()(
                _reaches_and_falls(private) and _reaches_and_falls(local),
                f"the usable bounds fall, from {private[0] / _T:.3g} T (DP) and {local[0] / _T:.3g} T (local)",
                private[0] / _T,
            ),
        ),
    )
    order = discussion.orderings(GRID)
    usable = [(replacements.local_minimax(_K, _T, e), replacements.central_minimax(_K, _T, e)) for e in GRID]
    worse = usable[0][0] / usable[0][1]
    book.judge(
        "discussion-order-local",
        "Section 5.4",
        "The lower bound for local privacy is worse than that of the general case.",
        after_repair(
            Holds()(
                bool(order["local_above_dp"].all()),
                _where(order, "local_above_dp", "the local entry is not below Theorem 3"),
            ),
            Holds()(
                all(a >= b for a, b in usable),
                f"with the usable bounds it is, by {worse:.3g} times at epsilon {GRID[0]:g}",
                worse,
            ),
        ),
    )
    book.judge(
        "discussion-order-instantaneous",
        "Section 5.4",
        "Instantaneous DP is worse than general DP at a constant epsilon.",
        Holds()(
            bool(order["instantaneous_above_dp"].all()),
            _where(order, "instantaneous_above_dp", "the instantaneous entry is above Theorem 3")
            + "; DP at eps/2 is instantaneous at eps (Lemma 2), so its regret bounds that of instantaneous DP",
        ),
    )
    ratios = discussion.small_epsilon(GRID)
    small, large = ratios.iloc[0], ratios.iloc[-1]
    ratio = float(small["local_over_instantaneous"])
    book.judge(
        "discussion-ratio",
        "Section 5.1",
        "The instantaneous bound is better than the local one by e^(eps/2) for small eps, sqrt(2/(eps (e^eps + 1))) "
        "for large.",
        Holds()(
            _near(ratio, small["claimed_small"], 0.1)
            and _near(large["local_over_instantaneous"], large["claimed_large"], 0.1),
            f"at epsilon {small['epsilon']:g} the ratio of local to instantaneous is {ratio:.4g}, not "
            f"{small['claimed_small']:.4g}; at {large['epsilon']:g} it is {large['local_over_instantaneous']:.4g}, not "
            f"{large['claimed_large']:.3g}",
            ratio,
        ),
    )


def _reaches_and_falls(values: Sequence[float]) -> bool:
    """Whether a bound is a part of T at a tiny epsilon, the first value, and never rises with epsilon from there."""
    return values[0] > 0.01 * _T and all(a >= b for a, b in zip(values, values[1:], strict=False))


def _weaker(long: pd.DataFrame) -> Ruling:
    """Compare how fast the regret of the longer study grows as epsilon falls, for a central and a local algorithm."""
    names = "AdaP-UCB", "LDP-UCB-B"
    uniform = uniform_regret(LONG_N_ARMS, LONG_GAP, int(long["t"].max()))
    curves = {(name, e): _curves(long, name, e) for name in names for e in sorted(long["epsilon"].unique()) if e <= 1}
    final = {key: run[:, -1] for key, run in curves.items() if run.size}
    learnt = {e for _, e in final if all(_learnt(final.get((name, e)), uniform) for name in names)}
    measured = None
    if len(learnt) > 1:
        central, local = (_slopes({e: final[name, e] for e in sorted(learnt)}) for name in names)
        measured = difference_interval(central, local)
    return Less("growth exponent of AdaP-UCB in 1/epsilon, for epsilon up to 1,", "that of LDP-UCB-B")(measured)


def _learnt(final: np.ndarray | None, uniform: float) -> bool:
    return final is not None and bool((final > 0).all() and final.mean() < uniform / 2)


def _slopes(final: dict[float, np.ndarray]) -> np.ndarray:
    """The exponent of regret in 1/epsilon, by replication."""
    x = -np.log(list(final))
    return np.asarray(np.polyfit(x, np.log(np.array(list(final.values()))), 1)[0])


def _where(frame: pd.DataFrame, column: str, words: str) -> str:
    held = [f"{e:g}" for e in frame.loc[frame[column], "epsilon"]]
    return f"{words} at epsilon {', '.join(held) or 'none'} of {', '.join(f'{e:g}' for e in frame['epsilon'])}"


def _middle(epsilons: Sequence[float]) -> float:
    """The epsilon nearest 0.2, where privacy costs and can be learnt."""
    return min(epsilons, key=lambda e: abs(math.log(e / 0.2)))


def _loss(value: float) -> str:
    return "infinity" if math.isinf(value) else f"{value:.3g}"


def _near(values: object, target: float, tolerance: float = _SAME) -> bool:
    return bool(np.all(np.abs(np.asarray(values, float) - target) <= tolerance * abs(target)))
