"""Driving a job from the command line: event loop, loopback endpoint, progress, board, exit code."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from independence.cli import board_output, judges, model_service, open_store, session
from independence.cli import run_request as jobs
from independence.cli.activity import working
from independence.cli.event_loop import drive, interruptible
from independence.cli.log_file import LogFile
from independence.cli.progress import ProgressBars
from independence.cli.run_request import RunRequest
from independence.cli.session import ResolvedRun, RunResult
from independence.cli.terminal import note
from independence.config.endpoints import Endpoint
from independence.engine import resume
from independence.engine.estimate import CostEstimate
from independence.engine.resume import PendingWork
from independence.errors import Interrupted, UsageError
from independence.report import analysis
from independence.report.analysis import Built
from independence.report.board import Board
from independence.store import database, queries, sessions
from independence.store.scopes import BoardScope
from independence.types import Sampling

MISSING, GATE = 3, 1
_HIGHEST = 100


class OutputOptions(msgspec.Struct, frozen=True):
    """How a run is watched and ended; none of it shapes what is asked."""

    db: Path
    format_: str = "table"
    quiet: bool = False
    yes: bool = False
    dry_run: bool = False
    fail_under: float | None = None
    log: Path | None = None
    afterword: str = ""


def read_flags(flags: Mapping[str, Any]) -> RunRequest:
    """The flags of `run` as a wanted run."""
    if (flags.get("replicates") is None) != (flags.get("calls") is None):
        raise UsageError("--replicates auto and --calls N belong together: how to spread, and how much")
    sampling = Sampling(flags["temperature"], flags["reasoning_effort"], flags["provider"])
    return RunRequest(sampling=sampling, **{k: v for k, v in flags.items() if k in RunRequest.__struct_fields__})


class JobRequest(NamedTuple):
    """What to carry out: how to make the job, and whether a simulated model takes part."""

    job: Callable[[sqlite3.Connection, Endpoint | None], ResolvedRun]
    simulated: bool


def run(wanted: RunRequest, manner: OutputOptions) -> None:
    """Carry out a wanted run and exit with its code."""
    carry_out(
        JobRequest(lambda connection, sim: jobs.resolve(wanted, connection, sim), jobs.needs_loopback(wanted)), manner
    )


def carry_out(order: JobRequest, manner: OutputOptions) -> None:
    """Make a job, do it, print its boards, exit with its code. Raises IndependenceError for what ends it early."""
    if manner.fail_under is not None and not 0 <= manner.fail_under <= _HIGHEST:
        raise UsageError(f"--fail-under {manner.fail_under:g}: an index is a number from 0 to {_HIGHEST}")
    fresh = not manner.db.exists()
    connection = open_store.existing_or_new(manner.db)
    try:
        job, finished = drive(_run(order, manner, connection))
        code = _report(connection, job, finished, manner) if finished else 0
    except asyncio.CancelledError:
        raise Interrupted("interrupted: calls in flight were dropped; the same command resumes") from None
    except sqlite3.Error as error:
        raise database.translate(error, manner.db) from error
    finally:
        unused = fresh and not queries.editions(connection)
        connection.close()
        if unused:  # a refused or mistyped run leaves no trace
            manner.db.unlink(missing_ok=True)
    sys.exit(code)


async def _run(
    order: JobRequest, manner: OutputOptions, connection: sqlite3.Connection
) -> tuple[ResolvedRun, RunResult | None]:
    async with AsyncExitStack() as stack:
        planning = stack.enter_context(ExitStack())
        planning.enter_context(working("planning", manner.quiet))
        sim = await model_service.loopback(stack) if order.simulated else None
        with interruptible():
            job = order.job(connection, sim)
        if manner.fail_under is not None:
            analysis.refuse(job.suite, ["--fail-under"])
        progress, log = ProgressBars(manner.quiet), LogFile(manner.log, manner.quiet)
        planning.close()
        planning.enter_context(working("asking which models there are, and what is left to do", manner.quiet))

        async def approve(left: PendingWork, cost: CostEstimate) -> bool:
            planning.close()
            for line in (*job.notes, *filter(None, map(judges.share, job.judges)), *cost.notes, _plan_line(left, cost)):
                note(line, manner.quiet)
            for line in _resume_lines(connection, job, left):
                note(line, manner.quiet)
            if manner.dry_run or not model_service.affordable(cost.typical_usd, manner.yes or job.max_cost is not None):
                return False
            stack.enter_context(
                log.opened(secret for endpoint in job.endpoints.values() for secret in endpoint.secrets)
            )
            progress.__enter__()
            stack.callback(progress.__exit__, None, None, None)
            return True

        return job, await session.carry_out(job, connection, manner.db, log.beside(progress), approve)


def _plan_line(left: PendingWork, cost: CostEstimate) -> str:
    steps = f" ({cost.steps} steps before them)" if cost.steps else ""
    parts = [f"plan: {cost.calls} calls and {cost.verdicts} verdicts{steps} to go"]
    if left.complete:
        parts.append(f"{left.complete} of {left.planned} dialogues are stored already")
    if left.shared:
        parts.append(f"{left.shared} of {left.planned} say what another one says and share its answer")
    return f"{', '.join(parts)}; {_dollars(cost)}"


def _dollars(cost: CostEstimate) -> str:
    low, high = cost.range_usd
    expected = (
        f"about {_usd(cost.typical_usd)}, likely {_usd(low)} to {_usd(high)} ({_usd(cost.most_usd)} only if every "
        "answer filled its whole budget and was asked again each time; --max-cost sets your own bound)"
    )
    unpriced = f"; no price known for {', '.join(cost.unpriced)}" if cost.unpriced else ""
    if cost.most_usd:
        return expected + unpriced
    return f"no price known for {', '.join(cost.unpriced)}" if cost.unpriced else "no cost"


def _usd(dollars: float) -> str:
    """Cents of a dollar and more; of less what there is."""
    return f"${dollars:,.2f}" if dollars >= 1 else f"${dollars:.4f}"


def _resume_lines(connection: sqlite3.Connection, job: ResolvedRun, left: PendingWork) -> list[str]:
    lines = []
    differing = resume.differing_fields(connection, job.where, job.trials)
    if differing:
        fields = ", ".join(f"{field} ({count})" for field, count in differing.most_common())
        lines.append(f"stored trials of other editions do not match, they differ in: {fields}; they stay as they are")
    if left.stale:
        lines.append(f"{left.stale} stored dialogues are stale: an earlier answer was replaced; asked again from there")
    return lines


def _report(connection: sqlite3.Connection, job: ResolvedRun, finished: RunResult, manner: OutputOptions) -> int:
    """Print the board of every condition and what is missing. Returns the exit code."""
    with working("building the board", manner.quiet):
        boards = _boards(connection, job) if job.judges and analysis.has_board(job.suite) else []
    board_output.boards(connection, boards, manner.format_)
    for line in _ending(finished, sessions.total(connection).spent_usd):
        note(line, manner.quiet)
    if boards and manner.afterword and finished.stopped_by is None:
        note(manner.afterword, manner.quiet)
    if finished.stopped_by is not None:
        note(f"Error: {finished.stopped_by}")
        note("everything answered so far is stored; the same command resumes", manner.quiet)
        return finished.stopped_by.exit_code
    missing = _missing(finished)
    if missing:
        note(f"missing: {missing}")
        return MISSING
    return _gate(job, boards, manner.fail_under)


def _boards(connection: sqlite3.Connection, job: ResolvedRun) -> list[tuple[BoardScope, Built]]:
    """The board of every condition and judge of a job."""
    conditions = dict.fromkeys(trial.dialogue.condition for trial in job.trials)
    places = [BoardScope(job.suite, job.where.under(condition)) for condition in conditions]
    asked = [analysis.BoardOptions(judge=judge.name) for judge in job.judges]
    return [(place, analysis.board(connection, place, one)) for place in places for one in asked]


def _gate(job: ResolvedRun, boards: Sequence[tuple[BoardScope, Built]], floor: float | None) -> int:
    """Exit code of `--fail-under` over the subjects of this job; it is about boards of an index alone."""
    ran = {trial.subject.config_dir for trial in job.trials}
    indexed = [built for _, built in boards if isinstance(built, Board)]
    rows = [row for built in indexed for row in built.rows if row.config in ran]
    below = [row.label for row in rows if floor is not None and (row.index is None or row.index < floor)]
    if below:
        note(f"gate failed: below {floor:g}: {', '.join(dict.fromkeys(below))}")
    return GATE if below else 0


def _missing(finished: RunResult) -> str:
    """What is not there, by reason; empty when nothing is missing."""
    unfinished = len(finished.left.todo)
    parts = [f"{unfinished} dialogues unfinished, the same command asks again"] * bool(unfinished)
    return "; ".join([*parts, *(f"{count} {reason}" for reason, count in finished.left.missing.items())])


def _ending(finished: RunResult, so_far_usd: float) -> list[str]:
    lines = [f"spent ${finished.spent_usd:.4f}"] if finished.spent_usd else []
    if finished.unknown_usd:
        lines[0] += f", ${finished.unknown_usd:.4f} of it reserved for calls whose cost never came back"
    if finished.spent_usd:
        lines[0] += f"; ${so_far_usd:.4f} in this store so far"
    if finished.skipped:
        lines.append(f"{finished.skipped} dialogues are being worked on by another process")
    return lines
