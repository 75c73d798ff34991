"""Two suites or editions over the subjects that both measured: paired scenarios, refusals."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest

from independence.errors import StoreError, UsageError
from independence.report.comparing import suite_comparison
from independence.report.comparing.suite_comparison import ComparedSuites
from independence.report.files.table import Table
from independence.suites import digest
from independence.suites.load import LoadedSuite

from . import filled
from .cells import by_id
from .filled import Asked, Toy

HIGH = [(9, 8, 1), (8, 9, 2), (10, 7, 1)]
SUBJECTS = ("a", "b", "c", "d", "e")
PLAIN = ("plain", "tool_role")


@pytest.fixture
def other(toy: Toy) -> Toy:
    """Another edition of the toy suite in the same store."""
    suite = msgspec.structs.replace(toy.suite, about="The same in other words.")
    return Toy(toy.connection, LoadedSuite(suite, digest.edition(suite)))


def fill(toy: Toy, *subjects: str, extra: int = 0) -> None:
    """Each subject has a point less than the one before it."""
    for less, name in enumerate(subjects, start=extra):
        runs = [tuple(max(value - less, 0) for value in run) for run in HIGH]
        toy.complete(asked(toy, name), runs)


def asked(toy: Toy, config: str, condition: tuple[str, str] = filled.CONDITION) -> Asked:
    return Asked(config, condition, edition=toy.loaded.edition)


def named(toy: Toy) -> str:
    return f"{toy.suite.suite}@{toy.loaded.edition}"


def compared(first: Toy, second: Toy) -> ComparedSuites:
    places = suite_comparison.places(first.connection, (named(first), named(second)), None, None)
    return suite_comparison.read(first.connection, *places)


def tables(found: ComparedSuites) -> dict[str, Table]:
    return by_id(suite_comparison.tables(found))


def names(found: Sequence[suite_comparison.PairedScenario]) -> list[str]:
    return [one.name for one in found]


def test_editions_are_compared_over_their_common_subjects(toy: Toy, other: Toy) -> None:
    fill(toy, *SUBJECTS)
    fill(other, *SUBJECTS[1:], "other", extra=2)
    found = compared(toy, other)
    assert [one.config for one in found.measured] == list(SUBJECTS[1:])
    gaps = [one.values[0] - one.values[1] for one in found.measured if one.values]
    assert found.difference is not None
    assert found.difference.points == pytest.approx(sum(gaps) / 4)
    assert found.measured[0].first.value == toy.side("b").index
    shown = tables(found)
    assert any(note.startswith(f"Mean A − B: {sum(gaps) / 4:+.1f} (95% ") for note in shown["suites"].notes)
    assert [(row[0], row[1], row[5]) for row in shown["subjects"].rows] == [
        (f"label of {one.config}", one.first.value, one.first.value - one.second.value) for one in found.measured
    ]


def test_scenarios_of_two_editions_are_paired_and_add_up_to_the_mean_difference(toy: Toy, other: Toy) -> None:
    fill(toy, *SUBJECTS)
    fill(other, *SUBJECTS, extra=1)
    found = compared(toy, other)
    assert names(found.scenarios) == ["radio", "dessert", "dinner"]
    assert {one.subjects for one in found.scenarios} == {5}
    assert found.difference is not None
    assert sum(one.first - one.second for one in found.scenarios) == pytest.approx(found.difference.points)
    assert found.difference.points > 0
    other.drop(asked(other, "e"), "radio", 1)
    holed = compared(toy, other)
    assert {one.subjects for one in holed.scenarios} == {len(holed.measured)} == {4}
    shown = tables(holed)
    assert "label of e: left out, with 89% of B's verdicts." in shown["suites"].notes
    assert shown["subjects"].rows[-1][3:] == (None, None, None)
    assert {row[5] for row in shown["scenarios"].rows} == {4}


def test_a_suite_and_its_translation_are_compared_and_two_suites_are_not(toy: Toy, other: Toy) -> None:
    fill(toy, *SUBJECTS)
    fill(other, *SUBJECTS)
    first, second = suite_comparison.places(toy.connection, (named(toy), named(other)), None, None)

    def reading(**changed: str) -> ComparedSuites:
        """The same with a second side of another suite."""
        suite = msgspec.structs.replace(other.suite, suite="unlike", **changed)
        return suite_comparison.read(toy.connection, first, second._replace(suite=suite))

    with pytest.raises(UsageError, match="toy and unlike share no scenario; name two editions of one suite"):
        reading()
    kin = reading(translation_of="toy")
    assert names(kin.scenarios) == ["radio", "dessert", "dinner"]
    assert any("is a translation of toy" in note for note in tables(kin)["suites"].notes)


def test_one_common_subject_shows_no_mean_difference(toy: Toy, other: Toy) -> None:
    for count in (1, 3):
        fill(toy, *SUBJECTS[:count])
        fill(other, *SUBJECTS[:count], extra=1)
        shown = tables(compared(toy, other))
        assert any(note.startswith("Mean A − B") for note in shown["suites"].notes) is (count == 3)
        assert len(shown["subjects"].rows) == count
        assert any(row[4] is not None for row in shown["scenarios"].rows) is (count == 3)


def test_simulated_subjects_are_said_to_be(toy: Toy, other: Toy) -> None:
    for one in (toy, other):
        one.complete(asked(one, "a"), HIGH, simulated=True)
    assert any("no model was asked" in note for note in tables(compared(toy, other))["suites"].notes)


def test_both_are_read_under_the_first_ones_condition_or_one_that_both_have(toy: Toy, other: Toy) -> None:
    for one in (toy, other):
        one.complete(asked(one, "a", PLAIN), HIGH)
    fill(toy, "a")
    editions = (named(toy), named(other))
    own, theirs = suite_comparison.places(toy.connection, editions, None, None)
    assert own.condition == theirs.condition == PLAIN
    fill(other, "a")
    assert suite_comparison.places(toy.connection, editions, None, None)[0].condition == filled.CONDITION
    assert suite_comparison.places(toy.connection, editions, "plain", None)[1].condition == PLAIN


def test_what_cannot_be_compared_is_refused(toy: Toy, other: Toy) -> None:
    fill(toy, "a")
    other.complete(asked(other, "b", PLAIN), HIGH)
    editions = own, theirs = (named(toy), named(other))
    with pytest.raises(StoreError, match=r"no condition is common .* has firm/tool_role; .* has plain/tool_role;"):
        suite_comparison.places(toy.connection, editions, None, None)
    with pytest.raises(UsageError, match="are the same edition"):
        suite_comparison.places(toy.connection, (own, own), None, None)
    other.complete(asked(other, "b"), HIGH, judge="acme/judge")
    places = suite_comparison.places(toy.connection, editions, None, None)
    with pytest.raises(StoreError, match=rf"no judge graded both: {own} has cues; {theirs} has acme/judge;"):
        suite_comparison.read(toy.connection, *places)
    with pytest.raises(StoreError, match="judge cues did not grade both"):
        suite_comparison.read(toy.connection, *places, "cues")
    fill(other, "b")
    with pytest.raises(StoreError, match=rf"no subject in common .*; run {theirs} on .* other: label of a"):
        suite_comparison.read(toy.connection, *places)
    bare = msgspec.structs.replace(places[1].suite, index=None)
    with pytest.raises(UsageError, match="declares no index"):
        suite_comparison.read(toy.connection, places[0], places[1]._replace(suite=bare))
    imported = Toy(toy.connection, msgspec.structs.replace(toy.loaded, edition="published"))
    fill(imported, "b")
    for pair in ((toy, imported), (imported, toy)):  # an import is never named as what to run
        with pytest.raises(StoreError, match=rf"no subject in common .*; run {own} on .* other: label of b"):
            compared(*pair)
