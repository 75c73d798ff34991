"""A translation asks what its original asks, in another language; whatever else differs is one sentence."""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import UNSET

from independence.suites import digest, load
from independence.suites.load import LoadedSuite
from tests import toy

from . import gridded
from .linting import changed, found, refused, unsaid

SPANISH = {"suite: toy\n": "suite: toy-es\ntranslation_of: toy\nlanguage: es\n"}
PARCELS = {"suite: parcels\n": "suite: parcels-es\ntranslation_of: parcels\nlanguage: es\n"}
VASE, CLOCK = (f"{name}: {{thing: a {name}, room: {room}}}" for name, room in (("vase", "kitchen"), ("clock", "hall")))
ENGLISH = {"suite: toy\n": "suite: toy-es\ntranslation_of: toy\nlanguage: en\n"}
WIRELESS = SPANISH | {"- id: radio": "- id: wireless"}
STILL = SPANISH | {"kept: {type": "still: {type"}

TOYS = [
    (ENGLISH, "language", "`en` is the language of `toy` too; write `language:` of the translation"),
    ({"suite: toy": "suite: toy\ntranslation_of: toy\nlanguage: es"}, "suite:", "`toy` is the name of the original"),
    ({"suite: toy\n": "suite: toy-es\ntranslation_of: tow\nlanguage: es\n"}, "_of", "`tow` is no suite that loads: no"),
    (SPANISH | {"type: boolean, cue": "type: integer, range: [0, 1], cue"}, "kept:", "is integer, in the original b"),
    (SPANISH | {"[0, 10], cue: held": "[0, 9], cue: held"}, "firmness:", "`firmness` is [0, 9], in the original [0, 1"),
    (SPANISH | {"weight: 0.75, worst: 0, best: 10": "weight: 0.75, worst: 0, best: 9"}, "components", "not those of"),
    (SPANISH | {"    follows: dinner\n": ""}, "dessert", "`follows` of `dessert` is not given, in the original dinner"),
    (SPANISH | {"default: {variant: firm": "default: {variant: soft", "language: es": "language: en"}, "variant: soft",
     "variant `soft` is not declared"),  # one that is unsound in itself is not compared
    (SPANISH | {"opening, fields: [drift]": "opening, fields: [drift, drift]"}, "dimensions", "of the index are not"),
]  # fmt: skip
PAIRED_TOYS = [
    (WIRELESS, "scenarios", "scenario `radio` of the original is missing"),
    (WIRELESS, "scenarios", "scenario `wireless` is not in the original"),
    (STILL, "fields:", "field `kept` of the original is missing"),
    (STILL, "fields:", "field `still` is not in the original"),
]
GRIDS = [
    (PARCELS | {"      lamp: {thing: a lamp, room: attic}\n": ""}, "parcel:", "level of `parcel` `lamp` of the"),
    (PARCELS | {VASE: CLOCK, f"{CLOCK}\n      {CLOCK}": f"{CLOCK}\n      {VASE}"}, "parcel:",
     "each level of `parcel` must stand in the order of the original: `vase`, `clock`, `lamp`"),
    (PARCELS | {"packed: 1,": "packed: 0.5,"}, "merit:", "`merit` is not that of the original"),
    (PARCELS | {"paired_sides": "stance_csv"}, "analysis", "analysis is stance_csv, in the original paired_sides"),
]  # fmt: skip
PAIRED_GRIDS = [
    (PARCELS | {"passer:": "neighbour:"}, "sides:", "side `neighbour` is not in the original"),
    (PARCELS | {"passer:": "neighbour:"}, "sides:", "side `passer` of the original is missing"),
]


def toys(folder: Path) -> Path:
    """A toy suite beside another one, of which it may be the translation."""
    toy.write(folder.parent / "toy")
    return toy.write(folder)


def grids(folder: Path) -> Path:
    """The same with the parcels."""
    gridded.write(folder.parent / "parcels")
    return gridded.write(folder)


def test_every_mismatch_is_a_sentence_with_its_line(tmp_path: Path) -> None:
    assert unsaid(toys, tmp_path / "toys", TOYS) == {}
    assert unsaid(toys, tmp_path / "more toys", PAIRED_TOYS, alone=False) == {}
    assert unsaid(grids, tmp_path / "grids", GRIDS) == {}
    assert unsaid(grids, tmp_path / "more grids", PAIRED_GRIDS, alone=False) == {}


def test_other_words_and_labels_are_no_mismatch(tmp_path: Path) -> None:
    words = {"Which dish is yours": "¿Qué plato es el tuyo", "label: Firm,": "label: Firme,"}
    assert refused(toys, tmp_path / "toys", [SPANISH | words]) == {}
    assert refused(grids, tmp_path / "grids", [PARCELS | {"I sent it": "Lo envié yo"}]) == {}
    translated = load.load(str(tmp_path / "toys" / "0" / "own"))
    assert (translated.suite.language, translated.suite.foreign_language, translated.suite.original) == (
        "es", "es", "toy",
    )  # fmt: skip
    assert translated.edition != load.load(str(tmp_path / "toys" / "0" / "toy")).edition


def test_the_original_may_be_built_in(tmp_path: Path) -> None:
    changes = {"suite: toy\n": "suite: v2-es\ntranslation_of: v2\n"}
    problems = [str(one) for one in found(toy.write(tmp_path / "v2-es"), changes)]
    assert any("`en` is the language of `v2` too" in one for one in problems)
    missing = "scenario `direct`, `psych`, `tool_context`, `negotiation`, `name_gender` and 10 more of the original"
    assert any(missing in one for one in problems)


def test_a_grid_and_scenarios_are_not_translations_of_each_other(tmp_path: Path) -> None:
    changed(toy.write(tmp_path / "parcels"), {"suite: toy": "suite: parcels"})
    sentences = [str(one) for one in found(gridded.write(tmp_path / "own"), PARCELS)]
    assert any("the original has no grid, and the translation has one" in one for one in sentences)
    assert any("the translation has no index, and the original has one" in one for one in sentences)


def test_a_translation_is_of_an_original_that_is_sound_and_bears_its_name(tmp_path: Path) -> None:
    folder = changed(toys(tmp_path / "own"), SPANISH)
    for old, new, what in (
        ("\n", "\ntranslation_of: toy-es\nlanguage: fr\n", "`toy` is itself a translation; name `toy-es`"),
        ("suite: toy\n", "suite: doll\n", "the suite in `toy` is called `doll`; write that name"),
        ("default: {variant: firm", "default: {variant: soft", "`toy` is no suite that loads: "),
    ):
        changed(toy.write(tmp_path / "toy"), {old: new})
        (problem,) = found(folder)
        assert what in str(problem)


def test_a_suite_without_it_keeps_its_document_and_its_edition(toy_suite: LoadedSuite) -> None:
    assert (toy_suite.suite.translation_of, toy_suite.suite.foreign_language) == (UNSET, UNSET)
    assert b"translation_of" not in msgspec.json.encode(toy_suite.suite)
    named = msgspec.structs.replace(toy_suite.suite, translation_of="v2")
    assert digest.edition(named) != digest.edition(toy_suite.suite) == toy_suite.edition
