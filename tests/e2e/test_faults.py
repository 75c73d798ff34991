"""A run in which every third request fails in some passing way ends with the scores of a run in which none does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from independence.testing.loopback.faults import groups
from tests.e2e import command, endpoint
from tests.e2e.command import Ended

SUBJECTS = "loop/never,loop/yield-35,loop/half,loop/always"
RUNS = 4
# A `timeout` fault holds its request; a client that waits as long as usual would make the test take minutes.
HASTY = {"BENCH_TIMEOUT_S": "2", "BENCH_MAX_RETRIES": "8"}


def measured(folder: Path, patience: Mapping[str, str], *faults: str) -> tuple[Ended, endpoint.Served]:
    """V2 on four subjects, graded by the model judge."""
    folder.mkdir()
    with endpoint.serving(folder, *faults) as served:
        models = endpoint.models_file(folder, served.base_url)
        ended = command.run(
            "run", "--models-file", models, "-m", SUBJECTS, "-j", "loop/judge", "--runs", str(RUNS), "-pt", "50",
            "--yes", "--format", "json", "--db", "here.db", cwd=folder,
            env={"LOOP_KEY": endpoint.KEY, **patience},
        )  # fmt: skip
        return ended, served


def test_faults_in_a_third_of_all_requests_change_no_score(tmp_path: Path):
    calm, quiet = measured(tmp_path / "calm", {})
    rough, noisy = measured(tmp_path / "rough", HASTY, "--faults", "0.3")
    assert (calm.code, rough.code) == (0, 0), rough.err
    assert all(row["coverage"] == 1 for row in rough.board["rows"])
    assert rough.scores == calm.scores

    requests = noisy.requests()
    struck = Counter(request.fault for request in requests if request.fault)
    assert not any(request.fault for request in quiet.requests())
    assert struck.keys() == set(groups()["transient"])
    assert min(struck.values()) >= 6, struck
    assert endpoint.faults_in_a_row(requests) <= 2
    assert struck.total() / len(requests) > 0.25
    assert command.kept(tmp_path / "rough" / "here.db") == len(quiet.requests()) == len(noisy.asked())
