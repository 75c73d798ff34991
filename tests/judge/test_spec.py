from __future__ import annotations

import json

import msgspec

from independence.judge.spec import CUES, JudgeSpec, verdict_key

MODEL = JudgeSpec("acme/judge", endpoint="openrouter", model="acme/judge")


def test_a_model_judges_settings_are_what_shapes_its_verdict() -> None:
    assert json.loads(MODEL.settings) == {
        "judge": "acme/judge",
        "temperature": 0.0,
        "max_tokens": 1024,
        "effort": "none",
    }


def test_every_setting_makes_a_judge_of_its_own_and_the_endpoints_name_does_not() -> None:
    changed = [
        msgspec.structs.replace(MODEL, name="other"),
        msgspec.structs.replace(MODEL, temperature=0.5),
        msgspec.structs.replace(MODEL, max_tokens=10),
        msgspec.structs.replace(MODEL, effort="low"),
    ]
    assert len({spec.settings for spec in [MODEL, *changed]}) == 5
    assert msgspec.structs.replace(MODEL, endpoint="proxy").settings == MODEL.settings


def test_the_rule_judges_settings_carry_the_version_of_its_rules() -> None:
    assert json.loads(JudgeSpec(CUES, kind=CUES).settings).keys() == {"judge", "version"}


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
