from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path

import pytest

from independence.cli.table_output import print_board
from independence.report import analysis
from independence.report.analysis import BoardOptions
from independence.report.board import Board
from independence.store import database
from independence.suites.load import LoadedSuite
from tests.report import filled


def test_every_interval_of_an_index_is_printed_on_its_scale(
    tmp_path: Path, toy_suite: LoadedSuite, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(database.connect(tmp_path / "store.db")) as connection:
        filled.complete(connection, toy_suite, "a", ((10, 9, 1), (1, 2, 9)))
        place = filled.scope(toy_suite)
        built = analysis.board(connection, place, BoardOptions())
        assert isinstance(built.document, Board)
        assert min(ends[0] for ends in built.document.rows[0].intervals.values() if ends) < 0  # JSON has it as it is
        print_board(built, "table", detailed=True)
    said = capsys.readouterr().out
    found = re.findall(r"(?<!from )(-?[0-9.]+) to (-?[0-9.]+)(?! with)", said)
    assert len(found) == 4
    assert all(0 <= float(low) <= float(high) <= 100 for low, high in found)
