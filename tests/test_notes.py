"""The notes: whole by themselves, made of the pages of proofs, and with the numbers of the data."""

from __future__ import annotations

import math
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from browser import NAMES
from bs4 import BeautifulSoup
from replay import folder
from said import pattern, theorem_9

from private_bandits_book.chapters.semibandits import studies as semibandits
from private_bandits_book.studies import stored

ROOT = Path(__file__).parents[1]
NOTES = {path.stem: path for path in sorted((ROOT / "notes").glob("*.md"))}
HAS = ["Abstract", "The question", "The setting", "In runs", "Prior work", "Where each number is computed"]
HAS += ["Cite this note", "References"]
CITES = {"price": ["several"], "theorem-9": []}  # words that lead to other parts of the book; no lemma is among them
PRINTS = any(map(shutil.which, NAMES)) and all(map(shutil.which, ("pdftotext", "qpdf")))


@pytest.fixture(scope="module")
def made() -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "publish"))
        return runpy.run_path(str(ROOT / "publish" / "notes.py"))


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, BeautifulSoup]:
    """The notes, which the script has also printed where there is a browser: what is cut, or too long, stops it."""
    out = tmp_path_factory.mktemp("notes")
    words = [sys.executable, str(ROOT / "publish" / "notes.py"), str(out), "pdf" if PRINTS else "html"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")
    assert len([*out.glob("*.pdf")]) == (len(NOTES) if PRINTS else 0)
    return {name: BeautifulSoup((out / f"{name}.html").read_text("utf-8"), "html.parser") for name in NOTES}


@pytest.mark.parametrize("name", NOTES)
def test_a_note_is_whole(printed: dict[str, BeautifulSoup], name: str) -> None:
    page = printed[name]
    heads = [tag.get_text() for tag in page.select("h2")]
    assert [head for head in heads if head in HAS] == HAS and len(heads) == len(set(heads))
    assert len(page.select("img")) == 1 and page.img["src"].startswith("data:") and page.img["alt"]
    ids = {f"#{tag['id']}" for tag in page.select("[id]")}
    links = {str(tag["href"]) for tag in page.select("a[href]")}
    assert {one for one in links if not one.startswith("https://")} <= ids
    said = "".join(one for one in page.find_all(string=True) if one.find_parent(("math", "style")) is None)
    assert re.findall(r"\]\(|\$|\{(?:download|cite)|proof-\w+", said) == []
    assert re.findall(r"(\w+) \(Private Bandits, 2026\)", said) == CITES[name]
    proofs = [tag for tag in page.select("section section") if tag.find("em", string=re.compile("^Proof"))]
    assert len(proofs) >= 4 and all("□" in tag.get_text() for tag in proofs)


def exponents() -> pd.DataFrame:
    return semibandits.growth(semibandits.added(stored("semibandits", "blocks", folder("semibandits"))))


def at_one() -> tuple[str, ...]:
    rows = exponents().query("epsilon == 1 and horizon == 10**7").set_index("policy")["exponent"]
    return tuple(f"{rows[name].measured:.2f}" for name in ("CUCB, blocks", "CUCB-DP"))


def all_of_them() -> tuple[str, ...]:
    """The exponents of the blocks and of CUCB-DP by epsilon, that of their noise, and both at the far horizon."""
    near, far = (part for _, part in exponents().sort_values("epsilon").groupby("horizon"))
    found = [
        f"{one.measured:.2f}"
        for name in ("CUCB, blocks", "CUCB-DP")
        for one in near[near["policy"] == name]["exponent"]
    ]
    blocks = far[far["policy"] == "CUCB, blocks"].iloc[0]
    expected = near["expected"].dropna().iloc[0]
    return *found, f"{expected:.2f}", f"{blocks['expected']:.2f}", f"{blocks['exponent'].measured:.2f}"


def in_a_finite_game() -> tuple[str, str]:
    """The bound of Theorem B per arm, and the second term of Theorem 9, at ln T = K = 10^4."""
    size = log = 10**4
    f = log + math.log(1 + math.floor(log / math.log(2)))
    bound = 8 * f / 0.3 + 16 * (f + 2 * math.sqrt(size * f)) / 0.01 + 0.3 * (size + 1)
    return f"{bound / 1e6:.1f}", f"{size * log / 64 / 0.01 / 1e6:.0f}"


def toy(epsilon: float) -> pd.DataFrame:
    return pd.read_csv(folder("definitions") / "figure-factor.csv").query(f"epsilon == {epsilon}").set_index("t")


def ratios() -> tuple[str, str]:
    last = toy(1.0).loc[100_000].iloc[0]
    return f"{last['local'] / last['free']:.2f}", f"{math.ceil(1000 * last['central'] / last['free']) / 1000:.3f}"


def excess() -> tuple[str, ...]:
    one, tenth = ((toy(epsilon)["central"] - toy(epsilon)["free"]) for epsilon in (1.0, 0.1))
    assert f"{one.min():.0f}" == f"{one.max():.0f}"
    return f"{one.max():.0f}", f"{tenth.min():.0f}", f"{tenth.max():.0f}"


def runs(digits: int) -> tuple[str, ...]:
    rows = pd.read_csv(folder("definitions") / "figure-price.csv").query("t == 10**7 and epsilon == 0.2")
    return tuple(f"{one:.{digits}f}" for one in rows.set_index("trust")["regret"].loc[["local", "central"]])


# By note: sentences, and what stands in their groups.
SAID = {
    "theorem-9": [
        ("grows like $K^{{n}}$ for our algorithm and like $K^{{n}}$ for that of the paper.", at_one),
        (
            "the exponents {n}, {n}, {n} and {n} at {any} and CUCB-DP has {n} and {n} at {any} has the exponent {n}. "
            "{any} it is {n}, and the blocks have {n} at",
            all_of_them,
        ),
        ("have, in the limit, at most ${n}\\,mB_1\\ln T$, and the theorem asks for ${n}\\,mB_1\\ln T$.", theorem_9),
        ("at most {n} million per arm, and the second term of the theorem is {n} million.", in_a_finite_game),
    ],
    "price": [
        ("the local one is {n}, and the central one at most {n},", ratios),
        ("algorithm is {n} times that without noise, and of a centrally private one {n} times.", lambda: runs(1)),
        ("is about {n} at $\\epsilon=1$ and about {n} to {n} at $\\epsilon=0.1$,", excess),
        (
            "its ratio is {n}, where $\\coth(\\epsilon/2)$ is {n}. {any} and its ratio is {n}.",
            lambda: (runs(2)[0], f"{1 / math.tanh(0.1):.2f}", runs(2)[1]),
        ),
    ],
}


@pytest.mark.parametrize(("name", "words", "number"), [(name, *one) for name, ones in SAID.items() for one in ones])
def test_a_number_of_a_note_is_that_of_the_data(made: dict[str, Any], name: str, words: str, number: Any) -> None:
    text = " ".join(made["assembled"](NOTES[name]).split())
    assert re.findall(pattern(words), text) == [number()]
