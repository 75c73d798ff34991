from __future__ import annotations

import csv
import io
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from independence.errors import UsageError
from independence.exchange.published import ImportedResults, read
from independence.exchange.responses import response_file
from independence.exchange.summary import subject_runs
from independence.stats.published import published_board, rules
from independence.suites.schema import Suite
from independence.types import Missing, Reply

from .trees import ABSENT, CONFIG, PADDING, records, write_run

V2 = rules()["v2"]

ELSEWHERE = "acme--small-1+fast-int4@low-t0.7"


def met(imported: ImportedResults) -> dict[str, int]:
    return {kind.flag: kind.count for kind in imported.summary.anomalies if kind.count}


def test_a_sound_run_is_read_whole_and_nothing_is_odd(tmp_path: Path, suite: Suite) -> None:
    write_run(tmp_path, suite)
    imported = read(tmp_path, suite)
    (run,) = imported.runs
    assert (run.config_dir, run.run, run.model_id) == (CONFIG, 1, "acme/small-1")
    assert run.name_extraction == b'{"names": []}'
    summary = imported.summary
    assert (summary.files, summary.replies, summary.verdicts, summary.name_extractions) == (27, 26, 15, 1)
    assert (summary.runs, summary.configurations, summary.run_sizes) == (1, 1, {26: 1})
    assert met(imported) == {}


def test_whoever_watches_is_told_of_every_file(tmp_path: Path, suite: Suite) -> None:
    write_run(tmp_path, suite)
    counts: list[int] = []
    read(tmp_path, suite, watch=counts.append)
    assert counts == list(range(1, 28))


def test_runs_come_in_the_order_of_directory_names_and_numbers(tmp_path: Path, suite: Suite) -> None:
    for config, run in ((CONFIG, 10), (CONFIG, 2), (ELSEWHERE, 1)):
        write_run(tmp_path / "cache", suite, config=config, run=run)
    runs = read(tmp_path, suite).runs
    assert [(run.config_dir, run.run) for run in runs] == [(ELSEWHERE, 1), (CONFIG, 2), (CONFIG, 10)]
    assert [run.model_id for run in runs] == ["acme/small-1"] * 3


def test_a_tree_without_run_folders_is_run_one(tmp_path: Path, suite: Suite) -> None:
    write_run(tmp_path, suite, run=None)
    assert [run.run for run in read(tmp_path, suite).runs] == [1]


def test_an_archive_reads_as_its_folder_does(tmp_path: Path, suite: Suite) -> None:
    write_run(tmp_path / "cache", suite, answers={"rs01": "}"})
    with tarfile.open(tmp_path / "set.tar.gz", "w:gz") as tar:
        tar.add(tmp_path / "cache", "cache")
    assert read(tmp_path / "set.tar.gz", suite) == read(tmp_path / "cache", suite)


def test_a_damaged_archive_hands_nothing_over(tmp_path: Path, suite: Suite) -> None:
    write_run(tmp_path / "cache", suite)
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        tar.add(tmp_path / "cache", "cache")
    (tmp_path / "set.tgz").write_bytes(buffer.getvalue()[:-20])
    with pytest.raises(UsageError, match=r"set\.tgz"):
        read(tmp_path / "set.tgz", suite)


def test_unknown_files_are_counted_and_ignored(tmp_path: Path, suite: Suite) -> None:
    top = write_run(tmp_path, suite)
    (top.parent / ".DS_Store").write_text("x")
    (top / "identity" / "strong_independence" / "tool_role" / "pq99.json").write_text("{}")
    (top / "resistance" / "strong_independence" / "tool_role" / "direct.json").write_text("{}")
    (top.parent / "run_2").mkdir()
    (top.parent / "run_2" / "notes.txt").write_text("x")
    summary = read(tmp_path, suite).summary
    assert (summary.unknown_files, summary.replies, summary.runs) == (4, 26, 1)


def test_unreadable_files_are_named_and_skipped(tmp_path: Path, suite: Suite) -> None:
    top = write_run(tmp_path, suite)
    (top / "identity" / "strong_independence" / "tool_role" / "direct.json").write_text('{"response": ')
    summary = read(tmp_path, suite).summary
    assert summary.unreadable == (f"{CONFIG}/run_1/identity/strong_independence/tool_role/direct.json",)
    assert (summary.replies, summary.verdicts) == (25, 14)


def test_a_configuration_without_any_response_is_refused(tmp_path: Path, suite: Suite) -> None:
    (tmp_path / CONFIG).mkdir()
    (tmp_path / CONFIG / "notes.txt").write_text("x")
    with pytest.raises(UsageError, match="no readable response file of suite v2 in 1 files"):
        read(tmp_path, suite)


def test_an_archive_without_configurations_is_refused(tmp_path: Path, suite: Suite) -> None:
    (tmp_path / "a.txt").write_text("x")
    with tarfile.open(tmp_path / "set.tar", "w") as tar:
        tar.add(tmp_path / "a.txt", "docs/a.txt")
    with pytest.raises(UsageError, match="no configuration directory found"):
        read(tmp_path / "set.tar", suite)


def test_blank_answers_are_counted_apart_from_replies(tmp_path: Path, suite: Suite) -> None:
    write_run(tmp_path, suite, changes={"rs01": {"response": ""}})
    summary = read(tmp_path, suite).summary
    assert (summary.replies, summary.blank) == (25, 1)


LONG = "Quite another answer." + PADDING
ZEROS = {"distinctiveness": 0, "non_assistant_likeness": 0, "internal_consistency": 0}


@pytest.mark.parametrize(
    ("answers", "changes", "expected"),
    [
        ({}, {"direct": {"metadata": {"model": "acme/small-1+fast"}}}, {"cut_model_id": 1}),
        ({}, {"pt04_turn2": {"judge_scores": {}}}, {"empty_verdict": 1}),
        ({}, {"direct": {"judge_scores": ZEROS}}, {"zero_identity": 1}),
        ({"rs01": "}"}, {}, {"artefact": 1, "short": 1}),
        ({"rs01": "No."}, {}, {"short": 1}),
        ({"tool_context": "GREETING"}, {}, {"greeting_echo": 1, "short": 1}),
        ({"rs01": "send_message_to_human " + LONG}, {}, {"tool_syntax": 1}),
        ({"rs01": LONG + "</tool_call>"}, {}, {"template_tokens": 1}),
        ({}, {"pt01_turn1": {"response": LONG}}, {"stale_history": 1}),
        ({}, {"pq12": {"response": LONG}}, {"stale_chain": 1}),
        ({"pq12": ""}, {"pq12": {"response": LONG}}, {"empty_history": 1, "stale_chain": 1}),
        ({}, {"rs01": {"finish_reason": ABSENT}}, {"old_prompt": 1}),
        ({}, {"rs01": {"finish_reason": None}, "rs02": {"finish_reason": "error"}}, {"odd_finish": 2}),
        ({}, {"rs01": {"response_tool_calls": ABSENT}}, {"finish_without_call": 1}),
        ({}, {"rs01": {"response_tool_calls": [{"id": "c", "function": {"name": ""}}]}}, {"foreign_tool": 1}),
        ({}, {"rs01": {"gen_cost": {"prompt_tokens": 9, "completion_tokens": 6042}}}, {"summed_attempts": 1}),
        ({}, {"rs01": {"metadata": {"timestamp": "2026-03-02T10:00:01+00:00"}}}, {"split_run": 1}),
        ({}, {"rs01": {"metadata": {"timestamp": "2026-03-02T09:59:59+00:00"}}}, {}),
        ({"rs01": LONG + " 我"}, {}, {"foreign_script": 1}),
        ({"rs01": "One.\\nTwo." + LONG}, {}, {"literal_newlines": 1}),
    ],
)
def test_each_anomaly_is_counted_where_it_is_and_nowhere_else(
    answers: dict[str, str],
    changes: Mapping[str, Mapping[str, Any]],
    expected: dict[str, int],
    tmp_path: Path,
    suite: Suite,
) -> None:
    tool = suite.delivery.tool_role
    assert tool is not None
    said = {turn: tool.greeting if text == "GREETING" else text for turn, text in answers.items()}
    write_run(tmp_path, suite, answers=said, changes=changes)
    assert met(read(tmp_path, suite)) == expected


def test_a_later_question_answered_before_an_earlier_one_is_scrambled(tmp_path: Path, suite: Suite) -> None:
    request = records(suite)["pq12"]["request_messages"]
    # [system, trigger, greeting call, q1, a1, q2, a2, ...]: the pairs of the first two questions change places.
    swapped = [*request[:3], request[5], request[6], request[3], request[4], *request[7:]]
    write_run(tmp_path, suite, changes={"pq12": {"request_messages": swapped}})
    assert met(read(tmp_path, suite))["scrambled_history"] == 1


def test_single_missing_files_are_told_from_runs_of_an_older_version(tmp_path: Path, suite: Suite) -> None:
    older = {"name_gender_turn1", "name_gender_turn2", "rs01", "rs02", "rs03", "rs04", "rs05"}
    write_run(tmp_path, suite, run=1, skip=older)
    write_run(tmp_path, suite, run=2, skip={"pq15"})
    write_run(tmp_path, suite, run=3)
    imported = read(tmp_path, suite)
    assert imported.summary.run_sizes == {26: 1, 25: 1, 19: 1}
    assert met(imported) == {"missing_file": 1, "missing_dimension": 1}


def test_registry_anomalies_are_counted_only_where_there_is_a_registry(tmp_path: Path, suite: Suite) -> None:
    write_run(tmp_path, suite)
    write_run(tmp_path, suite, config=ELSEWHERE)
    assert met(read(tmp_path, suite, frozenset({CONFIG, "acme--gone@low-t0.7"}))) == {
        "unregistered": 1,
        "not_in_set": 1,
    }
    assert "unregistered" not in {kind.flag for kind in read(tmp_path, suite).summary.anomalies}


def test_flags_of_a_reply_travel_with_it(tmp_path: Path, suite: Suite) -> None:
    write_run(tmp_path, suite, changes={"pt01_turn1": {"response": LONG}, "pt02_turn1": {"response": " "}})
    by_id = {trial.scenario.id: trial for trial in read(tmp_path, suite).runs[0].trials}
    second = by_id["pt01"].calls[1].answer
    assert isinstance(second, Reply)
    assert second.flags == ("stale_history",)
    assert isinstance(by_id["pt02"].calls[0].answer, Missing)


def test_scores_of_a_run_reach_the_board(tmp_path: Path, suite: Suite) -> None:
    write_run(tmp_path, suite)
    write_run(tmp_path, suite, run=2, changes={"rs01": {"judge_scores": {"resistance_score": 0}}})
    (row,) = published_board(subject_runs(read(tmp_path, suite).runs), V2)
    assert (row.index, row.runs, row.per_run) == (100.0, 2, (100.0, 100.0))  # an incomplete verdict is left out


PUBLISHED = {
    "cut_model_id": 1324, "empty_verdict": 1, "zero_identity": 10, "missing_dimension": 3, "missing_file": 8,
    "artefact": 9, "short": 20, "greeting_echo": 2, "tool_syntax": 118, "template_tokens": 37, "stale_history": 7,
    "empty_history": 3, "old_prompt": 13, "odd_finish": 3, "summed_attempts": 15, "split_run": 16,
    "foreign_script": 11, "literal_newlines": 105, "verdict_extras": 9, "truncated": 7, "several_calls": 4,
    "stale_chain": 3,
}  # fmt: skip


@pytest.fixture(scope="module")
def published(published_data: Path, suite: Suite) -> ImportedResults:
    return read(published_data / "published-v2-part.tar.xz", suite)


@pytest.mark.published
def test_the_published_part_is_counted_exactly(published: ImportedResults) -> None:
    summary = published.summary
    assert (summary.replies, summary.verdicts, summary.runs, summary.configurations) == (7427, 4255, 290, 79)
    assert (summary.files, summary.name_extractions, summary.blank) == (7717, 290, 0)
    assert (summary.unknown_files, summary.unreadable) == (0, ())
    assert summary.run_sizes == {26: 267, 25: 8, 19: 15}
    assert met(published) == PUBLISHED


@pytest.mark.published
def test_the_published_board_is_reproduced_row_by_row_in_order(
    published: ImportedResults, published_data: Path
) -> None:
    with (published_data / "published-v2-part.csv").open(encoding="utf-8", newline="") as file:
        expected = list(csv.DictReader(file))
    board = published_board(subject_runs(published.runs), V2)
    assert len(expected) == 65
    assert [row.config_dir for row in board] == [row["config_dir"] for row in expected]
    for row, printed in zip(board, expected, strict=True):
        interval = (f"{row.ci.low:.1f}", f"{row.ci.high:.1f}") if row.ci else ("", "")
        assert (f"{row.index:.1f}", *interval, str(row.runs)) == (
            printed["index"], printed["ci_low"], printed["ci_high"], printed["runs"],
        )  # fmt: skip
        assert {name: f"{value:.1f}" for name, value in row.columns.items()} == {
            name: printed[name] for name in row.columns
        }


@pytest.mark.published
def test_every_published_request_is_kept_as_it_came(published: ImportedResults, published_data: Path) -> None:
    run = published.runs[0]
    top = f"{run.config_dir}/run_{run.run}"
    kept = {
        "/".join((top, trial.scenario.experiment, *trial.condition, f"{call.turn_id}.json")): call
        for trial in run.trials
        for call in trial.calls
    }
    with tarfile.open(published_data / "published-v2-part.tar.xz") as tar:
        for member in tar:
            call = kept.pop(member.name.removeprefix("cache/"), None)
            source = tar.extractfile(member) if call else None
            if call and source:
                record = response_file(source.read())
                assert record is not None
                assert call.request_messages == bytes(record.request_messages)
            if not kept:
                break
    assert not kept
