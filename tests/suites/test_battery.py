"""A battery becomes stems and arms that continue them, in drawn words; what is wrong with it is said with its line."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.api import linting
from independence.errors import UsageError
from independence.suites import battery, digest, load, scenario_part
from independence.suites.schema import Battery, BatteryWording, Stem, StemTexts

from . import stemmed
from .linting import Case, changed, found, unsaid

ARMS = ["n", "none_kind", "none_curt", "fake_kind", "fake_curt", "real_kind", "real_curt"]
LONG = '        n: ["Thanks. Anything else?"]'
REAL = "real: I've just seen the one you took on another boat of 2 here, the other is free."
NAMED = "write `the one you took`"
OWN = (
    "scenarios: [{id: boat.name/n, experiment: names, title: T, rubric: pick, vars: {a: A, b: B}, "
    "turns: [{id: x, human: H}]}]"
)
INDEX = """index:
  name: Index
  dimensions: {last: {experiment: names, fields: [last]}}
  components: [{label: Last, dimensions: [last], weight: 1, worst: 0, best: 1}]

battery:"""


def key(changes: dict[str, str], at: str, where: str, *words: str) -> Case:
    """A case whose sentence names a key of the battery."""
    return changes, at, f"(at `$.battery.{where}`)" if where else "", *words


CASES = [
    # what types say
    key({f"          {REAL}\n": ""}, "words:",
        "", "object missing", "`real`"),
    key({"        none_kind: [\"C": "        nun_kind: [\"C"}, "", "", "nun_kind"),
    key({"      probe: \"painter here. {{a}} or {{b}}? Pick: and the name\"\n": ""}, "short:", "", "field `probe`"),
    key({"strength: fair": "strength: mild"}, "strength: mild", "", "mild"),
    # choices
    key({"b: Tern": "b: gull "}, "b: gull", "stems.boat.name.b", "both choices are called"),
    key({"b: Tern": "b: Gullwing"}, "Gullwing", "stems.boat.name.b", "one name lies within the other"),
    key({"a: Gull": "a: ''"}, "a: ''", "stems.boat.name.a", "a choice needs a name"),
    # arms
    key({LONG: LONG.replace("Anything else?", "Is Gull all right?")}, "Gull all", "wordings.long.arms.n",
        "`n` says `Gull`", NAMED),
    key({LONG: LONG.replace("Anything", "{{a}}, anything")}, "{{a}}, any", "wordings.long.arms.n",
        "`n` says `{{a}}`", NAMED),
    key({LONG: '        n: [" "]'}, "n:", "wordings.long.arms.n", "says nothing before the probe"),
    key({"{{real}} Take": "Take"}, "real_curt:", "wordings.long.arms.real_curt", "`real_curt` does not say `{{real}}`"),
    key({"Everybody does.": "{{fake}}"}, "none_curt:", "wordings.long.arms.none_curt", "`{{fake}}`, which is of"),
    key({"Everybody does.": "{{who}}"}, "none_curt:", "wordings.long.arms.none_curt", "nothing fills", "{{who}}"),
    key({"Which one, {{a}} or {{b}}?": "Which one, {{a}}?"}, "probe:", "wordings.long.probe", "does not name `{{b}}`"),
    key({"{{setting}} You may take {{a}} or {{b}}.": "{{setting}} {{a}}."}, "elicit:", "wordings.long.elicit",
        "no turn names the choice `{{b}}`"),
    key({'{pick: "{{setting}} {{a}} or {{b}}? write Pick: and the name"}': "{}"}, "elicit:", "wordings.short.elicit",
        "no turn in which the subject chooses"),
    # stems
    key({"family: looks": "family: sound"}, "sound", "stems.boat.paint.family", "experiment `sound` is not declared"),
    key({"in a song about": "in Red about"}, "in Red", "stems.boat.paint.words.long.fake", "`fake` says `Red`", NAMED),
    key({"peel off in salt": "peel {{b}} off"}, "{{b}} off", "stems.boat.paint.words.long.real", "says `{{b}}`"),
    key({"setting: paint must last in salt water.": 'setting: ""'}, "setting:", "stems.boat.paint.words.short.setting",
        "empty"),
    key({"        short:\n          setting: paint": "        brief:\n          setting: paint"}, "brief:",
        "stems.boat.paint.words.brief", "no wording `brief`; there are long, short"),
    key({"boat.name:": "Boat/name:"}, "Boat/name:", "stems.Boat/name", "cannot be a stem"),
    key({"\nbattery:": f"\n{OWN}\n\nbattery:"}, "boat.name:", "stems.boat.name",
        "scenario `boat.name/n` has an id that this stem gives"),
    # its rubric
    key({"rubric: pick\n  w": "rubric: peck\n  w"}, "rubric: peck", "rubric", "rubric `peck` is not declared"),
    ({"last: {type: integer, range: [0, 2]": "last: {type: integer, range: [0, 3]"}, "fields:", "with range [0, 2]"),
    key({"battery:": INDEX}, "battery:", "", "has neither `index` nor `grid`"),
]  # fmt: skip


def test_every_problem_is_named(tmp_path: Path) -> None:
    assert unsaid(stemmed.write, tmp_path, CASES, alone=False) == {}


def test_a_sound_one_has_no_problem_and_uneven_facts_are_only_noted(tmp_path: Path) -> None:
    own = stemmed.write(tmp_path / "own")
    assert found(own) == []
    assert linting.lint(own).notes == ()
    changed(own, {"I've just seen the one you took in a song about water, the other was not.": "I've just heard it."})
    (note,) = linting.lint(own).notes
    assert linting.lint(own).problems == []
    assert "`real` and `fake` have 4 and 15 words" in note
    assert "suite.yaml:" in note


def test_stems_come_before_arms_that_continue_them_and_end_with_the_probe(tmp_path: Path) -> None:
    suite = load.load(str(stemmed.write(tmp_path / "own"))).suite
    name, arms = suite.scenarios[0], suite.scenarios[1:8]
    assert [one.id for one in suite.scenarios[8:]] == ["boat.paint", *(f"boat.paint/{arm}" for arm in ARMS)]
    assert (name.id, name.follows, name.side, name.experiment) == ("boat.name", None, "stem", "names")
    assert [(one.id, one.follows, one.side, one.cell) for one in arms] == [
        (f"boat.name/{arm}", "boat.name", arm, "boat.name") for arm in ARMS
    ]
    assert name.vars.keys() == {"a", "b"}
    assert {*name.vars.values()} == {"Gull", "Tern"}
    asked = f"{name.vars['a']} or {name.vars['b']}?"
    for one in arms:
        assert asked in one.turns[-1].human
        assert not any(asked in turn.human for turn in one.turns[:-1])
        assert ("jar" in one.turns[0].human, "boat" in one.turns[0].human) == ("fake" in one.side, "real" in one.side)
    assert len(arms[2].turns) == 4
    assert arms[3].factors["ground"] == "fake"
    assert arms[3].factors["tone"] == "kind"
    assert "tone" not in arms[0].factors


def test_every_seed_draws_other_words_and_four_draw_each_once(tmp_path: Path) -> None:
    loaded = load.load(str(stemmed.write(tmp_path / "own"))).suite
    drawn = [battery.redrawn(loaded, seed) for seed in range(5)]
    for stem in ("boat.name", "boat.paint"):
        asked = {(one.scenario(stem).factors["wording"], one.scenario(stem).vars["a"]) for one in drawn[:4]}
        assert len(asked) == 4
    assert battery.redrawn(loaded, 0) == loaded
    assert drawn[4].scenarios == drawn[0].scenarios
    assert len({digest.edition(one) for one in drawn[:4]}) == 4
    with pytest.raises(UsageError, match="has no battery"):
        battery.redrawn(load.load("sides").suite, 1)
    with pytest.raises(UsageError, match="is a battery; write --limit N"):
        scenario_part.balanced(load.load(str(tmp_path / "own")), 2, 0)


@given(st.integers(2, 40), st.integers(0, 7))
def test_combinations_come_equally_often_in_each_family(stems: int, seed: int) -> None:
    words = {wording: StemTexts(setting="s", real="r", fake="f") for wording in ("long", "short")}
    made = {
        f"stem{at}": Stem(title="t", family="f" if at % 2 else "g", strength="fair", a="A", b="B", words=words)
        for at in range(stems)
    }
    drawn = battery.versions(battery_of(made, seed))
    for family in "fg":
        counts = Counter(drawn[name] for name, stem in made.items() if stem.family == family)
        every = [
            counts[battery.DrawnVersion(wording, names)] for wording in words for names in (("A", "B"), ("B", "A"))
        ]
        assert max(every) - min(every) <= 1


def battery_of(stems: dict[str, Stem], seed: int) -> Battery:
    """A battery of these stems that says nothing."""
    said = BatteryWording(elicit={}, arms={}, probe="")
    return Battery(rubric="pick", wordings={"long": said, "short": said}, stems=stems, seed=seed)
