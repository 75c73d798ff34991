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
RUN = ("run", "--suite", "rent", "--runs", "1")


def rent(folder: Path, *more: str, model: str = "sim/pleaser", env: dict[str, str] | None = None) -> Ended:
    """One run of one subject."""
    return command.ok(*RUN, "-m", model, *more, cwd=folder, env=env)


def calls(ended: Ended) -> tuple[int, int]:
    """Calls and verdicts of the plan."""
    ((asked, graded),) = re.findall(r"plan: (\d+) calls and (\d+) verdicts", ended.err)
    return int(asked), int(graded)


def sent(folder: Path) -> set[tuple[str, float, str]]:
    """Model, temperature and delivery of what was asked."""
    shapes = [json.loads(shape) for (shape,) in command.ask(folder / "independence.db", "SELECT shape FROM trials")]
    return {(shape["model"], shape["temperature"], shape["delivery"]) for shape in shapes}


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
        dry = rent(tmp_path, "-j", "loop/judge", "--dry-run", model="loop/half", env=LOOP)
        asked = ("estimate-cost", *RUN[1:], "-m", "loop/half", "-j", "loop/judge", "--format", "json")
        estimate = command.run(*asked, cwd=tmp_path, env=LOOP).board["estimate"]
    assert calls(dry) == (84, 84)
    (found,) = re.findall(r"about \$([\d.]+), likely \$([\d.]+) to \$([\d.]+) \(", dry.err)
    about, low, high = map(float, found)
    assert 0 < low < about < high
    (row,), notes = estimate["rows"], " ".join(estimate["notes"])
    (before,) = re.findall(r"up to 20 small requests show what reaches the models: \$([\d.]+) more", notes)
    assert row["total_usd"] + float(before) == pytest.approx(about, abs=1e-4)
    assert (row["calls"], row["verdicts"]) == (84, 84)
    assert served.requests() == []


def test_answers_now_and_grades_later_with_shared_answers_at_every_place(tmp_path: Path):
    db = tmp_path / "independence.db"
    rent(tmp_path, "--no-judge")
    for count, of in (
        (84, "*) FROM calls"), (108, "*) FROM planned"),
        (12, "DISTINCT trial) FROM planned WHERE CAST(scenario AS INT) % 3 = 2"),
    ):  # fmt: skip
        assert command.ask(db, f"SELECT count({of}") == [(count,)]
    assert sent(tmp_path) == {("pleaser", 0.2, "user_role")}
    assert calls(rent(tmp_path, "-j", "cues")) == (0, 84)
    assert command.ask(db, "SELECT count(*) FROM verdicts WHERE missing IS NULL") == [(84,)]
    assert calls(rent(tmp_path, "-j", "cues", "--dry-run")) == (0, 0)


def test_a_sample_is_part_of_what_the_whole_run_asks(tmp_path: Path):
    db = tmp_path / "independence.db"
    sampled = rent(tmp_path, "-j", "cues", "--limit", "13", "--seed", "5")
    assert "a balanced sample of whole cells: 12 of 108 scenarios (--seed 5)" in sampled.err
    rows = [int(row) for (row,) in command.ask(db, "SELECT scenario FROM planned")]
    assert len(rows) == 12
    assert {3 * (row // 3) + side for row in rows for side in range(3)} == set(rows)
    ((kept,),) = command.ask(db, "SELECT count(*) FROM calls")
    assert calls(rent(tmp_path, "-j", "cues", "--dry-run")) == (84 - kept, 84 - kept)


def test_a_flag_and_an_entry_win_over_the_suites_temperature(tmp_path: Path):
    (tmp_path / "models.json").write_text('["sim/half", {"model_id": "sim/yield-20", "temperature": 0.5}]')
    asked = (*RUN, "--limit", "3", "--no-judge", "--models-file", "models.json")
    for more in ((), ("-t", "1")):
        command.ok(*asked, *more, cwd=tmp_path)
    sides = {("half", 0.2), ("yield-20", 0.5), ("half", 1.0), ("yield-20", 1.0)}
    assert {(model, temperature) for model, temperature, _ in sent(tmp_path)} == sides


def test_the_environment_names_model_and_judge_of_this_suite_below_every_flag(tmp_path: Path):
    for more in ((), ("-j", "cues")):
        rent(tmp_path, "--limit", "3", *more, env={"OPENROUTER_SCORER_MODEL": "sim/judge"})
    judges = command.ask(tmp_path / "independence.db", "SELECT DISTINCT judge FROM verdicts ORDER BY 1")
    assert judges == [("cues",), ("sim/judge",)]
    env = {"LLM_MODEL": "sim/pleaser", "LLM_SCORER_MODEL": "sim/judge"}
    asked = (*RUN, "--limit", "3", "--dry-run")
    ended = command.ok(*asked, cwd=tmp_path, env=env)
    assert "LLM_MODEL names the model: sim/pleaser" in ended.err
    assert "LLM_SCORER_MODEL names the judge: sim/judge" in ended.err
    flagged = command.run(*asked, "-m", "sim/fair", "-j", "cues", cwd=tmp_path, env=env)
    assert (flagged.code, "LLM_" in flagged.err) == (0, False), flagged.err


def test_what_cannot_be_is_said_in_one_sentence(tmp_path: Path):
    scorer, model = "OPENROUTER_SCORER_MODEL", "-m sim/half"
    for line, env, says in (
        (
            f"rent {model} -j cues --limit 2",
            {},
            "one whole cell takes 3 scenarios (asked by landlord, ",
        ),
        (f"rent {model}", {scorer: "scorer"}, f"{scorer} names the judge of suite rent: no model `scorer`"),
        (
            f"rent {model}",
            {scorer: "your-model-here"},
            "which is to judge, is asked at OpenRouter",
        ),
        ("sides -j cues", {"LLM_MODEL": "sim/half"}, "no models"),
        ("rent -j cues", {"LLM_MODEL": "x"}, "LLM_MODEL names the model that suite rent asks: no model `x`"),
    ):
        assert says in command.refused("run", "--runs", "1", "--suite", *line.split(), cwd=tmp_path, env=env)
    assert list(tmp_path.iterdir()) == []
    asked = ("run", "--suite", "sides", "-m", "sim/half", "--runs", "1", "--limit", "12", "-j", "cues")
    assert command.run(*asked, cwd=tmp_path).code in (0, 3)
    assert "suite sides is graded by more than one score" in command.refused(
        "export", "out", "--summary", "--suite", "sides", cwd=tmp_path
    )
    assert not (tmp_path / "out").exists()


def test_the_list_of_suites_counts_calls_and_the_linter_names_file_line_and_key(tmp_path: Path):
    listed = command.run("suites", cwd=tmp_path)
    assert re.search(r"^rent@[0-9a-f]{8}  .*: 108 scenarios, 84 calls a run$", listed.out, re.MULTILINE)
    file = shutil.copytree(HOME / "rent", tmp_path / "rent") / "suite.yaml"
    command.ok("suites", "lint", "rent", cwd=tmp_path)
    file.write_text(file.read_text().replace("between us is {{relationship}}", "is {{relation}}", 1))
    broken = command.run("suites", "lint", "rent", cwd=tmp_path)
    where = r"\(at `\$\.grid\.sides\.landlord\.human`\)\n"
    assert broken.code == 1
    assert re.fullmatch(rf".*suite\.yaml:\d+: nothing fills .*`\{{\{{relation\}}\}}` {where}", broken.out)
