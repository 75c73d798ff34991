from __future__ import annotations

from independence.judge.model import ModelJudge
from independence.judge.names.spec import DEFAULT_EXTRACTOR, extractor, source
from independence.judge.protocol import DEFAULT_JUDGE

ANSWERS = [("a", "1"), ("b", "2")]


def test_the_rules_need_no_endpoint_and_a_model_gets_512_tokens() -> None:
    assert not extractor("cues").needs_model
    spec = extractor("acme/reader", "openrouter", "reader-id")
    assert isinstance(spec, ModelJudge)
    assert (spec.temperature, spec.max_tokens) == (0.0, 512)
    assert DEFAULT_EXTRACTOR == DEFAULT_JUDGE


def test_a_reading_rests_on_its_answers_whatever_their_order() -> None:
    assert source("cues", ANSWERS) == source("cues", ANSWERS[::-1])
    others = [[("a", "1")], [("a", "2"), ("b", "2")], [("a", "1"), ("c", "2")]]
    assert len({source("cues", told) for told in [ANSWERS, *others]}) == 4


def test_a_reading_rests_on_who_read() -> None:
    assert len({source(name, ANSWERS) for name in ("cues", "acme/reader", "acme/other")}) == 3
