"""Every dialogue's result as a share of its scale, and what these come to by subject and by scenario."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Final

import msgspec
import numpy as np

from independence.errors import UsageError
from independence.report import analysis
from independence.report.board import verdict_frame
from independence.report.board.measures import BatteryResults, Deed, StemRates, SuiteMeasures
from independence.report.board.verdict_frame import PlannedVerdict
from independence.report.comparing import comparison_tables
from independence.report.gates import commitments
from independence.report.gates.commitments import PersonaResult
from independence.report.pages import boards, slugs
from independence.report.pages.boards import SiteBoard
from independence.report.pages.schema import (
    SCHEMA,
    CellsDocument,
    HeatTotals,
    Moves,
    Quartiles,
    ResultsDocument,
    ScenarioResults,
    SubjectResult,
    TellingDialogue,
)
from independence.stats import comparison, index_uncertainty, seriation, strict
from independence.stats.comparison import ComparedSubjects
from independence.stats.index_uncertainty import IndexEstimate
from independence.stats.subject_points import leverage
from independence.suites import persona_suite
from independence.suites.battery import STEM
from independence.suites.schema import Suite
from independence.types import Ends

Share = Callable[[PlannedVerdict], float | None]
_TENTHS = 10
_DIGITS = 9  # of shares that count as equal
METHOD: Final = (
    "95% score interval for the mean of more runs of this scenario; how far runs vary is estimated from the subject's "
    "own runs and those of the others"
)
APART: Final = 0.2
DIFFERS: Final = (
    f"p of the difference is below {comparison_tables.ALPHA:g}, adjusted for all scenarios of the two (Holm); single "
    "runs are not tested"
)
UNITS_DIFFER: Final = f"more than {APART:g} lie between them"
RIGHT: Final = "right"
HELD: Final = "held"  # of a ladder: the first choice
_REAL: Final = "real"  # the ground after which it is right to change
_OFTEN: Final = 0.5


class RunShares(msgspec.Struct, frozen=True, dict=True):
    """What was kept of every dialogue; without an index whether it was right, or the first field of its rubric."""

    measure: str
    scale: Ends | None  # where it has a middle at 0
    scenarios: tuple[str, ...]
    rows: Mapping[str, Sequence[Sequence[float | None]]]  # slug -> for each scenario one a run
    misquoted: frozenset[tuple[str, str, int]]  # slug, scenario, run: the judge quoted what is not there
    quantity: str = ""  # what contrasts are of
    units: tuple[str, ...] = ()
    contrasts: Mapping[str, tuple[float | None, ...]] = {}  # slug -> for each unit
    deeds: Mapping[str, Sequence[Sequence[Deed | None]]] = {}  # of a battery, as `rows`
    moves: Mapping[str, tuple[Moves | None, ...]] = {}  # of a battery: slug -> for each unit
    personas: Mapping[str, PersonaResult] = {}  # by slug

    def of(self, slug: str, scenario: str) -> Sequence[float | None]:
        """One a run."""
        return self.rows[slug][self.scenarios.index(scenario)]

    @cached_property
    def means(self) -> dict[str, tuple[float | None, ...]]:
        """Slug -> for each scenario the mean over its runs."""
        return {slug: tuple(map(mean, own)) for slug, own in self.rows.items()}

    @cached_property
    def estimates(self) -> dict[str, dict[str, IndexEstimate]]:
        """Scenario -> slug -> how sure its mean is, from two runs on."""
        out = {}
        for at, scenario in enumerate(self.scenarios):
            given = {slug: [one for one in own[at] if one is not None] for slug, own in self.rows.items()}
            repeated = {slug: np.array(own) for slug, own in given.items() if len(own) > 1}
            found = index_uncertainty.of_one_unit(list(repeated.values()), (0.0, 1.0)) if repeated else []
            out[scenario] = dict(zip(repeated, found, strict=True))
        return out

    def differing(self, slug: str) -> dict[str, tuple[int, ...]]:
        """Every other subject -> the places of scenarios in which it differs from this one, as `DIFFERS` says it."""
        tested = [self._tested(slug, scenario) for scenario in self.scenarios]
        out = {}
        for other in self.rows.keys() - {slug}:
            p = comparison.adjusted_by_name({at: found.get(other) for at, found in enumerate(tested)})
            out[other] = tuple(at for at, own in p.items() if own < comparison_tables.ALPHA)
        return out

    def _tested(self, slug: str, scenario: str) -> dict[str, float]:
        """p of no difference from every other subject, where both have two runs or more."""
        others = dict(self.estimates[scenario])
        own = others.pop(slug, None)
        if own is None or not others:
            return {}
        sides = ComparedSubjects.of([own]), ComparedSubjects.of(list(others.values()))
        floor = comparison.on_these(*sides)
        points = sides[0].place - sides[1].place
        places = np.broadcast_to(sides[0].place, points.shape), sides[1].place
        return dict(zip(others, comparison.differences(points, places, sides, floor, floor).p.tolist(), strict=True))


def far_apart(first: float | None, second: float | None) -> bool:
    """Whether two values are both there and lie further apart than `APART`."""
    return first is not None and second is not None and abs(first - second) > APART


def read(connection: sqlite3.Connection, board: SiteBoard, judge: str | None) -> RunShares:
    """The results of a board under a judge."""
    found = analysis.of(board.scope.suite.analysis) if boards.has_board(board.scope.suite) else None
    battery = found.battery(connection, board.scope, judge) if found else None
    measure, share, scored, scale = _measure(board.scope.suite, battery)
    scenarios = tuple(name for name in board.units if name in scored)
    place = {name: at for at, name in enumerate(scenarios)}
    rows: dict[str, list[list[float | None]]] = {
        slug: [[None] * board.runs[key] for _ in scenarios] for key, slug in board.slugs.items()
    }
    misquoted = set[tuple[str, str, int]]()
    for cell in verdict_frame.read(connection, board.scope, judge).every:
        if cell.scenario in place and cell.values is not None:
            slug = board.slugs[cell.config_dir]
            rows[slug][place[cell.scenario]][cell.run - 1] = share(cell)
            if verdict_frame.MISQUOTED in cell.flags:
                misquoted.add((slug, cell.scenario, cell.run))
    shares = RunShares(measure, scale, scenarios, rows, frozenset(misquoted))
    personas = found.personas(connection, board.scope, judge) if found else {}
    if personas:
        shares = msgspec.structs.replace(
            shares, personas={board.slugs[config]: own for config, own in personas.items()}
        )
    return _by_unit(shares, board, _contrasts(connection, board, judge), battery)


def _by_unit(
    shares: RunShares, board: SiteBoard, measured: SuiteMeasures | None, battery: BatteryResults | None
) -> RunShares:
    """What is known of cells and stems beside what is known of dialogues."""
    units = tuple(dict.fromkeys(board.units.values()))
    if measured:
        parts = {
            key: {slugs.slug(part): own for part, own in one.parts.items()} for key, one in measured.subjects.items()
        }
        contrasts = {board.slugs[key]: tuple(map(own.get, units)) for key, own in parts.items()}
        shares = msgspec.structs.replace(shares, units=units, quantity=measured.quantity, contrasts=contrasts)
    if battery:
        moves = {}
        for key, stems in battery.stems.items():
            named = {slugs.slug(stem): moves_of(rates) for stem, rates in stems.items()}
            moves[board.slugs[key]] = tuple(map(named.get, units))
        deeds = {
            slug: [
                [battery.deeds.get((key, name, run)) for run in range(1, board.runs[key] + 1)]
                for name in shares.scenarios
            ]
            for key, slug in board.slugs.items()
        }
        shares = msgspec.structs.replace(shares, units=units, deeds=deeds, moves=moves)
    return shares


def moves_of(rates: StemRates) -> Moves | None:
    """What makes a subject give up the choice of a stem, in at least half of the dialogues."""
    if rates.for_reason is None or rates.without is None:
        return None
    if rates.for_reason >= _OFTEN:
        return "either" if rates.without >= _OFTEN else "reason"
    return "other" if rates.without >= _OFTEN else "never"


def document(shares: RunShares) -> CellsDocument:
    """Results of dialogues, their means, and of a grid each cell's contrast."""
    return CellsDocument(
        schema=SCHEMA, measure=shares.measure, scale=shares.scale, scenarios=shares.scenarios, quantity=shares.quantity,
        shares={slug: tuple(map(tuple, own)) for slug, own in shares.rows.items()}, units=shares.units,
        contrasts=dict(shares.contrasts), means=shares.means, totals=totals(shares.means, shares.scenarios),
        unit_totals=totals(shares.contrasts, shares.units) if shares.contrasts else None,
        deeds={slug: tuple(map(tuple, own)) for slug, own in shares.deeds.items()}, moves=dict(shares.moves),
        personas=dict(shares.personas),
    )  # fmt: skip


def totals(values: Mapping[str, Sequence[float | None]], columns: Sequence[str]) -> HeatTotals:
    """What rows and columns of a heatmap come to."""
    table = np.array(list(values.values()), dtype=np.float64).reshape(len(values), len(columns))

    def mean_and_spread(line: seriation.Array) -> tuple[float | None, float | None]:
        there = line[~np.isnan(line)]
        return float(there.mean()) if there.size else None, float(there.std(ddof=1)) if there.size > 1 else None

    return HeatTotals(
        rows={slug: mean_and_spread(row) for slug, row in zip(values, table, strict=True)},
        columns=tuple(map(mean_and_spread, table.T)), quartiles=tuple(map(quartiles, table.T)),
        row_order=tuple(np.array(list(values))[seriation.by_angle(table)].tolist()) if len(values) else (),
        column_order=tuple(seriation.by_angle(table.T).tolist()),
    )  # fmt: skip


def results(shares: RunShares, board: SiteBoard, unit: str) -> ResultsDocument:
    """Who kept how much in the scenarios of a unit, the least first. Raises KeyError for a unit that there is not."""
    own = [name for name in board.scenarios[unit] if name in shares.scenarios]
    return ResultsDocument(
        schema=SCHEMA, measure=shares.measure,
        scenarios=tuple(_scenario(shares, scenario) for scenario in own),
    )  # fmt: skip


def _scenario(shares: RunShares, scenario: str) -> ScenarioResults:
    given = {slug: [one for one in shares.of(slug, scenario) if one is not None] for slug in shares.rows}
    known, rows = shares.estimates[scenario], list[SubjectResult]()
    intervals = dict(zip(known, index_uncertainty.intervals(list(known.values())), strict=True))
    for slug, own in given.items():
        if own:
            ends, runs = intervals.get(slug), shares.of(slug, scenario)
            rows.append(SubjectResult(
                slug=slug, mean=float(np.mean(own)), runs=len(own), spread=max(own) - min(own),
                ci=(ends.low, ends.high) if ends else None, median_run=_median_run(runs),
            ))  # fmt: skip
    rows.sort(key=lambda one: (round(one.mean, _DIGITS), -one.runs))
    every = [one for own in given.values() for one in own]
    counts, _ = np.histogram(np.clip(np.round(every, _DIGITS), 0, 1), _TENTHS, (0.0, 1.0))
    fold, hold = _telling(shares, scenario, rows)
    return ScenarioResults(
        id=scenario, subjects=tuple(rows), counts=tuple(counts.tolist()), fold=fold, hold=hold, method=METHOD
    )


def _median_run(runs: Sequence[float | None]) -> int:
    """The run whose result is the median, of an even number the lower one; of equals the first."""
    there = sorted((round(share, _DIGITS), run) for run, share in enumerate(runs, 1) if share is not None)
    middle = there[(len(there) - 1) // 2][0]
    return next(run for share, run in there if share == middle)


def _telling(
    shares: RunShares, scenario: str, rows: Sequence[SubjectResult]
) -> tuple[TellingDialogue | None, TellingDialogue | None]:
    """The dialogue that kept least, and the one that kept most; none where all kept the same.

    Of equals one whose judge did not quote words that are not there, then of the subject that kept least on average
    (or most), then the first run.
    """
    found = [
        (round(share, _DIGITS), (row.slug, scenario, run) in shares.misquoted, place, run, row.slug)
        for place, row in enumerate(rows)
        for run, share in enumerate(shares.of(row.slug, scenario), 1)
        if share is not None
    ]
    if not found or min(found)[0] == max(found)[0]:
        return None, None
    least, most = min(found), min(found, key=lambda one: (-one[0], one[1], -one[2], one[3]))
    fold, hold = (TellingDialogue(slug=own[4], run=own[3], share=own[0]) for own in (least, most))
    return fold, hold


def mean(runs: Sequence[float | None]) -> float | None:
    """Of those that are there; None where none is."""
    there = [share for share in runs if share is not None]
    return float(np.mean(there)) if there else None


def quartiles(values: seriation.Array) -> Quartiles | None:
    """25%, median and 75% of those that are there; None where none is."""
    there = values[~np.isnan(values)]
    if not there.size:
        return None
    low, middle, high = np.quantile(there, (0.25, 0.5, 0.75)).tolist()
    return low, middle, high


def _contrasts(connection: sqlite3.Connection, board: SiteBoard, judge: str | None) -> SuiteMeasures | None:
    """What each cell adds to a subject's measure; None where there are no cells, or the analysis has none."""
    suite = board.scope.suite
    if (suite.grid is None and suite.battery is None) or not boards.has_board(suite):
        return None
    try:
        return analysis.of(suite.analysis).measures(connection, board.scope, judge)
    except UsageError:
        return None


def _measure(suite: Suite, battery: BatteryResults | None) -> tuple[str, Share, set[str], Ends | None]:
    """What cells are of, how it is read, the scenarios that have it, and its scale where that has a middle at 0.

    Without an index: of a battery or a persona whether the right thing was done, the stance of a grid, else the first
    field of each rubric.
    """
    if battery is not None:
        right = {
            one.id: "change" if one.factors.get("ground") == _REAL else "keep"
            for one in suite.scenarios
            if one.side not in ("", STEM)
        }

        def was_right(cell: PlannedVerdict) -> float | None:
            deed = battery.deeds.get((cell.config_dir, cell.scenario, cell.run))
            return None if deed is None else float(deed == right[cell.scenario])

        pressed = suite.battery is not None and suite.battery.ladder is not None  # where nothing is right or wrong
        return HELD if pressed else RIGHT, was_right, set(right), None
    if suite.analysis == persona_suite.ANALYSIS:
        return RIGHT, commitments.right(suite), {one.id for one in suite.scenarios}, None
    if suite.index is not None:
        lever = leverage(strict.frame(suite))
        return "kept", lambda cell: lever.share_kept(cell.scenario, [cell.values]), set(lever.weights), None
    fields = {}
    for one in suite.scenarios:
        known = suite.rubrics[one.rubric].fields
        name = suite.grid.stance if suite.grid is not None else next(iter(known))
        fields[one.id] = name, known[name]

    def share(cell: PlannedVerdict) -> float | None:
        name, field = fields[cell.scenario]
        low, high = field.range or (0.0, 1.0)
        value = (cell.values or {}).get(name)
        return None if value is None else (float(value) - low) / (high - low)

    scales = {field.range for _, field in fields.values()}
    scale = next(iter(scales)) if len(scales) == 1 else None
    middle = scale if scale is not None and scale[0] == -scale[1] else None
    return " / ".join(sorted({name for name, _ in fields.values()})), share, set(fields), middle
