"""Write `book/performance.md` and its figures from the template here and the results of the benchmarks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd

from private_bandits.simulation import log_checkpoints
from private_bandits_book import figures
from private_bandits_book.numbers import heading

HERE = Path(__file__).parent
BOOK = HERE.parent / "book"
LOOKS = {
    "no noise": ("none", "none"),
    "Laplace": ("local", "local"),
    "randomised response": ("local", "local"),
    "hybrid": ("central", "central"),
}
SWEPT = {
    "rounds": "rounds of a run",
    "arms": "arms (10⁶ rounds at left, 10⁴ at right)",
    "list size": "list size",
}


def read(name: str) -> dict[str, Any]:
    """Return committed results."""
    found: dict[str, Any] = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
    return found


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Return a table in Markdown, its first column of words, the others of numbers."""
    lines = [tuple(map(heading, head)), tuple(["---"] + ["---:"] * (len(head) - 1)), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def whole(rate: float) -> str:
    """Return a rate to three digits, with separators."""
    return f"{float(f'{rate:.3g}'):,.0f}"


def races(rows: list[dict[str, Any]]) -> str:
    """Return the table of targets."""
    head = ("work", "against", "rounds", "nanoseconds per round", "its", "ratio", "range", "target")
    body = []
    for row in rows:
        target = "" if row["at_most"] is None else f"≤ {row['at_most']:.2f}, {'met' if row['met'] else '**missed**'}"
        span = f"{row['ratio_low']:.2g} to {row['ratio_high']:.2g}"
        times = f"{row['ns_a_round']:,.0f}", f"{row['its_ns_a_round']:,.0f}"
        body.append((row["work"], row["against"], f"{row['rounds']:,}", *times, f"{row['ratio']:.2g}", span, target))
    return table(head, body)


def compiled(rows: list[dict[str, Any]]) -> str:
    """Return the table of what compiling takes."""
    words = {None: "", True: "met", False: "**missed**"}
    targets = [f"≤ {row['at_most']:g}, {words[row['met']]}" if row["at_most"] else "" for row in rows]
    body = [(row["kernel"], f"{row['seconds']:.1f}", target) for row, target in zip(rows, targets, strict=True)]
    return table(("kernel", "seconds", "target"), body)


def peers(found: dict[str, Any]) -> str:
    """Return the table of other libraries."""
    head = ("library", "version", "plays", "rounds a second", "range", "regret")
    body = [
        (
            f"**{row['library']}**" if row["library"] == "private-bandits" else row["library"],
            row["version"],
            row["plays"],
            whole(row["rounds_a_second"]),
            f"{whole(row['low'])} to {whole(row['high'])}",
            f"{row['regret']:.0f} ± {1.96 * row['regret_error']:.0f}",
        )
        for row in found["peers"]
    ]
    return table(head, body)


def calls(rows: list[dict[str, Any]]) -> str:
    """Return the table of whole calls of `simulate`."""
    body = [
        (
            f"{row['swept']}: {row['value']:,}",
            f"{row['seconds']:.2f}",
            whole(row["rounds_a_second"]),
            f"{row['megabytes']:.0f}",
        )
        for row in rows
    ]
    return table(("sweep", "seconds", "rounds a second", "megabytes at most"), body)


def draw(rows: list[dict[str, Any]]) -> dict[str, str]:
    """Return a figure a sweep, by name."""
    drawn = {}
    for swept, axis in SWEPT.items():
        frame = pd.DataFrame([row for row in rows if row["swept"] == swept])
        looks = pd.DataFrame([LOOKS[name] for name in frame["policy"]], columns=["hue", "trust"])
        frame = frame.assign(
            regret=frame["ns_a_round"], regret_se=0.0, replications=frame["turns"], epsilon=1.0, t=1, **looks
        ).rename(columns={"value": axis})
        name = swept.replace(" ", "-")
        for suffix, narrow in ((".svg", False), (".narrow.svg", True)):
            figure = figures.regret_curves(
                frame, axis, xscale="log", yscale="log", ylabel="nanoseconds per round", narrow=narrow
            )
            drawn[name + suffix] = figures.svg(figure)
    return drawn


def where(machine: dict[str, Any]) -> str:
    """Return the machine in words."""
    return ", ".join(f"{name} {value}" for name, value in machine.items())


def text(results: dict[str, Any], others: dict[str, Any], growth: dict[str, Any]) -> str:
    """Return the page."""
    games = pd.DataFrame(growth["games"]).set_index(["swept", "policy", "value"])["ns_a_round"]
    costs = games["rounds"].unstack().loc[list(LOOKS)]
    million = 10**6 * 10**5 * costs.loc["Laplace", 10**5] / 1e9  # seconds of a million runs of 100,000 rounds
    kept = len(log_checkpoints(10**5))
    played = [row for row in growth["games"] if (row["swept"], row["policy"]) == ("arms", "no noise")]
    longest = max((row for row in growth["calls"] if row["swept"] == "replications"), key=lambda row: row["value"])
    met = [row["met"] for row in results["races"] if row["met"] is not None]
    quick = [row["met"] for row in results["compiled"] if row["met"] is not None]
    fastest = max(
        (row for row in others["peers"] if row["library"] != "private-bandits"), key=lambda row: row["rounds_a_second"]
    )
    left = "".join(f" Left out: {name}, {reason}." for name, reason in others["left_out"].items())
    template = (HERE / "performance.md").read_text(encoding="utf-8")
    return template.format(
        ratio=others["ratio"],
        fastest=fastest["library"],
        met=sum(met),
        targets=len(met),
        compiled_met=sum(quick),
        compiled_targets=len(quick),
        version=results["machine"]["private-bandits"],
        short=games["rounds", "no noise", 10**4],
        long=games["rounds", "no noise", 10**8],
        hybrid_short=games["rounds", "hybrid", 10**4],
        hybrid_long=games["rounds", "hybrid", 10**8],
        arms_short=games["arms", "no noise", 10**3],
        arms_long=games["arms", "no noise", 10**5],
        size_short=games["list size", "no noise", 1],
        size_long=games["list size", "no noise", 32],
        arms_rounds=", ".join(f"{row['rounds']:,}" for row in played),
        most=max(row["megabytes"] for row in growth["calls"]),
        date=growth["date"],
        where=where(growth["machine"]),
        costs=table(
            ("policy", *(f"{rounds:,} rounds a run" for rounds in costs.columns)),
            [(str(policy), *(f"{cost:.0f}" for cost in row)) for policy, row in costs.iterrows()],
        ),
        hours=million / 3600,
        minutes=million / 60 / 100,
        kept=kept,
        gigabytes=kept * 8 * 10**6 / 1e9,
        call=longest["seconds"] / longest["value"] * 1000,
        raced=where(results["machine"]),
        races=races(results["races"]),
        compiled=compiled(results["compiled"]),
        samplers=results["compiled"][0]["seconds"],
        quickest=min(row["seconds"] for row in results["compiled"][1:]),
        slowest=max(row["seconds"] for row in results["compiled"][1:]),
        rounds=others["rounds"],
        turns=others["turns"],
        met_on=others["date"],
        met_where=where(others["machine"]),
        left_out=left,
        peers=peers(others),
        calls=calls(growth["calls"]),
    )


def main() -> None:
    """Write the page and its figures."""
    results, others, growth = (read(name) for name in ("results", "peers", "growth"))
    folder = BOOK / "figures" / "performance"
    folder.mkdir(parents=True, exist_ok=True)
    for name, image in draw(growth["games"]).items():
        (folder / name).write_text(image, encoding="utf-8")
    (BOOK / "performance.md").write_text(text(results, others, growth), encoding="utf-8")


if __name__ == "__main__":
    main()
