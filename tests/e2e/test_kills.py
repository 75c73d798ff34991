"""Killed, interrupted, run twice at once: nothing paid for is lost and nothing stored is asked again."""

from __future__ import annotations

import random
import signal
import socket
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from tests.e2e import command, endpoint, suites

CAP, HELD = 50, 10
ENV = {"LOOP_KEY": endpoint.KEY}
SUBJECTS = 4
RUN = (
    "run", "--models-file", "models.yaml", "--suite", "harbour", "-m", "loop/never,loop/yield-20,loop/half,loop/always",
    "-j", "loop/judge", "-pt", "50", "--format", "json", "--db", "here.db", "--yes", "--runs",
)  # fmt: skip


def begun(folder: Path, runs: int) -> subprocess.Popen[str]:
    """The harbour suite on four subjects, graded by the model judge, in a process of its own."""
    return command.start(*RUN, str(runs), cwd=folder, env=ENV)


def calls(runs: int) -> int:
    """Answers and verdicts of such a run."""
    return SUBJECTS * runs * (5 + 3)


def prepared(folder: Path, served: endpoint.Served, cap: int = CAP) -> Path:
    """A folder ready for the run; returns where the store will be."""
    suites.write(folder / "harbour", suites.harbour())
    endpoint.models_file(folder, served.base_url, cap)
    return folder / "here.db"


def twice_asked_judge(folder: Path, served: endpoint.Served) -> Path:
    """The same with a judge that quotes what nobody said: it is asked for each verdict once more, about that."""
    db = prepared(folder, served)
    document = suites.harbour()
    document["rubrics"]["course"]["quote"] = "The passage that decides."
    suites.write(folder / "harbour", document)
    return db


def attempts(db: Path) -> int:
    """Attempts that were answered and are stored, with what they belong to or by themselves."""
    if not db.exists():
        return 0
    settled = " UNION ALL ".join(f"SELECT json_array_length(attempts) FROM {name}" for name in ("calls", "verdicts"))
    return sum(count for (count,) in command.ask(db, f"{settled} UNION ALL SELECT 1 FROM attempts WHERE answer <> ''"))


def ledger(db: Path) -> float:
    """Dollars of all sessions."""
    return command.ask(db, "SELECT total(spent_usd) FROM sessions")[0][0] if db.exists() else 0.0


# The runs are enough work for every kill to fall into the middle of it, also on a fast machine.
@pytest.mark.parametrize(
    ("kills", "runs", "seed"), [(5, 20, 1), *(pytest.param(12, 60, seed, marks=pytest.mark.deep) for seed in (2, 3, 4))]
)
def test_after_kills_nothing_is_missing_and_only_what_was_in_flight_was_asked_again(
    tmp_path: Path, kills: int, runs: int, seed: int
):
    moments, lost, came, stored = random.Random(seed), [], 0, 0
    run = [*RUN, str(runs)]
    run[run.index("loop/judge")] = "loop/judge:misquoting"
    with endpoint.serving(tmp_path, "--latency", "0.15") as served:
        db = twice_asked_judge(tmp_path, served)
        for _ in range(kills):
            process = command.start(*run, cwd=tmp_path, env=ENV)
            more = moments.randrange(HELD, 16 * HELD)
            endpoint.until(lambda least=came + more: len(served.requests()) >= least, "requests came")
            process.send_signal(signal.SIGKILL)
            assert command.finish(process).code == -signal.SIGKILL
            received, kept = len(served.settled()), attempts(db)
            lost.append((received - came) - (kept - stored))
            came, stored = received, kept
            assert ledger(db) >= sum(request.cost_usd for request in served.log.everything()) - 1e-9
        ended = command.finish(command.start(*run, cwd=tmp_path, env=ENV))
        asked = served.asked()
        paid = sum(request.cost_usd for request in served.log.everything())
    print(f"{kills} kills, seed {seed}: {stored} answers stored at the last, {sum(lost)} in flight at them")
    print(f"{sum(asked.values()) - len(asked)} asked twice; ${paid:.4f} served, ${ledger(db):.4f} in the ledger")
    assert ended.code == 0, ended.err
    assert all(row["coverage"] == 1 for row in ended.board["rows"])
    assert command.kept(db) == calls(runs)
    assert attempts(db) == len(asked) == SUBJECTS * runs * (5 + 3 * 2)
    assert not command.ask(db, "SELECT * FROM attempts")
    assert not command.missing(db)
    # A slot is freed once its answer is committed: a kill can cost at most what was in flight.
    assert all(0 <= count <= CAP for count in lost), lost
    assert sum(asked.values()) - len(asked) <= sum(lost)
    assert ledger(db) >= paid > 0
    assert 0 < stored < len(asked)  # the kills fell into a run that was getting somewhere


def test_an_interrupt_finishes_what_is_in_flight_and_a_second_one_drops_it(tmp_path: Path):
    runs = 10
    with endpoint.serving(tmp_path, "--latency", "0.3") as served:
        db = prepared(tmp_path, served)
        process = begun(tmp_path, runs)
        served.wait_until_at_work(HELD, 2 * HELD)
        process.send_signal(signal.SIGINT)
        ended = command.finish(process)
        assert (ended.code, "the same command resumes" in ended.err) == (130, True)
        assert "Traceback" not in ended.err
        assert HELD <= len(served.requests()) < calls(runs)
        assert command.kept(db) == len(served.requests())
        again = command.finish(begun(tmp_path, runs))
        assert again.code == 0, again.err
        assert set(served.asked().values()) == {1}
        assert command.kept(db) == calls(runs)
    db.unlink()
    probed = SUBJECTS * endpoint.PROBED + endpoint.PROBED_JUDGE
    with endpoint.serving(tmp_path, "--faults", f"timeout+{probed + 1}", name="hanging") as served:
        prepared(tmp_path, served)
        process = begun(tmp_path, 2)
        endpoint.until(lambda: served.held() >= HELD, "requests held")
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        assert any(line.startswith("stopping") for line in process.stderr)  # it waits for them
        process.send_signal(signal.SIGINT)
        ended = command.finish(process)
    assert (ended.code, "the same command resumes" in ended.err) == (130, True)
    assert "Traceback" not in ended.err
    assert command.kept(db) == 0


def test_a_second_interrupt_waits_for_no_write(tmp_path: Path):
    with endpoint.serving(tmp_path, "--latency", "0.1") as served:
        db = prepared(tmp_path, served)
        process = begun(tmp_path, 10)
        served.wait_until_at_work(HELD, 2 * HELD)
        with closing(sqlite3.connect(db, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")  # until the process has ended
            endpoint.until(lambda: served.held() == 0, "requests answered")
            process.send_signal(signal.SIGINT)
            assert process.stderr is not None
            assert any(line.startswith("stopping") for line in process.stderr)
            process.send_signal(signal.SIGINT)
            ended = command.finish(process)
            assert (ended.code, "here.db: a write does not end" in command.one_sentence(ended)) == (3, True)
        came, stored = len(served.requests()), command.kept(db)
        assert 0 < came - stored <= CAP
        assert command.finish(begun(tmp_path, 10)).code == 0
        assert sum(served.asked().values()) - len(served.asked()) == came - stored


def test_an_interrupt_before_anything_is_asked_is_an_interrupt_too(tmp_path: Path):
    suites.write(tmp_path / "harbour", suites.harbour())
    with socket.create_server(("127.0.0.1", 0)) as silent:
        process = command.start(
            "run", "--suite", "harbour", "--local-url", f"http://127.0.0.1:{silent.getsockname()[1]}",
            "--local-model", "one", "-j", "cues", cwd=tmp_path,
        )  # fmt: skip
        with closing(silent.accept()[0]):
            process.send_signal(signal.SIGINT)
            ended = command.finish(process)
    assert ended.code == 130
    assert "interrupted" in command.one_sentence(ended)


def test_two_runs_on_one_store_share_the_work(tmp_path: Path):
    runs = 10
    with endpoint.serving(tmp_path, "--latency", "0.1") as served:
        db = prepared(tmp_path, served)
        suites.write(tmp_path / "harbour", suites.branching())
        both = [begun(tmp_path, runs) for _ in range(2)]
        ended = [command.finish(process) for process in both]
        assert 0 in {one.code for one in ended} <= {0, 3}  # who ends last finds everything there
        for one in ended:
            assert "Traceback" not in one.err
            assert "Error" not in one.err
            assert one.code == 0 or "being worked on by another process" in one.err
        again = command.run(*RUN, str(runs), cwd=tmp_path, env=ENV)
        assert again.code == 0
        assert "plan: 0 calls and 0 verdicts to go" in again.err
        assert set(served.asked().values()) == {1}
        assert len(served.requests()) == command.kept(db)


def test_no_step_of_a_rubric_that_is_stored_is_asked_for_again(tmp_path: Path):
    runs, cap = 4, 20
    with endpoint.serving(tmp_path, "--latency", "0.1") as served:
        db = prepared(tmp_path, served, cap)
        document = suites.harbour()
        rubric = document["rubrics"]["course"]
        rubric |= {"prompt": "prompts/noted.md", "steps": [{"name": "notes", "prompt": "prompts/notes.md"}]}
        prompts = suites.write(tmp_path / "harbour", document) / "prompts"
        (prompts / "notes.md").write_text("Note down what is claimed here.\n\n{{answer}}\n")
        (prompts / "noted.md").write_text("Notes were taken of an answer.\n\n{{notes}}\n\nFill in.\n\n{{fields}}\n")
        process = begun(tmp_path, runs)
        endpoint.until(lambda: len(served.requests()) >= 130, "requests came")
        process.send_signal(signal.SIGKILL)
        command.finish(process)
        came, before = len(served.settled()), written(db)
        ended = command.run(*RUN, str(runs), cwd=tmp_path, env=ENV)
        asked = served.asked()
    assert ended.code == 0, ended.err
    answered = SUBJECTS * runs
    assert 0 < before["artefacts"] < answered * 3
    assert written(db) == {"calls": answered * 5, "artefacts": answered * 3, "verdicts": answered * 3}
    assert len(asked) == answered * (5 + 3 + 3)
    assert sum(asked.values()) - len(asked) <= came - sum(before.values()) <= cap  # what was in flight, and no more
    assert all(row["coverage"] == 1 for row in ended.board["rows"])
    notes = "SELECT count(DISTINCT trial) FROM artefacts WHERE step = 'notes' AND missing IS NULL AND length(text) > 0"
    assert command.ask(db, notes) == [(answered * 3,)]


def written(db: Path) -> dict[str, int]:
    """Rows of what is asked for."""
    return {
        table: command.ask(db, f"SELECT count(*) FROM {table}")[0][0] for table in ("calls", "artefacts", "verdicts")
    }
