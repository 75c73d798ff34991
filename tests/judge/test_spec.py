from __future__ import annotations

import json

import msgspec
import pytest

from independence.judge.offline.calibration_line import CalibrationLine
from independence.judge.spec import CUES, HYBRID, OFFLINE, JudgeSpec, PurchaseRule, kind, verdict_key

MODEL = JudgeSpec("acme/judge", endpoint="openrouter", model="acme/judge")
LINE = CalibrationLine("v2", 1.25, -3.0, 2.0, 12)
ALONE = JudgeSpec(OFFLINE, OFFLINE, weights="0123456789ab", line=LINE, file="one.npz")
BOTH = JudgeSpec(
    "hybrid:acme/judge", HYBRID, "openrouter", "acme/judge", weights="0123456789ab", auditor="acme/judge",
    buying=PurchaseRule(), line=LINE, file="one.npz",
)  # fmt: skip
AUDITED = msgspec.structs.replace(
    ALONE, endpoint="openrouter", model="acme/judge", auditor="acme/judge", buying=PurchaseRule(0, 0, 20)
)


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


def test_a_model_judges_settings_are_the_very_bytes_that_stored_verdicts_are_found_by() -> None:
    assert MODEL.settings == '{"effort":"none","judge":"acme/judge","max_tokens":1024,"temperature":0.0}'
    assert verdict_key("d", "r", MODEL.settings) == "60b900b03d4a5985c0e30a221130b9c8bc7630af338be094b310e0956b3b60da"


def test_the_rule_judges_settings_are_the_very_bytes_that_stored_verdicts_are_found_by() -> None:
    assert JudgeSpec(CUES, kind=CUES).settings == '{"judge":"cues","version":2}'


def test_an_offline_judges_settings_are_its_weights_and_line_whatever_is_bought_beside_it() -> None:
    assert json.loads(ALONE.settings) == {
        "judge": "offline",
        "weights": "0123456789ab",
        "line": {"suite": "v2", "slope": 1.25, "shift": -3.0, "error": 2.0, "families": 12},
    }
    assert AUDITED.settings == ALONE.settings
    assert msgspec.structs.replace(ALONE, file="two.npz").settings == ALONE.settings
    changed = [msgspec.structs.replace(ALONE, weights="ba9876543210"), msgspec.structs.replace(ALONE, line=None)]
    assert len({spec.settings for spec in [ALONE, *changed]}) == 3


def test_a_hybrids_settings_are_its_weights_its_shares_and_its_model() -> None:
    changes: list[dict[str, object]] = [
        {"weights": "ba9876543210"},
        {"auditor": "acme/other"},
        {"buying": PurchaseRule(unsure=0.3)},
        {"buying": PurchaseRule(audit=0.1)},
        {"buying": PurchaseRule(least=5)},
        {"temperature": 0.5},
        {"max_tokens": 10},
        {"effort": "low"},
    ]
    changed = [msgspec.structs.replace(BOTH, **change) for change in changes]
    assert len({spec.settings for spec in [BOTH, ALONE, MODEL, *changed]}) == len(changes) + 3
    for change in ({"endpoint": "proxy"}, {"file": "two.npz"}):
        assert msgspec.structs.replace(BOTH, **change).settings == BOTH.settings


@pytest.mark.parametrize("spec", [BOTH, AUDITED])
def test_what_is_bought_is_the_models_own_verdict(spec: JudgeSpec) -> None:
    assert spec.bought == MODEL
    assert verdict_key("d", "r", spec.bought.settings) == verdict_key("d", "r", MODEL.settings)
    assert verdict_key("d", "r", spec.settings) != verdict_key("d", "r", MODEL.settings)


def test_what_is_bought_is_asked_for_as_the_hybrid_is_configured() -> None:
    own = msgspec.structs.replace(BOTH, temperature=0.5, max_tokens=10, effort="low")
    assert own.bought == msgspec.structs.replace(MODEL, temperature=0.5, max_tokens=10, effort="low")


@pytest.mark.parametrize(
    ("spec", "asks", "at_once"),
    [
        (MODEL, True, True),
        (JudgeSpec(CUES, kind=CUES), False, True),
        (ALONE, False, False),
        (AUDITED, True, False),
        (BOTH, True, False),
    ],
)
def test_who_asks_a_model_and_who_waits_for_the_whole_fleet(spec: JudgeSpec, asks: bool, at_once: bool) -> None:
    assert (spec.asks, spec.at_once) == (asks, at_once)


@pytest.mark.parametrize(
    ("name", "is_"),
    [
        ("cues", "cues"),
        ("offline", "offline"),
        ("offline@0123456789ab", "offline"),
        ("hybrid:acme/judge", "hybrid"),
        ("hybrid:acme/judge:free@0123456789ab", "hybrid"),
        ("acme/judge", "model"),
        ("acme/judge:free", "model"),
        ("acme/offline", "model"),
        ("offline/judge", "model"),
        ("hybrids", "model"),
        ("judge@low-t0.0", "model"),
    ],
)
def test_a_judges_kind_is_told_by_its_name(name: str, is_: str) -> None:
    assert kind(name) == is_


def test_a_person_is_no_model() -> None:
    assert (kind("human:Ann"), kind("human"), kind("humanist/m")) == ("human", "model", "model")
