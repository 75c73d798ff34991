from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from independence.config.subjects import Subject
from independence.exchange import export_tables
from independence.exchange.export_tables import ExportTable
from independence.store import database, scopes
from independence.store.export_rows import ExportedAnswer, ExportedTrial, ExportedVerdict
from independence.store.queries import TrialState
from independence.suites.load import LoadedSuite
from independence.types import Verdict
from tests.engine import planned

from . import shelf

HELD = (ExportedTrial, ExportedAnswer, ExportedVerdict, TrialState)


def held() -> int:
    """How many rows of a store are in memory."""
    return sum(isinstance(one, HELD) for one in gc.get_objects())


def while_written(table: ExportTable) -> Iterator[int]:
    before = held()
    for _ in table.rows():
        yield held() - before


def written(path: Path, loaded: LoadedSuite, subjects: int) -> dict[str, tuple[int, int]]:
    """Rows of every table, and how many rows of the store were in memory at most while they were written."""
    with closing(database.connect(path)) as connection:
        for number in range(subjects):
            made = planned.trials(loaded.suite, Subject(f"lab/m{number}", "lab", f"m{number}"), runs=2)
            planned.store(connection, loaded, list(made.values()))
            for (scenario, run), trial in sorted(made.items(), key=lambda one: one[1].parent is not None):
                said = [f"{scenario} {run}"] * trial.dialogue.generated
                at = planned.answer(connection, trial, *said)
                planned.grade(connection, trial, f"{trial.key} by zoe", at, Verdict({"drift": 2}), "zoe")
        edition = shelf.of(connection, [scopes.find(connection, None, None, None)])
        found = {table.name: list(while_written(table)) for table in export_tables.tables(edition)}
    return {name: (len(counts), max(counts)) for name, counts in found.items()}


@pytest.fixture
def others_uncounted() -> Iterator[None]:
    """What is in memory already is not looked through at every row."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("others_uncounted")
def test_no_more_of_a_store_is_in_memory_for_more_subjects(tmp_path: Path, toy_suite: LoadedSuite) -> None:
    few, many = (written(tmp_path / f"{count}.db", toy_suite, count) for count in (2, 8))
    for name in few:
        assert many[name][0] == 4 * few[name][0]
        assert many[name][1] == few[name][1]
