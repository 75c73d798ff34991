from __future__ import annotations

from collections import Counter

import pytest

from independence.errors import UsageError
from independence.testing.loopback.faults import Faults, groups, kinds, parse_faults
from independence.testing.loopback.wire import OfferedTool, ParsedRequest


def target(
    digest: str = "d", attempt: int = 1, model: str = "half", *, judge: bool = False, tool: bool = True,
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
        tool=OfferedTool("speak", "words", forced=False) if tool else None,
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


def test_a_kind_with_a_rate_strikes_that_share() -> None:
    plan = faults("503=0.1")
    assert sum(plan.strike(*target(str(i))) == "503" for i in range(5000)) == pytest.approx(500, abs=70)


@pytest.mark.parametrize("spec", ["1.0", "0.9", "503=1", "lone=1", "0.8,503=0.9"])
def test_a_drawn_fault_never_strikes_a_body_more_than_twice_in_a_row(spec: str) -> None:
    plan = faults(spec)
    for body in map(str, range(200)):
        row = [bool(plan.strike(*target(body, attempt))) for attempt in range(1, 31)]
        assert not any(all(row[i : i + 3]) for i in range(28))
        assert any(row)


def test_the_longest_row_can_be_set() -> None:
    plan = faults("1.0", max_in_row=4)
    assert [bool(plan.strike(*target(attempt=attempt))) for attempt in range(1, 7)] == [True] * 4 + [False, True]


def test_a_fault_named_without_a_rate_never_lets_through() -> None:
    plan = faults("503")
    assert all(plan.strike(*target(attempt=attempt)) == "503" for attempt in range(1, 50))


def test_a_drawn_terminal_fault_is_not_held_back() -> None:
    plan = faults("404=1")
    assert all(plan.strike(*target(attempt=attempt)) == "404" for attempt in range(1, 10))
    assert "404" in groups()["terminal"]


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


def test_plus_counts_on_while_another_fault_strikes() -> None:
    plan = faults("404@never,402+3")
    plan.strike(*target("a", model="never"))
    plan.strike(*target("b", model="never"))
    assert plan.strike(*target("c")) == "402"


def test_a_rate_may_be_limited_to_a_model_and_start_late() -> None:
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
    assert faults("cut-arguments").strike(*target(tool=False)) == ""


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("eror-in-200", "did you mean error-in-200?"),
        ("zzz", "kinds are 429,"),
        ("503=2", "rate must be a number from 0 to 1"),
        ("503=x", "rate must be a number from 0 to 1"),
        ("1.5", "rate must be a number from 0 to 1"),
        ("503+1@half", "in this order"),
        ("503@", "in this order"),
        ("0.1=0.2", "no fault called"),
    ],
)
def test_a_spec_that_cannot_be_read_is_refused_in_one_sentence(spec: str, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_faults(f"404@half,{spec}")
    assert says in str(caught.value)
    assert spec in str(caught.value)
