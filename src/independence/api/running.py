"""Running and grading: the functions behind `run`, `rerun`, `judge` and `demo`."""

from __future__ import annotations

import asyncio
import functools
import inspect
import sqlite3
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple, TypedDict, Unpack

import msgspec

from independence.api.results import BoardResult, printed
from independence.clients.listing import ServerPages
from independence.config.endpoints import Endpoint
from independence.config.keywords import from_settings
from independence.config.options import (
    PROFILE,
    ConnectionOptions,
    GradeOptions,
    RerunOptions,
    RunOptions,
)
from independence.config.settings import GradeSettings, RerunSettings, RunSettings
from independence.config.signatures import spelled_out
from independence.engine import pipeline, rerunning, resolve, resume
from independence.engine.concurrency import StopSignal
from independence.engine.event_loop import drive_anywhere
from independence.engine.events import Event
from independence.engine.pipeline import Resolver, RunEnding, RunPreview
from independence.engine.resolve import RunPlan
from independence.engine.service import Hooks
from independence.errors import IndependenceError, Interrupted, UsageError
from independence.exchange import grid_file, requests
from independence.judge import kinds
from independence.report import analysis
from independence.report.analysis import RenderedBoard
from independence.report.board import board, board_data, judge_choice
from independence.report.files import html
from independence.report.sections import runs
from independence.stats.allocation import RunNoise
from independence.store import endings, queries, spending
from independence.store.file.database import reading, writing
from independence.store.scopes import BoardScope
from independence.suites import battery, digest, load, profile, scenario_part
from independence.suites.load import LoadedSuite
from independence.testing.sim import deciders, panel, personas

DEFAULT_STORE = Path("independence.db")
Approve = Callable[[RunPreview], bool | Awaitable[bool]]
Adapted = Callable[[sqlite3.Connection, RunPlan], RunPlan]
ALONE = Hooks()
_DEMO_RUNS = 10
NOTHING_USD: Final = 1e-9


class CallerSettings(TypedDict, total=False):
    """What `run`, `rerun`, `grade`, `check` and `decide` take beside options."""

    store: Path | str
    on_event: Callable[[Event], None] | None
    approve: Approve | None
    hooks: Hooks


class RunKeywords(RunSettings, CallerSettings, total=False):
    """Of `run`."""

    command: str


class RerunKeywords(RerunSettings, CallerSettings, total=False):
    """Of `rerun`."""


class GradeKeywords(GradeSettings, CallerSettings, total=False):
    """Of `grade`."""


class EstimateKeywords(RunSettings, total=False):
    """Of `estimate_cost`."""

    store: Path | str


class RunResult(RunEnding, frozen=True, kw_only=True, dict=True):
    """How a run ended, and its boards."""

    store: Path
    parts: Mapping[str, RunResult] = MappingProxyType({})  # of a profile, by name, those that were begun

    @cached_property
    def boards(self) -> list[BoardResult]:
        """A board for each condition and judge of the run; none where nothing is graded yet, or never will be."""
        run = self.run
        if self.parts:
            return [board for part in self.parts.values() for board in part.boards]
        with reading(self.store) as connection:
            if not (run.judges and analysis.has_board(run.suite) and endings.answered(connection, run.where)):
                return []
            conditions = dict.fromkeys(trial.dialogue.condition for trial in run.trials)
            places = [BoardScope(run.suite, run.where.under(condition)) for condition in conditions]
            asked = [analysis.BoardOptions(judge=judge.name) for judge in run.judges]
            return [BoardResult(analysis.board(connection, place, one)) for place in places for one in asked]

    @property
    def board(self) -> BoardResult:
        """The first of the boards. Raises UsageError where there is none."""
        if not self.boards:
            raise UsageError(f"this run of {self.run.where.edition_name} has no board", "grade its dialogues first")
        return self.boards[0]

    def __repr__(self) -> str:
        state = "complete" if self.complete else "incomplete" if self.started else "not started"
        missing = "".join(f", {count} {reason}" for reason, count in self.missing.items())
        title = f"{state}: {self.run.where.edition_name}, {self.left.planned} dialogues{missing}, ${self.spent_usd:.4f}"
        try:
            return printed(title, *(one.built.narrow[0] for one in self.boards[:1]))
        except IndependenceError:  # the store is gone or in use
            return title

    def _repr_html_(self) -> str:
        """The boards for a notebook, all of it escaped."""
        return html.fragment([table for one in self.boards for table in one.tables])


@spelled_out(RunSettings)
async def arun(
    options: RunOptions | str = "v2",
    *,
    store: Path | str = DEFAULT_STORE,
    on_event: Callable[[Event], None] | None = None,
    approve: Approve | None = None,
    hooks: Hooks = ALONE,
    command: str = "run",
    **settings: Unpack[RunSettings],
) -> RunResult:
    """Run a suite: ask its models what is not stored yet, grade it, and say what is left.

    `options` is a RunOptions, or a suite with the fields of RunOptions and of what it holds as keywords:
    `await arun("v2", models=["sim/half"], judges=["cues"], runs=1, max_cost=2.5, temperature=0.3)`.
    `on_event` hears of every answer and verdict. `approve` is shown what will be asked and what it will cost, and says
    whether to go on; without it the run goes on. `hooks` is for programs that do more around a run, `command` what the
    ledger of the store calls it. Cancelled, a run stops in order: calls that were sent are waited for and stored, and
    the same call resumes. Raises IndependenceError.
    """
    asked = from_settings(RunOptions, options, "suite", settings, command)
    if asked.suite == PROFILE:
        return await _profile(asked, Path(store), approve, hearing(hooks, on_event), command)
    return await stage(asked, Path(store), approve, hearing(hooks, on_event), command)


async def _profile(asked: RunOptions, store: Path, approve: Approve | None, hooks: Hooks, command: str) -> RunResult:
    """The parts of a profile one after the other, after all of them were priced and approved together."""
    parts, previews = profile.options(asked), dict[str, RunPreview]()
    for name, part in parts.items():

        def priced(preview: RunPreview, name: str = name) -> bool:
            previews[name] = preview
            return False

        result = await stage(part, store, priced, hooks, command)
    whole = pipeline.together(previews)
    if not await _approved(approve, whole) or asked.connection.dry_run:
        return msgspec.structs.replace(result, run=whole.run, left=whole.left)
    done, halts = dict[str, RunResult](), list[StopSignal]()

    def on_started(halt: StopSignal) -> None:
        if halts and halts[-1].reason is not None:
            halt.stop(halts[-1].reason)  # Ctrl-C between two parts
        halts.append(halt)
        hooks.on_started(halt)

    for name, part in parts.items():
        cap, spent = asked.connection.max_cost, sum(one.spent_usd for one in done.values())
        left = None if cap is None else max(cap - spent, NOTHING_USD)
        capped = msgspec.structs.replace(part, connection=msgspec.structs.replace(part.connection, max_cost=left))
        done[name] = await stage(capped, store, None, hooks._replace(on_started=on_started), command)
        if done[name].stopped_by is not None:
            break
    return _together(done)


def _together(parts: Mapping[str, RunResult]) -> RunResult:
    """How the parts of a profile ended, as one; what stopped the last of them is what ended it."""
    every = list(parts.values())
    sums = {name: sum(getattr(one, name) for one in every) for name in ("skipped", "spent_usd", "unknown_usd")}
    why = {reason: told for one in reversed(every) for reason, told in one.why.items()}
    left, unsettled = resume.together([one.left for one in every]), [one.unsettled for one in every if one.unsettled]
    told = "; ".join(dict.fromkeys(unsettled))
    return msgspec.structs.replace(every[-1], left=left, why=why, unsettled=told, parts=parts, **sums)


async def stage(
    asked: RunOptions, store: Path, approve: Approve | None, hooks: Hooks, command: str,
    adapted: Adapted | None = None, *, spread: bool = False,
) -> RunResult:  # fmt: skip
    """`arun` of what is one stage of something larger, which may change the run that its options come to.

    `spread`: of a suite with an index, the calls of whole runs go to the scenarios whose scores vary most.
    """
    with writing(store, new=True) as connection:
        return await _carry_out(_resolver(asked, command, adapted, spread=spread), connection, store, approve, hooks)


@spelled_out(RunKeywords)
def run(options: RunOptions | str = "v2", **keywords: Unpack[RunKeywords]) -> RunResult:
    """`arun` for code that awaits nothing, with the same arguments.

    Where an event loop runs already, as in a notebook, this one has its own in another thread, and is waited for.
    """
    return drive_anywhere(arun(options, **keywords))


@spelled_out(RerunSettings)
async def arerun(
    options: RerunOptions | str | None = None,
    *,
    store: Path | str = DEFAULT_STORE,
    on_event: Callable[[Event], None] | None = None,
    approve: Approve | None = None,
    hooks: Hooks = ALONE,
    **settings: Unpack[RerunSettings],
) -> RunResult:
    """Ask stored subjects for more runs, in the words of their edition. The rest is as for `arun`."""
    asked = from_settings(RerunOptions, options, "suite", settings, "rerun")
    resolver = Resolver(
        lambda connection: rerunning.local_server(asked, connection),
        lambda connection, local: rerunning.rerun(
            asked,
            connection,
            lambda opened, scope: [(row.config, row.label) for row in board.board(opened, scope).rows],
            lambda opened, scope: judge_choice.usual_judge(queries.judges(opened, scope.where)),
            local,
        ),
    )
    with writing(Path(store), new=False) as connection:
        return await _carry_out(resolver, connection, Path(store), approve, hearing(hooks, on_event))


@spelled_out(RerunKeywords)
def rerun(options: RerunOptions | str | None = None, **keywords: Unpack[RerunKeywords]) -> RunResult:
    """`arerun` for code that awaits nothing, with the same arguments."""
    return drive_anywhere(arerun(options, **keywords))


@spelled_out(GradeSettings)
async def agrade(
    options: GradeOptions | str,
    *,
    store: Path | str = DEFAULT_STORE,
    on_event: Callable[[Event], None] | None = None,
    approve: Approve | None = None,
    hooks: Hooks = ALONE,
    **settings: Unpack[GradeSettings],
) -> RunResult:
    """Grade stored dialogues with another judge; verdicts are added, never overwritten.

    `options` is a GradeOptions, or a judge with the fields of GradeOptions as keywords. The rest is as for `arun`.
    """
    asked = from_settings(GradeOptions, options, "judges", settings, "grade")
    resolver = Resolver(
        lambda _: resolve.judging_server(asked),
        lambda connection, local: resolve.grading(asked, connection, requests.in_published_words, local),
    )
    with writing(Path(store), new=False) as connection:
        return await _carry_out(resolver, connection, Path(store), approve, hearing(hooks, on_event))


@spelled_out(GradeKeywords)
def grade(options: GradeOptions | str, **keywords: Unpack[GradeKeywords]) -> RunResult:
    """`agrade` for code that awaits nothing, with the same arguments."""
    return drive_anywhere(agrade(options, **keywords))


@spelled_out(RunSettings)
async def aestimate_cost(
    options: RunOptions | str = "v2", *, store: Path | str = DEFAULT_STORE, **settings: Unpack[RunSettings]
) -> RunPreview:
    """What a whole run would cost, as if nothing of it were stored. Nothing is written.

    No model is asked, except for one short answer from each on a server of the user's own, which says how long a run
    takes.
    """
    asked = from_settings(RunOptions, options, "suite", settings, "estimate_cost")
    asked = msgspec.structs.replace(asked, connection=msgspec.structs.replace(asked.connection, dry_run=True))
    with writing(Path(store), new=None) as connection:
        if asked.suite == PROFILE:
            parts = profile.options(asked).items()
            return pipeline.together({name: await pipeline.price(_resolver(one), connection) for name, one in parts})
        return await pipeline.price(_resolver(asked), connection)


@spelled_out(EstimateKeywords)
def estimate_cost(options: RunOptions | str = "v2", **keywords: Unpack[EstimateKeywords]) -> RunPreview:
    """`aestimate_cost` for code that awaits nothing, with the same arguments."""
    return drive_anywhere(aestimate_cost(options, **keywords))


class FinishedRun(NamedTuple):
    """The boards of a run, one for each condition and judge."""

    boards: list[RenderedBoard]
    total_usd: float  # of everything in the store


def finished(result: RunResult) -> FinishedRun:
    """What a run came to, as its store says."""
    with reading(result.store) as connection:
        return FinishedRun([one.built for one in result.boards], spending.session_total(connection))


def demo_options(suite: str, seed: int) -> RunOptions:
    """A suite on the simulated subjects for it, graded by rules; of a persona by the simulated judge."""
    named = load.load(suite).suite
    persona = Path(suite).suffix == load.PERSONA
    names: Collection[str] = panel.ADVISERS if named.grid else panel.PANEL
    if named.battery:
        names = ("brick", "mirror", "conceder", *deciders.CLIMBERS) if named.battery.ladder else deciders.DECIDERS
    elif persona:
        names = personas.PERSONAS
    return RunOptions(
        suite=suite,
        models=tuple(f"sim/{name}" for name in names),
        runs=1 if named.grid or named.battery or persona else _DEMO_RUNS,  # cells, stems and dialogues are the sample
        judges=("sim/judge" if persona else kinds.PICKS if named.battery else kinds.CUES,),
        seed=seed,
        connection=ConnectionOptions(parallel=len(names)),
    )


async def _carry_out(
    resolver: Resolver, connection: sqlite3.Connection, path: Path, approve: Approve | None, hooks: Hooks
) -> RunResult:
    """Resolve and run; cancelled, stop in order first."""
    stops: list[StopSignal] = []

    def on_started(halt: StopSignal) -> None:
        stops.append(halt)
        hooks.on_started(halt)

    approved = functools.partial(_approved, approve)
    watched = hooks._replace(on_started=on_started)
    work = asyncio.ensure_future(pipeline.run_pipeline(resolver, connection, path, approved, watched))
    try:
        return RunResult(**msgspec.structs.asdict(await asyncio.shield(work)), store=path)
    except asyncio.CancelledError:
        if stops and not work.done():
            stops[0].stop(Interrupted("interrupted"))
        else:
            work.cancel()
        with suppress(asyncio.CancelledError):
            await work  # a second cancellation reaches it
        raise


async def _approved(approve: Approve | None, preview: RunPreview) -> bool:
    """Whether to go on."""
    answer = True if approve is None else approve(preview)
    return await answer if inspect.isawaitable(answer) else answer


def hearing(hooks: Hooks, on_event: Callable[[Event], None] | None) -> Hooks:
    """Hooks whose events `on_event` hears too, where it is given."""
    return hooks._replace(on_event=on_event) if on_event else hooks


def _of_battery(options: RunOptions, loaded: LoadedSuite) -> tuple[RunOptions, LoadedSuite]:
    """What a battery makes of options: rules read it where no judge is named, and `--seed` draws its texts anew."""
    if loaded.suite.battery is None:
        return options, loaded
    part = options.part
    if part.sample_seed is not None:
        redrawn = battery.redrawn(loaded.suite, part.sample_seed)
        loaded = LoadedSuite(redrawn, digest.edition(redrawn))
        part = msgspec.structs.replace(part, sample_seed=part.sample_seed if part.limit else None)
    return msgspec.structs.replace(options, part=part, judges=options.judges or (kinds.PICKS,)), loaded


def _run_noise(connection: sqlite3.Connection, scope: BoardScope) -> Mapping[str, RunNoise]:
    return runs.run_noise(board_data.read(connection, scope))


def _resolver(
    options: RunOptions, command: str = "run", adapted: Adapted | None = None, *, spread: bool = False
) -> Resolver:
    def local_server(connection: sqlite3.Connection) -> Endpoint | None:
        loaded = load.load(options.suite, analysis.check, options.values)
        return resolve.local_server(_of_battery(options, loaded)[0], loaded.suite, connection)

    def resolved(connection: sqlite3.Connection, local: ServerPages | None) -> RunPlan:
        asked, loaded = _of_battery(options, load.load(options.suite, analysis.check, options.values))
        part = asked.part
        if options.grid is not None:
            loaded = grid_file.read_grid(options.grid, loaded)
        if part.scenarios is not None:
            loaded = scenario_part.balanced(loaded, part.scenarios, part.sample_seed or 0)
        noise = _run_noise if spread and loaded.suite.index else None
        made = resolve.run(asked, loaded, connection, noise, local)
        made = msgspec.structs.replace(made, command=command)
        return made if adapted is None else adapted(connection, made)

    return Resolver(local_server, resolved)
