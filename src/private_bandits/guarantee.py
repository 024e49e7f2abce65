"""What a policy promises and what it pays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from private_bandits import checks
from private_bandits.channels import channel_loss
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

    Raises
    ------
    ValueError
        If a field is out of range.
    """

    epsilon: float
    delta: float
    value_epsilon: float | None
    value_delta: float | None
    effective_epsilon: float | None
    effective_delta: float | None
    trust: str
    reason: str

    def facts(self) -> dict[str, str]:
        """Return what a table of the guarantee says."""
        promised, paid = loss(self.epsilon, self.delta), loss(self.effective_epsilon, self.effective_delta)
        values = loss(self.value_epsilon, self.value_delta)
        rows = {"trust": self.trust, "promised": promised, "paid by the noise on values": values}
        return rows | {"paid by all that is released": paid, "why": self.reason}

    def __str__(self) -> str:
        shown = self.facts()
        return f"Guarantee({self.trust}, promised {shown['promised']}; paid {shown['paid by all that is released']})"

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
    def certified(cls, epsilon: float, paid: float, trust: str, reason: str, delta: float = 0.0) -> Guarantee:
        """Of a policy that releases nothing but noisy values; that without noise if epsilon is infinite.

        Parameters
        ----------
        epsilon, delta : float
            Nominal.
        paid : float
            The epsilon that everything released pays at this delta.
        trust, reason : str
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
        return cls.releasing(epsilon, delta, paid, delta, (), trust, reason)

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
        if not isinstance(self.reason, str) or not self.reason.strip() or "\n" in self.reason:
            raise ValueError(f"reason must be one line of text, got {checks.brief(self.reason)}")

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


def _short(epsilon: float | None) -> str:
    if epsilon is None:
        return "not certified"
    return "∞" if math.isinf(epsilon) else f"{epsilon:.3g}"
