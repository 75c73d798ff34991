from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from independence.cli.log_file import LogFile
from independence.engine.events import CallCommitted, Event, ModelStopped, RunStopping, SubjectStarted
from independence.errors import UsageError
from independence.types import Reply

KEY = 'sk-or-"v1-0123456789'
SAID = CallCommitted("m", 0.25, None, Reply("Hello.", "content"))


@pytest.fixture(autouse=True)
def _level(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LOG_LEVEL", raising=False)


def written(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def told(file: Path | None, *told: Event, quiet: bool = False) -> list[Event]:
    """Tell a log, and return what the watcher beside it heard."""
    heard: list[Event] = []
    log = LogFile(file, quiet)
    with log.opened([KEY, ""]):
        for event in told:
            log(event)
            heard.append(event)
    return heard


def test_every_event_is_a_line_with_its_time_and_the_other_watcher_hears_it_too(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    assert told(file, SubjectStarted("m", 2, 1), SAID) == [SubjectStarted("m", 2, 1), SAID]
    lines = written(file)
    assert [line["event"] for line in lines] == ["planned", "call", "stopped"]
    assert all(line["time"].endswith("+00:00") and len(line["time"]) == 29 for line in lines)
    assert [list(line)[:3] for line in lines] == [["time", "level", "event"]] * 3
    assert lines[-1] | {"time": ""} == {
        "time": "", "level": "info", "event": "stopped", "status": "done", "cost": 0.25, "calls": 1, "verdicts": 0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("level", "events"),
    [
        ("debug", ["planned", "call", "stored", "parked", "stopped", "stopped"]),
        ("info", ["planned", "call", "parked", "stopped", "stopped"]),
        ("warning", ["parked", "stopped"]),
        ("error", ["parked"]),
    ],
)
def test_the_level_decides_what_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, level: str, events: list[str]
) -> None:
    monkeypatch.setenv("LOG_LEVEL", level.upper())
    told(
        tmp_path / "run.jsonl",
        SubjectStarted("m", 1, 0),
        SAID,
        ModelStopped("m", "daily"),
        RunStopping("credit"),
        quiet=True,
    )
    assert [line["event"] for line in written(tmp_path / "run.jsonl")] == events


def test_a_key_is_in_no_line_whatever_a_server_repeats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOG_LEVEL", "debug")
    told(tmp_path / "run.jsonl", ModelStopped("m", f"refused: {KEY}"), SAID, quiet=True)
    text = (tmp_path / "run.jsonl").read_text()
    assert "0123456789" not in text
    assert written(tmp_path / "run.jsonl")[0]["detail"] == "refused: [key]"


def test_only_debug_speaks_on_stderr_and_not_to_the_quiet(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told(None, SAID)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setenv("LOG_LEVEL", "debug")
    told(None, SAID, quiet=True)
    assert capsys.readouterr() == ("", "")
    told(None, CallCommitted("m", 0.0, None, Reply("\x1b[31mred", "content")))
    out, err = capsys.readouterr()
    assert out == ""
    assert [json.loads(line)["event"] for line in err.splitlines()] == ["call", "stored", "stopped"]
    assert "\x1b" not in err


def test_a_log_is_added_to(tmp_path: Path) -> None:
    for _ in range(2):
        told(tmp_path / "run.jsonl", SubjectStarted("m", 1, 0))
    assert [line["event"] for line in written(tmp_path / "run.jsonl")] == ["planned", "stopped"] * 2


def test_how_it_ended_is_the_last_line(tmp_path: Path) -> None:
    told(tmp_path / "stopped.jsonl", RunStopping("credit"))
    assert written(tmp_path / "stopped.jsonl")[-1]["status"] == "stopped"
    log = LogFile(tmp_path / "failed.jsonl")
    with pytest.raises(ZeroDivisionError), log.opened([]):
        raise ZeroDivisionError
    assert written(tmp_path / "failed.jsonl")[-1]["status"] == "ZeroDivisionError"


def test_nothing_is_made_before_something_is_sent(tmp_path: Path) -> None:
    log = LogFile(tmp_path / "run.jsonl")
    log(SubjectStarted("m", 1, 0))
    assert not (tmp_path / "run.jsonl").exists()


@pytest.mark.parametrize("name", ["notes.txt", ".", "nowhere/run.jsonl"])
def test_a_file_that_is_no_log_or_cannot_be_one_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "notes.txt").write_text("my notes")
    with pytest.raises(UsageError, match=r"--log .*choose"), LogFile(tmp_path / name).opened([]):
        pass
    assert (tmp_path / "notes.txt").read_text() == "my notes"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_ends_the_log_and_not_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert len(told(Path("/dev/full"), SAID, SAID)) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line == f"--log /dev/full: {os.strerror(28)}; the run goes on without it"


def test_a_level_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOG_LEVEL", "loud")
    with pytest.raises(UsageError, match="LOG_LEVEL=loud"):
        LogFile(None)
