"""A grid file of the rent suite: written without any run, edited, asked; answers to other words kept apart."""

from __future__ import annotations

import json
from pathlib import Path

from tests.e2e import command
from tests.extensions.published.rent import folders, worded


def test_a_grid_is_written_edited_and_asked_as_an_edition_of_its_own(tmp_path: Path):
    written = command.run("suites", "grid", "rent", "--limit", "3", "--out", "grid.jsonl", cwd=tmp_path)
    assert written.code == 0, written.err
    assert "written: 3 prompts in grid.jsonl" in written.err
    assert "1 asked by landlord, 1 asked by tenant, 1 asked by neutral" in written.err
    file = tmp_path / "grid.jsonl"
    again = command.run("suites", "grid", "rent", "--out", "grid.jsonl", cwd=tmp_path)
    assert again.code == 2
    assert "is there already; name another file, or --force" in command.one_sentence(again)
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    rows[0]["messages"][-1]["content"] = "May the rent rise by 50 euros?"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    asked = ("run", "--suite", "rent", "--grid", "grid.jsonl", "-m", "sim/pleaser", "--runs", "1", "-j", "cues")
    ran = command.run(*asked, cwd=tmp_path)
    assert ran.code == 0, ran.err
    db = tmp_path / "independence.db"
    ((edition,),) = command.ask(db, "SELECT edition FROM editions")
    assert f"rent@{edition}" not in command.run("suites", cwd=tmp_path).out
    assert command.ask(db, "SELECT count(*) FROM planned") == [(3,)]
    said = worded.answers(rows)
    scored = [folders.judged(one, scorer_model="cues") for one in said]
    folders.write(tmp_path / "out", grid=rows, answers=said, judged=scored)
    back = command.run("import", "out", "--db", "back.db", cwd=tmp_path)
    assert back.code == 0, back.err
    assert f"--suite rent@published-{edition}" in back.err
    board = command.run("leaderboard", "--db", "back.db", "--judge", "cues", cwd=tmp_path)
    assert board.code == 0, board.err
    file.write_text(json.dumps(rows[0]) + "\n{}\n", "utf-8")
    broken = command.run(*asked, cwd=tmp_path)
    assert broken.code == 2
    assert "grid.jsonl:2: `prompt_id` '' is none" in command.one_sentence(broken)
