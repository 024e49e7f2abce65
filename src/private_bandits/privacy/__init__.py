"""Guarantees, exact privacy losses under five definitions, and `audit`: what a policy or a mechanism really pays.

What a policy promises is a `Guarantee`, by epsilon and delta or by rho; a finite randomiser is a channel. `enumeration`
and `laws` find the probability of every history of a finite policy, `loss` and `environments` the losses under the
definitions of Basu, Dimitrakakis and Tossou (2019). `audit` takes them, `deltas` (finite laws at delta > 0) and
`added_noise` where a loss can be found exactly; elsewhere it plays policies on `fixed_rewards`, learns `telling_events`
and certifies with what `sampled` proves of binomial counts. `accounts` proves upper ends from the numbers of a policy.
"""

from private_bandits.channels import channel_loss, sensitivity
from private_bandits.guarantee import Guarantee, concentrated_epsilon, concentrated_rho
from private_bandits.privacy.accounts import account
from private_bandits.privacy.added_noise import AddedNoise
from private_bandits.privacy.audit import Audit, audit
from private_bandits.privacy.divergences import bernoulli_kl, local_factor, private_kl, response_kl
from private_bandits.privacy.enumeration import FinitePolicy, History
from private_bandits.privacy.laws import environment_law, table_laws
from private_bandits.privacy.loss import exact_loss, worst_case
from private_bandits.privacy.sampled import binomial_interval, certified_loss, lower_end

__all__ = [
    "AddedNoise",
    "Audit",
    "FinitePolicy",
    "Guarantee",
    "History",
    "account",
    "audit",
    "bernoulli_kl",
    "binomial_interval",
    "certified_loss",
    "channel_loss",
    "concentrated_epsilon",
    "concentrated_rho",
    "environment_law",
    "exact_loss",
    "local_factor",
    "lower_end",
    "private_kl",
    "response_kl",
    "sensitivity",
    "table_laws",
    "worst_case",
]
