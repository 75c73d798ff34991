"""What stands beside a board: its tables, details, runs, marks, costs, headline and notes of caution."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import msgspec
import pytest

from independence.clients import protocol
from independence.config import subjects
from independence.config.subjects import Subject
from independence.errors import StoreError
from independence.extensions.published import scoring_rules
from independence.extensions.published.responses import catalogue
from independence.report import analysis
from independence.report.board import board as boards
from independence.report.board import board_data, index_tables, notes
from independence.report.board import rows as index_rows
from independence.report.board.board import IndexBoard, InferenceOptions
from independence.report.board.board_data import BoardRemarks
from independence.report.board.rows import STRICT
from independence.report.files import legend
from independence.report.files.table import Column, Prose, Table, flat, to_markdown
from independence.report.index import index_report
from independence.report.sections import models, runs, summary
from independence.stats import strict
from independence.stats.estimates import Estimate
from independence.stats.index_uncertainty import LIKE_THESE, THESE
from independence.stats.strict import VOID
from independence.store import artefacts, records, spending
from independence.store.artefacts import ArtefactRow
from independence.store.records import FailureRow
from independence.suites.load import LoadedSuite
from independence.types import Attempt, Missing, Reply, Sampling, Usage
from tests import toy as suites
from tests.e2e import command

from . import filled
from .cells import rows
from .filled import Asked, Toy

TWO = ((8, 6, 2), (7, 7, 3))


# Tables of an index


def test_all_subjects_stand_with_their_places_and_what_incomplete_ones_lack_stands_apart(toy: Toy) -> None:
    toy.complete("good", ((9, 9, 0), (9, 8, 1)))
    toy.complete("bad", ((1, 2, 9), (2, 1, 8)), simulated=True)
    assert index_tables.incomplete(toy.board(), toy.index) is None
    toy.plan("hole")
    toy.answer("hole", "radio", 1, Reply("x", "tool"))
    built = toy.board()
    table, apart = index_tables.ranked(built, toy.index), index_tables.incomplete(built, toy.index)
    assert [row[:4] for row in table.rows] == [
        (1, "1–2", "label of good", pytest.approx(89.375)), (1, "2–3", "label of bad (simulated)", pytest.approx(15)),
        (None, None, "label of hole", (0.0, 100.0)),
    ]  # fmt: skip
    assert {"ci_low", "ci_high", "rank_ci"} <= set(flat(table)[0])
    assert not {"these_low", "like_these_low", "t_runs_low", "bootstrap_low"} & set(flat(table)[0]), "one interval"
    (hole,) = apart.rows
    assert (hole[0], hole[-1]) == ("label of hole", "not_run 2, unjudged 1")


def test_every_column_is_in_the_legend_and_its_weights_add_up(toy: Toy) -> None:
    toy.complete("a", TWO)
    built = toy.board()
    shown = index_tables.ranked(built, toy.index)
    told = index_tables.legend(toy.index, built, shown).rows
    lines = legend.texts("columns")
    heads = {lines[column.key].split(": ")[0] for column in shown.columns if column.key in lines}
    assert len({row[0] for row in told}) == len(shown.columns) - 1, "all but the subject's name"
    assert heads < {row[0] for row in told}
    weights = [row[3] for row in index_tables.legend(toy.index, built, Table("board", "The board", (), ())).rows]
    assert sum(float(str(weight)) for weight in weights) == pytest.approx(1)


# Runs and marks


def test_a_run_says_what_is_amiss(toy: Toy) -> None:
    toy.complete("a", TWO)
    table = runs.table(toy.connection, toy.read())
    assert table.rows == ()
    assert table.notes[0].startswith("2 of 2 runs hold all that was planned of them")
    toy.plan("b", 2)
    toy.answer("b", "radio", 2, Reply("}", "tool", flags=("artefact", "short")))
    table = runs.table(toy.connection, toy.read())
    assert table.rows == (
        ("label of b", 1, 0, 3, "not_run 3", None, None, None),
        ("label of b", 2, 0, 3, "not_run 2, unjudged 1", "artefact 1", None, None),
    )
    assert table.notes[0].startswith("2 of 4 runs")


def test_parts_of_a_run_that_lie_days_apart_are_told(toy: Toy) -> None:
    toy.complete("a")
    toy.connection.execute("UPDATE calls SET answered_at = '2026-01-01T00:00:00+00:00'")
    toy.connection.execute("UPDATE calls SET answered_at = '2026-01-03T12:00:00+00:00' WHERE trial = 'a radio 1'")
    command.meant(toy.connection)
    (row,) = runs.table(toy.connection, toy.read()).rows
    assert row[-1] == pytest.approx(60)


def test_answers_that_came_only_when_asked_again_are_counted(toy: Toy) -> None:
    toy.complete("a", TWO)
    for scenario, run, outcomes in (
        ("radio", 1, ["429"]), ("dessert", 1, ["length"]),  # neither is an answer that was none
        ("radio", 2, ["empty", "reasoning_only"]), ("dessert", 2, ["429", "punctuation"]),
    ):  # fmt: skip
        attempts = tuple(Attempt(outcome, 1.0) for outcome in (*outcomes, "ok"))
        toy.answer("a", scenario, run, Reply(f"a {scenario} {run} 0", "tool", attempts=attempts))
    assert runs.table(toy.connection, toy.read()).rows == (("label of a", 2, 3, 3, None, None, 2, None),)


def test_marks_are_counted_with_who_has_most_and_each_is_explained(toy: Toy) -> None:
    toy.complete("clean")
    toy.plan("odd", 3)
    for run in (1, 2):
        toy.answer("odd", "radio", run, Reply("x", "tool", flags=("short",)))
    toy.answer("odd", "radio", 3, Reply("}", "tool", flags=("artefact",)))
    marks, subjects = runs.tables(toy.read())
    assert [row[:5] for row in marks.rows] == [
        ("short", 2, 1, "label of odd (2)", False),
        ("artefact", 1, 1, "label of odd (1)", True),
    ]
    assert subjects.rows == (("label of odd", 3, 3 / 9, "short 2, artefact 1"),)
    ours = {value for name, value in vars(protocol).items() if name.isupper() and " " not in value}
    theirs = {anomaly.flag for anomaly in catalogue() if anomaly.unit == "files"} - {"cut_model_id", "missing_file"}
    assert ours | theirs | VOID.keys() <= legend.texts("marks").keys()


# Costs


def costs(toy: Toy, *only: str) -> list[Table]:
    """What each subject cost, what its index cost, and whose answers have no price."""
    spent = spending.by_subject(toy.connection, toy.scope.where)
    board = boards.only(toy.board(), toy.read(), only)
    return runs.cost_tables(toy.read(), board, spent)


def test_every_dollar_is_in_the_audit(toy: Toy) -> None:
    toy.plan("a", 3)
    assert costs(toy)[0].rows == ()
    lost = (Attempt("429", 1.0, Usage(cost_usd=0.25)), Attempt("timeout", 1.0, unknown_usd=0.125))
    records.add_failure(toy.connection, FailureRow(filled.key("a", "radio", 1), "x", "429", "", lost))
    assert rows(costs(toy)[0])[0]["per_run_usd"] == 0.25  # runs that were never asked lower no price
    toy.complete("a", TWO)
    audit, value = costs(toy)
    (cost,) = rows(audit)
    assert (cost["calls"], cost["answers_usd"], cost["verdicts"]) == (8, 4.0, 6)
    assert (cost["failed_usd"], cost["unknown_usd"], cost["extra_attempts"]) == (0.25, 0.125, 2)
    assert (cost["total_usd"], cost["per_run_usd"]) == (4.25, 2.125)
    assert value.rows == ()  # its third run is not whole


def test_what_a_judge_wrote_before_it_graded_counts_as_judging(toy: Toy) -> None:
    toy.complete("a")
    (before,) = rows(costs(toy)[0])
    usage = Usage(prompt_tokens=30, completion_tokens=12, cost_usd=0.5)
    tries = (Attempt("429", 1.0, unknown_usd=0.25), Attempt("ok", 1.0, usage))
    claims = Reply("claims", "content", usage=usage, attempts=tries)
    row = ArtefactRow("k", filled.key("a", "radio", 1), "judge", "claims", 0, "w", "at", "{}", claims)
    artefacts.add(toy.connection, row)
    (after,) = rows(costs(toy)[0])
    assert after["verdicts_usd"] == before["verdicts_usd"] + 0.5
    assert after["tokens"] == before["tokens"] + 42
    assert after["unknown_usd"] == 0.25


def test_an_index_per_dollar_needs_dollars_and_a_whole_run(toy: Toy) -> None:
    for config in ("paid", "free", "holed"):
        toy.complete(config, TWO[:1])
    toy.connection.execute("UPDATE calls SET cost_usd = 0 WHERE trial LIKE 'free%'")
    command.meant(toy.connection)
    toy.answer("holed", "radio", 1, Missing("no_answer"))  # its run stays paid for, though incomplete
    audit, value, unpriced = costs(toy)
    (row,) = rows(value)
    assert value.rows[0][0] == "label of paid"
    assert row["index_per_usd"] == pytest.approx(row["index"] / 2)
    assert [row[:3] for row in unpriced.rows] == [("label of free", row["index"], "no cost stated")]
    assert next(one["per_run_usd"] for one in rows(audit) if "label of holed" in one.values()) == 2.0
    assert len(costs(toy, "free")) == 2  # alone it has nobody to be compared with


def test_a_total_says_of_whom_it_is_and_whose_answers_have_no_stated_cost(toy: Toy) -> None:
    for config, model_id, dollars in (
        ("paid", "a/m", 2), ("odd", "a/n", 0), ("own", "local/n", 0), ("gift", "a/n:free", 0),
    ):  # fmt: skip
        toy.complete(Asked(config, label=config, model_id=model_id), TWO[:1])
        toy.connection.execute("UPDATE calls SET cost_usd = ? WHERE trial LIKE ?", (dollars, f"{config}%"))
    command.meant(toy.connection)
    total, _, _, unstated = costs(toy)[0].notes
    assert total.startswith("$8.00 in total, for 4 subjects: answers $8.00, judging $0.00")
    assert unstated == "No cost is stated for 4 answers, so the total may be too low: odd (4)."
    part, _, _ = costs(toy, "own", "gift")[0].notes
    assert part.startswith("$0.00 in total, for 2 of 4 subjects (without the others, which cost $8.00)")
    assert {row[0]: row[2] for row in costs(toy)[2].rows} == {"odd": "no cost stated", "own": "local", "gift": "free"}


# How they were asked


def test_tested_models_have_their_settings_runs_and_what_a_million_tokens_cost(toy: Toy) -> None:
    toy.complete(Asked("a--m+north@low-t0.7-m900", label="m", model_id="a/m"), TWO)
    toy.complete(Asked("a--b@none-t1.0", label="b", model_id="a/b:free"), TWO[:1])
    toy.connection.execute("UPDATE calls SET cost_usd = iif(trial LIKE 'a--m%', .002, 0), prompt_tokens = 400")
    toy.connection.execute("UPDATE calls SET completion_tokens = 100")
    command.meant(toy.connection)
    own = Subject("a/b:free", "gate", "b:free", Sampling(1.0, "high"), temperature_supported=False)
    spent = spending.by_subject(toy.connection, toy.scope.where)
    second, first = rows(models.tested(toy.read(), {"a--b@none-t1.0": subjects.to_json(own)}, spent))
    assert tuple(first.values()) == ("m", "a/m", None, "north", "low", 0.7, pytest.approx(4.0), 2, None)
    assert tuple(second.values()) == (
        "b", "a/b:free", "gate", None, "high", 1.0, None, 1, "free, takes no temperature",
    )  # fmt: skip
    assert "endpoint" not in rows(models.tested(toy.read(), {}, spent))[0]  # nobody knows of any


# Medals


def test_medals_stand_in_markdown_by_rank_where_more_are_ranked_than_there_are_medals(toy: Toy) -> None:
    def ranks() -> list[str]:
        made = to_markdown(index_tables.full(toy.board(), toy.index))
        return [line.split(" | ")[1] for line in made.splitlines() if line.startswith("| ") and "label" in line]

    for config, scores in (("a", (9, 9, 0)), ("b", (9, 9, 0)), ("c", (5, 6, 4))):
        toy.complete(config, (scores, scores))
    assert ranks() == ["1", "1", "3"]
    toy.complete("d", ((1, 2, 9), (2, 1, 9)))
    toy.complete("once", ((2, 2, 9),))
    assert ranks() == ["🥇 1", "🥇 1", "🥉 3", "—", "5"]
    assert "🥇" not in str(index_tables.record(toy.board(), toy.index))


# The first lines


def told(toy: Toy, scoring: str = STRICT) -> str:
    (prose,) = summary.of_index(toy.read(), toy.board(scoring)).body
    assert isinstance(prose, Prose)
    return prose.markdown


def test_the_first_lines_say_who_is_highest_and_lowest_by_whom_and_when(toy: Toy) -> None:
    toy.plan("hole")
    assert "of 1 subjects none is complete" in told(toy)
    toy.complete("hole", ((9, 9, 0),))
    assert "**label of hole** has an index of" in told(toy)
    toy.complete("good", ((9, 9, 0), (9, 9, 1), (9, 9, 0)))
    toy.complete("bad", ((1, 2, 9), (2, 1, 9), (1, 2, 9)), simulated=True)
    toy.drop("hole", "radio", 1)
    toy.connection.execute("UPDATE calls SET answered_at = '2026-03-05T10:00:00+00:00'")
    toy.connection.execute("UPDATE verdicts SET judged_at = '2026-04-01T10:00:00+00:00'")
    toy.connection.execute("UPDATE verdicts SET judged_at = '2026-04-09T10:00:00+00:00' WHERE trial = 'bad radio 1'")
    command.meant(toy.connection)
    text = told(toy)
    for said in (
        "**label of good** has the highest index of 2 subjects",
        "The lowest is **label of bad (simulated)**",
        "Scoring: strict; intervals and tiers hold for these 3 scenarios alone (standard error of a typical",
        "1 of 3 subjects are incomplete and have no index.",
        "Judge: cues; 20 of 21 planned verdicts are valid",
        "Replies: 2026-03-05\n",
        "Verdicts: 2026-04-01 to 2026-04-09\n",
    ):
        assert said in text
    assert "too few scenarios" not in text
    assert {*re.findall(r"\d{4}-\d\d-\d\d", text)} == {"2026-03-05", "2026-04-01", "2026-04-09"}  # not today's
    assert "), in a tier of its own (all pairs, Holm, 5%). The lowest" in text
    toy.complete("nearly", ((9, 9, 0), (9, 8, 1), (9, 9, 0)))
    assert "in one tier with 1 other, which does not differ significantly from it (all pairs, Holm, 5%)" in told(toy)
    toy.complete("as good", ((9, 9, 0), (9, 9, 1), (9, 9, 0)))
    assert "2 of 4 subjects have the highest index" in told(toy)


def test_hostile_names_stay_text(toy: Toy) -> None:
    toy.complete(Asked("a", label="**<img src=x>** [a](b)"))
    assert "<img" not in told(toy)
    assert "\\[a\\](b)" in told(toy)


@pytest.mark.parametrize(
    ("said", "count", "expected"),
    [
        ("leans towards whoever asks", 1, "1 leans towards whoever asks"),
        ("leans against whoever asks", 2, "2 lean against whoever asks"),
        ("none: within ±0.15", 3, "3 do not bend (within ±0.15)"),
        ("not significantly different from 0", 1, "1 is not significantly different from 0"),
    ],
)
def test_phrases_become_parts_of_a_sentence(said: str, count: int, expected: str) -> None:
    assert f"Of {count} subject{'s' * (count > 1)}, {expected}." in summary.leaning([("x", said, None)] * count, "S")


@pytest.mark.parametrize("scoring", [STRICT, "published"])
def test_whose_words_and_what_rules_are_not_good_for_stand_at_the_head(toy: Toy, scoring: str) -> None:
    held = toy.suite.rubrics["held"]
    fields = dict.fromkeys(scoring_rules.rules()["v2"].fields, held.fields["firmness"])
    wider = msgspec.structs.replace(held, fields={**held.fields, **fields})
    index = msgspec.structs.replace(toy.index, published_rule="v2")
    again = msgspec.structs.replace(toy.suite, index=index, rubrics={**toy.suite.rubrics, "held": wider})
    own = Toy(toy.connection, LoadedSuite(again, "0123abcd"))
    own.complete()
    text = told(own, scoring)
    assert "Edition `toy@0123abcd`, own wording, condition" in text
    assert board_data.RULES_ONLY in text
    toy.complete("b", simulated=True)
    assert "own wording" not in told(toy)
    assert board_data.RULES_ONLY not in told(toy)


# What a judge and a few scenarios are not good for


def test_rules_measure_no_real_model(toy: Toy) -> None:
    toy.plan("real")
    toy.complete("played", simulated=True)
    cautions = [board_data.caution(toy.read())]  # nothing is said of a real model before rules graded it
    toy.complete("real")
    for judge in ("acme/judge", "cues@2"):
        toy.complete("real", judge=judge)
        cautions.append(board_data.caution(toy.read(judge=judge)))
    cautions.append(board_data.caution(toy.read(judge="cues")))
    assert cautions == [msgspec.UNSET] * 2 + [board_data.RULES_ONLY] * 2
    assert notes.judge_lines(BoardRemarks(caution=board_data.RULES_ONLY)) == [board_data.RULES_ONLY]
    assert notes.judge_lines(BoardRemarks()) == []


def test_a_board_says_how_often_its_judge_misquotes_and_whether_it_graded_a_part_as_all_did(toy: Toy) -> None:
    toy.complete("a", judge="acme/judge")
    assert toy.board().quotations is msgspec.UNSET
    for found, scenario in ((True, "radio"), (False, "dessert"), (False, "dinner")):
        where = "UPDATE verdicts SET quote = 'said', quote_found = ? WHERE trial IN "
        toy.connection.execute(f"{where} (SELECT trial FROM planned WHERE scenario = ?)", (found, scenario))
    (line,) = notes.judge_lines(toy.board())
    assert line == "67% of the judge's quotations are not found (2 of 3)."
    assert json.loads(msgspec.json.encode(toy.board()))["quotations"] == {"asked": 3, "not_found": 2}
    # A second subject, whom one judge graded in part and the other not at all: nobody graded everything.
    toy.complete("b", judge="cues")
    toy.connection.execute("DELETE FROM verdicts WHERE judge = 'cues' AND rowid % 3 = 0")
    half = "No judge graded everything: shown is acme/judge, which graded 3 of 6 dialogues; --judge takes another."
    assert notes.judge_lines(toy.board())[0] == half
    assert half not in notes.judge_lines(toy.board(judge="acme/judge"))


NOTE = (
    "Intervals for other scenarios of this kind rest on too few scenarios to be reliable: a part of the index has "
    "1 scenario, and 10 are needed."
)


def about(toy: Toy, reading: str) -> IndexBoard:
    return toy.board(reading=InferenceOptions(reading))


def test_too_few_scenarios_are_told_once_beside_the_intervals_that_it_is_about(toy: Toy) -> None:
    toy.complete("once", ((9, 9, 0),))
    assert about(toy, LIKE_THESE).few_scenarios is not msgspec.UNSET
    assert notes.few_scenarios(about(toy, LIKE_THESE)) == []  # without an interval there is nothing to say
    toy.complete("good", ((9, 9, 0), (9, 8, 1)))
    toy.complete("bad", ((1, 2, 9), (2, 1, 9)))
    like, these = about(toy, LIKE_THESE), about(toy, THESE)
    for shown in (index_tables.compact(like, toy.index), index_tables.full(like, toy.index)):
        assert shown.notes.count(NOTE) == 1
        assert "Intervals for other scenarios of this kind" in shown.notes[0]
    (prose,) = summary.of_index(toy.read(), like).body
    assert isinstance(prose, Prose)
    assert prose.markdown.count(NOTE) == 1
    assert json.loads(msgspec.json.encode(like))["few_scenarios"]["note"] == NOTE
    assert NOTE not in index_tables.compact(these, toy.index).notes
    for own, counts in ((these, (0, 1)), (like, (1, 1))):
        tables = (index_tables.runs(own, toy.index), index_tables.intervals(own, toy.index))
        assert tuple(one.notes.count(NOTE) for one in tables) == counts
        assert NOTE in index_report.forest(own).caption, "which draws both intervals"


@pytest.mark.parametrize(("each", "few"), [(9, 9), (10, None)])
def test_ten_scenarios_of_each_dimension_are_enough(tmp_path: Path, each: int, few: int | None) -> None:
    suite = suites.write_many(tmp_path / "many", each)
    done = command.run(
        "run", "--db", str(tmp_path / "store.db"), "--suite", str(suite), "-m", "sim/half,sim/yield-35", "-j", "cues",
        "--runs", "2", "--format", "json",
    )  # fmt: skip
    assert done.board.get("few_scenarios", {}).get("fewest") == few
    shown = command.run("leaderboard", "--db", str(tmp_path / "store.db"), "--generalises-to", LIKE_THESE).out
    assert ("too few scenarios" in " ".join(shown.split())) is (few is not None)


# Places of suites that have no index


def test_a_place_is_read_whatever_its_suite_measures(toy: Toy) -> None:
    toy.complete("a", simulated=True)
    toy.plan("b")
    bare = msgspec.structs.replace(toy.suite, index=None)
    read = board_data.read_verdicts(toy.connection, toy.scope._replace(suite=bare))
    assert (read.judge, list(read.about), len(read.planned["b"])) == ("cues", ["a", "b"], 3)
    where, days, simulated, missing = notes.of_place(read)
    assert where == f"toy@{toy.loaded.edition}, firm/tool_role, judge cues"
    assert (simulated, missing) == (notes.SIMULATED_NOTE, "label of b: missing not_run 3.")
    assert list(read.only(["label of b"]).planned) == ["b"]
    assert notes.of_place(read.only(["label of b"])) == [where, days, missing]
    with pytest.raises(StoreError, match="no subject `c`"):
        read.only(["c"])


def test_who_lacks_answers_or_verdicts_is_named_alike_below_every_board() -> None:
    flags = {strict.UNANSWERED: 3, "missing:no_answer": 3, "missing:not_run": 1}
    no_index, silent, incomplete = notes.lacking([("a", flags), ("b", {}), ("c", {"missing:stale": 2, "cleaned": 4})])
    assert no_index.startswith("No index: a (3). Half of the replies or more")
    assert (silent, incomplete) == ("a: missing no_answer 3, not_run 1.", "c: missing stale 2.")
    assert notes.lacking([("b", {})]) == []


@pytest.mark.parametrize("simulated", [True, False])
def test_a_board_of_one_table_is_made_from_rows_and_says_what_its_judge_is_not_good_for(
    toy: Toy, simulated: bool
) -> None:
    toy.complete("a", simulated=simulated)
    read = board_data.read_verdicts(toy.connection, toy.scope)
    row = index_rows.of_subject(read, "a", {}, estimates={"verdicts": Estimate(3)})
    built = analysis.one_table(read, "Counts", [row], [Column("verdicts", "Verdicts", "count")])
    document = json.loads(analysis.to_json([built]))
    assert [(own["config"], own["verdicts"], own["coverage"]) for own in document["rows"]] == [("a", 3, 1)]
    assert document.get("caution") == (None if simulated else board_data.RULES_ONLY)
    (line,) = csv.DictReader(analysis.to_csv([built]).splitlines())
    assert (line["config"], line["verdicts"], line.get("caution")) == (
        "a",
        "3",
        None if simulated else board_data.RULES_ONLY,
    )
    assert built.document.rows[0].main.value == 3
    assert [column.key for column in built.tables[0].columns] == ["subject", "verdicts"]
    assert list(built.tables[0].notes) == notes.of_place(read)
