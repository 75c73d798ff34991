"""Fields to grade, a verdict on them that fits, and a model that gives one answer after another."""

from __future__ import annotations

import re

from independence.suites.schema import Field
from independence.types import Answer, Attempt, ChatRequest, Reply, Usage

FIELDS = {
    "score": Field(type="integer", about="How much is left.", range=(0, 10)),
    "share": Field(type="number", about="The share of it.", range=(0, 1)),
    "kept": Field(type="boolean", about="Whether it is the same."),
}
GOOD = {"score": 3, "share": 0.25, "kept": True}


_PASSAGE = re.compile(r"<quoted ([0-9a-f]{16})>\n((?:[^\n]*\n)+?)</quoted \1>")  # line by line, for speed


def passages(prompt: str) -> list[str]:
    """What stands between the fences of a rendered prompt, in order."""
    return [match[2][:-1] for match in _PASSAGE.finditer(prompt)]


class Scripted:
    """Gives one answer after another, at half a dollar each, and keeps what it was asked."""

    def __init__(self, *answers: str | Answer | Exception) -> None:
        self.answers = list(answers)
        self.asked: list[ChatRequest] = []

    async def ask(self, request: ChatRequest) -> Answer:
        self.asked.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return reply(answer) if isinstance(answer, str) else answer

    @property
    def shown(self) -> list[list[tuple[str, str | None]]]:
        return [[(message.role, message.content) for message in request.messages] for request in self.asked]


def reply(text: str, raw: str = "") -> Reply:
    usage = Usage(10, 5, cost_usd=0.5)
    return Reply(text, "content", raw, usage=usage, attempts=(Attempt("ok", 1.0, usage),))
