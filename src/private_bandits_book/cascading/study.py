"""What the chapter on Wang et al. (2021) measures: their experiments in three variants, and the ones they lack.

A run's variant is *published* (noise and bonus times 0.01, as the paper ran them), *stated* (the noise its theorems
need) or *repaired* (ours); a baseline has none. Every run is kept by replication, so that a figure and a verdict come
from the same numbers.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from private_bandits.kernels import index, releases
from private_bandits.papers import cascading as paper
from private_bandits.policy import Policy
from private_bandits.problems import Cascade, SemiBandit
from private_bandits.simulate import Problem
from private_bandits_book import studies
from private_bandits_book.cascading import keys
from private_bandits_book.studies import LongRun, Run, Runner, Runs, key, long_study, looked, means
from private_bandits_book.sweep import DELTA, EPSILON, LEAST_RUNS, LOG, SIZE, Sweep, interleaved, learnt

PUBLISHED = 0.01
CENTRAL_DESIGNS = ("keep", "forget", "counter")
VARIANTS = {"published": PUBLISHED, "stated": 1.0}
_COARSE = 5  # the steps of Figure 1(e) between two points of all but the published noise
_ANCHOR_RUNS = 100


@dataclass
class Study(studies.Study):
    """The chapter's parameters, and every run made at them."""

    chapter = "cascading"
    central_epsilons: list[float]
    cucb_epsilons: list[float]
    items_epsilon: float
    sizes_epsilon: float
    sweep_step: float
    sweep_stop: float
    n_items: int
    list_size: int
    item_counts: list[int]
    list_sizes: list[int]
    p: float
    gap: float
    delta: float

    @property
    def epsilon(self) -> float:
        """The epsilon at which privacy is promised in the ledger."""
        return self.epsilons[0]

    @property
    def design_epsilons(self) -> list[float]:
        """Those of the local and of the central panels, and one twice as large."""
        known = {*self.epsilons, *self.central_epsilons}
        return sorted(known | {2.0 * max(known)})

    def problem(self, list_size: int | None = None, n_items: int | None = None) -> Cascade:
        """B_LB at the chapter's weights."""
        return paper.b_lb(n_items or self.n_items, list_size or self.list_size, self.p, self.gap)

    @cached_property
    def local(self) -> dict[float, Runs]:
        """Figures 1(a)-(d): the local algorithms, by epsilon."""
        often = 2 * self.headline_replications  # Laplace and Gaussian at the published noise differ by a hundredth
        return {epsilon: self._local(epsilon, self.list_size, often) for epsilon in self.epsilons}

    @cached_property
    def sizes(self) -> dict[int, Runs]:
        """Figures 2(a)-(d): the local algorithms, by list size; one that Figure 1 has too is the same."""
        epsilon = self.sizes_epsilon
        known = {self.list_size: self.local[epsilon]} if epsilon in self.epsilons else {}
        return {size: known[size] if size in known else self._local(epsilon, size) for size in self.list_sizes}

    @cached_property
    def sweep(self) -> Runs:
        """Figure 1(e): regret against epsilon; all but the published noise at every fifth step and the last."""
        problem, size = self.problem(), self.list_size
        runs = self._baselines(problem, paper.cascade_ucb1())
        steps = round(self.sweep_stop / self.sweep_step)
        for i in range(1, steps + 1):
            epsilon = round(i * self.sweep_step, 10)
            everywhere = i % _COARSE == 0 or i == steps
            for variant, factor in VARIANTS.items():
                if variant == "published" or everywhere:
                    first = local_policies(epsilon, self.delta, size, factor)[:2]
                    often = max(2, self.replications // 2) if variant == "published" else None  # ten, as in the paper
                    runs += [self.run(problem, policy, variant, replications=often) for policy in first]
            if everywhere:
                runs.append(self.run(problem, paper.repaired_local(epsilon, size), "repaired"))
        return runs

    @cached_property
    def central(self) -> Runs:
        """Figure 1(f): the central algorithms at several epsilons."""
        return self._central(self.n_items, self.central_epsilons, {})

    @cached_property
    def items(self) -> Runs:
        """Figure 1(g): the central algorithms against the number of items."""
        counts, epsilons = self.item_counts, [self.items_epsilon]
        return Runs(run for n in counts for run in self._central(n, epsilons, {"n_items": n}))

    @cached_property
    def cucb(self) -> dict[float, Runs]:
        """Figures 1(h) and 1(i): CUCB on the same means as a top-K semi-bandit, by epsilon."""
        return {epsilon: self._cucb(epsilon) for epsilon in self.cucb_epsilons}

    @cached_property
    def local_designs(self) -> Runs:
        """The local repairs against each other: at the chapter's list size and epsilons, then along Figure 2."""
        settings = [(self.list_size, epsilon) for epsilon in self.epsilons]
        settings += [(size, self.sizes_epsilon) for size in self.list_sizes]
        return Runs(
            self._often(self.problem(size), policy, design, {"list_size": size})
            for size, epsilon in dict.fromkeys(settings)
            for design, policy in local_designs(epsilon, self.delta, size).items()
        )

    @cached_property
    def control(self) -> Runs:
        """Without privacy, clicks read per examination, and per display: the negative control."""
        return Runs(
            self.run(self.problem(size), paper.repaired_padded(math.inf, size, over=over), over, {"list_size": size})
            for size in self.list_sizes
            for over in ("examinations", "displays")
        )

    @cached_property
    def central_designs(self) -> Runs:
        """The central repairs against each other, and the local one, which is centrally private too."""
        problem, arguments = self.problem(), (self.n_items, self.list_size, self.horizon)
        runs = Runs()
        for epsilon in self.design_epsilons:
            runs.append(self._often(problem, paper.repaired_local(epsilon, self.list_size), "local"))
            for design in CENTRAL_DESIGNS:
                runs.append(self._often(problem, paper.repaired_central(epsilon, *arguments, design), design))
        return runs

    @cached_property
    def ablation(self) -> Runs:
        """What the local repair changes in Algorithm 2, one thing after the other, with and without privacy."""
        problem, size = self.problem(), self.list_size
        return Runs(
            self._often(problem, policy, step)
            for epsilon in (*self.epsilons, math.inf)
            for step, policy in ablation(epsilon, size).items()
        )

    @cached_property
    def anchor(self) -> Run:
        """CascadeUCB1 on B_LB(16, 4, 0.2, 0.15), as in Table 1 of Kveton et al. (2015)."""
        player = Runner(self.horizon, _ANCHOR_RUNS, self.seed, self.n_jobs)
        return player.run(paper.b_lb(16, 4, 0.2, 0.15), paper.cascade_ucb1())

    @cached_property
    def learning(self) -> pd.DataFrame:
        """The longer study of when honest privacy starts to learn."""
        return self.long_study("learning")

    @cached_property
    def growth(self) -> pd.DataFrame:
        """The longer study of how regret grows."""
        return self.long_study("growth")

    def _often(self, problem: Problem, policy: Policy, variant: str, swept: Mapping[str, float] | None = None) -> Run:
        """A run, often enough for a number in the findings where it is of what they speak of."""
        headline = key(policy) == keys.FIRST and math.isfinite(policy.privacy.epsilon)
        if (problem.n_items, problem.list_size) == (self.n_items, self.list_size):
            headline |= key(policy) in (keys.FIRST, keys.CENTRAL, keys.PLAIN)
        return self.run(problem, policy, variant, swept, replications=self.headline_replications if headline else None)

    def _local(self, epsilon: float, size: int, published: int | None = None) -> Runs:
        """A local panel; `published` is how often its first two policies are run at the published noise."""
        problem = self.problem(size)
        runs = self._baselines(problem, paper.cascade_ucb1())
        for variant, factor in VARIANTS.items():
            for place, policy in enumerate(local_policies(epsilon, self.delta, size, factor)):
                often = published if variant == "published" and place < 2 else None
                runs.append(self.run(problem, policy, variant, replications=often))
        for each in (math.inf, epsilon):
            runs.append(self._often(problem, paper.repaired_local(each, size), "repaired"))
        return runs

    def _central(self, n_items: int, epsilons: Sequence[float], swept: Mapping[str, float]) -> Runs:
        problem = self.problem(n_items=n_items)
        runs = self._baselines(problem, paper.cascade_ucb1(), swept)
        for epsilon in epsilons:
            for variant, factor in VARIANTS.items():
                for hybrid in ("printed", "proof"):
                    policy = paper.ucb_hybrid(epsilon, n_items, self.horizon, factor, hybrid)
                    runs.append(self.run(problem, policy, variant, swept))
            repaired = paper.repaired_central(epsilon, n_items, self.list_size, self.horizon)
            runs.append(self._often(problem, repaired, "repaired", swept))
        return runs

    def _cucb(self, epsilon: float) -> Runs:
        problem = paper.b_lb_semi(self.n_items, self.list_size, self.p, self.gap)
        arguments = (self.delta, self.n_items, self.list_size)
        runs = self._baselines(problem, paper.cucb_gaussian(math.inf, *arguments))
        for variant, factor in VARIANTS.items():
            runs.append(self.run(problem, paper.cucb_gaussian(epsilon, *arguments, factor), variant))
        repaired = [paper.cucb_gaussian(epsilon, *arguments, variant="repaired")]
        repaired.append(paper.repaired_local(epsilon, self.list_size))
        return Runs([*runs, *(self._often(problem, policy, "repaired") for policy in repaired)])

    def _baselines(self, problem: Problem, plain: Policy, swept: Mapping[str, float] | None = None) -> Runs:
        return Runs(self._often(problem, policy, "", swept) for policy in (plain, paper.uniform()))


def local_policies(epsilon: float, delta: float, size: int, factor: float = 1.0) -> list[Policy]:
    """Return the paper's local algorithms: Laplace noise, Gaussian noise, and Laplace noise by composition."""
    private = (epsilon, delta, size, factor)
    return [paper.ucb_laplace(epsilon, size, factor), paper.ucb_gaussian(*private), paper.ucb_composition(*private)]


def local_designs(epsilon: float, delta: float, size: int) -> dict[str, Policy]:
    """Return the local repairs by name."""
    return {
        "first": paper.repaired_local(epsilon, size),
        "padded": paper.repaired_padded(epsilon, size),
        "padded Gaussian": paper.repaired_padded(epsilon, size, delta),
        "one number": ablation(epsilon, size)["tight radius"],
    }


def ablation(epsilon: float, size: int) -> dict[str, Policy]:
    """Return the steps from Algorithm 2 to the local repair: the order, the one answer, its radius, the bit.

    The second is none: it forces the 3 ln t observations of every item that the proof of Theorem 4 needs.
    """
    stated, alone = (paper.ucb_laplace(epsilon, length) for length in (size, 1))
    if math.isinf(epsilon):
        stated = paper.cascade_ucb1()
    ordered = stated.record._replace(reports=index.REORDERED)
    asked = alone.record._replace(reports=index.FIRST, observe_first=False, list_size=size)
    alone = replace(alone, method="first", privacy=paper.repaired_local(epsilon, size).privacy)
    tight = paper.repaired_local(epsilon, size)
    if math.isfinite(epsilon):
        blocks = releases.Record(releases.KEEP, 1.0 / epsilon, list_size=size)  # of one answer
        tight = replace(alone, kernel=releases, record=blocks)
    return {
        "as stated": stated,
        "as stated, forced": replace(stated, method="forced", record=stated.record._replace(forced=3.0)),
        "least observed first": replace(stated, method="reordered", record=ordered),
        "first item only": replace(alone, record=asked),
        "tight radius": replace(alone, method="first, tight", kernel=tight.kernel, record=tight.record),
        "one bit": paper.repaired_local(epsilon, size),
    }


# --- longer studies, run by `private-bandits reproduce cascading --long`

LEARNING_HORIZON, GROWTH_HORIZON = 100_000_000, 50_000_000
LONG_SEED = 20211
LEARNING_INSTANCE = (20, 4, 0.2, 0.15)
"""L, K, p and gap of the figures at their default parameters."""
LEARNING_DELTA = 1e-3
_GROWTH_OTHERS, GROWTH_P, _GROWTH_GAP = 8, 0.2, 0.19


def learning_problem() -> Cascade:
    """The instance of the figures at their default parameters."""
    return paper.b_lb(*LEARNING_INSTANCE)


def growth_cascade(list_size: int) -> Cascade:
    """Eight items to rule out, whatever the list size."""
    return paper.b_lb(list_size + _GROWTH_OTHERS, list_size, GROWTH_P, _GROWTH_GAP)


def growth_semi_bandit(list_size: int) -> SemiBandit:
    """The means of `growth_cascade` as a top-K semi-bandit."""
    return paper.b_lb_semi(list_size + _GROWTH_OTHERS, list_size, GROWTH_P, _GROWTH_GAP)


def learning_runs() -> list[LongRun]:
    """To T = 10^8 on the instance of the figures: when does honest privacy start to learn?"""
    n_items, size, *_ = LEARNING_INSTANCE
    problem, horizon = learning_problem(), LEARNING_HORIZON
    policies = [paper.cascade_ucb1(), paper.repaired_local(math.inf, size)]
    for epsilon in (0.2, 1.0):
        policies += [
            *local_policies(epsilon, LEARNING_DELTA, size)[:2],
            paper.repaired_local(epsilon, size),
            paper.ucb_hybrid(epsilon, n_items, horizon),
            paper.ucb_hybrid(epsilon, n_items, horizon, variant="proof"),
            paper.repaired_central(epsilon, n_items, size, horizon),
        ]
    for epsilon in (0.1, 0.5, 2.0):
        policies += [paper.repaired_local(epsilon, size), paper.repaired_central(epsilon, n_items, size, horizon)]
    return [_long(problem, policy, horizon) for policy in policies]


_MAKERS: dict[str, Callable[[float, float, int], Policy]] = {  # by epsilon, delta and list size
    "ucb_laplace": lambda epsilon, _, size: paper.ucb_laplace(epsilon, size),
    "ucb_gaussian": paper.ucb_gaussian,
    "ucb_composition": paper.ucb_composition,
    "repaired_local": lambda epsilon, _, size: paper.repaired_local(epsilon, size),
    "cucb_gaussian": lambda epsilon, delta, size: paper.cucb_gaussian(epsilon, delta, size + _GROWTH_OTHERS, size),
}
"""The algorithms of the study of growth, as claims name them; the last one plays on a semi-bandit."""
_SWEPT = {SIZE: (2, 4, 8), EPSILON: (0.5, 1.0, 2.0), LOG: (GROWTH_HORIZON,), DELTA: (1e-2, LEARNING_DELTA, 1e-5)}
_USUAL = {SIZE: 4, EPSILON: 1.0, DELTA: LEARNING_DELTA}
BOUND_CASE = {SIZE: 2, EPSILON: 4.0, DELTA: LEARNING_DELTA}
"""Where no printed bound is vacuous, and regret is followed as ln t grows."""


def growth_problem(algorithm: str, list_size: int) -> Cascade | SemiBandit:
    """What an algorithm of the study of growth plays on."""
    return (growth_semi_bandit if algorithm == "cucb_gaussian" else growth_cascade)(list_size)


def growth_sweep(algorithm: str, quantity: str) -> Sweep:
    """One sweep of the study of growth; in ln T along the curve of one run."""
    usual = BOUND_CASE if quantity == LOG else _USUAL

    def run(value: float) -> list[LongRun]:
        size, epsilon, delta = (value if name == quantity else usual[name] for name in (SIZE, EPSILON, DELTA))
        policy = _MAKERS[algorithm](epsilon, delta, int(size))
        return [_long(growth_problem(algorithm, int(size)), policy, GROWTH_HORIZON, start=1000)]

    column = {SIZE: "list_size", LOG: "t"}.get(quantity, "")
    told = run(_SWEPT[quantity][0])[0].labels
    labels = {name: told[name] for name in ("policy", "epsilon", "delta", "list_size")}
    sweep = Sweep(labels, quantity, _SWEPT[quantity], run, column=column)
    return sweep._replace(labels={name: value for name, value in labels.items() if name != sweep.swept})


def growth_runs() -> list[LongRun]:
    """How regret grows with K and 1/epsilon, where the noise dominates and the items have been told apart."""
    groups = [[growth_sweep(each, quantity) for each in _MAKERS] for quantity in (SIZE, EPSILON, LOG)]
    return [*interleaved(*groups, [growth_sweep("ucb_gaussian", DELTA)]), hybrid_run()]


def hybrid_run() -> LongRun:
    """The hybrid of the proof of Theorem 2 where it learns: ten items, lists of two, epsilon 20."""
    problem = growth_cascade(2)
    policy = paper.ucb_hybrid(20.0, problem.n_items, GROWTH_HORIZON, variant="proof")
    return _long(problem, policy, GROWTH_HORIZON, start=1000)


def long_studies() -> dict[str, Callable[..., pd.DataFrame]]:
    """Return the longer studies by name; each takes `progress`, whether to show a bar."""
    return {"learning": long_study("learning", learning_runs), "growth": long_study("growth", growth_runs)}


def _long(problem: Problem, policy: Policy, horizon: int, start: int = 1) -> LongRun:
    privacy = policy.privacy
    labels = {"policy": policy.name, "epsilon": privacy.epsilon, "delta": privacy.delta}
    labels |= {"effective_epsilon": privacy.effective_epsilon, "n_items": problem.n_items}
    labels |= {"list_size": problem.list_size}
    return LongRun(labels, problem, policy, horizon, LONG_SEED, LEAST_RUNS, start=start)


def summary(study: pd.DataFrame) -> pd.DataFrame:
    """Return the mean curves of the learning study, tidy, with uniform play beside them."""
    frame = means(study, ["policy", "epsilon", "effective_epsilon", "t"])
    frame = looked(frame, learning_runs(), ["policy", "epsilon"])
    t, replications = frame["t"].unique(), frame["replications"].iloc[0]
    play = pd.DataFrame({"policy": "uniform", "epsilon": math.inf, "effective_epsilon": 0.0, "t": t, "trust": "none"})
    play = play.assign(key=keys.UNIFORM, family="uniform", regret_se=0.0, replications=replications)
    play["regret"] = learning_problem().uniform_regret() * t
    return pd.concat([frame, play], ignore_index=True)


def learning_times(study: pd.DataFrame) -> pd.DataFrame:
    """Return when each policy of the learning study starts to learn, and what it has lost by the end.

    A policy starts to learn at the first checkpoint from which it loses less than half of what uniform play loses
    per round, for good.
    """
    frame = summary(study)
    uniform = learning_problem().uniform_regret()
    rows = []
    for (policy, epsilon), part in frame[frame["key"] != keys.UNIFORM].groupby(["key", "epsilon"], sort=False):
        part = part.sort_values("t")
        t, regret, last = part["t"].to_numpy(), part["regret"].to_numpy(), part.iloc[-1]
        slow = learnt(np.diff(regret) / np.diff(t), uniform)
        began = len(slow) - int(np.argmin(slow[::-1])) if not slow.all() else 0
        rows.append(
            {
                "key": policy,
                "policy": last["policy"],
                "epsilon": epsilon,
                "effective_epsilon": last["effective_epsilon"],
                "learns_from": float(t[began]) if began < len(slow) else math.nan,
                "regret": last["regret"],
                "regret_se": last["regret_se"],
                "over_uniform": last["regret"] / (uniform * t[-1]),
                "replications": last["replications"],
            }
        )
    return pd.DataFrame(rows)
