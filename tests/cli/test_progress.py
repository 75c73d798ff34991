"""What is said while a command works: on the screen, and in a log."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from independence.cli.options import TerminalOptions
from independence.cli.output.activity import clock, working
from independence.cli.output.log_file import LogFile
from independence.cli.output.progress import ProgressBars
from independence.cli.screen import Screen
from independence.clients.protocol import Streamed, Wait
from independence.config.options import ConnectionOptions
from independence.engine.concurrency import EndpointGate, StopSignal
from independence.engine.events import (
    CallCommitted,
    CallUnresolved,
    CallWaiting,
    ConcurrencyChanged,
    Event,
    ModelStopped,
    RunStopping,
    SubjectStarted,
    TrialSkipped,
    VerdictCommitted,
    WorkExpected,
)
from independence.errors import Interrupted, UsageError
from independence.types import Reply, Usage
from tests.virtual_time import HandClock, in_virtual_time

Capture = pytest.CaptureFixture[str]


def pass_time(time: HandClock, *seconds: float) -> None:
    """Let time pass step by step; who waits speaks between them."""
    for some in seconds:
        time.until_somebody_waits()
        time.forward(some)
    time.until_somebody_waits()


def test_long_work_says_every_few_seconds_what_it_does_and_what_it_has_come_to(capsys: Capture) -> None:
    time = HandClock()
    with working("reading", time=time) as say:
        pass_time(time, 1.9)
        assert capsys.readouterr().err == ""
        pass_time(time, 0.1)
        assert capsys.readouterr().err == "reading (0:02)\n"
        say("reading \x1b[31m2 of 3")
        pass_time(time, 4.9)
        assert capsys.readouterr().err == ""
        pass_time(time, 0.1, 60)
    assert capsys.readouterr().err == "reading \\u001b[31m2 of 3 (0:07)\nreading \\u001b[31m2 of 3 (1:07)\n"


def test_short_and_quiet_work_say_nothing_and_failed_work_nothing_any_more(capsys: Capture) -> None:
    time = HandClock()
    with working("reading", time=time):
        pass
    with working("reading", quiet=True, time=time) as say:
        time.forward(60)
        say("still reading")
    with pytest.raises(ValueError, match="no"), working("reading", time=time):
        raise ValueError("no")
    time.forward(60)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0:00"), (61.9, "1:01"), (3599, "59:59"), (3600, "1:00:00"), (3725, "1:02:05")]
)
def test_time_is_told_in_minutes_and_from_an_hour_on_in_hours(seconds: float, text: str) -> None:
    assert clock(seconds) == text


ANSWERED = CallCommitted("m", 0.25, None)


def line(*events: Event, seconds: float = 0.0) -> str:
    """Where a run stands that many seconds after these events."""
    time = HandClock()
    progress = ProgressBars(quiet=True, time=time)
    for event in events:
        progress(event)
    time.forward(seconds)
    return progress.line()


def said(capsys: Capture, *events: Event) -> list[str]:
    """The lines on stderr of a run with these events, without the last one, which tells where it stands."""
    with ProgressBars(quiet=False) as progress:
        for event in events:
            progress(event)
    return [line for line in capsys.readouterr().err.splitlines() if " elapsed" not in line]


def test_calls_and_verdicts_are_counted_apart_with_their_speed_their_cost_and_the_time_left() -> None:
    events = (
        SubjectStarted("m", 8, 5),
        ANSWERED,
        CallCommitted("m", 0, "no_answer"),
        VerdictCommitted("m", "j", 0, None),
    )
    assert line(*events, seconds=30) == (
        "2/8 calls  1/5 verdicts  0.1/s  $0.2500  0:30 elapsed, 1:40 left  1 no_answer"
    )
    assert line(SubjectStarted("m", 0, 5), seconds=1) == "0/5 verdicts  0:01 elapsed"
    assert "left" not in line(SubjectStarted("m", 1, 0), ANSWERED, seconds=1)


def test_a_line_comes_every_five_seconds_and_at_the_end(capsys: Capture) -> None:
    time = HandClock()
    with ProgressBars(quiet=False, time=time) as progress:
        for event, seconds, lines in (
            (SubjectStarted("m", 9, 0), 4.9, 0), (ANSWERED, 0.1, 0), (ANSWERED, 4.9, 1), (ANSWERED, 0, 0),
        ):  # fmt: skip
            progress(event)
            assert capsys.readouterr().err.count(" elapsed") == lines
            time.forward(seconds)
    assert capsys.readouterr().err.startswith("3/9 calls")


def test_what_slows_a_run_down_is_told() -> None:
    waits = Wait("m", "429", 2.0, 1), Wait("m", "429", 0.0, still=True), Wait("m", "429", 0.2, 2)
    events = *map(CallWaiting, waits), CallWaiting(Wait("m", "timeout", 30.0, 1)), CallWaiting(Wait("m", "rate", 5.0))
    told = line(*events, ConcurrencyChanged("openrouter", 5, 20), seconds=1.5)
    assert told.endswith(
        "3 retried (2 x 429, 1 x timeout)  openrouter: 5 of 20 slots  1 waiting up to 0 s: 429 (m)  "
        "1 waiting up to 28 s: timeout (m)  1 waiting up to 4 s: rate (m)"
    )
    over = line(*events, ConcurrencyChanged("openrouter", 5, 20), ConcurrencyChanged("openrouter", 20, 20), seconds=30)
    assert over.endswith("3 retried (2 x 429, 1 x timeout)")


def test_dialogues_of_another_process_are_one_number_whatever_subjects_they_are_of() -> None:
    assert "8 with another process (box:12)" in line(*(TrialSkipped(f"m{at}", "box:12:34") for at in range(8)))


def test_the_same_failure_of_many_calls_is_told_once_and_then_counted(capsys: Capture) -> None:
    why = "connect after {} attempts: ClientConnectorError: Cannot connect to host example.org:443 " + "x" * 150
    lines = said(
        capsys, SubjectStarted("a", 9, 0), *(CallUnresolved("a", f"turn{at}", why.format(at)) for at in range(7)),
        *(CallUnresolved("b", f"turn{at}", why.format(at)) for at in range(8)), CallUnresolved("b", "turn9", "timeout"),
    )  # fmt: skip
    assert len(lines) == 3
    assert lines[0] == f"a, turn0: {why.format(0)}; asked again on resume"
    assert lines[1] == "b, turn9: timeout; asked again on resume"
    assert lines[2].startswith("15 calls of 2 subjects failed in the same way (connect after 0 attempts: ")
    assert len(lines[2]) < 180


def test_models_that_stop_for_one_reason_are_named_in_one_line(capsys: Capture) -> None:
    lines = said(
        capsys, *(ModelStopped("half", "HTTP 307", f"lab/half+{name}") for name in ("alpha", "beta", "gamma")),
        ModelStopped("judge", "daily quota"), ModelStopped("judge", "daily quota"),
    )  # fmt: skip
    assert lines == [
        "half (lab/half+alpha) is not asked any more in this run: HTTP 307; the other models continue",
        "judge is not asked any more in this run: daily quota; the other models continue",
        "not asked any more for the same reason (HTTP 307): lab/half+beta, lab/half+gamma",
    ]


def test_an_interrupted_run_and_one_that_waits_for_its_server_say_so_once(capsys: Capture) -> None:
    loading = [CallWaiting(Wait(model, "loading", 5.0, 1)) for model in ("m", "m", "n")]
    assert said(capsys, *loading, RunStopping("interrupted"), RunStopping("interrupted", dropped=True)) == [
        "m: the server is loading its model; waiting for it",
        "n: the server is loading its model; waiting for it",
        "stopping (interrupted): waiting for running calls; Ctrl-C cancels them",
        "interrupted: running calls are cancelled",
    ]


def test_a_quiet_run_says_nothing_of_failures(capsys: Capture) -> None:
    with ProgressBars(quiet=True) as progress:
        for _ in range(3):
            progress(CallUnresolved("a", "turn", "timeout"))
    assert capsys.readouterr().err == ""


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


def streamed(*parts: tuple[float, Event]) -> ProgressBars:
    """Progress after events, each so many seconds after the one before it."""
    time = HandClock()
    progress = ProgressBars(quiet=True, time=time)
    for seconds, event in parts:
        time.forward(seconds)
        progress(event)
    return progress


def tokens(count: int) -> Streamed:
    return Streamed("m", count)


def answered(count: int) -> CallCommitted:
    return CallCommitted("m", 0, None, Reply("Hello.", "content", usage=Usage(completion_tokens=count)))


def test_of_streamed_answers_the_tokens_a_second_are_told_and_the_time_left_follows_from_them() -> None:
    begun = (0.0, SubjectStarted("m", 10, 0)), (0.0, WorkExpected("m", 10, 3000, 40.0))
    early = streamed(*begun, (60.0, tokens(1)), (5.0, tokens(99)), (5.0, tokens(200)))
    assert early.line() == "0/10 calls  30 tokens/s  1:10 elapsed, 1:30 left"  # 2,700 tokens of those expected
    later = streamed(*begun, (60.0, tokens(1)), (10.0, tokens(299)), (0.0, answered(100)), (0.0, answered(100)))
    assert later.line().endswith("2/10 calls  30 tokens/s  1:10 elapsed, 0:23 left")  # 1,000 tokens in all
    slow = streamed(*begun, (0.0, tokens(1)), (10.0, tokens(14)))
    assert "1.5 tokens/s" in slow.line()
    whole = streamed(*begun, (10.0, answered(100)), (0.0, tokens(1)), (10.0, tokens(9)))
    assert whole.line().endswith("0:20 elapsed, 3:00 left")  # hardly any of it was streamed
    measured = streamed((0.0, tokens(30)), (1.0, tokens(2)), *begun)
    assert "tokens/s" not in measured.line()


def test_what_a_run_will_take_is_a_sentence() -> None:
    for event, text in (
        (WorkExpected("local/m", 26, 8_960, 40.0), "local/m: about 26 calls, 9,000 tokens, 4 min at 40 tokens/s"),
        (WorkExpected("local/m", 130, 44_330, 3.21), "local/m: about 130 calls, 44,000 tokens, 4 h at 3.2 tokens/s"),
        (WorkExpected("local/m", 2, 64, 55.0), "local/m: about 2 calls, 64 tokens, 1 s at 55 tokens/s"),
        (WorkExpected("local/m", 2, 7, 0.0), "local/m: about 2 calls, 7 tokens"),
    ):
        assert str(event) == text


def test_the_first_timeout_of_a_local_model_says_how_fast_it_is_and_what_helps(capsys: Capture) -> None:
    late = CallWaiting(Wait("m", "timeout", 1.0, 1, fix="no token in 600 s; allow more time (--local-timeout)"))
    assert said(capsys, late, late, CallWaiting(Wait("n", "timeout", 1.0, 1))) == [
        "m: no token in 600 s; allow more time (--local-timeout)"
    ]
    time = HandClock()
    with ProgressBars(quiet=False, time=time) as progress:
        for event in (SubjectStarted("m", 1, 0), tokens(1)):
            progress(event)
        time.forward(10.0)
        progress(tokens(29))
        progress(late)
    assert "m: the server writes 3.0 tokens/s; no token in 600 s" in capsys.readouterr().err


def test_a_run_that_is_interrupted_counts_down(capsys: Capture) -> None:
    stop = RunStopping("interrupted", calls=3, within_s=30.0)
    progress = streamed((0.0, SubjectStarted("m", 9, 0)), (10.0, ANSWERED), (0.0, stop), (12.0, ANSWERED))
    assert progress.line() == "2/9 calls  0.1/s  $0.5000  0:22 elapsed  stopping in 18 s"
    assert said(capsys, stop, RunStopping("interrupted", dropped=True, calls=1)) == [
        "stopping (interrupted): waiting for 3 running calls, 0:30 at most; Ctrl-C cancels them",
        "interrupted: the running call is cancelled",
    ]


@pytest.mark.parametrize(("signals", "seconds"), [((signal.SIGTERM,), 30.0), ((signal.SIGINT, signal.SIGINT), 0.0)])
def test_an_interrupted_run_waits_half_a_minute_for_its_calls_and_no_longer(
    signals: tuple[signal.Signals, ...], seconds: float
) -> None:
    """In virtual time: a call that never ends is in flight."""
    screen = Screen(TerminalOptions(quiet=True), ConnectionOptions())

    async def work(clock: Callable[[], float]) -> float:
        gate = EndpointGate(lambda: 4)
        halt = StopSignal([gate], screen.hooks.on_event)

        async def asking() -> None:
            screen.hooks.on_started(halt)
            async with gate.slot(gate.open_queue(), 1):
                for number in signals:
                    os.kill(os.getpid(), number)
                    await asyncio.sleep(0)
                await asyncio.Event().wait()

        began = clock()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.create_task(asking())
        assert isinstance(halt.reason, Interrupted)
        return clock() - began

    assert in_virtual_time(work) == pytest.approx(seconds, abs=0.1)

    async def ended() -> None:
        raise asyncio.CancelledError

    with pytest.raises(Interrupted, match="1 call was cancelled; the same command resumes"):
        screen.drive(ended())
