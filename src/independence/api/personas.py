"""Persona files: whether one says all that is needed, and a new one from answers, from a prompt or from an example."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec

from independence.api.linting import LintedSuite
from independence.clients.limits import BYTES_PER_TOKEN, Budget
from independence.clients.protocol import UnansweredCall
from independence.config import environment, user_files
from independence.config.endpoints import Endpoint
from independence.config.options import ConnectionOptions
from independence.engine import connections, service
from independence.engine.estimate import CostEstimate
from independence.engine.gate import StopSignal
from independence.engine.service import Hooks, ModelNeeds
from independence.errors import NoAnswer, UsageError, suggestion
from independence.judge import kinds, model, persona_extraction
from independence.judge.persona_extraction import DrawnPersona
from independence.suites import persona_file, persona_suite
from independence.suites.persona_file import FrontMatter
from independence.types import Missing

EXAMPLES = persona_suite.HOME / "examples"
_WEAK = "-weak"
_BEGINNING = re.compile(r".{25,}?[.!?](?=\s|$)", re.DOTALL)  # "You are Eino." says too little


class ExamplePersona(NamedTuple):
    """A persona that ships, with a prompt that says its commitments and a weak one."""

    name: str
    role: str
    about: str  # how its prompt begins


def lint(path: Path) -> LintedSuite:
    """Every problem of a persona file."""
    found = persona_file.problems(path)
    return LintedSuite(path, found, () if found else tuple(persona_file.notes(path)))


def prompt_of(path: Path | None) -> str:
    """The prompt in a file, without its front matter; "" for no file. Raises UsageError."""
    return "" if path is None else persona_file.read(path).text


def has_front_matter(path: Path) -> bool:
    """Whether a prompt says already who its character is. Raises UsageError."""
    return persona_file.read_file(path).document is not None


def check_new(out: Path, *, force: bool) -> None:
    """Raise UsageError where no persona file can be written: it has another ending, or is there and not `force`."""
    if out.suffix != ".md":
        raise UsageError(f"{out}: a persona is a .md file", f"name it {out.with_suffix('.md').name}")
    user_files.check_new(out, "FILE", force=force)


def write(
    out: Path, name: str, role: str, commitments: Sequence[str], may: Sequence[str], prompt: str, *, force: bool
) -> LintedSuite:
    """Write a persona file, with a first draft of a prompt where there is none (""), and say what is wrong with it.

    Raises UsageError like `check_new`.
    """
    found = FrontMatter(name=name, role=role, commitments=tuple(commitments), may=tuple(may))
    return _write(out, persona_file.written(found, prompt or persona_file.drafted(found)), force=force)


def _write(out: Path, text: str, *, force: bool) -> LintedSuite:
    check_new(out, force=force)
    user_files.write_new(out, text.encode(), "FILE", force=force)
    return lint(out)


def front_matter(name: str, role: str, commitments: Sequence[str], may: Sequence[str]) -> str:
    """How it stands at the top of a file."""
    return persona_file.written_head(FrontMatter(name=name, role=role, commitments=tuple(commitments), may=tuple(may)))


def examples() -> list[ExamplePersona]:
    """The personas that ship."""
    found = list[ExamplePersona]()
    for path in sorted(EXAMPLES.glob("*.md")):
        if not path.stem.endswith(_WEAK):
            begins = _BEGINNING.match(persona_file.read(path).text)
            about = " ".join(begins[0].split()) if begins else ""
            found.append(ExamplePersona(path.stem, persona_file.front_matter(path).role, about))
    return found


def write_example(out: Path, name: str, *, weak: bool, force: bool) -> LintedSuite:
    """Write a persona that ships. Raises UsageError for a name that none has, and like `check_new`."""
    names = [one.name for one in examples()]
    if name not in names:
        raise UsageError(f"no example persona is called `{name}`", suggestion(name, names))
    return _write(out, user_files.read_text(EXAMPLES / f"{name}{_WEAK * weak}.md"), force=force)


async def adrawn(
    prompt: str,
    reader: str,
    options: ConnectionOptions,
    *,
    approve: Callable[[CostEstimate, Mapping[str, Endpoint]], bool],
    spent: Callable[[float, float], object],
    hooks: Hooks,
) -> DrawnPersona | None:
    """What a prompt says of its character, read by a model; None where that was not agreed to.

    `approve` is told what it costs, `spent` in the end what it did cost and how much of that was reserved for calls
    whose cost never came back. Raises UsageError for a reader that is no model, NoAnswer for one that does not answer.
    """
    if kinds.of(reader) is not kinds.MODEL:
        raise UsageError(f"`{reader}` cannot read a prompt", "name a model, as `-m vendor/model`")
    known, local = await service.known_models(options, (reader,))
    asked = msgspec.structs.replace(model.named(reader, known), max_tokens=persona_extraction.MAX_TOKENS)
    endpoints = connections.endpoints([asked.endpoint], known, environment.read(), options)
    needs = ModelNeeds(endpoints, {(asked.endpoint, asked.model): False}, options, local=local)
    async with service.check_endpoints(needs, hooks.on_event) as found:
        prices = found.prices[asked.endpoint, asked.model]
        usd, endpoint = 0.0, found.needs.endpoints[asked.endpoint]
        if prices is not None:
            tokens = len(persona_extraction.render(prompt).encode()) / BYTES_PER_TOKEN
            usd = tokens * prices.prompt + persona_extraction.TYPICAL_TOKENS * prices.completion + prices.request
        elif options.max_cost is not None:
            raise UsageError(f"--max-cost cannot be held: no price is known for {asked.name}", "leave it out")
        if not approve(CostEstimate(1, 0, usd, (asked.name,) * (prices is None)), found.needs.endpoints):
            return None
        budget, never = Budget(options.max_cost), StopSignal((), hooks.on_event)
        notify = partial(service.hear, stop_signal=never, on_event=hooks.on_event)
        client = service.backend(endpoint, found.session, found.catalogues[endpoint.name], budget, notify).client
        try:
            settled = await persona_extraction.extract(client, asked, prompt)
        except UnansweredCall as stop:
            raise NoAnswer(str(stop)) from stop
        finally:
            spent(budget.spent, budget.unknown)
    if isinstance(settled, Missing):
        what = f"{asked.name} said nothing that can be read ({settled.detail or settled.reason})"
        raise NoAnswer(what, "name another model, or leave -m out to be asked yourself")
    return settled.value
