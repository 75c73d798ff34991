"""Writes the files that are made from our own records: `python -m tools.derived`. A test compares them."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator
from pathlib import Path

import msgspec

from independence.config import options
from independence.types import Sampling

PACKAGE = Path(__file__).parent.parent / "src" / "independence"
# What functions take as keywords: a record, and the records in it whose fields are keywords too.
RECORDS: tuple[type[msgspec.Struct], ...] = (
    options.ConnectionOptions, options.OfflineOptions, options.SuitePart, Sampling, options.RunOptions,
    options.GateOptions, options.DecisionOptions, options.StoredOptions, options.RerunOptions, options.GradeOptions,
)  # fmt: skip
_HEAD = '''\
"""The keywords of functions, for type checkers and editors. `python -m tools.derived` writes them from `options`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict

from independence.config.options import ConnectionOptions, OfflineOptions, SuitePart
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
    yield from (f"    {name}: {_spelled(kind)}" for name, kind in own.items())


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


def files() -> dict[Path, str]:
    """Every file and what it holds."""
    return {PACKAGE / "config" / "settings.py": settings()}


if __name__ == "__main__":
    for path, text in files().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
