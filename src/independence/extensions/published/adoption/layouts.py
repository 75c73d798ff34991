"""The layouts of the published source that are known, as data, and which of them a source has."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from independence.config import documents
from independence.errors import UsageError
from independence.extensions.published.adoption.source import PythonSource
from independence.suites.schema import Index

_FILE: Final = Path(__file__).parent / "layouts.yaml"
_MODULES: Final = ("config", "scenarios", "prompt_builder", "evaluator")


class TurnLayout(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the texts of a turn are."""

    human: str
    id: str = ""  # a template over the fields of the record at hand
    reply: str = ""
    category: str = ""


class ScenarioLayout(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the texts of a scenario are, or of several: one a record of `each`."""

    id: str
    experiment: str
    title: str
    rubric: str
    turns: tuple[TurnLayout, ...]
    each: str = ""
    turns_of: str = ""  # the turns are repeated, once a record
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


class SamplingLayout(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the settings are that models are asked with."""

    max_tokens: str
    temperature: str
    judge: str


class Layout(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One version of the published source, and the suite of ours that its words make."""

    suite: str
    title: str
    about: str
    variants: str
    tool: ToolLayout
    sampling: SamplingLayout
    experiments: dict[str, str]
    scenarios: tuple[ScenarioLayout, ...]
    rubrics: dict[str, RubricLayout]
    cues: dict[str, str]  # field of a verdict -> what the rule judge reads for it
    index: Index
    expects: dict[str, Any]  # constants that have to have these values
    without: tuple[str, ...] = ()  # names that it does not hold

    @property
    def names(self) -> Iterator[tuple[str, str]]:
        """Module and name of everything that it reads."""
        yield from (_owner(text) for text in _texts(msgspec.to_builtins(self)) if _is_reference(text))
        yield from (_owner(name) for name in self.expects)
        yield from (("prompt_builder", function) for function in self.tool.scripted_in)


@functools.cache
def known() -> dict[str, Layout]:
    """Every layout, by name."""
    return msgspec.convert(documents.read(_FILE).data["layouts"], dict[str, Layout])


def recognise(folder: Path) -> tuple[str, Layout, PythonSource]:
    """The layout of a copy of the published repository, by name. Raises UsageError where it has none that is known."""
    source = PythonSource(folder / "src")
    absent = [f"src/{module}.py" for module in _MODULES if not source.path(module).is_file()]
    if absent:
        raise UsageError(
            f"{folder}: no copy of the published repository, it lacks {', '.join(absent)}",
            f"`run --suite {folder}` runs a suite that was adopted before, `--verify` without `--to` compares it"
            if (folder / "suite.yaml").is_file()
            else "name the folder that `git clone` made",
        )
    wrong = {name: [*_lacking(layout, source), *_extra(layout, source)] for name, layout in known().items()}
    fitting = [name for name, found in wrong.items() if not found]
    if len(fitting) == 1:
        return fitting[0], known()[fitting[0]], source
    near = min(wrong, key=lambda name: len(wrong[name]))
    told = f"it is nearest to `{near}` and {', '.join(wrong[near][:3])}"
    raise UsageError(
        f"{folder}: no known layout of the published source; {told}",
        "take a released version of it, of its branch main, lite or v1",
    )


def _lacking(layout: Layout, source: PythonSource) -> list[str]:
    names = sorted({(module, name) for module, name in layout.names if not source.file(module).has(name)})
    return [f"lacks `{name}` in {source.path(module)}" for module, name in names]


def _extra(layout: Layout, source: PythonSource) -> list[str]:
    names = [_owner(text) for text in layout.without]
    return [f"has `{name}` in {source.path(module)}" for module, name in names if source.file(module).has(name)]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, own in value.items():
            if key not in ("expects", "without", "index", "title", "about", "experiments"):
                yield from _texts(own)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, str):
        yield value


def _is_reference(text: str) -> bool:
    return text.partition(":")[0] in _MODULES and ":" in text


def _owner(reference: str) -> tuple[str, str]:
    module, _, name = reference.partition(":")
    return module, name.partition("/")[0]
