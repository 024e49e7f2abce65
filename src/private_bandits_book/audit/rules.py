"""The rules of the chapter's ledger: what this book says of its auditor."""

import numpy as np

from private_bandits.estimates import Interval
from private_bandits.papers.semibandits import cucb_ldp2
from private_bandits.privacy.audit import FULL_SEARCH
from private_bandits_book.audit import reliability
from private_bandits_book.audit.study import BREAKS, Study
from private_bandits_book.ledger import Claim, Rulebook
from private_bandits_book.rules import Holds, Less, Ruling
from private_bandits_book.studies import share
from private_bandits_book.verdicts import MEASURED

rules = Rulebook()
_PLAYED = cucb_ldp2(1.0, "repaired")


def _below(what: str, found: np.ndarray, allowed: float, words: str) -> Ruling:
    seen = share(found)
    shifted = Interval(seen.measured - allowed, seen.low - allowed, seen.high - allowed)
    return Less(what, words)(shifted).of(_PLAYED)


@rules("own-alarms")
def _alarms(study: Study, claim: Claim) -> Ruling:
    groups = study.trials[study.trials["kind"].isin(["right", "policy right"])].groupby(["kind", "epsilon"])
    found = [np.asarray(group["low"] > group["epsilon"]) for _, group in groups]
    return _below("the largest share of false alarms", max(found, key=np.mean), 0.05, "5 %")


@rules("own-power")
def _power(study: Study, claim: Claim) -> Ruling:
    rows = study.trials[(study.trials["kind"] == "halved") & (study.trials["runs"] == reliability.NUMBERS[-1])]
    found = [np.asarray(group["low"] <= group["epsilon"]) for _, group in rows.groupby("epsilon")]
    return _below("the largest share of misses", max(found, key=np.mean), 0.05, "5 %")


@rules("own-answers")
def _answers(study: Study, claim: Claim) -> Ruling:
    found = [~study.share("answers", least, epsilon=true) for true, least in reliability.ANSWERS.items()]
    return _below("the largest share of misses", max(found, key=np.mean), 0.05, "5 %")


@rules("own-faults")
def _faults(study: Study, claim: Claim) -> Ruling:
    pairs = [(case.known, verdict == BREAKS) for case, verdict in zip(study.cases, study.verdicts_held, strict=True)]
    wrong = [(known == "breaks") != broken for known, broken in pairs if known]
    said = f"{sum(wrong)} of {len(wrong)} known rows come out wrong"
    accused = any(known == "keeps" and broken for known, broken in pairs)
    holds: bool | None = not any(wrong)
    if study.runs < FULL_SEARCH and not holds and not accused:
        holds, said = None, f"{said}: with {study.runs:,} runs an audit may miss what {FULL_SEARCH:,} find"
    return Holds(MEASURED, ("a known row that comes out wrong",))(holds, said, sum(wrong)).of(_PLAYED)
