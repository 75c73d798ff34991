from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from independence.config.subjects import Subject
from independence.errors import StoreError
from independence.exchange.export_tables import chosen_subjects, model_names
from independence.store import database, scopes
from independence.suites.load import LoadedSuite
from independence.types import Sampling
from tests.engine import planned

ONE = Subject("acme/one", "openrouter", "acme/one")
WARM = Subject("acme/one", "openrouter", "acme/one", Sampling(1.0, "low"))
TWO = Subject("acme/two", "openrouter", "acme/two")


@pytest.fixture
def connection(tmp_path: Path, toy_suite: LoadedSuite) -> sqlite3.Connection:
    opened = database.connect(tmp_path / "store.db")
    for subject in (TWO, WARM, ONE):
        planned.store(opened, toy_suite, list(planned.trials(toy_suite.suite, subject).values()))
    return opened


def test_none_named_is_all_of_them(connection: sqlite3.Connection) -> None:
    found = chosen_subjects(connection, scopes.find(connection, None, None, None))
    assert list(found) == [ONE.config_dir, WARM.config_dir, TWO.config_dir]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("acme/one", [ONE, WARM]), (ONE.label, [ONE]), (WARM.config_dir, [WARM]), ("acme/two", [TWO])],
)
def test_a_subject_answers_to_label_id_and_directory(
    name: str, expected: list[Subject], connection: sqlite3.Connection
) -> None:
    found = chosen_subjects(connection, scopes.find(connection, None, None, None), [name])
    assert list(found) == [subject.config_dir for subject in expected]


def test_a_name_nobody_has_is_refused(connection: sqlite3.Connection) -> None:
    with pytest.raises(StoreError, match=r"no subject `acme/thre`.*"):
        chosen_subjects(connection, scopes.find(connection, None, None, None), ["acme/one", "acme/thre"])


def test_configurations_of_one_model_are_told_apart_by_their_labels(connection: sqlite3.Connection) -> None:
    scope = scopes.find(connection, None, None, None)
    assert model_names(chosen_subjects(connection, scope)) == {
        ONE.config_dir: ONE.label, WARM.config_dir: WARM.label, TWO.config_dir: "acme/two"
    }  # fmt: skip
    assert model_names(chosen_subjects(connection, scope, [ONE.label])) == {ONE.config_dir: "acme/one"}
