"""What the heavy-tailed page says, on given numbers: each number in a sentence comes from its own curve, row or fit."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from matplotlib.text import Text
from synthetic import KEYS, with_regret

from private_bandits.estimates import Interval
from private_bandits_book.heavy_tailed import rates, study
from private_bandits_book.heavy_tailed.exhibits import exhibits
from private_bandits_book.heavy_tailed.panels import short
from private_bandits_book.ledger import claims_of
from private_bandits_book.sweep import GAP, RateFit

PARAMETERS = {
    "horizon": 10**9, "replications": 3, "seed": 1, "n_jobs": 1, "epsilons": [0.5], "local_epsilons": [0.25, 0.5],
    "vs": [0.5, 0.9], "exact_horizon": 10**6, "beta": 1e-9, "spare_shape": 0.05, "u_over_moment": 1.0, "small_c": 4.0,
    "small_local_c": 8.0, "small_radius": 1.0,
}  # fmt: skip
# regret over that of uniform play, by policy and variant, all different
WORLD = {
    ("Robust SE", "ours"): 0.0011,
    ("Robust SE", "ours, c = 24"): 0.0011,
    ("Robust SE", "ours, c = 4"): 0.0012,
    ("Robust SE", "ours, c = 8"): 0.0013,
    ("Robust UCB", "logarithm of the horizon, radius times 4.5"): 0.0023,
    ("Robust UCB", "logarithm of the horizon, radius times 0.25"): 0.0024,
    ("DP Robust SE", "printed"): 0.12,
    ("DP Robust SE", "printed, c = 4"): 0.03,
    ("DP Robust UCB", "printed"): 0.66,
    ("DP Robust UCB", "radius times 0.0555556"): 0.077,
    ("DP Robust UCB", "radius times 0.0277778"): 0.2,
    ("LDP Robust SE", "repaired"): 0.41,
    ("LDP Robust SE", "repaired, c = 8"): 0.051,
    ("LDP Robust SE, slide rate", "slide_rate"): 0.5,
    ("Quantile SE", "ours"): 0.012,
    ("DP Robust SE", "printed, c = 18.9902"): 0.04,
    ("Quantile SE", "ours, first epoch times 512"): 0.018,
    ("DP Robust UCB, episodes", "ours"): 0.0061,
    ("DP Robust UCB, episodes", "ours, radius times 1.72792"): 0.0071,
    ("Robust SE", "ours, c = 10.9902"): 0.0009,
    ("DP-SE", "printed"): 0.0042,
    ("AdaP-UCB", "printed"): 0.0057,
}


def share(problem, policy, variant, swept):
    told = (
        {"u 100 times too large": 0.55, "least": 0.04}.get(variant) if math.isfinite(policy.privacy.epsilon) else None
    )
    told = told or WORLD[policy.name, policy.version]
    return told * {0.25: 1.1}.get(policy.privacy.epsilon, 1.0)


def near(value):
    return Interval(value, value - 0.1, value + 0.1)


@pytest.fixture(scope="module")
def page():
    """A study at T = 10^9 whose curves are straight lines to told ends."""

    def regret(problem, policy, variant, swept):
        return share(problem, policy, variant, swept) * problem.uniform_regret() * 10**9

    class Given(with_regret(study.Study, regret, replications=3)):
        def _far(self, problem, policy, variant, rounds=None, runs=0):
            last = self.horizon if rounds is None else int(rounds[-1])
            run, t = self.run(problem, policy, variant, {"kind": "bracketed"}), np.array([last // 10, last])
            final = run.final[:, None] * t / self.horizon
            ends = {"regret": final, "low": 0.9 * final, "high": 1.1 * final}
            data = xr.Dataset({name: (("replication", "t"), end) for name, end in ends.items()}, coords={"t": t})
            return run._replace(data=data)

    made = Given(**PARAMETERS)
    fits = {
        (rates.DP, GAP): 2.1,
        (rates.LDP, GAP): 5.3,
        (rates.EPISODES, GAP): 1.7,
        (rates.LDP, rates.WORST): 0.84,
    }
    made.__dict__.update(
        exponents=[
            RateFit({"key": name, "policy": rates.NAMES[name], "v": v}, quantity, near(x + v), 9)
            for v in made.vs
            for (name, quantity), x in fits.items()
        ],
        unseen={
            (8.0, 8e-4): np.ones(3, bool),
            (4096.0, 8e-4): np.array([True, False]),
            (4096.0, 4e-4): np.ones(4, bool),
        },
        points_by_trust={
            (name, v): {0.15: np.full(3, 3e6)} if name == rates.LDP else {0.4: np.full(3, 7e6)}
            for v in made.vs
            for name in rates.MAKERS
        },
        points={
            (name, v): {gap: np.full(3, regret) for gap in (0.3, smallest)}
            for v in made.vs
            for name, smallest, regret in ((rates.DP, 0.01, 2e5), (rates.LDP, 0.15, 3e6), (rates.EPISODES, 0.02, 4e4))
        },
        scaling_exponents={
            (v, k): Interval(x + v / 100, 0, 0) for v in made.vs for k, x in (("repaired", 0.013), ("slide_rate", 0.46))
        },
        scaling=pd.DataFrame(
            [
                (k, v, 1.0, p, x * v * p, 0.1, 0.0, 0.0, 9)
                for k, x in (("repaired", 0.02), ("slide_rate", 5.0))
                for v in made.vs
                for p in (10, 100)
            ],
            columns=["variant", "v", "epsilon", "pulls", "mean", "se", "median", "q95", "draws"],
        ),
        confidence=confidence(
            ("DP Robust SE", 24.0, 0.5, "holds: proven"),
            ("DP Robust SE", 4.0, 0.5, "not proven, holds in all draws"),
            ("DP Robust UCB", 18.0, 0.5, "holds: proven"),
            ("DP Robust UCB", 1.0, 0.5, "fails"),
        ),
        local_confidence=confidence(
            ("LDP Robust SE", 24.0, 0.25, "holds: proven"),
            ("LDP Robust SE", 24.0, 0.5, "not measured"),
            ("LDP Robust SE", 8.0, 0.25, "not proven, holds in all draws"),
            ("LDP Robust SE", 8.0, 0.5, "holds: proven"),
            ("LDP Robust SE, slide rate", 24.0, 0.25, "fails"),
            ("LDP Robust SE, slide rate", 24.0, 0.5, "not measured"),
        ),
        ledger=pd.DataFrame(
            {
                "claim": [claim.claim for claim in claims_of("heavy_tailed")],
                "kind": [claim.kind for claim in claims_of("heavy_tailed")],
                "verdict": "reproduced after repair",
            }
        ),
    )
    return made


def confidence(*rows):
    frame = pd.DataFrame(rows, columns=["policy", "value", "epsilon", "bound"])
    frame["key"] = frame["policy"].map(KEYS)
    numbers = {"constant": "c", "proven": False, "largest": 0.5, "beyond": 0, "draws": 9}
    return pd.concat([frame.assign(v=v, **numbers) for v in (0.5, 0.9)], ignore_index=True)


@pytest.fixture(scope="module")
def made(page):
    makers, known = exhibits.makers(page), {}

    def make(label):
        return known.setdefault(label, makers[label]()) if label not in known else known[label]

    return make


def texts(picture):
    return {" ".join(text.get_text().split()) for text in picture.fig.findobj(Text)}


def test_the_dp_panels_are_one_grid_of_shares_with_the_bracket_they_are_known_to(made):
    found = made("figure-dp-settings")
    assert len(found.fig.axes) == 6  # three settings, two v, one epsilon
    assert {f"{n}({x}) v = {v:g}, ε = 0.5" for n in (1, 2, 3) for x, v in (("a", 0.5), ("b", 0.9))} <= texts(found)
    ends = found.data[found.data["t"] == 10**9].set_index(["setting", "v", "policy", "reading"])
    assert ends.loc[(2, 0.9, "DP Robust SE", "printed"), "regret"] == pytest.approx(0.12 * 0.5e9)
    assert ends.loc[(2, 0.9, "DP Robust UCB", "smaller"), "low"] == pytest.approx(0.9 * 0.077 * 0.5e9)
    assert "apart by at most 10 % of it at the horizon" in found.caption
    assert "in every panel from T = the beginning on" in found.caption


def test_a_price_is_over_the_same_constant_without_privacy(made):
    found = made("figure-price")
    frame = found.data[(found.data["epsilon"] == 0.5) & (found.data["v"] == 0.5)].set_index("reading")
    expected = {
        "printed": 0.12 / 0.0011,
        "least": 0.04 / 0.0009,
        "episodes": 0.0061 / 0.0071,
        "local": 0.051 / 0.0013,
        "index": 0.66 / 0.0023,
    }
    assert frame["price"][list(expected)].to_dict() == pytest.approx(expected)
    # what has learnt too little is in the file and not in the figure
    assert not frame["learnt"]["index"] and frame["learnt"]["episodes"]


def test_a_local_panel_says_what_its_own_curves_lose(made):
    found = made("figure-ldp-v0.5")
    assert "0.41 to 0.45 with c = 24, 0.051 to 0.056 with c = 8, 0.5 to 0.55 at the slides' rate" in found.alt
    assert "over ε from 0.25 to 0.5." in found.alt
    # all at the smaller epsilon, one of three at the larger
    assert "At the slides' rate 67 % of the runs lose more than half of what uniform play does" in found.caption
    assert "The same runs at every ε" not in found.caption and "Pareto shape 1.55" in found.caption
    assert {"square root, c = 24 bound not measured", "square root, c = 8 bound held when drawn"} <= texts(found)
    assert "rate of (4), (5), c = 24 bound fails" in texts(found)


def test_the_scaling_is_said_by_variant(made):
    found = made("figure-ldp-scaling")
    assert "slides' rate and square root: 0.465 and 0.018 at v = 0.5; 0.469 and 0.022 at v = 0.9." in found.caption
    assert "the error stays level, 1.8 times err at most at the largest R" in found.alt
    assert "it moves as R to the 0.47, to at least 250 times err." in found.alt


def test_the_gap_figure_names_fits_by_policy_and_bounds_at_the_smallest_local_gap(made):
    found = made("figure-gap-v0.5")
    assert "DP Robust SE 2.60, LDP Robust SE 5.80, DP Robust UCB, episodes 2.20; the slides have 2" in found.caption
    assert "the corrected local one is 5." in found.caption
    assert "fastest with the gap for LDP Robust SE, as its power -5.80. At gap 0.15 the corrected" in found.alt
    order, lower = (
        4 * math.log(1e9) * 0.15**-2,
        4 * 0.15 * math.log(1e9) / min(-math.log1p(-(0.15**3)), 4 * (math.e - 1) ** 2 * 0.15**6),
    )
    assert f"lower bound, {short(lower)}, lies above the order" in found.alt
    assert f"upper bound, {short(order)}." in found.alt
    rows = found.data[found.data["kind"] == "runs"].groupby("policy")["regret"].max()
    assert rows.to_dict() == {"DP Robust SE": 7e6, "LDP Robust SE": 3e6, "DP Robust UCB, episodes": 7e6}
    epsilons = found.data[found.data["kind"] == "runs"].groupby("policy")["epsilon"].max()
    assert epsilons.to_dict() == {"DP Robust SE": 0.02, "LDP Robust SE": 1.0, "DP Robust UCB, episodes": 0.02}


def test_not_knowing_u_and_v_is_set_against_both_constants(made):
    alt = made("figure-unknown-moments").alt
    assert "is 0.4 (v = 0.5) and 0.4 (v = 0.9) times that of DP Robust SE with both and c = 4, and 0.1 (v = 0.5)" in alt
    frame = made("table-unknown-moments").frame
    first = frame[frame["v"] == 0.5]
    assert first["over_known"].tolist() == pytest.approx(
        [0.1, 0.04 / 0.12, 0.1, 0.15, 1.0, 0.25, 0.55 / 0.12], rel=1e-2
    )
    assert first["over_small"].tolist() == pytest.approx([0.4, 4 / 3, 0.4, 0.6, 4.0, 1.0, 0.55 / 0.03], rel=1e-2)
    assert first["pays"].tolist() == [1.0] * 7


def test_the_episodes_are_beside_the_printed_algorithms(made):
    ends = [short(x * 0.4e9) for x in (0.0061, 0.12, 0.66)]
    expected = f"at v = 0.9 {ends[0]} with episodes, {ends[1]} for DP Robust SE, {ends[2]} for DP Robust UCB."
    assert made("figure-episodes").alt.endswith(expected)


def test_the_bounded_figure_is_in_order(made):
    alt = made("figure-bounded").alt
    names = ["DP-SE", "AdaP-UCB", "doubling episodes, v = 1", "DP Robust SE, v = 1", "uniform play"]
    places = [alt.index(f" {name} ") for name in names]
    assert places == sorted(places) and f"DP-SE {short(0.0042 * 0.25e9)}," in alt


def test_the_table_of_ends_has_each_curve_in_its_column(made):
    row = made("table-ends").frame.iloc[0]
    expected = {
        "dp_robust_ucb": 0.66, "dp_robust_se": 0.12, "dp_robust_ucb_smaller": 0.077, "dp_robust_se_smaller": 0.03,
        "robust_ucb": 0.0023, "robust_se": 0.0011, "robust_ucb_smaller": 0.0024, "robust_se_smaller": 0.0012,
    }  # fmt: skip
    assert {name: row[name] for name in expected} == pytest.approx(expected)


def test_the_findings_take_their_numbers_from_the_right_places(made):
    text = made("findings")
    needs = made("table-needs").frame.set_index(["policy", "constant", "v"])
    allowed = short(needs.loc[("LDP Robust SE", 24.0, 0.9), "allowed"])
    assert f"at $v=0.9$ it is proven to have told the arms apart after {allowed} rounds." in text
    assert "On setting 1, $v=0.5$, $\\epsilon=0.5$ at $T=$ 10⁹ the first has lost 0.12 of" in text
    assert "the second 0.66." in text and "lose the better arm in 3 of 3 runs where" in text
    assert "in 1 of 2 runs if their first epoch is long, and in 4 of 4 runs if then" in text
    assert "a factor of 1.1·10²" not in text and "a factor of 109 for DP Robust SE" in text
    assert "reproduced after repair, both parts; the lower bound is reproduced after repair. The printed powers" in text
    assert "private quantiles lose 0.4 (v = 0.5) and 0.4 (v = 0.9) times what DP Robust SE loses with both" in text
    assert f"loses {short(0.0061 * 0.4e9)} at $v=0.5$ (above 1.5 times that in 0.00% [0.00%, 2.43%] of its" in text
    assert f"of its runs), DP Robust SE {short(0.12 * 0.4e9)}." in text
    assert "numbered theorems, tables and figures** " in text and " reproduced after repair. The ledger" in text
    told = made("short")
    assert "bounds are reproduced after repair, both parts, the lower bound is reproduced after repair, and" in told
    assert "the regret of elimination is 109 times that without privacy" in told and "Where nobody is trusted" in told


def test_every_algorithm_pays_what_the_page_promises(made):
    frame = made("table-boxes").frame
    assert frame["pays"].tolist() == [math.inf, math.inf] + [0.5] * 6
    assert frame["trust"].tolist() == ["none"] * 2 + ["central"] * 2 + ["local"] * 2 + ["central"] * 2
    bounds = made("table-bounds").frame.set_index(["bound", "variant", "v"])["value"]
    assert bounds["DP Robust SE, dependent", "rate", 0.5] > bounds["DP Robust SE, dependent", "printed", 0.5]
    assert bounds["LDP, dependent", "corrected", 0.5] > bounds["LDP, dependent", "printed", 0.5]
    assert len(bounds) == 2 * 22
