"""When a server wants to be asked again, in every form in which servers say it, and what a run makes of it."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.clients.bodies import ErrorDetails, read_error
from independence.clients.limits import Hold
from independence.clients.protocol import GaveUp, Policy, Wait
from independence.clients.waits import seconds_of, told, until_reset
from independence.types import Reply
from tests.virtual_time import in_virtual_time, passing

from .conftest import FINE, MODEL, SAID, Came, Response, Step, Unplug, ask, failing, lined, question, without_waiting

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
AHEAD = NOW + timedelta(hours=2)  # what a clock shows that is wrong
SILENT = ErrorDetails()


def http(moment: datetime) -> str:
    return format_datetime(moment, usegmt=True)


def iso(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")


LENGTHS: dict[object, float | None] = {
    "20": 20, "0": 0, "1.5": 1.5, 7: 7, "-5": 0, "-1": 0,
    "6m0s": 360, "44.56s": 44.56, "120ms": 0.12, "1h2m3s": 3723, "1m26.4s": 86.4, "17h28m19.2s": 62899.2, "1d": 86400,
    "20 seconds": 20, "3 minutes": 180, "1 minute and 30 seconds": 90, "2 hrs": 7200, "250 milliseconds": 0.25,
    "Sat, 21 Nov 2026 12:01:30 GMT": 90, "Sat Nov 21 12:01:30 2026": 90, "Sat, 21 Nov 2020 12:00:00 GMT": 0,
    "2026-11-21T12:00:30Z": 30, "2026-11-21T14:00:30+02:00": 30, "2026-11-21T12:00:30.500Z": 30.5,
    "1795262430": 30, 1795262430000: 30, "1795262430000": 30,
    "soon": None, "nan": None, "inf": None, "": None, "99 Foo 2026": None, "5 months": None, "1e300": None, "9e8": None,
    "6x": None, True: None, None: None, "Tue Feb 16 2021 09:02:42 GMT+0100 (Central European Standard Time)": None,
}  # fmt: skip


def test_a_wait_is_a_number_a_duration_or_a_moment_and_what_is_none_of_them_is_ignored() -> None:
    found = {value: seconds_of(value, NOW) for value in LENGTHS}
    assert found == {value: None if one is None else pytest.approx(one) for value, one in LENGTHS.items()}


TOLD: dict[str, tuple[dict[str, str], str, float | None]] = {
    "seconds": ({"Retry-After": "20"}, "", 20),
    "a duration": ({"retry-after": "1m5s"}, "", 65),
    "milliseconds, which are more exact": ({"retry-after-ms": "1530", "retry-after": "2"}, "", 1.53),
    "a date": ({"Retry-After": http(NOW + timedelta(seconds=30))}, "", 30),
    "a date by a clock ahead": ({"Date": http(AHEAD), "Retry-After": http(AHEAD + timedelta(seconds=2))}, "", 2),
    "a header comes before words": ({"Retry-After": "9"}, "Please try again in 20s.", 9),
    "requests": ({"x-ratelimit-reset-requests": "44.56s"}, "", 44.56),
    "tokens, Groq": (
        {
            "x-ratelimit-remaining-requests": "14370", "x-ratelimit-reset-requests": "2m59.56s",
            "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "7.66s",
        }, "", 7.66,
    ),
    "both": (
        {
            "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6m0s",
            "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "7.66s",
        }, "try again in 1s", 360,
    ),
    "neither, and words": (
        {
            "x-ratelimit-remaining-requests": "9", "x-ratelimit-reset-requests": "6m0s",
            "x-ratelimit-remaining-tokens": "300", "x-ratelimit-reset-tokens": "7.66s",
        }, "Limit 6000, Used 5700, Requested 451. Please try again in 1.51s.", 1.51,
    ),
    "neither: the longest": ({"x-ratelimit-reset-requests": "12s", "x-ratelimit-reset-tokens": "6m0s"}, "", 360),
    "one of a day beside it": ({"x-ratelimit-reset-requests": "12s", "x-ratelimit-reset-requests-day": "9e4"}, "", 12),
    "of a day alone": ({"x-ratelimit-reset-requests": "24h0m0s"}, "", 86400),
    "Azure, in seconds": ({"x-ratelimit-remaining-tokens": "-1", "x-ratelimit-reset-tokens": "55"}, "", 55),
    "nothing, as numbers": ({"x-ratelimit-remaining-tokens": "-1", "x-ratelimit-reset-tokens": "0"}, "", None),
    "epoch in seconds": ({"X-RateLimit-Reset": "1795262430"}, "", 30),
    "epoch in milliseconds": ({"X-RateLimit-Reset": "1795262430000", "X-RateLimit-Remaining": "0"}, "", 30),
    "Anthropic by a clock behind": (
        {
            "Date": http(NOW - timedelta(hours=1)), "anthropic-ratelimit-input-tokens-remaining": "0",
            "anthropic-ratelimit-input-tokens-reset": iso(NOW - timedelta(minutes=59)),
            "anthropic-ratelimit-requests-remaining": "49",
            "anthropic-ratelimit-requests-reset": iso(NOW - timedelta(minutes=58)),
        }, "", 60,
    ),
    "draft of the IETF": ({"RateLimit-Limit": "10", "RateLimit-Remaining": "0", "RateLimit-Reset": "44"}, "", 44),
    "draft 7": ({"RateLimit": "limit=10, remaining=0, reset=44", "RateLimit-Policy": "10;w=60"}, "", 44),
    "draft 8": ({"RateLimit": '"default";r=0;t=44', "RateLimit-Policy": '"default";q=10;w=60'}, "", 44),
    "draft 8, of several": ({"RateLimit": '"second";r=1;t=1, "minute";r=0;t=44'}, "", 44),
    "words": ({}, "Rate limit reached. Please try again in 44.56s. Visit us.", 44.56),
    "words in minutes": ({}, "Please try again in 6m0s", 360),
    "whole words": ({}, "Please try again in 20 seconds", 20),
    "retry after": ({}, "exceeded call rate limit. Please retry after 3 minutes.", 180),
    "wait": ({}, "Slow down and wait at least 5 s, please", 5),
    "a limit in words, and no wait": ({}, "at most 20 requests in 60 seconds. Try again later", None),
    "a limit after the advice": ({}, "try again later. 3 requests in 60 seconds", None),
    "a number of nothing": ({}, "try again in 20", None),
}  # fmt: skip


def test_a_refusal_says_when_to_come_back_in_many_forms() -> None:
    found = {name: told(headers, ErrorDetails(message=words), NOW) for name, (headers, words, _) in TOLD.items()}
    expected = {name: pytest.approx(seconds) if seconds else None for name, (*_, seconds) in TOLD.items()}
    assert found == expected


def test_headers_of_a_provider_that_a_router_quotes_count() -> None:
    for name, value, seconds in (("X-RateLimit-Reset", "1795305600000", 12 * 3600), ("Retry-After", "7", 7)):
        assert told({}, ErrorDetails(metadata={"headers": {name: value}}), NOW) == seconds


def test_limits_are_not_why_another_failure_came() -> None:
    usual = {"x-ratelimit-remaining-requests": "4999", "x-ratelimit-reset-requests": "12ms"}
    assert told(usual, SILENT, NOW, limited=False) is None
    assert told(usual | {"Retry-After": "3"}, SILENT, NOW, limited=False) == 3


def test_a_good_answer_says_when_a_limit_that_is_used_up_lifts() -> None:
    rows: list[tuple[dict[str, str], float]] = [
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "20s"}, 20),
        ({"anthropic-ratelimit-requests-remaining": "0", "anthropic-ratelimit-requests-reset": iso(AHEAD),
          "date": http(AHEAD - timedelta(seconds=9))}, 9),
        ({"RateLimit": '"default";r=0;t=44'}, 44),
        ({"x-ratelimit-remaining-requests": "1", "x-ratelimit-reset-requests": "20s"}, 0),
        ({"x-ratelimit-reset-requests": "20s"}, 0),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "24h0m0s"}, 0),
        ({"x-ratelimit-remaining-requests": "0"}, 0),
    ]  # fmt: skip
    assert [until_reset(headers, NOW) for headers, _ in rows] == [seconds for _, seconds in rows]


@given(st.text() | st.from_regex(r"[-\d.:TZ hms,=;]{0,30}"), st.text())
def test_any_text_can_be_read(value: str, words: str) -> None:
    headers = {"Date": value, "Retry-After": value, "x-ratelimit-reset": value, "RateLimit": value}
    found = told(headers, read_error({"error": {"message": words}}), NOW)
    assert found is None or 0 <= found < math.inf
    assert 0 <= until_reset(headers, NOW) <= 600


def waited(came: Came) -> list[float]:
    return [round(after - before, 1) for before, after in zip(came.sent, came.sent[1:], strict=False)]


LATER = {"x-ratelimit-reset-requests": "44.56s"}
EXACT = Policy(base_backoff_s=0.0)


def test_a_wait_that_is_told_uses_up_no_retry_and_ends_all_the_same() -> None:
    came = ask(*[failing(429, headers=LATER)] * 9, FINE, policy=EXACT._replace(retries=2))
    assert (came.end, waited(came)) == (SAID, [44.6] * 9)
    for headers in ({"Retry-After": "1"}, LATER, {"Retry-After": "600"}, {"Retry-After": "0"}):
        came = ask(failing(429, headers=headers), policy=EXACT)
        assert came.end == "GaveUp"
        assert came.asked <= 1 + 60 + EXACT.retries, headers
    assert ask(failing(429, headers=LATER), policy=Policy(retries=0)).asked == 1
    assert ask(failing(503, headers={"Retry-After": "5"}), policy=EXACT).asked == 1 + EXACT.retries


def test_ten_minutes_are_waited_and_more_are_told() -> None:
    assert ask(failing(429, headers={"Retry-After": "600"}), FINE).end == SAID
    came = ask(failing(429, headers={"Retry-After": "601"}), FINE)
    assert (came.end, came.asked) == ("Parked", 1)
    assert "resets in 10 min, at " in came.line


def test_azure_and_a_clock_behind_are_waited_for_as_they_say() -> None:
    behind = datetime(2020, 1, 1, tzinfo=UTC)
    anthropic = {
        "Date": http(behind), "anthropic-ratelimit-requests-remaining": "0",
        "anthropic-ratelimit-requests-reset": iso(behind + timedelta(seconds=41)),
    }  # fmt: skip
    for headers, seconds in (({"retry-after-ms": "2300"}, 2.3), (anthropic, 41.0)):
        assert waited(ask(failing(429, headers=headers), FINE, policy=EXACT)) == [seconds]


class FreeTier:
    """The session of a connection to a server that takes so many requests a minute, of any model."""

    def __init__(self, limit: int, tell: Callable[[float, int], dict[str, str]]) -> None:
        self.refused = 0
        self._limit, self._tell, self._taken = limit, tell, list[float]()

    async def request(self, *_: object, **__: object) -> Response:
        await passing(0.1)
        now = asyncio.get_running_loop().time()
        self._taken = [at for at in self._taken if at > now - 60]
        good = len(self._taken) < self._limit
        self._taken += [now] if good else []
        self.refused += not good
        headers = self._tell(self._taken[0] + 60 - now, self._limit - len(self._taken))
        step = failing(429, "slow down") if not good else Step(body=FINE)
        await passing(0.4 if good else 0.0)
        return Response(step._replace(headers=headers))


def openai(left_s: float, _: int) -> dict[str, str]:
    return {"x-ratelimit-reset-requests": f"{left_s:.2f}s"}


def retry_after(left_s: float, remaining: int) -> dict[str, str]:
    return {} if remaining else {"Retry-After": str(math.ceil(left_s))}


def draft(left_s: float, remaining: int) -> dict[str, str]:
    return {"RateLimit": f'"default";r={remaining};t={math.ceil(left_s)}'}


@pytest.mark.parametrize("tell", [openai, retry_after, draft])
@pytest.mark.parametrize("limit", [3, 14, 20])
def test_a_few_requests_a_minute_end_a_run_by_themselves(limit: int, tell: Callable[[float, int], Any]) -> None:
    async def work(unplug: Unplug) -> tuple[list[object], int, float]:
        line, _ = unplug(FINE, dialect="local", info=None)
        server = FreeTier(limit, tell)
        there = line.client.connection.endpoint
        own = lined(server, there, info=None, policy=Policy(), notify=lambda _: None)
        answers = await asyncio.gather(*(own.client.ask(question()) for _ in range(60)))
        return list(answers), server.refused, asyncio.get_running_loop().time()

    answers, refused, seconds = without_waiting(work)
    assert all(isinstance(answer, Reply) for answer in answers)
    windows = math.ceil(60 / limit)
    assert seconds < 62 * windows
    # The first ones leave together; from then on a window costs what leaves before its first refusal is back.
    assert refused <= (60 - limit) + 2 * windows, (refused, seconds)


def test_everybody_waits_until_a_limit_that_is_used_up_lifts_and_says_for_how_long() -> None:
    async def work(unplug: Unplug) -> tuple[list[float], list[Wait]]:
        spent = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "20s"}
        line, session = unplug(Step(body=FINE, headers=spent), FINE, dialect="local", info=None)
        await line.client.ask(question())
        await asyncio.gather(*(line.client.ask(question(model=name)) for name in (MODEL, "another")))
        return session.sent, [wait for wait in line.waits if isinstance(wait, Wait)]

    sent, waits = without_waiting(work)
    assert sent == [0, pytest.approx(20), pytest.approx(20.25)]
    assert (waits[0].reason, waits[0].seconds, waits[0].still) == ("rate", pytest.approx(20), False)
    assert sum(wait.still for wait in waits) >= 19  # every second


def test_who_waits_for_a_limit_is_ended_within_a_second_and_costs_nothing() -> None:
    heard: list[Wait] = []

    def notify(wait: Wait) -> None:
        heard.append(wait)
        if len(heard) > 2:
            raise GaveUp(wait.model, "the run is stopping")

    async def work(unplug: Unplug) -> None:
        spent = {"RateLimit": "limit=1, remaining=0, reset=60"}
        line, session = unplug(Step(body=FINE, headers=spent), cap=1.0, notify=notify)
        await line.client.ask(question())
        money = line.budget.spent
        with pytest.raises(GaveUp, match="stopping"):
            await line.client.ask(question())
        assert (len(session.sent), line.budget.spent, line.budget.held, line.throttle.in_flight) == (1, money, 0, 0)
        assert asyncio.get_running_loop().time() <= 2

    without_waiting(work)


def test_the_limit_of_a_model_at_a_router_holds_no_other_model() -> None:
    async def work(unplug: Unplug) -> list[float]:
        line, session = unplug(failing(429, headers={"Retry-After": "30"}), FINE, policy=EXACT)
        refused = asyncio.create_task(line.client.ask(question()))
        await passing(1)
        await line.client.ask(question(model="maker/other"))
        await refused
        return session.sent

    assert without_waiting(work) == pytest.approx([0, 1, 30])


def test_one_too_many_at_once_holds_no_other_call_and_a_limit_that_is_used_up_does() -> None:
    async def work(unplug: Unplug, headers: dict[str, str]) -> list[float]:
        line, session = unplug(failing(429, headers=headers), FINE, dialect="local", info=None, policy=EXACT)
        refused = asyncio.create_task(line.client.ask(question()))
        await passing(0.5)
        await line.client.ask(question())
        await refused
        return session.sent

    crowded, spent = {"Retry-After": "1"}, {"RateLimit": "limit=9, remaining=0, reset=1"}
    assert without_waiting(lambda unplug: work(unplug, crowded)) == pytest.approx([0, 0.5, 1])
    assert without_waiting(lambda unplug: work(unplug, spent)) == pytest.approx([0, 1, 1.05])


def test_after_a_hold_each_leaves_a_little_sooner_after_the_one_before() -> None:
    async def work(clock: Callable[[], float]) -> list[float]:
        hold = Hold()
        await hold.passed(lambda _: None)
        assert clock() == 0
        hold.begin(40)
        left = []
        for _ in range(200):
            await hold.passed(lambda _: None)
            left.append(clock())
        return left

    left = in_virtual_time(work)
    assert left[:3] == pytest.approx([40, 40.25, 40.475])
    assert left[-1] < 42.6
