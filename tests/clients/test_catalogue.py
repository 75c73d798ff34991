from __future__ import annotations

from typing import Any

from independence.clients.catalogue import Catalogue, ModelInfo, Reasoning, read_model, read_models, resolve_effort
from independence.clients.limits import FREE, Prices


def read(*, free: bool = False, **fields: Any) -> ModelInfo:
    models = read_models({"data": [{"id": "a/b", **fields}]}, free=free)
    assert models is not None
    (info,) = models
    return info


def test_prices_are_dollars_a_token_from_text_and_the_highest_override_counts() -> None:
    each = {"prompt": "0.0000025", "completion": "0.00001", "request": "0.01", "internal_reasoning": "0.00002"}
    overrides = [{"min_prompt_tokens": 200000, "prompt": "3"}, {"utc_start": 30, "completion": "1"}, None]
    rows: list[tuple[Any, Prices | None]] = [
        (each, Prices(2.5e-6, 1e-5, 0.01, 2e-5)),
        ({"prompt": "0", "completion": "0"}, FREE),
        ({"prompt": "1", "completion": "2", "overrides": overrides}, Prices(3.0, 2.0)),
        *((bad, None) for bad in (None, {}, {"prompt": "1"}, {"prompt": "-1", "completion": "-1"}, "free", [])),
        ({"prompt": "1", "completion": True}, None),
    ]
    assert [(pricing, read(pricing=pricing).prices) for pricing, _ in rows] == rows
    assert read(free=True).prices == FREE
    assert read(free=True, pricing={"prompt": "1", "completion": "2"}).prices == Prices(1.0, 2.0)


def test_an_entry_of_any_shape_can_be_read() -> None:
    for junk in (None, 7, "x", [], {}, [1, None]):
        info = read(canonical_slug=junk, context_length=junk, supported_parameters=junk, reasoning=junk, pricing=junk)
        assert info.id == "a/b"
        assert read_models({"data": [{"id": junk}]}, free=True) == [] or junk == "x"
        assert read_model({"data": {"id": junk}}) is None or junk == "x"
    whole = read(canonical_slug="a/b-1", context_length=9, reasoning={"default_effort": "low", "mandatory": True})
    assert (whole.canonical_slug, whole.context_length) == ("a/b-1", 9)
    assert whole.reasoning == Reasoning(None, "low", mandatory=True)


def test_what_is_not_said_is_neither_listed_nor_rejected() -> None:
    silent, speaking = read(), read(supported_parameters=["tools"])
    assert (silent.lists("tools"), silent.rejects("tools")) == (False, False)
    assert (speaking.lists("tools"), speaking.rejects("tools")) == (True, False)
    assert (speaking.lists("seed"), speaking.rejects("seed")) == (False, True)


def test_a_model_is_found_under_its_ollama_name_and_behind_a_routing_variant() -> None:
    catalogue = Catalogue({"qwen3:latest": read(id="qwen3:latest"), "a/b": read(), "a/b:free": read(id="a/b:free")})
    rows = {"qwen3": "qwen3:latest", "a/b:nitro": "a/b", "a/b:free": "a/b:free", "a/b:thinking": None, "c": None}
    assert {name: info.id if (info := catalogue.info(name)) else None for name in rows} == rows


EFFORTS: list[tuple[str | None, Reasoning, str | None]] = [
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
]


def test_an_effort_is_clipped_to_what_the_model_takes() -> None:
    found = [(effort, own, resolve_effort(effort, ModelInfo("a/b", reasoning=own))) for effort, own, _ in EFFORTS]
    assert found == EFFORTS
    assert resolve_effort("low", ModelInfo("a", supported_parameters=frozenset({"tools"}))) is None
    assert resolve_effort("low", ModelInfo("a", supported_parameters=frozenset({"reasoning"}))) == "low"
    assert resolve_effort("low", ModelInfo("a")) == resolve_effort("low", None) == "low"


PATTERNS = [
    ("vendor/*", "vendor/ok", True),
    ("vendor/*", "vendor/a/b", True),
    ("vendor/name-*", "vendor/name-2", True),
    ("*", "anything/at-all", True),
    ("*/free", "vendor/free", True),
    ("vendor/*", "vendors/ok", False),
    ("vendor/*", "vendor/", False),
    ("vendor.x/*", "vendor-x/ok", False),
    ("vendor/name", "vendor/names", False),
]


def test_an_id_that_a_pattern_covers_is_known_by_nothing_but_its_name() -> None:
    for listed, model, covered in PATTERNS:
        own = ModelInfo("a/one", prices=FREE)
        known = Catalogue({listed: ModelInfo(listed, prices=FREE, context_length=9), "a/one": own})
        assert known.info(model) == (ModelInfo(model) if covered else None), (listed, model)
        assert known.info("a/one") == own
        assert not any("*" in name for name in known.near(listed[:-1]))


def test_near_names_are_those_spelt_alike_and_those_of_another_vendor() -> None:
    names = ("maker/model-one", "maker/model-two", "maker/model-six", "maker/model-ten", "resold/tiny-3", "z/other")
    listed = Catalogue({name: ModelInfo(name) for name in names})
    assert listed.near("maker/model-onr")[0] == "maker/model-one"
    assert len(listed.near("maker/model-onr")) == 3
    assert listed.near("tiny-3") == ["resold/tiny-3"]
    assert listed.near("qqqqqqqq") == []
