"""Published result sets: read whole, every oddity counted where it is, verdicts complete or missing with a reason."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.errors import UsageError
from independence.exchange.sent_requests import PublishedRequest, published_request
from independence.exchange.storing import write
from independence.extensions.published import storing
from independence.extensions.published.dialogues import PublishedVerdict, published_verdict
from independence.extensions.published.import_summary import AnomalyCount, subject_runs
from independence.extensions.published.responses import (
    ResponseFile,
    broken_history,
)
from independence.extensions.published.result_set import ImportedResults, read
from independence.extensions.published.scoring_rules import published_board, rules
from independence.report.board import board
from independence.report.board.rows import Row
from independence.store import queries, scopes
from independence.store.file.database import transaction
from independence.suites.load import load
from independence.suites.schema import Field, Rubric, Suite
from independence.suites.script import DialogueSetting, Exchange, messages
from independence.suites.without_texts import without_texts
from independence.types import Missing, Reply, Usage, Verdict, Where
from tests.e2e import command

from .trees import ABSENT, CONFIG, PADDING, records, write_run

V2 = rules()["v2"]
ELSEWHERE = "acme--small-1+fast-int4@low-t0.7"
OTHER = "acme--large@none-t1.0"
TOP = ("identity", "strong_independence", "tool_role")


def met(imported: ImportedResults) -> dict[str, int]:
    return {kind.flag: kind.count for kind in imported.summary.anomalies if kind.count}


def only(imported: ImportedResults, flag: str) -> AnomalyCount:
    (kind,) = (kind for kind in imported.summary.anomalies if kind.flag == flag)
    return kind


def test_a_sound_run_is_read_whole_and_nothing_is_odd(tmp_path: Path, suite: Suite) -> None:
    write_run(tmp_path, suite)
    counts: list[int] = []
    imported = read(tmp_path, suite, watch=counts.append)
    assert counts == list(range(1, 28))
    (run,) = imported.runs
    assert (run.config_dir, run.run, run.model_id) == (CONFIG, 1, "acme/small-1")
    assert run.name_extraction == b'{"names": []}'
    assert [trial.scenario.id for trial in run.trials] == [scenario.id for scenario in suite.scenarios]
    psych = run.trials[1]
    assert [(call.turn_id, call.turn) for call in psych.calls] == [
        ("pq01", 0), ("pq04", 1), ("pq07", 2), ("pq12", 3), ("pq15", 4),
    ]  # fmt: skip
    assert (psych.verdict.judge_model, psych.condition) == ("acme/judge", ("strong_independence", "tool_role"))
    assert all(isinstance(trial.verdict.grade, Verdict) for trial in run.trials)
    summary = imported.summary
    assert (summary.files, summary.replies, summary.verdicts, summary.name_extractions) == (27, 26, 15, 1)
    assert (summary.runs, summary.configurations, summary.run_sizes, summary.blank) == (1, 1, {26: 1}, 0)
    assert met(imported) == {}


def test_runs_come_in_the_order_of_directory_names_and_numbers_from_a_folder_or_an_archive(
    tmp_path: Path, suite: Suite
) -> None:
    for config, run in ((CONFIG, 10), (CONFIG, 2), (ELSEWHERE, 1)):
        write_run(tmp_path / "cache", suite, config=config, run=run, answers={"rs01": "}"})
    write_run(tmp_path / "cache", suite, config=OTHER, run=None)
    with tarfile.open(tmp_path / "set.tar.gz", "w:gz") as tar:
        tar.add(tmp_path / "cache", "cache")
    imported = read(tmp_path / "cache", suite)
    assert [(run.config_dir, run.run, run.model_id) for run in imported.runs] == [
        (OTHER, 1, "acme/large"), (ELSEWHERE, 1, "acme/small-1"), (CONFIG, 2, "acme/small-1"),
        (CONFIG, 10, "acme/small-1"),
    ]  # fmt: skip
    assert read(tmp_path / "set.tar.gz", suite) == imported
    (tmp_path / "set.tgz").write_bytes((tmp_path / "set.tar.gz").read_bytes()[:-20])
    with pytest.raises(UsageError, match=r"set\.tgz"):
        read(tmp_path / "set.tgz", suite)


def test_unknown_files_are_ignored_and_unreadable_ones_named(tmp_path: Path, suite: Suite) -> None:
    top = write_run(tmp_path, suite)
    (top.parent / ".DS_Store").write_text("x")
    (top.joinpath(*TOP) / "pq99.json").write_text("{}")
    (top / "resistance" / "strong_independence" / "tool_role" / "direct.json").write_text("{}")
    (top.parent / "run_2").mkdir()
    (top.parent / "run_2" / "notes.txt").write_text("x")
    (top.joinpath(*TOP) / "direct.json").write_text('{"response": ')
    summary = read(tmp_path, suite).summary
    assert (summary.unknown_files, summary.replies, summary.verdicts, summary.runs) == (4, 25, 14, 1)
    broken = f"{CONFIG}/run_1/identity/strong_independence/tool_role/direct.json"
    assert summary.unreadable == (f"{broken}:1: not valid JSON: expecting value (column 14)",)


def test_a_set_without_any_response_is_refused(tmp_path: Path, suite: Suite) -> None:
    (tmp_path / CONFIG).mkdir()
    (tmp_path / CONFIG / "notes.txt").write_text("x")
    with pytest.raises(UsageError, match="no readable response file of suite v2 in 1 files; name the suite"):
        read(tmp_path, suite)
    with tarfile.open(tmp_path / "set.tar", "w") as tar:
        tar.add(tmp_path / CONFIG / "notes.txt", "docs/a.txt")
    with pytest.raises(UsageError, match="no configuration directory found"):
        read(tmp_path / "set.tar", suite)


def test_a_call_keeps_everything_the_file_says_about_the_answer(tmp_path: Path, suite: Suite) -> None:
    write_run(
        tmp_path, suite,
        changes={
            "direct": {"reasoning_content": "deep", "content_thinking": "aside"},
            "tool_context": {"response_tool_calls": None, "finish_reason": "stop"},
            "rs01": {"response": " \n"},
        },
        skip={"negotiation_turn2", "rs02"},
    )  # fmt: skip
    imported = read(tmp_path, suite)
    by_id = {trial.scenario.id: trial for trial in imported.runs[0].trials}
    call = by_id["direct"].calls[0]
    answer, plain, blank = call.answer, by_id["tool_context"].calls[0].answer, by_id["rs01"].calls[0].answer
    assert isinstance(answer, Reply)
    assert (answer.reasoning, answer.thinking, answer.channel) == ("deep", "aside", "tool")
    assert (answer.finish_reason, answer.usage) == ("tool_calls", Usage(500, 120, cost_usd=0.001))
    assert answer.seconds == 1.5
    assert answer.tool_calls[0].function.name == "send_message_to_human"
    assert call.answered_at == "2026-03-01T10:00:00+00:00"
    sent = json.dumps(records(suite)["direct"]["request_messages"])
    assert call.messages is not None
    assert json.loads(call.messages) == json.loads(sent)
    assert call.messages in (tmp_path / CONFIG / "run_1" / Path(*TOP) / "direct.json").read_bytes()  # as it came
    assert isinstance(plain, Reply)
    assert plain.channel == "content"
    assert isinstance(blank, Missing)
    assert (blank.reason, blank.raw, blank.usage.completion_tokens) == ("no_answer", " \n", 120)
    assert (imported.summary.replies, imported.summary.blank) == (23, 1)
    assert "rs02" not in by_id
    ungraded = by_id["negotiation"]
    assert ([one.turn_id for one in ungraded.calls], ungraded.verdict.grade) == (["negotiation_turn1"], None)


LONG = "Quite another answer." + PADDING
ZEROS = {"distinctiveness": 0, "non_assistant_likeness": 0, "internal_consistency": 0}
CALL = {"id": "c", "function": {"name": "send_message_to_human", "arguments": "{}"}}
TEXTS = {  # what `rs01` answers -> its flags
    "I would not." + PADDING: (),
    "}": ("artefact", "short"),
    ":": ("artefact", "short"),
    "No.": ("short",),
    "🙂": ("short",),
    "GREETING": ("greeting_echo", "short"),
    'send_message_to_human{"message": "No."}' + PADDING: ("tool_syntax",),
    "<|channel>thought\n<channel|>No." + PADDING: ("template_tokens",),
    PADDING + "</arg_value>\n</tool_call>": ("template_tokens",),
    PADDING + "<EOS_TOKEN>": ("template_tokens",),
    "I mean <b>this</b>, if 3 < 4 and 5 > 4." + PADDING: (),
    PADDING + " 我 think so.": ("foreign_script",),
    PADDING + " Конечно.": ("foreign_script",),
    PADDING + " Café, naïve, señor.": (),
    "One.\\n\\nTwo." + PADDING: ("literal_newlines",),
}
CHANGES: list[tuple[Mapping[str, Any], dict[str, int]]] = [
    ({"direct": {"metadata": {"model": "acme/small-1+fast"}}}, {"cut_model_id": 1}),
    ({"direct": {"metadata": {"model": "nv/acme--small-1"}}}, {"cut_model_id": 1}),
    ({"pt04_turn2": {"judge_scores": {}, "judge_raw_response": "?"}}, {"empty_verdict": 1}),
    ({"direct": {"judge_scores": ZEROS}}, {"zero_identity": 1}),
    ({"direct": {"judge_scores": ZEROS | {"distinctiveness": 1, "thought": {}}}}, {"verdict_extras": 1}),
    ({"pt01_turn1": {"response": LONG}}, {"stale_history": 1}),
    ({"pq12": {"response": LONG}}, {"stale_chain": 1}),
    ({"rs01": {"finish_reason": ABSENT}}, {"old_prompt": 1}),
    ({"rs01": {"finish_reason": None}, "rs02": {"finish_reason": "error"}}, {"odd_finish": 2}),
    ({"rs01": {"finish_reason": "length"}}, {"truncated": 1}),
    ({"rs01": {"response_tool_calls": ABSENT}}, {"finish_without_call": 1}),
    ({"rs01": {"response_tool_calls": None, "finish_reason": "stop"}}, {}),
    ({"rs01": {"response_tool_calls": [{"id": "c", "function": {"name": ""}}]}}, {"foreign_tool": 1}),
    ({"rs01": {"response_tool_calls": [{"id": "c"}]}}, {"foreign_tool": 1}),
    ({"rs01": {"response_tool_calls": [CALL, CALL]}}, {"several_calls": 1}),
    ({"rs01": {"gen_cost": {"prompt_tokens": 0, "completion_tokens": 0}}}, {"odd_finish": 1}),
    ({"rs01": {"gen_cost": None}}, {}),
    ({"rs01": {"gen_cost": {"prompt_tokens": 9, "completion_tokens": 2048}}}, {}),
    ({"rs01": {"gen_cost": {"prompt_tokens": 9, "completion_tokens": 2049}}}, {"summed_attempts": 1}),
    ({"rs01": {"metadata": {"timestamp": "2026-03-02T10:00:01+00:00"}}}, {"split_run": 1}),
    ({"rs01": {"metadata": {"timestamp": "2026-03-02T10:00:00+00:00"}}}, {}),
    ({"rs01": {"metadata": {"timestamp": "yesterday"}}, "rs02": {"metadata": {}}}, {}),
]


def test_each_anomaly_is_counted_where_it_is_and_nowhere_else(tmp_path: Path, suite: Suite) -> None:
    tool = suite.delivery.tool_role
    assert tool is not None
    wrong = {}
    cases = [({"rs01": text}, {}, dict.fromkeys(flags, 1)) for text, flags in TEXTS.items()]
    cases += [({}, changes, expected) for changes, expected in CHANGES]
    cases += [({"pq12": ""}, {"pq12": {"response": LONG}}, {"empty_history": 1, "stale_chain": 1})]
    for number, (answers, changes, expected) in enumerate(cases):
        said = {turn: tool.greeting if text == "GREETING" else text for turn, text in answers.items()}
        write_run(tmp_path / f"{number}", suite, answers=said, changes=changes)
        imported = read(tmp_path / f"{number}", suite)
        if met(imported) != expected:
            wrong[f"{answers} {changes}"] = met(imported)
    assert wrong == {}
    write_run(tmp_path / "zh", suite, answers={"rs01": PADDING + " 我"})
    assert met(read(tmp_path / "zh", msgspec.structs.replace(suite, language="zh"))) == {}


def test_flags_of_a_reply_travel_with_it(tmp_path: Path, suite: Suite) -> None:
    write_run(tmp_path, suite, changes={"pt01_turn1": {"response": LONG}, "rs01": {"finish_reason": "length"}})
    by_id = {trial.scenario.id: trial for trial in read(tmp_path, suite).runs[0].trials}
    answers = by_id["pt01"].calls[1].answer, by_id["rs01"].calls[0].answer
    assert [one.flags for one in answers if isinstance(one, Reply)] == [("stale_history",), ("truncated",)]


def test_a_history_is_compared_with_what_is_stored_now(tmp_path: Path, suite: Suite) -> None:
    """The request of the fourth question: [system, trigger, greeting call, q1, a1, q2, a2, q3, a3, q4]."""
    request = records(suite)["pq12"]["request_messages"]
    scripted = {"role": "tool", "content": "Hello?"}, request[4]
    blank = json.loads(json.dumps(request))
    first = {"message": records(suite)["pq01"]["response"] + "\n"}
    blank[4]["tool_calls"][0]["function"]["arguments"] = json.dumps(first)
    blank[6]["content"] = "Beside a replayed message, and no part of it."
    wrong = {}
    for name, sent, skipped, expected in (
        ("another order", [*request[:3], request[5], request[6], request[3], request[4], *request[7:]], (),
         {"scrambled_history": 1}),
        ("one left out", [*request[:5], *request[7:]], (), {"scrambled_history": 1}),
        ("one of ours is not stored", request, ("pq04",), {"missing_file": 1}),
        ("more than ours", [*request[:3], *scripted, *request[3:]], (), {}),
        ("blanks around an answer, words beside it", blank, (), {}),
    ):  # fmt: skip
        write_run(tmp_path / name, suite, changes={"pq12": {"request_messages": sent}}, skip=skipped)
        if met(read(tmp_path / name, suite)) != expected:
            wrong[name] = met(read(tmp_path / name, suite))
    assert wrong == {}


def test_the_same_question_twice_is_matched_in_order() -> None:
    asked = PublishedRequest(exchanges=(Exchange("again?"),))
    seen = PublishedRequest(exchanges=(Exchange("again?", "1"), Exchange("again?", "2"), Exchange("three?")))
    current = {"q1": asked, "q2": asked}
    assert broken_history(seen, ("q1", "q2"), current, {"q1": "1", "q2": "2"}) == []
    assert broken_history(seen, ("q1", "q2"), current, {"q1": "2", "q2": "1"}) == ["stale_history"]


def test_single_missing_files_are_told_from_runs_of_an_older_version(tmp_path: Path, suite: Suite) -> None:
    older = {"name_gender_turn1", "name_gender_turn2", "rs01", "rs02", "rs03", "rs04", "rs05"}
    write_run(tmp_path, suite, run=1, skip=older)
    write_run(tmp_path, suite, run=2, skip={"pq15"})
    write_run(tmp_path, suite, run=3)
    write_run(tmp_path, suite, config=OTHER, skip={"negotiation_turn2"})  # a hole that no other run of it fills
    imported = read(tmp_path, suite)
    assert imported.summary.run_sizes == {26: 1, 25: 2, 19: 1}
    assert met(imported) == {"missing_file": 2, "missing_dimension": 1}
    assert (only(imported, "missing_dimension").unit, only(imported, "missing_dimension").configurations) == ("runs", 1)
    plain = read(tmp_path, msgspec.structs.replace(suite, index=None))  # and so without a published rule
    assert "missing_dimension" not in {kind.flag for kind in plain.summary.anomalies}


def test_counts_say_in_how_many_runs_and_configurations(tmp_path: Path, suite: Suite) -> None:
    write_run(tmp_path, suite, answers={"rs01": "No.", "rs02": "Never."})
    write_run(tmp_path, suite, run=2, answers={"rs01": "No."})
    write_run(tmp_path, suite, config=OTHER, answers={"rs05": "No."})
    found = only(read(tmp_path, suite), "short")
    assert (found.id, found.unit, found.count, found.runs, found.configurations) == ("A7", "files", 4, 3, 2)
    assert "unregistered" not in {kind.flag for kind in read(tmp_path, suite).summary.anomalies}
    imported = read(tmp_path, suite, frozenset({OTHER, "acme--gone@low-t0.7"}))
    outside, absent = only(imported, "unregistered"), only(imported, "not_in_set")
    assert (outside.count, outside.runs, outside.configurations) == (1, 2, 1)
    assert (absent.count, absent.runs, absent.configurations) == (1, 0, 1)


def test_scores_of_a_run_reach_the_board(tmp_path: Path, suite: Suite) -> None:
    write_run(tmp_path, suite)
    write_run(tmp_path, suite, run=2, changes={"rs01": {"judge_scores": {"resistance_score": 0}}}, skip={"rs02"})
    (subject,) = subject_runs(read(tmp_path, suite).runs)
    assert [len(run) for run in subject.runs] == [15, 13]  # an incomplete verdict is left out
    (row,) = published_board([subject], V2)
    assert (row.index, row.runs, row.per_run) == (100.0, 2, (100.0, 100.0))


def graded(scores: dict[str, Any] | None, rubric: Rubric, raw: str = "raw") -> PublishedVerdict:
    cost = {"prompt_tokens": 7, "completion_tokens": 8, "cost_usd": 0.25, "judge_model": "acme/judge"}
    record = {"response": "An answer.", "judge_scores": scores, "judge_cost": cost, "judge_raw_response": raw}
    return published_verdict(msgspec.convert(record, ResponseFile), rubric, V2)


def test_a_value_counts_where_it_is_of_the_fields_type_and_range() -> None:
    kinds = {"score": ("integer", (0, 10)), "share": ("number", (0, 1)), "flag": ("boolean", None)}
    fit = [("score", 0), ("score", 10), ("score", 7.0), ("share", 0.5), ("share", 1), ("flag", True)]
    unfit = [
        *(("score", value) for value in (11, -1, 7.5, True, "7", None, 10**400)), ("flag", 1), ("share", 2),
        ("share", -0.1),
    ]  # fmt: skip
    wrong = []
    for fits, (kind, value) in (*((True, one) for one in fit), *((False, one) for one in unfit)):
        of, ends = kinds[kind]
        rubric = Rubric(prompt="", fields={"x": Field(type=of, about="", range=ends)})  # type: ignore[arg-type]
        grade = graded({"x": value}, rubric).grade
        if fits is not (isinstance(grade, Verdict) and grade.values == {"x": value}):
            wrong.append((kind, value))
    assert wrong == []


def test_a_verdict_is_complete_or_missing_and_names_what_it_lacks(suite: Suite) -> None:
    identity = suite.rubrics["direct"]
    values = {"distinctiveness": 9, "non_assistant_likeness": 8, "internal_consistency": 10}
    found = graded({"reasoning": "Sound.", **values}, identity)
    assert isinstance(found.grade, Verdict)
    assert (found.grade.values, found.grade.reasoning, found.grade.raw) == (values, "Sound.", "raw")
    assert (found.judge_model, found.grade.usage, found.flags) == ("acme/judge", Usage(7, 8, cost_usd=0.25), ())
    lacking = graded({"distinctiveness": 9, "non_assistant_likeness": 80}, identity).grade
    assert isinstance(lacking, Missing)
    assert lacking.detail == "no usable non_assistant_likeness, internal_consistency"
    assert graded(None, identity).grade is None
    extras = graded({**values, "reasoning": 3, "thought_process": {"a": 1}}, identity)
    assert isinstance(extras.grade, Verdict)
    assert (extras.grade.values, extras.grade.reasoning, extras.flags) == (values, "", ("verdict_extras",))


def test_an_empty_verdict_is_read_from_what_the_judge_wrote_or_missing(suite: Suite) -> None:
    values = {"distinctiveness": 9, "non_assistant_likeness": 8, "internal_consistency": 10}
    raw = '{"reasoning": "It says "no" and means it.", ' + json.dumps(values)[1:]  # quotes that nobody escaped
    for written, expected in ((raw, values), ("raw", None)):
        found = graded({}, suite.rubrics["direct"], written)
        assert (getattr(found.grade, "values", None), found.flags) == (expected, ("empty_verdict",))
        assert isinstance(found.grade, Verdict if expected else Missing)
        assert (found.grade.raw, found.grade.usage.cost_usd) == (written, 0.25)


@given(st.lists(st.tuples(st.text(min_size=1), st.text(min_size=1)), max_size=4), st.text(min_size=1))
def test_a_request_in_either_mode_is_taken_apart_into_what_it_was_built_from(
    past: list[tuple[str, str]], question: str
) -> None:
    exchanges = (*(Exchange(human, answer) for human, answer in past), Exchange(question))
    for tool in TOOLS:
        request = msgspec.json.encode(messages(DialogueSetting("Be.", tool=tool), exchanges))
        named, greeting = (tool.name, tool.greeting) if tool else ("", "")
        assert published_request(request) == PublishedRequest(named, greeting, exchanges)


TOOLS = (load("v2").suite.delivery.tool_role, load("v1").suite.delivery.tool_role, None)  # speaks, listens, types


@given(st.binary(max_size=200))
def test_a_request_that_cannot_be_read_shows_nothing(request: bytes) -> None:
    assert published_request(b"\xff" + request) == PublishedRequest()


def test_arguments_that_cannot_be_read_leave_an_empty_message() -> None:
    call = {"function": {"name": "say", "arguments": "{broken"}}
    request = [{"role": "assistant", "content": None, "tool_calls": [call]}, {"role": "tool", "content": "hm?"}]
    assert published_request(msgspec.json.encode(request)) == PublishedRequest("say", "", (Exchange("hm?"),))


def store(connection: sqlite3.Connection, folder: Path, suite: Suite) -> None:
    with transaction(connection):
        write(connection, storing.rows(suite, read(folder, suite).runs))


def row(connection: sqlite3.Connection, scoring: str) -> Row:
    return board.board(connection, scopes.find(connection, None, None, None), scoring).rows[0]


def test_a_verdict_that_the_publisher_lost_counts_for_us_and_not_under_the_published_rule(
    connection: sqlite3.Connection, tmp_path: Path, suite: Suite
) -> None:
    scores = {"reasoning": "It moved.", "consistency_score": 3, "graceful_handling": 4}
    lost = {"judge_scores": {}, "judge_raw_response": json.dumps(scores)}
    write_run(tmp_path / "cache", suite, changes={"pt04_turn2": lost})
    store(connection, tmp_path, suite)
    strict, as_published = row(connection, "strict"), row(connection, "published")
    assert (strict.coverage, strict.flags) == (1, {"reread_verdict": 1})
    assert strict.group("dimensions")["consistency_score"] == pytest.approx((10 * 4 + 3) / 5)
    assert as_published.group("dimensions")["consistency_score"] == 10


def test_an_imported_edition_holds_no_text_of_ours_and_is_graded_by_the_suite_of_its_first_import(
    connection: sqlite3.Connection, tmp_path: Path, suite: Suite
) -> None:
    write_run(tmp_path / "cache", suite)
    write_run(tmp_path / "cache", suite, config="sim--half@none-t0.7")
    store(connection, tmp_path, suite)
    store(connection, tmp_path, msgspec.structs.replace(suite, title="Another wording"))
    scope = scopes.find(connection, None, None, None)
    assert scope.suite == without_texts(suite)
    assert scopes.grading(connection, scope) == suite
    simulated = {config: who[2] for config, who in queries.subjects(connection, Where("v2", "published")).items()}
    assert simulated == {CONFIG: False, "sim--half@none-t0.7": True}


PUBLISHED = {
    "cut_model_id": 1324, "empty_verdict": 1, "zero_identity": 10, "missing_dimension": 3, "missing_file": 8,
    "artefact": 9, "short": 20, "greeting_echo": 2, "tool_syntax": 118, "template_tokens": 37, "stale_history": 7,
    "empty_history": 3, "old_prompt": 13, "odd_finish": 3, "summed_attempts": 15, "split_run": 16,
    "foreign_script": 11, "literal_newlines": 105, "verdict_extras": 9, "truncated": 7, "several_calls": 4,
    "stale_chain": 3,
}  # fmt: skip


@pytest.mark.published
@pytest.mark.deep
def test_the_published_part_is_counted_exactly(published_data: Path, suite: Suite) -> None:
    imported = read(published_data / "published-v2-part.tar.xz", suite)
    summary = imported.summary
    assert (summary.replies, summary.verdicts, summary.runs, summary.configurations) == (7427, 4255, 290, 79)
    assert (summary.files, summary.name_extractions, summary.blank) == (7717, 290, 0)
    assert (summary.unknown_files, summary.unreadable) == (0, ())
    assert summary.run_sizes == {26: 267, 25: 8, 19: 15}
    assert met(imported) == PUBLISHED


@pytest.mark.published
def test_the_published_board_is_reproduced_row_by_row_in_order(published_store: Path, published_data: Path) -> None:
    ended = command.run("leaderboard", "--scoring", "published", "--format", "csv", "--db", published_store)
    with (published_data / "published-v2-part.csv").open(encoding="utf-8", newline="") as file:
        expected = list(csv.DictReader(file))
    board = [row for row in csv.DictReader(io.StringIO(ended.out)) if row["rank"]]
    assert len(expected) == 65
    assert [(row["config"], row["label"]) for row in board] == [(row["config_dir"], row["label"]) for row in expected]
    columns = {
        "index": "index", "index_ci_low": "ci_low", "index_ci_high": "ci_high",
        "non_assistant_likeness": "non_assistant_likeness", "internal_consistency": "internal_consistency",
        "drift_from_initial_name_gender_drift": "drift", "resistance_score": "resistance",
        "consistency_score": "stability",
    }  # fmt: skip
    for row, printed in zip(board, expected, strict=True):
        ours = {theirs: row[own] and f"{float(row[own]):.1f}" for own, theirs in columns.items()}
        assert ours | {"runs": row["runs"]} == {name: printed[name] for name in (*columns.values(), "runs")}
