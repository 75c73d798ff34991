"""Persona files: whether one says all that is needed, and a new one from answers, from a prompt or from an example."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from shlex import quote

import msgspec

from independence.api.linting import LintedSuite
from independence.clients.limits import BYTES_PER_TOKEN, FREE, Budget
from independence.clients.protocol import UnansweredCall
from independence.config import environment, user_files
from independence.config.endpoints import Endpoint
from independence.config.options import ConnectionOptions
from independence.engine import connections, service
from independence.engine.estimate import CostEstimate
from independence.engine.gate import StopSignal
from independence.engine.service import Hooks
from independence.errors import NoAnswer, UsageError, suggestion
from independence.judge import kinds, persona_extraction
from independence.suites import persona_file, persona_suite
from independence.suites.persona_file import FrontMatter
from independence.types import Missing

DrawnPersona = persona_extraction.DrawnPersona
EXAMPLES = persona_suite.HOME / "examples"
_WEAK = "-weak"
_BEGINNING = re.compile(r".{25,}?[.!?](?=\s|$)", re.DOTALL)  # "You are Eino." says too little


def lint(path: Path) -> LintedSuite:
    """Every problem of a persona file."""
    found = persona_file.problems(path)
    return LintedSuite(path, found, () if found else tuple(persona_file.notes(path)))


def prompt_of(path: Path | None) -> str:
    """The prompt in a file, without its front matter; "" for no file. Raises UsageError."""
    return "" if path is None else persona_file.read(path).text


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


def examples() -> dict[str, str]:
    """The personas that ship: the role of each, and how its prompt begins."""
    strong = {path.stem: path for path in sorted(EXAMPLES.glob("*.md")) if not path.stem.endswith(_WEAK)}
    begins = {name: _BEGINNING.match(persona_file.read(path).text) for name, path in strong.items()}
    return {
        name: f"{persona_file.front_matter(path).role}. {' '.join(found[0].split()) if (found := begins[name]) else ''}"
        for name, path in strong.items()
    }


def write_example(out: Path, name: str, *, weak: bool, force: bool) -> LintedSuite:
    """Write a persona that ships. Raises UsageError for a name that none has, and like `check_new`."""
    if name not in (names := examples()):
        raise UsageError(f"no example persona is called `{name}`", suggestion(name, names))
    return _write(out, user_files.read_text(EXAMPLES / f"{name}{_WEAK * weak}.md"), force=force)


async def adrawn(
    prompt: Path,
    reader: str,
    options: ConnectionOptions,
    *,
    approve: Callable[[CostEstimate, Mapping[str, Endpoint]], bool],
    spent: Callable[[float, float], object],
    hooks: Hooks,
) -> DrawnPersona | None:
    """What a file's prompt says of its character, read by a model; None where that was not agreed to.

    `approve` is told what it costs, `spent` in the end what it did cost and how much of that was reserved for calls
    whose cost never came back. Raises UsageError for a reader that is no model, and a file that has a front matter;
    NoAnswer for a model that does not answer.
    """
    text = prompt_of(prompt)
    if persona_file.read_file(prompt).document is not None:
        advice = f"`independence persona lint {quote(str(prompt))}` says what it lacks; or leave --model out"
        raise UsageError(f"{prompt} has a front matter already", advice)
    if kinds.of(reader) is not kinds.MODEL:
        raise UsageError(f"`{reader}` cannot read a prompt", "name a model, as `--model vendor/model`")
    known, local = await service.known_models(options, (reader,))
    asked = msgspec.structs.replace(known.judge(reader), max_tokens=persona_extraction.MAX_TOKENS)
    endpoints = connections.endpoints([asked.endpoint], known.registry, environment.read(), options)
    models = {(asked.endpoint, asked.model): False}
    async with service.check_endpoints(endpoints, models, options, hooks.on_event, local=local) as found:
        prices = found.prices[asked.endpoint, asked.model]
        if prices is None and options.max_cost is not None:
            raise UsageError(f"--max-cost cannot be held: no price is known for {asked.name}", "leave it out")
        tokens, price = len(persona_extraction.render(text).encode()) / BYTES_PER_TOKEN, prices or FREE
        usd = tokens * price.prompt + asked.max_tokens * price.completion + price.request
        if not approve(CostEstimate(1, 0, usd, (asked.name,) * (prices is None)), found.endpoints):
            return None
        endpoint = found.endpoints[asked.endpoint]
        budget, never = Budget(options.max_cost), StopSignal((), hooks.on_event)
        notify = partial(service.hear, stop_signal=never, on_event=hooks.on_event)
        client = service.backend(endpoint, found.session, found.catalogues[endpoint.name], budget, notify).client
        try:
            settled = await persona_extraction.extract(client, asked, text)
        except UnansweredCall as stop:
            raise NoAnswer(str(stop)) from stop
        finally:
            spent(budget.spent, budget.unknown)
    if isinstance(settled, Missing):
        what = f"{asked.name} said nothing that can be read ({settled.detail or settled.reason})"
        raise NoAnswer(what, "name another model, or leave --model out to be asked yourself")
    return settled.value
