"""What the paper concludes from its bounds, and what its abstract says of them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from private_bandits.estimates import difference_interval
from private_bandits.papers.definitions import bounds, replacements
from private_bandits_book.definitions import discussion, entries
from private_bandits_book.definitions.panels import nearest
from private_bandits_book.definitions.rules.common import GRID, HORIZON, N_ARMS, SAME, near, rules
from private_bandits_book.definitions.study import ADAP_UCB, LDP_UCB, LONG, Study, factors, uniform_regret
from private_bandits_book.ledger import Claim
from private_bandits_book.rules import Less, Ruling, after_repair
from private_bandits_book.sweep import by_replication, exact_slope

_TINY = 1e-9  # an epsilon below which the usable bounds are all of T that they can be


def _prices() -> pd.DataFrame:
    """The price of privacy as a factor at T = 10^8 and 10^16, by definition, kind and epsilon."""
    frame = discussion.multiplicative(N_ARMS, GRID, [10**8, 10**16])
    return frame.pivot(index=["definition", "kind", "epsilon"], columns="horizon", values=["factor", "over_plain"])


@rules("discussion-multiplicative-local")
def _local_multiplies(study: Study, claim: Claim) -> Ruling:
    early, late = (_prices()["factor", t].loc["local DP", "lower bound"] for t in (10**8, 10**16))
    held, one = near(late / early, 1.0, 1e-3) and bool((late >= 1).all()), late.loc[1.0]
    facts = {"epsilon": GRID[0], "smallest": late.iloc[0], "one": one, "measured": _measured(study, LDP_UCB)}
    return claim.holds(held, one, **facts)


@rules("discussion-multiplicative-central")
def _central_multiplies(study: Study, claim: Claim) -> Ruling:
    factor, over_plain = _prices().loc[("DP", "guarantee", GRID[0])][[("factor", 10**16), ("over_plain", 10**16)]]
    facts = {"epsilon": GRID[0], "added": factor - 1, "over_plain": over_plain}
    return claim.holds(factor > 1 + 1e-3, factor, measured=_measured(study, ADAP_UCB), **facts)


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
def _additive(study: Study, claim: Claim) -> Ruling:
    frame = discussion.additive(LONG.means, [0.01, 0.05, 0.1], [10**4, 10**8, 10**16])
    others, horizon = LONG.n_arms - 1, frame["horizon"].astype(float)
    share = frame["extra"] / (32 * others * np.log(64 * LONG.n_arms * horizon) / frame["epsilon"])
    return claim.holds(bool((share > 1).any()), share.max(), share=share.max())


@rules("discussion-conjecture")
def _conjecture(study: Study, claim: Claim) -> Ruling:
    found = [_coefficients(LONG.means, e) for e in (0.01, 0.05, 0.1)]
    printed, ours, plain = map(min, zip(*found, strict=True))
    return after_repair(
        claim.holds(printed > plain, printed, plain=plain),
        claim.holds(ours > plain, ours, "repaired", ours=ours, plain=plain),
    )


def _coefficients(means: np.ndarray, epsilon: float) -> tuple[float, float, float]:
    """Coefficients of ln T that are proved under DP: by the paper (0 if none), with d_epsilon, and without privacy."""
    log, frame = math.log(HORIZON), entries.variants(means, HORIZON, epsilon)
    paper = frame[(frame["definition"] == "DP") & (frame["regret"] == "problem-dependent")]
    paper = paper[paper["reading"] != "replacement"]
    ours, plain = replacements.central_lower(means, HORIZON, epsilon), replacements.lai_robbins(means, HORIZON)
    return float(paper["value"].max() / log) if len(paper) else 0.0, ours / log, plain / log


@rules("discussion-corrupt")
def _corrupt(study: Study, claim: Claim) -> Ruling:
    frame = discussion.corrupt_bandits(LONG.means, GRID)
    held, exact = bool((frame["over_lower"] >= frame["claimed"] * (1 - SAME)).all()), frame["over_lower"].max()
    return claim.holds(held, exact, exact=exact, least=frame["over_printed"].min(), most=frame["over_printed"].max())


@rules("discussion-limit")
def _limit(study: Study, claim: Claim) -> Ruling:
    line = [bounds.theorem_3(N_ARMS, HORIZON, e, "proof") for e in (_TINY, *GRID)]
    private = [replacements.central_minimax(N_ARMS, HORIZON, e) for e in (_TINY, *GRID)]
    local = [replacements.local_minimax(N_ARMS, HORIZON, e) for e in (_TINY, *GRID)]
    usable = _reaches_and_falls(private) and _reaches_and_falls(local)
    shares = {"central": private[0] / HORIZON, "local": local[0] / HORIZON}
    return after_repair(
        claim.holds(_reaches_and_falls(line), line[0], line=line, epsilon=_TINY, most=max(line)),
        claim.holds(usable, shares["central"], "repaired", **shares),
    )


def _reaches_and_falls(values: Sequence[float]) -> bool:
    """Whether a bound is a part of T at a tiny epsilon, the first value, and never rises with epsilon from there."""
    return values[0] > 0.01 * HORIZON and all(a >= b for a, b in zip(values, values[1:], strict=False))


@rules("discussion-order-local")
def _order_local(study: Study, claim: Claim) -> Ruling:
    both = replacements.local_minimax, replacements.central_minimax
    usable = [[bound(N_ARMS, HORIZON, e) for bound in both] for e in GRID]
    worse = usable[0][0] / usable[0][1]
    return after_repair(
        _ordered(claim, "local_above_dp"),
        claim.holds(all(a >= b for a, b in usable), worse, "repaired", worse=worse, epsilon=GRID[0]),
    )


@rules("discussion-order-instantaneous")
def _order_instantaneous(study: Study, claim: Claim) -> Ruling:
    return _ordered(claim, "instantaneous_above_dp")


def _ordered(claim: Claim, column: str) -> Ruling:
    order = discussion.orderings(GRID)
    held, grid = (", ".join(f"{e:g}" for e in part["epsilon"]) for part in (order[order[column]], order))
    return claim.holds(bool(order[column].all()), held=held or "none", grid=grid)


@rules("discussion-ratio")
def _ratio(study: Study, claim: Claim) -> Ruling:
    ratios = discussion.small_epsilon(GRID)
    small, large = ratios.iloc[0], ratios.iloc[-1]
    ends = ((small, "claimed_small"), (large, "claimed_large"))
    held = all(near(row["local_over_instantaneous"], row[claimed], 0.1) for row, claimed in ends)
    return claim.holds(held, small["local_over_instantaneous"], small=small, large=large)


@rules("contribution-weaker")
def _weaker(study: Study, claim: Claim) -> Ruling:
    """Compare how fast the regret of the longer study grows as epsilon falls, for a central and a local algorithm."""
    names, horizon = (ADAP_UCB, LDP_UCB), study.long["t"].max()
    uniform = uniform_regret(LONG.n_arms, LONG.gap, int(horizon))
    last = study.long[study.long["t"] == horizon]
    final = {name: _by_epsilon(last[last["policy"] == name]) for name in names}
    learnt = [e for e in final[names[0]] if e <= 1 and all(_learnt(final[name].get(e), uniform) for name in names)]
    measured = None
    if len(learnt) > 1:
        runs = (np.transpose([final[name][e] for e in learnt]) for name in names)
        central, local = ([exact_slope(1 / np.array(learnt), run).measured for run in part] for part in runs)
        measured = difference_interval(central, local)
    return Less(f"growth exponent of {ADAP_UCB} in 1/epsilon, for epsilon up to 1,", f"that of {LDP_UCB}")(measured)


def _learnt(final: np.ndarray | None, uniform: float) -> bool:
    return final is not None and bool((final > 0).all() and final.mean() < uniform / 2)


def _by_epsilon(part: pd.DataFrame) -> dict[float, np.ndarray]:
    """Regret by replication at each epsilon."""
    epsilons, regrets = by_replication(part, "epsilon")
    return dict(zip(epsilons.tolist(), regrets.T, strict=True))
