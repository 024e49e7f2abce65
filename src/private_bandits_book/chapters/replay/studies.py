"""The longer studies of the page on replay: the choice of two rules, the measurement on other instances, and lists.

`private-bandits reproduce replay --long` makes them. The page and its rules need means, the worst run and the number
of linear ones, so a policy on an instance is one row.
"""

import math
from collections.abc import Sequence
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd

from private_bandits import baselines
from private_bandits.baselines import replayed as replayer
from private_bandits.estimates import Interval, half_width
from private_bandits.papers import cascading, semibandits
from private_bandits.policy import Policy
from private_bandits.privacy.divergences import private_kl
from private_bandits.problems import Arms, SemiBandit
from private_bandits.streams import streams
from private_bandits_book.judging import Less, Ruling, not_shown
from private_bandits_book.rivals.replay_batches import KnownNoise, OneDraw
from private_bandits_book.rivals.single_observation import OneItem
from private_bandits_book.studies import LongRun, LongStudy, play_long

CHOOSING = {"two": (0.6, 0.5), "ladder": (0.9, 0.8, 0.7, 0.6), "one": (0.75, *[0.25] * 4), "close": (0.55, 0.5, 0.5)}
"""The instances on which the rule was chosen."""
PAPERS = {
    "C1": (0.75, 0.7, 0.7, 0.7, 0.7),
    "C2": (0.75, 0.625, 0.5, 0.375, 0.25),
    "C3": (0.75, 0.53125, 0.375, 0.28125, 0.25),
    "C4": (0.75, 0.71875, 0.625, 0.46875, 0.25),
}
"""Those of Sajed and Sheffet (2019), which Azize and Basu (2022) use too."""
UNTRIED = {
    "near 1": (0.99, 0.97, 0.95, 0.9),
    "two near 1": (0.99, 0.95),
    "near 0": (0.05, 0.03, 0.01, 0.01, 0.01),
    "two alike": (0.5, 0.49),
}
"""Instances that show where either of two policies is ahead."""
FRESH_SEED, FRESH_EPSILONS, FRESH_RUNS = 2028, (0.3, 1.0), 30
SEED, RUNS, CHOICE_HORIZON, HORIZON = 44, 100, 20_000, 100_000
TUNING_SEED, TUNING_RUNS = 45, 500  # enough runs to tell one linear run in 500 from two
FIRSTS, LEVELS = (0.0, 1.0, 2.0, 4.0, 8.0), (0.4, 0.6, 0.8, 1.0)  # of DP-KLUCB, that were tried
FIRST, LEVEL = 4.0, 0.6  # chosen of these
TUNED = "phases double, tuned"  # the variant of DP-KLUCB with them
TUNED_NAME = f"DP-KLUCB({LEVEL:g})"
SHOWN = {
    TUNED_NAME: "DP-KLUCB, our version, tuned",
    "DP-KLUCB": "DP-KLUCB, our version, untuned",
} | {name: f"{name}, as proved" for name in ("AdaP-KLUCB", "AdaP-UCB", "DP-SE", "UCB(3), replayed")}
"""Policies by the names that say whose numbers they have: ours, or those of a theorem."""
CLOSE = ("R0", "R4")  # whose best two arms nobody can tell apart at this horizon
EPSILONS, HORIZONS, COSTS, GROWTHS = (
    (0.05, 0.1, 0.3, 1.0, 5.0),
    (10**3, 10**4, 10**6),
    (0.5, 1.0, 2.0, 4.0),
    (0.5, 1.0, 2.0),
)


def drawn() -> dict[str, tuple[float, ...]]:
    """Return ten instances of 2 to 10 arms with uniform means, drawn once from seed 44, before any run on them."""
    rng = np.random.default_rng(44)
    sizes = rng.integers(2, 11, 10)
    return {f"R{i}": tuple(np.sort(rng.random(size))[::-1].round(3).tolist()) for i, size in enumerate(sizes)}


def fresh() -> dict[str, tuple[float, ...]]:
    """Return twelve instances drawn once from a seed, before any run on them; the best mean of six is near 1.

    Of these six the best mean is uniform in [0.97, 1], and one to four others are uniform in [0.01, 0.1] below it; the
    other six have two to eight uniform means.
    """
    rng, made = np.random.default_rng(FRESH_SEED), {}
    for i in range(6):
        best = rng.uniform(0.97, 1.0)
        others = best - rng.uniform(0.01, 0.1, rng.integers(1, 5))
        made[f"N{i}"] = tuple(sorted(np.round([best, *others], 3).tolist(), reverse=True))
    for i in range(6):
        made[f"U{i}"] = tuple(sorted(rng.random(rng.integers(2, 9)).round(3).tolist(), reverse=True))
    return made


def instances() -> dict[str, tuple[float, ...]]:
    """Return the instances on which the rule is judged."""
    return PAPERS | drawn()


def play(run: LongRun, n_jobs: int = -1) -> pd.DataFrame:
    """Play a run: a row of mean regret, its standard error, the worst run, and how many are linear.

    A run is linear if its regret is at least half of T times the smallest gap.
    """
    regret, means = play_long(run, n_jobs)["regret"], np.unique(run.problem.means)
    linear = int((regret >= (means[-1] - means[-2]) * run.horizon / 2).sum())
    row = {"regret": regret.mean(), "regret_se": regret.sem(), "worst": regret.max(), "linear": linear}
    return pd.DataFrame([{**row, "replications": len(regret)}])


def _long(instance: str, problem: Any, policy: Any, horizon: int, **labels: Any) -> LongRun:
    arms = Arms.bernoulli(np.array(problem)) if isinstance(problem, tuple) else problem  # means
    labels |= {"instance": instance, "horizon": horizon}
    runs = RUNS if isinstance(policy, Policy) else RUNS // 5
    return LongRun(labels, arms, policy, horizon, SEED, runs, checkpoints=())


def first_batch(epsilon: float, horizon: int, factor: float = 1.0) -> int:
    """Return a multiple of the first batch of replay's rule, at least 1."""
    rule = baselines.replay(baselines.thompson(), epsilon, horizon=horizon).record
    return max(1, math.ceil(factor * rule.first))


def tuned(epsilon: float, horizon: int) -> Policy:
    """Return DP-KLUCB with what was chosen of `tuning_runs`: a multiple of the first batch of replay, and a level."""
    return baselines.dp_klucb(epsilon, first=first_batch(epsilon, horizon, FIRST), level=LEVEL)


def proved(epsilon: float, horizon: int) -> Policy:
    """Return replay around UCB with the constants for which Theorem 2 bounds its regret."""
    cost = 9.0 * math.log(horizon) / epsilon**2
    return baselines.replay(baselines.ucb(alpha=3.0, horizon=horizon), epsilon, horizon=horizon, cost=cost)


def private(epsilon: float, n_arms: int, horizon: int) -> list[Policy]:
    """Return the private policies that are compared: two replayed, then those of other papers."""
    return [
        baselines.replay(baselines.thompson(), epsilon, horizon=horizon),
        baselines.replay(baselines.ucb(alpha=0.5), epsilon, horizon=horizon),
        baselines.dp_klucb(epsilon),
        baselines.adap_klucb(epsilon),
        baselines.adap_ucb(epsilon),
        baselines.dp_se(epsilon, n_arms=n_arms, horizon=horizon),
    ]


def choice_runs() -> list[LongRun]:
    """Thompson sampling replayed with twelve rules: cost = factor ln T / epsilon^2, and growth."""
    made = []
    for (name, means), epsilon in product(CHOOSING.items(), (0.1, 0.5, 2.0)):
        for factor, growth in product(COSTS, GROWTHS):
            cost = factor * math.log(CHOICE_HORIZON) / epsilon**2
            policy = baselines.replay(baselines.thompson(), epsilon, horizon=CHOICE_HORIZON, growth=growth, cost=cost)
            made.append(_long(name, means, policy, CHOICE_HORIZON, factor=factor, growth=growth))
    return made


def tuning_runs() -> list[LongRun]:
    """DP-KLUCB with twenty rules where replay's rule was chosen, and that rule once more, with new and more runs.

    A rule has a first batch, `factor` times that of replay or one pull (0), and a level.
    """
    made = []
    for (name, means), epsilon in product(CHOOSING.items(), (0.1, 0.5, 2.0)):
        replayed = baselines.replay(baselines.thompson(), epsilon, horizon=CHOICE_HORIZON)
        made.append(_long(name, means, replayed, CHOICE_HORIZON, factor=1.0, level=math.nan))
        for factor, level in product(FIRSTS, LEVELS):
            policy = baselines.dp_klucb(epsilon, first=first_batch(epsilon, CHOICE_HORIZON, factor), level=level)
            made.append(_long(name, means, policy, CHOICE_HORIZON, factor=factor, level=level))
    return [run._replace(seed=TUNING_SEED, replications=TUNING_RUNS) for run in made]


def measurement_runs() -> list[LongRun]:
    """Every private policy on every instance, at T = 10^5, with those without privacy."""
    made = []
    for name, means in instances().items():
        policies = [baselines.thompson(), baselines.ucb(alpha=0.5)]
        policies += [policy for epsilon in EPSILONS for policy in private(epsilon, len(means), HORIZON)]
        made += [_long(name, means, policy, HORIZON) for policy in policies]
    for (name, means), epsilon in product(instances().items(), EPSILONS):
        made += [_long(name, means, make(epsilon, HORIZON), HORIZON) for make in (tuned, proved)]
    return made


def horizon_runs() -> list[LongRun]:
    """Other horizons, on C1 and C2 at epsilon 0.1 and 1; and KL-UCB on C2 at T = 10^5."""
    made = []
    for name, horizon in product(("C1", "C2"), HORIZONS):
        policies = [baselines.thompson(), *private(0.1, 5, horizon), *private(1.0, 5, horizon)]
        made += [_long(name, PAPERS[name], policy, horizon) for policy in policies]
    policies = [baselines.kl_ucb(), *(baselines.replay(baselines.kl_ucb(), e, horizon=HORIZON) for e in (0.1, 1.0))]
    made += [_long("C2", PAPERS["C2"], policy, HORIZON) for policy in policies]
    for name, horizon, epsilon in product(("C1", "C2"), HORIZONS, (0.1, 1.0)):
        made.append(_long(name, PAPERS[name], tuned(epsilon, horizon), horizon))
    return made


def untried_runs() -> list[LongRun]:
    """Replay and DP-KLUCB, as it comes and tuned, on instances that show where either is ahead."""
    made = []
    for (name, means), epsilon in product(UNTRIED.items(), (0.1, 0.3, 1.0)):
        replayed = baselines.replay(baselines.thompson(), epsilon, horizon=HORIZON)
        made.append(_long(name, means, replayed, HORIZON)._replace(replications=2 * RUNS))
        rivals = baselines.dp_klucb(epsilon), tuned(epsilon, HORIZON)
        made += [_long(name, means, rival, HORIZON)._replace(replications=10 * RUNS) for rival in rivals]
    return made


def cause_runs() -> list[LongRun]:
    """Replay around Thompson sampling with a best mean near 1, and with one thing changed at a time."""
    made, means = [], UNTRIED["near 1"]
    for epsilon in (0.3, 1.0):
        rule = baselines.replay(baselines.thompson(), epsilon, horizon=CHOICE_HORIZON).record
        batches = {"horizon": CHOICE_HORIZON, "first": rule.first}
        changed = {
            "nothing": baselines.replay(baselines.thompson(), epsilon, cost=rule.cost, **batches),
            "exact sums": baselines.replay(baselines.thompson(), math.inf, cost=rule.cost, **batches),
            "no cost": baselines.replay(baselines.thompson(), epsilon, cost=0.0, **batches),
            "no doubling": baselines.replay(baselines.thompson(), epsilon, growth=0.0, **batches),
            "first batch times 4": longer_first(epsilon, CHOICE_HORIZON, 4.0),
            "KL-UCB inside": baselines.replay(baselines.kl_ucb(), epsilon, horizon=CHOICE_HORIZON),
            "the noise is known": KnownNoise(epsilon, horizon=CHOICE_HORIZON),
        }
        for name, policy in changed.items():
            run = _long("near 1", means, policy, CHOICE_HORIZON, changed=name, noise=epsilon)
            made.append(run._replace(replications=2 * RUNS))
    return made


def longer_first(epsilon: float, horizon: int, factor: float) -> Policy:
    """Return replay around Thompson sampling with a multiple of its own first batch."""
    first = first_batch(epsilon, horizon, factor)
    return baselines.replay(baselines.thompson(), epsilon, horizon=horizon, first=first)


def known(epsilon: float, horizon: int, factor: float) -> KnownNoise:
    """Return Thompson sampling that knows the noise with a multiple of the first batch."""
    return KnownNoise(epsilon, horizon=horizon, first=first_batch(epsilon, horizon, factor))


def fresh_runs() -> list[LongRun]:
    """Replay, and with the first batch that was chosen for DP-KLUCB; known noise with it; and the tuned DP-KLUCB."""
    made = []
    for (name, means), epsilon in product(fresh().items(), FRESH_EPSILONS):
        ours = [(1.0, longer_first), (FIRST, longer_first), (FIRST, known)]
        runs = [_long(name, means, make(epsilon, CHOICE_HORIZON, n), CHOICE_HORIZON, factor=n) for n, make in ours]
        rival = _long(name, means, tuned(epsilon, CHOICE_HORIZON), CHOICE_HORIZON, factor=FIRST)
        made += [*(run._replace(replications=FRESH_RUNS) for run in runs), rival._replace(replications=10 * RUNS)]
    return made


def draw_runs() -> list[LongRun]:
    """Thompson sampling that plays a whole batch on one draw, on C1 and C2 at epsilon 1."""
    made = [_long(name, PAPERS[name], OneDraw(1.0, horizon=HORIZON), HORIZON) for name in ("C1", "C2")]
    return [run._replace(replications=RUNS) for run in made]


def list_runs() -> list[LongRun]:
    """Lists and super arms of the chapters on them, at T = 10^5: replay around `OneItem`, and the chapters' repairs."""
    shop, (films, size) = cascading.b_lb(20, 4, 0.2, 0.15), (np.array([0.5] * 3 + [0.2] * 9), 3)
    listed = SemiBandit.from_sets(films, [*combinations(range(len(films)), size)])
    made = []
    for epsilon in (0.2, 1.0):
        replayed = baselines.replay(OneItem(), epsilon, horizon=HORIZON)
        central = cascading.repaired_central(epsilon, n_arms=shop.n_arms, list_size=shop.list_size, horizon=HORIZON)
        made += [_long("cascade", shop, policy, HORIZON) for policy in (replayed, central)]
        made.append(_long("super arms", SemiBandit.top_k(films, size), replayed, HORIZON))
        made.append(
            _long(
                "super arms",
                listed,
                semibandits.cucb_blocks(epsilon, list_size=size, n_arms=len(films), horizon=HORIZON),
                HORIZON,
            )
        )
    return made


def lower(means: Any, horizon: int, epsilon: float) -> float:
    """Return the lower bound of Azize et al. (2025): ln T times the sum of gap / d_epsilon(mean || best)."""
    best = max(means)
    return math.log(horizon) * sum((best - m) / private_kl(m, best, epsilon=epsilon) for m in means if m < best)


_STORED = ["policy", "instance", "horizon", "epsilon"]
STUDIES = {
    "choice": LongStudy(choice_runs, [*_STORED, "factor", "growth"], play),
    "measurement": LongStudy(measurement_runs, _STORED, play),
    "horizons": LongStudy(horizon_runs, _STORED, play),
    "tuning": LongStudy(tuning_runs, [*_STORED, "factor", "level"], play),
    "untried": LongStudy(untried_runs, _STORED, play),
    "lists": LongStudy(list_runs, _STORED, play),
    "causes": LongStudy(cause_runs, [*_STORED, "noise", "changed"], play),
    "fresh": LongStudy(fresh_runs, [*_STORED, "factor"], play),
    "draws": LongStudy(draw_runs, _STORED, play),
}
COLUMNS = [f"{epsilon:g}" if epsilon < 1 else f"{epsilon:.1f}" for epsilon in EPSILONS]


def over_free(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with mean regret over the best without privacy, and the variance of its logarithm."""
    best = rows[np.isinf(rows["epsilon"])].groupby("instance")["regret"].min()
    error = rows["regret_se"] / rows["regret"]
    return rows.assign(ratio=rows["regret"] / rows["instance"].map(best), variance=error**2)


def less(ours: pd.DataFrame, theirs: pd.DataFrame) -> Ruling:
    """Judge whether some policies have less regret than others, in the geometric mean of the ratios over all settings.

    In each setting the best policy of either side counts. The interval holds the spread over instances.

    Parameters
    ----------
    ours, theirs : DataFrame
        Rows of the measurement, as `Chapter.long` returns them. Without a column `epsilon` theirs are compared with
        ours at every epsilon.
    """
    by = [name for name in ("instance", "epsilon") if name in theirs]
    both = _best(ours, ["instance", "epsilon"]).merge(_best(theirs, by), on=by, suffixes=("", "_other"))
    if both.empty:
        return not_shown("no setting has both")
    logs = np.log(both["regret"] / both["regret_other"])
    middle, half = float(logs.mean()), _half(logs, both["variance"] + both["variance_other"], both["instance"])
    runs = int(min(rows["replications"].min() for rows in (ours, theirs)))
    names = [" or ".join(rows["policy"].replace(SHOWN).unique()) for rows in (ours, theirs)]
    return Less(f"ln regret of {names[0]}", f"that of {names[1]}")(
        Interval(middle, middle - half, middle + half, runs=runs)
    )


def _half(logs: pd.Series, variances: pd.Series, instances: pd.Series) -> float:
    """Half the interval of a mean of logarithms: for other instances like these, and at least that of the runs."""
    each = logs.groupby(instances).mean()
    spread = float(half_width(each.sem(), len(each))) if len(each) > 1 else math.inf
    return max(spread, 1.96 * math.sqrt(float(variances.sum())) / len(logs))


def _best(rows: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """In each setting the row with the least mean regret, with the variance of its logarithm."""
    known = rows.assign(variance=(rows["regret_se"] / rows["regret"]) ** 2)
    return known.sort_values("regret").drop_duplicates(by)


def price(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the geometric mean of `over_free` over the instances, with the facts of each policy.

    Its error holds the spread over instances.

    Parameters
    ----------
    rows : DataFrame
        Of the measurement, as `Chapter.long` returns them.
    """
    numbers = "run instance regret regret_se worst linear replications problem uniform content seed".split()
    parts = over_free(rows).assign(log=lambda known: np.log(known["ratio"])).groupby(["policy", "epsilon"], sort=False)
    found = parts.agg(
        log=("log", "mean"),
        spread=("log", "sem"),
        variance=("variance", "sum"),
        size=("log", "size"),
        replications=("replications", "first"),
    )
    found["regret"] = np.exp(found["log"])
    error = np.sqrt(found["variance"]) / found["size"]
    found["regret_se"] = found["regret"] * np.maximum(found["spread"], error)
    told = found[["regret", "regret_se", "replications"]].reset_index()
    return (
        rows.drop(columns=numbers)
        .drop_duplicates()
        .assign(t=HORIZON)
        .merge(told, on=["policy", "epsilon"], validate="1:1")
    )


def choice(rows: pd.DataFrame, by: Sequence[str] = ("factor", "growth")) -> pd.DataFrame:
    """Return of each rule the geometric mean of regret over the least in its cell, and how many runs are linear.

    Parameters
    ----------
    rows : DataFrame
        Of the choice, or of the tuning.
    by : sequence of str
        What tells rules apart.
    """
    least = rows.groupby(["instance", "epsilon"])["regret"].transform("min")
    parts = rows.assign(ratio=np.log(rows["regret"] / least)).groupby([*by], dropna=False)
    return parts.agg(ratio=("ratio", lambda logs: np.exp(logs.mean())), linear=("linear", "sum")).reset_index()


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a row per private policy: `price` at each epsilon, and how many runs are linear, without those on `CLOSE`.

    Parameters
    ----------
    rows : DataFrame
        Of the measurement, as `Chapter.long` returns them.
    """
    told = rows[(rows["trust"] != "none") & ~rows["instance"].isin(CLOSE)]
    linear = told.groupby("policy", sort=False)["linear"].sum()
    ratios = price(rows).pivot(index="policy", columns="epsilon", values="regret")[list(EPSILONS)]
    return ratios.set_axis(COLUMNS, axis=1).join(linear, how="right").reset_index()


def linear_runs(rows: pd.DataFrame) -> dict[str, int]:
    """Return how many runs of replay around Thompson sampling are linear: of `all`, and on those of `CLOSE`.

    Parameters
    ----------
    rows : DataFrame
        Of the measurement, as `Chapter.long` returns them.
    """
    ours = rows[rows["policy"] == "Thompson, replayed"]
    return {"all": ours["linear"].sum(), "close": ours["linear"][ours["instance"].isin(CLOSE)].sum()}


def ended(rows: pd.DataFrame, policy: str, instance: str = "C2", epsilon: float = 1.0) -> str:
    """Return the mean regret of one setting and half of its interval, in words."""
    of = (rows["policy"] == policy) & (rows["instance"] == instance) & (rows["epsilon"] == epsilon)
    row = rows[of].iloc[0]
    return f"{row['regret']:.0f} ± {1.96 * row['regret_se']:.0f}"


def untried(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a row per instance and epsilon: mean regret of the three policies, and linear runs of a hundred.

    Parameters
    ----------
    rows : DataFrame
        Of the untried instances, as `Chapter.long` returns them.
    """
    names = {"Thompson, replayed": "replay", "DP-KLUCB": "DP-KLUCB", TUNED_NAME: "tuned"}
    linear = 100 * rows["linear"] / rows["replications"]
    error = rows["regret"].map("{:.0f}".format) + " ± " + (1.96 * rows["regret_se"]).map("{:.0f}".format)
    known = rows.assign(name=rows["policy"].map(names), shown=error, share=linear)
    wide = known.pivot_table(
        index=["instance", "epsilon"], columns="name", values=["shown", "share"], aggfunc="first", sort=False
    )
    table = pd.DataFrame({"Means": [", ".join(f"{m:g}" for m in UNTRIED[name]) for name, _ in wide.index]})
    table["ε"] = wide.index.get_level_values("epsilon")
    for name in names.values():
        table[f"Regret, {name}"] = wide["shown", name].to_numpy()
    for name in names.values():
        table[f"Linear runs, {name}"] = wide["share", name].to_numpy(float)
    return table


def over_time(rows: pd.DataFrame, measured: pd.DataFrame) -> pd.DataFrame:
    """Return mean regret at each horizon, on C1 and C2, at epsilon 0.1 and 1 and without privacy.

    Parameters
    ----------
    rows, measured : DataFrame
        Of the horizons and of the measurement.
    """
    known = pd.concat([rows, measured])
    table = known.pivot_table(index=["instance", "epsilon", "policy"], columns="horizon", values="regret", sort=False)
    return table[sorted(table)].dropna().rename(columns=str).reset_index()


def lower_line() -> tuple[str, list[float], list[float]]:
    """Return the line of the lower bound in the figure of the price: over that without privacy, a geometric mean."""
    found = []
    for epsilon in EPSILONS:
        logs = [math.log(lower(m, HORIZON, epsilon) / lower(m, HORIZON, math.inf)) for m in instances().values()]
        found.append(math.exp(sum(logs) / len(logs)))
    return "lower bound", list(EPSILONS), found


def batches(problem: Arms, epsilon: float, replication: int) -> pd.DataFrame:
    """Return the batches of replay around Thompson sampling in one run of the longer studies, played in Python.

    Parameters
    ----------
    problem : Arms
    epsilon : float
    replication : int

    Returns
    -------
    DataFrame
        A row a batch that is released: `arm`; `t`, its last round; its `pulls` and how many of them were `ones`; as how
        many observations it counts, `counted`, and how many of these are 1, `counted_ones`.
    """
    rule = baselines.replay(baselines.thompson(), epsilon, horizon=HORIZON)
    constants, sources = rule.record, streams(SEED, replication)
    inside = replayer.in_python(baselines.thompson())
    numbers = epsilon, constants.first, constants.growth, constants.cost, HORIZON
    learner = replayer.Replayed(inside, *numbers).start(problem, sources.choice, sources.noise)
    rows, t = [], 0
    while t < HORIZON:
        (arm,) = learner.ask()
        rewards = sources.env.random(min(learner.size, HORIZON - t)) < problem.means[arm]
        for reward in rewards:
            learner.tell([float(reward)])
        t += len(rewards)
        rows.append([arm, t, len(rewards), rewards.sum(), learner.left[arm], learner.ones[arm]])
    names = ["arm", "t", "pulls", "ones", "counted", "counted_ones"]
    return pd.DataFrame(rows[:-1] if learner.to_come else rows, columns=names)


def causes(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a row per thing that was changed: mean regret with half of its interval, and linear runs of a hundred.

    Parameters
    ----------
    rows : DataFrame
        Of the causes, as `Chapter.long` returns them.
    """
    error = rows["regret"].map("{:,.0f}".format) + " ± " + (1.96 * rows["regret_se"]).map("{:,.0f}".format)
    told = rows.assign(shown=error, linear=100 * rows["linear"] / rows["replications"])
    wide = told.pivot_table(index="changed", columns="noise", values=["shown", "linear"], aggfunc="first", sort=False)
    table = {"changed": [*wide.index]}
    for epsilon in (0.3, 1.0):
        table |= {f"regret {epsilon:g}": [*wide["shown", epsilon]], f"linear {epsilon:g}": [*wide["linear", epsilon]]}
    return pd.DataFrame(table)


def on_fresh(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a row per policy: regret over that of DP-KLUCB as it was tuned, and linear runs of a hundred.

    Apart for the six instances whose best mean is near 1, and for the six others: geometric means over instances and
    epsilon, whose intervals hold the spread over instances.

    Parameters
    ----------
    rows : DataFrame
        Of the fresh instances, as `Chapter.long` returns them.
    """
    known = rows.assign(variance=(rows["regret_se"] / rows["regret"]) ** 2, near=rows["instance"].str.startswith("N"))
    rival = known[known["algorithm"] == "DP-KLUCB"].set_index(["instance", "epsilon"])
    made = []
    for (policy, factor), part in known.groupby(["policy", "factor"], sort=False):
        at = part.set_index(["instance", "epsilon"])
        logs, told = np.log(at["regret"] / rival["regret"]), {"policy": policy, "factor": factor}
        for name, near in (("near", True), ("others", False)):
            here, of = at["near"] == near, at[at["near"] == near]
            middle = float(logs[here].mean())
            half = _half(logs[here], (at["variance"] + rival["variance"])[here], logs[here].index.get_level_values(0))
            low, high = math.exp(middle - half), math.exp(middle + half)
            told[f"ratio {name}"] = Interval(math.exp(middle), low, high)
            told[f"linear {name}"] = 100 * float(of["linear"].sum() / of["replications"].sum())
        made.append(told)
    return pd.DataFrame(made)
