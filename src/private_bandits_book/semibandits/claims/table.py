"""Table 1 and the abstract."""

from __future__ import annotations

from private_bandits_book.ledger import Book
from private_bandits_book.rules import after_repair, all_of
from private_bandits_book.semibandits.claims.evidence import LONG, TABLE_1, Cell, Evidence, exact_rates, upper_rates

_CELL_RESTS = {("B_inf", "LDP"): "theorem-5", ("B_inf", "DP"): "central-lower", ("B_1", "DP"): "central-lower"}
_PRIVACY_WORDS = {"LDP": "under epsilon-LDP", "DP": "under epsilon-DP", "none": "without privacy"}


def judge(book: Book, evidence: Evidence) -> None:
    """Add the rows of this room."""
    _table(book, evidence)
    _contributions(book)


def _table(book: Book, evidence: Evidence) -> None:
    for cell in TABLE_1:
        rests = _CELL_RESTS.get((cell.problem, cell.privacy))
        # what an algorithm loses bounds a cell from above; a lower bound that was judged bounds it from below
        above = {q: p for q, p in cell.rates.items() if cell.order == "O" or rests or p == 0.0}
        both = {q: p for q, p in cell.rates.items() if q not in above}
        printed, repaired = (
            all_of(*upper_rates(evidence, source, above), *exact_rates(evidence, source, both))
            for source in (cell.source._replace(variant="printed"), cell.source)
        )
        rulings = [after_repair(printed, repaired)]
        if rests is not None:
            rulings.append(book.rulings[rests])
        powers = " ".join(f"{q}^{p:g}" for q, p in cell.rates.items() if p)
        exactly = "at most" if cell.order == "O" else "exactly"
        book.judge(
            _cell_name(cell),
            "table",
            f"Table 1, {cell.problem}, {_PRIVACY_WORDS[cell.privacy]}",
            f"Regret per base arm grows {exactly} like {powers}"
            + ("" if cell.order in ("O", "Theta") else ", up to powers of ln T")
            + f", {cell.problem}-smooth, {_PRIVACY_WORDS[cell.privacy]}.",
            all_of(*rulings),
            LONG,
        )


def _cell_name(cell: Cell) -> str:
    return f"table-1-{cell.problem.lower().replace('_', '-')}-{cell.privacy.lower()}"


def _contributions(book: Book) -> None:
    for name, statement, parts in (
        (
            "contribution-b-inf",
            "B_inf-smooth semi-bandits: optimal regret under epsilon-LDP and epsilon-DP.",
            ("theorem-3", "theorem-4", "theorem-5", "central-upper", "central-lower"),
        ),
        (
            "contribution-b-1",
            "B_1-smooth semi-bandits: optimal regret under epsilon-DP.",
            ("theorem-7", "theorem-8", "theorem-9"),
        ),
        (
            "contribution-no-price",
            "Privacy has no additional price in these settings: the side-effect of the dimension is removed.",
            ("least-pulled-removes-k", "table-1-b-inf-ldp", "table-1-b-1-dp"),
        ),
    ):
        book.rest(name, "contribution", "Abstract", statement, parts, LONG)
