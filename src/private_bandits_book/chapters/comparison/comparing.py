"""A policy of a reader's own in the rankings of the benchmark, on the instances and seeds of all others."""

import inspect
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import product
from types import SimpleNamespace
from typing import Any, NamedTuple

import joblib
import numpy as np
import pandas as pd
from tqdm import tqdm

from private_bandits import checks
from private_bandits.policy import Policy, playable
from private_bandits.policy_checks import check_policy
from private_bandits.privacy import Audit, Guarantee, audit
from private_bandits.problems import LinearContext
from private_bandits.simulation import trace
from private_bandits.streams import own_copy
from private_bandits_book.book import find_book
from private_bandits_book.chapters.comparison.entrants import ENTRANTS, FREE, WORDS, Setting, guarantee, moment_of
from private_bandits_book.chapters.comparison.families import FAMILIES, instances
from private_bandits_book.chapters.comparison.paying import certified, paying
from private_bandits_book.chapters.comparison.ranking import groups, priced, ranked
from private_bandits_book.chapters.comparison.studies import FREED, SEED, SIZES, play, run_of
from private_bandits_book.jobs.cache import at
from private_bandits_book.jobs.compare import in_a_line
from private_bandits_book.rivals.threshold_ladder import Record as Ladder
from private_bandits_book.studies import LongRun, in_processes

__all__ = ["Compared", "compare"]

_TRIED, _MOST = 1000, 10**6  # rounds of a trial, and of a run in Python at most
_QUICK, _SHORT = 2, 10**5  # runs in the quick form, at least, and rounds in place of a million in Python
_APART = {"unknown", "none", "refuted", "not audited"}  # what is no guarantee to be ranked with
_ORDER_SAID = (  # in full, and in the quick form
    "a rank is one more than the policies that have less beyond error, so ranks repeat",
    "on so few nobody is ranked, and all are level that are not told apart beyond error",
)
_FAR = (1.0, 100.0, 1e6)  # rewards of heavy tails that an audit changes to 0
_LARGEST = 2.0  # of contexts, where rewards are in [-2, 2]
_REWARDS = {"tails": "Pareto rewards", "contexts": "rewards in [-2, 2]", "pairs": "rewards in [-2, 2]"}


class Compared(NamedTuple):
    """Where a policy of one's own stands.

    Attributes
    ----------
    said : str
        What was played, and what is ranked, in a line.
    ranking : DataFrame
        As of `ranked`, with `yours`, whether a row is the policy's own, and with those whose guarantee gives the
        ranking's, as a local policy is a curator's choice, too. Where its privacy is unknown, absent, refuted by the
        audit or not audited, its row is the last one, and has that word as its rank.
    audited : str
        What the audit found, in a line.
    rows : DataFrame
        The policy's own, an instance each, as those of the benchmark are stored.
    order : str
        What is ranked by: "rank", or "beyond error" in the quick form, where `rank` says how many a policy is ahead of,
        and behind, beyond error.
    """

    said: str
    ranking: pd.DataFrame
    audited: str
    rows: pd.DataFrame
    order: str

    def table(self) -> list[tuple[str, ...]]:
        """Return the ranking in words.

        Returns
        -------
        list of tuples
            The heads, then a row a policy; the policy's own begins with an arrow.
        """
        heads = ("", self.order, "policy", "guarantee", "price", "won", "failed runs", "worst price")
        shown = self.ranking[["yours", "rank", "policy", "guarantee", "shown", "won", "failures", "at_worst"]]
        return [heads, *(("->" if yours else "", *map(str, row)) for yours, *row in shown.to_numpy())]


def compare(
    make: Callable[..., Any],
    kind: str,
    *,
    epsilon: float = 1.0,
    quick: bool = False,
    proved: str = "",
    rows: pd.DataFrame | None = None,
) -> Compared:
    """Play a policy on the test instances of the benchmark, audit it, and rank it among those of equal guarantee.

    Parameters
    ----------
    make : class or function
        Returns a policy; it is given those of `epsilon, delta, n_arms, list_size, dim, n_actions, horizon` that it
        names, and of heavy tails `order` and `moment`, the order of a moment that exists and the largest of the arms.
        Its epsilon is the one with which the policy pays the asked one, and delta a tenth of one over the horizon.
    kind : {"arms", "lists", "sets", "contexts", "pairs", "tails"}
    epsilon : float
        Everything that the policy releases pays so much; among those of the benchmark.
    quick : bool
        Whether to play every third instance, a fifth as often, and to rank nobody. A policy in Python that would play
        10^6 rounds plays 10^5 on all instances, and so do the others, there and then.
    proved : str
        The theorem that has the constants of the policy, which is ranked among such then. Default: the attribute
        `proved` of the class; where it has none, the policy is ranked among tuned ones.
    rows : DataFrame, optional
        Of a study of the test instances. Default: the one that is stored.

    Returns
    -------
    Compared

    Raises
    ------
    ValueError
        If an argument is out of range, the policy cannot be made, pays more than it is asked to, or fails
        `check_policy`.
    RuntimeError
        If the policy cannot be played to the end.

    Notes
    -----
    For contexts and heavy tails a policy in Python plays 10^6 rounds, compiled ones as many as in the benchmark.
    """
    checks.choice("kind", kind, [*FAMILIES])
    checks.real("epsilon", epsilon, above=0)
    problems, size = instances(kind), SIZES[kind]
    first = next(iter(problems.values()))
    _refuse(make, kind, epsilon)
    compiled = isinstance(_made(make, epsilon, Setting(first, min(size.horizons))), Policy)
    horizon = size.horizon if compiled or size.horizon <= _MOST else min(size.horizons)
    here = checks.flag("quick", quick) and horizon != size.horizon
    horizon = _SHORT if here else horizon
    problems = dict([*problems.items()][:: 3 if quick and not here else 1])
    policies = {name: _made(make, epsilon, Setting(problem, horizon)) for name, problem in problems.items()}
    policy = next(iter(policies.values()))
    if len(promised := {guarantee(each) for each in policies.values()}) > 1:
        raise ValueError(
            f"{policy.name} must have one guarantee on all instances, got {' and '.join(sorted(promised))}"
        )
    with _playing(policy.name, next(iter(problems))):  # in a worker, which it may end
        in_processes([joblib.delayed(trace)(first, policy, horizon=_TRIED, seed=SEED)], 2)
    _check(policy, first)
    others = _played_here(kind, problems, epsilon) if here else _stored(kind, rows, [*problems], epsilon, horizon)
    standing, audited = _audited(make, epsilon, [*problems.values()], quick)
    standing = standing or guarantee(policy)
    often = size.runs if compiled else size.slow_runs or 5 * _QUICK
    often = max(_QUICK, often // 5) if quick else often
    name, own = f"{policy.name} (yours)", list[pd.DataFrame]()
    for instance, each in tqdm(policies.items(), desc=policy.name, disable=None, leave=False):
        labels = {"entrant": name, "instance": instance, "pays": epsilon, "horizon": horizon, "guarantee": standing}
        with at(f"instance {len(own) + 1} of {len(policies)}"), _playing(policy.name, instance):
            run = LongRun(labels, problems[instance], each, horizon, SEED, often)
            own.append(pd.DataFrame([labels]).join(play(run)))
    mine = pd.concat(own, ignore_index=True)
    known = priced(pd.concat([others, mine], ignore_index=True), kind)
    theorem = checks.text("proved", proved or getattr(make, "proved", ""))
    known.loc[known["entrant"] == name, "proved"] = bool(theorem)
    ranking, among = _ranking(known, standing, bool(theorem), epsilon, horizon, policy)
    if quick:  # as often ahead as behind by the negative regret
        turned, _ = _ranking(known.assign(log=-known["log"]), standing, bool(theorem), epsilon, horizon, policy)
        ahead = turned.set_index("policy")["rank"]
        ranking["rank"] = [
            rank if rank == standing else f"ahead of {ahead[name] - 1}, behind {rank - 1}"
            for name, rank in zip(ranking["policy"], ranking["rank"], strict=True)
        ]
    ranking.insert(0, "yours", ranking["policy"] == name)
    constants = f"as proved ({theorem})" if theorem else "tuned"
    said = f"{kind} ({_REWARDS.get(kind, 'rewards 0 or 1')}), {among}, {constants}, epsilon = {epsilon:g}"
    said += f", T = {horizon:,}" + f" (in full {min(size.horizons):,})" * here
    said += f": {len(policies)} of {len(instances(kind))} instances, {often} runs of yours on each"
    said += f"; {_ORDER_SAID[quick]}"
    return Compared(said, ranking, audited, mine, "beyond error" if quick else "rank")


def _made(make: Any, epsilon: float, setting: Setting) -> Any:
    """The policy that pays epsilon, made with those of the sizes that it names."""
    if not callable(make):
        raise ValueError(f"policy must be a class, or a function that makes one, got {checks.brief(make)}")
    problem, name = setting.problem, getattr(make, "__name__", "policy")
    sizes = {size: getattr(problem, size, None) for size in ("n_arms", "list_size", "dim", "n_actions")}
    try:
        named = inspect.signature(make).parameters
        told = {"delta": setting.delta, "horizon": setting.horizon} | sizes
        if hasattr(problem, "shape"):  # as the policies of the benchmark are told
            moment = moment_of(setting)
            told |= {"order": 1 + moment["v"], "moment": moment["u"]}
        told = {one: value for one, value in told.items() if one in named and value is not None}
        policy = paying(lambda one: make(epsilon=one, **told), epsilon) if "epsilon" in named else make(**told)
        private = certified(policy)
    except (Exception, SystemExit) as error:
        raise ValueError(f"{name} must be made on {problem}, got {in_a_line(error)}") from error
    if private:
        paid, delta = policy.privacy.effective_epsilon, policy.privacy.effective_delta
        if paid > 1.01 * epsilon:
            raise ValueError(f"{name} must pay at most {epsilon:g}, got {paid:g}")
        if delta > 1.01 * setting.delta:
            raise ValueError(f"delta of {name} must be at most {setting.delta:g}, got {delta:g}")
    return policy


def _refuse(make: Any, kind: str, epsilon: float) -> None:
    """Refuse a policy that plays other kinds of problems only."""
    if not _playing_kind(make, kind, epsilon):
        others = {one: policy for one in FAMILIES if (policy := _playing_kind(make, one, epsilon))}
        if others:
            *most, last = [WORDS[one] for one in others]
            played = " and ".join([*filter(None, [", ".join(most)]), last])
            raise ValueError(f"{next(iter(others.values())).name} plays {played}, and not {WORDS[kind]}")


def _playing_kind(make: Any, kind: str, epsilon: float) -> Any:
    """The policy as it is made for a kind of problem, or None where it cannot be, or does not play that."""
    problem, horizon = next(iter(instances(kind).values())), min(SIZES[kind].horizons)
    try:
        policy = _made(make, epsilon, Setting(problem, horizon))
        playable(policy).check(problem, horizon)
    except ValueError:
        return None
    record = getattr(policy, "record", None)
    by_threshold = isinstance(record, Ladder) or getattr(record, "exceeds", 0.0) > 0
    return None if kind == "arms" and by_threshold else policy  # where rewards are 0 or 1 there is one threshold


def _stored(kind: str, rows: pd.DataFrame | None, names: list[str], epsilon: float, horizon: int) -> pd.DataFrame:
    """The rows of all others on these instances."""
    found = pd.read_csv(find_book().data("comparison") / f"long-test-{kind}.csv") if rows is None else rows
    found = found[(found["horizon"] == horizon) & found["instance"].isin(names)]
    private = sorted({*found.loc[np.isfinite(found["pays"]), "pays"]})
    if epsilon not in private:
        known = ", ".join(f"{one:g}" for one in private)
        raise ValueError(f"epsilon must be one of {known} at T = {horizon:,}, got {epsilon:g}")
    free = found[np.isinf(found["pays"])]
    if lacking := [name for name in names if name not in {*free["instance"]}]:
        raise ValueError(f"rows must have policies without privacy on {lacking[0]} at T = {horizon:,}, got none")
    return pd.concat([free, found[found["pays"] == epsilon]])


def _played_here(kind: str, problems: Mapping[str, Any], epsilon: float) -> pd.DataFrame:
    """The rows of all others where none are stored; they are compiled, and take seconds."""
    known, rows = ENTRANTS[kind], list[pd.DataFrame]()
    freed = [name + FREED for name, entrant in known.items() if not entrant.proved]
    asked = [(math.inf, [*FREE[kind], *freed]), (epsilon, [*known])]
    for (instance, problem), (pays, names) in product(problems.items(), asked):
        for name in names:
            run = run_of(kind, name, instance, Setting(problem, _SHORT), pays, 5 * _QUICK)
            rows.append(pd.DataFrame([run.labels]).join(play(run)))
    return pd.concat(rows, ignore_index=True)


def _trust(policy: Any) -> str:
    return getattr(playable(policy).privacy, "trust", "")


def _check(policy: Any, problem: Any) -> None:
    """Whether it can be repeated and compared; one that says nothing of its privacy may, as it stands apart."""
    if not isinstance(playable(policy).privacy, Guarantee):
        stated: dict[str, Any] = {"mechanism": "none", "variant": "", "privacy": Guarantee.none()}
        policy = SimpleNamespace(name=policy.name, start=policy.start, **stated)
    check_policy(policy, problem, horizon=_TRIED)


def _audited(make: Any, epsilon: float, problems: list[Any], quick: bool) -> tuple[str, str]:
    """What stands in place of the stated guarantee, and what the audit could see, on the smallest instance."""
    small = min(problems, key=lambda one: (getattr(one, "list_size", 0), getattr(one, "n_arms", 0)))
    rounds = 2 if _trust(_made(make, epsilon, Setting(small, 2))) == "local" else 30  # messages come at once
    policy = _made(make, epsilon, Setting(small, _SHORT if rounds == 2 else rounds))  # whose delta is not of two users
    if guarantee(policy) == "none":
        return "", "not audited: it states that it is not private"
    paid, delta = epsilon, 0.0
    if certified(policy):
        paid, delta = policy.privacy.effective_epsilon, policy.privacy.effective_delta
    runs, seen = 6000 if quick else 20_000, "messages" if rounds == 2 else "actions"
    try:
        found, fed = _played(policy, small, rounds, runs, promised=paid, delta=delta, seed=SEED)
    except (Exception, SystemExit) as error:
        return "not audited", f"not audited: {in_a_line(error)}"
    if found.method == "accounting":  # nothing was played
        if math.isinf(found.epsilon_high):
            return (
                "not audited",
                "not audited: no rewards can be fed to it, and nothing is proved of the noise in its record",
            )
        return "", f"audit at epsilon {paid:g}, of the noise in its record alone, as its loop takes no tables: {found}"
    refuted = found.verdict == "breaks its promise"
    if not refuted and found.epsilon_low == 0:
        where = f"{seen} of {rounds} rounds, {runs:,} runs, {fed}"
        return "", f"audit at epsilon {paid:g}: neighbours look alike in {where}, which is evidence of nothing else"
    return "refuted" * refuted, f"audit at epsilon {paid:g}, {seen} of {rounds} rounds, {fed}: {found}"


def _played(policy: Any, problem: Any, rounds: int, runs: int, **how: Any) -> tuple[Audit, str]:
    """What the audit finds, and what it has fed: the widest rewards that the policy takes."""
    compiled, where = isinstance(policy, Policy), {"problem": problem, "horizon": rounds}
    if isinstance(problem, LinearContext) and not compiled:
        shown = _shown(policy, problem, _trust(policy) == "local")
        return audit(shown, neighbours=_users(problem, rounds), runs=runs, **how), "rewards in [-2, 2]"
    tries: list[tuple[Any, str]] = [(None, "rewards 0 and 1")] if not isinstance(problem, LinearContext) else []
    if hasattr(problem, "shape"):
        tries.insert(0, (_tables(problem, rounds), f"rewards up to {_FAR[-1]:,.0f}"))
    for neighbours, fed in tries:
        try:
            return audit(policy, neighbours=neighbours, runs=runs, **where, **how), fed
        except ValueError:  # the loop takes no such tables
            if not compiled:
                raise
    return audit(policy, runs=0, **where, **how), ""


def _tables(problem: Any, rounds: int) -> list[Any]:
    """Neighbours of heavy tails: the first or second reward is 0 or far off, among equal ones or with a best arm."""
    found = []
    for base, user, far in product((0.0, 1.0, np.eye(problem.n_arms)[0]), (0, 1), _FAR):
        tables = np.zeros((2, rounds, problem.n_arms)) + base
        tables[:, user] = [[0.0], [far]]
        found.append((tables[0], tables[1]))
    return found


def _users(problem: Any, rounds: int) -> list[Any]:
    """Neighbours of contexts: the reward of the first or the second user differs, or the actions as well."""
    first, last = problem.sets[[0, -1]]
    found = []
    for user, other in product((0, 1), (first, last)):
        pair = [[(first, 0.0)] * rounds for _ in range(2)]
        pair[0][user], pair[1][user] = (first, -_LARGEST), (other, _LARGEST)
        found.append(((user, pair[0]), (user, pair[1])))
    return found


def _shown(policy: Any, problem: Any, local: bool) -> Callable[[Any, np.random.Generator], np.ndarray]:
    """What users send; where there is a curator, what is played for all others, and for the user who is not joint."""
    hidden = getattr(policy.privacy, "joint", False)

    def told(data: Any, rng: np.random.Generator) -> np.ndarray:
        learner, seen = own_copy(policy).start(problem, rng, rng), []
        for user, (actions, reward) in enumerate(data[1]):
            played = [*learner.ask(actions.copy())]
            sent = learner.tell([reward])
            if local and sent is None:
                raise ValueError("tell() must return what its user sends, [] for silence, got None")
            if local or not (hidden and user == data[0]):
                seen += [np.ravel([np.size(sent)]), np.ravel(sent)] if local else [np.ravel(played)]
        return np.concatenate(seen)

    return told


def _ranking(
    known: pd.DataFrame, standing: str, proved: bool, epsilon: float, horizon: int, policy: Any
) -> tuple[pd.DataFrame, str]:
    """The ranking of a guarantee; below that of the most similar one the row of a policy that stands apart."""
    if standing not in _APART:
        return ranked(known, standing, proved, epsilon, horizon, stronger=True), standing
    stated = playable(policy).privacy
    delta = isinstance(stated, Guarantee) and stated.delta > 0
    similar = [group for group, among in groups(known) if among == proved and group not in _APART]
    trust, kind = _trust(policy) or "central", "approximate" if delta else "pure"
    among = min(similar, key=lambda one: (not one.startswith(trust), not one.endswith(kind)), default=standing)
    others = known[known["guarantee"] != standing]
    own = known["guarantee"] == standing
    joined = ranked(known.assign(guarantee=known["guarantee"].mask(own, among)), among, proved, epsilon, horizon)
    mine = joined[joined["policy"].isin(known.loc[own, "entrant"])].assign(rank=standing, guarantee=standing)
    above = ranked(others, among, proved, epsilon, horizon, stronger=True)
    return pd.concat([above, mine], ignore_index=True), among


@contextmanager
def _playing(name: str, instance: str) -> Iterator[None]:
    """Say in a line what a policy has raised, or answered, and where."""
    try:
        yield
    except (Exception, SystemExit) as error:
        raise RuntimeError(f"{name} must play without an error, got {in_a_line(error)}, on {instance}") from error
