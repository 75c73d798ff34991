"""Kinds of judges by their names, and the settings that stored verdicts are found by."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from independence.engine.batch_judge import BatchJudge
from independence.errors import UsageError
from independence.extensions.trained import OFFLINE
from independence.extensions.trained.judges import HybridJudge, OfflineJudge
from independence.extensions.trained.protocol import PurchaseRule
from independence.extensions.trained.weights import CalibrationLine
from independence.judge import kinds
from independence.judge.cues.grading import CuesJudge
from independence.judge.kinds import CUES, JudgeSources
from independence.judge.model import ModelJudge
from independence.judge.protocol import Judge, verdict_key
from tests import plugin

KINDS = {
    "cues": "cues", "cues@1": "cues", "offline": "offline", "offline@0123456789ab": "offline",
    "hybrid:acme/judge": "hybrid", "hybrid:acme/judge:free@0123456789ab": "hybrid", "human:Ann": "human",
    "acme/judge": "", "acme/judge:free": "", "acme/offline": "", "offline/judge": "", "hybrids": "",
    "judge@low-t0.0": "", "": "", "human": "", "humanist/m": "",
}  # fmt: skip


def test_a_judges_kind_and_its_model_are_told_by_its_name() -> None:
    assert {name: kinds.of(name).word for name in KINDS} == KINDS
    models = {"acme/judge:free": "acme/judge:free", "hybrid:acme/judge:free": "acme/judge:free", "cues": "cues"}
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
LINE = CalibrationLine("v2", 1.25, -3.0, 2.0, 12)
ALONE = OfflineJudge(OFFLINE, weights="0123456789ab", line=LINE, file="one.npz")
BOTH = HybridJudge("hybrid:acme/judge", weights="0123456789ab", line=LINE, file="one.npz").buying(MODEL, PurchaseRule())
AUDITED = ALONE.buying(MODEL, PurchaseRule(0, 0, 20))
SHARES = PurchaseRule()


def bought(model: ModelJudge = MODEL, rule: PurchaseRule = SHARES) -> Judge:
    return BOTH.buying(model, rule)


def test_every_setting_makes_a_judge_of_its_own_and_the_endpoints_name_does_not() -> None:
    changes = [{"name": "other"}, {"temperature": 0.5}, {"max_tokens": 10}, {"effort": "low"}]
    models = [msgspec.structs.replace(MODEL, **change) for change in changes]
    alone = [msgspec.structs.replace(ALONE, **change) for change in ({"weights": "ba9876543210"}, {"line": None})]
    rules = (PurchaseRule(unsure=0.3), PurchaseRule(audit=0.1), PurchaseRule(least=5))
    both = [
        msgspec.structs.replace(BOTH, weights="ba9876543210"),
        *(bought(rule=rule) for rule in rules),
        *map(bought, models),
    ]
    judges = [MODEL, *models, ALONE, *alone, BOTH, *both]
    assert len({one.settings for one in judges}) == len(judges)
    proxy = msgspec.structs.replace(MODEL, endpoint="proxy")
    assert (proxy.settings, bought(proxy).settings) == (MODEL.settings, BOTH.settings)
    for one in (ALONE, BOTH):
        assert msgspec.structs.replace(one, file="two.npz").settings == one.settings
    assert AUDITED.settings == ALONE.settings, "whatever is bought beside it"


def test_settings_and_keys_are_the_very_bytes_that_stored_verdicts_are_found_by() -> None:
    assert MODEL.settings == '{"effort":"none","judge":"acme/judge","max_tokens":1024,"temperature":0.0}'
    assert CuesJudge(CUES).settings == '{"judge":"cues","version":4}'
    assert BOTH.settings == (
        '{"buying":{"audit":0.05,"least":20,"unsure":0.2},"effort":"none","judge":"hybrid","max_tokens":1024,'
        '"model":"acme/judge","temperature":0.0,"weights":"0123456789ab"}'
    )
    line = {"suite": "v2", "slope": 1.25, "shift": -3.0, "error": 2.0, "families": 12}
    assert json.loads(ALONE.settings) == {"judge": "offline", "weights": "0123456789ab", "line": line}
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


@pytest.mark.parametrize("spec", [BOTH, AUDITED])
def test_what_is_bought_is_the_models_own_verdict(spec: Judge) -> None:
    assert spec.auditor == MODEL
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
