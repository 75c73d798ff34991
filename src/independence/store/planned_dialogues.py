"""The planned dialogues of an edition under a condition, with what one judge made of them: what boards are made of.

Most dialogues have much in common: how far they are, their marks, their values. So what is to be said of a dialogue is
said once, in a `DialogueKind`, and each dialogue names its kind.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import msgspec

from independence.store import spending
from independence.store.dialogue_rows import Progress, progress
from independence.store.queries import PUBLISHED, REREAD, UNDER, keys_json
from independence.store.spending import Dates
from independence.types import Where

_PLANNED = (
    "SELECT config_dir, run, trial, parent, scenario, experiment, turns FROM planned "
    f"WHERE {UNDER} ORDER BY config_dir, run, scenario"
)
# By the order of the keys: looking for each dialogue in the order of its place takes three times as long.
_DIALOGUES = (
    "SELECT k.key, d.start_context, d.at, d.answered, d.missing, d.broken, d.flags, d.thought, d.said, d.first_at, "
    "d.last_at, v.context = d.at, v.rubric, v.missing, v.quote_found, v.fields, v.judged_at FROM json_each(?) k "
    "JOIN dialogues d ON d.trial = k.value LEFT JOIN verdicts v INDEXED BY verdicts_short "
    "ON v.trial = d.trial AND v.judge = ?"
)


class SubjectRun(NamedTuple):
    """One run of a subject."""

    config_dir: str
    run: int


class PlannedScript(NamedTuple):
    """What is asked in a dialogue, whoever answers."""

    scenario: str
    experiment: str
    turns: int  # that are generated


class DialogueKind(NamedTuple):
    """How far a dialogue is, and the verdict that counts on it."""

    missing: str | None = None  # reason of the first turn that came to nothing
    stale: bool = False  # an answer exists that was given on a replaced history
    finished: bool = False
    flags: str | None = None  # of its answers, as `queries.reply_flags` reads them
    thought: bool = False  # an answer took reasoning tokens, or came with the reasoning itself
    rubric: str | None = None  # of the verdict; None: there is none
    unreadable: str | None = None  # why the verdict has no values
    quote_found: int | None = None  # whether its quotation is in the replies; None where it was to quote nothing
    fields: str = "{}"  # its values, as JSON


class QuotationCounts(msgspec.Struct, frozen=True):
    """How many verdicts were to quote a passage, and how many quote one that is not there."""

    asked: int
    not_found: int  # whose quotation is not in the replies


class PlannedDialogues(NamedTuple):
    """The dialogues that are planned under a condition, by config_dir, run and scenario; (n,) each."""

    subjects: Sequence[str]  # config_dirs, in order
    scripts: Sequence[PlannedScript]
    kinds: Sequence[DialogueKind]
    subject: Sequence[int]  # place in `subjects`
    script: Sequence[int]
    kind: Sequence[int]
    run: Sequence[int]
    trial: Sequence[str]
    said: Sequence[str]  # the first digits of the digest of each answer, one after the other
    dates: Dates  # of the first and the last answer, and of this judge's verdicts that can be read
    quotations: QuotationCounts

    def runs(self) -> Iterator[tuple[SubjectRun, range]]:
        """Each run of a subject, and its places."""
        at = 0
        for (subject, run), own in groupby(zip(self.subject, self.run, strict=True)):
            end = at + sum(1 for _ in own)
            yield SubjectRun(self.subjects[subject], run), range(at, end)
            at = end

    @property
    def thinking(self) -> frozenset[str]:
        """Config_dirs of those whose answers took reasoning."""
        thought = {at for at, kind in enumerate(self.kinds) if kind.thought}
        rows = zip(self.subject, self.kind, strict=True) if thought else ()
        return frozenset(self.subjects[subject] for subject, kind in rows if kind in thought)


_NOT_RUN = Progress(None, stale=False, end=None, start=None, follows=False)
_Planned = tuple[str, int, str, str | None, str, str, int]  # a row of `_PLANNED`
_Found = tuple[Any, ...]  # a row of `_DIALOGUES`
_NOTHING: _Found = (None,) * 17
_START, _AT, _ANSWERED, _SAID, _FIRST, _LAST, _GRADED, _RUBRIC, _WHY, _QUOTE, _FIELDS, _JUDGED = (
    1,
    2,
    3,
    *range(8, 17),
)


def read(
    connection: sqlite3.Connection, where: Where, judge: str | None, rubrics: Mapping[str, str]
) -> PlannedDialogues:
    """Read the dialogues of an edition under a condition.

    `rubrics`: scenario -> digest of the rubric that its verdicts count under; without one a published verdict counts.
    Of several the newest does.
    """
    planned: list[_Planned] = connection.execute(_PLANNED, where.columns).fetchall()
    subjects, scripts = dict[str, int](), dict[PlannedScript, int]()
    subject = [subjects.setdefault(row[0], len(subjects)) for row in planned]
    script = [scripts.setdefault(PlannedScript(*row[4:]), len(scripts)) for row in planned]
    order = sorted(range(len(planned)), key=lambda place: planned[place][2])
    found: list[_Found | None] = [None] * len(planned)
    for row in connection.execute(_DIALOGUES, (keys_json(planned[place][2] for place in order), judge)):
        place = order[row[0]]
        before = found[place]
        if before is None:
            found[place] = row
        else:  # there are several verdicts
            rubric = rubrics.get(planned[place][4])
            found[place] = max(before, row, key=lambda one: _counts(one, rubric))
    there = [row for row in found if row is not None]
    graded = [row for row in there if row[_RUBRIC] is not None]
    quoted = Counter(row[_QUOTE] for row in graded)
    kind, kinds = _kinds(planned, found, rubrics)
    return PlannedDialogues(
        list(subjects), list(scripts), kinds, subject, script, kind, [row[1] for row in planned],
        [row[2] for row in planned], ["" if row is None else row[_SAID] for row in found],
        spending.ends([row[at] for row in there for at in (_FIRST, _LAST)],
                      [row[_JUDGED] for row in graded if row[_WHY] is None]),
        QuotationCounts(quoted[0] + quoted[1], quoted[0]),
    )  # fmt: skip


def _counts(row: _Found, rubric: str | None) -> tuple[int, str]:
    """By what a verdict goes before others on the same dialogue, which all have been read."""
    if row[_RUBRIC] is None or not row[_GRADED]:
        return -1, ""
    return {rubric: 3, PUBLISHED: 2, REREAD: 1}.get(row[_RUBRIC], 0), row[_JUDGED]


def _kinds(
    planned: Sequence[_Planned], found: Sequence[_Found | None], rubrics: Mapping[str, str]
) -> tuple[list[int], list[DialogueKind]]:
    """The kind of each dialogue, and all kinds. Of rows that are alike except for digests one is looked at."""
    states = _Continued(planned, found)
    alike, kinds, out = dict[tuple[object, ...], int](), dict[DialogueKind, int](), list[int]()
    for place, (row, own) in enumerate(zip(planned, found, strict=True)):
        key: tuple[object, ...] | None = None
        if row[3] is None and (own is None or own[_START] is None):  # it continues no other, and was begun as planned
            key = (row[4], row[6], *(own[_ANSWERED:_SAID] + own[_GRADED:_JUDGED] if own else ()))
            if key in alike:
                out.append(alike[key])
                continue
        kind = _kind(states.of(place), own, rubrics.get(row[4]))
        out.append(kinds.setdefault(kind, len(kinds)))
        if key is not None:
            alike[key] = out[-1]
    return out, list(kinds)


def _kind(state: Progress, own: _Found | None, rubric: str | None) -> DialogueKind:
    verdict: tuple[Any, ...] = ()
    if own is not None and _counts(own, rubric)[0] > 0:
        verdict = own[_RUBRIC:_JUDGED]
    flags, thought = (own[6], own[7] > 0) if own is not None and state.follows else (None, False)
    return DialogueKind(state.missing, state.stale, state.end is not None, flags, thought, *verdict)


class _Continued:
    """How far each dialogue is; one that continues another, on what that has come to."""

    def __init__(self, planned: Sequence[_Planned], found: Sequence[_Found | None]) -> None:
        self._planned, self._found = planned, found
        self._known: dict[int, Progress] = {}
        continued = {row[3] for row in planned} - {None}
        self._places = {row[2]: place for place, row in reversed(list(enumerate(planned))) if row[2] in continued}

    def of(self, place: int) -> Progress:
        if place not in self._known:
            self._known[place] = _NOT_RUN  # a damaged store may have a dialogue continue itself
            _, _, trial, parent, *_, turns = self._planned[place]
            before = self.of(self._places[parent]) if parent in self._places else _NOT_RUN
            stored = (self._found[place] or _NOTHING)[1:6]
            self._known[place] = progress(trial, turns, parent, (before.end, before.missing), stored)
        return self._known[place]
