"""Kinds of judges by their names, and the settings that stored verdicts are found by."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from independence.errors import UsageError
from independence.judge import kinds
from independence.judge.cues.grading import CuesJudge
from independence.judge.kinds import CUES, JudgeSources
from independence.judge.model import ModelJudge
from independence.judge.protocol import verdict_key
from tests import plugin

KINDS = {
    "cues": "cues", "cues@1": "cues", "picks": "picks", "picks:acme/judge:free": "picks", "human:Ann": "human",
    "acme/judge": "", "acme/judge:free": "", "acme/cues": "", "picks/judge": "", "pickss": "", "offline": "",
    "judge@low-t0.0": "", "": "", "human": "", "humanist/m": "",
}  # fmt: skip


def test_a_judges_kind_and_its_model_are_told_by_its_name() -> None:
    assert {name: kinds.of(name).word for name in KINDS} == KINDS
    models = {"acme/judge:free": "acme/judge:free", "picks:acme/judge:free": "acme/judge:free", "cues": "cues"}
    assert {name: kinds.of(name).model_of(name) for name in models} == models


def test_a_person_grades_nothing() -> None:
    with pytest.raises(UsageError, match="`human:Ann` is a person"):
        kinds.of("human:Ann").configure("human:Ann", JudgeSources.__new__(JudgeSources, None, None))


@pytest.mark.parametrize("value", ["broken_kind:KIND", "sound_kind:absent", "sound_kind:TEXT"])
def test_a_declared_kind_that_is_none_is_one_sentence(
    value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    word = f"w{abs(hash(value))}"
    plugin.install(tmp_path / "one", "broken_kind", "import nothing_of_this_name", judges=f"{word} = {value}")
    plugin.install(tmp_path / "two", "sound_kind", "TEXT = 'no kind'")
    for folder in ("one", "two"):
        monkeypatch.syspath_prepend(tmp_path / folder)
    with pytest.raises(UsageError, match=f"judge `{word}`: {value} "):
        kinds.of(word)


MODEL = ModelJudge("acme/judge", endpoint="openrouter", model="acme/judge")


def test_every_setting_makes_a_judge_of_its_own_and_the_endpoints_name_does_not() -> None:
    changes = [{"name": "other"}, {"temperature": 0.5}, {"max_tokens": 10}, {"effort": "low"}]
    judges = [MODEL, *(msgspec.structs.replace(MODEL, **change) for change in changes)]
    assert len({one.settings for one in judges}) == len(judges)
    assert msgspec.structs.replace(MODEL, endpoint="proxy").settings == MODEL.settings


def test_settings_and_keys_are_the_very_bytes_that_stored_verdicts_are_found_by() -> None:
    assert MODEL.settings == '{"effort":"none","judge":"acme/judge","max_tokens":1024,"temperature":0.0}'
    assert CuesJudge(CUES).settings == '{"judge":"cues","version":5}'
    assert verdict_key("d", "r", MODEL.settings) == "60b900b03d4a5985c0e30a221130b9c8bc7630af338be094b310e0956b3b60da"


def test_a_verdict_key_differs_with_dialogue_rubric_judge_and_pass() -> None:
    keys = {
        verdict_key("d", "r", "s"),
        verdict_key("d2", "r", "s"),
        verdict_key("d", "r2", "s"),
        verdict_key("d", "r", "s2"),
        verdict_key("d", "r", "s", 2),
    }
    assert len(keys) == 5
    assert verdict_key("d", "r", "s", 1) in keys
