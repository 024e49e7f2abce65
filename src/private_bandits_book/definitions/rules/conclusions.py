"""What the paper concludes from its bounds, and what its abstract says of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from private_bandits.estimates import difference_interval
from private_bandits.papers.definitions import bounds, replacements
from private_bandits_book.definitions import discussion, entries
from private_bandits_book.definitions.panels import nearest
from private_bandits_book.definitions.rules.common import GRID, HORIZON, N_ARMS, SAME, holds, near, rules
from private_bandits_book.definitions.study import LONG, Study, factors, uniform_regret
from private_bandits_book.rules import Less, Ruling, after_repair
from private_bandits_book.sweep import by_replication, exact_slope

_TINY = 1e-9  # an epsilon below which the usable bounds are all of T that they can be


def _prices() -> pd.DataFrame:
    """The price of privacy as a factor at T = 10^8 and 10^16, by definition, kind and epsilon."""
    frame = discussion.multiplicative(N_ARMS, GRID, [10**8, 10**16])
    return frame.pivot(index=["definition", "kind", "epsilon"], columns="horizon", values=["factor", "over_plain"])


@rules("discussion-multiplicative-local")
def _local_multiplies(study: Study, claim: Any) -> Ruling:
    early, late = (_prices()["factor", t].loc["local DP", "lower bound"] for t in (10**8, 10**16))
    return holds(
        near(late / early, 1.0, 1e-3) and bool((late >= 1).all()),
        f"the factor of the lower bound does not fall with T: {late.iloc[0]:.4g} at epsilon {GRID[0]:g}, "
        f"{late.loc[1.0]:.4g} at 1; " + _measured(study, "LDP-UCB-B"),
        float(late.loc[1.0]),
    )


@rules("discussion-multiplicative-central")
def _central_multiplies(study: Study, claim: Any) -> Ruling:
    smallest = _prices().xs(10**16, axis=1, level=1).loc[("DP", "guarantee", GRID[0]), :]
    return holds(
        bool(smallest["factor"] > 1 + 1e-3),
        f"at epsilon {GRID[0]:g} and T = 10^16 privacy adds a part of {smallest['factor'] - 1:.2g} to the "
        f"guarantee of DP-SE, which is {smallest['over_plain']:.4g} times the lower bound without privacy, of "
        "order sqrt(ln T) with no epsilon in it; " + _measured(study, "AdaP-UCB"),
        float(smallest["factor"]),
    )


def _measured(study: Study, name: str) -> str:
    """Say what the simulated factor is at the horizon, and its largest value before, where privacy can be learnt."""
    epsilon = nearest(study.epsilons, 0.2)
    frame = factors(study.hardest, epsilon)
    factor = frame[frame["policy"] == name]["factor"]
    if factor.empty:
        return f"no regret of {name} to compare at this horizon"
    found = f"{factor.max():.3g} at most, {factor.iloc[-1]:.3g} at T = {study.horizon}"
    return f"{name} at epsilon {epsilon:g} measured {found}"


@rules("discussion-additive")
def _additive(study: Study, claim: Any) -> Ruling:
    frame = discussion.additive(LONG.means, [0.01, 0.05, 0.1], [10**4, 10**8, 10**16])
    others, horizon = LONG.n_arms - 1, frame["horizon"].astype(float)
    share = frame["extra"] / (32 * others * np.log(64 * LONG.n_arms * horizon) / frame["epsilon"])
    return holds(
        bool((share > 1).any()),
        "DP-SE has constant loss, and its guarantee exceeds the non-private one by a term: at most "
        f"{share.max():.3g} times 32 (K-1) ln(64 K T) / epsilon over epsilon from 0.01 to 0.1 and T to 10^16",
        float(share.max()),
    )


@rules("discussion-conjecture")
def _conjecture(study: Study, claim: Any) -> Ruling:
    found = [_coefficients(LONG.means, e) for e in (0.01, 0.05, 0.1)]
    printed, repaired, plain = map(min, zip(*found, strict=True))
    return after_repair(
        holds(
            printed > plain,
            "the paper has no problem-dependent bound under DP (Table 1 says open), so none of it raises the "
            f"coefficient of ln T above the {plain:.4g} without privacy",
            printed,
        ),
        holds(
            repaired > plain,
            f"the bound with d_eps has a coefficient of ln T of {repaired:.4g} or more for epsilon up to 0.1, "
            f"above {plain:.4g}",
            repaired,
        ),
    )


def _coefficients(means: np.ndarray, epsilon: float) -> tuple[float, float, float]:
    """Coefficients of ln T that are proved under DP: by the paper (0 if none), with d_epsilon, and without privacy."""
    log, frame = math.log(HORIZON), entries.readings(means, HORIZON, epsilon)
    paper = frame[(frame["definition"] == "DP") & (frame["regret"] == "problem-dependent")]
    paper = paper[paper["reading"] != "replacement"]
    ours, plain = replacements.central_lower(means, HORIZON, epsilon), replacements.lai_robbins(means, HORIZON)
    return float(paper["value"].max() / log) if len(paper) else 0.0, ours / log, plain / log


@rules("discussion-corrupt")
def _corrupt(study: Study, claim: Any) -> Ruling:
    frame = discussion.corrupt_bandits(LONG.means, GRID)
    return holds(
        bool((frame["over_lower"] >= frame["claimed"] * (1 - SAME)).all()),
        f"by theorem their rate is the exact lower bound, {frame['over_lower'].max():.6g} times it at every "
        f"epsilon: nothing does better; over Theorem 4 it is {frame['over_printed'].min():.3g} to "
        f"{frame['over_printed'].max():.3g}, the slack of that theorem",
        float(frame["over_lower"].max()),
    )


@rules("discussion-limit")
def _limit(study: Study, claim: Any) -> Ruling:
    line = [bounds.theorem_3(N_ARMS, HORIZON, e, "proof") for e in (_TINY, *GRID)]
    private = [replacements.central_minimax(N_ARMS, HORIZON, e) for e in (_TINY, *GRID)]
    local = [replacements.local_minimax(N_ARMS, HORIZON, e) for e in (_TINY, *GRID)]
    return after_repair(
        holds(
            _reaches_and_falls(line),
            f"the line of the proof before Theorem 3 is {line[0]:.3g} at epsilon {_TINY:g} and {max(line):.3g} at "
            "most: it goes to 0 (the local and the instantaneous entry, and Theorem 3 as printed, do go to infinity)",
            line[0],
        ),
        holds(
            _reaches_and_falls(private) and _reaches_and_falls(local),
            f"the usable bounds fall, from {private[0] / HORIZON:.3g} T (DP) and {local[0] / HORIZON:.3g} T (local)",
            private[0] / HORIZON,
        ),
    )


def _reaches_and_falls(values: Sequence[float]) -> bool:
    """Whether a bound is a part of T at a tiny epsilon, the first value, and never rises with epsilon from there."""
    return values[0] > 0.01 * HORIZON and all(a >= b for a, b in zip(values, values[1:], strict=False))


@rules("discussion-order-local")
def _order_local(study: Study, claim: Any) -> Ruling:
    order = discussion.orderings(GRID)
    both = replacements.local_minimax, replacements.central_minimax
    usable = [[bound(N_ARMS, HORIZON, e) for bound in both] for e in GRID]
    worse = usable[0][0] / usable[0][1]
    return after_repair(
        holds(
            bool(order["local_above_dp"].all()),
            _where(order, "local_above_dp", "the local entry is not below Theorem 3"),
        ),
        holds(
            all(a >= b for a, b in usable),
            f"with the usable bounds it is, by {worse:.3g} times at epsilon {GRID[0]:g}",
            worse,
        ),
    )


@rules("discussion-order-instantaneous")
def _order_instantaneous(study: Study, claim: Any) -> Ruling:
    order = discussion.orderings(GRID)
    return holds(
        bool(order["instantaneous_above_dp"].all()),
        _where(order, "instantaneous_above_dp", "the instantaneous entry is above Theorem 3")
        + "; DP at eps/2 is instantaneous at eps (Lemma 2), so its regret bounds that of instantaneous DP",
    )


def _where(frame: pd.DataFrame, column: str, words: str) -> str:
    held = [f"{e:g}" for e in frame.loc[frame[column], "epsilon"]]
    return f"{words} at epsilon {', '.join(held) or 'none'} of {', '.join(f'{e:g}' for e in frame['epsilon'])}"


@rules("discussion-ratio")
def _ratio(study: Study, claim: Any) -> Ruling:
    ratios = discussion.small_epsilon(GRID)
    small, large = ratios.iloc[0], ratios.iloc[-1]
    at_small, at_large = small["local_over_instantaneous"], large["local_over_instantaneous"]
    return holds(
        near(at_small, small["claimed_small"], 0.1) and near(at_large, large["claimed_large"], 0.1),
        f"at epsilon {small['epsilon']:g} the ratio of local to instantaneous is {at_small:.4g}, not "
        f"{small['claimed_small']:.4g}; at {large['epsilon']:g} it is {at_large:.4g}, not {large['claimed_large']:.3g}",
        float(at_small),
    )


@rules("contribution-weaker")
def _weaker(study: Study, claim: Any) -> Ruling:
    """Compare how fast the regret of the longer study grows as epsilon falls, for a central and a local algorithm."""
    names, horizon = ("AdaP-UCB", "LDP-UCB-B"), study.long["t"].max()
    uniform = uniform_regret(LONG.n_arms, LONG.gap, int(horizon))
    last = study.long[study.long["t"] == horizon]
    final = {name: _by_epsilon(last[last["policy"] == name]) for name in names}
    learnt = [e for e in final[names[0]] if e <= 1 and all(_learnt(final[name].get(e), uniform) for name in names)]
    measured = None
    if len(learnt) > 1:
        runs = (np.transpose([final[name][e] for e in learnt]) for name in names)
        central, local = ([exact_slope(1 / np.array(learnt), run).measured for run in part] for part in runs)
        measured = difference_interval(central, local)
    return Less("growth exponent of AdaP-UCB in 1/epsilon, for epsilon up to 1,", "that of LDP-UCB-B")(measured)


def _learnt(final: np.ndarray | None, uniform: float) -> bool:
    return final is not None and bool((final > 0).all() and final.mean() < uniform / 2)


def _by_epsilon(part: pd.DataFrame) -> dict[float, np.ndarray]:
    """Regret by replication at each epsilon."""
    epsilons, regrets = by_replication(part, "epsilon")
    return dict(zip(epsilons.tolist(), regrets.T, strict=True))
