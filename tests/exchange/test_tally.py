from __future__ import annotations

from pathlib import Path

import msgspec

from independence.exchange.dialogues import suite_layout
from independence.exchange.published import read
from independence.exchange.summary import AnomalyCount, FileCounts, subject_runs, summarise
from independence.suites.schema import Suite

from .trees import write_run

OTHER = "acme--large@none-t1.0"


def only(found: tuple[AnomalyCount, ...], flag: str) -> AnomalyCount:
    return next(kind for kind in found if kind.flag == flag)


def test_counts_say_in_how_many_runs_and_configurations(tmp_path: Path, suite: Suite) -> None:
    short = {"rs01": "No.", "rs02": "Never."}
    write_run(tmp_path, suite, answers=short)
    write_run(tmp_path, suite, run=2, answers={"rs01": "No."})
    write_run(tmp_path, suite, config=OTHER, answers={"rs05": "No."})
    found = only(summarise(read(tmp_path, suite).runs, FileCounts(), suite_layout(suite), None).anomalies, "short")
    assert (found.id, found.unit, found.count, found.runs, found.configurations) == ("A7", "files", 4, 3, 2)


def test_registry_kinds_count_configurations(tmp_path: Path, suite: Suite) -> None:
    write_run(tmp_path, suite)
    write_run(tmp_path, suite, run=2)
    runs = read(tmp_path, suite).runs
    outside = summarise(runs, FileCounts(), suite_layout(suite), frozenset({OTHER})).anomalies
    unregistered, absent = only(outside, "unregistered"), only(outside, "not_in_set")
    assert (unregistered.count, unregistered.runs, unregistered.configurations) == (1, 2, 1)
    assert (absent.count, absent.runs, absent.configurations) == (1, 0, 1)


def test_a_hole_counts_only_where_other_runs_of_the_configuration_fill_it(tmp_path: Path, suite: Suite) -> None:
    write_run(tmp_path, suite, config=OTHER, skip={"negotiation_turn2"})
    write_run(tmp_path, suite)
    write_run(tmp_path, suite, run=2, skip={"negotiation_turn2"})
    found = only(
        summarise(read(tmp_path, suite).runs, FileCounts(), suite_layout(suite), None).anomalies, "missing_dimension"
    )
    assert (found.count, found.unit, found.configurations) == (1, "runs", 1)


def test_without_a_published_rule_dimensions_are_not_looked_at(tmp_path: Path, suite: Suite) -> None:
    write_run(tmp_path, suite)
    plain = msgspec.structs.replace(suite, index=None)
    found = summarise(read(tmp_path, plain).runs, FileCounts(), suite_layout(plain), None).anomalies
    assert "missing_dimension" not in {kind.flag for kind in found}


def test_timestamps_that_are_none_do_not_split_a_run(tmp_path: Path, suite: Suite) -> None:
    write_run(tmp_path, suite, changes={"rs01": {"metadata": {"timestamp": "yesterday"}}, "rs02": {"metadata": {}}})
    assert (
        only(
            summarise(read(tmp_path, suite).runs, FileCounts(), suite_layout(suite), None).anomalies, "split_run"
        ).count
        == 0
    )


def test_subjects_hold_the_verdicts_of_each_run_in_order(tmp_path: Path, suite: Suite) -> None:
    write_run(tmp_path, suite)
    write_run(tmp_path, suite, run=2, skip={"rs01"})
    (subject,) = subject_runs(read(tmp_path, suite).runs)
    assert [len(run) for run in subject.runs] == [15, 14]
    assert {verdict.scenario for verdict in subject.runs[0]} - {verdict.scenario for verdict in subject.runs[1]} == {
        "rs01"
    }
