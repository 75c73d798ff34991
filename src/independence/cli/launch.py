"""Driving a run from the command line: the plan, progress while it runs, its boards, what is missing, the exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, NoReturn

from independence.api import profiling, reading, running
from independence.cli import screen
from independence.cli.options import TerminalOptions
from independence.cli.output import activity, table_output
from independence.cli.output.terminal import note
from independence.config.options import GradeOptions, RerunOptions, RunOptions
from independence.config.subjects import LOCAL, PYTHON, SIM
from independence.report.files import table_layouts

if TYPE_CHECKING:
    from independence.api.purchase import StagePreview
    from independence.api.running import RunResult
    from independence.engine.estimate import CostEstimate
    from independence.engine.pipeline import RunPreview
    from independence.engine.resolve import RunPlan
    from independence.report.analysis import RenderedBoard
    from independence.report.files.table import Table

MISSING = 3
_CALL_S = 3  # of a hosted model, for a paragraph or two


def launch(
    work: Callable[..., Coroutine[Any, Any, RunResult]],
    asked: RunOptions | RerunOptions | GradeOptions,
    terminal: TerminalOptions,
    db: Path,
    *,
    afterword: str = "",
) -> NoReturn:
    """Drive a run, print its boards and exit with its code. Raises IndependenceError for what ends it early."""
    with screen.Screen(terminal, asked.connection) as shown:
        shown.doing("planning, and asking which models there are")

        def approve(preview: RunPreview) -> bool:
            agreed = shown.agree(lines(preview), preview.cost.most_usd, preview.run.endpoints)
            if preview.parts and asked.connection.dry_run:
                table_output.print_tables([_parts(preview)], terminal.format_)
            return agreed

        result = shown.drive(work(asked, store=db, approve=approve, hooks=shown.hooks))
    sys.exit(_report(result, terminal, afterword) if result.started else 0)


def lines(preview: RunPreview) -> list[str]:
    """What to say before anything is asked."""
    if preview.parts:
        parts = [f"{name}: {line}" for name, one in preview.parts.items() for line in lines(one)]
        return [*parts, _plan_line(preview)]
    said = [*preview.run.notes, *filter(None, [preview.unexamined]), _plan_line(preview), *map(str, preview.expected)]
    if preview.differing:
        fields = ", ".join(f"{field} ({count})" for field, count in preview.differing.most_common())
        said.append(f"stored trials of other editions do not match, they differ in: {fields}; they stay as they are")
    if preview.left.stale:
        stale = preview.left.stale
        said.append(f"{stale} stored dialogues are stale: an earlier answer was replaced; asked again from there")
    return said


def _parts(preview: RunPreview) -> Table:
    """What the parts of a profile ask, and all of them; dollars where prices are known."""
    found = [(name, one.run.where.edition_name, one.cost) for name, one in preview.parts.items()]
    rows = [
        (name, suite, cost.calls, cost.verdicts, None if cost.unpriced else cost.typical_usd)
        for name, suite, cost in [*found, ("all", None, preview.cost)]
    ]
    return table_layouts.made("profile/parts", rows)


def minutes(preview: StagePreview) -> list[str]:
    """How long the calls of a stage take if each takes a usual time; nothing of simulated and of one's own models."""
    if {*preview.run.asked, *preview.run.grading} <= {SIM, LOCAL, PYTHON}:
        return []
    subjects = len({trial.subject for trial in preview.run.trials})
    at_once = min(subjects * preview.run.shares.calls, preview.run.shares.total)
    needed = preview.calls * _CALL_S / at_once / 60
    return [f"about {max(1, round(needed))} min if a call takes {_CALL_S} seconds, {at_once} at once"]


def _plan_line(preview: RunPreview) -> str:
    left, cost = preview.left, preview.cost
    steps = f" ({cost.steps} steps before them)" if cost.steps else ""
    parts = [f"plan: {cost.calls} calls and {cost.verdicts} verdicts{steps} to go"]
    if cost.known:
        parts.append(f"{cost.known} known dialogues for the judge")
    if cost.probes:
        parts.append(f"up to {cost.probes} small calls first, which test whether prompts reach the models whole")
    if left.complete:
        parts.append(f"{left.complete} of {left.planned} dialogues are stored already")
    if left.duplicates:
        parts.append(f"{left.duplicates} of {left.planned} have the same words as another one and share its answer")
    return f"{', '.join(parts)}; {_dollars(cost)}"


def _dollars(cost: CostEstimate) -> str:
    unpriced = f"no price known for {', '.join(cost.unpriced)}" if cost.unpriced else ""
    if not cost.typical_usd:
        return unpriced or "no cost"
    low, high = map(_usd, cost.range_usd)
    expected = f"about {_usd(cost.typical_usd)}, likely {low} to {high} (--max-cost sets a bound)"
    return f"{expected}; {unpriced}" if unpriced else expected


def about(usd: float) -> str:
    """What calls cost, to stand behind their number; nothing where they are free."""
    return f" (${usd:,.2f})" if usd >= 1 else f" (${usd:.4f})" if usd else ""


def _usd(dollars: float) -> str:
    """Cents of a dollar and more; of less what there is."""
    return f"${dollars:,.2f}" if dollars >= 1 else f"${dollars:.4f}"


def _report(result: RunResult, terminal: TerminalOptions, afterword: str) -> int:
    """Print the board of every condition and what is missing. Returns the exit code."""
    with activity.working("building the board", terminal.quiet):
        finished = running.finished(result)
    if result.parts and finished.boards:
        with reading.Store(result.store) as store:
            table_output.print_profile(profiling.read_profile(store), terminal.format_)
    else:
        more = ["" if afterword else _more(result.run, board) for board in finished.boards]
        table_output.print_boards(finished.boards, terminal.format_, more=more)
    if result.spent_usd:
        own = spent(result.spent_usd, result.unknown_usd)
        note(f"{own}; ${finished.total_usd:.4f} by all commands in this store so far", terminal.quiet)
    if result.skipped:
        note(f"{result.skipped} dialogues are being worked on by another process", terminal.quiet)
    if finished.boards and afterword and result.stopped_by is None:
        note(afterword, terminal.quiet)
    if result.stopped_by is not None:
        note(f"Error: {result.stopped_by}")
        note("everything answered so far is stored; the same command resumes", terminal.quiet)
        return result.stopped_by.exit_code
    told = f" ({result.unsettled})" if result.unsettled else ""
    again = f"{result.unfinished} dialogues unfinished, the same command asks again{told}"
    unfinished = [again] * bool(result.unfinished)
    why = {reason: f" ({sentence})" for reason, sentence in result.why.items()}
    if missing := [*unfinished, *(f"{count} {one}{why.get(one, '')}" for one, count in result.missing.items())]:
        note(f"missing: {'; '.join(missing)}")
        return MISSING
    return 0


def _more(run: RunPlan, board: RenderedBoard) -> str:
    """Where the rest of what is to be said of a board is found."""
    usual = f"{run.suite.default.variant}/{run.suite.default.mode}"
    asked = getattr(board.document, "condition", usual)  # which documents of other packages need not have
    variant, _, mode = asked.partition("/")
    place = "" if asked == usual else f" --system-prompt {quote(variant)} --delivery {quote(mode)}"
    return f"More: `independence leaderboard{place} --explain`."


def spent(usd: float, unknown_usd: float) -> str:
    """What a command has spent."""
    lost = f", ${unknown_usd:.4f} of it reserved for calls whose cost was not reported"
    return f"spent ${usd:.4f}{lost if unknown_usd else ''}"
