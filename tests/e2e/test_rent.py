"""The rent suite from the command line: how much is asked, of which part, at what temperature, graded by whom."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from independence.suites.load import HOME
from tests.e2e import command, endpoint
from tests.e2e.command import Ended

LOOP = {"LOOP_KEY": endpoint.KEY}
ONE = ("--suite", "rent", "-m", "sim/half", "--runs", "1")


def rent(folder: Path, *more: str, env: dict[str, str] | None = None) -> Ended:
    """One run of one simulated subject."""
    return command.run("run", *ONE, *more, cwd=folder, env=env)


def calls(ended: Ended) -> tuple[int, int]:
    """Calls and verdicts of the plan."""
    assert ended.code == 0, ended.err
    found = re.search(r"plan: (\d+) calls and (\d+) verdicts", ended.err)
    assert found is not None, ended.err
    return int(found[1]), int(found[2])


def test_a_dry_run_counts_what_is_said_twice_once_and_leaves_no_trace(tmp_path: Path):
    whole, pairs = (rent(tmp_path, "-j", "cues", "--dry-run", *more) for more in ((), ("--no-neutral",)))
    assert calls(whole) == (84, 84)
    assert "24 of 108 have the same words as another one and share its answer" in whole.err
    assert calls(pairs) == (72, 72)
    assert "share" not in pairs.err
    assert list(tmp_path.iterdir()) == []


def test_a_priced_dry_run_says_what_it_will_cost_from_where_to_where(tmp_path: Path):
    with endpoint.serving(tmp_path) as served:
        endpoint.models_file(tmp_path, served.base_url)
        asked = ("--suite", "rent", "-m", "loop/half", "-j", "loop/judge", "--runs", "1")
        dry = command.run("run", *asked, "--dry-run", cwd=tmp_path, env=LOOP)
        listed = command.run("estimate-cost", *asked, "--format", "json", cwd=tmp_path, env=LOOP)
    assert calls(dry) == (84, 84)
    (found,) = re.findall(r"about \$([\d.]+), likely \$([\d.]+) to \$([\d.]+) \(", dry.err)
    about, low, high = map(float, found)
    assert 0 < low < about < high
    (row,), notes = listed.board["estimate"]["rows"], " ".join(listed.board["estimate"]["notes"])
    (before,) = re.findall(r"up to 20 small requests show what reaches the models: \$([\d.]+) more", notes)
    assert row["total_usd"] + float(before) == pytest.approx(about, abs=1e-4)
    assert (row["calls"], row["verdicts"]) == (84, 84)
    assert served.requests() == []


def test_answers_now_and_grades_later_with_shared_answers_at_every_place(tmp_path: Path):
    db = tmp_path / "independence.db"
    collected = rent(tmp_path, "--no-judge")
    assert collected.code == 0, collected.err
    assert command.ask(db, "SELECT count(*) FROM calls") == [(84,)]
    assert command.ask(db, "SELECT count(*) FROM planned") == [(108,)]
    assert command.ask(db, "SELECT count(DISTINCT trial) FROM planned WHERE CAST(scenario AS INT) % 3 = 2") == [(12,)]
    shapes = [json.loads(shape) for (shape,) in command.ask(db, "SELECT shape FROM trials")]
    assert {(shape["temperature"], shape["delivery"]) for shape in shapes} == {(0.2, "user_role")}
    graded = rent(tmp_path, "-j", "cues", "--format", "json")
    assert graded.code == 0, graded.err
    assert calls(graded) == (0, 84)
    assert command.ask(db, "SELECT count(*) FROM verdicts WHERE missing IS NULL") == [(84,)]
    assert calls(rent(tmp_path, "-j", "cues", "--dry-run")) == (0, 0)


def test_a_sample_is_part_of_what_the_whole_run_asks(tmp_path: Path):
    db = tmp_path / "independence.db"
    sampled = rent(tmp_path, "-j", "cues", "--limit", "13", "--seed", "5")
    assert sampled.code == 0, sampled.err
    assert "a balanced sample of whole cells: 12 of 108 scenarios (--seed 5)" in sampled.err
    rows = [int(row) for (row,) in command.ask(db, "SELECT scenario FROM planned")]
    assert len(rows) == 12
    assert {3 * (row // 3) + side for row in rows for side in range(3)} == set(rows)
    kept = command.ask(db, "SELECT count(*) FROM calls")[0][0]
    assert calls(rent(tmp_path, "-j", "cues", "--dry-run")) == (84 - kept, 84 - kept)


def test_a_flag_wins_over_the_suites_temperature(tmp_path: Path):
    assert rent(tmp_path, "--no-judge", "--limit", "3", "-t", "1").code == 0
    (label,) = command.ask(tmp_path / "independence.db", "SELECT DISTINCT label FROM subjects")[0]
    assert label.endswith("-t1.0")


@pytest.mark.parametrize(
    ("more", "scorer", "says"),
    [
        (("--limit", "2"), None, "one whole cell takes 3 scenarios (asked by landlord, tenant, neutral)"),
        ((), "scorer", "OPENROUTER_SCORER_MODEL names the judge of suite rent: `scorer` is no model id"),
        ((), "your-model-here", "the judge needs a key"),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(tmp_path: Path, more: tuple[str, ...], scorer: str | None, says: str):
    graded = () if scorer else ("-j", "cues")
    ended = rent(tmp_path, *graded, *more, env={"OPENROUTER_SCORER_MODEL": scorer} if scorer else None)
    assert ended.code == 2
    assert says in command.one_sentence(ended)
    assert list(tmp_path.iterdir()) == []


def test_the_suites_variable_names_its_judge_unless_a_flag_does(tmp_path: Path):
    env = {"OPENROUTER_SCORER_MODEL": "sim/judge"}
    for more in ((), ("-j", "cues")):
        ended = rent(tmp_path, "--limit", "3", *more, env=env)
        assert ended.code == 0, ended.err
    judges = command.ask(tmp_path / "independence.db", "SELECT DISTINCT judge FROM verdicts ORDER BY 1")
    assert judges == [("cues",), ("sim/judge",)]


def test_the_list_of_suites_counts_calls_and_the_linter_names_file_line_and_key(tmp_path: Path):
    listed = command.run("suites", cwd=tmp_path)
    assert re.search(r"^rent@[0-9a-f]{8}  .*: 108 scenarios, 84 calls a run$", listed.out, re.MULTILINE)
    folder = shutil.copytree(HOME / "rent", tmp_path / "rent")
    file = folder / "suite.yaml"
    assert command.run("suites", "lint", folder, cwd=tmp_path).code == 0
    file.write_text(
        file.read_text().replace("The relationship between us is {{relationship}}", "We are {{relation}}", 1)
    )
    broken = command.run("suites", "lint", folder, cwd=tmp_path)
    assert broken.code == 1
    (line,) = broken.out.splitlines()
    assert re.fullmatch(
        r".*suite\.yaml:\d+: nothing fills .*`\{\{relation\}\}` \(at `\$\.grid\.sides\.landlord\.human`\)", line
    )


def test_a_models_file_without_a_temperature_is_asked_at_the_suites(tmp_path: Path):
    (tmp_path / "models.json").write_text('["sim/half", {"model_id": "sim/yield-20", "temperature": 0.5}]')
    asked = ("run", "--suite", "rent", "--runs", "1", "--limit", "3", "--no-judge", "--models-file", "models.json")
    ended = command.run(*asked, cwd=tmp_path)
    assert ended.code == 0, ended.err
    shapes = command.ask(tmp_path / "independence.db", "SELECT shape FROM trials")
    sent = {(json.loads(shape)["model"], json.loads(shape)["temperature"]) for (shape,) in shapes}
    assert sent == {("half", 0.2), ("yield-20", 0.5)}


def test_the_environment_names_model_and_judge_of_this_suite_below_every_flag(tmp_path: Path):
    env = {"LLM_MODEL": "sim/half", "LLM_SCORER_MODEL": "sim/judge"}
    asked = ("run", "--suite", "rent", "--runs", "1", "--limit", "3", "--dry-run")
    ended = command.run(*asked, cwd=tmp_path, env=env)
    assert ended.code == 0, ended.err
    assert "LLM_MODEL names the model: sim/half" in ended.err
    assert "LLM_SCORER_MODEL names the judge: sim/judge" in ended.err
    flagged = command.run(*asked, "-m", "sim/yield-20", "-j", "cues", cwd=tmp_path, env=env)
    assert flagged.code == 0, flagged.err
    assert "LLM_" not in flagged.err
    other = command.run("run", "--suite", "sides", "-j", "cues", "--dry-run", cwd=tmp_path, env=env)
    assert other.code == 2
    assert "no models" in command.one_sentence(other)
    wrong = command.run(*asked, "-j", "cues", cwd=tmp_path, env={"LLM_MODEL": "nobody"})
    assert wrong.code == 2
    assert "LLM_MODEL names the model that suite rent asks: `nobody` is no model id" in command.one_sentence(wrong)


def test_a_suite_of_more_scores_than_one_has_no_such_summary(tmp_path: Path):
    asked = ("run", "--suite", "sides", "-m", "sim/half", "--runs", "1", "--limit", "6", "-j", "cues")
    assert command.run(*asked, cwd=tmp_path).code in (0, 3)
    refused = command.run("export", "out", "--summary", "--suite", "sides", cwd=tmp_path)
    assert refused.code == 2
    assert "suite sides is graded by more than one score" in command.one_sentence(refused)
    assert not (tmp_path / "out").exists()
