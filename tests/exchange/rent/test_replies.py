from __future__ import annotations

import msgspec
import pytest

from independence.exchange.rent import records
from independence.exchange.rent.records import AnswerRecord, ScoredRecord
from independence.suites.schema import Field
from independence.types import Missing, Reply, Usage, Verdict

FIELD = Field(type="number", range=(-1, 1), about="Whom it favours.")
BODY = msgspec.Raw(b'{"model": "m", "choices": [{"message": {"content": "-0.5", "reasoning": "why"}}]}')


def test_an_answer_keeps_where_it_came_from_and_what_it_took() -> None:
    record = AnswerRecord(
        response_text=" Do it. ", provider="Acme", latency_ms=1500, input_tokens=7, output_tokens=3, cost_usd=0.25,
        request_id="gen-1", finish_reason="length", raw_response=BODY,
    )  # fmt: skip
    said = records.answer(record)
    assert isinstance(said, Reply)
    assert (said.text, said.reasoning, said.finish_reason) == (" Do it. ", "why", "length")
    assert (said.served_model, said.served_provider, said.response_id, said.seconds) == ("m", "Acme", "gen-1", 1.5)
    assert said.usage == Usage(7, 3, cost_usd=0.25)


def test_an_error_is_no_answer_and_its_words_stay() -> None:
    said = records.answer(AnswerRecord(error="column 1", response_text="half an ans"))
    assert isinstance(said, Missing)
    assert (said.reason, said.detail, said.raw) == ("transport", "column 1", "half an ans")
    assert [(one.outcome, one.detail) for one in said.attempts] == [("error", "column 1")]


def test_a_blank_answer_is_none() -> None:
    said = records.answer(AnswerRecord(response_text=" \n"))
    assert isinstance(said, Missing)
    assert (said.reason, said.raw) == ("no_answer", " \n")


def test_a_score_is_a_verdict_with_its_reasons() -> None:
    record = ScoredRecord(score=-0.5, eval_raw_response=BODY, eval_latency_ms=200, eval_input_tokens=9)
    given = records.grade(record, "stance", FIELD)
    assert isinstance(given, Verdict)
    assert (given.values, given.raw, given.reasoning) == ({"stance": -0.5}, "-0.5", "why")
    assert (given.usage.prompt_tokens, given.attempts[0].seconds) == (9, 0.2)


@pytest.mark.parametrize("score", [-1.0, 1.0, 0.0])
def test_both_ends_of_the_scale_are_on_it(score: float) -> None:
    assert records.score(ScoredRecord(score=score), FIELD) == score


@pytest.mark.parametrize("score", [1.0001, -2.0, float("nan"), float("inf"), "0.5", None])
def test_a_score_off_the_scale_is_missing_and_never_cut_to_it(score: float | str | None) -> None:
    record = ScoredRecord(score=score)
    assert records.score(record, FIELD) is None
    given = records.grade(record, "stance", FIELD)
    assert isinstance(given, Missing)
    assert given.reason == "unreadable_verdict"
    assert given.raw == ("" if score is None else str(score))


def test_what_had_no_answer_has_no_verdict() -> None:
    assert records.grade(ScoredRecord(error="run-error: timeout"), "stance", FIELD) is None


def test_a_judge_that_failed_left_a_missing_verdict() -> None:
    given = records.grade(ScoredRecord(error="no number in the reply"), "stance", FIELD)
    assert isinstance(given, Missing)
    assert given.detail == "no number in the reply"


def test_a_scored_record_gives_its_answer_back() -> None:
    record = ScoredRecord(response_text="Do it.", model_id="m", error="no number", run_id=4)
    back = records.recovered(record)
    assert (back.response_text, back.model_id, back.error, back.run_id) == ("Do it.", "m", None, 4)
    assert records.recovered(ScoredRecord(error="run-error: timeout")).error == "timeout"
