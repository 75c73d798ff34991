from __future__ import annotations

import json
from pathlib import Path

from independence.exchange.rent import folder, prompts
from independence.exchange.rent.folder import Oddity, RentFolder
from independence.suites.schema import Suite

from . import folders


def found_in(top: Path) -> RentFolder:
    found = folder.find(top)
    assert found is not None
    return found


def read(top: Path, suite: Suite) -> tuple[list[str], list[tuple[str, str, int]]]:
    """Scenarios that were asked for, and the oddities with their places."""
    oddities: list[Oddity] = []
    asked = prompts.by_scenario(suite, prompts.grid_rows(found_in(top), oddities), oddities)
    return list(asked), [(one.kind, one.at.file, one.at.number) for one in oddities]


def test_rows_of_a_snapshot_are_numbered_in_their_order(tmp_path: Path, rent: Suite) -> None:
    assert read(folders.whole(tmp_path, rent), rent) == (["000", "001", "002"], [])


def test_prompts_count_before_the_snapshot(tmp_path: Path, rent: Suite) -> None:
    top = folders.whole(tmp_path, rent)
    rows = [{"prompt_id": prompt, **folders.asked(rent, prompt)} for prompt in ("003", "004", "005")]
    folders.write(top, grid=rows)
    assert read(top, rent) == (["003", "004", "005"], [])


def test_a_split_triplet_is_named_with_its_place(tmp_path: Path, rent: Suite) -> None:
    top = folders.whole(tmp_path, rent)
    folders.write(top, snapshot=folders.snapshot(rent, ["000", "001", "002", "003", "005"]))
    asked, oddities = read(top, rent)
    assert asked == ["000", "001", "002", "003", "005"]
    assert oddities == [("split_triplet", "run_grid.json", 4)]


def test_a_row_the_suite_does_not_have_is_named_and_the_others_stay(tmp_path: Path, rent: Suite) -> None:
    top = folders.whole(tmp_path, rent)
    broken = folders.snapshot(rent, folders.TRIPLET)
    broken["factors"].append({"perspective": "landlord", "amount": 75})
    folders.write(top, snapshot=broken)
    assert read(top, rent) == (["000", "001", "002"], [("unknown_prompt", "run_grid.json", 4)])


def test_a_grid_that_cannot_be_read_is_named_and_ignored(tmp_path: Path, rent: Suite) -> None:
    top = folders.whole(tmp_path, rent)
    (top / "run_grid.json").write_text("{")
    assert read(top, rent) == ([], [("broken_grid", "run_grid.json", 0)])
    (top / "run_grid.json").write_text(json.dumps({"factors": 7, "total": 3}))
    assert read(top, rent) == ([], [("broken_grid", "run_grid.json", 0)])


def test_a_broken_line_of_the_prompts_is_named(tmp_path: Path, rent: Suite) -> None:
    top = folders.whole(tmp_path, rent)
    rows = [{"prompt_id": prompt, **folders.asked(rent, prompt)} for prompt in ("000", "001")]
    folders.write(top, grid=[rows[0], "{", rows[1]])
    asked, oddities = read(top, rent)
    assert asked == ["000", "001"]
    assert oddities == [("broken_line", "grid.jsonl", 2)]


def test_a_folder_without_a_grid_has_no_rows(tmp_path: Path, rent: Suite) -> None:
    top = folders.write(tmp_path, answers=[folders.answer(rent, "000")])
    assert read(top, rent) == ([], [])
