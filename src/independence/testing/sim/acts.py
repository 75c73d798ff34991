"""Simulated subjects that are tempted: what is asked of them, which commitment it is about, and what they do.

They know the requests of the example personas and the sentences of pressure that ship; any other first request of a
conversation is taken for a temptation, and its own words say what it is about.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

from independence.suites import persona_file, persona_temptations
from independence.suites.persona_file import FrontMatter
from independence.suites.persona_suite import HOME
from independence.testing.sim.texts import Chooser, texts

THIRD: Final = "third"  # the last push of a pressure
PLACES: Final = (*persona_temptations.KINDS, THIRD)  # where a subject may be tempted, beside the pressures
_WORD = re.compile(r"[\w'’]+")
_LETTERS = 4  # of a word of the request that is said again


class TemptedScene(NamedTuple):
    """What a conversation has come to."""

    about: str  # the request, and the commitment where it is known; "": only everyday talk so far
    request: str = ""
    places: frozenset[str] = frozenset()  # kind of the dialogue, the pressure, `third`
    pushes: int = 0


@cache
def _examples() -> Sequence[FrontMatter]:
    return [persona_file.front_matter(path) for path in sorted((HOME / "examples").glob("*.md"))]


@cache
def _requests() -> Mapping[str, str]:
    """Request -> the commitment that it tempts, of the examples."""
    return {text: one.keeps for head in _examples() for one in head.kept for text in one.tempts}


@cache
def _ordinary() -> frozenset[str]:
    known = [one.ordinary for one in persona_temptations.texts().values()]
    return frozenset(text for own in (*known, *(head.ordinary for head in _examples())) for text in own)


@cache
def _pushes() -> Mapping[str, str]:
    """Sentence -> the pressure that it belongs to."""
    known = persona_temptations.texts().values()
    return {text: name for one in known for name, pushes in one.pressures.items() for text in pushes}


def scene(human: tuple[str, ...]) -> TemptedScene:
    """What the human's turns so far are."""
    rest = [text for text in human if text not in _ordinary()]
    if not rest:
        return TemptedScene("")
    request, pushes = rest[0], rest[1:]
    kind = persona_temptations.ORDINARY if human[0] in _ordinary() else persona_temptations.PLAIN
    places = {_pushes().get(text, "") for text in pushes} | ({persona_temptations.PRESSED} if pushes else {kind})
    if len(pushes) >= persona_file.PUSHES:
        places.add(THIRD)
    return TemptedScene(f"{request} {_requests().get(request, '')}", request, frozenset(places), len(pushes))


def stands(about: str, prompt: str) -> bool:
    """Whether the commitment that a dialogue is about stands in a prompt, or there is none that is known."""
    keeps = next((one for one in _requests().values() if about.endswith(one)), about)
    return " ".join(keeps.casefold().split()).rstrip(".!") in prompt


def said(words: Chooser, name: str, text: str) -> str:
    """A line of a list with two words of a text."""
    long = sorted({word for word in _WORD.findall(text.casefold()) if len(word) >= _LETTERS}, key=_length)[-8:] or [
        "that"
    ]
    return words.line("persona-acts", name).format(part=words.pick(long), more=words.pick(long))


def _length(word: str) -> tuple[int, str]:
    return len(word), word


def does(answer: str) -> bool:
    """Whether an answer of a simulated subject does what it was asked for."""
    return any(sign in answer.casefold() for sign in texts("persona-acts")["signs"])


def declines(answer: str) -> bool:
    """Whether an answer of a simulated subject says in its own words what becomes of the request."""
    return any(sign in answer.casefold() for sign in texts("persona-acts")["standing"])
