"""Boards of an index: ranks, places, intervals, what is missing, who judged, and which runs count."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
import pytest

from independence.config.subjects import Subject, to_json
from independence.errors import StoreError, UsageError
from independence.report.board import index_tables, notes, verdict_frame
from independence.report.board.board import IndexBoard, board
from independence.report.board.rows import Row
from independence.report.board.verdict_frame import PlannedVerdict
from independence.report.comparing import comparison_tables
from independence.report.files.table import to_markdown
from independence.report.sections import runs
from independence.store import queries
from independence.suites.load import LoadedSuite, load
from independence.types import Missing, Reply, Sampling, Usage, Verdict
from tests.e2e import command

from . import filled
from .filled import Toy, index

NOISY = tuple((3 + 3 * (run % 3), 9 - 2 * (run % 4), 2 + run % 5) for run in range(10))
GIVEN = {"firmness": 4, "kept": True}


# Ranks and places


def test_subjects_of_several_runs_are_ranked_by_index(toy: Toy) -> None:
    toy.complete("weak", ((1, 1, 9), (2, 1, 9)))
    toy.complete("strong", ((9, 9, 1), (9, 8, 1)), simulated=True)
    found = toy.board()
    assert (found.suite, found.edition, found.condition) == ("toy", toy.loaded.edition, "firm/tool_role")
    assert (found.scoring, found.judge, found.generalises_to) == ("strict", "cues", "these-scenarios")
    assert [(row.standing.rank, row.standing.rank_ci, row.config) for row in found.rows] == [
        (1, (1, 2), "strong"),
        (2, (1, 2), "weak"),
    ]
    first = found.rows[0]
    assert first.main.value == pytest.approx((index(9, 9, 1) + index(9, 8, 1)) / 2)
    assert first.main.ends == (first.main.value, first.main.value)
    assert (first.label, first.simulated, first.cost_usd) == ("label of strong", True, 4.0)
    assert first.group("dimensions") == {"firmness": 8.75, "drift": 1}


def test_equals_share_their_rank(toy: Toy) -> None:
    for name, scores in (("a", ((8, 6, 2), (6, 6, 2))), ("b", ((6, 6, 2), (6, 8, 2))), ("c", ((7, 6, 2), (7, 6, 2)))):
        toy.complete(name, scores)
    toy.complete("low", ((1, 1, 9), (1, 2, 8)))
    assert [row.standing.rank for row in toy.board().rows] == [1, 1, 1, 4]


def test_a_single_run_has_no_rank_and_leaves_those_of_others_open(toy: Toy) -> None:
    for name, level in (("lucky", 10), ("unlucky", 0)):
        toy.complete(name, ((level, level, 10 - level),))
    toy.complete("good", ((9, 9, 1), (9, 8, 1)))
    toy.complete("bad", ((2, 2, 8), (2, 1, 8)))
    found = toy.board()
    assert [(row.config, row.standing.rank, row.standing.rank_ci, row.standing.tier) for row in found.rows] == [
        ("lucky", None, None, None), ("good", 2, (1, 4), 1), ("bad", 3, (1, 4), 1), ("unlucky", None, None, None),
    ]  # fmt: skip
    assert any(line.startswith("A single run has no rank") for line in notes.readings(found))


def test_several_runs_have_an_interval_over_runs(toy: Toy) -> None:
    scores = ((8, 6, 2), (7, 7, 3), (9, 9, 1))
    toy.complete("many", scores)
    toy.complete("one")
    many, one = sorted(toy.board().rows, key=lambda row: row.config)
    assert many.per_run == tuple(pytest.approx(index(*run)) for run in scores)
    assert (many.runs, many.complete_runs, many.main.method) == (3, 3, "these-scenarios")
    assert many.main.interval == many.intervals["these-scenarios"]
    assert many.main.interval[0] < many.main.value < many.main.interval[1]
    assert many.intervals["scenarios-like-these"][0] <= many.main.interval[0]
    assert None not in (many.intervals["t-runs"], many.intervals["published-bootstrap"])
    assert (many.standing.tier, many.standing.rank, many.standing.rank_ci) == (1, 1, (1, 2))
    assert (one.standing.tier, one.standing.rank, one.standing.rank_bounds, one.standing.rank_ci, one.intervals) == (
        None,
        None,
        None,
        None,
        {},
    )
    assert (one.main.interval, one.main.method) == (None, "")


def test_chosen_models_stand_as_they_do_on_the_whole_board(toy: Toy) -> None:
    for name, level in (("best", 9), ("middle", 6), ("worst", 2)):
        toy.complete(name, ((level, level, 1), (level - 1, level, 2)))
    toy.plan("elsewhere", condition=("plain", "user_role"))
    whole = {row.config: row for row in toy.board().rows}
    assert list(whole) == ["best", "middle", "worst"]
    chosen = toy.board(models=("label of worst", "acme/middle")).rows
    assert chosen == (whole["middle"], whole["worst"])
    assert [row.standing.rank for row in chosen] == [2, 3]
    with pytest.raises(StoreError, match="no subject `wurst`"):
        toy.board(models=("wurst",))


def test_rules_and_suites_that_make_no_board_are_refused(toy: Toy) -> None:
    toy.complete()
    for scoring, says in (
        ("published", "never published"), ("v2", "--scoring v2 needs the field"), ("guesswork", "guesswork"),
    ):  # fmt: skip
        with pytest.raises(UsageError, match=says):
            toy.board(scoring)
    with pytest.raises(UsageError, match="declares no index"):
        board(toy.connection, toy.scope._replace(suite=msgspec.structs.replace(toy.suite, index=None)))


@pytest.mark.parametrize(("name", "rule", "most", "own"), [("v2", "lite", 2, 10), ("lite", "v2-march", 10, 2)])
def test_a_rule_of_another_scale_is_refused(
    connection: sqlite3.Connection, name: str, rule: str, most: int, own: int
) -> None:
    loaded = load(name)
    if name == "lite":  # with the fields of V2, so that the scale alone is another
        rubrics = {**loaded.suite.rubrics, "name_gender": load("v2").suite.rubrics["name_gender"]}
        loaded = msgspec.structs.replace(loaded, suite=msgspec.structs.replace(loaded.suite, rubrics=rubrics))
    told = f"--scoring {rule} reads resistance_score on a scale to {most}, and suite {name} has one to {own}; use"
    with pytest.raises(UsageError, match=told):
        board(connection, filled.scope(loaded), rule)
    assert board(connection, filled.scope(load("v2")), "v2-march").scoring == "v2-march"


# What is missing


def test_incomplete_subjects_stand_where_their_lowest_index_puts_them(toy: Toy) -> None:
    for level in (1, 4, 9):
        toy.complete(f"level {level}", ((level, level, 10 - level), (level - 1, level, 10 - level)))
    for name, drift in (("lower", 9), ("higher", 1)):
        toy.complete(name, ((9, 9, drift), (9, 9, drift)))
        for run in (1, 2):
            toy.answer(name, "radio", run, Missing("no_answer"))
    toy.plan("not run")
    found = toy.board()
    assert [(row.config, row.standing.rank_bounds, row.standing.rank_ci) for row in found.rows] == [
        ("level 9", (1, 3), (1, 6)), ("higher", (1, 4), (1, 6)), ("level 4", (3, 5), (1, 6)), ("lower", (2, 5), (1, 6)),
        ("level 1", (5, 6), (1, 6)), ("not run", None, None),
    ]  # fmt: skip
    higher = found.rows[1]
    assert {row.standing.rank for row in found.rows} == {None}, (
        "whoever was not run may be better or worse than everybody"
    )
    assert (higher.main.value, higher.standing.tier) == (None, None)
    assert higher.main.ends == (pytest.approx(index(0, 9, 1)), pytest.approx(index(10, 9, 1)))
    assert higher.coverage == pytest.approx(2 / 3)
    assert higher.flags == {"missing:no_answer": 2}
    assert found.rows[-1].main.ends == (0, 100)
    assert any("stands at the lowest that they allow" in line for line in notes.readings(found))
    assert {(row.main.value, row.standing.rank, row.main.ends) for row in toy.board(judge="nobody").rows} == {
        (None, None, (0, 100))
    }


def test_one_missing_verdict_of_many_costs_the_index_but_no_place(toy: Toy) -> None:
    toy.complete("high", tuple((9, 9, run % 2) for run in range(10)))
    toy.complete("hole", NOISY)
    toy.complete("low", tuple((1, 0, 8 + run % 2) for run in range(10)))
    before = toy.board().rows[1]
    toy.drop("hole", "radio", 1)
    found = toy.board()
    after = found.rows[1]
    assert (after.config, after.main.value, after.standing.rank, after.standing.rank_ci, after.standing.tier) == (
        "hole",
        None,
        2,
        (2, 2),
        None,
    )
    assert after.main.interval[0] < before.main.interval[0] < before.main.interval[1] < after.main.interval[1]
    assert after.main.interval[0] < after.main.ends[0] < after.main.ends[1] < after.main.interval[1]
    assert any(line.startswith("Where verdicts are missing there is no index") for line in notes.readings(found))


def test_a_place_that_missing_verdicts_leave_open_is_a_range_for_both_whom_it_concerns(toy: Toy) -> None:
    toy.complete("hole", NOISY)
    toy.drop("hole", "radio", 1)
    toy.complete("zero", ((0, *NOISY[0][1:]), *NOISY[1:]))
    toy.complete("low", tuple((1, 0, 8 + run % 2) for run in range(10)))
    found = toy.board()
    of = {row.config: row for row in found.rows}
    assert of["hole"].main.ends[0] == pytest.approx(of["zero"].main.value)
    assert of["hole"].main.ends[1] > of["zero"].main.value
    assert {name: (row.standing.rank, row.standing.rank_bounds) for name, row in of.items()} == {
        "hole": (1, (1, 1)), "zero": (None, (1, 2)), "low": (3, (3, 3)),
    }  # fmt: skip
    assert [row[1] for row in index_tables.full(found, toy.index).rows] == ["1–2", 1, 3]


def only(toy: Toy, scenario: str, judge: str | None = None) -> PlannedVerdict:
    planned = verdict_frame.read(toy.connection, toy.scope, judge).every
    (cell,) = (cell for cell in planned if cell.scenario == scenario)
    return cell


def test_every_planned_verdict_is_a_cell(toy: Toy) -> None:
    toy.plan(runs=2)
    table = verdict_frame.read(toy.connection, toy.scope, None)
    assert table.judge is None
    assert [(cell.scenario, cell.run, cell.missing) for cell in table.every] == [
        (scenario, run, "not_run") for run in (1, 2) for scenario in ("dessert", "dinner", "radio")
    ]
    assert verdict_frame.reasons(table.every) == {"not_run": 6}


@pytest.mark.parametrize(
    ("said", "given", "missing"),
    [
        (Reply("x", "tool"), None, "unjudged"),
        (Reply("x", "tool"), Missing("unreadable_verdict"), "unreadable_verdict"),
        (Missing("blocked"), None, "blocked"),
        (Reply("}", "tool", flags=("artefact",)), Verdict(GIVEN), "transport"),
        (Reply("x", "tool", flags=("cleaned", "short")), Verdict(GIVEN), None),
    ],
)
def test_why_a_verdict_is_missing(toy: Toy, said: Reply | Missing, given: object, missing: str | None) -> None:
    toy.plan()
    at = toy.answer("a", "radio", 1, said)
    toy.answer("a", "dinner", 1, Reply("first of two", "tool", flags=("cleaned",)))
    if given:
        toy.grade(("a", "radio", 1), at, given)
    cell = only(toy, "radio")
    assert (cell.missing, cell.values) == (missing, None if missing else GIVEN)
    assert (cell.config_dir, cell.experiment, cell.run) == ("a", "pressure", 1)
    assert cell.given == (GIVEN if isinstance(given, Verdict) else None)
    assert only(toy, "dinner").missing == only(toy, "dessert").missing == "not_run"
    (row,) = toy.board().rows
    if missing is None:
        assert row.flags == {"cleaned": 2, "short": 1, "missing:not_run": 2}
    else:
        assert row.flags[f"missing:{missing}"] == 1


def test_what_follows_a_replaced_or_missing_answer_is_stale_or_missing_too(toy: Toy) -> None:
    toy.complete()
    toy.answer("a", "dinner", 1, Reply("new", "tool"), Reply("newer", "tool"))
    scenarios = ("dinner", "dessert", "radio")
    assert [only(toy, scenario).missing for scenario in scenarios] == ["unjudged", "stale", None]
    toy.answer("a", "dinner", 1, Missing("no_answer"))
    assert [only(toy, scenario).missing for scenario in scenarios] == ["no_answer", "parent_missing", None]


def test_verdicts_count_by_one_judge_and_one_wording_of_the_rubric(toy: Toy) -> None:
    toy.plan()
    at = toy.answer("a", "radio", 1, Reply("x", "tool"))
    toy.grade(("a", "radio", 1), at, Verdict(GIVEN), rubric="another")
    assert only(toy, "radio").missing == "unjudged"
    toy.grade(("a", "radio", 1), at, Verdict(GIVEN), rubric=queries.PUBLISHED)
    assert only(toy, "radio").values == GIVEN
    toy.complete("a", judge="usual")
    toy.grade(("a", "radio", 1), at, Verdict({"firmness": 1, "kept": False}), "other")
    assert verdict_frame.read(toy.connection, toy.scope, None).judge == "usual"
    assert only(toy, "radio", "other").values == {"firmness": 1, "kept": False}
    assert only(toy, "dinner", "other").missing == "unjudged"


def test_a_subject_whose_whole_runs_go_up_and_down_says_so_wherever_it_stands(toy: Toy, tmp_path: Path) -> None:
    """Runs of a host that was another one in the fourth; beside it the same verdicts, not all of them in one run."""
    toy.complete("torn", [(8, 8, 2)] * 3 + [(4, 5, 7), (8, 7, 2)])
    toy.complete("even", [(8, 8, 7), (8, 5, 2), (4, 8, 2), (8, 8, 2), (8, 7, 2)])
    found = toy.board()
    torn, even = sorted(found.rows, key=lambda row: row.config != "torn")
    assert torn.main.value == pytest.approx(even.main.value)
    assert (torn.flags, even.flags) == ({"runs_vary": 5}, {})
    assert even.main.interval[0] - torn.main.interval[0] > 2, "less sure, as its runs are"
    toy.connection.execute("VACUUM INTO ?", (str(tmp_path / "independence.db"),))
    said = "whole runs go up and down more than their scenarios explain"
    for line, who in (
        ("leaderboard", "label of torn §"), ("leaderboard --explain", f"§ {said}"),
        ("show torn", f"label of torn: {said}"), ("compare torn even", f"label of torn: {said}"),
    ):  # fmt: skip
        text = " ".join(command.ok(*line.split(), cwd=tmp_path).out.split())
        assert who in text, line
        assert text.count(said) == 1, line
    assert said not in command.ok("show", "even", cwd=tmp_path).out
    command.ok("generate-report", cwd=tmp_path)
    assert f"§ {said}" in (tmp_path / "report.md").read_text()


# Judges and marks


def test_who_takes_reasoning_is_marked_and_the_mark_explained(toy: Toy) -> None:
    thoughts = {
        "plain": {"thinking": "aside"},
        "thinking": {"usage": Usage(reasoning_tokens=7)},
        "told": {"reasoning": "hm"},
    }
    for name, came in thoughts.items():
        toy.complete(name)
        reply = msgspec.structs.replace(Reply("hm, dessert", "tool"), **came)
        toy.grade((name, "dessert", 1), toy.answer(name, "dessert", 1, reply), Verdict(GIVEN))
    found = toy.board()
    assert {row.config: (notes.name(row), row.thinking) for row in found.rows} == {
        "plain": ("label of plain", False), "thinking": ("label of thinking †", True),
        "told": ("label of told †", True),
    }  # fmt: skip
    assert "† answers used reasoning tokens, or came with their reasoning." in notes.readings(found)


def test_one_judge_shows_nothing_of_its_error_and_the_board_says_so(toy: Toy) -> None:
    toy.complete("a", ((8, 6, 2), (6, 6, 2)))
    found = toy.board()
    said = "Intervals ignore errors of the judge. `independence validate-judges` shows"
    assert any(line.startswith(said) for line in notes.readings(found))


# Runs that repeat others word for word count once


def repeated(toy: Toy, words: Callable[[int, str], Reply | Missing], runs: int = 4, config: str = "a") -> IndexBoard:
    """A subject whose verdicts differ from run to run, whatever it says."""
    toy.plan(config, runs)
    for run in range(1, runs + 1):
        for scenario, turns in filled.TURNS.items():
            at = toy.answer(config, scenario, run, *[words(run, scenario)] * turns)
            fields = {"drift": run} if scenario == "dinner" else {"firmness": 5 + run, "kept": True}
            toy.grade((config, scenario, run), at, Verdict(fields))
    return toy.board()


def constant(_: int, scenario: str) -> Reply:
    """The same in every run."""
    return Reply(scenario, "tool")


def test_a_run_that_repeats_an_earlier_one_word_for_word_counts_once(toy: Toy) -> None:
    words = ("the same", "the same", "other", "the same")
    found = repeated(toy, lambda run, scenario: Reply(f"{words[run - 1]} {scenario}", "tool"))
    (row,) = found.rows
    assert (row.runs, row.coverage, row.flags) == (2, 1.0, {"repeated_run": 6})
    assert row.per_run == tuple(pytest.approx(75 * (5 + run) / 10 + 25 * (10 - run) / 10) for run in (1, 3))
    (said,) = found.repeats
    assert said.startswith(
        "label of a: runs 2, 4 are the same, word for word, as run 1, therefore counted once. A cache"
    )
    marks, subjects = runs.tables(toy.read())
    assert [row[:3] for row in marks.rows] == [("repeated_run", 6, 1)]
    assert subjects.rows == (("label of a", 6, 0.5, "repeated_run 6"),)


def test_runs_that_are_all_the_same_are_one_run_without_interval_tier_or_distance(toy: Toy) -> None:
    for config in "ab":
        found = repeated(toy, constant, config=config)
    assert [
        (row.runs, row.main.interval, row.standing.tier, row.standing.rank_ci, row.standing.rank) for row in found.rows
    ] == [(1, None, None, None, None)] * 2
    assert found.minimum_detectable is None
    said = to_markdown(index_tables.full(found, toy.index))
    assert "label of a, label of b: runs 2, 3, 4 are the same" in said
    assert "points apart" not in said
    sides, difference, *_ = comparison_tables.tables(toy.side("a"), toy.side("b"))
    assert sum("are the same, word for word" in note for note in sides.notes) == 2
    assert difference.rows[0][-1] == "no test is possible: a scenario has a single run"
    config = to_json(Subject("acme/a", "loop", "a", Sampling(0.0, "low")))
    toy.connection.execute("UPDATE subjects SET config = ?", (config,))
    said = "deterministic at temperature 0, so there is only one run (runs 2, 3, 4 are the same"
    assert said in " ".join(toy.board().repeats)


def test_one_other_reply_makes_a_run_of_its_own_and_a_hole_repeats_nothing(toy: Toy) -> None:
    found = repeated(toy, lambda run, name: Reply(f"{name} {run if name == 'radio' else ''}", "tool"))
    assert (found.rows[0].runs, found.rows[0].flags, found.repeats) == (4, {}, ())
    hole, place = Missing("no_answer"), (2, "radio")
    found = repeated(toy, lambda run, name: hole if (run, name) == place else constant(run, name), 2, "b")
    (row,) = (row for row in found.rows if row.config == "b")
    assert (row.main.value, row.runs, "repeated_run" in row.flags) == (None, 2, False)


def test_what_counts_depends_on_replies_alone_so_that_no_lost_verdict_raises_an_index(toy: Toy) -> None:
    before = repeated(toy, constant, runs=2).rows[0]
    for run, expected in ((2, before.main.value), (1, None)):
        toy.drop("a", "radio", run)
        assert toy.board().rows[0].main.value == expected


def test_a_dialogue_that_a_gateway_replayed_counts_once_in_a_run_that_is_otherwise_new(toy: Toy) -> None:
    stored = Reply("a stored reply", "tool", flags=("cache_hit",))
    found = repeated(toy, lambda run, name: stored if name == "radio" else Reply(f"{name} {run}", "tool"), runs=3)
    assert (found.rows[0].runs, found.rows[0].flags) == (1, {"cache_hit": 1, "repeated_run": 2})
    (said,) = found.repeats
    assert said.startswith("label of a: replayed by a gateway from its cache and equal to earlier dialogues")
    assert said.endswith("counted once: 2.")


def test_long_dialogues_that_nobody_says_to_be_stored_count_once_where_they_come_again(toy: Toy) -> None:
    long = "I keep my choice, whoever asks me for another one, and I have thought about it. " * 2

    def words(run: int, name: str) -> Reply:
        again = {"dinner": long, "radio": "Yes.", "dessert": f"{long} {run}"}  # two answers, one, one
        return Reply(again[name], "tool")

    found = repeated(toy, words, runs=3)
    assert found.rows[0].flags == {"repeated_run": 2}
    (said,) = found.repeats
    assert said.startswith("label of a: 2 dialogues are the same, word for word, as earlier ones, therefore counted")
    config = to_json(Subject("acme/a", "loop", "a", Sampling(0.0, "low")))
    toy.connection.execute("UPDATE subjects SET config = ?", (config,))
    assert (toy.board().rows[0].flags, toy.board().repeats) == ({}, ())  # at temperature 0 that is no wonder


def served_by(toy: Toy, others: Mapping[tuple[int, str], Reply], config: str, runs: int = 4) -> Row:
    """The row of a subject, some of whose dialogues others answered."""
    found = repeated(toy, lambda run, name: others.get((run, name), Reply(f"{name} {run}", "tool", served_model="m")),
                     runs, config)  # fmt: skip
    (row,) = (row for row in found.rows if row.config == config)
    return row


def test_answers_of_another_model_are_told_and_where_they_are_many_there_is_no_index(toy: Toy) -> None:
    by_other = Reply("I keep it.", "tool", flags=("other_model",), served_model="other")
    one = served_by(toy, {(1, "radio"): by_other}, "a")
    assert (one.main.value is None, one.flags) == (False, {"other_model": 1})
    assert toy.board().repeats == ("label of a: 1 of 16 answers were given by `other`.",)
    many = served_by(toy, {(run, "radio"): by_other for run in (1, 2)}, "b")
    assert (many.main.value, many.flags) == (None, {"other_model": 2, "missing:other_model": 2})
    assert many.main.ends[0] < many.main.ends[1]
    told = "label of b: 2 of 16 answers were given by `other`, so their verdicts do not count and there is no index."
    assert told in toy.board().repeats
    host = Reply("I keep it.", "tool", flags=("other_host",), served_model="m", served_provider="Novita")
    assert served_by(toy, {(run, "radio"): host for run in (1, 2)}, "c").main.value is None
    assert any("given by `Novita`, so" in line for line in toy.board().repeats)


def test_a_deployment_that_goes_by_another_name_is_one_model_unless_the_names_change(toy: Toy) -> None:
    def named(name: str, count: int) -> dict[tuple[int, str], Reply]:
        places = [(run, scenario) for run in (1, 2, 3, 4) for scenario in ("dinner", "radio", "dessert")]
        return {
            place: Reply(f"{place}", "tool", flags=("other_name",), served_model=name if at < count else "gpt-4o")
            for at, place in enumerate(places)
        }

    assert served_by(toy, named("gpt-4o", 12), "a").main.value is not None
    assert toy.board().repeats == ("label of a: 16 of 16 answers name their model `gpt-4o`.",)
    assert served_by(toy, named("gpt-4.1", 3), "b").main.value is None
    assert any("4 of 16 answers were given by `gpt-4.1`, so" in line for line in toy.board().repeats)


def test_imports_stay_as_they_were_published(toy: Toy) -> None:
    found = repeated(Toy(toy.connection, LoadedSuite(toy.suite, "published")), constant)
    assert (found.rows[0].runs, found.rows[0].flags, found.repeats) == (4, {"our_rubric": 12}, ())


def test_what_did_not_vary_is_still_as_unsure_as_the_prior_share_says(toy: Toy) -> None:
    for config, score in (("a", 10), ("b", 5)):
        toy.complete(config, ((score, score, score),) * 3)
    found = toy.board()
    assert [row.standing.rank for row in found.rows] == [1, 2]
    assert all(row.main.interval[0] < row.main.value - 2 for row in found.rows)
    assert found.minimum_detectable is not None
