"""Whether anything can be measured on a subject, by the marks of its answers; if not, why and which setting to change.

Weights behind a wrong chat template, base weights and very small ones answer in loops, leak tokens, write the human's
turns. A short, odd or unwilling answer is none of that, in whatever language or form.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Final, Literal

from independence.clients import protocol
from independence.judge.replies.non_answers import LOOP

Cause = Literal["tokens", "turns", "loops"]
FEWEST: Final = 10  # answers after which something is said
_MOST: Final = 0.5  # share of the answers that may be bad
_TEMPLATE: Final = "start the server with the model's own template (llama.cpp: --jinja, --chat-template)"
# What is said, by the cause of most bad answers. A base model has no chat template, and no end of a turn.
SENTENCES: Final[dict[Cause, str]] = {
    "tokens": "the chat template does not fit these weights: {answers} contain its tokens; "
    f"{_TEMPLATE}, or take weights that are trained to chat",
    "turns": "these weights do not stop where their turn ends, as base weights do: {answers} go on as somebody else; "
    f"take weights that are trained to chat, or {_TEMPLATE}",
    "loops": "these weights answer in loops: {answers}; nothing can be measured; try a repeat penalty (llama.cpp: "
    "--repeat-penalty 1.1), the model's own chat template (--jinja), another temperature (-t) or other weights",
}
_MARKS: Final[dict[str, Cause]] = {protocol.FOREIGN_TURN: "turns", LOOP: "loops"}
_DETAILS: Final[dict[str, Cause]] = {protocol.ONLY_TOKENS: "tokens", protocol.LOOPED: "loops"}


def cause(marks: Collection[str], detail: str) -> Cause | None:
    """What is wrong with an answer, by its marks, or by the sentence that says why it is none; None for all others."""
    if detail:
        return _DETAILS.get(detail)
    if protocol.TEMPLATE_TOKENS in marks and (protocol.FOREIGN_TURN in marks or protocol.TRUNCATED in marks):
        return "tokens"  # one at the end of a whole answer was only to be taken off
    return next((name for mark, name in _MARKS.items() if mark in marks), None)


class Diagnosis:
    """The answers of a subject under a condition, as they come."""

    def __init__(self) -> None:
        self.causes: Counter[Cause] = Counter()  # of bad answers
        self.answers = 0
        self.unasked = 0  # that followed an answer that is none, and are never asked for
        self.known = False  # somebody was told, and goes on all the same

    def add(self, marks: Collection[str], detail: str, after: int, count: int = 1) -> None:
        """Take in answers that are alike. `after`: how many follow each in its dialogue; where there is none (`detail`
        says why) these are never asked for.
        """
        self.answers += count
        if (why := cause(marks, detail)) is not None:
            self.causes[why] += count
            self.unasked += after * count if detail else 0

    @property
    def told(self) -> str:
        """Why nothing can be measured, and which setting to change; empty where something can, or somebody knows."""
        bad = self.causes.total()
        if self.known or self.answers < FEWEST or bad + self.unasked <= _MOST * (self.answers + self.unasked):
            return ""
        why, count = self.causes.most_common(1)[0]
        ends = ", which end their dialogues" if self.unasked else ""
        return SENTENCES[why].format(answers=f"{count} of {self.answers} answers{ends}")
