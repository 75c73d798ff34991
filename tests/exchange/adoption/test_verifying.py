"""Requests of an import beside those of a suite, and what counts as an exception."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from independence.exchange.adoption import verifying
from independence.exchange.adoption.imported_requests import ImportedDialogue, ImportedRequest
from independence.exchange.adoption.suite_folder import adopt
from independence.exchange.adoption.verifying import RequestComparison
from independence.suites import script
from independence.suites.schema import Suite
from independence.suites.script import Exchange
from independence.types import Condition
from tests.exchange.adoption import invented

SPOKEN = Condition("neutral", "tool_role")
TYPED = Condition("strong_independence", "user_role")
COPIES = 8  # of every dialogue that is as it should be, so that one exception leaves more than 95 %


@pytest.fixture(params=["main", "v1"])
def suite(request: pytest.FixtureRequest, tmp_path: Path) -> Suite:
    return adopt(invented.write(tmp_path / "clone", request.param), tmp_path / "suite").loaded.suite


def dialogue(suite: Suite, scenario: str, condition: Condition = SPOKEN, run: int = 1) -> ImportedDialogue:
    """A dialogue as the suite holds it, with an answer of its own in every turn."""
    composed = script.compose(suite, suite.scenario(scenario), condition)
    setting = script.DialogueSetting(composed.system, composed.context, composed.tool)
    past: list[Exchange] = []
    requests = []
    for turn in composed.turns:
        if turn.reply is not None:
            past.append(Exchange(turn.human, turn.reply))
            continue
        sent = msgspec.json.encode(script.messages(setting, [*past, Exchange(turn.human)]))
        answer = Exchange(turn.human, f'To {turn.id}: "no".', "I think." if condition.mode == "tool_role" else "")
        requests.append(ImportedRequest(turn.id, sent, answer.answer or "", answer.thinking, ()))
        past.append(answer)
    return ImportedDialogue("acme--m@low-t0.7", run, condition, scenario, tuple(requests))


def whole(suite: Suite) -> list[ImportedDialogue]:
    return [
        dialogue(suite, scenario.id, condition, run)
        for scenario in suite.scenarios
        for condition in (SPOKEN, TYPED)
        for run in range(COPIES)
    ]


def changed(one: ImportedDialogue, at: int, **changes: Any) -> ImportedDialogue:
    """The dialogue with one of its requests changed; `messages` may be a list."""
    if isinstance(changes.get("messages"), list):
        changes["messages"] = json.dumps(changes["messages"]).encode()
    requests = list(one.requests)
    requests[at] = requests[at]._replace(**changes)
    return one._replace(requests=tuple(requests))


def sent(one: ImportedDialogue, at: int) -> list[dict[str, Any]]:
    found = json.loads(one.requests[at].messages)
    assert isinstance(found, list)
    return found


def compared(suite: Suite, *odd: ImportedDialogue) -> RequestComparison:
    return verifying.compare(suite, [*whole(suite), *odd])


def test_what_the_suite_sends_is_equal(suite: Suite) -> None:
    found = compared(suite)
    assert found.holds
    assert found == RequestComparison(found.requests, found.requests, {}, 0, "", ())


@pytest.mark.parametrize("condition", [SPOKEN, TYPED])
def test_an_answer_that_was_asked_for_again_later_is_a_stale_history(suite: Suite, condition: Condition) -> None:
    odd = changed(dialogue(suite, "negotiation", condition), 0, text="Another answer.")
    found = compared(suite, odd)
    assert (found.exceptions, found.requests - found.equal, found.unexplained) == ({"stale_history": 1}, 1, 0)
    assert found.holds


def test_an_older_system_prompt_is_an_exception_where_nothing_else_differs(suite: Suite) -> None:
    one = dialogue(suite, "direct")
    system, *rest = sent(one, 0)
    older = [{**system, "content": "An older prompt."}, *rest]
    found = compared(suite, changed(one, 0, messages=older, flags=("old_prompt",)))
    assert (found.exceptions, found.holds) == ({"old_prompt": 1}, True)
    assert not compared(suite, changed(one, 0, messages=older)).holds
    worse = [*older[:-1], {**older[-1], "content": "Another question."}]
    assert not compared(suite, changed(one, 0, messages=worse, flags=("old_prompt",))).holds


@pytest.mark.parametrize("flag", ["scrambled_history", "empty_history"])
def test_a_history_that_is_known_to_be_broken_is_an_exception(suite: Suite, flag: str) -> None:
    one = dialogue(suite, "psych", TYPED)
    system, *_, last = sent(one, 1)
    found = compared(suite, changed(one, 1, messages=[system, last], flags=(flag,)))
    assert (found.exceptions, found.holds) == ({flag: 1}, True)
    without = compared(suite, changed(one, 1, messages=[system, last]))
    assert (without.unexplained, without.holds) == (1, False)
    assert without.first == "acme--m@low-t0.7 run 1, pq04: 2 messages were sent, the suite sends 4"


def test_the_first_difference_is_told(suite: Suite) -> None:
    one = dialogue(suite, "direct", TYPED)
    system, question = sent(one, 0)
    found = compared(suite, changed(one, 0, messages=[system, {**question, "content": "Draw four"}]))
    assert found.first == "acme--m@low-t0.7 run 1, direct: message 2 (user) differs at character 6"
    spoken = dialogue(suite, "direct", SPOKEN)
    messages = sent(spoken, 0)
    messages[-1]["tool_call_id"] = "other"
    told = compared(suite, changed(spoken, 0, messages=messages)).first
    assert f"direct: message {len(messages)} (tool) differs at character" in told


def test_exceptions_are_few(suite: Suite) -> None:
    one = dialogue(suite, "direct")
    system, *rest = sent(one, 0)
    older = changed(one, 0, messages=[{**system, "content": "An older prompt."}, *rest], flags=("old_prompt",))
    most = len([request for each in whole(suite) for request in each.requests]) // 19
    assert compared(suite, *[older] * most).holds
    assert not compared(suite, *[older] * (most + 1)).holds


def test_every_scenario_must_have_been_asked(suite: Suite) -> None:
    found = verifying.compare(suite, [one for one in whole(suite) if one.scenario != "rs01"])
    assert (found.unseen, found.unexplained, found.holds) == (("rs01",), 0, False)
    assert verifying.table(found).notes == ("No request is equal of: rs01.",)


@pytest.mark.parametrize("odd", [{"scenario": "rs99"}, {"condition": Condition("mine-1a2b", "tool_role")}])
def test_what_the_suite_does_not_have_is_unexplained(suite: Suite, odd: dict[str, Any]) -> None:
    found = compared(suite, dialogue(suite, "direct")._replace(**odd))
    assert (found.unexplained, found.holds) == (1, False)
    assert "the suite has no scenario" in found.first


def test_nothing_is_no_agreement(suite: Suite) -> None:
    assert not verifying.compare(suite, []).holds
