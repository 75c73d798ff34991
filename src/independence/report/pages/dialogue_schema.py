"""Documents of texts: what was sent, answered and judged. Part of `schema`; every field is plain text, never markup."""

from __future__ import annotations

from typing import Literal

import msgspec

from independence.report.sections.passages import QuotedSpan
from independence.types import Scalar


class SentMessage(msgspec.Struct, frozen=True, omit_defaults=True):
    """A message of a request. `call`: it was sent as the argument of a call of that tool."""

    role: str
    text: str
    call: str = ""


class ScaleField(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One field of a rubric."""

    name: str
    type: Literal["integer", "number", "boolean"]
    about: str = ""
    low: float | None = None
    high: float | None = None


class RubricStep(msgspec.Struct, frozen=True):
    """What a judge writes before it grades, and by which prompt."""

    name: str
    prompt: str


class RubricText(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A rubric. Where it is not `known`, nobody has its words, and fields are names and ranges alone."""

    scenarios: tuple[str, ...]
    known: bool
    fields: tuple[ScaleField, ...]
    prompt: str = ""
    steps: tuple[RubricStep, ...] = ()
    quote: str = ""


class OfferedToolText(msgspec.Struct, frozen=True):
    """The tool that every request of the board offers."""

    name: str
    description: str
    parameter: str
    parameter_description: str


class TextsDocument(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`texts.json`: every message that was sent to several subjects once, and what each turn was asked on.

    A script is a list of messages: a number means one of `messages`, a text the subject's own answer of that turn.
    """

    schema: int
    about: str
    ours: bool  # false: an import of unknown words; no texts are shown in their place
    messages: tuple[SentMessage, ...]
    scripts: dict[str, tuple[int | str, ...]]  # SCENARIO/TURN ->
    rubrics: dict[str, RubricText] = {}
    graded: dict[str, str] = {}  # the `rubric` of a verdict -> of `rubrics`; one that is not here is not known
    experiments: dict[str, str] = {}
    tool: OfferedToolText | None = None


class AttemptDocument(msgspec.Struct, frozen=True):
    """One request of a call and what became of it."""

    outcome: str
    seconds: float
    usd: float


class TurnDocument(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One generated turn. What is empty did not come."""

    id: str
    text: str = ""
    thinking: str = ""  # private words beside a tool message
    reasoning: str = ""  # native reasoning
    raw: str = ""  # as it came, where cleaning changed it
    missing: str = ""  # why there is no usable answer
    detail: str = ""  # the same in a sentence
    stale: bool = False  # given on a history that has been replaced since
    flags: tuple[str, ...] = ()
    channel: str = ""
    finish: str = ""
    model: str = ""  # that served it
    provider: str = ""
    response: str = ""  # the id that the provider gave
    tokens: tuple[int, int, int] = (0, 0, 0)  # prompt, completion, reasoning
    usd: float = 0.0
    seconds: float = 0.0
    at: str = ""  # ISO 8601
    attempts: tuple[AttemptDocument, ...] = ()  # where there was more than one, or it failed
    sent: tuple[int | str | SentMessage, ...] | None = None  # where it was not asked as the script of its turn says
    versions: int = 1  # answers that were stored; the newest is shown


class VerdictDocument(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One judge's verdict."""

    judge: str
    rubric: str  # see `graded`
    values: dict[str, Scalar] = {}
    missing: str = ""
    detail: str = ""  # why it is missing, in a sentence
    reasoning: str = ""
    raw: str = ""  # what a judge wrote where no verdict could be read
    outdated: bool = False  # on another dialogue or rubric; not counted any more
    number: int = 1  # pass
    usd: float = 0.0
    at: str = ""
    quote: str | None = None
    quote_found: bool | None = None
    spans: tuple[QuotedSpan, ...] = ()  # where what it quotes stands in the answers; nothing of what does not


class StepDocument(msgspec.Struct, frozen=True):
    """What a judge wrote before it graded."""

    judge: str
    step: str
    text: str


class FailureDocument(msgspec.Struct, frozen=True):
    """A call that could not be settled: for a turn, or of a judge."""

    what: str
    kind: str
    detail: str
    usd: float
    at: str


class DialogueDocument(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One dialogue with all its answers and verdicts. Missing turns were not answered yet."""

    subject: str  # slug
    scenario: str
    run: int
    turns: tuple[TurnDocument, ...] = ()
    verdicts: tuple[VerdictDocument, ...] = ()
    steps: tuple[StepDocument, ...] = ()
    failures: tuple[FailureDocument, ...] = ()
    item: str = ""  # by which people's ratings name it: the first 16 digits of its digest; empty while it is unfinished


class BlockDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`text/UNIT/BUCKET.TENS.json`: the dialogues of one unit with the subjects of one bucket, ten runs."""

    schema: int
    dialogues: tuple[DialogueDocument, ...]
