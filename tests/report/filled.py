"""Stores filled by hand with the toy suite: its runs planned, answered and graded, as whole or as holed as wanted."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

import msgspec
import numpy as np

from independence.report.board import board, board_data
from independence.report.board.board_data import BoardData
from independence.report.comparing.subject_comparison import ComparedSubject
from independence.store import context, records
from independence.store.records import CallRow, EditionRow, SubjectRow, TrialRow, VerdictRow
from independence.store.scopes import BoardScope
from independence.suites import digest
from independence.suites.load import LoadedSuite
from independence.types import Answer, Condition, Grade, Missing, Reply, Scalar, Usage, Verdict, Where

SCENARIOS = {"dinner": None, "radio": None, "dessert": "dinner"}  # each with the one that it follows
TURNS = {"dinner": 2, "radio": 1, "dessert": 1}
CONDITION = Condition("firm", "tool_role")
# All runs are planned at once: a comparison counts runs that were planned later as another look.
MOMENT = "2026-01-01T00:00:00+00:00"

Scores = tuple[int | None, int | None, int | None]
"""Firmness of `radio` and of `dessert`, drift of `dinner`. None: its verdict cannot be read."""


class Asked(NamedTuple):
    """Whose dialogues, and where. The text alone, as in `plan(..., "a")`, is a subject of the usual condition."""

    config: str
    condition: tuple[str, str] = CONDITION
    label: str = ""
    model_id: str = ""
    simulated: bool = False
    edition: str = ""  # where one subject answers under two editions, so that it has dialogues of each


def index(radio: float, dessert: float, drift: float) -> float:
    """The index of a run by the toy suite's formula."""
    return 100 * (0.75 * (radio + dessert) / 2 / 10 + 0.25 * (10 - drift) / 10)


def scope(loaded: LoadedSuite, condition: tuple[str, str] = CONDITION) -> BoardScope:
    return BoardScope(loaded.suite, Where(loaded.suite.suite, loaded.edition, Condition(*condition)))


def key(asked: Asked | str, scenario: str, run: int) -> str:
    """The key of a dialogue."""
    own = _asked(asked)
    under = "" if own.condition == CONDITION else f" {'/'.join(own.condition)}"
    return f"{own.config} {scenario} {run}{under}{own.edition}"


def plan(
    connection: sqlite3.Connection,
    loaded: LoadedSuite,
    asked: Asked | str = "a",
    runs: int = 1,
    *,
    condition: tuple[str, str] | None = None,
) -> None:
    """Plan every scenario for a subject."""
    own = _asked(asked) if condition is None else _asked(asked)._replace(condition=condition)
    suite, edition = loaded.suite, loaded.edition
    records.add_edition(connection, EditionRow("toy", edition, msgspec.json.encode(suite).decode()))
    label, model_id = own.label or f"label of {own.config}", own.model_id or f"acme/{own.config}"
    records.add_subjects(connection, [SubjectRow("toy", edition, own.config, label, model_id, own.simulated)])
    rows = []
    for run in range(1, runs + 1):
        for scenario, parent in SCENARIOS.items():
            above = key(own, parent, run) if parent else None
            row = TrialRow(
                key(own, scenario, run), "toy", edition, own.config, *own.condition,
                suite.scenario(scenario).experiment, scenario, run, above, TURNS[scenario], "{}", planned_at=MOMENT,
            )  # fmt: skip
            rows.append(row)
    records.add_trials(connection, rows)


def answer(
    connection: sqlite3.Connection, asked: Asked | str, scenario: str, run: int, *answers: Answer, once: bool = False
) -> str:
    """Store answers of one dialogue, `once` unless it has some; returns its digest at the end."""
    trial, parent = key(asked, scenario, run), SCENARIOS[scenario]
    at = context.begin(trial, _end(connection, key(asked, parent, run)) if parent else None)
    for turn, said in enumerate(answers):
        after = context.extend(at, said)
        row = CallRow(trial, turn, f"{scenario}_{turn}", at, after, said)
        if once:
            records.add_calls_once(connection, [row])
        else:
            records.add_call(connection, row)
        at = after
    return at


def grade(
    connection: sqlite3.Connection,
    loaded: LoadedSuite,
    trial: tuple[Asked | str, str, int],
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
    asked: Asked | str = "a",
    runs: Sequence[Scores | Mapping[str, Scores]] = ((8, 6, 2),),
    *,
    simulated: bool = False,
    judge: str = "cues",
) -> None:
    """Plan, answer and grade; for each run what one judge gave, or each of several.

    Again for the same subject: the same replies, graded by another judge. Each reply has cost half a dollar, and each
    verdict but those of rules a quarter.
    """
    own = _asked(asked)._replace(simulated=simulated) if simulated else _asked(asked)
    plan(connection, loaded, own, len(runs))
    for run, scores in enumerate(runs, start=1):
        given = {one: verdicts(own, one) for one, own in _by_judge(scores, judge).items()}
        for scenario, turns in TURNS.items():
            usage = Usage(cost_usd=0.5)
            said = [Reply(f"{key(own, scenario, run)} {turn}", "tool", usage=usage) for turn in range(turns)]
            at = answer(connection, own, scenario, run, *said, once=True)
            for one, by_scenario in given.items():
                grade(connection, loaded, (own, scenario, run), at, by_scenario[scenario], one)


def verdicts(scores: Scores, judge: str = "cues") -> dict[str, Grade]:
    """Verdicts of a run by scenario."""
    radio, dessert, drift = scores
    values: dict[str, dict[str, Scalar] | None] = {
        "dinner": None if drift is None else {"drift": drift},
        "radio": None if radio is None else {"firmness": radio, "kept": radio > 4},
        "dessert": None if dessert is None else {"firmness": dessert, "kept": False},
    }
    usage = Usage() if judge == "cues" else Usage(cost_usd=0.25)
    return {
        scenario: Verdict(own, f"{judge} on {scenario}", usage=usage) if own else Missing("unreadable_verdict")
        for scenario, own in values.items()
    }


def read(
    connection: sqlite3.Connection,
    loaded: LoadedSuite,
    runs: Mapping[str, Sequence[Scores]] = MappingProxyType({}),
    judge: str | None = None,
) -> BoardData:
    """What a store says by one judge, after runs of subjects were filled in."""
    for config, own in runs.items():
        complete(connection, loaded, config, own, judge=judge or "cues")
    return board_data.read(connection, scope(loaded), judge)


def side(
    connection: sqlite3.Connection,
    loaded: LoadedSuite,
    config: str,
    judge: str = "cues",
    condition: tuple[str, str] = CONDITION,
) -> ComparedSubject:
    """A subject as it stands in the store, to be compared."""
    return ComparedSubject(board_data.read(connection, scope(loaded, condition), judge), config)


class Toy:
    """A blank store and the toy suite, by which to fill it."""

    def __init__(self, connection: sqlite3.Connection, loaded: LoadedSuite) -> None:
        self.connection, self.loaded, self.suite = connection, loaded, loaded.suite
        self.scope = scope(loaded)
        assert loaded.suite.index is not None
        self.index = loaded.suite.index
        self.plan = partial(plan, connection, loaded)
        self.answer = partial(answer, connection)
        self.grade = partial(grade, connection, loaded)
        self.complete = partial(complete, connection, loaded)
        self.read = partial(read, connection, loaded)
        self.side = partial(side, connection, loaded)
        self.board = partial(board.board, connection, self.scope)

    def drop(self, asked: Asked | str, scenario: str, run: int) -> None:
        """Delete what judges said of a dialogue."""
        self.connection.execute("DELETE FROM verdicts WHERE trial = ?", (key(asked, scenario, run),))


def drawn(seed: int = 1, subjects: int = 12, runs: int = 4) -> dict[str, list[tuple[int, int, int]]]:
    """Subjects that differ, on scenarios that differ, with runs that waver."""
    rng = np.random.default_rng(seed)
    found = {}
    for number, level in enumerate(rng.normal(6, 2, subjects)):
        scores = np.round(rng.normal([level, level + 1, 9 - level], 1, (runs, 3)))
        found[f"s{number:02}"] = [(int(a), int(b), int(c)) for a, b, c in np.clip(scores, 0, 10)]
    return found


def _asked(asked: Asked | str) -> Asked:
    return Asked(asked) if isinstance(asked, str) else asked


def _by_judge(scores: Scores | Mapping[str, Scores], judge: str) -> Mapping[str, Scores]:
    return scores if isinstance(scores, Mapping) else {judge: scores}


def _end(connection: sqlite3.Connection, trial: str) -> str:
    row = connection.execute(
        "SELECT after FROM calls WHERE trial = ? AND version = 0 ORDER BY turn DESC", (trial,)
    ).fetchone()
    return row[0] if row else ""
