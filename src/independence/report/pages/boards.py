"""Which boards a store holds, and what each of them is about."""

from __future__ import annotations

import hashlib
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from typing import Final, NamedTuple

import msgspec

from independence.config import plugins
from independence.errors import UsageError
from independence.judge import kinds
from independence.report import analysis
from independence.report.analysis import BoardOptions
from independence.report.board import board as report_board
from independence.report.board import board_data, judge_choice
from independence.report.board.board_data import SubjectInfo
from independence.report.board.rows import STRICT
from independence.report.pages import slugs
from independence.report.pages.schema import BoardInfo, JudgeInfo, ScoringInfo
from independence.store import queries, scopes
from independence.store.queries import UNDER
from independence.store.scopes import BoardScope
from independence.suites import load, persona_suite
from independence.suites.schema import Suite
from independence.types import Where, grouped

NO_JUDGE: Final = "none"
"""In the paths of a board on which nothing is judged."""

_CONTENTS: Final = (
    "SELECT suite, edition, wording FROM editions ORDER BY 1, 2",
    "SELECT suite, edition, configurations FROM verifications ORDER BY 1, 2",
    "SELECT suite, edition, config_dir, label, model_id FROM subjects ORDER BY 1, 2, 3",
    "SELECT suite, edition, variant, text FROM personas ORDER BY 1, 2, 3",
    "SELECT suite, edition, variant, mode, config_dir, scenario, run, trial FROM planned ORDER BY 1, 2, 3, 4, 5, 6, 7",
    "SELECT trial, turn, version, after FROM calls ORDER BY 1, 2, 3",
    "SELECT key, missing, judged_at FROM verdicts ORDER BY 1",
    "SELECT key FROM artefacts ORDER BY 1",
    "SELECT suite, edition, variant, config_dir, run, extractor, extracted_at FROM names ORDER BY 1, 2, 3, 4, 5, 6",
    "SELECT suite, edition, sides, margin, runs, planned_at FROM decisions ORDER BY 1, 2, 3",
    "SELECT trial, what, failed_at FROM failures ORDER BY 1, 2, 3",
    "SELECT id, last_at, spent_usd FROM sessions ORDER BY 1",
)


class BoardScoring(NamedTuple):
    """A way in which a board is scored."""

    rule: str
    conditions: int = 0  # of all conditions together, and how many they are; 0: of its own

    @property
    def info(self) -> ScoringInfo:
        """What documents say of it."""
        if not self.conditions:
            return ScoringInfo(self.rule, self.rule)
        return ScoringInfo(f"{self.rule}, {self.conditions} conditions pooled", f"{self.rule}-pooled")


class BlockKey(NamedTuple):
    """Where dialogues lie."""

    unit: str  # slug
    bucket: int
    tens: int


class SiteBoard(NamedTuple):
    """One board: where it is in the store, what is said of it, and its subjects by their keys, in their order."""

    scope: BoardScope
    info: BoardInfo
    about: dict[str, SubjectInfo]
    slugs: dict[str, str]
    runs: dict[str, int]  # the highest number of a run
    units: dict[str, str]  # scenario that was planned -> slug of its unit, in the order of the suite
    scenarios: dict[str, list[str]]  # the same the other way round
    members: dict[int, list[str]]  # bucket -> keys
    blocks: dict[BlockKey, int]  # how many dialogues lie in each, in the order of paths
    scorings: dict[str, BoardScoring]  # by slug; without an index as if it were strict

    def options(self, judge: str | None, scoring: str) -> BoardOptions:
        """How its analysis is to read it; `scoring`: a slug. Raises KeyError for an unknown one."""
        chosen = self.scorings[scoring]
        return BoardOptions(chosen.rule, judge, pooled=chosen.conditions > 0)

    def judge(self, judge_slug: str) -> str | None:
        """The judge of that slug; None for a board on which nothing is judged. Raises KeyError.

        A page that was opened before the first verdict goes on asking without a judge: it has the usual one.
        """
        if judge_slug == NO_JUDGE:
            return self.info.judges[0].name if self.info.judges else None
        return {one.slug: one.name for one in self.info.judges}[judge_slug]

    def block_path(self, slug: str, scenario: str, run: int) -> str:
        """The path of the block that holds a dialogue."""
        bucket, tens = slugs.bucket(slug, self.info.buckets), slugs.tens(run)
        return f"{self.info.id}/text/{self.units[scenario]}/{bucket}.{tens}.json"

    @property
    def judge_slugs(self) -> list[str]:
        """Of paths, the usual judge's first."""
        return [one.slug for one in self.info.judges] or [NO_JUDGE]


def dataset(connection: sqlite3.Connection) -> str:
    """Eight hexadecimal digits that change with anything a document shows."""
    found = hashlib.sha256()
    for sql in _CONTENTS:
        for row in connection.execute(sql):
            found.update(repr(row).encode("utf-8", "surrogatepass"))
    return found.hexdigest()[:8]


def check_rule(suite: Suite, rule: str) -> None:
    """Raises UsageError where a suite cannot be scored by a rule, or there is none of that name."""
    analysis.refuse(suite, ["--scoring"])
    if rule != STRICT:
        report_board.rule(rule).check(suite, rule)


def check_rule_of_any(suites: Iterable[Suite], rule: str) -> None:
    """Raises UsageError where none of these suites can be scored by a rule."""
    refused = None
    for suite in suites:
        try:
            check_rule(suite, rule)
        except UsageError as error:
            refused = error
        else:
            return
    if refused is not None:
        raise refused


def boards(connection: sqlite3.Connection, rule: str | None = None) -> list[SiteBoard]:
    """Every board, the edition used last first, in it the condition tested last; editions of one wording are one.

    `rule`: by which boards are scored at first where they can be, beside strict scoring; None: strictly at first, and
    by every rule of ours.
    """
    out, seen = [], set[Where]()
    for edition in queries.editions(connection):
        planned = queries.planning(connection, edition.where)
        conditions = scopes.conditions(connection, edition.where.edition_name)
        conditions.sort(key=lambda scope: planned[scope.condition], reverse=True)
        for scope in sorted(conditions, key=_is_baseline):
            if scope.where not in seen:
                whole = scopes.with_same_wording(connection, scope)
                seen |= {one.where for one in whole.editions}
                out.append(_board(connection, whole, rule))
    return out


def _is_baseline(scope: BoardScope) -> bool:
    """Whether it is the condition beside which a persona's prompt is shown."""
    return scope.suite.analysis == persona_suite.ANALYSIS and scope.condition.variant == persona_suite.BASELINE


def of_place(connection: sqlite3.Connection, scope: BoardScope, options: BoardOptions) -> SiteBoard:
    """The board of one place, under one judge and scored in one way alone."""
    board = _board(connection, scope, None if options.scoring == STRICT else options.scoring)
    pooled = len(queries.conditions(connection, scope.where)) if options.pooled else 0
    scoring = BoardScoring(options.scoring, pooled)
    judges = board.info.judges  # the usual one first
    info = msgspec.structs.replace(
        board.info, judges=tuple(one for one in judges if one.name == options.judge) if options.judge else judges[:1],
        scorings=(scoring.info,) if board.info.scorings else (),
    )  # fmt: skip
    return board._replace(info=info, scorings={scoring.info.slug: scoring})


def _board(connection: sqlite3.Connection, scope: BoardScope, rule: str | None) -> SiteBoard:
    suite, where = scope.suite, scope.where
    places = _places(connection, scope)
    keys = {key: slugs.slug(key) for key in sorted({place.key for place in places})}
    everybody = board_data.everybody(connection, scope)
    about = {key: everybody[key] for key in keys}
    units, buckets = _units(suite, {place.scenario for place in places}), slugs.buckets(len(keys))
    judges = _judges(connection, scope)
    unfinished = any(there.settled < there.turns for there in places.values())
    scorings = {one.info.slug: one for one in _scorings(connection, scope, keys, rule)} if judges else {}
    info = BoardInfo(
        id=slugs.slug(f"{where.edition_name} {where.condition}"), suite=suite.suite, title=suite.title,
        edition=scope.edition, editions=tuple(one.edition for one in scope.editions),
        variant=scope.condition.variant, mode=scope.condition.mode, language=suite.language, analysis=suite.analysis,
        ranked=suite.index is not None and has_board(suite),
        imported=all(queries.imported(one.edition) for one in scope.editions),
        own_prompt=any(_brought(connection, one) for one in scope.editions), judges=tuple(judges),
        scorings=tuple(one.info for one in scorings.values()), subjects=len(keys),
        simulated=sum(one.simulated for one in about.values()), scenarios=len(units),
        dialogues=len(places), answers=sum(there.answers for there in places.values()),
        verdicts=sum(one.verdicts for one in judges),
        provisional=unfinished or not judges or judges[0].verdicts < len(places), buckets=buckets,
    )  # fmt: skip
    members = {key: slugs.bucket(slug, buckets) for key, slug in keys.items()}
    runs = {place.key: place.run for place in sorted(places, key=lambda place: place.run)}  # the last one stays
    blocks = Counter(BlockKey(units[one.scenario], members[one.key], slugs.tens(one.run)) for one in places)
    return SiteBoard(
        scope=scope, info=info, about=about, slugs=keys, runs=runs, units=units,
        scenarios=grouped(units, units.__getitem__), members=grouped(members, members.__getitem__),
        blocks=dict(sorted(blocks.items())), scorings=scorings or {STRICT: BoardScoring(STRICT)},
    )  # fmt: skip


def _scorings(
    connection: sqlite3.Connection, scope: BoardScope, keys: Collection[str], rule: str | None
) -> Iterator[BoardScoring]:
    """In which ways a board can be scored; pooled only where all who stand on the pooled board stand on this one."""
    offered = [rule, STRICT] if rule else [STRICT, *plugins.ours(plugins.SCORING)]
    fitting = []
    for name in dict.fromkeys(offered):
        own = scope.suite.index and scope.suite.index.published_rule
        if rule is not None or name != own:  # that is `published`
            with suppress(UsageError):
                check_rule(scope.suite, name)
                fitting.append(name)
    yield from map(BoardScoring, fitting)
    conditions = len(queries.conditions(connection, scope.where))
    if conditions > 1 and queries.subjects(connection, scope.where).keys() == {*keys}:
        yield from (BoardScoring(name, conditions) for name in fitting)


def has_board(suite: Suite) -> bool:
    """Whether an analysis makes a board of it; its dialogues are shown where the package that has it is missing."""
    try:
        return analysis.has_board(suite)
    except UsageError:
        return False


def _units(suite: Suite, planned: Collection[str]) -> dict[str, str]:
    """The unit of every planned scenario: its cell in a grid, else the scenario itself."""
    known = {one.id: one.cell or one.id for one in suite.scenarios}
    order = [*(name for name in known if name in planned), *sorted(set(planned) - known.keys())]
    return {name: slugs.slug(known.get(name, name)) for name in order}


def _brought(connection: sqlite3.Connection, scope: BoardScope) -> bool:
    """Whether the system prompt is somebody's own: a persona, or of a suite that does not come with this package."""
    if queries.imported(scope.edition):
        return False
    return (
        scope.condition.variant in queries.personas(connection, scope.where) or scope.suite.suite not in load.built_in()
    )


class DialoguePlace(NamedTuple):
    """A planned dialogue of a board."""

    key: str  # of its subject
    scenario: str
    run: int


class _Answers(NamedTuple):
    """How many turns a dialogue has, how many are settled, and to how many there is an answer."""

    turns: int
    settled: int
    answers: int


def _places(connection: sqlite3.Connection, scope: BoardScope) -> dict[DialoguePlace, _Answers]:
    """Every planned dialogue, with what is there of it.

    One that several editions use counts once.
    """
    sql = (
        "SELECT p.config_dir, p.scenario, p.run, t.turns, count(c.trial), count(c.trial) - count(c.missing) "
        "FROM planned p JOIN trials t ON t.key = p.trial LEFT JOIN calls c ON c.trial = p.trial AND c.version = 0 "
        f"WHERE {UNDER} GROUP BY p.config_dir, p.scenario, p.run"
    )
    out: dict[DialoguePlace, _Answers] = {}
    for one in scope.editions:
        for config_dir, scenario, run, *counts in connection.execute(sql, one.where.columns):
            if config_dir not in one.aside:
                out.setdefault(DialoguePlace(scope.key(one.where, config_dir), scenario, run), _Answers(*counts))
    return out


def _judges(connection: sqlite3.Connection, scope: BoardScope) -> list[JudgeInfo]:
    """Everybody who gave a verdict, the usual one first."""
    there = judge_choice.judges(connection, [edition.where for edition in scope.editions])
    usual = judge_choice.usual_judge(there)
    valid = {one.judge: one.valid for one in there}
    return [
        JudgeInfo(name, slugs.slug(name), kinds.of(name).word or "model", valid[name])
        for name in sorted(valid, key=lambda name: (name != usual, -valid[name], name))
    ]
