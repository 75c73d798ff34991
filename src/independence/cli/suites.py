"""`independence suites`: what is built in, and whether a suite of your own can run."""

from __future__ import annotations

import sys
from pathlib import Path

import click


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


@command.command("lint")
@click.argument("path", type=click.Path(exists=True, path_type=Path))
def lint(path: Path) -> None:
    """Check the suite in PATH, a folder with suite.yaml. Every problem names file and line; exit 1 if there is one."""
    from independence.cli.terminal import plain
    from independence.config import documents
    from independence.errors import DocumentError, UsageError
    from independence.suites.lint import problems
    from independence.suites.schema import Suite

    folder = path.parent if path.is_file() else path
    if not (folder / "suite.yaml").is_file():
        raise UsageError(f"{folder}: no suite.yaml here")
    try:
        document = documents.read(folder / "suite.yaml")
        found = problems(documents.convert(document, Suite), document, folder)
    except DocumentError as error:
        found = [error]
    for problem in found:
        click.echo(plain(str(problem)))
    if found:
        click.echo(f"{len(found)} problem{'s' if len(found) > 1 else ''}", err=True)
        sys.exit(1)
    click.echo(f"{folder}: ready to run with `independence run --suite {folder}`")
