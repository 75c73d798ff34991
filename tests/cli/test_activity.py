"""What is said while a command works without printing."""

from __future__ import annotations

import time

import pytest

from independence.cli.activity import ActivityTiming, clock, working

SOON = ActivityTiming(first=0.05, rewrite=0.05, repeat=0.1)


def test_long_work_says_what_it_does_and_what_it_has_come_to(capsys: pytest.CaptureFixture[str]):
    with working("reading", pace=SOON) as say:
        time.sleep(0.2)
        say("reading, 2 of 3")
        time.sleep(0.3)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "reading (0:00)"
    assert lines[-1] == "reading, 2 of 3 (0:00)"


def test_short_work_says_nothing(capsys: pytest.CaptureFixture[str]):
    with working("reading"):
        pass
    assert capsys.readouterr().err == ""


def test_quiet_work_says_nothing_however_long_it_takes(capsys: pytest.CaptureFixture[str]):
    with working("reading", quiet=True, pace=SOON) as say:
        time.sleep(0.2)
        say("still reading")
    assert capsys.readouterr().err == ""


def test_nothing_is_said_any_more_when_the_work_has_failed(capsys: pytest.CaptureFixture[str]):
    def fail() -> None:
        with working("reading", pace=SOON):
            time.sleep(0.1)
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        fail()
    before = capsys.readouterr().err
    time.sleep(0.3)
    assert before.startswith("reading")
    assert capsys.readouterr().err == ""


def test_a_file_name_with_an_escape_code_is_spelled_out(capsys: pytest.CaptureFixture[str]):
    with working("reading \x1b[31mred", pace=SOON):
        time.sleep(0.1)
    assert "\x1b" not in capsys.readouterr().err


@pytest.mark.parametrize(("seconds", "text"), [(0, "0:00"), (61.9, "1:01"), (3725, "1:02:05")])
def test_time_is_told_in_minutes_and_from_an_hour_on_in_hours(seconds: float, text: str):
    assert clock(seconds) == text
