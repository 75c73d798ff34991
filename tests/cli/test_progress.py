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


def told(*events: Event) -> ProgressBars:
    progress = ProgressBars(quiet=True)
    for event in events:
        progress(event)
    return progress


def said(capsys: pytest.CaptureFixture[str], *events: Event) -> list[str]:
    """The lines on stderr of a run with these events, without the last one, which tells where it stands."""
    with ProgressBars(quiet=False) as progress:
        for event in events:
            progress(event)
    return [line for line in capsys.readouterr().err.splitlines() if " elapsed" not in line]


def test_calls_and_verdicts_are_counted_apart() -> None:
    line = told(
        SubjectStarted("m", 8, 5),
        CallCommitted("m", 0.25, None),
        CallCommitted("m", 0, None),
        VerdictCommitted("m", "j", 0, None),
    ).line()
    assert line.startswith("2/8 calls  1/5 verdicts  ")
    assert "$0.2500" in line


def test_where_nothing_is_asked_only_verdicts_are_counted() -> None:
    assert told(SubjectStarted("m", 0, 5)).line().startswith("0/5 verdicts  ")


def test_retries_are_counted_by_their_reason_and_a_wait_that_goes_on_is_none() -> None:
    line = told(
        CallWaiting(Wait("m", "429", 2.0, 1)),
        CallWaiting(Wait("m", "429", 0.0, still=True)),
        CallWaiting(Wait("m", "429", 0.2, 2)),
        CallWaiting(Wait("m", "timeout", 30.0, 1)),
        CallWaiting(Wait("m", "rate", 5.0)),
    ).line()
    assert "3 retried (2 x 429, 1 x timeout)" in line
    assert "1 waiting up to 2 s: 429 (m)" in line
    assert "1 waiting up to 30 s: timeout (m)" in line
    assert "1 waiting up to 5 s: rate (m)" in line


def test_fewer_slots_are_shown_until_all_are_there_again() -> None:
    progress = told(ConcurrencyChanged("openrouter", 5, 20))
    assert "openrouter: 5 of 20 slots" in progress.line()
    progress(ConcurrencyChanged("openrouter", 20, 20))
    assert "slots" not in progress.line()


def test_dialogues_of_another_process_are_one_number_whatever_subjects_they_are_of() -> None:
    line = told(*(TrialSkipped(f"m{at}", "box:12:34") for at in range(8))).line()
    assert "8 with another process (box:12)" in line


def test_the_same_failure_of_many_calls_is_told_once_and_then_counted(capsys: pytest.CaptureFixture[str]) -> None:
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


def test_models_that_stop_for_one_reason_are_named_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    lines = said(
        capsys, *(ModelStopped("half", "HTTP 307", f"lab/half+{name}") for name in ("alpha", "beta", "gamma")),
        ModelStopped("judge", "daily quota"), ModelStopped("judge", "daily quota"),
    )  # fmt: skip
    assert lines == [
        "half (lab/half+alpha) is not asked any more in this run: HTTP 307; the other models continue",
        "judge is not asked any more in this run: daily quota; the other models continue",
        "not asked any more for the same reason (HTTP 307): lab/half+beta, lab/half+gamma",
    ]


def test_an_interrupted_run_says_what_it_waits_for_and_then_that_it_does_not(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert said(capsys, RunStopping("interrupted"), RunStopping("interrupted", dropped=True)) == [
        "stopping (interrupted): waiting for running calls; Ctrl-C cancels them",
        "interrupted: running calls are cancelled",
    ]


def test_a_quiet_run_says_nothing_of_failures(capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressBars(quiet=True) as progress:
        for _ in range(3):
            progress(CallUnresolved("a", "turn", "timeout"))
    assert capsys.readouterr().err == ""
