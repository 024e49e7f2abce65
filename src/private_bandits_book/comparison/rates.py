"""The exponents that papers claim beside those that the chapters measured, read from what they committed."""

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from private_bandits_book.chapters.book import Book, find_book
from private_bandits_book.verdicts import described

# A reason names its quantities: "exponent in K, per arm 1.691 [1.684, 1.697]; claimed 2".
_NUMBER = r"(-?[0-9][0-9.e+-]*)"
_SAID = re.compile(rf"exponent in ([^;:]+?) {_NUMBER} \[{_NUMBER}, {_NUMBER}\](?:; claimed {_NUMBER})?")
_TABLED = {"policy", "quantity", "printed", "measured", "low", "high"}
COLUMNS = (
    "chapter",
    "claim",
    "place",
    "quantity",
    "power",
    "claimed",
    "measured",
    "low",
    "high",
    "verdict",
    "label",
    "title",
)


def powers(entry: Mapping[str, Any]) -> dict[str, float]:
    """Return the powers that a claim states, by quantity; logarithms beside a power are none of their own."""
    parts = [entry["claimed"]] if "claimed" in entry else [one["claimed"] for one in entry.get("rates", ())]
    return dict(entry.get("powers", {})) | {name: part[name] for part in parts for name in list(part)[:1]}


def table(book: Book | None = None) -> pd.DataFrame:
    """Return every claimed exponent of all chapters, a row each, with the columns `COLUMNS`.

    `power` is the one that is stated, `claimed` what it is in the measured fit, logarithms included. What a claim
    states and its row does not name is left out, unless it names none; then nothing is measured. Behind the claims
    come the exponents of committed tables that have printed ones.
    """
    book = book or find_book()
    rows = [row for chapter in book.chapters() for row in (*_claims(book, chapter), *_tables(book, chapter))]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _claims(book: Book, chapter: str) -> Iterator[tuple[Any, ...]]:
    path = book.data(chapter) / "claims.csv"
    ruled = pd.read_csv(path).set_index("claim") if path.is_file() else pd.DataFrame()
    for claim, entry in described(chapter)[1].items():
        stated = powers(entry)
        if not stated or claim not in ruled.index:
            continue
        row, found = ruled.loc[claim], []
        for quantity, *numbers in _SAID.findall(str(row["reason"])):
            power = stated.get(quantity, stated.get(quantity.split(",")[0], math.nan))
            measured, low, high, claimed = (float(number or power) for number in numbers)
            found += [] if math.isnan(power) else [(quantity, power, claimed, measured, low, high)]
        if not found:
            quantity, power = next(iter(stated.items()))
            found = [(quantity, power, power, math.nan, math.nan, math.nan)]
        place = row["locus"]
        for numbers in found:
            yield chapter, claim, place, *numbers, row["verdict"], _label(place, numbers[0]), book.title(chapter)


def _tables(book: Book, chapter: str) -> Iterator[tuple[Any, ...]]:
    for path in sorted(book.data(chapter).glob("table-*.csv")):
        frame = pd.read_csv(path)
        if _TABLED <= set(frame):
            for row in frame[frame["printed"].notna()].to_dict("records"):
                numbers = row["printed"], row["printed"], row["measured"], row["low"], row["high"]
                place = f"{row['policy']}, v = {row['v']:g}" if row.get("v", math.nan) > 0 else row["policy"]
                label = _label(place, row["quantity"])
                yield chapter, path.stem, place, row["quantity"], *numbers, "", label, book.title(chapter)


def _label(place: str, quantity: str) -> str:
    return f"{place}: {quantity}".replace("epsilon", "ε")
