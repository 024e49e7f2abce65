"""What bounds with constants say of orders without: which of the slides' bounds hold, and which cannot.

An order holds if some constant makes it a bound. Against a derived bound that comes down to a ratio that must not run
away: of a lower bound that is derived and one that is claimed, downwards; of an upper bound that is derived and one
that is claimed, upwards. And no upper bound holds whose ratio to a derived lower bound falls without end, as that lower
bound is one on every algorithm. So the ratio is followed far along each axis, and its slope there decides. An upper
bound is followed only where it is below uniform play, lower bounds on instances in the limit of long horizons, where
all of them are proportional to ln T. All of that is algebra: nothing is run.
"""

import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product

from private_bandits.papers.heavy_tailed import bounds
from private_bandits_book.heavy_tailed import bounded
from private_bandits_book.rules import Holds, Ruling, all_of
from private_bandits_book.verdicts import BY_CONSTRUCTION, DERIVED

N_ARMS = 5
LEVEL = 0.02  # slope of a ratio, in powers of an axis, that logarithms of logarithms and doubling epochs account for
_FLAT = 1e-3  # slope that rounding and terms of lower order account for
LARGEST_CENTRAL, LARGEST_LOCAL = 1.0 / 13.0, 0.199  # inside the gaps (0, 1/12) and (0, 1/5) of the lower bounds
_FAR = (10**140, 10**280)  # horizons at which logarithms count for little and no bound is vacuous
_EPSILONS = (1.0, 1e-2, 1e-4)
_ARMS = (5, 5000, 5_000_000)
_MOMENTS = (1.0, 1e3, 1e6)
_LEAST_MASS = 1e-120  # of the two-point law, whose square must be a number above 0
_HORIZON = 10**280  # of bounds that are proportional to ln T
_ZEROS = [0.0] * (N_ARMS - 1)  # means of the arms that never pay
_DERIVED = Holds(DERIVED)


def slopes(ratio: Callable[..., float], *axes: Sequence[float]) -> list[float]:
    """How a ratio moves far out on its axes, in powers of them.

    Slopes of ln(ratio) between the last two values of each axis of two or more, at every value of the others.
    """
    grid = product(*(range(len(axis)) for axis in axes))
    values = {places: ratio(*(axis[at] for axis, at in zip(axes, places, strict=True))) for places in grid}
    found = []
    for number, axis in enumerate(axes):
        for places, value in values.items():
            if len(axis) > 1 and places[number] == len(axis) - 1:
                before = (*places[:number], places[number] - 1, *places[number + 1 :])
                found.append(math.log(value / values[before]) / abs(math.log(axis[-1] / axis[-2])))
    return found


def central_lower(v: float) -> Ruling:
    """(3): the derived bound over the printed one, a quarter of it for algorithms of regret up to T^(3/4)."""
    bound = partial(bounds.dp_lower, N_ARMS, v=v, horizon=_HORIZON)
    return _lower(bound, f"v={v:g}", _gaps(LARGEST_CENTRAL, v), _EPSILONS, part=0.25)


def local_lower(v: float) -> Ruling:
    """The slides' instance-dependent LDP lower bound."""
    bound = partial(bounds.ldp_lower, N_ARMS, v=v, horizon=_HORIZON)
    return _lower(bound, f"v={v:g}", _gaps(LARGEST_LOCAL, v), _EPSILONS)


def local_lower_independent(v: float) -> Ruling:
    """The slides' instance-independent LDP lower bound, for T of K / epsilon^2 and more ("T large enough")."""
    bound = _long(partial(bounds.ldp_lower_independent, v=v))
    return _lower(bound, f"v={v:g}", (1e2, 1e6, 1e12), _ARMS, _EPSILONS)


def bounded_lower(*, local: bool = False) -> Ruling:
    """The instance-dependent lower bounds for rewards in [0, 1], by two Bernoulli laws."""
    bound = partial(bounded.bounded_lower, N_ARMS, horizon=_HORIZON, local=local)
    return _lower(bound, "", (0.25, 1e-3, 1e-6), _EPSILONS if local else (1.0, 1e-8, 1e-16))


def bounded_lower_independent(*, local: bool = False) -> Ruling:
    """The instance-independent ones where the root of T is the larger term; centrally also where K ln T/epsilon is."""
    bound = partial(bounded.bounded_lower_independent, local=local)

    def private(arms: int, epsilon: float, variant: str) -> float:
        return bound(arms, epsilon, horizon=math.ceil((arms / epsilon) ** 1.5), variant=variant)

    root = _lower(_long(bound), "T epsilon^2/K from 1e6", (1e6, 1e20, 1e40), _ARMS, _EPSILONS)
    return root if local else all_of(_lower(private, "T = (K/epsilon)^1.5", _ARMS, (1e-8, 1e-16, 1e-32)), root)


def _long(bound: Callable[..., float]) -> Callable[..., float]:
    """A bound at horizons of a multiple of K / epsilon^2, which stands in the place of the horizon."""

    def at(scale: float, arms: int, epsilon: float, variant: str) -> float:
        return bound(arms, epsilon, horizon=math.ceil(scale * arms / epsilon**2), variant=variant)

    return at


def bounded_upper() -> Ruling:
    """DP-SE's own bound over K ln T/epsilon + sum ln T/gap, all gaps alike."""

    def bound(horizon: int, gap: float, epsilon: float, arms: int, variant: str) -> float:
        if variant == "corrected":
            return bounded.dp_se_upper(arms, gap, epsilon, horizon)
        return math.log(horizon) * (arms / epsilon + (arms - 1) / gap)

    def uniform(horizon: int, gap: float, epsilon: float, arms: int) -> float:
        return horizon * gap * (arms - 1) / arms

    axes = _FAR, (2.0**-10, 2.0**-30), (1.0, 1e-16), (5, 5 * 10**6)
    return _upper(bound, uniform, "T, 1/gap, 1/epsilon, K", *axes)


def bounded_upper_independent() -> Ruling:
    """DP-SE's own bound at the worst gaps over sqrt(K T ln T) + K ln T/epsilon."""

    def bound(horizon: int, arms: int, epsilon: float, variant: str) -> float:
        if variant == "corrected":
            return bounded.dp_se_upper_independent(arms, epsilon, horizon)
        return math.sqrt(arms * horizon * math.log(horizon)) + arms * math.log(horizon) / epsilon

    axes = _FAR, (5, 5 * 10**12), (1.0, 1e-60)
    return _upper(bound, _largest, "T, K, 1/epsilon", *axes)


def local_upper(v: float) -> Ruling:
    """(4) against the derived lower bound on every local algorithm, at u = 1: no constant may save it."""

    def ratio(gap: float) -> float:
        lower = bounds.ldp_lower(N_ARMS, gap, 1.0, v, _HORIZON, variant="corrected")
        return lower / bounds.ldp_upper([gap, *_ZEROS], 1.0, v, 1.0, _HORIZON)

    return _contradicted(ratio, v, "(1/gap)", _gaps(LARGEST_LOCAL, v), " as T grows")


def local_upper_independent(v: float) -> Ruling:
    """(5) against the derived lower bound on every local algorithm, at u = 1."""

    def ratio(horizon: int) -> float:
        lower = bounds.ldp_lower_independent(N_ARMS, 1.0, v, horizon, variant="corrected")
        return lower / bounds.ldp_upper_independent(N_ARMS, 1.0, v, 1.0, horizon)

    return _contradicted(ratio, v, "T", _FAR)


def central_upper(v: float, moments: Sequence[float] = (1.0, 1e4)) -> Ruling:
    """The first part of the DP upper bound, with u^(1/v): the algorithm's own over it."""
    return _dependent(bounds.dp_upper, v, (2.0**-10, 2.0**-30), 1e-4, "rate", moments)


def central_upper_independent(v: float, moments: Sequence[float] = (1.0, 1e12)) -> Ruling:
    """The second part, with u^(1/(1+v)): the algorithm's own bound over it."""
    own = bounds.dp_upper_independent
    return _independent(own, v, lambda arms, epsilon, horizon: own(arms, epsilon, v, 1.0, horizon), moments)


def own_local_upper(v: float) -> Ruling:
    """Our local algorithm's own bound over u^(2/v) ln T/epsilon^2 sum gap^-(1+2/v)."""
    return _dependent(bounds.ldp_upper, v, (2.0**-10, 2.0**-30), 1e-4, "rate")


def own_local_upper_independent(v: float) -> Ruling:
    """And at the worst gaps over u^(1/(1+v)) (K ln T/epsilon^2)^(v/(2+2v)) T^((2+v)/(2+2v))."""

    def claimed(arms: int, epsilon: float, horizon: int) -> float:
        return horizon * (arms * math.log(horizon) / (epsilon**2 * horizon)) ** (v / (2.0 + 2.0 * v))

    return _independent(bounds.ldp_upper_independent, v, claimed)


def index_upper(v: float) -> Ruling:
    """(2): the bound of DP Robust UCB with its constants over the printed one."""
    return _dependent(bounds.dp_robust_ucb_upper, v, (1e-1, 1e-3), 1e-3, "printed")


def central_moment(v: float) -> Ruling:
    """The first part with its printed power of u, against the derived lower bound on every private algorithm."""

    def ratio(u: float) -> float:
        lower = bounds.dp_lower(N_ARMS, 0.01, 0.05, v, _HORIZON, u, "corrected")
        return lower / bounds.dp_upper([0.01, *_ZEROS], 0.05, v, u, _HORIZON)

    return _contradicted(ratio, v, "u", _MOMENTS, " as T grows")


def central_moment_independent(v: float) -> Ruling:
    """The second part with its printed power of u, against the derived lower bound."""

    def ratio(u: float) -> float:
        lower = bounds.dp_lower_independent(N_ARMS, 0.05, v, _HORIZON, u)
        return lower / bounds.dp_upper_independent(N_ARMS, 0.05, v, u, _HORIZON)

    return _contradicted(ratio, v, "u", _MOMENTS)


def plain_optimal(v: float) -> Ruling:
    """The rate without privacy: above a derived lower bound and below that of robust UCB, both up to constants."""

    def bound(gap: float, variant: str) -> float:
        return bounds.robust_ucb_upper([gap, 0.0], v, 1.0, _HORIZON, variant)

    gaps = _gaps(LARGEST_CENTRAL, v)
    rising = max(slopes(_over(bound), gaps))
    falling = min(slopes(lambda gap: plain_lower(2, gap, v, _HORIZON) / bound(gap, "printed"), gaps))
    holds = True if rising <= LEVEL and falling >= -LEVEL else None
    return _DERIVED(holds, "a lower and an upper bound within constants of it in 1/gap")


def plain_lower(n_arms: int, gap: float, v: float, horizon: int) -> float:
    """What every algorithm loses, private or not, on the instance of `bounds.dp_lower`, u = 1."""
    return (n_arms - 1) * gap * math.log(horizon) / -math.log1p(-(gap ** ((1.0 + v) / v)))


def extra_factor(v: float) -> Ruling:
    """What the bound of DP Robust UCB, with its constants, has on top of robust UCB's: powers of ln T and 1/epsilon."""

    def ratio(horizon: int, epsilon: float) -> float:
        private = bounds.dp_robust_ucb_upper([0.1, 0.0], epsilon, v, 1.0, horizon, "corrected")
        return private / bounds.robust_ucb_upper([0.1, 0.0], v, 1.0, horizon, "corrected")

    logs = [math.log(horizon) for horizon in _FAR]
    in_log = math.log(ratio(_FAR[1], 1.0) / ratio(_FAR[0], 1.0)) / math.log(logs[1] / logs[0])
    in_epsilon = math.log(ratio(_FAR[0], 1e-3) / ratio(_FAR[0], 1.0)) / math.log(1e3)
    numbers = f"v={v:g}: factor ln^{in_log:.3f}(T)/epsilon^{in_epsilon:.2f}, claimed ln^{1.5 + 1.0 / v:.3f}(T)/epsilon"
    # both formulas are ours, and hold the factor
    return Holds(BY_CONSTRUCTION)(
        abs(in_log - 1.5 - 1.0 / v) <= LEVEL and abs(in_epsilon - 1.0) <= LEVEL, numbers, in_log
    )


def rescaled(v: float) -> Ruling:
    """(4) where all rewards are multiplied by s, gaps by s and moments by s^(1+v): a bound on regret scales as s."""

    return _scales(lambda s: bounds.ldp_upper([0.5 * s, 0.0], 1.0, v, s ** (1.0 + v), _HORIZON), v)


def rescaled_independent(v: float) -> Ruling:
    """(5) where all rewards are multiplied by s."""

    return _scales(lambda s: bounds.ldp_upper_independent(N_ARMS, 1.0, v, s ** (1.0 + v), _HORIZON), v)


def _scales(bound: Callable[[float], float], v: float) -> Ruling:
    power = max(slopes(bound, (1.0, _LEAST_MASS ** (-0.5 * v / (1.0 + v)))))
    return _DERIVED(abs(power - 1.0) <= LEVEL, f"v={v:g}: rewards times s multiply it by s^{power:.3g}", power)


def _over(bound: Callable[..., float]) -> Callable[..., float]:
    """The ratio of a bound with its constants to one without."""
    return lambda *at: bound(*at, variant="corrected") / bound(*at, variant="printed")


def _largest(horizon: int, *_: float) -> float:
    """What uniform play loses at gaps of 1/2, or less."""
    return horizon / 4.0


def _lower(bound: Callable[..., float], where: str, *axes: Sequence[float], part: float = 1.0) -> Ruling:
    """Shown where (a part of) the ratio to the claim falls on no axis; a bound that falls short refutes nothing."""
    ratio = _over(bound)
    least = part * min(ratio(*at) for at in product(*axes))
    numbers = f"derived bound at least {least:.2g} of the claim, falling on no axis"
    holds = True if min(slopes(ratio, *axes)) >= -LEVEL else None
    return _DERIVED(holds, f"{where}: {numbers}" if where else numbers, least)


def _upper(bound: Callable[..., float], uniform: Callable[..., float], named: str, *axes: Sequence[float]) -> Ruling:
    """Shown where the derived bound outgrows the claim on no axis; one that does refutes nothing, nor a vacuous one."""
    informs = all(bound(*at, variant="corrected") < uniform(*at) for at in product(*axes))
    holds = True if informs and max(slopes(_over(bound), *axes)) <= LEVEL else None
    return _DERIVED(holds, f"derived bound within a constant of it in {named}")


def _dependent(
    of: Callable[..., float],
    v: float,
    gaps: tuple[float, float],
    least: float,
    claimed: str,
    moments: Sequence[float] = (1.0, 1e4),
) -> Ruling:
    """Of two arms: the bound with constants over the claimed variant, in T, 1/gap, 1/epsilon to `least`, and u."""

    def bound(horizon: int, gap: float, epsilon: float, u: float, variant: str) -> float:
        return of([gap, 0.0], epsilon, v, u, horizon, variant=claimed if variant == "printed" else variant)

    axes = _FAR, gaps, (1.0, least), moments
    return _upper(bound, lambda horizon, gap, *_: horizon * gap / 2.0, f"T, 1/gap, 1/epsilon{_in_u(moments)}", *axes)


def _independent(
    of: Callable[..., float], v: float, claimed: Callable[..., float], moments: Sequence[float] = (1.0, 1e12)
) -> Ruling:
    """At the worst gaps: the bound with constants over u^(1/(1+v)) times what is claimed of rewards with u = 1."""

    def bound(horizon: int, arms: int, epsilon: float, u: float, variant: str) -> float:
        if variant == "corrected":
            return of(arms, epsilon, v, u, horizon, variant)
        return u ** (1.0 / (1.0 + v)) * claimed(arms, epsilon, horizon)

    return _upper(bound, _largest, f"T, K, 1/epsilon{_in_u(moments)}", _FAR, (5, 5 * 10**12), (1.0, 1e-12), moments)


def _in_u(moments: Sequence[float]) -> str:
    return ", u" if len(moments) > 1 else ", at u = 1"


def _contradicted(ratio: Callable[..., float], v: float, axis: str, values: Sequence[float], limit: str = "") -> Ruling:
    """Refuted by a slope above `LEVEL`; one that rises less steeply is too flat to tell from a logarithm."""
    slope = max(slopes(ratio, values))
    numbers = f"v={v:g}: lower bound over claim goes as {axis}^{slope:.3g}{limit}"
    return _DERIVED(None if _FLAT < slope <= LEVEL else slope <= _FLAT, numbers, slope)


def _gaps(largest: float, v: float) -> tuple[float, float, float]:
    """Gaps down to 1e-9, or to where the least mass is one that a double can square."""
    least = max(1e-9, _LEAST_MASS ** (v / (1.0 + v)))
    if least > largest / 10.0:
        raise ArithmeticError("no double is small enough for the mass of a small gap")
    return largest, math.sqrt(largest * least), least
