"""Commands: words to calls."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from private_bandits import checks
from private_bandits_book.judging.verdicts import EVIDENCE, VERDICTS
from private_bandits_book.parameters import UsageError, literal

if TYPE_CHECKING:
    from private_bandits_book.book import Book


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


def call(words: Sequence[str] | None, book: Book | None) -> int:
    """Run a command and return its exit code: 0, 1 (failed) or 2 (not allowed).

    Parameters
    ----------
    words : sequence of str, optional
        Default: the arguments of the process.
    book : Book, optional
        Default: the one that comes with the package.
    """
    try:
        options, more = _parser().parse_known_args(words)
        if more:
            raise UsageError(_hint(options, more))
        # what follows needs more than the library
        from private_bandits_book.book import find_book

        return _call(options, book if book is not None else find_book())
    except UsageError as error:
        print(f"private-bandits: {' '.join(str(error).split())}", file=sys.stderr)  # whatever a name or a file holds
        return 2


def _hint(options: argparse.Namespace, more: Sequence[str]) -> str:
    """Return what words that mean nothing may have been meant for."""
    setting = options.settings[-1] if options.command == "run" and options.settings else "="
    if "=" not in setting:
        return f"-p must be NAME=VALUE, got {checks.brief(f'{setting} {more[0]}')}"
    meant = shlex.quote(" ".join([setting, *more]))
    quotes = f" (did you mean -p {meant}?)" if setting.count("[") > setting.count("]") else ""
    return f"unrecognized arguments: {checks.brief(' '.join(more))}{quotes}"


def _call(options: argparse.Namespace, book: Book) -> int:
    if options.command == "list":
        for chapter in book.chapters():
            print(f"{chapter}  {book.title(chapter)}")
        return 0
    if options.command == "params":
        from private_bandits_book.pages.claims_text import aligned

        known = book.parameters(options.chapter)
        print("\n".join(aligned([(name, repr(one.default), one.says) for name, one in known.items()])))
        return 0
    if options.command == "claims":
        from private_bandits_book.pages.claims_text import ledger_text

        wanted = {"verdict": options.verdict, "evidence": options.evidence, "claim": options.claim}
        print(ledger_text(book, options.chapters, **wanted, form=options.form), flush=True)
        return 0
    if options.command == "report":
        _report(options, book)
        return 0
    if options.command == "algorithms":
        print(_algorithms_text(), flush=True)
        return 0
    if options.command == "compare":
        from private_bandits_book.jobs.compare import compare

        how = {"epsilon": options.epsilon, "quick": options.quick, "proved": options.proved}
        text, page, code = compare(book, options.policy, options.problem, options.output, **how)
        print(f"{text}\n{page}")
        return code
    # Executing needs papermill, which takes a second to import; listing does not.
    from private_bandits_book.jobs.cluster import ClusterLost, cluster
    from private_bandits_book.jobs.execute import ChapterFailed

    try:
        with cluster(options.scheduler):
            return _execute(options, book)
    except (ChapterFailed, ClusterLost) as error:
        print(error, file=sys.stderr)
        return 1


def _execute(options: argparse.Namespace, book: Book) -> int:
    if options.command == "run":
        from private_bandits_book.jobs.run import run

        directory = options.output or Path("runs", options.chapter)
        earlier = (directory / "provenance.json").is_file()
        run(book, options.chapter, _parameters(options), directory)
        if earlier:
            print(f"private-bandits: replaced the earlier run in {directory}, -o names another folder", file=sys.stderr)
        print(f"{directory / options.chapter}.html")
        return 0
    from private_bandits_book.jobs.reproduce import reproduce

    if options.seeds < 0:
        raise UsageError(f"--seeds must be >= 0, got {options.seeds}")
    changed = reproduce(book, options.chapters, long=options.long, seeds=options.seeds, check=options.check)
    return int(options.check and changed)


def _report(options: argparse.Namespace, book: Book) -> None:
    """Print a report, or write it into a folder, where it replaces nothing but an earlier report."""
    from private_bandits_book.jobs.atomic import write
    from private_bandits_book.pages.report import BEGINS, report

    said = report(book, options.chapter)
    if options.output is None:
        print(said, end="", flush=True)
        return
    path = options.output / f"report-{options.chapter}.md"
    if path.exists() and not (path.is_file() and path.read_bytes().startswith(BEGINS.encode())):
        raise UsageError(f"{path} must be absent or an earlier report")
    options.output.mkdir(parents=True, exist_ok=True)
    write(options.output, {path: said.encode()})
    print(path)


def _algorithms_text() -> str:
    """Return the table of all algorithms, aligned, a line each, and what its numbers are of."""
    from private_bandits_book.pages.algorithms import COLUMNS, rows
    from private_bandits_book.pages.claims_text import aligned

    epsilon, delta = 1.0, 1e-3
    found = list(rows(epsilon, delta))
    small = f"Made for epsilon {epsilon:g} and delta {delta:g}, where there is one, at small sizes."
    return "\n".join([*aligned([COLUMNS, *found]), "", f"{len(found)} algorithms and variants. {small}"])


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="private-bandits", description="Rerun, reproduce and check the chapters of the book.")
    parser.add_argument("--version", action="version", version=f"%(prog)s {version('private-bandits')}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("list", help="list the chapters and their titles")
    asked = commands.add_parser("params", help="list the parameters of a chapter: default and meaning")
    asked.add_argument("chapter", metavar="CHAPTER")
    run = commands.add_parser("run", help="rerun a chapter with new parameters into a folder of its own")
    run.add_argument("chapter", metavar="CHAPTER")
    run.add_argument("-p", dest="settings", metavar="NAME=VALUE", action="append", default=[], help="wins over -f")
    run.add_argument("-f", dest="file", metavar="PARAMS.YML", type=Path, help="parameters in a YAML file")
    run.add_argument(
        "-o",
        dest="output",
        metavar="DIR",
        type=Path,
        help="default: runs/CHAPTER; an unchanged earlier run there is replaced",
    )
    again = commands.add_parser("reproduce", help="re-execute the committed chapters in place; say what moved")
    again.add_argument("chapters", metavar="CHAPTER", nargs="*")
    again.add_argument("--long", action="store_true", help="run the longer studies first (hours)")
    played = "judge each chapter on N other seeds first (N more runs of it)"
    again.add_argument("--seeds", metavar="N", type=int, default=0, help=played)
    again.add_argument("--check", action="store_true", help="write nothing, exit 1 if a number moved")
    for playing in (run, again):
        playing.add_argument("--scheduler", metavar="ADDRESS", default="", help="of the Dask cluster that plays")
    mine = commands.add_parser("compare", help="rank a policy of your own in the benchmark, and audit it")
    mine.add_argument(
        "policy", metavar="FILE.py:CLASS", help="made with those of epsilon, delta, sizes and horizon it names"
    )
    kinds = "arms, lists, sets, contexts, pairs or tails"
    mine.add_argument("--problem", metavar="KIND", required=True, help=kinds)
    mine.add_argument("--epsilon", metavar="E", type=float, default=1.0, help="of the benchmark's; default: 1")
    mine.add_argument("--quick", action="store_true", help="few instances and runs, and no ranks: a minute")
    mine.add_argument("--proved", metavar="THEOREM", default="", help="which has its constants; default: it is tuned")
    mine.add_argument(
        "-o", dest="output", metavar="DIR", type=Path, help="for rows, ranking and page; default: runs/compare-CLASS"
    )
    commands.add_parser("algorithms", help="list every algorithm: paper, variant, trust, promise, what it pays, file")
    told = commands.add_parser("report", help="print a replication report of a chapter, a page or two of Markdown")
    told.add_argument("chapter", metavar="CHAPTER")
    told.add_argument("-o", dest="output", metavar="DIR", type=Path, help="write DIR/report-CHAPTER.md instead")
    claims = commands.add_parser("claims", help="print the claims and their verdicts")
    claims.add_argument("chapters", metavar="CHAPTER", nargs="*")
    claims.add_argument("--verdict", choices=VERDICTS, default="")
    claims.add_argument("--evidence", choices=EVIDENCE, default="")
    claims.add_argument("--claim", metavar="ID", default="", help="one claim by its identifier")
    claims.add_argument("--format", dest="form", choices=("text", "csv", "json"), default="text")
    return parser


def _parameters(options: argparse.Namespace) -> dict[str, Any]:
    from private_bandits_book.jobs.parameter_file import read

    given = read(options.file) if options.file else {}
    for setting in options.settings:
        name, equals, text = setting.partition("=")
        if not equals or not name:
            raise UsageError(f"-p must be NAME=VALUE, got {checks.brief(setting)}")
        given[name.strip()] = literal(text)
    return given
