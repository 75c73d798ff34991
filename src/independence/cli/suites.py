"""`independence suites`: what is built in, and whether a suite of your own can run."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from independence.cli import options
from independence.cli.added_commands import ExtensibleGroup
from independence.cli.terminal import note, plain, runnable
from independence.config.options import SuitePart
from independence.errors import DocumentError, UsageError


@click.group("suites", cls=ExtensibleGroup, invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> None:
    """List the built-in suites."""
    if ctx.invoked_subcommand is not None:
        return
    from independence.engine import plan
    from independence.suites import load

    for name in load.built_in():
        suite, edition = load.load(name)
        size = f"{len(suite.scenarios)} scenarios, {plan.calls(suite)} calls a run"
        click.echo(f"{name}@{edition}  {suite.title}: {size}")
        click.echo(f"    {suite.about}")
        for experiment, about in suite.experiments.items():
            click.echo(f"    {experiment}: {about}")


@command.command("lint")
@click.argument("path", type=click.Path(exists=True, path_type=Path))
def _lint(path: Path) -> None:
    """Check the suite in the folder PATH. Every problem is reported with file and line; exit code 1 if there is one."""
    from independence.config import documents
    from independence.report import analysis
    from independence.suites import grid, known, load, schema

    folder = path.parent if path.is_file() else path
    if not (folder / "suite.yaml").is_file():
        raise UsageError(f"{folder}: no suite.yaml here")
    try:
        document = documents.read(folder / "suite.yaml")
        suite = documents.convert(document, schema.Suite)
        found = load.problems(suite, document, folder, analysis.check)
        if not found:
            found = known.problems(folder, grid.expanded(load.inline(suite, folder)))
    except DocumentError as error:
        found = [error]
    for problem in found:
        click.echo(plain(str(problem)))
    if found:
        click.echo(f"{len(found)} problem{'s' if len(found) > 1 else ''}", err=True)
        sys.exit(1)
    if said := load.shared_name(suite.suite, folder):
        click.echo(f"note: {plain(said)}", err=True)
    click.echo(runnable(f"{folder}: ready to run with `independence run --suite {folder}`"))


@command.command("grid")
@click.argument("name")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="The file to write; default: stdout.")
@options.FORCE
@options.PART
def _grid(name: str, out: Path | None, force: bool, part: SuitePart) -> None:
    """Write the prompts of a suite with a grid (such as `rent`) in the published format: one prompt per line.

    No model is asked and no store is needed. `run --grid FILE` asks the prompts of such a file, edited or not.
    """
    from independence.config import user_files
    from independence.engine import plan
    from independence.exchange import grid_file
    from independence.suites import load, scenario_part

    loaded = load.load(name)
    suite = loaded.suite
    if suite.grid is None:
        raise UsageError(f"suite {suite.suite} has no grid of prompts; `rent` has one")
    if part.scenarios is not None:
        scenario_part.balanced(loaded, part.scenarios, part.sample_seed or 0)  # which refuses a grid
    kept = plan.narrowed(suite, plan.select(suite, (), (), 1, ()), part).scenarios
    asked = [scenario for scenario in suite.scenarios if kept is None or scenario.id in kept]
    content = b"".join(line + b"\n" for line in grid_file.grid_lines(suite, [scenario.id for scenario in asked]))
    if out is None:
        click.echo(content, nl=False)
    else:
        user_files.write_new(out, content, "--out", force=force)
        note(f"written: {len(asked)} prompts in {out}")
    by_side = {side: sum(scenario.side == side for scenario in asked) for side in suite.grid.sides}
    note(", ".join(f"{count} asked by {side}" for side, count in by_side.items() if count))


command.add_ours()
