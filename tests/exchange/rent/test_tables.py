from __future__ import annotations

from pathlib import Path

from independence.exchange.rent import reader, records
from independence.exchange.rent.reader import ImportedFolder
from independence.suites.load import LoadedSuite
from independence.suites.schema import Suite

from . import folders
from .folders import MODEL, OTHER, TRIPLET, answer, judged


def read(top: Path, suite: Suite) -> ImportedFolder:
    found = records.find(top)
    assert found is not None
    return reader.read(found, LoadedSuite(suite, ""))


def test_a_row_a_model(tmp_path: Path, rent: Suite) -> None:
    table = reader.table(read(folders.whole(tmp_path, rent), rent))
    assert table.rows == ((MODEL, 1, 3, 3, 0, 3),)
    assert table.notes == ("scored by acme/judge",)


def test_failures_and_scores_off_the_scale_are_not_counted_as_answers_and_scores(tmp_path: Path, rent: Suite) -> None:
    said = [answer(rent, "000"), folders.failed(rent, "001"), answer(rent, "002"), answer(rent, "000", OTHER)]
    given = [judged(said[0], 7), *(judged(one) for one in said[1:])]
    top = folders.write(tmp_path, answers=said, judged=given, snapshot=folders.snapshot(rent, TRIPLET))
    models = reader.table(read(top, rent))
    assert models.rows == ((MODEL, 1, 3, 2, 1, 1), (OTHER, 1, 3, 1, 0, 1))


def test_a_run_without_scores_says_what_to_do(tmp_path: Path, rent: Suite) -> None:
    table = reader.table(read(folders.write(tmp_path, answers=[answer(rent, "000")]), rent))
    assert table.notes == ("no scores: `independence judge` grades",)
