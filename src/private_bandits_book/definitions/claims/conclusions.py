"""What the paper concludes from its bounds, and its contributions."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from private_bandits.estimates import difference_interval
from private_bandits.papers.definitions import bounds, replacements
from private_bandits_book.definitions import discussion, tables
from private_bandits_book.definitions.claims.evidence import (
    GRID,
    HORIZON,
    LONG,
    N_ARMS,
    SAME,
    Evidence,
    long_curves,
    near,
)
from private_bandits_book.definitions.experiments import LONG_GAP, LONG_N_ARMS, factors, instance, uniform_regret
from private_bandits_book.ledger import Book
from private_bandits_book.rules import Holds, Less, Ruling, after_repair

_TINY = 1e-9  # an epsilon below which the usable bounds are all of T that they can be


def judge(book: Book, evidence: Evidence) -> None:
    """Add the rows of this room."""
    _multiplicative(book, evidence)
    _additive(book)
    _corrupt(book)
    _limits(book)
    book.judge(
        "contribution-weaker",
        "contribution",
        "Abstract",
        "The cost of privacy depends less on epsilon where local privacy is not required.",
        _weaker(evidence.long),
        LONG,
    )
    book.rest(
        "contribution-unify",
        "contribution",
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
        "contribution",
        "Section 1",
        "One framework proves minimax and Bayesian bounds for every definition.",
        ("theorem-1", "theorem-2", "theorem-3", "corollary-1", "corollary-2", "corollary-3"),
    )


def _multiplicative(book: Book, evidence: Evidence) -> None:
    frame = discussion.multiplicative(N_ARMS, GRID, [10**8, 10**16])
    wide = frame.pivot(index=["definition", "kind", "epsilon"], columns="horizon", values="factor")
    early, late = (wide[t] for t in (10**8, 10**16))
    local, guarantee = late.loc["local DP", "lower bound"], late.loc["DP", "guarantee"]
    smallest = frame[(frame["kind"] == "guarantee") & (frame["horizon"] == 10**16)].set_index("epsilon").loc[GRID[0]]
    epsilon = _middle(evidence.setting.epsilons)
    book.judge(
        "discussion-multiplicative-local",
        "discussion",
        "Section 5.4",
        "Local privacy multiplies the regret by a factor that depends on epsilon.",
        Holds()(
            near(local / early.loc["local DP", "lower bound"], 1.0, 1e-3) and bool((local >= 1).all()),
            f"the factor of the lower bound does not fall with T: {local.iloc[0]:.4g} at epsilon {GRID[0]:g}, "
            f"{local.loc[1.0]:.4g} at 1; " + _measured(evidence, "LDP-UCB-B", epsilon),
            float(local.loc[1.0]),
        ),
    )
    book.judge(
        "discussion-multiplicative-central",
        "discussion",
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


def _additive(book: Book) -> None:
    means = instance(LONG_N_ARMS, LONG_GAP).means
    frame = discussion.additive(means, [0.01, 0.05, 0.1], [10**4, 10**8, 10**16])
    allowed = 32 * (LONG_N_ARMS - 1) * np.log(64 * LONG_N_ARMS * frame["horizon"].astype(float)) / frame["epsilon"]
    share = frame["extra"] / allowed
    exceeds = [_coefficients(means, e) for e in (0.01, 0.05, 0.1)]
    book.judge(
        "discussion-additive",
        "discussion",
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
        "discussion",
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
    log = math.log(HORIZON)
    frame = tables.readings(means, HORIZON, epsilon)
    paper = frame[(frame["definition"] == "DP") & (frame["regret"] == "problem-dependent")]
    paper = paper[paper["reading"] != "replacement"]
    ours, plain = replacements.central_lower(means, HORIZON, epsilon), replacements.lai_robbins(means, HORIZON)
    return float(paper["value"].max() / log) if len(paper) else 0.0, ours / log, plain / log


def _corrupt(book: Book) -> None:
    frame = discussion.corrupt_bandits(instance(LONG_N_ARMS, LONG_GAP).means, GRID)
    book.judge(
        "discussion-corrupt",
        "discussion",
        "Section 6",
        "kl-UCB-CF and TS-CF for corrupt bandits are suboptimal by at least (1 + e^-eps)^2.",
        Holds()(
            bool((frame["over_lower"] >= frame["claimed"] * (1 - SAME)).all()),
            f"by theorem their rate is the exact lower bound, {frame['over_lower'].max():.6g} times it at every "
            f"epsilon: nothing does better; over Theorem 4 it is {frame['over_printed'].min():.3g} to "
            f"{frame['over_printed'].max():.3g}, the slack of that theorem",
            float(frame["over_lower"].max()),
        ),
    )


def _limits(book: Book) -> None:
    line = [bounds.theorem_3(N_ARMS, HORIZON, e, "proof") for e in (_TINY, *GRID)]
    private = [replacements.central_minimax(N_ARMS, HORIZON, e) for e in (_TINY, *GRID)]
    local = [replacements.local_minimax(N_ARMS, HORIZON, e) for e in (_TINY, *GRID)]
    book.judge(
        "discussion-limit",
        "discussion",
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
                f"the usable bounds fall, from {private[0] / HORIZON:.3g} T (DP) and "
                f"{local[0] / HORIZON:.3g} T (local)",
                private[0] / HORIZON,
            ),
        ),
    )
    order = discussion.orderings(GRID)
    both = replacements.local_minimax, replacements.central_minimax
    usable = [[bound(N_ARMS, HORIZON, e) for bound in both] for e in GRID]
    worse = usable[0][0] / usable[0][1]
    book.judge(
        "discussion-order-local",
        "discussion",
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
        "discussion",
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
        "discussion",
        "Section 5.1",
        "The instantaneous bound is better than the local one by e^(eps/2) for small eps, sqrt(2/(eps (e^eps + 1))) "
        "for large.",
        Holds()(
            near(ratio, small["claimed_small"], 0.1)
            and near(large["local_over_instantaneous"], large["claimed_large"], 0.1),
            f"at epsilon {small['epsilon']:g} the ratio of local to instantaneous is {ratio:.4g}, not "
            f"{small['claimed_small']:.4g}; at {large['epsilon']:g} it is {large['local_over_instantaneous']:.4g}, not "
            f"{large['claimed_large']:.3g}",
            ratio,
        ),
    )


def _reaches_and_falls(values: Sequence[float]) -> bool:
    """Whether a bound is a part of T at a tiny epsilon, the first value, and never rises with epsilon from there."""
    return values[0] > 0.01 * HORIZON and all(a >= b for a, b in zip(values, values[1:], strict=False))


def _weaker(long: pd.DataFrame) -> Ruling:
    """Compare how fast the regret of the longer study grows as epsilon falls, for a central and a local algorithm."""
    names = "AdaP-UCB", "LDP-UCB-B"
    uniform = uniform_regret(LONG_N_ARMS, LONG_GAP, int(long["t"].max()))
    curves = {
        (name, e): long_curves(long, name, e) for name in names for e in sorted(long["epsilon"].unique()) if e <= 1
    }
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
