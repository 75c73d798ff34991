"""Python files as syntax trees: what a module assigns, imports and defines, each once or not at all."""

from __future__ import annotations

import ast
import functools
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from independence.config import user_files
from independence.errors import DocumentError

FIX: Final = "take a released version of the published repository"
_LARGEST: Final = 2_000_000  # characters of one file
_CHANGING: Final = {
    "append", "extend", "insert", "remove", "pop", "clear", "update", "setdefault", "sort", "reverse", "add", "discard",
}  # fmt: skip
_DECORATED: Final = ["dataclass"]
_IMPORTS: Final = ast.Import | ast.ImportFrom
_SCOPES: Final = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda
_COMPREHENSIONS: Final = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


class Imported(NamedTuple):
    """Where a name comes from."""

    module: str  # beside the file that imports it
    name: str


class SourceFile:
    """One file, parsed. Every method raises DocumentError for what is not there or not there once."""

    def __init__(self, path: Path, tree: ast.Module) -> None:
        self.path = str(path)
        self.module = path.stem
        self._package = path.parent.name
        self._tree = tree
        self._changed = dict(_changes(tree))

    @functools.cached_property
    def values(self) -> dict[str, list[ast.AST]]:
        """Name -> everything at the level of the module that binds it."""
        out: dict[str, list[ast.AST]] = {}
        for node in _outside_functions(self._tree):
            for name in _bound(node):
                out.setdefault(name, []).append(node)
        return out

    @functools.cached_property
    def imports(self) -> dict[str, Imported]:
        """Name -> the module beside this one that it is imported from, where nothing else binds it."""
        return {
            name: Imported((node.module or "").rpartition(".")[2], alias.name)
            for node in self._tree.body
            if isinstance(node, ast.ImportFrom) and _is_beside(node, self._package)
            for alias in node.names
            if len(self.values[name := alias.asname or alias.name]) == 1
        }

    def error(self, line: int, what: str) -> DocumentError:
        """A complaint about a line of this file."""
        return DocumentError(self.path, line, what, FIX)

    def has(self, name: str) -> bool:
        """Whether the module assigns or defines a name, or imports it from one beside."""
        own = [node for node in self.values.get(name, []) if not isinstance(node, _IMPORTS)]
        return bool(own) or name in self.imports

    def line(self, name: str) -> int:
        """The line where a name is first bound."""
        return getattr(self.values.get(name, [None])[0], "lineno", 1)

    def value(self, name: str) -> ast.expr:
        """The expression that a name is assigned, the only one that ever is."""
        found = self.values.get(name, [])
        if not found:
            raise self.error(1, f"the name `{name}` is missing")
        statements = [node for node in self._tree.body if _assigns(node, name)]
        if len(found) != 1 or len(statements) != 1:
            raise self.error(self.line(name), f"`{name}` is not assigned exactly once, and without a condition")
        value = getattr(statements[0], "value", None)
        if not isinstance(value, ast.expr):
            raise self.error(self.line(name), f"`{name}` is declared without a value")
        return value

    def check_unchanged(self, name: str) -> None:
        """Raise DocumentError where the value of a name is changed in this file."""
        if name in self._changed:
            raise self.error(self._changed[name], f"`{name}` is changed after it was assigned")

    def function(self, name: str) -> ast.FunctionDef:
        """A function of the module."""
        found = self.values.get(name, [])
        if len(found) != 1 or not isinstance(found[0], ast.FunctionDef):
            raise self.error(self.line(name), f"the function `{name}` is missing, or is defined more than once")
        return found[0]

    def data_class(self, name: str) -> list[str]:
        """Fields of a data class, in order; none where the name is no class that only holds fields."""
        found = self.values.get(name, [])
        node = found[0] if len(found) == 1 else None
        if (
            not isinstance(node, ast.ClassDef)
            or node.bases
            or list(map(ast.unparse, node.decorator_list)) != _DECORATED
        ):
            return []
        lines = [one for one in node.body if not _is_docstring(one)]
        fields = [one.target.id for one in lines if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)]
        return fields if len(fields) == len(lines) else []


class PythonSource:
    """The modules of one folder, parsed when they are first asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[str, SourceFile] = {}

    def path(self, module: str) -> Path:
        """Where a module lies."""
        return self._folder / f"{module}.py"

    def file(self, module: str) -> SourceFile:
        """A module. Raises UsageError where it cannot be read, DocumentError where it is no Python."""
        if module not in self._files:
            path = self.path(module)
            self._files[module] = SourceFile(path, _parsed(path))
        return self._files[module]


def functions_nodes(function: ast.FunctionDef | None) -> list[ast.AST]:
    """Every node of a function's body, those of functions inside it left out."""
    return [node for statement in function.body for node in _outside_functions(statement)] if function else []


def bound_names(function: ast.FunctionDef) -> set[str]:
    """Names that mean something of the function's own."""
    arguments = {node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)}
    return arguments | {name for node in functions_nodes(function) for name in _bound(node)}


def _parsed(path: Path) -> ast.Module:
    text = user_files.read_text(path)
    if len(text) > _LARGEST:
        raise DocumentError(str(path), 1, f"more than {_LARGEST:,} characters", FIX)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the source's style
            return ast.parse(text)
    except SyntaxError as error:
        raise DocumentError(str(path), error.lineno or 1, f"not valid Python: {error.msg}", FIX) from None
    except (ValueError, RecursionError, MemoryError):
        raise DocumentError(str(path), 1, "not valid Python, or nested too deep to be read", FIX) from None


def _outside_functions(top: ast.AST) -> Iterator[ast.AST]:
    """A node and all below it; what stands inside functions, classes and comprehensions is left out."""
    todo = [top]
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, _SCOPES | _COMPREHENSIONS):
            todo.extend(reversed(list(ast.iter_child_nodes(node))))


def _bound(node: ast.AST) -> list[str]:
    """The names that a node binds."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        return [node.id]
    if isinstance(node, _IMPORTS):
        return [alias.asname or alias.name.partition(".")[0] for alias in node.names]
    return [node.name] if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) else []


def _assigns(node: ast.stmt, name: str) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return any(isinstance(target, ast.Name) and target.id == name for target in targets)


def _is_beside(node: ast.ImportFrom, package: str) -> bool:
    return not node.level and (node.module or "").split(".")[:-1] == [package]


def _changes(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Names whose values are changed somewhere in a file, and the line."""
    for node in ast.walk(tree):
        changed: ast.AST | None = None
        if isinstance(node, ast.Global):
            yield from ((name, node.lineno) for name in node.names)
        elif isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load):
            changed = node
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CHANGING:
            changed = node.func
        while isinstance(changed, ast.Subscript | ast.Attribute):
            changed = changed.value
        if isinstance(changed, ast.Name):
            yield changed.id, changed.lineno


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
