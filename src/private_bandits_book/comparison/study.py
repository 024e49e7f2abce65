"""What the comparison measures: every policy of the book that fits a setting, at equal epsilon really paid.

Runs at one epsilon share their seeds, so that they are compared run by run. What is chosen as the best is chosen on
every other run and measured on the rest. A policy that leaks has no epsilon that could be equal: it is played at what
it promises, and never ranked.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from private_bandits.estimates import Interval, half_width, mean_interval, ratio_interval
from private_bandits.policy import Policy
from private_bandits_book import studies
from private_bandits_book.comparison.settings import LONG, SETTINGS, Setting, kept, paying
from private_bandits_book.studies import Run, Runs
from private_bandits_book.sweep import chosen

CENTRAL, LOCAL = "central", "local"
PARTS = (100, 30, 10, 3, 1)  # of the horizon, in the study of the price against T
_FEW = 4  # runs that can be halved, and both halves have an interval


class Best(NamedTuple):
    """The best certified policy of a setting under one trust model: its place among the private ones, and its run."""

    place: int
    run: Run


@dataclass
class Study(studies.Study):
    """The comparison's parameters, and every run made at them."""

    chapter = "comparison"
    epsilon: float
    delta: float
    long_horizon: int

    @property
    def paid(self) -> list[float]:
        """What is paid, ascending; that of the rankings is among them."""
        return sorted({*self.epsilons, self.epsilon})

    def rounds(self, name: str) -> int:
        """The horizon of a setting."""
        return self.long_horizon if name in LONG else self.horizon

    def setting(self, name: str, part: int = 1) -> Setting:
        """A setting, its policies made for a part of the horizon."""
        return SETTINGS[name](max(self.rounds(name) // part, 2), self.delta)

    @cached_property
    def runs(self) -> dict[str, Runs]:
        """Every policy of every setting: the printed ones without privacy, and the private ones at all that is paid."""
        found = {}
        for name in SETTINGS:
            setting = self.setting(name)
            runs = Runs(self._play(name, setting.problem, policy, math.inf) for policy in setting.plain)
            for epsilon in self.paid:
                for place, make in enumerate(setting.private):
                    problem = setting.others.get(place, setting.problem)
                    runs.append(self._play(name, problem, paying(make, epsilon), epsilon, place))
            found[name] = _labelled(runs)
        return found

    @cached_property
    def free(self) -> dict[str, Runs]:
        """What has no privacy: the printed ones, and the private policies at infinite epsilon that would keep it."""
        found = {}
        for name, runs in self.runs.items():
            setting, headline = self.setting(name), runs.select(pays=self.epsilon)
            made = [(one.swept["place"], setting.private[one.swept["place"]]) for one in headline if kept(one.policy)]
            printed = [run for run in runs if math.isinf(run.swept["pays"])]
            others = (
                self._play(name, setting.others.get(place, setting.problem), make(math.inf), math.inf, place)
                for place, make in made
            )
            found[name] = _labelled(Runs([*printed, *others]))
        return found

    def plain(self, name: str) -> Run:
        """The policy without privacy that loses least."""
        return self.free[name][_least(self.free[name])]

    def best(self, name: str, trust: str) -> Best | None:
        """The certified policy of a trust model that loses least at the epsilon of the rankings; there may be none."""
        headline = self.runs[name].select(pays=self.epsilon)
        found = Runs(run for run in headline if kept(run.policy) and run.policy.privacy.trust == trust)
        if not found:
            return None
        run = found[_least(found)]
        return Best(int(run.swept["place"]), run)

    def price(self, run: Run) -> Interval:
        """What a run loses over the least that is lost without privacy in its setting."""
        return ratio(rest(run.final), rest(self.plain(run.swept["setting"]).final))

    @cached_property
    def grown(self) -> dict[str, dict[str, Runs]]:
        """The best policies played to parts of the horizon, for which they are made anew, by setting and trust.

        Under "none" stands the best one without privacy.
        """
        return {name: self._grown(name) for name in SETTINGS}

    def _grown(self, name: str) -> dict[str, Runs]:
        found: dict[str, Runs] = {"none": Runs()}
        plain = self.plain(name)
        for part in PARTS:
            setting, rounds = self.setting(name, part), max(self.rounds(name) // part, 2)
            place = plain.swept["place"]
            policy = plain.policy if place < 0 else setting.private[place](math.inf)
            found["none"].append(self._play(name, plain.problem, policy, math.inf, place, rounds))
            for trust in (CENTRAL, LOCAL):
                best = self.best(name, trust)
                if best is not None:
                    policy = paying(setting.private[best.place], self.epsilon)
                    run = self._play(name, best.run.problem, policy, self.epsilon, best.place, rounds)
                    found.setdefault(trust, Runs()).append(run)
        return found

    def _play(
        self, name: str, problem: object, policy: Policy, pays: float, place: int = -1, rounds: int | None = None
    ) -> Run:
        swept = {"setting": name, "pays": pays, "place": place}
        return self.run(problem, policy, policy.version, swept, rounds or self.rounds(name))  # type: ignore[arg-type]

    def meets(self, name: str) -> tuple[Interval, Interval]:
        """In epsilon, and in T: where the best local policy of a setting loses what the best central one does."""
        pair = self.best(name, CENTRAL), self.best(name, LOCAL)
        if pair[0] is None or pair[1] is None:
            return Interval(), Interval()
        swept = [
            np.column_stack([rest(run.final) for run in self.runs[name] if run.swept["place"] == one.place])
            for one in pair
            if one is not None
        ]
        grown = [np.column_stack([rest(run.final) for run in self.grown[name][trust]]) for trust in (CENTRAL, LOCAL)]
        horizons = [int(run.t[-1]) for run in self.grown[name][CENTRAL]]
        return crossing(self.paid, *swept), crossing(horizons, *grown)


def each_setting(kind: str) -> Callable[[Study], list[tuple[str, str]]]:
    """Return what gives the exhibits of a kind, one a setting: their labels with the settings' names."""
    return lambda study: [(f"{kind}-{name.replace('_', '-')}", name) for name in SETTINGS]


def _labelled(runs: Runs) -> Runs:
    """Give each run its text in legends and tables: the policy's name, and what tells it from others of that name."""
    versions: dict[str, list[list[str]]] = {}
    for run in runs:
        versions.setdefault(run.name, []).append(run.variant.split(", "))

    def label(name: str, version: str) -> str:
        own = [part for part in version.split(", ") if any(part not in other for other in versions[name])]
        return ", ".join([name, *own])

    return Runs(run._replace(swept={**run.swept, "label": label(run.name, run.variant)}) for run in runs)


def _least(runs: Sequence[Run]) -> int:
    """Which run has the least mean, on the runs by which it is chosen."""
    return chosen([-run.final for run in runs])[0]


def rest(values: np.ndarray) -> np.ndarray:
    """What is left to measure by, beside the runs that chose: every other one, or all where they are few."""
    return values[1::2] if len(values) >= _FEW else values


def ratio(a: np.ndarray, b: np.ndarray) -> Interval:
    """Return the ratio of two means; unknown where one of them is 0."""
    return ratio_interval(a, b) if min(a.mean(), b.mean()) > 0 else Interval()


def ranking(labels: Sequence[str], finals: Sequence[np.ndarray]) -> pd.DataFrame:
    """Rank policies by what they lose, run by run on the same seeds.

    Parameters
    ----------
    labels : sequence of str
    finals : sequence of arrays, shape (replications,)
        Row by row from the same seeds.

    Returns
    -------
    DataFrame
        A row per policy, the least regret first: `label, rank, regret, regret_low, regret_high, over_best, over_low,
        over_high`. The rank counts the policies that lose less by an interval of the paired difference that lies below
        0, so what cannot be told apart shares it. `over_best` is the mean difference to the first row.
    """
    order = sorted(range(len(finals)), key=lambda i: float(finals[i].mean()))
    rows = []
    for i in order:
        mean, over = mean_interval(finals[i]), mean_interval(finals[i] - finals[order[0]])
        rank = 1 + sum(mean_interval(finals[j] - finals[i]).high < 0 for j in order if j != i)
        numbers = {"regret": mean.measured, "regret_low": mean.low, "regret_high": mean.high}
        numbers |= {"over_best": over.measured, "over_low": over.low, "over_high": over.high}
        rows.append({"label": labels[i], "rank": rank, **numbers})
    return pd.DataFrame(rows)


def crossing(x: Sequence[float], a: np.ndarray, b: np.ndarray) -> Interval:
    """Return the last x at which the means of a and b are equal, their ratio being a power between two values of x.

    Parameters
    ----------
    x : sequence of float, > 0, increasing
    a, b : arrays, shape (replications, len(x)), with positive means
        Row by row from the same seeds.

    Returns
    -------
    Interval
        The jackknife's, in ln x; unknown where the means do not cross. Where some of the means with a run left out do
        not, its ends are those of x.
    """
    at = _crossed(x, a.mean(axis=0), b.mean(axis=0))
    if math.isnan(at):
        return Interval()
    runs = len(a)
    left = np.array([_crossed(x, *(np.delete(one, i, 0).mean(axis=0) for one in (a, b))) for i in range(runs)])
    if np.isnan(left).any():
        return Interval(math.exp(at), float(x[0]), float(x[-1]))
    se = math.sqrt((runs - 1) / runs * float(np.sum((left - left.mean()) ** 2)))
    half = float(half_width(se, runs))
    return Interval(math.exp(at), math.exp(at - half), math.exp(at + half), se)


def _crossed(x: Sequence[float], a: np.ndarray, b: np.ndarray) -> float:
    """The logarithm of the last crossing, NaN for none."""
    if min(a.min(), b.min()) <= 0:
        return math.nan
    apart, log_x = np.log(a / b), np.log(np.asarray(x, float))
    signs = np.flatnonzero(np.sign(apart[1:]) != np.sign(apart[:-1]))
    if not signs.size:
        return math.nan
    i = signs[-1]
    return float(log_x[i] + apart[i] / (apart[i] - apart[i + 1]) * (log_x[i + 1] - log_x[i]))
