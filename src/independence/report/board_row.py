"""A subject's row on a board of an index, and what of it follows from its own verdicts alone."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from independence.report import planned_verdicts, point_kinds
from independence.report.estimates import EstimatedIndex
from independence.report.study import Origin, Study
from independence.types import Ends

T_RUNS, BOOTSTRAP, NONE = "t-runs", "published-bootstrap", "none"


class BoardRow(msgspec.Struct, frozen=True):
    """One subject. Numbers are unrounded except where a published rule rounds; index, bounds and ci on 0-100."""

    rank: int | None
    label: str
    config: str
    index: float | None
    bounds: Ends
    ci: Ends | None
    ci_method: str
    runs: int
    complete_runs: int
    coverage: float
    simulated: bool
    flags: dict[str, int]
    cost_usd: float
    per_run: tuple[float, ...]
    dimensions: dict[str, float | None]
    tier: int | None = None
    rank_ci: tuple[int, int] | None = None  # 95 % interval of the rank
    placed: bool = False  # has a rank though verdicts are missing: its interval holds whatever they may be
    above: int | None = None  # without a rank: of how many with one the highest possible index is below its lowest
    intervals: dict[str, Ends | None] = {}  # every method that applies, by its name
    estimate: EstimatedIndex | None = None  # where an offline judge spoke
    thinking: bool = False  # its answers took reasoning tokens
    evades: float | msgspec.UnsetType = msgspec.UNSET  # share of dialogues in which it took no stand, where it could
    without_evasions: float | msgspec.UnsetType | None = msgspec.UNSET  # the index of its other dialogues
    points_lost: dict[str, float | None] | msgspec.UnsetType = (
        msgspec.UNSET
    )  # kind -> in its scenarios; unset: no kinds
    origin: Origin | msgspec.UnsetType = msgspec.UNSET  # on boards of imports beside others


def own_rows(read: Study, costs: Mapping[str, float]) -> dict[str, BoardRow]:
    """Every subject by its own verdicts, strictly scored; `costs` in dollars by config_dir."""
    lost = point_kinds.lost(read)
    return {
        config: msgspec.structs.replace(
            _own_row(read, config, costs.get(config, 0.0)), points_lost=lost.get(config, msgspec.UNSET)
        )
        for config in read.planned
    }


def _own_row(read: Study, config: str, cost_usd: float) -> BoardRow:
    about, scored = read.about[config], read.scores[config]
    return BoardRow(
        rank=None,
        label=about.label,
        config=config,
        index=scored.index,
        bounds=scored.bounds,
        ci=None,
        ci_method=NONE,
        runs=scored.runs,
        complete_runs=scored.complete_runs,
        coverage=scored.coverage,
        simulated=about.simulated,
        flags=planned_verdicts.marks(read.planned[config]) | read.repeats.flags(config),
        cost_usd=cost_usd,
        per_run=scored.per_run,
        dimensions=scored.dimensions,
        estimate=read.estimates.of.get(config),
        thinking=about.thinking,
        evades=scored.evadable_and_evaded / scored.evadable if scored.evadable else msgspec.UNSET,
        without_evasions=scored.engaged if scored.evadable else msgspec.UNSET,
        origin=about.origin or msgspec.UNSET,
    )
