"""Exports in the published cache layout: what comes back is what went out."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from independence.suites.load import load
from tests.e2e import command, suites
from tests.exchange import trees
from tests.exchange.trees import CONFIG

SCORED = ("rank", "config", "index", "bounds", "ci", "ci_method", "runs", "complete_runs", "coverage", "cost_usd",
          "per_run", "dimensions", "tier", "rank_ci", "placed", "above")  # fmt: skip
RUN = ("run", "-m", "sim/half,sim/never", "--runs", "2", "--variants", "plain,blunt", "--quiet", "--db", "here.db")
RAW = '{"reasoning": "It says "no" and means it.", "consistency_score": 9, "graceful_handling": 8}'
INVENTED = ("json_metadata", "quality_of_logic", "quality_of_reasoning_explanation", "quality_of_reasoning_score",
            "quality_of_response", "reasoning_details", "thought_process")  # fmt: skip


def board(db: Path, *more: str) -> dict[str, dict[str, Any]]:
    shown = command.run("leaderboard", "--format", "json", "--db", str(db), *more)
    assert shown.code == 0, shown.err
    return {row["config"]: {name: row[name] for name in SCORED} for row in shown.board["rows"]}


def files(folder: Path) -> dict[str, Any]:
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*.json")}
    return {name: json.loads(path.read_bytes()) for name, path in found.items() if name != "export.json"}


@pytest.mark.parametrize(("suite", "judge"), [("harbour", "cues"), ("harbour", "sim/judge"), ("branching", "cues")])
def test_our_runs_come_back_with_the_same_boards(tmp_path: Path, suite: str, judge: str):
    suites.write(tmp_path / suite, getattr(suites, suite)())
    variants = RUN if suite == "harbour" else (*RUN[:5], *RUN[7:])
    ended = command.run(*variants, "--suite", suite, "-j", judge, cwd=tmp_path)
    assert ended.code == 0, ended.err
    out = command.run("export", "out", "--published", "--db", "here.db", cwd=tmp_path)
    assert out.code == 0, out.err
    back = command.run("import", "out", "--suite", suite, "--db", "back.db", cwd=tmp_path)
    assert back.code == 0, back.err
    conditions = ["--variants=plain", "--variants=blunt"] if suite == "harbour" else ["--mode=user_role"]
    for condition in conditions:
        assert board(tmp_path / "back.db", condition) == board(tmp_path / "here.db", condition)


def test_an_import_is_exported_as_its_files_were(tmp_path: Path):
    suite = load("v2").suite
    lost = {"judge_scores": {}, "judge_raw_response": RAW}
    unread = {"judge_scores": {}, "judge_raw_response": "no verdict at all"}
    old = {"finish_reason": trees.ABSENT, "reasoning_content": "Let me think.", "content_thinking": "Hm."}
    trees.write_run(tmp_path / "cache", suite, changes={"pt04_turn2": lost, "pt01_turn2": unread, "pq04": old})
    trees.write_run(tmp_path / "cache", suite, config="acme--small-1+fast-int4@low-t0.7", run=2, skip=["direct"])
    for arguments in (("import", "cache"), ("export", "out", "--published")):
        ended = command.run(*arguments, "--db", "here.db", cwd=tmp_path)
        assert ended.code == 0, ended.err
    assert files(tmp_path / "out") == files(tmp_path / "cache")


def test_only_the_subjects_and_the_judge_that_are_named_go_out(tmp_path: Path):
    suite = load("v2").suite
    for config in (CONFIG, "acme--large@low-t0.7"):
        trees.write_run(tmp_path / "cache", suite, config=config)
    assert command.run("import", "cache", "--db", "here.db", cwd=tmp_path).code == 0
    assert command.run("judge", "-j", "cues", "--quiet", "--db", "here.db", cwd=tmp_path).code == 0
    out = command.run(
        "export", "out", "--published", "-m", "acme/large", "--judge", "cues", "--db", "here.db", cwd=tmp_path
    )
    assert out.code == 0, out.err
    written = files(tmp_path / "out")
    assert {name.split("/")[0] for name in written} == {"acme--large@low-t0.7"}
    judged = [one for one in written.values() if one.get("judge_cost")]
    assert {one["judge_cost"]["judge_model"] for one in judged} == {"cues"}
    assert len(judged) == len(suite.scenarios)


def test_an_export_never_takes_two_layouts_at_once(tmp_path: Path):
    trees.write_run(tmp_path / "cache", load("v2").suite)
    assert command.run("import", "cache", "--db", "here.db", cwd=tmp_path).code == 0
    both = command.run("export", "out", "--published", "--summary", "--db", "here.db", cwd=tmp_path)
    assert both.code == 2
    assert "are layouts; export one after the other" in command.one_sentence(both)


@pytest.mark.published
def test_the_published_part_comes_back_whole(published_store: Path, published_data: Path, tmp_path: Path):
    with tarfile.open(published_data / "published-v2-part.tar.xz") as tar:
        tar.extractall(tmp_path, filter="data")
    out = tmp_path / "out"
    ended = command.run("export", str(out), "--published", "--db", str(published_store))
    assert ended.code == 0, ended.err
    theirs, ours = files(tmp_path / "cache"), files(out)
    assert len(ours) == 7717
    for record in theirs.values():
        for name in INVENTED:  # fields that no rubric has are left out of an import
            (record.get("judge_scores") or {}).pop(name, None)
    assert [name for name in theirs if theirs[name] != ours.get(name)] == []
    models = published_data / "published-v2-part.models.yaml"
    back = command.run("import", str(out), "--models-file", str(models), "--db", str(tmp_path / "back.db"))
    assert back.code == 0, back.err
    for scoring in ("strict", "published"):
        shown = [
            command.run("leaderboard", "--format", "json", "--scoring", scoring, "--db", str(db)).out
            for db in (published_store, tmp_path / "back.db")
        ]
        assert shown[0] == shown[1]
