"""Boards of several editions of one wording."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from independence.api.reading import Store
from independence.errors import StoreError
from independence.report.board.board import IndexBoard, board
from independence.store import scopes
from independence.suites import without_texts
from independence.suites.load import LoadedSuite
from independence.types import Missing
from tests.e2e import command

from .filled import Toy

ONE, OTHER = ((8, 6, 2), (7, 6, 2)), ((9, 9, 1), (9, 8, 1))
WORDING = "1a2b3c4d"


def word(wording: str, *toys: Toy) -> None:
    for one in toys:
        one.connection.execute("UPDATE editions SET wording = ? WHERE edition = ?", (wording, one.loaded.edition))


def shared(toy: Toy) -> IndexBoard:
    return board(toy.connection, scopes.with_same_wording(toy.connection, toy.scope))


@pytest.fixture
def imported(toy: Toy) -> Toy:
    return Toy(toy.connection, LoadedSuite(toy.suite, "published"))


@pytest.fixture
def retitled(toy: Toy) -> Toy:
    return Toy(toy.connection, LoadedSuite(msgspec.structs.replace(toy.suite, title="Another"), "0123abcd"))


def test_imports_and_others_stand_on_one_board_each_marked_with_the_numbers_of_its_edition(
    toy: Toy, imported: Toy
) -> None:
    toy.complete("weak", ONE)
    imported.complete("strong", OTHER)
    word(WORDING, toy, imported)
    found = shared(imported)
    assert [(row.standing.rank, row.config, row.origin) for row in found.rows] == [
        (1, "strong@published", "imported"),
        (2, "weak", "measured here"),
    ]
    assert (found.edition, found.editions) == (toy.loaded.edition, (toy.loaded.edition, "published"))
    assert [row.cost_usd for row in found.rows] == [4.0, 4.0]
    assert found == shared(toy)
    for row, alone in zip(found.rows, (imported.board().rows[0], toy.board().rows[0]), strict=True):
        assert (row.label, row.main.value, row.per_run, row.main.ends) == (
            alone.label, alone.main.value, alone.per_run, alone.main.ends,
        )  # fmt: skip
        assert alone.origin is msgspec.UNSET


def test_one_configuration_of_both_origins_has_two_rows_and_two_names_and_misses_its_own(
    toy: Toy, imported: Toy
) -> None:
    imported.complete("a", ONE)
    toy.plan("a")
    toy.plan("own")
    toy.answer("own", "radio", 1, Missing("no_answer"))
    word(WORDING, toy, imported)
    rows = {row.config: row for row in shared(toy).rows}
    assert {config: row.label for config, row in rows.items()} == {
        "a": "label of a", "a@published": "label of a@published", "own": "label of own",
    }  # fmt: skip
    assert rows["own"].flags == {"missing:no_answer": 1, "missing:not_run": 2}
    assert rows["a@published"].coverage == 1


def test_editions_of_ones_own_with_one_wording_are_one_and_count_a_dialogue_once(toy: Toy, retitled: Toy) -> None:
    toy.complete("a", ONE)
    retitled.plan("a", 3)
    retitled.complete("b", OTHER)
    word(WORDING, toy, retitled)
    rows = {row.config: row for row in shared(toy).rows}
    assert {config: (row.runs, row.origin) for config, row in rows.items()} == {
        "a": (3, msgspec.UNSET),
        "b": (2, msgspec.UNSET),
    }
    assert rows["a"].coverage == pytest.approx(2 / 3)


def test_other_wordings_unknown_ones_and_other_conditions_never_mix(toy: Toy, imported: Toy, retitled: Toy) -> None:
    toys = {"a": toy, "b": imported, "c": retitled}
    for name, one in toys.items():
        one.complete(name, ONE)
    for wordings in (("", "", ""), (WORDING, "", "0000ffff")):
        for one, wording in zip(toys.values(), wordings, strict=True):
            word(wording, one)
        for name, one in toys.items():
            assert [row.config for row in shared(one).rows] == [name]
            assert shared(one).editions is msgspec.UNSET
    toy.connection.execute("DELETE FROM planned WHERE config_dir = 'b'")
    imported.plan("b", condition=("plain", "user_role"))
    word(WORDING, toy, imported)
    assert scopes.with_same_wording(toy.connection, toy.scope) == toy.scope


def test_a_name_means_all_editions_of_a_wording_and_an_edition_itself_alone(
    tmp_path: Path, toy: Toy, imported: Toy, retitled: Toy
) -> None:
    for name, one in (("c", retitled), ("a", toy), ("b", imported)):
        one.complete(name, ONE)
    word(WORDING, toy, imported)
    toy.connection.execute("UPDATE editions SET used_at = '2020' WHERE edition = '0123abcd'")
    command.meant(toy.connection)
    told: list[str] = []
    with Store(tmp_path / "store.db", told.append) as store:
        with pytest.raises(StoreError, match="the store holds several suite editions"):
            store.board()
        assert {row.config for row in store.board("toy").built.document.rows} == {"a", "b@published"}
        which = f"toy@{toy.loaded.edition} and toy@published are of the wording used last"
        assert told == [f"{which}; --suite takes another: toy@0123abcd"]
        assert [row.config for row in store.board("toy@published").built.document.rows] == ["b"]
        word(WORDING, retitled)
        assert len(store.board().built.document.rows) == 3


def test_an_import_graded_by_adopted_prompts_says_so_on_a_board_of_its_own(toy: Toy) -> None:
    index = msgspec.structs.replace(toy.index, published_rule="v2")
    rubrics = {
        name: msgspec.structs.replace(rubric, prompt_as="published") for name, rubric in toy.suite.rubrics.items()
    }
    adopted = msgspec.structs.replace(toy.suite, index=index, rubrics=rubrics)
    textless = Toy(toy.connection, LoadedSuite(without_texts.without_texts(adopted), "published"))
    textless.complete(judge="acme/judge")

    def told() -> tuple[object, object, object]:
        found = textless.board()
        return found.words, found.judge_prompt, found.wording

    assert told() == ("published", msgspec.UNSET, msgspec.UNSET)
    document = msgspec.json.encode(adopted).decode()
    toy.connection.execute("UPDATE editions SET read_as = ?, wording = ?", (document, WORDING))
    assert told() == ("published", "as published", WORDING)
    ours = Toy(toy.connection, LoadedSuite(msgspec.structs.replace(toy.suite, index=index), "0123abcd"))
    ours.plan()
    assert ours.board().words == "own"


def test_editions_of_one_wording_whose_index_differs_never_share_a_board(toy: Toy, imported: Toy) -> None:
    first, *others = toy.index.components
    lighter, relabelled = (
        msgspec.structs.replace(toy.index, components=(msgspec.structs.replace(first, **changes), *others))
        for changes in ({"worst": first.worst - 1}, {"label": "Another"})
    )
    held = toy.suite.rubrics["held"]
    needy = msgspec.structs.replace(held.fields["firmness"], requires=("kept",))
    stricter = msgspec.structs.replace(held, fields={**held.fields, "firmness": needy})
    same, *unlike = (
        Toy(toy.connection, LoadedSuite(msgspec.structs.replace(toy.suite, **changes), edition))
        for edition, changes in (
            ("11111111", {"index": relabelled}),
            ("22222222", {"index": lighter}),
            ("33333333", {"rubrics": {**toy.suite.rubrics, "held": stricter}}),
        )
    )
    for number, one in enumerate((toy, same, *unlike)):
        one.complete(f"s{number}", ONE)
        word(WORDING, one)
    assert set(shared(toy).editions or ()) == {toy.loaded.edition, "11111111"}
    assert [shared(one).editions for one in unlike] == [msgspec.UNSET] * 2
    imported.complete("b", ONE)
    toy.connection.execute("DELETE FROM editions WHERE edition IN ('11111111', '33333333')")
    word(WORDING, imported)
    with pytest.raises(StoreError, match="the store holds several suite editions"):
        scopes.find(toy.connection, None, None, None)
