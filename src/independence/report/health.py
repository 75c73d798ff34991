"""Whether each run is whole: what is missing of it and why, whether its parts belong together, marks on answers."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from independence.report.planned_verdicts import FLAG, PlannedVerdict
from independence.report.study import StudiedSubjects
from independence.report.table import Column, Table, Value
from independence.stats.validity import UNANSWERED, VOID
from independence.store.spending import RunTimes, times

SPLIT = timedelta(days=1)

_COLUMNS = (
    Column("subject", "Subject"), Column("run", "Run", "count"), Column("valid", "Valid", "count"),
    Column("planned", "Planned", "count"), Column("missing", "Missing"), Column("marked", "Marked answers"),
    Column("hours", "Hours apart", "number"),
)  # fmt: skip


def table(connection: sqlite3.Connection, read: StudiedSubjects) -> Table:
    """Every run with something amiss: a missing verdict, a void or cut answer, answers more than a day apart."""
    scope = read.scope
    when = times(connection, scope.where)
    rows: list[tuple[Value, ...]] = []
    runs = 0
    for config, planned in read.planned.items():
        for run, own in _by_run(planned).items():
            runs += 1
            missing = Counter(cell.missing for cell in own if cell.missing is not None)
            marks = Counter(flag for cell in own for flag in cell.flags if flag in VOID or flag == "truncated")
            apart = _hours_apart(when.get((config, run)))
            if missing or marks or apart is not None:
                rows.append(
                    (read.about[config].name, run, len(own) - missing.total(), len(own), _counted(missing) or None,
                     _counted(marks) or None, apart)
                )  # fmt: skip
    note = f"{runs - len(rows)} of {runs} runs are whole, unmarked, and were answered within a day."
    return Table("run-health", "Run health", _COLUMNS, tuple(rows), (note,))


def _by_run(planned: Sequence[PlannedVerdict]) -> dict[int, list[PlannedVerdict]]:
    runs: dict[int, list[PlannedVerdict]] = {}
    for cell in planned:
        runs.setdefault(cell.run, []).append(cell)
    return dict(sorted(runs.items()))


def _hours_apart(when: RunTimes | None) -> float | None:
    """Hours between first and last answer, where that is more than a day."""
    if when is None:
        return None
    span = datetime.fromisoformat(when.last) - datetime.fromisoformat(when.first)
    return span.total_seconds() / 3600 if span > SPLIT else None


def _counted(counts: Mapping[str | None, int] | Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items(), key=lambda pair: str(pair[0])))


ABOUT = {
    "artefact": "lone punctuation instead of an answer",
    "greeting_echo": "the scripted greeting came back as the answer",
    "stale_history": "given on an earlier turn that was replaced since",
    "stale_chain": "given on an earlier turn that was replaced since, in a dialogue of several answers",
    "scrambled_history": "earlier questions were shown in another order, or not all of them",
    "empty_history": "an empty earlier answer was replayed",
    "several_calls": "more than one message was sent; the first is the answer",
    "cut_arguments": "tool arguments end in mid-sentence; the part that arrived is kept",
    "odd_arguments": "tool arguments are not the promised object; nothing is lost",
    "foreign_tool": "a tool was called that was never offered",
    "tool_syntax": "tool-call syntax around the text",
    "template_tokens": "tokens of a chat template around the text",
    "bad_text": "broken characters were replaced",
    "retried_length": "cut at the first budget, asked again with twice as much",
    "truncated": "the text ends where the token budget did",
    "overlong": "far longer than its token budget; the rest was cut off",
    "key_removed": "the answer contained the API key, which was removed",
    "finish_error": "the provider broke off with an error after readable text",
    "content_filter": "a filter ended the text",
    "refusal_field": "the text came in the refusal field",
    "cache_hit": "a gateway replayed a stored reply: not independent",
    FLAG: "equal, word for word, to an earlier run of the same subject; left out",
    "temperature_unsent": "no temperature was sent: the configuration says that the model takes none",
    "schema_refused": "the endpoint rejects JSON schemas; asked without one",
    "effort_refused": "the endpoint rejects reasoning efforts; asked without one",
    "no_answer": "an error message, noise, random words, or a repetition of the prompt or the human",
    "refused": "a refusal where a choice or a self-description was asked for; the rule judge gives no verdict",
    "repeated": "the same words as to at least two other questions",
    "unanswered": "no answer, like at least half of the subject's replies; verdicts on it do not count",
    "control_characters": "control characters or escape sequences of a terminal in the text",
    "short": "fewer than 100 characters, kept as an answer",
    "old_prompt": "asked under an older system prompt",
    "odd_finish": "finished with an error or without a token, and yet an answer",
    "finish_without_call": "said to end in a tool call, without one",
    "summed_attempts": "more tokens than one answer may have: retries were summed",
    "foreign_script": "letters of another script in an English dialogue",
    "reread_verdict": "published as an empty verdict, read again from what the judge wrote",
    "our_rubric": "an imported dialogue, graded by our rubric; the published one is unknown",
    "literal_newlines": "newlines written out as a backslash and an n",
}


def tables(read: StudiedSubjects) -> list[Table]:
    """Marks over all subjects, and the subjects with most of them."""
    by_subject = {config: Counter(flag for cell in own for flag in cell.flags) for config, own in read.planned.items()}
    dialogues = {config: sum(bool(cell.flags) for cell in own) for config, own in read.planned.items()}
    for config, count in read.repeats.dialogues.items():
        if config in by_subject:
            by_subject[config][FLAG] += count
            dialogues[config] += count
    marks = _marks(read, by_subject)
    return [marks, _subjects(read, by_subject, dialogues)] if marks.rows else [marks]


def _marks(read: StudiedSubjects, by_subject: dict[str, Counter[str]]) -> Table:
    total: Counter[str] = sum(by_subject.values(), Counter())
    rows: list[tuple[Value, ...]] = []
    for flag, count in sorted(total.items(), key=lambda pair: (-pair[1], pair[0])):
        having = [config for config, own in by_subject.items() if own[flag]]
        most = max(having, key=lambda config: (by_subject[config][flag], config))
        rows.append(
            (flag, count, len(having), f"{read.about[most].label} ({by_subject[most][flag]})",
             flag in VOID or flag == UNANSWERED, ABOUT.get(flag))
        )  # fmt: skip
    columns = (
        Column("mark", "Mark", "id"), Column("dialogues", "Dialogues", "count"),
        Column("subjects", "Subjects", "count"),
        Column("most", "Most at"), Column("void", "Void", "flag"), Column("about", "Meaning"),
    )  # fmt: skip
    notes = (
        "A void dialogue counts as missing under strict scoring. No other mark changes what a model said of a reply.",
        "The rule judge gives no verdict on a reply marked no_answer or refused.",
    )
    none = ("No answer is marked: none void, cut, replayed or otherwise odd.",)
    return Table("data-quality", "Data quality", columns, tuple(rows), notes if rows else none)


def _subjects(read: StudiedSubjects, by_subject: dict[str, Counter[str]], dialogues: dict[str, int]) -> Table:
    rows: list[tuple[Value, ...]] = [
        (read.about[config].name, dialogues[config],
         dialogues[config] / (len(read.planned[config]) + read.repeats.dialogues.get(config, 0)),
         ", ".join(f"{flag} {count}" for flag, count in own.most_common(4)))
        for config, own in sorted(by_subject.items(), key=lambda pair: (-dialogues[pair[0]], pair[0]))
        if own
    ]  # fmt: skip
    columns = (
        Column("subject", "Subject"), Column("dialogues", "Marked dialogues", "count"),
        Column("share", "Share", "percent"), Column("marks", "Most frequent marks"),
    )  # fmt: skip
    return Table("data-quality-by-subject", "Marked dialogues by subject", columns, tuple(rows))
