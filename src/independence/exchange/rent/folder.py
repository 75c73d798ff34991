"""A run folder of the rent benchmark on disk: which files it has, and the lines of each."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from independence.errors import UsageError
from independence.exchange.layout import parse_config_dir
from independence.exchange.published import DAMAGE, decompressed
from independence.exchange.rent.records import AnswerRecord, parse

_PACKED = ("", ".xz", ".gz")
_LOOKED_AT = 50  # lines of a file until it is no record of this format


class RentFolder(NamedTuple):
    """The files of a run, as far as they are there."""

    path: Path
    answers: Path | None
    scored: Path | None
    prompts: Path | None  # one prompt a line
    snapshot: Path | None  # JSON: what was about to be asked


def find(path: Path) -> RentFolder | None:
    """The run in a folder, or the run an answer file belongs to. None where there is no record of this format.

    Raises UsageError where a file or folder cannot be read.
    """
    if path.is_file():
        found = _files(path.parent, _stem(path.name))
    elif path.is_dir():
        found = _files(path, "run")
    else:
        return None
    return found if any(_holds_records(file) for file in (found.answers, found.scored) if file) else None


def below(path: Path) -> tuple[str, ...]:
    """Names of the run folders in a folder; none where it is a result set of the bench."""
    inside = sorted(path.iterdir()) if path.is_dir() else []
    if any(child.name == "cache" or parse_config_dir(child.name) for child in inside):
        return ()
    return tuple(child.name for child in inside if child.is_dir() and find(child))


def lines(file: Path) -> Iterator[tuple[int, bytes]]:
    """The lines of a file that are not blank, from 1. Raises UsageError where it cannot be read to its end."""
    try:
        with decompressed(file) as source:
            for number, line in enumerate(source, start=1):
                if line.strip():
                    yield number, line
    except DAMAGE as error:
        raise UsageError(f"{file}: cannot be read to its end ({error})", "nothing was imported") from error


def _stem(name: str) -> str:
    for end in (*_PACKED, ".jsonl", "_scored"):
        name = name.removesuffix(end)
    return name


def _files(folder: Path, stem: str) -> RentFolder:
    def first(name: str) -> Path | None:
        return next((file for end in _PACKED if (file := folder / (name + end)).is_file()), None)

    return RentFolder(
        path=folder, answers=first(f"{stem}.jsonl"), scored=first(f"{stem}_scored.jsonl"), prompts=first("grid.jsonl"),
        snapshot=first(f"{stem}_grid.json"),
    )  # fmt: skip


def _holds_records(file: Path) -> bool:
    """True where one of the first lines is a record of this format: some lines may be broken."""
    for number, line in lines(file):
        if number > _LOOKED_AT:
            break
        with suppress(ValueError):
            record = parse(file.name, number, line, AnswerRecord).record
            if record.prompt_id and record.model_id:
                return True
    return False
