"""What a published site says of itself, with and without its repository's address, and what publishes it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
import yaml
from bs4 import BeautifulSoup

ROOT = Path(__file__).parents[1]
REPOSITORY = "https://github.com/Owner/some-name"
SITE = "https://owner.github.io/some-name/"
PAGES = ["intro", "about", "rerun"]
PAGE = r"""# Small

Nothing of this is a finding.

## In short

What differs:

- **One bit.** Of $\epsilon=1$ and $10^{-3}$ & what costs $K^2$ it says, in more letters than sixty. And no more.
- **Two.** No.

Code: {repository}
"""


def build(folder: Path, repository: str) -> Path:
    """Build three pages with our configuration, in a clone of their own."""
    for part in ("letters", "notes"):
        shutil.copytree(ROOT / part, folder / part)
    for part in ("_ext", "_lab", "_static", "_templates", "_inventories"):
        shutil.copytree(ROOT / "book" / part, folder / "book" / part)
    for name in ("_config.yml", "CITATION.cff", "book/about.md", "book/rerun.ipynb", "book/references.bib"):
        shutil.copy(ROOT / name, folder / name)
    (folder / "book" / "intro.md").write_text(PAGE, encoding="utf-8")
    for name in ("README.md", "tests/fixture.md", "runs/own/own.md"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("```{nonsense}\nNo page.\n```\n", encoding="utf-8")
    (folder / "docutils.conf").write_text("[general]\ninitial_header_level: 4\n", encoding="utf-8")
    files = "\n".join(f"  - file: book/{name}" for name in PAGES[1:])
    (folder / "_toc.yml").write_text(f"format: jb-book\nroot: book/intro\nchapters:\n{files}\n", encoding="utf-8")
    return again(folder, repository)


def again(folder: Path, repository: str) -> Path:
    """Build what is there for a reader with settings; where there is no address, on a system that sets the clock."""
    words = [sys.executable, "-c", "from jupyter_book.cli.main import main; main()", "build", str(folder), "-W", "-n"]
    env = os.environ | {"PRIVATE_BANDITS_REPOSITORY": repository, "DOCUTILSCONFIG": str(folder / "docutils.conf")}
    env |= {} if repository else {"SOURCE_DATE_EPOCH": "0"}
    done = subprocess.run(words, capture_output=True, text=True, env=env, timeout=300)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return folder / "_build" / "html"


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("known"), REPOSITORY)


@pytest.fixture(scope="module")
def unknown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("un[k]nown"), "")


def read(page: Path) -> BeautifulSoup:
    return BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")


def said(page: BeautifulSoup) -> dict[str, str]:
    return {str(tag.get("name") or tag.get("property")): str(tag["content"]) for tag in page.select("meta[content]")}


@pytest.mark.book
@pytest.mark.parametrize("name", PAGES)
def test_with_an_address_every_page_links_its_repository(known: Path, name: str) -> None:
    page = read(known / "book" / f"{name}.html")
    links = {str(tag["href"]) for tag in page.select("a[href]")}
    source = f"book/{name}.{'ipynb' if name == 'rerun' else 'md'}"
    assert {REPOSITORY, f"{REPOSITORY}/issues", f"{REPOSITORY}/edit/main/{source}"} <= links
    assert {f"{SITE}private-bandits.pdf", f"{REPOSITORY}/commits/main/CHANGELOG.md"} <= links
    launched = f"https://mybinder.org/v2/gh/Owner/some-name/main?urlpath=lab/tree/{source}"
    assert (launched in links) == (name == "rerun")
    assert [tag["href"] for tag in page.select("link[rel=canonical]")] == [f"{SITE}book/{name}.html"]
    assert said(page)["og:url"] == f"{SITE}book/{name}.html"
    assert said(page)["og:image"] == f"{SITE}_static/card.png" and (known / "_static" / "card.png").is_file()


@pytest.mark.book
def test_with_an_address_the_site_lists_its_pages(known: Path) -> None:
    listed = [one.text for one in ElementTree.parse(known / "sitemap.xml").iter() if one.tag.endswith("}loc")]
    assert listed == sorted(f"{SITE}book/{name}.html" for name in PAGES)
    lost = read(known / "404.html")
    assert lost.base is not None and lost.base["href"] == SITE
    assert lost.base.find_previous(href=True) is None, "what is loaded before is looked for beside what was not found"


@pytest.mark.book
def test_a_second_build_changes_nothing(known: Path) -> None:
    before = {path: path.read_bytes() for path in known.rglob("*") if path.is_file()}
    left, index = known / "book" / "left.html", known / "searchindex.js"
    left.write_text("of an earlier build", encoding="utf-8")
    index.write_text(index.read_text("utf-8").replace('"terms": {', '"terms": {"left": [], '), "utf-8")
    os.utime(known.parents[1] / "book" / "about.md")
    again(known.parents[1], REPOSITORY)
    after = {path: path.read_bytes() for path in known.rglob("*") if path.is_file()}
    left.unlink()
    assert after.pop(left) and after == before


@pytest.mark.book
def test_without_an_address_nothing_needs_one(unknown: Path) -> None:
    for path in unknown.rglob("*.html"):
        assert "://" not in re.sub(r"https://(docs\.python|www\.w3)\.org", "", path.read_text(encoding="utf-8")), path
    assert not [name for name in ("404.html", "sitemap.xml") if (unknown / name).exists()]
    assert "Code:" not in read(unknown / "book" / "intro.html").text
    assert not re.search(r"url +=", read(unknown / "book" / "about.html").text)
    (citation,) = unknown.glob("_downloads/*/CITATION.cff")
    assert citation.read_bytes() == (ROOT / "CITATION.cff").read_bytes()


# ---- the workflows

WORKFLOWS = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / ".github" / "workflows").iterdir()}
JOBS = {(name, job): made for name, text in WORKFLOWS.items() for job, made in yaml.safe_load(text)["jobs"].items()}


def test_every_action_is_pinned_by_commit() -> None:
    used = [line.strip(" -") for text in WORKFLOWS.values() for line in text.splitlines() if "uses:" in line]
    assert len(used) > 5
    for line in used:
        assert re.fullmatch(r"uses: actions/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line), line


def test_a_workflow_may_read_and_no_more() -> None:
    assert {"test", "publish", "weekly"} == set(WORKFLOWS)
    for name, text in WORKFLOWS.items():
        made = yaml.safe_load(text)
        assert made["permissions"] == {"contents": "read"} and "concurrency" in made, name
    more = {job: made["permissions"] for job, made in JOBS.items() if "permissions" in made}
    assert more == {
        ("publish", "deploy"): {"pages": "write", "id-token": "write"},
        ("weekly", "report"): {"issues": "write"},
    }
