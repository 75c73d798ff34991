"""What an endpoint says about itself: is the key good, which models does it list, are those we need among them?

GET requests only, so nothing here costs money. `doctor` and `models` read pages once, and get a failure as a value.
`check` is what a run does before it begins: it tries a few times and raises one sentence for what is wrong.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Mapping
from typing import NamedTuple

import aiohttp
import msgspec

from independence.clients import catalogue, dialects
from independence.clients.bodies import decode_any, error_of
from independence.clients.catalogue import Catalogue
from independence.clients.failures import LOADING, Failure, key_rejected, of_exception, of_response
from independence.clients.protocol import Policy, Wait
from independence.clients.transport import BodyTooLarge, Transport
from independence.config import endpoints
from independence.config.endpoints import Endpoint
from independence.config.environment import OPENROUTER_URL
from independence.config.subjects import OPENROUTER, SIM
from independence.errors import UsageError

OnWait = Callable[[Wait], None]
_TRIES = 3
_LONGEST_PAUSE_S = 5.0
_FEW = 6  # names that a sentence lists


class KeyInfo(msgspec.Struct, frozen=True):
    """A key that was accepted."""

    limit_remaining: float | None = None  # dollars of its own limit; None: it has none, or none was stated
    is_free_tier: bool = False  # no credit was ever bought: free models only, few requests a day


class _KeyPage(msgspec.Struct, frozen=True):
    data: KeyInfo = KeyInfo()


class ServerProperties(NamedTuple):
    """What a server shows of itself."""

    template: str = ""  # digest of its chat template; "" where it does not tell
    context: int = 0  # tokens of a prompt with its answer; 0 where it does not tell


class _Generation(msgspec.Struct):
    n_ctx: int = 0


class _PropertiesPage(msgspec.Struct):
    chat_template: str = ""
    default_generation_settings: _Generation = msgspec.field(default_factory=_Generation)


class EndpointListing:
    """The pages of one endpoint about itself. `policy`: how often a page is tried; None: once.

    A server that is loading is waited for as long as one attempt on it may take; `notify` hears of the wait.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        session: aiohttp.ClientSession,
        policy: Policy | None = None,
        notify: OnWait = lambda _: None,
    ) -> None:
        self.endpoint = endpoint
        self.dialect = dialects.of(endpoint.dialect)
        self._transport = Transport(session, endpoint)
        self._policy = policy
        self._notify = notify

    async def read_key(self) -> KeyInfo | Failure:
        """What the page about the key says. A proxy without that page is a failure of status 404."""
        page = await self._get(self.dialect.key_path)
        if isinstance(page, Failure):
            return page
        try:
            return msgspec.convert(page, _KeyPage).data
        except msgspec.ValidationError:
            return KeyInfo()

    async def read_catalogue(self) -> Catalogue | Failure:
        """What `GET /models` lists; `known` is False where the server answers but has no such page."""
        page = await self._get("/models")
        if isinstance(page, Failure):
            return Catalogue(known=False) if page.status == 404 else page
        models = self.dialect.models(page)
        return Catalogue({model.id: model for model in models or ()}, known=models is not None)

    async def read_properties(self) -> ServerProperties:
        """What the server shows of itself on llama.cpp's page; nothing where there is no such page."""
        page = await self._get(self.dialect.props_path) if self.dialect.props_path else None
        try:
            found = msgspec.convert(page, _PropertiesPage)
        except msgspec.ValidationError:
            return ServerProperties()
        template = hashlib.sha256(found.chat_template.encode()).hexdigest()[:16] if found.chat_template else ""
        return ServerProperties(template, found.default_generation_settings.n_ctx)

    async def find(self, listed: Catalogue, model: str) -> Catalogue | Failure:
        """The catalogue, with a model under a name that it does not list but that the endpoint resolves."""
        path = self.dialect.model_path(model)
        if not path or not listed.known or listed.info(model):
            return listed
        page = await self._get(path)
        if isinstance(page, Failure):
            return page
        info = catalogue.read_model(page)
        return Catalogue({**listed.models, model: info}) if info else listed

    async def _get(self, path: str) -> object:
        """The JSON of a page, None where it is none, or a failure."""
        tries = min(_TRIES, self.endpoint.retries + 1) if self._policy else 1
        tried, loading_s = 0, 0.0
        while True:
            page = await self._try(path)
            if not isinstance(page, Failure) or page.lasting or page.kind in ("connect", "tls") or not self._policy:
                return page
            if page.kind == LOADING:
                if loading_s >= self.endpoint.timeout_s:
                    return page
                pause = min(_LONGEST_PAUSE_S, page.retry_after or max(0.5, loading_s / 2))
                loading_s += pause
                self._notify(Wait(self.endpoint.name, LOADING, pause))
            else:
                tried += 1
                if tried >= tries:
                    return page
                pause = min(_LONGEST_PAUSE_S, self._policy.pause(tried - 1, page.retry_after))
            await asyncio.sleep(pause)

    async def _try(self, path: str) -> object:
        key = self.endpoint.api_key
        try:
            limit_s = min(self.dialect.listing_timeout_s, self.endpoint.timeout_s)
            response = await self._transport.fetch(path, limit_s, root=path == self.dialect.props_path)
        except (aiohttp.ClientError, BodyTooLarge, OSError) as error:
            return of_exception(error, key)
        if response.status == 200:
            return decode_any(response.body)
        return of_response(response, error_of(response.body), key)


async def check(
    endpoint: Endpoint,
    models_needed: Mapping[str, bool],
    session: aiohttp.ClientSession,
    policy: Policy | None = None,
    notify: OnWait = lambda _: None,
) -> Catalogue:
    """Read the catalogue of an endpoint and check `models_needed` (model id -> whether it must take tools) against it.

    Raises KeyRejected when the key is refused, UsageError when the server is not there, when a model is not, or when
    one that must take tools does not.
    """
    listing = EndpointListing(endpoint, session, policy or Policy(), notify)
    if listing.dialect.key_path and endpoint.api_key:
        _must_serve(listing, await listing.read_key())
    listed = await listing.read_catalogue()
    if isinstance(listed, Failure):
        _must_serve(listing, listed)
        return Catalogue(known=False)
    if not listed.known:
        return listed
    for model in models_needed:
        found = await listing.find(listed, model)
        _must_serve(listing, found)
        listed = listed if isinstance(found, Failure) else found
    problems = [p for model, tools in models_needed.items() if (p := _problem(endpoint, listed, model, tools=tools))]
    if len(problems) > 1:
        raise UsageError("; ".join(map(str, problems)))
    if problems:
        raise problems[0]
    return listed


def _must_serve(listing: EndpointListing, page: object) -> None:
    """Raise for a failure, unless the page does not exist, or needs a key where none was given."""
    if not isinstance(page, Failure):
        return
    wants_key = page.scope == "key" and page.lasting
    if wants_key and (listing.endpoint.api_key or not listing.dialect.open_catalogue):
        raise key_rejected(listing.endpoint, page)
    if page.status and page.lasting:
        return
    name, url = listing.endpoint.name, endpoints.printable_address(listing.endpoint.base_url)
    if page.kind == LOADING:
        what = f"{name}: the server at {url} is still loading after {listing.endpoint.timeout_s:.0f} s ({page.detail})"
        raise UsageError(what, "try again once its model is loaded, or allow more time with --local-timeout")
    if page.status:
        what = f"{name}: the server at {url} does not list its models ({page.detail})"
        raise UsageError(what, _status_advice(listing.endpoint))
    raise UsageError(
        f"{name}: no server answers at {url} ({page.kind}: {page.detail})", _connection_advice(listing, page)
    )


def _status_advice(endpoint: Endpoint) -> str:
    later = "ask again in a few minutes, or check the address"
    return later if endpoint.api_key or not endpoint.key_source else f"if it needs a key, set {endpoint.key_source}"


def _connection_advice(listing: EndpointListing, failure: Failure) -> str:
    if failure.fix:
        return failure.fix
    if "proxy" in failure.detail:
        return "correct HTTP_PROXY or HTTPS_PROXY, or name the host in NO_PROXY"
    if failure.kind == "reset" and listing.endpoint.base_url.startswith("http:"):
        return "check the address, and write https:// if the server speaks TLS"
    return (failure.kind == "connect" and listing.dialect.start_advice) or "check the address"


def _problem(endpoint: Endpoint, listed: Catalogue, model: str, *, tools: bool) -> UsageError | None:
    info = listed.info(model)
    if info is None:
        what, fix = f"{_called(endpoint)} has no model `{model}`", _meant(endpoint, model, listed)
        return UsageError(what, fix) if listed.models else UsageError(f"{what}; it lists none")
    if tools and info.rejects("tools"):
        return UsageError(f"`{model}` takes no tools, which tool_role needs", "use --delivery user_role")
    return None


def _called(endpoint: Endpoint) -> str:
    """The endpoint's name, with the address where another server stands for OpenRouter's."""
    redirected = endpoint.name == OPENROUTER and endpoint.base_url != OPENROUTER_URL
    return f"{endpoint.name} ({endpoints.printable_address(endpoint.base_url)})" if redirected else endpoint.name


def _meant(endpoint: Endpoint, model: str, listed: Catalogue) -> str:
    """Names that may have been meant by one that is not listed, as the command line takes them."""
    prefix, where = ("", "") if endpoint.name == OPENROUTER else (f"{endpoint.name}/", f" --endpoint {endpoint.name}")
    near, alike = listed.near(model), listed.holding(model)
    if near:
        many = len(alike) >= _FEW and endpoint.name != SIM
        tail = model.rsplit("/", 1)[-1]
        more = f" `independence models --catalogue {tail}{where}` lists {len(alike)} like it" * many
        return f"did you mean `{prefix}{near[0]}`?{more}"
    if len(listed.models) <= _FEW:
        return f"it has {', '.join(prefix + name for name in sorted(listed.models))}"
    return f"`independence models --catalogue{where}` lists the {len(listed.models):,} it has" * (endpoint.name != SIM)
