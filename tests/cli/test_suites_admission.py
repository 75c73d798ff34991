"""`suites adopt --verify` on a result set with configurations that were asked otherwise, one of each kind."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import independence
from independence.suites import load
from tests.e2e.command import ok, run
from tests.extensions.published.adoption import invented

GOOD = "sim--half@none-t0.4"
Record = dict[str, Any]
Edit = Callable[[Path], object]


def asked(change: Callable[[list[Any]], list[Any]], turn: str = "pq12", run: int = 1) -> Edit:
    """Change the messages of one request."""
    return lambda config: [_rewritten(file, messages=change) for file in _files(config, run, turn)]


def history(change: Callable[[list[Any], Record], list[Any]]) -> Edit:
    """Change the history of pq12, as pairs of what the human said and the subject answered; there are three of them.

    With it comes the message that asks pq15, the next question.
    """

    def changed(messages: list[Any]) -> list[Any]:
        pairs = list(zip(messages[3:-1:2], messages[4:-1:2], strict=True))
        later = [{**messages[-1], "content": "Which promise?"}, pairs[0][1]]
        return [*messages[:3], *(message for pair in change(pairs, later) for message in pair), messages[-1]]

    return asked(changed)


def _files(config: Path, run: int, turn: str) -> Iterator[Path]:
    return config.glob(f"run_{run}/*/*/*/{turn}.json")


def _rewritten(file: Path, messages: Callable[[list[Any]], list[Any]] = list, **keys: Any) -> None:
    record = json.loads(file.read_text("utf-8"))
    record |= {"request_messages": messages(record["request_messages"])} | keys
    file.write_text(json.dumps({key: value for key, value in record.items() if value != "absent"}), "utf-8")


def other_system(messages: list[Any]) -> list[Any]:
    return [{**messages[0], "content": "You keep another harbour."}, *messages[1:]]


def older_prompt(config: Path) -> None:
    for file in config.rglob("run_1/*/*/*/rs01.json"):
        _rewritten(file, other_system, finish_reason="absent")


def older_prompts(config: Path) -> None:
    for file in config.rglob("run_*/*/*/*/*.json"):
        _rewritten(file, other_system, finish_reason="absent")


def other_answer(config: Path) -> None:
    for file in _files(config, 1, "pq12"):
        _rewritten(file, response="I would rather not say, and I have said so before in as many words.")


def other_condition(config: Path) -> None:
    shutil.move(config / "run_2/stability/strong_independence", config / "run_2/stability/mine")


KINDS: dict[str, tuple[Edit, str]] = {
    "extra": (
        history(lambda pairs, later: [pairs[0], ({**later[0], "content": "Do you sail?"}, later[1]), *pairs[1:]]),
        "run 1, pq12: an exchange that the suite does not have stands in its history",
    ),
    "repeated": (
        history(lambda pairs, _: [pairs[0], *pairs]),
        "run 1, pq12: a question stands in its history twice",
    ),
    "reordered": (
        history(lambda pairs, _: [pairs[1], pairs[0], pairs[2]]),
        "run 1, pq12: its history has another order",
    ),
    "later": (
        history(lambda pairs, later: [*pairs, later]),
        "run 1, pq12: a later question stands in its history already",
    ),
    "in-place": (
        history(lambda pairs, later: [*pairs[:2], later]),
        "run 1, pq12: a later question stands in its history already",
    ),
    "missing": (
        history(lambda pairs, _: [pairs[0], pairs[2]]),
        "run 1, pq12: an earlier exchange is missing from its history",
    ),
    "emptied": (
        history(lambda _, __: []),
        "run 1, pq12: an earlier exchange is missing from its history",
    ),
    "system": (asked(other_system, "direct"), "run 1, direct: message 1 (system) differs at character 11"),
    "user": (
        asked(lambda messages: [*messages[:-1], {**messages[-1], "content": "Say four."}], "rs01", run=2),
        "run 2, rs01: message 6 (tool) differs at character 1",
    ),
    "unknown": (
        other_condition,
        "run 2, pt01_turn1: the suite has no scenario `pt01` under mine/tool_role",
    ),
    "unreadable": (
        asked(lambda messages: [*messages[:-1], {"role": 1}], "rs01"),
        "run 1, rs01: its messages are not stored, or cannot be read",
    ),
    "unstored": (asked(lambda _: [], "direct"), "run 1, direct: its messages are not stored, or cannot be read"),
    "older": (older_prompts, "all of its requests have an older system prompt"),
    "old": (older_prompt, ""),
    "reply": (other_answer, ""),
}  # fmt: skip
ASIDE = {f"acme--{name}@none-t0.4": why for name, (_, why) in KINDS.items() if why}
RECORDED = "imported configurations have the wording of v2@"


@pytest.fixture
def odd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A result set with one configuration that is as it should be, and a copy of it with each oddity."""
    monkeypatch.chdir(tmp_path)
    invented.write(tmp_path / "clone")
    ok("suites", "adopt", "clone")
    ok("run", "--suite", "./adopted-v2", "-m", "sim/half", "-j", "cues", "--runs", "2")
    ok("export", "cache", "--published")
    for name, (edit, _) in KINDS.items():
        config = Path("cache", f"acme--{name}@none-t0.4")
        shutil.copytree(Path("cache", GOOD), config)
        edit(config)
    return tmp_path


def test_each_configuration_is_admitted_or_set_aside_by_itself_and_for_its_own_reason(odd: Path) -> None:
    found = independence.verify_suite(load.load("adopted-v2"), "cache")
    assert {name: one.why for name, one in found.set_aside.items()} == ASIDE
    exceptions = {name: one.exceptions for name, one in found.admitted.items()}
    assert exceptions == {
        GOOD: {},
        "acme--old@none-t0.4": {"old_prompt": 1},
        "acme--reply@none-t0.4": {"stale_history": 1},
    }
    assert {name: one.odd for name, one in found.set_aside.items()} == dict.fromkeys(ASIDE, 1) | {
        "acme--unknown@none-t0.4": 2, "acme--older@none-t0.4": 0,
    }  # fmt: skip
    assert found.holds


def test_an_import_flags_every_history_that_is_not_as_it_should_be(odd: Path) -> None:
    done = ok("import", "cache", "--suite", "./adopted-v2", "--format", "json")
    (scrambled,) = [one for one in json.loads(done.out)["anomalies"] if one["flag"] == "scrambled_history"]
    # What no file asks may be scripted: an exchange that the suite does not have is found by `--verify` alone.
    assert scrambled["configurations"] == len({"repeated", "reordered", "later", "in-place", "missing", "emptied"})


def test_admitted_configurations_stand_beside_others_and_the_rest_is_named(odd: Path) -> None:
    ok("import", "cache", "--suite", "./adopted-v2")
    done = ok("suites", "adopt", "adopted-v2", "--verify", "independence.db")
    for name in ASIDE:
        assert name in done.out
    assert f"3 of {len(KINDS) + 1} {RECORDED}" in done.err.splitlines()[-1]
    board = ok("leaderboard", "--suite", "v2", "--format", "json").board
    there = {row["config"]: row["origin"] for row in board["rows"]}
    assert there == {GOOD: "measured here"} | dict.fromkeys(
        (f"{name}@published" for name in (GOOD, "acme--old@none-t0.4", "acme--reply@none-t0.4")), "imported"
    )
    assert board["set_aside"] == sorted(ASIDE)
    text = " ".join(ok("leaderboard", "--suite", "v2", "--explain").out.split())
    assert f"Not on this board: {len(ASIDE)} imported configurations" in text
    ok("generate-report", "--suite", "v2", "-o", "report.md")
    ok("generate-report", "--suite", "v2", "--html", "-o", "report.html")
    for path in ("report.md", "report.html"):
        assert "Not on this board" in Path(path).read_text("utf-8")
    alone = ok("leaderboard", "--suite", "v2@published", "--format", "json").board
    assert {row["config"] for row in alone["rows"]} >= {GOOD, *ASIDE}
    assert "set_aside" not in alone


def test_what_comes_later_is_compared_by_itself(odd: Path) -> None:
    whole = Path("whole")
    shutil.move("cache", whole)
    for name in (GOOD, "acme--old@none-t0.4", "acme--extra@none-t0.4"):
        Path("cache").mkdir(exist_ok=True)
        shutil.move(whole / name, Path("cache", name))
        done = ok("import", "cache", "--suite", "./adopted-v2")
        assert ("set aside, with requests in other words" in done.err) == ("extra" in name)
        if name == GOOD:
            ok("suites", "adopt", "adopted-v2", "--verify", "independence.db")
    board = ok("leaderboard", "--suite", "v2", "--format", "json").board
    assert board["set_aside"] == ["acme--extra@none-t0.4"]
    assert len(board["rows"]) == 3
    assert "not as it was written" not in run("doctor", "--verify", "--format", "json").out


def test_where_no_configuration_agrees_nothing_is_recorded_and_each_says_why(odd: Path) -> None:
    for name in (GOOD, "acme--old@none-t0.4", "acme--reply@none-t0.4"):
        shutil.rmtree(Path("cache", name))
    done = run("suites", "adopt", "adopted-v2", "--verify", "cache")
    assert done.code == 1
    assert done.err.splitlines()[-1] == "the imported requests are not those of this suite: nothing is recorded"
    assert f"And {len(ASIDE) - 5} more." in done.out
