from __future__ import annotations

import msgspec
import pytest

from independence.exchange.rent import own
from independence.exchange.rent.own import Asked, Judge
from independence.exchange.rent.records import AnswerRecord, JudgedRecord, decode, dumped
from independence.store.exported import GivenAnswer, GivenVerdict

FACTORS: dict[str, str | int | float | bool | None] = {"perspective": "tenant", "amount": 50}
ASKED = Asked(7, "acme/m", "001", FACTORS, msgspec.Raw(b'[{"role": "user"}]'))
TRIED = '[{"outcome":"429","seconds":0.25},{"outcome":"ok","seconds":1.0}]'
ANSWER = GivenAnswer(
    0, "t", "a", "b", None, "[]", 0.5, 10, 5, 0, 1.25, "2026-01-02T03:04:05+00:00", "content", "stop", "m", "Acme",
    "gen-1", "Do it.", "", "", "", TRIED, None,
)  # fmt: skip
VERDICT = GivenVerdict(
    "j", 1, "r", "b", None, '{"stance":0.5}', 0.25, 20, 1, "2026-01-02T03:05:05+00:00", "{}", "", "", TRIED
)  # fmt: skip
JUDGE = Judge("j", "2026-01-02T03:09:09+00:00")


@pytest.mark.parametrize(
    ("stored", "published"),
    [("2026-01-02T03:04:05+00:00", "2026-01-02T03:04:05Z"), ("2025-10-11T04:52:38Z", "2025-10-11T04:52:38Z"), ("", "")],
)
def test_times_end_in_a_z(stored: str, published: str) -> None:
    assert own.utc(stored) == published


def test_our_records_are_of_the_published_types() -> None:
    said = own.answer(ASKED, ANSWER)
    for read in (
        decode(dumped(said), AnswerRecord),
        decode(dumped(own.answer(ASKED, ANSWER._replace(missing="blocked", text=""))), AnswerRecord),
        decode(dumped(own.judged(said, VERDICT, JUDGE, failed=False)), JudgedRecord),
        decode(dumped(own.judged(said, None, JUDGE, failed=False)), JudgedRecord),
    ):
        assert (read.unknown, read.wrong) == ((), ())
        assert list(read.whole) == [field.name for field in msgspec.structs.fields(type(read.record))]


def test_a_failed_answer_fails_its_score() -> None:
    said = own.answer(ASKED, ANSWER._replace(missing="no_answer", text="", raw="half", attempts="[]"))
    assert (said["response_text"], said["error"], said["output_tokens"]) == ("half", "no_answer", None)
    line = own.judged(said, None, JUDGE, failed=True)
    assert (line["error"], line["eval_timestamp_iso"]) == ("run-error: no_answer", "2026-01-02T03:09:09Z")


def test_a_verdict_brings_its_time_and_tokens() -> None:
    line = own.judged(own.answer(ASKED, ANSWER), VERDICT, JUDGE, failed=False)
    assert (line["eval_latency_ms"], line["eval_total_tokens"], line["eval_cost_usd"]) == (1250, 21, 0.25)
    assert (line["eval_timestamp_iso"], line["error"]) == ("2026-01-02T03:05:05Z", None)
    lost = own.judged(own.answer(ASKED, ANSWER), VERDICT._replace(missing="unreadable_verdict"), JUDGE, failed=False)
    assert (lost["error"], lost["eval_latency_ms"], lost["eval_cost_usd"]) == ("unreadable_verdict", None, None)
