"""`independence published`: the published board; `suites adopt`: a suite in its words, from the user's own clone."""

from __future__ import annotations

import sys
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Final

import click

from independence.cli import options
from independence.cli.options import Format
from independence.config.flags import Argument, Flag
from independence.errors import DocumentError

if TYPE_CHECKING:
    from independence.extensions.published.adoption.suite_folder import AdoptedSuite
    from independence.extensions.published.adoption.verifying import RequestComparison
    from independence.suites.load import LoadedSuite

_BOARDS: Final = """\b
Examples:
  independence published --top 20
  independence published -m claude-opus-4.8,kimi-k3+moonshot --detailed"""
_EXAMPLES: Final = """\b
Examples:
  independence suites adopt their-clone --to adopted-v2
  independence suites adopt adopted-v2 --verify independence.db"""


@options.command("published", epilog=_BOARDS)
def published(
    *,
    models: Annotated[tuple[str, ...], Flag("Show only these labels.", "-m")] = (),
    top: Annotated[int | None, Flag("Print only the first rows.", type=click.IntRange(1))] = None,
    detailed: Annotated[bool, Flag("Also the five measures that the index is made of.", "-d")] = False,
    format_: Format = "table",
) -> None:
    """Print the published board of real models, as it was printed and under strict scoring.

    The facts ship with this program: no key, no network. The conversations and verdicts behind them come in with
    `independence import`, from a clone of the public repository.
    """
    from independence.cli.output import table_output
    from independence.extensions.published import published_board

    table_output.print_tables([published_board.table(models, top, detailed=detailed)], format_)


@options.command("adopt", epilog=_EXAMPLES)
def adopt(
    path: Annotated[Path, Argument(type=click.Path(path_type=Path))],
    *,
    to: Annotated[Path | None, Flag(
        "The folder to write; default: `adopted-SUITE`.", "--to", "-o", type=click.Path(path_type=Path)
    )] = None,
    verify: Annotated[Path | None, Flag(
        "Compare with the requests of published results: a folder, a tar, or a store that holds them.",
        type=click.Path(exists=True, path_type=Path),
    )] = None,
    run_source: Annotated[bool, Flag("Run the source for what is more than literals and joined texts.")] = False,
) -> None:  # fmt: skip
    """Make a suite folder with the published words from PATH, your own clone of the public repository.

    The branches main, lite and v1 are known. Texts, numbers and lists of them are read from the source, which is not
    run; where something is more than that, one line says what and where, and nothing is written. With --run-source such
    an expression is evaluated, in a process of its own that sees no keys: for clones that you trust. The folder holds
    the published prompts, tool and judge prompts and is run like any suite of your own: `run --suite ./adopted-v2 -m
    vendor/model`.

    With --verify, PATH may also be a folder that was adopted before. Each configuration whose requests agree (there
    are known exceptions) is admitted; the others are set aside, with the first difference. A store keeps that its
    import has this wording: titles and rubrics are shown with it, and one board shows what was admitted and what is
    measured here. Exit code 1 where nothing can be admitted.
    """
    from independence.cli.output import activity, table_output
    from independence.cli.output.terminal import note
    from independence.config import user_files
    from independence.extensions.published import adopting
    from independence.extensions.published.adoption import verifying
    from independence.suites import load

    def compare(loaded: LoadedSuite) -> None:
        if verify is not None:
            with activity.working(f"comparing with {verify}"):
                compared.append(adopting.verify_suite(loaded, verify))

    compared: list[RequestComparison] = []
    if verify is not None and to is None and (path / "suite.yaml").is_file():
        adopted = load.load(str(path))
        compare(adopted)
    else:
        made = adopting.adopt_suite(path, to, check=compare, run_source=run_source)
        adopted = made.loaded
        _say(made, path)
    if verify is None:
        return
    found = compared[0]
    table_output.print_tables(verifying.tables(found), "table")
    if not found.holds:
        note("the imported requests are not those of this suite: nothing is recorded")
        sys.exit(1)
    kept = "recorded in the store" if user_files.is_store(verify) else "nothing is recorded, as this is no store"
    all_ = f"{len(found.admitted)} of {len(found.configurations)} imported configurations"
    note(f"{all_} have the wording of {adopted.suite.suite}@{adopted.edition}: {kept}")


def _say(made: AdoptedSuite, path: Path) -> None:
    """Print what was made of a clone, and how it is run."""
    from independence.cli.output.terminal import note, plain, runnable
    from independence.engine import plan

    folder = made.folder if made.folder.is_absolute() else f"./{made.folder}"
    size = f"{len(made.loaded.suite.scenarios)} scenarios, {plan.calls(made.loaded.suite)} calls a run"
    name = f"{made.loaded.suite.suite}@{made.loaded.edition}"
    click.echo(plain(f"{folder}: {name} in the published words of `{made.layout}`, {size}"))
    click.echo(plain(runnable(f"ready to run with `independence run --suite {quote(str(folder))} -m vendor/model`")))
    if isinstance(made.models, DocumentError):
        note(plain(f"the models.yaml of {path} was copied, and cannot be read: {made.models}"))
    elif made.models:
        count, file = len(made.models.subjects), quote(f"{folder}/models.yaml")
        click.echo(plain(f"{count} configurations of the clone: `run --models-file {file}`"))
    note(plain(f"judge prompts as published, not hardened; the published board was judged by {made.judge}"))
