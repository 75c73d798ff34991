"""`independence suites`: what is built in, and whether a suite of your own can run."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from independence.cli.run_options import PART
from independence.config.options import GridPart


@click.group("suites", invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> None:
    """List the built-in suites."""
    if ctx.invoked_subcommand is not None:
        return
    from independence.engine import plan
    from independence.suites.load import built_in, load

    for name in built_in():
        suite, edition = load(name)
        size = f"{len(suite.scenarios)} scenarios, {plan.calls(suite)} calls a run"
        click.echo(f"{name}@{edition}  {suite.title}: {size}")
        click.echo(f"    {suite.about}")
        for experiment, about in suite.experiments.items():
            click.echo(f"    {experiment}: {about}")


@command.command("lint")
@click.argument("path", type=click.Path(exists=True, path_type=Path))
def lint(path: Path) -> None:
    """Check the suite in the folder PATH. Every problem is reported with file and line; exit code 1 if there is one."""
    from independence.cli import hints
    from independence.cli.terminal import plain
    from independence.config import documents
    from independence.errors import DocumentError, UsageError
    from independence.report import analysis
    from independence.suites.lint import problems
    from independence.suites.load import shared_name
    from independence.suites.schema import Suite

    folder = path.parent if path.is_file() else path
    if not (folder / "suite.yaml").is_file():
        raise UsageError(f"{folder}: no suite.yaml here")
    try:
        document = documents.read(folder / "suite.yaml")
        suite = documents.convert(document, Suite)
        found = problems(suite, document, folder, analysis.check)
    except DocumentError as error:
        found = [error]
    for problem in found:
        click.echo(plain(str(problem)))
    if found:
        click.echo(f"{len(found)} problem{'s' if len(found) > 1 else ''}", err=True)
        sys.exit(1)
    if said := shared_name(suite.suite, folder):
        click.echo(f"note: {plain(said)}", err=True)
    click.echo(hints.runnable(f"{folder}: ready to run with `independence run --suite {folder}`"))


@command.command("grid")
@click.argument("name")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="The file to write; default: stdout.")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@PART
def grid(name: str, out: Path | None, force: bool, part: GridPart) -> None:
    """Write the prompts of a suite with a grid (such as `rent`) in the published format: one prompt per line.

    No model is asked and no store is needed. `run --grid FILE` asks the prompts of such a file, edited or not.
    """
    from independence.cli import output_file
    from independence.cli.terminal import note
    from independence.engine import plan
    from independence.errors import UsageError
    from independence.exchange.rent import words
    from independence.suites.load import load

    suite = load(name).suite
    if suite.grid is None:
        raise UsageError(f"suite {suite.suite} has no grid of prompts; `rent` has one")
    whole = plan.select(suite, (), (), 1, ())
    kept = plan.narrowed(suite, whole, part).scenarios
    asked = [scenario for scenario in suite.scenarios if kept is None or scenario.id in kept]
    content = b"".join(line + b"\n" for line in words.grid_lines(suite, [scenario.id for scenario in asked]))
    if out is None:
        click.echo(content, nl=False)
    else:
        output_file.write(out, content, force)
        note(f"written: {len(asked)} prompts in {out}")
    by_side = {side: sum(scenario.side == side for scenario in asked) for side in suite.grid.sides}
    note(", ".join(f"{count} asked by {side}" for side, count in by_side.items() if count))
