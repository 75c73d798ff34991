"""`independence suites`: what is built in, and whether a suite of your own can run."""

from __future__ import annotations

import shutil
import sys
import textwrap
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import click

from independence.cli import options
from independence.cli.main import ExtensibleGroup
from independence.cli.options import Force
from independence.cli.output.terminal import note, plain, runnable
from independence.config.flags import Argument, Flag
from independence.config.options import RunOptions, SuitePart

if TYPE_CHECKING:
    from independence.api.linting import LintedSuite


@click.group("suites", cls=ExtensibleGroup, invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> None:
    """List the built-in suites."""
    if ctx.invoked_subcommand is None:
        ctx.invoke(_listed)


@options.command("list", into=command)
def _listed() -> None:
    """List the built-in suites, as `independence suites` does."""
    from independence.api import suites

    width = shutil.get_terminal_size().columns
    for loaded, calls in suites.built_in():
        suite, usual = loaded.suite, " (the default)" if loaded.suite.suite == RunOptions().suite else ""
        size = f"{len(suite.scenarios)} scenarios, {calls} calls a run"
        click.echo(f"{suite.suite}@{loaded.edition}{usual}  {suite.title}: {size}")
        for line in (suite.about, *(f"{experiment}: {about}" for experiment, about in suite.experiments.items())):
            click.echo(textwrap.fill(line, width, initial_indent="    ", subsequent_indent="    "))
        click.echo()


@options.command("lint", into=command)
def _lint(path: Annotated[Path, Argument(type=click.Path(exists=True, path_type=Path))]) -> None:
    """Check the suite in the folder PATH. Every problem is reported with file and line; exit code 1 if there is one."""
    from independence.api import linting

    told(linting.lint(path), "run --suite {}")


def told(linted: LintedSuite, ready: str) -> None:
    """Print the problems of a suite or a persona; without any, the command that asks it."""
    for problem in linted.problems:
        click.echo(plain(str(problem)))
    if count := len(linted.problems):
        click.echo(f"{count} problem{'s' if count > 1 else ''}", err=True)
        sys.exit(1)
    for said in linted.notes:
        click.echo(f"note: {plain(said)}", err=True)
    click.echo(runnable(f"{linted.folder}: ready to run with `independence {ready.format(quote(str(linted.folder)))}`"))


@options.command("grid", into=command)
def _grid(
    name: Annotated[str, Argument()],
    part: SuitePart,
    *,
    output: Annotated[Path | None, Flag("The file to write; default: stdout.", "--output", "-o", "--out")] = None,
    force: Force = False,
) -> None:
    """Write the prompts of a suite with a grid (such as `rent`) in the published format: one prompt per line.

    No model is asked and no store is needed. `run --grid FILE` asks the prompts of such a file, edited or not.
    """
    from independence.api import suites
    from independence.config import user_files

    content, by_side = suites.grid_prompts(name, part)
    if output is None:
        click.echo(content, nl=False)
    else:
        user_files.write_new(output, content, "--output", force=force)
        note(f"written: {sum(by_side.values())} prompts in {output}")
    note(", ".join(f"{count} asked by {side}" for side, count in by_side.items() if count))


command.add_ours()
