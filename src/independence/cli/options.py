"""Options that several commands share; one meaning each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

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


def output_format() -> Callable[[F], F]:
    """`--format`: how results are printed on stdout."""
    return click.option(
        "--format", "format_", type=click.Choice(["table", "json", "csv", "md"]), default="table", show_default=True,
        help="How to print the result; notes go to stderr.",
    )  # fmt: skip


def board_options(command: F) -> F:
    """The options that choose a board."""
    for option in (
        click.option("--detailed", "-d", is_flag=True, help="Every dimension, run and scenario below the board."),
        reading_options,
        place_options,
        click.option("--scoring", default="strict", show_default=True, help="strict, published, or a published rule."),
    ):
        command = option(command)
    return command


def reading_options(command: F) -> F:
    """How a board is read: what its intervals and tiers are about."""
    for option in (
        click.option("--correction", type=click.Choice(["holm", "bh", "none"]), default="holm", show_default=True,
                     help="For the many comparisons behind the tiers."),
        click.option("--generalises-to", type=click.Choice(["these-scenarios", "scenarios-like-these"]),
                     default="these-scenarios", show_default=True, help="What intervals and tiers are about."),
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
        click.option("--variant", "--variants", "variant", help="System prompt variant or your .md file."),
        click.option("--suite", help="NAME or NAME@EDITION; may be left out when the store holds one."),
    ):
        command = option(command)
    return command


def roster(command: F) -> F:
    """The option that names many models at once."""
    return click.option(
        "--roster", type=click.Choice(["default"]),
        help="Instead of -m: the default roster of the models file, else of the registry that ships.",
    )(command)  # fmt: skip


def experiments(command: F) -> F:
    """`--exp`: which experiments of a suite, each explained in a line."""
    from independence.suites import introductions

    return click.option(
        "--exp", "-e", "experiments", type=NameList(), default=(),
        help=f"Only these experiments. {introductions.experiments()}.",
    )(command)  # fmt: skip


def part(command: F) -> F:
    """The options that choose a part of a suite's grid."""
    for option in (
        click.option("--seed", "sample_seed", type=int, help="Which sample --limit draws; default 0."),
        click.option(
            "--limit", type=int, help="At most N scenarios of a grid: whole cells, balanced over its factors."
        ),
        click.option("--no-neutral", is_flag=True, help="Leave out the side that has no stake."),
    ):
        command = option(command)
    return command


def offline(command: F) -> F:
    """How offline and hybrid judges are used."""
    for option in (
        click.option("--weights", type=click.Path(dir_okay=False, path_type=Path),
                     help="Of the offline judge, from `train-judge`; default: the suite folder's, else the package's."),
        click.option("--audit-share", type=click.FloatRange(0, 1), default=0.05, show_default=True,
                     help="hybrid: share of the verdicts drawn at random from the rest and bought."),
        click.option("--unsure-share", type=click.FloatRange(0, 1), default=0.2, show_default=True,
                     help="hybrid: share of the verdicts that are bought for being least certain."),
    ):  # fmt: skip
        command = option(command)
    return command


def work(command: F) -> F:
    """The options of every command that asks models: how much at once, at what cost, how loudly."""
    for option in (
        click.option("--quiet", is_flag=True, help="No progress, no notes."),
        click.option("--yes", is_flag=True, help="Do not ask before an expensive run."),
        click.option("--dry-run", is_flag=True, help="Plan and estimate only."),
        click.option("--allow-unpriced", is_flag=True, help="Ask models without a known price under --max-cost."),
        click.option("--max-cost", type=float, help="Hard cap in dollars for this command, judge and retries too."),
        click.option("--log", type=click.Path(dir_okay=False, path_type=Path), help="Add JSON Lines of what happens."),
        click.option("--burst", type=int, help="Requests to a model at once, before --rps holds them back."),
        click.option("--rps", type=float, help="Requests per second to each model, retries too."),
        click.option("--local-url", help="Base URL of a local server; for local/ ids only."),
        click.option("--parallel-tasks", "-pt", type=int, help="Calls at once within a subject.  [default: 20]"),
        click.option("--parallel", "-p", type=int, default=8, show_default=True, help="Subjects at once."),
        click.option(
            "--models-file",
            type=click.Path(dir_okay=False, path_type=Path),
            help="`published`: the registry that ships. Default: ./models.yaml.",
        ),
    ):
        command = option(command)
    return command
