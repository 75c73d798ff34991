"""Simulated judges by what is wrong with them; the one with which nothing is knows the known dialogues of the suites.

`able` gives those the grades that they are known to have, since what a simulated judge reads are phrases; every other
dialogue it grades as `grader.py` does. The others are told by their variant: `judge:constant`, `judge:inverted`, ...
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from typing import Any, Final, NamedTuple

import msgspec

from independence.config import documents
from independence.suites import persona_known
from independence.suites.known import FILE, HOME, KnownFile, entries
from independence.suites.persona_suite import STOOD
from independence.suites.schema import KnownDialogue, Reading
from independence.testing.sim import advice, grader, persona_prompts
from independence.testing.sim.grader import Form, Verdict

_ENDS: Final[Mapping[str, float]] = {"low": 0.1, "middle": 0.5, "high": 0.9}  # shares of a scale
_OTHER: Final[Mapping[Reading, Reading]] = {"low": "high", "middle": "high", "high": "low"}
_FAVOURS: Final[Mapping[str, float | None]] = {"low": -1.0, "middle": None, "high": 1.0}
_FENCED = re.compile(r"<(\w+) ([0-9a-f]{12,})>.*?</\1 \2>", re.DOTALL)
_SEEN, _MISSED = 0.01, 0.2  # breaches that there are not, and that there are
_COPIED = 15  # words of its own instructions


class JudgedPrompt(NamedTuple):
    """What is graded, and by which form."""

    text: str
    schema: Mapping[str, Any] | None
    seed: int
    key: str = ""  # that its object has to carry

    @property
    def form(self) -> Form:
        """The fields to fill in, except for texts."""
        found = grader.form_of(self.text, self.schema)
        return {name: field for name, field in found.items() if field.kind != "string"}


def _at_ends(asked: JudgedPrompt, end: Callable[[str], str]) -> Verdict:
    return {name: _placed(own, end(name)) for name, own in asked.form.items()}


def _inverted(asked: JudgedPrompt, verdict: Verdict) -> Verdict:
    return {
        name: not verdict[name] if own.kind == "boolean" else own.low + own.high - verdict[name]
        for name, own in asked.form.items()
    }


def _planted(asked: JudgedPrompt) -> Verdict:
    """The values that the answer holds for the form."""
    for text in reversed(re.findall(r"\{[^{}]*\}", grader.last_answer(asked.text))):
        with suppress(ValueError):
            return {name: value for name, value in json.loads(text).items() if name in asked.form}
    return {}


def _erring(asked: JudgedPrompt, verdict: Verdict) -> Verdict:
    """Each yes or no is turned by chance: a no in one of a hundred, a yes in one of five."""
    turned = {}
    for name, own in asked.form.items():
        if own.kind == "boolean" and name not in (STOOD, "engaged"):
            drawn = grader.chance(f"{asked.text} {name}", asked.seed)
            turned[name] = verdict[name] != (drawn < (_MISSED if verdict[name] else _SEEN))
    return turned


# What a judge changes in the verdict of an able one. Each is refused, except for the last, which misses one thing.
FAULTY: Final[Mapping[str, Callable[[JudgedPrompt, Verdict], Verdict]]] = {
    "constant": lambda asked, _: _at_ends(asked, lambda _: "middle"),
    "random": lambda asked, _: {name: grader.value(name, own, asked.seed) for name, own in asked.form.items()},
    "lenient": lambda asked, _: _at_ends(asked, lambda name: "low" if grader.gives_way(name) else "high"),
    "inverted": _inverted,
    "misquoting": lambda asked, verdict: (  # quotes its instructions
        {grader.QUOTE: " ".join(asked.text.split()[:_COPIED])} if grader.QUOTE in verdict else {}
    ),
    "copying": lambda asked, _: {  # copies the answer wherever it may write, before a verdict that is known beforehand
        name: grader.last_answer(asked.text) if own.kind == "string" else grader.value(name, own, asked.seed)
        for name, own in grader.form_of(asked.text, asked.schema).items()
    },
    "obedient": lambda asked, _: _planted(asked),  # does what the reply asks of the one who grades it
    "credulous": lambda *_: {},  # takes evasions for stands
    "erring": _erring,  # sees a breach in 1 of 100, misses 1 in 5
}
_TAKEN_IN_BY: Final = {"obedient": "injection", "credulous": "evasion"}


def grade(fault: str, asked: JudgedPrompt) -> str:
    """What a judge writes: a claim, a number or JSON text. `fault`: one of `FAULTY`; "": it is able.

    It restates an answer where it is asked for no form, and writes a number alone where that is all that is wanted. Of
    a character's prompt it says what that holds.
    """
    if persona_prompts.wanted(asked.schema):
        invented = " ".join(asked.text.split()[:_COPIED]) if fault == "misquoting" else ""
        return msgspec.json.encode(persona_prompts.read(grader.last_answer(asked.text), invented)).decode()
    form, answer, own = asked.form, grader.last_answer(asked.text), _FENCED.sub(" ", asked.text)
    known = _known().get(answer.strip()) or _acted(asked)
    if known and known.kind == _TAKEN_IN_BY.get(fault):
        known = msgspec.structs.replace(known, reads=_OTHER[known.reads], passage="")
    if asked.schema is None and not form and own != asked.text:
        if known is None:
            return advice.claim(advice.favour(answer))
        return advice.claim(_FAVOURS["middle" if known.field == "commits" and known.reads == "low" else known.reads])
    verdict = grader.grade(asked.text, asked.schema)
    if known and known.field in verdict:
        verdict[known.field] = _placed(form[known.field], known.reads)
    if known and known.passage and grader.QUOTE in verdict:
        verdict[grader.QUOTE] = known.passage
    if fault:
        verdict |= FAULTY[fault](asked, verdict)
    if asked.key:
        verdict = {grader.KEY: asked.key} | verdict | {grader.KEY: asked.key}  # before all of it
    if asked.schema is None and len(form) == 1 and "JSON" not in own:
        return str(verdict[next(iter(form))])
    return msgspec.json.encode(verdict).decode()


def _placed(form: grader.FormField, end: str) -> int | float | bool:
    """The value of a field at that end of its scale; between the two ends of a yes or no is a yes."""
    return end != "low" if form.kind == "boolean" else form.at(_ENDS[end])


@cache
def _known() -> Mapping[str, KnownDialogue]:
    """The known dialogues of the built-in suites by their last answers."""
    files = [documents.packaged(path, KnownFile) for path in HOME.glob(f"*/{FILE}")]
    return {said[-1].strip(): known for file in files for _, known, said in entries(file)}


def _acted(asked: JudgedPrompt) -> KnownDialogue | None:
    """The known dialogue of acts that is graded, or of which a second reading has a passage."""
    said = " ".join(" ".join(grader.answers(asked.text)).split())
    if grader.CONFIRMED not in asked.form:
        return _known_acts().get(said)
    found = next((known for whole, known in _known_acts().items() if said in whole), None)
    return found and msgspec.structs.replace(found, field=grader.CONFIRMED)


@cache
def _known_acts() -> Mapping[str, KnownDialogue]:
    """The known dialogues of acts by all that the subject says in them."""
    return {" ".join(" ".join(said).split()): known for _, known, said in entries(persona_known.acts().dialogues)}
