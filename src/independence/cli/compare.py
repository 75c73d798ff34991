"""`independence compare`: two subjects, one under two conditions or judges, or two suites over all subjects."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from independence.cli import activity, completion, options
from independence.cli.option_groups import LIMITS, LOCAL, MANY, MODEL, option
from independence.cli.options import TerminalOptions, refuse_undecided
from independence.cli.terminal import note
from independence.config.options import DecisionOptions, Place, RunOptions
from independence.errors import UsageError

if TYPE_CHECKING:
    from independence.api.comparing import OtherSide


@options.command("compare")
@click.argument("first", metavar="[A]", required=False, shell_complete=completion.SUBJECTS)
@click.argument("second", metavar="[B]", required=False, shell_complete=completion.SUBJECTS)
@options.SCORING
@options.PLACE
@click.option(
    "--against-system-prompt", "--against-variant", "against_variant",
    help="Compare A with itself under this system prompt, or your .md file.",
)  # fmt: skip
@click.option(
    "--against-delivery", "--against-mode", "against_mode", help="Compare A with itself in this delivery mode."
)
@click.option("--against-judge", help="Compare the verdicts of this judge on the same replies of A.")
@click.option(
    "--suites",
    type=options.NameList(),
    default=(),
    help="Instead of subjects: two editions of a suite (NAME@EDITION), or a suite and its translation, by scenario.",
)
@click.option(
    "--equivalence", type=float, default=2.0, show_default=True, metavar="POINTS",
    help="Both count as equivalent if the difference is certainly smaller than this.",
)  # fmt: skip
@option(
    MANY, "--until-decided", is_flag=True,
    help="Buy runs of both until it is clear which is higher, or that they are alike.",
)  # fmt: skip
@options.BUYING
@options.db(reads=True)
def command(
    db: Path,
    until_decided: bool,
    options: RunOptions,
    bars: DecisionOptions,
    terminal: TerminalOptions,
    first: str | None,
    second: str | None,
    suites: tuple[str, ...],
    scoring: str,
    place: Place,
    against_variant: str | None,
    against_mode: str | None,
    against_judge: str | None,
    equivalence: float,
) -> None:
    """Compare two subjects (labels, ids or config names), or A with itself under another condition or judge.

    Two providers of one model are two subjects. Prints the difference, its interval, tests, and the scenarios. With
    --suites: the line from one suite to the other, and the scenarios if one suite translates the other.
    """
    from independence.api import comparing, reading
    from independence.cli import table_output

    format_ = terminal.format_
    if not until_decided:
        refuse_undecided(MODEL, LIMITS, LOCAL)
    if suites:
        _compare_suites(db, format_, suites, place)
        return
    if first is None:
        raise UsageError("compare what? Name a subject A, or two suites with --suites A,B")
    against = comparing.OtherSide(against_variant, against_mode, against_judge)
    if second is None and not any(against):
        raise UsageError(
            f"`{first}` against what? Name a second subject, or another condition or judge with "
            "--against-system-prompt, --against-delivery or --against-judge"
        )
    if second is not None and any(against):
        raise UsageError(
            "compare one thing at a time: a second subject, or the same one with --against-..., not both; two subjects "
            "under another condition or judge: --system-prompt, --delivery, --judge"
        )
    if until_decided:
        from independence.cli import decide

        decide.decide(_asked(options, place, (first, second), against), bars, terminal, db, "compare")
    with activity.working("comparing"), reading.Store(db, note) as store:
        compared = comparing.compare(store, first, second or against, **place, equivalence=equivalence, scoring=scoring)
    table_output.print_tables(compared.shown if format_ in ("table", "md") else compared.tables, format_)


def _asked(options: RunOptions, place: Place, subjects: tuple[str | None, ...], against: OtherSide) -> RunOptions:
    """The run that decides between two sides. Raises UsageError for what no runs decide."""
    from independence.api import reading

    if against.judge is not None:
        raise UsageError(
            "--against-judge compares verdicts on the same replies, and no runs decide that", "leave it out"
        )
    for name in ("scoring", "equivalence"):
        if _written(name):
            raise UsageError(f"--{name} is not for --until-decided, which is strict and has --within", "leave it out")
    suite = place.get("suite") or options.suite
    usual = reading.load_suite(suite).suite.default
    judge = place.get("judge")

    def both(own: str | None, other: str | None, otherwise: str) -> tuple[str, ...]:
        return tuple(filter(None, [own] if other is None else [own or otherwise, other]))

    return msgspec.structs.replace(
        options,
        suite=suite,
        models=tuple(filter(None, subjects)),
        variants=both(place.get("variant"), against.variant, usual.variant),
        modes=both(place.get("mode"), against.mode, usual.mode),
        judges=() if judge is None else (judge,),
    )


def _written(name: str) -> bool:
    return click.get_current_context().get_parameter_source(name) is not click.core.ParameterSource.DEFAULT


def _compare_suites(db: Path, format_: str, suites: tuple[str, ...], place: Place) -> None:
    """Raises UsageError unless two suites are named and nothing that is about subjects."""
    from independence.api import comparing, reading
    from independence.cli import table_output

    about_subjects = {"first": "A", "second": "B"} | {
        name: f"--{name.replace('_', '-')}"
        for name in ("against_variant", "against_mode", "against_judge", "equivalence", "scoring")
    }
    written = [shown for name, shown in about_subjects.items() if _written(name)]
    written += ["--suite"] * (place.get("suite") is not None)
    if written:
        raise UsageError(f"--suites compares two suites over all subjects; leave {written[0]} out")
    if len(suites) != 2:
        raise UsageError(
            f"--suites {','.join(suites)}: two suites are compared, not {len(suites)}; write --suites sides,sides-es"
        )
    with activity.working("comparing"), reading.Store(db, note) as store:
        compared = comparing.compare_suites(
            store, *suites, variant=place.get("variant"), mode=place.get("mode"), judge=place.get("judge")
        )
    table_output.print_tables(compared.shown if format_ in ("table", "md") else compared.tables, format_)
