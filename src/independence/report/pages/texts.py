"""What was sent on a board, each message once; rubrics and the tool, as far as they are known to be theirs."""

from __future__ import annotations

import hashlib
import itertools
import sqlite3
from collections import Counter
from collections.abc import Iterator

import msgspec

from independence.report.pages import messages
from independence.report.pages.boards import BlockKey, SiteBoard
from independence.report.pages.dialogue_schema import (
    OfferedToolText,
    RubricStep,
    RubricText,
    ScaleField,
    SentMessage,
    TextsDocument,
)
from independence.report.pages.messages import Sent
from independence.report.pages.schema import SCHEMA
from independence.store import dialogues, queries, scopes
from independence.store.dialogues import Dialogue
from independence.store.scopes import OF_PUBLISHERS, BoardScope
from independence.suites import digest

REDACTED = "(This system prompt is left out of this site.)"
_RUNS = 10  # of one block

Script = tuple[int | str, ...]
Deviation = tuple[int | str | SentMessage, ...]


class BoardScripts:
    """The script of every turn of a board, and what deviates from it."""

    def __init__(self, connection: sqlite3.Connection, board: SiteBoard) -> None:
        # By the texts of the editions that were asked here; empty where there is none.
        out: dict[str, Sent] = {}
        for scope in board.scope.editions:
            if not queries.imported(scope.edition):
                brought = queries.personas(connection, scope.where)
                suite = msgspec.structs.replace(scope.suite, variants={**scope.suite.variants, **brought})
                out = messages.scripts(suite, scope.condition, board.units) | out
        self._known = out or _most_common(connection, board)
        self._place: dict[SentMessage, int] = {}
        for request in self._known.values():
            for message in request:
                if isinstance(message, SentMessage):
                    self._place.setdefault(message, len(self._place))

    @property
    def messages(self) -> list[SentMessage]:
        """Every message of a script, once."""
        return list(self._place)

    @property
    def scripts(self) -> dict[str, Script]:
        """SCENARIO/TURN -> places in `messages`, and ids of turns."""
        return {
            key: tuple(self._place[part] if isinstance(part, SentMessage) else part for part in request)
            for key, request in self._known.items()
        }

    def deviation(self, one: Dialogue, turn: int) -> Deviation | None:
        """How an answer was asked for, where that is not as its script says; else None."""
        asked_in = one.turns[turn]
        if asked_in.sent is None:
            return None
        said, request = _said(one, turn), _request(one, turn)
        script = self._known.get(f"{one.scenario}/{asked_in.turn_id}", ())
        # With the words of the answers in them: two equal answers are the same wherever they stand.
        asked, usual = (
            [said.get(part, "").strip() if isinstance(part, str) else part for part in own] for own in (request, script)
        )
        if asked == usual:
            return None
        return tuple(self._place.get(part, part) if isinstance(part, SentMessage) else part for part in request)


def _said(one: Dialogue, turn: int) -> dict[str, str]:
    """Id of a turn -> the answer to it, of those before a turn and in the dialogues that this one continues."""
    before = itertools.chain(*one.before.values(), one.turns[:turn])
    return {own.turn_id: "" if own.reply.missing else own.reply.text for own in before}


def _request(one: Dialogue, turn: int) -> Sent:
    """A stored request, by the answers that come before it."""
    said = {text.strip(): turn_id for turn_id, text in _said(one, turn).items()}
    said.pop("", None)
    return messages.sent(one.turns[turn].sent or b"[]", said)


def answers_digest(connection: sqlite3.Connection, board: SiteBoard) -> str:
    """Another one when any answer of an imported board is another one; empty of a board whose scripts we have."""
    if not board.info.imported:
        return ""
    found = hashlib.sha256()
    sql = (
        "SELECT config_dir, scenario, run, trial, turn, after FROM planned JOIN calls USING (trial) "
        f"WHERE version = 0 AND {queries.UNDER} ORDER BY 1, 2, 3, 5"
    )
    for one in board.scope.editions:
        for row in connection.execute(sql, one.where.columns):
            found.update(repr(row).encode("utf-8", "surrogatepass"))
    return found.hexdigest()


def _most_common(connection: sqlite3.Connection, board: SiteBoard) -> dict[str, Sent]:
    """By the stored requests: what most were asked in that turn; of equals the first."""
    counts: dict[str, Counter[Sent]] = {}
    known: dict[SentMessage, SentMessage] = {}
    for key in board.blocks:
        for _, one in stored(connection, board, key):
            for own in one.turns:
                request = (
                    known.setdefault(part, part) if isinstance(part, SentMessage) else part
                    for part in _request(one, own.turn)
                )
                counts.setdefault(f"{one.scenario}/{own.turn_id}", Counter())[tuple(request)] += 1
    return {key: found.most_common(1)[0][0] for key, found in counts.items()}


def stored(connection: sqlite3.Connection, board: SiteBoard, key: BlockKey) -> Iterator[tuple[str, Dialogue]]:
    """The dialogues of a block, each with the key of its subject; of editions that share one, the first has it."""
    scenarios, first = board.scenarios[key.unit], key.tens * _RUNS + 1
    mixed, seen = board.scope.mixed, set()
    for scope in board.scope.editions:
        imported = queries.imported(scope.edition)
        mark = f"@{scope.edition}" if mixed and imported else ""  # see `BoardScope.key`
        configs = [name.removesuffix(mark) for name in board.members[key.bucket] if name.endswith(mark)]
        ids = {
            own.id: [turn.id for turn in own.turns if turn.reply is None]
            for own in (() if imported else scope.suite.scenarios)
            if own.id in scenarios
        }
        found = dialogues.read(connection, scope.where, configs, scenarios, range(first, first + _RUNS))
        for one in sorted(found, key=lambda one: (one.config, one.scenario, one.run)):
            place = (one.config + mark, one.scenario, one.run)
            if place not in seen:
                seen.add(place)
                # One that says the same elsewhere is stored under the turns of that scenario.
                turns = ids.get(place[1], ())
                yield place[0], msgspec.structs.replace(one, turns=tuple(
                    msgspec.structs.replace(own, turn_id=turns[own.turn]) if own.turn < len(turns) else own
                    for own in one.turns
                ))  # fmt: skip


def document(
    connection: sqlite3.Connection, board: SiteBoard, found: BoardScripts, redacted: bool = False
) -> TextsDocument:
    """The texts of a board; `redacted`: without a system prompt that is somebody's own."""
    suite = board.scope.suite
    tool = suite.delivery.tool_role if board.info.mode == "tool_role" and board.scope.worded else None
    hidden = ("system",) if redacted and board.info.own_prompt else ()
    return TextsDocument(
        schema=SCHEMA, about=suite.about.strip(), ours=board.scope.worded, scripts=found.scripts,
        messages=tuple(
            msgspec.structs.replace(message, text=REDACTED) if message.role in hidden else message
            for message in found.messages
        ),
        rubrics=_rubrics(connection, board), graded=graded(connection, board.scope),
        experiments={name: about for name, about in suite.experiments.items() if about},
        tool=OfferedToolText(tool.name, tool.description, tool.parameter, tool.parameter_description) if tool else None,
    )  # fmt: skip


def graded(connection: sqlite3.Connection, scope: BoardScope) -> dict[str, str]:
    """What verdicts call a rubric that we have the text of -> its name. Under the published ones there is no entry."""
    out = {}
    for one in scope.editions:
        suite = scopes.grading(connection, one)
        sql = f"SELECT DISTINCT v.rubric FROM planned p JOIN verdicts v USING (trial) WHERE {queries.UNDER}"
        used = {rubric_id(rubric) for (rubric,) in connection.execute(sql, one.where.columns)}
        for scenario in suite.scenarios:
            name = rubric_id(digest.rubric(suite, scenario))
            if name in used:
                out[name] = scenario.rubric
    return dict(sorted(out.items()))


def rubric_id(stored: str) -> str:
    """What documents call a rubric: the published ones by their word, ours by the first eight digits."""
    return stored if stored in OF_PUBLISHERS else stored[:8]


def _rubrics(connection: sqlite3.Connection, board: SiteBoard) -> dict[str, RubricText]:
    """The rubrics of a board. What a judge was asked is told where a verdict was given by a text that is known."""
    scope, out = board.scope, dict[str, RubricText]()
    suite = scopes.grading(connection, scope)
    known = set(suite.rubrics) if scope.worded else set(graded(connection, scope).values())
    shown = suite if known else scope.suite
    for name, rubric in shown.rubrics.items():
        scenarios, ours = tuple(one.id for one in shown.scenarios if one.rubric == name), name in known
        fields = []
        for own, field in rubric.fields.items():
            low, high = field.range or (None, None)
            fields.append(ScaleField(name=own, type=field.type, about=field.about if ours else "", low=low, high=high))
        if any(one in board.units for one in scenarios):
            out[name] = RubricText(
                scenarios=scenarios, known=ours, fields=tuple(fields), prompt=rubric.prompt if ours else "",
                steps=tuple(RubricStep(step.name, step.prompt) for step in rubric.steps) if ours else (),
                quote=(rubric.quote or "") if ours else "",
            )  # fmt: skip
    return out
