"""Learning a judge from the command line."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest

from independence.cli import train_judge
from tests.e2e import command


def test_a_store_without_verdicts_that_can_be_learned_writes_nothing_and_says_so(
    tmp_path: Path, toy_folder: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    ran = command.run("run", "--suite", str(toy_folder), "-m", "sim/never", "--runs", "2", "-j", "cues", "--quiet")
    assert ran.code == 0, ran.err
    ended = command.run("train-judge", "--from", "independence.db", "--out", "out")
    assert ended.code == 1
    assert "cannot train a judge" in ended.err
    assert not Path("out").exists()


def test_what_is_no_store_and_no_result_set_is_one_clear_sentence(tmp_path: Path):
    (tmp_path / "odd.txt").write_text("nothing")
    ended = command.run("train-judge", "--from", str(tmp_path / "odd.txt"), "--out", str(tmp_path / "out"))
    assert ended.code == 2
    assert "odd.txt" in ended.err


def test_without_scikit_learn_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(train_judge, "find_spec", lambda _: None)
    ended = command.run("train-judge", "--from", str(tmp_path), "--out", str(tmp_path / "out"))
    assert ended.code == 2
    assert "train-judge needs scikit-learn: pip install 'ai-independence-bench[train]'" in command.one_sentence(ended)


@pytest.mark.published
def test_the_published_stances_cannot_train_a_judge(published_data: Path, tmp_path: Path):
    (folder,) = published_data.glob("rent-*")
    out = tmp_path / "out"
    ended = command.run("train-judge", "--from", str(folder), "--out", str(out), "--format", "json")
    assert ended.code == 1
    assert "no field is predicted better than by its mean" in ended.err
    (row,) = json.loads(ended.out)["by-family"]["rows"]
    assert row["mae"] > row["constant"]
    assert not out.exists()


@pytest.mark.published
def test_training_that_takes_long_says_how_far_it_is(published_data: Path, tmp_path: Path):
    out = tmp_path / "out"
    started = command.start(
        "train-judge", "--from", published_data / "published-v2-part.tar.xz", "--out", out, cwd=tmp_path,
        notes=tmp_path / "said.txt",
    )  # fmt: skip
    try:
        deadline = time.monotonic() + command.PATIENCE_S
        while "measuring on unseen model families: " not in (said := (tmp_path / "said.txt").read_text()):
            assert time.monotonic() < deadline, said
            time.sleep(0.5)
    finally:
        started.kill()
        started.communicate()
    assert re.search(r"measuring on unseen model families: \d+ of at most \d+ parts \(\d+:\d\d\)", said), said
