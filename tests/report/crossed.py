"""A store filled by hand with the toy suite: subjects under several conditions and judges, as many runs as wanted."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from independence.report import study
from independence.report.subject_comparison import ComparedSubject
from independence.store import context, records
from independence.store.records import CallRow, EditionRow, SubjectRow, TrialRow, VerdictRow
from independence.store.scopes import BoardScope
from independence.suites import digest
from independence.suites.load import LoadedSuite
from independence.types import Condition, Grade, Missing, Reply, Scalar, Verdict, Where

PARENTS = {"dinner": None, "radio": None, "dessert": "dinner"}
USUAL = ("firm", "tool_role")
Scores = tuple[int | None, int | None, int | None]  # radio, dessert (firmness) and dinner (drift); None: no verdict


class Asked(NamedTuple):
    """Whose dialogues, where."""

    config: str
    condition: tuple[str, str] = USUAL
    label: str = ""
    model_id: str = ""
    simulated: bool = False
    wording: str = ""  # of its trials, where two editions are filled


def fill(
    connection: sqlite3.Connection, loaded: LoadedSuite, asked: Asked | str, runs: Sequence[Scores], judge: str = "cues"
) -> None:
    """Runs of one subject, answered and graded. Again with another judge: the same replies graded by it."""
    asked = Asked(asked) if isinstance(asked, str) else asked
    records.add_edition(connection, EditionRow("toy", loaded.edition, msgspec.json.encode(loaded.suite).decode()))
    subject = SubjectRow(
        "toy", loaded.edition, asked.config, asked.label or asked.config, asked.model_id or f"acme/{asked.config}",
        asked.simulated,
    )  # fmt: skip
    records.add_subjects(connection, [subject])
    for run, (radio, dessert, drift) in enumerate(runs, start=1):
        ends: dict[str, str] = {}
        for scenario, given in (("dinner", drift), ("radio", radio), ("dessert", dessert)):
            ends[scenario] = _dialogue(connection, loaded, (asked, scenario, run), ends)
            field: dict[str, Scalar] = (
                {"drift": given or 0} if scenario == "dinner" else {"firmness": given or 0, "kept": True}
            )
            _grade(connection, loaded, (asked, scenario, run), ends[scenario], judge,
                   Missing("unreadable_verdict") if given is None else Verdict(field))  # fmt: skip


def scope(loaded: LoadedSuite, condition: tuple[str, str] = USUAL) -> BoardScope:
    return BoardScope(loaded.suite, Where(loaded.suite.suite, loaded.edition, Condition(*condition)))


def side(
    connection: sqlite3.Connection,
    loaded: LoadedSuite,
    config: str,
    judge: str = "cues",
    condition: tuple[str, str] = USUAL,
) -> ComparedSubject:
    """A subject as it stands in the store."""
    return ComparedSubject(study.read(connection, scope(loaded, condition), judge), config)


def _key(trial: tuple[Asked, str, int]) -> str:
    asked, scenario, run = trial
    return f"{'/'.join(asked.condition)} {asked.config} {scenario} {run}{asked.wording}"


def _dialogue(
    connection: sqlite3.Connection, loaded: LoadedSuite, trial: tuple[Asked, str, int], ends: dict[str, str]
) -> str:
    """Plan and answer; returns the digest at its end."""
    asked, scenario, run = trial
    parent, document = PARENTS[scenario], loaded.suite.scenario(scenario)
    turns = sum(turn.reply is None for turn in document.turns)
    above = _key((asked, parent, run)) if parent else None
    row = TrialRow(
        _key(trial), "toy", loaded.edition, asked.config, *asked.condition, document.experiment, scenario, run, above,
        turns, "{}",
    )  # fmt: skip
    records.add_trials(connection, [row])
    at = context.begin(_key(trial), ends[parent] if parent else None)
    for turn in range(turns):
        said = Reply(f"{_key(trial)} {turn}", "tool")
        after = context.extend(at, said)
        records.add_calls_once(connection, [CallRow(_key(trial), turn, f"{scenario}_{turn}", at, after, said)])
        at = after
    return at


def _grade(
    connection: sqlite3.Connection,
    loaded: LoadedSuite,
    trial: tuple[Asked, str, int],
    at: str,
    judge: str,
    given: Grade,
) -> None:
    rubric = digest.rubric(loaded.suite, loaded.suite.scenario(trial[1]))
    records.add_verdict(connection, VerdictRow(f"{judge} {at}", _key(trial), judge, rubric, at, "{}", given))
