from __future__ import annotations

from pathlib import Path

from independence.exchange.dialogues import suite_layout
from independence.exchange.published import read
from independence.exchange.summary import FileCounts, summarise
from independence.suites.schema import Suite

from .trees import write_run


def test_a_summary_counts_runs_and_passes_on_what_the_reader_met(tmp_path: Path, suite: Suite) -> None:
    write_run(tmp_path, suite)
    write_run(tmp_path, suite, run=2, skip={"direct"})
    runs = read(tmp_path, suite).runs
    summary = summarise(runs, FileCounts(60, 5, ["x.json"]), suite_layout(suite), None)
    assert (summary.files, summary.unknown_files, summary.unreadable) == (60, 5, ("x.json",))
    assert (summary.replies, summary.verdicts, summary.runs, summary.configurations) == (51, 29, 2, 1)
    assert summary.run_sizes == {26: 1, 25: 1}
    assert [kind.count for kind in summary.anomalies if kind.flag == "missing_file"] == [1]


def test_nothing_read_counts_nothing(suite: Suite) -> None:
    summary = summarise((), FileCounts(), suite_layout(suite), frozenset())
    assert (summary.replies, summary.runs, sum(kind.count for kind in summary.anomalies)) == (0, 0, 0)
