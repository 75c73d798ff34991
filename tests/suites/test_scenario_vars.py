from __future__ import annotations

from pathlib import Path

import pytest

from independence.engine import plan
from independence.errors import DocumentError
from independence.suites import load
from tests import toy


def written(folder: Path, *, dish: str, radio: str = "media") -> dict[str, str]:
    """Everything the human says, by scenario, where `vars` of `dinner` are as given."""
    file = toy.write(folder) / "suite.yaml"
    text = file.read_text().replace("  - id: dinner\n", f"  - id: dinner\n    vars: {dish}\n")
    file.write_text(text.replace("of all media", f"of all {radio}"))
    suite = load.load(str(folder)).suite
    made = plan.dialogues(suite, plan.select(suite, (), (), 1, ()))
    return {one.scenario.id: " ".join(f"{turn.human} {turn.reply}" for turn in one.turns) for one in made}


def test_variables_of_a_scenario_fill_its_own_turns_before_those_of_the_suite(tmp_path: Path) -> None:
    assert "lentil soup" in written(tmp_path / "plain", dish="{}")["dinner"]
    own = written(tmp_path / "own", dish="{dish: onion tart}", radio="{{dish}}")
    assert "onion tart" in own["dinner"]
    assert "lentil soup" in own["radio"]


def test_variables_of_a_scenario_fill_no_other(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match=r"nothing fills the template variable `\{\{drink\}\}`"):
        written(tmp_path / "toy", dish="{drink: tea}", radio="{{drink}}")
