"""How long answers of local models may be: limits, slots, loops, cut answers, and what a run says of time."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from independence.testing import Endpoint
from tests.e2e import command, refusals
from tests.e2e.command import Ended

FREE = "0/0"
ASKED = ("-e", "stability", "--runs", "1", "--delivery", "user_role", "-j", "cues", "--db", "x.db")
CALLS = 10
SUITE = 2048  # tokens of an answer, as the suite has it


def run(cwd: Path, server: Endpoint, *more: str) -> Ended:
    return command.run("run", *ASKED, "--local-url", server.url, "--local-model", "half", *more, cwd=cwd)


def limits(server: Endpoint) -> set[int]:
    """Of the requests that were streamed: not those that count prompts, and not the one that takes the speed."""
    return {body["max_tokens"] for body in server.bodies if body.get("stream")} - {32}


def configurations(db: Path) -> dict[str, int]:
    """Of the store -> how many of their calls it holds."""
    return dict(command.ask(db, "SELECT config_dir, count(*) FROM planned JOIN calls USING (trial) GROUP BY 1"))


def test_a_limit_of_answers_makes_a_configuration_of_its_own(tmp_path: Path) -> None:
    with Endpoint(price=FREE) as server:
        for limit, name in ((None, "local--half@low-t0.7"), (100, "local--half@low-t0.7-m100")):
            before = server.requests
            ended = run(tmp_path, server, *(("--max-tokens", str(limit)) if limit else ()))
            assert ended.code == 0, ended.err
            assert limits(server) == ({SUITE, limit} if limit else {SUITE})
            assert configurations(tmp_path / "x.db")[name] == CALLS
            assert server.requests > before
        assert {name for (name,) in command.ask(tmp_path / "x.db", "SELECT label FROM subjects")} == {
            "local/half@low-t0.7", "local/half@low-t0.7-m100",
        }  # fmt: skip
        asked = server.requests
        same = run(tmp_path, server, "--max-tokens", str(SUITE))  # nothing would be different
        assert "plan: 0 calls and 0 verdicts to go" in same.err
        stored = command.run("run", *ASKED, "--local-url", server.url, "-m", "local/half@low-t0.7-m100", cwd=tmp_path)
        assert "plan: 0 calls and 0 verdicts to go" in stored.err
        assert server.requests == asked
        more = command.run(
            "rerun", "-m", "local/half@low-t0.7-m100", "-R", "2", "-j", "cues", "--mode", "user_role", "--db", "x.db",
            "--local-url", server.url, cwd=tmp_path,
        )  # fmt: skip
        assert more.code == 0, more.err
        assert {body["max_tokens"] for body in server.bodies[asked:] if body.get("stream")} == {100}
        assert configurations(tmp_path / "x.db")["local--half@low-t0.7-m100"] == 2 * CALLS
    board = command.ok("leaderboard", "--mode", "user_role", "--db", "x.db", "--format", "json", cwd=tmp_path).board
    assert {row["config"] for row in board["rows"]} == {"local--half@low-t0.7", "local--half@low-t0.7-m100"}


def test_a_published_folder_of_such_a_configuration_is_read_again(tmp_path: Path) -> None:
    with Endpoint(price=FREE) as server:
        assert run(tmp_path, server, "--max-tokens", "100").code == 0
    command.ok("export", "out", "--published", "--db", "x.db", cwd=tmp_path)
    command.ok("import", "out", "--db", "y.db", cwd=tmp_path)
    assert command.ask(tmp_path / "y.db", "SELECT DISTINCT config_dir FROM planned") == [("local--half@low-t0.7-m100",)]


def test_a_models_file_limits_answers_and_verdicts(tmp_path: Path) -> None:
    (tmp_path / "models.yaml").write_text(
        "models:\n"
        "  - {model_id: local/half, max_tokens: 40}\n"
        "  - {model_id: local/judge, max_tokens: 900}\n"
    )  # fmt: skip
    with Endpoint(price=FREE) as server:
        ended = command.run(
            "run", *ASKED[:-4], "--db", "x.db", "-m", "local/half", "-j", "local/judge", "--local-url", server.url,
            cwd=tmp_path,
        )  # fmt: skip
        assert ended.code == 0, ended.err
        assert limits(server) == {40, 900}
    for key, words in (
        ("0", ">= 1"),
        ("-4", ">= 1"),
        ("2000000", "<= 1000000"),
        ("many", "whole number"),
        ("1.5", "whole number"),
    ):
        (tmp_path / "models.yaml").write_text(f"models:\n  - {{model_id: local/half, max_tokens: {key}}}\n")
        said = command.refused("run", "-m", "local/half", "-j", "cues", cwd=tmp_path)
        assert ("models.yaml" in said, "max_tokens" in said, words in said) == (True, True, True), said


def test_a_limit_that_can_be_none_is_refused(tmp_path: Path) -> None:
    within = ["from 1 to 1,000,000"]
    lines = {f"run -m sim/half -j cues --max-tokens {value}": within for value in (0, -1, 10**6 + 1, 10**30)}
    lines |= {f"check -m sim/half -j cues --min-index 5 --max-tokens {value}": within for value in (0, -1)}
    words = ["--max-tokens", "integer"]
    lines |= {f"run -m sim/half -j cues --max-tokens {value}": words for value in ("many", "1.5", "nan")}
    assert refusals.wrong(tmp_path, lines) == {}


@pytest.mark.parametrize(
    ("ways", "more", "most"), [("props=1", (), 1), ("props=6", (), 5), ("", (), 4), ("props=2", ("-pt", "5"), 5)]
)
def test_as_many_calls_are_in_flight_as_the_server_has_slots(
    tmp_path: Path, ways: str, more: tuple[str, ...], most: int
) -> None:
    with Endpoint(ways=ways, price=FREE, latency=0.02) as server:
        ended = run(tmp_path, server, "--no-stream", *more)
        assert ended.code == 0, ended.err
        assert server.log.max_in_flight == most  # there are five dialogues


def test_a_cut_answer_is_kept_at_once_and_a_loop_is_closed(tmp_path: Path) -> None:
    with Endpoint(price=FREE, faults="length") as server:
        assert run(tmp_path, server).code == 0
        asked = [body for body in server.bodies if body.get("stream") and body["max_tokens"] == SUITE]
    assert len(asked) == CALLS
    marks = command.ask(tmp_path / "x.db", "SELECT DISTINCT flags FROM calls")
    assert marks == [('["truncated"]',)]
    with Endpoint(price=FREE, ways="repeats") as server:
        ended = run(tmp_path, server, "--db", "y.db")
    assert (ended.code, "5 no_answer (the answer only repeats itself)" in ended.err) == (3, True), ended.err
    ends = command.ask(tmp_path / "y.db", "SELECT DISTINCT missing, completion_tokens < 300 FROM calls")
    assert ends == [("no_answer", 1)]


def test_before_its_first_call_a_run_says_what_it_will_take(tmp_path: Path) -> None:
    with Endpoint(price=FREE) as server:
        first = run(tmp_path, server)
        said = re.search(
            r"^local/half: about 10 calls, [\d,]+ tokens, \d+ (s|min) at [\d,]+ tokens/s$", first.err, re.MULTILINE
        )
        assert said, first.err
        speed = [body for body in server.bodies if body.get("stream") and body["max_tokens"] == 32]
        assert len(speed) == 1
        again = run(tmp_path, server, "--runs", "2")  # by what is stored now
        assert "local/half: about 10 calls, " in again.err
        assert [body for body in server.bodies if body.get("stream") and body["max_tokens"] == 32] == speed
        whole = run(tmp_path, server, "--no-stream", "--db", "y.db")
        assert re.search(r"\nlocal/half: about 10 calls, [\d,]+ tokens\n", whole.err), whole.err


def test_by_choice_answers_of_any_endpoint_are_streamed(tmp_path: Path) -> None:
    (tmp_path / "models.yaml").write_text("endpoints: []\n")
    with Endpoint() as server:
        for stream, flag in ((None, ()), (False, ()), (True, ()), (False, ("--stream",)), (None, ("--no-stream",))):
            setting = "" if stream is None else f", stream: {str(stream).lower()}"
            (tmp_path / "models.yaml").write_text(
                f"endpoints:\n  - {{name: box, base_url: '{server.url}', dialect: openrouter{setting}}}\n"
            )
            ended = command.run("run", *ASKED, "-m", "box/half", "--yes", *flag, cwd=tmp_path)
            streamed = bool(server.bodies[-1].get("stream"))
            assert (ended.code, streamed) == (0, bool(stream) if not flag else flag == ("--stream",)), ended.err
            (tmp_path / "x.db").unlink()
