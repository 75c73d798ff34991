from __future__ import annotations

from pathlib import Path

import pytest

from .gridded import write
from .test_lint_grid import found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "parcels")


@pytest.mark.parametrize(
    ("old", "new", "key", "slot"),
    [
        ("I carried it. {{story}}", "I carried it. {{tale}}", "sides.carrier.human", "tale"),
        ('"Worth: {{worth}}"', '"Worth: {{price}}"', "sides.passer.context", "price"),
        ("{{thing}} broke", "{{things}} broke", "factors.wording.short.opening", "things"),
        ('packed,long: "{{opening}}', 'packed,long: "{{open}}', "derived.story.table.packed,long", "open"),
        ('request: "Who', 'request: "{{name}}, who', "sides.sender.vars.request", "name"),
        ("thing: a lamp", 'thing: "a lamp of {{metal}}"', "factors.parcel.lamp.thing", "metal"),
    ],
)
def test_a_slot_that_nothing_fills_is_found_where_it_stands(
    folder: Path, old: str, new: str, key: str, slot: str
) -> None:
    (problem,) = found(folder, (old, new))
    assert problem.what == f"nothing fills the template variable `{{{{{slot}}}}}` (at `$.grid.{key}`)"
    assert slot in (folder / "suite.yaml").read_text().splitlines()[problem.line - 1]


def test_a_variable_that_one_level_lacks_is_missing_there(folder: Path) -> None:
    problems = found(folder, ("clock: {thing: a clock, room", "clock: {room"))
    assert {one.what for one in problems} == {
        f"nothing fills the template variable `{{{{thing}}}}` where parcel is clock (at `$.{where}`)"
        for where in ("grid.factors.wording.short.opening", "grid.factors.wording.long.opening", "rubrics.lean.prompt")
    }


def test_a_variable_of_one_level_alone_may_be_quoted_by_that_level(folder: Path) -> None:
    own = 'vase: {thing: "a {{glaze}} vase", glaze: blue, '
    assert found(folder, ("vase: {thing: a vase, ", own)) == []
    (problem,) = found(folder, ("thing: a clock", 'thing: "a {{glaze}} clock"'))
    assert "nothing fills the template variable `{{glaze}}` where parcel is clock" in problem.what


def test_a_table_entry_fixes_the_levels_of_what_it_quotes(folder: Path) -> None:
    straw = ("packed: {wrapping: wrapped in straw}", "packed: {wrapping: wrapped in straw, straw: dry}")
    assert found(folder, straw, ('packed,long: "{{opening}}', 'packed,long: "{{straw}} {{opening}}')) == []
    (problem,) = found(folder, ('unpacked,long: "{{opening}}', 'unpacked,long: "{{straw}} {{opening}}'))
    assert "nothing fills the template variable `{{straw}}` where merit is unpacked" in problem.what
    assert "derived.story.table.unpacked,long" in problem.what


def test_a_variable_of_a_side_is_not_there_for_the_others(folder: Path) -> None:
    hat = ('vars: {request: "Who pays?"}', 'vars: {request: "Who pays?", hat: red}')
    assert found(folder, hat, ("I sent it.", "I sent it, in a {{hat}} hat.")) == []
    (problem,) = found(folder, ("I carried it.", "I carried it, in a {{hat}} hat."))
    assert "`{{hat}}` (at `$.grid.sides.carrier.human`)" in problem.what


def test_a_variable_within_itself_is_found(folder: Path) -> None:
    problems = found(folder, ("a vase, room: kitchen", '"{{room}}", room: "{{thing}}"'))
    assert any("`{{thing}}` contains itself" in one.what for one in problems)


def test_a_suites_variable_may_be_a_template_of_the_grids(folder: Path) -> None:
    mixed = ('worth: "40"', 'worth: "40 for {{thing}}"')
    assert found(folder, mixed) == []
    (problem,) = found(folder, ("40 for {{thing}}", "40 for {{nothing}}"))
    assert "`{{nothing}}` (at `$.vars.worth`)" in problem.what


@pytest.mark.parametrize(
    ("old", "new", "key", "code"),
    [
        ("I sent it.", "I sent it, mail_day.", "sides.sender.human", "mail_day"),
        ("wrapped in straw", "packed_well", "factors.merit.packed.wrapping", "packed_well"),
        (
            'packed,short: "{{opening}}',
            'packed,short: "as_new {{opening}}',
            "derived.story.table.packed,short",
            "as_new",
        ),
        ("{{thing}} broke", "{{thing}}_{{room}} broke", "factors.wording.short.opening", "x_x"),
    ],
)
def test_a_code_among_the_humans_words_is_an_error(folder: Path, old: str, new: str, key: str, code: str) -> None:
    (problem,) = found(folder, (old, new))
    assert problem.what.startswith(f"`{code}` is a code, and it would appear in the human's words")
    assert problem.what.endswith(f"(at `$.grid.{key}`)")


def test_a_levels_name_that_is_a_code_may_stand_anywhere_but_in_what_is_said(folder: Path) -> None:
    text = (folder / "suite.yaml").read_text().replace("vase:", "blue_vase:")
    (folder / "suite.yaml").write_text(text.replace('"Worth: {{worth}}"', '"Parcel: {{parcel}}"'))
    assert found(folder) == []
    (problem,) = found(folder, ("I saw it.", "I saw the {{parcel}}."))
    assert "`blue_vase` is a code" in problem.what
    assert "factors.parcel.blue_vase" in problem.what
