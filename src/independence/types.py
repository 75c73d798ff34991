"""Frozen values that cross rooms. Chat messages mirror the OpenAI wire format, so they encode as they are."""

from __future__ import annotations

import reprlib
import textwrap
from collections.abc import Callable, Iterable
from typing import Any, Final, Literal, NamedTuple, TypeVar

import msgspec

K = TypeVar("K")
T = TypeVar("T")
Role = Literal["system", "user", "assistant", "tool"]
Scalar = int | float | bool
Ends = tuple[float, float]  # of a range: low, high
MissingReason = Literal[
    "no_answer",  # reasoning only or nothing, after its retries
    "transport",  # a broken transport artefact came instead of an answer
    "blocked",  # moderation or a guardrail refused the request
    "too_long",  # the prompt and its answer do not fit into the model's context
    "prompt_cut",  # the server cut the prompt: less was read than was sent
    "altered",  # the router changed the prompt (compression, guardrail): not the question we asked
    "parent_missing",  # the dialogue it continues has no answer
    "unreadable_verdict",  # the judge never gave a complete, valid verdict
    "unjudged",  # a reply is stored but no verdict is
    "other_model",  # given by another model, like more than a tenth of the subject's answers
    "stale",  # given on a history that has since been replaced
    "not_run",  # planned, nothing stored
    "refused",  # declined where a choice or a self was asked for; the rule judge grades no such reply
    "no_cue",  # the rules have none for this rubric
    "both_named",  # the rules find both names where one was to be taken
    "unsure",  # the rules cannot tell
]
# About a request, whoever is asked: a verdict is missing for the same reason where it befell the judge's.
OF_REQUESTS: Final[tuple[MissingReason, ...]] = ("blocked", "altered", "too_long", "prompt_cut")
UNGIVEN: Final[tuple[MissingReason, ...]] = ("unreadable_verdict", *OF_REQUESTS)  # why a model gave no verdict


REPR_LINES, REPR_COLUMNS = 10, 100  # that a `repr` takes at most


def brief(record: msgspec.Struct) -> str:
    """`repr` of a record that may hold whole dialogues: some lines, of each field as much as says what it is."""
    fields = ((name, getattr(record, name)) for name in record.__struct_fields__)
    told = [f"{name}={reprlib.repr(value)}" for name, value in fields if value is not None and value != ()]
    lines = textwrap.wrap(f"{type(record).__name__}({', '.join(told)})", REPR_COLUMNS, subsequent_indent="  ")
    return "\n".join(lines[:REPR_LINES] if len(lines) <= REPR_LINES else [*lines[: REPR_LINES - 1], "  ...)"])


def grouped(items: Iterable[T], by: Callable[[T], K]) -> dict[K, list[T]]:
    """Items by a key, in the order in which the keys first come."""
    groups: dict[K, list[T]] = {}
    for item in items:
        groups.setdefault(by(item), []).append(item)
    return groups


class Condition(NamedTuple):
    """System prompt variant x delivery mode."""

    variant: str
    mode: str

    def __str__(self) -> str:
        return f"{self.variant}/{self.mode}"


class Where(NamedTuple):
    """Which part of a store is meant: one edition of a suite, under one condition or under all of them."""

    suite: str
    edition: str
    condition: Condition | None = None  # None: every condition of the edition

    @property
    def edition_name(self) -> str:
        """`suite@edition`."""
        return f"{self.suite}@{self.edition}"

    def under(self, condition: Condition | None) -> Where:
        """This edition under another condition, or under all."""
        return self._replace(condition=condition)

    @property
    def columns(self) -> tuple[str, str, str, str]:
        """(suite, edition, variant, mode), as the tables of a store have them; there must be a condition."""
        assert self.condition is not None
        return (self.suite, self.edition, *self.condition)


class FunctionCall(msgspec.Struct, frozen=True):
    """The function half of a tool call; `arguments` is JSON text as the model wrote it."""

    name: str
    arguments: str


CallExtra = dict[str, Any]  # JSON that some models want back with a tool call, such as a signature


class ToolCall(msgspec.Struct, frozen=True):
    """One tool call on the wire."""

    id: str
    function: FunctionCall
    type: Literal["function"] = "function"
    extra_content: CallExtra | msgspec.UnsetType = msgspec.UNSET


class _MessageCore(msgspec.Struct, frozen=True):
    role: Role
    content: str | None


class Message(_MessageCore, frozen=True, omit_defaults=True):
    """One chat message on the wire. `content` is always encoded, null included."""

    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None


class Tool(msgspec.Struct, frozen=True):
    """A tool offered with every request of a `tool_role` dialogue. `parameter` carries the message; empty: none."""

    name: str
    description: str
    parameter: str
    parameter_description: str
    lists_none: bool = False  # without a parameter: an empty list of required ones is sent


class Sampling(msgspec.Struct, frozen=True):
    """The settings a model is asked with. None: nothing is sent; in flags: as the configuration has it."""

    temperature: float | None = None  # 0-2
    effort: str | None = None  # reasoning effort
    provider: str | None = None  # the only provider that may answer
    max_tokens: int | None = None  # of an answer, reasoning included; None: as many as the suite allows
    extra_body: str | None = None  # a JSON object, its keys sorted: what else a request holds

    def over(self, below: Sampling) -> Sampling:
        """These settings, and what they leave open as `below` has it."""
        return msgspec.structs.replace(
            below, **{k: v for k, v in msgspec.structs.asdict(self).items() if v is not None}
        )

    @property
    def keyed(self) -> dict[str, float | str | None]:
        """What of it identifies a trial. Settings that came later count only where they are set: old keys stay."""
        return {k: v for k, v in msgspec.structs.asdict(self).items() if v is not None or k in _ALWAYS_KEYED}


_ALWAYS_KEYED = ("temperature", "effort", "provider")


class ChatRequest(msgspec.Struct, frozen=True):
    """What a client is asked to send; dialects turn it into a body."""

    model: str  # id as the endpoint knows it
    messages: tuple[Message, ...]
    max_tokens: int
    sampling: Sampling = Sampling()
    tool: Tool | None = None
    schema: dict[str, Any] | None = None  # JSON schema the reply must follow, where the endpoint supports it
    seed: int | None = None  # 0..2**31-1
    dialogue: str = ""  # the key of its trial, for who keeps a state between turns; sent to no server


class Usage(msgspec.Struct, frozen=True):
    """Tokens and dollars of one attempt, or the sum over attempts."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    cached_tokens: int = 0
    cost_usd: float = 0.0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
            self.cached_tokens + other.cached_tokens,
            self.cost_usd + other.cost_usd,
        )


class Attempt(msgspec.Struct, frozen=True):
    """One request that left this machine and what became of it."""

    outcome: str  # "ok", a transient kind such as "429", "timeout", or a reply kind that was asked again
    seconds: float
    usage: Usage = Usage()
    unknown_usd: float = 0.0  # reserved cost of an attempt whose real cost never came back
    detail: str = ""


class ReplyFields(msgspec.Struct, frozen=True):
    """What is known of an answer, in a run and in a stored dialogue."""

    text: str = ""  # what is judged
    channel: Literal["tool", "content"] | None = None  # None: nothing came
    raw: str = ""  # what came, kept whenever cleaning changed it
    thinking: str = ""  # private content next to a tool message; replayed in later turns
    reasoning: str = ""  # native reasoning; never replayed
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: str | None = None
    flags: tuple[str, ...] = ()
    usage: Usage = Usage()  # summed over attempts
    served_model: str = ""
    served_provider: str = ""
    response_id: str = ""
    attempts: tuple[Attempt, ...] = ()


class Reply(ReplyFields, frozen=True):
    """An answer."""

    @property
    def seconds(self) -> float:
        """Time spent in attempts, backoff excluded."""
        return sum(a.seconds for a in self.attempts)


class Missing(msgspec.Struct, frozen=True):
    """Nothing usable came, and why. May lower coverage; can never raise a score."""

    reason: MissingReason
    detail: str = ""
    raw: str = ""
    attempts: tuple[Attempt, ...] = ()

    @property
    def usage(self) -> Usage:
        """Usage of all attempts together."""
        return sum((a.usage for a in self.attempts), Usage())


class VerdictFields(msgspec.Struct, frozen=True):
    """What is known of a verdict, in a run and in a stored dialogue."""

    values: dict[str, Scalar] = {}  # by field of the rubric, on the rubric's own scale
    reasoning: str = ""
    raw: str = ""
    usage: Usage = Usage()
    attempts: tuple[Attempt, ...] = ()
    quote: str | None = None  # the passage that the judge went by; None: the rubric asks for none
    quote_found: bool | None = None  # whether the subject's answers hold it


class Verdict(VerdictFields, frozen=True):
    """A complete, typed, in-range verdict."""


class TakenName(msgspec.Struct, frozen=True):
    """A name that a subject took, and the scenarios in which it did."""

    name: str
    sources: tuple[str, ...]


Answer = Reply | Missing
Grade = Verdict | Missing


class TranscriptTurn(NamedTuple):
    """One exchange of a finished dialogue."""

    human: str
    answer: str
    scripted: bool  # the answer was written by us, not by the subject
    turn_id: str = ""
