"""Who gave an answer: the model and the host that were asked, others, or the cache of a gateway."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

import aiohttp

from independence.clients import listing, protocol
from independence.clients.bodies import text_of
from independence.clients.catalogue import Catalogue
from independence.clock import MACHINE
from independence.config.endpoints import Endpoint

# Headers that count the fallbacks before an answer, with the one that names the model which gave it.
_FALLBACKS: Final = {"x-litellm-attempted-fallbacks": "x-litellm-model-group", "cf-aig-step": ""}
_NAMED_IN: Final = "ngrok-aig-model"  # the same where none are counted
_HIT = re.compile(r"(?<!no )(?<!no-)hit(?!-for)", re.IGNORECASE)
# Of headers with `cache` in their names those that tell of keys, wishes, and of what a model keeps of prompts.
_OTHER_CACHE = re.compile(r"\b(?:key|control|prefix|prompt|tokens?|kv)\b")
_TRUE: Final = frozenset(("true", "1", "yes"))
# What asks a gateway for a new answer, by how the header begins in which it tells of its cache.
_REFUSED_BY: Final = {
    "cf-aig": "cf-aig-skip-cache: true", "helicone": "Helicone-Cache-Enabled: false",
    "x-portkey": "x-portkey-cache-force-refresh: true", "": "Cache-Control: no-cache",
}  # fmt: skip

# What is told of an answer by somebody else, by its mark.
TOLD: Final = {
    protocol.OTHER_MODEL: "`{name}` answered, which is another model",
    protocol.OTHER_NAME: "answers say that `{name}` gave them",
    protocol.OTHER_HOST: "`{name}` answered, which is another host than the one that is pinned",
}

_FOLDER = re.compile(r"models--[^/]*--")  # of a downloaded repository
_ENDING = re.compile(r"(-\d{5}-of-\d{5})?\.(gguf|ggml|bin|safetensors)$")
_REGION = re.compile(r"^(?:[a-z]{2,9}\.)+(?=[a-z])")  # and vendor, as Bedrock writes them
_TAG = (
    r"\d{4}-\d{2}-\d{2}|\d{2}-\d{2}|\d{2}-\d{4}|\d{3,8}|latest|stable|preview|exp|beta|free|nitro|floor|online"
    r"|exacto|extended|hf|mlx|gguf|gptq|awq|exl2|i?q\d\w*|u?d-?q\d\w*|[bf]f?\d{2}|fp\d{1,2}|int\d|\d{1,2}-?bit|nvfp4"
)
_LAST_TAG = re.compile(rf"[-_@.]({_TAG})$")
_REVISION = re.compile(r"-v\d+:\d+$")  # of Bedrock
_DATE = re.compile(r"\d{3,8}|\d{2,4}-\d{2}(-\d{2})?|\d{2}-\d{4}")


class ModelName(NamedTuple):
    """A name of a model in parts."""

    stem: str  # without vendor, folder and what follows
    versions: frozenset[str]  # dates, and what stands behind a colon


@lru_cache(4096)
def parts(name: str) -> ModelName:
    """The parts of a name: `openai/gpt-4o-2024-11-20` is `gpt-4o` of that date, `qwen3:8b` a `qwen3` of that tag."""
    text = _FOLDER.sub("", name.strip().lower().replace("\\", "/").rstrip("/"))
    text = _REGION.sub("", _ENDING.sub("", text.partition("/snapshots/")[0].rsplit("/", 1)[-1]))
    text, _, tag = _REVISION.sub("", text).partition(":")
    versions = {tag} if tag and not re.fullmatch(_TAG, tag) else set()
    while (last := _LAST_TAG.search(text)) and last.start():
        versions |= {last[1].replace("-", "")} if _DATE.fullmatch(last[1]) else set()
        text = text[: last.start()]
    return ModelName(re.sub(r"[^a-z0-9]+", "-", text), frozenset(versions))


def same(one: str, other: str) -> bool:
    """Whether two names are of one model; what only one of them says (vendor, path, date, tag) does not matter."""
    if one.strip().lower() == other.strip().lower():
        return True
    a, b = parts(one), parts(other)
    return a.stem == b.stem and (a.versions == b.versions or not a.versions or not b.versions)


def answered_by(headers: Mapping[str, str]) -> tuple[bool, str]:
    """Whether a gateway says that it fell back to another model, and which it names; empty where it names none.

    `headers` are case-insensitive.
    """
    for count, name in _FALLBACKS.items():
        if headers.get(count, "0").strip().strip("0"):
            return True, headers.get(name, "")
    return False, headers.get(_NAMED_IN, "")


def marks(model: str, pin: str | None, served: object, host: object, known: Catalogue) -> Iterator[str]:
    """How an answer is marked that was given under another name than the one asked for, or by another host.

    `pin`: the only host that may answer; None where the endpoint has no hosts.
    """
    name, info = text_of(served), known.info(model)
    if name:
        own = (model, *((info.id, info.canonical_slug, info.weights) if info else ()))
        if not any(same(name, one) for one in own if one):
            listed = any(same(name, one) for one in known.models)
            yield protocol.OTHER_MODEL if listed else protocol.OTHER_NAME
    if pin and text_of(host):
        pinned, told = (re.sub(r"[^a-z0-9]+", "", one.lower()) for one in (pin.partition("/")[0], text_of(host)))
        if not (pinned.startswith(told) or told.startswith(pinned)):
            yield protocol.OTHER_HOST


class OtherWeights(NamedTuple):
    """What a server has loaded in place of the weights that it had at the start."""

    told: str  # in a sentence
    name: str


class LoadedWeights:
    """Which weights the servers of an endpoint have loaded, beside those that the catalogue named at the start."""

    def __init__(self, endpoint: Endpoint, session: aiohttp.ClientSession, catalogue: Catalogue) -> None:
        self.lost = False  # whether a connection broke, or something else made it doubtful, since it was last looked
        self._endpoint, self._session, self._catalogue = endpoint, session, catalogue
        self.began = MACHINE.now()  # seconds since 1970, as the next
        self.matched_at: dict[str, float] = {}  # model -> when its weights were last known to be its own

    async def others(self, model: str) -> OtherWeights | None:
        """What is loaded now in place of the weights of a model; None where nothing else is known to be."""
        info, asked_at = self._catalogue.info(model), MACHINE.now()
        if info is None or not info.weights:
            return None
        pages = await listing.read_pages(self._endpoint, self._session)
        known = [(one.address, one.listed.info(model)) for one in pages.of_each or (pages,) if one.listed.known]
        for address, now in known:
            if now is None or now.weights not in ("", info.weights):
                name = now.weights if now else "another model"
                told = f"the server at {address} was started again and has loaded `{name}`, not `{info.weights}`"
                return OtherWeights(told, name)
        self.lost = not (known and all(now and now.weights for _, now in known))  # where it cannot tell, later
        if not self.lost:
            self.matched_at[model] = asked_at
        return None


def is_litellm(headers: Mapping[str, str]) -> bool:
    """Whether an answer was signed by a LiteLLM gateway.

    It is asked for `no-cache` in every body from then on, as only the body counts there; other servers may reject a
    field that they do not know.
    """
    return "\nx-litellm-" in "\n".join(("", *headers)).lower()


def replayed(headers: Mapping[str, str]) -> str:
    """The header by which a gateway says that an answer comes from its cache; empty where none does.

    `headers` are case-insensitive. LiteLLM names the key of what it took from its cache; some of its versions say
    besides whether it did.
    """
    said = headers.get("x-litellm-cache-hit") or headers.get("cache_hit")
    if said:
        return "x-litellm-cache-hit" if said.lower() == "true" else ""
    for name, value in headers.items():
        low = name.lower()
        if "cache" in low and not _OTHER_CACHE.search(low):
            hit = value.strip().lower() in _TRUE if low.endswith(("hit", "hits", "cached")) else _HIT.search(value)
            if hit:
                return low
    return "x-litellm-cache-key" if headers.get("x-litellm-cache-key", "") not in ("", "None") else ""


def refused_by(header: str) -> str:
    """The header of a request that asks for new answers, by the one that told of a cache."""
    return next(remedy for start, remedy in _REFUSED_BY.items() if header.startswith(start))
