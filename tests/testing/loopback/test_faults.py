"""What goes wrong, when, and what a refusal says; and settings that make no sense."""

from __future__ import annotations

import statistics
from collections import Counter
from email.utils import parsedate_to_datetime
from math import log

import msgspec
import pytest

from independence.errors import UsageError
from independence.testing.loopback.faults import Faults, groups, kinds, parse_faults
from independence.testing.loopback.responses import ResponsePlanner
from independence.testing.loopback.settings import LoopbackSettings, TokenPrice, parse_latency, parse_prices
from independence.testing.loopback.wire import ParsedRequest

from .conftest import Once, plain


def target(
    digest: str = "d", attempt: int = 1, model: str = "half", *, judge: bool = False,
    conversation: str = "", budget: int = 100,
) -> tuple[ParsedRequest, int, bool]:  # fmt: skip
    asked = ParsedRequest(
        model=model,
        messages=(),
        seed=0,
        digest=digest,
        conversation=conversation or digest,
        prompt="",
        question="",
        budget=budget,
        tool=None,
        schema=None,
        pins=(),
        raw=b"",
    )
    return asked, attempt, judge


def faults(spec: str, seed: int = 0, max_in_row: int = 2) -> Faults:
    return Faults(parse_faults(spec), seed, max_in_row)


def test_every_kind_strikes_always_when_it_is_named_alone() -> None:
    for kind in kinds():
        plan = faults(kind)
        struck = {plan.strike(*target(str(i), model="judge", judge=True)) for i in range(5)}
        assert struck == {kind}


def test_a_rate_strikes_that_share_and_brings_all_transient_kinds_up_evenly() -> None:
    plan = faults("0.2")
    struck = Counter(plan.strike(*target(str(i))) for i in range(5000))
    clean = struck.pop("")
    assert clean == pytest.approx(4000, abs=100)
    assert set(struck) == set(groups()["transient"])
    assert max(struck.values()) - min(struck.values()) <= 1
    one = faults("503=0.1")
    assert sum(one.strike(*target(str(i))) == "503" for i in range(5000)) == pytest.approx(500, abs=70)


def test_a_drawn_fault_that_can_pass_never_strikes_a_body_more_than_twice_in_a_row() -> None:
    for spec in ("1.0", "0.9", "503=1", "empty=1", "0.8,503=0.9"):
        plan = faults(spec)
        for body in map(str, range(40)):
            row = [bool(plan.strike(*target(body, attempt))) for attempt in range(1, 31)]
            assert not any(all(row[i : i + 3]) for i in range(28)), spec
            assert any(row)
    longer = faults("1.0", max_in_row=4)
    assert [bool(longer.strike(*target(attempt=attempt))) for attempt in range(1, 7)] == [True] * 4 + [False, True]
    for lasting, kind in (("503", "503"), ("404=1", "404")):  # named without a rate, and terminal
        plan = faults(lasting)
        assert all(plan.strike(*target(attempt=attempt)) == kind for attempt in range(1, 50))


def test_a_model_alone_is_struck_with_all_its_variants_unless_one_is_named() -> None:
    plan = faults("404@half,daily@always:free")
    assert plan.strike(*target(model="half")) == "404"
    assert plan.strike(*target(model="half:free")) == "404"
    assert plan.strike(*target(model="never")) == ""
    assert plan.strike(*target(model="always")) == ""
    assert plan.strike(*target(model="always:free")) == "daily"


def test_plus_counts_the_requests_the_fault_concerns() -> None:
    plan = faults("402+3")
    assert [plan.strike(*target(str(i))) for i in range(5)] == ["", "", "402", "402", "402"]
    plan = faults("402@half+2")
    others = [plan.strike(*target(str(i), model="never")) for i in range(5)]
    assert [*others, *(plan.strike(*target(str(i))) for i in range(3))] == [""] * 6 + ["402", "402"]
    plan = faults("404@never,402+3")  # it counts on while another fault strikes
    plan.strike(*target("a", model="never"))
    plan.strike(*target("b", model="never"))
    assert plan.strike(*target("c")) == "402"
    plan = faults("503@half=1+2", max_in_row=9)
    assert [plan.strike(*target(str(i))) for i in range(3)] == ["", "503", "503"]
    assert plan.strike(*target("x", model="never")) == ""


def test_whether_a_body_is_struck_depends_on_body_attempt_and_seed_alone() -> None:
    def struck(seed: int, order: list[int]) -> set[int]:
        plan = faults("0.3", seed)
        return {i for i in order if plan.strike(*target(str(i)))}

    forwards = struck(1, list(range(500)))
    assert forwards == struck(1, list(reversed(range(500))))
    assert forwards != struck(2, list(range(500)))


def test_length_strikes_until_the_budget_is_at_least_doubled() -> None:
    plan = faults("length")
    budgets = [100, 100, 199, 200, 400]
    struck = [plan.strike(*target(str(i), conversation="c", budget=budget)) for i, budget in enumerate(budgets)]
    assert struck == ["length", "length", "length", "", ""]


def test_a_reply_kind_strikes_only_where_it_can_show() -> None:
    assert faults("prose-judge").strike(*target()) == ""


BAD_FAULTS = {
    "eror-in-200": "did you mean `error-in-200`?",
    "zzz": "there are 429,",
    "503=2": "rate must be a number from 0 to 1",
    "503=x": "rate must be a number from 0 to 1",
    "1.5": "rate must be a number from 0 to 1",
    "503+1@half": "in this order",
    "503@": "in this order",
    "0.1=0.2": "no fault called",
}


def test_a_spec_that_cannot_be_read_is_refused_in_one_sentence() -> None:
    for spec, says in BAD_FAULTS.items():
        with pytest.raises(UsageError) as caught:
            parse_faults(f"404@half,{spec}")
        assert says in str(caught.value)
        assert spec in str(caught.value)
    for setting, value in (("faults", "503@haff"), ("price", "haff=1/2"), ("ways", "quota@haff")):
        with pytest.raises(UsageError, match=f"--{setting} names 'haff'"):
            ResponsePlanner(LoopbackSettings(**{setting: value}))


REFUSALS = {
    "429": (429, "rate_limit_exceeded"),
    "429-after": (429, "rate_limit_exceeded"),
    "402-after": (402, "insufficient_credits"),
    "408": (408, "timeout"),
    "500": (500, "server"),
    "502": (502, "provider_unavailable"),
    "503": (503, "provider_overloaded"),
    "504": (504, "timeout"),
    "529": (529, "provider_overloaded"),
    "401": (401, "authentication"),
    "402": (402, "insufficient_credits"),
    "403": (403, "permission"),
    "moderation": (403, "content_policy_violation"),
    "404": (404, "not_found"),
    "daily": (429, "rate_limit_exceeded"),
}


async def test_a_refusal_names_its_status_twice_and_its_type_and_costs_nothing(once: Once) -> None:
    came = {kind: await once(plain("half:free"), faults=kind, retry_after_s=0.25, latency="50") for kind in REFUSALS}
    for kind, (status, error_type) in REFUSALS.items():
        answer = came[kind]
        assert (answer.status, answer.error["code"], answer.error["metadata"]["error_type"]) == (
            status,
            status,
            error_type,
        )
        assert answer.error["message"].endswith(".")
        assert answer.log.billed_usd == 0
        assert answer.headers.get("Retry-After") == ("0.25" if kind.endswith("-after") else None)
        assert answer.error["metadata"].get("retry_after") == (0.25 if kind.endswith("-after") else None)
    metadata = {kind: answer.error["metadata"] for kind, answer in came.items()}
    sources = [metadata[kind]["limit_source"] for kind in ("402-after", "402")]
    assert sources == ["openrouter_in_flight_budget", "openrouter_credits"]
    assert metadata["moderation"]["reasons"]
    assert metadata["moderation"]["flagged_input"] == "Tea or coffee?"
    available = {kind: answer.error["availability"] for kind, answer in came.items() if "availability" in answer.error}
    assert {kind: (one["code"], one["retryable"]) for kind, one in available.items()}.items() >= {
        "429-after": ("capacity_exhausted", True),
        "503": ("temporarily_unavailable", True),
        "404": ("no_endpoints", False),
    }.items()
    assert available["503"]["requested_models"] == ["half:free"]
    daily = came["daily"]
    assert "free-models-per-day" in daily.error["message"]
    assert daily.headers["X-RateLimit-Remaining"] == "0"
    said = parsedate_to_datetime(daily.headers["Date"]).timestamp()
    assert 5 < (int(daily.headers["X-RateLimit-Reset"]) / 1000 - said) / 3600 < 7


def test_a_latency_is_fixed_or_lognormal_and_that_of_one_conversation_always_the_same() -> None:
    assert [parse_latency(spec)("key") for spec in ("", " 0.05 ")] == [0.0, 0.05]
    latency = parse_latency("lognormal:-3,0.5")
    logs = [log(latency(f"key {number}")) for number in range(4000)]
    assert statistics.mean(logs) == pytest.approx(-3, abs=0.03)
    assert statistics.stdev(logs) == pytest.approx(0.5, abs=0.02)
    assert parse_latency("lognormal:0,1")("key") == parse_latency("lognormal:0,1")("key")


def test_prices_are_for_one_model_or_for_all() -> None:
    assert parse_prices("half=2/8, 3/9.5") == {"half": TokenPrice(2, 8), "": TokenPrice(3, 9.5)}
    assert parse_prices("half:no-tools=0/0") == {"half:no-tools": TokenPrice(0, 0)}
    assert parse_prices("") == {}


def test_settings_that_make_no_sense_are_refused_when_they_are_made() -> None:
    no_price = ("half=1", "half=1/2/3", "half=a/b", "-1/2", "1/inf", "half=")
    no_latency = ("fast", "real", "-1", "nan", "inf", "lognormal:", "lognormal:1", "lognormal:1,-1", "lognormal:1,2,3")
    rows: list[tuple[dict[str, object], str]] = [
        ({"port": 70_000}, "--port 70000"),
        ({"port": -1}, "--port -1"),
        ({"bill": "double"}, "--bill 'double'"),
        ({"faults": "5o3"}, "--faults '5o3'"),
        ({"max_in_row": -1}, "max_in_row"),
        ({"hang_s": -1.0}, "hang_s"),
        ({"retry_after_s": float("inf")}, "retry_after_s"),
        *(({"latency": spec}, "use seconds such as") for spec in no_latency),
        *(({"price": spec}, "is not a price") for spec in no_price),
    ]
    for wrong, says in rows:
        with pytest.raises(UsageError) as caught:
            LoopbackSettings(**wrong)  # type: ignore[arg-type]
        assert says in str(caught.value)
        assert str(caught.value).endswith((".", "?"))
    settings = LoopbackSettings(latency="lognormal:1,0.5", faults="0.1,404@half", price="half=2/8", seed=3)
    assert msgspec.json.decode(msgspec.json.encode(settings), type=LoopbackSettings) == settings
