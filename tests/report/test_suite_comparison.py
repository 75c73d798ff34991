from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from independence.errors import StoreError, UsageError
from independence.report import suite_comparison, suite_comparison_tables
from independence.report.suite_comparison import ComparedSuites
from independence.report.table import Table
from independence.stats import equating
from independence.suites import digest
from independence.suites.load import LoadedSuite

from . import filled
from .filled import Asked, Scores, Toy, complete

HIGH: list[Scores] = [(9, 8, 1), (8, 9, 2), (10, 7, 1)]
SUBJECTS = ("a", "b", "c", "d", "e")


@pytest.fixture
def reworded(toy_suite: LoadedSuite) -> LoadedSuite:
    """Another edition of the toy suite."""
    suite = msgspec.structs.replace(toy_suite.suite, about="The same in other words.")
    return LoadedSuite(suite, digest.edition(suite))


def lower(by: int, runs: Sequence[Scores] = HIGH) -> list[Scores]:
    return [tuple(None if value is None else max(value - by, 0) for value in run) for run in runs]  # type: ignore[misc]


def asked(loaded: LoadedSuite, config: str, condition: tuple[str, str] = filled.CONDITION) -> Asked:
    return Asked(config, condition, edition=loaded.edition)


def fill(connection: sqlite3.Connection, loaded: LoadedSuite, *subjects: str, extra: int = 0) -> None:
    for at, name in enumerate(subjects):
        complete(connection, loaded, asked(loaded, name), lower(at + extra))


def compared(connection: sqlite3.Connection, first: LoadedSuite, second: LoadedSuite) -> ComparedSuites:
    places = suite_comparison.places(connection, (named(first), named(second)), None, None)
    return suite_comparison.read(connection, *places)


def named(loaded: LoadedSuite) -> str:
    return f"{loaded.suite.suite}@{loaded.edition}"


def tables(found: ComparedSuites) -> dict[str, Table]:
    return {table.id: table for table in suite_comparison_tables.tables(found)}


def test_editions_are_equated_over_their_common_subjects(toy: Toy, reworded: LoadedSuite) -> None:
    fill(toy.connection, toy.loaded, *SUBJECTS)
    fill(toy.connection, reworded, *SUBJECTS[1:], "other", extra=2)
    found = compared(toy.connection, toy.loaded, reworded)
    assert [one.config for one in found.measured] == list(SUBJECTS[1:])
    own, other = ([one.values[at] for one in found.measured if one.values] for at in (0, 1))
    index = toy.side("b").index
    assert own[0] == index
    ses = [[one[at].se for one in found.measured] for at in (1, 2)]
    assert found.ratio == equating.error_ratio(*ses)
    assert found.equating == equating.equate(own, other, found.ratio or 0.0)
    shown = tables(found)
    rows = {row[0]: row[1:] for row in shown["equating"].rows}
    assert found.equating.slope is not None
    assert rows["Slope"] == (*found.equating.slope, 1.0)
    assert [row[:2] for row in shown["subjects"].rows] == [
        (f"label of {one.config}", one.first.value) for one in found.measured
    ]


def test_scenarios_of_two_editions_are_paired_and_add_up_to_the_mean_difference(
    toy: Toy, reworded: LoadedSuite
) -> None:
    fill(toy.connection, toy.loaded, *SUBJECTS)
    fill(toy.connection, reworded, *SUBJECTS, extra=1)
    found = compared(toy.connection, toy.loaded, reworded)
    assert [one.name for one in found.scenarios] == ["radio", "dessert", "dinner"]
    assert {one.subjects for one in found.scenarios} == {5}
    difference = found.equating.difference
    assert difference is not None
    assert sum(one.first - one.second for one in found.scenarios) == pytest.approx(difference.est)
    assert difference.est > 0


def test_scenarios_are_paired_over_the_subjects_with_both_numbers(toy: Toy, reworded: LoadedSuite) -> None:
    fill(toy.connection, toy.loaded, *SUBJECTS)
    fill(toy.connection, reworded, *SUBJECTS, extra=1)
    found = compared(toy.connection, toy.loaded, reworded)
    first, *rest = found.second.measures.subjects.items()
    subjects = dict([(first[0], first[1]._replace(value=None)), *rest])
    second = found.second._replace(measures=found.second.measures._replace(subjects=subjects))
    unmeasured = msgspec.structs.replace(found, second=second)
    assert {one.subjects for one in unmeasured.scenarios} == {len(unmeasured.measured)} == {4}


def test_suites_that_share_no_scenarios_are_equated_without_pairs(toy: Toy, reworded: LoadedSuite) -> None:
    fill(toy.connection, toy.loaded, *SUBJECTS)
    fill(toy.connection, reworded, *SUBJECTS)
    found = compared(toy.connection, toy.loaded, reworded)
    other = msgspec.structs.replace(reworded.suite, suite="unlike")
    apart = found.second._replace(scope=found.second.scope._replace(suite=other))
    unlike = msgspec.structs.replace(found, second=apart)
    assert unlike.scenarios == []
    assert list(tables(unlike)) == ["suites", "equating", "subjects"]
    kin = msgspec.structs.replace(other, translation_of="toy")
    pair = msgspec.structs.replace(found, second=apart._replace(scope=apart.scope._replace(suite=kin)))
    assert [one.name for one in pair.scenarios] == ["radio", "dessert", "dinner"]
    assert any("is a translation of toy" in note for note in tables(pair)["suites"].notes)


def test_below_four_common_subjects_there_are_only_differences_and_a_sentence(toy: Toy, reworded: LoadedSuite) -> None:
    for count in (1, 3):
        fill(toy.connection, toy.loaded, *SUBJECTS[:count])
        fill(toy.connection, reworded, *SUBJECTS[:count], extra=1)
        shown = tables(compared(toy.connection, toy.loaded, reworded))
        ((quantity, _, ci, _),) = shown["equating"].rows
        assert quantity == "Mean A − B"
        assert (ci is None) is (count == 1)
        subjects = "1 subject" if count == 1 else "3 subjects"
        few = f"{subjects} measured in both: no line and no rank correlation with fewer than 4."
        assert few in shown["equating"].notes
        assert len(shown["subjects"].rows) == count
        assert any(row[4] is not None for row in shown["scenarios"].rows) is (count == 3)


def test_an_incomplete_subject_is_left_out_and_named(toy: Toy, reworded: LoadedSuite) -> None:
    fill(toy.connection, toy.loaded, *SUBJECTS)
    fill(toy.connection, reworded, *SUBJECTS[:4])
    complete(toy.connection, reworded, asked(reworded, "e"), [(9, None, 1), *HIGH[1:]])
    found = compared(toy.connection, toy.loaded, reworded)
    assert [one.config for one in found.measured] == list(SUBJECTS[:4])
    shown = tables(found)
    assert "label of e: left out, with 89% of B's verdicts." in shown["suites"].notes
    assert shown["subjects"].rows[-1][3:] == (None, None, None)
    assert {row[5] for row in shown["scenarios"].rows} == {4}


def test_simulated_subjects_are_said_to_be(toy: Toy, reworded: LoadedSuite) -> None:
    for loaded in (toy.loaded, reworded):
        complete(toy.connection, loaded, Asked("a", simulated=True, edition=loaded.edition), HIGH)
    notes = tables(compared(toy.connection, toy.loaded, reworded))["suites"].notes
    assert any("no model was asked" in note for note in notes)


def test_both_are_read_under_the_first_ones_condition_or_one_that_both_have(toy: Toy, reworded: LoadedSuite) -> None:
    plain = ("plain", "tool_role")
    for loaded in (toy.loaded, reworded):
        complete(toy.connection, loaded, asked(loaded, "a", plain), HIGH)
    toy.complete(asked(toy.loaded, "a"), HIGH)
    names = (named(toy.loaded), named(reworded))
    own, other = suite_comparison.places(toy.connection, names, None, None)
    assert own.condition == other.condition == plain
    complete(toy.connection, reworded, asked(reworded, "a"), HIGH)
    assert suite_comparison.places(toy.connection, names, None, None)[0].condition == filled.CONDITION
    assert suite_comparison.places(toy.connection, names, "plain", None)[1].condition == plain


def test_an_import_is_never_named_as_what_to_run(toy: Toy) -> None:
    imported = toy.loaded._replace(edition="published")
    toy.complete(asked(toy.loaded, "a"), HIGH)
    complete(toy.connection, imported, asked(imported, "b"), HIGH)
    for first, second, theirs in ((toy.loaded, imported, "b"), (imported, toy.loaded, "b")):
        with pytest.raises(
            StoreError, match=rf"no subject in common .*; run {named(toy.loaded)} on .* other: label of {theirs}"
        ):
            compared(toy.connection, first, second)


def test_what_cannot_be_compared_is_refused(toy: Toy, reworded: LoadedSuite, tmp_path: Path) -> None:
    toy.complete(asked(toy.loaded, "a"), HIGH)
    complete(toy.connection, reworded, asked(reworded, "b", ("plain", "tool_role")), HIGH)
    names = (named(toy.loaded), named(reworded))
    with pytest.raises(StoreError, match=r"no condition is common .* has firm/tool_role; .* has plain/tool_role;"):
        suite_comparison.places(toy.connection, names, None, None)
    with pytest.raises(UsageError, match="are the same edition"):
        suite_comparison.places(toy.connection, (names[0], names[0]), None, None)
    complete(toy.connection, reworded, asked(reworded, "b"), HIGH, judge="acme/judge")
    places = suite_comparison.places(toy.connection, names, None, None)
    with pytest.raises(StoreError, match=rf"no judge graded both: {names[0]} has cues; {names[1]} has acme/judge;"):
        suite_comparison.read(toy.connection, *places)
    with pytest.raises(StoreError, match="judge cues did not grade both"):
        suite_comparison.read(toy.connection, *places, "cues")
    complete(toy.connection, reworded, asked(reworded, "b"), HIGH)
    with pytest.raises(
        StoreError, match=rf"have no subject in common under firm/tool_role; run {names[1]} on .* other: label of a"
    ):
        suite_comparison.read(toy.connection, *places)
    graded = msgspec.structs.replace(places[1].suite, index=None)
    with pytest.raises(UsageError, match="declares no index"):
        suite_comparison.read(toy.connection, places[0], places[1]._replace(suite=graded))
