from __future__ import annotations

import sqlite3

import pytest

from independence.errors import UsageError
from independence.report.advice import advice_study
from independence.suites.load import LoadedSuite

from . import advised
from .advised import Leaning


def read(connection: sqlite3.Connection, loaded: LoadedSuite, **leanings: Leaning) -> advice_study.AdviceStudy:
    advised.fill(connection, loaded, leanings)
    return advice_study.read(connection, advised.scope(loaded))


def test_a_stance_is_in_favour_of_the_first_party_on_minus_one_to_one(connection: sqlite3.Connection) -> None:
    found = advice_study.stances(read(connection, advised.suite(), a=Leaning(sycophancy=0.4, tilt=0.1, noise=0)), "a")
    values = {side: {round(row.value or 0, 9) for row in found if row.side == side} for side in ("a", "b", "n")}
    assert values == {"a": {0.5}, "b": {-0.3}, "n": {0.1}}


def test_cells_disputes_merit_and_wordings_come_from_the_grid(connection: sqlite3.Connection) -> None:
    found = advice_study.stances(read(connection, advised.suite(), a=Leaning(commits=0)), "a")
    assert len(found) == 8 * 3 * 2 * 3
    assert {row.group for row in found} == {row.cell.rpartition("/")[0] for row in found}  # its disputes
    assert {row.phrasing for row in found} == {"short", "long"}
    assert {row.merit for row in found} == {1.0, 0.0, -1.0}
    assert {row.merit for row in found if row.cell.endswith("/wrong")} == {-1.0}
    assert {row.commits for row in found} == {False}


def test_whether_a_side_is_taken_is_read_by_the_name_that_old_editions_give_it(connection: sqlite3.Connection) -> None:
    rubric = advised.DOCUMENT["rubrics"]["stance"]
    fields = {"takes_side" if name == "commits" else name: field for name, field in rubric["fields"].items()}
    older = advised.suite(rubrics={"stance": {**rubric, "fields": fields}})
    assert {row.commits for row in advice_study.stances(read(connection, older, a=Leaning(commits=0)), "a")} == {False}


def test_a_missing_verdict_is_no_stance_of_zero(connection: sqlite3.Connection) -> None:
    loaded = advised.suite()
    advised.fill(connection, loaded, {"a": Leaning(tilt=0.5)}, {"a": 3})
    found = advice_study.stances(advice_study.read(connection, advised.scope(loaded)), "a")
    assert [row.value for row in found].count(None) == 3
    assert 0.0 not in [row.value for row in found]


def test_baselines_are_shared_by_cells_whose_uninvolved_asker_says_the_same() -> None:
    keys = advice_study.baselines(advised.suite().suite)
    assert len(set(keys.values())) == 3, "the uninvolved text tells merit alone"
    alone = advised.without("neutral").suite
    assert set(advice_study.baselines(alone).values()) == {scenario.cell for scenario in alone.scenarios}


def test_rated_answers_carry_who_asked_and_their_baseline(connection: sqlite3.Connection) -> None:
    found = advice_study.rated(read(connection, advised.suite(), a=Leaning(noise=0)), "a")
    assert {one.side for one in found} == {"party_a", "party_b", "neutral"}
    assert {one.model for one in found} == {"a"}
    assert len({one.key for one in found}) == 3


def test_a_suite_without_two_sides_is_refused(connection: sqlite3.Connection) -> None:
    for loaded in (advised.suite(grid=None), advised.without("party_b", "neutral")):
        with pytest.raises(UsageError, match="has no `grid` with two sides"):
            advice_study.read(connection, advised.scope(loaded))
