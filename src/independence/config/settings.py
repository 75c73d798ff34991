"""The keywords of functions, for type checkers and editors. `python -m tools.derived` writes them from `options`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict

from independence.config.functions import Asked
from independence.config.options import ConnectionOptions, SuitePart
from independence.types import Sampling


class ConnectionSettings(TypedDict, total=False):
    """Of ConnectionOptions."""

    local_url: str | None
    local_model: str | None
    local_timeout: float | None
    models_file: Path | str | None
    trust_folder: bool
    max_cost: float | None
    dry_run: bool
    rps: float | None
    allow_unpriced: bool
    stream: bool | None
    strict_model: bool
    executor: str
    ray_workers: int | None
    parallel: int
    parallel_tasks: int | None


class SuitePartSettings(TypedDict, total=False):
    """Of SuitePart."""

    no_neutral: bool
    limit: int | None
    scenarios: int | None
    sample_seed: int | None


class SamplingSettings(TypedDict, total=False):
    """Of Sampling."""

    temperature: float | None
    effort: str | None
    provider: str | None
    max_tokens: int | None
    extra_body: str | None


class RunSettings(SuitePartSettings, SamplingSettings, ConnectionSettings, total=False):
    """Of RunOptions."""

    models: Asked | Sequence[Asked]
    roster: str | None
    runs: int | None
    suite: str
    run_number: int | None
    shard: str | None
    experiments: str | Sequence[str]
    grid: Path | str | None
    part: SuitePart
    parts: str | Sequence[str]
    variants: str | Sequence[str]
    system_prompt: str | Sequence[str]
    var: str | Sequence[str]
    modes: str | Sequence[str]
    judges: Asked | Sequence[Asked]
    trust_judge: bool
    no_judge: bool
    seed: int
    sampling: Sampling
    connection: ConnectionOptions


class GateSettings(TypedDict, total=False):
    """Of GateOptions."""

    min_index: float | None
    min_j: float | None
    against: Path | str | None
    max_drop: float | None
    max_runs: int
    quick: bool
    without_prompt: bool


class DecisionSettings(TypedDict, total=False):
    """Of DecisionOptions."""

    within: float | None
    max_runs: int


class StoredSettings(ConnectionSettings, total=False):
    """Of StoredOptions."""

    suite: str | None
    models: Asked | Sequence[Asked]
    connection: ConnectionOptions


class RerunSettings(StoredSettings, SamplingSettings, total=False):
    """Of RerunOptions."""

    target_runs: int | None
    run_number: int | None
    sampling: Sampling
    top_n: int | None
    variant: str | None
    system_prompt: str | None
    mode: str | None
    judges: Asked | Sequence[Asked]
    trust_judge: bool
    no_judge: bool


class GradeSettings(StoredSettings, total=False):
    """Of GradeOptions."""

    judges: Asked | Sequence[Asked]
    trust_judge: bool
    variants: str | Sequence[str]
    system_prompt: str | Sequence[str]
    modes: str | Sequence[str]
    experiments: str | Sequence[str]
