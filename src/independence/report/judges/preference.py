"""Does a judge favour its own family?"""

from __future__ import annotations

from collections.abc import Mapping

from independence.config.families import family
from independence.report.judges.panel import JudgePanel
from independence.report.table import Column, Table, Value
from independence.stats import preference, strict
from independence.stats.preference import FamilyPreference, JudgeDelta, Points
from independence.stats.strict import ScoringFrame, VerdictValues
from independence.stats.subject_points import subject_points

_NOTES = (
    "Self bias: a judge's index minus the mean of the other judges', over subjects of its own family.",
    "Difference: self bias minus the same over other subjects. A judge that is lenient to all favours nobody.",
    "Dialogues graded by every judge; subjects with at least one of each scenario.",
    "A judge is no reference for subjects of its own family; subjects that are left without a reference do not count.",
    "A judge that uses more of the scale differs most on strong and on weak subjects, whoever made them.",
    "95 %: for subjects like these; pooled t over subjects, at least as wide as the runs alone make it.",
)


def favours(panel: JudgePanel) -> Table:
    """Each judge's own family against other subjects, in points of the index."""
    columns = (
        Column("judge", "Judge"),
        Column("family", "Family"),
        Column("own", "Own", "count"),
        Column("self_bias", "Self bias", "signed", 2),
        Column("others", "Others", "count"),
        Column("elsewhere", "Elsewhere", "signed", 2),
        Column("difference", "Difference", "signed", 2),
        Column("difference_ci", "95 %", "signed_interval", 2),
    )
    frame = strict.frame(panel.scope.suite)
    points = points_by_judge(panel, frame)
    rows: list[tuple[Value, ...]] = []
    for judge in panel.judges:
        found = favour(judge, points, {config: family(who.model_id) for config, who in panel.about.items()})
        rows.append(
            (judge, family(judge), found.own, found.self_bias, found.others, found.elsewhere, found.difference,
             (found.interval.low, found.interval.high) if found.interval else None)
        )  # fmt: skip
    return Table("self-preference", "Self-preference", columns, tuple(rows), _NOTES)


def favour(judge: str, points: Mapping[str, Mapping[str, Points]], families: Mapping[str, str]) -> FamilyPreference:
    """One judge's preference. `points`: judge -> config_dir -> the same dialogues; `families`: of the subjects."""
    own: list[JudgeDelta] = []
    others: list[JudgeDelta] = []
    for config, judged in points[judge].items():
        reference = [points[other][config] for other in points if other != judge and family(other) != families[config]]
        if reference:
            group = own if families[config] == family(judge) else others
            group.append(preference.delta(judged, reference))
    return preference.prefer(own, others)


def points_by_judge(panel: JudgePanel, frame: ScoringFrame) -> dict[str, dict[str, Points]]:
    """Judge -> config_dir -> index points of the dialogues that every judge graded; subjects that lack no scenario."""
    common = panel.common
    out: dict[str, dict[str, Points]] = {}
    for judge in panel.judges:
        cells: dict[str, list[VerdictValues]] = {}
        for dialogue, given in common.items():
            cells.setdefault(dialogue.config_dir, []).append(
                VerdictValues(dialogue.scenario, dialogue.run, given[judge])
            )
        found = {config: subject_points(frame, own) for config, own in cells.items()}
        out[judge] = {config: one.totals for config, one in found.items() if one is not None}
    return out
