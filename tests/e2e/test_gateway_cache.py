"""Runs through gateways that keep replies, or have others give them: who answered how often is part of what is said."""

from __future__ import annotations

import json
import threading
import uuid
from pathlib import Path
from typing import Any

from tests.e2e import between, command, refusals, suites
from tests.e2e.between import Said, Tapped


class Gateway:
    """Keeps replies as LiteLLM does: the same request gets the same reply, until told not to.

    `deaf`: it replays whatever it is asked, and says nothing of it.
    """

    def __init__(self, *, deaf: bool) -> None:
        self.deaf = deaf
        self.lock = threading.Lock()
        self.kept: dict[str, str] = {}

    def __call__(self, path: str, body: bytes | None) -> Said:
        if body is None:
            return between.said({"data": [{"id": "m"}]})
        asked = json.loads(body)
        told = asked.pop("cache", {})
        with self.lock:
            key = json.dumps(asked)
            hit = key in self.kept and (self.deaf or not told.get("no-cache", False))
            text = self.kept[key] if hit else f"I think so, and I say it as I see it: {uuid.uuid4()}."
            self.kept[key] = text
        signed = {} if self.deaf else {"x-litellm-call-id": "1"} | ({"x-litellm-cache-key": "k"} if hit else {})
        choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        document = {"id": "1", "model": "m", "choices": [choice], "usage": between.usage(asked)}
        return between.said(document)._replace(headers=signed)


def run(folder: Path, served: Tapped, *more: str) -> dict[str, Any]:
    suites.write(folder / "harbour", suites.harbour())
    ended = command.run(
        "run", "--suite", "harbour", "-m", "local/m", "--local-url", served.url, "-j", "cues", "--runs", "3", "--quiet",
        "--format", "json", "--db", "here.db", *more, cwd=folder,
    )  # fmt: skip
    assert ended.code in (0, 3), ended.err
    return ended.board


def test_litellm_is_told_to_ask_anew_so_that_every_run_is_one(tmp_path: Path):
    with between.serving(Gateway(deaf=False)) as served:
        board = run(tmp_path, served)
    ((count, different),) = command.ask(tmp_path / "here.db", "SELECT count(*), count(DISTINCT text) FROM calls")
    assert count == different
    assert (board["repeats"], board["rows"][0]["runs"]) == ([], 3)
    told = [exchange.asked.get("cache") for exchange in served.exchanges]
    assert told.count({"no-cache": True}) >= 6  # what follows the first answers


def test_where_a_cache_cannot_be_told_its_runs_count_once_and_nothing_is_made_of_zero_noise(tmp_path: Path):
    with between.serving(Gateway(deaf=True)) as served:
        board = run(tmp_path, served, "-p", "1", "-pt", "1")
        run(tmp_path, served, "-p", "1", "-pt", "1", "-t", "0")
    assert not any("cache" in exchange.asked for exchange in served.exchanges)
    (row,) = board["rows"]
    assert (row["runs"], row["ci"], row["tier"], row["rank"]) == (1, None, None, None)
    assert board["repeats"][0].startswith("local/m@low-t0.7: runs 2, 3 are the same, word for word, as run 1")
    said = command.run("leaderboard", "--explain", "--db", "here.db", cwd=tmp_path).out
    assert "deterministic at temperature 0, so there is only one run" in " ".join(said.split())
    compared = command.run("compare", "local/m@low-t0.7", "local/m@low-t0.0", "--db", "here.db", cwd=tmp_path).out
    assert "counted once" in " ".join(compared.split())
    report = command.run("generate-report", "-o", "report.md", "--db", "here.db", cwd=tmp_path)
    assert report.code == 0, report.err
    text = (tmp_path / "report.md").read_text()
    assert "| repeated run | 12 |" in text
    assert "points apart" not in said + text
    # One judge is nobody to agree with.
    assert refusals.wrong(tmp_path, {"validate-judges --db here.db": "judge"}) == {}


class Fallback:
    """A gateway that has another model of its list answer every second request, and signs for it."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, path: str, body: bytes | None) -> Said:
        if body is None:
            return between.said({"data": [{"id": "m"}, {"id": "backup"}]})
        self.asked += 1
        choice = {"message": {"role": "assistant", "content": f"I think so: {uuid.uuid4()}."}, "finish_reason": "stop"}
        model = ("m", "backup")[self.asked % 2]
        return between.said({"id": "1", "model": model, "choices": [choice], "usage": between.usage(json.loads(body))})


def test_a_board_of_two_models_says_so_and_has_no_index_of_them(tmp_path: Path):
    with between.serving(Fallback()) as served:
        (row,) = (board := run(tmp_path, served))["rows"]
        assert row["index"] is None
        assert "answers were given by `backup`, so their verdicts do not count" in board["repeats"][0]
        words = ("run", "--suite", "harbour", "-m", "local/m", "--local-url", served.url, "-j", "cues", "--yes")
        strict = command.run(*words, "--strict-model", "--db", "strict.db", cwd=tmp_path)
    assert strict.code == 3
    assert "`backup` answered, which is another model" in " ".join(strict.err.split())
    assert command.ask(tmp_path / "strict.db", "SELECT DISTINCT served_model FROM calls") in ([("m",)], [])
