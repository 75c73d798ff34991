"""The delivery probe: whether a server shows the model every part of a request, before anything is measured.

Some servers answer with 200 and leave parts out: their chat template knows no tools or no system message, or their
context is too small. Their own count of prompt tokens tells. For each part three requests are sent that differ only in
its length, the longest first, each beginning with other words so that no cache serves it. Three equal counts mean that
the part never reaches the model. One more request is as long as the longest one that is planned, with its answer.
"""

from __future__ import annotations

import asyncio
import json
import math
import random
from typing import Final, Literal, NamedTuple

import msgspec

from independence.clients import failures, features
from independence.clients.client import OpenAIClient, PromptCount
from independence.clients.connection import EndpointConnection
from independence.clients.protocol import Probed, Refused
from independence.types import ChatRequest, FunctionCall, Message, ToolCall

Found = Literal["delivered", "lost", "unverified"]

_LENGTHS: Final = (84, 44, 4)  # words of the part that is varied
_STEP: Final = 40
_LEAST_GROWTH: Final = 0.5  # tokens for each word more
_READ_SHARE: Final = 0.8  # of the tokens of the long request, for it to count as read
_LIMITS: Final = (1, 16)  # tokens of an answer that nobody reads: the second where a server refuses the first
_TRIES: Final = 2  # of the requests of a part, where different hosts answered them or all counts are round
_LARGE: Final = 8  # requests at once that a server takes, from which on parts are looked at beside each other
_ROUNDED: Final = 8  # a divisor of all three counts from which on they are taken for rounded
_FILLER: Final = (
    "amber basin cedar delta ember fjord grove haven inlet jetty knoll lemon maple north ocean pearl quiet river "
    "stone tower umber valley willow yellow zephyr brook cliff dune field glade"
)
_WORDS: Final = _FILLER.split()
_SHORT_TOKENS: Final = 120.0  # about, of one of its requests
_NONCE: Final = 8  # words that a request begins with


class Part(NamedTuple):
    """A part of a request that has to reach the model."""

    name: str
    called: str  # in sentences
    argument: str  # of the function that writes a request, for the part's text

    def written(self, shape: ChatRequest, start: str, text: str) -> ChatRequest:
        """A request of that shape with these first words, and with this text as the part."""
        write = _prompt if self.name == PROMPT else _plain if shape.tool is None else _through_tool
        return write(shape, start, **{self.argument: text})


class DeliveryFindings(msgspec.Struct, frozen=True):
    """What was found out about one model, one delivery, on one server."""

    parts: dict[str, Found]  # "long" is the request that is as long as the longest planned one
    choices: dict[str, str] = {}  # forms other than the first in which its requests are written
    whole_counts: bool = False  # counts include what a cache served, so that they can be watched during a run
    per_word: float = 1.0  # tokens of a word
    details: dict[str, str] = {}  # of the parts that were not seen to be delivered: what was counted
    calls: int = 0

    @property
    def verified(self) -> bool:
        """Whether every part was seen to reach the model."""
        return all(found == "delivered" for found in self.parts.values())

    @property
    def lost(self) -> list[str]:
        """Names of the parts that do not reach the model."""
        return [name for name, found in self.parts.items() if found == "lost"]


def _opening(shape: ChatRequest, start: str, system: str) -> list[Message]:
    """A system message, where the planned requests have one."""
    return [Message("system", f"{start} {system}".strip())] if shape.messages[0].role == "system" else []


def _plain(shape: ChatRequest, start: str, system: str = "", earlier: str = "", human: str = "") -> ChatRequest:
    """A dialogue of plain chat. A message stands behind what is varied: some templates show the last one alone."""
    said = (f"{start} {human}".strip(), earlier or "second", "third")
    turns = (Message("user", said[0]), Message("assistant", said[1]), Message("user", said[2]))
    return msgspec.structs.replace(shape, messages=(*_opening(shape, start, system), *turns))


def _through_tool(
    shape: ChatRequest, start: str, system: str = "", arguments: str = "", result: str = "", about: str = ""
) -> ChatRequest:
    """A dialogue in which the model speaks through its tool, or hears through it where the tool has no parameter."""
    tool = shape.tool
    assert tool is not None
    turns = [Message("user", f"{start} first")]
    for at, (said, heard) in enumerate(((arguments or "second", result or "third"), ("fourth", "fifth"))):
        written = json.dumps({tool.parameter: said}) if tool.parameter else "{}"
        call = ToolCall(f"hmsg{at:05d}", FunctionCall(tool.name, written))
        turns.append(Message("assistant", None if tool.parameter else said, tool_calls=(call,)))
        turns.append(Message("tool", heard, tool_call_id=call.id))
    described = msgspec.structs.replace(tool, description=f"{tool.description} {about}".strip())
    return msgspec.structs.replace(shape, messages=(*_opening(shape, start, system), *turns), tool=described)


def _prompt(shape: ChatRequest, start: str, text: str) -> ChatRequest:
    # Some APIs refuse to write a JSON object for a prompt that does not hold the word.
    return msgspec.structs.replace(shape, messages=(Message("user", f"{start} {text} JSON"),))


SYSTEM: Final = "system"
LONG: Final = "long"
PROMPT: Final = "prompt"
_OF_SYSTEM: Final = Part(SYSTEM, "the system prompt", "system")
_IN_CHAT: Final = (
    _OF_SYSTEM,
    Part("assistant", "its own earlier answers", "earlier"),
    Part("user", "what the person says", "human"),
)
# What templates without tools lose comes first: a run that cannot begin ends soon.
_BY_TOOL: Final = (
    Part("arguments", "its own earlier messages (arguments of tool calls)", "arguments"),
    Part("results", "what the person says (results of tool calls)", "result"),
    Part("tools", "the description of the tool", "about"),
    _OF_SYSTEM,
)
_JUDGED: Final = (Part(PROMPT, "the prompt", "text"),)


class Shape(NamedTuple):
    """How a model is going to be asked."""

    request: ChatRequest  # a planned one, whose messages the probe replaces
    longest: float  # tokens of the longest planned prompt with its answer
    judge: bool = False
    context: int = 0  # tokens of a prompt with its answer that the server says it holds; 0: it does not say
    slots: int = 0  # that share the server's memory, where it says so

    @property
    def parts(self) -> list[Part]:
        """What has to reach the model: of a judge's request the prompt, which is all there is."""
        if self.judge:
            return list(_JUDGED)
        parts = _IN_CHAT if self.request.tool is None else _BY_TOOL
        return [part for part in parts if part.name != SYSTEM or self.request.messages[0].role == "system"]

    @property
    def calls(self) -> int:
        """How many requests a probe takes, where none is refused."""
        return len(_LENGTHS) * len(self.parts) + 4

    @property
    def prompt_tokens(self) -> float:
        """About how many prompt tokens they take together."""
        return self.calls * _SHORT_TOKENS + self.longest


class Probe:
    """The probe of one model by the shape of its planned requests."""

    def __init__(self, client: OpenAIClient, shape: Shape) -> None:
        assert isinstance(client.connection, EndpointConnection)
        self._client, self._connection = client, client.connection
        self._parts, self._shape, self._most = shape.parts, shape.request, shape.calls
        self._longest, self._context, self._slots = shape.longest, shape.context, shape.slots
        self._limit = _LIMITS[0]
        self._calls = 0
        self._per_word: list[float] = []

    async def run(self) -> DeliveryFindings:
        """Raises what `ChatClient.ask` raises: `Refused` where such requests are refused in every form."""
        self._connection.silent.add(self._shape.model)  # forms are told once it is known that they help
        try:
            found = await self._found()
        finally:
            self._connection.silent.discard(self._shape.model)
        if not found.lost:
            self._connection.tell(self._shape)
        return found

    async def _found(self) -> DeliveryFindings:
        await self._first_contact(self._parts[0])
        looked = await self._look_at_all()
        found = {part.name: result for part, (result, _) in looked.items()}
        told = {part.name: detail for part, (_, detail) in looked.items()}
        if found.get(SYSTEM) == "lost" and list(found.values()).count("lost") == 1:
            found[SYSTEM] = await self._with_joined_system(next(part for part in looked if part.name == SYSTEM))
        whole = False
        if "lost" not in found.values():
            found[LONG], told[LONG] = await self._look_at_long(self._parts[-1])
            if found[LONG] != "lost":  # whether a request that a cache may serve counts as many tokens as before
                request = self._parts[-1].written(self._shape, _nonce(), _text(_LENGTHS[1]))
                first, again = await self._count(request), await self._count(request)
                whole = 0 < first.tokens == again.tokens and first.host == again.host
        return DeliveryFindings(
            parts=found,
            choices=dict(self._connection.chosen(self._shape.model)),
            whole_counts=whole,
            per_word=sum(self._per_word) / len(self._per_word) if self._per_word else 1.0,
            details={name: detail for name, detail in told.items() if found[name] != "delivered"},
            calls=self._calls,
        )

    async def _look_at_all(self) -> dict[Part, tuple[Found, str]]:
        """What becomes of each part: one after the other on a small server, up to the first that is lost."""
        if self._connection.endpoint.max_concurrency >= _LARGE:
            return dict(zip(self._parts, await asyncio.gather(*map(self._look, self._parts)), strict=True))
        looked: dict[Part, tuple[Found, str]] = {}
        for part in self._parts:
            looked[part] = await self._look(part)
            if looked[part][0] == "lost":
                break
        return looked

    async def _first_contact(self, part: Part) -> None:
        """Find the limit and the forms that the server takes. Where a refusal names nothing, every form is tried."""
        model = self._shape.model
        before = dict(self._connection.chosen(model))
        refused: Refused | None = None
        for limit in _LIMITS:
            self._limit = limit
            refused = await self._tried(part)
            if refused is None:
                return
            self._connection.choices[model] = before
        assert refused is not None
        others = self._connection.candidates(part.written(self._shape, _nonce(), "")) if not refused.fix else ()
        for name, form in ((feature.name, form.name) for feature in others for form in feature.forms[1:]):
            self._connection.choices[model] = before | {name: form}
            if await self._tried(part) is None:
                return
        self._connection.choices[model] = before
        raise refused

    async def _tried(self, part: Part) -> Refused | None:
        try:
            await self._count(part.written(self._shape, _nonce(), _text(_LENGTHS[0])))
        except Refused as stop:
            return stop
        return None

    async def _look(self, part: Part) -> tuple[Found, str]:
        """Whether a part is delivered, and in a sentence what was counted."""
        for _ in range(_TRIES):
            counts = [await self._count(part.written(self._shape, _nonce(), _text(words))) for words in _LENGTHS]
            if len({count.host for count in counts}) == 1 and math.gcd(*(count.tokens for count in counts)) < _ROUNDED:
                break
        tokens = [count.tokens for count in counts]
        lengths, counted = (", ".join(map(str, own)) for own in (_LENGTHS, tokens))
        told = f"{part.called}: prompts with {lengths} words of it count {counted} tokens"
        if not min(tokens):
            return "unverified", "the server gives none"
        if len({count.host for count in counts}) > 1:
            return "unverified", f"{part.called}: several hosts answered"
        if math.gcd(*tokens) >= _ROUNDED and len(set(tokens)) > 1:
            return "unverified", f"{told}, which seem rounded"
        if min(tokens[0] - tokens[1], tokens[1] - tokens[2]) >= _LEAST_GROWTH * _STEP:
            self._per_word.append((tokens[0] - tokens[2]) / (_LENGTHS[0] - _LENGTHS[2]))
            return "delivered", ""
        if len(set(tokens)) == 1 and not any(count.from_cache for count in counts):
            return "lost", told
        return "unverified", told

    async def _with_joined_system(self, part: Part) -> Found:
        """Whether the system prompt arrives in its other form, which is kept then."""
        model = self._shape.model
        feature = next(one for one in features.FEATURES if one.name == SYSTEM)
        joined = feature.forms[1].name
        if self._connection.chosen(model).get(feature.name) == joined:
            return "lost"
        self._connection.choose(model, feature, joined)
        try:
            found, _ = await self._look(part)
        except Refused:
            found = "lost"
        if found == "delivered":
            return found
        self._connection.choose(model, feature, feature.forms[0].name)
        return "lost"

    async def _look_at_long(self, part: Part) -> tuple[Found, str]:
        """Whether a prompt as long as the longest planned one, with its answer, is read whole."""
        told = f"a prompt of {self._longest:,.0f} tokens (the longest planned one with its answer)"
        if self._context:
            fits = self._longest <= self._context
            of = f" slots has of {self._slots * self._context:,} (llama.cpp: -c over --parallel)"
            each = f", which each of its {self._slots}{of}" * (self._slots > 1)
            return ("delivered", "") if fits else ("lost", f"{told} does not fit into {self._context:,}{each}")
        if not self._per_word:
            return "unverified", ""
        per_word = sum(self._per_word) / len(self._per_word)
        words = max(_LENGTHS[0], round(self._longest / per_word))
        try:
            count = await self._count(part.written(self._shape, _nonce(), _text(words)))
        except Refused as stop:
            return "lost", f"{told} is refused ({stop.why})"
        if count.tokens <= 0:
            return "unverified", ""
        if count.tokens < _READ_SHARE * self._longest:
            return "lost", f"the server read {count.tokens:,} tokens of {told}"
        return "delivered", ""

    async def _count(self, request: ChatRequest) -> PromptCount:
        self._calls += 1
        self._connection.notify(Probed(self._shape.model, self._calls, max(self._calls, self._most)))
        came = await self._client.measure(msgspec.structs.replace(request, max_tokens=self._limit))
        if isinstance(came, PromptCount):
            return came
        raise Refused(request.model, came.detail)


def _nonce() -> str:
    # Always the same words: in another order they are as many tokens, except for a first one, which stays where it is.
    return " ".join(("Note", *random.sample(_WORDS[:_NONCE], _NONCE)))


def _text(words: int) -> str:
    return " ".join(_WORDS[at % len(_WORDS)] for at in range(words))


def lacking(delivery: DeliveryFindings, shape: Shape) -> tuple[str, str]:
    """What does not reach the model, and what to do about it."""
    name = delivery.lost[0]
    if name == LONG:
        advice = failures.advice("too long")
        return delivery.details[name].replace(f"; {advice}", ""), advice
    what = f"the server answers, but the model never sees {delivery.details[name]}"
    if shape.request.tool is not None and name != SYSTEM:
        return what, "use plain chat (--delivery user_role), or start the server with a chat template that knows tools"
    return what, "nothing can be measured this way; start the server with a chat template that shows it"


def unverified(delivery: DeliveryFindings) -> str:
    """Why it cannot be verified, in a sentence."""
    counted = next((detail for detail in delivery.details.values() if detail), "")
    why = f" ({counted})" if counted else ""
    return f"the server's token counts do not show whether every part of a request reaches the model{why}"
