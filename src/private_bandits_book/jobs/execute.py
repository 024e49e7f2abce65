"""Execute a chapter with papermill, in the environment of the running interpreter."""

import asyncio
import builtins
import json
import logging
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
import papermill
from ipykernel.kernelspec import get_kernel_dict
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning.local_provisioner import LocalProvisioner
from nbformat import NotebookNode
from papermill.exceptions import PapermillExecutionError

from private_bandits_book.jobs.atomic import scratch
from private_bandits_book.jobs.cluster import OUTPUT_VARIABLE, STRICT_VARIABLE
from private_bandits_book.jobs.environment import neutral
from private_bandits_book.jobs.progress import progress

# What they say is raised, too: asyncio tells of a task that a signal ended.
logging.getLogger("papermill").disabled = True
logging.getLogger("asyncio").addFilter(lambda said: not said.exc_info or said.exc_info[0] is not KeyboardInterrupt)

_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}

# What numba says where it can keep no binary, and Python where a process has its most threads: no fault of the cell.
_LACKS = re.compile("cannot cache function|can't start new thread")


class ChapterFailed(RuntimeError):
    """A chapter that could not be executed or built; the message holds the failing cell's error."""


class Execution(NamedTuple):
    """An executed notebook in canonical form, and the seconds that each of its cells took."""

    notebook: NotebookNode
    seconds: list[float]


def execute(path: Path, parameters: dict[str, Any], *, output: Path | None = None, strict: bool = False) -> Execution:
    """Execute a chapter and return it in canonical form.

    Parameters
    ----------
    path : Path
        The notebook; it runs in its own folder.
    parameters : dict
        Overrides; an empty dict runs the notebook as it stands.
    output : Path, optional
        Folder for the chapter's CSV and SVG files. Default: none are written.
    strict : bool
        Whether it is made to be committed: what a reader's notebook passes over fails, as a claim that no cell judges
        on runs that are shown, or that two cells judge, or labels that touch.

    Raises
    ------
    ChapterFailed
        If a cell raises, writes to stderr (warnings do), or ends its kernel.
    """
    try:
        with progress(path.stem) as places, _kernels(output, strict) as kernels:
            notebook = papermill.execute_notebook(
                _read(path), None, parameters=parameters, cwd=path.parent, coalesce_streams=True,
                kernel_name="python3", kernel_manager_class=kernels, progress_bar=sys.stderr.isatty(),
                on_cell_start=lambda cell, cell_index: places.append(
                    f"{path.stem}, cell `{cell.source.partition(chr(10))[0]:.60}`"
                ),
            )  # fmt: skip
    except PapermillExecutionError as error:
        kind = vars(builtins).get(error.ename, Exception)
        lacks = issubclass(kind, OSError) or error.ename.endswith("MemoryError") or _LACKS.match(error.evalue)
        said = f"{error.ename}: {error.evalue}".strip().partition("\n")[0] if lacks else str(error).strip()
        raise ChapterFailed(f"{path.stem}: {said}") from None
    except RuntimeError as error:  # its kernel does not start, or dies
        raise ChapterFailed(f"{path.stem}: {error}") from None
    for cell in notebook.cells:
        for result in cell.get("outputs", []):
            if result.get("name") == "stderr":
                number = cell.execution_count
                raise ChapterFailed(f"{path.stem}: cell [{number}] wrote to stderr:\n{result.text}")
    if strict and (twice := judged_twice(notebook)):
        raise ChapterFailed(f"{path.stem}: claim must be judged in one cell, got {twice[0]} in two")
    seconds = [float(cell.metadata.papermill.duration or 0) for cell in notebook.cells]
    return Execution(canonical(notebook), seconds)


def judged_twice(notebook: NotebookNode) -> list[str]:
    """Return the claims whose verdict more than one cell shows."""
    cells = [{one for output in cell.get("outputs", []) for one in _judged(output)} for cell in notebook.cells]
    return [claim for claim, often in Counter(chain(*cells)).items() if often > 1]


def _judged(output: NotebookNode) -> list[str]:
    return re.findall(r'<details id="\w+-claim-([^"]+)"', "".join(output.get("data", {}).get("text/html", "")))


def _read(path: Path) -> NotebookNode:
    """Return a notebook that may come from no Jupyter: neither ids of its cells nor its language need be said."""
    notebook = json.loads(path.read_text(encoding="utf-8")) | {"metadata": _METADATA, "nbformat_minor": 5}
    for place, cell in enumerate(notebook["cells"]):
        cell["id"] = f"c{place:03d}"
    return nbformat.reads(json.dumps(notebook), as_version=4)


def canonical(notebook: NotebookNode) -> NotebookNode:
    """Return a notebook whose file depends on its code and results only: no times, fixed cell ids."""
    notebook.metadata = nbformat.from_dict(_METADATA)
    notebook.nbformat_minor = 5
    for place, cell in enumerate(notebook.cells):
        cell["id"] = f"c{place:03d}"
        cell.metadata.pop("papermill", None)
        cell.metadata.pop("execution", None)
        if not cell.metadata.get("tags", True):
            cell.metadata.pop("tags")
    nbformat.validate(notebook)
    return notebook


def notebook_text(notebook: NotebookNode) -> str:
    """Return the text of a notebook file."""
    return nbformat.writes(notebook, indent=1) + "\n"


_LAUNCH = (
    "import os, sys",
    "del sys.path[: sys.path[0] in ('', os.getcwd())]",  # an empty entry of PYTHONPATH is the current folder
    "from IPython.core import application",
    "del application.SYSTEM_CONFIG_DIRS[:], application.ENV_CONFIG_DIRS[:]",  # /etc/ipython has startup files, too
    "from ipykernel.kernelapp import launch_new_instance",
    "launch_new_instance()",
)


@contextmanager
def _kernels(output: Path | None, strict: bool) -> Iterator[type[AsyncKernelManager]]:
    """Yield the class of kernels of this very interpreter, whatever is registered; none outlives the block.

    They import nothing from the current folder, run nothing of a profile or of the machine, and leave no file.
    """
    # A kernel says on the terminal that it talks over TCP and that it was told to stop: no news to a reader.
    quiet = ["--IPKernelApp.log_level=CRITICAL", "--InteractiveShellApp.ignore_cwd=True"]
    # Most of what a kernel ever holds are its libraries: looking for garbage among them is a tenth of a small run.
    # A cache that Matplotlib cannot write, or fills for the first time, costs time, and no run; so does a machine
    # without semaphores, on which joblib plays in one process.
    lines = [
        "__import__('gc').set_threshold(10_000, 20, 50)",
        "__import__('logging').getLogger('matplotlib').disabled = True",
        "__import__('logging').getLogger('matplotlib.font_manager').addFilter(lambda said: 'cache' not in said.msg)",
        "__import__('warnings').filterwarnings('ignore', '.*joblib will operate in serial mode')",
    ]
    first = [f"--InteractiveShellApp.exec_lines={line}" for line in lines]
    kernel, started = get_kernel_dict(extra_arguments=[*quiet, *first]), []
    at = kernel["argv"].index("-m")  # IPython's launcher, which is passed by
    kernel["argv"][at : at + 2] = ["-P", "-c", "; ".join(_LAUNCH)]

    with scratch() as folder:
        # Two threads in a product of small matrices wait for each other, and their number may change the rounding.
        given = {OUTPUT_VARIABLE: "" if output is None else str(output.resolve()), "IPYTHONDIR": str(folder)}
        given[STRICT_VARIABLE] = "1" if strict else ""
        given |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        if not os.access(os.path.expanduser("~"), os.W_OK):  # or Matplotlib complains
            given["MPLCONFIGDIR"] = str(folder)
        spec = KernelSpec(**kernel)

        class Here(KernelSpecManager):
            def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
                return spec

        class Manager(AsyncKernelManager):
            def __init__(self, **options: Any) -> None:
                super().__init__(kernel_spec_manager=Here(), connection_file=str(folder / "kernel.json"), **options)
                started.append(self)

            async def start_kernel(self, **options: Any) -> None:  # type: ignore[override]
                with (folder / "last").open("wb") as said:
                    await super().start_kernel(**options | {"stderr": said, "env": neutral(**given)})

            async def shutdown_kernel(self, now: bool = False, restart: bool = False) -> None:  # type: ignore[override]
                # An interrupted cell still waits in the loop, and would report the death of this kernel.
                waiting = asyncio.all_tasks() - {asyncio.current_task()}
                for task in waiting:
                    task.cancel()
                await asyncio.gather(*waiting, return_exceptions=True)
                await super().shutdown_kernel(now=now, restart=restart)

        try:
            yield Manager
        except RuntimeError as error:
            *_, why = "", *(folder / "last").read_text(encoding="utf-8", errors="replace").split("\n")[-2:-1]
            raise RuntimeError(f"{error}: {why}" if why else str(error)) from None
        finally:
            for one in started:  # interrupted before it was ready
                if isinstance(one.provisioner, LocalProvisioner) and one.provisioner.process is not None:
                    one.provisioner.process.kill()
                    one.provisioner.process.wait()
