"""The rules that a computer decides without a run: privacy, and what is said of mechanisms.

Privacy is judged at each epsilon of a grid, by what the noise exactly pays. The classical Gaussian formula is proven
for epsilon < 1 only, so the statements say for which epsilon it holds.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial

import numpy as np
import pandas as pd
from scipy.optimize import brentq

from private_bandits.papers.contextual import ldp_glm, ldp_linucb, one_point, two_point
from private_bandits.policy import Policy
from private_bandits.privacy import channel_loss
from private_bandits_book.contextual import facts, joint, messages
from private_bandits_book.contextual.messages import BALL, cost
from private_bandits_book.contextual.study import Study
from private_bandits_book.ledger import Claim, Rulebook
from private_bandits_book.rules import NotTestable, Privacy, Ruling, after_repair, all_of, beyond_rounding
from private_bandits_book.verdicts import EXACT

MECHANISM_GRID = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)  # the text states the Gaussian mechanism for every epsilon
_POINTS = (0, 1, 2, 3)
_LINEAR = [[g * x for x in _POINTS] for g in (1, -1)]  # losses g x, integers modulo 7
_CURVED = [[1, *(0 for _ in _POINTS[1:])], [0 for _ in _POINTS]]  # differ at x = 0
_FINITE = 1.0  # epsilon of the finite copies, whose rarest message must not underflow
_STREAMING = (0.1, 1.0, 10.0)  # and of the enumerated learner
_LARGE = 1e3  # a norm from which we call the sequence of norms unbounded, when it also grows on every step
_ROUNDS, _DIM = 100_000, 20  # at which the work of GLOC and of a fit from all data is counted
_MUCH = 10.0  # times the work that we call much more
_EARLY_LATE = (10_000, 1_000_000)  # rounds at which two noises are compared
_REACHES = (2.0, 20.0, 200.0)
_NEGLIGIBLE = 1e-5  # a least regret below it is not told apart from 0 by the programme


def grid(study: Study) -> list[float]:
    """Return the epsilons at which privacy is judged."""
    return sorted({*MECHANISM_GRID, *study.epsilons})


def promises(study: Study, theorem: str, repaired: bool = False) -> Callable[[float], Policy]:
    """Return the algorithm that a privacy theorem is about, by epsilon; repaired with the analytic sigma."""
    method, delta, dim, horizon = "analytic" if repaired else "classical", study.delta, study.dims[0], study.horizon
    linear, glm = ("derived", "repaired") if repaired else ("printed", "printed")
    made: dict[str, Callable[[float], Policy]] = {
        "theorem-2": lambda epsilon: one_point(BALL, horizon, epsilon, delta, method=method),
        "theorem-5": lambda epsilon: two_point(BALL, horizon, epsilon, delta, method=method),
        "theorem-7": lambda epsilon: ldp_linucb(epsilon, delta, dim, horizon, linear, method),
        "theorem-9": lambda epsilon: ldp_glm(epsilon, delta, dim, horizon, glm, method),
    }
    return made[theorem]


def paid(study: Study, theorem: str, repaired: bool = False) -> list[tuple[float, float]]:
    """Return each epsilon of the grid with what the algorithm of a privacy theorem exactly pays."""
    make = promises(study, theorem, repaired)
    found = [(epsilon, cost(make(epsilon))) for epsilon in grid(study)]
    if theorem == "theorem-9":
        found += [(epsilon, messages.small_link(epsilon, study.delta, repaired)) for epsilon in grid(study)]
    return found


def certified_to(study: Study, theorem: str) -> str:
    """Return the largest epsilon of the grid up to which the promise is kept as printed."""
    pairs = paid(study, theorem)
    broken = min((epsilon for epsilon, cost in pairs if cost > epsilon * (1 + 1e-9)), default=math.inf)
    certified = [epsilon for epsilon, _ in pairs if epsilon < broken]
    return f"{max(certified):g}" if certified else "none of them"


def number(value: float) -> str:
    """Return four digits, or infinity."""
    return "infinity" if math.isinf(value) else f"{value:.4g}"


def worst(pairs: Iterable[tuple[float, float]], delta: float = 0.0, evidence: str = EXACT) -> Ruling:
    """The ruling on the pair of a nominal epsilon and what is paid where most is paid for it; it decides for all."""
    epsilon, cost = max(pairs, key=lambda pair: pair[1] / pair[0])
    return Privacy(epsilon, delta, evidence)(cost, delta)


def broken_below(study: Study) -> str:
    """Return the C below which the gradient of the link g(a) = C a alone pays more than epsilon = 1, as printed."""
    size = brentq(lambda link: messages.small_link(1.0, study.delta, size=link) - 1.0, 1e-3, 10.0)
    return f"{size:.2g}"


rules = Rulebook(
    grid=lambda study: f"from {grid(study)[0]:g} to {grid(study)[-1]:g}",
    small_link=f"{messages.SMALL_LINK:g}",
    broken_below=broken_below,
    epsilons=lambda study: ", ".join(f"{epsilon:g}" for epsilon in study.epsilons),
    **{f"certified_{n}": partial(certified_to, theorem=f"theorem-{n}") for n in (2, 5, 7, 9)},
)


@rules("gaussian-mechanism")
def _gaussian(study: Study, claim: Claim) -> Ruling:
    pays, delta = messages.gaussian_pays, study.delta
    kinds = {"classical": EXACT, "analytic": claim.evidence}
    return after_repair(
        *(worst([(e, pays(e, delta, method)) for e in grid(study)], delta, kind) for method, kind in kinds.items())
    )


@rules("logistic-loss")
def _logistic(study: Study, claim: Claim) -> Ruling:
    gap = beyond_rounding(facts.logistic_gap())
    return claim.holds(not gap, gap=gap)


@rules("theorem-1")
def _streaming(study: Study, claim: Claim) -> Ruling:
    most = max(loss(epsilon) / epsilon for epsilon in _STREAMING for loss in (facts.streaming_loss, facts.reports_loss))
    epsilons = ", ".join(f"{epsilon:g}" for epsilon in _STREAMING)
    return claim.holds(most <= 1.0 + 1e-9, most, epsilons=epsilons, rounds=facts.ROUNDS, most=most)


@rules("theorem-2", "theorem-5", "theorem-7", "theorem-9")
def _promise(study: Study, claim: Claim) -> Ruling:
    """The repaired sigma is solved for the epsilon that it is then said to pay."""
    rulings = []
    for repaired, evidence in ((False, EXACT), (True, claim.evidence)):
        found = worst(paid(study, claim.claim, repaired), study.delta, evidence)
        rulings.append(found.of(promises(study, claim.claim, repaired)(study.epsilons[0])))
    return after_repair(*rulings)


@rules("laplace-privacy")
def _laplace(study: Study, claim: Claim) -> Ruling:
    makes = (one_point, two_point)
    policies = [make(BALL, study.horizon, e, noise="laplace") for e in study.epsilons for make in makes]
    policies += [ldp_linucb(e, None, study.dims[0], study.horizon, "derived", "laplace") for e in study.epsilons]
    return worst([(policy.privacy.epsilon, cost(policy)) for policy in policies], evidence=claim.evidence)


@rules("linear-perturbation")
def _linear_losses(study: Study, claim: Claim) -> Ruling:
    most = max(messages.finite_loss(_FINITE, x, _LINEAR) for x in _POINTS)
    return claim.holds(most <= _FINITE * (1 + 1e-9), most, points=len(_POINTS), epsilon=_FINITE, most=most)


@rules("counterexample")
def _curved_losses(study: Study, claim: Claim) -> Ruling:
    curved = messages.finite_loss(_FINITE, 0, _CURVED)
    added = max(messages.finite_loss(_FINITE, x, _CURVED, additive=True) for x in _POINTS)
    held = math.isinf(curved) and added <= _FINITE * (1 + 1e-9)
    return claim.holds(held, curved, epsilon=_FINITE, curved=number(curved), added=number(added))


@rules("unbounded-ellipsoid")
def _ellipsoid(study: Study, claim: Claim) -> Ruling:
    frames = [facts.ellipsoid_norms(domain) for domain in ("ball", "simplex")]
    rulings = []
    for said, column in (("reason", "inverse"), ("repaired", "root")):
        norms = [frame[column].to_numpy() for frame in frames]
        ends = {"centre": _spread(norms, 0), "boundary": _spread(norms, -1)}
        unbounded = all(one[-1] > _LARGE and np.all(np.diff(one) > 0) for one in norms)
        rulings.append(claim.holds(unbounded, said=said, **ends))
    return after_repair(*rulings)


@rules("sphere-estimate")
def _sphere(study: Study, claim: Claim) -> Ruling:
    """The largest size that the estimate could have had, in every round of a run."""
    frame = study.estimates
    last, most = frame.iloc[-1], frame["ellipsoid"].max()
    held = bool((frame["sphere"] == last["sphere"]).all()) and most > last["sphere"]
    return claim.holds(held or None, sphere=last["sphere"], t=last["t"], ellipsoid=most)


@rules("virtual-losses")
def _virtual(study: Study, claim: Claim) -> Ruling:
    gap = beyond_rounding(max(facts.virtual_gap(slope) for slope in (False, True)))
    return claim.holds(not gap, gap, gap=gap)


@rules("same-noise")
def _same_noise(study: Study, claim: Claim) -> Ruling:
    same, apart = (messages.two_values_loss(_FINITE, shared) for shared in (True, False))
    held = math.isinf(same) and math.isfinite(apart)
    return claim.holds(held, apart, epsilon=_FINITE, same=number(same), apart=number(apart))


@rules("different-noises")
def _apart(study: Study, claim: Claim) -> Ruling:
    """With two draws, of (d / 2 rho) times their difference; with one, of d <n, u>; sigma for B and for 2 G."""
    early, late = _EARLY_LATE
    ends = [math.sqrt(0.5) * BALL.bound / BALL.lipschitz * t / math.log(t) for t in _EARLY_LATE]
    return claim.holds(ends[1] > _MUCH * ends[0], ends[1], early=early, late=late, apart=ends[0], later=ends[1])


@rules("gloc-efficiency")
def _work(study: Study, claim: Claim) -> Ruling:
    gloc, fit = _ROUNDS * (_DIM**3 / 6 + 3 * _DIM**2), _DIM * _ROUNDS**2 / 2
    return claim.holds(fit >= _MUCH * gloc, fit / gloc, dim=_DIM, rounds=_ROUNDS, times=fit / gloc)


@rules("published-setting")
def _published(study: Study, claim: Claim) -> Ruling:
    coded = study.setting.iloc[0]
    return Privacy(float(coded["epsilon"]), float(coded["delta"]))(coded["epsilon_paid"], float(coded["delta"]))


@rules("sub-gaussian-noise")
def _unbounded_noise(study: Study, claim: Claim) -> Ruling:
    epsilon = min(study.epsilons)
    pays = {reach: messages.beyond(reach, epsilon, study.delta) for reach in _REACHES}
    costs = ", ".join(f"{paid:.3g} at |y| <= {reach:g}" for reach, paid in pays.items())
    return NotTestable(claim.facts["reason"].format(epsilon=epsilon, costs=costs))()


# --- the two privacies


@rules("dp-lower-bound")
def _private_actions(study: Study, claim: Claim) -> Ruling:
    epsilons = [float(epsilon) for epsilon in study.privacies["epsilon"].unique()]
    found = {e: (joint.least_regret(e, 2, 1.0), joint.dp_regret(e, 2, 1.0)) for e in epsilons}
    measurable = min(formula for _, formula in found.values()) > _NEGLIGIBLE
    same = all(abs(least - formula) <= 1e-6 for least, formula in found.values())
    each = ", ".join(f"{least / 2:.3g} a round at epsilon = {e:g}" for e, (least, _) in found.items())
    return claim.holds(same if measurable else None, found=each)


@rules("actions-not-private")
def _public_actions(study: Study, claim: Claim) -> Ruling:
    frame = study.privacies
    last = frame[frame["t"] == frame["t"].max()]
    certified = bool((last["message_loss"] <= last["epsilon"] * (1 + 1e-6)).all())
    leaks = bool(np.isinf(last["joint_loss"]).all())
    past = last["t"].min() > 1  # a first round has none
    return claim.holds(certified and leaks if past else None, joint=number(last["joint_loss"].min()))


@rules.combining("not-comparable")
def _not_comparable(study: Study, claim: Claim, parts: dict[str, Ruling]) -> Ruling:
    policy = joint.answers(joint.dp_regret(1.0, 1, 1.0))
    acts, sees = float(channel_loss(policy)), float(channel_loss(np.eye(len(policy))))
    own = claim.holds(acts <= 1.0 + 1e-9 and math.isinf(sees), acts=acts, sees=number(sees))
    return all_of(*parts.values(), own)


@rules("ldp-escapes")
def _escapes(study: Study, claim: Claim) -> Ruling:
    return all_of(*(_falls(claim, float(epsilon), part) for epsilon, part in study.privacies.groupby("epsilon")))


def _falls(claim: Claim, epsilon: float, part: pd.DataFrame) -> Ruling:
    last = part.iloc[-1]
    falls = bool((part["ldp_regret"] / part["t"]).diff().dropna().lt(0).all())
    crossed = len(part) > 1 and bool(last["ldp_regret"] < last["dp_regret"])
    return claim.holds((crossed or None) if falls else False, epsilon=epsilon, last=last)


def _spread(norms: Sequence[np.ndarray], place: int) -> str:
    return ", ".join(f"{one[place]:.2g}" for one in norms)
