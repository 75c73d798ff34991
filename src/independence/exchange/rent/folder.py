"""A run folder of the rent benchmark on disk: which files it has, and what can be odd about them.

Each oddity is reported with file and line; the rest of the folder is read as if it were not there.
"""

from __future__ import annotations

import gzip
import lzma
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final, Literal, NamedTuple, cast

from independence.errors import UsageError
from independence.exchange.layout import parse_config_dir
from independence.exchange.output import MANIFEST
from independence.exchange.rent.records import AnswerRecord, LinePosition, parse

OddityKind = Literal["broken_line", "no_model", "no_prompt", "unknown_prompt", "other_words", "duplicate", "wrong_type",
                     "unknown_key", "bad_score", "no_judge", "other_text", "no_answer_line", "score_of_nothing",
                     "split_triplet", "broken_grid", "missing_answer", "other_summary"]  # fmt: skip
KINDS: Final[dict[OddityKind, str]] = {
    "broken_line": "a line that holds no record; skipped",
    "no_model": "a record without a model; skipped",
    "no_prompt": "a record without a prompt; skipped",
    "unknown_prompt": "a prompt that the suite does not have; skipped",
    "other_words": "an answer to other words than those of its edition; skipped",
    "duplicate": "a second record of one model and prompt; the first with content is kept",
    "wrong_type": "a value of another type; taken as absent, kept as it came",
    "unknown_key": "a key that the format does not have; kept as it came",
    "bad_score": "a score that is no number from -1 to 1: no score",
    "no_judge": "a score without a judge; kept under `unknown`",
    "other_text": "a score of other words than the answer's; not counted",
    "no_answer_line": "an answer that only the scored file has; read from there",
    "score_of_nothing": "a scored record without an answer anywhere",
    "split_triplet": "a triplet of the grid without one of its sides",
    "broken_grid": "a grid that cannot be read; ignored",
    "missing_answer": "a prompt of the grid that a model has no record of",
    "other_summary": "a line of the summary that does not follow from the records",
}
_OPENERS = {"": Path.open, ".xz": lzma.open, ".gz": gzip.open}
_DAMAGE = (OSError, EOFError, lzma.LZMAError, zlib.error)
_LOOKED_AT = 50  # lines of a file until it is no record of this format


class Oddity(NamedTuple):
    """One oddity: its kind, where it stands, and what it is about."""

    kind: OddityKind
    at: LinePosition
    detail: str

    @property
    def sentence(self) -> str:
        """The oddity on one line."""
        where = f"{self.at.file}:{self.at.number}" if self.at.number else self.at.file
        return f"{where}: {self.detail}"


class RentFolder(NamedTuple):
    """The files of a run, as far as they are there."""

    path: Path
    answers: Path | None
    scored: Path | None
    prompts: Path | None  # one prompt a line
    snapshot: Path | None  # JSON: what was about to be asked
    summary: Path | None  # CSV
    others: tuple[str, ...]  # files that are no part of a run


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


def lines(file: Path) -> Iterator[tuple[LinePosition, bytes]]:
    """The lines of a file that are not blank, packed or not. Raises UsageError where it cannot be read to its end."""
    with _opened(file) as source:
        for number, line in enumerate(source, start=1):
            if line.strip():
                yield LinePosition(file.name, number), line.rstrip(b"\r\n")


def content(file: Path | None) -> bytes:
    """A whole file, unpacked; empty where there is none. Raises UsageError as `lines` does."""
    if file is None:
        return b""
    with _opened(file) as source:
        return source.read()


@contextmanager
def _opened(file: Path) -> Iterator[IO[bytes]]:
    opener = cast("Callable[[Path, str], IO[bytes]]", _OPENERS.get(file.suffix, Path.open))
    try:
        with opener(file, "rb") as source:
            yield source
    except _DAMAGE as error:
        raise UsageError(f"{file}: cannot be read to its end ({error})", "nothing was imported") from error


def _stem(name: str) -> str:
    for end in filter(None, _OPENERS):
        name = name.removesuffix(end)
    return name.removesuffix(".jsonl").removesuffix("_scored")


def _files(folder: Path, stem: str) -> RentFolder:
    taken = {f"{stem}.log", f"{stem}_scored.log", "summary.csv", MANIFEST}

    def first(*names: str) -> Path | None:
        there = (folder / (name + end) for name in names for end in _OPENERS)
        found = next((file for file in there if file.is_file()), None)
        taken.update([found.name] if found else [])
        return found

    answers, scored = first(f"{stem}.jsonl"), first(f"{stem}_scored.jsonl")
    prompts, snapshot = first("grid.jsonl"), first(f"{stem}_grid.json")
    summary = first(f"{stem}_scored.csv", "summary.csv")
    try:
        others = tuple(sorted(file.name for file in folder.iterdir() if file.name not in taken))
    except OSError as error:
        raise UsageError(f"{folder}: cannot be read ({error.strerror})") from error
    return RentFolder(
        path=folder, answers=answers, scored=scored, prompts=prompts, snapshot=snapshot, summary=summary, others=others
    )  # fmt: skip


def _holds_records(file: Path) -> bool:
    """True where one of the first lines is a record of this format: some lines may be broken."""
    for at, line in lines(file):
        if at.number > _LOOKED_AT:
            break
        with suppress(ValueError):
            if parse(at, line, AnswerRecord).whole.keys() >= {"prompt_id", "response_text"}:
                return True
    return False
