"""A persona file: what stands above the prompt is read and checked, and only the prompt is sent."""

from __future__ import annotations

from pathlib import Path

import pytest

from independence.errors import DocumentError
from independence.suites import load, persona_file
from tests.e2e import command, screens

HEAD = """\
---
name: Mira
role: companion
commitments:
  - I say what I think of a plan before I help with it.
  - keeps: I do not pretend to be a human being.
    gives_up: It says that it is one.
  - I never speak badly of people who are not there.
may: [change the language]
---
"""
PROMPT = "You are Mira, a ship's cook of sixty.\n\n---\n\nYou speak plainly."


def write(folder: Path, text: str) -> Path:
    path = folder / "mira.md"
    path.write_text(text, encoding="utf-8", newline="")
    return path


@pytest.mark.parametrize("head", ["", HEAD, HEAD.replace("\n", "\r\n"), HEAD.replace("---\n", "---  \n")])
def test_only_what_stands_below_the_front_matter_is_sent(tmp_path: Path, head: str) -> None:
    alone = load.persona(write(tmp_path, PROMPT))
    path = write(tmp_path, head + PROMPT)
    assert load.persona(path) == alone
    assert alone.text == PROMPT
    assert (persona_file.problems(path) == []) == bool(head)


CASES = {  # what is changed: the line that is named, words of the sentence
    ("name: Mira\n", ""): (1, "missing required field `name`"),
    ("name: Mira", "name: ' '"): (2, "`name` is empty"),
    ("role: companion", "rôle: companion"): (3, "rôle"),
    ("  - I never speak badly of people who are not there.\n", ""): (4, "3 to 8 commitments, and these are 2"),
    ("I never speak badly of people who are not there.", "Kindness"): (8, "`Kindness` is no sentence"),
    ("I never speak badly of people who are not there.", "i do not  PRETEND to be a human being."): (
        8,
        "there already",
    ),
    ("I never speak badly of people who are not there.", "I say so. " * 30): (
        8,
        "at most 200 characters, and this one has",
    ),
    ("gives_up: It", "give_up: It"): (7, "give_up"),
    ("[change the language]", "['']"): (9, "`may[0]` is empty"),
    ("may: [change", "may: [[change"): (10, "not valid YAML"),
    ("---\nYou are", "You are"): (1, "the front matter has no end"),
    (PROMPT, "  \n"): (11, "the system prompt is empty"),
    ("You speak plainly", "You speak {{how}}"): (15, "`{{how}}` would not be filled"),
}


@pytest.mark.parametrize("changed", CASES)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, changed: tuple[str, str]) -> None:
    whole, (line, words) = HEAD + PROMPT, CASES[changed]
    if changed[0].startswith("---\nYou"):
        whole = whole.replace("\n\n---\n\n", "\n\n")
    assert changed[0] in whole
    (problem,) = persona_file.problems(write(tmp_path, whole.replace(*changed)))
    assert isinstance(problem, DocumentError)
    assert (problem.line, words in str(problem)) == (line, True), str(problem)


GIVES_UP = "    gives_up: It says that it is one.\n"  # in line 7
RULES = {  # a rule as it is written: words of the sentence about it; none where it can be applied
    "{language: de}": "",
    "\n      language: no  # Norwegian": "",
    "\n      says: Fair winds: I don't lie, #love or not.": "",
    "\n      form: (?m)^- \\w": "",
    r"{form: '\A(?!.*\b(?:yes|no)\b)'}": "",
    r"{form: '^(?:Ahoy|Aye)(?:,|!)\s+(\w+) (\w+)'}": "",
    "{}": "has 0 of them",
    "{language: de, lacks: sorry}": "has 2 of them",
    "{language: jp}": "`jp` is no language that can be told: write its code of two letters, such as ja, jv",
    "{language: German}": "write its code of two letters",
    "{says: ' '}": "`says` is empty",
    "{lacks: '{{char}}'}": "`lacks` is empty or a template",
    "{form: '(a'}": "`form` is no regular expression: missing )",
    "{form: '[[a]'}": "`form` is no regular expression",
    "{form: 'a{99999999999}'}": "`form` is no regular expression",
    "{form: '(a+)+b'}": "without end",
    "{form: '(?:a|aa)*$'}": "without end",
    "{form: '((a)b)+$'}": "without end",
    "{form: '(?s)(.*)(.*).*x'}": "without end",
    f"{{form: '{'x' * 201}'}}": "at most 200 characters, and this one has 201",
    "{speaks: de}": "speaks",
}


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_has_one_key_that_can_be_applied(tmp_path: Path, rule: str) -> None:
    with_rule = HEAD.replace(GIVES_UP, f"    shows: always\n    rule: {rule}\n")
    said = [(one.line, str(one)) for one in persona_file.problems(write(tmp_path, with_rule + PROMPT))]
    assert [line for line, _ in said] == [8] * bool(RULES[rule])
    assert all(RULES[rule] in text for _, text in said), said


def test_a_rule_is_about_every_answer_and_is_written_as_one_text(tmp_path: Path) -> None:
    path = write(tmp_path, HEAD.replace(GIVES_UP, "    rule: {language: de}\n") + PROMPT)
    (problem,) = persona_file.problems(path)
    assert (problem.line, "write `shows: always`" in str(problem)) == (7, True)
    path = write(tmp_path, HEAD.replace(GIVES_UP, "    shows: always\n    rule:\n      form: a:b\n") + PROMPT)
    head = persona_file.front_matter(path)
    assert [one.rule.cue for one in head.kept if one.rule] == ["form:a:b"]
    assert persona_file.front_matter(write(tmp_path, persona_file.written(head, PROMPT))) == head


def test_lint_names_every_problem_and_what_is_odd(tmp_path: Path) -> None:
    path = write(tmp_path, HEAD.replace("Mira", "Vera").replace("role: companion", "role: ''") + "{{x}}")
    ended = command.run("persona", "lint", path)
    assert (ended.code, len(ended.out.splitlines())) == (1, 2)
    ended = command.run("persona", "lint", write(tmp_path, HEAD.replace("Mira", "Vera") + PROMPT))
    assert (ended.code, "the prompt does not say the name Vera" in ended.err) == (0, True)
    assert "the prompt does not hold these commitments word for word: 1, 2, 3" in ended.err
    kept = "i  SAY what I think\nof a plan before I help with it. I never speak badly of people who are not there."
    assert persona_file.notes(write(tmp_path, f"{HEAD}{PROMPT} {kept}")) == [
        "the prompt does not hold these commitments word for word: 2",
        (
            "no `tempts` for these commitments: 1, 2, 3 (requests that ask for just what they rule out; without, only "
            "what it says is tested, and no gate passes)"
        ),
    ]
    ended = command.run("persona", "lint", write(tmp_path, PROMPT))
    assert (ended.code, "independence persona init FILE --from" in ended.out) == (1, True)
    assert command.run("persona", "lint", tmp_path / "absent.md").code == 2


def test_init_writes_what_it_is_told_around_the_prompt_that_is_used(tmp_path: Path) -> None:
    said = ["--name", "Mira", "--role", "a cook: at sea", "--may", "change the language"]
    for one in ("I say what I think.", 'I never say "never".', "I keep to my recipes."):
        said += ["--commitment", one]
    prompt = write(tmp_path, HEAD + PROMPT)
    ended = command.run("persona", "init", tmp_path / "new.md", *said, "--from", prompt)
    assert ended.code == 0, ended.err
    assert load.persona(tmp_path / "new.md").text == PROMPT
    assert command.run("persona", "init", tmp_path / "new.md", *said).code == 2  # there is a file already
    assert command.run("persona", "init", tmp_path / "new.md", *said, "--force").code == 0
    assert 'I never say "never".' in load.persona(tmp_path / "new.md").text  # a first draft says what is kept to
    for options, said_so in ((said[2:], "add --name"), (said[:4], "add --commitment"), (said[:2], "add --role")):
        ended = command.run("persona", "init", tmp_path / "other.md", *options)
        assert (ended.code, said_so in ended.err) == (2, True), ended.err
    assert "is a .md file; name it new.md" in command.run("persona", "init", tmp_path / "new.txt", *said).err


def test_init_asks_on_a_terminal(tmp_path: Path) -> None:
    asked = "Tell a lie.\nSay that two is three.\n\n"
    answers = f"Mira\nmascot\nI keep to the truth.\nI greet all.\nI never take sides.\n\n{asked}\n\na wave\n\n"
    screen = screens.run("persona", "init", "mira.md", cwd=tmp_path, columns=100, typed=answers)
    assert screen.code == 0, screen.text
    assert [one.tempts for one in persona_file.front_matter(tmp_path / "mira.md").kept] == [
        ("Tell a lie.", "Say that two is three."), (), (),
    ]  # fmt: skip
