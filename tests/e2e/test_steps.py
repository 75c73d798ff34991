"""A rubric with a step, through the command and the endpoint: killed on the way, no stored step is written again."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

from independence.store import artefacts, queries
from independence.suites import load
from independence.types import Condition, Where
from tests.e2e import command, endpoint, suites

ENV = {"LOOP_KEY": endpoint.KEY}
RUNS, DIALOGUES = 4, 3


def stepped() -> suites.Document:
    """The harbour suite, graded by what a judge notes down of the last answer."""
    document = suites.harbour()
    document["rubrics"]["course"]["prompt"] = "prompts/noted.md"
    document["rubrics"]["course"]["steps"] = [{"name": "notes", "prompt": "prompts/notes.md"}]
    return document


def prepared(folder: Path) -> None:
    suites.write(folder / "harbour", stepped())
    prompts = folder / "harbour" / "prompts"
    (prompts / "notes.md").write_text("Note down what is claimed here.\n\n{{answer}}\n")
    (prompts / "noted.md").write_text("These notes were taken of an answer.\n\n{{notes}}\n\nFill in.\n\n{{fields}}\n")


def begun(folder: Path) -> subprocess.Popen[str]:
    return command.start(
        "run", "--models-file", "models.yaml", "--suite", "harbour", "-m", "loop/never,loop/half", "-j", "loop/judge",
        "--runs", str(RUNS), "-pt", "10", "--format", "json", "--db", "here.db", cwd=folder, env=ENV,
    )  # fmt: skip


def kept(db: Path) -> dict[str, int]:
    return {
        table: command.ask(db, f"SELECT count(*) FROM {table}")[0][0] for table in ("calls", "artefacts", "verdicts")
    }


def test_a_killed_run_resumes_without_asking_a_stored_step_again(tmp_path: Path):
    prepared(tmp_path)
    db = tmp_path / "here.db"
    with endpoint.serving(tmp_path, "--latency", "0.1") as served:
        endpoint.models_file(tmp_path, served.base_url, 20)
        process = begun(tmp_path)
        endpoint.until(lambda: len(served.requests()) >= 65, "requests came")
        process.send_signal(signal.SIGKILL)
        command.finish(process)
        time.sleep(0.2)
        endpoint.until(lambda: served.held() == 0, "requests answered")
        came, before = len(served.requests()), kept(db)
        ended = command.finish(begun(tmp_path))
        asked = served.asked()
    assert ended.code == 0, ended.err
    assert 0 < before["artefacts"] < 2 * RUNS * DIALOGUES
    whole = {"calls": 2 * RUNS * 5, "artefacts": 2 * RUNS * DIALOGUES, "verdicts": 2 * RUNS * DIALOGUES}
    assert kept(db) == whole
    assert len(asked) == sum(whole.values())
    assert sum(asked.values()) - len(asked) <= came - sum(before.values()) <= 20  # what was in flight, and no more
    assert all(row["coverage"] == 1 for row in ended.board["rows"])
    with closing(sqlite3.connect(db)) as connection:
        edition = load.load(str(tmp_path / "harbour")).edition
        found = artefacts.of_condition(connection, Where("harbour", edition, Condition("plain", "user_role")))
        assert len(found) == len(queries.states(connection, Where("harbour", edition))) == 2 * RUNS * DIALOGUES
    assert {one.step for one in found} == {"notes"}
    assert all(one.text and one.missing is None for one in found)
