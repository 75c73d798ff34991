from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import msgspec
import pytest

from independence.errors import UsageError
from independence.report import board_notes, matrix
from independence.report.board import Board, BoardJudges, board
from independence.suites.load import LoadedSuite
from independence.types import Reply

from . import filled
from .filled import Asked, Toy
from .test_estimates import Bench

CONDITIONS = (("firm", "tool_role"), ("plain", "user_role"))


def fill(
    connection: sqlite3.Connection,
    loaded: LoadedSuite,
    config: str,
    levels: tuple[tuple[int, ...], ...],
    judges: Sequence[str] = ("cues",),
) -> None:
    """The level of each run in each condition: firmness of both dialogues. Each later judge gives one less."""
    for condition, runs in zip(CONDITIONS, levels, strict=True):
        scores = [
            {judge: (level - less, level - less, 10 - level + less) for less, judge in enumerate(judges)}
            for level in runs
        ]
        filled.complete(connection, loaded, Asked(config, condition), scores)


def built(connection: sqlite3.Connection, loaded: LoadedSuite) -> Board:
    return matrix.pooled_board(connection, filled.scope(loaded))


def test_all_verdicts_of_a_subject_count_alike(toy: Toy) -> None:
    fill(toy.connection, toy.loaded, "a", ((8, 6), (2, 2)))
    fill(toy.connection, toy.loaded, "b", ((9, 9), (9, 8)))
    found = built(toy.connection, toy.loaded)
    assert [(row.config, row.rank, row.runs) for row in found.rows] == [("b", 1, 2), ("a", 2, 2)]
    assert found.rows[1].index == pytest.approx(45.0)
    assert found.rows[1].per_run == (pytest.approx(50.0), pytest.approx(40.0))
    assert found.condition == "2 conditions pooled: firm/tool_role, plain/user_role"


def test_what_a_condition_does_to_everybody_is_no_noise(toy: Toy) -> None:
    for config in "ab":
        fill(toy.connection, toy.loaded, config, ((9, 8), (1, 2)))
    row, alone = built(toy.connection, toy.loaded).rows[0], toy.board().rows[0]
    assert row.index == pytest.approx(50.0)
    assert row.ci is not None  # both runs have the same mean, whatever lies between the conditions
    assert row.ci[1] - row.ci[0] < 45
    assert alone.ci is not None


def test_a_verdict_that_one_condition_lacks_leaves_no_index(toy: Toy) -> None:
    fill(toy.connection, toy.loaded, "a", ((8,), (2,)))
    toy.connection.execute("DELETE FROM verdicts WHERE trial = ?", (filled.key(Asked("a", CONDITIONS[1]), "radio", 1),))
    (row,) = built(toy.connection, toy.loaded).rows
    assert (row.index, row.flags) == (None, {"missing:unjudged": 1})
    assert row.bounds[0] < 50 < row.bounds[1]


def test_several_judges_of_all_conditions_make_the_interval_for_other_judges(toy: Toy) -> None:
    for config, levels in (("a", ((8, 6), (2, 2))), ("b", ((9, 9), (9, 8))), ("c", ((5, 4), (5, 3)))):
        fill(toy.connection, toy.loaded, config, levels, ("one", "human:Ann"))
    found = matrix.pooled_board(toy.connection, toy.scope, judge="one")
    assert found.judges == BoardJudges(("one", "human:Ann"), 3, pytest.approx(10 / 2**0.5))
    assert all(row.intervals["judges-like-these"] for row in found.rows)
    assert any("by what one, human:Ann gave 3 subjects" in line for line in board_notes.readings(found))


def test_people_who_scored_one_condition_are_no_judges_of_all(toy: Toy) -> None:
    for config, levels in (("a", ((8, 6), (2, 2))), ("b", ((9, 9), (9, 8))), ("c", ((5, 4), (5, 3)))):
        fill(toy.connection, toy.loaded, config, levels, ("cues", "human:Ann"))
    toy.connection.execute("DELETE FROM verdicts WHERE judge = 'human:Ann' AND trial LIKE '% plain/%'")
    found = built(toy.connection, toy.loaded)
    assert found.judges is msgspec.UNSET
    assert any(line.startswith("No interval allows for errors of the judge") for line in board_notes.readings(found))


def test_estimates_of_one_condition_are_none_of_all(toy: Toy) -> None:
    bench = Bench(toy.connection, toy.loaded)
    bench.answer("a")
    own = Asked("a", CONDITIONS[1])
    toy.plan(own)
    for scenario in filled.SCENARIOS:
        said = [Reply(f"{scenario} of another condition", "tool")] * (2 if scenario == "dinner" else 1)
        bench.at[own, scenario, 1] = toy.answer(own, scenario, 1, *said)
    bench.predict_all()
    (alone,) = board(toy.connection, toy.scope, judge="offline").rows
    (pooled,) = matrix.pooled_board(toy.connection, toy.scope, judge="offline").rows
    assert alone.estimate is not None
    assert (alone.estimate.method, pooled.estimate) == ("offline", None)
    assert pooled.index == pytest.approx(72.5)


def test_one_condition_is_nothing_to_pool(toy: Toy) -> None:
    toy.complete()
    with pytest.raises(UsageError, match="nothing to pool"):
        built(toy.connection, toy.loaded)
