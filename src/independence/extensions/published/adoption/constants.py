"""Constant expressions of Python source, read from the syntax tree. Nothing of the source is executed.

Understood: literals, `+` between texts, implicit joining, f-strings over names, `.format` with names, a list that
filters another one by an attribute of its items, and calls of plain data classes, which become mappings. A name stands
for the one value that its module assigns to it, or that it imports from a module beside it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from string import Formatter
from typing import Final, NamedTuple, TypeAlias

from independence.errors import DocumentError
from independence.extensions.published.adoption.source import PythonSource, SourceFile, bound_names, functions_nodes

Constant: TypeAlias = "str | int | float | list[Constant] | dict[str, Constant] | None"

_LONGEST: Final = 200_000  # characters of one text
_UNKEPT: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")  # control characters, half signs
_KEEPS: Final[Mapping[type[ast.cmpop], Callable[[object, Sequence[object]], bool]]] = {
    ast.In: lambda value, known: value in known,
    ast.NotIn: lambda value, known: value not in known,
}


class Scope(NamedTuple):
    """Where an expression stands: its file, and the function around it, if any."""

    file: SourceFile
    function: ast.FunctionDef | None = None


class Constants:
    """Values of the constants of a source. Every method raises DocumentError for what is not understood."""

    def __init__(self, source: PythonSource) -> None:
        self._source = source
        self._known: dict[tuple[str, str], Constant] = {}
        self._open: list[tuple[str, str]] = []  # names that are being read now
        self._read: dict[type[ast.expr], Callable[[Scope, ast.expr], Constant]] = {
            ast.Constant: self._literal,
            ast.JoinedStr: self._joined,
            ast.BinOp: self._sum,
            ast.Name: self._named,
            ast.List: self._items,
            ast.Tuple: self._items,
            ast.Set: self._items,
            ast.Dict: self._mapping,
            ast.Call: self._call,
            ast.ListComp: self._filtered,
        }

    def named(self, module: str, name: str) -> Constant:
        """The value that a module assigns to a name, there or where it imports it from."""
        file = self._source.file(module)
        key = (file.path, name)
        if key in self._known:
            return self._known[key]
        if key in self._open:
            raise file.error(1, f"`{name}` is made from itself")
        self._open.append(key)
        try:
            self._known[key] = self._module_value(file, name)
        except RecursionError:
            raise file.error(1, f"the value of `{name}` is nested too deep to be read") from None
        finally:
            self._open.pop()
        return self._known[key]

    def assigned(self, module: str, function: str, variable: str) -> Constant:
        """The value that a function assigns to a variable; for a name with a final `+`, what it adds to it."""
        file = self._source.file(module)
        scope = Scope(file, file.function(function))
        name, kind = variable.removesuffix("+"), ast.AugAssign if variable.endswith("+") else ast.Assign
        found = [node.value for node in functions_nodes(scope.function) if isinstance(node, kind) and _sets(node, name)]
        if len(found) != 1:
            what = f"function `{function}` sets `{variable}` {len(found)} times, not once"
            raise file.error(file.line(function), what)
        return self._value(scope, found[0])

    def text_under(self, module: str, function: str, key: str, beside: Mapping[str, str]) -> str:
        """The one text that mappings written in a function have under `key`; `beside` is what they also have."""
        file = self._source.file(module)
        scope = Scope(file, file.function(function))
        found = {
            text
            for node in functions_nodes(scope.function)
            if isinstance(node, ast.Dict) and (text := self._under(scope, node, key, beside)) is not None
        }
        if len(found) != 1:
            what = f"function `{function}` has {len(found)} texts under `{key}`, not one"
            raise file.error(file.line(function), what)
        return found.pop()

    def _under(self, scope: Scope, node: ast.Dict, key: str, beside: Mapping[str, str]) -> str | None:
        written = dict(zip(map(_literal_text, node.keys), node.values, strict=True))
        value = written.get(key)
        others = {name: _literal_text(written.get(name)) for name in beside}
        if value is None or others != dict(beside) or written.keys() != {key, *beside}:
            return None
        if not isinstance(value, ast.Constant | ast.JoinedStr | ast.BinOp | ast.Name) or self._is_local(scope, value):
            return None
        text = self._value(scope, value)
        return text if isinstance(text, str) else None

    def _is_local(self, scope: Scope, value: ast.expr) -> bool:
        names = {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}
        return bool(scope.function and names & bound_names(scope.function))

    def _module_value(self, file: SourceFile, name: str) -> Constant:
        file.check_unchanged(name)
        if (imported := file.imports.get(name)) is not None:
            return self.named(imported.module, imported.name)
        return self._value(Scope(file), file.value(name))

    def _value(self, scope: Scope, node: ast.expr) -> Constant:
        read = self._read.get(type(node))
        if read is None:
            raise _refused(scope, node, "is no constant that can be read")
        return read(scope, node)

    def _text(self, scope: Scope, node: ast.expr) -> str:
        value = self._value(scope, node)
        if not isinstance(value, str):
            raise _refused(scope, node, "is no text")
        return value

    def _literal(self, scope: Scope, node: ast.expr) -> Constant:
        assert isinstance(node, ast.Constant)
        if not isinstance(node.value, str | int | float | None):
            raise _refused(scope, node, "is neither a text nor a number")
        if isinstance(node.value, str) and (odd := _UNKEPT.search(node.value)):
            what = f"a text holds U+{ord(odd[0]):04X}, which no file of a suite keeps as it is"
            raise scope.file.error(node.lineno, what)
        return node.value

    def _joined(self, scope: Scope, node: ast.expr) -> str:
        assert isinstance(node, ast.JoinedStr)
        return _bounded(scope, node, "".join(self._part(scope, part) for part in node.values))

    def _part(self, scope: Scope, node: ast.expr) -> str:
        if not isinstance(node, ast.FormattedValue):
            return self._text(scope, node)
        if not isinstance(node.value, ast.Name) or node.conversion != -1 or node.format_spec is not None:
            raise _refused(scope, node.value, "stands in an f-string and is no plain name")
        return self._text(scope, node.value)

    def _sum(self, scope: Scope, node: ast.expr) -> str:
        assert isinstance(node, ast.BinOp)
        if not isinstance(node.op, ast.Add):
            raise _refused(scope, node, "is no sum of texts")
        return _bounded(scope, node, self._text(scope, node.left) + self._text(scope, node.right))

    def _named(self, scope: Scope, node: ast.expr) -> Constant:
        assert isinstance(node, ast.Name)
        if not self._is_local(scope, node):
            if not scope.file.has(node.id):
                raise _refused(scope, node, "has no value here")
            return self.named(scope.file.module, node.id)
        raise _refused(scope, node, "is known only when the program runs")

    def _items(self, scope: Scope, node: ast.expr) -> list[Constant]:
        assert isinstance(node, ast.List | ast.Tuple | ast.Set)
        return [self._value(scope, item) for item in node.elts]

    def _mapping(self, scope: Scope, node: ast.expr) -> dict[str, Constant]:
        assert isinstance(node, ast.Dict)
        out: dict[str, Constant] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                raise _refused(scope, value, "is unpacked into a mapping")
            out[self._text(scope, key)] = self._value(scope, value)
        return out

    def _call(self, scope: Scope, node: ast.expr) -> Constant:
        assert isinstance(node, ast.Call)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "format":
            return self._format(scope, node, self._text(scope, node.func.value))
        if isinstance(node.func, ast.Name) and (fields := scope.file.data_class(node.func.id)):
            return self._record(scope, node, fields)
        raise _refused(scope, node, "calls what is no data class of this source")

    def _format(self, scope: Scope, node: ast.Call, template: str) -> str:
        given = self._keywords(scope, node)
        if node.args:
            raise _refused(scope, node, "formats a text by position")
        try:
            parts = list(Formatter().parse(template))
        except ValueError as error:
            raise _refused(scope, node, f"is no template ({error})") from None
        out = []
        for literal, field, spec, conversion in parts:
            out.append(literal)
            if field is None:
                continue
            value = given.get(field)
            if spec or conversion or not isinstance(value, str):
                raise _refused(scope, node, f"leaves `{{{field}}}` open, or formats more than a name")
            out.append(value)
        return _bounded(scope, node, "".join(out))

    def _keywords(self, scope: Scope, node: ast.Call) -> dict[str, Constant]:
        given: dict[str, Constant] = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                raise _refused(scope, keyword.value, "is unpacked into a call")
            given[keyword.arg] = self._value(scope, keyword.value)
        return given

    def _record(self, scope: Scope, node: ast.Call, fields: Sequence[str]) -> dict[str, Constant]:
        given = [self._value(scope, value) for value in node.args]
        record = dict(zip(fields, given, strict=False)) | self._keywords(scope, node)
        if record.keys() != set(fields) or len(given) + len(node.keywords) != len(fields):
            raise _refused(scope, node, f"does not fill the fields {', '.join(fields)}, each once")
        return record

    def _filtered(self, scope: Scope, node: ast.expr) -> list[Constant]:
        assert isinstance(node, ast.ListComp)
        loop, target = node.generators[0], node.generators[0].target
        plain = len(node.generators) == 1 and not loop.is_async and isinstance(target, ast.Name)
        if not plain or ast.dump(node.elt) != ast.dump(ast.Name(ast.unparse(target), ast.Load())):
            raise _refused(scope, node, "does more than filter a list")
        items = self._value(scope, loop.iter)
        if not isinstance(items, list):
            raise _refused(scope, loop.iter, "is no list")
        return [item for item in items if all(self._keeps(scope, test, ast.unparse(target), item) for test in loop.ifs)]

    def _keeps(self, scope: Scope, test: ast.expr, target: str, item: Constant) -> bool:
        """Whether an item passes a test of the form `target.attribute in {...}`."""
        if not isinstance(test, ast.Compare) or not isinstance(test.left, ast.Attribute) or len(test.ops) != 1:
            raise _refused(scope, test, "is no test of an attribute against a list")
        keeps, known = _KEEPS.get(type(test.ops[0])), self._value(scope, test.comparators[0])
        attribute = test.left.attr
        if ast.unparse(test.left.value) != target or keeps is None or not isinstance(known, list):
            raise _refused(scope, test, "is no test of an attribute against a list")
        if not isinstance(item, dict) or attribute not in item:
            raise _refused(scope, test, f"asks for `{attribute}`, which an item lacks")
        return keeps(item[attribute], known)


def _literal_text(node: ast.expr | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _sets(node: ast.Assign | ast.AugAssign, name: str) -> bool:
    if isinstance(node, ast.AugAssign) and not isinstance(node.op, ast.Add):
        return False
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [target.id for target in targets if isinstance(target, ast.Name)] == [name]


def _bounded(scope: Scope, node: ast.expr, text: str) -> str:
    if len(text) > _LONGEST:
        raise _refused(scope, node, f"makes a text of more than {_LONGEST:,} characters")
    return text


def _refused(scope: Scope, node: ast.expr, what: str) -> DocumentError:
    shown = ast.unparse(node)
    shown = shown if len(shown) <= 40 else f"{shown[:37]}..."
    return scope.file.error(node.lineno, f"`{shown}` {what}")
