from __future__ import annotations

import gzip
import lzma
from pathlib import Path

import pytest

from independence.errors import UsageError
from independence.exchange.rent import records
from independence.suites.schema import Suite

from . import folders


def test_a_run_folder_is_known_by_its_records(tmp_path: Path, rent: Suite) -> None:
    found = records.find(folders.whole(tmp_path / "run", rent))
    assert found is not None
    assert [path and path.name for path in found[1:]] == [
        "run.jsonl", "run_scored.jsonl", None, "run_grid.json"
    ]  # fmt: skip


@pytest.mark.parametrize(("end", "pack"), [(".xz", lzma.compress), (".gz", gzip.compress)])
def test_packed_files_read_as_unpacked_ones(tmp_path: Path, rent: Suite, end: str, pack: object) -> None:
    top = folders.whole(tmp_path, rent)
    plain = top / "run.jsonl"
    lines = [line for _, line in records.lines(plain)]
    (top / f"run.jsonl{end}").write_bytes(pack(plain.read_bytes()))  # type: ignore[operator]
    plain.unlink()
    found = records.find(top)
    assert found is not None
    assert found.answers is not None
    assert [line for _, line in records.lines(found.answers)] == lines


def test_any_of_its_files_names_the_run_it_is_of(tmp_path: Path, rent: Suite) -> None:
    top = folders.whole(tmp_path, rent)
    for end in (".jsonl", "_scored.jsonl"):
        (top / f"run{end}").rename(top / f"night{end}")
    assert records.find(top) is None
    for name in ("night.jsonl", "night_scored.jsonl"):
        found = records.find(top / name)
        assert found is not None
        assert (found.answers, found.scored) == (top / "night.jsonl", top / "night_scored.jsonl")


def test_another_program_s_run_jsonl_is_not_taken_for_one(tmp_path: Path) -> None:
    (tmp_path / "run.jsonl").write_text('{"event": "started"}\n' * 200)
    assert records.find(tmp_path) is None
    assert records.find(tmp_path / "run.jsonl") is None
    assert records.find(tmp_path / "nowhere") is None
    (tmp_path / "empty").mkdir()
    assert records.find(tmp_path / "empty") is None


def test_run_folders_in_a_folder_are_found(tmp_path: Path, rent: Suite) -> None:
    for name in ("1760158358", "1760000000"):
        folders.whole(tmp_path / name, rent)
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.txt").write_text("x")
    assert records.find(tmp_path) is None
    assert records.below(tmp_path) == ("1760000000", "1760158358")
    assert records.below(tmp_path / "notes.txt") == records.below(tmp_path / "nowhere") == ()
    (tmp_path / "acme--m@low-t0.7").mkdir()
    assert records.below(tmp_path) == ()


def test_broken_first_lines_do_not_hide_a_run(tmp_path: Path, rent: Suite) -> None:
    folders.write(tmp_path, answers=["{broken", "[]", folders.answer(rent, "000")])
    assert records.find(tmp_path) is not None


def test_a_packed_file_that_is_cut_is_refused(tmp_path: Path, rent: Suite) -> None:
    top = folders.whole(tmp_path, rent)
    packed = lzma.compress((top / "run.jsonl").read_bytes() * 50)
    (top / "run.jsonl.xz").write_bytes(packed[: len(packed) // 2])
    with pytest.raises(UsageError, match=r"run\.jsonl\.xz.*nothing was imported"):
        list(records.lines(top / "run.jsonl.xz"))


def test_lines_are_numbered_as_an_editor_numbers_them(tmp_path: Path) -> None:
    (tmp_path / "run.jsonl").write_bytes(b'{"a": "x\xe2\x80\xa8y"}\r\n\n  \n{}')
    assert [(number, line.strip()) for number, line in records.lines(tmp_path / "run.jsonl")] == [
        (1, b'{"a": "x\xe2\x80\xa8y"}'), (4, b"{}")
    ]  # fmt: skip
