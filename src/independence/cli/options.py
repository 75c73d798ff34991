"""Options that several commands share; one meaning each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from independence.cli import hints

F = TypeVar("F", bound=Callable[..., Any])
DEFAULT_DB = "independence.db"
DEMO_DB = "independence-demo.db"


class NameList(click.ParamType):  # type: ignore[type-arg]
    """A comma list of names, blanks trimmed, empty parts refused."""

    name = "A,B"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        """Split."""
        if isinstance(value, tuple):
            return value
        parts = tuple(part.strip() for part in str(value).split(","))
        if not all(parts):
            self.fail(f"`{value}` has an empty name in it", param, ctx)
        return parts


class VariantList(click.ParamType):  # type: ignore[type-arg]
    """A comma list of system prompt variants; a `.md` file that is there may have commas in its name."""

    name = "A,B"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        """Split, the longest file name first."""
        if isinstance(value, tuple):
            return value
        parts, out = str(value).split(","), []
        while parts:
            joined = [",".join(parts[:end]).strip() for end in range(len(parts), 0, -1)]
            files = [name for name in joined if name.endswith(".md") and Path(name).is_file()]
            out.append(files[0] if files else parts[0].strip())
            parts = parts[out[-1].count(",") + 1 :]
        if not all(out):
            self.fail(f"`{value}` has an empty name in it", param, ctx)
        return tuple(out)


def db(default: str = DEFAULT_DB) -> Callable[[F], F]:
    """`--db PATH`, `INDEPENDENCE_DB`, else `default` in the working directory."""
    return click.option(
        "--db", type=click.Path(dir_okay=False, path_type=Path), envvar="INDEPENDENCE_DB", default=default,
        show_default=True, show_envvar=True, help="The store.", callback=hints.remember,
    )  # fmt: skip


def models_file() -> Callable[[F], F]:
    """`--models-file`: which file lists configurations and endpoints."""
    return click.option(
        "--models-file", type=click.Path(dir_okay=False, path_type=Path),
        help="Configurations and endpoints; `published`: the published ones. Default: ./models.yaml.",
    )  # fmt: skip


def output_format() -> Callable[[F], F]:
    """`--format`: how results are printed on stdout."""
    return click.option(
        "--format", "format_", type=click.Choice(["table", "json", "csv", "md"]), default="table", show_default=True,
        help="How to print the result; notes go to stderr.",
    )  # fmt: skip


def board_options(command: F) -> F:
    """The options that choose a board."""
    for option in (
        click.option("--detailed", "-d", is_flag=True, help="Also every dimension, run and scenario."),
        reading_options,
        place_options,
        click.option(
            "--scoring",
            default="strict",
            show_default=True,
            help="Scoring rule: strict, published, or the name of a published rule.",
        ),
    ):
        command = option(command)
    return command


def reading_options(command: F) -> F:
    """How a board is read: what its intervals and tiers are about."""
    for option in (
        click.option("--correction", type=click.Choice(["holm", "bh", "none"]), default="holm", show_default=True,
                     help="Correction for the many comparisons behind the tiers."),
        click.option("--generalises-to", type=click.Choice(["these-scenarios", "scenarios-like-these"]),
                     default="these-scenarios", show_default=True,
                     help="What intervals and tiers are for: more runs, or other scenarios."),
    ):  # fmt: skip
        command = option(command)
    return command


def place_options(command: F) -> F:
    """The options that choose what a reading command is about: edition, condition, judge."""
    for option in (
        click.option(
            "--judge", "-j", "judge", help="Which judge; default: the model with most verdicts, else the rules."
        ),
        click.option("--mode", "--modes", "mode", help="Delivery mode; default: the suite's."),
        click.option(
            "--variant", "--variants", "variant", help="System prompt variant, or your .md file; default: the suite's."
        ),
        click.option("--suite", help="NAME or NAME@EDITION; not needed if the store holds only one."),
    ):
        command = option(command)
    return command


def suite(command: F) -> F:
    """`--suite` of commands that begin with a suite."""
    return click.option(
        "--suite", default="v2", show_default=True,
        help="A folder with suite.yaml, or v2 (the default: identity, resistance, stability), lite (older, with blunt "
        "demands instead of polite requests), v1 (oldest, with one long questionnaire), sides (does moral advice "
        "depend on who asks?), rent (the published test with landlords and tenants).",
    )(command)  # fmt: skip


def experiments(command: F) -> F:
    """`--exp`: which experiments of a suite, each explained in a line."""
    return click.option(
        "--exp", "-e", "experiments", type=NameList(), default=(),
        help="Only these experiments. identity (whom it chooses to be; v1, lite, v2), resistance (whether it keeps a "
        "position; v1, lite, v2), stability (whether it keeps a choice; v1, lite, v2), advice (whom its advice "
        "favours; sides, rent).",
    )(command)  # fmt: skip


def written_options() -> list[str]:
    """The options of the running command that were written, by their first names."""
    context = click.get_current_context()
    return [
        option.opts[0]
        for option in context.command.params
        if option.name and context.get_parameter_source(option.name) is ParameterSource.COMMANDLINE
    ]
