"""The committed notebooks are whole and canonical: the holes that a comparison of outputs leaves open.

A notebook whose cells were never run has nothing to compare, and passes; so does one that stores its error.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import yaml
from names import entangled
from nbformat import from_dict

from private_bandits_book.jobs.execute import judged_twice

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "book").glob("*.ipynb"))
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
LONGEST, OWN = 15, 28  # lines of a definition, and of a policy that the pages for a reader's own show
# What Jupyter and a forge would show as it stands: {role}`words`, the fence of a directive, and a label.
MYST = re.compile(r"\{[\w:+.-]+\}`|^ *(?:`{3,}|~{3,}|:{3,}) *\{|^:{3,}|^\(\S+\)= *$", re.MULTILINE)
WIDEST, TALLEST, VISIBLE, HIDDEN = 75, 30, range(15, 301), 12  # letters, lines of a cell, of all that are shown or not
EXERCISES, SOLUTION = "## Try this", "<details><summary>Solution</summary>"
# A path of one machine, an object's address, a kernel's temporary file, a time of day.
PASSING = re.compile(r"(?<![\w.])/(home|root|tmp|Users|opt)/|\bat 0x[0-9a-f]+|ipykernel_\d+|\d\d:\d\d:\d\d")

# What both keep: JupyterLab's sanitiser (`apputils`, `Sanitizer`) and GitHub's (`html-pipeline`, `SanitizationFilter`).
# An address stays one: the first renames it, the second puts words before it, and both follow links to it.
KEPT_TAGS = frozenset(
    "a abbr b blockquote br caption cite code dd del details div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img "
    "ins kbd li mark ol p pre q s samp small span strong sub summary sup table tbody td tfoot th thead time tr ul var "
    "wbr".split()
)
KEPT_EVERYWHERE = {"id", "title", "lang", "dir"}
KEPT_ATTRIBUTES = {
    "a": {"href"},
    "img": {"src", "alt", "width", "height"},
    "details": {"open"},
    "div": {"align"},
    "ol": {"start"},
    "td": {"align", "colspan", "rowspan"},
    "th": {"align", "colspan", "rowspan"},
}
KEPT_ADDRESSES = {
    "href": re.compile(r"https?://|mailto:|#|[\w./-]+(#|$)"),
    "src": re.compile(r"https?://|data:image/|[\w./-]+$"),
}
# Code and formulas of Markdown, which are no HTML.
NO_HTML = re.compile(
    r"^( *)(`{3,}|~{3,}).*?^\1\2`*$|(`+)(?!`).*?(?<!`)\3(?!`)|\$\$.*?\$\$|\$[^$\n]*\$", re.MULTILINE | re.DOTALL
)
LINK = re.compile(r"\]\(([^()\s]+)\)")

# Words that only this book used, and the field's: CONTRIBUTING, Voice.
PRIVATE = {
    "laws?": "distribution",
    "in clear": "without noise",
    "behind noise": "from noisy answers",
    "outgrows?": "grows faster than",
    "as one likes": "arbitrarily",
    "with much room": "far from tight",
    "really pays?": "is really private with",
}

CHAPTERS = [path for path in NOTEBOOKS if (ROOT / "book" / "data" / path.stem).is_dir()]

every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def faults(notebook: dict[str, Any], is_chapter: bool = True, longest: int = LONGEST) -> list[str]:
    """Return what keeps a notebook from being committed; one that is no chapter has no parameters."""
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    tags = [cell["metadata"].get("tags", []) for cell in code]
    found = []
    if not code or [cell["execution_count"] for cell in code] != list(range(1, len(code) + 1)):
        found.append("not run once from top to bottom")
    if sum("parameters" in one for one in tags) != is_chapter or any("injected-parameters" in one for one in tags):
        found.append("not as many parameters cells as it must have")
    if notebook["metadata"] != METADATA or (notebook["nbformat"], notebook["nbformat_minor"]) != (4, 5):
        found.append(
            "metadata of one run, as Jupyter saves them: git checkout book/, or private-bandits reproduce NAME"
        )
    if any(cell["id"] != f"c{place:03d}" for place, cell in enumerate(notebook["cells"])):
        found.append("cell ids not in order")
    for cell in notebook["cells"]:
        if {"papermill", "execution"} & set(cell["metadata"]):
            found.append(f"{cell['id']}: times of one run")
    for cell in code:
        for output in cell["outputs"]:
            if output["output_type"] == "error" or output.get("name") == "stderr":
                found.append(f"{cell['id']}: stored an error or a warning")
            if output.get("execution_count", cell["execution_count"]) != cell["execution_count"]:
                found.append(f"{cell['id']}: output of another run")
            if PASSING.search(_shown(output)):
                found.append(f"{cell['id']}: holds what changes from run to run")
        for node in ast.walk(ast.parse("".join(cell["source"]))):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.end_lineno is not None:
                if node.end_lineno - node.lineno >= longest:
                    found.append(f"{cell['id']}: {node.name} belongs in the library")
    return found


def _shown(output: dict[str, Any]) -> str:
    """Return the text of an output, without embedded images."""
    shown = {kind: text for kind, text in output.get("data", {}).items() if kind != "image/png"}
    text = json.dumps(output.get("text", shown), ensure_ascii=False)
    return re.sub(r"base64,[A-Za-z0-9+/=]+", "", text)


def unreadable(notebook: dict[str, Any]) -> list[str]:
    """Return what keeps a chapter from being read, and copied, as the experiment that it is."""
    found, visible, hidden = [f"{claim}: judged in two cells" for claim in judged_twice(from_dict(notebook))], 0, 0
    declared: set[str] = set()
    found += entangled({cell["id"]: "".join(cell["source"]) for cell in notebook["cells"] if "outputs" in cell})
    for cell in notebook["cells"]:
        source, tags = "".join(cell["source"]), set(cell["metadata"].get("tags", ()))
        if cell["cell_type"] == "markdown":
            found += [f"{cell['id']}: {one[0]!r} is no plain Markdown" for one in MYST.finditer(source)]
            continue
        lines = source.splitlines()
        assigned = _assigned(source)
        found += [f"{cell['id']}: {name} is a parameter, and another value here" for name in assigned & declared]
        declared |= assigned if "parameters" in tags else set()
        for output in cell["outputs"]:
            data = output.get("data", {})
            if "{figure}" in "".join(data.get("text/markdown", "")) and not {"image/png", "text/html"} <= {*data}:
                found.append(f"{cell['id']}: a figure without PNG or HTML")
        if "parameters" in tags:
            if tags & {"remove-input", "remove-cell"}:
                found.append(f"{cell['id']}: who copies the cells lacks the parameters")
        elif tags & {"remove-input", "remove-cell", "hide-input", "hide-cell"}:
            hidden += 0 if _only_says(source) else len(lines)
        else:
            if "solution" not in tags:
                visible += sum(not re.match(r" *(#|$)", line) for line in lines)
            found += [f"{cell['id']}: {len(line)} letters: {line}" for line in lines if len(line) > WIDEST]
            if len(lines) > TALLEST:
                found.append(f"{cell['id']}: {len(lines)} lines")
    if visible not in VISIBLE:
        found.append(f"{visible} lines are visible")
    if hidden > HIDDEN:
        found.append(f"{hidden} lines are hidden")
    return found


def unsolved(notebook: dict[str, Any]) -> list[str]:
    """Return what is wrong with a chapter's exercises, where it has them: how many, and which lack a solution."""
    section, found = "", list[str]()
    solved: list[int] = []  # solutions of each exercise
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            lines = [SOLUTION] if "solution" in cell["metadata"].get("tags", ()) else []
        else:
            lines = "".join(cell["source"]).splitlines()
        for line in lines:
            if line.startswith("## "):
                section = line
            elif line.startswith("### ") and section == EXERCISES:
                solved.append(0)
            elif line == SOLUTION and section == EXERCISES and solved:
                solved[-1] += 1
            elif line == SOLUTION:
                found.append(f"{cell['id']}: a solution of no exercise")
    sources = ["".join(cell["source"]) for cell in notebook["cells"]]
    if any(EXERCISES in source.splitlines() for source in sources) and (len(solved), 0 in solved) != (3, False):
        found.append(f"solutions of the exercises, which must be three: {solved}")
    return found


def private_words(notebook: dict[str, Any]) -> list[str]:
    """Return the words of a notebook's prose that only this book used, and what to write."""
    texts = [("".join(cell["source"]), cell["cell_type"] == "markdown") for cell in notebook["cells"]]
    prose = [text for text, is_markdown in texts if is_markdown or "chapter.say(" in text]
    known = [(re.compile(rf"\b{word}\b".replace(" ", r"\s+")), better) for word, better in PRIVATE.items()]
    return [f"{one[0]!r}: {better}" for text in prose for word, better in known for one in word.finditer(text)]


class _Html(HTMLParser):
    """The tags of an HTML text that sanitisers take away, its links, and the addresses that they may lead to."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.lost: list[str] = []
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = KEPT_EVERYWHERE | KEPT_ATTRIBUTES.get(tag, set())
        if tag not in KEPT_TAGS:
            self.lost.append(f"<{tag}>")
        for name, value in attrs:
            address = KEPT_ADDRESSES.get(name)
            if name not in known or (address and not address.match(value or "")):
                self.lost.append(f"<{tag} {name}={value!r}>")
        found = dict(attrs)
        self.links += [found["href"] or ""] if "href" in found else []
        self.places |= {found["id"] or ""} if "id" in found else set()


def _seen(cell: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    """Yield what a viewer of the notebook shows of a cell, and whether it is Markdown: HTML comes before it."""
    if cell["cell_type"] == "markdown":
        yield "".join(cell["source"]), True
    for output in cell.get("outputs", ()):
        data = output.get("data", {})
        kind = next((kind for kind in ("text/html", "text/markdown") if kind in data), None)
        if kind is not None:
            yield "".join(data[kind]), kind == "text/markdown"


def unshown(notebook: dict[str, Any], folder: Path) -> list[str]:
    """Return what a viewer without our build loses: MyST, tags and attributes that sanitisers drop, and dead links."""
    found, links, places = [], [], set[str]()
    for cell in notebook["cells"]:
        for text, is_markdown in _seen(cell):
            if is_markdown:
                found += [f"{cell['id']}: {one[0]!r} is no plain Markdown" for one in MYST.finditer(text)]
                text = NO_HTML.sub("", text)
                links += [(cell["id"], link) for link in LINK.findall(text)]
            html = _Html(text)
            found += [f"{cell['id']}: sanitisers drop {one}" for one in html.lost]
            links += [(cell["id"], link) for link in html.links]
            places |= html.places
    for cell_id, link in links:
        file, _, place = link.partition("#")
        if not (
            re.match(r"https?:|mailto:", link) or (file and (folder / file).is_file()) or (not file and place in places)
        ):
            found.append(f"{cell_id}: {link} leads nowhere")
    return found


def _assigned(source: str) -> set[str]:
    names = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name))
    return {name.id for name in names if isinstance(name.ctx, ast.Store)}


def _only_says(source: str) -> bool:
    """Whether a cell does nothing but call `chapter.say`."""
    called = [one.value.func for one in ast.parse(source).body if _calls(one)]
    return len(called) == len(ast.parse(source).body) and {ast.unparse(one) for one in called} == {"chapter.say"}


def _calls(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)


def test_every_notebook_of_the_book_is_looked_at() -> None:
    listed = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    entries = [entry for part in listed["parts"] for entry in part["chapters"]]
    pages = {entry["file"] for one in entries for entry in (one, *one.get("sections", []))} | {listed["root"]}
    assert NOTEBOOKS
    assert {f"book/{path.stem}" for path in NOTEBOOKS} <= pages
    for page in pages:
        assert any((ROOT / page).with_suffix(suffix).is_file() for suffix in (".md", ".ipynb")), page


@every_notebook
def test_stored_state_is_fit_to_commit(path: Path) -> None:
    assert faults(_read(path), path in CHAPTERS, OWN if path.stem in ("audit", "own") else LONGEST) == []


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_is_an_experiment_that_reads_whole(path: Path) -> None:
    assert unreadable(_read(path)) == []
    assert unsolved(_read(path)) == []


@pytest.mark.parametrize("path", sorted((ROOT / "book").glob("*_proofs.md")), ids=lambda path: path.stem)
def test_proofs_are_plain_markdown(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert [one[0] for one in MYST.finditer(text)] == []
    targets = re.findall(r'^<a id="(proof-[\w-]+)"></a>\n##+ ', text, flags=re.MULTILINE)
    assert targets and len(targets) == text.count("<a id=")
    assert set(re.findall(r"\(#([^)]+)\)", text)) <= {*targets}


@every_notebook
def test_a_notebook_shows_all_in_jupyter_and_on_a_forge(path: Path) -> None:
    assert unshown(_read(path), path.parent) == []


@every_notebook
def test_prose_has_the_words_of_the_field(path: Path) -> None:
    assert private_words(_read(path)) == []


def test_a_private_word_would_be_found() -> None:
    notebook = _readable()
    assert private_words(notebook) == []
    notebook["cells"][1]["source"] += " The law of a reward shows in\nclear."
    notebook["cells"][2]["source"] = 'chapter.say("A rate that outgrows.")'
    found = private_words(notebook)
    assert [one.partition(":")[0] for one in found] == ["'law'", "'in\\nclear'", "'outgrows'"]


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("source", '<div style="color: red">words</div>'),
        ("source", "{cite:t}`wang2021`"),
        ("source", "[Figure 2](#figure-2)"),
        ("source", "[data](data/none.csv)"),
        ("text/html", "<td>one</td><script>1</script>"),
        ("text/html", '<td class="left">one</td>'),
        ("text/html", '<a href="javascript:1">one</a>'),
        ("text/html", '<a href="#claim">one</a>'),
        ("text/html", '<img src="data:text/html,one">'),
        ("text/markdown", ":::{dropdown} All\n:::"),
        ("text/markdown", '<a href="../_modules/one.html">source</a>'),
    ],
)
def test_what_a_viewer_loses_would_be_found(key: str, text: str, tmp_path: Path) -> None:
    (tmp_path / "one.csv").touch()
    words = "For $a<b>c$ and `<script>` see [one](one.csv), [two](#two) and [three](https://a.example).\n\n~~~html\n<x>\n~~~"
    shown = {"text/html": '<figure id="two"></figure>', "text/markdown": "```{figure} x.svg\n```"}
    prose = {"cell_type": "markdown", "id": "c000", "source": words}
    code = {
        "cell_type": "code",
        "id": "c001",
        "source": "",
        "outputs": [{"output_type": "display_data", "data": shown}],
    }
    assert unshown({"cells": [prose, code]}, tmp_path) == []
    output = {"output_type": "display_data", "data": {key: text}}
    faulty = {**prose, "source": text} if key == "source" else {**code, "outputs": [output]}
    found = unshown({"cells": [faulty]}, tmp_path)
    assert found and all(one.startswith(f"{faulty['id']}: ") for one in found)


@every_notebook
def test_file_is_in_canonical_form(path: Path) -> None:
    text = path.read_bytes().decode("utf-8")
    assert text == json.dumps(json.loads(text), ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _sound() -> dict[str, Any]:
    data = {"text/plain": ["3"]}
    shown = {"output_type": "execute_result", "execution_count": 1, "data": data, "metadata": {}}
    cell = {
        "cell_type": "code",
        "id": "c000",
        "execution_count": 1,
        "metadata": {"tags": ["parameters"]},
        "source": ["horizon: int = 3  # rounds\n", "horizon"],
        "outputs": [shown],
    }
    return {"cells": [cell], "metadata": json.loads(json.dumps(METADATA)), "nbformat": 4, "nbformat_minor": 5}


@pytest.mark.parametrize(
    ("where", "value"),
    [
        (("cells", 0, "execution_count"), None),
        (("cells", 0, "id"), "a1b2"),
        (("cells", 0, "metadata", "tags"), []),
        (("cells", 0, "metadata", "tags"), ["parameters", "injected-parameters"]),
        (("cells", 0, "metadata", "papermill"), {"duration": 1.0}),
        (("cells", 0, "source"), ["def f():\n", *["    x = 1\n"] * 15, "    return x\n"]),
        (("cells", 0, "outputs", 0), {"output_type": "stream", "name": "stderr", "text": ["careful\n"]}),
        (("cells", 0, "outputs", 0), {"output_type": "error", "ename": "E", "evalue": "", "traceback": []}),
        (("cells", 0, "outputs", 0, "execution_count"), 7),
        (("cells", 0, "outputs", 0, "data", "text/plain"), ["<Axes at 0x7f3a>"]),
        (("metadata", "language_info", "version"), "3.11.7"),
    ],
)
def test_each_fault_would_be_found(where: tuple[str | int, ...], value: Any) -> None:
    notebook = _sound()
    assert faults(notebook) == []
    inner: Any = notebook
    for key in where[:-1]:
        inner = inner[key]
    inner[where[-1]] = value
    assert faults(notebook) != []


def _readable() -> dict[str, Any]:
    """A notebook that nothing keeps from being read: parameters, prose, a sentence, a figure, and a hundred lines."""

    def code(source: str, *tags: str, **data: str) -> dict[str, Any]:
        outputs = [{"output_type": "display_data", "data": {"text/plain": "", **data}}] if data else []
        return {"cell_type": "code", "metadata": {"tags": [*tags]}, "source": source, "outputs": outputs}

    prose = (
        "Under $\\hat{w}$ `code` of [Wang et al. (2021)](https://arxiv.org/abs/2105.11126)\n\n```python\nx = {1}\n```"
    )
    figure = {
        "text/html": '<figure><details id="a-claim-b">',
        "text/markdown": "```{figure} x.svg\n```",
        "image/png": "iVBO",
    }
    cells = [
        code(f"horizon: int = 3  # {'rounds ' * 20}", "parameters", "hide-input"),
        {"cell_type": "markdown", "metadata": {}, "source": prose},
        code("\n".join(["chapter.say(f'{horizon}')"] * 20), "remove-input"),
        code("\n".join(["x = 1"] * 12), "remove-input"),
        code("chapter.figure('figure-1', x)", **figure),
        *(code("\n".join(["y" * 75] * 30)) for _ in range(5)),
    ]
    return {"cells": [{**cell, "id": f"c{place:03d}"} for place, cell in enumerate(cells)]}


@pytest.mark.parametrize(
    ("place", "key", "value"),
    [
        (1, "source", "As {cite:t}`wang2021` say"),
        (1, "source", "- an item\n\n  ~~~{note}\n  ~~~"),
        (1, "source", ":::{note}\nWords\n:::"),
        (1, "source", "(the-label)=\n## A heading"),
        (0, "metadata", {"tags": ["parameters", "remove-input"]}),
        (2, "source", "chapter.say('x')\n" * 20 + "x = 2"),
        (3, "source", "x = 1\n" * 13),
        (5, "metadata", {"tags": ["hide-input"]}),
        (4, "outputs", [{"output_type": "display_data", "data": {"text/html": "", "text/markdown": "```{figure} x"}}]),
        (5, "source", "horizon = 3"),
        (5, "source", "x = 2"),
        (5, "source", "x['a'] = 2"),
        (5, "outputs", [{"output_type": "display_data", "data": {"text/html": '<details id="a-claim-b">'}}]),
        (5, "source", "y" * 76),
        (5, "source", "y\n" * 31),
    ],
)
def test_what_keeps_a_chapter_from_being_read_would_be_found(place: int, key: str, value: Any) -> None:
    notebook = _readable()
    assert unreadable(notebook) == []
    notebook["cells"][place][key] = value
    assert unreadable(notebook) != []


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (["x = 1", "y = x", "print(y)"], []),
        (["x = 1\nprint(x)", "x = 2\nprint(x)"], []),  # each its own
        (["x = 1", "for x in [2]:\n    print(x)", "[x for x in [3]]\nlambda x: x"], []),
        (["x = 1\ndef f(x):\n    x += 1\n    return x", "f(2)"], []),
        (["x = []\nx += [1]\nx.append(2)\nx[0] = 3", "print(x)"], []),
        (["x = 1", "y = x", "x = 2"], ["1 takes x, which 2 cells bind"]),
        (["x = 1", "x = x + 1"], ["1 takes x, which 2 cells bind"]),
        (["x = 1", "for x in x:\n    pass"], ["1 takes x, which 2 cells bind"]),
        (["x = 1", "y = [x for _ in [1]]", "import a.b as x"], ["1 takes x, which 2 cells bind"]),
        (["x = 1", "def f(y=x):\n    pass", "x: int = 2"], ["1 takes x, which 2 cells bind"]),
        (["x = 1\ndef f():\n    return x", "x = 2"], ["0 takes x, which 2 cells bind"]),  # f finds the latter
        (["x = 1\nf = lambda: x", "x = 2"], ["0 takes x, which 2 cells bind"]),
        (["x = []", "x.append(1)"], ["1 changes x of another cell"]),
        (["x = []", "x += [1]"], ["1 changes x of another cell"]),
        (["x = []", "x[0] = 1"], ["1 changes x of another cell"]),
        (["x = []", "x[0] += 1"], ["1 changes x of another cell"]),
        (["x = {}", "for y in [1]:\n    x['a'] = y"], ["1 changes x of another cell"]),
    ],
)
def test_a_cell_that_changes_another_one_would_be_found(cells: list[str], said: list[str]) -> None:
    assert list(entangled(dict(enumerate(cells)))) == said


def _solved() -> dict[str, Any]:
    """A chapter with three exercises: one solved by a cell, which is not counted, and two in words."""
    words = f"### Exercise\n\nHow many?\n\n{SOLUTION}\n\nTwo.\n\n</details>"
    code = {"cell_type": "code", "metadata": {"tags": ["solution"]}, "source": "y\n" * 30, "outputs": []}
    prose = [f"{EXERCISES}\n\n### Exercise\n\nHow many?", f"{words}\n\n{words}\n\n## Limits"]
    first, second = ({"cell_type": "markdown", "metadata": {}, "source": one} for one in prose)
    cells = [*_readable()["cells"], first, *[code] * 10, second]
    return {"cells": [{**cell, "id": f"c{place:03d}"} for place, cell in enumerate(cells)]}


@pytest.mark.parametrize(
    ("cell", "old", "new"),
    [
        (-1, SOLUTION, "<details><summary>Answer</summary>"),
        (-1, "### Exercise", "Exercise"),
        (-12, "### Exercise", "Exercise"),
        (-12, EXERCISES, "## Exercises"),
        (-1, "## Limits", "### Limits"),
        (-1, "## Limits", f"## Limits\n\n{SOLUTION}"),
    ],
)
def test_an_exercise_without_a_solution_would_be_found(cell: int, old: str, new: str) -> None:
    notebook = _solved()
    assert unreadable(notebook) == unsolved(notebook) == []
    notebook["cells"][cell]["source"] = notebook["cells"][cell]["source"].replace(old, new)
    assert unsolved(notebook) != []


@pytest.mark.parametrize("lines", [(1,) * 4, (30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30)])
def test_too_little_and_too_much_code_would_be_found(lines: tuple[int, ...]) -> None:
    notebook = _readable()
    shown = notebook["cells"].pop()
    notebook["cells"] = notebook["cells"][:5] + [{**shown, "source": "y\n" * many} for many in lines]
    (found,) = unreadable(notebook)
    assert found.endswith("lines are visible")


def _read(path: Path) -> dict[str, Any]:
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return notebook
