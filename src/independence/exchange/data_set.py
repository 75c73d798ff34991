"""An edition of a store as a data set of Parquet files that `datasets` loads: replies, verdicts, board, and a card.

`data/` has the columns of the Python API's rows. `store/` has the rows of the store as JSON, from which an import takes
everything back.
"""

from __future__ import annotations

import json
import sqlite3
import tempfile
import typing
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

import msgspec

from independence.config import documents, user_files
from independence.errors import UsageError, missing_extra
from independence.exchange import data_card, export_tables, hub_results, logged, streamed_files
from independence.exchange.export_tables import REPLY, VERDICT, ExportedEdition, ExportTable
from independence.exchange.logged import LoggedEdition
from independence.exchange.logged_storing import LoggedFile
from independence.report import analysis
from independence.report.analysis import RenderedBoard
from independence.report.files import table
from independence.store.dialogues import Dialogue
from independence.store.scopes import grading
from independence.suites.schema import Field

_AGAIN: Final = "export the data set again"
AT_ONCE: Final = 500  # rows of a row group
_MOST_ROWS: Final = 1_000_000  # dialogues of a data set
_PART: Final = 2**20  # bytes
_EDITION, _DIALOGUES = "store/edition.json", "store/dialogues.parquet"
_COLUMNS: Final = {"dialogues": ("replies", REPLY), "verdicts": ("verdicts", VERDICT)}


def require() -> None:
    """Raises UsageError where pyarrow is not installed."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError as error:
        raise missing_extra("pyarrow is not installed, which reads and writes Parquet files", "parquet") from error


def files(
    connection: sqlite3.Connection, edition: ExportedEdition, boards: Sequence[RenderedBoard]
) -> dict[str, Iterable[bytes]]:
    """Name -> content in parts, made while it is read. Raises UsageError where pyarrow is not installed."""
    require()
    counts: Counter[str] = Counter()
    out: dict[str, Iterable[bytes]] = {}
    fields = _fields(connection, edition)
    for source in export_tables.tables(edition):
        if source.name in _COLUMNS:
            name, hints = _COLUMNS[source.name]
            out[f"data/{name}.parquet"] = _streamed(_schema(hints, fields), _counted(_rows(source), name, counts))
    if boards:
        schema, found = _board(boards, edition.about)
        out["data/board.parquet"] = _streamed(schema, _counted(found, "board", counts))
    own = logged.stored_edition(connection, edition.where)
    out[_EDITION] = [msgspec.json.format(msgspec.json.encode(own), indent=2), b"\n"]
    kinds = {"config": "string", "variant": "string", "mode": "string", "scenario": "string", "run": "int64",
             "record": "string"}  # fmt: skip
    out[_DIALOGUES] = _streamed(lambda pa: pa.schema(kinds.items()), _dialogues(edition))
    out |= hub_results.files(edition.places[0].suite, boards, edition.about)
    out["README.md"] = data_card.card(edition, counts, bool(boards))
    return out


def _counted(rows: Iterable[Mapping[str, object]], name: str, counts: Counter[str]) -> Iterator[Mapping[str, object]]:
    for row in rows:
        counts[name] += 1
        yield row


def _streamed(schema: Callable[[Any], Any], rows: Iterable[Mapping[str, object]]) -> Iterator[bytes]:
    """The bytes of a file, written in row groups; `schema`, of pyarrow, is asked for when the file is begun."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with tempfile.TemporaryDirectory(prefix="independence-") as folder:
        path, own, found = Path(folder, "rows.parquet"), schema(pa), iter(rows)
        with pq.ParquetWriter(path, own, compression="zstd") as writer:
            while part := list(islice(found, AT_ONCE)):
                writer.write_table(pa.Table.from_pylist(part, schema=own))
        with path.open("rb") as file:
            while data := file.read(_PART):
                yield data


def _schema(columns: Mapping[str, Any], fields: Mapping[str, Field]) -> Callable[[Any], Any]:
    """The columns of a table by their types in a dialogue; `fields`: of the rubrics."""

    def schema(pa: Any) -> Any:
        function = pa.struct([("name", pa.string()), ("arguments", pa.string())])
        call = pa.struct([("id", pa.string()), ("type", pa.string()), ("function", function)])
        message = [("role", pa.string()), ("content", pa.string()), ("tool_calls", pa.list_(call)),
                   ("tool_call_id", pa.string())]  # fmt: skip
        kinds = {"boolean": pa.bool_(), "integer": pa.float64(), "number": pa.float64()}
        values = pa.struct([(name, kinds[field.type]) for name, field in fields.items()])
        objects = {"messages": pa.list_(pa.struct(message)), "values": values}
        plain = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
        out = []
        for name, hint in columns.items():
            own = next((plain[one] for one in (hint, *typing.get_args(hint)) if one in plain), pa.string())
            kind = pa.list_(pa.string()) if hint == tuple[str, ...] else own
            out.append(pa.field(name, objects.get(name, kind)))
        return pa.schema(out)

    return schema


def _rows(source: ExportTable) -> Iterator[Mapping[str, object]]:
    """The rows of a table. Content of messages in parts, as some imports have it, is JSON, and factors are."""
    for row in source.rows():
        sent = row.get("messages")
        messages = [
            one | {"content": said if isinstance(said := one.get("content"), str | None) else json.dumps(said)}
            for one in (sent if isinstance(sent, list) else ())
        ]
        yield {
            **row, "factors": json.dumps(row["factors"]), "messages": messages if isinstance(sent, list) else None,
            "tool_calls": json.dumps(row.get("tool_calls")),
        }  # fmt: skip


def _fields(connection: sqlite3.Connection, edition: ExportedEdition) -> dict[str, Field]:
    """The fields of all rubrics; one that rubrics type differently is a number."""
    out: dict[str, Field] = {}
    for rubric in grading(connection, edition.places[0]).rubrics.values():
        for name, field in rubric.fields.items():
            alike = out.get(name, field).type == field.type
            out[name] = field if alike else msgspec.structs.replace(field, type="number")
    return out


def _board(
    boards: Sequence[RenderedBoard], about: Iterable[str]
) -> tuple[Callable[[Any], Any], Sequence[Mapping[str, object]]]:
    """Schema and rows of all boards, flat, as `--format csv` has them; a column without any value is of its kind."""
    record = analysis.merged_record(boards)
    names, rows = table.flat(record)
    texts = {column.key for column in record.columns if not column.numeric}
    configs, whole = set(about), (dict(zip(names, own, strict=True)) for own in rows)
    found = [row for row in whole if row["config"] in configs]

    def kind(pa: Any, name: str) -> Any:
        kinds = {type(row[name]) for row in found if row[name] is not None} or {str if name in texts else float}
        if kinds in ({bool}, {int}):
            return pa.bool_() if kinds == {bool} else pa.int64()
        return pa.float64() if kinds <= {int, float} else pa.string()

    return (lambda pa: pa.schema([(name, kind(pa, name)) for name in names])), found


def _dialogues(edition: ExportedEdition) -> Iterator[Mapping[str, object]]:
    for scope in edition.places:
        for one in edition.dialogues(scope):
            place = {name: getattr(one, name) for name in ("config", "variant", "mode", "scenario", "run")}
            yield place | {"record": logged.to_json(one).decode()}


def is_data_set(path: Path) -> bool:
    """Whether a folder is a data set that this package wrote, or what is left of one."""
    return path.is_dir() and any((path / name).is_file() for name in (_EDITION, _DIALOGUES))


def read(path: Path) -> LoggedFile:
    """A data set, its dialogues read one by one. Raises UsageError, also while it is read, for one that is damaged and
    one of more rows, or larger row groups, than an export writes.
    """
    require()
    edition = documents.json_of(user_files.read_bytes(path / _EDITION), path / _EDITION, LoggedEdition, fix=_AGAIN)
    return LoggedFile(path, edition, _read_dialogues(path / _DIALOGUES))


def _read_dialogues(file: Path) -> Iterator[Dialogue]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        # A value that many rows share stays one: a small file may hold it millions of times.
        with user_files.opened(file) as source, pq.ParquetFile(source, read_dictionary=["record"]) as found:
            held = found.metadata
            sizes = [held.row_group(at).total_byte_size for at in range(held.num_row_groups)]
            if held.num_rows > _MOST_ROWS or max(sizes, default=0) > streamed_files.WHOLE:
                most = f"{_MOST_ROWS:,} rows, or {streamed_files.WHOLE // 2**20} MB in {AT_ONCE} of them"
                raise UsageError(f"{file}: more than {most}", _AGAIN)
            for batch in found.iter_batches(AT_ONCE, columns=["record"]):
                yield from (logged.of_json(text.as_py()) for text in batch.column("record"))
    except (OSError, pa.ArrowException, msgspec.MsgspecError, KeyError, TypeError, UnicodeDecodeError) as error:
        why = " ".join(str(error).split())[:120]
        raise UsageError(f"{file}: no file as an export to Parquet writes it ({why})", _AGAIN) from error
