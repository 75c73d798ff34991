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


@cache
def faces() -> dict[str, set[str]]:
    """Package -> the modules and packages of it that the stub beside its `__init__` names for others."""
    found = {}
    for stub in SOURCE.glob("*/**/__init__.pyi"):
        named = [node for node in ast.parse(stub.read_text(encoding="utf-8")).body if isinstance(node, ast.ImportFrom)]
        found[_named(stub)] = {alias.name for node in named for alias in node.names}
    return found


def _packages_bound(name: str) -> dict[str, str]:
    """Names by which a module knows packages with a face: `from independence import store`, whatever it is called."""
    bound = {}
    for statement in _nodes()[name]:
        if isinstance(statement, ast.ImportFrom):
            (base,) = {target.rpartition(".")[0] or target for target in _targets(statement, name)} or {""}
            bound |= {alias.asname or alias.name: f"{base}.{alias.name}" for alias in statement.names}
    return {own: package for own, package in bound.items() if package in faces()}


def _attributes(name: str) -> set[str]:
    """What a module reaches as an attribute of a package, loaded when it is used: `store.records`."""
    bound = _packages_bound(name)
    reached = (
        ast.unparse(node).partition(".") for node in ast.walk(modules()[name]) if isinstance(node, ast.Attribute)
    )
    return {f"{bound[head]}.{rest}" for head, _, rest in reached if head in bound}


def imported_whole_without_a_loader() -> set[str]:
    """Packages that some module knows by their own name, though they load nothing as an attribute."""
    bound = {package for name in modules() for package in _packages_bound(name).values()}
    return {package for package in bound if "__getattr__" not in ast.unparse(modules()[package])}


def _parts(targets: set[str]) -> Iterator[tuple[str, str, str]]:
    """(target, package, part): what is reached in packages with a face, and the part of the package that it is in."""
    for target in sorted(targets):
        for package in faces():
            if target.startswith(f"{package}."):
                yield target, package, target.removeprefix(f"{package}.").split(".")[0]


def _entries() -> Iterator[tuple[str, str, str, str]]:
    """(module, target, package, part): a module outside a package with a face reaches what is in that part of it."""
    for module, targets in imports(late=True).items():
        for target, package, part in _parts(targets | _attributes(module)):
            if not f"{module}.".startswith(f"{package}."):
                yield module, target, package, part


def entered_beside_the_face() -> list[str]:
    """What is reached in another room past its face."""
    return [f"{module}: {target}" for module, target, package, part in _entries() if part not in faces()[package]]


def offered_to_nobody() -> list[str]:
    """What a face names, but nobody outside its package uses and nobody inside loads when it is first used."""
    late = {(package, part) for name in modules() for _, package, part in _parts(_attributes(name))}
    used = late | {(package, part) for _, _, package, part in _entries()}
    offered = {(package, name) for package, names in faces().items() for name in names}
    return sorted(".".join(one) for one in offered - used)
