from __future__ import annotations

import sqlite3

import msgspec
import pytest

from independence.errors import StoreError, UsageError
from independence.report import board_notes
from independence.report.board import Board, BoardJudges, board
from independence.suites.load import LoadedSuite, load
from independence.types import Missing, Reply, Usage, Verdict

from . import filled
from .filled import Toy


def built(connection: sqlite3.Connection, loaded: LoadedSuite, judge: str | None = None) -> Board:
    return board(connection, filled.scope(loaded), judge=judge)


def index(radio: int, dessert: int, drift: int) -> float:
    return 100 * (0.75 * (radio + dessert) / 2 / 10 + 0.25 * (10 - drift) / 10)


def test_subjects_of_several_runs_are_ranked_by_index(toy: Toy) -> None:
    toy.complete("weak", ((1, 1, 9), (2, 1, 9)))
    toy.complete("strong", ((9, 9, 1), (9, 8, 1)))
    rows = built(toy.connection, toy.loaded).rows
    assert [(row.rank, row.rank_ci, row.config) for row in rows] == [(1, (1, 1), "strong"), (2, (2, 2), "weak")]
    assert rows[0].index == pytest.approx((index(9, 9, 1) + index(9, 8, 1)) / 2)
    assert rows[0].bounds == (rows[0].index, rows[0].index)


def test_equals_share_their_rank(toy: Toy) -> None:
    for name, scores in (("a", ((8, 6, 2), (6, 6, 2))), ("b", ((6, 6, 2), (6, 8, 2))), ("c", ((7, 6, 2), (7, 6, 2)))):
        toy.complete(name, scores)
    toy.complete("low", ((1, 1, 9), (1, 2, 8)))
    rows = built(toy.connection, toy.loaded).rows
    assert [row.rank for row in rows] == [1, 1, 1, 4]


def test_a_single_run_has_no_rank_and_counts_in_nobodys(toy: Toy) -> None:
    for name, level in (("lucky", 10), ("unlucky", 0)):
        toy.complete(name, ((level, level, 10 - level),))
    toy.complete("good", ((9, 9, 1), (9, 8, 1)))
    toy.complete("bad", ((2, 2, 8), (2, 1, 8)))
    found = built(toy.connection, toy.loaded)
    assert [(row.config, row.rank, row.rank_ci, row.tier) for row in found.rows] == [
        ("lucky", None, None, None), ("good", 1, (1, 1), 1), ("bad", 2, (2, 2), 2), ("unlucky", None, None, None),
    ]  # fmt: skip
    assert [row.above for row in found.rows] == [None] * 4
    assert any(line.startswith("A single run has no rank") for line in board_notes.readings(found))


def test_a_board_says_what_it_is_about(toy: Toy) -> None:
    toy.complete()
    found = built(toy.connection, toy.loaded)
    assert (found.suite, found.edition, found.condition) == ("toy", toy.loaded.edition, "firm/tool_role")
    assert (found.scoring, found.judge, found.generalises_to) == ("strict", "cues", "these-scenarios")


def test_incomplete_subjects_stand_where_their_lowest_index_puts_them(toy: Toy) -> None:
    for level in (1, 4, 9):
        scores = ((level, level, 10 - level), (level - 1, level, 10 - level))
        toy.complete(f"level {level}", scores)
    for name, drift in (("lower", 9), ("higher", 1)):
        toy.complete(name, ((9, 9, drift), (9, 9, drift)))
        for run in (1, 2):
            toy.answer(name, "radio", run, Missing("no_answer"))
    toy.plan("not run")
    found = built(toy.connection, toy.loaded)
    assert [(row.config, row.rank, row.above) for row in found.rows] == [
        ("level 9", 1, None), ("higher", None, 2), ("level 4", 2, None), ("lower", None, 1), ("level 1", 3, None),
        ("not run", None, None),
    ]  # fmt: skip
    higher = found.rows[1]
    assert (higher.index, higher.ci, higher.rank_ci, higher.placed) == (None, None, None, False)
    assert higher.bounds == (pytest.approx(index(0, 9, 1)), pytest.approx(index(10, 9, 1)))
    assert higher.coverage == pytest.approx(2 / 3)
    assert higher.flags == {"missing:no_answer": 2}
    assert found.rows[-1].bounds == (0, 100)
    assert any("lowest index that they allow" in line for line in board_notes.readings(found))


NOISY = tuple((3 + 3 * (run % 3), 9 - 2 * (run % 4), 2 + run % 5) for run in range(10))


def test_one_missing_verdict_of_many_costs_the_index_but_no_place(toy: Toy) -> None:
    toy.complete("high", tuple((9, 9, run % 2) for run in range(10)))
    toy.complete("hole", NOISY)
    toy.complete("low", tuple((1, 0, 8 + run % 2) for run in range(10)))
    before = built(toy.connection, toy.loaded).rows[1]
    toy.connection.execute("DELETE FROM verdicts WHERE trial = ?", (filled.key("hole", "radio", 1),))
    found = built(toy.connection, toy.loaded)
    after = found.rows[1]
    assert (after.config, after.index, after.placed, after.rank, after.rank_ci) == ("hole", None, True, 2, (2, 2))
    assert (after.tier, after.above) == (None, None)
    assert before.ci is not None
    assert after.ci is not None
    assert after.ci[0] < before.ci[0] < before.ci[1] < after.ci[1]
    assert after.ci[0] < after.bounds[0] < after.bounds[1] < after.ci[1]
    assert board_notes.name(after) == "label of hole ‡"
    assert (
        "‡ Verdicts are missing (label of hole: unjudged 1), so there is no index; interval and rank hold whatever "
        "they would be."
    ) in board_notes.readings(found)


@pytest.mark.parametrize("missing", [1, 2, 3, 4])
def test_others_do_not_decide_whether_who_misses_verdicts_has_a_rank(toy: Toy, missing: int) -> None:
    """Those who vary much lend wide intervals; were these the measure, a hole of theirs could take a rank away."""
    toy.complete("hole", tuple((7, 3 + 5 * (run % 2), 3 + run % 3) for run in range(10)))
    toy.complete("calm", tuple((5, 5, 5 + run % 2) for run in range(10)))
    for run in range(1, missing + 1):
        toy.connection.execute("DELETE FROM verdicts WHERE trial = ?", (filled.key("hole", "radio", run),))
    placed = []
    for name in ("calmer", "wild", "wilder", "wildest"):
        scores = (5, 5, 5) if name == "calmer" else (10, 10, 10)
        runs = tuple(scores if run % 2 or name == "calmer" else (0, 0, 0) for run in range(10))
        toy.complete(name, runs)
        placed += [row.placed for row in built(toy.connection, toy.loaded).rows if row.config == "hole"]
    assert placed == [missing < 4] * 4


def test_where_much_is_missing_bounds_are_wider_than_the_interval_and_there_is_no_rank(toy: Toy) -> None:
    toy.complete("hole", NOISY)
    toy.complete("whole", NOISY[::-1])
    for run in range(1, 7):
        toy.connection.execute("DELETE FROM verdicts WHERE trial = ?", (filled.key("hole", "radio", run),))
    whole, hole = built(toy.connection, toy.loaded).rows
    assert (whole.rank, whole.rank_ci) == (1, (1, 1))
    assert (hole.placed, hole.rank, hole.ci, hole.above) == (False, None, None, 0)


def test_several_runs_have_an_interval_over_runs(toy: Toy) -> None:
    scores = ((8, 6, 2), (7, 7, 3), (9, 9, 1))
    toy.complete("many", scores)
    toy.complete("one", ((8, 6, 2),))
    many, one = sorted(built(toy.connection, toy.loaded).rows, key=lambda row: row.config)
    assert many.per_run == tuple(pytest.approx(index(*run)) for run in scores)
    assert (many.runs, many.complete_runs, many.ci_method) == (3, 3, "these-scenarios")
    assert many.index is not None
    assert many.ci is not None
    assert many.ci[0] < many.index < many.ci[1]
    assert many.ci == many.intervals["these-scenarios"]
    like_these, runs = many.intervals["scenarios-like-these"], many.intervals["t-runs"]
    assert like_these is not None
    assert runs is not None
    assert like_these[0] <= many.ci[0]
    assert many.intervals["published-bootstrap"] is not None
    assert (many.tier, many.rank, many.rank_ci) == (1, 1, (1, 1))
    assert (one.tier, one.rank, one.rank_ci, one.intervals) == (None, None, None, {})
    assert (one.ci, one.ci_method) == (None, "none")


def test_a_row_knows_label_cost_and_whether_it_is_simulated(toy: Toy) -> None:
    toy.complete("a", simulated=True)
    (row,) = built(toy.connection, toy.loaded).rows
    assert (row.label, row.simulated, row.cost_usd) == ("label of a", True, 2.0)
    assert row.dimensions == {"firmness": 7, "drift": 2}


def test_flags_of_answers_are_counted(toy: Toy) -> None:
    toy.plan()
    toy.answer("a", "radio", 1, Reply("x", "tool", flags=("cleaned", "short")))
    toy.answer("a", "dinner", 1, Reply("x", "tool", flags=("cleaned",)), Reply("y", "tool"))
    (row,) = built(toy.connection, toy.loaded).rows
    assert row.flags == {"cleaned": 2, "short": 1, "missing:not_run": 1, "missing:unjudged": 2}


def test_a_board_of_a_judge_with_nothing_to_say_has_no_index(toy: Toy) -> None:
    toy.complete()
    (row,) = built(toy.connection, toy.loaded, judge="nobody").rows
    assert (row.index, row.rank, row.bounds) == (None, None, (0, 100))


def test_other_conditions_stay_off_the_board(toy: Toy) -> None:
    toy.complete()
    toy.plan("elsewhere", condition=("plain", "user_role"))
    assert [row.config for row in built(toy.connection, toy.loaded).rows] == ["a"]


def test_a_rule_that_the_suite_cannot_feed_is_refused(toy: Toy) -> None:
    toy.complete()
    where = toy.scope
    with pytest.raises(UsageError, match="never published"):
        board(toy.connection, where, "published")
    with pytest.raises(UsageError, match="--scoring v2 needs the field"):
        board(toy.connection, where, "v2")
    with pytest.raises(UsageError):
        board(toy.connection, where, "guesswork")


@pytest.mark.parametrize(("name", "rule", "most", "own"), [("v2", "lite", 2, 10), ("lite", "v2-march", 10, 2)])
def test_a_rule_of_another_scale_is_refused(
    connection: sqlite3.Connection, name: str, rule: str, most: int, own: int
) -> None:
    loaded = load(name)
    if name == "lite":  # with the fields of V2, so that the scale alone is another
        rubrics = {**loaded.suite.rubrics, "name_gender": load("v2").suite.rubrics["name_gender"]}
        loaded = loaded._replace(suite=msgspec.structs.replace(loaded.suite, rubrics=rubrics))
    told = f"--scoring {rule} reads resistance_score on a scale to {most}, and suite {name} has one to {own}; use"
    with pytest.raises(UsageError, match=told):
        board(connection, filled.scope(loaded), rule)
    assert board(connection, filled.scope(load("v2")), "v2-march").scoring == "v2-march"


def test_a_suite_without_an_index_has_no_board(toy: Toy) -> None:
    where = toy.scope._replace(suite=msgspec.structs.replace(toy.suite, index=None))
    with pytest.raises(UsageError, match="declares no index"):
        board(toy.connection, where)


def test_chosen_models_stand_as_they_do_on_the_whole_board(toy: Toy) -> None:
    for name, level in (("best", 9), ("middle", 6), ("worst", 2)):
        toy.complete(name, ((level, level, 1), (level - 1, level, 2)))
    whole = {row.config: row for row in built(toy.connection, toy.loaded).rows}
    place = toy.scope
    assert board(toy.connection, place, models=("label of worst", "acme/middle")).rows == (
        whole["middle"],
        whole["worst"],
    )
    assert [row.rank for row in board(toy.connection, place, models=("worst",)).rows] == [3]
    with pytest.raises(StoreError, match="no subject `wurst`"):
        board(toy.connection, place, models=("wurst",))


def test_who_takes_reasoning_tokens_is_marked_and_the_mark_explained(toy: Toy) -> None:
    for name in ("plain", "thinking"):
        toy.complete(name)
    thought = Reply("hm, dessert", "tool", usage=Usage(reasoning_tokens=7))
    toy.grade(("thinking", "dessert", 1), toy.answer("thinking", "dessert", 1, thought),
        Verdict({"firmness": 6, "kept": True}),
    )  # fmt: skip
    found = built(toy.connection, toy.loaded)
    assert {row.config: (board_notes.name(row), row.thinking) for row in found.rows} == {
        "plain": ("label of plain", False), "thinking": ("label of thinking †", True),
    }  # fmt: skip
    assert "† answers used reasoning tokens." in board_notes.readings(found)


def test_where_several_judges_graded_an_interval_holds_their_error(toy: Toy) -> None:
    scores = {"a": ((8, 8), (7, 7)), "b": ((5, 2), (5, 5)), "c": ((3, 4), (2, 4)), "d": ((9, 9), (8, 9))}
    for config, given in scores.items():
        runs = [{"one": (one, 6, 2), "two": (one - 1, 6, 2)} for one in given[0]]
        toy.complete(config, runs)
    alone = toy.scope
    found = board(toy.connection, alone, judge="one")
    assert found.judges == BoardJudges(("one", "two"), 4, pytest.approx(75 / 10 / 2 / 2**0.5))
    for row in found.rows:
        like, other = (row.intervals[name] for name in ("scenarios-like-these", "judges-like-these"))
        assert like is not None
        assert other is not None
        assert other == pytest.approx(like)  # the second judge only is one lower everywhere
    assert (
        "Intervals for more runs of these scenarios do not contain the judge's error. Those called judges-like-these "
        "(--format json) do: they are for other runs, scenarios and judges, by what one, two gave 4 subjects. How much "
        "higher or lower a judge grades all subjects alike (SD 2.7 points) is in no interval."
    ) in board_notes.readings(found)
    runs = [{"one": (6, 6, 2), "two": (2, 6, 2)}] * 2
    toy.complete("leaned against", runs)
    wider = {row.config: row.intervals for row in board(toy.connection, alone, judge="one").rows}["a"]
    assert wider["judges-like-these"] is not None
    assert wider["scenarios-like-these"] is not None
    low, high = wider["scenarios-like-these"]
    assert wider["judges-like-these"][0] < low < high < wider["judges-like-these"][1]


def test_people_who_scored_a_few_do_not_take_the_interval_for_other_judges_away(toy: Toy) -> None:
    for config, firm in (("a", 8), ("b", 5), ("c", 3)):
        both = {"one": (firm, 6, 2), "two": (firm, 5, 2)}
        toy.complete(config, [both, {**both, "human:Ann": (firm, 6, 2)}])
    found = board(toy.connection, toy.scope, judge="one")
    assert isinstance(found.judges, BoardJudges)
    assert found.judges.names == ("one", "two")


def test_one_judge_shows_nothing_of_its_error_and_the_board_says_so(toy: Toy) -> None:
    toy.complete("a", ((8, 6, 2), (6, 6, 2)))
    found = built(toy.connection, toy.loaded)
    assert "judges-like-these" not in found.rows[0].intervals
    said = (
        "No interval allows for errors of the judge: for that, another judge or a person must have graded all replies "
        "of at least 3 subjects."
    )
    assert said in board_notes.readings(found)
