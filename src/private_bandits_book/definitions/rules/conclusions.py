"""What the paper concludes from its bounds, and what its abstract says of them."""

import math
from itertools import pairwise

import pandas as pd

from private_bandits.estimates import Interval, mean_interval
from private_bandits.papers.definitions import bounds, replacements
from private_bandits_book.definitions import discussion
from private_bandits_book.definitions.rules.common import FAR, GRID, HORIZON, N_ARMS, TINY, near, rules
from private_bandits_book.definitions.study import LONG, Study, corrupt_runs
from private_bandits_book.ledger import Claim
from private_bandits_book.rules import Holds, Ruling, by_runs

_SMALL = 1e-4  # an epsilon at which local privacy is dear beyond all constants
_SLIGHT = 2.0  # times as much, which is not "slightly worse" any more


@rules("multiplies")
def _multiplies(study: Study, claim: Claim) -> Ruling:
    """Whether minimax regret changes by a factor that depends on epsilon, however long the game.

    It does if the proven lower end of the factor is above 1 at a small epsilon and stays as T grows, and not if the
    upper end depends neither on epsilon nor on T from some T on. Ends of more than a thousandth apart are different.
    """
    ends = _ends(claim.facts["definition"])
    early, late = ends["least"].loc[_SMALL]
    stays, level = late > 1 and late > 0.999 * early, near(ends["most"], ends["most"].iloc[0, 0], 1e-3)
    grows = ends["least"].loc[_SMALL / 10].iloc[1] > 5 * late
    facts = {"epsilon": _SMALL, "late": late, "most": ends["most"].iloc[0, 1], "far": FAR}
    held = True if stays and grows else False if level else None
    words = claim.facts["reason" if held else "refuted" if level else "open"].format(**facts)
    return Holds(claim.evidence)(held, words, facts["most"] if level else late)


def _ends(definition: str) -> pd.DataFrame:
    """Both ends of the factor at two horizons, a row an epsilon."""
    frame = discussion.multiplicative(N_ARMS, (_SMALL / 10, _SMALL, *GRID), (FAR, FAR**2))
    frame = frame[frame["definition"] == definition]
    return frame.pivot(index="epsilon", columns="horizon", values=["least", "most"])


@rules("discussion-multiplicative-depends")
def _depends(study: Study, claim: Claim) -> Ruling:
    """Whether the factor differs between epsilons: it does if a lower end is above another upper end."""
    ends = _ends("DP").xs(FAR**2, axis=1, level="horizon")
    least, most = max(1.0, ends["least"].max()), ends["most"].min()  # no private policy beats all policies
    words = claim.facts["reason" if least > most else "open"].format(least=least, most=most)
    return Holds(claim.evidence)(True if least > most else None, words, least)


@rules("own-per-log")
def _per_log(study: Study, claim: Claim) -> Ruling:
    """The least coefficient of ln T by d_epsilon up to epsilon 0.1, against that without privacy."""
    log = math.log(HORIZON)
    ours = min(replacements.central_lower(LONG.means, HORIZON, e) / log for e in GRID if e <= 0.1)
    plain = replacements.lai_robbins(LONG.means, HORIZON) / log
    return claim.holds(ours > plain, ours, ours=ours, plain=plain)


@rules("discussion-corrupt")
def _corrupt(study: Study, claim: Claim) -> Ruling:
    """What kl-UCB-CF loses over the exact bound, which is below uniform play; more than claimed, or less."""
    (run,) = (run for run in corrupt_runs() if run.labels["epsilon"] == 1.0)
    frame = study.long_study("corrupt")
    bound = replacements.local_lower(LONG.means, run.horizon, 1.0)
    ratios = frame[(frame["epsilon"] == 1.0) & (frame["t"] == run.horizon)]["regret"].to_numpy() / bound
    claimed = (1.0 + math.exp(-1.0)) ** 2

    def judged(seen: Interval) -> Ruling:
        held = True if seen.low >= claimed else False if seen.high < claimed else None
        return claim.holds(held, seen, claimed=claimed, seen=seen, runs=len(ratios), horizon=run.horizon)

    return by_runs(judged, mean_interval, ratios).of(run.policy)


@rules("limit")
def _limit(study: Study, claim: Claim) -> Ruling:
    said = ((bounds.theorem_1, "table"), (bounds.theorem_2, "table"), (bounds.theorem_3, claim.facts["line"]))
    read = [[bound(N_ARMS, HORIZON, e, which) for e in (TINY, *GRID)] for bound, which in said]
    falls = all(a >= b for values in read for a, b in pairwise(values))
    share = min(values[0] for values in read) / HORIZON
    return claim.holds(falls and share > 1, share, share=share, epsilon=TINY)


@rules("order")
def _order(study: Study, claim: Claim) -> Ruling:
    entries = discussion.orderings(GRID).set_index("epsilon")
    order = entries[claim.facts["entry"]] >= entries[claim.facts["line"]]
    held, below = int(order.sum()), ", ".join(f"{e:g}" for e in order.index[~order])
    return claim.holds(bool(order.all()), held, held=held, of=len(order), below=below or "none")


@rules("discussion-slightly")
def _slightly(study: Study, claim: Claim) -> Ruling:
    """What local privacy costs over DP on one instance, where both bounds are reached."""
    dearer = {
        e: replacements.local_lower(LONG.means, 3, e) / replacements.central_lower(LONG.means, 3, e)
        for e in GRID[: GRID.index(1.0) + 1]
    }
    most = max(dearer.values())
    return claim.holds(most <= _SLIGHT, most, most=most, first=GRID[0], last=1.0, least=dearer[1.0])


@rules("discussion-small-epsilon")
def _small_epsilon(study: Study, claim: Claim) -> Ruling:
    """The local entry over 1/(epsilon e^epsilon), constants dropped."""
    entry, over = math.sqrt((N_ARMS - 1) * HORIZON), []
    for epsilon in (TINY, GRID[0]):
        over.append(bounds.theorem_1(N_ARMS, HORIZON, epsilon, "table") * epsilon * math.exp(epsilon) / entry)
    return claim.holds(near(over, 1.0, 0.01), over[1], ratio=over[1], epsilon=GRID[0])


@rules("own-order")
def _own_order(study: Study, claim: Claim) -> Ruling:
    """What every locally private algorithm loses against what a private one achieves."""
    ratio = replacements.local_minimax(N_ARMS, FAR, _SMALL) / discussion.dp_se_minimax(N_ARMS, FAR, _SMALL)
    return claim.holds(ratio > 1, ratio, ratio=ratio, epsilon=_SMALL)


@rules("discussion-ratio")
def _ratio(study: Study, claim: Claim) -> Ruling:
    ratios = discussion.small_epsilon(GRID)
    ends = (ratios.iloc[[0, 1]], "claimed_small"), (ratios.iloc[[-2, -1]], "claimed_large")
    over = [rows["local_over_instantaneous"] / rows[claimed] for rows, claimed in ends]
    held = all(near(one, one.iloc[0], 0.1) for one in over)  # Table 1 drops constants
    large = ratios.iloc[-1]
    return claim.holds(held, large["local_over_instantaneous"], before=ratios.iloc[-2], large=large)
