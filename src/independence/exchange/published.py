"""The reader of published result sets: a folder or an archive in, frozen runs and a summary out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import msgspec

from independence.errors import UsageError
from independence.exchange import archive
from independence.exchange.dialogues import ImportedRun, SuiteLayout, suite_layout, trials
from independence.exchange.layout import NAME_EXTRACTION, ConfigName, PublishedPath, published_path
from independence.exchange.responses import ResponseFile, response_file
from independence.exchange.summary import FileCounts, ImportSummary, RunKey, summarise
from independence.suites.schema import Suite
from independence.types import Condition


class ImportedResults(NamedTuple):
    """A whole result set. Runs stand in the order of directory names, then of run numbers."""

    runs: tuple[ImportedRun, ...]
    summary: ImportSummary


class _RunFiles(msgspec.Struct):
    name: ConfigName
    files: dict[Condition, dict[str, ResponseFile]] = {}  # by turn id
    name_extraction: bytes = b""


def _unwatched(count: int) -> None:
    """Nobody wants to know."""


def read(
    path: Path, suite: Suite, registered: frozenset[str] | None = None, watch: Callable[[int], None] = _unwatched
) -> ImportedResults:
    """Read a result set whole: nothing is handed over before the last byte was read and checked.

    `suite` says which files belong to which dialogue; other files are counted and ignored, unreadable ones counted and
    skipped. `registered` holds the configuration directories of a models file, for the summary. `watch` is told how
    many files were read so far.
    Raises UsageError where there is nothing to read or the archive is damaged.
    """
    by = suite_layout(suite)
    gathered, found = _gather(archive.files(path), by, watch)
    if not found.files:
        raise archive.nothing_found(path)
    if not gathered:
        raise UsageError(f"{path}: no readable response file of suite {by.suite.suite} in {found.files} files")
    runs = tuple(_run(key, gathered[key], by) for key in sorted(gathered))
    return ImportedResults(runs, summarise(runs, found, by, registered))


def _gather(
    files: Iterable[archive.ResultFile], by: SuiteLayout, watch: Callable[[int], None]
) -> tuple[dict[RunKey, _RunFiles], FileCounts]:
    gathered: dict[RunKey, _RunFiles] = {}
    total = unknown = 0
    older: set[str] = set()
    unreadable = []
    for count, file in enumerate(files, start=1):
        watch(count)
        where = published_path(file.parts)
        if where is None:
            continue
        total += 1
        older |= {where.config_dir} if where.older else set()
        belongs, run = _belongs(where, by), (where.config_dir, where.run)
        record = response_file(file.content or b"") if belongs else None
        if where.rest == (NAME_EXTRACTION,):
            gathered.setdefault(run, _RunFiles(where.name)).name_extraction = file.content or b""
        elif record:
            _, variant, mode, name = where.rest
            own = gathered.setdefault(run, _RunFiles(where.name)).files
            own.setdefault(Condition(variant, mode), {})[name.removesuffix(".json")] = record
        elif belongs:
            unreadable.append("/".join(file.parts))
        else:
            unknown += 1
    return gathered, FileCounts(total, unknown, tuple(unreadable), len(older))


def _belongs(where: PublishedPath, by: SuiteLayout) -> bool:
    if len(where.rest) != 4 or not where.rest[-1].endswith(".json"):
        return False
    position = by.turns.get(where.rest[-1].removesuffix(".json"))
    return position is not None and position.scenario.experiment == where.rest[0]


def _run(key: RunKey, files: _RunFiles, by: SuiteLayout) -> ImportedRun:
    dialogues = [trial for condition in sorted(files.files) for trial in trials(condition, files.files[condition], by)]
    return ImportedRun(key[0], key[1], files.name, tuple(dialogues), files.name_extraction)
