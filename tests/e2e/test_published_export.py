"""Exports in the published cache layout: what comes back is what went out."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from independence.suites.load import load
from tests.e2e import command, suites
from tests.extensions.published import trees
from tests.extensions.published.trees import CONFIG

SCORED = ("rank", "config", "index", "bounds", "ci", "ci_method", "runs", "complete_runs", "coverage", "cost_usd",
          "per_run", "dimensions", "tier", "rank_bounds", "rank_ci")  # fmt: skip
RAW = '{"reasoning": "It says "no" and means it.", "consistency_score": 9, "graceful_handling": 8}'
INVENTED = ("json_metadata", "quality_of_logic", "quality_of_reasoning_explanation", "quality_of_reasoning_score",
            "quality_of_response", "reasoning_details", "thought_process")  # fmt: skip


def board(db: Path, *more: str) -> dict[str, dict[str, Any]]:
    shown = command.ok("leaderboard", "--format", "json", "--db", str(db), *more)
    return {row["config"]: {name: row[name] for name in SCORED} for row in shown.board["rows"]}


def files(folder: Path) -> dict[str, Any]:
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*.json")}
    return {name: json.loads(path.read_bytes()) for name, path in found.items() if name != "export.json"}


def ended(folder: Path, *arguments: str) -> command.Ended:
    return command.ok(*arguments, "--db", "here.db", cwd=folder)


@pytest.mark.parametrize("suite", ["harbour", "branching"])
def test_our_runs_come_back_with_the_same_boards(tmp_path: Path, suite: str):
    suites.write(tmp_path / suite, getattr(suites, suite)())
    variants = ("plain", "blunt") if suite == "harbour" else ("plain",)
    ended(tmp_path, "run", "-m", "sim/half,sim/never", "--runs", "2", "--variants", ",".join(variants), "--quiet",
          "--suite", suite, "-j", "sim/judge")  # fmt: skip
    ended(tmp_path, "export", "out", "--published")
    command.ok("import", "out", "--suite", suite, "--db", "back.db", cwd=tmp_path)
    for variant in variants:
        condition = f"--variants={variant}"
        assert board(tmp_path / "back.db", condition) == board(tmp_path / "here.db", condition)


def test_an_import_is_exported_as_its_files_were(tmp_path: Path):
    suite = load("v2").suite
    lost = {"judge_scores": {}, "judge_raw_response": RAW}
    unread = {"judge_scores": {}, "judge_raw_response": "no verdict at all"}
    old = {"finish_reason": trees.ABSENT, "reasoning_content": "Let me think.", "content_thinking": "Hm."}
    trees.write_run(tmp_path / "cache", suite, changes={"pt04_turn2": lost, "pt01_turn2": unread, "pq04": old})
    trees.write_run(tmp_path / "cache", suite, config="acme--small-1+fast-int4@low-t0.7", run=2, skip=["direct"])
    ended(tmp_path, "import", "cache")
    ended(tmp_path, "export", "out", "--published")
    assert files(tmp_path / "out") == files(tmp_path / "cache")


def test_only_the_subjects_and_the_judge_that_are_named_go_out_in_one_layout(tmp_path: Path):
    suite = load("v2").suite
    for config in (CONFIG, "acme--large@low-t0.7"):
        trees.write_run(tmp_path / "cache", suite, config=config)
    ended(tmp_path, "import", "cache")
    assert command.run("judge", "-j", "cues", "--quiet", "--db", "here.db", cwd=tmp_path).code == 3  # no sign in some
    ended(tmp_path, "export", "out", "--published", "-m", "acme/large", "--judge", "cues")
    written = files(tmp_path / "out")
    assert {name.split("/")[0] for name in written} == {"acme--large@low-t0.7"}
    judged = [one["judge_cost"]["judge_model"] for one in written.values() if one.get("judge_cost")]
    assert set(judged) == {"cues"}
    assert "export one after the other" in command.refused(
        "export", "out", "--published", "--summary", "--db", "here.db", cwd=tmp_path
    )


@pytest.mark.deep
@pytest.mark.published
def test_the_published_part_comes_back_whole(published_store: Path, published_data: Path, tmp_path: Path):
    with tarfile.open(published_data / "published-v2-part.tar.xz") as tar:
        tar.extractall(tmp_path, filter="data")
    out, back = tmp_path / "out", tmp_path / "back.db"
    command.ok("export", out, "--published", "--db", published_store)
    theirs, ours = files(tmp_path / "cache"), files(out)
    assert len(ours) == 7717
    for record in theirs.values():
        for name in INVENTED:  # fields that no rubric has are left out of an import
            (record.get("judge_scores") or {}).pop(name, None)
    assert [name for name in theirs if theirs[name] != ours.get(name)] == []
    models = published_data / "published-v2-part.models.yaml"
    command.ok("import", out, "--models-file", models, "--db", back)
    for scoring in ("strict", "published"):
        asked = ("leaderboard", "--format", "json", "--scoring", scoring, "--db")
        assert command.run(*asked, published_store).out == command.run(*asked, back).out
