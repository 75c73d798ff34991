"""Everything `validate-judges` prints."""

from __future__ import annotations

import sqlite3

import msgspec

from independence.report.judges import agreement, boards, disputes, panel, preference
from independence.report.place import Place
from independence.report.table import Table

WORST = 10


class Wanted(msgspec.Struct, frozen=True):
    """What is asked of a validation."""

    judges: tuple[str, ...] = ()  # none: all that graded something
    models: tuple[str, ...] = ()  # labels, ids or directories; none: all
    worst: int = WORST  # disagreements listed
    longest: int | None = None  # characters of a text shown; None: all


def validate(connection: sqlite3.Connection, place: Place, wanted: Wanted) -> list[Table]:
    """Boards by judge, agreement, pairs, self-preference, costs, largest disagreements. Raises StoreError.

    A suite without an index has neither boards nor self-preference.
    """
    read = panel.read(connection, place, wanted.judges, wanted.models)
    indexed = place.suite.index is not None
    return [
        *([boards.boards(read)] if indexed else []),
        *agreement.coefficients(read),
        agreement.pairs(read),
        *([preference.favours(read)] if indexed else []),
        boards.costs(connection, read),
        *disputes.tables(connection, read, wanted.worst, wanted.longest),
    ]
