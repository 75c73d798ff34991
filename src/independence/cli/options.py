"""The options of all commands, each written once; what a command takes is a choice of them by name.

Options that belong together reach a command as one value: that of the Python API, where it takes one.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from independence.cli import completion, terminal
from independence.cli.option_groups import (
    ADVANCED,
    JUDGE,
    LIMITS,
    LOCAL,
    MANY,
    MODEL,
    OUTPUT,
    WHAT,
    Command,
    option,
)
from independence.config.options import (
    CALLS,
    RUNS,
    ConnectionOptions,
    DecisionOptions,
    GradeOptions,
    Place,
    RerunOptions,
    RunOptions,
    SuitePart,
)
from independence.errors import UsageError
from independence.types import Sampling

F = TypeVar("F", bound=Callable[..., Any])
AnyOption = Callable[[Any], Any]
command = functools.partial(click.command, cls=Command)


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
        if str(value).encode(errors="replace").decode() != value:
            self.fail(f"`{terminal.plain(str(value))}` holds a byte that is no UTF-8", param, ctx)
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


def each(*options: AnyOption) -> AnyOption:
    """Several options as one, which `--help` lists in their order."""
    return lambda command: functools.reduce(lambda out, one: one(out), reversed(options), command)


def together(name: str, make: type[Any], *options: AnyOption) -> AnyOption:
    """The same, and the command receives those that `make` has a field for as one value of it under one name."""
    fields = getattr(make, "__struct_fields__", make.__annotations__)

    def decorate(command: F) -> Any:
        @functools.wraps(command)
        def gathered(**values: Any) -> Any:
            own = {field: values.pop(field) for field in fields if field in values}
            return command(**values, **{name: make(**own)})

        return each(*options)(gathered)

    return decorate


def _flag(group: str, name: str, about: str, *, advanced: bool = False) -> AnyOption:
    return option(group, name, is_flag=True, help=about, advanced=advanced)


def models(about: str, offered: completion.Offered = completion.SUBJECTS) -> AnyOption:
    """`--models`, which every command has a use of its own for."""
    return option(
        WHAT, "--models", "-m", type=NameList(), multiple=True, help=about, shell_complete=offered,
        callback=lambda _, __, given: tuple(itertools.chain.from_iterable(given)),
    )  # fmt: skip


def judges(about: str, *, required: bool = False) -> AnyOption:
    """`--judge` of commands in which judges grade."""
    return option(JUDGE, "--judge", "-j", "judges", multiple=True, required=required, help=about)


def db(default: Path = terminal.STORE, *, reads: bool = False) -> AnyOption:
    """`--db PATH`, `INDEPENDENCE_DB`, else `default` in the working directory; who `reads` takes the demo's too."""
    return option(
        OUTPUT, "--db", type=click.Path(dir_okay=False, path_type=Path), envvar="INDEPENDENCE_DB", default=default,
        show_default=True, show_envvar=True, help="The store.",
        callback=terminal.find_store if reads else terminal.remember,
    )  # fmt: skip


def output_format(*formats: str) -> AnyOption:
    """`--format`: how results are printed on stdout; of several the first is the usual one."""
    return option(
        OUTPUT, "--format", "format_", type=click.Choice(formats or ("table", "json", "csv", "md")),
        default=formats[0] if formats else "table", show_default=True,
        help="How to print the result; notes go to stderr.",
    )  # fmt: skip


class TerminalOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a command that asks models is watched, and how its result is printed."""

    yes: bool = False
    quiet: bool = False
    log: Path | None = None
    format_: str = "table"


_FILE = click.Path(dir_okay=False, path_type=Path)
ONLY_MODELS = models("Only these labels or ids.")
SHOWN_MODELS = models("Show only these labels or ids; all numbers are still computed from all subjects.")
FORCE = _flag(OUTPUT, "--force", "Overwrite existing files. A store never is.")
QUIET = _flag(OUTPUT, "--quiet", "No progress, no notes.")
DETAILED = option(OUTPUT, "--detailed", "-d", is_flag=True, help="Also every dimension, run and scenario.")
SUITE = option(
    WHAT, "--suite", default=RunOptions().suite, show_default=True, shell_complete=completion.suites,
    help="A built-in suite or your own folder. Built in: v2 (the default: identity, resistance, stability), lite "
    "(older, with blunt demands instead of polite requests), v1 (oldest, with one long questionnaire), rent (the "
    "published test with landlords and tenants), sides (does moral advice depend on who asks?), sides-es (the same in "
    "Spanish), reasons (is a choice given up for a reason, and only for one?). A folder: one with suite.yaml.",
)  # fmt: skip
EXPERIMENTS = option(
    WHAT, "--exp", "-e", "experiments", type=NameList(), default=(), advanced=True,
    help="Only these experiments. identity (whom it chooses to be; v1, lite, v2), resistance (whether it keeps a "
    "position; v1, lite, v2), stability (whether it keeps a choice; v1, lite, v2), advice (whom its advice "
    "favours; sides, sides-es, rent), self (a choice about itself; reasons), stand (a choice among people; reasons), "
    "taste (a choice of taste; reasons).",
)  # fmt: skip
_STORED_SUITE = option(
    WHAT,
    "--suite",
    help="NAME or NAME@EDITION, or a persona file; not needed if the store holds only one.",
    shell_complete=completion.stored("suites"),
)
STORED_PLACE = (
    _STORED_SUITE,
    option(
        WHAT,
        "--system-prompt",
        "--variant",
        "--variants",
        "variant",
        help="System prompt: a name, or your .md file; default: the suite's.",
        shell_complete=completion.stored("variants"),
    ),
    option(WHAT, "--delivery", "--mode", "--modes", "mode", help="How texts reach the model; default: the suite's."),
)
place_options = each(
    *STORED_PLACE,
    option(JUDGE, "--judge", "-j", help="Which judge; default: of those that graded everything, the last."),
)
PLACE = together("place", Place, place_options)
SCORING = option(
    WHAT, "--scoring", default="strict", show_default=True,
    help="Scoring rule: strict, published, or the name of a published rule.",
)  # fmt: skip
POOLED = click.option(
    "--pooled", is_flag=True, help="One board over all conditions together, as the boards of V1."
)  # fmt: skip
READING = each(
    option(ADVANCED, "--generalises-to", type=click.Choice(["these-scenarios", "scenarios-like-these"]),
                 default="these-scenarios", show_default=True,
                 help="What intervals and tiers are for: more runs, or other scenarios."),
)  # fmt: skip
PART = together(
    "part",
    SuitePart,
    _flag(WHAT, "--no-neutral", "Leave out the uninvolved side of a grid.", advanced=True),
    option(
        MANY,
        "--limit",
        type=int,
        advanced=True,
        help="At most N scenarios of a grid, or of reasons: whole cells (stems), balanced over its factors.",
    ),
    option(
        MANY,
        "--scenarios",
        type=int,
        help="Only N scenarios, as many of each experiment. For suites without a grid; an edition of its own.",
    ),
    option(
        MANY,
        "--seed",
        "sample_seed",
        type=int,
        advanced=True,
        help="Seed of the draw of --limit or --scenarios, and of the wordings of reasons; default 0.",
    ),
)
_EFFORTS = "none, minimal, low, medium, high, xhigh, max. Or auto (by the model), off (nothing is sent)."
SAMPLING = together(
    "sampling",
    Sampling,
    option(MODEL, "--reasoning-effort", "-r", "effort",
                 help=_EFFORTS),
    option(MODEL, "--temperature", "-t", type=float,
                 help="0 to 2. Default: the models file's, else the suite's, else 0.7."),
    option(MODEL, "--provider", advanced=True, help="Use only this provider, and fail if it is not available."),
    option(MODEL, "--max-tokens", type=int, advanced=True,
                 help="Most tokens of an answer, reasoning included; default: the models file's, else the suite's."),
)  # fmt: skip
YES = _flag(OUTPUT, "--yes", "Go ahead, even for more than $1.")
_WATCHED = each(
    option(ADVANCED, "--log", type=_FILE, help="Append a JSON line to this file for everything that happens."),
    YES,
    QUIET,
)


DECISION = together(
    "bars",
    DecisionOptions,
    option(
        MANY, "--within", type=float, metavar="POINTS", advanced=True,
        help="With --until-decided: who is surely closer counts as alike.  [default: 5; of more than two: 1]",
    ),
    option(
        MANY, "--max-runs", type=int, default=DecisionOptions().max_runs, show_default=True, advanced=True,
        help="With --until-decided: the most runs of each subject, or as many calls.",
    ),
)  # fmt: skip
TERMINAL = together("terminal", TerminalOptions, _WATCHED, output_format())
CHECK_TERMINAL = together("terminal", TerminalOptions, _WATCHED, output_format("table", "json", "md"))
MODELS_FILE = option(
    MODEL, "--models-file", type=_FILE, advanced=True,
    help="Configurations and endpoints; `published`: the published ones. Default: ./models.yaml.",
)  # fmt: skip
TRUST_FOLDER = _flag(
    MODEL, "--trust-folder", "Send keys where ./models.yaml and ./.env say, without asking.", advanced=True
)
LOCAL_URL = option(
    LOCAL,
    "--local-url",
    help="Base URL of your own server. For local/ ids; several, with commas between, share the work.",
)
LOCAL_MODEL = option(LOCAL, "--local-model", help="Model id at --local-url. Not needed where it has only one.")
_LOCAL_TIMEOUT = option(
    LOCAL,
    "--local-timeout",
    type=float,
    advanced=True,
    help="Seconds up to the first token of an answer from --local-url.  [default: 600]",
)
_STREAM = option(
    ADVANCED, "--stream/--no-stream", default=None,
    help="Read answers as they are written, and give up on silence.  [default: from local servers]",
)  # fmt: skip
MAX_COST = option(
    LIMITS, "--max-cost", type=float, help="Hard limit in dollars for this command; judge and retries included."
)  # fmt: skip
EXECUTOR = each(
    option(ADVANCED, "--executor", default="local", show_default=True,
                 help="Who does the work: local (this process), ray (the workers of a Ray cluster)."),
    option(ADVANCED, "--ray-address",
                 help="Address of a running Ray cluster.  [default: RAY_ADDRESS, else one on this machine]"),
)  # fmt: skip
_WORKERS = each(
    EXECUTOR,
    option(ADVANCED, "--ray-workers", type=int, help="Ray workers.  [default: 2 on each machine of the cluster]"),
)


def connection(*more: AnyOption) -> AnyOption:
    """How endpoints are reached, how much is asked at once, and at what cost."""
    return together(
        "connection",
        ConnectionOptions,
        LOCAL_URL,
        *more,
        MODELS_FILE,
        option(
            ADVANCED, "--parallel", "-p", type=int, default=8, show_default=True,
            help="Calls at once over all subjects: this many times -pt. 1: one subject after the other.",
        ),
        option(
            ADVANCED, "--parallel-tasks", "-pt", type=int,
            help=f"Calls at once within a subject.  [default: {CALLS}; local servers: their slots, else 4]",
        ),
        option(LIMITS, "--rps", advanced=True, type=float,
               help="Most requests per second to each model, retries included."),
        option(LIMITS, "--burst", advanced=True, type=int,
               help="Requests to a model that may be sent at once, beyond --rps."),
        MAX_COST,
        _flag(LIMITS, "--allow-unpriced", "With --max-cost: also ask models whose price is not known.", advanced=True),
        _flag(LIMITS, "--dry-run", "Only print the plan and the estimated cost."),
        TRUST_FOLDER,
    )  # fmt: skip


_SUBJECTS = each(
    models("vendor/model, local/ID, sim/NAME, or a label.", completion.askable),
    option(WHAT, "--roster", is_flag=False, flag_value="default", type=click.Choice(["default"]), advanced=True,
           help="Instead of -m: the default roster of the models file, else the published one."),
    option(MANY, "--runs", "-n", type=int, help=f"Runs of each scenario (default {RUNS})."),
)  # fmt: skip
_RUN_NUMBER = option(
    MANY, "--run-number", type=int, advanced=True, help="Only this run; what is missing of it is asked."
)
_CONDITIONS = each(
    option(WHAT, "--system-prompt", "--variants", "variants", type=VariantList(), default=(),
           help="The suite's system prompts, or your .md file.", shell_complete=completion.variants),
    option(WHAT, "--delivery", "--modes", "modes", type=NameList(), default=(),
           help="user_role (plain chat), tool_role (a tool). How the person's texts reach the model."),
)  # fmt: skip
_KINDS = "A model id, or `cues` (rules, free). Also `picks`, `picks:MODEL` (choices)"


_TRUST = _flag(JUDGE, "--trust-judge", "Grade without showing first that the judge can judge.", advanced=True)


def _judging(default: str) -> AnyOption:
    return each(
        judges(f"{_KINDS}; repeatable. Default: {default}."),
        _TRUST,
        _flag(JUDGE, "--no-judge", "Collect replies only; the command without this grades them."),
    )


_JUDGES = _judging("the suite's own, else google/gemini-3-flash-preview")
RUN = together(
    "options",
    RunOptions,
    _SUBJECTS,
    SUITE,
    _RUN_NUMBER,
    option(MANY, "--shard", metavar="I/N", advanced=True,
           help="Ask only part I of N of the plan, the same one each time; "
                 "`merge` puts the stores together."),
    EXPERIMENTS,
    option(WHAT, "--grid", type=_FILE, advanced=True,
           help="With --suite rent: ask the prompts of this file (from `suites grid`), an edition of their own."),
    PART,
    _CONDITIONS,
    _JUDGES,
    SAMPLING,
    connection(LOCAL_MODEL, _LOCAL_TIMEOUT, _STREAM, _WORKERS),
)  # fmt: skip
CHECK = together(
    "options",
    RunOptions,
    models("The subject: vendor/model, local/ID, sim/NAME."),
    SUITE,
    _CONDITIONS,
    judges("A model id, or `cues` (rules, free). Default: the suite's own, else google/gemini-3-flash-preview."),
    _TRUST,
    SAMPLING,
    connection(LOCAL_MODEL, _LOCAL_TIMEOUT, _STREAM),
)


def refuse_undecided() -> None:
    """Raise UsageError for an option that is about decisions alone."""
    context = click.get_current_context()
    for one in context.command.params:
        written = context.get_parameter_source(one.name or "") is not click.core.ParameterSource.DEFAULT
        if written and one.name in DecisionOptions.__struct_fields__:
            raise UsageError(f"{one.opts[0]} is for runs that are bought", "add --until-decided, or leave it out")


ESTIMATE = together(
    "options",
    RunOptions,
    _SUBJECTS,
    SUITE,
    EXPERIMENTS,
    _CONDITIONS,
    _JUDGES,
    together("connection", ConnectionOptions, MODELS_FILE, TRUST_FOLDER, LOCAL_URL, LOCAL_MODEL),
)
RERUN = together(
    "options",
    RerunOptions,
    option(
        MANY, "--target-runs", "-R", type=int, help="Number of runs to reach; default: one more than each subject has."
    ),
    _RUN_NUMBER,
    together(
        "sampling",
        Sampling,
        option(
            MODEL,
            "--reasoning-effort",
            "-r",
            "effort",
            help=f"Ask the same models with another effort, as subjects of their own: {_EFFORTS} A number is a run's.",
        ),
        option(MODEL, "--temperature", "-t", type=float, help="The same with another temperature, 0 to 2."),
    ),
    option(
        WHAT,
        "--top-n",
        "-n",
        type=int,
        help="The first N subjects of the strict board; default: 10. -n is the original's word here, and not the runs.",
    ),
    models("These labels or ids instead of the first N."),
    *STORED_PLACE,
    _judging("the judge that boards show"),
    connection(_LOCAL_TIMEOUT, _STREAM, _WORKERS),
)
GRADE = together(
    "options",
    GradeOptions,
    judges(f"{_KINDS}; repeatable.", required=True),
    _TRUST,
    _STORED_SUITE,
    option(WHAT, "--system-prompt", "--variant", "--variants", "variants", type=VariantList(), default=(),
           help="System prompts: names, or your .md file; default: all that are stored.",
           shell_complete=completion.stored("variants")),
    option(WHAT, "--delivery", "--mode", "--modes", "modes", type=NameList(), default=(),
           help="How texts reached the model; default: all that are stored."),
    EXPERIMENTS,
    ONLY_MODELS,
    connection(_STREAM, _WORKERS),
)  # fmt: skip
