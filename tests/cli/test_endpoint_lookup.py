from __future__ import annotations

import pytest

from independence.cli.endpoint_lookup import EndpointLookup
from independence.config.registry import EndpointEntry, Registry
from independence.config.subjects import Subject

LAB = EndpointEntry(name="lab", base_url="http://10.0.0.5:8000/v1/", api_key_env="LAB_KEY")
KNOWN = Registry(endpoints=(LAB,))


def test_an_address_that_is_none_cannot_be_reached() -> None:
    lab = EndpointEntry(name="lab", base_url="http://10.0.0.5:80000/v1")
    endpoint, missing = EndpointLookup(Registry(endpoints=(lab,)), {}, None).find("lab")
    assert endpoint is None
    assert "endpoint `lab`" in str(missing)
    assert "is no address: its port" in str(missing)


def test_an_endpoint_without_its_key_can_still_be_reached() -> None:
    endpoint, missing = EndpointLookup(KNOWN, {}, None).find("lab")
    assert endpoint is not None
    assert (endpoint.base_url, endpoint.api_key, endpoint.key_source) == ("http://10.0.0.5:8000/v1", "", "LAB_KEY")
    assert "LAB_KEY" in str(missing)
    endpoint, missing = EndpointLookup(KNOWN, {"LAB_KEY": "k-1"}, None).find("lab")
    assert endpoint is not None
    assert (endpoint.api_key, missing) == ("k-1", None)


def test_a_placeholder_is_never_sent_as_a_key() -> None:
    endpoint, missing = EndpointLookup(KNOWN, {"OPENROUTER_API_KEY": "your-key-here"}, None).find("openrouter")
    assert endpoint is not None
    assert endpoint.api_key == ""
    assert "placeholder" in str(missing)


def test_a_local_server_without_an_address_cannot_be_reached() -> None:
    endpoint, missing = EndpointLookup(KNOWN, {}, None).find("local")
    assert endpoint is None
    assert "--local-url" in str(missing)


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
