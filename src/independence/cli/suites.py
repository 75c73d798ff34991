"""`independence suites`: what is built in, and whether a suite of your own can run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from independence.cli import activity, options
from independence.cli.terminal import note, plain, runnable
from independence.config.options import SuitePart
from independence.errors import DocumentError, UsageError

if TYPE_CHECKING:
    from independence.exchange.adoption.suite_folder import AdoptedSuite
    from independence.exchange.adoption.verifying import RequestComparison
    from independence.suites.load import LoadedSuite


@click.group("suites", invoke_without_command=True)
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


@command.command("adopt")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--to", type=click.Path(path_type=Path), help="The folder to write; default: `adopted-SUITE`.")
@click.option(
    "--verify", "results", type=click.Path(exists=True, path_type=Path),
    help="Compare with the requests of published results: a folder, a tar, or a store that holds them.",
)  # fmt: skip
def _adopt(path: Path, to: Path | None, results: Path | None) -> None:
    """Make a suite folder with the published words from PATH, your own clone of the public repository.

    The branches main, lite and v1 are known. The source is read and never run; where something in it is not understood,
    one line says what and where, and nothing is written. The folder holds the published prompts, tool and judge prompts
    and is run like any suite of your own: `run --suite ./adopted-v2 -m vendor/model`.

    With --verify, PATH may also be a folder that was adopted before. Exit code 1 where requests differ without a known
    reason; where they agree, a store keeps that its import has this wording, and one board shows both.
    """
    from independence.api import adopting
    from independence.suites import load

    compared: list[RequestComparison] = []

    def verify(loaded: LoadedSuite) -> None:
        if results is not None:
            with activity.working(f"comparing with {results}"):
                compared.append(adopting.verify_suite(loaded, results))

    if results is not None and to is None and (path / "suite.yaml").is_file():
        adopted = load.load(str(path))
        verify(adopted)
    else:
        made = adopting.adopt_suite(path, to, check=verify)
        adopted = made.loaded
        _say_adopted(made)
    if results is not None:
        _show(compared[0], adopted, results)


def _say_adopted(made: AdoptedSuite) -> None:
    """Print what was written, and how it is run."""
    from independence.engine import plan

    suite, folder = made.loaded.suite, made.folder if made.folder.is_absolute() else f"./{made.folder}"
    size = f"{len(suite.scenarios)} scenarios, {plan.calls(suite)} calls a run"
    click.echo(
        plain(f"{folder}: {suite.suite}@{made.loaded.edition} in the published words of `{made.layout}`, {size}")
    )
    click.echo(plain(runnable(f"ready to run with `independence run --suite {folder} -m vendor/model`")))
    note(plain(f"judge prompts as published, not hardened; the published board was judged by {made.judge}"))


def _show(found: RequestComparison, loaded: LoadedSuite, results: Path) -> None:
    """Print the comparison. Exit code 1 where it does not hold."""
    from independence.cli import table_output
    from independence.config import user_files
    from independence.exchange.adoption import verifying

    table_output.print_tables([verifying.table(found)], "table")
    if not found.holds:
        note("the imported requests are not those of this suite: nothing is recorded")
        sys.exit(1)
    kept = "recorded in the store" if user_files.is_store(results) else "nothing is recorded, as this is no store"
    note(f"the imported requests have the wording of {loaded.suite.suite}@{loaded.edition}: {kept}")


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
    from independence.exchange.rent import words
    from independence.suites import load, scenario_part

    loaded = load.load(name)
    suite = loaded.suite
    if suite.grid is None:
        raise UsageError(f"suite {suite.suite} has no grid of prompts; `rent` has one")
    if part.scenarios is not None:
        scenario_part.balanced(loaded, part.scenarios, part.sample_seed or 0)  # which refuses a grid
    kept = plan.narrowed(suite, plan.select(suite, (), (), 1, ()), part).scenarios
    asked = [scenario for scenario in suite.scenarios if kept is None or scenario.id in kept]
    content = b"".join(line + b"\n" for line in words.grid_lines(suite, [scenario.id for scenario in asked]))
    if out is None:
        click.echo(content, nl=False)
    else:
        user_files.write_new(out, content, "--out", force=force)
        note(f"written: {len(asked)} prompts in {out}")
    by_side = {side: sum(scenario.side == side for scenario in asked) for side in suite.grid.sides}
    note(", ".join(f"{count} asked by {side}" for side, count in by_side.items() if count))
