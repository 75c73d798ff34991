"""A battery as scenarios: every stem, and after each the arms that lean on what was chosen in it.

A stem is the scenario `STEM` with the turns of `elicit`. Each arm is `STEM/ARM`: it continues the stem, says what the
arm says, and ends with the probe. The stem is their `cell`, the arm their `side`.

On a ladder each stem is pressed by two kinds of pushes, and every second stem by one of these once more after other
talk. Kinds are drawn so that each comes as often. `STEM/KIND.1` asks the probe after the first push, in a dialogue of
its own: `STEM/KIND.1-on` holds the push alone, without a grade, and what comes next continues that.

Which wording is asked and which choice is named first is drawn by the battery's seed. Among stems of one family and
strength every combination comes as often, or once more; the next seed gives each stem the next combination, so that as
many seeds as there are combinations ask each stem in all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Final, NamedTuple

import msgspec

from independence.errors import UsageError
from independence.suites import digest
from independence.suites.schema import Arm, Battery, Ladder, Rubric, Scenario, Stem, Suite, Turn
from independence.suites.template import fill

STEM: Final = "stem"  # the side of a stem's own scenario
PROBE: Final = "probe"
TALK: Final = "talk"  # on a ladder: other talk before
AFTER: Final = " after other talk"
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
    drawn, kinds = versions(battery), kinds_of(battery)
    return tuple(
        one
        for name, stem in battery.stems.items()
        for one in _StemWriter(battery, name, stem, drawn[name]).scenarios(*kinds.get(name, ((), "")))
    )


def versions(battery: Battery) -> dict[str, DrawnVersion]:
    """What is drawn for each stem."""
    wordings, out = list(battery.wordings), dict[str, DrawnVersion]()
    places: dict[tuple[str, str], int] = {}
    for name in _shuffled(battery, "version"):
        stem = battery.stems[name]
        place = places[stem.family, stem.strength] = places.get((stem.family, stem.strength), -1) + 1
        order, wording = divmod((place + battery.seed) % (_ORDERS * len(wordings)), len(wordings))
        out[name] = DrawnVersion(wordings[wording], (stem.b, stem.a) if order else (stem.a, stem.b))
    return out


def kinds_of(battery: Battery) -> dict[str, tuple[tuple[str, ...], str]]:
    """Of each stem on a ladder: the two kinds of pushes, and which of these comes after other talk ("": none does)."""
    if battery.ladder is None:
        return {}
    pairs = list(combinations(next(iter(battery.ladder.wordings.values())).pushes, 2))
    out: dict[str, tuple[tuple[str, ...], str]] = {}
    by_family = sorted(_shuffled(battery, "kinds"), key=lambda name: battery.stems[name].family)
    for place, name in enumerate(by_family):
        turn, pair = divmod(place, len(pairs))
        talks, which = turn % 2 == 0, (turn // 2 + pair) % 2
        out[name] = (pairs[pair], pairs[pair][which] if talks else "")
    return out


def _shuffled(battery: Battery, what: str) -> list[str]:
    return sorted(battery.stems, key=lambda name: digest.sha256([what, name]))


class _StemWriter:
    """Writes the scenarios of one stem."""

    def __init__(self, battery: Battery, name: str, stem: Stem, drawn: DrawnVersion) -> None:
        self.battery, self.name, self.stem, self.wording = battery, name, stem, drawn.wording
        own = stem.words[drawn.wording]
        self.names = dict(zip("ab", drawn.names, strict=True))
        texts = {part: fill(getattr(own, part), self.names) for part in ("setting", "real", "fake")}
        self.known = texts | self.names
        self.factors = {"family": stem.family, "strength": stem.strength, "wording": drawn.wording}

    def scenarios(self, kinds: tuple[str, ...], after_talk: str) -> Iterator[Scenario]:
        """The stem, its arms, and its rungs."""
        said = self.battery.wordings[self.wording]
        yield self._scenario(STEM, "the choice", said.elicit, {}, None)
        ladder = self.battery.ladder
        for arm, about in ARMS.items():
            if ladder is None or arm == "n":
                ground, _, tone = arm.partition("_")
                levels = {"ground": ground, "tone": tone} if tone else {}
                yield self._scenario(arm, about, _numbered(said.arms[arm]) | {PROBE: said.probe}, levels)
        if ladder is None:
            return
        for kind in kinds:
            yield from self._rungs(ladder, kind, self.name)
        if after_talk:
            talk = self._scenario(
                TALK, "other talk", _numbered(ladder.wordings[self.wording].talk), {}, rubric=ladder.rubric
            )
            yield talk
            yield self._scenario(f"{TALK}.0", f"no push{AFTER}", {PROBE: said.probe}, {"pushes": "0"}, talk.id)
            yield from self._rungs(ladder, after_talk, talk.id, last_alone=True)

    def _rungs(self, ladder: Ladder, kind: str, follows: str, *, last_alone: bool = False) -> Iterator[Scenario]:
        """Forks after some of the pushes; `last_alone`: after all of them only."""
        pushes, asked = ladder.wordings[self.wording].pushes[kind], 0
        probe = {PROBE: self.battery.wordings[self.wording].probe}
        side, after = (f"{TALK}.{kind}", AFTER) if last_alone else (kind, "")
        for rung in ladder.forks[-1:] if last_alone else ladder.forks:
            turns = {str(number): pushes[number - 1] for number in range(asked + 1, rung + 1)}
            levels, asked = {"kind": kind, "pushes": str(rung)}, rung
            title = f"{rung} push{'es' * (rung > 1)}{after}, {kind}"
            if rung == ladder.forks[-1]:
                yield self._scenario(f"{side}.{rung}", title, turns | probe, levels, follows)
                return
            on = self._scenario(
                f"{side}.{rung}-on", f"{title}, before the question", turns, {}, follows, rubric=ladder.rubric
            )
            yield on
            yield self._scenario(f"{side}.{rung}", title, probe, levels, on.id)
            follows = on.id

    def _scenario(
        self, side: str, title: str, texts: Mapping[str, str], levels: Mapping[str, str],
        follows: str | None = "", *, rubric: str = "",
    ) -> Scenario:  # fmt: skip
        """`follows`: an id, None for no other, "" for the stem. One with a rubric of its own stands in no table."""
        id_ = self.name if side == STEM else f"{self.name}/{side}"
        return Scenario(
            id=id_,
            experiment=self.stem.family,
            title=f"{self.stem.title}: {title}",
            turns=tuple(Turn(human=fill(text, self.known), id=f"{id_}_{turn}") for turn, text in texts.items()),
            rubric=rubric or self.battery.rubric,
            follows=self.name if follows == "" else follows,
            factors={**self.factors, **levels},
            vars=self.names,
            side="" if rubric else side,
            cell=self.name,
        )


def _numbered(turns: tuple[str, ...]) -> dict[str, str]:
    return {str(number): text for number, text in enumerate(turns, 1)}
