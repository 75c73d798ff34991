"""`independence run`, `rerun`, `judge` and `demo`: plan, show the cost estimate, ask and grade, print the board."""

from __future__ import annotations

import functools
import sys
from typing import Annotated

from independence.cli import options
from independence.cli.options import Db, Format, Quiet, TerminalOptions, refuse_undecided
from independence.cli.output.terminal import DEMO_STORE, STORE, command_line, next_steps, program
from independence.config.flags import MANY, Flag
from independence.config.options import PROFILE, SUITE, DecisionOptions, GradeOptions, RerunOptions, RunOptions
from independence.errors import UsageError


@options.command("run")
def run(
    *,
    options: RunOptions,
    until_decided: Annotated[str | None, Flag(
        "Buy runs until it is clear which of two is higher, or who is best of more.",
        group=MANY, choices=("best",), is_flag=False, flag_value="best",
    )] = None,
    bars: DecisionOptions,
    terminal: TerminalOptions,
    db: Db = STORE,
) -> None:  # fmt: skip
    """Run a suite on models, grade every dialogue, print the board.

    The same command resumes an interrupted run; no stored reply is asked again.
    """
    from independence.api import running
    from independence.cli import launch

    if until_decided is not None:
        if options.suite == PROFILE:
            raise UsageError("--until-decided is about one index, and a profile has none", "name one suite")
        from independence.cli import decide

        decide.decide(options, bars, terminal, db)
    refuse_undecided()
    launch.launch(running.arun, options, terminal, db, afterword=_afterword())


@options.command("rerun")
def rerun(options: RerunOptions, terminal: TerminalOptions, db: Db = STORE) -> None:
    """More runs of stored subjects, in the words of their edition.

    Stored replies are kept and missing ones are filled. Imported subjects cannot be asked again. With another effort or
    temperature the same models are asked what the stored ones were, as subjects of their own, once if they are new.
    """
    import msgspec

    from independence.api import running
    from independence.cli import launch

    effort = options.sampling.effort or ""
    if effort.isdecimal():  # `-r 2`, as the published project numbered a run
        if options.run_number is not None:
            raise UsageError(f"-r {effort} is --run-number {effort}", "give one of the two")
        sampling = msgspec.structs.replace(options.sampling, effort=None)
        options = msgspec.structs.replace(options, run_number=int(effort), sampling=sampling)
    launch.launch(running.arerun, options, terminal, db)


@options.command("judge")
def judge(options: GradeOptions, terminal: TerminalOptions, db: Db = STORE) -> None:
    """Grade every finished dialogue of one edition, under all its conditions or some, imported ones included.

    Verdicts are added to those of other judges and never overwritten. What this judge graded already is not graded
    again.
    """
    from independence.api import running
    from independence.cli import launch

    launch.launch(running.agrade, options, terminal, db)


def _afterword() -> str:
    """What to do next, for a person at a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        return ""
    return _next_steps()


def _next_steps(*others: tuple[str, str]) -> str:
    """How to read on, and `others` before the viewer."""
    return next_steps([
        (command_line("leaderboard --detailed"), "every run and scenario"),
        (command_line("generate-report --html"), "everything, with charts, in report.html"),
        *others,
        (command_line("view"), "every answer and verdict behind these numbers, in the browser"),
    ])  # fmt: skip


@options.command("demo")
def demo(
    *,
    seed: Annotated[int, Flag("Seed of the simulated replies.")] = 0,
    suite: Annotated[str, SUITE] = "v2",
    quiet: Quiet = False,
    format_: Format = "table",
    db: Db = DEMO_STORE,
) -> None:
    """Run a suite on simulated models through an endpoint on this machine, grade with cues, print the board.

    No key, no network. The models are programs with known behaviour, which the board should find.
    """
    from independence.api import running
    from independence.cli import launch

    work = functools.partial(running.arun, command="demo")
    asked = running.demo_options(suite, seed)
    launch.launch(work, asked, TerminalOptions(quiet=quiet, format_=format_), db, afterword=_after_demo(suite))


def _after_demo(suite: str) -> str:
    from independence.api import reading

    own = f"{program()} run --suite {suite}"  # into the usual store: these are no simulated subjects
    rules = (
        "" if reading.load_suite(suite).suite.battery else " -j cues"
    )  # rules read a battery unless others are named
    local = f"--local-url http://127.0.0.1:1234/v1 --local-model ID{rules}"
    return _next_steps(
        ("export OPENROUTER_API_KEY=...", "your key; then:"),
        (f"{own} -m vendor/model", "a model at OpenRouter"),
        (f"{own} {local}", "a model on your own server, graded by rules"),
    )
