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
from .filled import Toy

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


def test_imports_and_others_stand_on_one_board_each_marked(toy: Toy, imported: LoadedSuite) -> None:
    toy.complete("weak", ONE)
    filled.complete(toy.connection, imported, "strong", OTHER)
    word(toy.connection, "1a2b3c4d", toy.loaded.edition, "published")
    found = shared(toy.connection, imported)
    assert [(row.rank, row.config, row.origin) for row in found.rows] == [
        (1, "strong@published", "imported"),
        (2, "weak", "measured here"),
    ]
    assert found.edition == toy.loaded.edition
    assert found.editions == (toy.loaded.edition, "published")
    assert [row.cost_usd for row in found.rows] == [4.0, 4.0]
    assert found == shared(toy.connection, toy.loaded)


def test_numbers_are_those_of_the_editions_alone(toy: Toy, imported: LoadedSuite) -> None:
    toy.complete("weak", ONE)
    filled.complete(toy.connection, imported, "strong", OTHER)
    word(toy.connection, "1a2b3c4d", toy.loaded.edition, "published")
    alone = [board(toy.connection, filled.scope(loaded)).rows[0] for loaded in (imported, toy.loaded)]
    for row, own in zip(shared(toy.connection, toy.loaded).rows, alone, strict=True):
        assert (row.label, row.index, row.per_run, row.bounds) == (own.label, own.index, own.per_run, own.bounds)
        assert own.origin is msgspec.UNSET


def test_one_configuration_of_both_origins_has_two_rows_and_two_names(toy: Toy, imported: LoadedSuite) -> None:
    for loaded in (toy.loaded, imported):
        filled.complete(toy.connection, loaded, "a", ONE)
    word(toy.connection, "1a2b3c4d", toy.loaded.edition, "published")
    assert [(row.config, row.label) for row in shared(toy.connection, toy.loaded).rows] == [
        ("a", "label of a"),
        ("a@published", "label of a@published"),
    ]


def test_editions_of_ones_own_with_one_wording_are_one_and_count_a_dialogue_once(
    toy: Toy, retitled: LoadedSuite
) -> None:
    toy.complete("a", ONE)
    filled.plan(toy.connection, retitled, "a", 3)
    filled.complete(toy.connection, retitled, "b", OTHER)
    word(toy.connection, "1a2b3c4d", toy.loaded.edition, "0123abcd")
    rows = {row.config: row for row in shared(toy.connection, toy.loaded).rows}
    assert {config: (row.runs, row.origin) for config, row in rows.items()} == {
        "a": (3, msgspec.UNSET),
        "b": (2, msgspec.UNSET),
    }
    assert rows["a"].coverage == pytest.approx(2 / 3)


def test_other_wordings_and_unknown_ones_never_mix(toy: Toy, imported: LoadedSuite, retitled: LoadedSuite) -> None:
    for name, loaded in (("a", toy.loaded), ("b", imported), ("c", retitled)):
        filled.complete(toy.connection, loaded, name, ONE)
    for wordings in (("", "", ""), ("1a2b3c4d", "", "0000ffff")):
        for loaded, wording in zip((toy.loaded, imported, retitled), wordings, strict=True):
            word(toy.connection, wording, loaded.edition)
        for name, loaded in (("a", toy.loaded), ("b", imported), ("c", retitled)):
            found = shared(toy.connection, loaded)
            assert [row.config for row in found.rows] == [name]
            assert found.editions is msgspec.UNSET


def test_an_edition_without_trials_under_the_condition_stays_away(toy: Toy, imported: LoadedSuite) -> None:
    toy.complete("a", ONE)
    filled.plan(toy.connection, imported, "b", condition=("plain", "user_role"))
    word(toy.connection, "1a2b3c4d", toy.loaded.edition, "published")
    scope = toy.scope
    assert scopes.with_same_wording(toy.connection, scope) == scope


def test_missing_verdicts_of_imports_and_others_are_told_as_ever(toy: Toy, imported: LoadedSuite) -> None:
    filled.complete(toy.connection, imported, "b", ONE)
    toy.plan("a")
    toy.answer("a", "radio", 1, Missing("no_answer"))
    word(toy.connection, "1a2b3c4d", toy.loaded.edition, "published")
    rows = {row.config: row for row in shared(toy.connection, toy.loaded).rows}
    assert rows["a"].flags == {"missing:no_answer": 1, "missing:not_run": 2}
    assert rows["b@published"].coverage == 1


def test_a_name_means_all_editions_of_a_wording_and_an_edition_itself_alone(
    toy: Toy, tmp_path: Path, imported: LoadedSuite, retitled: LoadedSuite
) -> None:
    for name, loaded in (("c", retitled), ("a", toy.loaded), ("b", imported)):
        filled.complete(toy.connection, loaded, name, ONE)
    word(toy.connection, "1a2b3c4d", toy.loaded.edition, "published")
    toy.connection.execute("UPDATE editions SET used_at = '2020' WHERE edition = '0123abcd'")
    told: list[str] = []
    with Store(tmp_path / "store.db", told.append) as store:
        with pytest.raises(StoreError, match="the store holds several suite editions"):
            store.board()
        assert {row.config for row in store.board("toy").built.document.rows} == {"a", "b@published"}
        which = f"toy@{toy.loaded.edition} and toy@published are of the wording used last"
        assert told == [f"{which}; --suite takes another: toy@0123abcd"]
        assert [row.config for row in store.board("toy@published").built.document.rows] == ["b"]
        word(toy.connection, "1a2b3c4d", "0123abcd")
        assert len(store.board().built.document.rows) == 3


def test_an_import_graded_by_adopted_prompts_says_so_on_a_board_of_its_own(toy: Toy, imported: LoadedSuite) -> None:
    index = msgspec.structs.replace(toy.index, published_rule="v2")
    rubrics = {
        name: msgspec.structs.replace(rubric, prompt_as="published") for name, rubric in toy.suite.rubrics.items()
    }
    adopted = msgspec.structs.replace(toy.suite, index=index, rubrics=rubrics)
    textless = LoadedSuite(without_texts.without_texts(adopted), "published")
    filled.complete(toy.connection, textless, judge="acme/judge")
    told = board(toy.connection, filled.scope(textless))
    assert (told.words, told.judge_prompt, told.wording) == ("published", msgspec.UNSET, msgspec.UNSET)
    toy.connection.execute(
        "UPDATE editions SET read_as = ?, wording = '1a2b3c4d' WHERE edition = 'published'",
        (msgspec.json.encode(adopted).decode(),),
    )
    told = board(toy.connection, filled.scope(textless))
    assert (told.words, told.judge_prompt, told.wording) == ("published", "as published", "1a2b3c4d")
    ours = LoadedSuite(msgspec.structs.replace(toy.suite, index=index), "0123abcd")
    filled.plan(toy.connection, ours)
    assert board(toy.connection, filled.scope(ours)).words == "own"


def test_editions_of_one_wording_whose_index_differs_never_share_a_board(toy: Toy, imported: LoadedSuite) -> None:
    suite, index = toy.suite, toy.index
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
    loaded = [toy.loaded, *(LoadedSuite(msgspec.structs.replace(suite, **more), edition) for edition, more in changed)]
    for number, one in enumerate(loaded):
        filled.complete(toy.connection, one, f"s{number}", ONE)
        word(toy.connection, "1a2b3c4d", one.edition)
    assert set(shared(toy.connection, toy.loaded).editions or ()) == {toy.loaded.edition, "11111111"}
    for one in loaded[2:]:
        assert shared(toy.connection, one).editions is msgspec.UNSET
    filled.complete(toy.connection, imported, "b", ONE)
    toy.connection.execute("DELETE FROM editions WHERE edition IN ('11111111', '33333333')")
    word(toy.connection, "1a2b3c4d", "published")
    with pytest.raises(StoreError, match="the store holds several suite editions"):
        scopes.find(toy.connection, None, None, None)
