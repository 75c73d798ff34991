"""A dialogue in words: the same blocks for the terminal and for Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from independence.exchange.trajectory import Answer, Opinion, Part, Trajectory, Turn

_WHO = {
    "system": "System prompt",
    "human": "Human",
    "scripted": "Subject, scripted by the suite",
    "generated": "Subject, an earlier answer as it was replayed",
    "protocol": "Subject",
}


class Block(NamedTuple):
    """Something that was said or noted. `about` is ours, `text` is theirs."""

    head: str
    about: str = ""
    text: str = ""
    level: int = 3  # of its heading
    quoted: bool = True  # the text is somebody's words


def blocks(one: Trajectory) -> Iterator[Block]:
    """Everything, in the order in which it happened."""
    yield _head(one)
    for turn in one.turns:
        yield from _turn(turn)
    if not one.turns:
        yield Block("Nothing was answered", "the dialogue is planned and not asked yet", level=2)
    for opinion in one.verdicts:
        yield _verdict(opinion)
    if not one.verdicts:
        yield Block("No verdict", "`independence judge` grades stored replies", level=2)


def _head(one: Trajectory) -> Block:
    title = f" ({one.title})" if one.title else ""
    simulated = ", simulated" if one.subject.simulated else ""
    imported = "; imported, in the words that were sent then" if one.imported else ""
    lines = [f"{one.suite}@{one.edition}, {one.condition}{imported}"]
    if one.continues:
        lines.append(f"continues the dialogue of `{one.continues}`, which is part of every request")
    if one.tool:
        lines.append(f"every request offers the tool `{one.tool['name']}`: {one.tool['description']}")
    return Block(f"{one.subject.label}{simulated}: {one.scenario}{title}, run {one.run}", "\n".join(lines), level=1)


def _turn(turn: Turn) -> Iterator[Block]:
    anew = "the request does not go on from the one before; it is shown whole" if turn.anew else ""
    if turn.turn > 1 or anew:
        yield Block(f"Request {turn.turn}", anew, level=2)
    else:
        yield Block("Request 1", level=2)
    for part in turn.new:
        yield Block(_who(part), _protocol(part), part.text)
    yield _answer(turn.turn_id, turn.answer)
    for head, text in (
        ("Thinking beside the answer", turn.answer.thinking),
        ("Reasoning", turn.answer.reasoning),
        ("As it came, before it was cleaned", turn.answer.raw if not turn.answer.missing else ""),
    ):
        if text:
            yield Block(head, "", text)


def _who(part: Part) -> str:
    if part.role == "user" and part.origin == "human":
        return "Human"
    return f"{_WHO[part.origin]}" + (", as the result of a tool call" if part.role == "tool" else "")


def _protocol(part: Part) -> str:
    lines = []
    if part.call:
        lines.append(f"tool call {part.call_id}: {part.call}({part.arguments})")
    elif part.call_id:
        lines.append(f"answers tool call {part.call_id}")
    if part.private:
        lines.append(f"beside it: {part.private}")
    return "\n".join(lines)


def _answer(turn_id: str, answer: Answer) -> Block:
    seconds = f"{answer.seconds:.1f} s" if answer.seconds else ""
    tokens = f"{answer.prompt_tokens} tokens in, {answer.completion_tokens} out" if answer.prompt_tokens else ""
    served = " at ".join(part for part in (answer.served_model, answer.served_provider) if part)
    tried = len(answer.attempts)
    parts = [
        {"tool": "through the tool", "content": "as plain content"}.get(answer.channel or "", ""),
        f"served by {served}" if served else "",
        seconds,
        tokens,
        f"${answer.cost_usd:.6f}" if answer.cost_usd else "",
        f"{tried} attempts: {', '.join(attempt.outcome for attempt in answer.attempts)}" if tried > 1 else "",
        f"ended by {answer.finish_reason}" if answer.finish_reason not in (None, "stop", "tool_calls") else "",
        f"flags: {', '.join(answer.flags)}" if answer.flags else "",
    ]
    missing = f": missing ({answer.missing})" if answer.missing else ""
    return Block(f"Subject, generated ({turn_id}){missing}", "; ".join(filter(None, parts)), answer.text or answer.raw)


def _verdict(opinion: Opinion) -> Block:
    values = ", ".join(f"{name} {_spelled(value)}" for name, value in opinion.values.items())
    result = f"missing ({opinion.missing})" if opinion.missing else values
    bought = f"{opinion.route}" if opinion.route else ""
    if opinion.probability is not None:
        bought += f", bought from {opinion.auditor} with probability {opinion.probability:.3g}"
    stale = "" if opinion.current else "given on another dialogue or rubric, counts no more"
    about = "\n".join(filter(None, (result, bought, stale)))
    return Block(f"Verdict by {opinion.judge}", about, opinion.reasoning or (opinion.raw if opinion.missing else ""), 2)


def _spelled(value: float) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:g}"
