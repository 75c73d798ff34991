"""The board: one row a subject, by index, or where verdicts are missing by the lowest that it can be."""

from __future__ import annotations

import math
import sqlite3
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Literal

import msgspec
import numpy as np

from independence import stats
from independence.errors import UsageError
from independence.judge import kinds
from independence.report import looks, placing, planned_verdicts, scenario_draw, study
from independence.report.estimates import EstimatedIndex
from independence.report.placing import RankedPlace
from independence.report.planned_verdicts import PlannedVerdict
from independence.report.scenario_draw import FewScenarios
from independence.report.study import BoardRemarks, Origin, Study, Words
from independence.stats import comparison, engagement, index_uncertainty, judge_error, power, ranks, strict
from independence.stats.comparison import Correction
from independence.stats.index_uncertainty import LIKE_THESE, THESE
from independence.stats.intervals import Interval, t_interval
from independence.stats.judge_error import AUDITED, JUDGES_LIKE_THESE
from independence.store import queries
from independence.store.queries import imported
from independence.store.scopes import BoardScope
from independence.types import Ends

STRICT = "strict"
T_RUNS, BOOTSTRAP, NONE = "t-runs", "published-bootstrap", "none"


class InferenceOptions(msgspec.Struct, frozen=True):
    """How a board is read: what its intervals generalise to, and how tiers allow for many comparisons."""

    generalises_to: str = THESE
    correction: Correction = "holm"


DEFAULT = InferenceOptions()


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


class BoardJudges(msgspec.Struct, frozen=True):
    """Whose disagreement the intervals for other judges rest on."""

    names: tuple[str, ...]
    subjects: int  # complete under all of them
    severity: float  # standard deviation of what a judge adds to all subjects alike, in index points


class Board(BoardRemarks, frozen=True):
    """A ranked table under one condition, scoring and judge."""

    suite: str
    edition: str
    condition: str
    scoring: str
    judge: str | None
    generalises_to: str
    rows: tuple[BoardRow, ...]
    correction: str = NONE  # of the comparisons behind the tiers
    minimum_detectable: float | None = None  # points two typical subjects must differ by, 80 % power, one comparison
    minimum_detectable_corrected: float | None = None  # the same as one of all pairs, which the tiers test
    judges: BoardJudges | msgspec.UnsetType = msgspec.UNSET  # behind `judges-like-these`; unset: judges in no interval
    judging: str | None = None  # what an offline judge's estimates rest on
    judge_prompt: Literal["as published"] | msgspec.UnsetType = msgspec.UNSET  # of a model; unset: fenced, our own
    words: Words | msgspec.UnsetType = msgspec.UNSET  # whose they are, where others have published results too
    wording: str | msgspec.UnsetType = msgspec.UNSET  # where it is the published one, or of several editions
    editions: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET  # all of that wording, where there are several
    looks: int | msgspec.UnsetType = msgspec.UNSET  # how often a pair could be compared, where runs were added
    few_scenarios: FewScenarios | msgspec.UnsetType = msgspec.UNSET  # where that is what its tiers are about


def board(
    connection: sqlite3.Connection,
    scope: BoardScope,
    scoring: str = STRICT,
    judge: str | None = None,
    reading: InferenceOptions = DEFAULT,
    models: Collection[str] = (),
) -> Board:
    """Score every subject of a place; `models`: show only these labels or ids, as they stand among all.

    Raises UsageError for a rule the suite cannot feed, StoreError for an unknown name.
    """
    if scope.suite.index is None:
        raise UsageError(f"suite {scope.suite.suite} declares no index, so it has no board of this kind")
    read = study.read(connection, scope, judge)
    costs = scope.by_key(lambda where: queries.costs(connection, where))
    others = study.under_other_judges(connection, read) if scoring == STRICT else []
    return only(beside_judges(board_of_study(read, costs, scoring, reading), read, others), read, models)


def only(board: Board, read: Study, models: Collection[str]) -> Board:
    """The rows of these labels, ids or directories as they stand; none named: all. Raises StoreError."""
    if not models:
        return board
    rows = study.rows_named(read, board.rows, models)
    notes = read.repeats.notes({row.config: read.about[row.config].name for row in rows})
    return msgspec.structs.replace(board, rows=rows, repeats=notes)


def board_of_study(
    read: Study, costs: Mapping[str, float], scoring: str = STRICT, reading: InferenceOptions = DEFAULT
) -> Board:
    """The board of a place that was read already; `costs` in dollars by config_dir."""
    scope, strictly = read.scope, scoring == STRICT
    if read.single_runs and not read.these:  # nothing is known of more runs, and need not be
        reading = msgspec.structs.replace(reading, generalises_to=LIKE_THESE)
    unranked = {config: _unranked(read, config, costs) for config in read.planned}
    built = Board(
        suite=scope.suite.suite,
        edition=scope.edition,
        condition=str(scope.condition),
        scoring=scoring,
        judge=read.judge,
        generalises_to=THESE,
        rows=_strict(read, unranked, reading) if strictly else _published(read, unranked, scoring),
        judging=read.estimates.judging,
        language=scope.suite.foreign_language,
        repeats=study.repeat_notes(read),
        as_full=read.as_full,
        dates=read.dates,
        judge_prompt="as published" if _asks_as_published(read) else msgspec.UNSET,
        words=study.words(scope),
        wording=read.wording if scope.beside or read.judged_as_published else msgspec.UNSET,
        editions=tuple(one.edition for one in scope.editions) if scope.beside else msgspec.UNSET,
        caution=study.caution(read),
    )
    if not strictly:
        return built
    estimates = list((read.these if reading.generalises_to == THESE else read.all_like_these).values())
    corrected = power.first_level(sum(one.se > 0 for one in estimates), reading.correction)
    return msgspec.structs.replace(
        built,
        generalises_to=reading.generalises_to,
        correction=reading.correction,
        minimum_detectable=comparison.minimum_detectable(estimates),
        minimum_detectable_corrected=comparison.minimum_detectable(estimates, level=corrected),
        looks=looks.at_all_pairs([read.run_counts.get(config, ()) for config in read.these]).most_of_several,
        few_scenarios=scenario_draw.few(read),
    )


def beside_judges(board: Board, read: Study, others: Sequence[Study]) -> Board:
    """The board with the intervals for other judges, from the same place under `others`; those of few take no part."""
    enough = [one for one in others if len(read.sheets.keys() & one.sheets.keys()) >= judge_error.FEWEST]
    every = [read, *enough]
    shared = [config for config in read.sheets if all(config in one.sheets for one in enough)]
    indices = np.array([[one.sheets[config].index for one in every] for config in shared])
    found = judge_error.judge_variance(indices.reshape(len(shared), len(every)))
    if found is None or board.scoring != STRICT:
        return board
    known = {**read.single_runs, **read.like_these}
    rows = tuple(
        msgspec.structs.replace(
            row,
            intervals=row.intervals | {JUDGES_LIKE_THESE: judge_error.with_judges(known[row.config], found).interval()},
        )
        if row.config in known and row.index is not None
        else row
        for row in board.rows
    )
    names = tuple(str(one.judge) for one in every)
    return msgspec.structs.replace(board, rows=rows, judges=BoardJudges(names, len(shared), found.severity))


def _asks_as_published(read: Study) -> bool:
    """Whether a model judges by prompts as somebody else published them."""
    return read.judged_as_published and read.judge is not None and kinds.of(read.judge).needs_model


def _unranked(read: Study, config: str, costs: Mapping[str, float]) -> BoardRow:
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


def _strict(read: Study, rows: Mapping[str, BoardRow], reading: InferenceOptions) -> tuple[BoardRow, ...]:
    """Subjects by index or the lowest that it can be; where an offline judge spoke, incomplete ones by its estimates.

    By predictions alone all of them stand by their estimates, if there are any. What runs tell of places does not count
    errors of predictions, and is left out.
    """
    predicted = read.judge is not None and kinds.of(read.judge).only_predicts
    if predicted and any(one.ci for one in read.estimates.of.values()):
        given = _ranks_by_estimate(read)
        made = [msgspec.structs.replace(_with_intervals(read, row, reading), rank=given.get(row.config))
                for row in rows.values()]  # fmt: skip
        return tuple(sorted(made, key=_place_by_estimate))
    bounds = {config: row.bounds for config, row in rows.items()}
    places = placing.places(read, bounds, reading.generalises_to, reading.correction)
    if predicted:
        places = {config: at._replace(rank_ci=None, tier=None) for config, at in places.items()}
    made = [_with_place(_with_intervals(read, row, reading), places, reading) for row in rows.values()]
    highest = [row.bounds[1] for row in made if row.rank is not None]
    placed = [
        msgspec.structs.replace(row, above=sum(index < row.bounds[0] for index in highest))
        if row.rank is None and row.index is None and (row.runs > 1 or read.single_runs)
        else row
        for row in made
    ]
    estimated = any(row.estimate is not None for row in placed)
    return tuple(sorted(placed, key=_place_beside_estimates if estimated else _place))


def _with_intervals(read: Study, row: BoardRow, reading: InferenceOptions) -> BoardRow:
    intervals = _intervals(read, row)
    ci = intervals.get(reading.generalises_to)
    return msgspec.structs.replace(row, ci=ci, ci_method=reading.generalises_to if ci else NONE, intervals=intervals)


def _with_place(row: BoardRow, places: Mapping[str, RankedPlace], reading: InferenceOptions) -> BoardRow:
    at = places.get(row.config)
    if at is None:
        return row
    ranked = msgspec.structs.replace(row, rank=at.rank, rank_ci=at.rank_ci, tier=at.tier)
    if row.index is not None:
        return ranked
    method = reading.generalises_to
    return msgspec.structs.replace(
        ranked, placed=True, ci=at.intervals[method], ci_method=method, intervals=dict(at.intervals)
    )


def _place(row: BoardRow) -> tuple[float, bool, str]:
    return -ranks.rounded_index(row.bounds[0]), row.index is None, row.config


def _place_beside_estimates(row: BoardRow) -> tuple[bool, float, float, str]:
    """An estimate may be higher than the index was before a verdict went missing: complete subjects stand above."""
    value = (row.estimate.least if row.estimate is not None else 0.0) if row.index is None else row.index
    return row.index is None, -ranks.rounded_index(value), -row.bounds[0], row.config


def _place_by_estimate(row: BoardRow) -> tuple[float, float, float, str]:
    estimated = -row.estimate.least if row.estimate is not None else 0.0
    return estimated, math.inf if row.rank is None else row.rank, -row.bounds[0], row.config


def _ranks_by_estimate(read: Study) -> dict[str, int]:
    """Of complete subjects with an estimate, where all is predicted."""
    found = {config: one.index for config, one in read.estimates.of.items() if config in read.sheets}
    known = {config: index for config, index in found.items() if index is not None}
    order = sorted(known, key=lambda config: -ranks.rounded_index(known[config]))
    return dict(zip(order, ranks.ranks([known[config] for config in order]), strict=True))


def _intervals(read: Study, row: BoardRow) -> dict[str, Ends | None]:
    """Every interval there is for a complete subject of several runs; empty without one."""
    if row.config in read.single_runs:
        return {LIKE_THESE: read.single_runs[row.config].interval()}
    if row.config not in read.these:
        return {}
    bootstrap = len(row.per_run) > 1 and len(row.per_run) == row.runs
    return {
        index_uncertainty.THESE: read.these[row.config].interval(),
        index_uncertainty.LIKE_THESE: read.like_these[row.config].interval(),
        T_RUNS: t_interval(row.per_run),
        BOOTSTRAP: stats.published.percentile_interval(row.per_run) if bootstrap else None,
        **_audited(row, read.like_these[row.config].interval()),
    }


def _audited(row: BoardRow, like_these: Interval | None) -> dict[str, Ends | None]:
    """The interval around an audited estimate for other runs and scenarios too; nothing without an audit."""
    own = row.estimate
    if own is None or own.index is None or own.ci is None or own.method != "prediction-powered":
        return {}
    if row.index is None or like_these is None:
        return {}
    return {AUDITED: judge_error.recovered(own.index, Interval._make(own.ci), row.index, like_these)}


def _published(read: Study, rows: Mapping[str, BoardRow], scoring: str) -> tuple[BoardRow, ...]:
    rule = _rule(read.scope, scoring)
    _refuse_unequal(read, scoring)
    subjects = [stats.published.SubjectRuns(config, _runs(own)) for config, own in sorted(read.planned.items())]
    return tuple(
        msgspec.structs.replace(
            rows[row.config_dir], rank=rank, index=row.index, ci=row.ci, ci_method=BOOTSTRAP if row.ci else NONE,
            runs=row.runs, per_run=row.per_run, dimensions=dict(row.dimensions),
            intervals={BOOTSTRAP: row.ci, T_RUNS: row.t_ci}, evades=msgspec.UNSET, without_evasions=msgspec.UNSET,
        )
        for rank, row in enumerate(stats.published.published_board(subjects, rule), start=1)
    )  # fmt: skip


def _rule(scope: BoardScope, scoring: str) -> stats.published.ScoringRule:
    assert scope.suite.index is not None
    known = (STRICT, "published", *stats.published.NAMES)
    if scoring not in known:
        raise UsageError(f"no scoring rule `{scoring}`; choose one of {', '.join(known)}")
    name = scope.suite.index.published_rule if scoring == "published" else scoring
    rule = stats.published.rules().get(name or "")
    if rule is None:
        raise UsageError(f"suite {scope.suite.suite} was never published under a rule of its own; use --scoring strict")
    have = {name: field for rubric in scope.suite.rubrics.values() for name, field in rubric.fields.items()}
    suite = scope.suite.suite
    for field, most in sorted(rule.fields.items()):
        if field not in have:
            raise UsageError(f"--scoring {scoring} needs the field {field}, which suite {suite} lacks")
        scale = have[field].range
        if scale is not None and scale[1] != most:
            what = f"--scoring {scoring} reads {field} on a scale to {most}, and suite {suite} has one to {scale[1]:g}"
            raise UsageError(what, "use --scoring strict, or the suite's own rule: --scoring published")
    return rule


def _refuse_unequal(read: Study, scoring: str) -> None:
    """Published rules average whole runs; a plan with more of some scenarios has none. Imports are what was found."""
    if imported(read.scope.edition):
        return
    for config, own in read.planned.items():
        if read.about[config].origin == study.IMPORTED:
            continue
        counts = Counter(cell.scenario for cell in own)
        if len(set(counts.values())) > 1:
            fewest, most = min(counts, key=lambda s: counts[s]), max(counts, key=lambda s: counts[s])
            raise UsageError(
                f"--scoring {scoring} averages whole runs, but {read.about[config].label} has {counts[fewest]} of "
                f"{fewest} and {counts[most]} of {most} (run --replicates auto); use --scoring strict"
            )


def _runs(own: Sequence[PlannedVerdict]) -> tuple[list[stats.published.ScoredVerdict], ...]:
    runs: dict[int, list[stats.published.ScoredVerdict]] = {}
    for cell in own:
        if cell.given is not None and planned_verdicts.REREAD not in cell.flags:  # the publisher did not have it
            one = stats.published.ScoredVerdict(cell.scenario, cell.experiment, cell.given)
            runs.setdefault(cell.run, []).append(one)
    return tuple(runs[run] for run in sorted(runs))
