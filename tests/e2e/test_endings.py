"""What ends a run or a model for good: the exit code, what is kept, what is said, and that the same command goes on."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.e2e import between, command, endpoint, suites
from tests.e2e.between import Said
from tests.e2e.command import Ended

ENV = {"LOOP_KEY": endpoint.KEY}
CALLS = 2 * 2 * (5 + 3)  # subjects x runs x (answers + verdicts)
RUN = (
    "run", "--models-file", "models.yaml", "--suite", "harbour", "-m", "loop/half,loop/never", "-j", "loop/judge",
    "--runs", "2", "-p", "1", "-pt", "4", "--format", "json", "--db", "here.db",
)  # fmt: skip


PROBED = 2 * endpoint.PROBED + endpoint.PROBED_JUDGE  # requests before the first of the run


@pytest.fixture(autouse=True)
def _suite(tmp_path: Path) -> None:
    suites.write(tmp_path / "harbour", suites.harbour())


def attempt(folder: Path, name: str, *options: str, key: str = endpoint.KEY) -> tuple[Ended, endpoint.Served]:
    """The same command against an endpoint of its own."""
    with endpoint.serving(folder, *options, name=name) as served:
        endpoint.models_file(folder, served.base_url)
        return command.run(*RUN, cwd=folder, env={"LOOP_KEY": key}), served


def assert_no_key(folder: Path, *ended: Ended) -> None:
    """The key is in nothing that was printed and in no file of the store."""
    for one in ended:
        assert endpoint.KEY not in one.out + one.err
    stores = list(folder.glob("here.db*"))
    assert not any(endpoint.KEY.encode() in path.read_bytes() for path in stores)


@pytest.mark.parametrize(
    ("fault", "code", "says", "stops"),
    [
        ("401", 2, "the API key was refused", True),
        ("402", 3, "out of credit", True),
        ("403", 3, "spending limit", True),
        ("404", 3, "No endpoint serves this request", False),
    ],
)
def test_what_ends_a_run_or_a_model_keeps_what_was_answered_and_the_same_command_goes_on(
    tmp_path: Path, fault: str, code: int, says: str, stops: bool
):
    db = tmp_path / "here.db"
    stopped, broken = attempt(tmp_path, "broken", "--faults", f"{fault}+{PROBED + 12}")
    assert stopped.code == code, stopped.err
    assert "Traceback" not in stopped.err
    assert says in (command.one_sentence(stopped) if stops else stopped.err)
    assert ("the same command resumes" in stopped.err) is stops
    answered = sum(request.status == 200 for request in broken.requests())
    assert command.kept(db) == answered > 0
    assert not command.missing(db)

    mended, whole = attempt(tmp_path, "whole")
    assert mended.code == 0, mended.err
    assert command.kept(db) == CALLS
    assert len(whole.requests()) == CALLS - answered
    assert set(whole.asked().values()) == {1}
    assert all(row["coverage"] == 1 for row in mended.board["rows"])
    assert_no_key(tmp_path, stopped, mended)


def test_a_key_refused_and_a_server_down_before_anything_is_asked_leave_no_trace(tmp_path: Path):
    stopped, served = attempt(tmp_path, "strict", "--key", "sk-another-key-altogether")
    assert "the API key was refused" in command.one_sentence(stopped)
    assert (stopped.code, "LOOP_KEY" in stopped.err, served.requests()) == (2, True, [])
    assert_no_key(tmp_path, stopped)
    stopped, _ = attempt(tmp_path, "broken", "--faults", "502")
    sentence = command.one_sentence(stopped)
    assert "loop/judge as judge: 502 after 7 attempts: HTTP 502: The provider gave no valid response" in sentence
    assert (stopped.code, sentence.endswith("response; the same command asks again")) == (2, True)
    assert not (tmp_path / "here.db").exists()


def test_a_daily_quota_of_one_model_does_not_keep_the_other_from_its_index(tmp_path: Path):
    # Of six answers at most four begin a dialogue of two turns; the others end one.
    stopped, _ = attempt(tmp_path, "broken", "--faults", f"daily@half+{endpoint.PROBED + 6}")
    assert stopped.code == 3
    parked = [line for line in stopped.err.splitlines() if "is not asked any more" in line]
    assert len(parked) == 1
    assert re.search(r"resets in [\d.]+ h, at \d{4}-", parked[0])
    rows = {row["label"].split("@")[0]: row for row in stopped.board["rows"]}
    assert (rows["loop/never"]["index"] is not None, rows["loop/never"]["coverage"]) == (True, 1)
    assert (rows["loop/half"]["rank"], rows["loop/half"]["index"]) == (2, None)
    assert 0 < rows["loop/half"]["coverage"] < 1
    low, high = rows["loop/half"]["bounds"]
    assert low < high
    mended, whole = attempt(tmp_path, "whole")
    assert mended.code == 0
    assert {request.model for request in whole.requests()} == {"half", "judge"}
    assert set(whole.asked().values()) == {1}
    assert_no_key(tmp_path, stopped, mended)


def test_a_moderated_prompt_is_a_result_and_is_not_asked_again(tmp_path: Path):
    db = tmp_path / "here.db"
    stopped, broken = attempt(tmp_path, "broken", "--faults", f"moderation@half=0.3+{endpoint.PROBED + 1}")
    struck = sum(request.fault == "moderation" for request in broken.requests())
    assert stopped.code == 3
    assert "blocked" in stopped.err
    assert struck > 0
    assert command.missing(db) == {"blocked": struck}
    half = next(row for row in stopped.board["rows"] if "half" in row["label"])
    assert half["index"] is None
    assert half["flags"]["missing:blocked"] == struck
    again, calm = attempt(tmp_path, "calm")
    assert again.code == 3
    assert calm.requests() == []
    assert again.scores == stopped.scores
    assert_no_key(tmp_path, stopped, again)


@pytest.mark.parametrize(("status", "in_probe"), [(401, True), (401, False), (403, False), (500, True), (500, False)])
def test_a_server_that_echoes_the_key_does_not_get_it_into_anything_we_write(
    tmp_path: Path, status: int, in_probe: bool
):

    def answer(path: str, body: bytes | None) -> Said:
        if path.endswith("/models"):
            return between.said({"data": [{"id": "half"}, {"id": "never"}, {"id": "judge"}]})
        if path.endswith("/key"):
            return between.said({"data": {}})
        if not in_probe and between.is_probe(asked := json.loads(body or b"{}")):
            message = {"role": "assistant", "content": "It is."}
            return between.said({"choices": [{"message": message}], "usage": between.usage(asked)})
        return between.said({"error": {"code": status, "message": f"Who is Bearer {endpoint.KEY}?"}}, status)

    with between.serving(answer) as tapped:
        endpoint.models_file(tmp_path, tapped.url)
        ended = command.run(*RUN, cwd=tmp_path, env={"LOOP_KEY": endpoint.KEY, "BENCH_MAX_RETRIES": "1"})
    assert ended.code == (2 if in_probe or status == 401 else 3), ended.err
    assert "Who is Bearer [key]" in ended.err
    assert (tmp_path / "here.db").exists() != in_probe
    if not in_probe:
        assert command.ask(tmp_path / "here.db", "SELECT count(*) FROM failures WHERE detail LIKE '%[key]%'") > [(0,)]
    assert_no_key(tmp_path, ended)


def test_a_fault_that_outlasts_the_retries_is_asked_again_by_the_same_command(tmp_path: Path):
    stopped, broken = attempt(tmp_path, "broken", "--faults", f"502+{PROBED + 12}")
    assert stopped.code == 3
    assert "502 after 7 attempts" in stopped.err
    assert "asked again on resume" in stopped.err
    assert set(broken.asked().values()) == {1, 7}
    mended, whole = attempt(tmp_path, "whole")
    assert mended.code == 0, mended.err
    assert len(whole.requests()) == CALLS - 11
    assert command.kept(tmp_path / "here.db") == CALLS
