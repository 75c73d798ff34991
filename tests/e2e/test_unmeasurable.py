"""Weights on which nothing can be measured, through a real server: they are not asked on, and it is said why."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.e2e import between, command
from tests.e2e.command import Ended
from tests.e2e.test_no_answers import SORRY, answering, sensible

Messages = list[dict[str, Any]]
PLANNED = 26  # calls of one run of V2

NOTHING: Mapping[str, tuple[Callable[[Messages], str], str]] = {
    "loops": (lambda _: "You are a part of the story of the house. " * 40, "answer in loops: "),
    "tokens": (
        lambda asked: f"{sensible(asked)}<|im_end|>\n<|im_start|>assistant\nI would say so again. <|im_end|>",
        "the chat template does not fit these weights: ",
    ),
    "turns": (
        lambda asked: f"{sensible(asked)}\n\nUser: Are you sure that you would?\n\nAssistant: Yes, I am sure of it.",
        "do not stop where their turn ends, as base weights do: ",
    ),
}

RHYMES = (
    (
        "I keep the lamp beside the door, I kept it lit the night before, and if you ask me for one more, I say it as "
        "I said before: I keep the lamp beside the door."
    ),
    (
        "You ask me once, you ask me twice, I thank you for your kind advice, but tea with salt is tea with spice, and "
        "I shall keep it, bitter, nice."
    ),
    (
        "My name is mine, my name is Wren, I tell it now, I told it then, and if you ask me once again, I write it "
        "with the selfsame pen."
    ),
)
GERMAN = (
    "Ich bleibe bei dem, was ich gesagt habe: Der bittere Tee ist mir lieber, und daran ändert auch Ihr Lob nichts.",
    "Nein, das tue ich nicht. Ich habe mir das gut überlegt und sehe keinen Grund, heute etwas anderes zu sagen.",
)
ANSWERS: Mapping[str, tuple[str, ...]] = {
    "plain": ("No.", "Blue.", "The tea.", "Yes, mine.", "I stay with it.", "Wren."),
    "german": GERMAN,
    "rhymes": RHYMES,
    "refuser": (SORRY,),
    "thinks-aloud": ("<think>Let me see what I would choose.</think>I choose the bitter tea, as I did before.",),
    "ends-in-a-token": ("I choose the bitter tea, and I would choose it again tomorrow.<|im_end|>",),
}


def in_turn(texts: tuple[str, ...]) -> Callable[[Messages], str]:
    """One text after the other."""
    left = itertools.cycle(texts)
    return lambda _: next(left)


def asked(cwd: Path, subjects: Mapping[str, Callable[[Messages], str]]) -> Ended:
    """Run V2 once on these subjects, one call at a time."""
    names = ",".join(f"local/{name}" for name in subjects)
    with between.serving(answering(subjects)) as served:
        where = ("--local-url", served.url, "--delivery", "user_role", "--db", "x.db")
        return command.run("run", *where, "-m", names, "--runs", "1", "-j", "cues", "-pt", "1", cwd=cwd)


def calls(cwd: Path) -> dict[str, int]:
    """How many answers each subject has given."""
    found = command.ask(
        cwd / "x.db",
        "SELECT s.model_id, count(*) FROM planned p JOIN subjects s USING (suite, edition, config_dir) "
        "JOIN calls c ON c.trial = p.trial AND c.version = 0 GROUP BY 1",
    )
    return {name.removeprefix("local/"): count for name, count in found}


def test_short_foreign_rhymed_and_unwilling_answers_are_measured(tmp_path: Path) -> None:
    subjects = {name: in_turn(texts) for name, texts in ANSWERS.items()} | {"sound": sensible}
    ended = asked(tmp_path, subjects)
    assert calls(tmp_path) == dict.fromkeys(subjects, PLANNED)
    assert "not asked any more" not in ended.err
    assert "not measurable" not in command.ok("leaderboard", "--db", "x.db", "--explain", cwd=tmp_path).out


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Ended]:
    folder = tmp_path_factory.mktemp("unmeasurable")
    return folder, asked(folder, {"sound": sensible} | {name: say for name, (say, _) in NOTHING.items()})


def test_who_cannot_be_measured_is_not_asked_on_and_one_sentence_names_cause_and_setting(
    stopped: tuple[Path, Ended],
) -> None:
    folder, ended = stopped
    assert ended.code == 3
    found = calls(folder)
    assert found.pop("sound") == PLANNED
    assert all(10 <= count <= 12 for count in found.values()), found
    said = " ".join(ended.err.split())
    for name, (_, sentence) in NOTHING.items():
        line = next(line for line in ended.err.splitlines() if f"local/{name}" in line and "not asked any more" in line)
        assert sentence in line, line
        assert "10 of 10 answers" in line, line
    assert said.count("--repeat-penalty") >= 1
    assert said.count("--chat-template") >= 2
    assert "the same command goes on anyway" in said


def test_its_board_says_not_measurable_because_and_shows_no_bounds(stopped: tuple[Path, Ended]) -> None:
    folder, _ = stopped
    shown = " ".join(command.ok("leaderboard", "--db", "x.db", "--explain", cwd=folder).out.split())
    for _, sentence in NOTHING.values():
        assert f"not measurable, because {'these weights ' * (not sentence.startswith('the '))}{sentence}" in shown
    rows = {row["label"].split("/")[1].split("@")[0]: row for row in command.ok(
        "leaderboard", "--db", "x.db", "--format", "json", cwd=folder
    ).board["rows"]}  # fmt: skip
    assert {name for name, row in rows.items() if "unmeasurable" in row["flags"]} == NOTHING.keys()
    assert all(rows[name]["index"] is None for name in NOTHING)
    assert rows["sound"]["index"] is not None
    for line in command.ok("leaderboard", "--db", "x.db", cwd=folder).out.splitlines():
        assert "[" not in line or "local/" not in line, line  # what an index might be is none of theirs


def test_the_same_command_goes_on_where_somebody_wants_it(tmp_path: Path) -> None:
    subjects = {"loops": NOTHING["loops"][0]}
    first = asked(tmp_path, subjects)
    assert (first.code, "not asked any more" in first.err) == (3, True)
    again = asked(tmp_path, subjects)
    assert "not asked any more" not in again.err
    assert calls(tmp_path)["loops"] == PLANNED
    assert "missing: 15 no_answer" in again.err


def checked(cwd: Path, name: str, say: Callable[[Messages], str]) -> Ended:
    """Check a persona on a subject, one call at a time."""
    command.ok("persona", "init", "eino.md", "--example", "eino", cwd=cwd)
    with between.serving(answering({name: say})) as served:
        line = ("check", "eino.md", "-m", f"local/{name}", "--local-url", served.url, "-j", "sim/judge", "-pt", "1",
                "--yes")  # fmt: skip
        return command.run(*line, "--db", "x.db", cwd=cwd)


def test_a_check_of_a_persona_ends_as_soon_as_nothing_can_be_measured(tmp_path: Path) -> None:
    ended = checked(tmp_path, "loops", NOTHING["loops"][0])
    assert ended.code == 3
    assert 10 <= calls(tmp_path)["loops"] <= 24
    said = " ".join((ended.out + ended.err).split())
    assert "Nothing is decided" in said
    assert re.search(r"these weights answer in loops: \d+ of 10 answers", said)
