"""Boards of several editions of one wording."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import msgspec
import pytest

from independence.api.reading import Store
from independence.errors import StoreError
from independence.report.board import Board, board
from independence.store import scopes
from independence.suites import without_texts
from independence.suites.load import LoadedSuite
from independence.types import Missing

from . import filled

ONE, OTHER = ((8, 6, 2), (7, 6, 2)), ((9, 9, 1), (9, 8, 1))


def word(connection: sqlite3.Connection, wording: str, *editions: str) -> None:
    for edition in editions:
        connection.execute("UPDATE editions SET wording = ? WHERE edition = ?", (wording, edition))


def shared(connection: sqlite3.Connection, loaded: LoadedSuite, *, scoring: str = "strict") -> Board:
    return board(connection, scopes.with_same_wording(connection, filled.scope(loaded)), scoring)


@pytest.fixture
def imported(toy_suite: LoadedSuite) -> LoadedSuite:
    return LoadedSuite(toy_suite.suite, "published")


@pytest.fixture
def retitled(toy_suite: LoadedSuite) -> LoadedSuite:
    return LoadedSuite(msgspec.structs.replace(toy_suite.suite, title="Another"), "0123abcd")


def test_imports_and_others_stand_on_one_board_each_marked(
    connection: sqlite3.Connection, toy_suite: LoadedSuite, imported: LoadedSuite
) -> None:
    filled.complete(connection, toy_suite, "weak", ONE)
    filled.complete(connection, imported, "strong", OTHER)
    word(connection, "1a2b3c4d", toy_suite.edition, "published")
    found = shared(connection, imported)
    assert [(row.rank, row.config, row.origin) for row in found.rows] == [
        (1, "strong@published", "imported"),
        (2, "weak", "measured here"),
    ]
    assert found.edition == toy_suite.edition
    assert found.editions == (toy_suite.edition, "published")
    assert [row.cost_usd for row in found.rows] == [4.0, 4.0]
    assert found == shared(connection, toy_suite)


def test_numbers_are_those_of_the_editions_alone(
    connection: sqlite3.Connection, toy_suite: LoadedSuite, imported: LoadedSuite
) -> None:
    filled.complete(connection, toy_suite, "weak", ONE)
    filled.complete(connection, imported, "strong", OTHER)
    word(connection, "1a2b3c4d", toy_suite.edition, "published")
    alone = [board(connection, filled.scope(loaded)).rows[0] for loaded in (imported, toy_suite)]
    for row, own in zip(shared(connection, toy_suite).rows, alone, strict=True):
        assert (row.label, row.index, row.per_run, row.bounds) == (own.label, own.index, own.per_run, own.bounds)
        assert own.origin is msgspec.UNSET


def test_one_configuration_of_both_origins_has_two_rows_and_two_names(
    connection: sqlite3.Connection, toy_suite: LoadedSuite, imported: LoadedSuite
) -> None:
    for loaded in (toy_suite, imported):
        filled.complete(connection, loaded, "a", ONE)
    word(connection, "1a2b3c4d", toy_suite.edition, "published")
    assert [(row.config, row.label) for row in shared(connection, toy_suite).rows] == [
        ("a", "label of a"),
        ("a@published", "label of a@published"),
    ]


def test_editions_of_ones_own_with_one_wording_are_one_and_count_a_dialogue_once(
    connection: sqlite3.Connection, toy_suite: LoadedSuite, retitled: LoadedSuite
) -> None:
    filled.complete(connection, toy_suite, "a", ONE)
    filled.plan(connection, retitled, "a", 3)
    filled.complete(connection, retitled, "b", OTHER)
    word(connection, "1a2b3c4d", toy_suite.edition, "0123abcd")
    rows = {row.config: row for row in shared(connection, toy_suite).rows}
    assert {config: (row.runs, row.origin) for config, row in rows.items()} == {
        "a": (3, msgspec.UNSET),
        "b": (2, msgspec.UNSET),
    }
    assert rows["a"].coverage == pytest.approx(2 / 3)


def test_other_wordings_and_unknown_ones_never_mix(
    connection: sqlite3.Connection, toy_suite: LoadedSuite, imported: LoadedSuite, retitled: LoadedSuite
) -> None:
    for name, loaded in (("a", toy_suite), ("b", imported), ("c", retitled)):
        filled.complete(connection, loaded, name, ONE)
    for wordings in (("", "", ""), ("1a2b3c4d", "", "0000ffff")):
        for loaded, wording in zip((toy_suite, imported, retitled), wordings, strict=True):
            word(connection, wording, loaded.edition)
        for name, loaded in (("a", toy_suite), ("b", imported), ("c", retitled)):
            found = shared(connection, loaded)
            assert [row.config for row in found.rows] == [name]
            assert found.editions is msgspec.UNSET


def test_an_edition_without_trials_under_the_condition_stays_away(
    connection: sqlite3.Connection, toy_suite: LoadedSuite, imported: LoadedSuite
) -> None:
    filled.complete(connection, toy_suite, "a", ONE)
    filled.plan(connection, imported, "b", condition=("plain", "user_role"))
    word(connection, "1a2b3c4d", toy_suite.edition, "published")
    scope = filled.scope(toy_suite)
    assert scopes.with_same_wording(connection, scope) == scope


def test_missing_verdicts_of_imports_and_others_are_told_as_ever(
    connection: sqlite3.Connection, toy_suite: LoadedSuite, imported: LoadedSuite
) -> None:
    filled.complete(connection, imported, "b", ONE)
    filled.plan(connection, toy_suite, "a")
    filled.answer(connection, "a", "radio", 1, Missing("no_answer"))
    word(connection, "1a2b3c4d", toy_suite.edition, "published")
    rows = {row.config: row for row in shared(connection, toy_suite).rows}
    assert rows["a"].flags == {"missing:no_answer": 1, "missing:not_run": 2}
    assert rows["b@published"].coverage == 1


def test_a_name_means_all_editions_of_a_wording_and_an_edition_itself_alone(
    tmp_path: Path, connection: sqlite3.Connection, toy_suite: LoadedSuite, imported: LoadedSuite, retitled: LoadedSuite
) -> None:
    for name, loaded in (("c", retitled), ("a", toy_suite), ("b", imported)):
        filled.complete(connection, loaded, name, ONE)
    word(connection, "1a2b3c4d", toy_suite.edition, "published")
    connection.execute("UPDATE editions SET used_at = '2020' WHERE edition = '0123abcd'")
    told: list[str] = []
    with Store(tmp_path / "store.db", told.append) as store:
        with pytest.raises(StoreError, match="the store holds several suite editions"):
            store.board()
        assert {row.config for row in store.board("toy").built.document.rows} == {"a", "b@published"}
        which = f"toy@{toy_suite.edition} and toy@published are of the wording used last"
        assert told == [f"{which}; --suite takes another: toy@0123abcd"]
        assert [row.config for row in store.board("toy@published").built.document.rows] == ["b"]
        word(connection, "1a2b3c4d", "0123abcd")
        assert len(store.board().built.document.rows) == 3


def test_an_import_graded_by_adopted_prompts_says_so_on_a_board_of_its_own(
    connection: sqlite3.Connection, toy_suite: LoadedSuite, imported: LoadedSuite
) -> None:
    index = msgspec.structs.replace(toy_suite.suite.index, published_rule="v2")
    rubrics = {
        name: msgspec.structs.replace(rubric, prompt_as="published") for name, rubric in toy_suite.suite.rubrics.items()
    }
    adopted = msgspec.structs.replace(toy_suite.suite, index=index, rubrics=rubrics)
    textless = LoadedSuite(without_texts.without_texts(adopted), "published")
    filled.complete(connection, textless, judge="acme/judge")
    told = board(connection, filled.scope(textless))
    assert (told.words, told.judge_prompt, told.wording) == ("published", msgspec.UNSET, msgspec.UNSET)
    connection.execute(
        "UPDATE editions SET read_as = ?, wording = '1a2b3c4d' WHERE edition = 'published'",
        (msgspec.json.encode(adopted).decode(),),
    )
    told = board(connection, filled.scope(textless))
    assert (told.words, told.judge_prompt, told.wording) == ("published", "as published", "1a2b3c4d")
    ours = LoadedSuite(msgspec.structs.replace(toy_suite.suite, index=index), "0123abcd")
    filled.plan(connection, ours)
    assert board(connection, filled.scope(ours)).words == "own"


def test_editions_of_one_wording_whose_index_differs_never_share_a_board(
    connection: sqlite3.Connection, toy_suite: LoadedSuite, imported: LoadedSuite
) -> None:
    suite, index = toy_suite.suite, toy_suite.suite.index
    assert index is not None
    first, *others = index.components
    lighter, relabelled = (
        msgspec.structs.replace(index, components=(msgspec.structs.replace(first, **changes), *others))
        for changes in ({"worst": first.worst - 1}, {"label": "Another"})
    )
    name, rubric = next((name, one) for name, one in suite.rubrics.items() if "kept" in one.fields)
    needy = msgspec.structs.replace(rubric.fields["firmness"], requires=("kept",))
    rubrics = {**suite.rubrics, name: msgspec.structs.replace(rubric, fields={**rubric.fields, "firmness": needy})}
    changed: list[tuple[str, dict[str, object]]] = [
        ("11111111", {"index": relabelled}), ("22222222", {"index": lighter}), ("33333333", {"rubrics": rubrics}),
    ]  # fmt: skip
    loaded = [toy_suite, *(LoadedSuite(msgspec.structs.replace(suite, **more), edition) for edition, more in changed)]
    for number, one in enumerate(loaded):
        filled.complete(connection, one, f"s{number}", ONE)
        word(connection, "1a2b3c4d", one.edition)
    assert set(shared(connection, toy_suite).editions or ()) == {toy_suite.edition, "11111111"}
    for one in loaded[2:]:
        assert shared(connection, one).editions is msgspec.UNSET
    filled.complete(connection, imported, "b", ONE)
    connection.execute("DELETE FROM editions WHERE edition IN ('11111111', '33333333')")
    word(connection, "1a2b3c4d", "published")
    with pytest.raises(StoreError, match="the store holds several suite editions"):
        scopes.find(connection, None, None, None)
