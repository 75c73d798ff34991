"""Documents of texts: what was sent, answered and judged. Part of `schema`; every field is plain text, never markup.

Turns, verdicts and steps are those of a stored dialogue, with what a page needs beside them.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from independence.report.sections.passages import QuotedSpan
from independence.store.dialogues import JudgeStep, StoredReply, StoredVerdict


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


class TurnDocument(StoredReply, frozen=True, kw_only=True, omit_defaults=True):
    """One generated turn with its current answer. What is empty did not come."""

    turn_id: str
    sent: tuple[int | str | SentMessage, ...] | None = None  # where it was not asked as the script of its turn says
    versions: int = 1  # answers that were stored; the newest is shown


class VerdictDocument(StoredVerdict, frozen=True, kw_only=True, omit_defaults=True):
    """One judge's verdict. `rubric`: see `graded`; `raw`: what a judge wrote where no verdict could be read."""

    spans: tuple[QuotedSpan, ...] = ()  # where what it quotes stands in the answers; nothing of what does not


class FailureDocument(msgspec.Struct, frozen=True):
    """A call that could not be settled: for a turn, or of a judge."""

    what: str
    kind: str
    detail: str
    cost_usd: float
    failed_at: str


class DialogueDocument(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One dialogue with all its answers and verdicts. Missing turns were not answered yet."""

    subject: str  # slug
    scenario: str
    run: int
    turns: tuple[TurnDocument, ...] = ()
    verdicts: tuple[VerdictDocument, ...] = ()
    steps: tuple[JudgeStep, ...] = ()
    failures: tuple[FailureDocument, ...] = ()
    item: str = ""  # by which people's ratings name it: the first 16 digits of its digest; empty while it is unfinished


class BlockDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`text/UNIT/BUCKET.TENS.json`: the dialogues of one unit with the subjects of one bucket, ten runs."""

    schema: int
    dialogues: tuple[DialogueDocument, ...]
