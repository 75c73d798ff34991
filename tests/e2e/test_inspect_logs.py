"""`export --inspect` and `import LOG.eval`: what Inspect's reader shows, the way back, and logs that are none."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from independence.errors import IndependenceError
from independence.integrations import logs
from tests import toy
from tests.e2e import command, endpoint, inspected, test_steps
from tests.e2e.command import Ended

KEPT = (
    "SELECT trial, turn, turn_id, context, after, missing, flags, cost_usd, text, thinking, reasoning, attempts "
    "FROM calls"
)
GRADED = (
    "SELECT key, trial, judge, pass, rubric, context, missing, fields, cost_usd, judged_at, settings, reasoning, raw, "
    "attempts, quote, quote_found FROM verdicts"
)
WRITTEN = "SELECT key, trial, judge, step, context, missing, text, cost_usd FROM artefacts"
LOST = "SELECT trial, what, kind, detail, cost_usd, failed_at FROM failures"


@pytest.fixture(autouse=True)
def _needed() -> None:
    inspected.needed()


def filled(folder: Path, url: str, *options: str) -> Path:
    """A store with runs of a suite of one's own: two subjects, a scenario that follows, a model judge."""
    toy.write(folder / "toy")
    (folder / "models.yaml").write_text(f"endpoints:\n  - {{name: loop, base_url: {url}}}\n")
    ended = command.run(
        "run", "--models-file", "models.yaml", "--suite", "toy", "-m", "loop/half,loop/always", "-j", "loop/judge",
        "--runs", "2", "--db", "ours.db", "--yes", *options, cwd=folder,
    )  # fmt: skip
    assert ended.code == 0, ended.err
    return folder / "ours.db"


def board(db: Path) -> dict[str, Any]:
    ended = command.run("leaderboard", "--format", "json", "--db", db, cwd=db.parent)
    assert ended.code == 0, ended.err
    return ended.board


def imported(folder: Path, path: str, db: str = "new.db") -> Ended:
    return command.run("import", path, "--db", db, cwd=folder)


def test_what_is_exported_is_shown_by_the_reader_and_comes_back_whole(tmp_path: Path):
    with endpoint.serving(tmp_path, "--price", "1/2") as served:
        db = filled(tmp_path, served.base_url, "--modes", "user_role,tool_role")
    ended = command.run("export", "--inspect", "out", "--db", db, cwd=tmp_path)
    assert ended.code == 0, ended.err
    logs = sorted((tmp_path / "out").glob("*.eval"))
    assert len(logs) == 4  # two subjects, two modes
    rows = {row["config"]: row for row in board(db)["rows"]}
    log = inspected.read(next(log for log in logs if "tool-role" in log.name and "half" in log.name))
    assert (log["status"], log["task"], log["model"]) == ("success", "independence/toy", "openai-api/loop/half")
    row = rows["loop--half@low-t0.7"]
    assert log["metrics"]["index"] == row["index"]
    assert {name: log["metrics"][name] for name in row["dimensions"]} == row["dimensions"]
    verdicts = command.ask(db, f"{GRADED} WHERE judge = 'loop/judge'")
    told = {(json.dumps(json.loads(row[7]), sort_keys=True), row[11]) for row in verdicts}
    scores = [sample["scores"]["loop/judge"] for sample in log["samples"]]
    shown = {(json.dumps(score["value"], sort_keys=True), score["explanation"]) for score in scores}
    assert shown <= told
    answers = {text for (text,) in command.ask(db, "SELECT text FROM calls")}
    assert all(sample["output"] in answers and sample["texts"][-1] == sample["output"] for sample in log["samples"])
    spent = sum(usage["total_cost"] for sample in log["samples"] for usage in sample["usage"].values())
    assert spent == pytest.approx(row["cost_usd"])

    again = imported(tmp_path, "out")
    assert again.code == 0, again.err
    assert board(tmp_path / "new.db") == board(db)
    for sql in (KEPT, GRADED, WRITTEN, LOST):
        assert sorted(command.ask(tmp_path / "new.db", sql)) == sorted(command.ask(db, sql))
    twice = imported(tmp_path, "out")
    assert (twice.code, "new in the store: nothing" in twice.err) == (0, True)
    resumed = command.run(
        "run", "--models-file", "models.yaml", "--suite", "toy", "-m", "loop/half", "-j", "loop/judge", "--runs", "2",
        "--db", "new.db", "--dry-run", cwd=tmp_path,
    )  # fmt: skip
    assert "0 calls" in resumed.err


def test_a_log_of_inspect_eval_becomes_the_board_of_our_own_run(tmp_path: Path):
    test_steps.prepared(tmp_path)
    (tmp_path / "models.yaml").write_text("endpoints: []\n")
    with endpoint.serving(tmp_path) as served:
        (tmp_path / "models.yaml").write_text(f"endpoints:\n  - {{name: loop, base_url: {served.base_url}}}\n")
        ours = command.run(
            "run", "--models-file", "models.yaml", "--suite", "harbour", "-m", "loop/half", "-j", "loop/judge",
            "--runs", "2", "--db", "ours.db", "--yes", cwd=tmp_path,
        )  # fmt: skip
        assert ours.code == 0, ours.err
        log = inspected.evaluate(
            "independence/suite", served.base_url, "-T", "suite=harbour", "-T", "judge=openai-api/loop/judge",
            "-T", "runs=2", cwd=tmp_path,
        )  # fmt: skip
    ended = imported(tmp_path, str(log.relative_to(tmp_path)))
    assert ended.code == 0, ended.err
    own, theirs = board(tmp_path / "ours.db"), board(tmp_path / "new.db")
    same = ("index", "bounds", "ci", "per_run", "dimensions", "coverage", "label", "config", "runs", "rank")
    assert [[row[name] for name in same] for row in own["rows"]] == [
        [row[name] for name in same] for row in theirs["rows"]
    ]
    for sql in ("SELECT trial, turn, context, after, text FROM calls", "SELECT key, fields FROM verdicts",
                "SELECT key, text FROM artefacts"):  # fmt: skip
        assert sorted(command.ask(tmp_path / "ours.db", sql)) == sorted(command.ask(tmp_path / "new.db", sql))
    graded = command.run("judge", "-j", "cues", "--db", "new.db", cwd=tmp_path)  # what was imported can be graded again
    assert graded.code == 0, graded.err


def test_a_persona_and_what_was_not_asked_come_back(tmp_path: Path):
    (tmp_path / "mine.md").write_text("You keep a small shop and you like it.\n")
    with endpoint.serving(tmp_path) as served:
        log = inspected.evaluate(
            "independence/lite",
            served.base_url,
            "-T",
            "judge=cues",
            "-T",
            "variant=mine.md",
            "--limit",
            "2",
            cwd=tmp_path,
        )
    assert imported(tmp_path, str(log.relative_to(tmp_path))).code == 0
    (row,) = board(tmp_path / "new.db")["rows"]
    assert row["index"] is None
    (variant,) = {variant for (variant,) in command.ask(tmp_path / "new.db", "SELECT variant FROM planned")}
    assert variant.startswith("mine-")
    assert command.ask(tmp_path / "new.db", "SELECT text FROM personas") == [
        ("You keep a small shop and you like it.",)
    ]


def test_dataframes_of_inspect_hold_every_sample(tmp_path: Path):
    pytest.importorskip("pandas")
    with endpoint.serving(tmp_path) as served:
        db = filled(tmp_path, served.base_url)
    assert command.run("export", "--inspect", "out", "--db", db, cwd=tmp_path).code == 0
    script = (
        "from inspect_ai.analysis import evals_df, samples_df\n"
        "e, s = evals_df('out', quiet=True), samples_df('out', quiet=True)\n"
        "print(len(e), len(s), [c for c in s.columns if c.startswith('score_')])"
    )
    ended = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script], cwd=tmp_path, env=command.environment(), text=True,
        capture_output=True, timeout=command.PATIENCE_S, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.split()[:2] == ["2", "12"]


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log that is whole."""
    inspected.needed()
    folder = tmp_path_factory.mktemp("log")
    with endpoint.serving(folder) as served:
        db = filled(folder, served.base_url)
    assert command.run("export", "--inspect", "out", "--db", db, "--models", "loop/half", cwd=folder).code == 0
    (found,) = (folder / "out").glob("*.eval")
    return found


def changed(source: Path, to: Path, change: Callable[[str, Any], Any]) -> Path:
    """The log with the JSON of its parts changed."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(to, "w") as new:
        for name in dict.fromkeys(old.namelist()):
            part = json.loads(old.read(name))
            new.writestr(name, json.dumps(change(name, part) if isinstance(part, dict) else part))
    return to


def of_task(name: str, part: Any) -> Any:
    if "eval" in part:
        part["eval"]["metadata"], part["eval"]["task"] = {}, "theirs/arc"
    return part


def unfinished(name: str, part: Any) -> Any:
    if "status" in part:
        part["status"] = "error"
    return part


def failed(name: str, part: Any) -> Any:
    if name.startswith("samples/radio_epoch_2"):
        part["error"] = {"message": "boom", "traceback": "", "traceback_ansi": ""}
    return part


def of_version(name: str, part: Any) -> Any:
    if "version" in part and "eval" in part:
        part["version"] = 3
    return part


def of_format(name: str, part: Any) -> Any:
    if "eval" in part:
        part["eval"]["metadata"]["independence"]["format"] = 99
    return part


def reworded(name: str, part: Any) -> Any:
    if "eval" in part:
        own = part["eval"]["metadata"]["independence"]["edition"]
        own["document"] = own["document"].replace("tastes of your own", "no tastes")
    return part


def regraded(name: str, part: Any) -> Any:
    if name.startswith("samples/radio_epoch_2"):
        part["metadata"]["independence"]["verdicts"][0]["verdict"]["values"]["firmness"] = 11
    return part


def replanned(name: str, part: Any) -> Any:
    if name.startswith("samples/radio_epoch_2"):
        part["metadata"]["independence"]["trial"]["run"] = 7
    return part


def untyped(name: str, part: Any) -> Any:
    if name.startswith("samples/radio_epoch_2"):
        part["metadata"]["independence"]["answers"] = "none"
    return part


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (of_task, "a log of task `theirs/arc`, which is none of this package"),
        (unfinished, "the evaluation did not finish (status `error`)"),
        (failed, "1 samples failed, the first is radio (epoch 2)"),
        (of_version, "a log of Inspect's format 3, and this package reads 2"),
        (of_format, "written by another version of this package (format 99, this one 1)"),
        (reworded, "the texts of suite toy are not those of edition"),
        (regraded, "`firmness` is 11, outside 0 to 10"),
        (replanned, "its key is not that of what was asked"),
        (untyped, "what it holds of a dialogue is not as this package writes it"),
    ],
)
def test_a_log_that_is_not_as_it_was_written_is_refused_whole(tmp_path: Path, log: Path, change: Any, said: str):
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a.eval").write_bytes(log.read_bytes())  # one that is whole comes first
    changed(log, tmp_path / "logs" / "b.eval", change)
    with pytest.raises(IndependenceError) as refused:
        logs.import_logs(tmp_path / "logs", tmp_path / "new.db")
    assert said in str(refused.value)
    assert not (tmp_path / "new.db").exists()


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 nothing", b"{}", "cut"])
def test_a_file_that_is_no_log_is_refused(tmp_path: Path, log: Path, content: bytes | str):
    whole = log.read_bytes()
    (tmp_path / "x.eval").write_bytes(whole[: len(whole) // 2] if isinstance(content, str) else content)
    with pytest.raises(IndependenceError, match=r"x\.eval: no log of Inspect AI that can be read"):
        logs.import_logs(tmp_path / "x.eval", tmp_path / "new.db")
    assert not (tmp_path / "new.db").exists()


def test_the_command_says_in_a_sentence_why_a_log_is_refused(tmp_path: Path, log: Path):
    changed(log, tmp_path / "x.eval", regraded)
    ended = imported(tmp_path, "x.eval")
    assert ended.code == 2
    assert "`firmness` is 11, outside 0 to 10" in command.one_sentence(ended)
    assert not (tmp_path / "new.db").exists()


def test_another_dialogue_in_the_same_place_is_not_hidden(tmp_path: Path, log: Path):
    assert imported(tmp_path, str(log)).code == 0
    with command.opened(tmp_path / "new.db") as connection:
        connection.execute("UPDATE planned SET trial = 'other' WHERE scenario = 'radio' AND run = 1")
        connection.execute(
            "UPDATE trials SET key = 'other' WHERE key IN (SELECT trial FROM calls WHERE turn_id = 'radio') "
            "AND key NOT IN (SELECT trial FROM planned)"
        )
    ended = imported(tmp_path, str(log))
    assert ended.code == 2
    assert "the store holds another dialogue of loop/half@low-t0.7, radio, run 1" in command.one_sentence(ended)


def test_options_that_do_not_fit(tmp_path: Path, log: Path):
    db = log.parent.parent / "ours.db"
    for options, said in (
        (("--inspect", "--site"), "are layouts"),
        (("--inspect", "-j", "loop/judge"), "--inspect writes the verdicts of all judges"),
        (("--inspect", "--models", "loop/nobody"), "loop/nobody"),
    ):
        ended = command.run("export", *options, "out", "--db", db, cwd=tmp_path)
        assert (ended.code, said in command.one_sentence(ended)) == (2, True), ended.err
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / log.name).write_text("mine")
    ended = command.run("export", "--inspect", "out", "--db", db, cwd=tmp_path)
    assert (ended.code, "would be written over" in command.one_sentence(ended)) == (2, True)
    assert (tmp_path / "out" / log.name).read_text() == "mine"
    assert command.run("import", log, "--suite", "v2", "--db", "new.db", cwd=tmp_path).code == 2


def test_without_inspect_one_sentence_says_how_to_install_it(tmp_path: Path, log: Path):
    blocked = tmp_path / "sitecustomize.py"
    blocked.write_text(
        "import importlib.metadata as m, sys\nsys.modules['inspect_ai'] = None\nold = m.version\n"
        "def version(name):\n    if name == 'inspect-ai': raise m.PackageNotFoundError(name)\n    return old(name)\n"
        "m.version = version\n"
    )
    path = f"{tmp_path}:{command.environment().get('PYTHONPATH', '')}"
    for arguments in (("import", log), ("export", "--inspect", "out")):
        ended = command.apart(
            *arguments, "--db", log.parent.parent / "ours.db", cwd=tmp_path, env={"PYTHONPATH": path}
        )  # fmt: skip
        assert ended.code == 2
        assert "Inspect AI is not installed" in command.one_sentence(ended)
        assert "pip install 'ai-independence-bench[inspect]'" in ended.err
