"""Rows to fill a store with: an edition `s@e` with subject `a`, and dialogues as long as one likes."""

from __future__ import annotations

from sqlite3 import Connection

from independence.store import context, records
from independence.store.records import CallRow, EditionRow, SubjectRow, TrialRow, VerdictRow
from independence.types import Answer, Attempt, Grade, Missing, Reply, Usage, Where

PLACE = Where("s", "e")


def edition(connection: Connection, name: str = "e", config_dir: str = "a") -> None:
    records.add_edition(connection, EditionRow("s", name, "{}"))
    records.add_subjects(connection, [SubjectRow("s", name, config_dir, f"label {config_dir}", "acme/m", False)])


def trial(
    connection: Connection,
    key: str,
    parent: str | None = None,
    turns: int = 1,
    *,
    edition: str = "e",
    scenario: str = "",
    run: int = 1,
    config_dir: str = "a",
    shape: str = "{}",
) -> None:
    """Plan a trial; its scenario is called like its key unless named."""
    row = TrialRow(key, "s", edition, config_dir, "v", "m", "x", scenario or key, run, parent, turns, shape)
    records.add_trials(connection, [row])


def reply(text: str, thinking: str = "", usd: float = 0.0, flags: tuple[str, ...] = ()) -> Reply:
    usage = Usage(10, 5, 2, 1, usd)
    return Reply(text, "content", thinking=thinking, flags=flags, usage=usage, attempts=(Attempt("ok", 0.5, usage),))


def missing(reason: str = "no_answer", usd: float = 0.0) -> Missing:
    return Missing(reason, "nothing", "raw", (Attempt("empty", 0.5, Usage(cost_usd=usd)),))  # type: ignore[arg-type]


def call(connection: Connection, trial: str, turn: int, at: str, answer: Answer) -> str:
    """Store an answer given at a context; returns the context after it."""
    after = context.extend(at, answer)
    records.add_call(connection, CallRow(trial, turn, f"{trial}_{turn}", at, after, answer))
    return after


def dialogue(connection: Connection, trial: str, *texts: str, parent_after: str | None = None) -> str:
    """Store one answer a text; returns the context at the end."""
    at = context.begin(trial, parent_after)
    for turn, text in enumerate(texts):
        at = call(connection, trial, turn, at, reply(text))
    return at


def verdict(connection: Connection, key: str, trial: str, at: str, grade: Grade, judge: str = "j") -> None:
    records.add_verdict(connection, VerdictRow(key, trial, judge, "rubric", at, "{}", grade))
