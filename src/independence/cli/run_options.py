"""The options of commands that ask models, gathered into the values that the Python API takes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import msgspec

from independence.cli.options import F, NameList, VariantList, experiments, output_format, suite
from independence.config.options import (
    AUDIT_SHARE,
    CALLS,
    RUNS,
    UNSURE_SHARE,
    ConnectionOptions,
    GradeOptions,
    GridPart,
    OfflineOptions,
    RerunOptions,
    RunOptions,
)
from independence.types import Sampling

_FILE = click.Path(dir_okay=False, path_type=Path)
AnyOption = Callable[[Any], Any]


class Together:
    """Options that a command receives as one value, under one name."""

    def __init__(self, name: str, make: Callable[..., object], *options: AnyOption) -> None:
        self.name = name
        self._make = make
        self._options = options

    def __call__(self, command: F) -> F:
        """The command with these options, which `--help` lists in their order."""
        names: list[str] = []

        @functools.wraps(command)
        def gathered(**values: Any) -> Any:
            own = {name: values.pop(name) for name in names}
            return command(**values, **{self.name: self._make(**own)})

        out: Any = gathered
        for option in reversed(self._options):
            out = option(out)
            names.append(option.name if isinstance(option, Together) else out.__click_params__[-1].name)
        return out  # type: ignore[no-any-return]


class TerminalOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a command that asks models is watched, and how its result is printed."""

    yes: bool = False
    quiet: bool = False
    log: Path | None = None
    format_: str = "table"


PART = Together(
    "part",
    GridPart,
    click.option("--no-neutral", is_flag=True, help="Leave out the uninvolved side of a grid."),
    click.option("--limit", type=int, help="At most N scenarios of a grid: whole cells, balanced over its factors."),
    click.option("--seed", "sample_seed", type=int, help="Seed of the sample of --limit; default 0."),
)
SAMPLING = Together(
    "sampling",
    Sampling,
    click.option(
        "--reasoning-effort",
        "-r",
        "effort",
        help="auto, off (nothing is sent), none, minimal, low, medium, high, xhigh, max.",
    ),
    click.option(
        "--temperature", "-t", type=float, help="0 to 2; default: the models file's, else the suite's, else 0.7."
    ),
    click.option("--provider", help="Use only this provider, and fail if it is not available."),
)
TERMINAL = Together(
    "terminal",
    TerminalOptions,
    click.option("--log", type=_FILE, help="Append a JSON line to this file for everything that happens."),
    click.option("--yes", is_flag=True, help="Do not ask for confirmation."),
    click.option("--quiet", is_flag=True, help="No progress, no notes."),
    output_format(),
)
MODELS_FILE = click.option(
    "--models-file",
    type=_FILE,
    help="Configurations and endpoints; `published`: the published ones. Default: ./models.yaml.",
)
ROSTER = click.option(
    "--roster", type=click.Choice(["default"]),
    help="Instead of -m: the default roster of the models file, else the published one.",
)  # fmt: skip
_OF_SUBJECTS = (
    click.option("--local-model", help="Model id at --local-url."),
    click.option("--local-timeout", type=float, help="Seconds per attempt at --local-url.  [default: 600]"),
)


def connection(*more: AnyOption) -> Together:
    """How endpoints are reached, how much is asked at once, and at what cost."""
    return Together(
        "connection",
        ConnectionOptions,
        *more,
        MODELS_FILE,
        click.option("--parallel", "-p", type=int, default=8, show_default=True, help="Subjects at once."),
        click.option("--parallel-tasks", "-pt", type=int, help=f"Calls at once within a subject.  [default: {CALLS}]"),
        click.option("--local-url", help="Base URL of a local server, for local/ ids."),
        click.option("--rps", type=float, help="Most requests per second to each model, retries included."),
        click.option("--burst", type=int, help="Requests to a model that may be sent at once, beyond --rps."),
        click.option(
            "--max-cost", type=float, help="Hard limit in dollars for this command, judge and retries included."
        ),
        click.option(
            "--allow-unpriced", is_flag=True, help="With --max-cost: also ask models whose price is not known."
        ),
        click.option("--dry-run", is_flag=True, help="Only print the plan and the estimated cost."),
    )


def offline(*more: AnyOption) -> Together:
    """How offline and hybrid judges are used."""
    return Together(
        "offline",
        OfflineOptions,
        *more,
        click.option("--unsure-share", type=click.FloatRange(0, 1), default=UNSURE_SHARE, show_default=True,
                     help="hybrid: share of the verdicts to buy because they are least certain."),
        click.option("--audit-share", type=click.FloatRange(0, 1), default=AUDIT_SHARE, show_default=True,
                     help="hybrid: share of the other verdicts to buy, drawn at random."),
        click.option("--weights", type=_FILE,
                     help="Weights of the offline judge; default: the suite folder's, else the package's."),
    )  # fmt: skip


def _judges(text: str, *, required: bool = False) -> AnyOption:
    return click.option("--judge", "-j", "judges", multiple=True, required=required, help=text)


_STORED_SUITE = click.option("--suite", help="NAME or NAME@EDITION; not needed if the store holds only one.")
_VARIANT = click.option(
    "--variant", "--variants", "variant", help="System prompt variant, or your .md file; default: the suite's."
)
_MODE = click.option("--mode", "--modes", "mode", help="Delivery mode; default: the suite's.")
STORED_PLACE = (_STORED_SUITE, _VARIANT, _MODE)
_VARIANTS = click.option(
    "--variants", type=VariantList(), default=(), help="System prompt variants by name, or your .md file."
)
_MODES = click.option("--modes", type=NameList(), default=(), help="Delivery modes: user_role, tool_role.")

RUN = Together(
    "options",
    RunOptions,
    suite,
    click.option("--models", "-m", type=NameList(), default=(),
                 help="Ids or labels: vendor/model, local/ID, sim/NAME."),
    ROSTER,
    click.option("--runs", type=int, help=f"Number of runs of each scenario; default {RUNS}."),
    click.option("--run-number", type=int, help="Only this run, instead of 1 to N; what is missing of it is asked."),
    click.option("--replicates", type=click.Choice(["auto"]),
                 help="Repeat the scenarios whose scores vary most; at least --runs of each, here 2 by default."),
    click.option("--calls", type=click.IntRange(1, 100_000),
                 help="With --replicates: calls per subject, verdicts included."),
    experiments,
    click.option("--grid", type=_FILE,
                 help="With --suite rent: ask the prompts of this file (from `suites grid`), an edition of "
                      "their own."),
    PART,
    _VARIANTS,
    _MODES,
    _judges("A model id, `cues`, `offline` or `hybrid:MODEL`; repeatable. "
            "Default: google/gemini-3-flash-preview, or the suite's own."),
    offline(),
    click.option("--no-judge", is_flag=True, help="Collect replies only; the command without this grades them."),
    SAMPLING,
    connection(*_OF_SUBJECTS),
)  # fmt: skip
ESTIMATE = Together(
    "options",
    RunOptions,
    suite,
    click.option("--models", "-m", type=NameList(), default=(), help="Ids or labels, as in `run`."),
    ROSTER,
    click.option("--runs", type=int, default=RUNS, show_default=True, help="Number of runs of each scenario."),
    experiments,
    _VARIANTS,
    _MODES,
    _judges("As in `run`; repeatable."),
    offline(),
    click.option("--no-judge", is_flag=True, help="Replies only."),
    Together(
        "connection",
        ConnectionOptions,
        MODELS_FILE,
        click.option(
            "--local-url",
            help="As in `run`; local models cost nothing.",
        ),
    ),
)
RERUN = Together(
    "options",
    RerunOptions,
    click.option(
        "--target-runs", "-R", type=int, help="Number of runs to reach; default: one more than each subject has."
    ),
    click.option("--run-number", type=int, help="Only this run; what is missing of it is asked."),
    click.option("--top-n", "-n", type=int, help="The first N subjects of the strict board; default: 10."),
    click.option("--models", "-m", type=NameList(), default=(), help="These labels or ids instead of the first N."),
    *STORED_PLACE,
    _judges("A model id, `cues`, `offline` or `hybrid:MODEL`; default: the judge that boards show."),
    offline(),
    click.option("--no-judge", is_flag=True, help="Collect replies only; the command without this grades them."),
    connection(_OF_SUBJECTS[1]),
)
GRADE = Together(
    "options",
    GradeOptions,
    _judges("A model id, `cues`, `offline` or `hybrid:MODEL`; repeatable.", required=True),
    offline(
        click.option("--audit", type=click.IntRange(min=1), is_flag=False, flag_value=20,
                     help="The model grades a sample of N dialogues per scenario (20), to correct the offline judge."),
    ),
    *STORED_PLACE,
    click.option("--exp", "-e", "experiments", type=NameList(), default=(), help="Only these experiments."),
    click.option("--models", "-m", type=NameList(), default=(), help="Only these labels or ids."),
    connection(),
)  # fmt: skip
