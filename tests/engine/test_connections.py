from __future__ import annotations

import pytest

from independence.config.endpoints import Endpoint, ModelBounds, Rate, RateSetting
from independence.config.environment import EnvironmentSettings
from independence.config.options import ConnectionOptions
from independence.config.registry import EndpointEntry, ModelLimit, Registry
from independence.engine import connections
from independence.errors import UsageError

ROUTER = Endpoint("openrouter", "https://host/v1", "openrouter")
LOCAL = Endpoint("local", "http://here/v1", "local", timeout_s=600.0)
SIM = Endpoint("sim", "http://sim/v1", "openrouter", max_concurrency=200)
LAB = Endpoint("lab", "http://lab/v1", "openrouter", max_concurrency=8)
PROXY = Endpoint("proxy", "http://proxy/v1", "openrouter", max_concurrency=20)
KNOWN = Registry(
    endpoints=(
        EndpointEntry(name="lab", base_url="http://lab/v1", max_concurrency=8, requests_per_second=4.0, burst=3),
        EndpointEntry(name="proxy", base_url="http://proxy/v1"),
    ),
    limits=(ModelLimit("lab", "m", None, RateSetting(1.0), 2), ModelLimit("openrouter", "n", "host", RateSetting(), 5)),
)


NOTHING, NO_FLAGS = EnvironmentSettings(), ConnectionOptions()


def bounded(
    settings: EnvironmentSettings = NOTHING, flags: ConnectionOptions = NO_FLAGS, known: Registry = KNOWN
) -> dict[str, Endpoint]:
    endpoints = {endpoint.name: endpoint for endpoint in (ROUTER, LOCAL, SIM, LAB, PROXY)}
    return connections.bounded(endpoints, known, settings, flags)


def test_where_nobody_says_anything_nothing_is_bounded() -> None:
    assert bounded(known=Registry()) == {e.name: e for e in (ROUTER, LOCAL, SIM, LAB, PROXY)}


PACED = EnvironmentSettings(pacing={"openrouter": RateSetting(2.0, 7)})


@pytest.mark.parametrize(
    ("settings", "flags", "expected", "of_a_model"),
    [
        # The environment paces what speaks as OpenRouter, and the file goes over it.
        (PACED, NO_FLAGS, [Rate(2.0, 7), None, None, Rate(4.0, 3), Rate(2.0, 7)], Rate(1.0, 3)),
        # Flags go over everything and concern every endpoint; one changes what it names and nothing else.
        (PACED, ConnectionOptions(rps=50.0, burst=5), [Rate(50.0, 5)] * 5, Rate(50.0, 5)),
        (PACED, ConnectionOptions(rps=50.0),
         [Rate(50.0, 7), Rate(50.0, 1), Rate(50.0, 1), Rate(50.0, 3), Rate(50.0, 7)], Rate(50.0, 3)),
        (NOTHING, ConnectionOptions(burst=9), [None, None, None, Rate(4.0, 9), None], Rate(1.0, 9)),
    ],
)  # fmt: skip
def test_an_endpoint_and_each_of_its_models_has_the_rate_that_was_set_last(
    settings: EnvironmentSettings, flags: ConnectionOptions, expected: list[Rate | None], of_a_model: Rate
) -> None:
    found = bounded(settings, flags)
    assert [found[name].rate for name in ("openrouter", "local", "sim", "lab", "proxy")] == expected
    assert found["lab"].bounds == (ModelBounds("m", None, of_a_model, 2),)
    assert found["openrouter"].bounds == (ModelBounds("n", "host", expected[0], 5),)


def test_a_cap_of_the_environment_never_raises_what_the_file_declares() -> None:
    caps = {name: e.max_concurrency for name, e in bounded(EnvironmentSettings(concurrency=12)).items()}
    assert caps == {"openrouter": 12, "local": 12, "sim": 12, "lab": 8, "proxy": 12}
    assert bounded(EnvironmentSettings(concurrency=3))["lab"].max_concurrency == 3


@pytest.mark.parametrize(("calls", "router", "lab"), [(None, 3, 3), (2, 3, 3), (6, 6, 6), (30, 30, 8), (99, 50, 8)])
def test_a_larger_number_of_calls_on_the_command_line_wins_over_the_cap(calls: int, router: int, lab: int) -> None:
    found = bounded(EnvironmentSettings(concurrency=3), ConnectionOptions(parallel_tasks=calls))
    assert (found["openrouter"].max_concurrency, found["lab"].max_concurrency) == (router, lab)
    assert bounded(flags=ConnectionOptions(parallel_tasks=calls))["openrouter"].max_concurrency == 50


def test_patience_of_the_environment_holds_everywhere_but_gives_way_to_a_flag() -> None:
    found = bounded(EnvironmentSettings(timeout_s=2.5, retries=0))
    assert {(e.timeout_s, e.retries) for e in found.values()} == {(2.5, 0)}
    found = bounded(EnvironmentSettings(timeout_s=2.5), ConnectionOptions(local_timeout=600.0))
    assert (found["local"].timeout_s, found["lab"].timeout_s) == (600.0, 2.5)


def test_a_burst_that_nothing_paces_is_refused() -> None:
    with pytest.raises(UsageError, match="--burst 5 bounds nothing alone: add --rps N"):
        bounded(flags=ConnectionOptions(burst=5), known=Registry())
    assert connections.bounded({}, Registry(), EnvironmentSettings(), ConnectionOptions(burst=5)) == {}


def test_a_model_has_a_timeout_of_its_own_over_its_endpoints_over_the_environments() -> None:
    known = Registry(
        endpoints=(EndpointEntry(name="lab", base_url="http://lab/v1", timeout_s=30.0),),
        limits=(ModelLimit("openrouter", "slow/m", None, RateSetting(), None, 300.0),),
    )
    for settings, usual in ((NOTHING, 90.0), (EnvironmentSettings(timeout_s=7.0), 7.0)):
        found = bounded(settings, known=known)
        assert found["openrouter"].timeout_of("slow/m") == 300.0
        assert found["openrouter"].timeout_of("quick/m") == usual
        assert found["lab"].timeout_of("any") == 30.0
        assert found["openrouter"].timeout_of("nvidia/any", slow=True) == (240.0 if settings == NOTHING else 7.0)
    assert found["local"].timeout_of("nvidia/any") == 7.0
