"""The draw of small changes, by which it is told how many of them the tests notice."""

from __future__ import annotations

from pathlib import Path

from tests import mutants

CODE = """
def first(a, b=1):
    if a < 1:
        return a + b
    return a + b

class Second:
    def third(self):
        def inner(x):
            return x and self.third(y=2)
        return [one for one in inner(1) if one == 3]
"""
ABOVE = '"""A docstring."""\n\nimport os\n\ndef new(x):\n    return x * 2\n'


def places(path: Path, text: str) -> dict[bytes, str]:
    """What each change is drawn by -> what is changed."""
    path.write_text(text)
    found = list(mutants.mutants(path, path.parent))
    out = {mutants.drawn(0, one): f"{one.statement} -> {one.new}" for one in found}
    assert len(out) == len(found), "two changes are drawn by the same"
    return out


def test_an_edit_elsewhere_leaves_the_draw_of_a_change_as_it_is(tmp_path: Path) -> None:
    before = places(tmp_path / "one.py", CODE)
    said = set(before.values())
    assert ".first(): a < 1 #1 -> (a <= 1)" in said
    assert {".first(): a + b #1 -> (a - b)", ".first(): a + b #2 -> (a - b)"} <= said
    assert ".Second.third().inner(): x and self.third(y=2) #1 -> (x or self.third(y=2))" in said
    after = places(tmp_path / "one.py", ABOVE + CODE.replace("class Second", "Z = 1\n\nclass Second"))
    assert before.items() <= after.items()
    assert len(after) == len(before) + 2


def test_a_change_stands_where_it_says(tmp_path: Path) -> None:
    path = tmp_path / "one.py"
    path.write_text(CODE)
    (one,) = (each for each in mutants.mutants(path, tmp_path) if each.new == "(a <= 1)")
    text = path.read_bytes()
    assert (text[one.start : one.end], one.line) == (b"a < 1", 3)
