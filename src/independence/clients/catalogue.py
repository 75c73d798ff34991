"""What an endpoint says about its models: prices, parameters, reasoning, and which names are near."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from typing import Any

import msgspec

from independence.clients import limits
from independence.clients.bodies import listed, mapping, text_of
from independence.clients.limits import FREE, Prices

_EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
_NOT_SENT = frozenset({"", "off", "auto"})
_ENDINGS = re.compile(r"(-\d{5}-of-\d{5})?\.(gguf|ggml|bin|safetensors)$", re.IGNORECASE)  # of files with weights
_LONG_DIGEST = re.compile(r"([0-9a-f]{12})[0-9a-f]{20,}")
_LONGEST_NAME = 100
_ROUTING_VARIANTS = (":nitro", ":floor", ":online", ":exacto")  # routes to a model, not models of their own


class Reasoning(msgspec.Struct, frozen=True):
    """What a model accepts as reasoning effort."""

    supported_efforts: tuple[str, ...] | None = None  # None: not said, all are taken
    default_effort: str | None = None
    mandatory: bool = False  # cannot be switched off


class ModelInfo(msgspec.Struct, frozen=True):
    """A model as listed. None: the listing does not say."""

    id: str
    canonical_slug: str = ""  # permanent name
    context_length: int | None = None
    prices: Prices | None = None  # None: unknown, so no cost cap can be kept
    supported_parameters: frozenset[str] | None = None
    reasoning: Reasoning | None = None
    weights: str = ""  # the name of its weights, where it is told and the id does not say it

    def lists(self, parameter: str) -> bool:
        """True where the parameter is named as supported."""
        return self.supported_parameters is not None and parameter in self.supported_parameters

    def rejects(self, parameter: str) -> bool:
        """True where parameters are named and this one is not among them."""
        return self.supported_parameters is not None and parameter not in self.supported_parameters


class Catalogue(msgspec.Struct, frozen=True):
    """The models of one endpoint. `known` is False where its listing could not be read."""

    models: Mapping[str, ModelInfo] = {}
    known: bool = True

    def info(self, model: str) -> ModelInfo | None:
        """The entry of an id, of a name without Ollama's `:latest` or Gemini's `models/`, or of the model that a
        routing variant leads to.

        A gateway may list patterns such as `vendor/*`: nothing more is known of an id that one covers.
        """
        variant = next((end for end in _ROUTING_VARIANTS if model.endswith(end)), "")
        names = (model, f"{model}:latest", f"models/{model}", model.removesuffix(variant))
        if found := next((self.models[name] for name in names if name in self.models), None):
            return found
        patterns = (".+".join(map(re.escape, name.split("*"))) for name in self.models if "*" in name)
        return ModelInfo(model) if any(re.fullmatch(pattern, model) for pattern in patterns) else None

    def near(self, model: str) -> list[str]:
        """Listed ids that may have been meant, the nearest first."""
        names = sorted(name for name in self.models if "*" not in name)
        return list(dict.fromkeys([*difflib.get_close_matches(model, names, cutoff=0.6), *self.holding(model)]))

    def holding(self, model: str) -> list[str]:
        """Listed ids that hold the last part of a name: a name without its vendor is what people remember."""
        tail = model.rsplit("/", 1)[-1]
        return [name for name in sorted(self.models) if "*" not in name and tail and tail in name]


def read_models(document: object, *, free: bool) -> list[ModelInfo] | None:
    """The models of a `GET /models` page, which may be a list alone; None where it is no such page.

    `free`: those without prices cost nothing.
    """
    entries = document if isinstance(document, list) and document else mapping(document).get("data")
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        return None
    return [_read(entry, free=free) for entry in entries if text_of(entry.get("id"))]


def read_model(document: object) -> ModelInfo | None:
    """The model that a page is about; None where it is no such page."""
    found = read_models([mapping(document).get("data")], free=False)
    return found[0] if found else None


def weights_name(told: object, model: str) -> str:
    """A name of weights from what a server tells of a model: their file, folder or repository, or what else tells them
    apart. Without folder and ending, digests cut. Empty where nothing is told, or no more than the id says.

    `/models/SmolLM2-Q8_0.gguf` is `SmolLM2-Q8_0`.
    """
    name = _stem(told) if isinstance(told, str) else ""
    return "" if name.lower() == _stem(model).lower() else name


def _stem(path: str) -> str:
    last = re.split(r"[/\\]", path.strip().rstrip("/\\"))[-1]
    name = _LONG_DIGEST.sub(r"\1", _ENDINGS.sub("", last))
    return re.sub(r"[^\w.-]+", "-", name)[:_LONGEST_NAME].strip("-")


def read_weights(document: object) -> dict[str, str]:
    """Model -> what tells its weights apart, by Ollama's or LM Studio's own list of models; nothing by another page."""
    page, told = mapping(document), dict[str, tuple[object, ...]]()
    for one in map(mapping, listed(page.get("models"))):
        told[text_of(one.get("name"))] = mapping(one.get("details")).get("quantization_level"), one.get("digest")
    for one in map(mapping, listed(page.get("data"))):
        told[text_of(one.get("id"))] = one.get("publisher"), one.get("quantization")
    joined = {model: "-".join(filter(None, map(text_of, parts))) for model, parts in told.items()}
    return {model: text for model, text in joined.items() if model and text}


def _read(entry: Mapping[str, Any], *, free: bool) -> ModelInfo:
    """What we use of an entry, which has an id."""
    model, length, pricing = entry["id"], limits.number(entry.get("context_length")), entry.get("pricing")
    named = _texts(entry.get("supported_parameters"))
    return ModelInfo(
        id=model,
        canonical_slug=text_of(entry.get("canonical_slug")),
        context_length=int(length) if length else None,
        prices=FREE if free and pricing is None else _prices(pricing),
        supported_parameters=None if named is None else frozenset(named),
        reasoning=_reasoning(entry.get("reasoning")),
        weights=weights_name(entry.get("root"), model),  # what vLLM loaded: a folder or a repository
    )


def _texts(value: object) -> tuple[str, ...] | None:
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else None


def _prices(value: object) -> Prices | None:
    """The highest of the base price and every override; None when prompt or completion is missing or negative."""
    if not isinstance(value, dict):
        return None
    listed = value.get("overrides")
    tables = [value, *(t for t in listed if isinstance(t, dict))] if isinstance(listed, list) else [value]
    if any(limits.number(value.get(name)) is None for name in ("prompt", "completion")):
        return None

    def highest(name: str) -> float:
        return max((limits.number(table.get(name)) or 0.0 for table in tables), default=0.0)

    return Prices(highest("prompt"), highest("completion"), highest("request"), highest("internal_reasoning"))


def _reasoning(value: object) -> Reasoning | None:
    if not isinstance(value, dict):
        return None
    default = value.get("default_effort")
    return Reasoning(
        supported_efforts=_texts(value.get("supported_efforts")),
        default_effort=default if isinstance(default, str) else None,
        mandatory=value.get("mandatory") is True,
    )


def resolve_effort(effort: str | None, info: ModelInfo | None) -> str | None:
    """The reasoning effort to send for a configured one; None: send nothing.

    `off` and `auto` send nothing, a model that does not reason gets nothing, and one that must reason never gets
    `none`. A value the model does not list becomes the nearest lower one it does, else its default.
    """
    if effort is None or effort in _NOT_SENT:
        return None
    if info is None or (info.supported_parameters is None and info.reasoning is None):
        return effort
    if info.reasoning is None:
        return effort if info.lists("reasoning") else None
    reasoning = info.reasoning
    listed = _EFFORTS if reasoning.supported_efforts is None else reasoning.supported_efforts
    allowed = [one for one in listed if one != "none"] if reasoning.mandatory else [*listed, "none"]
    if effort in allowed:
        return effort
    rank = _EFFORTS.index(effort) if effort in _EFFORTS else 0
    lower = [one for one in _EFFORTS[:rank] if one in listed and one in allowed]
    return lower[-1] if lower else reasoning.default_effort
