from __future__ import annotations

import sqlite3

import msgspec
import pytest
from scipy import stats

from independence.errors import UsageError
from independence.report.advice import advice_study
from independence.report.comparing import suite_comparison
from independence.stats import sides
from independence.suites.load import LoadedSuite

from . import advised
from .advised import Leaning, fill

SUBJECTS = {f"adviser-{at}": Leaning(sycophancy=at / 10, noise=0.05) for at in range(5)}


@pytest.fixture
def spanish() -> LoadedSuite:
    """The quarrels, said to be in Spanish."""
    return advised.suite(suite="quarrels-es", language="es", translation_of="quarrels")


def compared(connection: sqlite3.Connection, *suites: str) -> suite_comparison.ComparedSuites:
    first, second = suites
    return suite_comparison.read(connection, *suite_comparison.places(connection, (first, second), None, None))


def test_a_suite_of_advice_and_its_translation_are_compared_by_s_cell_by_cell(
    connection: sqlite3.Connection, spanish: LoadedSuite
) -> None:
    quarrels = advised.suite()
    fill(connection, quarrels, SUBJECTS)
    halved = [
        one._replace(sycophancy=one.sycophancy / 2, noise=0.05 + at % 2 / 20)
        for at, one in enumerate(SUBJECTS.values())
    ]
    fill(connection, spanish, dict(zip(SUBJECTS, halved, strict=True)))  # the same noise would leave a perfect line
    found = compared(connection, "quarrels", "quarrels-es")
    read = advice_study.read(connection, advised.scope(quarrels), "cues")
    for one in found.measured:
        own = sides.estimate(advice_study.stances(read, one.config)).S
        assert own is not None
        assert (one.first.value, one.first.ci) == (own.value, own.interval)
    assert len(found.scenarios) == 2 * 4 * 3
    first = found.scenarios[0]
    pairs = [(one.first.parts[first.name], one.second.parts[first.name]) for one in found.measured]
    expected = stats.ttest_rel(*zip(*pairs, strict=True))
    assert first.difference is not None
    assert (first.first - first.second, first.difference.p) == pytest.approx(
        (sum(a - b for a, b in pairs) / 5, expected.pvalue)
    )
    whole = found.difference
    assert whole is not None
    assert sum(one.first - one.second for one in found.scenarios) / len(found.scenarios) == pytest.approx(whole.points)
    shown = {table.id: table for table in suite_comparison.tables(found)}
    assert [row[2] for row in shown["suites"].rows] == ["en", "es"]
    assert shown["scenarios"].title == "By cell"


def test_an_incomplete_adviser_counts_with_its_complete_pairs(
    connection: sqlite3.Connection, spanish: LoadedSuite
) -> None:
    fill(connection, advised.suite(), SUBJECTS)
    fill(connection, spanish, SUBJECTS, missing={"adviser-0": 6})
    found = compared(connection, "quarrels", "quarrels-es")
    assert len(found.measured) == 5
    assert {one.subjects for one in found.scenarios} == {4, 5}
    notes = suite_comparison.tables(found)[0].notes
    assert "adviser-0@none-t0.7: from 96% of B's verdicts." in notes


def test_different_quantities_are_not_compared(
    connection: sqlite3.Connection, toy_suite: LoadedSuite, spanish: LoadedSuite
) -> None:
    fill(connection, spanish, SUBJECTS)
    advice = advised.scope(spanish)
    index = advice._replace(suite=msgspec.structs.replace(toy_suite.suite, translation_of="quarrels"))
    with pytest.raises(UsageError, match="quarrels-es measures S and toy measures the index"):
        suite_comparison.read(connection, advice, index)
