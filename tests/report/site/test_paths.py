from __future__ import annotations

import gzip
from pathlib import Path

import msgspec
import pytest

from independence.report import analysis
from independence.report.analysis import BoardOptions
from independence.report.board import Board
from independence.report.site import slugs
from independence.report.site.schema import CellsDocument, IndexDocument, PairsDocument
from independence.store import database, export_rows, scopes
from independence.types import Where
from tests.report.site import reading
from tests.stores import Stores

STORES = ["demo", "sides", "toy", "published"]


@pytest.mark.parametrize("name", STORES)
def test_every_document_is_read_by_the_struct_that_wrote_it(name: str, stores: Stores) -> None:
    seen = set()
    with reading.opened(stores(name)) as read:
        there = list(read.site.paths())
        for path in there:
            content = read.site.document(path)
            seen.add(reading.kind(path))
            if path.endswith(".svg"):
                assert content.startswith(b"<")
            else:
                document = msgspec.json.decode(content, type=reading.STRUCTS[reading.kind(path)], strict=True)
                assert document.schema == 1
    assert len(set(there)) == len(there)
    assert seen >= {*reading.STRUCTS, "figure"} - ({"pairs"} if name == "sides" else set())


@pytest.mark.parametrize("name", STORES)
def test_two_readings_give_the_same_bytes(name: str, stores: Stores) -> None:
    """In another order, and one document alone."""
    with reading.opened(stores(name)) as read:
        first = {path: read.site.document(path) for path in read.site.paths() if "figure" not in path}
    with reading.opened(stores(name)) as read:
        assert {path: read.site.document(path) for path in reversed(first)} == first


NOWHERE = """
boards board.json ../boards.json BOARD BOARD/ BOARD/index.json BOARD/index.nobody.json BOARD/texts.cues-b15c8e.json
BOARD/text/x/0.0.json BOARD/text/UNIT/00.0.json BOARD/text/UNIT/0.-0.json BOARD/text/UNIT/0.9.json
BOARD/text/UNIT/0.0.svg BOARD/text/UNIT/\u0660.0.json BOARD/pairs/x.cues-b15c8e.json BOARD/figure/x.cues-b15c8e.svg
BOARD/figure/../texts.json
"""


@pytest.mark.parametrize("path", ["", *NOWHERE.split()])
def test_another_path_leads_nowhere(path: str, stores: Stores) -> None:
    with reading.opened(stores("toy")) as read:
        board = read.board().id
        with pytest.raises(KeyError):
            read.site.document(path.replace("BOARD", board).replace("UNIT", slugs.slug("radio")))


def _rounded(value: object) -> object:
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, dict):
        return {key: _rounded(own) for key, own in value.items()}
    return [_rounded(own) for own in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", ["demo", "toy", "published"])
def test_every_number_of_the_index_is_the_boards(name: str, stores: Stores) -> None:
    with reading.opened(stores(name)) as read:
        info = read.board()
        documents = [read.site.document(f"{info.id}/index.{judge.slug}.json") for judge in info.judges]
    with database.reading(stores(name)) as connection:
        scope = scopes.find(connection, f"{info.suite}@{info.edition}", None, None)
        for judge, document in zip(info.judges, documents, strict=True):
            board = analysis.board(connection, scope, BoardOptions(judge=judge.name)).document
            assert isinstance(board, Board)
            assert msgspec.json.decode(document)["board"] == _rounded(msgspec.json.decode(msgspec.json.encode(board)))
    found = msgspec.json.decode(documents[0], type=IndexDocument)
    assert found.board is not None
    assert {row.config for row in found.board.rows} == {one.config for one in found.subjects}


def test_parts_of_the_index_are_the_columns_of_the_board(stores: Stores) -> None:
    with reading.opened(stores("demo")) as read:
        info = read.board()
        found = msgspec.json.decode(read.site.document(f"{info.id}/index.cues-b15c8e.json"), type=IndexDocument)
    with database.reading(stores("demo")) as connection:
        made = analysis.board(connection, scopes.find(connection, "v2", None, None), BoardOptions(judge="cues"))
    (table,) = made.tables
    keys = [column.key for column in table.columns]
    assert {one.key for one in found.components} <= set(keys)
    assert sum(one.weight for one in found.components) == 1
    slugs_of = {one.label: one.slug for one in found.subjects}
    assert len(found.parts) == len(table.rows)
    for row in table.rows:
        values = dict(zip(keys, row, strict=True))
        own = found.parts[slugs_of[str(values["subject"]).removesuffix(" (simulated)")]]
        for component, part in zip(found.components, own, strict=True):
            assert part == round(float(values[component.key]), 4)  # type: ignore[arg-type]
    assert found.notes == table.notes


def test_the_tables_of_another_analysis_are_those_of_its_board(stores: Stores) -> None:
    with reading.opened(stores("sides")) as read:
        info = read.board()
        found = msgspec.json.decode(
            read.site.document(f"{info.id}/index.{info.judges[0].slug}.json"), type=IndexDocument
        )
    with database.reading(stores("sides")) as connection:
        made = analysis.board(connection, scopes.find(connection, "sides", None, None), BoardOptions(judge="cues"))
    assert found.board is None
    assert [table.title for table in found.tables] == [table.title for table in made.tables]
    assert [len(table.rows) for table in found.tables] == [len(table.rows) for table in made.tables]
    assert set(found.tables[0].subjects) == {one.slug for one in found.subjects}
    assert len({one.unit for one in found.scenarios}) == 4


@pytest.mark.parametrize("name", STORES)
def test_counts_are_those_of_the_store(name: str, stores: Stores) -> None:
    with reading.opened(stores(name)) as read:
        info = read.board()
        dialogues = list(read.dialogues(info))
    with database.reading(stores(name)) as connection:
        where = Where(info.suite, info.edition)
        planned = export_rows.planned_trials(connection, where)
        answers = list(export_rows.answers(connection, where))
        verdicts = list(export_rows.verdicts(connection, where))
    assert len(dialogues) == info.dialogues == len(planned)
    assert sum(len(one.turns) for one in dialogues) == info.answers == len(answers)
    assert sum(len(one.verdicts) for one in dialogues) == len(verdicts)
    assert sum(verdict.missing == "" for one in dialogues for verdict in one.verdicts) == info.verdicts
    assert {turn.text for one in dialogues for turn in one.turns} == {answer.text for _, answer in answers}


def test_a_pair_has_one_difference_seen_from_both_sides(stores: Stores) -> None:
    with reading.opened(stores("toy")) as read:
        info = read.board()
        judge = info.judges[0].slug
        first, second = (
            msgspec.json.decode(read.site.document(path), type=PairsDocument)
            for path in read.site.paths()
            if "/pairs/" in path and judge in path
        )
    (own,), (other,) = first.pairs, second.pairs
    assert own.slug == second.slug
    assert own.difference is not None
    assert own.difference == -(other.difference or 0)
    assert own.p == other.p


def test_cells_are_shares_and_blanks(stores: Stores) -> None:
    with reading.opened(stores("toy")) as read:
        info = read.board()
        found = msgspec.json.decode(
            read.site.document(f"{info.id}/cells.{info.judges[0].slug}.json"), type=CellsDocument
        )
    assert found.measure == "kept"
    assert found.scenarios == ("dinner", "radio", "dessert")
    shares = [share for own in found.shares.values() for runs in own for share in runs]
    assert len(shares) == 2 * 3 * 12
    assert all(share is None or 0 <= share <= 1 for share in shares)


def test_the_contrasts_of_cells_are_those_of_the_board(stores: Stores) -> None:
    with reading.opened(stores("sides")) as read:
        info = read.board()
        found = msgspec.json.decode(
            read.site.document(f"{info.id}/cells.{info.judges[0].slug}.json"), type=CellsDocument
        )
        index = msgspec.json.decode(
            read.site.document(f"{info.id}/index.{info.judges[0].slug}.json"), type=IndexDocument
        )
    with database.reading(stores("sides")) as connection:
        scope = scopes.find(connection, "sides", None, None)
        measured = analysis.of("paired_sides").measures(connection, scope, "cues")
    assert (found.quantity, set(found.units)) == ("S", {one.unit for one in index.scenarios})
    for subject in index.subjects:
        own = {slugs.slug(cell): round(value, 4) for cell, value in measured.subjects[subject.config].parts.items()}
        assert dict(zip(found.units, found.contrasts[subject.slug], strict=True)) == own


def test_the_published_part_is_within_its_budgets(published_store: Path) -> None:
    with reading.opened(published_store) as read:
        sizes = {path: read.site.document(path) for path in read.site.paths()}
    packed = {path: len(gzip.compress(content, 9, mtime=0)) for path, content in sizes.items()}
    index = sum(size for path, size in packed.items() if reading.kind(path) in ("index", "cells"))
    assert index <= 25_000
    assert max(size for path, size in packed.items() if reading.kind(path) == "text") <= 100_000
    assert sum(map(len, sizes.values())) <= 25_000_000
