"""The published directory layout: names of configurations and runs, and where a suite's turns lie below them.

`<slug>[+<provider tag>]@<effort>-t<temperature>/run_<N>/<experiment>/<variant>/<mode>/<turn id>.json`, with `/` written
as `--` in the slug and as `-` in the provider tag. A tree without `run_<N>` is run 1.

The older layout names a configuration by its slug alone. The rest is taken for the publisher's defaults: temperature
0.7, and the reasoning effort of the published table.
"""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

from independence.config.subjects import default_effort
from independence.suites.schema import Scenario, Suite

NAME_EXTRACTION = "name_extraction.json"

_CONFIG = re.compile(r"(?P<slug>.+?)(?:\+(?P<tag>[^+@]+))?@(?P<effort>[^@]+)-t(?P<temperature>\d+(?:\.\d+)?)")
_OLDER = re.compile(r"[^@]*[^@-]--[^@-][^@]*")
_OLDER_TEMPERATURE = 0.7
_DEPTH = 4  # parts of a response file's path below its run
_RUN = re.compile(r"run_(\d+)")


class ConfigName(NamedTuple):
    """What a configuration directory says about its subject. `-` in the tag stood for `/` or for itself."""

    model_id: str
    provider_tag: str | None
    effort: str
    temperature: float


class PublishedPath(NamedTuple):
    """A file of a run: `rest` is its path below the run's directory."""

    config_dir: str
    name: ConfigName
    run: int
    rest: tuple[str, ...]
    older: bool = False  # of the older layout


class TurnPosition(NamedTuple):
    """Where a turn file belongs in the suite."""

    scenario: Scenario
    before: tuple[str, ...]  # ids of the generated turns the subject saw first, in order


@functools.lru_cache(maxsize=4096)
def parse_config_dir(name: str) -> ConfigName | None:
    """Read a directory name by the grammar; None where it is not a configuration."""
    match = _CONFIG.fullmatch(name)
    if match is None:
        return None
    model_id = match["slug"].replace("--", "/")
    return ConfigName(model_id, match["tag"], match["effort"], float(match["temperature"]))


def older_dir(name: str) -> str | None:
    """The name in the grammar of a directory of the older layout; None where it is not one."""
    if _OLDER.fullmatch(name) is None:
        return None
    return f"{name}@{default_effort(name.replace('--', '/'))}-t{_OLDER_TEMPERATURE}"


def names_configuration(name: str) -> bool:
    """Whether a directory can be a configuration of either layout."""
    return parse_config_dir(name) is not None or older_dir(name) is not None


def published_path(parts: tuple[str, ...]) -> PublishedPath | None:
    """Find the configuration and run of a file by its path; None where no part of it names a configuration."""
    for depth, part in enumerate(parts[:-1]):
        if name := parse_config_dir(part):
            return _placed(part, name, parts[depth + 1 :])
    for depth, part in enumerate(parts[:-1]):
        if (today := older_dir(part)) and (name := parse_config_dir(today)):
            found = _placed(today, name, parts[depth + 1 :])
            if len(found.rest) == _DEPTH:  # any folder may have such a name
                return found._replace(older=True)
    return None


def _placed(config_dir: str, name: ConfigName, below: tuple[str, ...]) -> PublishedPath:
    run = _RUN.fullmatch(below[0])
    number, rest = (int(run[1]), below[1:]) if run else (1, below)
    return PublishedPath(config_dir, name, number, rest)


def turn_positions(suite: Suite) -> dict[str, TurnPosition]:
    """Turn id -> where it belongs, for every generated turn of the suite."""
    out: dict[str, TurnPosition] = {}
    for scenario in suite.scenarios:
        seen = _inherited(suite, scenario)
        for turn_id in generated(scenario):
            out[turn_id] = TurnPosition(scenario, seen)
            seen = (*seen, turn_id)
    return out


def generated(scenario: Scenario) -> tuple[str, ...]:
    """Ids of the turns the subject answers, in order."""
    return tuple(turn.id for turn in scenario.turns if turn.reply is None)


def verdict_turn(scenario: Scenario) -> str:
    """Id of the turn whose file carries the verdict over the whole dialogue."""
    return scenario.verdict_id or generated(scenario)[-1]


def _inherited(suite: Suite, scenario: Scenario) -> tuple[str, ...]:
    if scenario.follows is None:
        return ()
    parent = suite.scenario(scenario.follows)
    return _inherited(suite, parent) + generated(parent)
