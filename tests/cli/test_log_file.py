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


def test_the_level_decides_what_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    events = SubjectStarted("m", 1, 0), SAID, ModelStopped("m", "daily"), RunStopping("credit")
    for level, lines in {
        "DEBUG": "planned call stored parked stopped stopped", "info": "planned call parked stopped stopped",
        "warning": "parked stopped", "error": "parked",
    }.items():  # fmt: skip
        monkeypatch.setenv("LOG_LEVEL", level)
        told(tmp_path / f"{level}.jsonl", *events, quiet=True)
        assert " ".join(line["event"] for line in written(tmp_path / f"{level}.jsonl")) == lines


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


def test_a_log_is_added_to_and_its_last_line_is_how_it_ended(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    log = LogFile(file)
    log(SubjectStarted("m", 1, 0))
    assert not file.exists()  # before something is sent
    told(file, SubjectStarted("m", 1, 0))
    told(file, RunStopping("credit"))
    with pytest.raises(ZeroDivisionError), LogFile(file).opened([]):
        raise ZeroDivisionError
    assert [(line["event"], line.get("status")) for line in written(file)] == [
        ("planned", None), ("stopped", "done"), ("stopped", "stopping"), ("stopped", "stopped"),
        ("stopped", "ZeroDivisionError"),
    ]  # fmt: skip


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
