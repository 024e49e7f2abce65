"""The plots of the chapters, drawn in one look.

A plot takes what `simulate` returns (`plots.curves(result)`), a list of such results, or a mapping that names them
(`plots.curves({"mine": one, "theirs": other})`); a file that `xarray.load_dataset` has read; or the frame of
`Chapter.play`. It returns the picture, its data, and what can be said of any such picture: an alternative text, and the
end of the caption. The author writes one sentence.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from inspect import signature
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from private_bandits import checks
from private_bandits_book import figures
from private_bandits_book.figures import Crossing, Note, Region
from private_bandits_book.figures.drawing import Said, Slope
from private_bandits_book.numbers import power, short
from private_bandits_book.runs import NAMES, frame, join, last, means, uniform_play

__all__ = [
    "Crossing",
    "Note",
    "Picture",
    "Region",
    "curves",
    "dots",
    "frame",
    "join",
    "panels",
    "privacy_of",
    "uniform_play",
]
_VARIANTS = {
    "printed, published": "as printed, published noise",
    "printed, stated": "as printed, stated noise",
    "proof, stated": "bonus of the proof, stated noise",
    "keep, repaired": "repaired",
}


class Picture(NamedTuple):
    """A figure with its data, an alternative text, the end of its caption, and the figure for a phone.

    `Chapter.figure` shows it and writes its files; so does `picture.fig.savefig("mine.pdf")`, without a chapter.
    """

    fig: Figure
    data: pd.DataFrame
    alt: str
    facts: str = ""  # instance, horizon and runs
    narrow: Figure | None = None


def curves(
    runs: Any,
    x: str = "t",
    *,
    label: Callable[[Any], str] | None = None,
    slope: tuple[float, str] | None = None,
    bounds: Sequence[tuple[str, Any, Any]] = (),
    spoken: Mapping[str, str] | None = None,
    hue: Callable[[Any], str] | None = None,
    said: Sequence[Said] = (),
    **look: Any,
) -> Picture:
    """Draw mean regret with its 95 % band against rounds, or at the last round against another column.

    Parameters
    ----------
    runs : Dataset, DataFrame, or list or mapping of them
        What `simulate` or `Chapter.play` returns, as for `frame`.
    x : str
        "t", or the column that is swept.
    label : callable, optional
        Takes a row and returns what its line is called; by default the policy.
    slope : (power of t, words), optional
        A claimed rate, drawn beside the fitted one.
    bounds : sequence of (label, x, values)
        Bounds, thin and grey.
    spoken : mapping, optional
        What is written at the ends of the lines that the text speaks of, by label: "blocks, K^0.3", where what follows
        ^ is raised. All others are thin and grey, with their names at their ends. Default: all are spoken of.
    hue : callable, optional
        Takes a row and returns what its hue says: central, local, printed, stated, repaired, none, uniform or rival. By
        default whom one trusts, where the lines differ in that, and else which text they follow.
    said : sequence of Note, Crossing and Region
        Words at places of the figure, and shaded regions where nothing can be.
    **look
        `xscale`, `yscale` ("linear" or "log"), `start` (the first round shown), `xlabel`, `ylabel`; `names`: whether
        lines have theirs at the "end" or, where only their starts are apart, at the "start".

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        If it is given anything else, or two lines have one name.

    Examples
    --------
    >>> said = [Crossing("blocks", "trees", "blocks win above {}")]
    >>> plots.curves(runs, "epsilon", spoken={"blocks": "blocks, K^0.3"}, said=said)  # doctest: +SKIP
    """
    rows = _labelled(runs, x, label, hue, together=True)
    claimed, look = None if slope is None else Slope(*slope), _horizons(rows, x) | look
    given: dict[str, Any] = {"x": x, "slope": claimed, "bounds": bounds, "spoken": spoken, "said": said}
    return _picture(rows, x, _drawing(figures.regret_curves, look, rows, **given), spoken, said)


def panels(
    runs: Any,
    x: str = "t",
    by: str | Callable[[Any], str] = "variant",
    *,
    label: Callable[[Any], str] | None = None,
    headed: bool = True,
    spoken: Mapping[str | tuple[str, str], str] | None = None,
    hue: Callable[[Any], str] | None = None,
    said: Sequence[Said] = (),
    **look: Any,
) -> Picture:
    """Draw small multiples, each headed by how private its curves really are; baselines stand in each.

    Parameters
    ----------
    runs : Dataset, DataFrame, or list or mapping of them
        What `simulate` or `Chapter.play` returns, as for `frame`.
    x : str
        As for `curves`.
    by : str or callable
        The column that names the panel of a private run, or what takes a row and returns its panel.
    label : callable, optional
        As for `curves`.
    headed : bool
        Whether the privacy of its curves stands above each panel.
    spoken, hue, said
        As for `curves`; a pair of a panel and a label says what stands at the line there.
    **look
        As for `curves`, and `same`: whether the panels share the regret axis.

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        If it is given anything else, or two lines have one name.

    Examples
    --------
    >>> plots.panels(runs, by="epsilon", yscale="log")  # doctest: +SKIP
    """
    rows = _labelled(runs, x, label, hue)
    if not callable(by):
        checks.choice("by", by, [*rows.columns])
    rows["panel"] = ""
    apart = x == "t" and rows["problem"].nunique() > 1  # a baseline for each panel
    parted = rows if apart else rows[rows["trust"] != "none"]
    names = parted.apply(by, axis=1) if callable(by) else parted[by].astype(str)
    for name, part in parted.groupby(names.replace(_VARIANTS), sort=False):
        rows.loc[part.index, "panel"] = f"{name}\n{privacy_of(part)}" if headed else str(name)
    given: dict[str, Any] = {"by": "panel", "x": x, "spoken": spoken, "said": said}
    return _picture(rows, x, _drawing(figures.small_multiples, _horizons(rows, x) | look, rows, **given), spoken, said)


def dots(runs: Any, *, label: Callable[[Any], str] | None = None, **look: Any) -> Picture:
    """Draw the regret of each run at the last round, a dot a run, as a mean hides runs that failed.

    Parameters
    ----------
    runs : Dataset, DataFrame, or list or mapping of them
        What `simulate` or `Chapter.play` returns, as for `frame`.
    label : callable, optional
        As for `curves`.
    **look
        `xscale` ("linear" or "log"), `xlabel`.

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        If it is given anything else, or means only.

    Examples
    --------
    >>> plots.dots([one, other], xscale="log")  # doctest: +SKIP
    """
    known = frame(runs)
    if "replication" not in known:
        raise ValueError("runs must be one row a run, got means")
    line = [name for name in ("problem", "policy", "epsilon", "content") if name in known]
    rows = known[known["t"] == known.groupby(line, dropna=False)["t"].transform("max")].drop_duplicates()
    rows = _hued(_named(rows, label, together=True), None)
    if rows.duplicated(["label", "replication"]).any():
        raise ValueError(f"each line must have a name of its own, as in {{name: result}}, got {_twice(rows)}")
    said = []
    for name, part in rows.groupby("label", sort=False)["regret"]:
        ends = f"{short(part.min(), 2)} to {short(part.max(), 2)}"
        said.append(f"{name} {ends}, half of the runs below {short(part.median(), 2)}".replace("\n", " "))
    problems = rows["problem"].unique() if "problem" in rows else []
    where = f" on {problems[0]}" if len(problems) == 1 else ""
    alt = f"Regret of each run at the last round. {'; '.join(said)}."
    counts = rows.groupby("label")["replication"].nunique()
    runs_each = f"{counts.min()}" if counts.min() == counts.max() else f"{counts.min()} to {counts.max()}"
    rounds = " to ".join(dict.fromkeys(power(int(t)) for t in (rows["t"].min(), rows["t"].max())))
    facts = f"T = {rounds}{where}. {runs_each} runs each, a dot a run; the bar is their mean."
    draw = _drawing(figures.regret_dots, look, rows)
    return Picture(draw(), rows, alt, facts, draw(narrow=True))


def privacy_of(rows: pd.DataFrame) -> str:
    """Return the privacy loss of curves, from the least to the most: of the values released, and of everything.

    Parameters
    ----------
    rows : DataFrame
        With columns `value_epsilon` and `effective_epsilon`.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If there are no such columns.

    Examples
    --------
    >>> privacy_of(pd.DataFrame({"value_epsilon": [10.0], "effective_epsilon": [math.inf]}))
    'numbers 10\\neverything ∞'
    """
    if not isinstance(rows, pd.DataFrame) or not {"value_epsilon", "effective_epsilon"} <= {*rows}:
        raise ValueError(f"rows must be a frame of Chapter.play, got {checks.brief(rows)}")
    values, everything = (_span(rows[name]) for name in ("value_epsilon", "effective_epsilon"))
    return f"everything {everything}" if values == everything else f"numbers {values}\neverything {everything}"


def _labelled(
    runs: Any, x: str, label: Callable[[Any], str] | None, hue: Callable[[Any], str] | None, together: bool = False
) -> pd.DataFrame:
    """The means to draw, with the names of their lines."""
    known = frame(runs)
    checks.choice("x", x, [*known.columns])
    rows = _named(means((known if x == "t" else last(known)).drop_duplicates()), label, together and x == "t")
    if together and rows.duplicated(["label", x]).any():
        raise ValueError(f"each line must have a name of its own, as in {{name: result}}, got {_twice(rows)}")
    return _hued(rows, hue)


def _hued(rows: pd.DataFrame, hue: Callable[[Any], str] | None) -> pd.DataFrame:
    """Rows with what their hue says: whom one trusts, where private lines differ in that, else the text they follow."""
    if hue is not None:
        return rows.assign(hue=rows.apply(hue, axis=1))
    family = rows["family"] if "family" in rows else rows["mechanism"]
    plain = family.where(family.isin(["none", "uniform"]), "none").where((rows["trust"] == "none") | (family == "none"))
    private = rows[plain.isna()]
    texts = private["variant"].map(_text_of) if "variant" in rows else pd.Series("", index=private.index)
    trusts = {"central", "local"} & {*private["trust"]}
    known = texts if len(trusts) < 2 and texts.nunique() > 1 and (texts != "").all() else private["trust"]
    return rows.assign(hue=plain.fillna(known.replace("leaking", "rival")))


def _text_of(variant: Any) -> str:
    """Which text a variant follows, as hues tell it: as printed, as stated, repaired; empty where there is no text."""
    words = str(variant)
    if words.endswith(("stated", "proof")) or words.startswith(("proof", "corrected")):
        return "stated"
    if words.startswith(("printed", "published", "table", "rate", "slide_rate")):
        return "printed"
    return "repaired" if words.startswith(("repaired", "derived", "keep")) or words.endswith("repaired") else ""


def _horizons(rows: pd.DataFrame, x: str) -> dict[str, Any]:
    """What the axis says where each point is a run of its own."""
    alone = x == "t" and "horizon" in rows and rows["t"].nunique() > 1 and (rows["horizon"] == rows["t"]).all()
    return {"xlabel": "horizon T"} if alone else {}


def _named(rows: pd.DataFrame, label: Callable[[Any], str] | None, together: bool) -> pd.DataFrame:
    """Rows with what their line is called; `together` says whether epsilon tells lines of one policy apart."""
    freed = np.isinf(rows["epsilon"]) & ~rows["mechanism"].isin(["none", "uniform"])
    if label is None:
        names = rows["policy"].replace(NAMES)
        finite = np.isfinite(rows["epsilon"])
        apart = rows[finite].groupby("policy")["epsilon"].nunique() > 1
        several = together & finite & rows["policy"].isin(apart.index[apart])
        names = names.where(~several, names + rows["epsilon"].map(", ε = {:g}".format))
    else:
        names = rows.apply(label, axis=1).replace(NAMES)
    return rows.assign(label=names.where(~freed, rows["policy"].replace(NAMES) + ", no privacy"))


def _twice(rows: pd.DataFrame) -> str:
    """The name of two lines."""
    known = rows.drop_duplicates(["label", "content"] if "content" in rows else ["label", "policy"])["label"]
    return f"{known[known.duplicated()].iloc[0]!r} twice" if known.duplicated().any() else "one twice"


def _drawing(
    draw: Callable[..., Figure], look: dict[str, Any], rows: pd.DataFrame, **given: Any
) -> Callable[..., Figure]:
    """A drawing of rows in a caller's look, of which it takes no other word."""
    known = [name for name in [*signature(draw).parameters][1:] if name not in (*given, "narrow")]
    for name in look:
        checks.choice("look", name, known)
    return partial(draw, rows, **given, **look)


def _picture(
    rows: pd.DataFrame,
    x: str,
    draw: Callable[..., Figure],
    spoken: Mapping[Any, str] | None = None,
    words: Sequence[Said] = (),
) -> Picture:
    """A figure with where the lines of each panel end, or lead from and to, what is written in it, and its facts."""
    lines_of = [name for name in ("panel", "label") if name in rows]
    ends = rows.sort_values("t", kind="stable").groupby(lines_of, sort=False).tail(1) if x == "t" else last(rows)
    said, ends = [], ends.sort_values("regret" if x == "t" else x)
    for name, part in ends.groupby("panel", sort=False) if "panel" in ends else [("", ends)]:
        lines = []
        for label, one in part.groupby("label", sort=False)["regret"]:
            way = dict.fromkeys([short(one.iloc[0], 2), short(one.iloc[-1], 2)])
            lines.append(f"{label} {' to '.join(way)}".replace("\n", " "))
        said.append(f"{str(name).splitlines()[0]}: {', '.join(lines)}" if name else ", ".join(lines))
    problems = rows["problem"].unique() if "problem" in rows else []
    where = f" on {problems[0]}" if len(problems) == 1 else ""
    axes = draw.keywords if isinstance(draw, partial) else {}
    what, along = (" ".join((axes.get(name) or one).split()) for name, one in (("ylabel", "regret"), ("xlabel", x)))
    alt = f"{what[0].upper()}{what[1:]}{' at the last round, from the least' if x == 't' else f' along {along}'}. "
    alt += f"{'; '.join(said)}."
    at_places = (one.words.replace("{}", "the value where they cross") for one in words)
    written = [*dict.fromkeys([*(spoken or {}).values(), *at_places])]
    alt += f" Written in it: {'; '.join(filter(None, written))}." if any(written) else ""
    runs = figures.caption_runs(rows[rows["mechanism"] != "uniform"])  # whose regret may be exact
    return Picture(draw(), rows, alt, f"{_horizon(rows)}{where}. {runs}", draw(narrow=True))


def _horizon(rows: pd.DataFrame) -> str:
    """Return the horizon of a figure; the least and the longest where panels have different ones."""
    panels = rows["panel"] if "panel" in rows else pd.Series("", index=rows.index)
    longest = rows["t"].groupby(panels).max()
    longest = longest.drop("", errors="ignore") if len(longest) > 1 else longest  # what is drawn in every panel
    least, most = int(longest.min()), int(longest.max())
    return f"T = {power(most)}" if least == most else f"T = {power(least)} to {power(most)}, by panel"


def _span(losses: pd.Series) -> str:
    ends = ["∞" if math.isinf(one) else short(one, 2) for one in (losses.min(), losses.max())]
    return ends[0] if ends[0] == ends[1] else "–".join(ends)
