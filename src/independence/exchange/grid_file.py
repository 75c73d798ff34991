"""Makes a suite of the prompts of a grid file, so that they can be asked, or answers to them kept.

The rubric, the sides and how dialogues are delivered stay those of the suite that the rows are laid over. Rows with
the facts of its scenarios keep its cells; otherwise a cell is what the facts of all sides have in common.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from shlex import quote
from typing import NamedTuple

import msgspec

from independence.engine import dialogue, plan
from independence.engine.plan import Selection
from independence.errors import DocumentError, UsageError
from independence.exchange import grid_rows, streamed_files
from independence.exchange.grid_rows import FACTORS, PERSPECTIVE, EditedPrompt, GridRow, PromptRecord, grid_row, parse
from independence.suites import digest
from independence.suites.load import LoadedSuite
from independence.suites.schema import Grid, Scenario, Side, Suite, Turn
from independence.suites.template import slots
from independence.types import Condition

RoleTexts = tuple[tuple[str, str], ...]  # role and text of each message
FACTS = "facts"  # what a rubric quotes of the background
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_KNOWN_TO_ONE = ("tenant_quality", "landlord_quality")  # what one side holds of the other
_NO_BACKGROUND = "(no background was given)"
_NOTHING = "none"
_SHAPE = "write a system prompt, a second system message with a background or none, and one user message"
_FORM = "a prompt has `prompt_id`, `factors` and `messages`, as in a published grid"
_TWICE = "give every prompt an id of its own"
_WRITES = "`independence suites grid {} --output FILE` writes one"


class PromptWords(NamedTuple):
    """A row of a grid and its messages, empty where it has none of that kind."""

    row: GridRow
    system: str
    context: str
    human: str

    @property
    def texts(self) -> RoleTexts:
        """The messages that there are."""
        every = (("system", self.system), ("system", self.context), ("user", self.human))
        return tuple((role, text) for role, text in every if text)


class _PromptMessage(msgspec.Struct, frozen=True):
    role: str
    content: str


def role_texts(messages: msgspec.Raw) -> RoleTexts:
    """Messages as role and text; empty where there are none of this form."""
    try:
        found = msgspec.json.decode(messages, type=list[_PromptMessage])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ()
    return tuple((message.role, message.content.strip()) for message in found)


def prompt_words(record: PromptRecord, suite: Suite) -> PromptWords:
    """The words of a prompt. Raises UsageError where it cannot be asked."""
    if not _ID.fullmatch(record.prompt_id):
        raise UsageError(f"`prompt_id` {record.prompt_id!r} is none:", "letters, digits, dots, dashes and underscores")
    row, sides = grid_row(record.prompt_id, record.factors), list(suite.grid.sides) if suite.grid else []
    if row.side not in sides:
        raise UsageError(f"`perspective` of `factors` is `{row.side}`", f"suite {suite.suite} knows {', '.join(sides)}")
    found = role_texts(record.messages)
    roles = [role for role, _ in found]
    if roles not in (["user"], ["system", "user"], ["system", "system", "user"]) or not found[-1][1]:
        raise UsageError("`messages` are of another form", _SHAPE)
    slot = next((name for _, text in found for name in slots(text)), None)
    if slot:
        raise UsageError("a prompt is taken as it is written", f"`{{{{{slot}}}}}` would not be filled")
    texts = [text for _, text in found]
    return PromptWords(row, texts[0] if len(texts) > 1 else "", texts[1] if len(texts) == 3 else "", texts[-1])


def read_grid(file: Path, base: LoadedSuite) -> LoadedSuite:
    """The suite whose dialogues are the rows of a grid file, graded as `base` is; what is wrong first is named by line.

    Raises UsageError, DocumentError.
    """
    suite = base.suite
    if suite.grid is None:
        raise UsageError(f"suite {suite.suite} has no grid", "name one that has with --suite, such as `rent`")
    if len(suite.rubrics[suite.grid.rubric].fields) > 1:
        raise UsageError(f"suite {suite.suite} needs more than the words of a grid file", "--suite rent takes one")
    if not file.exists():
        raise UsageError(f"{file}: no file here", _WRITES.format(quote(suite.suite)))
    rows: dict[str, tuple[int, PromptWords]] = {}
    for number, line in streamed_files.lines(file):
        record = parse(file, number, line, EditedPrompt, _FORM).record
        try:
            one = prompt_words(record, suite)
        except UsageError as error:
            raise DocumentError(str(file), number, error.what, error.fix) from error
        first, _ = rows.setdefault(one.row.prompt_id, (number, one))
        if first != number:
            what = f"prompt_id `{one.row.prompt_id}` occurs in line {first} already"
            raise DocumentError(str(file), number, what, _TWICE)
    if not rows:
        raise UsageError(f"{file}: no prompt in it", _WRITES.format(quote(suite.suite)))
    return suite_of([one for _, one in rows.values()], base)


def suite_of(every: Sequence[PromptWords], base: LoadedSuite) -> LoadedSuite:
    """The suite whose dialogues are these rows, and its edition; `base` itself where the words are the same."""
    suite = base.suite
    assert suite.grid is not None
    if first_requests(suite) == {one.row.prompt_id: one.texts for one in every}:
        return base
    placed = grid_rows.matching_scenarios(suite, [one.row for one in every])
    systems = {one.system for one in every}
    shared = every[0].system if len(systems) == 1 else ""
    known = {scenario.id: scenario for scenario in suite.scenarios} if all(placed) else {}
    made = tuple(
        _scenario(suite, one, known.get(at or ""), "" if shared else one.system)
        for one, at in zip(every, placed, strict=True)
    )
    asking = {one.row.side for one in every}
    kept = [side for place, side in enumerate(suite.grid.sides) if place < 2 or side in asking]
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


def first_requests(suite: Suite) -> dict[str, RoleTexts]:
    """Scenario -> the messages of its first request."""
    return {
        one.scenario.id: tuple((message.role, message.content or "") for message in dialogue.opening(one))
        for one in plan.dialogues(suite, Selection((Condition(suite.default.variant, suite.default.mode),), runs=1))
    }


def grid_lines(suite: Suite, scenarios: Iterable[str]) -> list[bytes]:
    """The grid file of a suite: one line a prompt, in the published names and order."""
    asked, wanted = first_requests(suite), set(scenarios)
    return [
        json.dumps({
            "prompt_id": scenario.id, "factors": grid_rows.factors(scenario),
            "messages": [{"role": role, "content": text} for role, text in asked[scenario.id]],
        }, ensure_ascii=False).encode()
        for scenario in suite.scenarios if scenario.id in wanted
    ]  # fmt: skip


def _scenario(suite: Suite, own: PromptWords, known: Scenario | None, system: str) -> Scenario:
    """The scenario of a row; where `known` has not the same facts, its cell is what all sides have in common."""
    assert suite.grid is not None
    name, side, said = own.row.prompt_id, own.row.side, own.row.facts
    shared = [fact for fact in FACTORS if fact != PERSPECTIVE and fact not in _KNOWN_TO_ONE]
    factors = {fact: _NOTHING if said.get(fact) is None else str(said[fact]) for fact in shared}
    factors, cell = (known.factors, known.cell) if known else (factors, "/".join(factors.values()))
    facts = {}
    if known is None or known.context != own.context:
        begin, end = own.context.find("{"), own.context.rfind("}")
        facts[FACTS] = own.context[begin : end + 1] if 0 <= begin < end else own.context or _NO_BACKGROUND
        if not own.context:
            row = {fact: value for fact, value in said.items() if fact != PERSPECTIVE}
            facts[grid_rows.ROW] = json.dumps(row, ensure_ascii=False)
    return Scenario(
        id=name, experiment=suite.grid.experiment, title=f"{cell}, {side} asks",
        turns=(Turn(human=own.human, id=f"{name}_turn"),), rubric=suite.grid.rubric, system=system,
        context=own.context, factors=factors, vars={**(known.vars if known else {}), **facts}, side=side, cell=cell,
    )  # fmt: skip
