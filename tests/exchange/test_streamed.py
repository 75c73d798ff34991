from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from independence.config.subjects import Subject
from independence.exchange import cache, export_tables
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


def while_written(rows: Iterable[object]) -> list[int]:
    before = held()
    return [held() - before for _ in rows]


def written(path: Path, loaded: LoadedSuite, subjects: int) -> dict[str, tuple[int, int]]:
    """Rows of every table, and how many rows of the store were in memory at most while they were written.

    As `published` the same of the files of the published layout.
    """
    with closing(database.connect(path)) as connection:
        for number in range(subjects):
            made = planned.trials(loaded.suite, Subject(f"lab/m{number}", "lab", f"m{number}"), runs=2)
            planned.store(connection, loaded, list(made.values()))
            for (scenario, run), trial in sorted(made.items(), key=lambda one: one[1].parent is not None):
                said = [f"{scenario} {run}"] * trial.dialogue.generated
                at = planned.answer(connection, trial, *said)
                planned.grade(connection, trial, f"{trial.key} by zoe", at, Verdict({"drift": 2}), "zoe")
        scope = scopes.find(connection, None, None, None)
        edition = shelf.of(connection, [scope])
        found = {table.name: while_written(table.rows()) for table in export_tables.tables(edition)}
        contents = cache.files(connection, [scope], "zoe", edition.about).values()
        found["published"] = while_written(chain.from_iterable(contents))
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


def test_a_published_file_is_made_when_it_is_read(
    tmp_path: Path, toy_suite: LoadedSuite, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[bytes] = []
    encoded = cache._encoded

    def encode(record: dict[str, Any]) -> bytes:
        made.append(encoded(record))
        return made[-1]

    monkeypatch.setattr(cache, "_encoded", encode)
    with closing(database.connect(tmp_path / "store.db")) as connection:
        asked = planned.trials(toy_suite.suite, Subject("lab/m", "lab", "m"), runs=3)
        planned.store(connection, toy_suite, list(asked.values()))
        for run in (1, 2, 3):
            planned.answer(connection, asked["dinner", run], "Soup.", "Soup again.")
        edition = shelf.of(connection, [scopes.find(connection, None, None, None)])
        files = cache.files(connection, edition.places, "zoe", edition.about)
        assert len(files) == 6
        for number, content in enumerate(files.values()):
            assert len(made) == number
            assert list(content) == made[number:]
