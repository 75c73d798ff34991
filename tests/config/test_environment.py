from __future__ import annotations

import re
from pathlib import Path

import pytest

from independence.config import environment
from independence.config.endpoints import RateSetting
from independence.config.environment import EnvironmentSettings
from independence.errors import UsageError

KEY = "sk-or-v1-0123456789"


def test_the_environment_goes_over_the_dotenv_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".env").write_text("TOY_A=from file\nTOY_B=from file\nTOY_EMPTY\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOY_B", "from environment")
    env = environment.read()
    assert (env["TOY_A"], env["TOY_B"]) == ("from file", "from environment")
    assert "TOY_EMPTY" not in env


@pytest.mark.parametrize("key", ["", "  ", "your-key-here", "YOUR_KEY", "<paste>", "sk-or-...", "changeme", "xxxx"])
def test_sample_texts_are_no_keys(key: str) -> None:
    assert environment.is_placeholder(key)


def test_a_key_is_no_placeholder() -> None:
    assert not environment.is_placeholder(KEY)


def test_openrouter_takes_the_key_and_its_own_address() -> None:
    endpoint = environment.openrouter({"OPENROUTER_API_KEY": f" {KEY} "})
    assert (endpoint.api_key, endpoint.base_url) == (KEY, environment.OPENROUTER_URL)
    assert (endpoint.name, endpoint.dialect) == ("openrouter", "openrouter")


def test_the_proxy_key_goes_first_and_its_address_loses_the_slash() -> None:
    env = {"OPENROUTER_API_KEY": KEY, "OPENROUTER_KEY": "proxy-key", "OPENROUTER_BASE_URL": "http://proxy/v1/"}
    endpoint = environment.openrouter(env)
    assert (endpoint.api_key, endpoint.base_url) == ("proxy-key", "http://proxy/v1")


@pytest.mark.parametrize(
    ("env", "why"),
    [
        ({}, "OPENROUTER_API_KEY is not set"),
        ({"OPENROUTER_API_KEY": "your-key-here"}, "OPENROUTER_API_KEY is still a placeholder"),
        ({"OPENROUTER_KEY": "changeme", "OPENROUTER_API_KEY": KEY}, "OPENROUTER_KEY is still a placeholder"),
    ],
)
def test_without_a_usable_key_the_demo_is_named(env: dict[str, str], why: str) -> None:
    with pytest.raises(UsageError, match=why) as caught:
        environment.openrouter(env)
    assert "independence demo" in str(caught.value)


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("http://127.0.0.1:1234", "http://127.0.0.1:1234/v1"),
        ("http://127.0.0.1:1234/v1/", "http://127.0.0.1:1234/v1"),
        (" https://box/api/v1 ", "https://box/api/v1"),
    ],
)
def test_a_local_address_ends_in_v1_once(given: str, used: str) -> None:
    assert environment.local({}, given).base_url == used


def test_the_flag_goes_over_the_environment_for_the_local_address() -> None:
    env = {"LOCAL_MODEL_URL": "http://elsewhere/v1", "LOCAL_API_KEY": "k"}
    assert environment.local(env, "http://here/v1").base_url == "http://here/v1"
    endpoint = environment.local(env, None, timeout_s=5.0)
    assert (endpoint.base_url, endpoint.api_key, endpoint.timeout_s) == ("http://elsewhere/v1", "k", 5.0)


def test_a_local_model_without_an_address_says_how_to_give_one() -> None:
    with pytest.raises(UsageError, match="--local-url"):
        environment.local({}, None)


def test_a_local_address_without_a_scheme_is_refused() -> None:
    with pytest.raises(UsageError, match="not an http"):
        environment.local({}, "127.0.0.1:1234")


def test_settings_come_from_the_environment() -> None:
    env = {
        "BENCH_CONCURRENCY": " 7 ", "BENCH_TIMEOUT_S": "2.5", "BENCH_MAX_RETRIES": "0", "OPENROUTER_MODEL_RPS": "0.3",
        "OPENROUTER_MODEL_BURST": "2",
    }  # fmt: skip
    assert environment.settings(env) == (7, 2.5, 0, {"openrouter": RateSetting(0.3, 2)})
    assert environment.settings({"BENCH_TIMEOUT_S": " ", "BENCH_CONCURRENCY": ""}) == EnvironmentSettings()


@pytest.mark.parametrize(
    "env",
    [
        {"BENCH_TIMEOUT_S": "soon"},
        {"BENCH_TIMEOUT_S": "0"},
        {"BENCH_TIMEOUT_S": "nan"},
        {"BENCH_TIMEOUT_S": "inf"},
        {"BENCH_MAX_RETRIES": "-1"},
        {"BENCH_MAX_RETRIES": "2.5"},
        {"BENCH_MAX_RETRIES": "²"},
        {"BENCH_CONCURRENCY": "0"},
        {"BENCH_CONCURRENCY": "many"},
        {"BENCH_CONCURRENCY": "9" * 5000},
        {"OPENROUTER_MODEL_RPS": "0"},
        {"OPENROUTER_MODEL_RPS": "20/min"},
        {"OPENROUTER_MODEL_BURST": "0"},
        {"OPENROUTER_MODEL_BURST": "1.5"},
    ],
)
def test_an_impossible_setting_is_refused_by_name_and_value(env: dict[str, str]) -> None:
    ((name, value),) = env.items()
    with pytest.raises(UsageError, match=re.escape(f"{name}={value}: write ")):
        environment.settings(env)


def test_a_burst_without_a_rate_is_refused() -> None:
    with pytest.raises(UsageError, match=r"OPENROUTER_MODEL_BURST=5 .* set OPENROUTER_MODEL_RPS too"):
        environment.settings({"OPENROUTER_MODEL_BURST": "5"})


@pytest.mark.parametrize(
    ("text", "level"),
    [("", "info"), (" Debug ", "debug"), ("INFO", "info"), ("warning", "warning"), ("error", "error")],
)
def test_the_log_level_is_read_in_any_case(text: str, level: str) -> None:
    assert environment.log_level({"LOG_LEVEL": text}) == level
    assert environment.log_level({}) == "info"


def test_a_log_level_that_is_none_is_refused_with_those_that_are() -> None:
    with pytest.raises(UsageError, match="LOG_LEVEL=loud: write one of debug, info, warning, error"):
        environment.log_level({"LOG_LEVEL": "loud"})
