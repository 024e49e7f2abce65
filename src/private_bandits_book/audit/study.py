"""What the chapter measures: every audit of its table, some of them over epsilon, and the trials of the auditor."""

import itertools
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from joblib import delayed

from private_bandits.baselines import ldp_ucb_laplace, ldp_ucb_response
from private_bandits.papers.cascading import repaired_local
from private_bandits.papers.semibandits import cucb_ldp2
from private_bandits.policy import Policy
from private_bandits.privacy import audit, holm
from private_bandits.privacy.audit import Audit
from private_bandits_book import studies
from private_bandits_book.audit import reliability
from private_bandits_book.audit.cases import ARMS, CASCADE, SETS, Case, cases
from private_bandits_book.cache import at

_UNUSED = (21,)  # seeds, from the chapter's on, that no row takes: without their rows the others keep their own
BREAKS, KEEPS, CONSISTENT = "breaks its promise", "keeps its promise", "consistent"


@dataclass
class Study(studies.Study):
    """The chapter at its parameters."""

    chapter: ClassVar[str] = "audit"
    runs: int
    epsilon: float
    delta: float
    exact_horizon: int

    @cached_property
    def cases(self) -> list[Case]:
        """What is audited, a row each."""
        return cases(self.horizon, self.epsilon, self.delta, self.exact_horizon)

    @property
    def seeds(self) -> list[int]:
        """Of the audits, a row each."""
        used = (self.seed + number for number in itertools.count() if number not in _UNUSED)
        return list(itertools.islice(used, len(self.cases)))

    @cached_property
    def audits(self) -> list[Audit]:
        """What was found, a row each; the same for any number of workers."""
        with at(f"{len(self.cases)} audits of {self.runs:,} runs"):
            pairs = zip(self.cases, self.seeds, strict=True)
            work = [delayed(_audited)(each, self.runs, seed) for each, seed in pairs]
            return studies.in_processes(work, self.n_jobs)

    @cached_property
    def verdicts_held(self) -> list[str]:
        """The verdicts, with Holm's correction over all rows that runs decide."""
        refuted = holm([found.p_value for found in self.audits], 0.05)
        return [
            CONSISTENT if found.verdict == BREAKS and not found.exact and not sure else found.verdict
            for found, sure in zip(self.audits, refuted, strict=True)
        ]

    @cached_property
    def paid(self) -> pd.DataFrame:
        """What messages of local policies certify against what is promised, tidy."""
        rows = []
        for epsilon in self.epsilons:
            for policy, problem in local(epsilon):
                found = audit(policy, problem=problem, horizon=1, runs=self.runs, seed=self.seed)
                rows.append((policy.name, studies.family(policy), "local", epsilon, found.epsilon_low, 0.0, 1, 1))
        columns = ["policy", "family", "trust", "epsilon", "regret", "regret_se", "replications", "t"]
        return pd.DataFrame(rows, columns=columns)

    @cached_property
    def trials(self) -> pd.DataFrame:
        """The trials with 200 seeds each."""
        return self.long_study("reliability")

    @cached_property
    def replayed(self) -> pd.DataFrame:
        """Some of up to four times the runs of an audit, again with as many seeds as the chapter has replications."""
        wanted = {"right", "answers", "policy right", "policy halved"}
        seeds = range(min(self.replications, reliability.SEEDS))
        again = reliability.played(
            seeds, self.n_jobs, lambda trial: trial.kind in wanted and trial.runs <= 4 * self.runs
        )
        return again.merge(self.trials, on=["kind", "epsilon", "runs", "seed"], suffixes=("", "_kept"))

    def share(self, kind: str, beyond: float = math.nan, **where: Any) -> np.ndarray:
        """In which seeds of a kind of trial more than the promise, or than a number, is certified."""
        rows = self.trials[self.trials["kind"] == kind]
        for name, value in where.items():
            rows = rows[rows[name] == value]
        least = rows["epsilon"] if math.isnan(beyond) else beyond
        return np.asarray(rows["low"] > least)


def local(epsilon: float) -> list[tuple[Policy, Any]]:
    """Policies whose users send private messages, and what they play."""
    return [
        (repaired_local(epsilon, 3), CASCADE),
        (cucb_ldp2(epsilon, "repaired"), SETS),
        (ldp_ucb_laplace(epsilon), ARMS),
        (ldp_ucb_response(epsilon), ARMS),
    ]


def _audited(case: Case, runs: int, seed: int) -> Audit:
    return case.audited(runs, seed)
