"""What is said while a command works without printing."""

from __future__ import annotations

import pytest

from independence.cli.activity import clock, working
from tests.virtual_time import HandClock

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


@pytest.mark.parametrize(("seconds", "text"), [(0, "0:00"), (61.9, "1:01"), (3599, "59:59"), (3725, "1:02:05")])
def test_time_is_told_in_minutes_and_from_an_hour_on_in_hours(seconds: float, text: str) -> None:
    assert clock(seconds) == text
