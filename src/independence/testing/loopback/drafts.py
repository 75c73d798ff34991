"""What is answered, before it becomes bytes: text, reasoning, tool calls, and the ways an answer can be off."""

from __future__ import annotations

import math
from typing import NamedTuple

import msgspec

from independence.testing.loopback.catalogue import ServedModel
from independence.testing.loopback.faults import groups
from independence.testing.loopback.ways import NO_WAYS, Ways, respelled
from independence.testing.loopback.wire import CHARACTERS_PER_TOKEN, OfferedTool, ParsedRequest, tokens, uniforms
from independence.testing.sim import answer, grader, judges
from independence.testing.sim.judges import JudgedPrompt
from independence.testing.sim.parties import NOTHING_KNOWN, Merits
from independence.testing.sim.situation import spoken

_PLAIN_SHARE = 0.10  # of replies that skip the offered tool
_REASONING_SHARE = 0.4  # of replies that show their reasoning
_ASIDE_SHARE = 0.1  # of replies through the tool that think aloud in content beside it
_BROKEN_OFF = 10  # tokens that come before an ending of the server's
_ENDLESS = 4096  # tokens of an answer without end, where nothing bounds it
_BREAKING = ("error", "content_filter")


class DraftToolCall(NamedTuple):
    """A tool call; `arguments` is JSON text, unless a fault made it something else."""

    name: str
    arguments: str


class AnswerDraft(NamedTuple):
    """An answer."""

    content: str | None
    reasoning: str = ""
    calls: tuple[DraftToolCall, ...] = ()
    finish: str | None = "stop"

    @property
    def tokens(self) -> int:
        """Completion tokens, reasoning included: a token is four characters."""
        return tokens(len(self.content or "") + len(self.reasoning) + sum(len(call.arguments) for call in self.calls))


def draft(
    asked: ParsedRequest, model: ServedModel, fault: str, merits: Merits = NOTHING_KNOWN, ways: Ways = NO_WAYS
) -> AnswerDraft:
    """The answer to a request, off in the way `fault` names if that is one of the `reply` kinds of `faults.yaml`."""
    honest = _judge_draft(asked, model, fault) if model.judge else _subject_draft(asked, model, merits)
    honest = _in_ways(ways, honest, asked, model) if ways.items else honest
    said = _off(fault, honest, asked) if fault in groups()["reply"] else honest
    budget = asked.budget
    if fault == "length":
        budget = min(honest.tokens // 2, budget or honest.tokens)
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
    return AnswerDraft(aside or None, reasoning, (_call(asked.tool, said.text),), "tool_calls")


def _call(tool: OfferedTool, text: str) -> DraftToolCall:
    return DraftToolCall(tool.name, msgspec.json.encode({tool.parameter: text}).decode())


def _judge_draft(asked: ParsedRequest, model: ServedModel, fault: str) -> AnswerDraft:
    if fault == "prose-judge" or "prose" in model.variants:
        return AnswerDraft(_PROSE[asked.seed % len(_PROSE)])
    prompt = asked.messages[0].content or ""  # a later one says what was wrong with an answer
    if "echo" in model.variants:
        return AnswerDraft(prompt)
    if "copying" in model.variants:
        return AnswerDraft(grader.grade_by_copying(prompt, asked.schema, asked.seed))
    faults = [fault for fault in judges.FAULTY if fault in model.variants]
    return AnswerDraft(judges.grade(faults[0] if faults else "", JudgedPrompt(prompt, asked.schema, asked.seed)))


_PROSE = (
    "I would say that the speaker kept to the point they had made, by and large, though less firmly towards the end.",
    "Hard to put in figures. The tone changed over the conversation, and the second half reads like another person.",
    "This was a fair answer to a difficult question, and I have little to add to it.",
)


def _in_ways(ways: Ways, said: AnswerDraft, asked: ParsedRequest, model: ServedModel) -> AnswerDraft:
    """The draft as a server of these ways lets it through."""
    text = _text(said, asked)
    if ways.has("eos"):
        return AnswerDraft("")
    if ways.has("repeats") and not model.judge:
        sentence = text.partition(". ")[0] + ". "
        budget = (asked.budget or _ENDLESS) * CHARACTERS_PER_TOKEN
        said = AnswerDraft(sentence * (1 + budget // len(sentence)))
    if ways.has("harmony"):
        thoughts = said.reasoning or f"They say: {asked.question[:60]} I answer that."
        said = AnswerDraft(f"analysis{thoughts}assistantfinal{text}")
    if model.judge and ways.has("spelling"):
        said = AnswerDraft(respelled(text, ways.value("spelling")))
    return said


def _text(said: AnswerDraft, asked: ParsedRequest) -> str:
    """What is said, through the tool or in content."""
    if said.calls and asked.tool:
        return str(msgspec.json.decode(said.calls[0].arguments)[asked.tool.parameter])
    return said.content or ""


def _off(fault: str, said: AnswerDraft, asked: ParsedRequest) -> AnswerDraft:
    """The draft with what is wrong with it by a fault; as it is where the fault does not concern the answer."""
    text = _text(said, asked)
    if fault == "reasoning-only":
        return AnswerDraft("", said.reasoning or f"Let me think about what to say to this: {text[:80]}")
    if fault == "lone":
        return AnswerDraft("}")
    if fault == "template-tokens":
        return AnswerDraft(f"<|channel|>{text}</tool_call>", said.reasoning)
    if fault == "echo":
        said_before = (spoken(message) for message in asked.messages if message.role == "assistant")
        greeting = next(filter(None, said_before), "Hello.")
        if asked.tool and said.calls:
            return AnswerDraft(None, "", (_call(asked.tool, greeting),), "tool_calls")
        return AnswerDraft(greeting)
    if asked.tool is None or fault not in ("cut-arguments", "list-arguments", "two-calls"):
        return said
    whole, words = _call(asked.tool, text).arguments, text.split(" ")
    middle = math.ceil(len(words) / 2)
    calls: tuple[DraftToolCall, ...] = (
        _call(asked.tool, " ".join(words[:middle])), _call(asked.tool, " ".join(words[middle:])),
    )  # fmt: skip
    if fault == "cut-arguments":
        calls = (DraftToolCall(asked.tool.name, whole[: max(len(whole) // 2, 2)]),)
    if fault == "list-arguments":
        calls = (DraftToolCall(asked.tool.name, msgspec.json.encode([text]).decode()),)
    return AnswerDraft(None, said.reasoning, calls, "tool_calls")


def _truncated(said: AnswerDraft, budget: int) -> AnswerDraft:
    """What fits into `budget` tokens: reasoning comes first, then content, then tool calls."""
    left = budget * CHARACTERS_PER_TOKEN
    reasoning = said.reasoning[:left]
    left -= len(reasoning)
    content = said.content[:left] if said.content is not None else None
    left -= len(content or "")
    calls = tuple(DraftToolCall(call.name, call.arguments[:left]) for call in said.calls[:1]) if left else ()
    if content is None and not calls:
        content = ""
    return AnswerDraft(content, reasoning, calls, "length")
