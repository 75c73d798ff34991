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


def test_a_fitting_document_becomes_its_type() -> None:
    document = documents.parse("things:\n  - {name: a, size: 3}\ntexts: {x: y}\n", "own.yaml")
    assert documents.convert(document, Outer) == Outer([Inner("a", 3)], {}, {"x": "y"})


def test_every_key_and_item_knows_its_line_and_an_unknown_path_takes_that_of_its_nearest_ancestor() -> None:
    document = documents.parse("things:\n  - name: a\n  - name: b\n    size: 1\n", "own.yaml")
    places = {"$.things": 1, "$.things[1]": 3, "$.things[1].size": 4, "$.things[0].nowhere[4]": 2, "$.elsewhere": 1}
    assert {place: document.line(place) for place in places} == places


COMPLAINTS = [
    ("things:\n  - name: a\n    sise: 3\n", 3, "unknown key `sise`; did you mean `size`?"),
    ("zebra: 1\n", 1, "unknown key `zebra`"),
    ("by_name:\n  first:\n    name: a\n  second:\n    name: b\n    colour: red\n", 6, "`colour`"),
    ("by_name:\n  first:\n    name: a\n  second:\n    size: 2\n", 4, "missing required field `name`"),
    ("things:\n  - name: a\n    size: large\n", 3, "expected a whole number, got text"),
    (
        "things: a\n",
        1,
        "expected a list, got text (at `$.things`); write each item on a line of its own, beginning with `- `",
    ),
    ("texts: [a]\n", 1, "expected a mapping of keys, got a list (at `$.texts`); write each key on a line of its own"),
    *((f"things:\n  - name: {value}\n", 2, "write it in quotes") for value in ("off", "no", "12")),
    ("texts: {}\nthings: []\ntexts: {a: b}\n", 3, "key `texts` appears twice"),
    ("", 1, "the file is empty"),
    # What is no YAML at all.
    ("a: [1, 2\nb: 3\n", 2, "not valid YAML"),
    ("a: 1\n b: 2\n", 2, "not valid YAML"),
    ("a: *nowhere\n", 1, "not valid YAML"),
    ("a: \x07\n", 1, "not valid YAML"),
    ("a: 2024-13-45\n", 1, "not valid YAML"),
    ("? [1, 2]\n: 3\n", 1, "not valid YAML"),
    ("a: &a [*a]\n", 1, "an alias is inside its own anchor"),
    ("a: " + "[" * 61 + "]" * 61, 1, "nested more than 60 deep"),
]


def test_a_complaint_names_the_file_the_line_and_what_was_meant() -> None:
    for text, line, what in COMPLAINTS:
        with pytest.raises(DocumentError) as caught:
            documents.convert(documents.parse(text, "own.yaml"), Outer)
        assert str(caught.value).startswith(f"own.yaml:{line}: "), text
        assert (caught.value.path, what in str(caught.value)) == ("own.yaml", True), str(caught.value)
        assert ("did you mean" in str(caught.value)) == ("sise" in text)


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
    with pytest.raises(UsageError, match=r"latin\.yaml:1: cannot be read"):
        documents.read(tmp_path / "latin.yaml")
