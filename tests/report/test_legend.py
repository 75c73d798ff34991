from __future__ import annotations

import pytest

from independence.config import documents
from independence.report import index_tables, legend
from independence.report.board import board
from independence.report.legend import FieldMeaning
from independence.report.table import Column, Table, display_text, to_csv, to_json
from independence.suites.load import LoadedSuite, load
from tests.report import filled


@pytest.mark.parametrize("suite", ["v1", "lite", "v2"])
def test_every_component_of_the_published_suites_has_a_sentence_of_its_own(suite: str) -> None:
    index = load(suite).suite.index
    assert index is not None
    told = [legend.component_line(index, part) for part in index.components]
    assert len(set(told)) == len(index.components)
    assert not [line for line in told if "_" in line or "mean of" in line]


@pytest.mark.parametrize("suite", ["v1", "lite", "v2", "sides"])
def test_every_yes_or_no_field_of_our_suites_has_a_name_and_a_sentence(suite: str) -> None:
    named = documents.packaged(legend.TABLES / "fields.yaml", dict[str, FieldMeaning])
    asked = {
        name
        for rubric in load(suite).suite.rubrics.values()
        for name, field in rubric.fields.items()
        if field.type == "boolean"
    }
    assert asked
    assert asked <= named.keys()


def test_a_suite_of_ones_own_is_told_by_its_label_and_its_fields(toy_suite: LoadedSuite) -> None:
    index = toy_suite.suite.index
    assert index is not None
    part = index.components[0]
    line = legend.component_line(index, part)
    fields = [field for name in part.dimensions for field in index.dimensions[name].fields]
    assert line.startswith(part.label)
    assert all(legend.words(field) in line for field in fields)
    assert f"{part.weight:.0%} of the index." in line


def test_every_column_of_the_board_is_in_the_legend(connection, toy_suite: LoadedSuite) -> None:
    filled.complete(connection, toy_suite, "a", ((8, 6, 2), (7, 7, 3)))
    index = toy_suite.suite.index
    assert index is not None
    shown_board = index_tables.ranked(board(connection, filled.scope(toy_suite)), index)
    told = {row[0] for row in index_tables.legend(index, shown_board).rows}
    lines = legend.texts("columns")
    heads = {lines[column.key].split(": ")[0] for column in shown_board.columns if column.key in lines}
    assert len(told) == len(shown_board.columns) - 1, "all but the subject's name"
    assert heads < told


def test_an_id_is_read_as_words_and_stored_as_it_is() -> None:
    column = Column("field", "Field", "id")
    assert display_text(column, "non_assistant_likeness") == "own voice"
    assert display_text(column, "resistance_score (0 to 2)") == "resistance (0 to 2)"
    assert display_text(column, "a_field_of_mine") == "a field of mine"
    table = Table("t", "T", (column,), (("non_assistant_likeness",),))
    assert "non_assistant_likeness" in to_json([table])
    assert "non_assistant_likeness" in to_csv(table)
