"""Everything `validate-judges` prints."""

from __future__ import annotations

import sqlite3

import msgspec

from independence.report.judges import agreement, boards, disagreements, human_agreement, panel, preference
from independence.report.judges.panel import JudgePanel
from independence.report.table import Table
from independence.store.scopes import BoardScope

WORST = 10


class ValidationOptions(msgspec.Struct, frozen=True):
    """What is asked of a validation."""

    judges: tuple[str, ...] = ()  # none: all that graded something
    models: tuple[str, ...] = ()  # labels, ids or directories; none: all
    worst: int = WORST  # disagreements listed
    longest: int | None = None  # characters of a text shown; None: all


def validate(connection: sqlite3.Connection, scope: BoardScope, wanted: ValidationOptions) -> list[Table]:
    """Boards by judge, agreement, pairs, people, self-preference, costs, largest disagreements. Raises StoreError.

    A suite without an index has neither boards nor self-preference. People, who score a sample, stand against judges in
    a table of their own and take no part in the others but the disagreements.
    """
    whole = panel.read(connection, scope, wanted.judges, wanted.models)
    read = human_agreement.without_people(whole)
    scored = human_agreement.table(whole)
    return [
        *(_judges(connection, read) if read else []),
        *([scored] if scored else []),
        *disagreements.tables(connection, whole, wanted.worst, wanted.longest),
    ]


def _judges(connection: sqlite3.Connection, read: JudgePanel) -> list[Table]:
    indexed = read.scope.suite.index is not None
    return [
        *([boards.boards(read)] if indexed else []),
        *agreement.coefficients(read),
        agreement.pairs(read),
        *([preference.favours(read)] if indexed else []),
        boards.costs(connection, read),
    ]
