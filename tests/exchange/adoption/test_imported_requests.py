"""What an adopted suite sends is what was sent for the published results, but for exceptions that are counted here."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from independence.exchange import published
from independence.exchange.adoption.suite_folder import adopt
from independence.exchange.dialogues import ImportedCall, ImportedTrial
from independence.exchange.responses import published_request
from independence.suites import script
from independence.suites.schema import Suite
from independence.suites.script import DialogueScript, Exchange
from independence.types import Reply

pytestmark = pytest.mark.published


class Sent(NamedTuple):
    """One published request beside ours."""

    call: ImportedCall
    place: str
    published: list[dict[str, Any]]
    by_stored: list[dict[str, Any]]  # ours, with the earlier answers as they are stored now
    by_quoted: list[dict[str, Any]]  # ours, with the earlier answers as the published request has them

    @property
    def flags(self) -> frozenset[str]:
        """What is odd about the reply, as our reader of published results says."""
        answer = self.call.answer
        return frozenset(answer.flags if isinstance(answer, Reply) else ())


@pytest.fixture(scope="module")
def requests(published_data: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Sent]:
    clone = published_data / "published-source" / "main"
    if not clone.is_dir():
        pytest.skip("INDEPENDENCE_PUBLISHED_DATA has no published source")
    suite = adopt(clone, tmp_path_factory.mktemp("adopted") / "suite").loaded.suite
    read = published.read(published_data / "published-v2-part.tar.xz", suite)
    return [
        one
        for run in read.runs
        for trial in run.trials
        for one in _compared(suite, trial, f"{run.config_dir} run {run.run}")
    ]


def _compared(suite: Suite, trial: ImportedTrial, place: str) -> Iterator[Sent]:
    dialogue = script.compose(suite, trial.scenario, trial.condition)
    stored = {call.turn_id: _said(call) for call in trial.calls}
    for call in trial.calls:
        theirs = json.loads(call.request_messages)
        quoted = [past for past in published_request(call.request_messages).exchanges if past.answer is not None]
        private = [message["content"] or "" for message in theirs if message["role"] == "assistant"][1:]
        answers = [(past.answer or "", own) for past, own in zip(quoted, private, strict=True)]
        by_place = dict(zip([turn.id for turn in dialogue.turns], answers, strict=False))
        yield Sent(
            call, f"{place} {call.turn_id}", theirs, _ours(dialogue, call, stored), _ours(dialogue, call, by_place)
        )


def _said(call: ImportedCall) -> tuple[str, str]:
    return (call.answer.text, call.answer.thinking) if isinstance(call.answer, Reply) else ("", "")


def _ours(dialogue: DialogueScript, call: ImportedCall, answers: dict[str, tuple[str, str]]) -> list[dict[str, Any]]:
    exchanges = []
    for turn in dialogue.turns:
        if turn.id == call.turn_id:
            exchanges.append(Exchange(turn.human))
            break
        exchanges.append(Exchange(turn.human, turn.reply) if turn.reply else Exchange(turn.human, *answers[turn.id]))
    setting = script.DialogueSetting(dialogue.system, dialogue.context, dialogue.tool)
    messages = json.loads(msgspec.json.encode(script.messages(setting, exchanges)))
    assert isinstance(messages, list)
    return messages


def test_all_requests_but_twenty_two_are_ours_to_the_letter(requests: list[Sent]) -> None:
    """Roles, contents, ids of calls, argument strings.

    Nine follow an answer that was asked for again later, so that the stored one is another. Thirteen are of the older
    system prompt of Lite, without the advice on length; of one of these the earlier answer was asked for again as well.
    """
    differing = [one for one in requests if one.by_stored != one.published]
    assert (len(requests), len(differing)) == (7427, 22)
    reasons = Counter("old_prompt" if "old_prompt" in one.flags else "stale_history" for one in differing)
    assert reasons == {"old_prompt": 13, "stale_history": 9}
    assert all(one.flags & {"old_prompt", "stale_history"} for one in differing)
    assert sum({"old_prompt", "stale_history"} <= one.flags for one in differing) == 1


def test_no_request_of_an_exception_agrees(requests: list[Sent]) -> None:
    """The flags that explain the exceptions are on no request that is ours to the letter."""
    flagged = {one.place for one in requests if one.flags & {"old_prompt", "stale_history"}}
    assert flagged == {one.place for one in requests if one.by_stored != one.published}


def test_with_the_answers_that_were_sent_only_the_older_system_prompt_differs(requests: list[Sent]) -> None:
    differing = [one for one in requests if one.by_quoted != one.published]
    assert {one.place.split("@")[0] for one in differing} == {"mistralai--mistral-large-2512"}
    assert len(differing) == 13
    for one in differing:
        assert one.by_quoted[1:] == one.published[1:]
