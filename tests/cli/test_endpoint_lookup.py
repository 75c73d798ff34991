from __future__ import annotations

import re

import pytest

from independence.cli.endpoint_lookup import EndpointLookup
from independence.config.registry import EndpointEntry, Registry
from independence.config.subjects import Subject

LAB = EndpointEntry(name="lab", base_url="http://10.0.0.5:8000/v1/", api_key_env="LAB_KEY")
KNOWN = Registry(endpoints=(LAB,))


@pytest.mark.parametrize(
    ("name", "env", "found", "missing"),
    [
        ("lab", {}, ("http://10.0.0.5:8000/v1", "", "LAB_KEY"), "LAB_KEY"),  # it can still be reached
        ("lab", {"LAB_KEY": "k-1"}, ("http://10.0.0.5:8000/v1", "k-1", "LAB_KEY"), None),
        ("openrouter", {"OPENROUTER_API_KEY": "your-key-here"}, (None, "", "OPENROUTER_API_KEY"), "placeholder"),
        ("local", {}, None, "--local-url"),
        ("typo", {}, None, "endpoint `typo`: .*is no address: its port"),
    ],
)
def test_what_keeps_an_endpoint_from_being_reached_is_told(
    name: str, env: dict[str, str], found: tuple[str | None, str, str] | None, missing: str | None
) -> None:
    typo = EndpointEntry(name="typo", base_url="http://10.0.0.5:80000/v1")
    endpoint, told = EndpointLookup(Registry(endpoints=(LAB, typo)), env, None).find(name)
    assert (told is None) == (missing is None)
    assert re.search(missing or "", str(told))
    assert (endpoint is None) == (found is None)
    if endpoint is not None and found is not None:
        assert (found[0] or endpoint.base_url, endpoint.api_key, endpoint.key_source) == (endpoint.base_url, *found[1:])


def test_nobody_waits_ten_minutes_for_a_local_server() -> None:
    endpoint, _ = EndpointLookup(KNOWN, {}, "http://127.0.0.1:1234").find("local")
    assert endpoint is not None
    assert endpoint.timeout_s == 180


@pytest.mark.parametrize(
    ("known", "env", "local_url", "names"),
    [
        (Registry(), {}, None, ["openrouter"]),
        (Registry(), {"OPENROUTER_KEY": "k"}, None, ["openrouter"]),
        (Registry(), {"LOCAL_MODEL_URL": "http://127.0.0.1:1"}, None, ["local"]),
        (Registry(), {"OPENROUTER_API_KEY": "k"}, "http://127.0.0.1:1", ["openrouter", "local"]),
        (KNOWN, {}, None, ["lab"]),
        (Registry((Subject("a/b", "openrouter", "a/b"),), (LAB,)), {}, None, ["openrouter", "lab"]),
        (Registry((Subject("a/b", "openrouter", "a/b", active=False),), (LAB,)), {}, None, ["lab"]),
    ],
)
def test_the_endpoints_that_are_spoken_of_are_looked_at(
    known: Registry, env: dict[str, str], local_url: str | None, names: list[str]
) -> None:
    assert EndpointLookup(known, env, local_url).configured() == names
