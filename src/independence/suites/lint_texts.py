"""Texts that a suite names by file: read them, find the slots that nothing fills."""

from __future__ import annotations

from collections.abc import Container, Iterator
from pathlib import Path

from independence.config import user_files
from independence.errors import DocumentError, UsageError
from independence.suites.template import slots


def text_of(path: Path) -> str | None:
    """The text of a file; None where it is not there or no UTF-8 text."""
    try:
        return user_files.read_text(path)
    except UsageError:
        return None


def unfilled(path: Path, text: str, known: Container[str]) -> Iterator[DocumentError]:
    """A problem for every slot of a file's text that is not known."""
    for number, line in enumerate(text.splitlines(), start=1):
        for slot in slots(line):
            if slot not in known:
                yield DocumentError(str(path), number, nothing_fills(slot))


def nothing_fills(slot: str) -> str:
    """What to say of a slot that no variable fills."""
    return f"nothing fills the template variable `{{{{{slot}}}}}`"
