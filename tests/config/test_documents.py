from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.config import documents
from independence.errors import DocumentError, UsageError


class Inner(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    size: int = 0


class Outer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    things: list[Inner] = []
    by_name: dict[str, Inner] = {}
    texts: dict[str, str] = {}


def complaint(text: str) -> DocumentError:
    with pytest.raises(DocumentError) as caught:
        documents.convert(documents.parse(text, "own.yaml"), Outer)
    return caught.value


def test_a_fitting_document_becomes_its_type() -> None:
    document = documents.parse("things:\n  - {name: a, size: 3}\ntexts: {x: y}\n", "own.yaml")
    assert documents.convert(document, Outer) == Outer([Inner("a", 3)], {}, {"x": "y"})


def test_every_key_and_item_knows_its_line() -> None:
    document = documents.parse("things:\n  - name: a\n  - name: b\n    size: 1\n", "own.yaml")
    assert document.lines["$.things"] == 1
    assert document.lines["$.things[1]"] == 3
    assert document.lines["$.things[1].size"] == 4


def test_an_unknown_path_takes_the_line_of_its_nearest_ancestor() -> None:
    document = documents.parse("\nthings:\n  - name: a\n", "own.yaml")
    assert document.line("$.things[0].nowhere[4]") == 3
    assert document.line("$.elsewhere") == 1


def test_a_mistyped_key_names_its_line_and_the_key_that_was_meant() -> None:
    error = complaint("things:\n  - name: a\n    sise: 3\n")
    assert (error.path, error.line) == ("own.yaml", 3)
    assert str(error) == "own.yaml:3: unknown key `sise`; did you mean `size`?"


def test_a_key_far_from_every_other_gets_no_suggestion() -> None:
    assert "did you mean" not in str(complaint("zebra: 1\n"))


def test_an_unknown_key_inside_a_mapping_is_found_in_the_entry_that_has_it() -> None:
    error = complaint("by_name:\n  first:\n    name: a\n  second:\n    name: b\n    colour: red\n")
    assert error.line == 6
    assert "`colour`" in error.what


def test_a_missing_key_inside_a_mapping_is_found_in_the_entry_that_lacks_it() -> None:
    error = complaint("by_name:\n  first:\n    name: a\n  second:\n    size: 2\n")
    assert error.line == 4
    assert "missing required field `name`" in error.what


def test_a_wrong_type_names_its_line() -> None:
    error = complaint("things:\n  - name: a\n    size: large\n")
    assert error.line == 3
    assert "expected `int`, got `str`" in error.what


@pytest.mark.parametrize("value", ["off", "no", "12"])
def test_a_text_that_yaml_reads_as_something_else_is_to_be_quoted(value: str) -> None:
    assert "write it in quotes" in str(complaint(f"things:\n  - name: {value}\n"))


def test_a_key_given_twice_is_refused_with_the_line_of_the_second() -> None:
    with pytest.raises(DocumentError, match=r"own\.yaml:3: key `texts` appears twice"):
        documents.parse("texts: {}\nthings: []\ntexts: {a: b}\n", "own.yaml")


def test_an_empty_document_is_no_object() -> None:
    assert complaint("").line == 1


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: [1, 2\nb: 3\n", 2),
        ("a: 1\n b: 2\n", 2),
        ("a: *nowhere\n", 1),
        ("a: \x07\n", 1),
        ("a: 2024-13-45\n", 1),
        ("? [1, 2]\n: 3\n", 1),
        ("a: &a [*a]\n", 1),
    ],
)
def test_broken_yaml_is_one_clear_line(text: str, line: int) -> None:
    with pytest.raises(DocumentError) as caught:
        documents.parse(text, "own.yaml")
    assert caught.value.line == line
    assert str(caught.value).startswith(f"own.yaml:{line}: ")


@given(st.text(alphabet="ab:-[]{}&*!|>'\"#%@`,? \n\t0.~", max_size=40))
def test_any_text_is_a_document_or_a_document_error(text: str) -> None:
    try:
        document = documents.parse(text, "own.yaml")
    except DocumentError:
        return
    assert document.lines["$"] == 1


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"absent\.yaml: cannot be read"):
        documents.read(tmp_path / "absent.yaml")
    (tmp_path / "latin.yaml").write_bytes(b"a: \xff\n")
    with pytest.raises(UsageError, match=r"latin\.yaml: cannot be read"):
        documents.read(tmp_path / "latin.yaml")
