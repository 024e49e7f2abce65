"""What turns evidence into verdicts: rulings and what they are made of, and the ledger.

A chapter's `rules.py` has a function for each claim of its `claims.toml`, named after it: `theorem_4` judges
`theorem-4`. It takes frames, intervals and numbers, as the notebook measured them, and returns a `Ruling`; it plays
nothing and reads no file.
"""

from private_bandits_book.judging.equivalence import Power
from private_bandits_book.judging.evidence import (
    about,
    compared,
    falling,
    less,
    minus,
    order,
    pick,
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
    "Power",
    "Privacy",
    "Ruling",
    "about",
    "after_repair",
    "all_of",
    "by_runs",
    "compared",
    "falling",
    "less",
    "minus",
    "not_shown",
    "order",
    "pick",
    "rests_on",
    "within",
]
