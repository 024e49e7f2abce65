"""How the claims of the page on replay are judged that are no comparison: pure functions of numbers, one per claim."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from private_bandits_book.judging import Holds, Ruling
from private_bandits_book.judging.verdicts import DERIVED


def own_replay_privacy(cases: Sequence[tuple[Fraction, Fraction]]) -> Ruling:
    """Each case is the largest ratio of probabilities that was found, and e^epsilon."""
    worst = max(float(np.log(float(found)) / np.log(float(limit))) for found, limit in cases)
    said = f"{len(cases)} cases over all neighbouring tables, in fractions"
    said = f"{said}: the privacy loss is at most {worst:.4g} epsilon"
    return Holds(excludes=("a batch released twice", "lengths that read the sum"))(
        all(found <= limit for found, limit in cases), said, worst
    )


def own_replay_bound() -> Ruling:
    """By the proof."""
    said = "proved: a batch's noise counts as fewer observations, whose deviations obey Hoeffding's inequality to 1/T"
    return Holds(DERIVED)(True, said)
