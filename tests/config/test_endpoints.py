from __future__ import annotations

from independence.config.endpoints import Endpoint


def test_the_key_never_shows_in_a_representation() -> None:
    endpoint = Endpoint("openrouter", "https://host/v1", "openrouter", "sk-secret")
    assert "sk-secret" not in repr(endpoint)
    assert "sk-secret" not in f"{endpoint}"
    assert "https://host/v1" in repr(endpoint)
