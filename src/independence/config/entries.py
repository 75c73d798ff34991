"""The entries of `models.yaml`: models, and endpoints, of which some ship with the package."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import msgspec

from independence.config import documents
from independence.config.endpoints import RateSetting
from independence.config.environment import is_placeholder
from independence.config.subjects import MOST_TOKENS

_DIRECT = Path(__file__).parent / "endpoints.yaml"
Count = Annotated[int, msgspec.Meta(ge=1)]
Tokens = Annotated[int, msgspec.Meta(ge=1, le=MOST_TOKENS)]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=86_400)]


class RateLimit(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`rate_limit:` of a model."""

    rps: float
    burst: Count | None = None


class ModelEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One entry of `models:`: a configuration by its `model_id`, or a model by its `id`, as other benchmarks list them.

    `label` is another name of `display_label`.
    """

    model_id: str | None = None
    roster_id: str | None = msgspec.field(default=None, name="id")
    temperature: float | None = None  # None: the suite's, else 0.7
    reasoning_effort: str | None = None
    temperature_supported: bool | None = None  # None: as its endpoint says, else true
    active: bool = True
    provider: str | None = None
    display_label: str | None = None
    label: str | None = None
    endpoint: str | None = None
    extra_body: dict[str, Any] = {}  # what else its requests hold, over what its endpoint says
    rate_limit: RateLimit | None = None
    concurrency: Count | None = None
    timeout_s: Seconds | None = None  # per attempt
    max_tokens: Tokens | None = None  # of an answer; None: as many as the suite allows

    @property
    def name(self) -> str:
        """The model's id, by whichever key."""
        return self.model_id or self.roster_id or ""

    @property
    def pacing(self) -> RateSetting:
        """What it says about the rate."""
        return RateSetting(self.rate_limit.rps, self.rate_limit.burst) if self.rate_limit else RateSetting()

    @property
    def bounds(self) -> tuple[RateLimit | None, int | None, float | None]:
        """What all configurations of a model share."""
        return self.rate_limit, self.concurrency, self.timeout_s


class EndpointEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One entry of `endpoints:`. In `base_url`, `headers` and `query` the environment fills `${NAME}`."""

    name: str
    base_url: str | tuple[str, ...] = ""  # of several, the servers share the work; required, but of one that ships
    api_key_env: str | tuple[str, ...] | None = None  # of several the first that is set
    dialect: str = "local"
    headers: dict[str, str] = {}  # of every request
    query: dict[str, str] = {}  # parameters of every address
    extra_body: dict[str, Any] = {}  # what else every chat request holds
    features: dict[str, str] = {}  # feature -> the form in which requests are written at first
    lists_models: bool = True  # False: its list of models is not that of the ids it takes, and is not read
    no_temperature: tuple[str, ...] = ()  # patterns of model ids that take no temperature
    max_concurrency: Count | None = None  # None: 20
    backoff_s: Annotated[float, msgspec.Meta(ge=0)] = 0.5  # ceiling of the first pause before a retry
    requests_per_second: float | None = None  # to each model
    burst: Count | None = None
    timeout_s: Seconds | None = None  # per attempt; None: 90
    stream: bool | None = None  # answers are read as they are written; None: those of the dialect `local`

    @property
    def pacing(self) -> RateSetting:
        """What it says about the rate."""
        return RateSetting(self.requests_per_second, self.burst)

    @property
    def addresses(self) -> tuple[str, ...]:
        """Every base_url."""
        return tuple(filter(None, (self.base_url,) if isinstance(self.base_url, str) else self.base_url))

    @property
    def key_variables(self) -> tuple[str, ...]:
        """The environment variables that its key may be in."""
        named = self.api_key_env
        return (named,) if isinstance(named, str) else named or ()

    def key_variable(self, env: Mapping[str, str]) -> str:
        """The first of them that holds a key, else the first; empty where there is none."""
        found = (name for name in self.key_variables if not is_placeholder(env.get(name, "")))
        return next(found, next(iter(self.key_variables), ""))

    def takes_temperature(self, model: str) -> bool:
        """Whether a temperature may be sent to a model of that id."""
        return not any(fnmatchcase(model, pattern) for pattern in self.no_temperature)


class ShippedEndpoint(EndpointEntry, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An endpoint that ships with the package."""

    title: str
    vendors: tuple[str, ...] = ()  # how its own models begin at OpenRouter
    dot: str = "."  # what stands in its ids for a dot in OpenRouter's
    judge: str  # a model of it that can judge
    sources: tuple[str, ...]  # titles and addresses of what its entry was read from

    def id_of(self, model_id: str) -> str:
        """The id here of a model of OpenRouter's, as one of its own is most likely called."""
        return f"{self.name}/{model_id.partition('/')[2].partition(':')[0].replace('.', self.dot)}"


@cache
def shipped() -> Mapping[str, ShippedEndpoint]:
    """The endpoints of `endpoints.yaml` by their names."""
    listed = documents.packaged(_DIRECT, tuple[ShippedEndpoint, ...])
    return {entry.name: entry for entry in listed}


class ModelsFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The root of `models.yaml`."""

    models: list[str | ModelEntry] = []
    endpoints: list[EndpointEntry] = []
    preferred: str | None = None  # the id or label that goes first
    roster: list[str] = []  # ids and labels that `--roster default` asks
