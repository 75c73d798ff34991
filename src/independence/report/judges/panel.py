"""What several judges say of the same dialogues, read once."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from independence.errors import StoreError
from independence.report import planned_verdicts
from independence.report.judge_choice import independent, judge
from independence.report.planned_verdicts import PlannedVerdict
from independence.report.study import SubjectInfo
from independence.store import name_lookup, queries
from independence.store.scopes import BoardScope
from independence.types import Scalar

Values = Mapping[str, Scalar]


class DialogueKey(NamedTuple):
    """Where one graded dialogue stands."""

    config_dir: str
    scenario: str
    run: int


class JudgePanel(NamedTuple):
    """A place under several judges."""

    scope: BoardScope
    judges: tuple[str, ...]
    about: Mapping[str, SubjectInfo]  # config_dir -> subject, in the order of config_dir
    planned: Mapping[str, Mapping[str, Sequence[PlannedVerdict]]]  # judge -> config_dir -> planned verdicts
    given: Mapping[DialogueKey, Mapping[str, Values]]  # valid verdicts by judge, of dialogues that have any

    @property
    def shared(self) -> dict[DialogueKey, Mapping[str, Values]]:
        """Dialogues with valid verdicts by at least two judges."""
        return {dialogue: given for dialogue, given in self.given.items() if len(given) > 1}

    @property
    def common(self) -> dict[DialogueKey, Mapping[str, Values]]:
        """Dialogues with valid verdicts by every judge."""
        return {dialogue: given for dialogue, given in self.given.items() if len(given) == len(self.judges)}

    @property
    def heads(self) -> dict[str, str]:
        """Judge -> the part of its name after the last slash, or the whole where two share that."""
        short = {judge: judge.rsplit("/", 1)[-1] for judge in self.judges}
        return {judge: name if list(short.values()).count(name) == 1 else judge for judge, name in short.items()}


def read(
    connection: sqlite3.Connection, scope: BoardScope, judges: Sequence[str] = (), models: Sequence[str] = ()
) -> JudgePanel:
    """Read a place under the named judges, or all. `models`: only these labels, ids or directories.

    Raises StoreError where a judge or subject is not there, or no dialogue was graded by two of the judges.
    """
    names = _judges(connection, scope, judges)
    about = _subjects(connection, scope, models)
    planned: dict[str, dict[str, list[PlannedVerdict]]] = {}
    given: dict[DialogueKey, dict[str, Values]] = {}
    for name in names:
        own: dict[str, list[PlannedVerdict]] = {}
        for cell in planned_verdicts.planned_verdicts(connection, scope, name).planned:
            if cell.config_dir in about:
                own.setdefault(cell.config_dir, []).append(cell)
                if cell.values is not None:
                    where = DialogueKey(cell.config_dir, cell.scenario, cell.run)
                    given.setdefault(where, {})[name] = cell.values
        planned[name] = own
    there = {config: who for config, who in about.items() if config in planned[names[0]]}
    panel = JudgePanel(scope, names, there, planned, given)
    if not panel.shared:
        raise StoreError(f"no dialogue here was graded by two of {', '.join(names)}; {_advice(names)}")
    return panel


def _judges(connection: sqlite3.Connection, scope: BoardScope, asked: Sequence[str]) -> tuple[str, ...]:
    stored = queries.verdicts(connection, scope.where)
    asked = [judge(stored, name) for name in asked]
    there = tuple(independent(stored))
    if len({*there, *asked}) < 2:
        held = f"there are only verdicts by `{there[0]}`" if there else "nothing is graded yet"
        raise StoreError(f"two judges are needed and {held}; {_advice(there)}")
    named = tuple(dict.fromkeys(asked))
    if len(named) == 1:
        raise StoreError(f"two judges are needed and only `{named[0]}` was named; judges: {', '.join(there)}")
    return named or there


def _advice(there: Sequence[str]) -> str:
    other = "MODEL" if "cues" in there else "cues"
    return f"`independence judge -j {other}` grades the stored replies once more, beside what is there"


def _subjects(connection: sqlite3.Connection, scope: BoardScope, models: Sequence[str]) -> dict[str, SubjectInfo]:
    rows = queries.subjects(connection, scope.where)
    about = {config: SubjectInfo(*row) for config, row in sorted(rows.items())}
    if not models:
        return about
    known = name_lookup.of_edition(connection, scope.where)
    chosen = name_lookup.subjects(models, known, "here")
    return {config: who for config, who in about.items() if config in chosen}
