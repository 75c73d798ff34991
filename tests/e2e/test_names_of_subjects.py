"""Names as boards print them, and `.md` personas, in every command that reads a store."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e import command, suites

SHORT = "sim/half"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two subjects under two personas of their own, none under the suite's condition; `blunt, kind.md` has a comma."""
    place = tmp_path_factory.mktemp("names")
    suites.write(place / "harbour", suites.harbour())
    (place / "calm.md").write_text("You are calm.")
    (place / "blunt, kind.md").write_text("You are blunt and kind.")
    ended = command.run(
        "run", "--suite", "harbour", "-m", "sim/half,sim/never", "--variants", "calm.md,blunt, kind.md", "--runs", "2",
        "-j", "cues", "--quiet", "--format", "json", "--db", "here.db", cwd=place,
    )  # fmt: skip
    assert ended.code == 0, ended.err
    return place


@pytest.mark.parametrize(
    "arguments",
    [
        ("leaderboard",),
        ("compare", "sim/half@none-t0.7 (simulated)", "sim/never"),
        ("compare", SHORT, "--against-variant", "blunt, kind.md"),
        ("export", "out", "-m", SHORT, "--force"),
        ("generate-report", "-o", "report.md", "-m", SHORT),
        ("judge", "-j", "cues", "-m", SHORT),
        ("rerun", "-m", SHORT, "-R", "2"),
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)
@pytest.mark.parametrize("variant", ["calm.md", "calm"])
def test_a_persona_and_a_printed_name_are_taken_everywhere(
    folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], variant: str
):
    monkeypatch.chdir(folder)
    ended = command.run(*arguments, "--variant", variant, "--db", "here.db")
    assert ended.code == 0, ended.err


@pytest.mark.parametrize("name", ["sim/half@none-t0.3", "sim--half@none-t0.3"])
def test_a_run_takes_a_label_that_only_the_store_knows(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str):
    monkeypatch.chdir(folder)
    run = ("run", "--suite", "harbour", "--runs", "1", "-j", "cues", "--format", "json", "--db", "label.db")
    first = command.run(*run, "-m", "sim/half", "-t", "0.3")
    again = command.run(*run, "-m", name)
    assert first.code == again.code == 0, again.err
    assert again.board["rows"][0]["label"] == "sim/half@none-t0.3"
    assert "5 of 5" in again.err or "3 of 3 dialogues are stored already" in again.err


def test_an_export_without_a_condition_is_about_every_one(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(folder)
    ended = command.run("export", "every", "--format", "csv", "--db", "here.db")
    assert ended.code == 0, ended.err
    rows = (folder / "every" / "dialogues.csv").read_text()
    assert "calm-" in rows
    assert "blunt, kind-" in rows


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("leaderboard", "--variant", "calm.txt"), ["calm.txt", ".md file", "calm.md"]),
        (("leaderboard", "--variant", "other"), ["harbour@", "calm-", "--system-prompt"]),
        (("export", "out2", "-m", "hal"), ["no subject `hal`", "did you mean `sim/half@none-t0.7`"]),
        (
            ("generate-report", "-j", "cue", "--variant", "calm.md"),
            ["no verdicts by judge `cue`", "did you mean `cues`"],
        ),
        (("run", "--suite", "harbour", "-m", "sim/half", "-j", "cues", "--variants", "calm.txt"), [".md file"]),
        (("run", "--suite", "harbour", "-m", "sim/half", "-j", ""), ["--judge", "empty"]),
        (("run", "--suite", "harbour", "-m", "sim/half", "-j", "hybrid:"), ["hybrid:MODEL"]),
    ],
    ids=lambda value: value[-1],
)
def test_what_fits_nothing_is_one_line_with_what_there_is(
    folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], says: list[str]
):
    monkeypatch.chdir(folder)
    ended = command.run(*arguments, "--db", "here.db")
    assert ended.code == 2
    sentence = command.one_sentence(ended)
    assert all(phrase in sentence for phrase in says), sentence


def test_a_simulated_model_is_asked_by_the_label_of_its_entry(tmp_path: Path):
    suites.write(tmp_path / "harbour", suites.harbour())
    (tmp_path / "models.yaml").write_text("models:\n  - {model_id: sim/half, display_label: Halfway}\n")
    ended = command.run(
        "run", "--suite", "harbour", "-m", "Halfway", "--runs", "1", "-j", "cues", "--format", "json", cwd=tmp_path
    )
    assert ended.code == 0, ended.err
    assert [row["label"] for row in ended.board["rows"]] == ["Halfway"]
