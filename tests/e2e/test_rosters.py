"""Many models by one name: never unless named, and what they would cost is said first."""

from __future__ import annotations

import json
from pathlib import Path

from tests.e2e import command, suites


def test_without_models_both_ways_are_named_with_what_they_would_cost(tmp_path: Path):
    ended = command.run("run", cwd=tmp_path)
    assert ended.code == 2
    sentence = command.one_sentence(ended)
    for phrase in ("-m", "--models-file published", "--roster default", "about $", "estimate-cost", "demo"):
        assert phrase in sentence


def test_a_roster_of_ones_own_is_run_by_its_name(tmp_path: Path):
    suites.write(tmp_path / "harbour", suites.harbour())
    (tmp_path / "models.yaml").write_text("models: [sim/never, sim/half]\nroster: [sim/half]\n")
    run = ("run", "--suite", "harbour", "--runs", "1", "-j", "cues", "--roster", "default", "--format", "json")
    ended = command.run(*run, cwd=tmp_path)
    assert ended.code == 0, ended.err
    assert [row["label"] for row in ended.board["rows"]] == ["sim/half@none-t0.7"]
    both = command.run(*run, "-m", "sim/never", cwd=tmp_path)
    assert (both.code, "--roster" in command.one_sentence(both)) == (2, True)


def test_the_registry_that_ships_can_be_listed():
    ended = command.run("models", "--models-file", "published", "--format", "json")
    rows = json.loads(ended.out)["configurations"]["rows"]
    assert "claude-opus-4.6@none-t0.7" in {row["label"] for row in rows}
