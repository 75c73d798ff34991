"""Configurations, what names stand for, and the catalogue of an endpoint."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e import command, endpoint, screens
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


@pytest.fixture
def folder(tmp_path: Path, served: endpoint.Served, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = endpoint.models_file(tmp_path, served.base_url)
    path.write_text(path.read_text() + FILE)
    return tmp_path


def table(ended: Ended, name: str) -> list[dict[str, Any]]:
    assert ended.code == 0, ended.err
    return ended.board[name]["rows"]


def shown(*more: str, env: dict[str, str] | None = None) -> Ended:
    return command.run("models", "--format", "json", *more, env=env)


def test_without_a_models_file_the_simulated_panel_is_listed(tmp_path: Path) -> None:
    ended = command.run("models", "--format", "csv", cwd=tmp_path)
    listed = list(csv.DictReader(io.StringIO(ended.out)))
    assert ended.code == 0
    assert [row["model_id"] for row in listed][:2] == ["sim/never", "sim/yield-20"]
    assert {row["endpoint"] for row in listed} == {"sim"}


def test_every_configuration_of_the_models_file_is_listed(folder: Path) -> None:
    rows = table(shown(), "configurations")
    assert [(row["label"], row["endpoint"], row["active"]) for row in rows] == [
        ("one@low-t1.0", "openrouter", True),
        ("one+host", "openrouter", True),
        ("one@high-t0.7", "openrouter", False),
        ("loop/half@low-t0.7", "loop", True),
    ]
    assert [row["provider"] for row in rows] == [None, "host/int4", None, None]
    assert rows[1]["config_dir"] == "a--one+host-int4@low-t0.7"


def test_names_are_resolved_as_run_resolves_them(folder: Path) -> None:
    rows = table(shown("-m", "a/one,one@high-t0.7,b/new"), "resolved")
    assert [(row["name"], row["found_by"], row["label"]) for row in rows] == [
        ("a/one", "id", "one@low-t1.0"),
        ("a/one", "id", "one+host"),
        ("one@high-t0.7", "label", "one@high-t0.7"),
        ("b/new", "default", "new@low-t0.7"),
    ]


def test_the_catalogue_of_openrouter_needs_no_key(folder: Path, served: endpoint.Served) -> None:
    ended = shown("--catalogue", "HALF", env={"OPENROUTER_BASE_URL": served.base_url})
    rows = {row["id"]: row for row in table(ended, "catalogue")}
    assert list(rows) == ["half", "half:free", "half:no-tools", "half:unpriced"]
    assert rows["half"] == {
        "id": "half", "context_length": 131_072, "prompt_usd": 0.075, "completion_usd": 0.3, "tools": True,
        "reasoning": True, "supported": "temperature, seed, structured_outputs, response_format",
    }  # fmt: skip
    assert rows["half:no-tools"]["tools"] is False
    assert rows["half:unpriced"]["prompt_usd"] is None


def test_a_filter_may_be_left_out_and_a_server_of_ones_own_be_named(folder: Path, served: endpoint.Served) -> None:
    local = shown("--catalogue", "--local-url", served.base_url.removesuffix("/v1"))
    loop = shown("--endpoint", "loop", "--catalogue", env={"LOOP_KEY": endpoint.KEY})
    assert len(table(local, "catalogue")) == len(table(loop, "catalogue")) > 400
    assert local.board["catalogue"]["title"].endswith("models at local")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--catalogue", "haif"], "model ids holds `haif`; near it: half"),
        (["--catalogue", "--local-url", "http://127.0.0.1:9"], "no catalogue at http://127.0.0.1:9/v1 (connect: "),
        (["--catalogue", "--local-url", "http://127.0.0.1:99999"], "`http://127.0.0.1:99999` is no address: its port"),
        (["--catalogue", "--endpoint", "lab"], "no endpoint `lab`; there are openrouter, local, loop"),
        (["--catalogue", "--endpoint", "local"], "needs --local-url"),
        (["--catalogue", "--endpoint", "loop", "--local-url", "http://127.0.0.1:9"], "ask one of them"),
        (["--catalogue", "x", "-m", "a/one"], "ask for one of the two"),
        (["--endpoint", "loop"], "add --catalogue"),
        (["-m", "nobody@low-t0.7"], "no configuration is labelled"),
        (["--models-file", "absent.yaml"], "absent.yaml"),
    ],
)
def test_what_cannot_be_shown_is_one_sentence(
    folder: Path, served: endpoint.Served, arguments: list[str], says: str
) -> None:
    ended = shown(*arguments, env={"OPENROUTER_BASE_URL": served.base_url})
    assert ended.code == 2
    assert says in command.one_sentence(ended)
    assert ended.out == ""


def test_configurations_are_written_as_a_roster_that_is_read_again(tmp_path: Path) -> None:
    (tmp_path / "models.yaml").write_text(
        "models:\n"
        "  - {model_id: a/one, temperature: 1.0, rate_limit: {rps: 0.5, burst: 2}, concurrency: 2}\n"
        "  - {model_id: a/one, reasoning_effort: high, rate_limit: {rps: 0.5, burst: 2}, concurrency: 2}\n"
        "  - {model_id: a/two, display_label: Two}\n  - {model_id: sim/half}\n"
    )
    ended = command.run("models", "--write-roster", "roster.json", cwd=tmp_path)
    assert ended.code == 0, ended.err
    assert "written: 2 models in roster.json" in ended.err
    assert "1 further configurations" in ended.err
    assert "1 configurations of other endpoints" in ended.err
    assert json.loads((tmp_path / "roster.json").read_text()) == [
        {"id": "a/one", "label": "one@low-t1.0", "provider": "OpenRouter", "rate_limit": {"rps": 0.5, "burst": 2},
         "concurrency": 2},
        {"id": "a/two", "label": "Two", "provider": "OpenRouter", "concurrency": 3},
    ]  # fmt: skip
    back = command.run("models", "--models-file", "roster.json", "--format", "json", cwd=tmp_path)
    assert back.code == 0, back.err
    again = command.run("models", "--write-roster", "roster.json", cwd=tmp_path)
    assert again.code == 2
    assert "is there already" in command.one_sentence(again)


def test_the_catalogue_is_one_table_that_fits_and_has_parameters_on_request(
    folder: Path, served: endpoint.Served
) -> None:
    arguments = ("models", "--catalogue", "--local-url", served.base_url)
    screen = screens.run(*arguments, cwd=folder, columns=80)
    assert screen.code == 0, screen.text
    assert max(map(len, screen.lines)) <= 80
    listed = [line for line in screen.lines if " yes " in line or " no " in line]
    assert len(listed) > 400
    assert len({line.split()[0] for line in listed}) == len(listed)  # no id twice, none cut like another
    assert "structured_outputs" not in screen.text
    assert "structured_outputs" in screens.run(*arguments, "-d", cwd=folder, columns=140).text
