"""Who answered, at the end of a run: weights that changed without a lost connection, and a judge that is another."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.e2e import between, command
from tests.e2e.between import Answer, Said
from tests.e2e.command import Ended
from tests.e2e.test_no_answers import sensible, verdict

STABILITY = 10  # calls of one run


def loading(after: int, say: Callable[[dict[str, Any]], str] = lambda asked: sensible(asked["messages"])) -> Answer:
    """A server that has other weights loaded once it has given so many answers to planned requests."""
    given = 0

    def served(path: str, body: bytes | None) -> Said:
        nonlocal given
        if body is None:
            loaded = "/m/SmolLM2-Q8.gguf" if given < after else "/m/gemma-Q4.gguf"
            page = {"model_path": loaded} if path == "/props" else {"data": [{"id": "small"}]}
            return between.said({"object": "list", **page})
        asked = json.loads(body)
        given += not between.is_probe(asked)
        choice = {"finish_reason": "stop", "message": {"role": "assistant", "content": say(asked)}}
        return between.said({"id": "r", "model": "small", "choices": [choice], "usage": between.usage(asked)})

    return served


@pytest.mark.parametrize("after", [4, 1_000])
def test_answers_that_came_since_the_weights_were_last_known_are_marked_where_others_are_loaded_at_the_end(
    after: int, tmp_path: Path
) -> None:
    asked = ("-e", "stability", "--runs", "1", "-j", "cues", "--delivery", "user_role", "--no-stream", "--db", "x.db")
    with between.serving(loading(after)) as served:
        ended = command.run("run", "--local-url", served.url, "--local-model", "small", *asked, cwd=tmp_path)
    ((marked,),) = command.ask(tmp_path / "x.db", "SELECT count(*) FROM calls WHERE flags LIKE '%\"other_model\"%'")
    shown = " ".join(command.ok("leaderboard", "--db", "x.db", "--explain", cwd=tmp_path).out.split())
    told = "has loaded `gemma-Q4`, not `SmolLM2-Q8`; 10 answers since it last had its own are marked"
    if after > STABILITY:
        assert (marked, "gemma" in ended.err + shown) == (0, False)
        return
    assert marked == STABILITY  # nothing was known of the weights since the start
    assert ended.err.count(told) == 1
    assert "10 of 10 answers were given by `gemma-Q4`, so their verdicts do not count and there is no index" in shown


def test_verdicts_of_other_weights_are_taken_back_and_asked_for_again_once_the_judge_is_there_again(
    tmp_path: Path,
) -> None:
    subject = ("-m", "sim/never", "-e", "stability", "--runs", "1", "--delivery", "user_role", "--db", "x.db")
    judge = ("-j", "local/small", "--trust-judge", "--no-stream")

    def run(after: int) -> Ended:
        with between.serving(loading(after, verdict)) as served:
            return command.run("run", *subject, *judge, "--local-url", served.url, cwd=tmp_path)

    def verdicts() -> int:
        return int(command.ask(tmp_path / "x.db", "SELECT count(*) FROM verdicts")[0][0])

    ended = run(after=3)
    told = "has loaded `gemma-Q4`, not `SmolLM2-Q8`; 5 verdicts since it last had its own are not kept"
    assert (ended.code, ended.err.count(told), verdicts()) == (3, 1, 0)
    assert "5 dialogues unfinished" in ended.out + ended.err
    again = run(after=1_000)
    assert (again.code, "not kept" in again.err, verdicts()) == (0, False, 5)


def test_a_run_says_that_another_model_than_the_asked_one_judges(tmp_path: Path) -> None:
    def served(_: str, body: bytes | None) -> Said:
        if body is None:
            return between.said({"object": "list", "data": [{"id": "small"}, {"id": "judge"}]})
        asked = json.loads(body)
        judged = asked["model"] == "judge"
        text = verdict(asked) if judged else sensible(asked["messages"])
        choice = {"finish_reason": "stop", "message": {"role": "assistant", "content": text}}
        name = "house-backup" if judged else "small"
        return between.said({"id": "r", "model": name, "choices": [choice], "usage": between.usage(asked)})

    asked = ("-e", "stability", "--runs", "1", "-j", "local/judge", "--trust-judge", "--delivery", "user_role")
    with between.serving(served) as there:
        where = ("--local-url", there.url, "--no-stream", "--db", "x.db")
        ended = command.run("run", "-m", "local/small", *asked, *where, cwd=tmp_path)
    assert ended.err.count("local/judge: answers say that `house-backup` gave them") == 1
