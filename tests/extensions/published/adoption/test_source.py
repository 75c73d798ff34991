"""What is read of a source without running it, and what is run where that is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from independence.errors import DocumentError
from independence.extensions.published.adoption.source import Source


def source(folder: Path, run: bool = False, **modules: str) -> Source:
    home = folder / "src"
    home.mkdir(parents=True)
    for name, text in modules.items():
        (home / f"{name}.py").write_text(text, "utf-8")
    return Source(folder, run)


PEOPLE = """
from dataclasses import dataclass
@dataclass
class Person:
    \"\"\"Somebody.\"\"\"
    name: str
    age: int
ALL = [Person("Ada", 36), Person(name="Bo", age=3), Person("Cy", age=70)]
"""
READ = {
    "a text": ("A = 'x'", "x"),
    "a number": ("A = 3", 3),
    "nothing": ("A = None", None),
    "adjacent texts": ("A = ('x' \"y\"\n  'z')", "xyz"),
    "a sum": ("A = 'x' + ('y' + 'z')", "xyz"),
    "a name": ("B = 'x'\nA = B", "x"),
    "an alias of two": ("B = A = 'x'", "x"),
    "an f-string over names": ("B = 'x'\nA = f'<{B}> {{b}}'", "<x> {b}"),
    "a list": ("A = ['x', ('y', 2)]", ["x", ["y", 2]]),
    "a mapping": ("A = {'x': 'y', 'z': {'w': [1]}}", {"x": "y", "z": {"w": [1]}}),
    "an annotation": ("A: str = 'x'", "x"),
    "an escape that is none": (r"A = '\d'", r"\d"),
    "records": (PEOPLE + "A = ALL", [{"name": n, "age": a} for n, a in (("Ada", 36), ("Bo", 3), ("Cy", 70))]),
}
# Read when the source may be run, refused otherwise.
MORE = {
    "a filter": (PEOPLE + "A = [p for p in ALL if p.age > 40]", [{"name": "Cy", "age": 70}]),
    "a set": ("A = {'z', 'y'}", ["y", "z"]),
    "a format": ("A = '{b} and {{b}}'.format(b='x')", "x and {b}"),
    "a call": ("import os\nA = os.path.join('x', 'y')", "x/y"),
    "a part that is more": ("A = 'x' + str(3)", "x3"),
    "an f-string with a format": ("B = 3\nA = f'{B:02d}'", "03"),
}
REFUSED = {
    "B = 1": "`A` is missing",
    "A = 1\nA = 2": "a.py:1: `A` is not assigned exactly once, and without a condition",
    "if 1:\n    A = 1": "`A` is missing",
    "A = 'x'\nA += 'y'": "`A` is not assigned exactly once",
    "A = B\nB = A": "is made from itself",
    "A = 'x' + 3": "`3` is no text",
    "A = f'{3}'": "`3` is no text",
    r"A = 'x\x1b'": "U+001B",
    "A: str": "`A` is not assigned exactly once",
    "\n".join(["A0 = 'x' * 9", *(f"A{n} = A{n - 1} + A{n - 1}" for n in range(1, 40)), "A = A39"]): "`'x' * 9`",
    "\n".join(["A0 = 'xxxxxxxxx'", *(f"A{n} = A{n - 1} + A{n - 1}" for n in range(1, 40)), "A = A39"]): "200,000",
}


def test_literals_and_joined_texts_are_read_and_nothing_is_run(tmp_path: Path) -> None:
    cases = {what: text for what, (text, _) in READ.items()}
    mark = tmp_path / "ran"
    running = f"\nopen({str(mark)!r}, 'w')"
    read = {what: source(tmp_path / what, a=text + running).value("a:A") for what, text in cases.items()}
    assert read == {what: value for what, (_, value) in READ.items()}
    for number, (text, words) in enumerate(REFUSED.items()):
        with pytest.raises(DocumentError) as refusal:
            source(tmp_path / f"{number}", a=text + running).value("a:A")
        assert words in str(refusal.value), text
    assert not mark.exists()


def test_what_is_more_is_run_only_where_that_is_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOOP_API_KEY", "secret")
    for what, (text, value) in MORE.items():
        assert source(tmp_path / what, run=True, a=f"print('noise')\n{text}").value("a:A") == value
        with pytest.raises(DocumentError, match="--run-source"):
            source(tmp_path / f"not {what}", a=text).value("a:A")
    failing = {
        "A = 1 / 0": r"`1 / 0` failed when it was run \(ZeroDivisionError: division by zero\)",
        "import os\nA = os.environ['LOOP_API_KEY'] + ''": "KeyError: 'LOOP_API_KEY'",
        "A = chr(27)": r"a text holds U\+001B",
        "A = 3j": "failed when it was run",
    }
    for number, (text, words) in enumerate(failing.items()):
        with pytest.raises(DocumentError, match=words):
            source(tmp_path / f"{number}", run=True, a=text).value("a:A")
    assert [path.name for path in tmp_path.rglob("__pycache__")] == []


def test_a_name_is_followed_to_the_module_it_comes_from(tmp_path: Path) -> None:
    for line in ("from src.b import B", "from src.b import C as B"):
        read = source(tmp_path / line, a=f"{line}\nA = B + '!'", b="B = C = 'x'")
        assert (read.value("a:A"), read.value("a:B")) == ("x!", "x")


FUNCTION = """
TAIL = " then"
def build(messages, word):
    head = f"First{TAIL}"
    head += "\\n\\nmore"
    twice = "a"
    twice = "b"
    messages.append({"role": "user", "content": "[open]"})
    messages.append({"role": "user", "content": word})
    return {"words": "hello"}
"""


def test_what_a_function_sets_and_writes_is_read(tmp_path: Path) -> None:
    read = source(tmp_path, prompt_builder=FUNCTION)
    assert read.value("prompt_builder:build/head") == "First then"
    assert read.value("prompt_builder:build/head+") == "\n\nmore"
    assert read.scripted("build", "content", {"role": "user"}) == "[open]"
    assert read.scripted("build", "words", {}) == "hello"
    for reference, words in (("build/twice", "2 times, not once"), ("build/tail", "0 times"), ("other/x", "missing")):
        with pytest.raises(DocumentError, match=words):
            read.value(f"prompt_builder:{reference}")
    with pytest.raises(DocumentError, match="has 0 texts under `words`, not one"):
        read.scripted("build", "words", {"role": "user"})
