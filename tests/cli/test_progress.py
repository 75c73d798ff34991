"""What a run says of itself while it works, and what it says of failures."""

from __future__ import annotations

import pytest

from independence.cli.progress import ProgressBars
from independence.clients.protocol import Wait
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
)
from tests.virtual_time import HandClock

Capture = pytest.CaptureFixture[str]
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
    assert line(SubjectStarted("m", 0, 5), seconds=1) == "0/5 verdicts  0.0/s  $0.0000  0:01 elapsed"
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


def test_an_interrupted_run_says_what_it_waits_for_and_then_that_it_does_not(capsys: Capture) -> None:
    assert said(capsys, RunStopping("interrupted"), RunStopping("interrupted", dropped=True)) == [
        "stopping (interrupted): waiting for running calls; Ctrl-C cancels them",
        "interrupted: running calls are cancelled",
    ]


def test_a_quiet_run_says_nothing_of_failures(capsys: Capture) -> None:
    with ProgressBars(quiet=True) as progress:
        for _ in range(3):
            progress(CallUnresolved("a", "turn", "timeout"))
    assert capsys.readouterr().err == ""
