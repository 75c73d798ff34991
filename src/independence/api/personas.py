"""Persona files: whether one says all that is needed, and a new one from answers, from a prompt or from an example."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import msgspec

from independence.api.linting import LintedSuite
from independence.clients.limits import BYTES_PER_TOKEN, FREE, Budget
from independence.clients.protocol import UnansweredCall
from independence.config import environment, user_files
from independence.config.endpoints import Endpoint
from independence.config.options import ConnectionOptions
from independence.engine import connections, service
from independence.engine.concurrency import StopSignal
from independence.engine.estimate import CostEstimate
from independence.engine.service import Hooks
from independence.errors import NoAnswer, UsageError, suggestion
from independence.judge import kinds, persona_extraction
from independence.suites import persona_file, persona_suite, prompt_sources
from independence.suites.persona_file import NOTHING, Commitment
from independence.types import Missing

DrawnPersona = persona_extraction.DrawnPersona
FrontMatter = persona_file.FrontMatter
written_head = persona_file.written_head
PromptSource = prompt_sources.PromptSource
EXAMPLES = persona_suite.HOME / "examples"
_WEAK = "-weak"
_BEGINNING = re.compile(r".{25,}?[.!?](?=\s|$)", re.DOTALL)  # "You are Eino." says too little


def lint(path: Path, values: Mapping[str, str] = NOTHING) -> LintedSuite:
    """Every problem of a persona file; `values` fill what templates leave to be filled."""
    found = persona_file.problems(path, values)
    return LintedSuite(path, found, () if found else tuple(persona_file.notes(path, values)))


def source(path: Path | None, values: Mapping[str, str] = NOTHING) -> PromptSource:
    """The prompt in a file of this or another program, and its name; nothing for no file. Raises UsageError."""
    return PromptSource("") if path is None else prompt_sources.read(path, values)


def check_new(out: Path, *, force: bool) -> None:
    """Raise UsageError where no persona file can be written: it has another ending, or is there and not `force`."""
    if out.suffix != ".md":
        raise UsageError(f"{out}: a persona is a .md file", f"name it {out.with_suffix('.md').name}")
    user_files.check_new(out, "FILE", force=force)


def write(out: Path, found: FrontMatter, prompt: str, *, force: bool) -> LintedSuite:
    """Write a persona file, with a first draft of a prompt where there is none (""), and say what is wrong with it.

    Raises UsageError like `check_new`.
    """
    return _write(out, persona_file.written(found, prompt or persona_file.drafted(found)), force=force)


def _write(out: Path, text: str, *, force: bool) -> LintedSuite:
    check_new(out, force=force)
    user_files.write_new(out, text.encode(), "FILE", force=force)
    return lint(out)


def front_matter(
    name: str, role: str, kept: Sequence[str | Commitment], may: Sequence[str], ordinary: Sequence[str] = ()
) -> FrontMatter:
    """What stands at the top of a file."""
    return FrontMatter(name=name, role=role, commitments=tuple(kept), may=tuple(may), ordinary=tuple(ordinary))


def as_commitment(keeps: str, tempts: Sequence[str]) -> str | Commitment:
    """A commitment of a sentence and of requests for what goes against it; the sentence alone where there are none."""
    return Commitment(keeps=keeps, tempts=tuple(tempts)) if tempts else keeps


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
    prompt: PromptSource,
    reader: str,
    options: ConnectionOptions,
    *,
    approve: Callable[[CostEstimate, Mapping[str, Endpoint]], bool],
    spent: Callable[[float, float], object],
    hooks: Hooks,
) -> DrawnPersona | None:
    """What a prompt says of its character, read by a model; None where that was not agreed to.

    `approve` is told what it costs, `spent` in the end what it did cost and how much of that was reserved for calls
    whose cost never came back. Raises UsageError for a reader that is no model, and a file that says it already;
    NoAnswer for a model that does not answer.
    """
    if "commitments" in prompt.unused:
        what = "the file that --from names has a front matter with commitments already"
        raise UsageError(what, "`independence persona lint` says what it lacks; or leave --model out")
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
        tokens, price = len(persona_extraction.render(prompt.prompt).encode()) / BYTES_PER_TOKEN, prices or FREE
        usd = tokens * price.prompt + asked.max_tokens * price.completion + price.request
        if not approve(CostEstimate(1, 0, usd, (asked.name,) * (prices is None)), found.endpoints):
            return None
        endpoint = found.endpoints[asked.endpoint]
        budget, never = Budget(options.max_cost), StopSignal((), hooks.on_event)
        notify = partial(service.hear, stop_signal=never, on_event=hooks.on_event)
        client = service.backend(endpoint, found.session, found.catalogues[endpoint.name], budget, notify).client
        try:
            settled = await persona_extraction.extract(client, asked, prompt.prompt)
        except UnansweredCall as stop:
            raise NoAnswer(str(stop)) from stop
        finally:
            spent(budget.spent, budget.unknown)
    if isinstance(settled, Missing):
        what = f"{asked.name} said nothing that can be read ({settled.detail or settled.reason})"
        raise NoAnswer(what, "name another model, or leave --model out to be asked yourself")
    return settled.value
