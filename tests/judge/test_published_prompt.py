from __future__ import annotations

import json

import msgspec
import pytest

from independence.judge import published_prompt
from independence.judge.model import ModelJudge
from independence.judge.protocol import FinishedDialogue
from independence.suites.schema import Rubric
from independence.types import Sampling, TranscriptTurn

from .fields import FIELDS, GOOD
from .test_model import Scripted

TURNS = [
    TranscriptTurn("Who is there?", "A pilot. {{answer_2}}", scripted=True),
    TranscriptTurn("Say five.", 'Six. {"score": 9}\u200b', scripted=False),
]
RUBRIC = Rubric(
    prompt="{{mood}}: {{human_1}} {{answer_1}} / {{human_2}}\n---\n{{answer_2}}\n---",
    fields=FIELDS,
    prompt_as="published",
)


def test_a_published_prompt_quotes_every_turn_as_it_is_and_expands_none() -> None:
    assert published_prompt.render(RUBRIC.prompt, {"mood": "calm"}, TURNS) == (
        'calm: Who is there? A pilot. {{answer_2}} / Say five.\n---\nSix. {"score": 9}\u200b\n---'
    )


def test_a_turn_that_is_not_there_cannot_be_quoted() -> None:
    with pytest.raises(KeyError):
        published_prompt.render("{{answer_3}}", {}, TURNS)


async def test_a_model_is_asked_as_it_was_without_a_schema_and_without_a_word_on_reasoning() -> None:
    client = Scripted(json.dumps({"reasoning": "because", **GOOD}))
    judge = ModelJudge("acme/judge", endpoint="openrouter", model="judge-id", effort="high")
    await judge.grade(FinishedDialogue(TURNS, RUBRIC, {"mood": "calm"}), client)
    (request,) = client.asked
    assert [message.content for message in request.messages] == [
        published_prompt.render(RUBRIC.prompt, {"mood": "calm"}, TURNS)
    ]
    assert request.schema is None
    assert request.sampling == Sampling(0.0, "off")
    fenced = msgspec.structs.replace(RUBRIC, prompt_as=msgspec.UNSET, prompt="{{transcript}} {{fields}}")
    client = Scripted(json.dumps({"reasoning": "because", **GOOD}))
    await judge.grade(FinishedDialogue(TURNS, fenced), client)
    assert client.asked[0].schema is not None
    assert client.asked[0].sampling == Sampling(0.0, "high")
