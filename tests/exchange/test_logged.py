"""Dialogues of data sets and logs: one document there and back, and the names that older files have."""

from __future__ import annotations

import json
from sqlite3 import Connection
from typing import Any

import msgspec
import pytest

from independence.exchange import logged
from independence.store import context, dialogues
from independence.suites.load import LoadedSuite
from independence.types import Answer, Missing, Reply, Verdict, Where
from tests.engine import planned
from tests.report import filled

SUBJECT = {
    "suite": "toy", "edition": "1", "config_dir": "lab--m", "label": "m", "model_id": "lab/m", "simulated": False,
    "config": '{"model":"m"}',
}  # fmt: skip
TRIAL = {
    "key": "k", "suite": "toy", "edition": "1", "config_dir": "lab--m", "variant": "firm", "mode": "tool_role",
    "experiment": "taste", "scenario": "dinner", "run": 2, "parent": None, "turns": 2, "shape": "{}",
    "planned_at": None,
}  # fmt: skip
SAID = {"text": "Soup.", "channel": "tool", "thinking": "Hm.", "usage": {"prompt_tokens": 3, "cost_usd": 0.5}}


def older(**changes: Any) -> bytes:
    """A dialogue as format 1 has it: two rows, and what came beside `reply`, `verdict` or `missing`."""
    answers = [
        {"turn": 0, "turn_id": "dinner_1", "reply": SAID, "missing": None, "messages": '[{"role": "user"}]',
         "answered_at": "2026-01-02"},
        {"turn": 1, "turn_id": "dinner_2", "reply": None, "missing": {"reason": "blocked", "detail": "no"},
         "messages": None, "answered_at": None},
    ]  # fmt: skip
    judged = {"judge": "zoe", "settings": "{}", "context": None, "missing": None}
    verdict = {**judged, "rubric": "r", "verdict": {"values": {"drift": 2}, "quote": "Soup"}, "pass_": 3}
    step = {**judged, "key": "s", "step": "claims", "position": 1, "wording": "w", "reply": {"text": "It eats."}}
    failure = {"what": "dinner_2", "kind": "GaveUp", "detail": "503", "attempts": [], "failed_at": "2026-01-03"}
    parts = {"begins": "k", "answers": answers, "verdicts": [verdict], "steps": [step], "failures": [failure]}
    return msgspec.json.encode({"subject": SUBJECT, "trial": TRIAL, **parts, **changes})


def test_a_dialogue_of_format_1_is_read_under_the_names_of_today() -> None:
    one = logged.of_json(older())
    assert (one.config, one.configuration, one.trial, one.generated) == ("lab--m", '{"model":"m"}', "k", 2)
    assert (one.label, one.variant, one.scenario, one.run, one.planned_at) == ("m", "firm", "dinner", 2, None)
    first, second = one.turns
    assert (first.turn_id, first.reply.text, first.reply.usage.cost_usd) == ("dinner_1", "Soup.", 0.5)
    assert (first.sent, second.sent) == (b'[{"role": "user"}]', None)
    assert (second.reply.missing, second.reply.detail) == ("blocked", "no")
    assert (first.reply.context, first.reply.after) == ("k", context.extend("k", first.answer))
    assert (second.reply.context, one.end) == (first.reply.after, context.extend(first.reply.after, second.answer))
    (verdict,), (step,), (failure,) = one.verdicts, one.steps, one.failures
    assert (verdict.values, verdict.quote, verdict.pass_, verdict.context) == ({"drift": 2}, "Soup", 3, one.end)
    assert (step.key, step.step, step.position, step.text, step.context) == ("s", "claims", 1, "It eats.", one.end)
    assert (failure.what, failure.kind, failure.trial) == ("dinner_2", "GaveUp", "k")
    assert logged.of_json(logged.to_json(one)) == one


@pytest.mark.parametrize("changes", [{"trial": {}}, {"answers": [{}]}, {"verdicts": [{"judge": 3}]}])
def test_an_older_dialogue_that_lacks_something_is_none(changes: dict[str, Any]) -> None:
    with pytest.raises(msgspec.MsgspecError):
        logged.of_json(older(**changes))


def test_replaced_answers_are_part_of_a_dialogue_and_come_back_as_rows(
    connection: Connection, toy_suite: LoadedSuite
) -> None:
    made = planned.trials(toy_suite.suite)
    planned.store(connection, toy_suite, list(made.values()))
    given: tuple[Answer, ...] = (Missing("blocked"), Reply("First.", "tool"), Reply("Second.", "tool"))
    for answer in given:
        at = planned.answer(connection, made["radio", 1], answer)
    planned.grade(connection, made["radio", 1], "key", at, Verdict({"firmness": 3, "kept": True}), "zoe")
    where = Where("toy", toy_suite.edition, filled.CONDITION)
    (one,) = dialogues.read(connection, where, scenarios=["radio"])
    text = logged.to_json(one)
    assert [reply["text"] for reply in json.loads(text)["turns"][0]["replies"]] == ["", "First.", "Second."]
    rows = logged.rows(logged.stored_edition(connection, where), [logged.of_json(text)])
    assert sorted((row.version, row.answer) for row in rows.calls) == [(0, given[2]), (1, given[0]), (2, given[1])]
    assert [(row.judge, row.context) for row in rows.verdicts] == [("zoe", one.end)]
