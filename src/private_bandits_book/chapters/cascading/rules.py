"""The rules that judge the claims of Wang et al. (2021), a function for each: of what was measured or computed.

A panel is judged by its curves as published; whether its label is the privacy of its noise is a claim of its own. Our
algorithms ask for one bit about one item, which is another mechanism, or other feedback: they are contributions of this
book and lend no claim of the paper a verdict. Where a proof settles a regret, the bound that it gives is computed, and
its exponents are compared with the claimed ones.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from private_bandits.estimates import Interval, ratio_interval
from private_bandits.mechanisms import gaussian_epsilon, gaussian_sigma
from private_bandits.papers.cascading import b_lb, b_lb_semi, bounds, repaired_local, ucb_hybrid
from private_bandits.papers.cascading.instances import length_channel
from private_bandits.privacy import channel_loss
from private_bandits.problems import Cascade
from private_bandits_book.chapters.cascading import lemmas
from private_bandits_book.judging import (
    Holds,
    Less,
    Privacy,
    Ruling,
    after_repair,
    all_of,
    compared,
    falling,
    less,
    minus,
    order,
    pick,
)
from private_bandits_book.judging.rulings import condemning
from private_bandits_book.judging.verdicts import DERIVED, EXACT, MEASURED

_Bound = Callable[[int, int, float, float], float]
_PLAIN = {"paper": "kveton2015", "variant": "printed"}
_LAPLACE = {"algorithm": "Algorithm 2", "variant": "published"}
_GAUSSIAN = {"algorithm": "Algorithm 3", "variant": "published"}
_CUCB = {"algorithm": "Algorithm 4", "epsilon": math.inf}
_DELTA, _XI = 1e-3, 0.5
_NEAR = 0.25  # a quarter of the distance to the next power: how far a computed power may be off
_COMPARABLE, _FROM = 1.5, 1.0  # regret over the non-private one that we call comparable, and from which epsilon on
_PROVED, _EXACT = Holds(DERIVED), Holds(EXACT)


# --- lemmas


def lemma_1() -> Ruling:
    """How often the noise of a hybrid counter leaves the printed bound, and one from the scales of its nodes."""
    gamma, counters = 0.01, ucb_hybrid(1.0, n_arms=20, horizon=1000)
    first, later, own = lemmas.hybrid_coverage(gamma=gamma)
    stands = None if first.low <= gamma < first.high else first.high <= gamma
    said = f"fails with frequency {first.measured:.3g} at n = 1, where the bound is 0, and {later:.3g} later"
    repaired = Less("failures of a bound from the counter's nodes", f"{gamma:g}")
    found = repaired(own.through(lambda end: end - gamma))
    return after_repair(Holds(MEASURED)(stands, said, first).of(counters), found.of(counters))


def theorem_1(hidden: float | None) -> Ruling:
    """The least delta of Algorithm 1: 1 less the chance that its lists hide what the numbers of reports tell."""
    if hidden is None:
        return _EXACT(None, "", hidden)
    said = f"the numbers of reports tell a reply: private at no epsilon unless delta is at least 1 - {hidden:.0e}"
    return _EXACT(False if hidden < 1.0 else None, said, 1.0 - hidden)


def lemma_3() -> Ruling:
    """The exact privacy of the classical sigma, and of the analytic one."""
    ratio, epsilon, until = lemmas.classical_gaussian_excess([0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0], _DELTA)
    analytic = (
        gaussian_epsilon(gaussian_sigma(epsilon, delta=_DELTA, sensitivity=1.0), delta=_DELTA, sensitivity=1.0)
        / epsilon
    )
    said = f"at epsilon = {epsilon:g} the privacy loss is {ratio:.3g} times that; it is smaller only up to {until:.3g}"
    again = f"with the analytic sigma it is {analytic:.6g} times epsilon"
    return after_repair(_EXACT(ratio <= 1.0, said, ratio), _EXACT(analytic <= 1 + 1e-9, again, analytic))


def lemma_4() -> Ruling:
    """Both inequalities on every list."""
    slack = lemmas.decomposition_slack(Cascade(np.array([0.6, 0.45, 0.3, 0.2, 0.05]), 3))
    below, above = (abs(round(one, 12)) for one in slack)
    said = f"smallest slack over all lists of 3 of 5 items, to 12 digits: {below:g} below, {above:g} above"
    return _EXACT(min(slack) >= -1e-12, said)


def lemma_5() -> Ruling:
    """Exact tails of sums of Laplace variables."""
    return _at_most_one(lemmas.laplace_tail_ratio(), "largest exact tail over the bound on a grid")


def lemma_6() -> Ruling:
    """Exact tails of means of Gaussians."""
    return _at_most_one(lemmas.gaussian_tail_ratio(), "largest exact tail over the bound on a grid")


def theorem_7() -> Ruling:
    """The exact composition, as the theorem is stated: each query has a delta of its own."""
    ratio = lemmas.theorem_7_excess([1, 2, 4, 8, 16], [0.1, 0.2, 0.5, 0.9], [1e-2, 1e-3, 1e-6])
    return _at_most_one(ratio, "largest exact delta over the promised one on a grid")


def _at_most_one(ratio: float, what: str) -> Ruling:
    return _EXACT(ratio <= 1.0, f"{what}: {ratio:.3g}", ratio)


# --- privacy


def theorem_3(loss: float, epsilon: float, delta: float = 0.0) -> Ruling:
    """The exact loss, at this delta, of all that a user sends: how many numbers, and the numbers."""
    return Privacy(epsilon, delta)(loss)


def theorem_9(printed: float, repaired: float, epsilon: float, delta: float) -> Ruling:
    """The losses of Algorithm 4, by accounting, as printed and repaired."""
    stated = Privacy(epsilon, delta)
    return after_repair(stated(printed), stated(repaired))


def experiments_privacy(runs: pd.DataFrame) -> Ruling:
    """The published curve whose noise is worst for its label; they leak what they count besides."""
    rows = runs[runs["variant"].isin(["published", "printed, published"]) & np.isfinite(runs["epsilon"])]
    worst = rows.iloc[np.argmax((rows["value_epsilon"] / rows["epsilon"]).to_numpy(float))]
    said = f"{worst['policy']} at nominal epsilon {worst['epsilon']:g}: the noise on the values has the privacy loss "
    holds = bool(worst["value_epsilon"] <= worst["epsilon"] * (1 + 1e-9))
    return _EXACT(holds, f"{said}{worst['value_epsilon']:.4g}", worst["value_epsilon"])


theorem_5 = theorem_8_privacy = own_local_privacy = own_central_privacy = theorem_3


# --- regret, where a proof settles it


def theorem_2() -> Ruling:
    """What the bonus forces with ln^1.5 of the horizon, as printed, and what is proved with that of the pulls."""
    return _growth(4)


def universality() -> Ruling:
    """Theorem 2 for lists of one item, whose pulls are public."""
    loss = channel_loss(length_channel(1))
    return all_of(_growth(1), _PROVED(loss == 0.0, f"pulls are public: privacy loss {loss:g}", loss))


def _growth(size: int) -> Ruling:
    printed, proved = lemmas.hybrid_exponents(size)
    said = f"with ln^1.5 of the horizon in its bonus an item is observed of order ln^{printed:.3g} T times"
    again = "with ln^1.5 of the pulls, as in its proof, we prove the exponents "
    again += f"{proved[0]:.2f} of ln T, {proved[1]:.2f} of 1/epsilon, {proved[2]:.2f} of 1/gap"
    most = np.array([1.0 + _XI, 1.0 + _XI, 1.0 + _NEAR])
    return after_repair(
        _PROVED(printed < 1.0 + _XI, said, printed), _PROVED(bool(np.all(np.array(proved) < most)), again, proved[0])
    )


def theorem_4() -> Ruling:
    """Without forced exploration no bound in ln T; with it the claimed order."""
    return _laplace(
        4.0, lambda k, t, e, _: bounds.theorem_4(problem=_items(k), horizon=t, epsilon=e, variant="corrected"), 2.0, 0.0
    )


def theorem_8_regret() -> Ruling:
    """As for Theorem 4, at the smaller scale."""
    scale = math.sqrt(16.0 * math.log(math.e + 1.0 / _DELTA))
    return _laplace(
        scale, lambda k, t, e, delta: bounds.theorem_8(problem=_items(k), horizon=t, epsilon=e, delta=delta), 1.0, 1.0
    )


def theorem_6() -> Ruling:
    """What is proved of the printed algorithm."""
    return _order(
        lambda k, t, e, delta: bounds.theorem_6(
            problem=_items(k), horizon=t, epsilon=e, delta=delta, variant="corrected"
        ),
        1.0,
        1.0,
    )


def theorem_10() -> Ruling:
    """What is proved of the printed algorithm, over m Delta_max, where Delta_min is proportional to B_infinity."""

    def over(size: int, t: int, epsilon: float, delta: float) -> float:
        gap = 0.9 / 1024 * size  # top-K has f(x) = K x
        return bounds.theorem_10(
            problem=b_lb_semi(2 * size, size, 0.95, gap), horizon=t, epsilon=epsilon, delta=delta, variant="corrected"
        ) / (size**2 * gap)

    return _order(over, 1.0, 1.0, "at a fixed Delta_min/B_infinity ")


def _laplace(scale: float, bound: _Bound, size: float, error: float) -> Ruling:
    hidden = lemmas.hidden_item_power(scale)
    said = "a first noise may hide a best item: regret is at least of order T exp(-c sqrt(ln T))"
    forced = _order(bound, size, error, "with 3 ln t reports forced ")
    return after_repair(_PROVED(hidden < 1.0 + _NEAR, said, hidden), forced)


def _order(bound: _Bound, size: float, error: float, where: str = "") -> Ruling:
    """Judge the exponents of what is proved, 1 of ln T and 2 of 1/epsilon; the number is that of K."""
    found = lemmas.exponents(bound)
    names = ("ln T", "K", "1/epsilon", "ln(1/delta)")
    said = f"{where}we prove the exponents " + ", ".join(f"{a:.2g} of {b}" for a, b in zip(found, names, strict=True))
    return _PROVED(all(np.subtract(found, (1.0, size, 2.0, error)) < _NEAR), said, found.size)


def _items(size: int, p: float = 0.5, gap: float = 0.1) -> Cascade:
    return b_lb(size + 16, size, p, gap)


def theorem_11() -> Ruling:
    """The printed value over what is proved of algorithms that are consistent where several lists are best, too."""
    ratio = lemmas.theorem_11_over_proved()
    return _PROVED(ratio <= 1.0 + 1e-9, f"the printed value is at most {ratio:.3g} times what we prove", ratio)


def theorem_11_remark() -> Ruling:
    """At p = 1/K what is proved over (L - K) ln T/(gap epsilon^2), whatever K, at small epsilon."""
    least, falls = lemmas.theorem_11_at_one_over_k()
    said = f"what we prove is at least {least:.2g} times it, with the exponent {falls:.2g} of K; "
    said += "(1-p)^(K-1) is at least 1/e there"
    return _PROVED(True if falls > -_NEAR else None, said, least)


def theorem_12() -> Ruling:
    """The print against an algorithm that exists, uniformly in p; and with Kveton's divergence."""
    grows, ratio = lemmas.theorem_12_over_proved()
    said = f"at K = 1 and gap = p/2 it exceeds the regret of DP-KLUCB by a factor with the exponent {grows:.2f} of 1/p"
    again = f"with gap/d(p - gap || p) instead of 1/gap it is at most {ratio:.3g} times what we prove"
    return after_repair(_PROVED(grows < _NEAR, said, grows), _PROVED(ratio <= 2.0 + 1e-9, again, ratio))


def matching_ldp() -> Ruling:
    """Theorem 6, whose K is the least, over the strongest lower bound, at p = 1/K and gap = p/2."""

    def over(size: int, t: int, epsilon: float, delta: float) -> float:
        p = 1.0 / size  # of the corrected Theorem 11 by total variation, without its L - K = 16
        lower = 16 * (1.0 - p) ** (size - 1) * math.log(t) / (math.expm1(epsilon) ** 2 * p / 2.0)
        return bounds.theorem_6(problem=_items(size, p, p / 2.0), horizon=t, epsilon=epsilon, delta=delta) / lower

    found = lemmas.exponents(over)
    said = f"Theorem 6 over the lower bound has the exponents {found.log_t:.2f} of ln T and {abs(found.noise):.2f} of "
    said += f"1/epsilon, but {found.size:.2f} of K, besides ln(1/delta)"
    return _PROVED(max(found[:3]) < _NEAR, said, found.size)


def k_squared() -> Ruling:
    """How far two replies are apart: in the clicks that the sentence names, and in all that must be hidden."""
    clicks, both = lemmas.reply_exponents()
    said = f"a cascade has one click, so two replies differ by 2 in L1, with the exponent {clicks:.3g} of K"
    again = f"hiding the examinations too takes K + 1, with the exponent {both:.3g}"
    needed = 1.0 - _NEAR
    return after_repair(_EXACT(clicks > needed, said, clicks), _EXACT(both > needed, again, both))


# --- the panels, as published


def figure_1e(runs: pd.DataFrame) -> Ruling:
    """Regret falls from the first epsilon to the middle and to the last, and soon comes near the non-private one."""
    parts, plain = [], pick(runs, **_PLAIN)
    for name, facts in (("Laplace", _LAPLACE), ("Gaussian", _GAUSSIAN)):
        known = runs[np.all([runs[each] == value for each, value in facts.items()], axis=0)]["epsilon"]
        epsilons = sorted(known[np.isfinite(known)].unique())
        ends = [*epsilons[:1], *epsilons[len(epsilons) // 2 :][:1], *epsilons[-1:]]
        soon = [epsilon for epsilon in epsilons if epsilon >= _FROM][:1]
        comes = Less(f"{name} over the non-private one from epsilon {_FROM:g} on", f"{_COMPARABLE:g}")
        parts += [falling(runs, facts, epsilon=ends)]
        parts += [compared(comes, _excess, pick(runs, **facts, epsilon=e), plain) for e in soon] or [comes(None)]
    return all_of(*parts)


def figure_1h(both: pd.DataFrame, epsilon: float) -> Ruling:
    """Algorithm 4 at this epsilon against CUCB; and at the larger epsilon against the smaller."""
    runs = both.drop_duplicates(["policy", "variant", "epsilon", "replication", "t"])  # CUCB stands in both panels
    private = {"algorithm": "Algorithm 4", "variant": "printed, published"}
    known = runs[np.all([runs[each] == value for each, value in private.items()], axis=0)]["epsilon"]
    here = less(runs, _CUCB, private | {"epsilon": epsilon})
    return all_of(here, falling(runs, private, epsilon=sorted(known.unique())))


def figure_2b(runs: pd.DataFrame, before: pd.DataFrame) -> Ruling:
    """The order of a panel, and its gap, as a factor, against that of the panel before it."""
    gaps = [pick(each, **facts) for each in (before, runs) for facts in (_LAPLACE, _GAUSSIAN)]
    grows = Less("the logarithm of Laplace over Gaussian in the panel before", "in this one")
    return all_of(order(runs, _PLAIN, _GAUSSIAN, _LAPLACE), _apart(grows, _factor, *gaps))


figure_1i = figure_1h
figure_2c = figure_2d = figure_2b


def _apart(rule: Less, apart: Callable[..., Interval], *runs: pd.DataFrame) -> Ruling:
    """Judge how far Laplace is from Gaussian at one K against the next."""
    return compared(rule, lambda *ends: minus(apart(*ends[:2]), apart(*ends[2:])), *runs)


def _factor(laplace: np.ndarray, gaussian: np.ndarray) -> Interval:
    return ratio_interval(laplace, gaussian).through(math.log)


def _excess(private: np.ndarray, plain: np.ndarray) -> Interval:
    return ratio_interval(private, plain).through(lambda end: end - _COMPARABLE)


# --- what this book adds


def own_kappa(fits: Sequence[tuple[Interval, float]]) -> Ruling:
    """The exponent of K in the regret of one bit over the lower bound, against that of kappa, at each p."""

    def one(fit: Interval, kappa_power: float) -> Ruling:
        slower = True if fit.high < kappa_power else False if condemning(fit).low > kappa_power else None
        said = f"the ratio grows with the exponent {fit.measured:.2g} [{fit.low:.2g}, {fit.high:.2g}] of K, "
        found = Holds(MEASURED, excludes=("growth as kappa",))(slower, f"{said}kappa with {kappa_power:.2g}", fit)
        return found.of(repaired_local(1.0, list_size=4))

    return all_of(*(one(*fit) for fit in fits))
