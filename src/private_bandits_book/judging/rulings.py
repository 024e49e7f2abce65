"""The rules that turn what was measured into a verdict, and say what kind of evidence it rests on.

A verdict is never typed: a `Ruling` comes only out of a rule, here, in `equivalence` or in `privacy`. A measurement is
None, a number or an `estimates.Interval`; None and NaN mean that the run's parameters do not allow it, and every rule
then answers `undecided`. What was measured could have come out otherwise: a rule that reproduces by it names what it
excludes.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, InitVar, dataclass, replace
from functools import partial
from itertools import product
from typing import Any, NamedTuple, Self

import numpy as np
import scipy

from private_bandits import checks
from private_bandits.estimates import Interval
from private_bandits.policy import Policy
from private_bandits.privacy import binomial_interval
from private_bandits_book.judging.verdicts import (
    AFTER_REPAIR,
    DERIVED,
    EVIDENCE,
    EXACT,
    INHERITED,
    MEASURED,
    NOT_REPRODUCED,
    NOT_TESTABLE,
    REPRODUCED,
    UNDECIDED,
)

LONGEST_REASON = 240
NOT_LEARNT = "too few of the runs have learnt by their horizons"

# From best to worst, for a claim that has several parts.
_SEVERITY = (REPRODUCED, AFTER_REPAIR, UNDECIDED, NOT_TESTABLE, NOT_REPRODUCED)
_MORE = re.compile("; and ([0-9]+) more$")  # what a joined reason ends with that had no room
_UNMEASURED = "cannot be measured at these parameters"
_WEAKLY = "but not at 99.9 %, as it must to condemn"
_NOT_SHOWN = "its runs are not shown at these parameters"
LEAST_RUNS = 5  # below which runs condemn nothing: so few may all be alike, or all unlike the rest
_CONDEMNING = 0.999  # level of what runs must exclude to condemn, which they do for several parts of one claim
_SAME = 1e-9  # relative: to which two runs are the same
_RARE = 5  # runs below which a mode is rare
_UNSEEN = 3.0  # over n: the probability that n runs miss once in twenty times
_APART = 1e-4  # how often Student's t puts a run as far from the others
_RULE = object()


class NotShown(LookupError):
    """The runs that a rule asks for are not among those that it was given."""


class Subject(NamedTuple):
    """The algorithm that a ruling is about: its place in its paper, its variant, and what a repair leaves as it is."""

    algorithm: str
    variant: str
    mechanism: str
    feedback: str
    trust: str

    @classmethod
    def of(cls, policy: Policy) -> Self:
        """Return what a policy is an instance of; what its method names is what users report, or who learns from it."""
        place = f"{policy.paper} {policy.algorithm}".strip()
        return cls(place, policy.variant, policy.mechanism, policy.method, policy.privacy.trust)


@dataclass(frozen=True)
class Ruling:
    """What a rule found.

    Attributes
    ----------
    verdict, reason : str
        The reason names its quantities, in at most `LONGEST_REASON` characters.
    measurement : Interval
        The number that decides.
    evidence : str
        One of `EVIDENCE`.
    excludes : tuple of str
        The nearest wrong alternatives that the measurement rules out.
    about : frozenset of Subject
        The algorithms that were measured; none for a statement.
    source : object
        What rules only have.
    """

    verdict: str
    reason: str
    measurement: Interval
    evidence: str
    excludes: tuple[str, ...] = ()
    about: frozenset[Subject] = frozenset()
    source: InitVar[object] = None

    def __post_init__(self, source: object) -> None:
        if source is not _RULE:
            raise TypeError("a ruling is made by a rule only: verdicts are computed, never typed")

    @property
    def missing(self) -> bool:
        """Whether it is undecided because runs are not shown."""
        return self.verdict == UNDECIDED and _NOT_SHOWN in self.reason

    def of(self, *policies: Policy) -> Self:
        """Return the ruling as one about these algorithms.

        Parameters
        ----------
        *policies : Policy

        Returns
        -------
        Ruling
        """
        return self.concerning(map(Subject.of, policies))

    def concerning(self, subjects: Iterable[Subject]) -> Self:
        """Return the ruling as one about these algorithms, too.

        Parameters
        ----------
        subjects : iterable of Subject

        Returns
        -------
        Ruling
        """
        return replace(self, about=self.about | frozenset(subjects), source=_RULE)

    def inherited(self, name: str) -> Self:
        """Return the ruling as a part of a row that rests on the row `name`.

        Parameters
        ----------
        name : str
            A claim.

        Returns
        -------
        Ruling
        """
        return replace(self, reason=f"{name}: {self.verdict}", evidence=INHERITED, excludes=(), source=_RULE)


@dataclass(frozen=True)
class Less:
    """`smaller` is below `larger`; the measurement is smaller minus larger with its interval.

    Attributes
    ----------
    smaller, larger : str
        What the reason calls them.
    """

    smaller: str
    larger: str

    def __call__(self, difference: Any = None) -> Ruling:
        seen = measurement(difference)
        if _unknown(seen):
            return ruling(UNDECIDED, _UNMEASURED, seen, MEASURED)
        said = f"{self.smaller} minus {self.larger} is {_show(seen)}"
        if seen.high < 0:
            return ruling(REPRODUCED, f"{said}, below 0", seen, MEASURED, excludes=("no difference",))
        if condemning(seen).low > 0:
            return ruling(NOT_REPRODUCED, f"{said}, above 0", seen, MEASURED)
        if seen.low > 0:
            return ruling(UNDECIDED, f"{said}, above 0, {_WEAKLY}", seen, MEASURED)
        return ruling(UNDECIDED, f"{said}, which does not exclude 0", seen, MEASURED)


@dataclass(frozen=True)
class Near:
    """The value is `target` up to `tolerance` (absolute).

    Reproduced if the value is that near and known to that precision (half its interval is at most the
    tolerance); not reproduced if its whole interval is farther away; undecided otherwise.

    Attributes
    ----------
    target : float
    tolerance : float
        >= 0.
    """

    target: float
    _: KW_ONLY
    tolerance: float

    def __post_init__(self) -> None:
        checks.real("target", self.target)
        checks.real("tolerance", self.tolerance, at_least=0)

    def __call__(self, measured: Any = None) -> Ruling:
        seen = measurement(measured)
        if _unknown(seen):
            return ruling(UNDECIDED, _UNMEASURED, seen, MEASURED)
        floor, ceiling = self.target - self.tolerance, self.target + self.tolerance
        aim = f"{self.target:.4g} ± {self.tolerance:.3g}"
        wide = condemning(seen)
        if wide.low > ceiling or wide.high < floor:
            return ruling(NOT_REPRODUCED, f"{_show(seen)} lies outside {aim}", seen, MEASURED)
        if seen.low > ceiling or seen.high < floor:
            return ruling(UNDECIDED, f"{_show(seen)} lies outside {aim}, {_WEAKLY}", seen, MEASURED)
        if not floor <= seen.measured <= ceiling:
            return ruling(UNDECIDED, f"{_show(seen)} is not within {aim}, but its interval reaches it", seen, MEASURED)
        if (seen.high - seen.low) / 2 > self.tolerance:
            return ruling(UNDECIDED, f"{_show(seen)} is near {aim}, but its interval is too wide", seen, MEASURED)
        farther = f"farther than {self.tolerance:.3g}"
        return ruling(REPRODUCED, f"{_show(seen)} is within {aim}", seen, MEASURED, excludes=(farther,))


@dataclass(frozen=True)
class Holds:
    """A statement that is decided by enumeration or algebra on the computer, or by a count; `evidence` says by which.

    Attributes
    ----------
    evidence : str
        One of `verdicts.EVIDENCE`.
    excludes : tuple of str
        What else would have been seen if it did not hold.
    """

    evidence: str = EXACT
    excludes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        checks.choice("evidence", self.evidence, EVIDENCE)

    def __call__(self, holds: bool | None = None, numbers: str = "", value: Any = None) -> Ruling:
        """Rule on a computed truth value.

        Parameters
        ----------
        holds : bool or None
            Whether the statement held in every case; None where it could not be computed, or the numbers do not tell.
        numbers : str
            The numbers behind it, which become the reason; required unless `holds` is None.
        value : measurement
            The number that goes into the ledger, if one says it all.
        """
        seen = measurement(value)
        if holds is None:
            return ruling(UNDECIDED, numbers or _UNMEASURED, seen, self.evidence)
        if not isinstance(holds, (bool, np.bool_)):
            raise ValueError(f"holds must be True, False or None, got {holds!r}")
        if not isinstance(numbers, str) or not numbers.strip():
            raise ValueError(f"numbers must say what was computed, got {numbers!r}")
        if holds:
            return ruling(REPRODUCED, numbers, seen, self.evidence, excludes=self.excludes)
        return ruling(NOT_REPRODUCED, numbers, seen, self.evidence)


@dataclass(frozen=True)
class NotTestable:
    """A claim that no run of this book can test, so the row is derived.

    Attributes
    ----------
    why : str
        Argues it.
    """

    why: str

    def __post_init__(self) -> None:
        if not isinstance(self.why, str) or not self.why.strip():
            raise ValueError(f"why must say why nothing was measured, got {self.why!r}")

    def __call__(self) -> Ruling:
        return ruling(NOT_TESTABLE, self.why, measurement(None), DERIVED)


def not_shown(which: str = "") -> Ruling:
    """Rule on a claim whose runs are not shown: undecided.

    Parameters
    ----------
    which : str
        Says which are missing.

    Returns
    -------
    Ruling
    """
    reason = f"{_NOT_SHOWN}: {which}" if which else _NOT_SHOWN
    return ruling(UNDECIDED, reason, measurement(None), EXACT)


def beyond_rounding(gap: float) -> float:
    """Return a difference of two computed numbers, 0 below 1e-12: there it is another one on another machine."""
    return 0.0 if abs(gap) < 1e-12 else gap


def all_of(*rulings: Ruling) -> Ruling:
    """Combine the parts of one claim: the worst verdict wins, and the part that has it gives number and reason.

    From worst to best: not reproduced, not testable, undecided, reproduced after repair, reproduced. What is reproduced
    needs all its parts; anything else rests on those with its verdict, and the evidence is the weakest of them. No part
    at all is not shown.

    Parameters
    ----------
    *rulings : Ruling
        What rules found.

    Returns
    -------
    Ruling
    """
    if not rulings:
        return not_shown()
    _check_rulings(rulings)
    worst = max(rulings, key=lambda r: _SEVERITY.index(r.verdict)).verdict
    decide = rulings if worst in (REPRODUCED, AFTER_REPAIR) else [r for r in rulings if r.verdict == worst]
    first = next(r for r in decide if r.verdict == worst)
    return ruling(
        worst,
        _join([first.reason, *(r.reason for r in decide)]),
        first.measurement,
        _weakest(decide),
        excludes=tuple(dict.fromkeys(name for r in decide for name in r.excludes)),
        about=frozenset().union(*(r.about for r in rulings)),
    )


def rests_on(parts: Mapping[str, Ruling]) -> Ruling:
    """Combine rows into one that rests on all of them: the worst verdict wins, and the reason names who has it.

    Undecided if it is good rows of several variants of an algorithm that none of its variants has together.

    Parameters
    ----------
    parts : mapping of str to Ruling
        By claim, at least one.

    Returns
    -------
    Ruling
    """
    _check_rulings(tuple(parts.values()))
    worst = max(parts.values(), key=lambda ruling: _SEVERITY.index(ruling.verdict)).verdict
    about: frozenset[Subject] = frozenset().union(*(ruling.about for ruling in parts.values()))
    apart = [] if _SEVERITY.index(worst) > _SEVERITY.index(AFTER_REPAIR) else _apart(parts.values())
    if apart:
        reason = f"no variant of {apart[0]} was judged on all of: {', '.join(parts)}"
        return ruling(UNDECIDED, reason, measurement(None), INHERITED, about=about)
    names = [name for name, ruling in parts.items() if ruling.verdict == worst]
    others = len(parts) - len(names)
    better = f"; {others} {'others are' if others > 1 else 'other is'} better" if others else ""
    reason = _join([f"{worst}: {names[0]}", *names[1:]], ", ") + better
    return ruling(worst, reason, measurement(None), INHERITED, about=about)


def _apart(rulings: Iterable[Ruling]) -> list[str]:
    """Algorithms of which no variant is among those of every ruling that is about the algorithm."""
    common: dict[str, set[str]] = {}
    for ruling in rulings:
        for algorithm in {one.algorithm for one in ruling.about}:
            variants = {one.variant for one in ruling.about if one.algorithm == algorithm}
            common[algorithm] = common.get(algorithm, variants) & variants
    return sorted(algorithm for algorithm, variants in common.items() if not variants)


class Mode(NamedTuple):
    """Runs that stand apart, `runs` of `of`, with their mean and that of the others (NaN if there are none)."""

    runs: int
    of: int
    mean: float
    others: float

    def __str__(self) -> str:
        if math.isnan(self.others):
            return f"all {self.of} runs give {self.mean:.4g}"
        low, high = binomial_interval(self.runs, self.of)
        often = f"{self.runs} of {self.of} runs, [{low:.2g}, {high:.2g}]"
        return f"{often}, stand apart: mean {self.mean:.4g}, the others {self.others:.4g}"


def rare_mode(runs: Any) -> Mode | None:
    """Return the runs that stand apart from the others, if they are so few that a mode like theirs may be unseen.

    They are fewer than five and on one side of the widest gap between the sorted runs, on a scale of logarithms where
    all are positive. The gap is wider than the others' range, and the nearest is farther from the others' mean than
    Student's t, with their spread, puts a run in one of 10,000. Runs that are all the same are a mode: their law may
    have few values.

    Parameters
    ----------
    runs : array, shape (replications,)
        At least two numbers.
    """
    values = np.sort(np.asarray(runs, float))
    number, apart = len(values), _SAME * np.abs(values).max()
    if np.ptp(values) <= apart:
        return Mode(number, number, float(values[0]), math.nan)
    scale = np.log(values) if values[0] > 0.0 else values
    cut = int(np.argmax(np.diff(scale))) + 1
    few, rest = sorted((slice(cut), slice(cut, None)), key=lambda side: len(values[side]))
    left = len(values[rest])
    if number - left >= _RARE or left < 2:
        return None
    usual = float(scale[rest].std(ddof=1)) * math.sqrt(1.0 + 1.0 / left)
    gap, away = scale[cut] - scale[cut - 1], np.abs(scale[few] - scale[rest].mean()).min()
    if gap <= np.ptp(scale[rest]) or away <= -usual * scipy.special.stdtrit(left - 1.0, _APART / 2.0):
        return None
    return Mode(number - left, number, float(values[few].mean()), float(values[rest].mean()))


def by_runs(
    rule: Callable[[Interval], Ruling], estimate: Callable[..., Interval], *samples: np.ndarray, most: Any = math.inf
) -> Ruling:
    """Rule on what independent runs measure; undecided where a mode that none has drawn could give another verdict.

    Where runs show a rare mode its frequency and the means on both sides are said, and the rule is asked once more with
    the interval `with_unseen`, which takes the same arguments.

    Parameters
    ----------
    rule : callable
        Judges the estimate.
    estimate : callable
        Measures on the samples.
    *samples : arrays, shape (replications,) or (replications, points)
        Regret, >= 0.
    most : float or array, shape (points,)
        The most that a run can lose; infinite where no number is known.

    Returns
    -------
    Ruling
    """
    found = rule(_counted(estimate(*samples), samples))
    held, shown = with_unseen(estimate, *samples, most=most)
    if shown is None or found.verdict == UNDECIDED:
        return found
    unseen = f"an unseen mode of probability {min(_UNSEEN / shown.of, 1.0):.2g}"
    if rule(held).verdict == found.verdict:
        return replace(found, reason=_join([found.reason, f"{shown}; {unseen} changes nothing"]), source=_RULE)
    reason = f"{shown}; {unseen} could give another verdict than {found.verdict}: {found.reason}"
    return ruling(UNDECIDED, reason, found.measurement, found.evidence, about=found.about)


def with_unseen(
    estimate: Callable[..., Interval], *samples: np.ndarray, most: Any = math.inf
) -> tuple[Interval, Mode | None]:
    """Return what runs measure, in an interval that a mode which none has drawn does not leave, and the mode they show.

    No interval sees a mode that was never drawn. So where runs show a rare one (`rare_mode`), the interval also holds
    what is measured with an unseen mode of probability 3/n, at 0 or at `most`: whichever moves a mean or, from point to
    point, a slope most. Its ends are NaN where that has no bound.

    Parameters
    ----------
    estimate : callable
        Measures on the samples.
    *samples : arrays, shape (replications,) or (replications, points)
        Regret, >= 0.
    most : float or array, shape (points,)
        What a run that never learns loses; infinite where no number is known.
    """
    seen = _counted(estimate(*samples), samples)
    columns = [np.reshape(sample, (len(sample), -1)).T if len(sample) > 1 else () for sample in samples]
    modes = [next(filter(None, map(rare_mode, points)), None) for points in columns]
    shown = next(filter(None, modes), None)
    if shown is None:
        return seen, None
    mixed = (_mixed(sample, most) if mode else [sample] for sample, mode in zip(samples, modes, strict=True))
    try:
        ends = [seen, *(estimate(*each) for each in product(*mixed))] if np.isfinite(most).all() else [Interval()]
    except ValueError:  # without a mean above 0 there is no exponent or ratio
        ends = [Interval()]
    low, high = min(end.low for end in ends), max(end.high for end in ends)
    return Interval(seen.measured, low, high, runs=seen.runs), shown


def _counted(seen: Interval, samples: Sequence[np.ndarray]) -> Interval:
    """What was measured on samples, of no more runs than the smallest of them has."""
    return seen._replace(runs=min(seen.runs, *map(len, samples)))


def _mixed(sample: np.ndarray, most: Any) -> Iterator[np.ndarray]:
    """A sample with the unseen mode at no loss up to a point and at the most from there on, and the other way round."""
    share, points = min(_UNSEEN / len(sample), 1.0), np.arange(sample[0].size)
    for cut in range(len(points) + 1):
        for before in (points < cut, points >= cut):
            yield (1.0 - share) * sample + share * np.where(before, 0.0, most)


def after_repair(printed: Ruling, repaired: Ruling) -> Ruling:
    """Combine a claim's ruling as printed with that of the repaired algorithm or statement.

    A failure as printed becomes `reproduced after repair` if the repaired one is reproduced, and is about that one
    only; it is undecided if the repaired one is, and stands otherwise. Any other ruling as printed needs no repair.

    Parameters
    ----------
    printed, repaired : Ruling

    Returns
    -------
    Ruling

    Raises
    ------
    ValueError
        If what is repaired is not one algorithm with the noise family, the feedback and the trust model of the printed
        one: anything else that does the job is a claim of its own.
    """
    _check_rulings((printed, repaired))
    _check_repair(printed.about, repaired.about)
    if printed.verdict != NOT_REPRODUCED:
        return printed
    about = repaired.about
    reason = _join([f"as printed: {printed.reason}", *f"repaired: {repaired.reason}".split("; ")])
    evidence, found = _weakest([printed, repaired]), repaired.measurement
    if repaired.verdict == UNDECIDED:
        return ruling(UNDECIDED, reason, found, evidence, about=about)
    if repaired.verdict not in (REPRODUCED, AFTER_REPAIR):
        return ruling(NOT_REPRODUCED, reason, printed.measurement, printed.evidence, about=about)
    return ruling(AFTER_REPAIR, reason, found, evidence, excludes=repaired.excludes, about=about)


def on_other_seeds(found: Ruling, disagree: int, seeds: int) -> Ruling:
    """Return a ruling, undecided if two or more of the other seeds give another verdict."""
    if disagree < 2:
        return found
    reason = f"{disagree} of {seeds} other seeds give another verdict than {found.verdict}: {found.reason}"
    return ruling(UNDECIDED, reason, found.measurement, found.evidence, about=found.about)


def _check_repair(printed: frozenset[Subject], repaired: frozenset[Subject]) -> None:
    algorithms = sorted({f"{one.algorithm}, {one.variant}" for one in repaired})
    if len(algorithms) > 1 or len({one.algorithm for one in printed | repaired}) > 1:
        raise ValueError(f"a repair must be one algorithm for one, got {'; '.join(algorithms)}")
    stays = [{(one.mechanism, one.feedback, one.trust) for one in each} for each in (printed, repaired)]
    if stays[0] != stays[1]:
        raise ValueError(
            f"a repair must keep noise family, feedback and trust model, got {sorted(stays[1])} for {sorted(stays[0])}"
        )


def _weakest(rulings: Sequence[Ruling]) -> str:
    return max((ruling.evidence for ruling in rulings), key=EVIDENCE.index)


def ruling(verdict: str, reason: str, seen: Interval, evidence: str, **found: Any) -> Ruling:
    """Make a ruling: rules only may. What fewer than `LEAST_RUNS` runs measure condemns nothing."""
    if verdict == NOT_REPRODUCED and evidence == MEASURED and seen.runs < LEAST_RUNS:
        verdict, reason = UNDECIDED, f"{seen.runs} runs are too few to condemn: {reason}"
    return Ruling(verdict, _within(reason), seen, evidence, **found, source=_RULE)


def measurement(value: Any) -> Interval:
    """Return a number or an interval as an interval; what is missing has NaN ends."""
    if not isinstance(value, Interval):
        number = _number("measurement", value)
        return Interval(number, number, number)
    seen = value.through(partial(_number, "measurement"))._replace(se=value.se)
    if seen.low > seen.measured or seen.measured > seen.high:
        raise ValueError(f"a measurement must lie in its interval, got {seen[:3]}")
    return seen


def condemning(seen: Interval) -> Interval:
    """Return the interval that must lie on the wrong side if runs are to condemn: of 99.9 %, and not of 95 %.

    Student's t widens it with as many runs as there are. A computed number stays as it is.

    Parameters
    ----------
    seen : Interval

    Returns
    -------
    Interval
    """
    if not 1 < seen.runs < math.inf:
        return seen
    usual, wide = (float(scipy.special.stdtrit(seen.runs - 1.0, (1.0 + level) / 2.0)) for level in (0.95, _CONDEMNING))
    if seen.se >= 0.0:  # an end may hold more than the error of the runs, which alone is widened
        more = seen.se * (wide - usual)
        return Interval(seen.measured, seen.low - more, seen.high + more, seen.se, seen.runs)
    low, high = (seen.measured + (end - seen.measured) * wide / usual for end in seen[1:3])
    return Interval(seen.measured, low, high, runs=seen.runs)


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


def _join(reasons: Sequence[str], between: str = "; ") -> str:
    """Return the first reason, and as many of the others as there is room for."""
    first, *others = dict.fromkeys(reasons)
    cut = _MORE.search(first)
    joined, untold = (first[: cut.start()], int(cut[1])) if cut else (first, 0)
    for number, reason in enumerate(others):
        more = f"{between}and {untold + len(others) - number} more"
        if len(joined) + len(between) + len(reason) + len(more) > LONGEST_REASON:
            return joined + more if len(joined) + len(more) <= LONGEST_REASON else joined
        joined += between + reason
    return joined + (f"{between}and {untold} more" if untold else "")


def _within(reason: str) -> str:
    """Return a reason cut at a word where numbers have made it too long."""
    if len(reason) <= LONGEST_REASON:
        return reason
    return reason[: LONGEST_REASON - 1].rsplit(" ", 1)[0] + " …"


def _check_rulings(rulings: tuple[Any, ...]) -> None:
    if not rulings or not all(isinstance(r, Ruling) for r in rulings):
        raise ValueError(f"rulings must come from rules, at least one, got {rulings!r}")
