"""Every public callable of the library says what it takes, returns and raises; every algorithm shows an example."""

from __future__ import annotations

import ast
import doctest
import enum
import importlib
import inspect
import pkgutil
import textwrap
from pathlib import Path

import pytest

import private_bandits
from private_bandits import baselines, mechanisms, papers, problems
from private_bandits.policy import Policy
from private_bandits.simulate import simulate

MODULES = [
    importlib.import_module(found.name)
    for found in pkgutil.walk_packages(private_bandits.__path__, "private_bandits.")
    if not any(part.startswith("_") for part in found.name.split("."))
]
ROOMS = [baselines] + [
    module for module in MODULES if module.__name__.startswith(f"{papers.__name__}.") and hasattr(module, "algorithms")
]


def plain(thing):
    """The Python function of a compiled or cached one."""
    return inspect.unwrap(getattr(thing, "py_func", thing))


def public():
    """Every public function, class and method of the library once, as (its name, the object)."""
    for module in MODULES:
        for name, thing in vars(module).items():
            home = getattr(plain(thing), "__module__", None)
            if name.startswith("_") or home != module.__name__ or not callable(thing):
                continue
            yield f"{home}.{name}", plain(thing)
            if inspect.isclass(thing):
                for method, member in vars(thing).items():
                    function = plain(getattr(member, "__func__", member))
                    inherited = any(method in vars(base) for base in thing.__mro__[1:])
                    if inspect.isfunction(function) and not method.startswith("_") and not inherited:
                        yield f"{home}.{name}.{method}", function


PUBLIC = dict(public())


def sections(thing):
    """The sections of a docstring, by title, as lists of lines."""
    lines, found, title = inspect.cleandoc(thing.__doc__ or "").split("\n"), {}, ""
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if below and set(below) == {"-"} and len(below) == len(line):
            title = line
        elif title and not set(line) == {"-"}:
            found.setdefault(title, []).append(line)
    return found


def documented(thing):
    """The names that the Parameters of a function, or the Attributes of a class, explain; grouped names count."""
    found = sections(thing)
    entries = [line for title in ("Parameters", "Attributes") for line in found.get(title, ()) if line[:1].strip()]
    return {name.strip(" *") for entry in entries for name in entry.split(" : ")[0].split(",")}


def arguments(thing):
    """The names of the arguments, but for those of a protocol or of a tuple, whose fields stand with their comments."""
    if inspect.isclass(thing) and (
        issubclass(thing, (tuple, enum.Enum, BaseException)) or getattr(thing, "_is_protocol", False)
    ):
        return set()
    names = [name for name in inspect.signature(thing).parameters if not name.startswith("_")]
    return set(names) - {"self", "cls"}


def body(thing):
    """The nodes of what a call runs: of a function, or of what a class runs when it is made."""
    if inspect.isclass(thing):
        makers = [] if getattr(thing, "_is_protocol", False) else map(vars(thing).get, ("__init__", "__post_init__"))
        return [node for maker in makers if inspect.isfunction(maker) for node in body(maker)]
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(thing))).body[0]
    except (OSError, TypeError):  # written by a decorator
        return []
    within = [part for part in ast.walk(tree) if isinstance(part, (ast.FunctionDef, ast.Lambda)) and part is not tree]
    inner = {id(node) for part in within for node in ast.walk(part)}
    return [node for node in ast.walk(tree) if id(node) not in inner]


def refuses(node):
    """Whether a node raises, or checks an argument."""
    if isinstance(node, ast.Raise):
        return "NotImplementedError" not in ast.unparse(node)
    return isinstance(node, ast.Call) and ast.unparse(node.func).startswith("checks.")


def returned(thing):
    """The name of the type that is said to be returned, "None" or "?"."""
    said = thing.__annotations__.get("return", "?")
    return said if isinstance(said, str) else getattr(said, "__name__", str(said))


def answers(thing):
    """Whether a function returns or yields something."""
    if inspect.isclass(thing):
        return False
    if returned(thing) != "?":
        return returned(thing) not in ("None", "NoReturn", "Never")
    return any(isinstance(node, ast.Return) and node.value is not None for node in body(thing))


def of_protocol(thing):
    """Whether a function is one of those that every kernel holds; `kernels` says once what they take and return."""
    held = ("advance", "blank", "check", "start")
    return thing.__module__.startswith("private_bandits.kernels.") and thing.__name__ in held


def nobody(rule):
    """Assert that a rule finds no fault."""
    faults = [f"{name}: {fault}" for name, thing in PUBLIC.items() if (fault := rule(name, thing))]
    assert not faults, "\n".join(faults)


def test_the_library_is_found():
    assert len(PUBLIC) > 300
    assert PUBLIC["private_bandits.simulate.simulate"] is simulate
    assert "private_bandits.problems.semibandits.SemiBandit.top_k" in PUBLIC
    assert "private_bandits.mechanisms.noise.laplace" in PUBLIC


def test_everything_public_has_a_docstring():
    nobody(lambda name, thing: not (thing.__doc__ or "").strip() and "no docstring")


def test_every_argument_is_documented():
    def missing(name, thing):
        return not of_protocol(thing) and ", ".join(sorted(arguments(thing) - documented(thing)))

    nobody(missing)


def test_no_docstring_explains_an_argument_that_is_gone():
    def extra(name, thing):
        told = {line.split(" : ")[0] for line in sections(thing).get("Parameters", ()) if line[:1].strip()}
        names = {one.strip(" *") for entry in told for one in entry.split(",")}
        return ", ".join(sorted(names - arguments(thing))) if not inspect.isclass(thing) else ""

    nobody(extra)


def test_what_is_returned_is_documented():
    def missing(name, thing):
        said = {"Returns", "Yields"} & set(sections(thing))
        return answers(thing) and not said and not of_protocol(thing) and "Returns"

    nobody(missing)


def test_what_is_raised_is_documented():
    def missing(name, thing):
        said = "Raises" in sections(thing) or of_protocol(thing)
        return any(map(refuses, body(thing))) and not said and "Raises"

    nobody(missing)


def constructors():
    """What must show an example: algorithms, mechanisms, problems and `simulate`."""
    for name, thing in PUBLIC.items():
        last, kinds = name.rpartition(".")[2], (*problems.__all__, "ListProblem")
        made = returned(thing).split("[")[0]
        if ".problems." in name and made in kinds and last != "record":
            yield name
        if ".papers." in name and made in kinds and name.split(".")[-2] in ("instances", "graphs"):
            yield name
        if ".mechanisms." in name and last in mechanisms.__all__:
            yield name
        if made in ("Policy", "Reduction", "Identification"):
            yield name
    yield from (f"private_bandits.problems.lists.{kind}" for kind in ("Cascade", "Arms"))
    yield "private_bandits.simulate.simulate"


def test_algorithms_mechanisms_problems_and_simulate_show_an_example():
    found = sorted(set(constructors()))
    assert len(found) > 50
    assert not [name for name in found if "Examples" not in sections(PUBLIC[name])]


SHOWING = [module for module in MODULES if ">>>" in Path(module.__file__).read_text(encoding="utf-8")]


@pytest.mark.parametrize("module", SHOWING, ids=lambda module: module.__name__)
def test_examples_run(module):
    runner, said = doctest.DocTestRunner(verbose=False), []
    for example in doctest.DocTestFinder().find(module):
        runner.run(example, out=said.append)
    assert runner.tries
    assert not runner.failures, "".join(said)


def test_every_algorithm_is_listed_under_the_module_that_makes_it(monkeypatch):
    """The module that a room names is among the callers that make the policy; all that have a reference are named."""
    made = []
    original = Policy.__init__

    def record(self, *args, **kwargs):
        original(self, *args, **kwargs)
        made.append((self, {frame.frame.f_globals["__name__"] for frame in inspect.stack(0)}))

    monkeypatch.setattr(Policy, "__init__", record)
    for room in ROOMS:
        made.clear()
        listed = room.algorithms()
        makers = {id(policy): callers for policy, callers in made}
        for name, policy in listed:
            assert f"{room.__name__}.{name}" in makers[id(policy)], (room.__name__, name)
        modules = {found.name: getattr(room, found.name) for found in pkgutil.iter_modules(room.__path__)}
        assert all(map(inspect.ismodule, modules.values()))  # none is hidden by a function of its name
        boxes = {name: file.reference for name, file in modules.items() if hasattr(file, "reference")}
        # what has no round of its own is held against users one by one in test_stretches, replay against its learner
        boxes |= {name: print for name in ("chen_weighted_regression", "trust_models", "replayed") if name in modules}
        # a learner that an algorithm is played around answers to it, and is no policy
        assert {name for name, _ in listed} == {n for n, box in boxes.items() if not inspect.isgeneratorfunction(box)}
        facts = [(p.name, p.paper, p.algorithm, p.version, p.noise, p.method) for _, p in listed]
        assert len(set(facts)) == len(facts)
