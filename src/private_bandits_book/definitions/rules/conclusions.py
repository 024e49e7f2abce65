"""What the paper concludes from its bounds, and what its abstract says of them."""

import math
from itertools import pairwise

from private_bandits.papers.definitions import bounds, replacements
from private_bandits_book.definitions import discussion, entries
from private_bandits_book.definitions.panels import nearest
from private_bandits_book.definitions.rules.common import FAR, GRID, HORIZON, N_ARMS, SAME, TINY, near, rules
from private_bandits_book.definitions.study import ADAP_UCB, LDP_UCB, LONG, Study, factors
from private_bandits_book.ledger import Claim
from private_bandits_book.rules import Holds, Ruling

_SMALL = 1e-4  # an epsilon at which local privacy is dear beyond all constants
_PLAYED = {"local DP": LDP_UCB, "DP": ADAP_UCB}


@rules("discussion-multiplicative-local", "discussion-multiplicative-central")
def _multiplies(study: Study, claim: Claim) -> Ruling:
    """Whether minimax regret changes by a factor that depends on epsilon, however long the game.

    It does if the proven lower end of the factor is above 1 at a small epsilon and stays as T grows, and not if the
    upper end depends neither on epsilon nor on T from some T on. Ends of more than a thousandth apart are different.
    """
    definition = claim.facts["definition"]
    frame = discussion.multiplicative(N_ARMS, (_SMALL, *GRID), (FAR, FAR**2))
    ends = frame[frame["definition"] == definition].pivot(index="epsilon", columns="horizon", values=["least", "most"])
    early, late = ends["least"].loc[_SMALL]
    stays, level = late > 1 and late > 0.999 * early, near(ends["most"], ends["most"].iloc[0, 0], 1e-3)
    facts = {"epsilon": _SMALL, "late": late, "most": ends["most"].iloc[0, 1], "far": FAR}
    facts["measured"] = _measured(study, definition)
    said = "reason" if stays else "refuted" if level else "open"
    words = claim.facts[said].format(**facts)
    return Holds(claim.evidence)(stays or (False if level else None), words, facts["most"] if level else late)


def _measured(study: Study, definition: str) -> str:
    """Say what the simulated factor is at the horizon, and its largest value before, where privacy can be learnt."""
    epsilon, name = nearest(study.epsilons, 0.2), _PLAYED[definition]
    frame = factors(study.hardest, epsilon)
    factor = frame[frame["key"] == name]["factor"]
    if factor.empty:
        return f"no regret of {study.names[name]} to compare at this horizon"
    found = f"{factor.max():.3g} at most, {factor.iloc[-1]:.3g} at T = {study.horizon}"
    return f"{study.names[name]} at epsilon {epsilon:g} measured {found}"


@rules("discussion-conjecture")
def _conjecture(study: Study, claim: Claim) -> Ruling:
    printed, _, plain = _coefficients()
    return claim.holds(printed > plain, printed, plain=plain)


@rules("own-per-log")
def _per_log(study: Study, claim: Claim) -> Ruling:
    _, ours, plain = _coefficients()
    return claim.holds(ours > plain, ours, ours=ours, plain=plain)


def _coefficients() -> tuple[float, float, float]:
    """Least coefficients of ln T proved under DP to epsilon 0.1: by the paper (0 if none), by d_epsilon, and plain."""
    log, found = math.log(HORIZON), []
    for epsilon in (0.01, 0.05, 0.1):
        frame = entries.variants(LONG.means, HORIZON, epsilon)
        paper = frame[(frame["definition"] == "DP") & (frame["regret"] == "problem-dependent")]
        paper = paper[paper["reading"] != "replacement"]
        ours = replacements.central_lower(LONG.means, HORIZON, epsilon) / log
        found.append((paper["value"].max() / log if len(paper) else 0.0, ours))
    printed, ours = map(min, zip(*found, strict=True))
    return float(printed), float(ours), replacements.lai_robbins(LONG.means, HORIZON) / log


@rules("discussion-corrupt")
def _corrupt(study: Study, claim: Claim) -> Ruling:
    frame = discussion.corrupt_bandits(LONG.means, GRID)
    held, exact = bool((frame["over_lower"] >= frame["claimed"] * (1 - SAME)).all()), frame["over_lower"].max()
    return claim.holds(held, exact, exact=exact, least=frame["over_printed"].min(), most=frame["over_printed"].max())


@rules("discussion-limit")
def _limit(study: Study, claim: Claim) -> Ruling:
    said = ((bounds.theorem_1, "table"), (bounds.theorem_2, "table"), (bounds.theorem_3, "printed"))
    printed = [[bound(N_ARMS, HORIZON, e, which) for e in (TINY, *GRID)] for bound, which in said]
    falls = all(a >= b for values in printed for a, b in pairwise(values))
    share = min(values[0] for values in printed) / HORIZON
    return claim.holds(falls and share > 1, share, share=share, epsilon=TINY)


@rules("discussion-order-local", "discussion-order-instantaneous")
def _order(study: Study, claim: Claim) -> Ruling:
    order = discussion.orderings(GRID).set_index("epsilon")[claim.facts["column"]]
    held, below = int(order.sum()), ", ".join(f"{e:g}" for e in order.index[~order])
    return claim.holds(bool(order.all()), held, held=held, of=len(order), below=below or "none")


@rules("own-order")
def _own_order(study: Study, claim: Claim) -> Ruling:
    """What every locally private algorithm loses against what a private one achieves."""
    ratio = replacements.local_minimax(N_ARMS, FAR, _SMALL) / discussion.dp_se_minimax(N_ARMS, FAR, _SMALL)
    return claim.holds(ratio > 1, ratio, ratio=ratio, epsilon=_SMALL)


@rules("discussion-ratio")
def _ratio(study: Study, claim: Claim) -> Ruling:
    ratios = discussion.small_epsilon(GRID)
    small, large = ratios.iloc[0], ratios.iloc[-1]
    ends = ((small, "claimed_small"), (large, "claimed_large"))
    held = all(near(row["local_over_instantaneous"], row[claimed], 0.1) for row, claimed in ends)
    return claim.holds(held, small["local_over_instantaneous"], small=small, large=large)
