from __future__ import annotations

import msgspec
import pytest

from independence.errors import UsageError
from independence.testing.loopback.settings import LoopbackSettings, TokenPrice, parse_prices


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"port": 70_000}, "--port 70000"),
        ({"bill": "double"}, "--bill 'double'"),
        ({"latency": "slow"}, "--latency 'slow'"),
        ({"faults": "5o3"}, "--faults '5o3'"),
        ({"price": "cheap"}, "--price 'cheap'"),
        ({"max_in_row": -1}, "max_in_row"),
        ({"hang_s": -1.0}, "hang_s"),
        ({"retry_after_s": float("inf")}, "retry_after_s"),
    ],
)
def test_settings_that_make_no_sense_are_refused_when_they_are_made(wrong: dict[str, object], says: str) -> None:
    with pytest.raises(UsageError) as caught:
        LoopbackSettings(**wrong)  # type: ignore[arg-type]
    assert says in str(caught.value)
    assert str(caught.value).endswith((".", "?"))


def test_settings_survive_a_round_trip() -> None:
    settings = LoopbackSettings(latency="lognormal:1,0.5", faults="0.1,404@half", price="half=2/8", seed=3)
    assert msgspec.json.decode(msgspec.json.encode(settings), type=LoopbackSettings) == settings


def test_prices_are_for_one_model_or_for_all() -> None:
    assert parse_prices("half=2/8, 3/9.5") == {"half": TokenPrice(2, 8), "": TokenPrice(3, 9.5)}
    assert parse_prices("half:no-tools=0/0") == {"half:no-tools": TokenPrice(0, 0)}
    assert parse_prices("") == {}


@pytest.mark.parametrize("spec", ["half=1", "half=1/2/3", "half=a/b", "-1/2", "1/inf", "half="])
def test_a_price_that_is_none_is_refused(spec: str) -> None:
    with pytest.raises(UsageError, match="is not a price"):
        parse_prices(spec)
