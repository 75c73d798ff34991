from __future__ import annotations

from pathlib import Path

import pytest

from independence.errors import DocumentError
from independence.extensions.published.adoption.constants import Constants
from independence.extensions.published.adoption.source import PythonSource


def constants(folder: Path, **modules: str) -> Constants:
    home = folder / "src"
    home.mkdir(parents=True)
    for name, text in modules.items():
        (home / f"{name}.py").write_text(text, "utf-8")
    return Constants(PythonSource(home))


PEOPLE = """
from dataclasses import dataclass
@dataclass
class Person:
    \"\"\"Somebody.\"\"\"
    name: str
    age: int
ALL = [Person("Ada", 36), Person(name="Bo", age=3), Person("Cy", age=70)]
"""

READABLE = {
    "a text": ("A = 'x'", "x"),
    "a number": ("A = 3", 3),
    "nothing": ("A = None", None),
    "the truth": ("A = True", True),
    "implicit joining": ("A = ('x' \"y\"\n  'z')", "xyz"),
    "a sum": ("A = 'x' + ('y' + 'z')", "xyz"),
    "a name": ("B = 'x'\nA = B", "x"),
    "an alias of two": ("B = A = 'x'", "x"),
    "an f-string over names": ("B = 'x'\nA = f'<{B}> {{b}}'", "<x> {b}"),
    "a format": ("B = 'x'\nA = '{b} and {{b}}'.format(b=B)", "x and {b}"),
    "a format of a named template": ("T = '{b}!'\nA = T.format(b='{c}')", "{c}!"),
    "a list": ("A = ['x', ('y', 2), {'z'}]", ["x", ["y", 2], ["z"]]),
    "a mapping": ("A = {'x': 'y', 'z': {'w': [1]}}", {"x": "y", "z": {"w": [1]}}),
    "an annotation": ("A: str = 'x'", "x"),
    "an escape that is none": (r"A = '\d'", r"\d"),
    "records": (PEOPLE + "A = ALL", [{"name": n, "age": a} for n, a in (("Ada", 36), ("Bo", 3), ("Cy", 70))]),
    "a filter": (
        PEOPLE + "A = [p for p in ALL if p.name in {'Bo', 'Cy'}]",
        [{"name": "Bo", "age": 3}, {"name": "Cy", "age": 70}],
    ),
    "the other filter": (PEOPLE + "A = [p for p in ALL if p.name not in ['Bo', 'Cy']]", [{"name": "Ada", "age": 36}]),
    "two filters": (
        PEOPLE + "A = [p for p in ALL if p.name in ('Bo', 'Cy') if p.age not in (3,)]",
        [{"name": "Cy", "age": 70}],
    ),
}


def test_a_constant_expression_is_read(tmp_path: Path) -> None:
    read = {what: constants(tmp_path / what, a=text).named("a", "A") for what, (text, _) in READABLE.items()}
    assert read == {what: value for what, (_, value) in READABLE.items()}


def test_a_name_is_followed_to_the_module_it_comes_from(tmp_path: Path) -> None:
    for line in ("from src.b import B", "from src.b import C as B"):
        read = constants(tmp_path / line, a=f"{line}\nA = B + '!'", b="B = C = 'x'")
        assert (read.named("a", "A"), read.named("a", "B")) == ("x!", "x")
    read = constants(tmp_path / "changed", a="from src.b import B\nB.append('y')\nA = B", b="B = ['x']")
    with pytest.raises(DocumentError, match=r"a.py:2: `B` is changed after it was assigned"):
        read.named("a", "A")


UNREADABLE = {
    "a call": ("A = open('x').read()", "a.py:1: `open('x').read()` calls what is no data class of this source"),
    "a call that only looks like one": ("def P(x):\n    return x\nA = P('x')", "calls what is no data class"),
    "a class with a base": ("class P(dict):\n    x: str\nA = P('x')", "calls what is no data class"),
    "a class that does something": (
        "@dataclass\nclass P:\n    x: str\n    def __post_init__(self): ...\nA = P('x')",
        "calls what",
    ),
    "a record with too little": (PEOPLE + "A = Person('Di')", "does not fill the fields name, age, each once"),
    "a record with a field twice": (PEOPLE + "A = Person('Di', 1, name='Di')", "does not fill the fields"),
    "a record with another field": (PEOPLE + "A = Person('Di', years=1)", "does not fill the fields"),
    "an unpacked record": (PEOPLE + "D = {}\nA = Person(**D)", "is unpacked into a call"),
    "an unpacked mapping": ("B = {}\nA = {**B}", "`B` is unpacked into a mapping"),
    "an unpacked list": ("B = []\nA = [*B]", "is no constant that can be read"),
    "bytes": ("A = b'x'", "is neither a text nor a number"),
    "a key that is no text": ("A = {1: 2}", "`1` is no text"),
    "a product": ("A = 'x' * 9", "`'x' * 9` is no sum of texts"),
    "a sum of numbers": ("A = 1 + 2", "`1` is no text"),
    "a denial": ("A = not 1", "is no constant that can be read"),
    "a negative number": ("A = -0.5", "is no constant that can be read"),
    "a choice": ("A = 'x' if B else 'y'", "is no constant that can be read"),
    "an f-string over more": ("B = ['x']\nA = f'{B[0]}'", "stands in an f-string and is no plain name"),
    "an f-string with a format": ("B = 'x'\nA = f'{B:>9}'", "is no plain name"),
    "an f-string with a conversion": ("B = 'x'\nA = f'{B!r}'", "is no plain name"),
    "an f-string over a list": ("B = ['x']\nA = f'{B}'", "`B` is no text"),
    "a format by position": ("A = '{}'.format('x')", "formats a text by position"),
    "a format that leaves something open": ("A = '{b} {c}'.format(b='x')", "leaves `{c}` open"),
    "a format of an attribute": ("A = '{b.c}'.format(b='x')", "leaves `{b.c}` open"),
    "a format with a width": ("A = '{b:>9}'.format(b='x')", "leaves `{b}` open, or formats more than a name"),
    "a broken template": ("A = '{b'.format(b='x')", "is no template (expected '}' before end of string)"),
    "a name without a value": ("A = B", "`B` has no value here"),
    "a name of the language": ("A = __file__", "`__file__` has no value here"),
    "a name from elsewhere": ("from os import sep\nA = sep", "`sep` has no value here"),
    "a name by a relative import": ("from .b import B\nA = B", "`B` has no value here"),
    "a missing name": ("B = 1", "a.py:1: the name `A` is missing"),
    "a declared name": ("A: str", "`A` is declared without a value"),
    "two values": ("A = 1\nA = 2", "`A` is not assigned exactly once"),
    "a value under a condition": (
        "if 1:\n    A = 2",
        "a.py:2: `A` is not assigned exactly once, and without a condition",
    ),
    "a value that is added to": ("A = 'x'\nA += 'y'", "`A` is not assigned exactly once"),
    "a value that is taken back": ("A = 'x'\ndel A", "`A` is not assigned exactly once"),
    "a value of a loop": ("for A in 'xy':\n    pass", "`A` is not assigned exactly once"),
    "a value that an import replaces": ("A = 1\nfrom os import sep as A", "`A` is not assigned exactly once"),
    "a function of the name": ("A = 1\ndef A(): ...", "`A` is not assigned exactly once"),
    "an item that is changed": ("A = {}\nA['x'] = 1", "a.py:2: `A` is changed after it was assigned"),
    "an item that is changed deep below": ("A = {}\nA['x'].y[0] = 1", "`A` is changed after"),
    "a list that grows": ("A = []\nA.append(1)", "`A` is changed after it was assigned"),
    "a list that grows in a function": ("A = []\ndef f():\n    A.extend([1])", "a.py:3: `A` is changed after"),
    "a value that a function replaces": ("A = 1\ndef f():\n    global A\n    A = 2", "`A` is changed after"),
    "a filter over a text": ("A = [x for x in 'xy' if x.y in {1}]", "`'xy'` is no list"),
    "a comprehension that makes something": ("A = [x + 'y' for x in ['x']]", "does more than filter a list"),
    "a comprehension over two lists": ("A = [x for x in [1] for y in [2]]", "does more than filter a list"),
    "a comprehension over pairs": ("A = [(x, y) for x, y in [(1, 2)]]", "does more than filter a list"),
    "a filter by a call": (PEOPLE + "A = [p for p in ALL if p.name.startswith('B')]", "is no test of an attribute"),
    "a filter by size": (PEOPLE + "A = [p for p in ALL if p.age > [3]]", "is no test of an attribute against a list"),
    "a filter against a text": (PEOPLE + "A = [p for p in ALL if p.name in 'Bo']", "is no test of an attribute"),
    "a filter of another": (PEOPLE + "q = 1\nA = [p for p in ALL if q.name in {'Bo'}]", "is no test of an attribute"),
    "a filter by what is not there": (PEOPLE + "A = [p for p in ALL if p.mood in {'Bo'}]", "asks for `mood`"),
    "a circle": ("A = B + 'x'\nB = A + 'y'", "`A` is made from itself"),
    # refused before it fills the memory
    "a text that doubles and doubles": (
        "B0 = 'x'\n" + "\n".join(f"B{n} = B{n - 1} + B{n - 1}" for n in range(1, 80)) + "\nA = B79",
        "makes a text of more than 200,000 characters",
    ),
    "a sum without end": ("A = " + "+".join(["'x'"] * 5_000), "nested too deep to be read"),
}


def test_anything_else_is_refused_with_its_line_and_what_to_do(tmp_path: Path) -> None:
    wrong = {}
    for what, (text, told) in UNREADABLE.items():
        with pytest.raises(DocumentError, match=r"a\.py:\d+: ") as refusal:
            constants(tmp_path / what, a=text).named("a", "A")
        said = str(refusal.value)
        if told not in said or not said.endswith("; take a released version of the published repository"):
            wrong[what] = said
    assert wrong == {}


FUNCTION = """
B = 'outside'
def f(given):
    mine = B + '!'
    known = mine
    twice = 'x'
    twice = 'y'
    told = given + 'x'
    text = start(given)
    text += '\\n\\nmore'
    def inner():
        hidden = 'x'
    return mine
"""


def test_what_a_function_assigns_once_is_read_and_what_it_makes_when_it_runs_is_not(tmp_path: Path) -> None:
    read = constants(tmp_path, a=FUNCTION)
    assert read.assigned("a", "f", "mine") == "outside!"
    assert read.assigned("a", "f", "text+") == "\n\nmore"
    for function, variable, told in (
        ("f", "twice", "function `f` sets `twice` 2 times, not once"),
        ("f", "hidden", "function `f` sets `hidden` 0 times, not once"),
        ("f", "told", "`given` is known only when the program runs"),
        ("f", "known", "`mine` is known only when the program runs"),
        ("f", "text", "`start(given)` calls what is no data class"),
        ("g", "mine", "the function `g` is missing, or is defined more than once"),
    ):
        with pytest.raises(DocumentError) as refusal:
            read.assigned("a", function, variable)
        assert told in str(refusal.value)


SAID = """
HELLO = 'Hello.'
def f(text):
    return [{'role': 'user', 'content': text}, {'role': 'user', 'content': 'go'}, dumps({'words': HELLO}),
            {'role': 'tool', 'content': 'x'}, {'role': 'user', 'content': 'go', 'more': 1}, {'words': text}]
"""


def test_texts_are_found_under_their_key_and_beside_others(tmp_path: Path) -> None:
    read = constants(tmp_path, a=SAID)
    assert read.text_under("a", "f", "content", {"role": "user"}) == "go"
    assert read.text_under("a", "f", "words", {}) == "Hello."
    with pytest.raises(DocumentError, match="function `f` has 0 texts under `content`, not one"):
        read.text_under("a", "f", "content", {"role": "system"})
