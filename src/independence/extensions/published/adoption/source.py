"""Constants of a user's own copy of the published program, read from its syntax trees.

Understood are literals and joins of texts: `+`, adjacent texts, f-strings over names, lists, mappings, and calls of a
class that only declares fields, which become mappings. A name stands for what its module assigns to it once, or
imports from a module beside it. Nothing of the program is executed, unless `run` allows it for what is more than that:
then the expression is evaluated in a process of its own.
"""

from __future__ import annotations

import ast
import functools
import json
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Final, TypeAlias

from independence.config import user_files
from independence.errors import DocumentError
from independence.suites.template import slots

Constant: TypeAlias = "str | int | float | list[Constant] | dict[str, Constant] | None"
FIX: Final = "take a released version of the published repository"
_RUN: Final = f"{FIX}, or let --run-source evaluate it, which runs the source in a process of its own"
_LARGEST: Final = 2_000_000  # characters of one file
_LONGEST: Final = 200_000  # characters of one text
_PATIENCE_S: Final = 60
_UNKEPT: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")  # control characters, half signs
# What an expression needs of the environment; keys stay here.
_ENVIRONMENT: Final = ("PATH", "HOME", "LANG", "SYSTEMROOT", "TEMP", "TMPDIR")
_EVALUATE: Final = """
import importlib, json, sys
folder, module, expression = sys.argv[1:]
sys.path.insert(0, folder)
printed, sys.stdout = sys.stdout, sys.stderr
value = eval(expression, vars(importlib.import_module(module)))
json.dump(value, printed, default=lambda one: vars(one) if hasattr(one, "__dict__") else sorted(one))
"""


class Source:
    """The modules of the folder `src` of a clone. Every method raises DocumentError for what is not understood.

    A reference is `MODULE:NAME` for a constant, `MODULE:FUNCTION/VARIABLE` for what a function assigns to a variable,
    with a final `+` for what it adds to it.
    """

    def __init__(self, clone: Path, run: bool = False) -> None:
        self._clone, self._run = clone, run
        self._known: dict[tuple[str, str], Constant] = {}

    def path(self, module: str) -> Path:
        """Where a module lies."""
        return self._clone / "src" / f"{module}.py"

    def has(self, module: str, name: str) -> bool:
        """Whether a module binds a name at its top level."""
        return any(True for _ in self._binding(module, name))

    def value(self, reference: str) -> Constant:
        """What a reference names."""
        module, _, name = reference.partition(":")
        function, _, variable = name.partition("/")
        if not variable:
            return self._named(module, name)
        kind = ast.AugAssign if variable.endswith("+") else ast.Assign
        found = [
            node.value
            for node in ast.walk(self._function(module, function))
            if isinstance(node, kind) and _targets(node) == [variable.removesuffix("+")]
        ]
        if len(found) != 1:
            raise self.error(reference, f"function `{function}` sets `{variable}` {len(found)} times, not once")
        return self._value(module, found[0])

    def scripted(self, function: str, key: str, beside: dict[str, str]) -> str:
        """The one text that a function of the prompt builder writes in a mapping of `key` and what is `beside` it."""
        found = set()
        for node in ast.walk(self._function("prompt_builder", function)):
            if isinstance(node, ast.Dict):
                pairs = zip(map(_literal_text, node.keys), map(_literal_text, node.values), strict=True)
                written = {name: text for name, text in pairs if name is not None}
                if (text := written.get(key)) is not None and written == {key: text, **beside}:
                    found.add(text)
        if len(found) != 1:
            what = f"function `{function}` has {len(found)} texts under `{key}`, not one"
            raise self.error(f"prompt_builder:{function}", what)
        return self.trimmed(f"prompt_builder:{function}", found.pop())

    def records(self, reference: str) -> list[dict[str, Constant]]:
        """The records of a list that has nothing else."""
        found = self.value(reference)
        records = [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []
        if not records or not isinstance(found, list) or len(records) != len(found):
            raise self.error(reference, "is no list of records")
        return records

    def text(self, reference: str) -> str:
        """The text that a reference names."""
        value = self.value(reference)
        if not isinstance(value, str):
            raise self.error(reference, "is no text")
        return value

    def number(self, reference: str) -> float:
        """The number that a reference names."""
        value = self.value(reference)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.error(reference, "is no number")
        return value

    def trimmed(self, reference: str, text: str) -> str:
        """A text that neither begins nor ends blank, and that our own templates would not fill."""
        if not text or text != text.strip():
            raise self.error(reference, "a text is empty, or begins or ends blank")
        if filled := slots(text):
            raise self.error(reference, f"a text holds `{{{{{filled[0]}}}}}`, which would be filled")
        return text

    def error(self, reference: str, what: str, fix: str = FIX) -> DocumentError:
        """The error for what is wrong with a reference, with its file and line."""
        module, _, name = reference.partition(":")
        owner = name.partition("/")[0]
        line = next((node.lineno for node in self._binding(module, owner)), 1)
        told = what if "`" in what or owner in what else f"`{owner}`: {what}"
        return DocumentError(str(self.path(module)), line, told, fix)

    @functools.cache  # noqa: B019 - a source lives as long as the command
    def _tree(self, module: str) -> ast.Module:
        path = self.path(module)
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

    def _binding(self, module: str, name: str) -> Iterator[ast.stmt]:
        """The statements at the top level of a module that bind a name; imports of other packages do not count."""
        for node in self._tree(module).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
                yield node
            elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("src."):
                yield from [node] * any(name == (alias.asname or alias.name) for alias in node.names)
            elif name in _targets(node):
                yield node

    def _function(self, module: str, name: str) -> ast.FunctionDef:
        found = list(self._binding(module, name))
        if len(found) != 1 or not isinstance(found[0], ast.FunctionDef):
            what = f"the function `{name}` is missing, or is defined more than once"
            raise self.error(f"{module}:{name}", what)
        return found[0]

    def _named(self, module: str, name: str) -> Constant:
        """The value that a module assigns to a name, there or where it imports it from."""
        if (module, name) in self._known:
            return self._known[module, name]
        match list(self._binding(module, name)):
            case [ast.ImportFrom() as node]:
                (own,) = (alias.name for alias in node.names if name == (alias.asname or alias.name))
                found = self._named((node.module or "").removeprefix("src."), own)
            case [ast.Assign(value=ast.expr() as value) | ast.AnnAssign(value=ast.expr() as value)]:
                try:
                    found = self._value(module, value)
                except RecursionError:
                    what = f"`{name}` is made from itself, or nested too deep to be read"
                    raise self.error(f"{module}:{name}", what) from None
            case []:
                raise self.error(f"{module}:{name}", f"the name `{name}` is missing")
            case _:
                what = f"`{name}` is not assigned exactly once, and without a condition"
                raise self.error(f"{module}:{name}", what)
        self._known[module, name] = found
        return found

    def _value(self, module: str, node: ast.expr) -> Constant:
        match node:
            case ast.Constant(value=str() | int() | float() | None as value):
                return self._kept(module, node, value)
            case ast.List(elts=items) | ast.Tuple(elts=items):
                return [self._value(module, item) for item in items]
            case ast.Dict(keys=keys, values=values) if None not in keys:
                names = [self._text(module, key) for key in keys if key is not None]
                return {name: self._value(module, value) for name, value in zip(names, values, strict=True)}
            case ast.Name(id=name) if self.has(module, name):
                return self._named(module, name)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self._joined(module, node, [left, right])
            case ast.JoinedStr(values=parts) if all(map(_is_plain, parts)):
                own = [part.value if isinstance(part, ast.FormattedValue) else part for part in parts]
                return self._joined(module, node, own)
            case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords) if fields := self._fields(module, name):
                given = dict(zip(fields, args, strict=False)) | {str(own.arg): own.value for own in keywords}
                if given.keys() == set(fields) and len(args) + len(keywords) == len(fields):
                    return {field: self._value(module, value) for field, value in given.items()}
        return self._evaluated(module, node)

    def _joined(self, module: str, node: ast.expr, parts: list[ast.expr]) -> str:
        text = "".join(self._text(module, part) for part in parts)
        if len(text) > _LONGEST:
            raise self._refused(module, node, f"makes a text of more than {_LONGEST:,} characters")
        return text

    def _text(self, module: str, node: ast.expr) -> str:
        value = self._value(module, node)
        if not isinstance(value, str):
            raise self._refused(module, node, "is no text")
        return value

    def _fields(self, module: str, name: str) -> list[str]:
        """Fields of a class that only declares some, in order."""
        found = list(self._binding(module, name))
        body = found[0].body if len(found) == 1 and isinstance(found[0], ast.ClassDef) else []
        fields = [one.target.id for one in body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)]
        docstrings = sum(isinstance(one, ast.Expr) for one in body)
        return fields if len(fields) + docstrings == len(body) else []

    def _evaluated(self, module: str, node: ast.expr) -> Constant:
        """An expression that is more than literals, by Python itself where that is allowed."""
        if not self._run:
            raise self._refused(module, node, "is neither a literal nor joined texts", _RUN)
        arguments = (str(self._clone.resolve()), f"src.{module}", ast.unparse(node))
        try:
            done = subprocess.run(  # noqa: S603 - the user's own clone, as --run-source says
                [sys.executable, "-B", "-c", _EVALUATE, *arguments], capture_output=True, text=True, check=False,
                timeout=_PATIENCE_S, env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise self._refused(module, node, f"did not end in {_PATIENCE_S} s when it was run") from None
        if done.returncode:
            why = (done.stderr.strip().splitlines() or ["it ended without a word"])[-1]
            raise self._refused(module, node, f"failed when it was run ({why})")
        return self._kept(module, node, json.loads(done.stdout))

    def _kept(self, module: str, node: ast.expr, value: Constant) -> Constant:
        """Check that a file of a suite keeps the texts of a value as they are, and return it."""
        inner = value if isinstance(value, list) else list(value.values()) if isinstance(value, dict) else []
        for one in inner:
            self._kept(module, node, one)
        if isinstance(value, str) and (odd := _UNKEPT.search(value)):
            what = f"a text holds U+{ord(odd[0]):04X}, which no file of a suite keeps as it is"
            raise DocumentError(str(self.path(module)), node.lineno, what, FIX)
        return value

    def _refused(self, module: str, node: ast.expr, what: str, fix: str = FIX) -> DocumentError:
        shown = ast.unparse(node)
        shown = shown if len(shown) <= 40 else f"{shown[:37]}..."
        return DocumentError(str(self.path(module)), node.lineno, f"`{shown}` {what}", fix)


def _is_plain(part: ast.expr) -> bool:
    """Whether a part of an f-string is a text, or a value that nothing formats."""
    return not isinstance(part, ast.FormattedValue) or (part.conversion == -1 and part.format_spec is None)


def _targets(node: ast.stmt) -> list[str]:
    """The names that an assignment assigns to."""
    if isinstance(node, ast.Assign):
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    if isinstance(node, ast.AnnAssign | ast.AugAssign) and isinstance(node.target, ast.Name):
        return [node.target.id]
    return []


def _literal_text(node: ast.expr | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None
