from __future__ import annotations

from independence.config.endpoints import Endpoint, ModelBounds, Rate, RateSetting


def test_the_key_never_shows_in_a_representation() -> None:
    endpoint = Endpoint("openrouter", "https://host/v1", "openrouter", "sk-secret")
    assert "sk-secret" not in repr(endpoint)
    assert "sk-secret" not in f"{endpoint}"
    assert "https://host/v1" in repr(endpoint)


def test_a_model_takes_what_its_pin_says_then_what_it_says_then_what_its_endpoint_says() -> None:
    bounds = (ModelBounds("m", None, Rate(2), 3), ModelBounds("m", "host", Rate(5)), ModelBounds("n", concurrency=1))
    endpoint = Endpoint("e", "https://host/v1", "local", rate=Rate(9, 4), bounds=bounds)
    assert endpoint.bounds_of("m") == ModelBounds("m", None, Rate(2), 3)
    assert endpoint.bounds_of("m", "host") == ModelBounds("m", "host", Rate(5))
    assert endpoint.bounds_of("m", "elsewhere") == ModelBounds("m", "elsewhere", Rate(2), 3)
    assert endpoint.bounds_of("n") == ModelBounds("n", None, Rate(9, 4), 1)
    assert endpoint.bounds_of("o") == ModelBounds("o", None, Rate(9, 4))


def test_what_one_source_leaves_open_another_may_say() -> None:
    assert RateSetting(2.0).over(RateSetting(1.0, 5)).over(RateSetting(9.0, 9)) == (2.0, 5)
    assert RateSetting(None, 5).rate is None
    assert RateSetting(2.0).rate == Rate(2.0, 1)
