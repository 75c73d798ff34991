"""Values of verdicts as numbers: one row of bytes a verdict, and one description for all that have the same fields.

A description lists the fields in order, each with how `struct` writes its values: `q` an integer, `d` a number, `?` a
boolean, without padding and little-endian. A value that is none of them, or an integer that 64 bits cannot hold, stands
in the description itself (`=`). What is read is exactly what the JSON beside it says.
"""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from independence.store import digests
from independence.types import Scalar

_KINDS = {int: "q", float: "d", bool: "?"}
_ITSELF = "="
_WIDEST = 2**63


class PackedValues(NamedTuple):
    """The values of one verdict; both parts are None where it has none."""

    layout: str | None = None  # JSON: [[field, kind], ...], of kind `=` [field, kind, value]
    values: bytes | None = None


def pack(given: Mapping[str, object]) -> PackedValues:
    """Values of a verdict as they are stored."""
    if not given:
        return PackedValues()
    kinds = {
        name: _ITSELF if type(value) is int and not -_WIDEST <= value < _WIDEST else _KINDS.get(type(value), _ITSELF)
        for name, value in given.items()
    }
    layout = [(name, kind, given[name]) if kind == _ITSELF else (name, kind) for name, kind in kinds.items()]
    numbers = [given[name] for name, kind in kinds.items() if kind != _ITSELF]
    code = "<" + "".join(kinds.values()).replace(_ITSELF, "")
    return PackedValues(msgspec.json.encode(layout).decode(), struct.pack(code, *numbers))


def layout_id(connection: sqlite3.Connection, layout: str | None) -> int | None:
    """The row that describes these fields, made where there is none."""
    if layout is None:
        return None
    found = connection.execute("SELECT id FROM field_sets WHERE layout = ?", (layout,)).fetchone()
    if found is None:
        found = connection.execute("SELECT ifnull(max(id), 0) + 1 FROM field_sets").fetchone()
        digests.insert(connection, "field_sets", [{"id": found[0], "layout": layout}])
    return int(found[0])


class FieldLayout(NamedTuple):
    """The fields that the bytes of some verdicts hold."""

    names: Sequence[str]  # in order
    kinds: str  # of those that stand in the bytes, as `struct` writes them
    fixed: Mapping[str, Scalar]  # those that stand in the layout

    @property
    def packed(self) -> list[str]:
        """Names of those that stand in the bytes, in order."""
        return [name for name in self.names if name not in self.fixed]

    def read(self, rows: bytes, count: int) -> Iterator[dict[str, Scalar]]:
        """The values of `count` verdicts whose bytes follow one another."""
        if not self.kinds:
            return (dict(self.fixed) for _ in range(count))
        names = self.packed
        found = (dict(zip(names, row)) for row in struct.iter_unpack(f"<{self.kinds}", rows))  # noqa: B905 - hot loop
        return ({name: {**own, **self.fixed}[name] for name in self.names} for own in found) if self.fixed else found


def layouts(connection: sqlite3.Connection) -> dict[int, FieldLayout]:
    """Every layout of a store by its row."""
    out = {}
    for number, text in connection.execute("SELECT id, layout FROM field_sets"):
        fields: list[list[Any]] = msgspec.json.decode(text)
        fixed = {name: value[0] for name, kind, *value in fields if kind == _ITSELF}
        kinds = "".join(kind for _, kind, *_ in fields if kind != _ITSELF)
        out[number] = FieldLayout([name for name, *_ in fields], kinds, fixed)
    return out


def unpack(
    connection: sqlite3.Connection, stored: Sequence[tuple[int | None, bytes | None]]
) -> list[dict[str, Scalar]]:
    """The values of verdicts by what their rows hold: (`field_set`, `field_values`)."""
    by_layout: dict[int, list[int]] = {}
    for at, (layout, _) in enumerate(stored):
        if layout is not None:
            by_layout.setdefault(layout, []).append(at)
    out: list[dict[str, Scalar]] = [{} for _ in stored]
    known = layouts(connection) if by_layout else {}
    for layout, places in by_layout.items():
        packed = b"".join(stored[at][1] or b"" for at in places)
        for at, values in zip(places, known[layout].read(packed, len(places)), strict=True):
            out[at] = values
    return out


def offer(connection: sqlite3.Connection) -> None:
    """Give a connection the functions by which SQL reads a verdict's JSON: `field_layout` and `field_bytes`."""
    connection.create_function("field_layout", 1, lambda text: _packed(text).layout, deterministic=True)
    connection.create_function("field_bytes", 1, lambda text: _packed(text).values, deterministic=True)


def _packed(text: str) -> PackedValues:
    try:
        return pack(msgspec.json.decode(text, type=dict[str, Any]))
    except msgspec.DecodeError:  # no verdict that was ever given; it must not keep the store shut
        return PackedValues()
