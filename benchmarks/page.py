"""Write `book/speed.md`, its figures and `book/cluster.md` from the pages here and the results of the benchmarks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd

from private_bandits.simulate import log_checkpoints
from private_bandits_book import figures

HERE = Path(__file__).parent
BOOK = HERE.parent / "book"
FAMILIES = {
    "no noise": ("none", "none"),
    "Laplace": ("laplace", "local"),
    "randomised response": ("response", "local"),
    "hybrid": ("tree", "central"),
}
SWEPT = {"rounds": "rounds of a run", "arms": "arms", "list size": "list size"}


def read(name: str) -> dict[str, Any]:
    """Return committed results."""
    found: dict[str, Any] = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
    return found


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Return a table in Markdown, its first column of words, the others of numbers."""
    lines = [head, tuple(["---"] + ["---:"] * (len(head) - 1)), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def whole(rate: float) -> str:
    """Return a rate to three digits, with separators."""
    return f"{float(f'{rate:.3g}'):,.0f}"


def races(rows: list[dict[str, Any]]) -> str:
    """Return the table of targets."""
    head = ("work", "against", "rounds", "ns a round", "its", "ratio", "range", "target")
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
    return table(("sweep", "seconds", "rounds a second", "MB at most"), body)


def draw(rows: list[dict[str, Any]]) -> dict[str, str]:
    """Return a figure a sweep, by name."""
    drawn = {}
    for swept, axis in SWEPT.items():
        frame = pd.DataFrame([row for row in rows if row["swept"] == swept])
        looks = pd.DataFrame([FAMILIES[name] for name in frame["policy"]], columns=["family", "trust"])
        frame = frame.assign(
            regret=frame["ns_a_round"], regret_se=0.0, replications=frame["turns"], epsilon=1.0, t=1, **looks
        ).rename(columns={"value": axis})
        figure = figures.regret_curves(frame, axis, xscale="log", yscale="log", ylabel="ns a round")
        drawn[f"{swept.replace(' ', '-')}.svg"] = figures.svg(figure)
    return drawn


def where(machine: dict[str, Any]) -> str:
    """Return the machine in words."""
    return ", ".join(f"{name} {value}" for name, value in machine.items())


def text(results: dict[str, Any], others: dict[str, Any], growth: dict[str, Any]) -> str:
    """Return the page."""
    games = pd.DataFrame(growth["games"]).set_index(["swept", "policy", "value"])["ns_a_round"]
    ends: dict[str, float] = {}
    for name, swept, policy, span in (
        ("", "rounds", "no noise", (10**4, 10**8)),
        ("hybrid_", "rounds", "hybrid", (10**4, 10**8)),
        ("arms_", "arms", "no noise", (10**3, 10**5)),
        ("size_", "list size", "no noise", (1, 32)),
    ):
        ends |= {f"{name}{end}": games[swept, policy, at] for end, at in zip(("short", "long"), span, strict=True)}
    played = [row for row in growth["games"] if (row["swept"], row["policy"]) == ("arms", "no noise")]
    most = max(row["megabytes"] for row in growth["calls"])
    met = [row["met"] for row in results["races"] if row["met"] is not None]
    fastest = max(
        (row for row in others["peers"] if row["library"] != "private-bandits"), key=lambda row: row["rounds_a_second"]
    )
    left = "".join(f" Left out: {name}, {reason}." for name, reason in others["left_out"].items())
    template = (HERE / "speed.md").read_text(encoding="utf-8")
    return template.format(
        ratio=others["ratio"],
        fastest=fastest["library"],
        met=sum(met),
        targets=len(met),
        **ends,
        arms_rounds=", ".join(f"{row['rounds']:,}" for row in played),
        arms_shown=4 * played[-1]["rounds"],
        arms_times=ends["arms_long"] / ends["arms_short"],
        most=most,
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
        grown_on=growth["date"],
        grown_where=where(growth["machine"]),
        calls=calls(growth["calls"]),
    )


def cluster(growth: dict[str, Any]) -> str:
    """Return the page on clusters."""
    games = (
        pd.DataFrame(growth["games"])
        .query("swept == 'rounds'")
        .pivot(index="policy", columns="value", values="ns_a_round")
        .loc[list(FAMILIES)]
    )
    costs = [
        (str(policy), *(f"{cost:.0f}" for cost in row)) for policy, row in zip(games.index, games.values, strict=True)
    ]
    million = 10**6 * 10**5 * games.loc["Laplace", 10**5] / 1e9  # seconds of a million runs of 100,000 rounds
    kept = len(log_checkpoints(10**5))
    longest = max((row for row in growth["calls"] if row["swept"] == "replications"), key=lambda row: row["value"])
    template = (HERE / "cluster.md").read_text(encoding="utf-8")
    return template.format(
        kept=kept,
        gigabytes=kept * 8 * 10**6 / 1e9,
        date=growth["date"],
        where=where(growth["machine"]),
        costs=table(("policy", *(f"{rounds:,} rounds a run" for rounds in games.columns)), costs),
        hours=million / 3600,
        minutes=million / 60 / 100,
        call=longest["seconds"] / longest["value"] * 1000,
        most=longest["value"],
    )


def main() -> None:
    """Write the pages and the figures."""
    results, others, growth = (read(name) for name in ("results", "peers", "growth"))
    (BOOK / "figures" / "speed").mkdir(parents=True, exist_ok=True)
    for name, image in draw(growth["games"]).items():
        (BOOK / "figures" / "speed" / name).write_text(image, encoding="utf-8")
    (BOOK / "speed.md").write_text(text(results, others, growth), encoding="utf-8")
    (BOOK / "cluster.md").write_text(cluster(growth), encoding="utf-8")


if __name__ == "__main__":
    main()
