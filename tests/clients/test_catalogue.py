from __future__ import annotations

from typing import Any

import pytest

from independence.clients.catalogue import Catalogue, ModelInfo, Reasoning, read_model, read_models, resolve_effort
from independence.clients.limits import FREE, Prices


def read(*, free: bool = False, **fields: Any) -> ModelInfo:
    models = read_models({"data": [{"id": "a/b", **fields}]}, free=free)
    assert models is not None
    (info,) = models
    return info


def test_prices_are_dollars_a_token_from_text() -> None:
    pricing = {"prompt": "0.0000025", "completion": "0.00001", "request": "0.01", "internal_reasoning": "0.00002"}
    assert read(pricing=pricing).prices == Prices(2.5e-6, 1e-5, 0.01, 2e-5)
    assert read(pricing={"prompt": "0", "completion": "0"}).prices == FREE


def test_the_highest_override_counts() -> None:
    overrides = [{"min_prompt_tokens": 200000, "prompt": "3"}, {"utc_start": 30, "completion": "1"}, None]
    prices = read(pricing={"prompt": "1", "completion": "2", "overrides": overrides}).prices
    assert prices == Prices(3.0, 2.0)


@pytest.mark.parametrize(
    "pricing",
    [None, {}, {"prompt": "1"}, {"prompt": "-1", "completion": "-1"}, {"prompt": "1", "completion": True}, "free", []],
)
def test_a_missing_or_negative_price_is_no_price(pricing: object) -> None:
    assert read(pricing=pricing).prices is None


def test_a_local_model_is_free_unless_a_price_is_listed() -> None:
    assert read(free=True).prices == FREE
    assert read(free=True, pricing={"prompt": "1", "completion": "2"}).prices == Prices(1.0, 2.0)


@pytest.mark.parametrize("junk", [None, 7, "x", [], {}, [1, None]])
def test_an_entry_of_any_shape_can_be_read(junk: object) -> None:
    info = read(canonical_slug=junk, context_length=junk, supported_parameters=junk, reasoning=junk, pricing=junk)
    assert info.id == "a/b"
    assert read_models({"data": [{"id": junk}]}, free=True) == [] or junk == "x"
    assert read_model({"data": {"id": junk}}) is None or junk == "x"


def test_what_is_not_said_is_neither_listed_nor_rejected() -> None:
    silent, speaking = read(), read(supported_parameters=["tools"])
    assert not silent.lists("tools")
    assert not silent.rejects("tools")
    assert speaking.lists("tools")
    assert speaking.rejects("seed")


def test_a_model_is_found_under_its_ollama_name_and_behind_a_routing_variant() -> None:
    catalogue = Catalogue({"qwen3:latest": read(id="qwen3:latest"), "a/b": read(), "a/b:free": read(id="a/b:free")})
    found = {name: info.id if (info := catalogue.info(name)) else None for name in ("qwen3", "a/b:nitro", "a/b:free")}
    assert found == {"qwen3": "qwen3:latest", "a/b:nitro": "a/b", "a/b:free": "a/b:free"}
    assert catalogue.info("a/b:thinking") is None
    assert catalogue.info("c") is None


@pytest.mark.parametrize(
    ("effort", "reasoning", "expected"),
    [
        ("off", Reasoning(), None),
        ("auto", Reasoning(), None),
        (None, Reasoning(), None),
        ("low", Reasoning(("high", "medium", "low")), "low"),
        ("minimal", Reasoning(("high", "low", "none")), "none"),
        ("max", Reasoning(("high", "low")), "high"),
        ("medium", Reasoning(("high", "low")), "low"),
        ("low", Reasoning(("xhigh", "high"), "high"), "high"),
        ("low", Reasoning(("xhigh", "high")), None),
        ("none", Reasoning(("high", "low")), "none"),
        ("none", Reasoning(("high", "low", "none"), "high", mandatory=True), "high"),
        ("minimal", Reasoning(("high", "none"), "high", mandatory=True), "high"),
        ("none", Reasoning(None, "medium", mandatory=True), "medium"),
        ("xhigh", Reasoning(None), "xhigh"),
        ("ultra", Reasoning(("ultra", "low")), "ultra"),
        ("ultra", Reasoning(("low",), "low"), "low"),
    ],
)
def test_an_effort_is_clipped_to_what_the_model_takes(
    effort: str | None, reasoning: Reasoning, expected: str | None
) -> None:
    assert resolve_effort(effort, ModelInfo("a/b", reasoning=reasoning)) == expected


def test_a_model_that_does_not_reason_gets_no_effort_and_an_unknown_one_what_was_asked() -> None:
    assert resolve_effort("low", ModelInfo("a", supported_parameters=frozenset({"tools"}))) is None
    assert resolve_effort("low", ModelInfo("a", supported_parameters=frozenset({"reasoning"}))) == "low"
    assert resolve_effort("low", ModelInfo("a")) == "low"
    assert resolve_effort("low", None) == "low"


@pytest.mark.parametrize(
    ("listed", "model", "covered"),
    [
        ("vendor/*", "vendor/ok", True),
        ("vendor/*", "vendor/a/b", True),
        ("vendor/name-*", "vendor/name-2", True),
        ("*", "anything/at-all", True),
        ("*/free", "vendor/free", True),
        ("vendor/*", "vendors/ok", False),
        ("vendor/*", "vendor/", False),
        ("vendor.x/*", "vendor-x/ok", False),
        ("vendor/name", "vendor/names", False),
    ],
)
def test_an_id_that_a_pattern_covers_is_known_by_nothing_but_its_name(listed: str, model: str, covered: bool) -> None:
    known = Catalogue(
        {listed: ModelInfo(listed, prices=FREE, context_length=9), "a/one": ModelInfo("a/one", prices=FREE)}
    )
    assert known.info(model) == (ModelInfo(model) if covered else None)
    assert known.info("a/one") == known.models["a/one"]
    assert not any("*" in name for name in known.near(listed[:-1]))


def test_near_names_are_those_spelt_alike_and_those_of_another_vendor() -> None:
    names = ("maker/model-one", "maker/model-two", "maker/model-six", "maker/model-ten", "resold/tiny-3", "z/other")
    listed = Catalogue({name: ModelInfo(name) for name in names})
    assert listed.near("maker/model-onr")[0] == "maker/model-one"
    assert len(listed.near("maker/model-onr")) == 3
    assert listed.near("tiny-3") == ["resold/tiny-3"]
    assert listed.near("qqqqqqqq") == []
