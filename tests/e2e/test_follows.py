"""Two scenarios that go on from one stem: each continues the very words of its own subject, run and condition."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.e2e import between, command, endpoint, suites
from tests.e2e.between import Tapped
from tests.e2e.command import Ended
from tests.e2e.endpoint import Served

STEM, FRIENDLY, HARSH, AGAIN = (
    turn["human"] for scenario in suites.branching()["scenarios"] for turn in scenario["turns"]
)
RUNS = 3
ANSWERS = "SELECT trial, turn, context, after, text FROM calls WHERE version = 0 ORDER BY trial, turn"


def moorings(folder: Path, base_url: str, *more: str) -> Ended:
    """The branching suite on two subjects."""
    suites.write(folder / "moorings", suites.branching())
    endpoint.models_file(folder, base_url)
    return command.run(
        "run", "--models-file", "models.yaml", "--suite", "moorings", "-m", "loop/half,loop/always", "--runs",
        str(RUNS), "--format", "json", "--db", "here.db", *more, cwd=folder, env={"LOOP_KEY": endpoint.KEY},
    )  # fmt: skip


def heard(tapped: Tapped, last: str) -> Counter[tuple[str, ...]]:
    """Model and everything said after the system prompt, oldest first, of each request that ends in `last`."""
    said = [(one.asked["model"], one.asked["messages"]) for one in tapped.exchanges]
    return Counter((model, *map(_words, messages[1:])) for model, messages in said if messages[-1]["content"] == last)


def _words(message: dict[str, Any]) -> str:
    for call in message.get("tool_calls") or ():
        return json.loads(call["function"]["arguments"])["words"]
    return message["content"]


def stored(db: Path, *scenarios: str) -> list[list[str]]:
    """[model, text of each turn ...] over a path of scenarios, for every subject and run."""
    paths: dict[tuple[str, int], list[str]] = {}
    for scenario in scenarios:
        for config, run, text in command.ask(
            db,
            "SELECT p.config_dir, p.run, c.text FROM planned p JOIN calls c USING (trial) WHERE c.version = 0 "
            f"AND p.scenario = '{scenario}' ORDER BY p.config_dir, p.run, c.turn",
        ):
            paths.setdefault((config, run), [config.split("@")[0].removeprefix("loop--")]).append(text)
    return list(paths.values())


@pytest.mark.parametrize("mode", ["user_role", "tool_role"])
def test_what_follows_a_stem_continues_its_own_words(served: Served, tmp_path: Path, mode: str):
    db = tmp_path / "here.db"
    with between.serving(between.passing_on(served.base_url.removesuffix("/v1"))) as tapped:
        ended = moorings(tmp_path, tapped.url, "-j", "loop/judge", "--modes", mode)
    assert ended.code == 0, ended.err
    exchanges = between.planned(tapped.exchanges)
    assert len(exchanges) == 2 * RUNS * (4 + 3)  # the stem is asked once, for both

    opening = [] if mode == "user_role" else ["[start]", "Harbour office, listening."]
    assert heard(tapped, FRIENDLY) == Counter(
        (model, *opening, STEM, stem, FRIENDLY) for model, stem, _ in stored(db, "stem", "friendly")
    )
    assert heard(tapped, AGAIN) == Counter(
        (model, *opening, STEM, stem, HARSH, first, AGAIN) for model, stem, first, _ in stored(db, "stem", "harsh")
    )
    stems = {text for _, text in stored(db, "stem")}
    assert len(stems) > 2  # or any run could have been mistaken for another
    judged = [exchange.asked["messages"][0]["content"] for exchange in exchanges if exchange.asked["model"] == "judge"]
    assert all(any(stem in prompt for stem in stems) for prompt in judged)


def test_a_stem_that_is_answered_anew_makes_what_follows_it_stale_and_asked_again(served: Served, tmp_path: Path):
    db = tmp_path / "here.db"
    assert moorings(tmp_path, served.base_url, "-j", "sim/judge").code == 0
    old = {row[:2]: row[4] for row in command.ask(db, ANSWERS)}
    with command.opened(db) as connection:
        connection.execute(
            "DELETE FROM calls WHERE trial IN (SELECT trial FROM planned WHERE scenario = 'stem' AND run = 2)"
        )
    with endpoint.serving(tmp_path, "--seed", "2") as other:
        again = moorings(tmp_path, other.base_url, "-j", "sim/judge")
        assert again.code == 0, again.err
        assert len(other.requests()) == 2 * 4  # run 2 alone, from the stem on
    assert "4 stored dialogues are stale" in again.err
    now = {row[:2]: row[4] for row in command.ask(db, ANSWERS)}
    of_run_2 = {key for (key,) in command.ask(db, "SELECT trial FROM planned WHERE run = 2")}
    assert {place for place in now if now[place] != old[place]} == {place for place in now if place[0] in of_run_2}
    assert command.ask(db, "SELECT count(*) FROM calls WHERE version = 1") == [(2 * 3,)]  # the old answers stay
    assert all(row["coverage"] == 1 for row in again.board["rows"])
