"""The shape of the code: no cycles, one meaning a name, few long rows of arguments. What is left only ever shrinks."""

from __future__ import annotations

import pytest

from tests.gates import shape

# Modules that still import one another. Nothing is added here, and what is mended is taken out.
KNOWN_CYCLES: list[list[str]] = []

# How many of each are left. Lower a number when it has fallen; none is ever raised.
REUSED_CLASS_NAMES = 0
LONG_CONSTRUCTOR_CALLS = 0
LATE_IMPORTS = 0

# Rooms with a face.
ROOMS = {
    "api", "clients", "config", "engine", "exchange", "judge", "report", "stats", "store", "suites", "testing",
}  # fmt: skip


def test_no_modules_import_one_another():
    found = shape.cycles(shape.imports(late=True))
    assert [cycle for cycle in found if cycle not in KNOWN_CYCLES] == [], "modules that import one another"
    assert [cycle for cycle in KNOWN_CYCLES if cycle not in found] == [], "no cycle any more: take it out of the list"


def test_no_modules_import_one_another_at_the_top_of_their_files():
    assert shape.cycles(shape.imports(late=False)) == []


def test_a_class_name_means_one_thing():
    names = shape.reused_names()
    assert len(names) <= REUSED_CLASS_NAMES, names


def test_arguments_of_a_constructor_are_named():
    calls = shape.long_rows()
    assert len(calls) <= LONG_CONSTRUCTOR_CALLS, calls


def test_imports_stand_at_the_top():
    assert shape.late_imports() <= LATE_IMPORTS


def test_there_are_faces():
    assert {name.removeprefix("independence.") for name in shape.faces()} >= ROOMS
    assert all(shape.faces().values())


def test_a_room_is_entered_through_its_face():
    assert shape.entered_beside_the_face() == []


def test_a_room_that_is_imported_whole_loads_its_modules_when_they_are_used():
    assert shape.imported_whole_without_a_loader() == set()


def test_a_face_names_what_another_room_uses_or_what_is_loaded_late():
    assert shape.offered_to_nobody() == []


@pytest.mark.parametrize(
    ("graph", "cycles"),
    [
        ({"a": {"b"}, "b": {"c"}, "c": set()}, []),
        ({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}, [["a", "b", "c"]]),
        ({"a": {"b"}, "b": {"a"}, "c": {"d", "a"}, "d": {"c"}}, [["a", "b"], ["c", "d"]]),
        ({"a": {"b", "c"}, "b": {"a"}, "c": {"a"}}, [["a", "b", "c"]]),
    ],
)
def test_cycles_are_found(graph: dict[str, set[str]], cycles: list[list[str]]):
    assert shape.cycles(graph) == cycles
