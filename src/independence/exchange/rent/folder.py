"""A run folder of the rent benchmark on disk: which files it has, told by what is in them."""

from __future__ import annotations

import gzip
import lzma
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, NamedTuple, cast

from independence.errors import UsageError
from independence.exchange.layout import parse_config_dir
from independence.exchange.output import MANIFEST
from independence.exchange.rent.records import AnswerRecord, decode

STEM = "run"
_OPENERS = {"": Path.open, ".xz": lzma.open, ".gz": gzip.open}
_DAMAGE = (OSError, EOFError, lzma.LZMAError, zlib.error)
_LOOKED_AT = 50  # lines of a file until it is no record of this format


class Line(NamedTuple):
    """Where a record stands; `number` from 1."""

    file: str
    number: int


class Folder(NamedTuple):
    """The files of a run, as far as they are there."""

    path: Path
    answers: Path | None
    judged: Path | None
    prompts: Path | None  # one prompt a line
    snapshot: Path | None  # JSON: what was about to be asked
    summary: Path | None  # CSV
    others: tuple[str, ...]  # files that are no part of a run


def find(path: Path) -> Folder | None:
    """The run in a folder, or the run an answer file belongs to. None where there is no record of this format.

    Raises UsageError where a file or folder cannot be read.
    """
    stem = STEM
    if path.is_file():
        stem, folder = _stem(path.name), path.parent
    elif path.is_dir():
        folder = path
    else:
        return None
    found = _named(folder, stem)
    if any(_holds_records(file) for file in (found.answers, found.judged) if file):
        return found
    return None


def below(path: Path) -> tuple[str, ...]:
    """Names of the run folders in a folder; none where it is a result set of the bench."""
    inside = sorted(path.iterdir()) if path.is_dir() else []
    if any(child.name == "cache" or parse_config_dir(child.name) for child in inside):
        return ()
    return tuple(child.name for child in inside if child.is_dir() and find(child))


def lines(file: Path) -> Iterator[tuple[Line, bytes]]:
    """The lines of a file that are not blank, packed or not. Raises UsageError where it cannot be read to its end."""
    try:
        with _opened(file) as source:
            for number, line in enumerate(source, start=1):
                if line.strip():
                    yield Line(file.name, number), line.rstrip(b"\r\n")
    except _DAMAGE as error:
        raise UsageError(f"{file}: cannot be read to its end ({error}); nothing was imported") from error


def content(file: Path) -> bytes:
    """A whole file, unpacked. Raises UsageError as `lines` does."""
    try:
        with _opened(file) as source:
            return source.read()
    except _DAMAGE as error:
        raise UsageError(f"{file}: cannot be read to its end ({error}); nothing was imported") from error


def _opened(file: Path) -> IO[bytes]:
    opener = cast("Callable[[Path, str], IO[bytes]]", _OPENERS.get(file.suffix, Path.open))
    return opener(file, "rb")


def _stem(name: str) -> str:
    for end in filter(None, _OPENERS):
        name = name.removesuffix(end)
    return name.removesuffix(".jsonl").removesuffix("_scored")


def _named(folder: Path, stem: str) -> Folder:
    taken = set()

    def first(*names: str) -> Path | None:
        for name in names:
            for end in _OPENERS:
                file = folder / (name + end)
                if file.is_file():
                    taken.add(file.name)
                    return file
        return None

    answers, judged = first(f"{stem}.jsonl"), first(f"{stem}_scored.jsonl")
    prompts, snapshot = first("grid.jsonl"), first(f"{stem}_grid.json")
    summary = first(f"{stem}_scored.csv", "summary.csv")
    taken |= {f"{stem}.log", f"{stem}_scored.log", "summary.csv", MANIFEST}
    try:
        others = tuple(sorted(file.name for file in folder.iterdir() if file.name not in taken))
    except OSError as error:
        raise UsageError(f"{folder}: cannot be read ({error.strerror})") from error
    return Folder(folder, answers, judged, prompts, snapshot, summary, others)


def _holds_records(file: Path) -> bool:
    """True where one of the first lines is a record of this format: some lines may be broken."""
    for at, line in lines(file):
        if at.number > _LOOKED_AT:
            break
        with suppress(ValueError):
            if decode(line, AnswerRecord).whole.keys() >= {"prompt_id", "response_text"}:
                return True
    return False
