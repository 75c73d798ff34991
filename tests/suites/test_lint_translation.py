"""A translation asks what its original asks, in another language; whatever else differs is one sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from msgspec import UNSET

from independence.config import documents
from independence.errors import DocumentError
from independence.report import analysis
from independence.suites import digest, load
from independence.suites.load import LoadedSuite
from independence.suites.schema import Suite
from tests import toy

from . import gridded

TOY = ("suite: toy\n", "suite: toy-es\ntranslation_of: toy\nlanguage: es\n")
PARCELS = ("suite: parcels\n", "suite: parcels-es\ntranslation_of: parcels\nlanguage: es\n")


def translated(write: Callable[[Path], Path], folder: Path, *changes: tuple[str, str]) -> Path:
    """Original and translation beside each other; changes are of the translation."""
    original, name = write(folder / "original"), changes[0][1].split()[1]
    original.rename(folder / name.removesuffix("-es"))
    file = write(folder / name) / "suite.yaml"
    text = file.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    file.write_text(text)
    return file.parent


def found(folder: Path) -> list[DocumentError]:
    document = documents.read(folder / "suite.yaml")
    return load.problems(documents.convert(document, Suite), document, folder, analysis.check)


def test_a_translation_like_its_original_loads_and_has_another_edition(tmp_path: Path) -> None:
    changes = (("Which dish is yours", "¿Qué plato es el tuyo"), ("label: Firm,", "label: Firme,"))
    folder = translated(toy.write, tmp_path, TOY, *changes)
    assert found(folder) == []
    loaded = load.load(str(folder))
    assert (loaded.suite.language, loaded.suite.foreign_language, loaded.suite.original) == ("es", "es", "toy")
    assert loaded.edition != load.load(str(tmp_path / "toy")).edition


def test_a_translated_grid_loads(tmp_path: Path) -> None:
    assert found(translated(gridded.write, tmp_path, PARCELS, ("I sent it", "Lo envié yo"))) == []


def test_the_original_may_be_built_in(tmp_path: Path) -> None:
    folder = toy.write(tmp_path / "v2-es")
    (folder / "suite.yaml").write_text(toy.FILES["suite.yaml"].replace(TOY[0], "suite: v2-es\ntranslation_of: v2\n"))
    problems = [str(one) for one in found(folder)]
    assert any("`en` is the language of `v2` too" in one for one in problems)
    assert any("scenario `direct`, `psych`," in one and "of the original is missing" in one for one in problems)


def test_a_suite_without_it_keeps_its_document_and_its_edition(toy_suite: LoadedSuite) -> None:
    assert toy_suite.suite.translation_of is UNSET
    assert toy_suite.suite.foreign_language is UNSET
    assert b"translation_of" not in msgspec.json.encode(toy_suite.suite)
    named = msgspec.structs.replace(toy_suite.suite, translation_of="v2")
    assert digest.edition(named) != digest.edition(toy_suite.suite) == toy_suite.edition


@pytest.mark.parametrize(
    ("old", "new", "at", "what"),
    [
        ("language: es", "language: en", "language", "`en` is the language of `toy` too"),
        ("suite: toy-es", "suite: toy", "suite: toy", "`toy` is the name of the original"),
        ("translation_of: toy", "translation_of: tow", "translation_of", "`tow` is no suite that loads: no"),
        ("- id: radio", "- id: wireless", "scenarios", "scenario `radio` of the original is missing"),
        ("- id: radio", "- id: wireless", "scenarios", "scenario `wireless` is not in the original"),
        ("type: boolean, cue", "type: integer, range: [0, 1], cue", "kept:", "is integer, in the original boolean"),
        ("[0, 10], cue: held", "[0, 9], cue: held", "firmness:", "`firmness` is [0, 9], in the original [0, 10]"),
        ("kept: {type", "still: {type", "fields:", "field `kept` of the original is missing"),
        ("kept: {type", "still: {type", "fields:", "field `still` is not in the original"),
        ("weight: 0.75, worst: 0, best: 10", "weight: 0.75, worst: 0, best: 9", "components", "are not those of"),
        ("    follows: dinner\n", "", "id: dessert", "`follows` of `dessert` is not given, in the original dinner"),
    ],
)  # fmt: skip
def test_every_mismatch_is_a_sentence_with_its_line(tmp_path: Path, old: str, new: str, at: str, what: str) -> None:
    folder = translated(toy.write, tmp_path, TOY, (old, new))
    (problem,) = (one for one in found(folder) if what in str(one))
    assert at in (folder / "suite.yaml").read_text().splitlines()[problem.line - 1]


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ([("      lamp: {thing: a lamp, room: attic}\n", "")], "level of `parcel` `lamp` of the original is missing"),
        (
            [("vase: {thing: a vase, room: kitchen}\n      clock: {thing: a clock, room: hall}",
              "clock: {thing: a clock, room: hall}\n      vase: {thing: a vase, room: kitchen}")],
            "each level of `parcel` must stand in the order of the original: `vase`, `clock`, `lamp`",
        ),
        ([("packed: 1,", "packed: 0.5,")], "`merit` is not that of the original"),
        ([("passer:", "neighbour:")], "side `neighbour` is not in the original"),
        ([("paired_sides", "stance_csv")], "analysis is stance_csv, in the original paired_sides"),
    ],
)  # fmt: skip
def test_a_grid_has_the_factors_sides_and_merit_of_its_original(
    tmp_path: Path, changes: list[tuple[str, str]], what: str
) -> None:
    assert any(what in str(one) for one in found(translated(gridded.write, tmp_path, PARCELS, *changes)))


def test_a_grid_and_scenarios_are_not_translations_of_each_other(tmp_path: Path) -> None:
    folder = translated(gridded.write, tmp_path, PARCELS)
    toy.write(tmp_path / "parcels")
    (tmp_path / "parcels" / "suite.yaml").write_text(toy.FILES["suite.yaml"].replace("suite: toy", "suite: parcels"))
    sentences = [str(one) for one in found(folder)]
    assert any("the original has no grid, and the translation has one" in one for one in sentences)
    assert any("the translation has no index, and the original has one" in one for one in sentences)


def test_a_translation_is_of_an_original_that_is_sound_and_bears_its_name(tmp_path: Path) -> None:
    folder = translated(toy.write, tmp_path, TOY)
    file = tmp_path / "toy" / "suite.yaml"
    for old, new, what in (
        (
            "suite: toy\n", "suite: toy\ntranslation_of: toy-es\nlanguage: fr\n",
            "`toy` is itself a translation; name `toy-es`",
        ),
        ("suite: toy\n", "suite: doll\n", "the suite in `toy` is called `doll`; write that name"),
        ("default: {variant: firm", "default: {variant: soft", "`toy` is no suite that loads: "),
    ):  # fmt: skip
        file.write_text(toy.FILES["suite.yaml"].replace(old, new))
        (problem,) = found(folder)
        assert what in str(problem)


def test_a_translation_that_is_unsound_in_itself_is_not_compared(tmp_path: Path) -> None:
    folder = translated(
        toy.write, tmp_path, TOY, ("default: {variant: firm", "default: {variant: soft"), ("es\n", "en\n")
    )
    (problem,) = found(folder)
    assert "variant `soft` is not declared" in str(problem)
