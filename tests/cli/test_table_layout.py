"""How tables are laid out on a terminal that is too narrow for them."""

from __future__ import annotations

import pytest

from independence.cli.table_layout import GAP, TableLayout, lay_out
from independence.report.table import Column

TEXT, COUNT, NUMBER = "text", "count", "number"
JUDGES = (Column("judge", "Judge"), Column("against", "Against"), Column("measure", "Measure"))


def heads(layout: TableLayout) -> list[list[str]]:
    return [[" ".join(column.head.split()) for column in part.columns] for part in layout.parts]


def rows_of(part_cells: list[list[str]], keys: int) -> set[tuple[str, ...]]:
    return {tuple(row[:keys]) for row in part_cells}


def test_a_continued_table_repeats_every_column_that_tells_its_rows_apart() -> None:
    columns = (*JUDGES, *(Column(f"n{at}", f"Figure-number-{at}", NUMBER) for at in range(6)))
    cells = [
        [judge, against, measure, *["0.5"] * 5, str(at)]
        for at, (judge, against, measure) in enumerate(
            (judge, against, measure)
            for judge in ("cues", "offline")
            for against in ("acme/judge-one", "acme/judge-two")
            for measure in ("index", "drift")
        )
    ]
    for at, row in enumerate(cells):
        row[3:8] = [str(at + more) for more in range(5)]
    layout = lay_out(columns, cells, 80)
    assert len(layout.parts) > 1
    assert all(part[:3] == ["Judge", "Against", "Measure"] for part in heads(layout))
    assert all(len(rows_of(part.cells, 3)) == len(cells) for part in layout.parts)


def test_a_run_tells_rows_apart_too() -> None:
    columns = (
        Column("subject", "Subject"), Column("scenario", "Scenario"), Column("run", "Run", COUNT),
        *(Column(f"n{at}", f"Figure-number-{at}", NUMBER) for at in range(6)),
    )  # fmt: skip
    cells = [["acme/one", f"pt0{at % 2}", str(at // 2), *(str(at * more) for more in range(1, 7))] for at in range(6)]
    layout = lay_out(columns, cells, 70)
    assert len(layout.parts) > 1
    assert layout.constant == [("Subject", "acme/one")]
    assert all(part[:2] == ["Scenario", "Run"] for part in heads(layout))


def test_a_column_that_says_the_same_in_every_row_becomes_a_note_where_room_is_short() -> None:
    columns = (Column("who", "Who"), Column("n", "Verdicts-of-each", COUNT), *(
        Column(f"n{at}", f"Figure-number-{at}", NUMBER) for at in range(4)))  # fmt: skip
    cells = [[f"acme/{at}", "2", *(str(at + more) for more in range(4))] for at in range(11)]
    assert heads(lay_out(columns, cells, 140)) == [[column.head for column in columns]]
    tight = lay_out(columns, cells, 70)
    assert tight.constant == [("Verdicts-of-each", "2")]
    assert all("Verdicts-of-each" not in part for part in heads(tight))


def test_an_interval_is_not_parted_from_what_it_is_about() -> None:
    columns = (Column("who", "Who"), *(
        Column(f"{name}{end}", "95 % CI" if end else f"Shift-of-{name}", NUMBER)
        for name in ("one", "two", "three", "four") for end in ("", "_ci")
    ))  # fmt: skip
    cells = [[f"acme/{at}", *(f"{at}.{more} to 99.{at}{more}" for more in range(8))] for at in range(3)]
    layout = lay_out(columns, cells, 80)
    assert len(layout.parts) > 1
    for part in heads(layout):
        assert part[0] == "Who"
        assert [head == "95 % CI" for head in part[1:]] == [False, True] * ((len(part) - 1) // 2)


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_no_part_is_wider_than_the_terminal_and_no_two_names_are_cut_alike(width: int) -> None:
    columns = (Column("who", "Who"), *(Column(f"n{at}", f"N{at}", NUMBER) for at in range(12)))
    cells = [[f"google/gemini-2.5-flash-lite-preview-{at:02}-2025@none-t0.7", *["12.5"] * 11, str(at)]
             for at in range(12)]  # fmt: skip
    for part in lay_out(columns, cells, width).parts:
        assert sum(part.widths) + GAP * len(part.widths) <= width
        assert len({row[0] for row in part.cells}) == len(cells)


def test_what_two_rows_have_in_common_stays_in_its_column() -> None:
    columns = (Column("on", "On"), *(Column(f"n{at}", f"Figure-number-{at}", NUMBER) for at in range(6)))
    layout = lay_out(columns, [["these scenarios", *["1.5"] * 6], ["scenarios like these", *["1.5"] * 6]], 60)
    assert layout.constant == []
    assert sum(len(part.columns) - 1 for part in layout.parts) == 6
