"""The reader of published result sets: a folder or an archive in, frozen runs and a summary out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from independence.errors import UsageError
from independence.exchange import archive
from independence.exchange.dialogues import Cell, Guide, guide, trials
from independence.exchange.layout import NAME_EXTRACTION, ConfigName, Place, place
from independence.exchange.records import Record, decode
from independence.exchange.rows import ImportedRun
from independence.exchange.summary import Found, Summary, summarise
from independence.suites.schema import Suite


class Imported(NamedTuple):
    """A whole result set. Runs stand in the order of directory names, then of run numbers."""

    runs: tuple[ImportedRun, ...]
    summary: Summary


class _RunFiles(msgspec.Struct):
    name: ConfigName
    cells: dict[Cell, dict[str, Record]] = {}
    name_extraction: bytes = b""


def _unwatched(count: int) -> None:
    """Nobody wants to know."""


def read(
    path: Path, suite: Suite, registered: frozenset[str] | None = None, watch: Callable[[int], None] = _unwatched
) -> Imported:
    """Read a result set whole: nothing is handed over before the last byte was read and checked.

    `suite` says which files belong to which dialogue; other files are counted and ignored, unreadable ones counted and
    skipped. `registered` holds the configuration directories of a models file, for the summary. `watch` is told how
    many files were read so far.
    Raises UsageError where there is nothing to read or the archive is damaged.
    """
    by = guide(suite)
    gathered, found = _gather(_counted(archive.files(path), watch), path, by)
    runs = tuple(_run(key, gathered[key], by) for key in sorted(gathered))
    return Imported(runs, summarise(runs, found, by, registered))


def _counted(files: Iterable[archive.File], watch: Callable[[int], None]) -> Iterator[archive.File]:
    for count, file in enumerate(files, start=1):
        watch(count)
        yield file


def _gather(files: Iterable[archive.File], path: Path, by: Guide) -> tuple[dict[tuple[str, int], _RunFiles], Found]:
    gathered: dict[tuple[str, int], _RunFiles] = {}
    total = unknown = 0
    older: set[str] = set()
    unreadable = []
    for file in files:
        where = place(file.parts)
        if where is None:
            continue
        total += 1
        older |= {where.config_dir} if where.older else set()
        record = decode(file.content or b"") if _belongs(where, by) else None
        if where.rest == (NAME_EXTRACTION,):
            _of(where, gathered).name_extraction = file.content or b""
        elif record:
            _, variant, mode, name = where.rest
            _of(where, gathered).cells.setdefault(Cell(variant, mode), {})[name.removesuffix(".json")] = record
        elif _belongs(where, by):
            unreadable.append("/".join(file.parts))
        else:
            unknown += 1
    if not total:
        raise archive.nothing_found(path)
    if not gathered:
        raise UsageError(f"{path}: no readable response file of suite {by.suite.suite} in {total} files")
    return gathered, Found(total, unknown, tuple(unreadable), len(older))


def _of(where: Place, gathered: dict[tuple[str, int], _RunFiles]) -> _RunFiles:
    return gathered.setdefault((where.config_dir, where.run), _RunFiles(where.name))


def _belongs(where: Place, by: Guide) -> bool:
    if len(where.rest) != 4 or not where.rest[-1].endswith(".json"):
        return False
    slot = by.slots.get(where.rest[-1].removesuffix(".json"))
    return slot is not None and slot.scenario.experiment == where.rest[0]


def _run(key: tuple[str, int], files: _RunFiles, by: Guide) -> ImportedRun:
    config_dir, run = key
    dialogues = [trial for cell in sorted(files.cells) for trial in trials(cell, files.cells[cell], by)]
    return ImportedRun(
        config_dir,
        run,
        files.name.model_id,
        files.name.effort,
        files.name.temperature,
        files.name.provider_tag,
        tuple(dialogues),
        files.name_extraction,
    )
