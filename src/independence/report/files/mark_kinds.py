"""What a mark of a board's row is: a bad answer, something missing, or a remark on how it was asked, stored or read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

import msgspec

from independence.report.files.legend import texts, words

MarkKind = Literal["answer", "missing", "waiting", "note"]

MISSING: Final = "missing:"
_NOT_YET: Final = ("not_run", "not_judged", "stale")
# Answers that are cut, empty of a stand or no answers. All others are remarks: on requests, on judges, on what was
# cleaned of an answer that is judged, and an import's bookkeeping.
ANSWERS: Final = frozenset({
    "artefact", "greeting_echo", "cut_arguments", "truncated", "overlong", "finish_error", "content_filter",
    "repeated_run", "no_answer", "refused", "repeated", "unanswered", "evaded", "foreign_script",
    "other_model", "other_host", "foreign_turn", "loop", "unmeasurable",
})  # fmt: skip


class MarkInfo(msgspec.Struct, frozen=True):
    """One mark of a board: what it is about, what it is called, and what it says."""

    kind: MarkKind
    head: str
    about: str = ""


def of(marks: Iterable[str]) -> dict[str, MarkInfo]:
    """Each of these marks of rows."""
    return {mark: _of(mark) for mark in sorted(set(marks))}


def _of(mark: str) -> MarkInfo:
    if mark.startswith(MISSING):
        reason = mark.removeprefix(MISSING)
        return MarkInfo("waiting" if reason in _NOT_YET else "missing", words(reason))
    return MarkInfo("answer" if mark in ANSWERS else "note", words(mark), texts("marks").get(mark, ""))
