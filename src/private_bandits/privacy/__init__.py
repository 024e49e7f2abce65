"""Guarantees, and exact privacy losses: of finite randomisers, and of finite bandit policies under five definitions.

`guarantee` holds what a policy promises, `channels` the losses of finite randomisers. `enumeration` and `laws` find the
probability of every history of a finite policy, `loss` and `environments` the losses under the definitions of Basu,
Dimitrakakis and Tossou (2019), and `sampled` the interval of a probability that is only sampled.
"""

from private_bandits._moved import forward
from private_bandits.privacy.channels import channel_loss, sensitivity
from private_bandits.privacy.enumeration import FinitePolicy, History
from private_bandits.privacy.guarantee import Guarantee
from private_bandits.privacy.laws import environment_law, table_laws
from private_bandits.privacy.loss import DEFINITIONS, Witness, exact_loss, worst_case
from private_bandits.privacy.sampled import binomial_interval

__all__ = [
    "DEFINITIONS",
    "FinitePolicy",
    "Guarantee",
    "History",
    "Witness",
    "binomial_interval",
    "channel_loss",
    "environment_law",
    "exact_loss",
    "sensitivity",
    "table_laws",
    "worst_case",
]

forward(__name__)
