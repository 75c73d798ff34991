"""What a person asks for, as values: each command builds one of its flags, and the Python API takes the same."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypedDict, TypeVar

import msgspec

from independence.errors import UsageError, suggestion
from independence.types import Sampling

RUNS = 3
MAX_DROP = 3.0  # index points
MARGIN, MARGIN_OF_BEST = 5.0, 1.0  # the same
MOST_RUNS = 1_000
CALLS = 20  # at once within a subject
_SHARD: Final = re.compile("([0-9]{1,6})/([0-9]{1,6})")


class Place(TypedDict, total=False):
    """What is read: `suite` is NAME or NAME@EDITION, `variant` and `mode` a condition; and by which judge."""

    suite: str | None
    variant: str | None
    mode: str | None
    judge: str | None


class ConnectionOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How endpoints are reached, how much is asked at once, and what it may cost. Raises UsageError."""

    models_file: Path | None = None  # None: ./models.yaml where there is one
    local_url: str | None = None
    local_model: str | None = None
    local_timeout: float | None = None  # seconds; None: ten minutes
    stream: bool | None = None  # answers are read as they are written; None: those of servers of one's own
    rps: float | None = None  # requests per second to each model
    burst: int | None = None
    parallel: int = 8  # this many times `parallel_tasks` calls at once in all; 1: one subject after the other
    parallel_tasks: int | None = None  # calls at once within a subject; None: CALLS
    executor: str = "local"  # or `ray`, the workers of a Ray cluster, or one of another package
    ray_address: str | None = None  # None: RAY_ADDRESS, else a cluster on this machine for this command
    ray_workers: int | None = None  # None: two on each machine of the cluster
    max_cost: float | None = None  # dollars
    allow_unpriced: bool = False
    dry_run: bool = False  # no model is asked: no key is needed
    trust_folder: bool = False  # keys may go where `.env` and `models.yaml` of the working directory say

    def __post_init__(self) -> None:
        """Refuse numbers that make no sense."""
        for flag, value, unit in (
            ("--rps", self.rps, "requests a second"),
            ("--local-timeout", self.local_timeout, "seconds"),
        ):
            if value is not None and not 0 < value < math.inf:
                raise UsageError(f"{flag} {value:g}:", f"write {unit} above 0")
        for flag, count in (
            ("--burst", self.burst), ("-p", self.parallel), ("-pt", self.parallel_tasks),
            ("--ray-workers", self.ray_workers),
        ):  # fmt: skip
            if count is not None and count < 1 and (count < 0 or flag not in ("-p", "-pt")):
                raise UsageError(f"{flag} {count}:", "at least 1 is needed")
        for name in ("parallel", "parallel_tasks"):
            if getattr(self, name) == 0:  # the published project's word for one at a time
                msgspec.structs.force_setattr(self, name, 1)
        if self.executor != "ray" and (self.ray_address is not None or self.ray_workers is not None):
            raise UsageError("--ray-address and --ray-workers are about a Ray cluster:", "add --executor ray")
        if self.max_cost is not None and not 0 < self.max_cost < math.inf:
            raise UsageError(f"--max-cost {self.max_cost}:", "write dollars above 0, or leave it out for no cap")

    @property
    def calls(self) -> int:
        """Calls at once within a subject."""
        return CALLS if self.parallel_tasks is None else self.parallel_tasks


class SuitePart(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which scenarios of a grid, or of another suite, are asked."""

    no_neutral: bool = False  # leave out the side that has no stake
    limit: int | None = None  # at most so many, in whole cells
    scenarios: int | None = None  # of a suite that is no grid: so many, as many of each experiment
    sample_seed: int | None = None  # another one draws another sample or part; None: 0


class RunOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A run: which suite is asked of which models, and who grades."""

    suite: str = "v2"
    models: tuple[str, ...] = ()
    roster: str | None = None  # `default`: the roster of the models file, else of the registry that ships
    runs: int | None = None  # None: RUNS
    run_number: int | None = None  # this run alone
    shard: str | None = None  # `2/8`: the second of eight parts of the plan is asked
    experiments: tuple[str, ...] = ()
    grid: Path | None = None  # its prompts are asked in place of the suite's
    part: SuitePart = SuitePart()
    variants: tuple[str, ...] = ()
    modes: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    no_judge: bool = False
    trust_judge: bool = False  # judges grade without grading the known dialogues of the suite first
    seed: int = 0  # another one draws everything anew
    sampling: Sampling = Sampling()
    connection: ConnectionOptions = ConnectionOptions()

    def __post_init__(self) -> None:
        """Refuse what contradicts itself."""
        if self.run_number is not None and self.runs is not None:
            raise UsageError("--run-number asks one run", "leave out --runs, or leave it out")
        if self.run_number is not None and self.run_number < 1:
            raise UsageError(f"--run-number {self.run_number}: runs are counted from 1")
        _ = self.part_of_plan

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


class GateOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which bars a subject has to be above, and how many runs may be bought to decide it. Without a bar: all of them.

    `min_index` is an index, above 0 and below 100; `min_j`, of a suite with a battery, a J above -1 and below 1;
    `against` a baseline file, from whose index the subject's may drop by at most `max_drop` points (0-100; None: 3).
    Raises UsageError.
    """

    min_index: float | None = None
    min_j: float | None = None
    against: Path | None = None  # of a persona also an older file of it, or a model
    max_drop: float | None = None
    max_runs: int = 10

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

    within: float | None = None
    max_runs: int = 10

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

    suite: str | None = None  # NAME or NAME@EDITION
    models: tuple[str, ...] = ()
    connection: ConnectionOptions = ConnectionOptions()


class RerunOptions(StoredOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Stored subjects that are asked for more runs."""

    variant: str | None = None
    mode: str | None = None
    top_n: int | None = None
    target_runs: int | None = None
    run_number: int | None = None  # this run alone
    sampling: Sampling = Sampling()  # another effort or temperature: the same models, as subjects of their own
    judges: tuple[str, ...] = ()
    no_judge: bool = False
    trust_judge: bool = False  # judges grade without grading the known dialogues of the suite first

    def __post_init__(self) -> None:
        """Refuse what contradicts itself."""
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

    judges: tuple[str, ...]
    variants: tuple[str, ...] = ()  # none: all that are stored, as of `modes`
    modes: tuple[str, ...] = ()
    experiments: tuple[str, ...] = ()
    trust_judge: bool = False


class NamesOptions(StoredOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Stored answers out of which names are read, and who reads them."""

    variant: str | None = None
    mode: str | None = None
    # Each reads what those before it could not; none: the model that judges by default.
    extractors: tuple[str, ...] = ()
    force: bool = False  # read again what is read


_PARTS: Final[Mapping[str, type[msgspec.Struct]]] = {
    "connection": ConnectionOptions,
    "part": SuitePart,
    "sampling": Sampling,
}
Options = TypeVar("Options", GateOptions, DecisionOptions, RunOptions, RerunOptions, GradeOptions)
S = TypeVar("S", bound=msgspec.Struct)
F = TypeVar("F", bound=Callable[..., object])
# What flags are called in Python where that is another word; and what functions take beside options.
_AS_FLAGS: Final = {"system_prompt": "variants", "delivery": "modes", "reasoning_effort": "effort", "db": "store"}
_BESIDE: Final = ("store", "on_event", "approve", "hooks")


def from_settings(
    make: type[Options],
    options: Options | str | None,
    first: str,
    settings: Mapping[str, object],
    function: str = "run",
    also: Sequence[str] = (),
) -> Options:
    """The options themselves, or options made of their first field and the rest as keywords.

    Fields of what they hold, such as `max_cost` or `temperature`, are keywords too. `function`: who takes them, for the
    sentence about a keyword that is none; `also`: which others it takes. Raises UsageError.
    """
    if isinstance(options, make):
        if settings:
            raise UsageError(f"{', '.join(settings)}: options are there already", "give a name and keywords, or them")
        return options
    own = dict(settings) if options is None else {first: options, **settings}
    fields: list[str] = [field.name for field in msgspec.structs.fields(make)]
    parts: dict[str, type[msgspec.Struct]] = {part: kind for part, kind in _PARTS.items() if part in fields}
    offered: list[str] = [*fields, *(name for kind in parts.values() for name in kind.__struct_fields__)]
    for name in own:
        if name not in offered:
            meant = _AS_FLAGS.get(name, name)
            fix = suggestion(meant, [*offered, *also, *_BESIDE], "it takes")
            raise UsageError(f"{function}() has no option `{name}`", fix)
    for part, kind in parts.items():
        held = {name: own.pop(name) for name in kind.__struct_fields__ if name in own}
        own |= {part: _converted(held, kind)} if held else {}
    return _converted(own, make)


def divided(settings: Mapping[str, object], kind: type[msgspec.Struct]) -> tuple[dict[str, object], dict[str, object]]:
    """The keywords that are fields of a record, and the others."""
    own = {name: value for name, value in settings.items() if name in kind.__struct_fields__}
    return own, {name: value for name, value in settings.items() if name not in own}


def spelled_out(keywords: type[Any]) -> Callable[[F], F]:
    """Lists the keys of a typed dictionary as keywords of the function that unpacks it, for `help` and notebooks."""

    def with_signature(function: F) -> F:
        known = inspect.signature(function)
        own = [one for one in known.parameters.values() if one.kind is not one.VAR_KEYWORD]
        listed = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=..., annotation=_written(kind))
            for name, kind in keywords.__annotations__.items()
        ]
        vars(function)["__signature__"] = known.replace(parameters=[*own, *listed])
        return function

    return with_signature


def _written(kind: object) -> object:
    """An annotation; one that was written as text, as that text."""
    return getattr(kind, "__forward_arg__", kind)


def _converted(values: Mapping[str, object], kind: type[S]) -> S:
    """Values checked and converted: a name alone is a list of one, text a path where a path is meant."""
    several = {field.name for field in msgspec.structs.fields(kind) if field.type == tuple[str, ...]}
    named = {name: (value,) if name in several and isinstance(value, str) else value for name, value in values.items()}
    try:
        return msgspec.convert(named, kind, dec_hook=lambda wanted, value: wanted(value))
    except msgspec.ValidationError as error:
        raise UsageError(f"{error}") from error
