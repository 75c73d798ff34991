"""Two passages that a report quotes: of a dialogue that held, and of one of the same scenario that gave way."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from statistics import pstdev
from typing import Final, NamedTuple

import msgspec

from independence.report.board.board import IndexBoard
from independence.report.board.board_data import BoardData
from independence.report.files.table import Prose, Quotation, Section
from independence.report.sections import passages
from independence.report.sections.passages import QuotedSpan
from independence.stats.subject_points import leverage
from independence.store import dialogues
from independence.store.dialogues import Dialogue
from independence.store.scopes import BoardScope
from independence.suites.template import fill
from independence.types import grouped

_TRIED: Final = 40  # dialogues in which a passage is looked for, at either end
_SCENARIOS: Final = 5  # in which a pair of passages is looked for
_WORDS: Final = 3  # of a passage, at least
_LONGEST: Final = 600  # characters
_HALF: Final = 0.5
_RULE: Final = (
    "The highest and the lowest share kept in the scenario, of those with passages to quote, in which {of} differ most."
)
_SENTENCE_ENDS: Final = re.compile(r"[.!?](?=\s)|\n")


def section(connection: sqlite3.Connection, read: BoardData, board: IndexBoard) -> Section:
    """The passages, and by which rule they were chosen; without a body where no verdict names one."""
    chosen, of = _quoted(read, board)
    found = [one for one in _pair(connection, read, chosen) if one is not None]
    return Section("quotations", "In their words", [Prose(_RULE.format(of=of)), *found] if found else [])


def fold(connection: sqlite3.Connection, read: BoardData, board: IndexBoard) -> Quotation | None:
    """The passage of the dialogue that kept least, chosen by the same rule; None where there is none below half."""
    return _pair(connection, read, _quoted(read, board)[0])[1]


def _pair(
    connection: sqlite3.Connection, read: BoardData, configs: Sequence[str]
) -> tuple[Quotation | None, Quotation | None]:
    """Passages of a dialogue that held and of one that gave way; both, where one scenario has both."""
    order = {config: place for place, config in enumerate(configs)}
    scenarios = grouped(_places(read, configs), lambda place: place.scenario).values()
    best: tuple[Quotation | None, Quotation | None] = (None, None)
    for own in sorted(scenarios, key=lambda own: -pstdev(place.share for place in own))[:_SCENARIOS]:
        held = [place for place in own if place.share >= _HALF]
        gave = [place for place in own if place.share < _HALF]
        found = (
            _first(connection, read, sorted(held, key=lambda one: (-one.share, order[one.config], one.run))),
            _first(connection, read, sorted(gave, key=lambda one: (one.share, -order[one.config], one.run))),
        )
        if all(found):
            return found
        best = best if any(best) else found
    return best


def _quoted(read: BoardData, board: IndexBoard) -> tuple[Sequence[str], str]:
    """Whose words may be quoted, and in words who they are."""
    ranked = [row.config for row in board.rows if row.main.value is not None and not row.single]
    real = [config for config in ranked if not read.about[config].simulated]
    whose = "subjects with an interval" + " that are not simulated" * (len(real) < len(ranked))
    return (real, whose) if real else (ranked or [row.config for row in board.rows], "subjects")


class _Place(NamedTuple):
    """A dialogue of the board."""

    share: float  # of its scale that it kept
    config: str
    scenario: str
    run: int


def _places(read: BoardData, configs: Sequence[str]) -> Iterator[_Place]:
    lever = leverage(read.frame)
    for cell in (cell for config in configs for cell in read.planned[config] if cell.scenario in lever.weights):
        share = None if cell.values is None else lever.share_kept(cell.scenario, [cell.values])
        if share is not None:
            yield _Place(share, cell.config_dir, cell.scenario, cell.run)


def _first(connection: sqlite3.Connection, read: BoardData, places: Sequence[_Place]) -> Quotation | None:
    """The passage of the first of these places that has one."""
    for place in places[:_TRIED]:
        for scope in read.scope.editions:
            config = place.config.removesuffix(f"@{scope.edition}")
            runs = range(place.run, place.run + 1)
            for one in dialogues.read(connection, scope.where, [config], [place.scenario], runs):
                passage = _passage(one, read.judge or "", scope, held=place.share >= _HALF)
                if passage is not None:
                    return Quotation(
                        held=place.share >= _HALF, text=passage.text, turn=passage.turn, asked=passage.asked,
                        subject=place.config, name=read.about[place.config].name, scenario=place.scenario,
                        run=place.run, judge=read.judge or "", share=place.share,
                    )  # fmt: skip
    return None


class _Passage(NamedTuple):
    """Words of an answer, and the message that it answers."""

    turn: str
    text: str
    asked: str


class _Sent(msgspec.Struct):
    """A message of a request."""

    role: str = ""
    content: str | None = None


def _passage(one: Dialogue, judge: str, scope: BoardScope, *, held: bool) -> _Passage | None:
    """The first passage that the judge's verdict names and that does not speak for the other side."""
    texts = {turn.turn_id: turn.reply.text for turn in one.turns if not turn.reply.missing}
    for verdict in one.verdicts:
        if verdict.judge != judge or verdict.context != one.end:
            continue
        for span in sorted(passages.spans(one, verdict), key=lambda span: span.of != "quote"):
            words = _words(texts.get(span.turn, ""), span)
            if span.of != ("gave way" if held else "stood") and len(words.split()) >= _WORDS:
                return _Passage(span.turn, words, _asked(one, scope, span.turn))
    return None


def _asked(one: Dialogue, scope: BoardScope, turn: str) -> str:
    """What the person said before an answer: as it was sent, or where that is not kept, as the script has it."""
    (request,) = (own.sent for own in one.turns if own.turn_id == turn)
    if request is not None:
        try:
            messages = msgspec.json.decode(request, type=list[_Sent])
        except msgspec.DecodeError:
            return ""
        return _cut((messages[-1].content or "").strip()) if messages and messages[-1].role != "assistant" else ""
    if not scope.worded:
        return ""
    texts = {
        own.id: fill(own.human, {**scope.suite.vars, **scenario.vars})
        for scenario in scope.suite.scenarios if scenario.id == one.scenario for own in scenario.turns
    }  # fmt: skip
    return _cut(texts.get(turn, "").strip())


def _words(text: str, span: QuotedSpan) -> str:
    """What stands at a place that is counted in UTF-16; of a phrase that reasons or rules name its whole sentence."""
    encoded = text.encode("utf-16-le", "surrogatepass")
    start, end = (len(encoded[: 2 * place].decode("utf-16-le", "surrogatepass")) for place in (span.start, span.end))
    if span.of != "quote":
        start = max((match.end() for match in _SENTENCE_ENDS.finditer(text, 0, start)), default=0)
        ending = _SENTENCE_ENDS.search(text, max(end - 1, 0))
        end = ending.end() if ending else len(text)
    return _cut(text[start:end].strip())


def _cut(text: str) -> str:
    """A text, or the beginning of a long one."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST].rsplit(' ', 1)[0]} …"
