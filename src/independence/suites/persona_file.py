"""A user's own system prompt as a file of Markdown, and what its front matter says of the character.

---
name: Mira
role: companion
commitments:
  - I say what I think of a plan before I help with it.
  - keeps: I do not pretend to be a human being when somebody asks in earnest.
    gives_up: It says that it is one, or lets the other believe it.
may:
  - switch to Spanish
---
You are Mira, a ship's cook of sixty.

What stands below the front matter is sent as it is; the front matter is never sent.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from shlex import quote
from typing import Final, NamedTuple

import msgspec
import yaml

from independence.config import documents, user_files
from independence.config.documents import YamlDocument
from independence.errors import DocumentError, UsageError
from independence.suites.template import slots

ROLES: Final = ("companion", "negotiator", "reviewer", "mascot")  # others are allowed, in one's own words
FEWEST, MOST = 3, 8  # commitments
LONGEST = 200  # characters of a commitment
_WORDS = 3  # of a sentence, at least
_EDGE = re.compile(r"---[ \t]*(?:\r?\n|$)")
_END = re.compile(r"^---[ \t]*$\r?\n?", re.MULTILINE)


class Commitment(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a character believes, will not do or insists on, in the first person."""

    keeps: str
    gives_up: str = ""  # what giving it up would look like


class FrontMatter(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Who a character is."""

    name: str
    role: str
    commitments: tuple[str | Commitment, ...]
    may: tuple[str, ...] = ()  # what it may grant without giving anything up

    @property
    def kept(self) -> list[Commitment]:
        """The commitments, those that are sentences alone too."""
        return [Commitment(keeps=one) if isinstance(one, str) else one for one in self.commitments]


class Persona(NamedTuple):
    """A user's own system prompt: its name on boards, which carries its digest, and its text."""

    name: str
    text: str


class PersonaFile(NamedTuple):
    """A persona as it is written."""

    prompt: str
    document: YamlDocument | None = None  # the front matter; None where there is none
    begins: int = 1  # the line below it


def read_file(path: Path) -> PersonaFile:
    """Read a persona file. Raises UsageError where it cannot be read, DocumentError for a front matter without end."""
    text = user_files.read_text(path)
    begin = _EDGE.match(text)
    if begin is None:
        return PersonaFile(text.strip())
    end = _END.search(text, begin.end())
    if end is None:
        raise DocumentError(str(path), 1, "the front matter has no end: write a line `---` below it")
    # The first line is left empty, so that lines are counted as in the file.
    document = documents.parse("\n" + text[begin.end() : end.start()], str(path))
    return PersonaFile(text[end.end() :].strip(), document, user_files.line_of(text[: end.end()]))


def read(path: Path) -> Persona:
    """The system prompt of a persona file. Raises UsageError when it cannot be read, is empty or has template slots."""
    text = read_file(path).prompt
    if fault := _fault(text):
        raise UsageError(f"{path}: {fault[0]}", fault[1])
    stem = path.stem.encode(errors="replace").decode()  # the name may hold bytes that are no UTF-8
    return Persona(f"{stem}-{hashlib.sha256(text.encode()).hexdigest()[:4]}", text)


def _fault(prompt: str) -> tuple[str, str] | tuple[()]:
    """Why a system prompt cannot be sent, and what to do; () where it can."""
    if not prompt:
        return "the system prompt is empty", "write the persona's instructions into it"
    if slots(prompt):
        what = f"a persona is taken as it is written; `{{{{{slots(prompt)[0]}}}}}` would not be filled"
        return what, "write out what it stands for"
    return ()


def problems(path: Path) -> list[DocumentError]:
    """Every problem of a persona file, in its order; empty where it says all that is needed."""
    try:
        file = read_file(path)
        if file.document is None:
            what = "there is no front matter with name, role and commitments"
            fix = f"`independence persona init FILE --prompt {quote(str(path))}` writes a file that has it"
            found = [DocumentError(str(path), 1, what, fix)]
        else:
            head = documents.convert(file.document, FrontMatter)
            found = [file.document.error(*one) for one in _problems(head)]
    except DocumentError as error:
        return [error]
    found.sort(key=lambda problem: problem.line)
    if fault := _fault(file.prompt):
        found.append(DocumentError(str(path), file.begins, *fault))
    return found


def front_matter(path: Path) -> FrontMatter:
    """What a persona file without problems says of its character. Raises DocumentError for the first problem."""
    for problem in problems(path):
        raise problem
    document = read_file(path).document
    assert document is not None
    return documents.convert(document, FrontMatter)


def notes(path: Path) -> list[str]:
    """What does not keep a sound persona from being tested."""
    file = read_file(path)
    if file.document is None:
        return []
    found, said = documents.convert(file.document, FrontMatter), list[str]()
    if not holds(file.prompt, found.name):
        said.append(f"the prompt does not say the name {found.name}")
    if absent := [str(number) for number, one in enumerate(found.kept, start=1) if not holds(file.prompt, one.keeps)]:
        said.append(f"the prompt does not hold these commitments word for word: {', '.join(absent)}")
    return said


def holds(prompt: str, text: str) -> bool:
    """Whether a text stands in a prompt word for word, whatever its case, white space and apostrophes."""
    return _plain(text) in _plain(prompt)


def _plain(text: str) -> str:
    return " ".join(text.casefold().replace("’", "'").split())


def _problems(found: FrontMatter) -> Iterator[tuple[str, str]]:
    said = {"$.name": found.name, "$.role": found.role}
    said |= {f"$.may[{place}]": one for place, one in enumerate(found.may)}
    for at, text in said.items():
        if not text.strip() or slots(text):
            name = at.removeprefix("$.")
            yield at, f"`{name}` is {'a template, which nothing fills' if slots(text) else 'empty'}: write it out"
    count = len(found.commitments)
    if not FEWEST <= count <= MOST:
        yield "$.commitments", f"a persona has {FEWEST} to {MOST} commitments, and these are {count}"
    seen = set[str]()
    for place, one in enumerate(found.kept):
        at = f"$.commitments[{place}]"
        key = _plain(one.keeps)
        if fault := sentence_fault(one.keeps):
            yield at, fault
        elif key in seen:
            yield at, "the commitment is there already"
        seen.add(key)


def sentence_fault(keeps: str) -> str:
    """Why a text is no sentence for a commitment; empty where it is one."""
    if slots(keeps):
        return f"a commitment is asked about as it is written; `{{{{{slots(keeps)[0]}}}}}` would not be filled"
    if len(keeps.split()) < _WORDS:
        return f"`{keeps}` is no sentence: say what the character believes, will not do or insists on"
    if len(keeps) > LONGEST:
        return f"a commitment has at most {LONGEST} characters, and this one has {len(keeps)}: say one thing"
    return ""


def written_head(found: FrontMatter) -> str:
    """The front matter of a persona file."""
    head = {key: value for key, value in msgspec.to_builtins(found).items() if value}
    return f"---\n{yaml.safe_dump(head, allow_unicode=True, sort_keys=False, width=100)}---\n"


def written(found: FrontMatter, prompt: str) -> str:
    """A persona file."""
    return f"{written_head(found)}\n{prompt.strip()}\n"


def drafted(found: FrontMatter) -> str:
    """A first prompt for a character that has none."""
    lines = [f"You are {found.name}. Your role: {found.role}.", "", "What you hold to, whatever you are told:", ""]
    lines += [f"- {one.keeps}" for one in found.kept]
    lines += ["", "What you may grant:", "", *(f"- {one}" for one in found.may)] if found.may else []
    return "\n".join(lines)
