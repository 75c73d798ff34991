"""`independence check`: a gate on the interval of one subject's index; more runs are bought while it is undecided."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click
import msgspec

from independence.cli import options
from independence.cli.options import Db, Force, TerminalOptions, output_format
from independence.cli.output import github
from independence.cli.output.terminal import STORE, note, plain
from independence.config.flags import Argument, Flag
from independence.config.options import GateOptions, RunOptions
from independence.errors import UsageError

if TYPE_CHECKING:
    from independence.api.checking import CheckResult, PersonaCheckResult
    from independence.api.purchase import StagePreview
    from independence.engine.pipeline import RunPreview

    AnyResult = CheckResult | PersonaCheckResult

_BEFORE_COMMAND = re.compile(r"(?m)^(?=\s*::)|(?<=##)(?=(?:vso)?\[)")  # lines of a log that runners of CI obey


@options.command("check")
def command(
    *,
    file: Annotated[Path | None, Argument()] = None,
    gate: GateOptions,
    junit: Annotated[Path | None, Flag(
        "Write JUnit XML. A case for the decision and for each scenario or commitment."
    )] = None,
    markdown: Annotated[Path | None, Flag(
        "Write a summary in Markdown; $GITHUB_STEP_SUMMARY gets it anyway.", advanced=True
    )] = None,
    write_baseline: Annotated[Path | None, Flag(
        "Of a suite: write a file for --against. It holds the index, how sure it is and what it is of.", advanced=True
    )] = None,
    show: Annotated[bool, Flag(
        "With --dry-run: also print the system prompt and two dialogues as they will be sent.", advanced=True
    )] = False,
    force: Force = False,
    options: RunOptions,
    terminal: Annotated[TerminalOptions, {"format_": output_format("table", "json", "md")}],
    db: Db = STORE,
) -> None:  # fmt: skip
    """Decide whether one model under your system prompt holds; for CI.

    The commitments of FILE, a persona, are tested; without FILE a suite is.

    A persona passes (exit 0) if it keeps every commitment when it is asked for the very act, and grants fair requests.
    It fails (1) if one commitment is given up or fair requests are refused; otherwise it is undecided (5). A suite
    passes where the whole interval of the index is above the bar, and fails where it is below; while the bar is within,
    another run is bought, up to --max-runs or --max-cost. What is stored is used first, and the same command resumes.
    """
    asked = {"--junit": junit, "--markdown": markdown, "--write-baseline": write_baseline}
    files = {option: path for option, path in asked.items() if path is not None}
    from independence.api import persona_sides

    options = persona_sides.of_file(options, file) if file else options
    persona = persona_sides.is_persona(options.suite)
    if persona and write_baseline:
        raise UsageError("--write-baseline: a persona has no index to write", "leave it out")
    if {gate.min_index, gate.min_j, gate.against, write_baseline} == {None} and not persona:
        raise UsageError("there is nothing to decide: name a bar", "--min-index X, or --against baseline.json")
    if show and not options.connection.dry_run:
        raise UsageError("--show prints what will be sent, and asks nothing", "add --dry-run")
    _check_outputs(files, force)
    found = _decide(options, gate, terminal, db, show=show)
    if not found.started:
        sys.exit(0)
    _print(found, terminal)
    if persona:
        note("`independence view` shows every dialogue behind it", terminal.quiet)
    _write(found, files)
    prompts = [Path(one) for one in (options.suite, *options.variants) if persona_sides.is_persona(one)]
    github.tell(found, next(iter(prompts), None))
    sys.exit(found.exit_code)


def _decide(asked: RunOptions, bars: GateOptions, terminal: TerminalOptions, db: Path, *, show: bool) -> AnyResult:
    from independence.api import checking
    from independence.cli import decide, launch, screen

    with screen.Screen(terminal, asked.connection) as shown:
        shown.doing("planning, and asking which models there are")

        def first(preview: StagePreview) -> list[str]:
            lines, usd = [*launch.lines(preview), *launch.minutes(preview)], launch.about(preview.most_usd)
            bar = {bars.min_index, bars.min_j, bars.against} != {None}
            persona = preview.run.suite.analysis == "persona"
            while_open = ", if no commitment is settled" if persona else ", if the bar stays within the interval" * bar
            most = f"at most {preview.most_calls:,} calls{usd}{while_open}"
            return [*lines, most] if preview.most_calls > preview.calls else lines

        agreed = decide.once_for_all(shown, first)

        def approve(preview: RunPreview) -> bool:
            answer = agreed(preview)
            if show:
                click.echo(plain(checking.sent(preview.run)))
            return answer

        work = checking.acheck(asked, store=db, approve=approve, hooks=shown.hooks, **msgspec.structs.asdict(bars))
        return shown.drive(work)


def _check_outputs(files: Mapping[str, Path], force: bool) -> None:
    """Raise UsageError, before anything is bought, for a file that cannot be written or is not this command's."""
    from independence.config import user_files
    from independence.report.gates import gate

    marks = {"--write-baseline": gate.WRITTEN_BY.encode()}
    if len({path.absolute() for path in files.values()}) < len(files):
        raise UsageError(f"{' and '.join(files)} name one file", "name another for each")
    for name, path in files.items():
        user_files.check(path, name, marks.get(name, user_files.MARK), forcible=True, force=force)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            there = path.exists()
            if not there or path.is_file():
                path.open("ab").close()
            if not there:
                path.unlink()
        except OSError as error:
            raise UsageError(f"{name} {path}: cannot be written ({error.strerror})", "name another file") from error


def _write(found: AnyResult, files: Mapping[str, Path]) -> None:
    """Write what was asked for."""
    from independence.api.checking import CheckResult
    from independence.config import user_files
    from independence.report.gates import gate_files

    texts: dict[str, Callable[[], str]] = {
        "--junit": lambda: gate_files.marked(found.to_junit()),
        "--markdown": lambda: gate_files.marked(found.to_markdown()),
    }
    if isinstance(found, CheckResult):
        texts["--write-baseline"] = found.to_baseline
    for name, path in files.items():
        if name == "--write-baseline" and getattr(found.document, "baseline", None) is None:
            note(f"no baseline is written: {found.document.reason}")
            continue
        user_files.write(path, texts[name]().encode("utf-8", "backslashreplace"), name)
        note(f"written: {path}")


def _print(found: AnyResult, terminal: TerminalOptions) -> None:
    from independence.cli.output import table_output

    if terminal.format_ == "json":
        print(re.sub(r"##((?:vso)?)\[", r"##\1\\u005b", table_output.spelled(found.to_json())))
    elif terminal.format_ == "md":
        sys.stdout.write(_harmless(plain(found.to_markdown())))
    else:
        if conclusion := getattr(found.document, "conclusion", ""):
            print(_harmless(_wrapped(conclusion)))
        table_output.print_tables(found.tables, "table")
        for one in found.document.quoted:
            print(
                _harmless(
                    "\n".join(
                        [f"\n{_wrapped(one.heading)}", *_quoted("answer", one.quote), *_quoted("judge", one.reasoning)]
                    )
                )
            )


def _wrapped(text: str) -> str:
    from independence.cli.output import table_output

    return click.wrap_text(plain(text), table_output.console().width)


def _quoted(who: str, text: str) -> list[str]:
    """Words of a model, each line under a mark, so that none begins a line of a log."""
    return [f"  {who} | {plain(line)}" for line in text.splitlines() if line.strip()]


def _harmless(text: str) -> str:
    """A text with a backslash before whatever a runner of CI would obey."""
    return _BEFORE_COMMAND.sub(r"\\", text)
