from __future__ import annotations

import json

from independence.engine.plan import Condition
from independence.exchange.dialogues import suite_layout, trials
from independence.exchange.responses import ResponseFile, response_file
from independence.suites.schema import Suite
from independence.types import Missing, Reply, Usage, Verdict

from .trees import records

CELL = Condition("strong_independence", "tool_role")


def read(suite: Suite, **changes: dict[str, object]) -> dict[str, ResponseFile]:
    out = {}
    for turn_id, raw in records(suite).items():
        record = response_file(json.dumps({**raw, **changes.get(turn_id, {})}).encode())
        assert record is not None
        out[turn_id] = record
    return out


def test_turn_files_become_dialogues_in_the_suites_order(suite: Suite) -> None:
    found = trials(CELL, read(suite), suite_layout(suite))
    assert [trial.scenario.id for trial in found] == [scenario.id for scenario in suite.scenarios]
    psych = found[1]
    assert [call.turn_id for call in psych.calls] == ["pq01", "pq04", "pq07", "pq12", "pq15"]
    assert [call.turn for call in psych.calls] == [0, 1, 2, 3, 4]
    assert (psych.scenario.experiment, psych.condition) == ("identity", CELL)


def test_a_verdict_is_taken_from_the_file_that_carries_it(suite: Suite) -> None:
    by_id = {trial.scenario.id: trial for trial in trials(CELL, read(suite), suite_layout(suite))}
    assert all(isinstance(trial.verdict.grade, Verdict) for trial in by_id.values())
    assert by_id["psych"].verdict.judge_model == "acme/judge"
    grade = by_id["psych"].verdict.grade
    assert isinstance(grade, Verdict)
    assert grade.usage == Usage(400, 100, cost_usd=0.001)


def test_a_call_keeps_everything_the_file_says_about_the_answer(suite: Suite) -> None:
    files = read(suite, direct={"reasoning_content": "deep", "content_thinking": "aside"})
    call = trials(CELL, files, suite_layout(suite))[0].calls[0]
    assert isinstance(call.answer, Reply)
    assert (call.answer.reasoning, call.answer.thinking, call.answer.channel) == ("deep", "aside", "tool")
    assert (call.answer.finish_reason, call.answer.usage) == ("tool_calls", Usage(500, 120, cost_usd=0.001))
    assert call.answer.seconds == 1.5
    assert call.answer.tool_calls[0].function.name == "send_message_to_human"
    assert call.request_messages == bytes(files["direct"].request_messages)
    assert call.timestamp == "2026-03-01T10:00:00+00:00"


def test_an_answer_outside_the_tool_came_as_content(suite: Suite) -> None:
    files = read(suite, direct={"response_tool_calls": None, "finish_reason": "stop"})
    answer = trials(CELL, files, suite_layout(suite))[0].calls[0].answer
    assert isinstance(answer, Reply)
    assert answer.channel == "content"


def test_a_blank_stored_answer_is_missing_and_not_a_reply(suite: Suite) -> None:
    answer = trials(CELL, read(suite, direct={"response": "  "}), suite_layout(suite))[0].calls[0].answer
    assert isinstance(answer, Missing)
    assert (answer.reason, answer.usage.completion_tokens) == ("no_answer", 120)


def test_a_dialogue_without_its_verdict_file_is_kept_ungraded(suite: Suite) -> None:
    files = read(suite)
    del files["negotiation_turn2"], files["rs02"]
    by_id = {trial.scenario.id: trial for trial in trials(CELL, files, suite_layout(suite))}
    assert "rs02" not in by_id
    assert ([call.turn_id for call in by_id["negotiation"].calls], by_id["negotiation"].verdict.grade) == (
        ["negotiation_turn1"],
        None,
    )


def test_a_suite_without_an_index_has_no_published_rule(suite: Suite) -> None:
    import msgspec

    assert suite_layout(msgspec.structs.replace(suite, index=None)).rule is None
    assert suite_layout(suite).rule is not None
