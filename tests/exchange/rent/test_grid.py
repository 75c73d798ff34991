from __future__ import annotations

import json
from pathlib import Path

from independence.exchange.rent import reader, records
from independence.suites.load import LoadedSuite
from independence.suites.schema import Suite

from . import folders


def read(top: Path, suite: Suite) -> tuple[list[str], list[str]]:
    """Scenarios that were asked for, and lines that were skipped."""
    found = records.find(top)
    assert found is not None
    imported = reader.read(found, LoadedSuite(suite, ""))
    return list(imported.planned), list(imported.skipped)


def short(top: Path, suite: Suite) -> Path:
    """A folder with one answer."""
    return folders.write(top, answers=[folders.answer(suite, "000")])


def test_rows_of_a_snapshot_are_numbered_in_their_order(tmp_path: Path, rent: Suite) -> None:
    top = folders.write(short(tmp_path, rent), snapshot=folders.snapshot(rent, ["000", "001", "003", "004"]))
    assert read(top, rent) == (["000", "001", "003", "004"], [])


def test_prompts_count_before_the_snapshot(tmp_path: Path, rent: Suite) -> None:
    top = folders.write(short(tmp_path, rent), snapshot=folders.snapshot(rent, folders.TRIPLET))
    rows = [{"prompt_id": prompt, **folders.asked(rent, prompt)} for prompt in ("003", "004", "005")]
    folders.write(top, grid=rows)
    assert read(top, rent) == (["000", "003", "004", "005"], [])


def test_a_row_the_suite_does_not_have_costs_no_other(tmp_path: Path, rent: Suite) -> None:
    strange = folders.snapshot(rent, folders.TRIPLET)
    strange["factors"].append({"perspective": "landlord", "amount": 75})
    assert read(folders.write(short(tmp_path, rent), snapshot=strange), rent) == (["000", "001", "002"], [])


def test_a_snapshot_that_cannot_be_read_is_named_and_ignored(tmp_path: Path, rent: Suite) -> None:
    top = short(tmp_path, rent)
    for content in ("{", json.dumps({"factors": 7, "total": 3})):
        (top / "run_grid.json").write_text(content)
        planned, (line,) = read(top, rent)
        assert (planned, line.partition(":")[0]) == (["000"], "run_grid.json")


def test_a_broken_line_of_the_prompts_is_named(tmp_path: Path, rent: Suite) -> None:
    rows = [{"prompt_id": prompt, **folders.asked(rent, prompt)} for prompt in ("000", "001")]
    planned, (line,) = read(folders.write(short(tmp_path, rent), grid=[rows[0], "{", rows[1]]), rent)
    assert (planned, line.startswith("grid.jsonl:2: ")) == (["000", "001"], True)


def test_a_folder_without_a_grid_has_what_was_answered(tmp_path: Path, rent: Suite) -> None:
    assert read(short(tmp_path, rent), rent) == (["000"], [])
