"""Makes a suite of the prompts of a grid file, so that they can be asked, or answers to them kept.

The rubric, the sides and how dialogues are delivered stay those of the suite that the rows are laid over. Rows with
the facts of its scenarios keep its cells; otherwise a cell is what the facts of all sides have in common. The answers
of a run folder belong to the published words, or to words that make an edition of their own.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from independence.engine import dialogue, plan
from independence.engine.plan import Selection
from independence.errors import DocumentError, UsageError
from independence.exchange.rent import folder, prompts
from independence.exchange.rent.folder import RentFolder
from independence.exchange.rent.prompts import PERSPECTIVE, GridRow, grid_row
from independence.exchange.rent.records import FACTORS, LinePosition, ParsedLine, PromptRecord, parse, to_json
from independence.store.queries import PUBLISHED
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
_SHAPE = "`messages` are a system prompt, a second system message with a background or none, and one user message"
_WRITES = "`independence suites grid {} --out FILE` writes one"
# The first 8 hex digits of the digests of the messages that the published run of October 2025 was asked.
_DIGESTS = (
    "004193c202921f3e04237aab04431938056dc9d205a5d75105e95d1b108a859d12ce53a914d7190718282c321a05f1f8"
    "1b773432203e0b9620c8b46722d1aa3222f7d4142421b4c82eb79ff6364f661636c7f1413d4b55823f7fcd7f40f09223"
    "464573db4c9f912a4e9e680251e86ba75aa4488e5ae89026606d56f0616e7c516638d17167e1eb9f6a66bee470db583b"
    "71a34bf6777f57057bbcba227c8b85497d9ca24a8477ce5386c7db728826fe7a8a79fb7c900a34f492179d7092fbef86"
    "93b9e5f094d9c90b9cfbbedd9eb0d4aaa2d011dca8033aefb53a9d79b80ff2e5b820c153bb831c27bc474ea6c116107a"
    "c3f5b558c4d8a179c6577a7ec9add9edcd2b6e7bcdf1031bcf87386ad0595bfed1b612ecd42fce03d535abe6d76eaedd"
    "db9c3d40e305ba72e4b2a5f9e9326d98ead582fceb8c3c26edd05875eecbb336f0f2add0f7716028f8e4e384fd33c579"
)
_PUBLISHED = frozenset(_DIGESTS[at : at + 8] for at in range(0, len(_DIGESTS), 8))


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


class FolderEdition(NamedTuple):
    """The suite that a folder's answers were given to, and the edition they are kept under."""

    suite: Suite
    name: str
    words: Mapping[str, RoleTexts]  # prompt id -> its messages; empty for the published ones

    def fits(self, prompt_id: str, texts: RoleTexts) -> bool:
        """Whether these are the words of this edition. Of a record without words nothing else is known."""
        if not texts:
            return not self.words or prompt_id in self.words
        return self.words[prompt_id] == texts if prompt_id in self.words else not self.words and _published(texts)


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


def prompt_words(at: LinePosition, record: PromptRecord, suite: Suite) -> PromptWords:
    """The words of a prompt. Raises ValueError with the reason where it cannot be asked."""
    if not _ID.fullmatch(record.prompt_id):
        raise ValueError(f"`prompt_id` {record.prompt_id!r} is none: letters, digits, dots, dashes and underscores")
    row, sides = grid_row(at, record.prompt_id, record.factors), list(suite.grid.sides) if suite.grid else []
    if row.side not in sides:
        raise ValueError(f"`perspective` of `factors` is `{row.side}`; suite {suite.suite} knows {', '.join(sides)}")
    found = role_texts(record.messages)
    roles = [role for role, _ in found]
    if roles not in (["user"], ["system", "user"], ["system", "system", "user"]) or not found[-1][1]:
        raise ValueError(_SHAPE)
    slot = next((name for _, text in found for name in slots(text)), None)
    if slot:
        raise ValueError(f"a prompt is taken as it is written; `{{{{{slot}}}}}` would not be filled")
    texts = [text for _, text in found]
    return PromptWords(row, texts[0] if len(texts) > 1 else "", texts[1] if len(texts) == 3 else "", texts[-1])


def read_grid(file: Path, base: LoadedSuite) -> LoadedSuite:
    """The suite whose dialogues are the rows of a grid file, graded as `base` is; what is wrong first is named by line.

    Raises UsageError, DocumentError.
    """
    suite = base.suite
    if suite.grid is None:
        raise UsageError(f"suite {suite.suite} has no grid", "name one that has with --suite, such as `rent`")
    if suite.analysis != "stance_csv":
        raise UsageError(f"suite {suite.suite} needs more than the words of a grid file", "--suite rent takes one")
    if not file.is_file():
        raise UsageError(f"{file}: no file here", _WRITES.format(suite.suite))
    rows: dict[str, PromptWords] = {}
    for at, line in folder.lines(file):
        one = _edited(file, at, line, suite)
        if before := rows.get(one.row.prompt_id):
            what = f"prompt_id `{one.row.prompt_id}` occurs in line {before.row.at.number} already"
            raise DocumentError(str(file), at.number, what)
        rows[one.row.prompt_id] = one
    if not rows:
        raise UsageError(f"{file}: no prompt in it", _WRITES.format(suite.suite))
    return suite_of(list(rows.values()), base)


def _edited(file: Path, at: LinePosition, line: bytes, suite: Suite) -> PromptWords:
    try:
        one = parse(at, line, PromptRecord)
        if one.unknown:
            raise ValueError(f"unknown key `{one.unknown[0]}`; a prompt has prompt_id, factors and messages")
        if one.wrong:
            raise ValueError(f"`{one.wrong[0]}` has another type than in a published grid")
        return prompt_words(at, one.record, suite)
    except ValueError as error:
        raise DocumentError(str(file), at.number, str(error)) from error


def suite_of(every: Sequence[PromptWords], base: LoadedSuite) -> LoadedSuite:
    """The suite whose dialogues are these rows, and its edition; `base` itself where the words are the same."""
    suite = base.suite
    assert suite.grid is not None
    if first_requests(suite) == {one.row.prompt_id: one.texts for one in every}:
        return base
    placed = prompts.matching_scenarios(suite, [one.row for one in every])
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
        to_json({
            "prompt_id": scenario.id, "factors": prompts.factors(scenario),
            "messages": [{"role": role, "content": text} for role, text in asked[scenario.id]],
        })
        for scenario in suite.scenarios if scenario.id in wanted
    ]  # fmt: skip


def _scenario(suite: Suite, own: PromptWords, known: Scenario | None, system: str) -> Scenario:
    assert suite.grid is not None
    name, side = own.row.prompt_id, own.row.side
    factors, cell = (known.factors, known.cell) if known else _cell(own.row.facts)
    same = known is not None and known.context == own.context
    facts = {} if same else {FACTS: _background(own.context), **_row_facts(own)}
    return Scenario(
        id=name, experiment=suite.grid.experiment, title=f"{cell}, {side} asks",
        turns=(Turn(human=own.human, id=f"{name}_turn"),), rubric=suite.grid.rubric, system=system,
        context=own.context, factors=factors, vars={**(known.vars if known else {}), **facts}, side=side, cell=cell,
    )  # fmt: skip


def _cell(facts: Mapping[str, object]) -> tuple[dict[str, str], str]:
    """Factor levels and name of a cell, by the facts that all sides know."""
    names = [name for name in FACTORS if name != PERSPECTIVE and name not in _KNOWN_TO_ONE]
    levels = {name: _NOTHING if facts.get(name) is None else str(facts[name]) for name in names}
    return levels, "/".join(levels.values())


def _row_facts(own: PromptWords) -> dict[str, str]:
    facts = {name: value for name, value in own.row.facts.items() if name != PERSPECTIVE}
    return {} if own.context else {prompts.ROW: to_json(facts).decode("utf-8", "backslashreplace")}


def _background(context: str) -> str:
    begin, end = context.find("{"), context.rfind("}")
    return context[begin : end + 1] if 0 <= begin < end else context or _NO_BACKGROUND


def folder_edition(files: RentFolder, base: LoadedSuite) -> FolderEdition:
    """The edition of a folder: `published`, where any of its prompts has those words, else one by its own words."""
    read = _prompts(files)
    every = [texts for one in read if (texts := role_texts(one.record.messages))]
    own = []
    if base.suite.grid is not None and not any(map(_published, every)):
        own = list(_with_words(read, base.suite))
    if not own:
        return FolderEdition(base.suite, PUBLISHED, {})
    made = suite_of(own, base)
    return FolderEdition(made.suite, f"{PUBLISHED}-{made.edition}", first_requests(made.suite))


def _with_words(read: Iterable[ParsedLine[PromptRecord]], suite: Suite) -> Iterator[PromptWords]:
    for one in read:
        with suppress(ValueError):  # the reader names its answers as those to a prompt that is not known
            yield prompt_words(one.at, one.record, suite)


def _prompts(files: RentFolder) -> list[ParsedLine[PromptRecord]]:
    """The prompts of a folder: those of its grid, then those that only records hold, each by its first record."""
    found: dict[str, ParsedLine[PromptRecord]] = {}
    for file in filter(None, (files.prompts, files.answers, files.scored)):
        for at, line in folder.lines(file):
            with suppress(ValueError):  # the reader names lines that hold no record
                one = parse(at, line, PromptRecord)  # other records hold the same three keys
                if one.record.prompt_id:
                    found.setdefault(one.record.prompt_id, one)
    return list(found.values())


def _published(texts: RoleTexts) -> bool:
    text = json.dumps(texts, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:8] in _PUBLISHED
