"""How regret grows with 1/gap, 1/epsilon and T: the exponents that the theorems and the summary table claim.

The instance is that of the lower bounds: one arm pays x with probability p, four arms always pay 0. With u = 1 and
x = p^(-1/(1+v)) the gap is g = p^(v/(1+v)). Everything scales with the unit of reward, so we play p itself: Bernoulli
arms with means (p, 0, 0, 0, 0) and the moment u = p, and multiply the regret by x. Algorithms have their printed
c = 24 and beta = 1/T. The masses are 3/8 times powers of two, so that every one stands at the same place between two
epochs; the search for the worst one takes steps of a factor sqrt 2.

A point counts where the run has settled: its regret is below half of uniform play's. An exponent needs four points.
The schedule of an elimination does not depend on the rewards until an arm leaves, so runs hardly differ and five
are enough; the exponents are those of the schedule, as long as no mean errs: they are so by construction and decide no
claim. What a schedule adds up to is derived (`orders`).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from private_bandits import baselines
from private_bandits.papers import heavy_tailed as paper
from private_bandits.policy import Policy
from private_bandits.problems import Arms
from private_bandits_book.studies import Runner, key, simulated
from private_bandits_book.sweep import EPSILON, GAP, LEARNT, LEAST_RUNS, Form, RateFit, chosen, learnt, power
from private_bandits_book.verdicts import BY_CONSTRUCTION, MEASURED

N_ARMS = 5
_UCBS = paper.dp_robust_ucb(1.0, 1.0, 1.0, 2), paper.robust_ucb(1.0, 1.0, 2)
_LOCAL = [paper.ldp_robust_se(1.0, 1.0, 1.0, 0.5, variant=variant) for variant in ("repaired", "slide_rate")]
_POLICIES = [*_UCBS, *_LOCAL, paper.dp_robust_se(1.0, 1.0, 1.0, 0.5), paper.quantile_se(1.0, 0.5)]
_POLICIES += [paper.adap_robust_ucb(1.0, 1.0, 1.0, 2), paper.robust_se(1.0, 1.0, 0.5)]
_POLICIES += [baselines.dp_se(1.0, 2, 2), baselines.adap_ucb(1.0), baselines.ldp_ucb_response(1.0)]
NAMES = {key(policy): policy.name for policy in _POLICIES}
"""What policies are called, by what they are found by here and in the claims."""
UCB, PLAIN_UCB, LDP, SLIDE_LDP, DP, QUANTILE, EPISODES, PLAIN_SE, BOUNDED, BOUNDED_UCB, BOUNDED_LOCAL = NAMES
WORST, SMALL_GAP = "T, worst gap", "1/gap, small epsilon"
LOCAL_ROUNDS = 300_000  # of LDP-UCB-B, which is played round by round
_LOCAL_LEARNT = LEARNT / 5.0  # of LDP-UCB-B, so that its linear start counts for little
_DIFFER = 1e-6  # relative spread below which runs do not differ
_EPSILONS = tuple(2.0**-k for k in range(7))
_MASSES = tuple(0.375 * 2.0**-k for k in range(40))
_SWEPT = 28  # masses of the sweep over gaps
_GAPS = tuple(0.75 * 2.0**-k for k in range(3, 24))
_PRIVATE_GAP, _SMALL_EPSILONS = 0.75, tuple(2.0**-k for k in range(8, 15))
_PRIVATE_GAPS = tuple(_PRIVATE_GAP * 2.0**-k for k in range(4, 10))  # far above the smallest epsilon
_LOCAL_EPSILONS = tuple(2.0 ** (-k / 2) for k in range(7))
_LOCAL_GAPS = tuple(0.9 * 2.0 ** (-k / 2) for k in range(12))

MAKERS: dict[str, Callable[[float, float, float, int], Policy]] = {  # epsilon, v, u, horizon
    DP: lambda epsilon, v, u, horizon: paper.dp_robust_se(epsilon, v, u, 1.0 / horizon),
    LDP: lambda epsilon, v, u, horizon: paper.ldp_robust_se(epsilon, v, u, 1.0 / horizon),
    EPISODES: paper.adap_robust_ucb,
}


@dataclass
class Rates(Runner):
    """Measures exponents at one horizon, of at least 2 rounds, by independent runs of every point.

    The replications are those of LDP-UCB-B; the others take at most five.
    """

    _by_gap: dict[tuple[str, float, float], dict[float, np.ndarray]] = field(
        default_factory=dict, init=False, repr=False
    )

    def by_gap(self, name: str, v: float, epsilon: float = 1.0) -> dict[float, np.ndarray]:
        """Regret by gap, in units where u = 1: the gaps that settle, the largest first."""
        if (name, v, epsilon) not in self._by_gap:
            found = self._by_gap[name, v, epsilon] = {}
            for mass in _MASSES[:_SWEPT]:
                regret = self._settled(name, v, mass, epsilon)
                if regret is None:
                    break
                found[mass ** (v / (1.0 + v))] = regret * mass ** (-1.0 / (1.0 + v))
        return self._by_gap[name, v, epsilon]

    def exponents(self, v: float) -> list[RateFit]:
        """Every exponent of the algorithms for heavy tails at one v."""
        found: list[RateFit] = []
        for name in MAKERS:
            found += [
                _fit(name, v, GAP, list(self.by_gap(name, v).items())),
                _fit(name, v, EPSILON, [(e, self._settled(name, v, epsilon=e)) for e in _EPSILONS]),
                _fit(name, v, WORST, [(float(t), self._worst(name, v, t)) for t in _horizons(self.horizon)]),
            ]
        return found

    def bounded(self) -> list[RateFit]:
        """The exponents of DP-SE, AdaP-UCB and LDP-UCB-B, on Bernoulli arms: the context of the table's other half."""
        by_index = self._central(BOUNDED_UCB, lambda epsilon, horizon: baselines.adap_ucb(epsilon))
        by_epochs = self._central(BOUNDED, lambda epsilon, horizon: baselines.dp_se(epsilon, 2, horizon))
        return by_epochs + by_index + self._ldp_ucb()

    def _play(
        self,
        problem: Arms,
        policy: Policy,
        horizon: int,
        marks: Sequence[int] = (),
        runs: int = LEAST_RUNS,
        n_jobs: int = 1,
    ) -> np.ndarray:
        data = simulated(
            problem,
            policy,
            horizon=horizon,
            replications=min(self.replications, runs),
            seed=self.seed,
            checkpoints=marks or [horizon],
            n_jobs=n_jobs,
        )
        return np.asarray(data.regret.values)

    def _settled(self, name: str, v: float, mass: float = _MASSES[0], epsilon: float = 1.0) -> np.ndarray | None:
        """Regret at the horizon with x = 1."""
        problem, policy = _two_point(mass), MAKERS[name](epsilon, v, mass, self.horizon)
        return _if_settled(problem, self._play(problem, policy, self.horizon)[:, -1], self.horizon)

    def _worst(self, name: str, v: float, horizon: int) -> np.ndarray | None:
        """Regret at the gap where it is largest; None where that is the largest gap of all, so nothing settles.

        The gap is chosen on one half of the runs and measured on the other.
        """
        finals: dict[float, np.ndarray] = {}

        def regret(place: float) -> float:
            mass = _MASSES[0] * 2.0**-place
            policy = MAKERS[name](1.0, v, mass, horizon)
            played = self._play(_two_point(mass), policy, horizon, runs=2 * LEAST_RUNS)[:, -1]
            finals[place] = played * mass ** (-1.0 / (1.0 + v))
            return float(finals[place][::2].mean())

        most = 0.0
        for step, mass in enumerate(_MASSES):
            if _two_point(mass).uniform_regret() * horizon * mass ** (-1.0 / (1.0 + v)) < most:
                break
            most = max(most, regret(step))
        coarse = list(finals)[chosen(list(finals.values()))[0]]
        if coarse == 0:
            return None
        for place in (coarse - 0.5, coarse + 0.5):
            regret(place)
        return _half(list(finals.values()))[1]

    def _central(self, name: str, make: Callable[[float, int], Policy]) -> list[RateFit]:
        def regret(gap: float, epsilon: float, horizon: int) -> np.ndarray:
            return self._play(_two_arms(gap), make(epsilon, horizon), horizon, runs=4 * LEAST_RUNS)[:, -1]

        def settled(gap: float, epsilon: float) -> np.ndarray | None:
            return _if_settled(_two_arms(gap), regret(gap, epsilon, self.horizon), self.horizon)

        worst = [(float(t), _inner_worst([regret(gap, 1.0, t) for gap in _GAPS])) for t in _horizons(self.horizon)]
        return [
            _fit(name, math.nan, GAP, [(gap, settled(gap, 1.0)) for gap in _GAPS]),
            # ln T / gap + ln T / epsilon does not move here, where their product would
            _fit(name, math.nan, SMALL_GAP, [(1.0 / g, settled(g, _SMALL_EPSILONS[-1])) for g in _PRIVATE_GAPS]),
            # so small that the private part of an epoch, 1/epsilon, dominates
            _fit(name, math.nan, EPSILON, [(e, settled(_PRIVATE_GAP, e)) for e in _SMALL_EPSILONS]),
            _fit(name, math.nan, WORST, worst),
        ]

    def _ldp_ucb(self) -> list[RateFit]:
        rounds = min(self.horizon, LOCAL_ROUNDS)
        marks = sorted({max(1, round(rounds / 10 ** (k / 4))) for k in range(7)})

        def curves(gap: float, epsilon: float) -> np.ndarray:
            policy = baselines.ldp_ucb_response(epsilon)
            return self._play(_two_arms(gap), policy, rounds, marks, self.replications, self.n_jobs)

        def settled(gap: float, runs: np.ndarray) -> np.ndarray | None:
            return _if_settled(_two_arms(gap), runs[:, -1], rounds, _LOCAL_LEARNT)

        at_one, largest = {gap: curves(gap, 1.0) for gap in _LOCAL_GAPS}, _LOCAL_GAPS[0]
        by_gap = [(gap, settled(gap, runs)) for gap, runs in at_one.items()]
        by_epsilon = [(epsilon, settled(largest, curves(largest, epsilon))) for epsilon in _LOCAL_EPSILONS]
        worst = [(float(t), _inner_worst([runs[:, k] for runs in at_one.values()])) for k, t in enumerate(marks)]
        found = ((GAP, by_gap), (EPSILON, by_epsilon), (WORST, worst))
        return [_fit(BOUNDED_LOCAL, math.nan, quantity, points) for quantity, points in found]


def named(frame: pd.DataFrame) -> pd.DataFrame:
    """Return rows that have keys with what their policies are called before them."""
    frame.insert(0, "policy", frame["key"].map(NAMES))
    return frame


def claimed(name: str, quantity: str, v: float, *, printed: bool) -> float:
    """The exponent that the slides state of an algorithm, or the corrected one; nan where they state none."""
    if name in (BOUNDED, BOUNDED_UCB, BOUNDED_LOCAL):
        return {GAP: 1.0, SMALL_GAP: 0.0, EPSILON: 2.0 if name == BOUNDED_LOCAL else 1.0, WORST: 0.5}[quantity]
    if name == EPISODES and printed:
        return math.nan
    local = name == LDP
    as_central = printed or not local
    return {
        GAP: 1.0 / v if as_central else 1.0 + 2.0 / v,
        EPSILON: 2.0 if local else 1.0,
        WORST: 1.0 / (1.0 + v) if as_central else (2.0 + v) / (2.0 + 2.0 * v),
    }[quantity]


def form(quantity: str, exponent: float) -> Form:
    """The law that an exponent of an algorithm stands for, with its logarithms.

    At the worst gap regret goes as T (K ln T / T)^(1 - exponent).
    """
    if quantity == WORST:
        rest = 1.0 - exponent
        return Form(f"T^{exponent:.3g} (ln T)^{rest:.3g}", lambda t: t**exponent * math.log(t) ** rest)
    return power(quantity, exponent)


def evidence(fit: RateFit) -> str:
    """By construction where runs do not differ: the exponent is that of the schedule."""
    if fit.fit is None:
        return ""
    wide = fit.fit.high - fit.fit.low > _DIFFER * abs(fit.fit.measured)
    return MEASURED if wide else BY_CONSTRUCTION


def _two_point(mass: float) -> Arms:
    return Arms.bernoulli(np.array([mass, *[0.0] * (N_ARMS - 1)]))


def _two_arms(gap: float) -> Arms:
    return Arms.bernoulli(np.array([(1.0 + gap) / 2.0, (1.0 - gap) / 2.0]))


def _horizons(longest: int) -> list[int]:
    """Half a decade apart, over at most seven decades, the longest last."""
    return [t for t in (round(longest / 10 ** (k / 2)) for k in range(14, -1, -1)) if t >= 100]


def _if_settled(problem: Arms, final: np.ndarray, horizon: int, share: float = LEARNT) -> np.ndarray | None:
    return final if learnt(final.mean(), problem.uniform_regret() * horizon, share) else None


def _inner_worst(finals: Sequence[np.ndarray]) -> np.ndarray | None:
    """The largest regret of several gaps, by `_half`; None at an end of them, where another gap may be worse."""
    place, measured = _half(finals)
    return measured if 0 < place < len(finals) - 1 else None


def _half(finals: Sequence[np.ndarray]) -> tuple[int, np.ndarray | None]:
    """What is `chosen`; no measurement where runs differ and are too few for two halves."""
    place, measured = chosen(finals)
    differ = np.ptp(finals[place]) > _DIFFER * np.mean(finals[place])
    return place, None if differ and len(measured) < LEAST_RUNS else measured


def _fit(name: str, v: float, quantity: str, found: Sequence[tuple[float, np.ndarray | None]]) -> RateFit:
    """The exponent over what is swept: gaps, epsilons, horizons, or the quantity itself."""
    return RateFit.over({"key": name, "policy": NAMES[name], "v": v}, quantity, found)
