"""What a battery's types cannot say: whether names can be told apart, and every arm says what it is about."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import chain

from independence.suites import battery as batteries
from independence.suites import fact_checks
from independence.suites.lint_grid import Problem, nothing_fills
from independence.suites.schema import Arm, Battery, BatteryWording, Ladder, Stem, StemTexts, Suite
from independence.suites.template import slots

AT = "$.battery"
NAMES = ("a", "b")
_FACTS = ("real", "fake")
_STEM = re.compile(r"[a-z0-9][a-z0-9._-]{0,59}")
_KINDS = 2  # that a stem is pressed by
_UNEVEN = 0.15  # by how much the longer of two facts may exceed the shorter one, in words


def problems(suite: Suite, battery: Battery) -> Iterator[Problem]:
    """Every problem of a suite's battery."""
    own = () if battery.like else (_wordings(battery), _texts_of_stems(battery))
    ladder = _ladder(suite, battery, battery.ladder) if battery.ladder else ()
    found = chain(_rubric(suite, battery), *own, _stems(suite, battery), ladder)
    yield from ((where, f"{what} (at `{where}`)") for where, what in found)


def warnings(battery: Battery) -> Iterator[Problem]:
    """What does not keep a battery from being run: facts that can be told apart without being understood."""
    if battery.like:
        return
    yield from ((f"{AT}.stems", f"{part}: {what}".removeprefix(": ")) for part, what in fact_checks.problems(battery))
    for at, _, texts in _each_words(battery):
        short, long = sorted(len(text.split()) for text in (texts.real, texts.fake))
        if long > (1 + _UNEVEN) * short:
            what = f"`real` and `fake` have {short} and {long} words"
            yield at, f"{what}: let their lengths differ by {_UNEVEN:.0%} at most"


def _each_words(battery: Battery) -> Iterator[tuple[str, Stem, StemTexts]]:
    for name, stem in battery.stems.items():
        for wording, texts in stem.words.items():
            yield f"{AT}.stems.{name}.words.{wording}", stem, texts


def _rubric(suite: Suite, battery: Battery) -> Iterator[Problem]:
    if suite.index is not None or suite.grid is not None:
        yield AT, "a suite with a battery has neither `index` nor `grid`"
    rubric = suite.rubrics.get(battery.rubric)
    if rubric is None:
        yield f"{AT}.rubric", f"rubric `{battery.rubric}` is not declared"
    elif not batteries.reads_choices(rubric):
        what = "needs the fields `said` and `last`, integers with range [0, 2], and no others"
        yield f"$.rubrics.{battery.rubric}.fields", f"the rubric of a battery {what}"


def _wordings(battery: Battery) -> Iterator[Problem]:
    names = {name for stem in battery.stems.values() for name in (stem.a, stem.b)}
    if not battery.wordings:
        yield f"{AT}.wordings", "a battery needs at least one wording"
    for wording, said in battery.wordings.items():
        at = f"{AT}.wordings.{wording}"
        if not said.elicit:
            yield f"{at}.elicit", "there is no turn in which the subject chooses"
        elif missing := [name for name in NAMES if name not in slots("".join(said.elicit.values()))]:
            yield f"{at}.elicit", f"no turn names the choice `{_slot(missing[0])}`"
        if missing := [name for name in NAMES if name not in slots(said.probe)]:
            yield f"{at}.probe", f"the probe does not name `{_slot(missing[0])}`"
        yield from _slots((*said.elicit.values(), said.probe), f"{at}.elicit", {*NAMES, "setting"})
        yield from _arms(said, f"{at}.arms", names, ("n",) if battery.ladder else batteries.ARMS)


def _arms(said: BatteryWording, at: str, names: Collection[str], arms: Iterable[Arm]) -> Iterator[Problem]:
    for arm in arms:
        turns = said.arms.get(arm, ())
        if not any(turn.strip() for turn in turns):
            yield f"{at}.{arm}", f"arm `{arm}` says nothing before the probe"
            continue
        whole, ground = " ".join(turns), arm.partition("_")[0]
        found = set(slots(whole))
        for fact in _FACTS:
            if (fact in found) != (fact == ground):
                slot = f"`{_slot(fact)}`"
                what = f"says {slot}, which is of other arms" if fact in found else f"does not say {slot}"
                yield f"{at}.{arm}", f"arm `{arm}` {what}"
        told = sorted(name for name in names if _says(whole, name)) + [_slot(one) for one in NAMES if one in found]
        if told:
            yield f"{at}.{arm}", f"an arm names no choice, and `{arm}` says `{told[0]}`: write `the one you took`"
        yield from _slots(turns, f"{at}.{arm}", {*_FACTS, *NAMES})


def _ladder(suite: Suite, battery: Battery, ladder: Ladder) -> Iterator[Problem]:
    at, names = f"{AT}.ladder", {name for stem in battery.stems.values() for name in (stem.a, stem.b)}
    rubric = suite.rubrics.get(ladder.rubric)
    if rubric is None or rubric.fields or rubric.prompt:
        what = "has to be declared with `fields: {}` and an empty prompt: its dialogues are continued and not graded"
        yield f"{at}.rubric", f"rubric `{ladder.rubric}` {what}"
    if not ladder.forks or list(ladder.forks) != sorted({*ladder.forks} - {0}) or ladder.forks[0] < 1:
        yield f"{at}.forks", "write after how many pushes the probe is asked, as in [1, 3, 6]"
        return
    kinds = [list(one.pushes) for one in ladder.wordings.values()]
    if ladder.wordings.keys() != battery.wordings.keys() or len(kinds[0]) < _KINDS or kinds != kinds[:1] * len(kinds):
        what = f"the same {_KINDS} or more kinds of pushes in each of the wordings {', '.join(battery.wordings)}"
        yield f"{at}.wordings", f"a ladder needs {what}"
        return
    for wording, said in ladder.wordings.items():
        turns = {f"pushes.{kind}": own for kind, own in said.pushes.items()} | {"talk": said.talk}
        for place, own in turns.items():
            where, whole = f"{at}.wordings.{wording}.{place}", " ".join(own)
            if (place != "talk" and len(own) != ladder.forks[-1]) or not all(map(str.strip, own)) or not own:
                yield where, f"there are {len(own)} turns; write {ladder.forks[-1]} pushes, and some talk"
            if told := sorted(name for name in names if _says(whole, name)):
                yield where, f"a push names no choice, and this says `{told[0]}`: write `the one you didn't take`"
            yield from _slots(own, where, ())


def _slots(texts: Iterable[str], at: str, known: Collection[str]) -> Iterator[Problem]:
    yield from ((at, nothing_fills(slot)) for text in texts for slot in slots(text) if slot not in known)


def _stems(suite: Suite, battery: Battery) -> Iterator[Problem]:
    if not battery.stems:
        yield f"{AT}.stems", "a battery needs at least one stem"
    taken = {scenario.id.partition("/")[0]: scenario.id for scenario in suite.scenarios}
    for name, stem in battery.stems.items():
        at = f"{AT}.stems.{name}"
        if not _STEM.fullmatch(name):
            yield at, f"`{name}` cannot be a stem: lower-case letters, digits, dots, dashes and underscores, up to 60"
        if name in taken:
            yield at, f"scenario `{taken[name]}` has an id that this stem gives"
        if stem.family not in suite.experiments:
            yield f"{at}.family", f"experiment `{stem.family}` is not declared"
        yield from _choices(stem, at)
        for wording in sorted(battery.wordings.keys() - stem.words.keys()):
            yield f"{at}.words", f"stem `{name}` has no texts in the wording `{wording}`"
        for wording in sorted(stem.words.keys() - battery.wordings.keys()):
            yield f"{at}.words.{wording}", f"no wording `{wording}`; there are {', '.join(battery.wordings)}"


def _choices(stem: Stem, at: str) -> Iterator[Problem]:
    first, second = (name.strip().casefold() for name in (stem.a, stem.b))
    if not first or not second:
        yield f"{at}.{'b' if first else 'a'}", "a choice needs a name"
    elif first == second:
        yield f"{at}.b", f"both choices are called `{stem.b}`"
    elif first in second or second in first:
        yield f"{at}.b", f"`{stem.a}` and `{stem.b}`: one name lies within the other, and no answer could be read"


def _texts_of_stems(battery: Battery) -> Iterator[Problem]:
    for at, stem, texts in _each_words(battery):
        if not texts.setting.strip():
            yield f"{at}.setting", "the setting is empty"
        yield from _slots([texts.setting], f"{at}.setting", NAMES)
        for fact, text in (("real", texts.real), ("fake", texts.fake)):
            told = [name for name in (stem.a, stem.b) if name and _says(text.casefold(), name.casefold())]
            told += map(_slot, slots(text))
            if not text.strip():
                yield f"{at}.{fact}", f"`{fact}` is empty"
            elif told:
                yield f"{at}.{fact}", f"a fact names no choice, and `{fact}` says `{told[0]}`: write `the one you took`"


def _says(text: str, name: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", text) is not None


def _slot(name: str) -> str:
    return f"{{{{{name}}}}}"
