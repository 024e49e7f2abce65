"""The claims of Zheng et al. (2020) that a computer decides without a run: privacy, and what is said of mechanisms.

Privacy is judged at each epsilon of the chapter, by what the noise exactly pays. The classical Gaussian formula is
proven for epsilon < 1 only, so its rulings say for which epsilon they hold.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from private_bandits.papers.contextual import accounting
from private_bandits.papers.contextual.algorithm_1 import one_point
from private_bandits.papers.contextual.algorithm_2 import two_point
from private_bandits.papers.contextual.algorithm_3 import ldp_glm
from private_bandits.papers.contextual.algorithm_5 import ldp_linucb
from private_bandits.privacy import channel_loss
from private_bandits.problems import ConvexLoss
from private_bandits_book.contextual import counterexample, facts, joint
from private_bandits_book.ledger import Book
from private_bandits_book.rules import Holds, NotTestable, Privacy, Ruling, after_repair, all_of

MECHANISM_GRID = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)  # the text states the Gaussian mechanism for every epsilon
_POINTS = (0, 1, 2, 3)
_LINEAR = [[g * x for x in _POINTS] for g in (1, -1)]  # losses g x, integers modulo 7
_CURVED = [[1, *(0 for _ in _POINTS[1:])], [0 for _ in _POINTS]]  # differ at x = 0
_FINITE = 1.0  # epsilon of the finite copies, whose rarest message must not underflow
_STREAMING = (0.1, 1.0, 10.0)  # and of the enumerated learner
_LARGE = 1e3  # a norm from which we call the sequence of norms unbounded, when it also grows on every step
_PRINTED, _REPAIRED = ("printed", "printed"), ("derived", "repaired")  # variants of Algorithms 5 and 3
_ROUNDS, _DIM = 100_000, 20  # at which the work of GLOC and of a fit from all data is counted


def judge_definitions(book: Book, epsilons: Sequence[float], delta: float) -> None:
    """The Gaussian mechanism, the logistic loss, and Theorem 1."""
    grid = facts.classical_formula(sorted({*MECHANISM_GRID, *epsilons}), delta)
    book.judge(
        "gaussian-mechanism",
        "definition",
        "Section 2",
        "Gaussian noise of sigma = sensitivity sqrt(2 ln(1.25/delta)) / epsilon is (epsilon, delta)-LDP, for every "
        "epsilon; repaired: the analytic sigma. The worst of a grid of epsilons.",
        after_repair(
            *(worst(zip(grid["epsilon"], grid[method], strict=True), delta) for method in ("classical", "analytic"))
        ),
    )
    gap = facts.logistic_gap()
    book.judge(
        "logistic-loss",
        "definition",
        "Section 4.2",
        "With the logistic link -a b + m(a) is ln(1 + exp(-a (2 b - 1))) for b in {0, 1}.",
        Holds()(gap < 1e-12, f"the two differ by at most {gap:.2g} over [-1, 1]"),
    )
    book.judge(
        "theorem-1",
        "theorem",
        "Theorem 1",
        "What an algorithm outputs from epsilon-LDP reports is epsilon-DP in the streaming setting, without contexts; "
        "by all reports of a stream, and by the actions of an enumerated learner.",
        worst(
            [
                (epsilon, loss)
                for epsilon in _STREAMING
                for loss in (facts.streaming_loss(epsilon), facts.reports_loss(epsilon))
            ]
        ),
    )


def judge_privacy(book: Book, epsilons: Sequence[float], delta: float, dim: int, horizon: int) -> None:
    """Theorems 2, 5, 7 and 9, and the Laplace variant."""
    ball = ConvexLoss.ball([[0.5, 0.0], [-0.5, 0.0]], kind="distance")
    grid = sorted({*MECHANISM_GRID, *epsilons})
    links = {epsilon: facts.small_link(epsilon, delta) for epsilon in grid}
    classical: dict[int, list[tuple[float, float]]] = {}
    analytic: dict[int, list[tuple[float, float]]] = {}
    for found, method, variants in ((classical, "classical", _PRINTED), (analytic, "analytic", _REPAIRED)):
        found[2] = [(e, _paid(one_point(ball, horizon, e, delta, method=method))) for e in grid]
        found[5] = [(e, _paid(two_point(ball, horizon, e, delta, method=method))) for e in grid]
        found[7] = [(e, _paid(ldp_linucb(e, delta, dim, horizon, variants[0], method))) for e in grid]
        found[9] = [(e, _paid(ldp_glm(e, delta, dim, horizon, variants[1], method))) for e in grid]
    classical[9] += [(epsilon, link.printed) for epsilon, link in links.items()]
    analytic[9] += [(epsilon, link.repaired) for epsilon, link in links.items()]
    for number, algorithm, words in (
        (2, 1, "one noisy loss a user; repaired: the analytic sigma"),
        (5, 2, "one noisy difference a user; repaired: the analytic sigma"),
        (7, 5, "two noisy messages a user; repaired: the analytic sigma"),
        (
            9,
            3,
            f"three noisy messages a user, for every link with |g| <= C: the logistic one and g(a) = "
            f"{facts.SMALL_LINK:g} a; repaired: the gradient's noise for its whole reach 2 C + 1, the analytic sigma",
        ),
    ):
        book.judge(
            f"theorem-{number}",
            "privacy",
            f"Theorem {number}",
            f"Algorithm {algorithm} is (epsilon, delta)-LDP, for every epsilon ({words}). The worst of a grid from "
            f"{grid[0]:g} to {grid[-1]:g}; as printed it is kept to {_kept_to(classical[number])}.",
            after_repair(worst(classical[number], delta), worst(analytic[number], delta)),
        )
    pure = [
        (epsilon, _paid(policy))
        for epsilon in epsilons
        for policy in (
            one_point(ball, horizon, epsilon, noise="laplace"),
            two_point(ball, horizon, epsilon, noise="laplace"),
        )
    ]
    book.judge(
        "laplace-privacy",
        "privacy",
        "Section 1, contributions",
        f"With Laplace noise Algorithms 1 and 2 are epsilon-LDP. The worst of epsilon = {_list(epsilons)}.",
        worst(pure),
    )


def _kept_to(pairs: list[tuple[float, float]]) -> str:
    """The largest epsilon of a grid up to which the promise is kept."""
    broken = min((epsilon for epsilon, paid in pairs if paid > epsilon * (1 + 1e-9)), default=math.inf)
    kept = [epsilon for epsilon, _ in pairs if epsilon < broken]
    return f"{max(kept):g}" if kept else "none of them"


def worst(pairs: Iterable[tuple[float, float]], delta: float = 0.0) -> Ruling:
    """The ruling on the pair of a nominal epsilon and what is paid where most is paid for it; it decides for all."""
    epsilon, paid = max(pairs, key=lambda pair: pair[1] / pair[0])
    return Privacy(epsilon, delta)(paid, delta)


def judge_mechanisms(book: Book) -> None:
    """What Section 3 says of other mechanisms."""
    linear = max(counterexample.finite_loss(_FINITE, x, _LINEAR) for x in _POINTS)
    curved = counterexample.finite_loss(_FINITE, 0, _CURVED)
    added = max(counterexample.finite_loss(_FINITE, x, _CURVED, additive=True) for x in _POINTS)
    book.judge(
        "linear-perturbation",
        "discussion",
        "Section 3.1",
        "Noise <n, x> protects a linear loss as a function.",
        Privacy(_FINITE)(linear),
    )
    book.judge(
        "counterexample",
        "discussion",
        "Section 3.1",
        "For losses that are not linear the noise <n, x> cannot protect: at x = 0 there is none. Noise on the loss "
        "does.",
        Holds()(
            math.isinf(curved) and added <= _FINITE * (1 + 1e-9),
            f"in a finite copy at epsilon = {_FINITE:g} the message at x = 0 pays {number(curved)} with <n, x> and "
            f"at most {number(added)} with noise on the loss",
            curved,
        ),
    )
    norms = [facts.ellipsoid_norms(domain) for domain in ("ball", "simplex")]
    inverse, root = (
        Holds()(
            all(_unbounded(frame[column].to_numpy()) for frame in norms),
            f"{words} goes from {_spread(norms, column, 0)} at the centre to {_spread(norms, column, -1)} at the "
            "boundary (ball, simplex)",
        )
        for column, words in (
            ("inverse", "the norm of the inverse Hessian"),
            ("root", "that of the inverse of A = Hessian^(-1/2)"),
        )
    )
    book.judge(
        "unbounded-ellipsoid",
        "discussion",
        "Section 3.1",
        "The norm of A_t^-1, the inverse Hessian of a self-concordant barrier, can be unbounded; repaired: A_t is the "
        "inverse of the Hessian's root, which is what the estimator needs.",
        after_repair(inverse, root),
    )
    gaps = [facts.virtual_gap(slope) for slope in (False, True)]
    book.judge(
        "virtual-losses",
        "discussion",
        "Sections 3.1 and 3.2",
        "In expectation regret against a fixed point is the same for the losses and for the noisy ones, f + Z and "
        "f + <n, x>.",
        Holds()(
            max(gaps) < 1e-12,
            f"a learner that goes by what it is told, all noises enumerated: the two differ by at most {max(gaps):.2g}",
            max(gaps),
        ),
    )
    same, apart = (facts.two_values_loss(_FINITE, shared) for shared in (True, False))
    book.judge(
        "same-noise",
        "discussion",
        "Section 3.2",
        "The same noise on both values of a user cannot guarantee privacy; different noise on each protects it.",
        Holds()(
            math.isinf(same) and math.isfinite(apart),
            f"with noise private at epsilon = {_FINITE:g} on each, two values pay {number(same)} with the same draw, "
            f"and {number(apart)} with two",
            apart,
        ),
    )
    gloc, fit = _ROUNDS * (_DIM**3 / 6 + 3 * _DIM**2), _DIM * _ROUNDS**2 / 2
    book.judge(
        "gloc-efficiency",
        "discussion",
        "Section 4.2",
        "GLOC takes much less time than solving for the maximum likelihood at each round; by counting multiplications.",
        Holds()(
            fit >= 10.0 * gloc,
            f"at d = {_DIM}, T = {_ROUNDS} one pass over all data a round takes {fit / gloc:.3g} "
            "times the multiplications of GLOC with one factorisation a round",
            fit / gloc,
        ),
    )


def judge_elsewhere(book: Book, epsilons: Sequence[float], delta: float) -> None:
    """The published setting, and what no run of this book can test."""
    setting = accounting.published_setting().set_index("formula")
    nominal, failure = (float(setting.iloc[0][column]) for column in ("epsilon", "delta"))
    book.judge(
        "published-setting",
        "anchor",
        "Authors' code",
        "The experiment of the authors' code is (800000, 0.1)-LDP, by the formula that it uses.",
        Privacy(nominal, failure)(setting.iloc[0]["epsilon_paid"], failure),
    )
    reaches = facts.unbounded_reward(min(epsilons), delta, (2.0, 20.0, 200.0))
    paid = ", ".join(f"{row.epsilon_paid:.3g} at |y| <= {row.reach:g}" for row in reaches.itertuples())
    for name, locus, statement, why in (
        (
            "published-regret",
            "Authors' code",
            "On MovieLens ratings the regret after a million rounds is 962.4, private about as good as not.",
            "the data would have to be downloaded",
        ),
        (
            "sub-gaussian-noise",
            "Footnote 5",
            "Bounded reward noise is not hard to relax to sub-Gaussian noise.",
            "how is not said; as the box stands it needs a clipped reward: at epsilon = "
            f"{min(epsilons):g} it pays {paid}",
        ),
        (
            "kernel-method",
            "Footnote 1",
            "With the kernel method of Bubeck et al. (2017) Algorithm 1 has regret sqrt T / epsilon for convex losses.",
            "the method is polynomial and far from practical, as the text says; it is not carried out here",
        ),
        (
            "high-probability",
            "Footnote 4",
            "With a learner's high-probability bound Algorithm 1 has one too.",
            "the statement is in an appendix that is not at hand, and the text has no such bound",
        ),
        (
            "tree-in-ldp",
            "Section 3.1",
            "Tree-based aggregation fails in the LDP setting.",
            "it speaks of every way to use a tree; a user who sends one report has no partial sums to add noise to",
        ),
        (
            "prior-dp",
            "Section 1",
            "Thakurta and Smith (2013) have T^(3/4)/epsilon and T^(2/3)/epsilon under DP; smoothness seems hard for "
            "their approach.",
            "the algorithm of another paper, with a trusted centre; it is not carried out here",
        ),
        (
            "prior-mab",
            "Section 1",
            "Only two earlier algorithms for adversarial MAB turn into LDP ones with almost the same results.",
            "it speaks of the literature",
        ),
        (
            "non-interactive-erm",
            "Section 4.2",
            "Without interaction no efficient LDP algorithm solves empirical risk minimisation optimally in general.",
            "it speaks of every algorithm, and rests on other papers",
        ),
        (
            "laplace-contextual",
            "Section 1, contributions",
            "With Laplace noise Algorithms 3 and 5 are epsilon-LDP with the same rates.",
            "their matrices and vectors are not played behind Laplace noise here",
        ),
        (
            "prior-joint-dp",
            "Section 1",
            "Under joint differential privacy LinUCB has regret sqrt T/epsilon (Shariff and Sheffet 2018).",
            "the algorithm of another paper, with a trusted centre; it is not carried out here",
        ),
        (
            "one-point-minimax",
            "Section 3.2",
            "With one point no algorithm beats sqrt T, even for strongly convex smooth losses (Shamir 2013).",
            "it speaks of every algorithm, and rests on another paper",
        ),
        (
            "more-points",
            "Section 3.2",
            "More than two points are not much different from two.",
            "how much is not said; no such algorithm is given",
        ),
        (
            "first-results",
            "Abstract, Section 1",
            "The first results for two-point feedback and for contextual bandits under LDP.",
            "it speaks of the literature",
        ),
    ):
        kind = "anchor" if locus == "Authors' code" else "discussion"
        book.judge(name, kind, locus, statement, NotTestable(why)())


def judge_two_privacies(book: Book, frame: pd.DataFrame) -> None:
    """What DP forbids with contexts and LDP allows, on the instance of `joint.compare`."""
    found = {
        float(epsilon): (joint.least_regret(float(epsilon), 2, 1.0), joint.dp_regret(float(epsilon), 2, 1.0).regret)
        for epsilon in frame["epsilon"].unique()
    }
    book.judge(
        "dp-lower-bound",
        "discussion",
        "Section 1",
        "Every differentially private contextual bandit algorithm has regret of order T (Shariff and Sheffet 2018); "
        "on an "
        "instance of two contexts, where it is T gap/(1 + e^epsilon), checked over two rounds.",
        Holds()(
            all(abs(least - formula) <= 1e-6 for least, formula in found.values())
            if min(formula for _, formula in found.values()) > 1e-5
            else None,
            "a linear programme over all policies with histories gives "
            + ", ".join(f"{least / 2:.3g} a round at epsilon = {e:g}" for e, (least, _) in found.items())
            + ", the formula the same",
        ),
    )
    last = frame[frame["t"] == frame["t"].max()]
    kept = bool((last["message_loss"] <= last["epsilon"] * (1 + 1e-6)).all())
    book.judge(
        "actions-not-private",
        "discussion",
        "Section 4.1",
        "Estimates made of locally private reports are private; the actions played on them need not be.",
        Holds()(
            kept and bool(np.isinf(last["joint_loss"]).all())
            if last["t"].min() > 1
            else None,  # a first round has no past
            "on that instance reports pay epsilon, and an action beside the reports before it "
            f"{number(last['joint_loss'].min())}",
        ),
    )
    policy = joint.dp_regret(1.0, 1, 1.0).channel
    acts, sees = float(channel_loss(policy)), float(channel_loss(np.eye(len(policy))))
    book.judge(
        "not-comparable",
        "discussion",
        "Section 1",
        "With contexts LDP and DP do not compare: neither implies the other.",
        all_of(
            book.rulings["actions-not-private"],
            Holds()(
                acts <= 1.0 + 1e-9 and math.isinf(sees),
                f"a policy that sees the context and answers it at random pays {acts:.4g} for its actions, "
                f"{number(sees)} for what it sees",
            ),
        ),
    )
    book.judge(
        "ldp-escapes",
        "discussion",
        "Section 1",
        "LDP allows what DP forbids with contexts: regret below order T.",
        all_of(*(_escapes(float(epsilon), part) for epsilon, part in frame.groupby("epsilon"))),
    )


def _escapes(epsilon: float, part: pd.DataFrame) -> Ruling:
    last = part.iloc[-1]
    falls = bool((part["ldp_regret"] / part["t"]).diff().dropna().lt(0).all())
    crossed = len(part) > 1 and last["ldp_regret"] < last["dp_regret"]
    return Holds()(
        (crossed or None) if falls else False,
        f"at epsilon = {epsilon:g}, T = {last['t']:g} a learner with private reports loses {last['ldp_regret']:.3g}, "
        f"exactly, any with private actions at least {last['dp_regret']:.3g}",
    )


def _paid(policy: Any) -> float:
    return float(policy.privacy.effective_epsilon)


def _unbounded(norms: np.ndarray) -> bool:
    return bool(norms[-1] > _LARGE and np.all(np.diff(norms) > 0))


def _spread(frames: Sequence[object], column: str, place: int) -> str:
    return ", ".join(f"{frame[column].iloc[place]:.2g}" for frame in frames)  # type: ignore[index]


def _list(values: Sequence[float]) -> str:
    return ", ".join(f"{value:g}" for value in values)


def number(value: float) -> str:
    """Four digits, or infinity."""
    return "infinity" if math.isinf(value) else f"{value:.4g}"
