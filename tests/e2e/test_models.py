"""Configurations, rosters, what names stand for, and the catalogue of an endpoint."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e import command, endpoint, suites
from tests.e2e.command import Ended

FILE = """
models:
  - {model_id: a/one, temperature: 1.0}
  - {model_id: a/one, provider: host/int4, display_label: one+host}
  - {model_id: a/one, reasoning_effort: high, active: false}
  - {model_id: loop/half}
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[endpoint.Served]:
    with endpoint.serving(
        tmp_path_factory.mktemp("served"), "--key", "sk-nobody", "--price", "half=0.075/0.3"
    ) as running:
        yield running


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, served: endpoint.Served, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a suite and a models file, to work in."""
    monkeypatch.chdir(tmp_path)
    suites.write(tmp_path / "harbour", suites.harbour())
    path = endpoint.models_file(tmp_path, served.base_url)
    path.write_text(path.read_text() + FILE)
    return tmp_path


def table(ended: Ended, name: str) -> list[dict[str, Any]]:
    assert ended.code == 0, ended.err
    return ended.board[name]["rows"]


def shown(*more: str, env: dict[str, str] | None = None) -> Ended:
    return command.run("models", "--format", "json", *more, env=env)


def test_what_ships_is_listed_without_a_models_file_of_ones_own(tmp_path_factory: pytest.TempPathFactory) -> None:
    ended = command.run("models", "--format", "csv", cwd=tmp_path_factory.mktemp("empty"))
    listed = list(csv.DictReader(io.StringIO(ended.out)))
    assert ended.code == 0
    assert [row["model_id"] for row in listed][:2] == ["sim/never", "sim/yield-20"]
    assert {row["endpoint"] for row in listed} == {"sim"}
    published = table(shown("--models-file", "published"), "configurations")
    assert "claude-opus-4.6@none-t0.7" in {row["label"] for row in published}


def test_every_configuration_of_the_models_file_is_listed_and_names_are_resolved_as_run_resolves_them() -> None:
    rows = table(shown(), "configurations")
    assert [(row["label"], row["endpoint"], row["provider"], row["active"]) for row in rows] == [
        ("one@low-t1.0", "openrouter", None, True),
        ("one+host", "openrouter", "host/int4", True),
        ("one@high-t0.7", "openrouter", None, False),
        ("loop/half@low-t0.7", "loop", None, True),
    ]
    assert rows[1]["config_dir"] == "a--one+host-int4@low-t0.7"
    rows = table(shown("-m", "a/one,one@high-t0.7,b/new"), "resolved")
    assert [(row["name"], row["found_by"], row["label"]) for row in rows] == [
        ("a/one", "id", "one@low-t1.0"),
        ("a/one", "id", "one+host"),
        ("one@high-t0.7", "label", "one@high-t0.7"),
        ("b/new", "default", "new@low-t0.7"),
    ]


def test_the_catalogue_of_openrouter_needs_no_key_and_one_of_ones_own_can_be_named(served: endpoint.Served) -> None:
    ended = shown("--catalogue", "HALF", env={"OPENROUTER_BASE_URL": served.base_url})
    rows = {row["id"]: row for row in table(ended, "catalogue")}
    assert list(rows) == ["half", "half:free", "half:no-tools", "half:unpriced"]
    assert rows["half"] == {
        "id": "half", "context_length": 131_072, "prompt_usd": 0.075, "completion_usd": 0.3, "tools": True,
        "reasoning": True, "supported": "temperature, seed, structured_outputs, response_format",
    }  # fmt: skip
    assert rows["half:no-tools"]["tools"] is False
    assert rows["half:unpriced"]["prompt_usd"] is None
    local = shown("--catalogue", "--local-url", served.base_url.removesuffix("/v1"))
    loop = shown("--endpoint", "loop", "--catalogue", env={"LOOP_KEY": endpoint.KEY})
    assert len(table(local, "catalogue")) == len(table(loop, "catalogue")) > 400
    assert local.board["catalogue"]["title"].endswith("models at local")


def test_the_catalogue_fits_where_there_is_little_room_and_has_parameters_on_request(served: endpoint.Served) -> None:
    arguments = ("models", "--catalogue", "--local-url", served.base_url)
    lines = command.ok(*arguments, env={"COLUMNS": "80"}).out.splitlines()
    assert max(map(len, lines)) <= 80
    listed = [line for line in lines if " yes " in line or " no " in line]
    assert len({line.split()[0] for line in listed}) == len(listed) > 400  # no id twice, none cut like another
    assert not any("structured_outputs" in line for line in lines)
    assert "structured_outputs" in command.ok(*arguments, "-d", env={"COLUMNS": "140"}).out


def test_what_cannot_be_shown_is_one_sentence(served: endpoint.Served) -> None:
    for line, says in (
        ("--catalogue haif", "model ids holds `haif`; near it: half"),
        ("--catalogue --local-url http://127.0.0.1:9", "no catalogue at http://127.0.0.1:9/v1 (connect: "),
        ("--catalogue --local-url http://127.0.0.1:99999", "`http://127.0.0.1:99999` is no address: its port"),
        ("--catalogue --endpoint lab", "no endpoint `lab`; there are openrouter, local, loop, openai-api"),
        ("--catalogue --endpoint local", "needs --local-url"),
        ("--catalogue --endpoint loop --local-url http://127.0.0.1:9", "ask one of them"),
        ("--catalogue x -m a/one", "ask for one of the two"),
        ("--endpoint loop", "add --catalogue"),
        ("-m nobody@low-t0.7", "no model `nobody@low-t0.7`"),
        ("--models-file absent.yaml", "absent.yaml"),
    ):
        ended = shown(*line.split(), env={"OPENROUTER_BASE_URL": served.base_url})
        assert (ended.code, ended.out, says in command.one_sentence(ended)) == (2, "", True), (line, ended.err)


RUN = ("run", "--suite", "harbour", "-j", "cues", "--runs", "1", "--db", "here.db", "--format", "json")


def test_many_models_are_never_asked_unless_named_and_what_they_would_cost_is_said_first() -> None:
    Path("models.yaml").unlink()
    ended = command.run("run")
    sentence = command.one_sentence(ended)
    assert ended.code == 2
    for phrase in ("-m", "--models-file published", "--roster default", "about $", "estimate-cost", "demo"):
        assert phrase in sentence
    Path("models.yaml").write_text("models: [sim/never, sim/half]\nroster: [sim/half]\n")
    ended = command.ok(*RUN, "--roster", "default")
    assert [row["label"] for row in ended.board["rows"]] == ["sim/half@none-t0.7"]
    assert "--roster" in command.refused(*RUN, "--roster", "default", "-m", "sim/never")


def test_a_simulated_model_is_asked_by_the_label_of_its_entry() -> None:
    Path("models.yaml").write_text("models:\n  - {model_id: sim/half, display_label: Halfway}\n")
    ended = command.ok(*RUN, "-m", "Halfway")
    assert [row["label"] for row in ended.board["rows"]] == ["Halfway"]


def test_a_model_that_takes_no_temperature_is_sent_none_and_board_export_and_doctor_say_so(tmp_path: Path) -> None:
    env, label = {"LOOP_KEY": endpoint.KEY}, "loop/half@low-t1.0"
    with endpoint.serving(tmp_path) as served:
        file = endpoint.models_file(tmp_path, served.base_url)
        entry = "{model_id: loop/half, temperature: 1.0, reasoning_effort: low, temperature_supported: false}"
        file.write_text(file.read_text() + f"models:\n  - {entry}\n")
        ended = command.run(*RUN, env=env)
        again = command.run(*RUN[:-2], "-t", "0.3", env=env)
        doctor = command.run("doctor", "-m", label, env=env)
    (row,) = ended.board["rows"]
    assert (row["label"], row["flags"]["temperature_unsent"]) == (label, 5)
    ((shape,),) = command.ask(Path("here.db"), "SELECT shape FROM trials LIMIT 1")
    assert '"temperature":null' in shape
    assert again.code == 0, again.err
    assert f"No temperature is sent to {label}" in again.out
    assert command.ask(Path("here.db"), "SELECT count(DISTINCT config_dir) FROM planned") == [(1,)]
    assert "temperature_supported: false" in " ".join(doctor.out.split())
    command.ok("export", "out", "--format", "csv", "--db", "here.db")
    with Path("out/subjects.csv").open() as lines:
        (subject,) = csv.DictReader(lines)
    assert subject["temperature_supported"].lower() == "false"
