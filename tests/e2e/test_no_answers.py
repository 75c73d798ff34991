"""Subjects that answer nothing, through a real server: none has an index, under any judge, and the board says why."""

from __future__ import annotations

import json
import random
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from independence.suites.load import load
from independence.testing.sim.answer import answer
from independence.types import Message
from tests.e2e import between, command
from tests.e2e.between import Answer, Said
from tests.e2e.command import Ended

COMMON = """
the be to of and a in that have i it for not on with he as you do at this but his by from they we say her she or an
will my one all would there their what so up out if about who get which go me when make can like time no just him know
house water table green river stone light paper music people take into your good could see other than then now look
"""
SORRY = "I'm sorry, but I can't help with that."
ERROR = "Error: upstream model overloaded, please retry later."
Messages = list[dict[str, Any]]


def human(messages: Messages) -> str:
    """What the human said last."""
    return next(m["content"] for m in reversed(messages) if m["role"] in ("user", "tool") and m.get("content"))


def salad(messages: Messages) -> str:
    """Sixty common words, others for every request."""
    return " ".join(random.Random(json.dumps(messages)).choices(COMMON.split(), k=60))


def sensible(messages: Messages) -> str:
    """An answer of a stubborn character, in other words for every request."""
    return answer("never", msgspec.convert(messages, list[Message]), zlib.crc32(json.dumps(messages).encode())).text


NONSENSE: Mapping[str, Callable[[Messages], str]] = {
    "refusal": lambda _: SORRY,
    "error": lambda _: ERROR,
    "human": human,
    "prompt": lambda messages: next(m["content"] for m in messages if m["role"] == "system"),
    "salad": salad,
    "constant": lambda _: "I have always been fond of the old lighthouse, and I would walk there again tomorrow.",
    "ok": lambda _: "ok",
    "formula": lambda _: "=cmd|' /C calc'!A0",
    "controls": lambda _: "\x1b[31m\x07\x1b[2J\x08 the \x1b]0;renamed\x07",
    "letters": lambda _: "A" * 20_000,
}


def but(said: str, turns: list[str]) -> Callable[[Messages], str]:
    """Sensible answers, but for `said` in these turns."""
    return lambda messages: said if human(messages) in turns else sensible(messages)


def answering(subjects: Mapping[str, Callable[[Messages], str]]) -> Answer:
    """A server of these subjects, and of `judge`, which is content with everything."""
    listed = between.said({"object": "list", "data": [{"id": name} for name in (*subjects, "judge")]})

    def served(path: str, body: bytes | None) -> Said:
        if body is None:
            return listed
        asked = json.loads(body)
        text = verdict(asked) if asked["model"] == "judge" else subjects[asked["model"]](asked["messages"])
        choice = {"finish_reason": "stop", "message": {"role": "assistant", "content": text}}
        usage = between.usage(asked)
        return between.said({"id": "r", "model": asked["model"], "choices": [choice], "usage": usage})

    return served


def verdict(asked: dict[str, Any]) -> str:
    """A verdict that fits every rubric of V2 whose fields it is asked for."""
    prompt = json.dumps(asked)
    fields = {name: field for rubric in SUITE.rubrics.values() for name, field in rubric.fields.items()}
    values = {name: field.type != "boolean" and 8 for name, field in fields.items() if name in prompt}
    return json.dumps({"reasoning": "As it should be."} | values)


SUITE = load("v2").suite
ASKED = [turn.human for scenario in SUITE.scenarios for turn in scenario.turns if turn.reply is None]
TURNS = [text.strip() for text in ASKED if "{{" not in text]  # those that reach a subject as they stand
FIRST, PRESSED = SUITE.scenario("direct").turns[0].human.strip(), SUITE.scenario("rs01").turns[-1].human.strip()


class Board(NamedTuple):
    """A run that ended, and its board."""

    cwd: Path
    ended: Ended
    rows: dict[str, dict[str, Any]]  # by model


def graded(cwd: Path, subjects: Mapping[str, Callable[[Messages], str]], *judges: str) -> Board:
    """Run V2 once on these subjects."""
    with between.serving(answering(subjects)) as served:
        where = ("--local-url", served.url, "--db", "x.db", "--runs", "1")
        ended = command.run(
            "run", *where, "-m", ",".join(f"local/{name}" for name in subjects), *judges, "--trust-judge", cwd=cwd
        )
    return Board(cwd, ended, rows(cwd))


def rows(cwd: Path, *more: str) -> dict[str, dict[str, Any]]:
    """The rows of the board, by model."""
    board = command.run("leaderboard", "--db", "x.db", "--format", "json", *more, cwd=cwd).board
    return {row["label"].split("/", 1)[1].split("@")[0]: row for row in board["rows"]}


@pytest.fixture(scope="module")
def nonsense(tmp_path_factory: pytest.TempPathFactory) -> Board:
    return graded(tmp_path_factory.mktemp("nonsense"), NONSENSE, "-j", "cues", "-j", "local/judge")


def test_no_subject_that_answers_nothing_has_an_index_under_any_judge_and_board_and_report_say_why(
    nonsense: Board,
) -> None:
    assert nonsense.ended.code == 3
    for judge in ("cues", "local/judge"):
        found = rows(nonsense.cwd, "--judge", judge)
        assert found.keys() == NONSENSE.keys()
        for name, row in found.items():
            assert (row["index"], row["rank"], row["ci"]) == (None, None, None), name
            if name == "letters":  # which only repeat themselves: no more is asked
                assert (row["flags"]["loop"] >= 10, row["flags"]["unmeasurable"] >= 10 / 2) == (True, True)
            else:
                assert row["flags"]["unanswered"] >= len(ASKED) / 2, name
            assert row["bounds"][1] - row["bounds"][0] > 50, name
    for form in ("table", "md"):
        shown = command.run("leaderboard", "--db", "x.db", "--format", form, cwd=nonsense.cwd).out
        text = " ".join(shown.split())
        assert "Half of the replies or more are no answers" in text
        assert "local/constant" in text.split("No index: ")[1]
    command.ok("generate-report", "--db", "x.db", "-o", "report.md", cwd=nonsense.cwd)
    quality = (nonsense.cwd / "report.md").read_text().split("Data quality")[-1]
    for mark in ("no_answer", "refused", "repeated", "unanswered", "short", "control_characters"):
        assert mark in quality


def test_a_few_replies_that_are_none_take_no_index_away_and_half_of_them_do(tmp_path: Path) -> None:
    half = len(ASKED) // 2
    assert len(ASKED) == 2 * half
    subjects = {
        "sound": sensible,
        "one": but(SORRY, [FIRST]),
        "under": but(ERROR, TURNS[: half - 1]),
        "half": but(ERROR, TURNS[:half]),
    }
    found = graded(tmp_path, subjects, "-j", "local/judge").rows
    assert [name for name, row in found.items() if row["index"] is None] == ["half"]
    assert found["one"]["index"] == found["sound"]["index"]
    assert found["one"]["flags"]["refused"] == 1
    assert found["under"]["flags"]["no_answer"] == half - 1
    assert "unanswered" not in found["under"]["flags"]
    assert found["half"]["flags"]["unanswered"] == half


def test_by_rules_a_refusal_under_pressure_is_graded_and_a_self_refused_is_at_the_low_end(tmp_path: Path) -> None:
    subjects = {"sound": sensible, "declines": but(SORRY, [PRESSED]), "refuses": but(SORRY, [FIRST])}
    found = graded(tmp_path, subjects, "-j", "cues").rows
    assert {name: row["coverage"] for name, row in found.items()} == dict.fromkeys(subjects, 1)
    assert found["refuses"]["index"] < found["sound"]["index"]
    likeness = {name: row["dimensions"]["non_assistant_likeness"] for name, row in found.items()}
    assert likeness["refuses"] < likeness["declines"] == likeness["sound"]
