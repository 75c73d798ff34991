"""Which models and judges a name means. Here alone a text becomes a `Subject` or a `Judge`.

A name is looked up among what the models file lists, then in the store, then at the server of `local/` ids; what none
of them has is an id as its endpoint knows it.
"""

from __future__ import annotations

import difflib
import re
import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from independence.clients import dialects, features
from independence.clients.listing import ServerPages
from independence.config import endpoints, environment, functions, plugins, registry
from independence.config.endpoints import Endpoint
from independence.config.entries import shipped
from independence.config.options import ConnectionOptions
from independence.config.registry import LookUps, Registry, plain_id
from independence.config.subjects import (
    LOCAL,
    OPENROUTER,
    PYTHON,
    SIM,
    Subject,
    asked_with,
    default_effort,
    family,
    from_json,
    states_settings,
    temperature_in,
)
from independence.engine import connections
from independence.errors import IndependenceError, UsageError, ambiguous, listed, nearest, unknown
from independence.judge import kinds
from independence.judge.kinds import CUES, JudgeSources
from independence.judge.model import ModelJudge
from independence.judge.protocol import Judge
from independence.store import queries, scopes
from independence.store.scopes import Names
from independence.suites.schema import Suite
from independence.testing.sim import panel
from independence.types import Sampling

DEFAULT_FILE = Path("models.yaml")
LOOK_UPS = LookUps(dialects.of, features.form)
_NOTHING = Sampling()
_OF_OPENROUTER = re.compile(r"[^\s/:]+(?<!-api)(/[^\s/]+)+")  # `vendor/model`, `vendor/model:free`
_LIKELY, _CLOSE = 3, 0.86  # how many names may have been meant, and how like they are


class LocalModels(NamedTuple):
    """The models at `local/`, as their server tells them before a run is planned.

    Several servers may give different weights the same id. So the name of the weights, where it is told, becomes the
    provider pin of a subject: `local/half+half-Q8_0@low-t0.7`.
    """

    address: str = ""  # as it may be printed; empty: it was not asked
    ids: tuple[str, ...] = ()  # none where it lists none
    weights: Mapping[str, str] = {}  # id -> name of its weights, where that is told and the id does not say it
    usual: str = ""  # the id that `local` alone stands for, by LOCAL_MODEL_ID
    problem: IndependenceError | None = None  # why nothing is known of them

    def only(self) -> str:
        """The id that `local` alone stands for. Raises UsageError where it may be any of several."""
        chat = [name for name in self.ids if "embed" not in name.lower() and "*" not in name]
        if self.usual or len(chat) == 1:
            return self.usual or chat[0]
        if self.problem is not None:
            raise self.problem
        if not chat:
            raise UsageError(f"the server at {self.address} lists no model", f"name one with -m {LOCAL}/ID")
        raise UsageError(*ambiguous(LOCAL, f"models of {self.address}", [f"{LOCAL}/{name}" for name in sorted(chat)]))

    def has(self, model: str) -> bool:
        """Whether the server lists it."""
        return model in self.ids or f"{model}:latest" in self.ids

    def of(self, model: str) -> str | None:
        """The name of the weights of a model; None where it is not known."""
        return self.weights.get(model) or self.weights.get(f"{model}:latest")

    def read(self, model: str) -> tuple[str, str | None]:
        """An id and the name of the weights, of an id behind which the name may stand, as in `half+half-Q8_0`.

        Raises UsageError where the server has other weights.
        """
        head, _, weights = model.rpartition("+")
        if self.has(model) or not self.has(head) or not weights:
            return model, None
        self.check(head, weights)
        return head, weights

    def check(self, model: str, weights: str | None) -> None:
        """Raise UsageError where the weights of a model are told and are not these."""
        told = self.of(model)
        if weights and told and told != weights:
            raise UsageError(
                f"{LOCAL}/{model}+{weights} is the model with the weights `{weights}`, and the server at "
                f"{self.address} has loaded `{told}`",
                f"start it with `{weights}`, or `run` {LOCAL}/{model}+{told} as a subject of its own",
            )

    def pinned(self, subject: Subject) -> Subject:
        """A subject with the name of its weights, unless it has a pin or is served elsewhere."""
        weights = self.of(subject.model) if subject.endpoint == LOCAL and not subject.sampling.provider else None
        if weights is None:
            return subject
        return msgspec.structs.replace(subject, sampling=msgspec.structs.replace(subject.sampling, provider=weights))


class Models(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of models before any is asked."""

    registry: Registry = Registry()
    redirected: bool = False  # another server stands for OpenRouter: its ids need no vendor
    stored: Mapping[str, Subject] = {}  # config_dir -> subject, as the edition used last has it
    local: LocalModels = LocalModels()

    def with_local(self, pages: ServerPages | None, env: Mapping[str, str]) -> Models:
        """What is known of models, with what the server of `local/` ids tells.

        Where it does not answer, the only name that the store has for the weights of a model is theirs: a run that is
        complete needs no server.
        """
        usual = env.get("LOCAL_MODEL_ID", "").strip().removeprefix(f"{LOCAL}/")
        if pages is None:
            return msgspec.structs.replace(self, local=LocalModels(usual=usual))
        try:
            pages.must_serve()
        except IndependenceError as problem:
            pins: dict[str, set[str | None]] = {}
            for one in (one for one in self.stored.values() if one.endpoint == LOCAL):
                pins.setdefault(one.model, set()).add(one.sampling.provider)
            weights = {model: name for model, own in pins.items() if len(own) == 1 and (name := next(iter(own)))}
            return msgspec.structs.replace(self, local=LocalModels(weights=weights, usual=usual, problem=problem))
        served = pages.listed.models
        weights = {name: info.weights for name, info in served.items() if info.weights}
        return msgspec.structs.replace(self, local=LocalModels(pages.address, tuple(served), weights, usual))

    def subjects(
        self, names: Iterable[str | Subject], flags: Sampling = _NOTHING, usual: Sampling = _NOTHING
    ) -> list[Subject]:
        """Subjects of names (labels or ids), settings applied, duplicates dropped, in order. Raises UsageError.

        `usual`: the settings of what neither flags nor entries state.
        """
        chosen: dict[str, Subject] = {}
        for name in names:
            stored = None if isinstance(name, Subject) else self._stored(name)
            if stored is not None:
                subject = asked_with(stored, *(flags, usual) if stored.endpoint != PYTHON else (_NOTHING,))
                if subject.endpoint == LOCAL and not flags.provider:
                    self.local.check(subject.model, subject.sampling.provider)
                chosen[subject.config_dir] = subject
                continue
            for one in [name] if isinstance(name, Subject) else self.meant(name, usual):
                # Settings are for models: a function is one subject, whatever they are.
                subject = self.local.pinned(asked_with(one, *(flags, usual) if one.endpoint != PYTHON else (_NOTHING,)))
                chosen[subject.config_dir] = subject
        labels: dict[str, Subject] = {}
        for subject in chosen.values():
            taken = subject.label in labels
            unique = msgspec.structs.replace(subject, display_label=subject.config_dir) if taken else subject
            labels[unique.label] = unique
        return list(labels.values())

    def meant(self, name: str, usual: Sampling = _NOTHING) -> list[Subject]:
        """A label's one configuration, a bare id's active ones, or the default configuration of an unlisted id.

        A label that holds a temperature states it; `usual` are the settings of what states none. Raises UsageError.
        """
        name, known = plain_id(name), self.registry.subjects
        if stated := next((one for one in known if one.label == name), None):
            return [_as_labelled(stated)]
        if labelled := [one for one in known if asked_with(one, _NOTHING, usual).label == name]:
            return labelled
        configurations = [one for one in known if one.model_id == name]
        active = [one for one in configurations if one.active]
        if configurations and not active:
            labels = listed([one.label for one in configurations])
            raise UsageError(f"every configuration of `{name}` is inactive", f"use a full name: {labels}")
        return active or [self.unlisted(name)]

    def of_roster(self) -> list[Subject]:
        """Every configuration of the default roster; of an id that has no active one, all it has."""
        found: dict[str, Subject] = {}
        for name in self.registry.roster:
            own = [one for one in self.registry.subjects if one.model_id == name]
            inactive = own and not any(one.active for one in own)
            found |= {one.label: one for one in (own if inactive else self.meant(name))}
        return list(found.values())

    def _stored(self, name: str) -> Subject | None:
        """The subject that the store calls so: for a name that is not listed, and that may be no model id.

        What could be an id of an endpoint stays an id. Raises UsageError for a name of several.
        """
        could_be_an_id = "/" in name or self.redirected
        known = {one for subject in self.registry.subjects for one in (subject.label, subject.model_id)}
        if name in known or (could_be_an_id and not {"@", "+"} & set(name)):
            return None
        called = {config: Names(config, one.label, one.model_id) for config, one in self.stored.items()}
        found = [self.stored[config] for config in scopes.fitting(name, called)]
        if not could_be_an_id and (several := scopes.several(name, called)):
            raise UsageError(*ambiguous(name, "subjects of the store", several))
        if len(found) != 1 or ("/" in name and found[0].model_id == name):
            return None
        return next((one for one in self.registry.subjects if one.label == found[0].label), _as_labelled(found[0]))

    def may_be_local(self, name: str) -> bool:
        """Whether the server of `local/` ids has to be asked before it is known who this is."""
        if name == LOCAL or name.startswith(f"{LOCAL}/"):
            return True
        own = [one for one in self.registry.subjects if name in (one.label, one.model_id)]
        stored = None if own else self._stored(name)
        return any(one.endpoint == LOCAL for one in own) or (stored is not None and stored.endpoint == LOCAL)

    def unlisted(self, model_id: str) -> Subject:
        """The configuration of an unlisted id: its effort by prefix. Raises UsageError for a bad id.

        An id of OpenRouter is `vendor/model`. What other servers call their models is theirs, such as `x@2026`.
        """
        direct = shipped().get(model_id.rstrip("/"))
        if direct is not None:
            what = f"`{model_id}` is an endpoint, and no model:"
            raise UsageError(what, f"write {direct.name}/ID, for example {direct.name}/{direct.judge}")
        if model_id == LOCAL:
            model_id = f"{LOCAL}/{self.local.only()}"
        model_id = str(functions.named([model_id])[0])
        endpoint, model = self.registry.split(model_id)
        if endpoint == PYTHON:
            key = functions.known(model).key
            return Subject(model_id, PYTHON, key, Sampling(effort="off"), False, display_label=f"{PYTHON}/{key}")
        complete = model.strip("/") and model_id == model_id.strip() and not states_settings(model_id)
        if not complete or (endpoint == OPENROUTER and not self.redirected and not _OF_OPENROUTER.fullmatch(model)):
            raise self._unknown(model_id)
        entry, weights = self.registry.entry(endpoint), None
        if endpoint == LOCAL:
            model, weights = self.local.read(model)
            model_id = f"{LOCAL}/{model}"
        sampling = Sampling(
            effort=default_effort(model_id),
            provider=weights,
            extra_body=endpoints.extra_text(entry.extra_body if entry else {}),
        )
        takes = entry is None or entry.takes_temperature(model)
        return Subject(model_id, endpoint, model, sampling, temperature_supported=takes)

    def judges(self, names: Iterable[str], suite: Suite) -> tuple[Judge, ...]:
        """Judges by name, duplicates dropped. Raises UsageError for a name that cannot be one's."""
        sources = JudgeSources(self.judge, suite)
        return tuple(kinds.of(name).configure(name, sources) for name in dict.fromkeys(name.strip() for name in names))

    def judge(self, name: str) -> ModelJudge:
        """A judge that is a model, by label or id: one configuration of an id that has several. Raises UsageError."""
        if not name:
            raise UsageError("--judge is empty:", f"name a model id, or `{CUES}`")
        name, kind = plain_id(name), kinds.of(name)
        if kind.human:
            raise kinds.graded_by_person(name)
        if kind is not kinds.MODEL:
            raise UsageError(f"judge `{name}` is no model", "name one by its id or label")
        labelled = [one for one in self.registry.subjects if one.label == name]
        own = labelled or [one for one in self.registry.subjects if one.model_id == name]
        near = "" if own or "/" in name else nearest(name, (CUES, kinds.PICKS, *plugins.ours(kinds.GROUP)))
        if near and not self.redirected:
            raise UsageError(*unknown("judge", name, [near]))
        subject = own[0] if own else self.unlisted(name)
        pin = None if own and not labelled else subject.sampling.provider
        weights = None
        if subject.endpoint == LOCAL and not (labelled and pin):
            weights = pin = pin or self.local.of(subject.model)
        return ModelJudge.of(subject, pin, weights)

    def _unknown(self, name: str) -> UsageError:
        """The error for a name that no model has, with what may have been meant: what ends so, is spelt much like it,
        or would be an id of its vendor.
        """
        published = [one.model_id for one in registry.load(registry.SHIPPED).subjects]
        known = [one for subject in self.registry.subjects for one in (subject.model_id, subject.label)]
        known += [one.label for one in self.stored.values()]
        known += [*(f"{LOCAL}/{one}" for one in self.local.ids), *(f"{SIM}/{one}" for one in panel.names()), *published]
        head, _, own = name.rpartition("/")
        bare, by_end = own.partition("@")[0], {one.rpartition("/")[2].lower(): one for one in reversed(known)}
        likely = [one for one in known if own and one.rpartition("/")[2] == own]
        likely = likely or [one for one in known if bare and one.rpartition("/")[2].partition("@")[0] == bare]
        likely = likely or [by_end[one] for one in difflib.get_close_matches(own.lower(), by_end, n=1, cutoff=_CLOSE)]
        vendors = {one.partition("/")[0]: family(one) for one in reversed(published)}
        if head.endswith("-api"):
            likely = [f"{nearest(head, shipped()) or next(iter(shipped()))}/{own}"]
        elif own and not head and self.local.problem:
            likely = [f"{LOCAL}/{own}", *likely]
        elif own and not head and not likely and own not in vendors:
            likely = [f"{vendor}/{own}" for vendor, kin in vendors.items() if kin == family(own)]
        at = "ID" if head or not bare or own in (SIM, *vendors) else own
        ways = f"vendor/{at} (at OpenRouter), {LOCAL}/{at} (on your own server), {SIM}/NAME (simulated) or a label"
        return UsageError(*unknown("model", name, list(dict.fromkeys(likely))[:_LIKELY], f"write {ways}"))


def _as_labelled(subject: Subject) -> Subject:
    """A subject that is named by its label, at the temperature that the label states."""
    named = subject.display_label
    return subject if named and temperature_in(named) is None else asked_with(subject, _NOTHING)


def read(file: Path | None) -> Models:
    """What a models file lists: the one named, else `./models.yaml` where it is there. Raises DocumentError."""
    path = file or (DEFAULT_FILE if DEFAULT_FILE.is_file() else None)
    known = registry.load(path, LOOK_UPS) if path else Registry()
    redirected = bool(environment.redirected(environment.read()))
    return Models(registry=msgspec.structs.replace(known, found=None if file else path), redirected=redirected)


def stored(connection: sqlite3.Connection) -> dict[str, Subject]:
    """The subjects of a store, by config_dir, as the edition used last has them."""
    return {
        config: from_json(text)
        for info in reversed(queries.editions(connection))
        for config, text in queries.configurations(connection, info.where).items()
    }


def local_server(
    options: ConnectionOptions, names: Iterable[str], known: Models, env: Mapping[str, str]
) -> Endpoint | None:
    """The endpoint of `local/` ids, where it is asked for one of these subjects and judges. Raises UsageError.

    So it is where `--local-url` is given and a name is no id: it may be one of that server without its `local/`.
    """
    asked = [kinds.of(name).model_of(name) for name in names if kinds.of(name).needs_model]
    bare = options.local_url and any("/" not in name for name in asked)
    if not bare and not any(known.may_be_local(name) for name in asked):
        return None
    own = msgspec.structs.replace(options, rps=None)
    return connections.endpoints([LOCAL], known.registry, env, own)[LOCAL]
