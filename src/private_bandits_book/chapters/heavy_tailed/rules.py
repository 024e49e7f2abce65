"""The rules that judge the claims of Tao et al. (2022), a function for each.

What is claimed of every algorithm, a lower bound, is decided by the bounds with constants that are proved here. So is
an upper bound on LDP Robust SE, for which the talk shows no algorithm: a lower bound on every local algorithm can
refute it, and no algorithm of ours can reproduce it. An order is followed far along each axis, where the slope of its
ratio to a proved bound decides. An upper bound is followed only where it is below uniform play, and a lower bound at a
horizon where it is proportional to ln T.
"""

import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product

from private_bandits.papers.heavy_tailed import bounds
from private_bandits_book.chapters.heavy_tailed import lemmas
from private_bandits_book.chapters.heavy_tailed.lemmas import slopes
from private_bandits_book.judging import Holds, Privacy, Ruling, after_repair, all_of
from private_bandits_book.judging.verdicts import DERIVED

VS = (0.5, 0.9)  # of the talk
N_ARMS = 5
LEVEL = 0.02  # slope of a ratio, in exponents of an axis, that logarithms of logarithms and doubling epochs account for
_LARGEST_CENTRAL, _LARGEST_LOCAL = 1.0 / 13.0, 0.199  # inside the gaps (0, 1/12) and (0, 1/5) of the lower bounds
_FAR, _HORIZON = (10**140, 10**280), 10**280  # where logarithms count for little and no bound is vacuous
_EPSILONS, _ARMS, _MOMENTS = (1.0, 1e-2, 1e-4), (5, 5000, 5_000_000), (1.0, 1e3, 1e6)
_LEAST_MASS = 1e-120  # of the two-point law, whose square must be a number above 0
_ZEROS = [0.0] * (N_ARMS - 1)  # means of the arms that never pay
_PROVED = Holds(DERIVED)
_Bound = Callable[..., float]


# --- privacy, by an accounting of the noise


def privacy_dp_robust_se(loss: float, epsilon: float) -> Ruling:
    """The privacy loss of everything that is released."""
    return Privacy(epsilon)(loss)


privacy_dp_robust_ucb = privacy_ldp_robust_se = privacy_dp_robust_se


# --- upper bounds


def theorem_dp_robust_ucb() -> Ruling:
    """(2): the radius covers the errors, and the bound with its constants has the printed order."""
    share = lemmas.radius_share()
    said = f"from T = 200 on bias, sampling and tree noise take at most {share:.2g} of the radius"
    covers = _PROVED(share <= 1.0, said, share)
    return all_of(covers, *(_dependent(bounds.dp_robust_ucb_upper, v, (1e-1, 1e-3), 1e-3, "printed") for v in VS))


def theorem_dp_upper_dependent() -> Ruling:
    """The first part with its printed exponent of u against a bound on every private algorithm, and with u^(1/v)."""

    def ratio(u: float, v: float) -> float:
        lower = bounds.dp_lower(n_arms=N_ARMS, gap=0.01, epsilon=0.05, v=v, horizon=_HORIZON, u=u, variant="corrected")
        return lower / bounds.dp_upper(means=[0.01, *_ZEROS], epsilon=0.05, v=v, u=u, horizon=_HORIZON)

    return after_repair(_contradicted(ratio, "u", lambda v: _MOMENTS), _each(_central_upper))


def theorem_dp_upper_independent() -> Ruling:
    """The second part with its printed exponent of u against such a lower bound, and with u^(1/(1+v))."""

    def ratio(u: float, v: float) -> float:
        lower = bounds.dp_lower_independent(n_arms=N_ARMS, epsilon=0.05, v=v, horizon=_HORIZON, u=u)
        return lower / bounds.dp_upper_independent(n_arms=N_ARMS, epsilon=0.05, v=v, u=u, horizon=_HORIZON)

    return after_repair(_contradicted(ratio, "u", lambda v: _MOMENTS), _each(_central_upper_independent))


def theorem_ldp_upper_dependent() -> Ruling:
    """(4) at u = 1: no constant saves it if the lower bound on every local algorithm outgrows it."""

    def ratio(gap: float, v: float) -> float:
        lower = bounds.ldp_lower(n_arms=N_ARMS, gap=gap, epsilon=1.0, v=v, horizon=_HORIZON, variant="corrected")
        return lower / bounds.ldp_upper(means=[gap, *_ZEROS], epsilon=1.0, v=v, u=1.0, horizon=_HORIZON)

    return _contradicted(ratio, "(1/gap)", partial(_gaps, _LARGEST_LOCAL))


def theorem_ldp_upper_independent() -> Ruling:
    """(5) at u = 1, likewise."""

    def ratio(horizon: int, v: float) -> float:
        lower = bounds.ldp_lower_independent(n_arms=N_ARMS, epsilon=1.0, v=v, horizon=horizon, variant="corrected")
        return lower / bounds.ldp_upper_independent(n_arms=N_ARMS, epsilon=1.0, v=v, u=1.0, horizon=horizon)

    return _contradicted(ratio, "T", lambda v: _FAR)


def table_heavytailed_dependent_dp_upper() -> Ruling:
    """At u = 1, as the table names no u."""
    return _each(partial(_central_upper, moments=(1.0,)))


def table_heavytailed_independent_dp_upper() -> Ruling:
    """At u = 1."""
    return _each(partial(_central_upper_independent, moments=(1.0,)))


def own_local_upper_dependent() -> Ruling:
    """The bound of our local algorithm, epoch by epoch, over its order, at gaps up to 1."""
    return _each(lambda v: _dependent(bounds.ldp_upper, v, (2.0**-10, 2.0**-30), 1e-4, "rate"))


def own_local_upper_independent() -> Ruling:
    """And at the worst gaps."""

    def claimed(v: float, arms: int, epsilon: float, horizon: int) -> float:
        return horizon * (arms * math.log(horizon) / (epsilon**2 * horizon)) ** (v / (2.0 + 2.0 * v))

    return _each(lambda v: _independent(bounds.ldp_upper_independent, v, partial(claimed, v)))


def own_optimal_index() -> Ruling:
    """The proved bound of the doubling episodes over the order of DP Robust SE, as T grows, of two arms."""

    def bound(horizon: int, gap: float, epsilon: float, u: float, v: float, variant: str) -> float:
        if variant == "printed":
            return u ** (1.0 / v) * math.log(horizon) / epsilon * gap ** (-1.0 / v)
        return lemmas.episodes_upper(gap, epsilon, v, u, horizon)

    axes = _FAR, (2.0**-10, 2.0**-30), (1.0, 1e-4), (1.0, 1e4)
    return _each(lambda v: _upper(partial(bound, v=v), _two_arms, "T, 1/gap, 1/epsilon, u", *axes))


def _central_upper(v: float, moments: Sequence[float] = (1.0, 1e4)) -> Ruling:
    return _dependent(bounds.dp_upper, v, (2.0**-10, 2.0**-30), 1e-4, "rate", moments)


def _central_upper_independent(v: float, moments: Sequence[float] = (1.0, 1e12)) -> Ruling:
    own = bounds.dp_upper_independent
    return _independent(
        own, v, lambda arms, epsilon, horizon: own(n_arms=arms, v=v, u=1.0, epsilon=epsilon, horizon=horizon), moments
    )


# --- lower bounds


def theorem_dp_lower() -> Ruling:
    """(3): our bound over the printed one, a quarter of it for algorithms of regret up to T^(3/4)."""

    def one(v: float) -> Ruling:
        bound = _dependent_lower(bounds.dp_lower, v)
        return _lower(bound, f"v={v:g}", _gaps(_LARGEST_CENTRAL, v), _EPSILONS, part=0.25)

    return _each(one)


def theorem_ldp_lower_dependent() -> Ruling:
    """The talk's instance-dependent lower bound for local algorithms."""

    def one(v: float) -> Ruling:
        bound = _dependent_lower(bounds.ldp_lower, v)
        return _lower(bound, f"v={v:g}", _gaps(_LARGEST_LOCAL, v), _EPSILONS)

    return _each(one)


def theorem_ldp_lower_independent() -> Ruling:
    """The instance-independent one, for T of 100 K / epsilon^2 and more ("T large enough")."""

    def one(v: float) -> Ruling:
        def bound(arms: int, epsilon: float, horizon: int, variant: str) -> float:
            return bounds.ldp_lower_independent(n_arms=arms, v=v, epsilon=epsilon, horizon=horizon, variant=variant)

        return _lower(_long(bound), f"v={v:g}", (1e2, 1e6, 1e12), _ARMS, _EPSILONS)

    return _each(one)


def discussion_non_private_rate() -> Ruling:
    """The rate without privacy: above a lower bound and below that of robust UCB, both up to constants."""

    def one(v: float) -> Ruling:
        def bound(gap: float, variant: str) -> float:
            return bounds.robust_ucb_upper(means=[gap, 0.0], v=v, u=1.0, horizon=_HORIZON, variant=variant)

        gaps = _gaps(_LARGEST_CENTRAL, v)
        rising = max(slopes(_over(bound), gaps))
        falling = min(slopes(lambda gap: lemmas.plain_lower(2, gap, v, _HORIZON) / bound(gap, "printed"), gaps))
        holds = True if rising <= LEVEL and falling >= -LEVEL else None
        return _PROVED(holds, f"v={v:g}: a lower and an upper bound within constants of it in 1/gap")

    return _each(one)


table_heavytailed_dependent_dp_lower = theorem_dp_lower
table_heavytailed_dependent_ldp_lower = theorem_ldp_lower_dependent
table_heavytailed_independent_ldp_lower = theorem_ldp_lower_independent


# --- rewards in [0, 1]


def table_bounded_dependent_dp_upper() -> Ruling:
    """The bound of DP-SE over K ln T/epsilon + sum of ln T/gap, all gaps alike."""
    return _bounded_upper(lemmas.dp_se_upper)


def discussion_bounded_ucb() -> Ruling:
    """The bound of AdaP-UCB over the same; that the order is optimal is the row that it rests on."""
    return _bounded_upper(lemmas.adap_ucb_upper)


def _bounded_upper(proved: _Bound) -> Ruling:
    def bound(horizon: int, gap: float, epsilon: float, arms: int, variant: str) -> float:
        if variant == "corrected":
            return proved(arms, gap, epsilon, horizon)
        return math.log(horizon) * (arms / epsilon + (arms - 1) / gap)

    axes = _FAR, (2.0**-10, 2.0**-30), (1.0, 1e-16), (5, 5 * 10**6)
    return _upper(bound, _all_arms, "T, 1/gap, 1/epsilon, K", *axes)


def table_bounded_dependent_ldp_upper() -> Ruling:
    """The bound of LDP-UCB-B over the sum of ln T/(epsilon^2 gap)."""

    def bound(horizon: int, gap: float, epsilon: float, arms: int, variant: str) -> float:
        if variant == "corrected":
            return lemmas.ldp_ucb_upper(arms, gap, epsilon, horizon)
        return math.log(horizon) * (arms - 1) / (epsilon**2 * gap)

    axes = _FAR, (2.0**-10, 2.0**-30), (1.0, 1e-16), (5, 5 * 10**6)
    return _upper(bound, _all_arms, "T, 1/gap, 1/epsilon, K", *axes)


def table_bounded_independent_dp_upper() -> Ruling:
    """The bound of DP-SE at the worst gaps over sqrt(K T ln T) + K ln T/epsilon."""

    def bound(horizon: int, arms: int, epsilon: float, variant: str) -> float:
        if variant == "corrected":
            return lemmas.dp_se_upper_independent(arms, epsilon, horizon)
        return math.sqrt(arms * horizon * math.log(horizon)) + arms * math.log(horizon) / epsilon

    return _upper(bound, _largest, "T, K, 1/epsilon", _FAR, (5, 5 * 10**12), (1.0, 1e-60))


def table_bounded_independent_ldp_upper() -> Ruling:
    """The bound of LDP-UCB-B at the worst gaps over sqrt(K T ln T)/epsilon."""

    def bound(horizon: int, arms: int, epsilon: float, variant: str) -> float:
        if variant == "corrected":
            return lemmas.ldp_ucb_upper_independent(arms, epsilon, horizon)
        return math.sqrt(arms * horizon * math.log(horizon)) / epsilon

    return _upper(bound, _largest, "T, K, 1/epsilon", _FAR, (5, 5 * 10**12), (1.0, 1e-16))


def table_bounded_dependent_dp_lower() -> Ruling:
    """By two Bernoulli laws."""
    bound = partial(lemmas.bounded_lower, N_ARMS, horizon=_HORIZON, local=False)
    return _lower(bound, "", (0.25, 1e-3, 1e-6), (1.0, 1e-8, 1e-16))


def table_bounded_dependent_ldp_lower() -> Ruling:
    """By two Bernoulli laws."""
    bound = partial(lemmas.bounded_lower, N_ARMS, horizon=_HORIZON, local=True)
    return _lower(bound, "", (0.25, 1e-3, 1e-6), _EPSILONS)


def table_bounded_independent_dp_lower() -> Ruling:
    """Where the root of T is the larger term, and where K ln T/epsilon is."""

    def private(arms: int, epsilon: float, variant: str) -> float:
        horizon = math.ceil((arms / epsilon) ** 1.5)
        return lemmas.bounded_lower_independent(arms, epsilon, horizon, local=False, variant=variant)

    return all_of(_lower(private, "T = (K/epsilon)^1.5", _ARMS, (1e-8, 1e-16, 1e-32)), _root(local=False))


def table_bounded_independent_ldp_lower() -> Ruling:
    """At long horizons."""
    return _root(local=True)


def _root(*, local: bool) -> Ruling:
    bound = partial(lemmas.bounded_lower_independent, local=local)
    return _lower(_long(bound), "T epsilon^2/K from 1e6", (1e6, 1e20, 1e40), _ARMS, _EPSILONS)


# --- how far a ratio is followed


def _each(rule: Callable[[float], Ruling]) -> Ruling:
    return all_of(*map(rule, VS))


def _over(bound: _Bound) -> _Bound:
    """The ratio of a bound with its constants to one without."""
    return lambda *at: bound(*at, variant="corrected") / bound(*at, variant="printed")


def _long(bound: _Bound) -> _Bound:
    """A bound at horizons of a multiple of K / epsilon^2, which stands instead of the horizon."""

    def at(scale: float, arms: int, epsilon: float, variant: str) -> float:
        return bound(arms, epsilon, horizon=math.ceil(scale * arms / epsilon**2), variant=variant)

    return at


def _largest(horizon: int, *_: float) -> float:
    """Regret of uniform play of two arms at gaps of 1/2, or less."""
    return horizon / 4.0


def _two_arms(horizon: int, gap: float, *_: float) -> float:
    """Regret of uniform play of two arms."""
    return horizon * gap / 2.0


def _all_arms(horizon: int, gap: float, _: float, arms: int) -> float:
    return horizon * gap * (arms - 1) / arms


def _lower(bound: _Bound, where: str, *axes: Sequence[float], part: float = 1.0) -> Ruling:
    """Shown where (a part of) the ratio to the claim falls on no axis; a bound that falls short refutes nothing."""
    ratio = _over(bound)
    least = part * min(ratio(*at) for at in product(*axes))
    numbers = f"our bound is at least {least:.2g} of the claimed one, and the ratio falls on no axis"
    holds = True if min(slopes(ratio, *axes)) >= -LEVEL else None
    return _PROVED(holds, f"{where}: {numbers}" if where else numbers, least)


def _upper(bound: _Bound, uniform: _Bound, named: str, *axes: Sequence[float]) -> Ruling:
    """Shown where our bound outgrows the claim on no axis; one that does refutes nothing, nor a vacuous one."""
    informs = all(bound(*at, variant="corrected") < uniform(*at) for at in product(*axes))
    holds = True if informs and max(slopes(_over(bound), *axes)) <= LEVEL else None
    return _PROVED(holds, f"our bound is within a constant of it in {named}")


def _dependent_lower(of: _Bound, v: float) -> _Bound:
    """A lower bound in the gap and epsilon, at the rules' horizon."""

    def bound(gap: float, epsilon: float, variant: str) -> float:
        return of(n_arms=N_ARMS, gap=gap, v=v, epsilon=epsilon, horizon=_HORIZON, variant=variant)

    return bound


def _dependent(
    of: _Bound,
    v: float,
    gaps: tuple[float, float],
    least: float,
    claimed: str,
    moments: Sequence[float] = (1.0, 1e4),
) -> Ruling:
    """Of two arms: the bound with constants over the claimed variant, in T, 1/gap, 1/epsilon to `least`, and u."""

    def bound(horizon: int, gap: float, epsilon: float, u: float, variant: str) -> float:
        asked = claimed if variant == "printed" else variant
        return of(means=[gap, 0.0], v=v, u=u, epsilon=epsilon, horizon=horizon, variant=asked)

    return _upper(bound, _two_arms, f"T, 1/gap, 1/epsilon{_in_u(moments)}", _FAR, gaps, (1.0, least), moments)


def _independent(of: _Bound, v: float, claimed: _Bound, moments: Sequence[float] = (1.0, 1e12)) -> Ruling:
    """At the worst gaps: the bound with constants over u^(1/(1+v)) times what is claimed of rewards with u = 1."""

    def bound(horizon: int, arms: int, epsilon: float, u: float, variant: str) -> float:
        if variant == "corrected":
            return of(n_arms=arms, v=v, u=u, epsilon=epsilon, horizon=horizon, variant=variant)
        return u ** (1.0 / (1.0 + v)) * claimed(arms, epsilon, horizon)

    return _upper(bound, _largest, f"T, K, 1/epsilon{_in_u(moments)}", _FAR, (5, 5 * 10**12), (1.0, 1e-12), moments)


def _in_u(moments: Sequence[float]) -> str:
    return ", u" if len(moments) > 1 else ", at u = 1"


def _contradicted(ratio: _Bound, axis: str, values: Callable[[float], Sequence[float]]) -> Ruling:
    """Refuted by a slope above `LEVEL`; a lower bound that does not outgrow a claim reproduces nothing."""

    def one(v: float) -> Ruling:
        slope = max(slopes(lambda at: ratio(at, v), values(v)))
        said = f"v={v:g}: a lower bound on every algorithm grows faster, by {axis}^{slope:.3g}"
        return _PROVED(False if slope > LEVEL else None, said, slope)

    return _each(one)


def _gaps(largest: float, v: float) -> tuple[float, float, float]:
    """Gaps down to 1e-9, or to where the least mass is one that a double can square."""
    least = max(1e-9, _LEAST_MASS ** (v / (1.0 + v)))
    return largest, math.sqrt(largest * least), least
