from __future__ import annotations

import sqlite3

import msgspec
import pytest

from independence.errors import StoreError
from independence.report import board_notes, study
from independence.suites.load import LoadedSuite

from . import filled


def test_a_place_is_read_whatever_its_suite_measures(connection: sqlite3.Connection, toy_suite: LoadedSuite) -> None:
    filled.complete(connection, toy_suite, "a", simulated=True)
    filled.plan(connection, toy_suite, "b")
    bare = msgspec.structs.replace(toy_suite.suite, index=None)
    read = study.read_place(connection, filled.scope(toy_suite)._replace(suite=bare))
    assert (read.judge, list(read.about), len(read.planned["b"])) == ("cues", ["a", "b"], 3)
    where, days, simulated, missing = board_notes.place_notes(read)
    assert where == f"toy@{toy_suite.edition}, firm/tool_role, judge cues"
    assert simulated == board_notes.SIMULATED_NOTE
    assert missing == "label of b: missing not_run 3."
    assert list(read.only(["label of b"]).planned) == ["b"]
    assert board_notes.place_notes(read.only(["label of b"])) == [where, days, missing]
    with pytest.raises(StoreError, match="no subject `c`"):
        read.only(["c"])
