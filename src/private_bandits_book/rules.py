"""The rules that turn what was measured into a verdict.

A verdict is never typed: a `Ruling` comes only out of a rule of this module. A measurement is None, a number or an
`estimates.Interval`; None and NaN mean that the run's parameters do not allow it, and every rule then answers
`undecided`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, InitVar, dataclass
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.estimates import Interval

REPRODUCED = "reproduced"
AFTER_REPAIR = "reproduced after repair"
NOT_REPRODUCED = "not reproduced"
UNDECIDED = "undecided"
NOT_TESTABLE = "not testable"
VERDICTS = (REPRODUCED, AFTER_REPAIR, NOT_REPRODUCED, UNDECIDED, NOT_TESTABLE)

# From best to worst, for a claim that has several parts.
_SEVERITY = (REPRODUCED, AFTER_REPAIR, UNDECIDED, NOT_TESTABLE, NOT_REPRODUCED)
_UNMEASURED = "cannot be measured at these parameters"
_RULE = object()


@dataclass(frozen=True)
class Ruling:
    """What a rule found.

    `shows` names the rates ("upper", "lower") that were measured and hold. `needs` names the rate without
    which a bound that was not violated stays undecided.
    """

    verdict: str
    reason: str
    measurement: Interval
    shows: frozenset[str] = frozenset()
    needs: str = ""
    source: InitVar[object] = None

    def __post_init__(self, source: object) -> None:
        _refuse_typed("ruling", "a rule", source)


@dataclass(frozen=True)
class UpperRate:
    """Regret grows at most with exponent `rate`.

    Reproduced if the interval ends at or below `rate + tolerance`, not reproduced if it lies above, undecided
    if it straddles. The tolerance is what a fit at finite horizons may miss by. `logs` is the exponent that the
    logarithms of a claim "up to logarithms" have over the fitted points; it is added to `rate`.
    """

    rate: float
    _: KW_ONLY
    tolerance: float
    logs: float = 0.0

    def __post_init__(self) -> None:
        _check_tolerance("rate", self.rate, self.tolerance)
        checks.real("logs", self.logs, at_least=0)

    def __call__(self, measured: Any = None) -> Ruling:
        return _rate("upper rate", measured, self.rate, self.tolerance, upper=True, lower=False, logs=self.logs)


@dataclass(frozen=True)
class LowerRate:
    """Regret grows at least with exponent `rate`: the mirror image of `UpperRate`."""

    rate: float
    _: KW_ONLY
    tolerance: float

    def __post_init__(self) -> None:
        _check_tolerance("rate", self.rate, self.tolerance)

    def __call__(self, measured: Any = None) -> Ruling:
        return _rate("lower rate", measured, self.rate, self.tolerance, upper=False, lower=True)


@dataclass(frozen=True)
class ExactRate:
    """Regret grows with exponent `rate` ("optimal"): `UpperRate` and `LowerRate` at once."""

    rate: float
    _: KW_ONLY
    tolerance: float

    def __post_init__(self) -> None:
        _check_tolerance("rate", self.rate, self.tolerance)

    def __call__(self, measured: Any = None) -> Ruling:
        return _rate("rate", measured, self.rate, self.tolerance, upper=True, lower=True)


@dataclass(frozen=True)
class UpperBound:
    """Regret is at most `bound`, a number at the horizon of the run.

    A bound at or above `uniform`, the regret of uniform play, is vacuous and decides nothing. Otherwise the
    claim fails if the whole interval lies above the bound. A bound that is not violated stays undecided
    unless `all_of` finds a reproduced upper rate beside it.
    """

    bound: float | None
    _: KW_ONLY
    uniform: float | None

    def __call__(self, measured: Any = None) -> Ruling:
        seen = _measurement(measured)
        bound, uniform = _number("bound", self.bound), _number("uniform", self.uniform)
        if _unknown(seen, bound, uniform):
            return _ruling(UNDECIDED, _UNMEASURED, seen)
        if bound >= uniform:
            return _ruling(UNDECIDED, f"vacuous: the bound {bound:.4g} is not below uniform play's {uniform:.4g}", seen)
        if seen.low > bound:
            return _ruling(NOT_REPRODUCED, f"regret {_show(seen)} lies above the bound {bound:.4g}", seen)
        reason = f"regret {_show(seen)} does not violate the bound {bound:.4g}, which alone confirms nothing"
        return _ruling(UNDECIDED, reason, seen, needs="upper")


@dataclass(frozen=True)
class LowerBound:
    """Regret is at least `bound`, a number at the horizon of the run.

    A bound at or below `floor` (0, or what is known without the claim, such as the non-private bound) does
    not bind and decides nothing. Otherwise the claim fails if the whole interval lies below the bound. A
    bound that is not violated stays undecided unless `all_of` finds a reproduced lower rate beside it.
    """

    bound: float | None
    _: KW_ONLY
    floor: float | None = 0.0

    def __call__(self, measured: Any = None) -> Ruling:
        seen = _measurement(measured)
        bound, floor = _number("bound", self.bound), _number("floor", self.floor)
        if _unknown(seen, bound, floor):
            return _ruling(UNDECIDED, _UNMEASURED, seen)
        if bound <= floor:
            return _ruling(UNDECIDED, f"not binding: the bound {bound:.4g} is not above {floor:.4g}", seen)
        if seen.high < bound:
            return _ruling(NOT_REPRODUCED, f"regret {_show(seen)} lies below the bound {bound:.4g}", seen)
        reason = f"regret {_show(seen)} does not violate the bound {bound:.4g}, which alone confirms nothing"
        return _ruling(UNDECIDED, reason, seen, needs="lower")


@dataclass(frozen=True)
class Less:
    """`smaller` is below `larger`; the measurement is smaller minus larger with its interval."""

    smaller: str
    larger: str

    def __call__(self, difference: Any = None) -> Ruling:
        seen = _measurement(difference)
        if _unknown(seen):
            return _ruling(UNDECIDED, _UNMEASURED, seen)
        said = f"{self.smaller} minus {self.larger} is {_show(seen)}"
        if seen.high < 0:
            return _ruling(REPRODUCED, f"{said}, below 0", seen)
        if seen.low > 0:
            return _ruling(NOT_REPRODUCED, f"{said}, above 0", seen)
        return _ruling(UNDECIDED, f"{said}, which does not exclude 0", seen)


@dataclass(frozen=True)
class Near:
    """The value is `target` up to `tolerance` (absolute).

    Reproduced if the value is that near and known to that precision (half its interval is at most the
    tolerance); not reproduced if its whole interval is farther away; undecided otherwise.
    """

    target: float
    _: KW_ONLY
    tolerance: float

    def __post_init__(self) -> None:
        _check_tolerance("target", self.target, self.tolerance)

    def __call__(self, measured: Any = None) -> Ruling:
        seen = _measurement(measured)
        if _unknown(seen):
            return _ruling(UNDECIDED, _UNMEASURED, seen)
        floor, ceiling = self.target - self.tolerance, self.target + self.tolerance
        aim = f"{self.target:.4g} ± {self.tolerance:.3g}"
        if seen.low > ceiling or seen.high < floor:
            return _ruling(NOT_REPRODUCED, f"{_show(seen)} lies outside {aim}", seen)
        if not floor <= seen.measured <= ceiling:
            return _ruling(UNDECIDED, f"{_show(seen)} is not within {aim}, but its interval reaches it", seen)
        if (seen.high - seen.low) / 2 > self.tolerance:
            return _ruling(UNDECIDED, f"{_show(seen)} is near {aim}, but its interval is too wide", seen)
        return _ruling(REPRODUCED, f"{_show(seen)} is within {aim}", seen)


@dataclass(frozen=True)
class Holds:
    """An exact statement, decided by enumeration or algebra on the computer."""

    def __call__(self, holds: bool | None = None, numbers: str = "", value: Any = None) -> Ruling:
        """Rule on a computed truth value.

        Parameters
        ----------
        holds : bool or None
            Whether the statement held in every case; None where it could not be computed.
        numbers : str
            The numbers behind it, which become the reason; required unless `holds` is None.
        value : measurement
            The number that goes into the ledger, if one says it all.
        """
        seen = _measurement(value)
        if holds is None:
            return _ruling(UNDECIDED, _UNMEASURED, seen)
        if not isinstance(holds, (bool, np.bool_)):
            raise ValueError(f"holds must be True, False or None, got {holds!r}")
        if not isinstance(numbers, str) or not numbers.strip():
            raise ValueError(f"numbers must say what was computed, got {numbers!r}")
        return _ruling(REPRODUCED if holds else NOT_REPRODUCED, numbers, seen)


@dataclass(frozen=True)
class Privacy:
    """An algorithm is (`epsilon`, `delta`)-private; the measurement is the effective pair, computed."""

    epsilon: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        checks.real("epsilon", self.epsilon, above=0)
        checks.real("delta", self.delta, at_least=0, below=1)

    def __call__(self, epsilon: float | None = None, delta: float = 0.0) -> Ruling:
        """Rule on the privacy that everything released pays.

        Parameters
        ----------
        epsilon : float or None
            Effective epsilon; infinite if no finite one exists, None if none was certified.
        delta : float
            The delta at which `epsilon` was computed; `epsilon` is the smallest one there.
        """
        seen = _measurement(epsilon)
        if _unknown(seen):
            return _ruling(UNDECIDED, "the effective privacy is not certified at these parameters", seen)
        within = seen.measured <= self.epsilon * (1 + 1e-9)
        said = f"pays {_privacy(seen.measured, delta)}, promised {_privacy(self.epsilon, self.delta)}"
        if within and delta <= self.delta:
            return _ruling(REPRODUCED, said, seen)
        if math.isinf(seen.measured) or (not within and delta >= self.delta):
            return _ruling(NOT_REPRODUCED, said, seen)
        return _ruling(UNDECIDED, f"{said}: pairs at different delta do not compare", seen)


@dataclass(frozen=True)
class NotTestable:
    """A claim that no run of this book can test; `why` says why."""

    why: str

    def __post_init__(self) -> None:
        if not isinstance(self.why, str) or not self.why.strip():
            raise ValueError(f"why must say why the claim is not testable, got {self.why!r}")

    def __call__(self) -> Ruling:
        return _ruling(NOT_TESTABLE, self.why, _measurement(None))


def all_of(*rulings: Ruling) -> Ruling:
    """Combine the parts of one claim: the worst verdict wins, and its measurement is the one reported.

    From worst to best: not reproduced, not testable, undecided, reproduced after repair, reproduced. A bound
    that was not violated counts only where no part shows the rate that it needs.
    """
    _check_rulings(rulings)
    shows: frozenset[str] = frozenset().union(*(r.shows for r in rulings))
    counted = [r for r in rulings if not r.needs or r.needs not in shows]
    worst = max(counted, key=lambda r: _SEVERITY.index(r.verdict))
    return _ruling(worst.verdict, _join(rulings), worst.measurement, shows)


def rests_on(parts: Mapping[str, Ruling]) -> Ruling:
    """Combine claims into one that rests on all of them: the worst verdict wins, and the reason names each part's."""
    _check_rulings(tuple(parts.values()))
    worst = max(parts.values(), key=lambda ruling: _SEVERITY.index(ruling.verdict))
    reason = "; ".join(f"{name}: {ruling.verdict}" for name, ruling in parts.items())
    return _ruling(worst.verdict, reason, _measurement(None))


def after_repair(printed: Ruling, repaired: Ruling) -> Ruling:
    """Combine a claim's ruling as printed with that of the repaired algorithm or statement.

    A failure as printed becomes `reproduced after repair` if the repaired one is reproduced, and stands
    otherwise. Any other ruling as printed needs no repair and stands too.
    """
    _check_rulings((printed, repaired))
    if printed.verdict != NOT_REPRODUCED:
        return printed
    reason = f"as printed: {printed.reason}; repaired: {repaired.reason}"
    if repaired.verdict in (REPRODUCED, AFTER_REPAIR):
        return _ruling(AFTER_REPAIR, reason, repaired.measurement, repaired.shows)
    return _ruling(NOT_REPRODUCED, reason, printed.measurement)


def _rate(
    what: str, value: Any, claim: float, tolerance: float, *, upper: bool, lower: bool, logs: float = 0.0
) -> Ruling:
    seen = _measurement(value)
    if _unknown(seen):
        return _ruling(UNDECIDED, _UNMEASURED, seen)
    rate = claim + logs
    by_logs = f" + {logs:.2g} for its logarithms" if logs else ""
    claimed = f"the claimed {what} {claim:.4g}{by_logs} ± {tolerance:.3g}"
    if (not upper or seen.high <= rate + tolerance) and (not lower or seen.low >= rate - tolerance):
        shows = frozenset(side for side, asked in (("upper", upper), ("lower", lower)) if asked)
        return _ruling(REPRODUCED, f"exponent {_show(seen)} keeps {claimed}", seen, shows)
    if upper and seen.low > rate + tolerance:
        return _ruling(NOT_REPRODUCED, f"exponent {_show(seen)} lies above {claimed}", seen)
    if lower and seen.high < rate - tolerance:
        return _ruling(NOT_REPRODUCED, f"exponent {_show(seen)} lies below {claimed}", seen)
    return _ruling(UNDECIDED, f"exponent {_show(seen)} is too uncertain for {claimed}", seen)


def _ruling(verdict: str, reason: str, seen: Interval, shows: frozenset[str] = frozenset(), needs: str = "") -> Ruling:
    return Ruling(verdict, reason, seen, shows, needs, source=_RULE)


def _measurement(value: Any) -> Interval:
    if not isinstance(value, Interval):
        number = _number("measurement", value)
        return Interval(number, number, number)
    seen = Interval(*(_number("measurement", x) for x in value[:3]))
    if seen.low > seen.measured or seen.measured > seen.high:
        raise ValueError(f"a measurement must lie in its interval, got {seen[:3]}")
    return seen


def _number(name: str, value: Any) -> float:
    """Return a number that may be missing (None, NaN) or infinite."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return math.nan
    return checks.real(name, value, infinite=True)


def _unknown(seen: Interval, *others: float) -> bool:
    return any(math.isnan(x) for x in (*seen[:3], *others))


def _show(seen: Interval) -> str:
    if seen.low == seen.high:
        return f"{seen.measured:.4g}"
    return f"{seen.measured:.4g} [{seen.low:.4g}, {seen.high:.4g}]"


def _privacy(epsilon: float, delta: float) -> str:
    if math.isinf(epsilon):
        return "no finite epsilon"
    return f"epsilon {epsilon:.4g}" + (f" at delta {delta:.3g}" if delta else "")


def _join(rulings: Iterable[Ruling]) -> str:
    return "; ".join(dict.fromkeys(r.reason for r in rulings))


def _check_tolerance(name: str, value: float, tolerance: float) -> None:
    checks.real(name, value)
    checks.real("tolerance", tolerance, at_least=0)


def _check_rulings(rulings: tuple[Any, ...]) -> None:
    if not rulings or not all(isinstance(r, Ruling) for r in rulings):
        raise ValueError(f"rulings must come from rules, at least one, got {rulings!r}")


def _refuse_typed(what: str, maker: str, source: object) -> None:
    if source is not _RULE:
        raise TypeError(f"a {what} is made by {maker} only: verdicts are computed, never typed")
