"""YAML documents as typed values: every complaint names file, line and key."""

from __future__ import annotations

import difflib
import re
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import yaml

from independence.errors import DocumentError, UsageError

T = TypeVar("T")
Lines = dict[str, int]

_STEP = re.compile(r"\.([^.\[]+)|\[(\d+)\]")
_UNKNOWN = re.compile(r"unknown field `([^`]+)`")


class Document(msgspec.Struct, frozen=True):
    """A parsed YAML file: plain data plus the line of every key and item, by JSON path (`$.models[3].id`)."""

    path: str
    data: Any
    lines: Lines

    def line(self, where: str) -> int:
        """The line (1-based) of a JSON path, or of its nearest known ancestor."""
        while where and where not in self.lines:
            where = where[: max(where.rfind("."), where.rfind("["))]
        return self.lines.get(where, 1)

    def error(self, where: str, what: str) -> DocumentError:
        """A complaint about the value at a JSON path."""
        return DocumentError(self.path, self.line(where), what)


def read(path: Path) -> Document:
    """Read a YAML file. Raises DocumentError when it is malformed, UsageError when it cannot be read."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read ({error})") from error
    return parse(text, str(path))


def parse(text: str, path: str) -> Document:
    """Parse YAML text; `path` is only named in complaints."""
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        data = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise DocumentError(path, line, f"not valid YAML: {error.problem or error}") from error
    except (yaml.YAMLError, ValueError) as error:  # ValueError: a date or number that does not exist
        raise DocumentError(path, 1, f"not valid YAML: {error}") from error
    lines: Lines = {"$": 1}
    try:
        if node is not None:
            _walk(node, "$", lines, path)
    except RecursionError as error:
        raise DocumentError(path, 1, "an alias stands inside its own anchor, or the nesting is too deep") from error
    return Document(path, data, lines)


def _walk(node: yaml.Node, where: str, lines: Lines, path: str) -> None:
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            if str(key.value) in seen:
                raise DocumentError(path, key.start_mark.line + 1, f"key `{key.value}` appears twice")
            seen.add(str(key.value))
            child = f"{where}.{key.value}"
            lines[child] = key.start_mark.line + 1
            _walk(value, child, lines, path)
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            child = f"{where}[{index}]"
            lines[child] = value.start_mark.line + 1
            _walk(value, child, lines, path)


def convert(document: Document, shape: type[T]) -> T:
    """Fit a document to a msgspec type. Raises DocumentError with the line of the offending key."""
    try:
        return msgspec.convert(document.data, shape)
    except msgspec.ValidationError as error:
        raise _complaint(document, shape, str(error)) from error


def _complaint(document: Document, shape: type[Any], message: str) -> DocumentError:
    what, _, where = message.partition(" - at `")
    where = _locate(where.rstrip("`").replace("key in ", "") or "$", document.data, shape, message)
    unknown = _UNKNOWN.search(what)
    if unknown:
        key = unknown.group(1)
        near = difflib.get_close_matches(key, _all_keys(shape), n=1, cutoff=0.6)
        hint = f"; did you mean `{near[0]}`?" if near else ""
        return document.error(f"{where}.{key}", f"unknown key `{key}`{hint}")
    hint = "; write it in quotes" if what.startswith("Expected `str") else ""  # YAML reads off, no and 12 otherwise
    return document.error(where, f"{what[0].lower()}{what[1:]} (at `{where}`){hint}")


def _locate(where: str, data: Any, shape: type[Any], message: str) -> str:
    """msgspec writes `[...]` for a value inside a mapping: find the entry that brings the same complaint alone."""
    while "[...]" in where:
        head, _, tail = where.partition("[...]")
        entries = _follow(data, head)
        for key in entries if isinstance(entries, dict) else ():
            alone = _replaced(data, _steps(head), {key: entries[key]})
            if _complains(alone, shape, message):
                data, where = alone, f"{head}.{key}{tail}"
                break
        else:
            return head
    return where


def _complains(data: Any, shape: type[Any], message: str) -> bool:
    try:
        msgspec.convert(data, shape)
    except msgspec.ValidationError as error:
        return str(error) == message
    return False


def _steps(where: str) -> list[tuple[str, str]]:
    """Steps of a JSON path as (key, "") or ("", index)."""
    return _STEP.findall(where.removeprefix("$"))


def _follow(data: Any, where: str) -> Any:
    for name, index in _steps(where):
        if name:
            data = data.get(name) if isinstance(data, dict) else None
        else:
            data = data[int(index)] if isinstance(data, list) and int(index) < len(data) else None
    return data


def _replaced(data: Any, steps: list[tuple[str, str]], value: Any) -> Any:
    """A copy of the data with another value at a path that exists."""
    if not steps:
        return value
    (name, index), *rest = steps
    if name:
        return {**data, name: _replaced(data[name], rest, value)}
    return [*data[: int(index)], _replaced(data[int(index)], rest, value), *data[int(index) + 1 :]]


def _all_keys(shape: type[Any]) -> list[str]:
    """Every field name in a type's tree, for suggestions."""
    schemas = msgspec.json.schema_components([shape])[1]
    return sorted({key for schema in schemas.values() for key in schema.get("properties", {})})
