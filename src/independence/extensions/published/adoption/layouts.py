"""The layouts of the published source that are known, as data, and which of them a source has."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path
from shlex import quote
from typing import Any, Final, Literal

import msgspec

from independence.config import documents
from independence.errors import UsageError
from independence.extensions.published.adoption.source import Source

_FILE: Final = Path(__file__).parent / "layouts.yaml"
# What every version holds.
SYSTEM_PROMPTS: Final = "prompt_builder:SYSTEM_PROMPTS"
MAX_TOKENS: Final = "config:RESPONSE_MAX_TOKENS"
TEMPERATURE: Final = "config:RESPONSE_TEMPERATURE"
JUDGE: Final = "config:JUDGE_MODEL"
_MODULES: Final = ("config", "scenarios", "prompt_builder", "evaluator")


class TurnLayout(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the texts of a turn are."""

    human: str
    id: str = ""  # a template over the fields of the record at hand
    reply: str = ""
    category: str = ""
    fills: dict[str, str] = {}  # name in the text -> the text that stands for it


class ScenarioLayout(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the texts of a scenario are, or of several: one a record of `each`."""

    id: str
    experiment: str
    title: str
    rubric: str
    turns: tuple[TurnLayout, ...]
    each: str = ""
    turns_of: str = ""  # the turns are repeated, once a record
    only: tuple[str, ...] = ()  # of these records, by `id`; empty: of all
    category: str = ""
    system: str = ""
    verdict_id: str = ""


class RubricLayout(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a judge prompt is, and what stands for the names that the published program fills in it."""

    prompt: str
    shows: dict[str, str]


class ToolLayout(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the tool of `tool_role` is described, and the functions that write what is said before the human speaks."""

    protocol: Literal["speak", "read"]
    definition: str
    suffix: str
    scripted_in: tuple[str, ...]  # functions of `prompt_builder`


class Layout(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One version of the published source, and the suite of ours that its words make."""

    suite: str
    title: str
    about: str
    tool: ToolLayout
    experiments: dict[str, str]
    scenarios: tuple[ScenarioLayout, ...]
    rubrics: dict[str, RubricLayout]
    expects: dict[str, Any]  # constants that have to have these values
    without: tuple[str, ...] = ()  # names that it does not hold

    @property
    def names(self) -> Iterator[tuple[str, str]]:
        """Module and name of everything that it reads."""
        yield from (
            _owner(text)
            for text in _texts(msgspec.to_builtins(self))
            if text.partition(":")[0] in _MODULES and ":" in text
        )
        yield from map(_owner, (SYSTEM_PROMPTS, MAX_TOKENS, TEMPERATURE, JUDGE, *self.expects))
        yield from (("prompt_builder", function) for function in self.tool.scripted_in)


@functools.cache
def known() -> dict[str, Layout]:
    """Every layout, by name."""
    return msgspec.convert(documents.read(_FILE).data["layouts"], dict[str, Layout])


def recognise(clone: Path, run: bool = False) -> tuple[str, Layout, Source]:
    """The layout of a copy of the published repository, by name. Raises UsageError where it has none that is known."""
    source = Source(clone, run)
    absent = [f"src/{module}.py" for module in _MODULES if not source.path(module).is_file()]
    if absent:
        raise UsageError(
            f"{clone}: no copy of the published repository, it lacks {', '.join(absent)}",
            f"`run --suite {quote(str(clone))}` runs one that was adopted before, `--verify` without `--to` compares it"
            if (clone / "suite.yaml").is_file()
            else "name the folder that `git clone` made",
        )
    wrong: dict[str, list[str]] = {}
    for name, layout in known().items():
        lacking = [pair for pair in sorted(set(layout.names)) if not source.has(*pair)]
        extra = [pair for pair in map(_owner, layout.without) if source.has(*pair)]
        wrong[name] = [f"lacks `{own}` in {source.path(module)}" for module, own in lacking]
        wrong[name] += [f"has `{own}` in {source.path(module)}" for module, own in extra]
    fitting = [name for name, found in wrong.items() if not found]
    if len(fitting) == 1:
        return fitting[0], known()[fitting[0]], source
    near = min(wrong, key=lambda name: len(wrong[name]))
    told = f"it is nearest to `{near}` and {', '.join(wrong[near][:3])}"
    raise UsageError(
        f"{clone}: no known layout of the published source; {told}",
        "take a released version of it, of its branch main, lite or v1",
    )


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, own in value.items():
            if key not in ("expects", "without", "title", "about", "experiments"):
                yield from _texts(own)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, str):
        yield value


def _owner(reference: str) -> tuple[str, str]:
    module, _, name = reference.partition(":")
    return module, name.partition("/")[0]
