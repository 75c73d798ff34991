"""Tables as bytes, row by row: JSON Lines, exact and in ASCII, and CSV, in which no text begins a formula."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping

from independence.exchange.sheets import Sheet
from independence.report.table_formats import cell


def jsonl(sheet: Sheet) -> Iterator[bytes]:
    """One object a line, keys in the order of the columns; every letter beyond ASCII as its escape."""
    for row in sheet.rows():
        yield json.dumps({name: row[name] for name in sheet.columns}).encode("ascii") + b"\n"


def to_csv(sheet: Sheet) -> Iterator[bytes]:
    """A header and one line a row; objects with known keys in columns NAME.KEY, other lists and objects as JSON."""
    yield _line([head for name in sheet.columns for head in _heads(sheet, name)])
    for row in sheet.rows():
        yield _line([value for name in sheet.columns for value in _values(sheet, name, row[name])])


def _heads(sheet: Sheet, name: str) -> list[object]:
    return [f"{name}.{key}" for key in sheet.wide[name]] if name in sheet.wide else [name]


def _values(sheet: Sheet, name: str, value: object) -> list[object]:
    if name not in sheet.wide:
        return [_plain(value)]
    return [_plain(value.get(key) if isinstance(value, Mapping) else None) for key in sheet.wide[name]]


def _plain(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | dict):
        value = json.dumps(value)
    return cell(value) if isinstance(value, str) else value


def _line(values: list[object]) -> bytes:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(values)
    return out.getvalue().encode("utf-8", "backslashreplace")
