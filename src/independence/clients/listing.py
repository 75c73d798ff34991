"""What an endpoint says about itself: is the key good, which models does it list, are those we need among them?

GET requests only, so nothing here costs money. `doctor` and `models` read pages once, and get a failure as a value.
`check` is what a run does before it begins: it tries a few times and raises one sentence for what is wrong.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from shlex import quote
from typing import NamedTuple

import aiohttp
import msgspec

from independence.clients import catalogue, dialects, limits
from independence.clients.bodies import decode_any, error_of, mapping, text_of
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


class ServerProperties(NamedTuple):
    """What a server shows of itself."""

    template: str = ""  # digest of its chat template; "" where it does not tell
    tools: bool = True  # whether that template speaks of tools; True where it does not tell
    context: int = 0  # tokens of a prompt with its answer; 0 where it does not tell
    slots: int = 0  # requests that it works on at a time; 0 where it does not tell
    weights: str = ""  # path of the file that it loaded; "" where it does not tell


class ServerPages(NamedTuple):
    """What the server of an endpoint tells of itself. Where several servers share an endpoint, what they tell together:
    the models that all of them list, the smallest context, the sum of their slots.
    """

    endpoint: Endpoint  # with its slots; where `catalogue` is a failure, with the address that failed alone
    catalogue: Catalogue | Failure  # with the names of the models' weights
    properties: ServerProperties = ServerProperties()
    of_each: tuple[ServerPages, ...] = ()  # where several servers share the endpoint: what each tells

    def must_serve(self) -> None:
        """Raise UsageError where its models cannot be asked: it does not answer, or refuses the key."""
        must_serve(self.endpoint, self.catalogue)

    @property
    def listed(self) -> Catalogue:
        """The catalogue; unknown where it is a failure."""
        return Catalogue(known=False) if isinstance(self.catalogue, Failure) else self.catalogue

    @property
    def address(self) -> str:
        """Where it was asked, as it may be printed."""
        return endpoints.printable_address(self.endpoint.base_url)


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
        self._from_root = (self.dialect.props_path, *self.dialect.weights_paths)
        self._policy = policy
        self._notify = notify

    async def read_key(self) -> KeyInfo | Failure:
        """What the page about the key says. A proxy without that page is a failure of status 404."""
        page = await self._get(self.dialect.key_path)
        if isinstance(page, Failure):
            return page
        try:
            return msgspec.convert(mapping(page).get("data"), KeyInfo)
        except msgspec.ValidationError:
            return KeyInfo()

    async def read_catalogue(self) -> Catalogue | Failure:
        """What `GET /models` lists; `known` is False where it is not to be read, or there is no such page."""
        if not self.endpoint.lists_models:
            return Catalogue(known=False)
        page = await self._get("/models")
        if isinstance(page, Failure):
            return Catalogue(known=False) if page.status == 404 else page
        models = self.dialect.models(page)
        return Catalogue({model.id: model for model in models or ()}, known=models is not None)

    async def read_properties(self) -> ServerProperties:
        """What the server shows of itself on llama.cpp's page; nothing where there is no such page."""
        page = mapping(await self._get(self.dialect.props_path) if self.dialect.props_path else None)
        template = text_of(page.get("chat_template"))
        context = mapping(page.get("default_generation_settings")).get("n_ctx")
        return ServerProperties(
            template=hashlib.sha256(template.encode()).hexdigest()[:16] if template else "",
            tools="tool" in template or not template,
            context=int(limits.number(context) or 0),
            slots=int(limits.number(page.get("total_slots")) or 0),
            weights=text_of(page.get("model_path")),
        )

    async def with_weights(self, listed: Catalogue, properties: ServerProperties) -> Catalogue:
        """The catalogue with the name of each model's weights, by the first page that tells any."""
        if any(info.weights for info in listed.models.values()):
            return listed
        told = dict.fromkeys(listed.models, properties.weights) if len(listed.models) == 1 else {}
        for path in self.dialect.weights_paths:
            told = told if any(told.values()) else catalogue.read_weights(await self._get(path))
        models = {
            name: msgspec.structs.replace(info, weights=catalogue.weights_name(told.get(name), name))
            for name, info in listed.models.items()
        }
        return Catalogue(models, listed.known)

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
        secrets = self.endpoint.secrets
        try:
            limit_s = min(self.dialect.listing_timeout_s, self.endpoint.timeout_s)
            response = await self._transport.fetch(path, limit_s, root=path in self._from_root)
        except (aiohttp.ClientError, BodyTooLarge, OSError) as error:
            failure = of_exception(error, secrets)
            slow = failure.kind == "timeout"
            return failure._replace(detail=f"no answer within {limit_s:.0f} s") if slow else failure
        if response.status == 200:
            return decode_any(response.body)
        return of_response(response, error_of(response.body), secrets)


async def read_pages(
    endpoint: Endpoint,
    session: aiohttp.ClientSession,
    policy: Policy | None = None,
    notify: OnWait = lambda _: None,
) -> ServerPages:
    """Ask every server of an endpoint what it lists and shows of itself; that one does not answer is a failure."""
    pages = await asyncio.gather(*(_read_one(one, session, policy, notify) for one in endpoint.each))
    failed = next((one for one in pages if isinstance(one.catalogue, Failure)), None)
    return failed or (pages[0] if len(pages) == 1 else _together(endpoint, pages))


async def _read_one(
    endpoint: Endpoint, session: aiohttp.ClientSession, policy: Policy | None, notify: OnWait
) -> ServerPages:
    listed = await EndpointListing(endpoint, session, policy, notify).read_catalogue()
    if isinstance(listed, Failure) and not listed.status:
        return ServerPages(endpoint, listed)
    once = EndpointListing(endpoint, session)  # not every server has these pages: they are not waited for
    shown = await once.read_properties()
    named = listed if isinstance(listed, Failure) else await once.with_weights(listed, shown)
    return ServerPages(endpoint, named, shown)


def _together(endpoint: Endpoint, pages: Sequence[ServerPages]) -> ServerPages:
    """What several servers tell together; each of them has a catalogue."""
    lists = [one.listed for one in pages if one.listed.known] or [Catalogue(known=False)]
    common = {name: info for name, info in lists[0].models.items() if all(name in one.models for one in lists)}
    shown = [one.properties for one in pages]
    slots = tuple(one.slots for one in shown) if all(one.slots for one in shown) else ()
    contexts = [one.context for one in shown if one.context]
    whole = shown[0]._replace(context=min(contexts, default=0), slots=sum(slots))
    shared = msgspec.structs.replace(endpoint, slots=slots)
    return ServerPages(shared, Catalogue(common, lists[0].known), whole, tuple(pages))


def refuse_unlike(pages: ServerPages, models: Iterable[str]) -> None:
    """Raise UsageError where servers that share an endpoint do not all have a model, or have other weights of it, or
    other chat templates.
    """
    name, otherwise = pages.endpoint.name, "servers that share an endpoint must answer alike; run once for each address"
    for model in models:
        infos = {one.address: info for one in pages.of_each if (info := one.listed.info(model)) is not None}
        lacking = [one.address for one in pages.of_each if one.listed.known and one.address not in infos]
        if infos and lacking:
            raise UsageError(f"{name}: `{model}` is not listed at {', '.join(lacking)}", otherwise)
        weights = {at: info.weights for at, info in infos.items() if info.weights}
        if len(set(weights.values())) > 1:
            each = ", ".join(f"{own} at {at}" for at, own in weights.items())
            raise UsageError(f"{name}: `{model}` has different weights: {each}", otherwise)
    templates = {one.address: one.properties.template for one in pages.of_each if one.properties.template}
    if len(set(templates.values())) > 1:
        raise UsageError(f"{name}: the chat templates differ at {', '.join(templates)}", otherwise)


async def check(
    endpoint: Endpoint,
    models_needed: Mapping[str, bool],
    session: aiohttp.ClientSession,
    policy: Policy | None = None,
    notify: OnWait = lambda _: None,
    pages: ServerPages | None = None,
) -> ServerPages:
    """Read what an endpoint lists, unless its `pages` are read already, and check `models_needed` (model id -> whether
    it must take tools) against it.

    Raises KeyRejected when the key is refused, UsageError when the server is not there, when a model is not, or when
    one that must take tools does not; and where servers that share it differ.
    """
    listing = EndpointListing(endpoint, session, policy or Policy(), notify)
    if listing.dialect.key_path and endpoint.api_key:
        must_serve(endpoint, await listing.read_key())
    pages = pages or await read_pages(endpoint, session, policy, notify)
    listed = pages.catalogue
    if isinstance(listed, Failure):
        must_serve(pages.endpoint, listed)
        return ServerPages(endpoint, Catalogue(known=False), pages.properties)
    refuse_unlike(pages, models_needed)
    if not listed.known:
        return pages
    for model in models_needed:
        found = await listing.find(listed, model)
        must_serve(endpoint, found)
        listed = listed if isinstance(found, Failure) else found
    problems = [p for model, tools in models_needed.items() if (p := _problem(endpoint, listed, model, tools=tools))]
    if len(problems) > 1:
        raise UsageError("; ".join(map(str, problems)))
    if problems:
        raise problems[0]
    return pages._replace(catalogue=listed)


def must_serve(endpoint: Endpoint, page: object) -> None:
    """Raise for a failure, unless the page does not exist, or needs a key where none was given."""
    if not isinstance(page, Failure):
        return
    dialect = dialects.of(endpoint.dialect)
    wants_key = page.scope == "key" and page.lasting
    if wants_key and (endpoint.api_key or not dialect.open_catalogue):
        raise key_rejected(endpoint, page)
    if page.status and page.lasting:
        return
    name, url = endpoint.name, endpoints.printable_address(endpoint.base_url)
    if page.kind == LOADING:
        what = f"{name}: the server at {url} is still loading after {endpoint.timeout_s:.0f} s ({page.detail})"
        raise UsageError(what, "try again once its model is loaded, or allow more time with --local-timeout")
    if page.status:
        what = f"{name}: the server at {url} does not list its models ({page.detail})"
        raise UsageError(what, lacked_key(endpoint) or "ask again in a few minutes, or check the address")
    raise UsageError(
        f"{name}: no server answers at {url} ({page.kind}: {page.detail})", connection_advice(endpoint, page)
    )


def lacked_key(endpoint: Endpoint) -> str:
    """What to do where a server that was asked without a key fails: some gateways say so by an error of the server."""
    return f"if it needs a key, set {endpoint.key_source}" if endpoint.key_source and not endpoint.api_key else ""


def connection_advice(endpoint: Endpoint, failure: Failure) -> str:
    """What to do where an endpoint did not answer."""
    given = f" in {endpoint.address_source}" if endpoint.address_source else ""
    own, tls = dialects.of(endpoint.dialect).own_server, endpoint.base_url.startswith("https:")
    if failure.fix:
        return failure.fix
    if "proxy" in failure.detail:
        return "correct HTTP_PROXY or HTTPS_PROXY, or name the host in NO_PROXY"
    if failure.kind == "reset" and not tls:
        return "check the address, and write https:// if the server speaks TLS"
    if failure.kind == "timeout" and own and tls:
        return f"servers of one's own usually speak http: write http:// instead of https://{given}"
    if failure.kind == "connect" and " is not known" not in failure.detail and own:
        return dialects.of(endpoint.dialect).start_advice + given
    return f"correct the address{given}" if own else "check the address and your connection, and ask again later"


def _problem(endpoint: Endpoint, listed: Catalogue, model: str, *, tools: bool) -> UsageError | None:
    info = listed.info(model)
    if info is None:
        # Where another server stands for OpenRouter's, its address tells more than the name.
        redirected = endpoint.name == OPENROUTER and endpoint.base_url != OPENROUTER_URL
        address = f" ({endpoints.printable_address(endpoint.base_url)})" if redirected else ""
        what, fix = f"{endpoint.name}{address} has no model `{model}`", _meant(endpoint, model, listed)
        return UsageError(what, fix) if listed.models else UsageError(f"{what}; it lists none")
    if tools and info.rejects("tools"):
        return UsageError(f"`{model}` takes no tools, which tool_role needs", "use --delivery user_role")
    return None


def _meant(endpoint: Endpoint, model: str, listed: Catalogue) -> str:
    """Names that may have been meant by one that is not listed, as the command line takes them."""
    prefix, where = ("", "") if endpoint.name == OPENROUTER else (f"{endpoint.name}/", f" --endpoint {endpoint.name}")
    near, alike = listed.near(model), listed.holding(model)
    if near:
        many = len(alike) >= _FEW and endpoint.name != SIM
        tail = model.rsplit("/", 1)[-1]
        more = f" `independence models --catalogue {quote(tail)}{where}` lists {len(alike)} like it" * many
        return f"did you mean `{prefix}{near[0]}`?{more}"
    if len(listed.models) <= _FEW:
        return f"it has {', '.join(prefix + name for name in sorted(listed.models))}"
    return f"`independence models --catalogue{where}` lists the {len(listed.models):,} it has" * (endpoint.name != SIM)
