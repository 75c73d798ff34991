"""TypeScript types of the documents, written from `schema`: `web/src/schema.ts` holds them."""

from __future__ import annotations

import inspect as python
from collections.abc import Iterable

import msgspec
from msgspec import inspect

from independence.report.pages import schema

_HEAD = "// Written by `python -m tests.report.site.regenerate`; a test compares it with report/pages/schema.py.\n"
_PLAIN: dict[type[inspect.Type], str] = {
    inspect.AnyType: "unknown",
    inspect.BoolType: "boolean",
    inspect.FloatType: "number",
    inspect.IntType: "number",
    inspect.NoneType: "null",
    inspect.StrType: "string",
}


def types(roots: Iterable[type[msgspec.Struct]] = schema.ROOTS) -> str:
    """One interface for each struct that the roots hold, in the order in which they are met.

    Raises KeyError for a type that documents have no use for.
    """
    found: dict[str, str] = {}
    for info in inspect.multi_type_info(list(roots)):
        _written(info, found)
    constant = f"export const SCHEMA = {schema.SCHEMA};\n"
    return "\n".join([_HEAD, constant, *found.values()])


def _written(info: inspect.Type, found: dict[str, str]) -> str:
    """A type as TypeScript has it; structs in it are added to `found`."""
    match info:
        case inspect.StructType():
            return _interface(info, found)
        case inspect.UnionType(types=parts):
            return " | ".join(dict.fromkeys(_written(part, found) for part in parts))
        case inspect.LiteralType(values=values):
            return " | ".join(msgspec.json.encode(value).decode() for value in values)
        case inspect.VarTupleType(item_type=item) | inspect.ListType(item_type=item):
            inner = _written(item, found)
            return f"readonly ({inner})[]" if " " in inner else f"readonly {inner}[]"
        case inspect.TupleType(item_types=items):
            return f"readonly [{', '.join(_written(item, found) for item in items)}]"
        case inspect.DictType(value_type=value):
            return f"Readonly<Record<string, {_written(value, found)}>>"
    return _PLAIN[type(info)]


def _interface(info: inspect.StructType, found: dict[str, str]) -> str:
    name = info.cls.__name__
    if name not in found:
        found[name] = ""  # its place: before what it holds
        lines = [f'  readonly {info.tag_field}: "{info.tag}";'] if info.tag_field else []
        for field in info.fields:
            optional = _left_out(info, field)
            lines.append(f"  readonly {field.encode_name}{'?' if optional else ''}: {_written(field.type, found)};")
        about = " ".join((python.getdoc(info.cls) or "").split())
        found[name] = f"/** {about} */\nexport interface {name} {{\n" + "\n".join(lines) + "\n}\n"
    return name


def _left_out(info: inspect.StructType, field: inspect.Field) -> bool:
    """Whether a document may lack the field: by its default, or because it is unset."""
    has_default = field.default is not msgspec.NODEFAULT or field.default_factory is not msgspec.NODEFAULT
    unset = not field.required and not has_default  # what msgspec tells of a field that starts as UNSET
    return unset or (has_default and bool(info.cls.__struct_config__.omit_defaults))
