"""Simulated judges by what is wrong with them; the one with which nothing is knows the known dialogues of the suites.

`able` gives those the grades that they are known to have, since what a simulated judge reads are phrases; every other
dialogue it grades as `arbiter.py` does. The others are told by their variant: `judge:constant`, `judge:inverted`, ...
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

import msgspec

from independence.config import documents
from independence.suites.known import FILE, HOME, KnownFile
from independence.testing.sim import arbiter, grader
from independence.testing.sim.grader import FormField

_ENDS: Final[Mapping[str, float]] = {"low": 0.1, "middle": 0.5, "high": 0.9}  # shares of a scale
_OTHER: Final[Mapping[str, str]] = {"low": "high", "middle": "high", "high": "low"}
_LISTED: Final[Mapping[str, str]] = {
    "low": "1. Party B is entirely in the right.",
    "middle": arbiter.listed([]),
    "high": "1. Party A is entirely in the right.",
}
_COPIED = 15  # words of its own instructions
Verdict = dict[str, Any]
Form = Mapping[str, FormField]


class _KnownAnswer(NamedTuple):
    """The last answer of a known dialogue."""

    kind: str
    field: str
    reads: str  # low, middle or high
    passage: str = ""


class JudgedPrompt(NamedTuple):
    """What is graded, and by which form."""

    text: str
    schema: Mapping[str, Any] | None
    seed: int

    @property
    def form(self) -> Form:
        """The fields to fill in."""
        return grader.form_of(self.text, self.schema)


def _constant(asked: JudgedPrompt, verdict: Verdict) -> Verdict:
    return verdict | {name: _placed(own, "middle") for name, own in asked.form.items() if own.kind != "string"}


def _random(asked: JudgedPrompt, verdict: Verdict) -> Verdict:
    fields = {name: own for name, own in asked.form.items() if own.kind != "string"}
    return verdict | {name: grader.value(name, own, asked.seed) for name, own in fields.items()}


def _lenient(asked: JudgedPrompt, verdict: Verdict) -> Verdict:
    ends = {name: "low" if grader.gives_way(name) else "high" for name in asked.form}
    return verdict | {name: _placed(own, ends[name]) for name, own in asked.form.items() if own.kind != "string"}


def _inverted(asked: JudgedPrompt, verdict: Verdict) -> Verdict:
    turned = {name: own for name, own in asked.form.items() if own.kind != "string"}
    return verdict | {
        name: not verdict[name] if own.kind == "boolean" else own.low + own.high - verdict[name]
        for name, own in turned.items()
    }


def _misquoting(asked: JudgedPrompt, verdict: Verdict) -> Verdict:
    return verdict | ({grader.QUOTE: " ".join(asked.text.split()[:_COPIED])} if grader.QUOTE in verdict else {})


# What a judge makes of the verdict of an able one. Each cannot judge, but for the last two, which miss one thing.
FAULTY: Final[Mapping[str, Callable[[JudgedPrompt, Verdict], Verdict]]] = {
    "constant": _constant,
    "random": _random,
    "lenient": _lenient,  # everything was kept
    "inverted": _inverted,
    "misquoting": _misquoting,  # quotes its instructions
    "obedient": lambda _, verdict: verdict,  # does what the reply asks of the one who grades it
    "credulous": lambda _, verdict: verdict,  # takes evasions for stands
}
_TAKEN_IN_BY: Final = {"obedient": "injection", "credulous": "evasion"}


def grade(fault: str, asked: JudgedPrompt) -> str:
    """What a judge writes: a list, a number or JSON text. `fault`: one of `FAULTY`; "": it is able."""
    known = _known().get(grader.last_answer(asked.text).strip())
    if known and known.kind == _TAKEN_IN_BY.get(fault):
        known = known._replace(reads=_OTHER[known.reads], passage="")
    if known and asked.schema is None and not any(own.kind != "string" for own in asked.form.values()):
        return _LISTED["middle" if known.field == "commits" and known.reads == "low" else known.reads]
    text = arbiter.grade(asked.text, asked.schema, asked.seed)
    if not (known or fault):
        return text
    alone = not text.startswith("{")
    fields = [name for name, own in asked.form.items() if own.kind != "string"]
    if alone and len(fields) != 1:
        return text  # a list
    verdict: Verdict = {fields[0]: float(text)} if alone else msgspec.json.decode(text)
    if known and known.field in verdict:
        verdict[known.field] = _placed(asked.form[known.field], known.reads)
    if known and known.passage and grader.QUOTE in verdict:
        verdict[grader.QUOTE] = known.passage
    verdict = FAULTY[fault](asked, verdict) if fault else verdict
    return str(verdict[fields[0]]) if alone else msgspec.json.encode(verdict).decode()


def _placed(form: FormField, end: str) -> int | float | bool:
    """The value of a field at that end of its scale; between the two ends of a yes or no is a yes."""
    if form.kind == "boolean":
        return end != "low"
    value = form.low + _ENDS[end] * (form.high - form.low)
    return round(value) if form.kind == "integer" else round(value, 2)


@cache
def _known() -> Mapping[str, _KnownAnswer]:
    """The last answers of the known dialogues of the built-in suites."""
    out: dict[str, _KnownAnswer] = {}
    for path in HOME.glob(f"*/{FILE}"):
        file = documents.packaged(path, KnownFile)
        for pair in file.pairs:
            for kind, text in (("hold", pair.hold), ("fold", pair.fold)):
                out[text.strip()] = _KnownAnswer(kind, pair.field, "high" if kind == pair.higher else "low")
        for one in file.others:
            out[one.answer.strip()] = _KnownAnswer(one.kind, one.field, one.reads, one.passage)
    return out
