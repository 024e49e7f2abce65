"""What a policy promises and what it pays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy

from private_bandits import checks
from private_bandits.channels import channel_loss
from private_bandits.mechanisms.calibration import gaussian_epsilon
from private_bandits.shown import Shown, loss

_HARDLY = 0.1  # users revealed, from which on a delta is worth a line


@dataclass(frozen=True, repr=False)
class Guarantee(Shown):
    """Privacy of a policy: the promise, what its noise on values pays, what everything released pays.

    Parameters
    ----------
    epsilon, delta : float
        Nominal parameters: epsilon >= 0, or infinity for no privacy; delta in [0, 1).
    value_epsilon, value_delta : float or None
        What the noise on values alone pays, over feasible replies; epsilon may be infinite, None means not
        certified (both or neither).
    effective_epsilon, effective_delta : float or None
        What everything released pays, in the same form.
    trust : {"local", "central", "none"}
        Who sees the exact values: nobody but the user, the learner, or everybody.
    reason : str
        Why the effective loss is what it is, in one line.
    joint : bool
        Whether it is of what all other users see: central privacy of contexts is joint, as a user's own action follows
        from the user's own context.
    rho : float or None
        Everything released is promised to be rho-zero-concentrated private as well; None: nothing is said of it.

    Raises
    ------
    ValueError
        If a field is out of range, or local privacy is to be joint.
    """

    epsilon: float
    delta: float
    value_epsilon: float | None
    value_delta: float | None
    effective_epsilon: float | None
    effective_delta: float | None
    trust: str
    reason: str
    joint: bool = False
    rho: float | None = None

    def facts(self) -> dict[str, str]:
        """Return what a table of the guarantee says."""
        promised, paid = loss(self.epsilon, self.delta), loss(self.effective_epsilon, self.effective_delta)
        values = loss(self.value_epsilon, self.value_delta)
        promised += "" if self.rho is None else f", ρ = {self.rho:g}"
        trust = f"{self.trust}, joint" if self.joint else self.trust
        rows = {"trust": trust, "promised": promised, "paid by the noise on values": values}
        return rows | {"paid by all that is released": paid, "why": self.reason}

    def __str__(self) -> str:
        shown = self.facts()
        return (
            f"Guarantee({shown['trust']}, promised {shown['promised']}; paid {shown['paid by all that is released']})"
        )

    @classmethod
    def none(cls) -> Guarantee:
        """Of a policy without noise: it promises nothing, and everything it releases is exact.

        Returns
        -------
        Guarantee
            With every epsilon infinite and every delta 0.
        """
        return cls(math.inf, 0.0, math.inf, 0.0, math.inf, 0.0, "none", "no noise")

    @classmethod
    def certified(
        cls,
        epsilon: float,
        paid: float,
        trust: str,
        reason: str,
        delta: float = 0.0,
        joint: bool = False,
        rho: float | None = None,
    ) -> Guarantee:
        """Of a policy that releases nothing but noisy values; that without noise if epsilon is infinite.

        Parameters
        ----------
        epsilon, delta : float
            Nominal.
        paid : float
            The epsilon that everything released pays at this delta.
        trust, reason, joint, rho
            As for the class.

        Returns
        -------
        Guarantee
            With one loss for the values and for everything released.

        Raises
        ------
        ValueError
            If a field is out of range.
        """
        made = cls.releasing(epsilon, delta, paid, delta, (), trust, reason)
        return made if math.isinf(epsilon) else replace(made, joint=joint, rho=rho)

    @classmethod
    def concentrated(
        cls, rho: float, trust: str, reason: str, *, delta: float, gaussian: bool = False, joint: bool = False
    ) -> Guarantee:
        """Of a policy that promises rho-zero-concentrated privacy; that without noise if rho is infinite.

        Parameters
        ----------
        rho : float
            >= 0.
        trust, reason : str
            As for the class.
        delta : float
            In (0, 1), at which its epsilon is told: see `concentrated_epsilon`.
        gaussian : bool
            Whether all noise is Gaussian: what is paid at delta is less then, and exact.
        joint : bool
            As for the class.

        Returns
        -------
        Guarantee

        Raises
        ------
        ValueError
            If an argument is out of range.

        Examples
        --------
        >>> print(Guarantee.concentrated(0.05, "central", "noisy sums", delta=1e-3, gaussian=True))
        Guarantee(central, promised ε = 0.904525, δ = 0.001, ρ = 0.05; paid ε = 0.782888, δ = 0.001)
        """
        epsilon = concentrated_epsilon(rho, delta=delta)
        paid = concentrated_epsilon(rho, delta=delta, gaussian=gaussian)
        return cls.certified(epsilon, paid, trust, reason, delta, joint=joint, rho=rho)

    @classmethod
    def releasing(
        cls,
        epsilon: float,
        delta: float,
        value_epsilon: float,
        value_delta: float,
        beside: Sequence[Any],
        trust: str,
        reason: str,
    ) -> Guarantee:
        """Of a policy that releases more than noisy values; that without noise if epsilon is infinite.

        The effective loss is computed: the values and what is released beside them compose, so their losses add up.

        Parameters
        ----------
        epsilon, delta : float
            Nominal.
        value_epsilon, value_delta : float
            What the noise on values alone pays.
        beside : sequence of array_like, each of shape (inputs, outputs)
            What else is released, each a channel from what one user has, as for `channel_loss`: the identity where
            something is seen in clear.
        trust, reason : str
            As for the class; the reason says what is released beside the values.

        Returns
        -------
        Guarantee
            With an infinite effective epsilon where a channel's loss is infinite.

        Raises
        ------
        ValueError
            If an argument is out of range.

        Examples
        --------
        >>> clear = [[1.0, 0.0], [0.0, 1.0]]
        >>> Guarantee.releasing(1.0, 0.0, 0.5, 0.0, [clear], "local", "the first reward is sent in clear").label()
        'ε=1, values pay 0.5, everything ∞'
        """
        if math.isinf(epsilon):
            return cls.none()
        paid = float(value_epsilon) + sum(channel_loss(channel) for channel in beside)
        values = float(value_epsilon), float(value_delta)
        return cls(
            float(epsilon), float(delta), *values, paid, values[1] if math.isfinite(paid) else 0.0, trust, reason
        )

    def unprotected(self, users: int) -> str:
        """Return a line on how many users delta may leave without protection, or nothing where that is hardly one.

        A user who sends everything without noise with probability delta, and nothing otherwise, is (0, delta)-private.
        So a delta that is not far below one over the number of users says little, whatever epsilon is.

        Parameters
        ----------
        users : int
            Rounds of the run, >= 1.

        Returns
        -------
        str
            Empty where delta times users is below 0.1.

        Raises
        ------
        ValueError
            If `users` is no such number.

        Examples
        --------
        >>> Guarantee.certified(1.0, 1.0, "local", "Gaussian noise", 0.001).unprotected(100_000)
        'delta = 0.001 would allow 100 of 100,000 users to be revealed whole'
        """
        delta = max(self.delta, self.effective_delta or 0.0)
        return whole(delta, checks.integer("users", users, at_least=1))

    def __post_init__(self) -> None:
        checks.real("epsilon", self.epsilon, at_least=0, infinite=True)
        checks.real("delta", self.delta, at_least=0, below=1)
        for part in ("value", "effective"):
            epsilon, delta = getattr(self, f"{part}_epsilon"), getattr(self, f"{part}_delta")
            if (epsilon is None) != (delta is None):
                raise ValueError(f"{part}_delta must be None exactly when {part}_epsilon is, got {checks.brief(delta)}")
            if epsilon is not None:
                checks.real(f"{part}_epsilon", epsilon, at_least=0, infinite=True)
                checks.real(f"{part}_delta", delta, at_least=0, at_most=1)
        checks.choice("trust", self.trust, ("local", "central", "none"))
        if checks.flag("joint", self.joint) and self.trust != "central":
            raise ValueError(f"trust must be 'central' where privacy is joint, got {self.trust!r}")
        if self.rho is not None:
            checks.real("rho", self.rho, at_least=0)
        if not isinstance(self.reason, str) or not self.reason.strip() or "\n" in self.reason:
            raise ValueError(f"reason must be one line of text, got {checks.brief(self.reason)}")

    @property
    def kind(self) -> str:
        """The kind of the promise.

        Only promises of one kind, and of one trust, are compared by their size; those of another kind are compared at
        one delta above 0, by `at`.

        Returns
        -------
        str
            "pure" (epsilon at delta 0), "concentrated" (rho, and no epsilon at delta 0) or "approximate" (epsilon at a
            delta above 0), "joint " before it where it is of what all others see; "none" without a promise.

        Examples
        --------
        >>> Guarantee.certified(1.0, 1.0, "central", "noisy sums", joint=True).kind
        'joint pure'
        >>> Guarantee.concentrated(0.1, "central", "noisy sums", delta=1e-6).kind
        'concentrated'
        """
        if math.isinf(self.epsilon) and self.rho is None:
            return "none"
        pure = self.delta == 0.0 and math.isfinite(self.epsilon)
        kind = "pure" if pure else "approximate" if self.rho is None else "concentrated"
        return f"joint {kind}" if self.joint else kind

    def at(self, delta: float) -> float | None:
        """Return the epsilon that is promised at delta, by epsilon or by rho.

        Parameters
        ----------
        delta : float
            In [0, 1).

        Returns
        -------
        float or None
            None where nothing is promised at so small a delta.

        Raises
        ------
        ValueError
            If delta is out of range.
        """
        failure = checks.real("delta", delta, at_least=0, below=1)
        promised = [self.epsilon] if self.delta <= failure else []
        if self.rho is not None and failure > 0:
            promised.append(concentrated_epsilon(self.rho, delta=failure))
        return min(promised, default=None)

    def label(self) -> str:
        """Return the nominal epsilon and those paid that differ from it, for a figure's label.

        Returns
        -------
        str
            Such as "ε=0.2, values pay 0.1, everything ∞".
        """
        if math.isinf(self.epsilon):
            return "no privacy"
        nominal, value, effective = map(_short, (self.epsilon, self.value_epsilon, self.effective_epsilon))
        if value != effective:
            paid = [("values pay ", value), ("everything ", effective)]
        else:
            paid = [("" if value == "not certified" else "pays ", value)]
        return ", ".join([f"ε={nominal}", *(who + loss for who, loss in paid if loss != nominal)])


def whole(delta: float, users: int) -> str:
    """Return the line of `Guarantee.unprotected` for a delta.

    Parameters
    ----------
    delta : float
        In [0, 1].
    users : int
        >= 1.

    Returns
    -------
    str
    """
    expected = delta * users
    if expected < _HARDLY:
        return ""
    return f"delta = {delta:g} would allow {expected:,.3g} of {users:,} users to be revealed whole"


def concentrated_epsilon(rho: float, *, delta: float, gaussian: bool = False) -> float:
    """Epsilon at delta of what is rho-zero-concentrated private: its Rényi divergence of order a is at most a rho.

    Parameters
    ----------
    rho : float
        >= 0; infinity means no privacy.
    delta : float
        In (0, 1).
    gaussian : bool
        Whether it is Gaussian noise of standard deviation sensitivity / sqrt(2 rho), for which the answer is exact. For
        others it is an upper bound.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    With x + 1 the order a, epsilon <= (x + 1) rho - ln(1 + 1/x) + (ln(1/delta) - ln(1 + x)) / x for every x > 0
    (Canonne, Kamath and Steinke 2020, Section 2.3): we take the least. Without the logarithms of x it is
    rho + 2 sqrt(rho ln(1/delta)), at x = sqrt(ln(1/delta) / rho) (Bun and Steinke 2016, Proposition 1.3), and so always
    more.

    Examples
    --------
    >>> [round(concentrated_epsilon(0.1, delta=1e-6, gaussian=known), 3) for known in (False, True)]
    [2.142, 1.995]
    """
    size, failure = checks.real("rho", rho, at_least=0, infinite=True), checks.delta(delta)
    if checks.flag("gaussian", gaussian):
        return gaussian_epsilon(1.0, delta=failure, sensitivity=math.sqrt(2 * size)) if 0 < size < math.inf else size
    if size == 0.0 or math.isinf(size):
        return size
    log = -math.log(failure)
    start = 0.5 * (math.log(log) - math.log(size))

    def bound(log_x: float) -> float:
        x = math.exp(log_x)
        return (1 + x) * size - float(np.logaddexp(0.0, -log_x)) + (log - math.log1p(x)) / x

    found = scipy.optimize.minimize_scalar(bound, bounds=(start - 5, start + 5), method="bounded")
    return max(0.0, min(bound(start), float(found.fun)))


def concentrated_rho(epsilon: float) -> float:
    """Rho of what is epsilon-private: epsilon^2 / 2.

    Parameters
    ----------
    epsilon : float
        >= 0, at delta = 0; at a larger delta nothing follows.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If epsilon is out of range.

    Notes
    -----
    Bun and Steinke (2016), Proposition 1.4.

    Examples
    --------
    >>> concentrated_rho(1.0)
    0.5
    """
    return checks.real("epsilon", epsilon, at_least=0, at_most=checks.LARGEST) ** 2 / 2


def _short(epsilon: float | None) -> str:
    if epsilon is None:
        return "not certified"
    return "∞" if math.isinf(epsilon) else f"{epsilon:.3g}"
