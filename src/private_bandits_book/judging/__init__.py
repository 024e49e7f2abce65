"""What turns evidence into verdicts: rulings and what they are made of, and the ledger.

A claim that is one comparison is judged in its cell, by `less`, `order`, `falling`, `within`, `at_most`, `exactly` or
`rarer`. Any other one has a function in the chapter's `rules.py`, named after it: `theorem_4` judges `theorem-4`. It
takes frames, intervals and numbers, as the notebook measured them, and returns a `Ruling`; it plays nothing and reads
no file.
"""

from private_bandits_book.judging.equivalence import at_most, exactly
from private_bandits_book.judging.evidence import (
    about,
    compared,
    falling,
    less,
    minus,
    need,
    order,
    pick,
    rarer,
    within,
)
from private_bandits_book.judging.privacy import Privacy
from private_bandits_book.rules import (
    Holds,
    Less,
    Near,
    NotTestable,
    Ruling,
    after_repair,
    all_of,
    by_runs,
    not_shown,
    rests_on,
)

__all__ = [
    "Holds",
    "Less",
    "Near",
    "NotTestable",
    "Privacy",
    "Ruling",
    "about",
    "after_repair",
    "all_of",
    "at_most",
    "by_runs",
    "compared",
    "exactly",
    "falling",
    "less",
    "minus",
    "need",
    "not_shown",
    "order",
    "pick",
    "rarer",
    "rests_on",
    "within",
]
