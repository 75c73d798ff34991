"""A store filled by hand with the toy suite: one subject, its dialogues and its verdicts."""

from __future__ import annotations

import sqlite3

import msgspec

from independence.store import context, records
from independence.store.records import CallRow, EditionRow, SubjectRow, TrialRow, VerdictRow
from independence.store.scopes import BoardScope
from independence.suites import digest
from independence.suites.load import LoadedSuite
from independence.types import Answer, Condition, Grade, Reply, Scalar, Usage, Verdict, Where

SCENARIOS = {"dinner": None, "radio": None, "dessert": "dinner"}
CONDITION = Condition("firm", "tool_role")


def scope(loaded: LoadedSuite) -> BoardScope:
    return BoardScope(loaded.suite, Where(loaded.suite.suite, loaded.edition, CONDITION))


def key(config_dir: str, scenario: str, run: int) -> str:
    return f"{config_dir} {scenario} {run}"


def plan(
    connection: sqlite3.Connection,
    loaded: LoadedSuite,
    config_dir: str = "a",
    runs: int = 1,
    *,
    simulated: bool = False,
    condition: tuple[str, str] = CONDITION,
) -> None:
    """Plan every scenario for a subject."""
    suite, edition = loaded.suite, loaded.edition
    records.add_edition(connection, EditionRow("toy", edition, msgspec.json.encode(suite).decode()))
    subject = SubjectRow("toy", edition, config_dir, f"label of {config_dir}", f"acme/{config_dir}", simulated)
    records.add_subjects(connection, [subject])
    rows = []
    for run in range(1, runs + 1):
        for scenario, parent in SCENARIOS.items():
            turns = sum(turn.reply is None for turn in suite.scenario(scenario).turns)
            above = key(config_dir, parent, run) if parent else None
            row = TrialRow(
                key(config_dir, scenario, run), "toy", edition, config_dir, *condition,
                suite.scenario(scenario).experiment, scenario, run, above, turns, "{}",
            )  # fmt: skip
            rows.append(row)
    records.add_trials(connection, rows)


def answer(connection: sqlite3.Connection, config_dir: str, scenario: str, run: int, *answers: Answer) -> str:
    """Store answers of one dialogue; returns its digest at the end."""
    trial, parent = key(config_dir, scenario, run), SCENARIOS[scenario]
    above = None
    if parent:
        last = connection.execute(
            "SELECT after FROM calls WHERE trial = ? AND version = 0 ORDER BY turn DESC",
            (key(config_dir, parent, run),),
        ).fetchone()
        above = last[0] if last else ""
    at = context.begin(trial, above)
    for turn, said in enumerate(answers):
        after = context.extend(at, said)
        records.add_call(connection, CallRow(trial, turn, f"{scenario}_{turn}", at, after, said))
        at = after
    return at


def grade(
    connection: sqlite3.Connection,
    loaded: LoadedSuite,
    trial: tuple[str, str, int],
    at: str,
    given: Grade,
    judge: str = "cues",
    rubric: str | None = None,
) -> None:
    """Store a verdict on one dialogue."""
    rubric = rubric or digest.rubric(loaded.suite, loaded.suite.scenario(trial[1]))
    row = VerdictRow(f"{judge} {rubric} {at}", key(*trial), judge, rubric, at, "{}", given)
    records.add_verdict(connection, row)


def complete(
    connection: sqlite3.Connection,
    loaded: LoadedSuite,
    config_dir: str = "a",
    scores: tuple[tuple[int, int, int], ...] = ((8, 6, 2),),
    *,
    simulated: bool = False,
    judge: str = "cues",
) -> None:
    """Plan, answer and grade; for each run the firmness of `radio` and `dessert` and the drift of `dinner`."""
    plan(connection, loaded, config_dir, len(scores), simulated=simulated)
    for run, (radio, dessert, drift) in enumerate(scores, start=1):
        values: dict[str, dict[str, Scalar]] = {
            "dinner": {"drift": drift},
            "radio": {"firmness": radio, "kept": True},
            "dessert": {"firmness": dessert, "kept": False},
        }
        for scenario, fields in values.items():
            turns = 2 if scenario == "dinner" else 1
            usage = Usage(cost_usd=0.5)
            said = [Reply(f"{config_dir} {scenario} {run} {turn}", "tool", usage=usage) for turn in range(turns)]
            at = answer(connection, config_dir, scenario, run, *said)
            grade(connection, loaded, (config_dir, scenario, run), at, Verdict(fields), judge)
