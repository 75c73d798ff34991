"""A grid file that somebody edited, read so that it can be asked. What is wrong with it first is named by its line."""

from __future__ import annotations

from pathlib import Path

from independence.errors import DocumentError, UsageError
from independence.exchange.rent import folder, words
from independence.exchange.rent.records import PromptRecord, decode
from independence.exchange.rent.words import Prompt
from independence.suites.load import LoadedSuite
from independence.suites.schema import Suite


def read(file: Path, base: LoadedSuite) -> LoadedSuite:
    """The suite whose dialogues are the rows of a file, graded as `base` is. Raises UsageError, DocumentError."""
    suite = base.suite
    if suite.grid is None:
        raise UsageError(f"suite {suite.suite} has no grid; name one that has with --suite, such as `rent`")
    if suite.analysis != "stance_csv":
        raise UsageError(f"suite {suite.suite} needs more than the words of a grid file; --suite rent takes one")
    if not file.is_file():
        raise UsageError(f"{file}: no file here; `independence suites grid {suite.suite} --out FILE` writes one")
    rows: dict[str, Prompt] = {}
    for at, line in folder.lines(file):
        row = _row(file, at, line, suite)
        if row.prompt_id in rows:
            earlier = rows[row.prompt_id].at.number
            raise DocumentError(str(file), at.number, f"prompt_id `{row.prompt_id}` stands in line {earlier} already")
        rows[row.prompt_id] = row
    if not rows:
        raise UsageError(f"{file}: no prompt in it; `independence suites grid {suite.suite} --out FILE` writes one")
    return words.suite_of(list(rows.values()), base)


def _row(file: Path, at: folder.Line, line: bytes, suite: Suite) -> Prompt:
    try:
        one = decode(line, PromptRecord)
        if one.unknown:
            raise ValueError(f"unknown key `{one.unknown[0]}`; a prompt has prompt_id, factors and messages")
        if one.wrong:
            raise ValueError(f"`{one.wrong[0]}` has another type than in a published grid")
        return words.prompt(at, one.record, suite)
    except ValueError as error:
        raise DocumentError(str(file), at.number, str(error)) from error
