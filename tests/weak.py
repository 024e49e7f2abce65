"""A chapter's cells on a few of the replications that there are: what reruns of so few would make of its claims."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Iterable, Iterator
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
from names import Names, ast

from private_bandits_book import plots
from private_bandits_book.book import find_book
from private_bandits_book.chapter import Chapter
from private_bandits_book.runs import identity

BOOK = find_book()


def measured(name: str) -> dict[str, str]:
    """The verdicts of the chapter's claims that runs decide."""
    rows = pd.read_csv(BOOK.data(name) / "claims.csv")
    rows = rows[rows["evidence"] == "measured"]
    return dict(zip(rows["claim"], rows["verdict"], strict=True))


class Drawn(Chapter):
    """A chapter that shows nothing, plays once, and gives its cells other runs at each draw."""

    def __init__(self, name: str, **changed: Any) -> None:
        own = {key: parameter.default for key, parameter in BOOK.parameters(name).items()}
        self.names: dict[str, Any] = own | changed
        super().__init__(name, self.names)
        self.base, self.few, self.rng = int(self.names["replications"]), 0, np.random.default_rng(0)
        self.measured, self.judged = measured(name), dict[str, str]()
        self._sources = list(self._needed())
        self._pool: dict[Any, pd.DataFrame] = {}
        self._plays = 0

    def draw(self, few: int = 0, seed: int = 0) -> dict[str, str]:
        """Run the cells on so many replications, all of them for 0, and return the verdicts on what is measured."""
        self.few, self.judged, self.rng, self._plays = few, {}, np.random.default_rng([seed, few]), 0
        cells = dict(self.names) | {"chapter": self}
        undrawn = (mock.patch.object(plots, name, mock.MagicMock()) for name in ("curves", "panels"))
        with contextlib.ExitStack() as stack:
            for each in (*undrawn, contextlib.redirect_stdout(io.StringIO())):
                stack.enter_context(each)
            for source in self._sources:
                exec(source, cells)
        return {claim: verdict for claim, verdict in self.judged.items() if claim in self.measured}

    def play(self, problem: Any, policies: Iterable[Any], **named: Any) -> pd.DataFrame:
        policies, self._plays = [*policies], self._plays + 1
        same = [identity(problem, policy) for policy in policies]  # or an earlier draw chose what is played
        key = self._plays, *same, repr(named)
        if not all(same) or key not in self._pool:
            self._pool[key] = super().play(problem, policies, **named)
        return self._some(self._pool[key].copy())

    def long(self, label: str) -> pd.DataFrame:
        if label not in self._pool:
            self._pool[label] = super().long(label)
        # half of the runs of that one chooses its worst gaps, so it needs more than five
        return self._pool[label] if self.name == "contextual" else self._some(self._pool[label])

    def judge(self, claim: str, *evidence: Any) -> None:
        ruled = evidence[0] if evidence and hasattr(evidence[0], "verdict") else self._ruled(claim, *evidence)
        self.judged[claim] = ruled.verdict

    def figure(self, *args: Any, **named: Any) -> None:
        pass

    table = say = ledger = reference = figure

    def _some(self, runs: pd.DataFrame) -> pd.DataFrame:
        """As many of the replications, numbered anew; eight times as many where a cell plays eight times as many."""
        if not self.few or "replication" not in runs:
            return runs
        every = np.sort(runs["replication"].unique())
        often = 1 if "run" in runs else max(1, round(len(every) / self.base))
        chance = pd.Series(self.rng.permutation(len(every)), index=every)
        rank = runs["replication"].map(chance)
        line = [runs["run"]] if "run" in runs else [np.zeros(len(runs))]  # a study may have played some more often
        place = rank.groupby(line).rank(method="dense").astype(int) - 1
        return runs.assign(replication=place)[place < often * self.few].reset_index(drop=True)

    def _needed(self) -> Iterator[str]:
        """The cells that judge what is measured, and those that they take names from; without what they draw."""
        cells = json.loads(BOOK.path(self.name).read_text(encoding="utf-8"))["cells"]
        sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"][1:]
        (first,) = (source for source in sources if "Chapter(" in source)
        rest = [source for source in sources if source != first]
        names = []
        for source in rest:
            names.append(Names())
            names[-1].of(ast.parse(source))
        judging = [f'"{claim}"' for claim in self.measured] + ['judge(f"']
        wanted = {place for place, source in enumerate(rest) if any(each in source for each in judging)}
        while True:
            read = set().union(*(names[place].read for place in wanted))
            more = wanted | {place for place, one in enumerate(names) if one.bound & read}
            if more == wanted:
                break
            wanted = more
        yield first[: first.index("chapter = ")]  # which is this one
        yield from (rest[place] for place in sorted(wanted))
