from __future__ import annotations

import sqlite3
from pathlib import Path

from independence.store import database
from independence.store.spending import Dates, dates
from independence.suites.load import LoadedSuite
from independence.types import Condition, Where
from tests.report import filled


def of(connection: sqlite3.Connection, loaded: LoadedSuite, judge: str | None) -> Dates:
    return dates(connection, Where("toy", loaded.edition, filled.CONDITION), judge)


def test_dates_are_those_of_current_replies_and_of_one_judge(tmp_path: Path, toy_suite: LoadedSuite) -> None:
    connection = database.connect(tmp_path / "store.db")
    assert of(connection, toy_suite, "cues") == Dates()
    filled.complete(connection, toy_suite, "a", ((8, 6, 2), (7, 7, 3)))
    filled.complete(connection, toy_suite, "b", judge="other")
    connection.execute("UPDATE calls SET answered_at = '2026-03-05T10:00:00+00:00'")
    connection.execute("UPDATE calls SET answered_at = '2026-01-02T10:00:00+00:00' WHERE trial = 'a radio 1'")
    connection.execute("UPDATE calls SET answered_at = '' WHERE trial = 'a radio 2'")  # nobody wrote it down
    connection.execute("UPDATE verdicts SET judged_at = '2026-04-01T00:00:00+00:00' WHERE judge = 'cues'")
    connection.execute("UPDATE verdicts SET judged_at = '2026-05-01T00:00:00+00:00' WHERE judge = 'other'")
    found = of(connection, toy_suite, "cues")
    assert (found.first_reply, found.last_reply) == ("2026-01-02T10:00:00+00:00", "2026-03-05T10:00:00+00:00")
    assert found.first_verdict == found.last_verdict == "2026-04-01T00:00:00+00:00"
    assert of(connection, toy_suite, "other").last_verdict == "2026-05-01T00:00:00+00:00"
    assert of(connection, toy_suite, None).last_verdict is None
    assert dates(connection, Where("toy", toy_suite.edition, Condition("plain", "user_role")), "cues") == Dates()
    connection.close()
