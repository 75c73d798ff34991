"""What a suite says of a system prompt stands wherever a number under that prompt is printed, and nowhere else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests import toy
from tests.e2e import command
from tests.stores import Stores

TOLD = (
    "The system prompt of this condition tells the model to hold on to who it is (docs/concepts.md#the-system-prompt)."
)
OWN = "The prompt tells it to be firm."


def printed(*words: str | Path) -> str:
    """What a command prints, in one line."""
    return " ".join(command.run(*words).out.split())


def test_the_default_prompt_of_v2_is_named_beside_its_numbers(stores: Stores, tmp_path: Path) -> None:
    db = stores("demo")
    for line in ("leaderboard", "leaderboard --explain", "leaderboard --detailed", "compare sim/half sim/never"):
        assert printed(*line.split(), "--db", db).count(TOLD) == 1, line
    assert TOLD in printed("published", "--top", "1")
    command.ok("generate-report", "-o", tmp_path / "report.md", "--db", db)
    assert TOLD in (tmp_path / "report.md").read_text("utf-8")
    assert command.ok("leaderboard", "--format", "json", "--db", db).board["prompt_note"] == TOLD
    command.ok("export", tmp_path / "site", "--site", "--db", db)
    pages = [path.read_text("utf-8") for path in (tmp_path / "site").rglob("*.json")]
    assert any(TOLD in json.dumps(json.loads(page), ensure_ascii=False) for page in pages)


@pytest.mark.parametrize(("variant", "told"), [("firm", 1), ("plain", 0)])
def test_a_suite_of_ones_own_says_it_of_the_prompts_that_it_names(tmp_path: Path, variant: str, told: int) -> None:
    folder = toy.write(tmp_path / "toy")
    text = (folder / "suite.yaml").read_text("utf-8")
    (folder / "suite.yaml").write_text(f"{text}\nprompt_notes:\n  firm: {OWN}\n", "utf-8")
    place = (
        "--suite",
        folder,
        "--system-prompt",
        variant,
        "--delivery",
        "user_role",
        "-j",
        "cues",
        "--db",
        tmp_path / "s.db",
    )
    command.ok("run", *place, "-m", "sim/never,sim/half", "--runs", "2", "--quiet")
    assert printed("leaderboard", *place[2:], "--suite", "toy").count(OWN) == told
    assert (
        printed("check", *place, "-m", "sim/never", "--min-index", "20", "--max-runs", "3", "--yes").count(OWN) == told
    )
