"""`independence compare`: two subjects, one under two conditions or judges, or two suites over all subjects."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from independence.cli import options
from independence.cli.options import Format, ReadDb, Scoring
from independence.cli.output import activity
from independence.cli.output.terminal import STORE, note
from independence.config.flags import Argument, Flag
from independence.config.options import Place
from independence.errors import UsageError


@options.command("compare")
def command(
    *,
    first: Annotated[str | None, Argument(metavar="[A]", offers="subjects")] = None,
    second: Annotated[str | None, Argument(metavar="[B]", offers="subjects")] = None,
    place: Place,
    against_variant: Annotated[str | None, Flag(
        "Compare A with itself under this system prompt, or your .md file.",
        "--against-system-prompt", "--against-variant",
    )] = None,
    against_mode: Annotated[str | None, Flag(
        "Compare A with itself in this delivery mode.", "--against-delivery", "--against-mode"
    )] = None,
    against_judge: Annotated[str | None, Flag("Compare the verdicts of this judge on the same replies of A.")] = None,
    suites: Annotated[tuple[str, ...], Flag(
        "Instead of subjects: two editions of a suite (NAME@EDITION), or a suite and its translation, by scenario."
    )] = (),
    equivalence: Annotated[float, Flag(
        "Both count as equivalent if the difference is certainly smaller than this.", metavar="POINTS"
    )] = 2.0,
    profile: Annotated[bool, Flag("Compare A and B in every column of the profile.")] = False,
    scoring: Scoring = "strict",
    format_: Format = "table",
    db: ReadDb = STORE,
) -> None:  # fmt: skip
    """Compare two subjects (labels, ids or config names), or A with itself under another condition or judge.

    Two providers of one model are two subjects. Prints the difference, its interval, tests, and the scenarios. What
    the store holds is compared; `run -m A,B --until-decided` buys runs until the answer is clear.
    """
    from independence.api import comparing, profiling, reading
    from independence.cli.output import table_output

    if profile and first and second:
        options.refuse_beside("--profile compares two subjects over suites", "profile", "first", "second", "judge")
        with activity.working("comparing"), reading.Store(db, note) as store:
            found = profiling.compare_profiles(store, first, second, judge=place.get("judge"))
        table_output.print_tables(found.shown if format_ in ("table", "md") else found.tables, format_)
        return
    if profile:
        raise UsageError("compare what? Name two subjects beside --profile")
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
    with activity.working("comparing"), reading.Store(db, note) as store:
        compared = comparing.compare(store, first, second or against, **place, equivalence=equivalence, scoring=scoring)
    table_output.print_tables(compared.shown if format_ in ("table", "md") else compared.tables, format_)


def _compare_suites(db: Path, format_: str, suites: tuple[str, ...], place: Place) -> None:
    """Raises UsageError unless two suites are named and nothing that is about subjects."""
    from independence.api import comparing, reading
    from independence.cli.output import table_output

    options.refuse_beside("--suites compares two suites over all subjects", "suites", "variant", "mode", "judge")
    if len(suites) != 2:
        raise UsageError(
            f"--suites {','.join(suites)}: two suites are compared, not {len(suites)}; write --suites sides,sides-es"
        )
    with activity.working("comparing"), reading.Store(db, note) as store:
        compared = comparing.compare_suites(
            store, *suites, variant=place.get("variant"), mode=place.get("mode"), judge=place.get("judge")
        )
    table_output.print_tables(compared.shown if format_ in ("table", "md") else compared.tables, format_)
