"""Driving a run from the command line: the plan, progress while it runs, its boards, what is missing, the exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from independence.cli import activity, screen, table_output
from independence.cli.options import TerminalOptions
from independence.cli.terminal import note
from independence.config.options import GradeOptions, RerunOptions, RunOptions
from independence.engine import estimate, pipeline, resolve
from independence.report import analysis
from independence.store import database, endings, scopes, spending

if TYPE_CHECKING:
    import sqlite3

MISSING, GATE = 3, 1


def launch(
    work: Callable[..., Coroutine[Any, Any, pipeline.RunResult]],
    asked: RunOptions | RerunOptions | GradeOptions,
    terminal: TerminalOptions,
    db: Path,
    *,
    fail_under: float | None = None,
    afterword: str = "",
) -> NoReturn:
    """Drive a run, print its boards and exit with its code. Raises IndependenceError for what ends it early."""
    with screen.Screen(terminal, asked.connection) as shown:
        shown.doing("planning, and asking which models there are")

        def approve(preview: pipeline.RunPreview) -> bool:
            return shown.agree(lines(preview), preview.cost.typical_usd, preview.run.endpoints)

        result = shown.drive(work(asked, store=db, approve=approve, hooks=shown.hooks))
    sys.exit(_report(result, terminal, db, fail_under, afterword) if result.started else 0)


def lines(preview: pipeline.RunPreview) -> list[str]:
    """What to say before anything is asked."""
    shares = [share for judge in preview.run.judges if (share := judge.note())]
    said = [*preview.run.notes, *shares, *preview.purchases, *filter(None, [preview.unexamined]), _plan_line(preview)]
    if preview.differing:
        fields = ", ".join(f"{field} ({count})" for field, count in preview.differing.most_common())
        said.append(f"stored trials of other editions do not match, they differ in: {fields}; they stay as they are")
    if preview.left.stale:
        stale = preview.left.stale
        said.append(f"{stale} stored dialogues are stale: an earlier answer was replaced; asked again from there")
    return said


def _plan_line(preview: pipeline.RunPreview) -> str:
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


def _dollars(cost: estimate.CostEstimate) -> str:
    unpriced = f"no price known for {', '.join(cost.unpriced)}" if cost.unpriced else ""
    if not cost.typical_usd:
        return unpriced or "no cost"
    low, high = map(_usd, cost.range_usd)
    expected = f"about {_usd(cost.typical_usd)}, likely {low} to {high} (--max-cost sets a bound)"
    return f"{expected}; {unpriced}" if unpriced else expected


def _usd(dollars: float) -> str:
    """Cents of a dollar and more; of less what there is."""
    return f"${dollars:,.2f}" if dollars >= 1 else f"${dollars:.4f}"


def _report(
    result: pipeline.RunResult, terminal: TerminalOptions, db: Path, fail_under: float | None, afterword: str
) -> int:
    """Print the board of every condition and what is missing. Returns the exit code."""
    with database.reading(db) as connection:
        with activity.working("building the board", terminal.quiet):
            boards = _boards(connection, result.run)
        table_output.print_boards(boards, terminal.format_)
        so_far_usd = spending.session_total(connection)
    for line in _ending(result, so_far_usd):
        note(line, terminal.quiet)
    if boards and afterword and result.stopped_by is None:
        note(afterword, terminal.quiet)
    if result.stopped_by is not None:
        note(f"Error: {result.stopped_by}")
        note("everything answered so far is stored; the same command resumes", terminal.quiet)
        return result.stopped_by.exit_code
    told = f" ({result.unsettled})" if result.unsettled else ""
    unfinished = [f"{result.unfinished} dialogues unfinished, {_next(result.run)}{told}"] * bool(result.unfinished)
    why = {reason: f" ({sentence})" for reason, sentence in result.why.items()}
    if missing := [*unfinished, *(f"{count} {one}{why.get(one, '')}" for one, count in result.missing.items())]:
        note(f"missing: {'; '.join(missing)}")
        return MISSING
    return _gate(result.run, boards, fail_under)


def _next(run: resolve.ResolvedRun) -> str:
    """What finishes a run that left something out."""
    auditors = [judge.auditor for judge in run.judges if judge.auditor is not None]
    people = [auditor.name for auditor in auditors if not auditor.is_asked]
    if not people:
        return "the same command asks again"
    return f"`independence label-sample FILE --audited-by {people[0]}` writes those that wait for scores"


def _boards(connection: sqlite3.Connection, run: resolve.ResolvedRun) -> list[analysis.RenderedBoard]:
    """The board of every condition and judge of a run."""
    if not run.judges or not analysis.has_board(run.suite) or not endings.answered(connection, run.where):
        return []
    conditions = dict.fromkeys(trial.dialogue.condition for trial in run.trials)
    there = [scopes.BoardScope(run.suite, run.where.under(condition)) for condition in conditions]
    asked = [analysis.BoardOptions(judge=judge.name) for judge in run.judges]
    return [analysis.board(connection, scope, one) for scope in there for one in asked]


def _gate(run: resolve.ResolvedRun, boards: Sequence[analysis.RenderedBoard], floor: float | None) -> int:
    """Exit code of `--fail-under` over the subjects of this run; what it compares, the analysis says."""
    ran = {trial.subject.config_dir for trial in run.trials}
    rows = [row for built in boards for row in built.gated if row.config in ran]
    below = [row.label for row in rows if floor is not None and (row.value is None or row.value < floor)]
    if below:
        note(f"gate failed: below {floor:g}: {', '.join(dict.fromkeys(below))}")
    return GATE if below else 0


def _ending(result: pipeline.RunResult, so_far_usd: float) -> list[str]:
    lines = []
    if result.spent_usd:
        lost = f", ${result.unknown_usd:.4f} of it reserved for calls whose cost was not reported"
        spent = f"spent ${result.spent_usd:.4f}{lost if result.unknown_usd else ''}"
        lines.append(f"{spent}; ${so_far_usd:.4f} in this store so far")
    if result.skipped:
        lines.append(f"{result.skipped} dialogues are being worked on by another process")
    return lines
