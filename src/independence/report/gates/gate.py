"""What `check` decides on: a subject's index beside a bar and a baseline, and what each scenario kept of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from independence.config import documents, user_files
from independence.errors import UsageError
from independence.report.board import board_data, interim_looks, verdict_frame
from independence.stats import gates, single_runs, strict, subject_points
from independence.stats.gates import Decision, GatedIndex, Levels
from independence.stats.index_uncertainty import LIKE_THESE, THESE
from independence.stats.intervals import Interval
from independence.store.scopes import BoardScope
from independence.types import grouped

WRITTEN_BY: Final = "ai-independence-bench, independence check"
DROP, INDEX, J = "drop", "index", "J"


class ScenarioScore(msgspec.Struct, frozen=True):
    """What a scenario kept of what it can add to the index."""

    scenario: str
    experiment: str
    kept: float  # mean over its runs, 0-100
    lost: float  # points of the index that it took off
    worst_run: int  # the first of those that kept least


class GatedSubject(msgspec.Struct, frozen=True):
    """A complete subject with at least two runs of every scenario, or with one that all others repeat."""

    index: GatedIndex
    scenarios: tuple[ScenarioScore, ...]  # worst first
    ci_method: str = LIKE_THESE  # of `index.shown`: over more runs, or over other scenarios
    alike: tuple[str, ...] = ()  # where only one run counts, as others repeat it: in sentences
    changed: str = ""  # that later runs differ from those before, in a sentence


class CheckedPlace(msgspec.Struct, frozen=True, kw_only=True):
    """What is checked, in the fields in which a baseline has to be the same."""

    suite: str
    edition: str
    wording: str
    variant: str
    persona: bool  # whether the variant is a file of the user's
    mode: str
    judge: str


class GateBaseline(CheckedPlace, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A subject as it was measured, for later gates to be held against. What is not `index` says what it is of."""

    written_by: str = WRITTEN_BY
    subject: str
    scoring: str = "strict"
    index: GatedIndex
    ci: tuple[float, float]  # 95%, as if looked at once
    variance: float  # squared standard error, in points
    scenarios: dict[str, float]  # what each kept, 0-100


class BarResult(msgspec.Struct, frozen=True, kw_only=True):
    """One bar and what is measured beside it, in points of the index, or as a J."""

    what: str  # index, J, or drop: the index minus that of the baseline
    value: float
    interval: tuple[float, float]
    passing: float  # confidence (0-1, two-sided) of the interval whose lower end may pass
    failing: float  # of the one whose upper end may fail
    bar: float
    decision: Decision


class GateLook(msgspec.Struct, frozen=True):
    """What the runs so far say of all bars."""

    bars: tuple[BarResult, ...]
    looks: int  # made so far: after two runs, and after each further one

    @property
    def decision(self) -> Decision | None:
        """Of all bars together; None without a bar."""
        return gates.together([bar.decision for bar in self.bars]) if self.bars else None


def read(connection: sqlite3.Connection, scope: BoardScope, judge: str, config: str) -> GatedSubject | None:
    """A subject of a place; None where verdicts are missing, or where nothing says how sure its index is."""
    data = board_data.read(connection, scope, judge)
    own, sheet = list(data.planned.get(config, ())), data.points.get(config)
    if sheet is None or any(cell.values is None for cell in own):
        return None
    again, alike = data.same_scenarios.get(config), data.repeats.why.get(config, ())
    seen = again or (data.single_runs.get(config) if alike else None)
    if seen is None:
        return None
    runs = grouped(sorted(own, key=lambda cell: cell.run), lambda cell: cell.scenario)
    scores = []
    for scenario, points in sheet.totals.items():
        low, high = sheet.ends[scenario]
        mean, first = float(points.mean()), runs[scenario][int(points.argmin())]
        kept = 100 * (mean - low) / (high - low) if high > low else 100.0
        scores.append(ScenarioScore(scenario, first.experiment, kept, high - mean, first.run))
    runs_worth = interim_looks.run_counts(connection, scope.where)[config].worth
    index = gates.gated_index(subject_points.contributions([sheet]), seen)
    worst = tuple(sorted(scores, key=lambda one: (-one.lost, one.scenario)))
    if again is None:
        return GatedSubject(index, worst, LIKE_THESE, alike)
    changed = data.changes([config])
    return GatedSubject(msgspec.structs.replace(index, runs=runs_worth), worst, THESE, changed=changed)


def undecidable(connection: sqlite3.Connection, scope: BoardScope, judge: str, config: str) -> str:
    """Why no further run can decide anything, where all of a subject's runs are alike; else empty."""
    table = verdict_frame.read(connection, scope, judge)
    if config not in table.repeats.why:
        return ""
    why = f"{' '.join(table.repeats.why[config])} More runs would say nothing"
    if scope.suite.index is not None:
        fewest = min(map(len, strict.frame(scope.suite).members.values()))
        why += ", and other scenarios cannot be judged by these: "
        why += f"a part of the index has {fewest} of them, and {single_runs.FEW} are needed"
    return f"{why}. If the model is used at a temperature above 0, name it with --temperature."


def look(
    own: GatedSubject,
    floor: float | None,
    baseline: GateBaseline | None,
    drop: float,
    what: str = INDEX,
) -> GateLook:
    """Decide on the runs so far.

    `floor`: a bar for what is measured (`what`: index or J); `drop`: points that the index may fall below the baseline.
    """
    bars, found = sum(bar is not None for bar in (floor, baseline)), []
    if floor is not None:
        at = gates.levels(gates.information(own.index.runs), bars)
        found.append(_result(what, own.index.point, gates.around_index(own.index, at), at, floor))
    if baseline is not None:
        at = gates.levels(gates.information(own.index.runs, baseline.index.runs), bars)
        ends = gates.around_difference(own.index, baseline.index, at)
        found.append(_result(DROP, own.index.point - baseline.index.point, ends, at, -drop))
    return GateLook(tuple(found), own.index.runs - gates.LEAST + 1)


def _result(what: str, value: float, ends: Interval, at: Levels, bar: float) -> BarResult:
    return BarResult(
        what=what, value=value, interval=(ends.low, ends.high), passing=at.passing, failing=at.failing, bar=bar,
        decision=gates.decided(ends, bar),
    )  # fmt: skip


def baseline(own: GatedSubject, at: CheckedPlace, subject: str) -> GateBaseline:
    """What later gates are held against."""
    place, (bottom, top) = own.index.point, own.index.scale
    share = (place - bottom) / (top - bottom)
    return GateBaseline(
        **msgspec.structs.asdict(at),
        subject=subject,
        index=own.index,
        ci=own.index.ci,
        variance=own.index.dispersion * share * (1 - share) * (top - bottom) ** 2,
        scenarios={one.scenario: one.kept for one in own.scenarios},
    )


_WRITES = "`independence check --write-baseline FILE` writes one"


def read_baseline(path: Path) -> GateBaseline:
    """Raises UsageError for a file that cannot be read or is no baseline."""
    found = documents.json_of(user_files.read_bytes(path), path, GateBaseline, fix=_WRITES)
    sound = (
        found.index.runs >= gates.LEAST and found.index.df > 0 and found.index.dispersion >= 0 and found.index.most > 0
    )
    if found.written_by != WRITTEN_BY or not sound or not found.index.scale[0] < found.index.scale[1]:
        what = f"--against {path}: its numbers fit no baseline"
        raise UsageError(what, _WRITES)
    return found


def refuse_unlike(found: GateBaseline, path: Path, here: CheckedPlace) -> None:
    """Raise UsageError where a baseline is of something else than what is checked.

    Two personas may differ: whether one's new words hold as well as the old ones is what a baseline is for.
    """
    pairs: Sequence[tuple[str, str, str]] = (
        ("suite", found.suite, here.suite),
        ("mode", found.mode, here.mode),
        ("judge", found.judge, here.judge),
        ("scoring", found.scoring, "strict"),
    )
    unlike = [f"{name} {theirs}, not {ours}" for name, theirs, ours in pairs if theirs != ours]
    if found.edition != here.edition and found.wording != here.wording:
        unlike.append(f"edition {found.edition}, not {here.edition}, in other words")
    if found.variant != here.variant and not (found.persona and here.persona):
        unlike.append(f"system prompt {found.variant}, not {here.variant}")
    if unlike:
        raise UsageError(
            f"--against {path}: this baseline is of {'; '.join(unlike)}",
            "check the same as then, or write a new baseline with --write-baseline",
        )


def failed_scenarios(
    scores: Sequence[ScenarioScore], made: GateLook, then: Mapping[str, float] | None
) -> frozenset[str]:
    """Scenarios that did not keep what a failed gate asks of the whole index; none of a gate that did not fail.

    Of a bar: less than it. Of a baseline: less than they kept then (`then`, 0-100) by more than the drop allowed.
    """
    bars = {bar.what: bar.bar for bar in made.bars if bar.decision == "fail"}
    below = {one.scenario for one in scores if one.kept < bars.get(INDEX, 0.0)}
    if DROP in bars and then is not None:
        below |= {one.scenario for one in scores if one.kept - then.get(one.scenario, 0.0) < bars[DROP]}
    return frozenset(below)
