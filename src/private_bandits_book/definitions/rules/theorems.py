"""The bounds: Theorems 1-4, Table 1. The corollaries and Table 2 rest on them."""

import math

from scipy.optimize import brentq
from scipy.special import lambertw

from private_bandits import checks
from private_bandits.papers.definitions import bounds, replacements
from private_bandits_book.definitions import discussion, entries
from private_bandits_book.definitions.rules.common import FAR, GRID, HORIZON, N_ARMS, SAME, TINY, rules
from private_bandits_book.definitions.study import LONG, Study
from private_bandits_book.ledger import Claim
from private_bandits_book.rules import Ruling


@rules("theorem-1")
def _theorem_1(study: Study, claim: Claim) -> Ruling:
    pairs = [(bounds.theorem_1(N_ARMS, HORIZON, e), replacements.local_minimax(N_ARMS, HORIZON, e)) for e in GRID]
    floor = replacements.minimax(N_ARMS, HORIZON)
    vacuous = min(e for e, (value, _) in zip(GRID, pairs, strict=True) if value <= floor)
    share = max(value / other for value, other in pairs)
    return claim.holds(all(value <= other for value, other in pairs), share, vacuous=vacuous)


@rules("theorem-2")
def _theorem_2(study: Study, claim: Claim) -> Ruling:
    """No c(a) > 0 serves every epsilon <= a/2: what DP-SE loses is of order sqrt(T) at every epsilon, as T grows."""
    largest = {e: _left_for_c(e) for e in (1e-2, 1e-3, 1e-4, 1e-5)}
    (first, most), *_, (last, least) = largest.items()
    real, _ = range_2(1.0)
    return claim.holds(least >= most / 10, least, first=first, most=most, last=last, least=least, far=FAR, real=real)


@rules("theorem-2-threshold")
def _threshold(study: Study, claim: Claim) -> Ruling:
    """A constant with which the statement at a = 1 is no more than the bound without privacy wherever h exists."""
    real, last = range_2(1.0)
    plain, at = replacements.minimax(N_ARMS, HORIZON), (real, *(e for e in GRID if real < e <= last))
    constant = min(plain / bounds.theorem_2(N_ARMS, HORIZON, e, a=1.0) for e in at)
    return claim.holds(constant > 0, constant, real=real, constant=constant)


@rules("corollary-2")
def _corollary_2(study: Study, claim: Claim) -> Ruling:
    """With c(epsilon) in the place of c(a), a function of epsilon makes it the bound without privacy."""
    plain, constants = replacements.minimax(N_ARMS, HORIZON), {e: math.sqrt(bounds.spurious_term(e)) / 27 for e in GRID}
    over = [bounds.theorem_2(N_ARMS, HORIZON, e, c=c) / plain for e, c in constants.items()]
    return claim.holds(max(over) <= 1 + SAME, max(over), epsilon=GRID[0], constant=constants[GRID[0]], most=max(over))


def range_2(a: float) -> tuple[float, float]:
    """The epsilons, at most a/2, at which the proof of Theorem 2 has a real gap.

    Parameters
    ----------
    a : float
        The level of the statement, in (0, 300].

    Returns
    -------
    (float, float)
        Smallest and largest; (nan, nan) if there is none.

    Raises
    ------
    ValueError
        If a is out of range.
    """
    offset = bounds.spurious_term(checks.real("a", a, above=0, at_most=300))
    if offset < 2.0:
        return math.nan, math.nan
    low, high = (float(-lambertw(-math.exp(1.0 - offset), k).real) for k in (0, -1))
    bottom = _level_of(low) if low > 0 else 0.0
    top = a / 2.0 if bounds.spurious_term(a / 2.0) <= high else _level_of(high)
    return (bottom, top) if bottom <= top else (math.nan, math.nan)


def _level_of(extra: float) -> float:
    """The epsilon at which `spurious_term` is `extra`."""
    target = math.log(extra)
    return math.exp(brentq(lambda log: math.log(bounds.spurious_term(math.exp(log))) - target, -230.0, 5.85))


def _left_for_c(epsilon: float) -> float:
    """What DP-SE at epsilon/2 achieves over the entry of Table 1, at a horizon at which epsilon adds nothing to it."""
    return discussion.dp_se_minimax(N_ARMS, FAR, epsilon / 2) / bounds.theorem_2(N_ARMS, FAR, epsilon, "table")


@rules("theorem-3")
def _theorem_3(study: Study, claim: Claim) -> Ruling:
    shares = {e: bounds.theorem_3(N_ARMS, HORIZON, e) / HORIZON for e in GRID}
    above, most = [e for e, share in shares.items() if share > 1], max(shares.values())
    return claim.holds(not above, most, above=max(above, default=0), most=most)


@rules("theorem-3-proof")
def _theorem_3_proof(study: Study, claim: Claim) -> Ruling:
    plain = replacements.minimax(N_ARMS, HORIZON)
    tiny, *line = (bounds.theorem_3(N_ARMS, HORIZON, e, "proof") / plain for e in (TINY, *GRID))
    return claim.holds(max(line) <= 1, max(line), most=max(line), tiny=tiny, epsilon=TINY)


@rules("theorem-4")
def _theorem_4(study: Study, claim: Claim) -> Ruling:
    four = [bounds.theorem_4(LONG.means, 3, e) / replacements.local_lower(LONG.means, 3, e) for e in GRID]
    return claim.holds(max(four) <= 1, max(four), most=max(four), least=min(four), epsilon=GRID[-1])


@rules("table-1")
def _table_1(study: Study, claim: Claim) -> Ruling:
    two = entries.table_2(LONG.means, HORIZON, GRID)
    wrong = two[~two["agrees"]]
    span = f"{wrong['low'].min():.2g} to {wrong['high'].max():.2g}" if len(wrong) else "one number"
    right, names = len(two) - len(wrong), ", ".join(wrong["result"]) or "none"
    at = [bounds.theorem_3(N_ARMS, HORIZON, e, "table", b=1.0) / bounds.theorem_3(N_ARMS, HORIZON, e) for e in GRID]
    spans = {"span": span, "one": f"{min(at):.2g} to {max(at):.2g}"}
    return claim.holds(wrong.empty, right, right=right, entries=len(two), wrong=names, **spans)
