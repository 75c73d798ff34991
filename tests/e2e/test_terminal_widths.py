"""What stands on terminals of different widths: nothing too wide, no name cut like another, no word broken."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.e2e import command, screens

LABELS = [f"acme-laboratories/a-model-of-many-words-preview-{month:02}-2026" for month in (4, 5, 6)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of three subjects whose long names differ near their ends, two runs each."""
    folder = tmp_path_factory.mktemp("widths")
    rows = "".join(
        f"  - {{model_id: sim/half, display_label: {label}, temperature: {at / 10}}}\n"
        for at, label in enumerate(LABELS)
    )
    (folder / "models.yaml").write_text(f"models:\n{rows}")
    ended = command.run("run", "-m", "sim/half", "-j", "cues", "--runs", "2", "--quiet", cwd=folder)
    assert ended.code == 0, ended.err
    return folder


@pytest.mark.parametrize("columns", [60, 80, 120, 200])
def test_a_board_fits_and_tells_its_subjects_apart(folder: Path, columns: int):
    screen = screens.run("leaderboard", cwd=folder, columns=columns)
    assert screen.code == 0, screen.text
    assert max(map(len, screen.lines)) <= columns
    named = re.findall(r"acme\S*", screen.text)
    assert len(set(named)) == 3, screen.text
    assert not any(name.endswith("…") for name in named)
    assert (LABELS[0] in screen.text) == (columns >= 120)


def test_a_narrow_board_says_what_it_has_no_room_for(folder: Path):
    assert "No room for" in " ".join(screens.run("leaderboard", cwd=folder, columns=50).lines)
    assert "No room for" not in " ".join(screens.run("leaderboard", cwd=folder, columns=80).lines)


@pytest.mark.parametrize("columns", [60, 80, 120, 200])
def test_details_and_comparisons_fit_and_break_no_word(folder: Path, columns: int):
    for arguments in (["leaderboard", "-d"], ["compare", LABELS[0], LABELS[1]], ["models"]):
        screen = screens.run(*arguments, cwd=folder, columns=columns)
        assert screen.code == 0, screen.text
        assert max(map(len, screen.lines)) <= columns, arguments
        if arguments[0] != "models":
            assert all(word in screen.text for word in ("internal_consistency", "negotiation", "tool_context"))
