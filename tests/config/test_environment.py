from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from independence.config import endpoints, environment
from independence.config.endpoints import Endpoint, ModelBounds, Rate, RateSetting
from independence.config.environment import EnvironmentSettings
from independence.config.keywords import from_settings
from independence.config.options import ConnectionOptions, GradeOptions, RerunOptions, RunOptions
from independence.errors import UsageError
from independence.types import Sampling

KEY = "sk-or-v1-0123456789"


def test_the_environment_goes_over_the_dotenv_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".env").write_text("TOY_A=from file\nTOY_B=from file\nTOY_EMPTY\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOY_B", "from environment")
    env = environment.read()
    assert (env["TOY_A"], env["TOY_B"]) == ("from file", "from environment")
    assert "TOY_EMPTY" not in env


def test_sample_texts_are_no_keys() -> None:
    samples = ("", "  ", "your-key-here", "YOUR_KEY", "<paste>", "sk-or-...", "changeme", "xxxx")
    assert [key for key in (*samples, KEY) if not environment.is_placeholder(key)] == [KEY]


def test_openrouter_takes_the_key_and_its_own_address_and_a_proxy_goes_first() -> None:
    endpoint = environment.openrouter({"OPENROUTER_API_KEY": f" {KEY} "})
    assert (endpoint.api_key, endpoint.base_url) == (KEY, environment.OPENROUTER_URL)
    assert (endpoint.name, endpoint.dialect, endpoint.key_source) == ("openrouter", "openrouter", "OPENROUTER_API_KEY")
    env = {"OPENROUTER_API_KEY": KEY, "OPENROUTER_KEY": "proxy-key", "OPENROUTER_BASE_URL": "http://proxy/v1/"}
    proxy = environment.openrouter(env)
    assert (proxy.api_key, proxy.base_url, proxy.key_source) == ("proxy-key", "http://proxy/v1", "OPENROUTER_KEY")


def test_without_a_usable_key_the_demo_is_named() -> None:
    rows: list[tuple[dict[str, str], str]] = [
        ({}, "OPENROUTER_API_KEY is not set"),
        ({"OPENROUTER_API_KEY": "your-key-here"}, "OPENROUTER_API_KEY is still a placeholder"),
        ({"OPENROUTER_KEY": "changeme", "OPENROUTER_API_KEY": KEY}, "OPENROUTER_KEY is still a placeholder"),
    ]
    for env, why in rows:
        with pytest.raises(UsageError, match=why) as caught:
            environment.openrouter(env)
        assert "independence demo" in str(caught.value)
        assert environment.openrouter(env, keyless=True).api_key == ""


def test_a_folder_called_dotenv_is_told_where_a_key_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for told in ("export your key or put it into .env;", "export your key (.env is a folder here, which is not read);"):
        with pytest.raises(UsageError) as caught:
            environment.openrouter({})
        assert told in str(caught.value)
        Path(".env").mkdir(exist_ok=True)


def test_a_local_address_ends_in_v1_once_or_says_how_to_give_one() -> None:
    rows = {
        "http://127.0.0.1:1234": "http://127.0.0.1:1234/v1",
        "http://127.0.0.1:1234/v1/": "http://127.0.0.1:1234/v1",
        " https://box/api/v1 ": "https://box/api/v1",
        "127.0.0.1:1234": "http://127.0.0.1:1234/v1",
    }
    assert {given: environment.local({}, given).base_url for given in rows} == rows
    for given, says in ((None, "--local-url"), ("127.0.0.1", "not an http")):
        with pytest.raises(UsageError, match=says):
            environment.local({}, given)


def test_the_flag_goes_over_the_environment_for_the_local_address() -> None:
    env = {"LOCAL_MODEL_URL": "http://elsewhere/v1", "LOCAL_API_KEY": "k"}
    assert environment.local(env, "http://here/v1").base_url == "http://here/v1"
    endpoint = environment.local(env, None, timeout_s=5.0)
    assert (endpoint.base_url, endpoint.api_key, endpoint.timeout_s) == ("http://elsewhere/v1", "k", 5.0)


def test_an_address_that_cannot_be_asked_is_refused_with_the_reason() -> None:
    good = ("http://x:1/v1", "https://x:65535/v1", "http://[::1]:8000/v1", "http://x/v1?version=1")
    assert [endpoints.check(address, "base_url") for address in good] == list(good)
    bare = {"host:8000/v1": "http", "localhost:1234": "http", "[::1]:80/v1": "http", "api.test:443/v1": "https"}
    assert {one: endpoints.check(one, "base_url") for one in bare} == {one: f"{bare[one]}://{one}" for one in bare}
    for address, says in {
        "http://x:0/v1": "its port",
        "http://x:65536/v1": "its port is not a number from 1 to 65535",
        "http://[::1/v1": "it cannot be read",
        "http:///v1": "it has no host name",
        "http://a b/v1": "it holds a blank",
        "host:65536/v1": "`http://host:65536/v1` is no address: its port",
        "host/v1": "is not an http:// or https:// address",
        "http:8000": "is not an http:// or https:// address",
        "me:5@host:80": "`host:80` is not an http:// or https:// address",
        "http://me:SECRET@x:0/v1?key=SECRET": "`http://x:0/v1`",
        "ftp://x/v1": "is not an http",
    }.items():
        with pytest.raises(UsageError, match="base_url") as caught:
            endpoints.check(address, "base_url")
        assert says in str(caught.value), str(caught.value)
        assert "SECRET" not in str(caught.value)
    assert endpoints.check_key("sk-1", "KEY") == "sk-1"
    for key, says in {"sk-é": "signs that are not ASCII", "sk-\n1": "a line break"}.items():
        with pytest.raises(UsageError, match=f"KEY holds {says}") as caught:
            endpoints.check_key(key, "KEY")
        assert key not in str(caught.value)


def test_settings_come_from_the_environment() -> None:
    env = {
        "BENCH_CONCURRENCY": " 7 ", "BENCH_TIMEOUT_S": "2.5", "BENCH_MAX_RETRIES": "0", "OPENROUTER_MODEL_RPS": "0.3",
        "OPENROUTER_MODEL_BURST": "2",
    }  # fmt: skip
    assert environment.settings(env) == (7, 2.5, 0, {"openrouter": RateSetting(0.3, 2)})
    assert environment.settings({"BENCH_TIMEOUT_S": " ", "BENCH_CONCURRENCY": ""}) == EnvironmentSettings()


IMPOSSIBLE = {
    "BENCH_TIMEOUT_S": ("soon", "0", "nan", "inf"),
    "BENCH_MAX_RETRIES": ("-1", "2.5", "²"),
    "BENCH_CONCURRENCY": ("0", "many", "9" * 5000),
    "OPENROUTER_MODEL_RPS": ("0", "20/min"),
    "OPENROUTER_MODEL_BURST": ("0", "1.5"),
}


def test_an_impossible_setting_is_refused_by_name_and_value() -> None:
    for name, value in ((name, value) for name, values in IMPOSSIBLE.items() for value in values):
        with pytest.raises(UsageError, match=re.escape(f"{name}={value}: write ")):
            environment.settings({name: value})
    with pytest.raises(UsageError, match=r"OPENROUTER_MODEL_BURST=5 .* set OPENROUTER_MODEL_RPS too"):
        environment.settings({"OPENROUTER_MODEL_BURST": "5"})


def test_the_log_level_is_read_in_any_case() -> None:
    rows = {"": "info", " Debug ": "debug", "INFO": "info", "warning": "warning", "error": "error"}
    assert {text: environment.log_level({"LOG_LEVEL": text}) for text in rows} == rows
    assert environment.log_level({}) == "info"
    with pytest.raises(UsageError, match="LOG_LEVEL=loud: write one of debug, info, warning, error"):
        environment.log_level({"LOG_LEVEL": "loud"})


def test_the_key_of_an_endpoint_never_shows_in_a_representation() -> None:
    endpoint = Endpoint("openrouter", "https://host/v1", "openrouter", "sk-secret")
    assert "sk-secret" not in f"{endpoint!r} {endpoint}"
    assert "https://host/v1" in repr(endpoint)


def test_a_model_takes_what_its_pin_says_then_what_it_says_then_what_its_endpoint_says() -> None:
    bounds = (ModelBounds("m", None, Rate(2), 3), ModelBounds("m", "host", Rate(5)), ModelBounds("n", concurrency=1))
    endpoint = Endpoint("e", "https://host/v1", "local", rate=Rate(9, 4), bounds=bounds)
    assert endpoint.bounds_of("m") == ModelBounds("m", None, Rate(2), 3)
    assert endpoint.bounds_of("m", "host") == ModelBounds("m", "host", Rate(5))
    assert endpoint.bounds_of("m", "elsewhere") == ModelBounds("m", "elsewhere", Rate(2), 3)
    assert endpoint.bounds_of("n") == ModelBounds("n", None, Rate(9, 4), 1)
    assert endpoint.bounds_of("o") == ModelBounds("o", None, Rate(9, 4))
    assert RateSetting(2.0).over(RateSetting(1.0, 5)).over(RateSetting(9.0, 9)) == (2.0, 5)
    assert (RateSetting(None, 5).rate, RateSetting(2.0).rate) == (None, Rate(2.0, 1))


def test_a_number_that_makes_no_sense_is_refused() -> None:
    rows: list[tuple[dict[str, Any], str]] = [
        ({"rps": 0.0}, "--rps 0: write requests a second above 0"),
        ({"rps": float("nan")}, "--rps nan"),
        ({"rps": float("inf")}, "--rps inf"),
        ({"local_timeout": -1.0}, "--local-timeout -1: write seconds above 0"),
        ({"parallel": -1}, "-p -1: at least 1 is needed"),
        ({"parallel_tasks": -2}, "-pt -2: at least 1 is needed"),
        ({"max_cost": 0.0}, "--max-cost 0.0: write dollars above 0, or leave it out for no cap"),
    ]
    for values, says in rows:
        with pytest.raises(UsageError) as caught:
            ConnectionOptions(**values)
        assert str(caught.value).startswith(says)


def test_no_calls_at_once_are_one() -> None:
    assert ConnectionOptions(parallel=0, parallel_tasks=0) == ConnectionOptions(parallel=1, parallel_tasks=1)


def test_keywords_are_fields_of_the_options_and_of_what_they_hold() -> None:
    made = from_settings(
        RunOptions, "lite", "suite",
        {"models": ["a/b"], "judges": "cues", "temperature": 0, "max_cost": 2, "models_file": "m.yaml", "limit": 3},
    )  # fmt: skip
    assert (made.suite, made.models, made.judges) == ("lite", ("a/b",), ("cues",))
    assert made.sampling == Sampling(0.0)
    assert made.connection == ConnectionOptions(max_cost=2.0, models_file=Path("m.yaml"))
    assert made.part.limit == 3
    assert from_settings(GradeOptions, "cues", "judges", {"suite": "v2"}) == GradeOptions(judges=("cues",), suite="v2")
    assert from_settings(RerunOptions, None, "suite", {}) == RerunOptions()


def test_options_go_through_as_they_are() -> None:
    whole = RunOptions(runs=2)
    assert from_settings(RunOptions, whole, "suite", {}) is whole
    nested = from_settings(RunOptions, "v2", "suite", {"connection": ConnectionOptions(rps=1.0)})
    assert nested.connection.rps == 1.0


def test_keywords_that_fit_nothing_are_refused() -> None:
    rows: list[tuple[dict[str, Any], str]] = [
        ({"modles": ["a/b"]}, "modles"),
        ({"runs": "three"}, "runs"),
        ({"max_cost": -1}, "--max-cost"),
    ]
    for settings, says in rows:
        with pytest.raises(UsageError, match=says):
            from_settings(RunOptions, "v2", "suite", settings)
    with pytest.raises(UsageError, match="runs: options are there already"):
        from_settings(RunOptions, RunOptions(), "suite", {"runs": 3})
