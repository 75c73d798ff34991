"""One dialogue as it was, as a value and as passages of text for the terminal, Markdown and notebooks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

import msgspec

from independence.report.files import html, legend
from independence.store.records import WITHOUT_WORDS
from independence.types import Attempt, Scalar, brief

Origin = Literal["system", "human", "scripted", "generated", "protocol"]
_SPEAKERS = {
    "system": "System prompt",
    "human": "Human",
    "scripted": "Subject, scripted by the suite",
    "generated": "Subject, an earlier answer as it was replayed",
    "protocol": "Subject",
}


class TrajectoryMessage(msgspec.Struct, frozen=True):
    """One message of a request. `call` is the tool call as sent: the words in it are its `text`."""

    role: str
    origin: Origin  # scripted: written by the suite's authors. generated: an answer of this subject, replayed
    text: str
    call: str | None = None  # name of the tool that was called
    call_id: str | None = None
    arguments: str | None = None  # JSON text as sent
    private: str = ""  # content beside a tool call, as it was replayed


class TrajectoryAnswer(msgspec.Struct, frozen=True):
    """What came back; `missing` says why nothing usable did."""

    text: str
    missing: str | None
    flags: tuple[str, ...]
    thinking: str  # private content beside a tool message
    reasoning: str  # native reasoning
    raw: str  # what came, where cleaning changed it
    channel: str | None
    finish_reason: str | None
    served_model: str
    served_provider: str
    prompt_tokens: int
    completion_tokens: int
    reasoning_tokens: int
    cost_usd: float
    seconds: float
    answered_at: str
    attempts: tuple[Attempt, ...]
    detail: str  # why nothing usable did, in a sentence


class TrajectoryTurn(msgspec.Struct, frozen=True, kw_only=True):
    """One request and its answer. `new` is what the request adds to the one before and its answer."""

    turn: int  # from 1
    turn_id: str
    request: msgspec.Raw  # the messages, as sent
    new: tuple[TrajectoryMessage, ...]
    anew: bool  # the request does not go on from the one before: `new` is all of it
    answer: TrajectoryAnswer


class TrajectoryVerdict(msgspec.Struct, frozen=True):
    """One judge's verdict."""

    judge: str
    current: bool  # on the dialogue and the rubric as they are now
    missing: str | None
    values: dict[str, Scalar]
    reasoning: str
    raw: str
    cost_usd: float
    judged_at: str
    quote: str | None = None  # the passage that the judge went by, where its rubric asks for one
    quote_found: bool | None = None  # whether it is in the replies
    detail: str = ""  # why it is missing, in a sentence


class TrajectorySubject(msgspec.Struct, frozen=True):
    """Who answered."""

    config: str
    label: str
    model_id: str
    simulated: bool


class Trajectory(msgspec.Struct, frozen=True, kw_only=True):
    """A dialogue with all its requests, answers and verdicts."""

    suite: str
    edition: str
    condition: str
    imported: bool
    subject: TrajectorySubject
    experiment: str
    scenario: str
    title: str | None  # None for imports of unknown wording
    run: int
    trial: str
    continues: str | None  # the scenario whose dialogue comes first
    tool: dict[str, str] | None  # as offered with every request; None for imports, which do not say, and without one
    scales: dict[str, tuple[float, float]] = {}  # field of a verdict -> the ends of its scale; not of a yes or no
    delivery: str = ""  # what the delivery probe found before it was asked, in a sentence; empty: there was none
    turns: tuple[TrajectoryTurn, ...]
    verdicts: tuple[TrajectoryVerdict, ...]

    __repr__ = brief

    def _repr_html_(self) -> str:
        """The dialogue for a notebook, all of it escaped."""
        return html.passages((block.head, block.about, block.text, block.level) for block in blocks(self))


class TextBlock(NamedTuple):
    """A passage under a heading. `about` are our remarks, `text` is what a person or a model wrote."""

    head: str
    about: str = ""
    text: str = ""
    level: int = 3  # of its heading


def blocks(one: Trajectory) -> Iterator[TextBlock]:
    """Everything, in the order in which it happened."""
    yield _head(one)
    if _wordless(one):
        yield TextBlock("No words", legend.texts("marks")[WITHOUT_WORDS], level=2)
    for turn in () if _wordless(one) else one.turns:
        yield from _turn(turn)
    if not one.turns:
        yield TextBlock("Nothing was answered", "the dialogue is planned and not asked yet", level=2)
    for verdict in one.verdicts:
        values = ", ".join(
            f"{name} {_spelled(value)}{_scale(one.scales.get(name))}" for name, value in verdict.values.items()
        )
        result = _missing(verdict) if verdict.missing else values
        stale = "" if verdict.current else "for another dialogue or rubric; not counted any more"
        misquoted = "the quotation is not in the replies" if verdict.quote_found is False else ""
        said = verdict.reasoning or (verdict.raw if verdict.missing else "")
        text = f"“{verdict.quote}”\n{said}" if verdict.quote else said
        facts = "\n".join(filter(None, (result, misquoted, stale)))
        yield TextBlock(f"Verdict by {verdict.judge}", facts, text, level=2)
    if not one.verdicts:
        gap = any(turn.answer.missing for turn in one.turns)
        why = "there is no answer to grade" if gap else "`independence judge` grades stored replies"
        yield TextBlock("No verdict", why, level=2)


def _head(one: Trajectory) -> TextBlock:
    title = f" ({one.title})" if one.title else ""
    simulated = ", simulated" if one.subject.simulated else ""
    words = "" if _wordless(one) else ", in the words that were sent then"
    imported = f"; imported{words}" if one.imported else ""
    lines = [f"{one.suite}@{one.edition}, {one.condition}{imported}"]
    if one.continues:
        lines.append(f"continues the dialogue of `{one.continues}`, which is part of every request")
    if one.tool:
        lines.append(f"every request offers the tool `{one.tool['name']}`: {one.tool['description']}")
    if one.delivery:
        lines.append(one.delivery)
    return TextBlock(f"{one.subject.label}{simulated}: {one.scenario}{title}, run {one.run}", "\n".join(lines), level=1)


def _wordless(one: Trajectory) -> bool:
    return any(WITHOUT_WORDS in turn.answer.flags for turn in one.turns)


def _turn(turn: TrajectoryTurn) -> Iterator[TextBlock]:
    anew = "the request does not continue the previous one; it is shown whole" if turn.anew else ""
    yield TextBlock(f"Request {turn.turn}", anew, level=2)
    for message in turn.new:
        result = ", as the result of a tool call" if message.role == "tool" else ""
        about = f"answers tool call {message.call_id}" if message.call_id else ""
        if message.call:
            about = f"tool call {message.call_id}: {message.call}({message.arguments})"
        about += f"\nbeside it: {message.private}" if message.private else ""
        yield TextBlock(_SPEAKERS[message.origin] + result, about, message.text)
    answer = turn.answer
    known = {
        "channel": answer.channel, "model": answer.served_model, "provider": answer.served_provider,
        "seconds": answer.seconds and f"{answer.seconds:.1f}",
        "tokens": answer.prompt_tokens and f"{answer.prompt_tokens} in, {answer.completion_tokens} out",
        "cost": answer.cost_usd and f"${answer.cost_usd:.6f}",
        "attempts": ", ".join(attempt.outcome for attempt in answer.attempts), "ended by": answer.finish_reason,
        "flags": ", ".join(answer.flags),
    }  # fmt: skip
    missing = f": {_missing(answer)}" if answer.missing else ""
    yield TextBlock(f"Subject, generated ({turn.turn_id}){missing}", _listed(known), answer.text or answer.raw)
    for head, text in (
        ("Thinking beside the answer", answer.thinking),
        ("Reasoning", answer.reasoning),
        ("As it came, before it was cleaned", "" if answer.missing else answer.raw),
    ):
        if text:
            yield TextBlock(head, "", text)


def _listed(known: Mapping[str, str | float | None]) -> str:
    """What is known, each with its name."""
    return "; ".join(f"{name} {value}" for name, value in known.items() if value)


def _missing(one: TrajectoryAnswer | TrajectoryVerdict) -> str:
    return f"missing ({one.missing}{f': {one.detail}' if one.detail else ''})"


def _scale(ends: tuple[float, float] | None) -> str:
    if ends is None:
        return ""
    return f" in {ends[0]:g} to {ends[1]:g}" if ends[0] else f" of {ends[1]:g}"


def _spelled(value: float) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:g}"
