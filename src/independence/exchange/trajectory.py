"""One dialogue as it was, as a value and as passages of text for the terminal, Markdown and notebooks."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from independence.report.files import html, legend
from independence.report.pages import messages
from independence.store.dialogues import Dialogue, StoredReply, StoredVerdict, Turn
from independence.store.records import WITHOUT_WORDS


class Trajectory(Dialogue, frozen=True, kw_only=True, omit_defaults=True):
    """A dialogue with the requests as they were sent, which a notebook shows as text."""

    def _repr_html_(self) -> str:
        """All of it escaped."""
        return html.passages((block.head, block.about, block.text, block.level) for block in blocks(self))


class TextBlock(NamedTuple):
    """A passage under a heading. `about` are our remarks, `text` is what a person or a model wrote."""

    head: str
    about: str = ""
    text: str = ""
    level: int = 3  # of its heading


def blocks(one: Dialogue) -> Iterator[TextBlock]:
    """Everything, in the order in which it happened."""
    yield _head(one)
    if _wordless(one):
        yield TextBlock("No words", legend.texts("marks")[WITHOUT_WORDS], level=2)
    for before, turn in () if _wordless(one) else zip((None, *one.turns), one.turns, strict=False):
        yield from _request(one, turn, before)
        yield from _reply(turn)
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
        gap = any(turn.reply.missing for turn in one.turns)
        why = "there is no answer to grade" if gap else "`independence judge` grades stored replies"
        yield TextBlock("No verdict", why, level=2)


def _head(one: Dialogue) -> TextBlock:
    title = f" ({one.title})" if one.title else ""
    simulated = ", simulated" if one.simulated else ""
    words = "" if _wordless(one) else ", in the words that were sent then"
    imported = f"; imported{words}" if one.imported else ""
    lines = [f"{one.suite}@{one.edition}, {one.variant}/{one.mode}{imported}"]
    if one.continues:
        lines.append(f"continues the dialogue of `{one.continues}`, which is part of every request")
    if one.tool:
        lines.append(f"every request offers the tool `{one.tool['name']}`: {one.tool['description']}")
    if one.delivery:
        lines.append(one.delivery)
    return TextBlock(f"{one.label}{simulated}: {one.scenario}{title}, run {one.run}", "\n".join(lines), level=1)


def _wordless(one: Dialogue) -> bool:
    return any(WITHOUT_WORDS in turn.reply.flags for turn in one.turns)


def _request(one: Dialogue, turn: Turn, before: Turn | None) -> Iterator[TextBlock]:
    """What a request adds to the one before it and its answer; all of it where it does not go on from there."""
    sent, earlier = (messages.decoded(own.sent or b"[]") if own else [] for own in (turn, before))
    goes_on = sent[: len(earlier)] == earlier
    about = "" if goes_on else "the request does not continue the previous one; it is shown whole"
    yield TextBlock(f"Request {turn.turn + 1}", about, level=2)
    every = itertools.chain(*one.before.values(), one.turns)
    answers = {own.reply.text.strip() for own in every if not own.reply.missing} - {""}
    new = sent[len(earlier) :] if goes_on else sent
    blocks = [_message(message, answers) for message in new]
    if goes_on and before and blocks and blocks[0].text.strip() == before.reply.text.strip():
        blocks = blocks[1:]  # the answer before, which was shown already
    yield from blocks


def _message(message: Mapping[str, Any], answers: Collection[str]) -> TextBlock:
    """One message; `answers`: texts of this subject, which later requests repeat."""
    role, text, call = str(message.get("role", "")), messages.content(message), messages.tool_call(message)
    if role != "assistant":
        result = ", as the result of a tool call" if role == "tool" else ""
        about = f"answers tool call {message['tool_call_id']}" if message.get("tool_call_id") else ""
        return TextBlock(("System prompt" if role == "system" else "Human") + result, about, text)
    words, beside, about = text, "", ""
    if call is not None:
        words, beside = ("\n\n".join(call.words), text) if call.words else (text, "")
        about = f"tool call {call.id}: {call.tool}({call.arguments})" + (f"\nbeside it: {beside}" if beside else "")
    if call is not None and not (call.words or text):
        speaker = "Subject"  # without words the tool is only listened to
    elif words.strip() in answers:
        speaker = "Subject, an earlier answer as it was replayed"
    else:
        speaker = "Subject, scripted by the suite"
    return TextBlock(speaker, about, words)


def _reply(turn: Turn) -> Iterator[TextBlock]:
    answer, usage = turn.reply, turn.reply.usage
    known = {
        "channel": answer.channel, "model": answer.served_model, "provider": answer.served_provider,
        "seconds": answer.seconds and f"{answer.seconds:.1f}",
        "tokens": usage.prompt_tokens and f"{usage.prompt_tokens} in, {usage.completion_tokens} out",
        "cost": usage.cost_usd and f"${usage.cost_usd:.6f}",
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


def _missing(one: StoredReply | StoredVerdict) -> str:
    return f"missing ({one.missing}{f': {one.detail}' if one.detail else ''})"


def _scale(ends: tuple[float, float] | None) -> str:
    if ends is None:
        return ""
    return f" in {ends[0]:g} to {ends[1]:g}" if ends[0] else f" of {ends[1]:g}"


def _spelled(value: float) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:g}"
