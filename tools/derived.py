"""Writes the files that are made from our own records: `python -m tools.derived`. A test compares them."""

from __future__ import annotations

import inspect
import json
import re
import types
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from independence.config import entries, options
from independence.config.entries import ModelEntry, ModelsFile
from independence.suites import persona_file, schema
from independence.suites.persona_file import FrontMatter
from independence.suites.schema import Suite
from independence.types import Sampling

PACKAGE = Path(__file__).parent.parent / "src" / "independence"
# What functions take as keywords: a record, and the records in it whose fields are keywords too.
RECORDS: tuple[type[msgspec.Struct], ...] = (
    options.ConnectionOptions, options.SuitePart, Sampling, options.RunOptions,
    options.GateOptions, options.DecisionOptions, options.StoredOptions, options.RerunOptions, options.GradeOptions,
)  # fmt: skip
FUNCTIONS = ("models", "judges")  # whose values may be functions too
PROMPTS = ("variants", "variant")  # which are also called `system_prompt`
# What users write, as `independence schema NAME` prints it.
SHAPES: dict[str, Any] = {
    "models": ModelsFile | list[str | ModelEntry],  # a plain list is the list of models
    "suite": Suite,
    "persona": FrontMatter,
}
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_COMMENT = re.compile(r"^    (\w+): [^#\n]*(?:\n        [^#\n]*)*?  # (.*)$", re.MULTILINE)
_HEAD = '''\
"""The keywords of functions, for type checkers and editors. `python -m tools.derived` writes them from `options`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict

from independence.config.functions import Asked
from independence.config.options import ConnectionOptions, SuitePart
from independence.types import Sampling
'''


def settings() -> str:
    """The module of all typed dictionaries."""
    return "\n\n".join([_HEAD, *("\n".join(_written(record)) + "\n" for record in RECORDS)])


def _written(record: type[msgspec.Struct]) -> Iterator[str]:
    """One record as a typed dictionary: the fields that it adds, and what it takes over from others."""
    hints = typing.get_type_hints(record)
    base = record.__base__
    above = [base] if base in RECORDS else []
    inherited = {name for one in above for name in one.__struct_fields__}
    own = {name: hints[name] for name in record.__struct_fields__ if name not in inherited}
    parents = [_name(one) for one in (*above, *(kind for kind in own.values() if kind in RECORDS))]
    yield f"class {_name(record)}({', '.join(parents or ['TypedDict'])}, total=False):"
    yield f'    """Of {record.__name__}."""\n'
    for name, kind in own.items():
        spelled = _spelled(kind)
        yield f"    {name}: {spelled.replace('str', 'Asked') if name in FUNCTIONS else spelled}"
        if name in PROMPTS:
            yield f"    system_prompt: {spelled}"


def _name(record: type) -> str:
    return f"{record.__name__.removesuffix('Options')}Settings"


def _spelled(kind: object) -> str:
    """A type as it may be given: one text for several, text for a path."""
    if isinstance(kind, types.UnionType):
        return " | ".join(_spelled(one) for one in kind.__args__)
    if kind == tuple[str, ...]:
        return "str | Sequence[str]"
    if kind is Path:
        return "Path | str"
    return "None" if kind is types.NoneType else getattr(kind, "__name__", str(kind))


def schemas() -> dict[str, str]:
    """The JSON Schema of each shape; what a comment says of a field describes its property."""
    records = {
        name: record
        for module in (entries, persona_file, schema)
        for name, record in vars(module).items()
        if isinstance(record, type) and issubclass(record, msgspec.Struct)
    }
    out = {}
    for name, shape in SHAPES.items():
        (whole,), parts = msgspec.json.schema_components([shape], ref_template="#/$defs/{name}")
        for part, described in parts.items():
            if said := described.get("description"):
                described["description"] = inspect.cleandoc(said)  # as Python 3.13 and newer have docstrings
            for field, about in _COMMENT.findall(inspect.getsource(records[part])):
                key = dict(zip(records[part].__struct_fields__, records[part].__struct_encode_fields__, strict=True))
                described["properties"][key[field]]["description"] = about
        if parts.pop("KnownDialogue", None):  # they have a file of their own
            del parts["Suite"]["properties"]["known"]
        made = {"$schema": _DIALECT, "title": f"{name} of ai-independence-bench", **whole, "$defs": parts}
        # From 0.23 on msgspec says which keys a mapping may have; the files are alike for all its versions.
        alike = json.loads(json.dumps(made), object_hook=_without_names_of_keys)
        out[name] = json.dumps(alike, indent=1, ensure_ascii=False) + "\n"
    return out


def _without_names_of_keys(described: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in described.items() if name != "propertyNames"}


def files() -> dict[Path, str]:
    """Every file and what it holds."""
    made = {PACKAGE / "schemas" / f"{name}.schema.json": text for name, text in schemas().items()}
    return {PACKAGE / "config" / "settings.py": settings(), **made}


if __name__ == "__main__":
    for path, text in files().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
