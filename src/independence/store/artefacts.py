"""What judges wrote before they graded: the outputs of a rubric's steps, one row each."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from independence.store import records
from independence.store.file import digests
from independence.types import Answer, MissingReason


class ArtefactRow(msgspec.Struct, frozen=True):
    """One settled step of one judge on one finished dialogue."""

    key: str
    trial: str
    judge: str
    step: str
    position: int  # of the step in its rubric, from 0
    wording: str  # digest of the step's prompt and the variables it quotes
    context: str
    settings: str
    output: Answer


class StepOutput(NamedTuple):
    """What a step came to."""

    text: str
    missing: MissingReason | None
    detail: str = ""


def add(connection: sqlite3.Connection, row: ArtefactRow) -> None:
    """Store a step; the same key again stays as it is."""
    output, own = row.output, msgspec.structs.asdict(row)
    del own["output"]
    text = {"text": getattr(output, "text", ""), "raw": output.raw, "written_at": records.now()}
    records.settle(connection, row.trial, row.judge)
    digests.insert(connection, "artefacts", [own | records.spent(output) | text])


def known(connection: sqlite3.Connection, key: str) -> StepOutput | None:
    """What the step of that key came to; None where it is not stored."""
    row = connection.execute("SELECT text, missing, detail FROM artefacts WHERE key = ?", (key,)).fetchone()
    return StepOutput._make(row) if row else None


def forget(connection: sqlite3.Connection, verdicts: Iterable[str], *, broken: bool) -> None:
    """Delete the steps that verdicts rest on, by the verdicts' keys; with `broken` only those that came to nothing.

    Steps that another verdict of the same judge on the same dialogue rests on stay with it.
    """
    gone = list(verdicts)
    left = "SELECT 1 FROM verdicts o WHERE o.trial = v.trial AND o.judge = v.judge AND o.context = v.context"
    found = connection.execute(
        "SELECT v.trial, v.judge, v.context FROM verdicts v WHERE v.key IN (SELECT value FROM json_each(?1)) "
        f"AND (?2 OR NOT EXISTS ({left} AND o.key NOT IN (SELECT value FROM json_each(?1))))",
        (msgspec.json.encode(gone).decode(), broken),
    ).fetchall()
    only = " AND missing IS NOT NULL" if broken else ""
    connection.executemany(f"DELETE FROM artefacts WHERE trial = ? AND judge = ? AND context = ?{only}", found)
