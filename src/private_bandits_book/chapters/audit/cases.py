"""What is audited: every algorithm of the book and every baseline, and faults that are known, under one view each."""

import math
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from private_bandits.baselines import dp_se
from private_bandits.kernels import Epochs
from private_bandits.mechanisms.calibration import gaussian_sigma
from private_bandits.papers import cascading, heavy_tailed
from private_bandits.papers.contextual.accounting import glm_messages, noise_scale
from private_bandits.papers.definitions.finite_policies import Greedy, LocallyPrivate, Response
from private_bandits.papers.semibandits import cucb_blocks
from private_bandits.policy import Playable, Policy
from private_bandits.privacy import AddedNoise, Guarantee, audit
from private_bandits.privacy.accounts import account
from private_bandits.privacy.audit import FULL_SEARCH, Audit
from private_bandits.problems import Arms, LinearContext, SemiBandit
from private_bandits.streams import streams
from private_bandits_book.chapters.contextual.user_messages import SMALL_LINK
from private_bandits_book.pages.algorithms import listed

CASCADE = cascading.b_lb(8, 3, 0.4, 0.3)
ARMS = Arms.bernoulli(np.array([0.5, 0.4, 0.3, 0.2]))
PAIR = Arms.bernoulli(np.array([0.5, 0.4]))
SETS = SemiBandit.top_k(ARMS.means, 2)
BLOCKS = SemiBandit.from_sets([0.5, 0.4, 0.3, 0.2], [[0, 1], [2, 3]])
_CASCADES = ("repair_first", "repair_padded", "repair_blocks", "uniform_play")
_CHAPTERS = ("", "wang2021", "chen2020", "zheng2020", "tao2022")  # papers that have a chapter, and this book
FEW = 3  # rounds of a policy whose every state is seen


class Case(NamedTuple):
    """One row of the table: an algorithm under a view, and how it is audited."""

    algorithm: str
    paper: str
    variant: str
    trust: str
    view: str
    delta: float
    target: Any
    asked: dict[str, Any]  # what else `audit` is given
    known: str = ""  # of a fault, or of what is right: how it must come out, "breaks" or "keeps"
    exact: float | None = None  # the loss, where it is known exactly from the record
    slow: bool = False  # whether an audit takes seconds, so that it belongs to the longer study

    def audited(self, runs: int, seed: int) -> Audit:
        """Return what the auditor finds, the same for equal arguments."""
        asked = self.asked
        if runs < FULL_SEARCH and "neighbours" in asked:
            asked = asked | {"neighbours": asked["neighbours"][:1]}
        return audit(self.target, **{"delta": self.delta, "runs": runs, "seed": seed} | asked)


def cases(horizon: int, epsilons: Sequence[float], delta: float) -> list[Case]:
    """Return every row: the chapters' algorithms, the baselines, finite policies, then known faults.

    The first epsilon is that of every row; for the others the chapters' private algorithms have a row more.
    """
    epsilon, *others = epsilons
    own = [each for file, policy in _sorted(epsilon, delta) for each in _of(Path(file), policy, horizon)]
    again = [each for one in others for file, policy in _sorted(one, delta) for each in _again(Path(file), policy)]
    first = [each for each in own if each.paper in (*_CHAPTERS, "ours")]
    return [*first, *again, *own[len(first) :], *_finite(epsilon), *_faults(epsilon, delta, horizon)]


def _sorted(epsilon: float, delta: float) -> list[tuple[str, Playable]]:
    """All algorithms, those of the chapters first."""
    return sorted(listed(epsilon, delta), key=lambda each: each[1].paper not in _CHAPTERS)


def _of(file: Path, policy: Playable, horizon: int) -> Iterator[Case]:
    """The rows of a policy: messages of a local one, actions and what is read of a central one."""
    local, problem = _promise(policy).trust == "local", _problem(file, policy)
    if not isinstance(policy, Policy):  # in Python: what it plays is seen, and what a user sends if it answers that
        view = "messages" if local else "actions"
        asked = {"problem": problem, "horizon": 2 if local else horizon, "view": view}
        yield _case(policy, view, asked, slow=not local)
        return
    seen = policy.kernel.seen(policy.record)
    if seen is None or (seen.epochs and not _ends(seen.epochs, policy, problem, horizon)):
        yield from _by_record(policy)
        return
    view = "messages" if local else "actions"
    asked = {"problem": problem, "horizon": 2 if local else horizon, "view": view}
    if isinstance(problem, LinearContext):
        view = "messages"
        asked |= {"horizon": 1, "neighbours": _users(), "view": view}
    yield _case(policy, view, asked, slow=view != "messages")
    # a paper's tree shows a noisy number in every round; what this book releases of its own comes later
    if _promise(policy).trust == "central" and (seen.epochs or (policy.mechanism == "tree" and policy.paper)):
        yield _case(policy, "state", asked | {"view": "state", "horizon": horizon if seen.epochs else FEW}, slow=True)


def _promise(policy: Playable) -> Guarantee:
    """What a listed policy states."""
    assert isinstance(policy.privacy, Guarantee)
    return policy.privacy


def _ends(epochs: Epochs, policy: Policy, problem: Any, horizon: int) -> bool:
    """Whether an epoch ends in so few rounds as the page plays: else nothing is shown."""
    kernel, record = policy.kernel, problem.record()
    state, trace = kernel.start(record, policy.record), kernel.blank(problem, policy.record, 0)
    rounds, regret = np.array([horizon]), np.zeros(1)
    kernel.advance(record, policy.record, state, 1, horizon, rounds, regret, trace, *streams(0, 0))
    return bool(epochs.running(state)[0] > 0)


def _again(file: Path, policy: Playable) -> Iterator[Case]:
    """The row of a private algorithm of a chapter at another epsilon."""
    if policy.paper in _CHAPTERS and _promise(policy).trust != "none":
        messages = [each for each in _of(file, policy, FEW) if each.view == "messages"]
        if messages or math.isfinite(account(policy, _promise(policy).delta)[0]):  # else nothing is compared
            yield from (each._replace(slow=each.asked.get("runs") != 0) for each in messages or _by_record(policy))


def _by_record(policy: Playable) -> Iterator[Case]:
    if _promise(policy).trust != "none":
        view = "messages" if _promise(policy).trust == "local" else "state"
        yield _case(policy, view, {"view": view, "runs": 0})


def _case(policy: Playable, view: str, asked: dict[str, Any], slow: bool = False) -> Case:
    named = ": ".join(dict.fromkeys(filter(None, (policy.paper and policy.algorithm, policy.name))))
    facts = named, policy.paper or "ours", policy.variant, _promise(policy).trust, view, _promise(policy).delta
    return Case(*facts, policy, asked, exact=_exact(policy) if view == "messages" else None, slow=slow)


def _exact(policy: Playable) -> float | None:
    """The loss of a message of which the account is reached: clear, or of independent answers or noise."""
    if not isinstance(policy, Policy):
        return None
    seen = policy.kernel.seen(policy.record)
    if _promise(policy).trust == "local" and seen is not None and seen.reached:
        return account(policy, _promise(policy).delta)[0]
    return None


def _problem(file: Path, policy: Playable) -> Any:
    module = file.stem
    if file.parent.name == "contextual":
        return LinearContext.table([[[1.0, 0.0]]], [[0.5]], link="logistic", noise=0.0)
    if policy.paper in ("bubeck2013", "tao2022") or module == "doubling_episodes":
        return heavy_tailed.setting(1, 0.5)
    if file.parent.name == "semibandits" and not policy.paper:
        return BLOCKS
    if module == "algorithm_4" and policy.paper == "wang2021":
        return SemiBandit.top_k(CASCADE.means, 3)
    if policy.paper in ("wang2021", "kveton2015") or module in _CASCADES:
        return CASCADE
    return SETS if policy.paper in ("chen2020", "chen2013", "duchi2018") else ARMS


def _users() -> list[Any]:
    """Users of a contextual learner that differ in the reward, or in all: lists of one problem."""
    shown = (([1.0, 0.0], 0.0), ([1.0, 0.0], 1.0), ([0.0, 1.0], 0.0))
    rows = [LinearContext.table([[action]], [[mean]], link="logistic", noise=0.0) for action, mean in shown]
    return [([rows[0]], [rows[1]]), ([rows[1]], [rows[2]])]


def _finite(epsilon: float) -> Iterator[Case]:
    """Policies whose loss is enumerated."""
    asked: dict[str, Any] = {"horizon": 7, "promised": 6 * epsilon}
    argmax = partial(Case, "randomised argmax", "ours", trust="central", view="actions", delta=0.0, known="keeps")
    yield argmax("two arms, 7 rounds", target=Response(epsilon, n_arms=2), asked=asked)
    yield Case("greedy", "ours", "two arms, 7 rounds", "none", "actions", 0.0, Greedy(n_arms=2), {"horizon": 7})
    local = LocallyPrivate(Greedy(n_arms=2), epsilon)
    for view in ("messages", "actions"):
        asked = {"horizon": 5, "promised": epsilon, "view": view}
        yield Case("greedy on randomised answers", "ours", "two arms", "local", view, 0.0, local, asked, "keeps")


# --- faults, as they are described


def one_draw(values: Any, rng: np.random.Generator, scale: float = 1.0) -> np.ndarray:
    """Which of two arms an elimination keeps whose means share one draw of noise, as it cancels in every comparison."""
    noisy = np.asarray(values) + rng.laplace(0.0, scale)
    return np.asarray(noisy >= np.max(noisy) - 0.5, dtype=float)


def own_draws(values: Any, rng: np.random.Generator, scale: float = 1.0) -> np.ndarray:
    """The same with a draw for each mean."""
    noisy = np.asarray(values) + rng.laplace(0.0, scale, size=2)
    return np.asarray(noisy >= np.max(noisy) - 0.5, dtype=float)


def bare_increments(stream: Any, rng: np.random.Generator, epsilon: float = 1.0) -> np.ndarray:
    """A hybrid counter that adds, between powers of two, the exact increments to its noisy sums."""
    released, total = [], 0.0
    for t, x in enumerate(stream, start=1):
        if t & (t - 1) == 0:
            total, since = total + x + rng.laplace(0.0, 2.0 / epsilon), 0.0
        else:
            since += x
        released.append(total + since)
    return np.diff(released)


def redrawn(stream: Any, rng: np.random.Generator) -> np.ndarray:
    """A counter that releases every sum with fresh Laplace noise of scale 1, whatever epsilon."""
    return np.cumsum(stream) + rng.laplace(0.0, 1.0, size=len(stream))


def tree(stream: Any, rng: np.random.Generator, epsilon: float = 1.0) -> np.ndarray:
    """Every node of a binary tree over the stream, with Laplace noise of scale levels/epsilon."""
    nodes = [np.asarray(stream, dtype=float)]
    while len(nodes[-1]) > 1:
        nodes.append(nodes[-1].reshape(-1, 2).sum(axis=1))
    flat = np.concatenate(nodes)
    return np.asarray(flat + rng.laplace(0.0, len(nodes) / epsilon, size=len(flat)))


def _faults(epsilon: float, delta: float, horizon: int) -> Iterator[Case]:
    code = partial(Case, trust="central", view="actions", delta=0.0)
    means, promise = [([1.0, 0.0], [0.0, 0.0])], {"promised": epsilon}
    faulty = {"neighbours": means, **promise}
    yield code("elimination", "public code", "one draw shared by all arms", target=partial(one_draw, scale=1 / epsilon),
               asked=faulty, known="breaks")  # fmt: skip
    yield code("elimination", "as it should be", "a draw an arm", target=partial(own_draws, scale=1 / epsilon),
               asked=faulty | {"accounted": epsilon}, known="keeps")  # fmt: skip
    stream = np.zeros((2, 8))
    stream[1, 2] = 1.0
    streams = {"neighbours": [(stream[0], stream[1])], **promise}
    counter = partial(Case, trust="central", view="state", delta=0.0)
    yield counter("hybrid counter", "public code", "increments without noise",
                  target=partial(bare_increments, epsilon=epsilon), asked=streams, known="breaks")  # fmt: skip
    yield counter("counter", "public code", "scale 1 at every query", target=redrawn, asked=streams, known="breaks")
    yield counter("tree", "as it should be", "noise on every node", target=partial(tree, epsilon=epsilon),
                  asked=streams | {"accounted": epsilon}, known="keeps")  # fmt: skip
    noisy = partial(Case, trust="local", view="messages", delta=delta)
    for variant, factor, failure, known in (
        ("root of 2 left out, δ = 0.001", 0.5**0.5, 1e-3, "keeps"),
        ("root of 2 left out, δ = 10⁻⁹", 0.5**0.5, 1e-9, "breaks"),
        ("classical, δ = 10⁻⁹", 1.0, 1e-9, "keeps"),
    ):
        message = AddedNoise(
            "gaussian", factor * gaussian_sigma(epsilon, delta=failure, sensitivity=1.0, calibration="classical")
        )
        asked = {"neighbours": [(0.0, 1.0)], **promise, "delta": failure}
        paper = "as it should be" if factor == 1.0 else "public code"
        yield Case("Gaussian message", paper, variant, "local", "messages", failure, message, asked, known)
    wide = gaussian_sigma(10.0, delta=1e-3, sensitivity=1.0, calibration="classical")
    asked = {"neighbours": [(0.0, 1.0)], "promised": 10.0, "delta": 1e-3}
    yield noisy("Gaussian message", "wang2021, zheng2020", "classical beyond its range, ε = 10",
                target=AddedNoise("gaussian", wide), asked=asked, known="breaks")  # fmt: skip
    exact = AddedNoise("gaussian", gaussian_sigma(10.0, delta=1e-3, sensitivity=1.0))
    yield noisy("Gaussian message", "as it should be", "analytic, ε = 10", target=exact, asked=asked, known="keeps")
    yield noisy("Algorithm 3: LDP-GLOC", "zheng2020", f"printed, link g(a) = {SMALL_LINK:g} a",
                target=AddedNoise("gaussian", SMALL_LINK * noise_scale(glm_messages(), epsilon, delta)),
                asked={"neighbours": [(-1.0, 1.0)], **promise}, known="breaks")  # fmt: skip
    shifted = cascading.ucb_hybrid(epsilon, n_arms=8, horizon=1000, noise_multiplier=1.0, variant="proof")
    rows = np.zeros((2, 6, 8))
    rows[1, 2] = 1.0
    asked = {"problem": CASCADE, "horizon": 6, "view": "state", "neighbours": [(rows[0], rows[1])]}
    variant = "a later user, whose reply shifts the stream"
    yield Case("Algorithm 1: Hybrid", "wang2021", variant, "central", "state", 0.0, shifted, asked, "breaks")
    second = np.zeros((2, 2, 8))
    second[1, 1] = 1.0
    asked = {"problem": CASCADE, "horizon": 2, "view": "messages", "neighbours": [(second[0], second[1])]}
    variant = "a later user, whose number of reports is the reply"
    yield Case("Algorithm 2: Laplace", "wang2021", variant, "local", "messages", 0.0,
               cascading.ucb_laplace(epsilon, list_size=3), asked, "breaks")  # fmt: skip
    asked = {"problem": PAIR, "horizon": 4000, "view": "state", **promise}
    for variant, factor, known in (("two arms, 4,000 rounds", 1.0, "keeps"), ("noise halved", 2.0, "breaks")):
        played = dp_se(factor * epsilon, n_arms=2, horizon=4000)
        yield Case("Algorithm 2: DP-SE", "sajed2019", variant, "central", "state", 0.0, played, asked, known, slow=True)
    rows = np.zeros((2, 20, 4))
    rows[1, 0] = 1.0
    asked = {"problem": BLOCKS, "horizon": 20, "view": "state", "neighbours": [(rows[0], rows[1])], **promise}
    for variant, factor, known in (("two paths, 20 rounds", 1.0, "keeps"), ("noise halved", 2.0, "breaks")):
        blocks = cucb_blocks(factor * epsilon, list_size=2, n_arms=4, horizon=20)
        yield Case("CUCB, blocks", "ours", variant, "central", "state", 0.0, blocks, asked, known, slow=True)
