"""What a person asks for, as values: each command builds one of its flags, and the Python API takes the same."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Annotated, Final, TypedDict

import msgspec

from independence.config import functions
from independence.config.flags import ADVANCED, JUDGE, LIMITS, LOCAL, MANY, MODEL, OUTPUT, WHAT, Flag
from independence.errors import UsageError
from independence.types import Sampling

RUNS = 3
PROFILE: Final = "profile"  # in place of a suite: several, as one plan
MAX_DROP = 3.0  # index points
MARGIN, MARGIN_OF_BEST = 5.0, 1.0  # the same
MOST_RUNS = 1_000
CALLS = 20  # at once within a subject
_ASKING, _PAYING = "run check rerun judge", "run check rerun judge extract-names"
_SHARD: Final = re.compile("([0-9]{1,6})/([0-9]{1,6})")


# fmt: off
# What several commands take.
SUITE: Final = Flag(
    "A built-in suite or your own folder. Built in: v2 (the default: identity, resistance, stability), lite "
    "(older, with blunt demands instead of polite requests), v1 (oldest, with one long questionnaire), rent (the "
    "published test with landlords and tenants), sides (does moral advice depend on who asks?), sides-es (the same in "
    "Spanish), reasons (is a choice given up for a reason, and only for one?), ladder (how many pushes does it take?). "
    "A folder: one with suite.yaml.",
    group=WHAT, offers="suites",
)
EXPERIMENTS: Final = Flag(
    "Only these experiments. identity (whom it chooses to be; v1, lite, v2), resistance (whether it keeps a "
    "position; v1, lite, v2), stability (whether it keeps a choice; v1, lite, v2), advice (whom its advice "
    "favours; sides, sides-es, rent), self (a choice about itself; ladder, reasons), stand (a choice among people; "
    "ladder, reasons), taste (a choice of taste; ladder, reasons).",
    "--exp", "-e", group=WHAT, on="run estimate-cost judge", advanced=True,
)
STORED_SUITE: Final = Flag(
    "NAME or NAME@EDITION, or a persona file; not needed if the store holds only one.",
    group=WHAT, offers="stored suites",
)
VARIANT: Final = Flag(
    "System prompt: a name, or your .md file; default: the suite's.",
    "--system-prompt", "--variant", "--variants", group=WHAT, offers="stored variants",
)
MODE: Final = Flag("How texts reach the model; default: the suite's.", "--delivery", "--mode", "--modes", group=WHAT)
STORED_JUDGE: Final = Flag(
    "Which judge; default: of those that graded everything, the last.",
    "-j", group=JUDGE, on="leaderboard generate-report compare show export label-sample",
)
ONLY_MODELS: Final = Flag("Only these labels or ids.", "-m", group=WHAT, offers="subjects")
TRUST_JUDGE: Final = Flag(
    "Grade without showing first that the judge can judge.", group=JUDGE, on=_ASKING, advanced=True
)
NO_JUDGE: Final = Flag(
    "Collect replies only; the command without this grades them.", group=JUDGE, on="run estimate-cost rerun"
)
RUN_NUMBER: Final = Flag("Only this run; what is missing of it is asked.", group=MANY, on="run rerun", advanced=True)
VAR: Final = Flag(
    "NAME=TEXT. Fills {{NAME}}, {NAME} and their like in a persona file; repeatable.",
    group=WHAT, on="run check estimate-cost lint init", metavar="NAME=TEXT", advanced=True, whole=True,
)
FORCE: Final = Flag("Overwrite existing files. A store never is.", group=OUTPUT)
_EFFORTS = "none, minimal, low, medium, high, xhigh, max. Or auto (by the model), off (nothing is sent)."
_KINDS = "A model id, or `cues` (rules, free). Also `picks`, `picks:MODEL` (choices)"
_SAMPLING: Final = {
    "effort": Flag(_EFFORTS, "--reasoning-effort", "-r", group=MODEL, on="run check"),
    "temperature": Flag(
        "0 to 2. Default: the models file's, else the suite's, else 0.7.", "-t", group=MODEL, on="run check"
    ),
    "provider": Flag(
        "Use only this provider, and fail if it is not available.", group=MODEL, on="run check", advanced=True
    ),
    "max_tokens": Flag(
        "Most tokens of an answer, reasoning included; default: the models file's, else the suite's.",
        group=MODEL, on="run check", advanced=True,
    ),
}
_SAMPLING_AGAIN: Final = {
    "effort": Flag(
        f"Ask the same models with another effort, as subjects of their own: {_EFFORTS} A number is a run's.",
        "--reasoning-effort", "-r", group=MODEL,
    ),
    "temperature": Flag("The same with another temperature, 0 to 2.", "-t", group=MODEL),
}


class Place(TypedDict, total=False):
    """What is read: `suite` is NAME or NAME@EDITION, `variant` and `mode` a condition; and by which judge."""

    suite: Annotated[str | None, STORED_SUITE]
    variant: Annotated[str | None, VARIANT]
    mode: Annotated[str | None, MODE]
    judge: Annotated[str | None, STORED_JUDGE]


class ConnectionOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How endpoints are reached, how much is asked at once, and what it may cost. Raises UsageError.

    What is None is left to the models file, the environment or the endpoint.
    """

    local_url: Annotated[str | None, Flag(
        "Base URL of your own server. For local/ ids; several, with commas between, share the work.",
        group=LOCAL,
    )] = None
    local_model: Annotated[str | None, Flag(
        "Model id at --local-url. Not needed where it has only one.",
        group=LOCAL, on="run check doctor",
    )] = None
    local_timeout: Annotated[float | None, Flag(
        "Seconds up to the first token of an answer from --local-url.  [default: 600]",
        group=LOCAL, on="run check rerun", advanced=True,
    )] = None
    models_file: Annotated[Path | None, Flag(
        "Configurations and endpoints; `published`: the published ones. Default: ./models.yaml.",
        group=MODEL, advanced=True,
    )] = None
    trust_folder: Annotated[bool, Flag(
        "Send keys where ./models.yaml and ./.env say, without asking.",
        group=MODEL, on=f"{_ASKING} estimate-cost extract-names init", advanced=True,
    )] = False
    max_cost: Annotated[float | None, Flag(
        "Hard limit in dollars for this command; judge and retries included.",
        group=LIMITS, on=f"{_PAYING} init",
    )] = None
    dry_run: Annotated[bool, Flag("Only print the plan and the estimated cost.", group=LIMITS, on=_PAYING)] = False
    rps: Annotated[float | None, Flag(
        "Most requests per second to each model, retries included.",
        group=LIMITS, on=_ASKING, advanced=True,
    )] = None
    allow_unpriced: Annotated[bool, Flag(
        "With --max-cost: also ask models whose price is not known.",
        group=LIMITS, on=_PAYING, advanced=True,
    )] = False
    stream: Annotated[bool | None, Flag(
        "Read answers as they are written, and give up on silence.  [default: from local servers]",
        "--stream/--no-stream", group=ADVANCED, on="run check")] = None
    strict_model: Annotated[bool, Flag(
        "Refuse answers by another model than the one asked; else they are marked.", group=ADVANCED, on="run check"
    )] = False
    executor: Annotated[str, Flag(
        "Who does the work: local (this process), ray (the workers of a Ray cluster).",
        group=ADVANCED, on="run",
    )] = "local"
    ray_workers: Annotated[int | None, Flag(
        "Ray workers.  [default: 2 on each machine of the cluster]",
        group=ADVANCED, on="run",
    )] = None
    parallel: Annotated[int, Flag(
        "Calls at once over all subjects: this many times -pt. 1: one subject after the other.",
        "-p", group=ADVANCED, on=_PAYING,
    )] = 8
    parallel_tasks: Annotated[int | None, Flag(
        f"Calls at once within a subject.  [default: {CALLS}; local servers: their slots, else 4]",
        "-pt", group=ADVANCED, on=_PAYING,
    )] = None

    def __post_init__(self) -> None:
        """Refuse numbers that make no sense."""
        for flag, value, unit in (
            ("--rps", self.rps, "requests a second"),
            ("--local-timeout", self.local_timeout, "seconds"),
        ):
            if value is not None and not 0 < value < math.inf:
                raise UsageError(f"{flag} {value:g}:", f"write {unit} above 0")
        for flag, count in (
            ("-p", self.parallel), ("-pt", self.parallel_tasks), ("--ray-workers", self.ray_workers),
        ):
            if count is not None and count < 1 and (count < 0 or flag not in ("-p", "-pt")):
                raise UsageError(f"{flag} {count}:", "at least 1 is needed")
        for name in ("parallel", "parallel_tasks"):
            if getattr(self, name) == 0:  # the published project's word for one at a time
                msgspec.structs.force_setattr(self, name, 1)
        if self.executor != "ray" and self.ray_workers is not None:
            raise UsageError("--ray-workers is about a Ray cluster:", "add --executor ray")
        if self.max_cost is not None and not 0 < self.max_cost < math.inf:
            raise UsageError(f"--max-cost {self.max_cost}:", "write dollars above 0, or leave it out for no cap")

    @property
    def calls(self) -> int:
        """Calls at once within a subject."""
        return CALLS if self.parallel_tasks is None else self.parallel_tasks


class SuitePart(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which scenarios of a grid, or of another suite, are asked."""

    no_neutral: Annotated[bool, Flag(
        "Leave out the uninvolved side of a grid.",
        group=WHAT, on="run grid", advanced=True,
    )] = False
    limit: Annotated[int | None, Flag(
        "At most N scenarios of a grid, reasons or ladder: whole cells (stems), balanced over its factors.",
        group=MANY, on="run grid", advanced=True,
    )] = None
    scenarios: Annotated[int | None, Flag(
        "Only N scenarios, as many of each experiment. For suites without a grid; an edition of its own.",
        group=MANY, on="run",
    )] = None
    sample_seed: Annotated[int | None, Flag(
        "Seed of the draw of --limit or --scenarios, and of the wordings of reasons and ladder; default 0.",
        "--seed", group=MANY, on="run grid", advanced=True,
    )] = None


class RunOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A run: which suite is asked of which models, and who grades."""

    models: Annotated[tuple[str, ...], Flag(
        "vendor/model, local/ID, sim/NAME, or a label. Also python:MODULE:FUNCTION, a function of your own.",
        "-m", group=WHAT, offers="askable",
    )] = ()
    roster: Annotated[str | None, Flag(
        "Instead of -m: the default roster of the models file, else the published one.",
        group=WHAT, on="run estimate-cost", advanced=True, choices=("default",), is_flag=False, flag_value="default",
    )] = None
    runs: Annotated[int | None, Flag(
        f"Runs of each scenario (default {RUNS}).",
        "-n", group=MANY, on="run estimate-cost",
    )] = None
    suite: Annotated[str, SUITE] = "v2"
    run_number: Annotated[int | None, RUN_NUMBER] = None
    shard: Annotated[str | None, Flag(
        "Ask only part I of N of the plan, the same one each time; `merge` puts the stores together.",
        group=MANY, on="run", advanced=True, metavar="I/N",
    )] = None
    experiments: Annotated[tuple[str, ...], EXPERIMENTS] = ()
    grid: Annotated[Path | None, Flag(
        "With --suite rent: ask the prompts of this file (from `suites grid`), an edition of their own.",
        group=WHAT, on="run", advanced=True,
    )] = None
    part: SuitePart = SuitePart()
    parts: Annotated[tuple[str, ...], Flag(
        "Of --suite profile, which asks v2 in plain chat under two prompts, reasons, ladder and sides as one plan: "
        "only these parts (pressure, reasons, ladder, sides).",
        "--part", group=WHAT, on="run estimate-cost", advanced=True,
    )] = ()
    variants: Annotated[tuple[str, ...], Flag(
        "The suite's system prompts, or your .md file.",
        "--system-prompt", "--variants", group=WHAT, offers="variants",
    )] = ()
    var: Annotated[tuple[str, ...], VAR] = ()
    modes: Annotated[tuple[str, ...], Flag(
        "user_role (plain chat), tool_role (a tool). How the person's texts reach the model.",
        "--delivery", "--modes", group=WHAT,
    )] = ()
    judges: Annotated[tuple[str, ...], Flag(
        f"{_KINDS}; repeatable. Default: the suite's own, else google/gemini-3-flash-preview.",
        "--judge", "-j", group=JUDGE, whole=True,
    )] = ()
    trust_judge: Annotated[bool, TRUST_JUDGE] = False
    no_judge: Annotated[bool, NO_JUDGE] = False
    seed: int = 0  # another one draws everything anew
    sampling: Annotated[Sampling, _SAMPLING] = Sampling()
    connection: ConnectionOptions = ConnectionOptions()

    def __post_init__(self) -> None:
        """Refuse what contradicts itself."""
        functions.name_in(self)
        if self.run_number is not None and self.runs is not None:
            raise UsageError("--run-number asks one run", "leave out --runs, or leave it out")
        if self.run_number is not None and self.run_number < 1:
            raise UsageError(f"--run-number {self.run_number}: runs are counted from 1")
        if self.parts and self.suite != PROFILE:
            raise UsageError(f"--part {','.join(self.parts)} is of a profile", "add --suite profile, or leave it out")
        _ = self.part_of_plan, self.values

    @property
    def values(self) -> dict[str, str]:
        """What fills the templates of persona files. Raises UsageError."""
        return values_of(self.var)

    @property
    def part_of_plan(self) -> tuple[int, int] | None:
        """Which part of the plan is asked, counted from 1, and of how many. Raises UsageError."""
        if self.shard is None:
            return None
        found = _SHARD.fullmatch(self.shard)
        number, count = map(int, found.groups()) if found else (0, 0)
        if not 1 <= number <= count:
            raise UsageError(f"--shard {self.shard}:", "write I/N, as 2/8 for the second of eight parts")
        return number, count


_FLAGS: Final = {
    "experiments": "--exp", "part": "a part of the suite (--scenarios, --limit)", "variants": "--system-prompt",
    "modes": "--delivery",
}  # fmt: skip


def unusual(asked: RunOptions, names: Collection[str]) -> str:
    """The flag of the first of these fields that is not as usual; empty where all are."""
    for name, usual in msgspec.structs.asdict(RunOptions()).items():
        if name in names and getattr(asked, name) != usual:
            return _FLAGS.get(name, f"--{name.replace('_', '-')}")
    return ""


def values_of(var: Sequence[str]) -> dict[str, str]:
    """What fills the templates of a persona file, by name in lower case. Raises UsageError."""
    for one in var:
        if one.find("=") < 1:
            raise UsageError(f"--var {one}:", "write NAME=TEXT, as char=Mira")
    return {name.strip().casefold(): text for name, _, text in (one.partition("=") for one in var)}


class GateOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which bars a subject has to be above, and how many runs may be bought to decide it. Without a bar: all of them.

    `min_index` is an index, above 0 and below 100; `min_j`, of a suite with a battery, a J above -1 and below 1;
    `against` a baseline file, from whose index the subject's may drop by at most `max_drop` points (0-100; None: 3).
    Raises UsageError.
    """

    min_index: Annotated[float | None, Flag("Pass if the interval of the index is above it.")] = None
    min_j: Annotated[float | None, Flag(
        "The same for J, of a suite such as reasons: a number from -1 to 1.", advanced=True
    )] = None
    against: Annotated[Path | None, Flag(
        "A baseline file: pass if the index is no lower. It may be lower by --max-drop. Of a persona an older FILE "
        "(.md) or another model, which is asked beside it.",
    )] = None
    max_drop: Annotated[float | None, Flag(
        f"With --against: how many points below are allowed.  [default: {MAX_DROP:g}]", advanced=True
    )] = None
    max_runs: Annotated[int, Flag("Most runs of each scenario of a suite; with a bar, as few as decide it.")] = 10
    quick: Annotated[bool, Flag(
        "Of a persona: two dialogues of each commitment. It says whether a breach was seen, and decides nothing."
    )] = False
    without_prompt: Annotated[bool, Flag(
        "Of a persona: also ask the model without the prompt, with name and role alone.", advanced=True
    )] = False

    def __post_init__(self) -> None:
        """Refuse what cannot be decided."""
        if self.min_index is not None and not 0 < self.min_index < 100:
            raise UsageError(f"--min-index {self.min_index:g}:", "write an index above 0 and below 100")
        if self.min_j is not None and not -1 < self.min_j < 1:
            raise UsageError(f"--min-j {self.min_j:g}:", "write a J above -1 and below 1")
        if self.max_drop is not None and self.against is None:
            raise UsageError("--max-drop is about a baseline", "name it with --against FILE")
        if self.max_drop is not None and not 0 <= self.max_drop <= 100:
            raise UsageError(f"--max-drop {self.max_drop:g}:", "write points of the index from 0 to 100")
        _refuse_runs(self.max_runs)

    @property
    def drop(self) -> float:
        """Points that the index may drop by."""
        return MAX_DROP if self.max_drop is None else self.max_drop


class DecisionOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When two subjects, or the best of several, count as decided. Raises UsageError.

    `within`: index points (0-100) within which two count as alike, None: 5 of two, and 1 of more, where a wider margin
    would stop before it is known who is best; `max_runs`: whole runs' worth of calls, of each.
    """

    within: Annotated[float | None, Flag(
        "With --until-decided: who is surely closer counts as alike.  [default: 5; of more than two: 1]",
        group=MANY, advanced=True, metavar="POINTS",
    )] = None
    max_runs: Annotated[int, Flag(
        "With --until-decided: the most runs of each subject, or as many calls.", group=MANY, advanced=True
    )] = 10

    def __post_init__(self) -> None:
        """Refuse what cannot be decided."""
        if self.within is not None and not 0 < self.within <= 100:
            raise UsageError(f"--within {self.within:g}:", "write points of the index above 0 and at most 100")
        _refuse_runs(self.max_runs)

    def margin(self, sides: int) -> float:
        """Of a decision between so many, in index points."""
        return self.within or (MARGIN if sides == 2 else MARGIN_OF_BEST)


def _refuse_runs(max_runs: int) -> None:
    if not 2 <= max_runs <= MOST_RUNS:
        raise UsageError(f"--max-runs {max_runs}:", f"write a number of runs from 2 to {MOST_RUNS}")


class StoredOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which part of a store is meant, and how endpoints are reached."""

    suite: Annotated[str | None, STORED_SUITE] = None
    models: Annotated[tuple[str, ...], ONLY_MODELS] = ()
    connection: ConnectionOptions = ConnectionOptions()


class RerunOptions(StoredOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Stored subjects that are asked for more runs."""

    target_runs: Annotated[int | None, Flag(
        "Number of runs to reach; default: one more than each subject has.",
        "-R", group=MANY,
    )] = None
    run_number: Annotated[int | None, RUN_NUMBER] = None
    sampling: Annotated[Sampling, _SAMPLING_AGAIN] = Sampling()
    top_n: Annotated[int | None, Flag(
        "The first N subjects of the strict board; default: 10. -n is the original's word here, and not the runs.",
        "-n", group=WHAT,
    )] = None
    models: Annotated[tuple[str, ...], Flag(
        "These labels or ids instead of the first N.",
        "-m", group=WHAT, offers="subjects",
    )] = ()
    variant: Annotated[str | None, VARIANT] = None
    mode: Annotated[str | None, MODE] = None
    judges: Annotated[tuple[str, ...], Flag(
        f"{_KINDS}; repeatable. Default: the judge that boards show.",
        "--judge", "-j", group=JUDGE, whole=True,
    )] = ()
    trust_judge: Annotated[bool, TRUST_JUDGE] = False
    no_judge: Annotated[bool, NO_JUDGE] = False

    def __post_init__(self) -> None:
        """Refuse what contradicts itself."""
        functions.name_in(self)
        if self.models and self.top_n is not None:
            raise UsageError("-m names subjects and -n takes the best; give one of the two")
        if self.target_runs is not None and self.target_runs < 1:
            raise UsageError(f"-R {self.target_runs}:", "at least 1 run is needed")
        if self.run_number is not None and self.target_runs is not None:
            raise UsageError("--run-number asks one run and -R fills all up to one; give one of the two")
        if self.run_number is not None and self.run_number < 1:
            raise UsageError(f"--run-number {self.run_number}: runs are counted from 1")


class GradeOptions(StoredOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Stored dialogues that are graded, and by whom."""

    judges: Annotated[tuple[str, ...], Flag(f"{_KINDS}; repeatable.", "--judge", "-j", group=JUDGE, whole=True)]
    trust_judge: Annotated[bool, TRUST_JUDGE] = False
    variants: Annotated[tuple[str, ...], Flag(
        "System prompts: names, or your .md file; default: all that are stored.",
        "--system-prompt", "--variant", "--variants", group=WHAT, offers="stored variants",
    )] = ()
    modes: Annotated[tuple[str, ...], Flag(
        "How texts reached the model; default: all that are stored.",
        "--delivery", "--mode", "--modes", group=WHAT,
    )] = ()
    experiments: Annotated[tuple[str, ...], EXPERIMENTS] = ()

    def __post_init__(self) -> None:
        """Name the functions."""
        functions.name_in(self)


class NamesOptions(StoredOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Stored answers out of which names are read, and who reads them."""

    extractors: Annotated[tuple[str, ...], Flag(
        "The model that reads, or several: each reads what those before it could not.  "
        "[default: google/gemini-3-flash-preview]",
        "--extractor", "-x",
    )] = ()
    force: Annotated[bool, Flag("Read all again.", "-f")] = False
    variant: Annotated[str | None, VARIANT] = None
    mode: Annotated[str | None, MODE] = None


# fmt: on
