"""What turns evidence into verdicts: rulings and what they are made of, and the ledger.

A claim that is one comparison is judged in its cell, by `less`, `order`, `falling`, `within`, `at_most`, `exactly` or
`rarer`. Any other one has a function in the chapter's `rules.py`, named after it: `theorem_4` judges `theorem-4`. It
takes frames, intervals and numbers, as the notebook measured them, and returns a `Ruling`; it plays nothing and reads
no file.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from private_bandits_book.judging.equivalence import at_most, exactly
    from private_bandits_book.judging.evidence import (
        about,
        compared,
        falling,
        less,
        minus,
        need,
        negative,
        order,
        pick,
        rarer,
        within,
    )
    from private_bandits_book.judging.privacy import Privacy
    from private_bandits_book.judging.rulings import (
        Holds,
        Less,
        Near,
        NotShown,
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
    "NotShown",
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
    "negative",
    "not_shown",
    "order",
    "pick",
    "rarer",
    "rests_on",
    "within",
]

_ROOMS = ("equivalence", "evidence", "privacy", "rulings")


def __getattr__(name: str) -> Any:
    """Import what is asked for: a command that only reads claims needs none of it."""
    if name in __all__:
        for room in _ROOMS:
            found = vars(importlib.import_module(f"{__name__}.{room}")).get(name)
            if found is not None:
                globals()[name] = found
                return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return what can be imported, which a page of reference lists."""
    return sorted({*globals(), *__all__})
