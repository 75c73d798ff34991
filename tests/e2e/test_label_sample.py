"""From a sample to scores of people to how far judges agree with them, by the command line alone."""

from __future__ import annotations

import csv
from pathlib import Path

from tests.e2e import command


def test_a_sample_is_scored_imported_and_held_against_the_judge(tmp_path: Path):
    asked = ("run", "--suite", "rent", "-m", "sim/half", "--runs", "1", "--limit", "6", "-j", "cues", "--quiet")
    assert command.run(*asked, cwd=tmp_path).code == 0
    drawn = command.run("label-sample", "labels.csv", "--size", "4", "--seed", "3", cwd=tmp_path)
    assert drawn.code == 0, drawn.err
    assert "written: 4 of 6 dialogues in labels.csv (--seed 3)" in drawn.err
    file = tmp_path / "labels.csv"
    again = command.run("label-sample", "labels.csv", cwd=tmp_path)
    assert again.code == 2
    assert "is there already" in command.one_sentence(again)
    store = command.run("label-sample", "independence.db", "--force", cwd=tmp_path)
    assert store.code == 2
    assert "label-sample independence.db: this is a store" in command.one_sentence(store)
    with file.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert not any("half" in cell for row in rows for cell in row.values())
    for row, value in zip(rows, ("-0.5", "0", "0.5", ""), strict=True):
        row.update(rater="Ann", value=value)
    _write(file, rows)
    taken = command.run("import", "labels.csv", cwd=tmp_path)
    assert taken.code == 0, taken.err
    assert "human:Ann: 3 verdicts" in taken.err
    assert "1 lines have no value yet" in taken.err
    validated = command.run("validate-judges", "--format", "json", cwd=tmp_path)
    assert validated.code == 0, validated.err
    (row,) = validated.board["judge-people"]["rows"]
    assert (row["judge"], row["person"], row["n"]) == ("cues", "human:Ann", 3)
    usual = command.run("leaderboard", "--format", "json", cwd=tmp_path).board
    by_ann = command.run("leaderboard", "--format", "json", "--judge", "human:Ann", cwd=tmp_path).board
    assert (usual["judge"], by_ann["judge"]) == ("cues", "human:Ann")
    assert (usual["rows"][0]["coverage"], by_ann["rows"][0]["coverage"]) == (1.0, 0.5)
    rows[3].update(value="7")
    _write(file, rows)
    refused = command.run("import", "labels.csv", cwd=tmp_path)
    assert refused.code == 2
    assert "`7` is no value of `stance`: write a number from -1 to 1" in command.one_sentence(refused)
    person = command.run("judge", "-j", "human:Ann", cwd=tmp_path)
    assert person.code == 2
    assert "`human:Ann` is a person" in command.one_sentence(person)


def _write(file: Path, rows: list[dict[str, str]]) -> None:
    with file.open("w", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
