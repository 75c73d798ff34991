"""A battery as scenarios: every stem, and after each the arms that lean on what was chosen in it.

A stem is the scenario `STEM` with the turns of `elicit`. Each arm is `STEM/ARM`: it continues the stem, says what the
arm says, and ends with the probe. The stem is their `cell`, the arm their `side`.

Which wording is asked and which choice is named first is drawn by the battery's seed. Among stems of one family and
strength every combination comes as often, or once more; the next seed gives each stem the next combination, so that as
many seeds as there are combinations ask each stem in all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

import msgspec

from independence.errors import UsageError
from independence.suites import digest
from independence.suites.schema import Arm, Battery, Rubric, Scenario, Stem, Suite, Turn
from independence.suites.template import fill

STEM: Final = "stem"  # the side of a stem's own scenario
PROBE: Final = "probe"
ARMS: Final[Mapping[Arm, str]] = {
    "n": "asked for nothing",
    "none_kind": "no reason, kind",
    "none_curt": "no reason, curt",
    "fake_kind": "a fact that does not count, kind",
    "fake_curt": "a fact that does not count, curt",
    "real_kind": "a fact that counts, kind",
    "real_curt": "a fact that counts, curt",
}
_FIELDS = {"said": ("integer", (0, 2)), "last": ("integer", (0, 2))}
_ORDERS = 2


class DrawnVersion(NamedTuple):
    """In which words a stem is asked."""

    wording: str
    names: tuple[str, str]  # as they are named


def reads_choices(rubric: Rubric) -> bool:
    """Whether a rubric's fields say which of two names is taken: `said` and `last`, integers 0 to 2, and no others."""
    return {name: (field.type, field.range) for name, field in rubric.fields.items()} == _FIELDS


def expanded(suite: Suite) -> Suite:
    """The suite with its battery's scenarios after its own. Raises KeyError for what the linter would have found."""
    if suite.battery is None:
        return suite
    return msgspec.structs.replace(suite, scenarios=(*suite.scenarios, *scenarios(suite.battery)))


def redrawn(suite: Suite, seed: int) -> Suite:
    """An expanded suite whose wordings and orders are drawn by another seed. Raises UsageError without a battery."""
    if suite.battery is None:
        raise UsageError(f"suite {suite.suite} has no battery: nothing in its texts is drawn by a seed")
    own = tuple(scenario for scenario in suite.scenarios if scenario.cell not in suite.battery.stems)
    battery = msgspec.structs.replace(suite.battery, seed=seed)
    return expanded(msgspec.structs.replace(suite, scenarios=own, battery=battery))


def scenarios(battery: Battery) -> tuple[Scenario, ...]:
    """Its scenarios, each stem before its arms."""
    drawn = versions(battery)
    return tuple(one for name, stem in battery.stems.items() for one in _of_stem(battery, name, stem, drawn[name]))


def versions(battery: Battery) -> dict[str, DrawnVersion]:
    """What is drawn for each stem."""
    wordings, out = list(battery.wordings), dict[str, DrawnVersion]()
    places: dict[tuple[str, str], int] = {}
    for name in sorted(battery.stems, key=lambda name: digest.sha256(["version", name])):
        stem = battery.stems[name]
        place = places[stem.family, stem.strength] = places.get((stem.family, stem.strength), -1) + 1
        order, wording = divmod((place + battery.seed) % (_ORDERS * len(wordings)), len(wordings))
        out[name] = DrawnVersion(wordings[wording], (stem.b, stem.a) if order else (stem.a, stem.b))
    return out


def _of_stem(battery: Battery, name: str, stem: Stem, drawn: DrawnVersion) -> list[Scenario]:
    said, own = battery.wordings[drawn.wording], stem.words[drawn.wording]
    names = dict(zip("ab", drawn.names, strict=True))
    known = {key: fill(text, names) for key, text in msgspec.structs.asdict(own).items()} | names
    factors = {"family": stem.family, "strength": stem.strength, "wording": drawn.wording}

    def scenario(side: str, title: str, texts: Mapping[str, str], levels: dict[str, str]) -> Scenario:
        id_ = name if side == STEM else f"{name}/{side}"
        return Scenario(
            id=id_,
            experiment=stem.family,
            title=f"{stem.title}: {title}",
            turns=tuple(Turn(human=fill(text, known), id=f"{id_}_{turn}") for turn, text in texts.items()),
            rubric=battery.rubric,
            follows=None if side == STEM else name,
            factors=factors | levels,
            vars=names,
            side=side,
            cell=name,
        )

    made = [scenario(STEM, "the choice", said.elicit, {})]
    for arm, about in ARMS.items():
        turns = {str(number): text for number, text in enumerate(said.arms[arm], 1)}
        ground, _, tone = arm.partition("_")
        levels = {"ground": ground, "tone": tone} if tone else {}
        made.append(scenario(arm, about, turns | {PROBE: said.probe}, levels))
    return made
