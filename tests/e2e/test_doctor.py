"""What doctor finds, and that it spends three calls and the delivery probe on finding it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e import command, endpoint, suites
from tests.e2e.endpoint import Served

FAULTS = "401@always,404@never,429@yield-80,402@yield-65,altered@yield-35,reasoning-only@yield-20"


Rows = dict[tuple[str, str], dict[str, Any]]  # (check, of) -> what JSON says of it


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with endpoint.serving(tmp_path_factory.mktemp("served"), "--faults", FAULTS) as served:
        yield served


@pytest.fixture
def served(tmp_path: Path, running: Served, monkeypatch: pytest.MonkeyPatch) -> Served:
    """An endpoint whose models fail, each in its way; the models file of the working directory points at it."""
    monkeypatch.chdir(tmp_path)
    endpoint.models_file(tmp_path, running.base_url)
    return running.from_now()


def doctor(*more: str, **env: str) -> Rows:
    """The findings; the exit code is 1 exactly when one failed."""
    ended = command.run("doctor", "--format", "json", *more, env={"LOOP_KEY": endpoint.KEY} | env)
    assert endpoint.KEY not in ended.out + ended.err
    listed = ended.board["doctor"]["rows"]
    assert ended.code == any(row["result"] == "fail" for row in listed)
    found = {}
    for row in listed:  # those of the delivery probe are told apart by how it asked
        how = f", {row['found'].partition(':')[0]}" if row["check"] == "delivery" else ""
        found[row["check"] + how, row["of"]] = row
    assert len(found) == len(listed)
    return found


def test_a_subject_and_a_judge_in_order_pass_in_three_calls(served: Served) -> None:
    found = doctor("-m", "loop/half", "--judge", "loop/judge")
    assert {row["result"] for row in found.values()} == {"ok", "skipped"}
    assert [check for check, of in found if of == "loop/half"] == [
        "model", "tools", "effort", "price", "context", "answer", "tool call", "delivery, user_role",
        "delivery, tool_role",
    ]  # fmt: skip
    assert found["verdict", "loop/judge"]["found"] == "complete"
    assert [request.model for request in served.requests()] == ["half", "half", "judge"]
    everything = served.log.everything()
    spent = sum(row["cost_usd"] for row in found.values() if row["cost_usd"] is not None)
    assert spent == pytest.approx(sum(request.cost_usd for request in everything))
    assert len(everything) == 3 + endpoint.PROBED + 16 + endpoint.PROBED_JUDGE
    found = doctor("-m", "local/half", "--judge", "local/judge", "--local-url", served.base_url)
    assert found["verdict", "local/judge"]["result"] == "ok"
    assert len(served.requests()) == 3 + 3  # on a local server, too


FAILURES = {  # model -> what is wrong, and what to do
    "always": ("fail", "key was refused", "check LOOP_KEY"),
    "never": ("fail", "HTTP 404", "provider pin"),
    "yield-80": ("fail", "429 after 2 attempts", "until the limit is lifted"),
    "yield-65": ("fail", "out of credit", "add credit"),
    "yield-35": ("fail", "context_compression", "prompt compression"),
    "yield-20": ("warn", "only reasoning came", "reasoning effort"),
}


def test_a_model_that_fails_is_told_with_what_to_do_and_hides_no_other(served: Served) -> None:
    for model, (result, says, fix) in FAILURES.items():
        found = doctor("-m", f"loop/{model}", "--judge", "loop/judge")
        answer = found["answer", f"loop/{model}"]
        assert (answer["result"], says in answer["found"], fix in str(answer["fix"])) == (result, True, True), (
            model,
            answer,
        )
        assert found["verdict", "loop/judge"]["result"] == found["delivery, judge", "loop/judge"]["result"] == "ok"
        assert found["price", f"loop/{model}"]["result"] == "ok"


def test_no_tools_no_price_and_a_judge_that_talks(served: Served) -> None:
    judge = "loop/judge:prose"
    found = doctor("-m", "loop/half:no-tools", "--judge", judge)
    assert found["tools", "loop/half:no-tools"]["result"] == "fail"
    assert "--delivery user_role" in str(found["tools", "loop/half:no-tools"]["fix"])
    assert ("tool call", "loop/half:no-tools") not in found
    assert found["verdict", judge]["result"] == "fail"
    assert "--judge cues" in str(found["verdict", judge]["fix"])
    assert doctor("-m", "loop/half:unpriced")["price", "loop/half:unpriced"]["result"] == "warn"
    assert len(served.requests()) == (1 + 1) + 2


def test_without_a_key_that_is_let_in_everything_that_is_free_is_still_checked(served: Served, tmp_path: Path) -> None:
    for key in ("", "your-key-here"):
        env = {"OPENROUTER_BASE_URL": served.base_url, "OPENROUTER_API_KEY": key}
        found = doctor("-m", "yield/20", **env)
        assert found["key", "openrouter"]["result"] == "fail"
        assert "independence demo" in str(found["key", "openrouter"]["fix"])
        assert found["endpoint", "openrouter"]["result"] == "ok"
        assert "yield-20" in (found["model", "yield/20"]["fix"] or "")
        assert found["answer", "yield/20"]["found"] == "its key is missing"
    assert served.requests() == []
    with endpoint.serving(tmp_path, "--key", "sk-another", name="strict") as strict:
        endpoint.models_file(tmp_path, strict.base_url)
        found = doctor("-m", "loop/half")
        assert strict.requests() == []
    assert (found["key", "loop"]["result"], found["key", "loop"]["fix"]) == ("fail", "check LOOP_KEY")
    assert found["price", "loop/half"]["result"] == "ok"
    assert found["answer", "loop/half"]["found"] == "its key is refused"


def test_without_a_model_endpoints_are_checked_and_nothing_is_asked(served: Served, tmp_path: Path) -> None:
    env = {"OPENROUTER_BASE_URL": served.base_url, "OPENROUTER_API_KEY": endpoint.KEY}
    found = doctor(**env, LOCAL_MODEL_URL="http://127.0.0.1:9")
    endpoints = {of: row["result"] for (check, of), row in found.items() if check == "endpoint"}
    assert list(endpoints.items()) == [("openrouter", "ok"), ("local", "fail"), ("loop", "ok")]
    assert found["key", "openrouter"]["found"] == "OPENROUTER_API_KEY is accepted"
    notes = command.run("doctor", "--format", "json", env=env).board["doctor"]["notes"]
    assert "independence doctor -m MODEL" in notes[-1]
    assert served.requests() == []
    assert not (tmp_path / "independence.db").exists()


def test_it_tells_which_keys_are_set_by_their_variables_and_asks_only_where_one_is(served: Served) -> None:
    env = {"ANTHROPIC_API_KEY": "sk-ant-0123456789", "MISTRAL_API_KEY": "your-key"}
    ended = command.run("doctor", "--format", "json", env=env | {"LOOP_KEY": endpoint.KEY})
    assert "sk-ant-0123456789" not in ended.out + ended.err
    states = {row["endpoint"]: (row["variable"], row["state"]) for row in ended.board["keys"]["rows"]}
    assert states.pop("anthropic-api") == ("ANTHROPIC_API_KEY", "set")
    assert states.pop("mistral-api") == ("MISTRAL_API_KEY", "placeholder")
    assert states["google-api"] == ("GEMINI_API_KEY or GOOGLE_API_KEY or GOOGLE_AI_API_KEY", "not set")
    assert {state for _, state in states.values()} == {"not set"}
    asked = {row["of"]: row for row in ended.board["doctor"]["rows"] if row["check"] == "endpoint"}
    assert asked.keys() == {"loop", "anthropic-api"}
    assert "is not read" in asked["anthropic-api"]["found"]
    named = doctor("--endpoint", "azure-api")
    assert named["endpoint", "azure-api"]["result"] == "fail"
    assert "AZURE_OPENAI" in named["endpoint", "azure-api"]["found"]
    for line in (["--endpoint", "azure"], ["--endpoint", "loop", "-m", "loop/half"]):
        assert command.run("doctor", *line).code == 2


def test_everything_that_is_broken_is_told_at_once(served: Served, tmp_path: Path) -> None:
    (tmp_path / "models.yaml").write_text("models:\n  - model: a/b\n")
    (tmp_path / "here.db").write_text("this is a letter, and no store of anything that was ever asked\n" * 9)
    env = {"BENCH_MAX_RETRIES": "many"}
    found = doctor("-m", "sim/havf", "--judge", "jugde", "--db", "here.db", **env)
    failed = {check: row for (check, _), row in found.items() if row["result"] == "fail"}
    assert list(failed) == ["store", "settings", "models file", "judge", "model"]
    assert "not a store of this program" in failed["store"]["found"]
    assert "models.yaml:2: unknown key `model`" in failed["models file"]["found"]
    assert failed["model"]["fix"] == "did you mean `sim/half`?"
    assert all(row["fix"] for row in failed.values())


def test_a_bare_id_with_several_configurations_is_looked_at_in_one(served: Served, tmp_path: Path) -> None:
    file = tmp_path / "models.yaml"
    more = "models:\n  - {model_id: sim/half, temperature: 0.1}\n  - {model_id: sim/half, temperature: 0.2}\n"
    file.write_text(more + file.read_text())
    found = doctor("-m", "sim/half")
    assert found["configuration", "sim/half"]["found"] == "2 are active; this is about `sim/half@none-t0.1`"
    assert "`sim/half@none-t0.2`" in str(found["configuration", "sim/half"]["fix"])


def test_a_simulated_subject_needs_no_key_and_the_judge_of_run_is_not_asked_elsewhere(tmp_path: Path) -> None:
    ended = command.run("doctor", "-m", "sim/half", cwd=tmp_path, env={"COLUMNS": "80"})
    assert ended.code == 0
    assert "name the judge that you will use with --judge" in " ".join(ended.out.split())
    assert "$0.000000 for calls to models" in ended.out
    assert max(map(len, ended.out.splitlines())) <= 80
    assert list(tmp_path.iterdir()) == []


def test_a_store_is_looked_at_and_not_touched(served: Served, tmp_path: Path) -> None:
    db = tmp_path / "here.db"
    suites.write(tmp_path / "harbour", suites.harbour())
    ran = command.run("run", "--suite", "harbour", "-m", "sim/half", "-j", "cues", "--runs", "1", "--db", "here.db")
    assert ran.code == 0, ran.err
    before = db.read_bytes()
    found = doctor("-m", "sim/half", "--judge", "cues", "--db", "here.db")
    assert found["store", "here.db"]["result"] == "ok"
    assert found["leases", "here.db"]["found"] == "no process works on it"
    assert found["judge", "cues"]["result"] == "ok"
    assert db.read_bytes() == before
    assert not list(tmp_path.glob("here.db-*"))
