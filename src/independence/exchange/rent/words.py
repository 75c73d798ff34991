"""Prompts as they were worded: rows of a grid file as a suite, so that they can be asked or answers to them kept.

The rubric, the sides and how dialogues are delivered stay those of the suite that the rows are laid over. Rows that say
what it says keep its cases; otherwise a case is what the facts have in common, whoever asks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from independence.engine import dialogue, plan
from independence.engine.plan import Selection
from independence.exchange.rent import prompts
from independence.exchange.rent.folder import Line
from independence.exchange.rent.prompts import PERSPECTIVE, Row
from independence.exchange.rent.records import FACTORS, Factors, PromptRecord, dumped
from independence.suites import digest
from independence.suites.load import LoadedSuite
from independence.suites.schema import Grid, Scenario, Side, Suite, Turn
from independence.suites.template import slots
from independence.types import Condition

Said = tuple[tuple[str, str], ...]  # role and text of each message
FACTS = "facts"  # what a rubric quotes of the background
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_TOLD_TO_ONE = ("tenant_quality", "landlord_quality")  # what one side holds of the other
_NO_BACKGROUND = "(no background was given)"
_NOTHING = "none"
_SHAPE = "`messages` are a system prompt, a second system message with a background or none, and one user message"


class Prompt(NamedTuple):
    """A row of a grid, taken apart."""

    at: Line
    prompt_id: str
    side: str
    facts: Factors
    system: str
    context: str
    human: str


class _Message(msgspec.Struct, frozen=True):
    role: str
    content: str


def said(messages: msgspec.Raw) -> Said:
    """Messages as role and text; empty where there are none of this form."""
    try:
        found = msgspec.json.decode(messages, type=list[_Message])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ()
    return tuple((message.role, message.content.strip()) for message in found)


def prompt(at: Line, record: PromptRecord, suite: Suite) -> Prompt:
    """A row taken apart. Raises ValueError with the reason where it cannot be asked."""
    if not _ID.fullmatch(record.prompt_id):
        raise ValueError(f"`prompt_id` {record.prompt_id!r} is none: letters, digits, dots, dashes and underscores")
    side, sides = str(record.factors.get(PERSPECTIVE) or ""), list(suite.grid.sides) if suite.grid else []
    if side not in sides:
        raise ValueError(f"`perspective` of `factors` is `{side}`; suite {suite.suite} knows {', '.join(sides)}")
    found = said(record.messages)
    roles = [role for role, _ in found]
    if roles not in (["user"], ["system", "user"], ["system", "system", "user"]) or not found[-1][1]:
        raise ValueError(_SHAPE)
    slot = next((name for _, text in found for name in slots(text)), None)
    if slot:
        raise ValueError(f"a prompt is taken as it is written; `{{{{{slot}}}}}` would not be filled")
    texts = [text for _, text in found]
    system = texts[0] if len(texts) > 1 else ""
    return Prompt(at, record.prompt_id, side, record.factors, system, texts[1] if len(texts) == 3 else "", texts[-1])


def suite_of(rows: Sequence[Prompt], base: LoadedSuite) -> LoadedSuite:
    """The suite whose dialogues are these rows, and its edition; `base` itself where they are what it says."""
    suite = base.suite
    assert suite.grid is not None
    if spoken(suite) == {row.prompt_id: _said(row) for row in rows}:
        return base
    placed = prompts.place(suite, [Row(row.prompt_id, row.side, row.facts) for row in rows])
    systems = Counter(row.system for row in rows)
    shared = rows[0].system if len(systems) == 1 else ""
    known = {scenario.id: scenario for scenario in suite.scenarios} if all(placed) else {}
    made = tuple(
        _scenario(suite, row, known.get(at or ""), "" if shared else row.system)
        for row, at in zip(rows, placed, strict=True)
    )
    there = list(suite.grid.sides)
    kept = [side for place, side in enumerate(there) if place < 2 or any(row.side == side for row in rows)]
    levels = {name: {one.factors[name]: dict[str, str]() for one in made} for name in made[0].factors}
    grid = Grid(
        experiment=suite.grid.experiment, rubric=suite.grid.rubric, stance=suite.grid.stance, factors=levels,
        sides={side: Side(human="") for side in kept}, cell=suite.grid.cell if known else tuple(levels),
    )  # fmt: skip
    whole = msgspec.structs.replace(
        suite, title=f"{suite.title}, in other words", about="The prompts of a grid file, graded as the suite grades.",
        variants={suite.default.variant: shared}, closing="", scenarios=made, grid=grid,
    )  # fmt: skip
    return LoadedSuite(whole, digest.edition(whole))


def spoken(suite: Suite) -> dict[str, Said]:
    """Scenario -> the messages of its first request."""
    return {
        one.scenario.id: tuple((message.role, message.content or "") for message in dialogue.opening(one))
        for one in plan.dialogues(suite, Selection((Condition(suite.default.variant, suite.default.mode),), runs=1))
    }


def lines(suite: Suite, scenarios: Iterable[str]) -> list[bytes]:
    """The grid file of a suite: one line a prompt, in the published names and order."""
    asked, wanted = spoken(suite), set(scenarios)
    return [
        dumped({
            "prompt_id": scenario.id, "factors": prompts.factors(scenario),
            "messages": [{"role": role, "content": text} for role, text in asked[scenario.id]],
        })
        for scenario in suite.scenarios if scenario.id in wanted
    ]  # fmt: skip


def _said(row: Prompt) -> Said:
    texts = (("system", row.system), ("system", row.context), ("user", row.human))
    return tuple((role, text) for role, text in texts if text)


def _scenario(suite: Suite, row: Prompt, known: Scenario | None, system: str) -> Scenario:
    assert suite.grid is not None
    factors, cell = (known.factors, known.cell) if known else _case(row.facts)
    same = known is not None and known.context == row.context
    facts = {} if same else {FACTS: _background(row.context), **_row(row)}
    return Scenario(
        id=row.prompt_id, experiment=suite.grid.experiment, title=f"{cell}, {row.side} asks",
        turns=(Turn(human=row.human, id=f"{row.prompt_id}_turn"),), rubric=suite.grid.rubric, system=system,
        context=row.context, factors=factors, vars={**(known.vars if known else {}), **facts}, side=row.side, cell=cell,
    )  # fmt: skip


def _case(facts: Mapping[str, object]) -> tuple[dict[str, str], str]:
    """Levels and name of a case by what all sides are told of it."""
    names = [name for name in FACTORS if name != PERSPECTIVE and name not in _TOLD_TO_ONE]
    levels = {name: _NOTHING if facts.get(name) is None else str(facts[name]) for name in names}
    return levels, "/".join(levels.values())


def _row(row: Prompt) -> dict[str, str]:
    told = {name: value for name, value in row.facts.items() if name != PERSPECTIVE}
    return {} if row.context else {prompts.ROW: dumped(told).decode("utf-8", "backslashreplace")}


def _background(context: str) -> str:
    begin, end = context.find("{"), context.rfind("}")
    return context[begin : end + 1] if 0 <= begin < end else context or _NO_BACKGROUND
