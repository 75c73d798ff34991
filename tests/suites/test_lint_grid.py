from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path

import pytest

from independence.config import documents
from independence.errors import DocumentError
from independence.report import analysis
from independence.suites import lint_grid
from independence.suites.grid import combinations
from independence.suites.lint import problems
from independence.suites.schema import Suite

from . import gridded


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The parcels, free to be broken."""
    return gridded.write(tmp_path / "parcels")


def found(folder: Path, *changes: tuple[str, str]) -> list[DocumentError]:
    """Problems of the suite in `folder` after replacements in its suite.yaml."""
    file = folder / "suite.yaml"
    text = file.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    file.write_text(text)
    document = documents.read(file)
    try:
        return problems(documents.convert(document, Suite), document, folder, analysis.check)
    except DocumentError as error:  # what types can say
        return [error]


def test_the_parcels_have_no_problem(folder: Path) -> None:
    assert found(folder) == []


@pytest.mark.parametrize(
    ("old", "new", "at", "key", "what"),
    [
        ("experiment: advice\n  rub", "experiment: none\n  rub", "experiment: none", "experiment", "`none` is not"),
        ("rubric: lean", "rubric: slope", "rubric: slope", "rubric", "rubric `slope` is not declared"),
        ("stance: lean", "stance: tilt", "stance: tilt", "stance", "`tilt` is not a field of rubric `lean`"),
        ("type: number", "type: integer", "stance: lean", "stance", "must be a field of type number, not integer"),
        ("[-1, 1]", "[-1, 2]", "stance: lean", "stance", "evenly about 0, as [-1, 1] does, not -1 to 2"),
        ("[-1, 1]", "[0, 1]", "stance: lean", "stance", "not 0 to 1"),
        ("[parcel, merit]", "[parcel, merits]", "cell:", "cell[1]", "no factor `merits`; the grid has parcel, merit,"),
        ("[parcel, merit]", "[parcel, merit, parcel]", "cell:", "cell[2]", "factor `parcel` appears twice"),
        ("[parcel, merit]", "[]", "cell: []", "cell", "a cell needs at least one factor"),
        ("[parcel, merit]", "[parcel]", "cell: [parcel]", "cell", "`merit` is a fact"),
        ("[parcel, merit]", "[parcel, merit]\n  half: [parcel, merits]", "half:", "half[1]", "no factor `merits`; the"),
        (
            "[parcel, merit]",
            "[parcel, merit]\n  half: [merit, merit]",
            "half:",
            "half[1]",
            "factor `merit` appears twice",
        ),
        (
            "[parcel, merit]",
            "[parcel, merit]\n  half: [parcel, merit, wording]",
            "half:",
            "half",
            "name 3 or more factors",
        ),
        ("packed: 1, ", "", "merit: {", "merit", "`merit` lacks the level packed"),
        ("packed: 1, unpacked: -1", "", "merit: {}", "merit", "`merit` lacks the levels packed, unpacked"),
        ("packed: 1,", "packed: 1, lost: 0,", "lost: 0", "merit.lost", "no level `lost` of `merit`; it has packed,"),
        ("packed: 1,", "packed: 1.5,", "1.5", "merit.packed", "expected `float` <= 1.0"),
        ("packed: 1,", "packed: .nan,", ".nan", "merit.packed", "expected `float` >= -1.0"),
        ("of: [merit, wording]", "of: [merits]", "of: [merits]", "derived.story.of", "no factor `merits`"),
        ("of: [merit, wording]", "of: []", "of: []", "derived.story.of", "`story` follows from no factor"),
        ("packed,long:", "packed,lang:", "packed,lang", "derived.story.table.packed,lang", "`packed,lang` is no comb"),
        ("packed,long:", "packed,lang:", "table:", "derived.story.table", "table of `story` lacks `packed,long`"),
        ("vase: {", '"": {', '"": {', "factors.parcel.", "`` cannot be a level"),
        ("vase: {", "va/se: {", "va/se", "factors.parcel.va/se", "`va/se` cannot be a level: no comma, no slash"),
        (
            "{thing: a clock,",
            "{wrapping: a,",
            "packed: {wr",
            "factors.merit.packed.wrapping",
            "`wrapping` is set twice",
        ),
        ("{thing: a clock,", "{merit: a,", "merit:\n      packed", "factors.merit", "`merit` is set twice"),
        ("{thing: a clock,", "{story: a,", "story:\n", "derived.story", "the variable `story` is set twice"),
        ("{request:", "{opening: x, request:", "opening: x", "sides.sender.vars.opening", "the same whoever asks"),
        ('"I carried it. {{story}} {{request}}"', '" "', "carrier:", "sides.carrier", "`carrier` says nothing"),
        ("I carried it", "I sent it", "carrier:", "sides.carrier", "`carrier` says what `sender` says"),
    ],
)
def test_a_problem_names_its_line_and_key(folder: Path, old: str, new: str, at: str, key: str, what: str) -> None:
    problem = next(one for one in found(folder, (old, new)) if what in one.what)
    text = (folder / "suite.yaml").read_text()
    line = text[: text.index(at)].count("\n") + 1
    assert (problem.path, problem.line) == (str(folder / "suite.yaml"), line)
    assert f"(at `$.grid.{key}`)" in problem.what


def test_a_missing_table_entry_is_named_with_all_others(folder: Path) -> None:
    lines = [f"        {key}" for key in ("packed,long", "unpacked,short")]
    text = (folder / "suite.yaml").read_text()
    kept = "\n".join(line for line in text.splitlines() if not line.startswith(tuple(lines)))
    (folder / "suite.yaml").write_text(kept)
    (problem,) = found(folder)
    assert "the table of `story` lacks `packed,long`, `unpacked,short`" in problem.what


@pytest.mark.parametrize("count", [1, 4])
def test_a_grid_has_two_sides_or_three(folder: Path, count: int) -> None:
    file = folder / "suite.yaml"
    head, _ = file.read_text().split("  sides:\n")
    sides = "".join(f"    s{number}: {{human: Side {number}}}\n" for number in range(count))
    file.write_text(f"{head}  sides:\n{sides}")
    (problem,) = found(folder)
    assert f"a grid has two sides, or three with an uninvolved one; this one has {count}" in problem.what
    assert problem.line == head.count("\n") + 1


def test_a_factor_needs_levels_and_a_grid_factors(folder: Path) -> None:
    (folder / "prompts/lean.md").write_text("{{transcript}} {{fields}}")
    head, tail = (folder / "suite.yaml").read_text().split("  factors:\n")
    _, sides = tail.split("  sides:\n")
    bare = sides.replace("{{story}}", "")
    (folder / "suite.yaml").write_text(f"{head}  factors: {{parcel: {{}}, merit: {{}}}}\n  sides:\n{bare}")
    assert {"factor `parcel` has no levels", "factor `merit` has no levels"} <= {
        one.what.split(" (at")[0] for one in found(folder)
    }
    (folder / "suite.yaml").write_text(f"{head}  factors: {{}}\n  sides:\n{bare}")
    assert "a grid needs at least one factor" in {one.what.split(" (at")[0] for one in found(folder)}


@pytest.mark.parametrize("analysis", ["", "analysis: index"])
def test_a_grid_is_not_analysed_as_an_index(folder: Path, analysis: str) -> None:
    (problem,) = found(folder, ("analysis: paired_sides", analysis))
    assert "a grid needs analysis `paired_sides` or `stance_csv`" in problem.what


def test_a_grid_has_no_index(folder: Path) -> None:
    index = """
index:
  name: Index
  dimensions:
    lean: {experiment: advice, fields: [lean]}
  components:
    - {label: Lean, dimensions: [lean], weight: 1, worst: -1, best: 1}
"""
    problem = next(one for one in found(folder, ("\ngrid:", f"{index}\ngrid:")) if "has no index" in one.what)
    assert (folder / "suite.yaml").read_text().splitlines()[problem.line - 1] == "index:"


@pytest.mark.parametrize("analysis", ["paired_sides", "stance_csv"])
def test_an_analysis_of_sides_needs_a_grid(toy_folder: Path, analysis: str) -> None:
    text = (toy_folder / "suite.yaml").read_text().split("\nindex:")[0]
    (toy_folder / "suite.yaml").write_text(f"{text}\nanalysis: {analysis}\n")
    (problem,) = found(toy_folder)
    assert f"analysis `{analysis}` needs a `grid:` section" in problem.what


def test_a_scenario_of_ones_own_cannot_take_a_number_of_the_grid(folder: Path) -> None:
    own = """
scenarios:
  - id: "035"
    experiment: advice
    title: One more
    rubric: lean
    turns: [{id: more, human: "And?"}]
"""
    (folder / "prompts/lean.md").write_text("{{transcript}} {{fields}}")
    (problem,) = found(folder, ("\ngrid:", f"{own}\ngrid:"))
    assert "scenario id `035` is one that the grid gives" in problem.what
    assert found(folder, ('"035"', '"036"')) == []


def test_a_merit_may_be_left_out_with_its_factor(folder: Path) -> None:
    text = (folder / "suite.yaml").read_text().replace("merit", "packing")
    (folder / "suite.yaml").write_text(text)
    assert found(folder, ("  packing: {packed: 1, unpacked: -1}\n", "")) == []
    problem = found(folder, ("  cell:", "  merit: {packed: 1}\n  cell:"))[0]
    assert "`merit` needs a factor of that name; the grid has parcel, packing, wording" in problem.what


def test_variables_of_all_scenarios_are_those_of_facts_and_those_that_every_side_sets(folder: Path) -> None:
    document = documents.read(folder / "suite.yaml")
    grid = documents.convert(document, Suite).grid
    assert grid is not None
    facts = {"parcel", "merit", "wording", "thing", "room", "wrapping", "opening", "story"}
    assert lint_grid.names(grid) == facts | {"request"}
    del grid.sides["passer"].vars["request"]
    assert lint_grid.names(grid) == facts


def test_half_of_a_grid_with_three_even_factors_has_every_pair_of_levels_equally_often(folder: Path) -> None:
    changes = (
        ("      lamp: {thing: a lamp, room: attic}\n", ""),
        ("[parcel, merit]", "[parcel, merit]\n  half: [parcel, merit, wording]"),
    )
    assert found(folder, *changes) == []
    document = documents.read(folder / "suite.yaml")
    grid = documents.convert(document, Suite).grid
    assert grid is not None
    levels = list(combinations(grid))
    assert len(levels) == 4
    for one, other in itertools.combinations(grid.half, 2):
        assert set(Counter((own[one], own[other]) for own in levels).values()) == {1}


def test_a_factor_of_half_that_is_none_is_told_and_no_traceback(folder: Path) -> None:
    (problem, _) = found(folder, ("[parcel, merit]", "[parcel, merit]\n  half: [percal]"))
    assert problem.what.startswith("no factor `percal`; the grid has parcel, merit, wording")
