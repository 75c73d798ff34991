"""The whole report on one place of a store, as files."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Unpack

from independence.api.reading import ReportOptions, Store
from independence.config import user_files
from independence.errors import UsageError
from independence.exchange import output
from independence.report.files import markdown, table
from independence.report.files.table import Section

_LONGEST = 100  # signs of a file's name, without its ending


def write_report(
    store: Store, path: Path, *, tables: Path | None = None, force: bool = False, **asked: Unpack[ReportOptions]
) -> list[str]:
    """Write `Store.report` as Markdown. Returns what was written, in sentences.

    `tables`: a folder for every table as CSV and JSON. Raises UsageError, before anything is read, for a file that no
    report was written to, unless `force`.
    """
    check(path, force)
    title, sections = store.report(**asked)
    said = write_tables(tables, sections, force)
    write_text(path, markdown.document(title, sections), force)
    return [*said, f"written: {path}"]


def check(path: Path, force: bool) -> None:
    """Raise UsageError for a file that no report was written to, unless `force`."""
    user_files.check(path, "--output", user_files.MARK, forcible=True, force=force)


def write_text(path: Path, text: str, force: bool) -> None:
    """Write a report's text, with the mark of our files at its end. Raises UsageError, DiskFull."""
    check(path, force)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--output {path}: cannot be written ({error.strerror})", "name another file") from error
    user_files.write(path, text.encode("utf-8", "backslashreplace") + user_files.MARK + b"\n", "--output")


def write_tables(folder: Path | None, sections: Sequence[Section], force: bool) -> list[str]:
    """Every table of a report as CSV and JSON; returns that in a sentence, or nothing without a folder."""
    if folder is None:
        return []
    found = [block for section in sections for block in section.body if isinstance(block, table.Table)]
    files: dict[str, list[bytes]] = {}
    for one in found:
        digest = hashlib.sha256(one.id.encode()).hexdigest()[:8]
        name = one.id if len(one.id) <= _LONGEST else f"{one.id[:_LONGEST]}-{digest}"  # some hold the name of a model
        for ending, text in (("csv", table.to_csv(one)), ("json", table.to_json([one]) + "\n")):
            files[f"{name}.{ending}"] = [text.encode("utf-8", "backslashreplace")]
    output.write(folder, files, output.Manifest(), force)
    return [f"written: {len(found)} tables in {folder}"]
