"""The clock of the machine is set while a run goes on: each request is sent once, and the board is what it would be."""

from __future__ import annotations

from pathlib import Path

from tests.e2e import command, endpoint, suites

# What Python runs first in a process that finds it: `time.time` is days ahead or behind by turns.
STEPS = """
import itertools, time
real, calls = time.time, itertools.count()
def stepped():
    turn = next(calls) // 5
    if turn == 4:
        open("stepped", "w").close()
    return real() + (0, 3 * 86_400, -3_600, -10 * 86_400)[turn % 4]
time.time = stepped
"""
RUN = (
    "run", "--models-file", "models.yaml", "--suite", "harbour", "-m", "loop/never,loop/half", "-j", "cues", "--runs",
    "8", "-pt", "20", "--format", "json", "--db",
)  # fmt: skip


def test_a_clock_that_is_set_again_and_again_changes_nothing(tmp_path: Path) -> None:
    suites.write(tmp_path / "harbour", suites.harbour())
    (tmp_path / "first").mkdir()
    (tmp_path / "first" / "sitecustomize.py").write_text(STEPS)
    env = {"LOOP_KEY": endpoint.KEY}
    path = command.environment(env).get("PYTHONPATH", "")
    with endpoint.serving(tmp_path) as served:
        endpoint.models_file(tmp_path, served.base_url, 20)
        expected = command.ok(*RUN, "calm.db", cwd=tmp_path, env=env)
        before = len(served.requests())
        first = {"PYTHONPATH": f"{tmp_path / 'first'}:{path}"}
        ended = command.apart(*RUN, "stepped.db", cwd=tmp_path, env=env | first)
        assert ended.code == 0, ended.err
        assert (tmp_path / "stepped").exists()
        assert ended.scores == expected.scores
        assert len(served.requests()) == 2 * before
