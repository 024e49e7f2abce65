"""Whether a policy can be played, repeated, compared and audited: tried on a problem, with a line for each failure."""

import pickle
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any

import joblib
import numpy as np

from private_bandits import checks
from private_bandits.guarantee import Guarantee
from private_bandits.policy import Player, playable
from private_bandits.simulation import AnyProblem, simulate, trace
from private_bandits.streams import apart

__all__ = ["check_policy"]

_HORIZONS = (1, 2, 3, 7, 30, 99, 316)  # some of them end within a batch of whatever length
_STATED = {
    "mechanism": "what protects it, or 'none'",
    "variant": "which version it is, or ''",
    "privacy": "a Guarantee, Guarantee.none() without noise",
}


def check_policy(policy: Any, problem: AnyProblem, *, horizon: int = 1000) -> None:
    """Refuse a policy that fails one of the checks below, and say of each failure how it is mended.

    It must state privacy, mechanism and variant, each of its kind; reach another process and play there alike; ask for
    what the problem allows; follow from the streams of its run, and leave nothing to the next one, nor to what NumPy
    and Python share. A run that ends early, within a batch as well, must be the beginning of a longer one.

    Parameters
    ----------
    policy : Policy, or an object with `name` and `start(problem, choice, noise)`
    problem : Arms, Cascade, ConvexLoss, LinearContext, Problem or SemiBandit
        On which it is tried.
    horizon : int
        Rounds of the longest run, >= 1; not more than the policy is made for.

    Raises
    ------
    ValueError
        If it is no policy, or fails: a line for each failure.

    Examples
    --------
    >>> from private_bandits.baselines import dp_se
    >>> from private_bandits.problems import Arms
    >>> check_policy(dp_se(1.0, n_arms=2, horizon=100), Arms.bernoulli([0.5, 0.4]), horizon=100)
    >>> class First:
    ...     name, mechanism, variant = "first", "none", ""
    ...
    ...     def start(self, problem, choice, noise):
    ...         return self
    ...
    ...     def ask(self):
    ...         return [0]
    ...
    ...     def tell(self, feedback):
    ...         pass
    >>> check_policy(First(), Arms.bernoulli([0.5, 0.4]))
    Traceback (most recent call last):
    ValueError: privacy of first must be stated: a Guarantee, Guarantee.none() without noise
    """
    longest = checks.integer("horizon", horizon, at_least=1, at_most=10**6)
    failures = [*_wrong(policy)] or [*_unsaid(policy), *_unplayed(policy, problem, longest)]
    if failures:
        raise ValueError("\n".join(dict.fromkeys(failures)))


def _wrong(policy: Any) -> Iterator[str]:
    """Facts of a kind that nobody can use: with one of them nothing is played, so all are told."""
    if isinstance(policy, type) or not (hasattr(policy, "name") and hasattr(policy, "start")):
        playable(policy)
        return
    for fact in Player.__annotations__:
        if hasattr(policy, fact):
            alone = SimpleNamespace(name=policy.name, start=policy.start, **{fact: getattr(policy, fact)})
            yield from _refused(policy, partial(playable, alone))


def _unsaid(policy: Any) -> Iterator[str]:
    """What a policy does not say of itself, or not as it is."""
    played = playable(policy)
    name, privacy = played.name, played.privacy
    said = {name for kind in type(policy).__mro__ if kind is not Player for name in vars(kind)} | {*vars(policy)}
    for fact, kind in _STATED.items():
        if fact not in said or (fact == "privacy" and not isinstance(privacy, Guarantee)):
            yield f"{fact} of {name} must be stated: {kind}"
    if isinstance(privacy, Guarantee) and played.mechanism == "none":
        losses = privacy.epsilon, privacy.value_epsilon, privacy.effective_epsilon
        if any(loss != np.inf for loss in losses):
            yield f"mechanism of {name} must be what protects it, got 'none' for {privacy}"


def _unplayed(policy: Any, problem: Any, longest: int) -> Iterator[str]:
    """What goes wrong in runs, and in copies of the policy."""
    name, rounds = policy.name, [each for each in _HORIZONS if each < longest]

    def run(played: Any = policy, horizon: int = longest, replication: int = 0) -> np.ndarray:
        return trace(problem, played, horizon=horizon, seed=0, replication=replication)

    def repeated() -> None:
        played = playable(policy)
        played.check(problem, longest)
        with apart(problem, played.constants):
            whole, _ = run(), run(replication=1)
            for each in [*rounds, longest]:
                again = run(horizon=each)
                if (differ := (again != whole[:each]).any(axis=1)).any():
                    t = int(differ.argmax())
                    got = f"{whole[t].tolist()} and then {again[t].tolist()} in round {t + 1} of {each}"
                    raise ValueError(f"a run of {name} must follow from its streams, however long it is, got {got}")

    def pickled() -> Any:
        try:
            return pickle.loads(pickle.dumps(joblib.wrap_non_picklable_objects(policy, keep_wrapper=False)))
        except Exception as error:
            got = f"{checks.brief(error)}: make in start() what cannot be"
            raise ValueError(f"{name} must be pickled to be played in other processes, got {got}") from error

    def elsewhere() -> None:
        simulate(problem, policy, horizon=1, replications=1, seed=0)
        if not np.array_equal(run(pickled()), run()):
            raise ValueError(f"{name} must play as before once it is pickled: keep all that it needs in itself")

    failures = [*_refused(policy, repeated)]
    yield from failures
    yield from _refused(policy, pickled if failures else elsewhere)


def _refused(policy: Any, use: Callable[[], Any]) -> Iterator[str]:
    """Why something cannot be done with a policy, in a line."""
    try:
        use()
    except Exception as error:
        *_, (frame, _) = traceback.walk_tb(error.__traceback__)
        if isinstance(error, ValueError) and frame.f_globals["__name__"].startswith("private_bandits."):
            yield " ".join(str(error).split())
        else:
            yield f"{policy.name} must play without an error, got {type(error).__name__}: {checks.brief(error)}"
