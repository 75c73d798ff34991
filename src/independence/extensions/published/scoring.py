"""Rows under the rules of published boards, which average whatever verdicts there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from independence.errors import UsageError
from independence.extensions.published import scoring_rules
from independence.report.board import index_rows, scenario_kinds
from independence.report.board.board_data import BoardData
from independence.report.board.index_rows import BOOTSTRAP, DIMENSIONS, INDEX, POINTS_LOST, T_RUNS
from independence.report.board.rows import Row, Standing
from independence.report.board.scoring import Scoring
from independence.report.board.verdict_frame import REREAD, PlannedVerdict
from independence.stats.estimates import Estimate
from independence.suites.schema import ScenarioKind, Suite


class PublishedScoring(Scoring):
    """The published rules by name, and `published`: the one that a suite was last published with."""

    def rows(self, read: BoardData, own: Mapping[str, Row], name: str) -> tuple[Row, ...]:
        """Everybody whom the rule gives an index, best first. Raises UsageError for a suite it cannot use."""
        rule = _rule(read.scope.suite, name)
        subjects = [scoring_rules.SubjectRuns(config, _runs(read.planned[config])) for config in _whole(read, name)]
        kinds, by_config = scenario_kinds.of(read), {subject.config_dir: subject for subject in subjects}
        return tuple(
            _ruled(own[row.config_dir], row, rank, _lost(by_config[row.config_dir], rule, kinds) if kinds else {})
            for rank, row in enumerate(scoring_rules.published_board(subjects, rule), start=1)
        )

    def check(self, suite: Suite, name: str) -> None:
        """Raises UsageError for a suite without the fields of the rule, or with other scales."""
        _rule(suite, name)

    def lost(self, read: BoardData, config: str, name: str) -> dict[str, float] | None:
        """Points that a subject loses by scenario, over all of them 100 less its index before rounding."""
        subject = scoring_rules.SubjectRuns(config, _runs(read.planned[config]))
        return scoring_rules.lost_points(subject, _rule(read.scope.suite, name))


def _ruled(own: Row, by_rule: scoring_rules.PublishedRow, rank: int, lost: Mapping[str, float | None]) -> Row:
    """A row as a rule has it, which knows neither evasions nor tiers."""
    estimates = {
        INDEX: Estimate(by_rule.index, by_rule.ci, by_rule.runs, BOOTSTRAP if by_rule.ci else "", bounds=own.main.ends),
        **index_rows.in_group(DIMENSIONS, by_rule.dimensions),
        **index_rows.in_group(POINTS_LOST, lost),
    }
    return msgspec.structs.replace(
        own, standing=Standing(rank), estimates=estimates, intervals={BOOTSTRAP: by_rule.ci, T_RUNS: by_rule.t_ci},
        runs=by_rule.runs, most_runs=by_rule.runs, per_run=by_rule.per_run,
    )  # fmt: skip


def _lost(
    subject: scoring_rules.SubjectRuns, rule: scoring_rules.ScoringRule, kinds: Mapping[str, ScenarioKind]
) -> dict[str, float | None]:
    """Points that a rule takes for scenarios of each kind."""
    found = scoring_rules.lost_points(subject, rule)
    return {
        name: sum(found.get(scenario, 0.0) for scenario in kind.scenarios) if found else None
        for name, kind in kinds.items()
    }


def _rule(suite: Suite, scoring: str) -> scoring_rules.ScoringRule:
    assert suite.index is not None
    name = suite.index.published_rule if scoring == "published" else scoring
    rule = scoring_rules.rules().get(name or "")
    if rule is None:
        raise UsageError(f"suite {suite.suite} was never published under a rule of its own; use --scoring strict")
    have, called = {name: field for one in suite.rubrics.values() for name, field in one.fields.items()}, suite.suite
    for field, most in sorted(rule.fields.items()):
        if field not in have:
            raise UsageError(f"--scoring {scoring} needs the field {field}, which suite {called} lacks")
        scale = have[field].range
        if scale is not None and scale[1] != most:
            what = f"--scoring {scoring} reads {field} on a scale to {most}, and suite {called} has one to {scale[1]:g}"
            raise UsageError(what, "use --scoring strict, or the suite's own rule: --scoring published")
    return rule


def _whole(read: BoardData, scoring: str) -> list[str]:
    """Who has as many runs of each scenario as of the others, by config_dir. Raises UsageError where nobody has.

    Published rules average whole runs; a plan with more of some scenarios has none.
    """
    found = [config for config in sorted(read.planned) if not read.unequal(config)]
    for config, own in read.planned.items() if not found else ():
        counts = Counter(cell.scenario for cell in own)
        fewest, most = min(counts, key=lambda s: counts[s]), max(counts, key=lambda s: counts[s])
        raise UsageError(
            f"--scoring {scoring} averages whole runs, but {read.about[config].label} has {counts[fewest]} of "
            f"{fewest} and {counts[most]} of {most} (`check` and decisions buy so); use --scoring strict"
        )
    return found


def _runs(own: Sequence[PlannedVerdict]) -> tuple[list[scoring_rules.ScoredVerdict], ...]:
    runs: dict[int, list[scoring_rules.ScoredVerdict]] = {}
    for cell in own:
        if cell.given is not None and REREAD not in cell.flags:  # the publisher did not have it
            one = scoring_rules.ScoredVerdict(cell.scenario, cell.experiment, cell.given)
            runs.setdefault(cell.run, []).append(one)
    return tuple(runs[run] for run in sorted(runs))


RULES: Final = PublishedScoring()
