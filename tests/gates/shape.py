"""Figures of the source: who imports whom, what classes are called, how they are built."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "independence"
MOST_POSITIONAL = 5

Graph = Mapping[str, set[str]]


def _named(path: Path) -> str:
    return ".".join((SOURCE.name, *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__")


@cache
def modules() -> dict[str, ast.Module]:
    """Every module of the package, parsed, by its dotted name."""
    return {_named(path): ast.parse(path.read_text(encoding="utf-8")) for path in sorted(SOURCE.rglob("*.py"))}


@cache
def _nodes() -> dict[str, list[ast.Import | ast.ImportFrom | ast.ClassDef | ast.Call]]:
    """Imports, classes and calls anywhere in each module."""
    kinds = (ast.Import, ast.ImportFrom, ast.ClassDef, ast.Call)
    return {name: [node for node in ast.walk(tree) if isinstance(node, kinds)] for name, tree in modules().items()}


@cache
def _is_package(module: str) -> bool:
    return (SOURCE.parent.joinpath(*module.split(".")) / "__init__.py").exists()


def _targets(statement: ast.AST, module: str) -> Iterator[str]:
    """Modules of ours that an import statement names."""
    if isinstance(statement, ast.Import):
        yield from (alias.name for alias in statement.names)
    elif isinstance(statement, ast.ImportFrom):
        parts = module.split(".")
        above = parts[: len(parts) - statement.level + _is_package(module)] if statement.level else []
        base = ".".join([*above, *([statement.module] if statement.module else [])])
        for alias in statement.names:
            whole = f"{base}.{alias.name}"
            yield whole if whole in modules() else base


@cache
def imports(*, late: bool) -> dict[str, set[str]]:
    """Module -> modules of ours it imports: at the top of the file, and with `late` anywhere, also for types alone."""
    return {
        name: {
            target
            for statement in (_nodes()[name] if late else tree.body)
            for target in _targets(statement, name)
            if target in modules() and target != name
        }
        for name, tree in modules().items()
    }


def _first_cycle(graph: Graph) -> list[str]:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as found:
        return list(found.args[1][1:])
    return []


def _reached(graph: Graph, start: str) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        new = graph[waiting.pop()] - found
        found |= new
        waiting += new
    return found


def cycles(graph: Graph) -> list[list[str]]:
    """Groups of modules that import one another, directly or by way of others, sorted."""
    left, found = {name: set(targets) for name, targets in graph.items()}, []
    while cycle := _first_cycle(left):
        start = cycle[0]
        group = {name for name in _reached(left, start) if start in _reached(left, name)}
        found.append(sorted(group))
        left = {name: targets - group for name, targets in left.items() if name not in group}
    return sorted(found)


def late_imports() -> int:
    """How many modules of ours are imported elsewhere than at the top of a file, once for each file."""
    top, anywhere = imports(late=False), imports(late=True)
    return sum(len(anywhere[name] - top[name]) for name in anywhere)


def _classes() -> Counter[str]:
    nodes = (node for held in _nodes().values() for node in held)
    return Counter(node.name.lstrip("_") for node in nodes if isinstance(node, ast.ClassDef))


def reused_names() -> dict[str, int]:
    """Names of more than one class, underscores stripped, with how many there are."""
    return {name: count for name, count in sorted(_classes().items()) if count > 1}


def _called(call: ast.Call) -> str:
    function = call.func
    name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
    return str(name).lstrip("_")


def long_rows() -> list[str]:
    """Constructor calls of our own classes with more than five positional arguments, or with a star."""
    classes = _classes()
    return [
        f"{name}:{call.lineno} {_called(call)}"
        for name, held in _nodes().items()
        for call in held
        if isinstance(call, ast.Call) and _called(call) in classes and _is_long(call)
    ]


def _is_long(call: ast.Call) -> bool:
    return len(call.args) > MOST_POSITIONAL or any(isinstance(argument, ast.Starred) for argument in call.args)


def faces() -> dict[str, set[str]]:
    """Room -> the modules and packages of it that the stub beside its `__init__` names for others."""
    found = {}
    for stub in SOURCE.glob("*/__init__.pyi"):
        named = [node for node in ast.parse(stub.read_text(encoding="utf-8")).body if isinstance(node, ast.ImportFrom)]
        found[stub.parent.name] = {alias.name for node in named for alias in node.names}
    return found


def entered_beside_the_face() -> list[str]:
    """Imports that reach into another room past its face."""
    offered = faces()
    reached = [(module, target) for module, targets in imports(late=True).items() for target in targets]
    rooms = [(module, target, target.split(".")) for module, target in reached if target.count(".") > 1]
    return [
        f"{module} imports {target}"
        for module, target, parts in rooms
        if parts[1] in offered and parts[1] != module.split(".")[1] and parts[2] not in offered[parts[1]]
    ]
