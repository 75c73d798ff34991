"""Which models there are, what they cost and what they can do: the answer of `GET /models`.

A model is the name of a simulated subject (`sim/panel.py`) or `judge`, with variant suffixes:
`:free` costs nothing, `:no-tools` has no endpoint that takes tools, `:unpriced` is listed without a price,
`judge:prose` talks instead of filling in a form, `judge:echo` sends back what it was asked, and those of
`sim/judges.py` judge badly.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec

from independence.errors import UsageError
from independence.testing.loopback.settings import FREE, JUDGE, JUDGE_PRICE, SUBJECT_PRICE, TokenPrice, parse_prices
from independence.testing.sim import judges, panel

CONTEXT_TOKENS = 131_072
PROVIDER = "Loopback"
PROVIDER_SLUGS = ("loopback", "loopback/fp8", "loopback/int4")
_SUBJECT_VARIANTS = frozenset({"free", "no-tools", "unpriced"})
_JUDGE_VARIANTS = frozenset({"free", "no-tools", "unpriced", "prose", "echo", *judges.FAULTY})
_CREATED = 1_767_225_600  # 2026-01-01, so that two listings are the same bytes
_YIELDS = 101
_PARAMETERS = (
    "max_tokens", "temperature", "seed", "reasoning", "include_reasoning", "response_format", "structured_outputs",
)  # fmt: skip
_REASONING = {
    "supported_efforts": ("high", "medium", "low", "minimal", "none"),
    "default_effort": "medium",
    "default_enabled": False,
    "supports_max_tokens": True,
    "mandatory": False,
}


class ServedModel(NamedTuple):
    """A model that answers."""

    id: str
    name: str  # without variants
    variants: frozenset[str]
    price: TokenPrice

    @property
    def judge(self) -> bool:
        """True for the simulated judge."""
        return self.name == JUDGE

    @property
    def takes_tools(self) -> bool:
        """False where a request with tools finds no endpoint."""
        return "no-tools" not in self.variants


class ServedCatalogue:
    """All models of one server."""

    def __init__(self, price: str) -> None:
        self._prices = parse_prices(price)
        for model_id in self._prices:
            self.check(model_id, "--price")

    def model(self, model_id: str) -> ServedModel | None:
        """The model of that id, or None where there is none."""
        name, *suffixes = model_id.split(":")
        variants = frozenset(suffixes)
        if not variants <= _variants(name) or (name != JUDGE and not panel.known(name)):
            return None
        default = JUDGE_PRICE if name == JUDGE else SUBJECT_PRICE
        price = next((self._prices[key] for key in (model_id, name, "") if key in self._prices), default)
        return ServedModel(model_id, name, variants, FREE if "free" in variants else price)

    def check(self, model_id: str, option: str) -> None:
        """Refuse a model that an option names and that is not here; "" stands for all. Raises UsageError."""
        if model_id and self.model(model_id) is None:
            names = ", ".join([*panel.names(), *panel.FREE_NAMES, JUDGE])
            raise UsageError(f"{option} names {model_id!r}, which is no model here; there are {names}.")

    @property
    def ids(self) -> list[str]:
        """The ids of all models, without variants."""
        steady = [f"yield-{number:02d}" for number in range(_YIELDS)]
        return list(dict.fromkeys([*panel.names(), *steady, JUDGE]))

    def listing(self, more: Mapping[str, dict[str, str]] = MappingProxyType({})) -> bytes:
        """The body of `GET /models`: every model, and every variant on its own; `more` is told of some."""
        ids = list(self.ids)
        ids += [f"{name}:{variant}" for name in ids for variant in sorted(_variants(name))]
        models = [model for model in map(self.model, ids) if model]
        return msgspec.json.encode({"data": [_listing(model) | more.get(model.id, {}) for model in models]})

    def single(self, model_id: str) -> bytes | None:
        """The body of `GET /model/ID`, or None where there is no such model."""
        model = self.model(model_id)
        return msgspec.json.encode({"data": _listing(model)}) if model else None


def _variants(name: str) -> frozenset[str]:
    return _JUDGE_VARIANTS if name == JUDGE else _SUBJECT_VARIANTS


def _listing(model: ServedModel) -> dict[str, Any]:
    kind = "simulated judge" if model.judge else "simulated subject"
    prices = {"prompt": _per_token(model.price.prompt), "completion": _per_token(model.price.completion)}
    return {
        "id": model.id,
        "canonical_slug": f"{model.name}-20260101",
        "name": f"Loopback: {model.id}",
        "description": f"A {kind} of the loopback endpoint.",
        "pricing": {} if "unpriced" in model.variants else prices | {"request": "0", "internal_reasoning": "0"},
        "supported_parameters": (*_PARAMETERS, "tools", "tool_choice") if model.takes_tools else _PARAMETERS,
        "created": _CREATED,
        "context_length": CONTEXT_TOKENS,
        "default_parameters": {},
        "expiration_date": None,
        "reasoning": _REASONING,
    }


def _per_token(per_million: float) -> str:
    # Plain decimals as OpenRouter writes them: a reader that cannot take exponents must not stumble here.
    return f"{per_million / 1e6:.12f}".rstrip("0").rstrip(".")
