"""Every claim of Chen et al. (2020), with what was measured and the rule that judges it.

The paper has one table and no experiment, so its claims are rates. A fitted exponent comes with its policy, the family
of instances, and what was held while the quantity moved; one that was not measured leaves its claim undecided. An upper
bound is also asked for its proof's first step, that the index covers its own noise, which is computed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from private_bandits.claims import (
    Claim,
    ExactRate,
    Holds,
    LowerBound,
    LowerRate,
    Measurement,
    NotTestable,
    Privacy,
    Row,
    Ruling,
    UpperBound,
    UpperRate,
    after_repair,
    all_of,
    ledger,
    rests_on,
)
from private_bandits.papers.semibandits import bounds, instances, lemmas
from private_bandits.problems import SemiBandit

CHAPTER = "private-bandits reproduce semibandits"
LONG = "private-bandits reproduce semibandits --long"
_PER_ARM = ", per arm"
QUANTITIES = ("K", "1/epsilon", "1/gap", "ln T")
_SLACK = {"K": 0.2, "1/epsilon": 0.15, "1/gap": 0.15, "ln T": 0.35}  # what a fitted exponent may miss by
_DOMINATED = 0.5  # exponent in 1/epsilon up to which we call the private term dominated
_LARGE_SIZE, _LARGE_EPSILON = 20, 10.0  # where the printed radii are tightest
_EPSILONS = (0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 20.0, 100.0)
_FAMILIES: dict[str, Callable[[int, int, float], SemiBandit]] = {
    "top-K": instances.top_k,
    "K-path": instances.k_path,
    "B_inf": instances.one_valuable,
    "arms": lambda n_arms, size, gap: instances.rescaled(n_arms, gap),
}
EXPONENT_COLUMNS = ["policy", "variant", "family", "held", "quantity", "measured", "low", "high"]
FINAL_COLUMNS = [
    "policy",
    "variant",
    "family",
    "n_arms",
    "size",
    "gap",
    "epsilon",
    "horizon",
    "measured",
    "low",
    "high",
]


@dataclass
class Evidence:
    """What the chapter measured, and the parameters at which privacy is promised in the ledger.

    Attributes
    ----------
    exponents : pandas.DataFrame
        A row per fit, columns `EXPONENT_COLUMNS`. `family` is "top-K", "K-path", "path as arm", "B_inf" or "arms",
        `held` what is kept while K moves ("gap" or "item gap"; "gap" for the other quantities), `quantity` one of
        `QUANTITIES`. Exponents in K are of regret over n_arms - size; in "K, per arm" of regret over the number of arms
        in a bad super arm, over which the theorems sum.
    finals : pandas.DataFrame
        Mean regret at the horizon with its interval, columns `FINAL_COLUMNS`, for comparison with the bounds.
    epsilon : float
    horizon, n_arms, size : int
    gap : float
    """

    exponents: pd.DataFrame
    finals: pd.DataFrame
    epsilon: float
    horizon: int
    n_arms: int
    size: int
    gap: float


class Source(NamedTuple):
    """Which measured regret stands for a claim."""

    policy: str
    variant: str
    family: str


class Cell(NamedTuple):
    """A cell of Table 1: its formula, the exponents it claims for regret per arm, and what measures them."""

    problem: str
    privacy: str
    formula: str
    order: str
    rates: Mapping[str, float]
    source: Source


LDP1, LDP1_BOX = Source("CUCB-LDP1", "repaired", "B_inf"), Source("CUCB-LDP1", "printed", "B_inf")
LDP2, LDP2_BOX = Source("CUCB-LDP2", "repaired", "B_inf"), Source("CUCB-LDP2", "printed", "B_inf")
LDP2_PATH, LDP2_ARMS = Source("CUCB-LDP2", "repaired", "K-path"), Source("CUCB-LDP2", "repaired", "arms")
DP_PATH, DP_LEAST = Source("CUCB-DP", "repaired", "K-path"), Source("CUCB-DP, least pulled", "repaired", "B_inf")
CUCB, CUCB_PATH = Source("CUCB", "printed", "B_inf"), Source("CUCB", "printed", "K-path")
PATH_AS_ARM = Source("CUCB-LDP2", "repaired", "path as arm")
DP_SE = Source("DP-SE", "printed", "arms")


def _rates(k: float, epsilon: float, gap: float, log: float | None = 1.0) -> dict[str, float]:
    rates = {"K": k, "1/epsilon": epsilon, "1/gap": gap}
    return rates if log is None else rates | {"ln T": log}


TABLE_1 = (
    Cell("B_inf", "LDP", r"\frac{m B_\infty^2 \ln T}{\varepsilon^2 \Delta}", "Theta", _rates(0, 2, 1), LDP2),
    Cell(
        "B_inf",
        "DP",
        r"\frac{m B_\infty^2 \ln T}{\varepsilon \Delta}",
        "Theta, up to logs",
        _rates(0, 1, 1, None),
        DP_LEAST,
    ),
    Cell("B_inf", "none", r"\frac{m B_\infty^2 \ln T}{\Delta}", "Theta", {"K": 0.0, "1/gap": 1.0, "ln T": 1.0}, CUCB),
    Cell("B_1", "LDP", r"\frac{m K^2 B_1^2 \ln T}{\varepsilon^2 \Delta}", "O", _rates(2, 2, 1), LDP2_PATH),
    Cell(
        "B_1", "DP", r"\frac{m K B_1^2 \ln T}{\varepsilon \Delta}", "Theta, up to logs", _rates(1, 1, 1, None), DP_PATH
    ),
    Cell("B_1", "none", r"\frac{m K B_1^2 \ln T}{\Delta}", "Theta", {"K": 1.0, "1/gap": 1.0, "ln T": 1.0}, CUCB_PATH),
)


@dataclass
class _Book:
    """Rows in the order they are judged, and the rulings that later rows build on."""

    rows: list[Row] = field(default_factory=list)
    rulings: dict[str, Ruling] = field(default_factory=dict)

    def judge(self, name: str, kind: str, locus: str, statement: str, ruling: Ruling, command: str = CHAPTER) -> None:
        self.rulings[name] = ruling
        self.rows.append(Claim(name, kind, locus, statement, lambda: ruling, command).judge())


def judge(evidence: Evidence) -> pd.DataFrame:
    """Return the ledger of the chapter: Fact 1, Lemmas 1-2, Theorems 1-9, Table 1, what is said aside, the abstract."""
    book = _Book()
    _lemmas(book, evidence)
    _privacy(book, evidence)
    _local_regret(book, evidence)
    _local_lower(book, evidence)
    _central_regret(book, evidence)
    _aside(book, evidence)
    _table(book, evidence)
    _contributions(book)
    return ledger(sorted(book.rows, key=_place))


_PLACES = {"lemma": 0, "privacy": 1, "theorem": 1, "table": 2, "discussion": 3, "contribution": 4}


def _place(row: Row) -> tuple[int, int]:
    """Where a row stands in the ledger: by kind, theorems by their number, otherwise as judged."""
    place = _PLACES[row.kind]
    return place, int(row.claim.removeprefix("theorem-")) if place == 1 else 0


def exponent(evidence: Evidence, source: Source, quantity: str, held: str = "gap") -> Measurement | None:
    """Return one fitted exponent, None where it was not measured."""
    frame = evidence.exponents
    if len(frame) == 0:
        return None
    found = frame[
        (frame["policy"] == source.policy)
        & (frame["variant"] == source.variant)
        & (frame["family"] == source.family)
        & (frame["held"] == held)
        & (frame["quantity"] == quantity)
    ]
    if len(found) > 1:
        raise LookupError(f"{len(found)} exponents in {quantity} of {source}, {held} held")
    return None if found.empty else Measurement(*(float(found.iloc[0][c]) for c in ("measured", "low", "high")))


def exponent_table(evidence: Evidence) -> pd.DataFrame:
    """Return Table 1: a row per cell and quantity, the claimed exponent beside the measured one."""
    rows = []
    for cell in TABLE_1:
        for quantity, claimed in cell.rates.items():
            seen = exponent(evidence, cell.source, quantity) or Measurement(math.nan, math.nan, math.nan)
            rows.append(
                {"problem": cell.problem, "privacy": cell.privacy, "order": cell.order, "formula": cell.formula}
                | {"quantity": quantity, "claimed": claimed}
                | cell.source._asdict()
                | seen._asdict()
            )
    return pd.DataFrame(rows)


def _upper_rates(evidence: Evidence, source: Source, rates: Mapping[str, float]) -> list[Ruling]:
    """In K, of the regret per arm of the theorem's sum if that was fitted, else over n_arms - size."""
    rulings = []
    for quantity, rate in rates.items():
        seen = exponent(evidence, source, f"{quantity}{_PER_ARM}") or exponent(evidence, source, quantity)
        rulings.append(UpperRate(rate, tolerance=_SLACK[quantity])(seen))
    return rulings


def _exact_rates(evidence: Evidence, source: Source, rates: Mapping[str, float]) -> list[Ruling]:
    return [ExactRate(rate, tolerance=_SLACK[q])(exponent(evidence, source, q)) for q, rate in rates.items()]


def _lower_rates(evidence: Evidence, source: Source, rates: Mapping[str, float]) -> list[Ruling]:
    return [LowerRate(rate, tolerance=_SLACK[q])(exponent(evidence, source, q)) for q, rate in rates.items()]


def _finals(evidence: Evidence, source: Source) -> list[tuple[Any, SemiBandit, Measurement]]:
    """Measured regrets of a source with the problem of each."""
    found = []
    for row in evidence.finals.itertuples():
        if (row.policy, row.variant, row.family) == tuple(source):
            problem = _FAMILIES[row.family](int(row.n_arms), int(row.size), float(row.gap))
            found.append((row, problem, Measurement(float(row.measured), float(row.low), float(row.high))))
    return found


def _below(evidence: Evidence, source: Source, bound: Callable[..., float]) -> list[Ruling]:
    """Measured regret against an upper bound with all its constants, wherever the bound is not vacuous."""
    rulings = []
    for row, problem, regret in _finals(evidence, source):
        most, uniform = bound(problem, row.horizon, row.epsilon, "corrected"), problem.uniform_regret() * row.horizon
        if most < uniform:
            rulings.append(UpperBound(most, uniform=uniform)(regret))
    return rulings


def _above(evidence: Evidence, source: Source, bound: Callable[..., float]) -> list[Ruling]:
    """Measured regret against a lower bound, wherever that says more than is known without privacy."""
    rulings = []
    for row, _, regret in _finals(evidence, source):
        where = (int(row.n_arms), int(row.size), float(row.gap))
        least = bound(*where, float(row.epsilon), int(row.horizon), "printed")
        floor = bound(*where, math.inf, int(row.horizon), "corrected")
        if least > floor:
            rulings.append(LowerBound(least, floor=floor)(regret))
    return rulings


# --- facts, lemmas, privacy


def _lemmas(book: _Book, evidence: Evidence) -> None:
    problems: dict[str, Any] = {
        "K-path": instances.k_path(12, 4, 0.4),
        "one valuable": instances.one_valuable(8, 4, 0.2),
        "coverage": instances.coverage(5, 3, 2, 0.5, 0.2),
    }
    seen = {name: lemmas.fact_1(problem) for name, problem in problems.items()}
    largest = max(max(pair) for pair in seen.values())
    book.judge(
        "fact-1",
        "lemma",
        "Fact 1",
        "B_inf-smooth rewards are B_1-smooth with B_1 = B_inf; B_1-smooth ones are B_inf-smooth with B_inf = K B_1.",
        Holds()(
            largest <= 1.0 + 1e-9,
            f"on random means of {len(seen)} families a reward moves by at most {largest:.4g} times what is allowed",
            largest,
        ),
    )
    horizon, arms = evidence.horizon, evidence.n_arms
    tree = lemmas.lemma_1_loss(min(horizon, 1 << 12)) if horizon >= 2 else None
    book.judge(
        "lemma-1",
        "lemma",
        "Lemma 1",
        "A tree with noise Lap(||X||_1 log T / epsilon) on each node is epsilon-private.",
        _missing()
        if tree is None
        else after_repair(
            Holds()(
                tree.base_2 <= 1.0,
                f"an item lies in floor(log2 T) + 1 nodes: with log2 T the releases pay {tree.base_2:.4g} epsilon, "
                f"with ln T {tree.natural:.4g} epsilon",
                tree.base_2,
            ),
            Holds()(
                tree.levels <= 1.0 + 1e-12,
                f"with floor(log2 T) + 1 in place of log T they pay {tree.levels:.4g} epsilon",
                tree.levels,
            ),
        ),
    )
    rounds = lemmas.lemma_2_failures(arms, horizon) if horizon >= 2 else math.nan
    book.judge(
        "lemma-2",
        "lemma",
        "Lemma 2",
        "Outside the event F_t Algorithm 3 loses at most three times the largest gaps in all.",
        Holds()(
            True if rounds <= 3.0 else None,
            f"in expectation at most {rounds:.3g} rounds lie outside F_t, which has ln T where the index has ln(mT)",
            rounds,
        ),
    )


def _privacy(book: _Book, evidence: Evidence) -> None:
    epsilon, size = evidence.epsilon, min(evidence.size, 8)
    horizon = min(evidence.horizon, 1 << 12)
    for number, statement, paid in (
        (1, "Algorithm 1 is epsilon-LDP.", lemmas.theorem_1_loss(epsilon, size)),
        (3, "Algorithm 2 is epsilon-LDP.", lemmas.theorem_3_loss(epsilon, size)),
        (7, "Algorithm 3 is epsilon-DP.", lemmas.theorem_7_loss(epsilon, size, horizon) if horizon > 1 else None),
    ):
        book.judge(f"theorem-{number}", "privacy", f"Theorem {number}", statement, Privacy(epsilon)(paid))


# --- regret under LDP


def _coverage(evidence: Evidence, algorithm: int, variant: str) -> Ruling:
    """Whether an index is as seldom too low as the proof needs, at the chapter's parameters and where it is hardest."""
    if evidence.horizon < 2:
        return _missing()
    hardest = (evidence.epsilon, _LARGE_SIZE) if algorithm == 1 else (_LARGE_EPSILON, evidence.size)
    rulings = []
    for epsilon, size in dict.fromkeys([(evidence.epsilon, evidence.size), hardest]):
        miss = lemmas.local_miss(epsilon, size, evidence.horizon, algorithm, variant)
        where = f"epsilon = {epsilon:g}" + (f", K = {size}" if algorithm == 1 else "")
        rulings.append(
            Holds()(
                miss.rounds <= math.log(evidence.horizon),
                f"at {where} the {variant} index is too low with probability {miss.largest:.3g} after {miss.reports} "
                f"reports and {miss.late:.3g} after many, in at most {miss.rounds:.3g} rounds of {evidence.horizon}",
                miss.rounds,
            )
        )
    return all_of(*rulings)


def _large_epsilon(bound: Callable[..., float], evidence: Evidence) -> Ruling:
    """Whether an upper bound stays above what no algorithm can beat, however large epsilon is."""
    problem = instances.rescaled(max(evidence.n_arms, 2), 0.1)
    horizon, epsilon = 10**6, 100.0
    stated, least = (
        bound(problem, horizon, epsilon, "box"),
        bounds.theorem_5(problem.n_items, 0.1, math.inf, horizon, variant="corrected"),
    )
    repaired = bound(problem, horizon, epsilon, "corrected")
    return after_repair(
        Holds()(
            stated >= least,
            f"with the constant 256 of the printed radius the bound is {stated:.3g} at epsilon = 100, K = 1, below the "
            f"{least:.3g} that no algorithm beats without privacy: a term without epsilon is missing",
        ),
        Holds()(repaired >= least, f"with the sampling term it is {repaired:.3g}"),
    )


def _local_regret(book: _Book, evidence: Evidence) -> None:
    for number, algorithm, box, repaired, k, bound in (
        (2, 1, LDP1_BOX, LDP1, 2.0, bounds.theorem_2),
        (4, 2, LDP2_BOX, LDP2, 0.0, bounds.theorem_4),
    ):
        rates = _rates(k, 2, 1)
        printed = all_of(_coverage(evidence, algorithm, "printed"), *_upper_rates(evidence, box, {"K": k}))
        kept = all_of(
            _coverage(evidence, algorithm, "repaired"),
            *_upper_rates(evidence, repaired, rates),
            *_below(evidence, repaired, bound),
        )
        power = "K^2 B_inf^2" if number == 2 else "B_inf^2"
        book.judge(
            f"theorem-{number}",
            "theorem",
            f"Theorem {number}",
            f"Algorithm {algorithm} has regret of order the sum of {power} ln T / (epsilon^2 gap).",
            all_of(after_repair(printed, kept), _large_epsilon(bound, evidence)),
            LONG,
        )


def _theorem_5(n_arms: int, size: int, gap: float, epsilon: float, horizon: int, variant: str) -> float:
    return bounds.theorem_5(n_arms, gap, epsilon, horizon, variant=variant)


def _theorem_6(n_arms: int, size: int, gap: float, epsilon: float, horizon: int, variant: str) -> float:
    return bounds.theorem_6(n_arms, size, gap, epsilon, horizon, variant=variant)


def _local_lower(book: _Book, evidence: Evidence) -> None:
    five = "Regret under epsilon-LDP is at least B_inf^2 (m-1) ln T / (64 (e^eps - 1)^2 gap), B_inf-smooth."
    six = "Regret under epsilon-LDP is at least B_1^2 (m-K) K ln T / (64 (e^eps - 1)^2 gap), B_1-smooth."
    rates = {"1/epsilon": 2.0, "1/gap": 1.0}
    for name, statement, source, bound, size, claimed in (
        ("theorem-5", five, LDP2_ARMS, _theorem_5, 1, rates),
        ("theorem-6", six, LDP2_PATH, _theorem_6, 4, {"K": 1.0} | rates),
    ):
        ratio = max(
            bound(8, size, size * x, eps, 1000, "printed") / bound(8, size, size * x, eps, 1000, "corrected")
            for x in np.linspace(0.01, 0.34, 12)
            for eps in _EPSILONS
        )
        exact = Holds()(
            ratio <= 1.0, f"it is at most {ratio:.3g} times the bound with its own instance's exact divergence", ratio
        )
        ruling = all_of(exact, *_lower_rates(evidence, source, claimed), *_above(evidence, source, bound))
        book.judge(name, "theorem", name.replace("theorem-", "Theorem "), statement, ruling, LONG)


# --- regret under DP


def _central_regret(book: _Book, evidence: Evidence) -> None:
    horizon = evidence.horizon
    covers = _missing()
    if horizon >= 2:
        miss = lemmas.tree_miss(horizon)
        covers = Holds()(miss <= 1.0, f"a release leaves its bonus with {miss:.3g} times the probability 1/T^2")
    book.judge(
        "theorem-8",
        "theorem",
        "Theorem 8",
        "Algorithm 3 has regret of order m K B_1^2 ln^2 T / gap + m K B_1 ln^3 T ln(...) / epsilon.",
        all_of(
            covers,
            *_upper_rates(evidence, DP_PATH, {"K": 1.0, "1/epsilon": 1.0, "1/gap": 1.0, "ln T": 3.0}),
            *_below(evidence, DP_PATH, bounds.theorem_8),
        ),
        LONG,
    )
    public = lemmas.public_arms_exponents()
    seen = exponent(evidence, DP_PATH, "K")
    book.judge(
        "theorem-9",
        "theorem",
        "Theorem 9",
        "Regret under epsilon-DP is at least of order B_1^2 m K ln T / gap + B_1 m K ln T / epsilon.",
        all_of(
            LowerRate(1.0, tolerance=_SLACK["K"])(seen),
            Holds()(
                public.reached >= public.claimed - 0.1,
                f"on the instance of its sketch, at m = 3 K and small epsilon, it claims exponent {public.claimed:.3g} "
                f"in K; an elimination that releases the average of the public arms reaches {public.reached:.3g}",
                public.reached,
            ),
        ),
        LONG,
    )


# --- what the text says aside


def _aside(book: _Book, evidence: Evidence) -> None:
    epsilon = evidence.epsilon
    book.judge(
        "least-pulled-removes-k",
        "discussion",
        "Section 3.2",
        "Sending only the least pulled arm removes the factor K^2 for B_inf-smooth rewards.",
        all_of(
            *_lower_rates(evidence, LDP1, {"K": 2.0}),
            *_upper_rates(evidence, LDP2, {"K": 0.0}),
        ),
        LONG,
    )
    same = lemmas.same_at_one(epsilon)
    book.judge(
        "bandit-same-algorithm",
        "discussion",
        "Section 3.2, bandits",
        "For bandits, K = 1, Algorithms 1 and 2 are the same.",
        Holds()(
            same, f"{'equal' if same else 'different'} actions from equal streams, 300 rounds, 3 runs, both variants"
        ),
    )
    book.judge(
        "bandit-rate",
        "discussion",
        "Section 3.2, bandits",
        "For bandits their regret is of order the sum of ln T / (gap epsilon^2).",
        all_of(*_upper_rates(evidence, LDP2_ARMS, {"1/epsilon": 2.0, "1/gap": 1.0, "ln T": 1.0})),
        LONG,
    )
    r = book.rulings
    book.judge(
        "bandit-optimal",
        "discussion",
        "Section 3.2, bandits",
        "That is optimal, given the lower bounds under LDP.",
        rests_on({"bandit-rate": r["bandit-rate"], "theorem-5": r["theorem-5"]}),
        LONG,
    )
    book.judge(
        "central-upper",
        "discussion",
        "Section 3.2, DP",
        "A tree on the least pulled arm has regret of order m B_inf^2 ln T / (epsilon gap), up to logarithms.",
        all_of(
            *_upper_rates(evidence, DP_LEAST, _rates(0, 1, 1, None)),
            *_below(evidence, DP_LEAST, bounds.b_inf_dp_upper),
        ),
        LONG,
    )
    _central_lower(book, evidence)
    book.judge(
        "private-term-dominated",
        "discussion",
        "Section 4.2",
        "At a constant epsilon the private term of Theorem 8 is nearly dominated by the other.",
        UpperRate(0.0, tolerance=_DOMINATED)(exponent(evidence, DP_PATH, "1/epsilon")),
        LONG,
    )
    book.judge(
        "algorithm-2-on-b1",
        "discussion",
        "Section 5",
        "Algorithm 2 has regret of order m K^2 B_1^2 ln T / (epsilon^2 gap) for B_1-smooth rewards, and no less.",
        all_of(*_exact_rates(evidence, LDP2_PATH, {"K": 2.0})),
        LONG,
    )
    path = exponent(evidence, PATH_AS_ARM, "K")
    book.judge(
        "conjecture",
        "discussion",
        "Section 5",
        "No algorithm under epsilon-LDP does better: the lower bound of Theorem 6 is loose by K (conjecture).",
        NotTestable(
            "it speaks of every algorithm; it needs another instance than the K-paths of Theorem 6, where a user may "
            "send the average of the path alone, of sensitivity 1"
            + ("" if path is None else f": exponent {path.measured:.3g} [{path.low:.3g}, {path.high:.3g}] in K")
        )(),
    )


def _central_lower(book: _Book, evidence: Evidence) -> None:
    """The multiplicative lower bound of Section 3.3 and Table 1, against an algorithm and against an upper bound."""
    both = lemmas.multiplicative_exponents()
    measured = _lower_rates(evidence, DP_SE, {"1/gap": 1.0})
    book.judge(
        "central-lower",
        "discussion",
        "Section 3.3, DP",
        "Regret under epsilon-DP is at least of order m B_inf^2 ln T / (epsilon gap), B_inf-smooth.",
        all_of(
            Holds()(
                both.reached >= both.claimed - 0.1,
                f"at K = 1 and epsilon = gap = x it claims exponent {both.claimed:.3g} in 1/x; DP-SE's upper bound, "
                f"of the same order in T, has {both.reached:.3g}",
                both.reached,
            ),
            *measured,
        ),
        LONG,
    )
    book.judge(
        "central-lower-additive",
        "discussion",
        "Table 1, caption",
        "Writing Theorem 9's sum of terms as a product is natural in common parameter regimes.",
        all_of(*_lower_rates(evidence, DP_PATH, {"1/epsilon": 1.0, "1/gap": 1.0})),
        LONG,
    )


# --- Table 1 and the abstract

_CELL_RESTS = {("B_inf", "LDP"): "theorem-5", ("B_inf", "DP"): "central-lower", ("B_1", "DP"): "theorem-9"}
_PRIVACY_WORDS = {"LDP": "under epsilon-LDP", "DP": "under epsilon-DP", "none": "without privacy"}


def _table(book: _Book, evidence: Evidence) -> None:
    for cell in TABLE_1:
        # the lower bound at B_inf has instances of K = 1 only, so an exponent 0 in K is an upper rate
        above = {q: rate for q, rate in cell.rates.items() if cell.order == "O" or rate == 0.0}
        both = {q: rate for q, rate in cell.rates.items() if q not in above}
        rulings = [*_upper_rates(evidence, cell.source, above), *_exact_rates(evidence, cell.source, both)]
        rests = _CELL_RESTS.get((cell.problem, cell.privacy))
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


def _contributions(book: _Book) -> None:
    r = book.rulings
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
        book.judge(name, "contribution", "Abstract", statement, rests_on({part: r[part] for part in parts}), LONG)


def _missing() -> Ruling:
    return Holds()(None)
