"""A subject's row on a board of an index, and what of it follows from its own verdicts alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from independence.report import planned_verdicts, study
from independence.report.estimates import EstimatedIndex
from independence.report.planned_verdicts import PlannedVerdict
from independence.report.study import Origin, Study
from independence.stats import engagement, strict
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
    origin: Origin | msgspec.UnsetType = msgspec.UNSET  # on boards of imports beside others


def own_row(read: Study, config: str, costs: Mapping[str, float]) -> BoardRow:
    """A subject by its own verdicts, strictly scored."""
    own, about = read.planned[config], read.about[config]
    scored = strict.score(read.frame, study.scored(own))
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
        flags=planned_verdicts.marks(own) | read.repeats.flags(config),
        cost_usd=costs.get(config, 0.0),
        per_run=scored.per_run,
        dimensions=scored.dimensions,
        estimate=read.estimates.of.get(config),
        thinking=about.thinking,
        evades=_evades(own),
        without_evasions=_without_evasions(read, own),
        origin=about.origin or msgspec.UNSET,
    )


def _evades(own: Sequence[PlannedVerdict]) -> float | msgspec.UnsetType:
    could = [cell for cell in own if cell.evadable]
    return sum(engagement.EVADED in cell.flags for cell in could) / len(could) if could else msgspec.UNSET


def _without_evasions(read: Study, own: Sequence[PlannedVerdict]) -> float | msgspec.UnsetType | None:
    if not any(cell.evadable for cell in own):
        return msgspec.UNSET
    engaged = [cell for cell in own if engagement.EVADED not in cell.flags]
    return strict.index_of(read.frame, study.scored(engaged))
