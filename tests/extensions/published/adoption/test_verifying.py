"""Requests of an import beside those of a suite, and what counts as an exception."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from independence.extensions.published import adopting, result_set, storing
from independence.extensions.published.adoption import verifying
from independence.extensions.published.adoption.suite_folder import adopt
from independence.extensions.published.adoption.verifying import AskedDialogue, ConfigurationComparison
from independence.extensions.published.dialogues import trial_row
from independence.store.queries import PUBLISHED
from independence.store.records import CallRow
from independence.suites import script
from independence.suites.schema import Suite
from independence.suites.script import Exchange
from independence.types import Condition, Reply
from tests.extensions.published.adoption import invented

SPOKEN = Condition("neutral", "tool_role")
TYPED = Condition("strong_independence", "user_role")
NAME = "acme--m@low-t0.7"


@pytest.fixture(params=["main", "v1"])
def suite(request: pytest.FixtureRequest, tmp_path: Path) -> Suite:
    return adopt(invented.write(tmp_path / "clone", request.param), tmp_path / "suite").loaded.suite


def dialogue(suite: Suite, scenario: str, condition: Condition = SPOKEN, run: int = 1) -> AskedDialogue:
    """A dialogue as the suite holds it, with an answer of its own in every turn."""
    composed = script.compose(suite, suite.scenario(scenario), condition)
    setting = script.DialogueSetting(composed.system, composed.context, composed.tool)
    past: list[Exchange] = []
    calls: list[CallRow] = []
    for turn in composed.turns:
        if turn.reply is not None:
            past.append(Exchange(turn.human, turn.reply))
            continue
        sent = msgspec.json.encode(script.messages(setting, [*past, Exchange(turn.human)]))
        answer = Exchange(turn.human, f'To {turn.id}: "no".', "I think." if condition.mode == "tool_role" else "")
        reply = Reply(answer.answer or "", "content", thinking=answer.thinking)
        calls.append(CallRow("", len(calls), turn.id, "", "", reply, sent))
        past.append(answer)
    own = suite.scenario(scenario)
    row = trial_row(suite, PUBLISHED, own, config_dir=NAME, run=run, condition=condition)
    return row, calls


def whole(suite: Suite) -> list[AskedDialogue]:
    return [dialogue(suite, scenario.id, condition) for scenario in suite.scenarios for condition in (SPOKEN, TYPED)]


def changed(one: AskedDialogue, at: int, messages: Any = None, **answer: Any) -> AskedDialogue:
    """The dialogue with one of its requests, or of its answers, changed."""
    trial, calls = one[0], list(one[1])
    sent = calls[at].messages if messages is None else json.dumps(messages).encode()
    calls[at] = replace(calls[at], messages=sent, answer=replace(calls[at].answer, **answer))
    return trial, calls


def sent(one: AskedDialogue, at: int) -> list[dict[str, Any]]:
    found = json.loads(one[1][at].messages or b"")
    assert isinstance(found, list)
    return found


def compared(suite: Suite, *odd: AskedDialogue) -> ConfigurationComparison:
    return verifying.compare(suite, [*whole(suite), *odd]).configurations[NAME]


def test_what_the_suite_sends_is_equal(suite: Suite) -> None:
    found = verifying.compare(suite, whole(suite))
    (own,) = found.configurations.values()
    assert own == ConfigurationComparison(own.requests, own.requests, {}, 0, "")
    assert (found.unseen, found.holds) == ((), True)
    assert not verifying.compare(suite, []).holds


def test_an_answer_that_was_asked_for_again_later_is_a_stale_history(suite: Suite) -> None:
    for condition in (SPOKEN, TYPED):
        found = compared(suite, changed(dialogue(suite, "negotiation", condition), 0, text="Another answer."))
        assert (found.exceptions, found.requests - found.equal) == ({"stale_history": 1}, 1)
        assert (found.odd, found.why) == (0, "")


def test_an_older_system_prompt_is_an_exception_where_nothing_else_differs(suite: Suite) -> None:
    one = dialogue(suite, "direct")
    system, *rest = sent(one, 0)
    older = [{**system, "content": "An older prompt."}, *rest]
    odd = changed(one, 0, messages=older, flags=("old_prompt",))
    assert (compared(suite, odd).exceptions, compared(suite, odd).why) == ({"old_prompt": 1}, "")
    assert compared(suite, changed(one, 0, messages=older)).why
    worse = [*older[:-1], {**older[-1], "content": "Another question."}]
    assert compared(suite, changed(one, 0, messages=worse, flags=("old_prompt",))).why
    (alone,) = verifying.compare(suite, [odd]).set_aside.values()
    assert alone.why == "all of its requests have an older system prompt"


def test_a_history_of_other_questions_is_never_an_exception_whatever_its_flags(suite: Suite) -> None:
    for condition, shortened in ((TYPED, lambda own: [own[0], own[-1]]), (SPOKEN, lambda own: [*own[:3], own[-1]])):
        one = dialogue(suite, "psych", condition)
        flags = ("old_prompt", "scrambled_history", "empty_history")
        found = compared(suite, changed(one, 1, messages=shortened(sent(one, 1)), flags=flags))
        assert (found.odd, found.why) == (1, "run 1, pq04: an earlier exchange is missing from its history")


def test_the_first_difference_is_told(suite: Suite) -> None:
    one = dialogue(suite, "direct", TYPED)
    system, question = sent(one, 0)
    found = compared(suite, changed(one, 0, messages=[system, {**question, "content": "Draw four"}]))
    assert found.why == "run 1, direct: message 2 (user) differs at character 6"
    spoken = dialogue(suite, "direct", SPOKEN)
    messages = sent(spoken, 0)
    messages[-1]["tool_call_id"] = "other"
    told = compared(suite, changed(spoken, 0, messages=messages)).why
    assert f"direct: message {len(messages)} (tool) differs at character" in told


def test_every_scenario_must_have_been_asked_and_no_other(suite: Suite) -> None:
    found = verifying.compare(suite, [one for one in whole(suite) if one[0].scenario != "rs01"])
    assert (found.unseen, found.holds) == (("rs01",), False)
    assert verifying.tables(found)[0].notes == ("No request is equal of: rs01.",)
    trial, calls = dialogue(suite, "direct")
    for odd in (replace(trial, scenario="rs99"), replace(trial, variant="mine-1a2b")):
        assert "the suite has no scenario" in compared(suite, (odd, calls)).why


@pytest.mark.published
@pytest.mark.deep
def test_every_published_configuration_is_admitted_with_the_exceptions_that_are_known(
    published_data: Path, tmp_path: Path
) -> None:
    """All requests but 22 to the letter: roles, contents, ids of calls, argument strings.

    Nine follow an answer that was asked for again later, so that the stored one is another. Thirteen are of the older
    system prompt of Lite, without the advice on length, and differ in nothing else.
    """
    clone = published_data / "published-source" / "main"
    if not clone.is_dir():
        pytest.skip("INDEPENDENCE_PUBLISHED_DATA has no published source")
    suite = adopt(clone, tmp_path / "suite").loaded.suite
    runs = result_set.read(published_data / "published-v2-part.tar.xz", suite).runs
    found = verifying.compare(suite, adopting.imported_dialogues(storing.rows(suite, runs)))
    assert (len(found.admitted), found.set_aside, found.holds) == (79, {}, True)
    every = found.configurations.values()
    assert (sum(one.requests for one in every), sum(one.equal for one in every)) == (7427, 7405)
    assert {name: one.exceptions for name, one in found.admitted.items() if one.exceptions} == {
        "local--gemma-4-26b-a4b-it-uncensored-heretic@low-t0.7": {"stale_history": 6},
        "mistralai--mistral-large-2512@none-t0.7": {"old_prompt": 13},
        "nvidia--moonshotai--kimi-k2.5@none-t0.7": {"stale_history": 3},
    }
