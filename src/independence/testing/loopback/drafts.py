"""What is answered, before it becomes bytes: text, reasoning, tool calls, and the ways an answer can be off."""

from __future__ import annotations

import re
from typing import NamedTuple

import msgspec

from independence.testing.loopback.catalogue import ServedModel
from independence.testing.loopback.ways import NO_WAYS, Ways
from independence.testing.loopback.wire import CHARACTERS_PER_TOKEN, ParsedRequest, tokens, uniforms
from independence.testing.sim import answer, grader, judges
from independence.testing.sim.judges import JudgedPrompt
from independence.testing.sim.parties import NOTHING_KNOWN, Merits
from independence.types import FunctionCall

_PLAIN_SHARE = 0.10  # of replies that skip the offered tool
_REASONING_SHARE = 0.4  # of replies that show their reasoning
_ASIDE_SHARE = 0.1  # of replies through the tool that think aloud in content beside it
_BROKEN_OFF = 10  # tokens that come before an ending of the server's
_ENDLESS = 4096  # tokens of an answer without end, where nothing bounds it
_BREAKING = ("error", "content_filter")


class AnswerDraft(NamedTuple):
    """An answer."""

    content: str | None
    reasoning: str = ""
    call: FunctionCall | None = None
    finish: str | None = "stop"

    @property
    def tokens(self) -> int:
        """Completion tokens, reasoning included: a token is four characters."""
        called = self.call.arguments if self.call else ""
        return tokens(len(self.content or "") + len(self.reasoning) + len(called))


def draft(
    asked: ParsedRequest, model: ServedModel, fault: str, merits: Merits = NOTHING_KNOWN, ways: Ways = NO_WAYS
) -> AnswerDraft:
    """The answer to a request, off in the way `fault` names if that is one of the `reply` kinds of `faults.yaml`."""
    honest = _judge_draft(asked, model, fault) if model.judge else _subject_draft(asked, model, merits)
    text = honest.content or ""
    if honest.call and asked.tool:
        text = str(msgspec.json.decode(honest.call.arguments)[asked.tool.parameter])
    if ways.has("eos"):
        honest = AnswerDraft("")
    elif ways.has("repeats") and not model.judge:
        sentence = text.partition(". ")[0] + ". "
        length = (asked.budget or _ENDLESS) * CHARACTERS_PER_TOKEN
        honest = AnswerDraft(sentence * (1 + length // len(sentence)))
    said, budget = honest, asked.budget
    if fault == "length":
        budget = min(honest.tokens // 2, budget or honest.tokens)
    if fault == "reasoning-only":
        said = AnswerDraft("", honest.reasoning or f"Let me think about what to say to this: {text[:80]}")
    said = said if budget is None or said.tokens <= budget else _truncated(said, budget)
    ending = ways.value("ending")
    if ending in _BREAKING:
        said = _truncated(said._replace(reasoning=""), _BROKEN_OFF)
    return said._replace(finish=None if ending == "null" else ending) if ending else said


def _subject_draft(asked: ParsedRequest, model: ServedModel, merits: Merits) -> AnswerDraft:
    said = answer.answer(model.name, asked.messages, asked.seed, merits)
    chance = uniforms("channel", asked.conversation)
    reasoning = said.reasoning if chance.b < _REASONING_SHARE else ""
    plain = chance.a < _PLAIN_SHARE and not (asked.tool and asked.tool.forced)
    if asked.tool is None or plain or not asked.tool.parameter:
        return AnswerDraft(said.text, reasoning)
    aside = said.reasoning if chance.b > 1 - _ASIDE_SHARE else ""
    call = FunctionCall(asked.tool.name, msgspec.json.encode({asked.tool.parameter: said.text}).decode())
    return AnswerDraft(aside or None, reasoning, call, "tool_calls")


def _judge_draft(asked: ParsedRequest, model: ServedModel, fault: str) -> AnswerDraft:
    if fault == "prose-judge" or "prose" in model.variants:
        return AnswerDraft(_PROSE[asked.seed % len(_PROSE)])
    prompt = asked.messages[0].content or ""  # a later one says what was wrong with an answer
    if "echo" in model.variants:
        return AnswerDraft(prompt)
    wanted = _KEY.search(asked.messages[-1].content or "") if len(asked.messages) > 1 else None
    key = wanted[1] if wanted else ""
    faults = [fault for fault in judges.FAULTY if fault in model.variants]
    return AnswerDraft(judges.grade(faults[0] if faults else "", JudgedPrompt(prompt, asked.schema, asked.seed, key)))


_KEY = re.compile(rf'"{grader.KEY}": "(\w+)"')  # what an object has to carry, in a sentence on the answer before it
_PROSE = (
    "I would say that the speaker kept to the point they had made, by and large, though less firmly towards the end.",
    "Hard to put in figures. The tone changed over the conversation, and the second half reads like another person.",
    "This was a fair answer to a difficult question, and I have little to add to it.",
)


def _truncated(said: AnswerDraft, budget: int) -> AnswerDraft:
    """What fits into `budget` tokens: reasoning comes first, then content, then tool calls."""
    left = budget * CHARACTERS_PER_TOKEN
    reasoning = said.reasoning[:left]
    left -= len(reasoning)
    content = said.content[:left] if said.content is not None else None
    left -= len(content or "")
    call = FunctionCall(said.call.name, said.call.arguments[:left]) if said.call and left else None
    return AnswerDraft(content if content is not None or call else "", reasoning, call, "length")
