"""YAML and JSON documents as typed values: every complaint names file, line and key."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Any, Final, TypeVar

import msgspec
import yaml

from independence.config import user_files
from independence.errors import DocumentError, nearest

T = TypeVar("T")
Lines = dict[str, int]

SCHEMAS: Final = ("models", "suite", "persona")  # what users write, in YAML

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the same documents, some ten times faster
_DEEPEST = 60
_TOO_DEEP = f"nested more than {_DEEPEST} deep"
_UNFOLDED, _FEW = 3, 10_000  # aliases may repeat what is written so often, and so much more
_NUMBER = re.compile(r"[-+]?\d[\d_]*\.?\d*[eE][-+]?\d+")

# Of UTF-8: DEL and C1, and U+061C, U+200E-200F, U+2028-202E, U+2066-2069. JSON itself escapes what is below a space.
_ACTING = re.compile(rb"\x7f|\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]")

_STEP = re.compile(r"\.([^.\[]+)|\[(\d+)\]")
_UNKNOWN = re.compile(r"unknown field `([^`]+)`")
_KIND = re.compile(r"(Expected|got) `([^`]+)`")
_WORDS: Final = {
    "array": "a list", "object": "a mapping of keys", "str": "text", "int": "a whole number", "float": "a number",
    "bool": "true or false", "null": "nothing",
}  # fmt: skip
_WRITTEN: Final = {  # how a value of a kind is written in YAML
    "str": "write it in quotes",  # YAML reads off, no and 12 otherwise
    "array": "write each item on a line of its own, beginning with `- `",
    "object": "write each key on a line of its own, as `key: value`",
}


class YamlDocument(msgspec.Struct, frozen=True):
    """A parsed YAML file: plain data plus the line of every key and item, by JSON path (`$.models[3].id`)."""

    path: str
    data: Any
    lines: Lines

    def line(self, where: str) -> int:
        """The line (1-based) of a JSON path, or of its nearest known ancestor."""
        while where and where not in self.lines:
            where = where[: max(where.rfind("."), where.rfind("["))]
        return self.lines.get(where, 1)

    def error(self, where: str, what: str, fix: str = "") -> DocumentError:
        """A complaint about the value at a JSON path."""
        return DocumentError(self.path, self.line(where), what, fix)


def read(path: Path) -> YamlDocument:
    """Read a YAML file. Raises DocumentError when it is malformed, UsageError when it cannot be read."""
    return parse(user_files.read_text(path), str(path))


def schema(name: str) -> str:
    """The JSON Schema of `models.yaml`, `suite.yaml` or the front matter of a persona file."""
    return (Path(__file__).parent.parent / "schemas" / f"{name}.schema.json").read_text("utf-8")


def packaged(path: Path, kind: type[T]) -> T:
    """A YAML file of this package as a typed value. It is right, so that nobody is told of lines."""
    return msgspec.convert(yaml.load(path.read_text("utf-8"), _LOADER), kind)  # noqa: S506 -- it is a safe loader


def encode(document: object) -> bytes:
    """Compact JSON of plain values and records, in which no character acts on a terminal or turns the text around it.

    Control characters beyond ASCII, separators of lines and marks of direction are written as JSON's escapes.
    """
    return escaped(msgspec.json.encode(document))


def escaped(document: bytes) -> bytes:
    """JSON in which those characters are escapes: they can only be in its strings."""
    return _ACTING.sub(lambda match: rf"\u{ord(match[0].decode()):04x}".encode(), document)


def parse(text: str, path: str) -> YamlDocument:
    """Parse YAML text; `path` is only named in complaints."""
    try:
        size = _measure(text, path)
        loader = _LOADER(text)
        node = loader.get_single_node()
        lines = _lines(node, path, size * _UNFOLDED + _FEW)
        data = loader.construct_document(node) if node is not None else None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        if "maximum nesting depth" in (error.problem or ""):  # newer libyaml stops before an event tells of it
            raise DocumentError(path, line, _TOO_DEEP) from error
        raise DocumentError(path, line, f"not valid YAML: {error.problem or error}") from error
    except (yaml.YAMLError, ValueError) as error:  # ValueError: a date or number that does not exist
        line = user_files.line_of(text[: getattr(error, "position", 0)])
        raise DocumentError(path, line, f"not valid YAML: {str(error).splitlines()[0]}") from error
    except RecursionError as error:
        raise DocumentError(path, 1, "an alias is inside its own anchor") from error
    return YamlDocument(path, data, lines)


def _measure(text: str, path: str) -> int:
    """How many values a text holds. Raises DocumentError where they are nested deeper than any file of ours."""
    depth = size = 0
    for event in yaml.parse(text, Loader=_LOADER):
        size += isinstance(event, yaml.NodeEvent)
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > _DEEPEST:
            line = event.start_mark.line + 1 if event.start_mark else 1
            raise DocumentError(path, line, _TOO_DEEP)
    return size


def json_of(content: bytes, path: PurePath, kind: type[T], line: int = 1, fix: str = "") -> T:
    """The JSON that a file holds, or a part of it that begins in `line`, as a value of a type.

    `fix`: what to do where nothing better is known. Raises DocumentError, UsageError for what is no text.
    """
    with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return msgspec.json.decode(content, type=kind)
    text = user_files.text_of(content, path, line)
    try:
        data = msgspec.json.decode(text)
        return msgspec.json.decode(text, type=kind)
    except msgspec.ValidationError as error:
        lines: Lines = {}
        with suppress(DocumentError):  # what is JSON is YAML too, except for a few signs
            lines = parse(text, str(path)).lines
        document = YamlDocument(str(path), data, {where: line + at - 1 for where, at in {"$": 1, **lines}.items()})
        told = _complaint(document, kind, str(error), {})
        raise DocumentError(told.path, told.line, told.what, told.fix or fix) from error
    except (msgspec.DecodeError, RecursionError) as error:
        what, below = _malformed(text, str(error))
        raise DocumentError(str(path), line + below - 1, what, fix) from error


def _malformed(text: str, otherwise: str) -> tuple[str, int]:
    """Why a text is no JSON, and in which of its lines."""
    if not text.strip():
        return "the file is empty", 1
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return f"not valid JSON: {error.msg[0].lower()}{error.msg[1:]} (column {error.colno})", error.lineno
    except RecursionError:
        return _TOO_DEEP, 1
    return f"not valid JSON: {otherwise}", 1


def _lines(node: yaml.Node | None, path: str, most: int) -> Lines:
    """The line of every key and item by JSON path, aliases followed.

    Raises DocumentError for a key that stands twice, and where aliases unfold to more than `most`.
    """
    lines: Lines = {"$": 1}

    def enter(node: yaml.Node | None, where: str) -> None:
        if isinstance(node, yaml.MappingNode):
            seen: set[str] = set()
            for key, value in node.value:
                line = key.start_mark.line + 1
                if str(key.value) in seen:
                    raise DocumentError(path, line, f"key `{key.value}` appears twice")
                seen.add(str(key.value))
                child(value, f"{where}.{key.value}", line)
        elif isinstance(node, yaml.SequenceNode):
            for index, value in enumerate(node.value):
                child(value, f"{where}[{index}]", value.start_mark.line + 1)

    def child(node: yaml.Node, where: str, line: int) -> None:
        if len(lines) > most:
            raise DocumentError(path, line, "its aliases unfold to far more than is written", "write it out")
        lines[where] = line
        enter(node, where)

    enter(node, "$")
    return lines


def convert(document: YamlDocument, shape: type[T]) -> T:
    """Fit a document to a msgspec type. Raises DocumentError with the line of the offending key."""
    if document.data is None:
        raise document.error("$", "the file is empty")
    try:
        return msgspec.convert(document.data, shape)
    except msgspec.ValidationError as error:
        raise _complaint(document, shape, str(error), _WRITTEN) from error


def _complaint(document: YamlDocument, shape: type[Any], message: str, written: Mapping[str, str]) -> DocumentError:
    """What does not fit. `written`: kind -> how such a value is written in this format."""
    what, _, where = message.partition(" - at `")
    where = _locate(where.rstrip("`").replace("key in ", "") or "$", document.data, shape, message)
    unknown = _UNKNOWN.search(what)
    if unknown:
        key = unknown.group(1)
        near = nearest(key, _all_keys(shape))
        hint = f"did you mean `{near}`?" if near else ""
        return document.error(f"{where}.{key}", f"unknown key `{key}`", hint)
    value = _follow(document.data, where)
    hint = next((fix for kind, fix in written.items() if what.startswith(f"Expected `{kind}")), "")
    if what.endswith("got `str`") and isinstance(value, str) and _NUMBER.fullmatch(value):
        hint = f"YAML reads `{value}` as text: write it with a point and a sign, as in 1.0e+6, or in full"
    what = _KIND.sub(lambda found: f"{found[1]} {_in_words(found[2])}", what)
    return document.error(where, f"{what[0].lower()}{what[1:]} (at `{where}`)", hint)


def _in_words(kinds: str) -> str:
    """Types as people call them."""
    return " or ".join(_WORDS.get(kind, f"`{kind}`") for kind in kinds.split(" | "))


def _locate(where: str, data: Any, shape: type[Any], message: str) -> str:
    """msgspec writes `[...]` for a value inside a mapping: find the entry that brings the same complaint alone."""
    while "[...]" in where:
        head, _, tail = where.partition("[...]")
        entries = _follow(data, head)
        for key in entries if isinstance(entries, dict) else ():
            alone = _replaced(data, _steps(head), {key: entries[key]})
            try:
                msgspec.convert(alone, shape)
            except msgspec.ValidationError as error:
                if str(error) == message:
                    data, where = alone, f"{head}.{key}{tail}"
                    break
        else:
            return head
    return where


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
    with suppress(TypeError):  # a type with a part that is kept as it is written has no schema
        schemas = msgspec.json.schema_components([shape])[1]
        return sorted({key for schema in schemas.values() for key in schema.get("properties", {})})
    return []
