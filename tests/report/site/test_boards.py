"""Stores of every shape have documents: nothing asked, nothing judged, several editions, prompts of one's own."""

from __future__ import annotations

import sqlite3

import msgspec

from independence.report.pages import slugs
from independence.report.pages.dialogue_schema import FailureDocument, TextsDocument
from independence.report.pages.paths import StoreDocuments
from independence.report.pages.schema import BoardInfo, CellsDocument, IndexDocument, PairsDocument, ReportDocument
from independence.report.pages.texts import REDACTED
from independence.store import records
from independence.store.records import EditionRow
from independence.suites.load import LoadedSuite
from independence.types import Missing, Reply
from tests.engine import planned
from tests.report import filled
from tests.report.site import reading
from tests.report.site.reading import Documents

ONE, OTHER = ((8, 6, 2), (7, 6, 2)), ((9, 9, 1), (9, 8, 1))
PROMPT = "You keep bees, and you tell nobody where."


def boards(connection: sqlite3.Connection) -> list[BoardInfo]:
    return list(StoreDocuments(connection).board_list().boards)


def everything(connection: sqlite3.Connection) -> Documents:
    return reading.of(StoreDocuments(connection))


def test_an_empty_store_has_no_board(connection: sqlite3.Connection) -> None:
    assert list(StoreDocuments(connection).paths()) == ["boards.json"]
    assert boards(connection) == []


def test_a_plan_has_documents_before_anything_is_asked(connection: sqlite3.Connection, toy_suite: LoadedSuite) -> None:
    planned.store(connection, toy_suite, list(planned.trials(toy_suite.suite, runs=2).values()))
    (board,) = boards(connection)
    assert (board.dialogues, board.answers, board.judges, board.provisional) == (6, 0, (), True)
    documents = everything(connection)
    (index,) = documents.of(IndexDocument)
    assert index.judge is None
    assert [row.main.value for row in index.board.rows] == [None]
    assert [one.id for one in index.scenarios] == ["dinner", "radio", "dessert"]
    (texts,) = documents.of(TextsDocument)
    assert texts.scripts["dessert/dessert"].count("dinner_turn1") == 1
    (cells,) = documents.of(CellsDocument)
    assert list(cells.shares.values()) == [((None, None),) * 3]
    dialogues = list(documents.dialogues())
    assert all(one.turns == one.verdicts == () and not one.item for one in dialogues)


def test_a_page_from_before_the_first_verdict_is_answered_with_the_usual_judge(
    connection: sqlite3.Connection, toy_suite: LoadedSuite
) -> None:
    filled.complete(connection, toy_suite, "a", ONE)
    (board,) = boards(connection)
    (judge,) = board.judges
    site = StoreDocuments(connection)
    for kind in ("index", "cells"):
        assert site.document(f"{board.id}/{kind}.none.json") == site.document(f"{board.id}/{kind}.{judge.slug}.json")


def test_answers_that_came_to_nothing_say_why(connection: sqlite3.Connection, toy_suite: LoadedSuite) -> None:
    made = planned.trials(toy_suite.suite)
    planned.store(connection, toy_suite, list(made.values()))
    at = planned.answer(connection, made["radio", 1], "Talk.")
    planned.grade(connection, made["radio", 1], "v", at, Missing("unreadable_verdict", "`score` is missing"))
    planned.answer(connection, made["dinner", 1], "Soup.", Missing("blocked", "HTTP 403: policy"))
    found = {one.scenario: one for one in everything(connection).dialogues() if one.turns}
    assert [(turn.text, turn.missing, turn.detail) for turn in found["dinner"].turns] == [
        ("Soup.", None, ""), ("", "blocked", "HTTP 403: policy"),
    ]  # fmt: skip
    (verdict,) = found["radio"].verdicts
    assert (verdict.missing, verdict.detail) == ("unreadable_verdict", "`score` is missing")
    assert boards(connection)[0].answers == 2, "of three turns that are settled"


def test_stale_answers_outdated_verdicts_and_failed_calls_stand_with_their_dialogue(
    connection: sqlite3.Connection, toy_suite: LoadedSuite
) -> None:
    filled.complete(connection, toy_suite, "a", ONE)
    filled.answer(connection, "a", "dinner", 1, Reply("Another soup.", "tool"))
    connection.execute("UPDATE verdicts SET rubric = 'older' WHERE trial = ?", (filled.key("a", "radio", 1),))
    connection.execute(
        "INSERT INTO failures VALUES (?, 'radio', 'timeout', 'no answer', 0.25, 0, ?, '2026-01-02T03:04:05', 0)",
        (filled.key("a", "radio", 2), '[{"outcome": "timeout", "seconds": 9, "usage": {"cost_usd": 0.25}}]'),
    )
    found = {(one.scenario, one.run): one for one in everything(connection).dialogues()}
    assert [(turn.stale, turn.versions) for turn in found["dinner", 1].turns] == [(False, 2), (True, 1)]
    assert [(turn.stale, turn.versions) for turn in found["dinner", 2].turns] == [(False, 1), (False, 1)]
    assert (found["dinner", 1].item, bool(found["dinner", 2].item)) == ("", True)
    outdated = {at for at, one in found.items() if any(not verdict.current for verdict in one.verdicts)}
    assert outdated == {("radio", 1), ("dinner", 1), ("dessert", 1)}  # of two it is that an answer was replaced
    assert ("dinner", 2) not in outdated
    failure = FailureDocument("radio", "timeout", "no answer", 0.25, "2026-01-02T03:04:05")
    assert {at: one.failures for at, one in found.items() if one.failures} == {("radio", 2): (failure,)}


def test_imports_and_others_of_one_wording_are_one_board(
    connection: sqlite3.Connection, toy_suite: LoadedSuite
) -> None:
    imported = LoadedSuite(toy_suite.suite, "published")
    filled.complete(connection, toy_suite, "a", ONE)
    filled.complete(connection, imported, "a", OTHER)
    connection.execute("UPDATE editions SET wording = '1a2b3c4d'")
    (board,) = boards(connection)
    assert (board.editions, board.imported) == ((toy_suite.edition, "published"), False)
    assert (board.subjects, board.dialogues) == (2, 12)
    documents = everything(connection)
    (index,) = documents.of(IndexDocument)
    assert [(one.config, one.origin) for one in index.subjects] == [
        ("a", "measured here"), ("a@published", "imported"),
    ]  # fmt: skip
    assert {row.config for row in index.board.rows} == {"a", "a@published"}
    dialogues = list(documents.dialogues())
    assert len({(one.subject, one.scenario, one.run) for one in dialogues}) == len(dialogues) == 12
    assert {one.subject for one in dialogues} == {slugs.slug("a"), slugs.slug("a@published")}
    said = {turn.text for one in dialogues if one.subject == slugs.slug("a@published") for turn in one.turns}
    assert said == {turn.text for one in dialogues if one.subject == slugs.slug("a") for turn in one.turns}


def test_a_system_prompt_of_ones_own_can_be_left_out(connection: sqlite3.Connection, toy_suite: LoadedSuite) -> None:
    suite = msgspec.structs.replace(toy_suite.suite, variants={**toy_suite.suite.variants, "mine-1": PROMPT})
    made = planned.trials(suite, variants=["mine-1"])
    planned.store(connection, toy_suite, list(made.values()))
    records.add_persona(connection, EditionRow("toy", toy_suite.edition, ""), "mine-1", PROMPT)
    planned.answer(connection, made["radio", 1], "No.")
    (board,) = boards(connection)
    assert board.own_prompt
    whole, redacted = (
        {path: site.document(path) for path in site.paths()}
        for site in (StoreDocuments(connection), StoreDocuments(connection, redacted=True))
    )
    assert any(b"keep bees" in content for content in whole.values())
    assert not any(b"keep bees" in content for content in redacted.values())
    assert REDACTED.encode() in redacted[f"{board.id}/texts.json"]
    assert whole.keys() == redacted.keys()
    assert {path for path in whole if whole[path] != redacted[path]} == {f"{board.id}/texts.json"}


def test_a_suite_without_an_index_has_dialogues_and_says_what_is_there(
    connection: sqlite3.Connection, toy_suite: LoadedSuite
) -> None:
    loaded = LoadedSuite(msgspec.structs.replace(toy_suite.suite, index=None), "0123abcd")
    filled.complete(connection, loaded, "a", ONE)
    (board,) = boards(connection)
    assert not board.ranked
    documents = everything(connection)
    (index,) = documents.of(IndexDocument)
    assert index.board is None
    assert [table.rows for table in index.tables] == [(("label of a", 6, 6, 6),)]
    assert index.tables[0].subjects == (slugs.slug("a"),)
    assert [one.sections for one in documents.of(ReportDocument)] == [()]
    (cells,) = documents.of(CellsDocument)
    assert cells.measure == "drift / firmness"
    assert list(cells.shares.values()) == [((0.2, 0.2), (0.8, 0.7), (0.6, 0.6))]
    assert [(one.pairs, one.scenarios) for one in documents.of(PairsDocument)] == [((), cells.scenarios)]


def test_an_analysis_that_nobody_has_hides_no_dialogue(connection: sqlite3.Connection, toy_suite: LoadedSuite) -> None:
    loaded = LoadedSuite(msgspec.structs.replace(toy_suite.suite, analysis="elsewhere"), "0123abcd")
    filled.complete(connection, loaded, "a", ONE)
    documents = everything(connection)
    assert len(list(documents.dialogues())) == 6
    assert documents.of(IndexDocument)[0].board is None


def test_every_condition_is_a_board_of_its_own(connection: sqlite3.Connection, toy_suite: LoadedSuite) -> None:
    for condition in (("firm", "tool_role"), ("plain", "user_role")):
        filled.plan(connection, toy_suite, "-".join(condition), condition=condition)
    found = boards(connection)
    assert [(board.variant, board.mode) for board in found] == [("firm", "tool_role"), ("plain", "user_role")]
    assert [board.subjects for board in found] == [1, 1]
    texts = everything(connection).of(TextsDocument)
    assert [one.tool is None for one in texts] == [False, True]
    assert {message.call for message in texts[0].messages} == {"", "speak"}
    assert {message.call for message in texts[1].messages} == {""}


def test_the_data_set_has_another_name_when_anything_in_it_changes(
    connection: sqlite3.Connection, toy_suite: LoadedSuite
) -> None:
    seen = [StoreDocuments(connection).board_list().dataset]
    filled.complete(connection, toy_suite, "a", ONE)
    seen.append(StoreDocuments(connection).board_list().dataset)
    assert seen[1] == StoreDocuments(connection).board_list().dataset
    filled.answer(connection, "a", "radio", 1, Reply("Another word.", "tool"))
    seen.append(StoreDocuments(connection).board_list().dataset)
    connection.execute("UPDATE subjects SET label = 'another'")
    seen.append(StoreDocuments(connection).board_list().dataset)
    assert len(set(seen)) == len(seen)
    assert all(len(name) == 8 and int(name, 16) >= 0 for name in seen)
