from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from independence.cli.main import main
from tests.exchange.adoption import invented


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return invented.write(tmp_path / "clone")


def test_a_suite_is_adopted_linted_and_run_by_simulated_subjects(clone: Path) -> None:
    done = CliRunner().invoke(main, ["suites", "adopt", "clone"])
    assert done.exit_code == 0, done.output
    first, second = done.stdout.splitlines()
    assert first.startswith("./adopted-v2: v2@")
    assert first.endswith("in the published words of `main`, 7 scenarios, 11 calls a run")
    assert "run --suite ./adopted-v2 -m vendor/model" in second
    assert done.stderr == "judge prompts as published, not hardened; the published board was judged by acme/judge\n"
    assert CliRunner().invoke(main, ["suites", "lint", "adopted-v2"]).exit_code == 0
    command = ["run", "--suite", "./adopted-v2", "-m", "sim/never", "-j", "cues", "--runs", "1", "--format", "json"]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 0, done.output
    assert '"coverage": 1' in done.stdout


def test_a_board_of_a_model_says_that_its_judge_prompt_is_not_hardened(clone: Path) -> None:
    assert CliRunner().invoke(main, ["suites", "adopt", "clone"]).exit_code == 0
    for judge, told in (("cues", False), ("sim/judge", True)):
        command = ["run", "--suite", "./adopted-v2", "-m", "sim/half", "-j", judge, "--runs", "1"]
        done = CliRunner().invoke(main, command)
        assert ("Judge prompt as published, not hardened." in done.stdout) is told


def test_a_folder_of_ones_own_choice_is_written(clone: Path) -> None:
    done = CliRunner().invoke(main, ["suites", "adopt", "clone", "--to", "words/v2"])
    assert done.exit_code == 0, done.output
    assert (clone.parent / "words" / "v2" / "suite.yaml").is_file()


def test_what_is_not_understood_is_one_line_and_exit_code_2(clone: Path) -> None:
    invented.edit(clone, "scenarios", '"Which pilot are you?"', "ask()")
    done = CliRunner().invoke(main, ["suites", "adopt", "clone"])
    assert done.exit_code == 2
    (line,) = done.stderr.splitlines()
    assert "scenarios.py:10: `ask()` calls what is no data class of this source; take a released version" in line
    assert not (clone.parent / "adopted-v2").exists()
