"""The algorithms of Wang et al. (2021), each a set of constants, and the ones that keep their promise.

Readings. `noise_multiplier=1` is the stated noise, which the theorems need; the published experiments multiply the
noise by 0.01 (Section 7), and with it the bonus, without which nothing is learnt. The repaired policies are ours.
"""

from __future__ import annotations

import math

import numpy as np

from private_bandits import checks
from private_bandits.kernels import index, ratio
from private_bandits.mechanisms import (
    gaussian_epsilon,
    gaussian_sigma,
    laplace_scale,
    lemma_1_constant,
    response_probabilities,
)
from private_bandits.papers.cascading.instances import one_hot_replies, round_leaves
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee, channel_loss, sensitivity

PAPER = "wang2021"
_SAMPLING = (1.5, 0.0)  # the sqrt(1.5 ln t / n) of every box
_LENGTH_LEAKS = "the number of reports is the click position, and w_0 is sent in clear"
_FIRST_LEAKS = "w_0 is sent in clear"  # lists of one item: always one report


def cascade_ucb1() -> Policy:
    """CascadeUCB1 of Kveton et al. (2015), Algorithm 1: mean + sqrt(1.5 ln t / n), no privacy."""
    record = index.IndexRecord(_terms(_SAMPLING))
    return Policy("CascadeUCB1", "kveton2015", "Algorithm 1", "printed", Guarantee.none(), record)


def uniform() -> Policy:
    """Uniformly random lists: nobody reports, so every index stays infinite and every tie is broken at random."""
    privacy = _guarantee((math.inf, 0.0), (0.0, 0.0), (0.0, 0.0), "none", "nobody reports anything")
    record = index.IndexRecord(_terms(_SAMPLING), reports=index.NOTHING, observe_first=False)
    return Policy("uniform", "", "", "reference", privacy, record)


def ucb_laplace(epsilon: float, list_size: int, noise_multiplier: float = 1.0) -> Policy:
    """Algorithm 2, Cascading-UCB under LDP (Laplace): Lap(K/epsilon) on each observed position.

    U = mean + sqrt(1.5 ln t / n) + (K/epsilon) sqrt(24 ln t / n).

    Parameters
    ----------
    epsilon : float
        Nominal privacy of a user, > 0; infinity gives CascadeUCB1.
    list_size : int
        K, for which the noise is calibrated.
    noise_multiplier : float
        Multiplies the noise and its bonus, > 0.

    Notes
    -----
    The forced exploration (n >= 3 ln t) that the tail bound of its proof needs is not in the box.
    """
    size, factor = _checked(list_size, noise_multiplier)
    scale = factor * laplace_scale(epsilon, size)
    privacy = _local(epsilon, 0.0, _value_laplace(scale, size), 0.0, size)
    record = index.IndexRecord(
        _terms(_SAMPLING, (24.0 * scale**2, 0.0)), noise=index.LAPLACE, scale=scale, list_size=size
    )
    return Policy("Laplace", PAPER, "Algorithm 2", _reading(factor), privacy, record)


def ucb_gaussian(epsilon: float, delta: float, list_size: int, noise_multiplier: float = 1.0) -> Policy:
    """Algorithm 3, Cascading-UCB under LDP (Gaussian): sigma = sqrt(2 K ln(1.25/delta)) / epsilon.

    U = mean + sqrt(1.5 ln t / n) + sigma sqrt(2 ln(2 t^3) / n). Parameters as for `ucb_laplace`; delta in (0, 1).
    """
    size, factor = _checked(list_size, noise_multiplier)
    sigma = factor * gaussian_sigma(epsilon, delta, math.sqrt(size), method="classical")
    value = gaussian_epsilon(sigma, delta, sensitivity(one_hot_replies(size), order=2))
    privacy = _local(epsilon, delta, value, delta, size)
    record = index.IndexRecord(
        _terms(_SAMPLING, (6.0 * sigma**2, 2.0 * math.log(2.0) * sigma**2)),
        noise=index.GAUSSIAN,
        scale=sigma,
        list_size=size,
    )
    return Policy("Gaussian", PAPER, "Algorithm 3", _reading(factor), privacy, record)


def ucb_composition(epsilon: float, delta: float, list_size: int, noise_multiplier: float = 1.0) -> Policy:
    """Theorem 8: Laplace noise of scale b = sqrt(4 K ln(e + epsilon/delta)) / epsilon by advanced composition.

    U = mean + sqrt(1.5 ln t / n) + (4/epsilon) sqrt(6 K ln(e + epsilon/delta) ln t / n); the last term is
    b sqrt(24 ln t / n). Parameters as for `ucb_gaussian`. The composition theorem it rests on asks for epsilon <= 0.9.
    """
    size, factor = _checked(list_size, noise_multiplier)
    budget = checks.epsilon(epsilon)
    per_query = checks.delta(delta)
    scale = 0.0
    if math.isfinite(budget):
        scale = factor * math.sqrt(4.0 * size * math.log(math.e + budget / per_query)) / budget
    privacy = _local(budget, per_query, _value_laplace(scale, size), 0.0, size)
    record = index.IndexRecord(
        _terms(_SAMPLING, (24.0 * scale**2, 0.0)), noise=index.LAPLACE, scale=scale, list_size=size
    )
    return Policy("Composition", PAPER, "Theorem 8", _reading(factor), privacy, record)


def ucb_hybrid(
    epsilon: float,
    n_items: int,
    horizon: int,
    noise_multiplier: float = 1.0,
    variant: str = "printed",
    c_1: float | None = None,
) -> Policy:
    """Algorithm 1, Cascading-UCB under DP: a hybrid counter of epsilon/L for each item.

    U = mean + sqrt(1.5 ln t / n) + 3 c_1 L ln^1.5(m) ln t / (epsilon n), with m the horizon (`variant="printed"`) or
    the pulls n of the item (`variant="proof"`, as in Appendix C).

    Parameters
    ----------
    epsilon : float
        Nominal privacy, > 0.
    n_items : int
        L; the budget is split among the items. (The box instantiates K counters; every item needs one.)
    horizon : int
        n of the box.
    noise_multiplier : float
        Multiplies the noise and its bonus, > 0.
    variant : {"printed", "proof"}
    c_1 : float, optional
        Constant of Lemma 1, which the paper leaves open; default `mechanisms.lemma_1_constant()`.
    """
    items, factor = _checked(n_items, noise_multiplier, "n_items")
    length = checks.integer("horizon", horizon, at_least=1)
    checks.choice("variant", variant, ("printed", "proof"))
    constant = lemma_1_constant() if c_1 is None else checks.real("c_1", c_1, above=0)
    scale = factor * laplace_scale(epsilon, items)
    logs = 1.0 if variant == "proof" else math.log(length) ** 1.5
    # a user moves at most two click counters (one at K = 1) by one each, epsilon/L apiece
    value = 2.0 / scale if scale else math.inf
    leak = "w_0 and the pulls are used in clear, and a click moves the later leaves of other items' trees"
    privacy = Guarantee.none()
    if scale:
        privacy = _guarantee((epsilon, 0.0), (value, 0.0), (math.inf, 0.0), "central", leak)
    record = index.IndexRecord(
        _terms(_SAMPLING),
        noise=index.HYBRID,
        scale=scale,
        bonus=index.PULLS_BONUS if variant == "proof" else index.FLAT_BONUS,
        bonus_scale=3.0 * constant * scale * logs,
        n_items=items,
        horizon=length if variant == "printed" else 0,
    )
    name = "Hybrid" if variant == "proof" else "Hybrid, log of horizon"
    return Policy(name, PAPER, "Algorithm 1", _reading(factor), privacy, record)


def cucb_gaussian(
    epsilon: float,
    delta: float,
    n_items: int,
    list_size: int,
    noise_multiplier: float = 1.0,
    variant: str = "printed",
) -> Policy:
    """Algorithm 4, CUCB under LDP (Gaussian), for semi-bandits; epsilon = infinity is CUCB.

    Index: mean + sqrt(1.5 ln t / n) + (2/epsilon) sqrt(2 K ln(1.25/delta) ln t / n), t from m + 1. The box lists gamma
    before the loop although it depends on t.

    Parameters
    ----------
    epsilon, delta, list_size, noise_multiplier
        As for `ucb_gaussian`.
    n_items : int
        m of the box, n_items >= list_size.
    variant : {"printed", "repaired"}
        `repaired` is ours: no u_0 (an item without reports has an infinite index), and sigma by the analytic formula,
        so that everything sent is (epsilon, delta)-private. The bonus is 2 sigma sqrt(ln t / n) in both.
    """
    size, factor = _checked(list_size, noise_multiplier)
    checks.integer("n_items", n_items, at_least=size)
    checks.choice("variant", variant, ("printed", "repaired"))
    repaired = variant == "repaired"
    method = "analytic" if repaired else "classical"
    sigma = factor * gaussian_sigma(epsilon, delta, math.sqrt(size), method=method)
    value = gaussian_epsilon(sigma, delta, math.sqrt(size))
    released = (value, delta) if repaired else (math.inf, 0.0)
    leak = "u_0 is sent in clear; after it the values are all that is sent"
    reason = "the values are all that is sent" if repaired else leak
    privacy = _guarantee((epsilon, delta), (value, delta), released, "local", reason) if sigma else Guarantee.none()
    record = index.IndexRecord(
        _terms(_SAMPLING, (4.0 * sigma**2, 0.0)),
        noise=index.GAUSSIAN,
        scale=sigma,
        observe_first=not repaired,
        clock=n_items,
        semi_bandit=True,
        list_size=size,
        n_items=n_items,
    )
    name = "CUCB Gaussian" if sigma else "CUCB"
    return Policy(name, PAPER, "Algorithm 4", "repaired" if repaired else _reading(factor), privacy, record)


def repaired_local(epsilon: float, list_size: int, design: str = "first") -> Policy:
    """Locally private cascades that keep their promise; each user sends one message, whose form is fixed in advance.

    Parameters
    ----------
    epsilon : float
        Pure local privacy of everything a user sends, > 0.
    list_size : int
        K, for which the noise is calibrated.
    design : {"first", "reply", "one_hot"}
        * `first`: the least reported item of the list is shown first (the reward does not depend on the order) and
          the user sends "was it clicked?" by randomised response. Mean and count are those of a plain bandit.
        * `reply`: (K+1)-ary randomised response on the reply {1, ..., K, none}; ratio index.
        * `one_hot`: the padded click vector with Lap(2/epsilon) on each entry (Lap(1/epsilon) at K = 1); ratio index.

    Notes
    -----
    Not in the paper. No w_0: an item without reports has an infinite index. At each number of reports a radius fails
    with probability about t^-3 a side, by Hoeffding (`first`, `reply`) or by the Laplace-sum tail of Chan et al.
    (`one_hot`). Only for `first` does a regret of order ln T follow: the item in doubt is the one that is asked about.
    """
    size = checks.integer("list_size", list_size, at_least=1)
    checks.choice("design", design, ("first", "reply", "one_hot"))
    budget = checks.epsilon(epsilon)
    if design == "first":
        _, other = response_probabilities(budget, 2)
        paid = channel_loss(first_channel(other, size))
        record: index.IndexRecord | ratio.RatioRecord = index.IndexRecord(
            _terms((1.5 / (1.0 - 2.0 * other) ** 2, 0.0)),
            noise=index.RESPONSE,
            other=other,
            reports=index.FIRST,
            observe_first=False,
            list_size=size,
        )
        reason = "one randomised bit about the first item"
    elif design == "reply":
        _, other = response_probabilities(budget, size + 1)
        paid = channel_loss(reply_channel(other, size))
        record = ratio.RatioRecord(ratio.RESPONSE, other=other, list_size=size)
        reason = "randomised response on the whole reply"
    else:
        reach = sensitivity(one_hot_replies(size), order=1)
        scale = laplace_scale(budget, reach)
        paid = reach / scale if scale else math.inf
        record = ratio.RatioRecord(ratio.ONE_HOT, scale=scale, list_size=size)
        reason = "Laplace noise on every entry of the padded click vector"
    privacy = Guarantee.certified(budget, paid, "local", reason)
    return Policy(_DESIGNS[design], "", f"repair, {design}", "repaired", privacy, record)


def repaired_central(epsilon: float, n_items: int, list_size: int, horizon: int, design: str = "first") -> Policy:
    """Centrally private cascades that keep their promise.

    Parameters
    ----------
    epsilon : float
        Pure privacy of the sequence of lists when one user's reply changes, > 0.
    n_items, list_size, horizon : int
        The problem that the counters are calibrated for.
    design : {"first", "rounds"}
        * `first`: the least reported item of the list is shown first and only its click is counted, by a hybrid
          counter of the item. How often an item stood first is a function of the lists, so the counters' lengths are
          public, and a user enters one counter once: epsilon goes to each counter whole.
        * `rounds`: two trees an item, for clicks and for examinations, indexed by rounds; an item that is not shown
          inserts 0. One reply moves the leaves by at most K + 1 in L1 (1 at K = 1); ratio index.

    Notes
    -----
    Not in the paper. No w_0. The bonus is the tail bound of the counters' own noise, which fails with
    probability t^-3 at each number of reports. Only for `first` does a regret bound follow.
    """
    size = checks.integer("list_size", list_size, at_least=1)
    items = checks.integer("n_items", n_items, at_least=size)
    length = checks.integer("horizon", horizon, at_least=1)
    checks.choice("design", design, ("first", "rounds"))
    budget = checks.epsilon(epsilon)
    if design == "first":
        scale = laplace_scale(budget, 1.0)
        paid = 1.0 / scale if scale else math.inf
        record: index.IndexRecord | ratio.RatioRecord = index.IndexRecord(
            _terms(_SAMPLING),
            noise=index.HYBRID,
            scale=scale,
            bonus=index.SPREAD_BONUS if scale else index.NO_BONUS,
            bonus_scale=scale,
            reports=index.FIRST,
            observe_first=False,
            list_size=size,
        )
        reason = "one hybrid counter a user, lengths fixed by the lists"
        name = "Hybrid, first item"
    else:
        levels = length.bit_length()
        reach = sensitivity(round_leaves(size), order=1)
        scale = laplace_scale(budget, reach * levels)
        paid = reach * levels / scale if scale else math.inf
        record = ratio.RatioRecord(ratio.ROUNDS, scale=scale, list_size=size, n_items=items, horizon=length)
        reason = "trees indexed by rounds, joint sensitivity of clicks and examinations"
        name = "Trees by rounds"
    return Policy(
        name, "", f"repair, {design}", "repaired", Guarantee.certified(budget, paid, "central", reason), record
    )


def first_channel(other: float, list_size: int) -> np.ndarray:
    """Channel from the reply (click at 1, ..., K, none) to the randomised bit about the first item."""
    row = np.array([other, 1.0 - other])
    return np.vstack([row, *[row[::-1]] * list_size])


def reply_channel(other: float, list_size: int) -> np.ndarray:
    """Channel from the reply (click at 1, ..., K, none) to the randomised reply."""
    channel = np.full((list_size + 1, list_size + 1), other)
    np.fill_diagonal(channel, 1.0 - list_size * other)
    return channel


def length_channel(list_size: int) -> np.ndarray:
    """Channel from the reply to the number of values that Algorithms 2 and 3 report: min(C_t, K)."""
    channel = np.zeros((list_size + 1, list_size))
    for reply in range(list_size + 1):
        channel[reply, min(reply, list_size - 1)] = 1.0
    return channel


def _guarantee(
    nominal: tuple[float, float], value: tuple[float, float], effective: tuple[float, float], trust: str, reason: str
) -> Guarantee:
    return Guarantee(
        epsilon=float(nominal[0]),
        delta=float(nominal[1]),
        value_epsilon=float(value[0]),
        value_delta=float(value[1]),
        effective_epsilon=float(effective[0]),
        effective_delta=float(effective[1]),
        trust=trust,
        reason=reason,
    )


_DESIGNS = {"first": "Response, first item", "reply": "Response, whole reply", "one_hot": "Laplace, whole reply"}


def _terms(*pairs: tuple[float, float]) -> np.ndarray:
    return np.array([pair for pair in pairs if pair != (0.0, 0.0)])


def _checked(size: int, noise_multiplier: float, name: str = "list_size") -> tuple[int, float]:
    return checks.integer(name, size, at_least=1), checks.real("noise_multiplier", noise_multiplier, above=0)


def _reading(factor: float) -> str:
    return {1.0: "stated", 0.01: "published"}.get(factor, f"noise times {factor:g}")


def _value_laplace(scale: float, size: int) -> float:
    return sensitivity(one_hot_replies(size), order=1) / scale if scale else math.inf


def _local(epsilon: float, delta: float, value_epsilon: float, value_delta: float, size: int) -> Guarantee:
    if math.isinf(epsilon):
        return Guarantee.none()
    leak = _LENGTH_LEAKS if size > 1 else _FIRST_LEAKS
    return _guarantee((epsilon, delta), (value_epsilon, value_delta), (math.inf, 0.0), "local", leak)
