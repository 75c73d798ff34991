"""Reads published result sets, folders or archives, into runs and a summary.

A tar archive is read as a stream and never unpacked.
"""

from __future__ import annotations

import os
import re
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Final, NamedTuple

import msgspec

from independence.config import documents, user_files
from independence.errors import UsageError
from independence.exchange import streamed_files
from independence.extensions.published.dialogues import (
    ImportedRun,
    PublishedPath,
    SuiteLayout,
    names_configuration,
    published_path,
    suite_layout,
    trials,
)
from independence.extensions.published.import_summary import FileCounts, ImportSummary, RunKey, summarise
from independence.extensions.published.responses import ResponseFile
from independence.store import names
from independence.suites.schema import Suite
from independence.types import Condition

LARGEST = 4 * 1024 * 1024  # bytes; published files end at 28 KB, so what is larger is not one of them
_LARGEST_HEADER: Final = 2**20  # bytes of a member's headers, long names with them
_TAR = re.compile(r"\.(tar(\.\w+)?|tgz|txz|tbz2?)$")


class ResultFile(NamedTuple):
    """One regular file: its path in parts and its bytes, or None where it is larger than `LARGEST`."""

    parts: tuple[str, ...]
    content: bytes | None


class ImportedResults(NamedTuple):
    """A whole result set. Runs stand in the order of directory names, then of run numbers."""

    runs: tuple[ImportedRun, ...]
    summary: ImportSummary


class _RunFiles(msgspec.Struct):
    model_id: str
    files: dict[Condition, dict[str, ResponseFile]] = {}  # by turn id
    name_extraction: bytes = b""


def read(
    path: Path, suite: Suite, registered: frozenset[str] | None = None, watch: Callable[[int], object] = int
) -> ImportedResults:
    """Read a result set whole: nothing is handed over before the last byte was read and checked.

    `suite` says which files belong to which dialogue; other files are counted and ignored, unreadable ones counted and
    skipped. `registered` holds the configuration directories of a models file, for the summary. `watch` is told how
    many files were read so far.
    Raises UsageError where there is nothing to read or the archive is damaged.
    """
    by, found = suite_layout(suite), FileCounts()
    gathered: dict[RunKey, _RunFiles] = {}
    for count, file in enumerate(files(path), start=1):
        watch(count)
        if where := published_path(file.parts):
            _add(gathered, found, file, where, by)
    if not found.files:
        raise _nothing_found(path)
    if not gathered:
        raise UsageError(
            f"{path}: no readable response file of suite {suite.suite} in {found.files} files",
            "name the suite of these results with --suite",
        )
    runs = []
    for (config_dir, run), held in sorted(gathered.items(), key=lambda one: one[0]):
        dialogues = [
            one for condition, own in sorted(held.files.items()) for one in trials(config_dir, run, condition, own, by)
        ]
        runs.append(ImportedRun(config_dir, run, held.model_id, tuple(dialogues), held.name_extraction))
    return ImportedResults(tuple(runs), summarise(runs, found, by, registered))


def _add(
    gathered: dict[RunKey, _RunFiles], found: FileCounts, file: ResultFile, where: PublishedPath, by: SuiteLayout
) -> None:
    """Take in one file of a configuration; of one that cannot be read it is counted why."""
    found.files += 1
    found.older |= {where.config_dir} if where.older else set()
    run = where.config_dir, where.run
    if where.rest == (names.SIDECAR,):
        gathered.setdefault(run, _RunFiles(where.model_id)).name_extraction = file.content or b""
        return
    if len(where.rest) != 4 or not where.rest[-1].endswith(".json"):
        found.unknown += 1
        return
    experiment, variant, mode, name = where.rest
    turn = name.removesuffix(".json")
    if turn not in by.turns or by.turns[turn].scenario.experiment != experiment:
        found.unknown += 1
        found.unknown_turns[experiment, turn] += 1
        return
    path = PurePosixPath(*file.parts)
    try:
        if file.content is None:
            raise UsageError(f"{path}: larger than {LARGEST // 2**20} MB")
        record = documents.json_of(file.content, path, ResponseFile)
    except UsageError as error:
        found.unreadable.append(str(error))
        return
    gathered.setdefault(run, _RunFiles(where.model_id)).files.setdefault(Condition(variant, mode), {})[turn] = record


def files(path: Path) -> Iterator[ResultFile]:
    """Every file of a result set: a cache folder, a folder that contains `cache/`, one configuration, or a tar.

    A tar is known to be whole only once the iterator is exhausted; store nothing before that.
    Raises UsageError where the path cannot be read, is no result set, or is a damaged archive.
    """
    if path.is_dir():
        return _folder(path)
    if not path.exists():
        raise UsageError(f"{path}: no such file or folder", "name a result set that is there")
    return _archive(path)


def can_be(path: Path) -> bool:
    """Whether a path is meant to be a result set: a folder with configurations in it, or a tar by its name or head."""
    if path.is_dir():
        return bool(_configurations(path))
    if _TAR.search(path.name):
        return True
    if not path.is_file():
        return False
    try:
        with streamed_files.unpacked(path) as stream:
            tarfile.TarInfo.frombuf(stream.read(tarfile.BLOCKSIZE), "utf-8", "surrogateescape")
    except (tarfile.TarError, *streamed_files.DAMAGE):
        return False
    return True


def _folder(path: Path) -> Iterator[ResultFile]:
    tops = _configurations(path)
    if not tops:
        raise _nothing_found(path)
    for top in tops:
        for folder, below, found in os.walk(top):
            below.sort()
            for name in sorted(found):
                file = Path(folder, name)
                with user_files.opened(file) as source:
                    content = source.read(LARGEST + 1)
                yield ResultFile((top.name, *file.relative_to(top).parts), content if len(content) <= LARGEST else None)


def _configurations(path: Path) -> list[Path]:
    for base in (path, path / "cache"):
        found = [child for child in base.iterdir() if names_configuration(child.name)] if base.is_dir() else []
        if found:
            return sorted(child for child in found if child.is_dir())
    return [path.resolve()] if names_configuration(path.resolve().name) else []


def _nothing_found(path: Path) -> UsageError:
    """The error for a path without a single configuration."""
    return UsageError(
        f"{path}: no configuration directory found",
        "a result set has folders named like `vendor--model@low-t0.7`, an older one like `vendor--model`",
    )


def _archive(path: Path) -> Iterator[ResultFile]:
    try:
        with streamed_files.unpacked(path) as stream:
            watched, members = _LastBlock(stream), 0
            with tarfile.open(fileobj=watched, mode="r:") as tar:  # type: ignore[call-overload]
                while (member := tar.next()) is not None:
                    tar.members.clear()  # or every header that was read would be kept
                    members += 1
                    if members > streamed_files.MEMBERS or stream.tell() > streamed_files.WHOLE:
                        raise streamed_files.over_budget(path)
                    watched.room = LARGEST
                    if member.isfile():
                        source = tar.extractfile(member) if member.size <= LARGEST else None
                        yield ResultFile(PurePosixPath(member.name).parts, source.read() if source else None)
                    watched.room = _LARGEST_HEADER
            # tarfile takes a cut or broken header in the middle for the end; only a block of zeros is one.
            if watched.last != bytes(tarfile.BLOCKSIZE):
                raise tarfile.ReadError("it ends before its end mark")
            while stream.read(1 << 20):  # the rest holds the checksums
                pass
    except (tarfile.TarError, *streamed_files.DAMAGE) as error:
        if kind := streamed_files.kind_of_file(path):
            raise UsageError(f"{path}: this is {kind[0]}, not a tar archive", kind[1]) from error
        raise UsageError(f"{path}: not a tar archive, or a damaged one ({error})", "get a complete copy") from error


class _LastBlock:
    """A stream that remembers the block it gave last, and gives no more than `room` bytes.

    Raises tarfile.ReadError where more is wanted: a header can ask for any amount, at once or in pieces.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self.stream = stream
        self.last = b""
        self.room = _LARGEST_HEADER

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= self.room:
            raise tarfile.ReadError(f"a header of it has more than {_LARGEST_HEADER // 2**20} MB")
        self.last = self.stream.read(size)
        self.room -= len(self.last)
        return self.last

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return self.stream.seek(offset, whence)

    def tell(self) -> int:
        return self.stream.tell()
