"""From a tidy frame to the lines of a plot, and the window that shows them."""

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from private_bandits import checks
from private_bandits.estimates import half_width
from private_bandits_book.figures.look import FIRST_MARKS, HUES, MARKERS, PLAIN, TRUST_LINES, mixed, palest


@dataclass(frozen=True)
class Line:
    label: str
    words: str  # what is written at its end
    hue: str
    trust: str
    colour: str
    mark: int
    x: np.ndarray
    mean: np.ndarray
    low: np.ndarray  # of the band
    high: np.ndarray
    skips: tuple[int, ...] = ()  # segments, by the point at which they begin, over a value that another line has


@dataclass(frozen=True)
class Window:
    x: tuple[float, float]
    y: tuple[float, float]
    xscale: str
    yscale: str
    marks: tuple[float, ...]


MOST_DOTS = 12
"""Points of a line up to which each has a dot, so that nobody takes what lies between for runs."""
_REQUIRED = ("policy", "epsilon", "t", "regret", "regret_se", "replications")


Spoken = Mapping[str | tuple[str, str], str]
"""What is written at the ends of the lines that a text speaks of, by label, or by panel and label."""


def tidied(frame: pd.DataFrame, x: str, spoken: Spoken | None = None) -> pd.DataFrame:
    """Return the frame, checked, with `label`, `hue`, `trust`, `colour` and `mark` filled in."""
    check_columns(frame, (*_REQUIRED, x))
    tidy = frame.reset_index(drop=True)
    for column in ("label", "hue", "trust", "family"):
        given = tidy[column] if column in tidy else pd.Series(np.nan, index=tidy.index, dtype=object)
        tidy[column] = given.astype(object).where(given.notna(), None)
    finite = np.isfinite(tidy["epsilon"].astype(float))
    several = tidy[finite].groupby("policy")["epsilon"].nunique()
    for row in tidy.index[tidy["label"].isna()]:
        policy, epsilon = str(tidy.at[row, "policy"]), float(tidy.at[row, "epsilon"])
        tells = x != "epsilon" and math.isfinite(epsilon) and several[policy] > 1
        tidy.at[row, "label"] = f"{policy}, ε = {epsilon:g}" if tells else policy
    tidy["trust"] = tidy["trust"].where(tidy["trust"].notna(), np.where(finite, "central", "none"))
    plain = tidy["family"].where(tidy["family"].isin(["none", "uniform"]))
    trusted = tidy["trust"].where(tidy["trust"].isin([*HUES]), "none")
    tidy["hue"] = tidy["hue"].where(tidy["hue"].notna(), plain.where(plain.notna(), trusted))
    for column, keys in (("hue", HUES), ("trust", TRUST_LINES)):
        for value in tidy[column].unique():
            checks.choice(column, value, tuple(keys))
    if spoken is not None:
        names = [key if isinstance(key, str) else key[1] for key in spoken]
        for name in names:
            known("spoken", name, [*tidy["label"].unique()])
        tidy["hue"] = tidy["hue"].where(tidy["label"].isin(names) | tidy["hue"].isin(PLAIN), "rival")
    return tidy.merge(_told_apart(tidy), how="left", on=["hue", "label"])


def _told_apart(tidy: pd.DataFrame) -> pd.DataFrame:
    """Return each line's shade of its hue, from dark (smallest epsilon) to light, and its mark.

    Both go by the order of appearance; a line over several epsilons stands before those of one. A mark tells lines of
    one epsilon apart; where a hue has one line an epsilon, and more than three, it tells the epsilons.
    """
    lines = tidy.groupby(["hue", "label"], sort=False)["epsilon"].agg(["min", "max"]).reset_index()
    lines["epsilon"] = lines["min"].where(lines["min"] == lines["max"], 0.0)
    hue, mark = lines.groupby("hue"), lines.groupby(["hue", "epsilon"]).cumcount()
    by_shade_alone = mark.groupby(lines["hue"]).transform("max").eq(0) & hue["label"].transform("size").gt(3)
    lines["mark"] = mark.where(~by_shade_alone, hue.cumcount()).where(lines["hue"] != "rival", 0)
    hues = lines.sort_values("epsilon", kind="stable").groupby("hue")["label"]
    place, steps = hues.cumcount(), hues.transform("size") - 1
    # black stays darker than the grey of uniform play
    lightest = lines["hue"].map({name: palest(colour) for name, colour in HUES.items()} | {"none": 0.15})
    shaded = (steps > 0) & (lines["hue"] != "rival")
    shades = (-0.35 + (lightest + 0.35) * place / steps).where(shaded, 0.0).sort_index()
    lines["colour"] = [mixed(HUES[hue], shade) for hue, shade in zip(lines["hue"], shades, strict=True)]
    return lines[["hue", "label", "mark", "colour"]]


def x_limits(tidy: pd.DataFrame, x: str, xscale: str, start: float | None = None) -> tuple[float, float]:
    """Return the ends of the x axis: the finite values, from `start` or a tenth of the last if given."""
    at = tidy[x].to_numpy(float)
    at = at[np.isfinite(at)]
    if not at.size:
        return 0.0, 1.0
    low, high = float(at.min()), float(at.max())
    if start is not None:
        low = max(low, min(checks.real("start", start, above=0), high / 10))
    elif xscale == "linear" and 0 < low < high / 10:
        low = 0.0
    return low, high


def lines_of(
    tidy: pd.DataFrame, x: str, limits: tuple[float, float], spoken: Spoken | None = None, panel: str = ""
) -> list[Line]:
    """Return one line per label in order of appearance, cut to the limits of the x axis."""
    low, high = limits
    lines = []
    swept = np.unique(tidy[x].to_numpy(float)) if x != "t" else np.empty(0)
    for label, rows in tidy.groupby("label", sort=False):
        if rows[x].duplicated().any():
            raise ValueError(f"rows must be unique per label and {x}, got duplicates for {label!r}")
        rows = rows.sort_values(x)
        at = rows[x].to_numpy(float)
        drawn = np.vstack([rows["regret"].to_numpy(float), *_band(rows)])
        level = not np.isfinite(at).any()
        if level:
            at, drawn = np.array([low, high]), drawn.repeat(2, axis=1)
        # The last checkpoint before the window stays, so that a line begins at the axis.
        before = at[at < low]
        keep = np.isfinite(at) & np.isfinite(drawn[0]) & ((at >= low) | (at == before.max(initial=-np.inf)))
        if keep.any():
            first = rows.iloc[0]
            look = first["hue"], first["trust"], first["colour"], int(first["mark"])
            said = spoken or {}
            words = said.get((panel, str(label))) or said.get(str(label)) or str(label)
            skips = () if level else _skips(at[keep], swept)
            mean, under, over = drawn[:, keep]
            lines.append(Line(str(label), words, *look, at[keep], mean, under, over, skips))
    if not lines:
        raise ValueError("frame must hold at least one finite regret, got none")
    return lines


def _skips(at: np.ndarray, swept: np.ndarray) -> tuple[int, ...]:
    """Which segments pass a value of the panel at which the line was not measured."""
    if len(at) > MOST_DOTS:
        return ()
    return tuple(k for k in range(len(at) - 1) if ((swept > at[k]) & (swept < at[k + 1])).any())


def _band(rows: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return both edges of the 95 % band, which is as high as nothing where a single run has none."""
    mean, runs = rows["regret"].to_numpy(float), rows["replications"].to_numpy(int)
    half = half_width(np.nan_to_num(rows["regret_se"].to_numpy(float)), np.maximum(runs, 2))
    low, high = mean - half, mean + half
    if {"band_low", "band_high"} <= {*rows}:
        low, high = rows["band_low"].to_numpy(float), rows["band_high"].to_numpy(float)
    known = (runs >= 2) & np.isfinite(low) & np.isfinite(high)
    return np.where(known, low, mean), np.where(known, high, mean)


def window_of(lines: Sequence[Line], x: tuple[float, float], xscale: str, yscale: str) -> Window:
    """Return the axes' limits, and their scales: linear where a logarithm has nothing to show."""
    for name, scale in (("xscale", xscale), ("yscale", yscale)):
        checks.choice(name, scale, ("linear", "log"))
    mean = np.concatenate([line.mean for line in lines])
    highs = {line.hue != "uniform": 0.0 for line in lines}
    for line in lines:
        learns = line.hue != "uniform"
        highs[learns] = max(highs[learns], float((line.mean if line.hue == "rival" else line.high).max()))
    high = max(highs.values())
    if yscale == "log" and (mean > 0).any():
        y = (float(mean[mean > 0].min()) / 1.3, high * 1.2)
    else:
        yscale = "linear"
        floor = min(0.0, float(mean.min()))
        if highs.get(True, 0.0) > 0 and high > 2.5 * highs[True]:
            high = 1.25 * highs[True]
        y = (floor, high * 1.04 if high > floor else floor + 1)
    left, right = x
    if xscale == "log" and left <= 0:
        xscale = "linear"
    if left == right:
        left, right = (left / 2, right * 2) if left > 0 else (left - 1, right + 1)
    at = sorted({float(v) for line in lines for v in line.x if dotted(line)})
    apart = np.diff(np.log(at) if xscale == "log" else at)
    width = math.log(right / left) if xscale == "log" else right - left
    marks = tuple(at) if 2 <= len(at) <= 8 and apart.min() > width / 15 else ()
    return Window((left, right), y, xscale, yscale, marks)


def dotted(line: Line) -> bool:
    """Say whether a line has so few points that each gets a dot."""
    return len(line.x) == 1 or 3 <= len(line.x) <= MOST_DOTS


def marker(line: Line) -> str:
    """Return a line's marker: none for the first of its hue at its epsilon, unless it has dots."""
    first = FIRST_MARKS.get(line.hue, 0) if dotted(line) else 0
    return MARKERS[(line.mark + first) % len(MARKERS)] if line.mark or dotted(line) else ""


def known(what: str, name: str, names: Sequence[str]) -> bool:
    """Say whether a figure has a line or a panel of this name; warn where not, as with other parameters it may not."""
    if name not in names:
        warnings.warn(f"{what} must be one of {', '.join(map(repr, names))}, got {name!r}, left out", stacklevel=2)
    return name in names


def check_columns(frame: pd.DataFrame, columns: Sequence[str]) -> None:
    if not isinstance(frame, pd.DataFrame) or frame.empty:
        raise ValueError("frame must be a DataFrame with at least one row")
    missing = [column for column in columns if column not in frame]
    if missing:
        raise ValueError(f"frame must have the columns {', '.join(columns)}, missing {', '.join(missing)}")
