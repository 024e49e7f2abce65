"""What a chapter measures at its parameters, and the longer studies that are committed beside it."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from private_bandits_book.chapters.book import Book

if TYPE_CHECKING:
    import pandas as pd


def study_at(
    book: Book, chapter: str, parameters: Mapping[str, Any], disagree: Mapping[str, tuple[int, int]] | None = None
) -> Any:
    """Return the study of a chapter; nothing is played before it is asked for.

    Parameters
    ----------
    book : Book
    chapter : str
    parameters : mapping
        The chapter's parameters, checked.
    disagree : mapping, optional
        By claim, how many of the other seeds give another verdict, and of how many.
    """
    room = importlib.import_module(f"private_bandits_book.{chapter}.study")
    return room.Study.at(parameters, partial(long_study, book, chapter), disagree)


def long_study(book: Book, chapter: str, label: str) -> pd.DataFrame:
    """Return what `reproduce --long` committed as `data/<chapter>/long-<label>.csv`."""
    import pandas as pd

    return pd.read_csv(book.data(chapter) / f"long-{label}.csv")
