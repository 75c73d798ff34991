from __future__ import annotations

import json

import msgspec
import pytest

from independence.judge.cues.grading import CuesJudge
from independence.judge.kinds import CUES, OFFLINE
from independence.judge.model import ModelJudge
from independence.judge.offline.grading import OfflineJudge
from independence.judge.offline.hybrid import HybridJudge
from independence.judge.protocol import BatchJudge, CalibrationLine, Judge, PurchaseRule, verdict_key

MODEL = ModelJudge("acme/judge", endpoint="openrouter", model="acme/judge")
LINE = CalibrationLine("v2", 1.25, -3.0, 2.0, 12)
ALONE = OfflineJudge(OFFLINE, weights="0123456789ab", line=LINE, file="one.npz")
BOTH = HybridJudge("hybrid:acme/judge", weights="0123456789ab", line=LINE, file="one.npz").buying(MODEL, PurchaseRule())
AUDITED = ALONE.buying(MODEL, PurchaseRule(0, 0, 20))


SHARES = PurchaseRule()


def bought(model: ModelJudge = MODEL, rule: PurchaseRule = SHARES) -> Judge:
    return BOTH.buying(model, rule)


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
    assert json.loads(CuesJudge(CUES).settings).keys() == {"judge", "version"}


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
    assert CuesJudge(CUES).settings == '{"judge":"cues","version":3}'


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
    models: list[dict[str, object]] = [
        {"name": "acme/other"},
        {"temperature": 0.5},
        {"max_tokens": 10},
        {"effort": "low"},
    ]
    changed = [
        msgspec.structs.replace(BOTH, weights="ba9876543210"),
        *(bought(rule=rule) for rule in (PurchaseRule(unsure=0.3), PurchaseRule(audit=0.1), PurchaseRule(least=5))),
        *(bought(msgspec.structs.replace(MODEL, **change)) for change in models),
    ]
    assert len({spec.settings for spec in [BOTH, ALONE, MODEL, *changed]}) == len(changed) + 3
    assert bought(msgspec.structs.replace(MODEL, endpoint="proxy")).settings == BOTH.settings
    assert msgspec.structs.replace(BOTH, file="two.npz").settings == BOTH.settings


def test_a_hybrids_settings_are_the_very_bytes_that_stored_verdicts_are_found_by() -> None:
    assert BOTH.settings == (
        '{"buying":{"audit":0.05,"least":20,"unsure":0.2},"effort":"none","judge":"hybrid","max_tokens":1024,'
        '"model":"acme/judge","temperature":0.0,"weights":"0123456789ab"}'
    )


@pytest.mark.parametrize("spec", [BOTH, AUDITED])
def test_what_is_bought_is_the_models_own_verdict(spec: Judge) -> None:
    assert spec.purchase is not None
    assert spec.purchase.auditor == MODEL
    assert (spec.endpoint, spec.model, spec.max_tokens) == (MODEL.endpoint, MODEL.model, MODEL.max_tokens)
    assert verdict_key("d", "r", spec.settings) != verdict_key("d", "r", MODEL.settings)


@pytest.mark.parametrize(
    ("spec", "needs_model", "waits_for_all"),
    [
        (MODEL, True, False),
        (CuesJudge(CUES), False, False),
        (ALONE, False, True),
        (AUDITED, True, True),
        (BOTH, True, True),
    ],
)
def test_who_asks_a_model_and_who_waits_for_all_dialogues(spec: Judge, needs_model: bool, waits_for_all: bool) -> None:
    assert (bool(spec.endpoint), spec.waits_for_all) == (needs_model, waits_for_all)
    assert isinstance(spec, BatchJudge) == waits_for_all
