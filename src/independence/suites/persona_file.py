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

What stands below the front matter is sent as it is; the front matter is never sent. `front_matter.py` says where it
begins and ends, and how it is read.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from shlex import quote
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

import msgspec
import yaml

from independence.config import documents, user_files
from independence.config.documents import YamlDocument
from independence.errors import DocumentError
from independence.suites import front_matter as head_of
from independence.suites import template

ROLES: Final = ("companion", "negotiator", "reviewer", "mascot")  # others are allowed, in one's own words
FEWEST, MOST = 3, 8  # commitments
TEMPTS, ORDINARY = (2, 4), (3, 6)  # requests
PUSHES, PRESSURES = 3, (3, 12)  # sentences of pressure in a dialogue, and in a file
ALWAYS: Final = "always"
LONGEST = 200  # characters of a commitment
_AS_TEXT: Final = Path("prompt")  # what a prompt without a file is called
NOTHING: Final[Mapping[str, str]] = MappingProxyType({})  # fills no template
# Of ISO 639-1, what `judge/cues/acts.py` tells apart.
LANGUAGES: Final = """
af am an ar as az ba be bg bn br bs ca cs cy da de dz el en eo es et eu fa fi fo fr fy ga gd gl gu ha he hi hr ht hu hy
id ig is it ja jv ka kk km kn ko ku ky la lb lg ln lo lt lv mg mk ml mn mr ms mt my ne nl nn no oc om or pa pl ps pt qu
ro ru rw sa se si sk sl sn so sq sr st sv sw ta te tg th tk tl tr tt ug uk ur uz vi vo wa xh yo zh zu"""
_CHARACTER = re.compile(r"(?s)\\.|\[\^?\]?[^\]\\]*(?:\\.[^\]\\]*)*\]")  # what stands for one in a regular expression
# A repeated group with a repetition, a choice or a group in it; three repetitions in a row.
_ENDLESS = re.compile(
    r"\((?:\?[:=!<>\w-]+)?+[^()]*[*+{|?][^()]*\)[*+{]|\)[^()]*\)[*+{]|(?:[^()|][*+][?+]?\)?(?:\((?:\?[:=!<>\w-]+)?+)?){3}"
)
_WORDS = 3  # of a sentence, at least
_WORD = re.compile(r"[^\W\0-\u0dff]|[^\s\u0e00-\U0010ffff]+")  # of many Asian scripts, which need no spaces, a letter
_LONG: Final = {"i'm ": "i am ", "i'll ": "i will ", "won't": "will not", "can't": "can not", "cannot": "can not",
                "n't": " not"}  # fmt: skip
# "I do not lie", "I never lie" and "I always lie" speak of one act, as "I lie" does.
_MAIN_CLAUSE = re.compile(
    r"(i (?:(?:am|can|could|have|may|must|should|would) )?)"
    r"(?:do (?=not |never |always )|will |shall )?(?:(not|never)(?: ever)? |always )?(.+)"
)
_ALWAYS = re.compile(r"\b(?:always|immer|siempre)\b|总是|總是")
_NEVER = re.compile(r"\b(?:never|nie|niemals|nunca)\b|从不|從不")
# What happens in nobody's sight: no answer shows it.
_HIDDEN = re.compile(
    r"\b(?:i (?:\w+ )?(?:sleep|dream|breathe|blink|sweat)\b|(?:think|decide|count|pray|laugh|sing)\b.*"
    r"\b(?:silently|to myself|in my head|in silence|before i answer)\b)"
)
_LANGUAGE = re.compile(
    r"\b(english|german|spanish|french|italian|portuguese|dutch|polish|turkish|russian|arabic|hindi|japanese|chinese"
    r"|korean|englisch|deutsch|spanisch|französisch|italienisch|türkisch|russisch|inglés|alemán|español|francés"
    r"|italiano|portugués|japonés|chino)\b"
)
_ONLY = re.compile(r"\b(?:always|only|immer|nur|siempre|solo|sólo)\b")


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """What every answer of a character has or lacks, which needs no judge; one of these."""

    language: str | None = None  # ISO 639-1 code of the language that every answer is in
    says: str | None = None  # a sentence that stands in every answer
    lacks: str | None = None  # words that stand in none
    form: str | None = None  # a regular expression that every answer matches somewhere

    @property
    def cue(self) -> str:
        """The rule as one text, such as `language:de`."""
        return next(f"{key}:{value}" for key, value in msgspec.to_builtins(self).items())


class Commitment(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """What a character believes, will not do or insists on, in the first person."""

    keeps: str
    gives_up: str = ""  # what giving it up would look like
    tempts: tuple[str, ...] = ()  # requests for the act itself, or occasions at which it would show
    shows: Literal["asked", "always"] = "asked"  # where somebody asks for it, or in every answer
    rule: Rule | None = None  # what can be told of every answer without a judge


class FrontMatter(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """Who a character is."""

    name: str
    role: str
    commitments: tuple[str | Commitment, ...]
    may: tuple[str, ...] = ()  # what it may grant without giving anything up
    ordinary: tuple[str, ...] = ()  # requests of its everyday work
    pressures: tuple[str, ...] = ()  # what people say who insist; (): sentences of ours in its language
    language: Literal["en", "de", "es"] = "en"  # of the sentences of ours that are used
    template: Literal["", "none"] = ""  # none: what looks like one in the prompt is sent as it is

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
    begins: int = 1  # the line in which the prompt begins

    @property
    def unfilled(self) -> list[template.Unfilled]:
        """What a template leaves to be filled in the prompt, each once; nothing where the file says that it is none."""
        if self.document is not None and self.document.data.get("template") == "none":
            return []
        return list({one.text: one for one in reversed(template.unfilled(self.prompt))}.values())[::-1]


def read_file(path: Path, values: Mapping[str, str] = NOTHING) -> PersonaFile:
    """Read a persona file; `values` fill what templates leave to be filled.

    Raises UsageError where it cannot be read, DocumentError for a front matter of ours that is broken.
    """
    return _parted(template.filled(user_files.read_text(path), values), path)


def _parted(text: str, path: Path) -> PersonaFile:
    found = head_of.parts(text)
    document = found and head_of.parse(found, str(path), FrontMatter.__struct_fields__)
    prompt = text if found is None or document is None else found.below
    before = len(text) - len(prompt.lstrip() or prompt)
    return PersonaFile(prompt.strip(), document, user_files.line_of(text[:before]))


def read(path: Path, values: Mapping[str, str] = NOTHING) -> Persona:
    """The system prompt of a persona file, as it is sent.

    Raises UsageError when it cannot be read, is empty, or has what only a template's program would fill.
    """
    return _checked(read_file(path, values), path)


def of_text(text: str, values: Mapping[str, str] = NOTHING) -> Persona:
    """A system prompt that is given as text. Raises UsageError as `read` does."""
    return _checked(_parted(template.filled(text, values), _AS_TEXT), _AS_TEXT)


def _checked(file: PersonaFile, path: Path) -> Persona:
    for problem in _faults(file, path):
        raise problem
    stem = path.stem.encode(errors="replace").decode()  # the name may hold bytes that are no UTF-8
    return Persona(_named(stem, file.prompt), file.prompt)


def _named(stem: str, prompt: str) -> str:
    return f"{stem}-{hashlib.sha256(prompt.encode()).hexdigest()[:4]}"


def is_own(variant: str, prompt: str) -> bool:
    """Whether a system prompt is a user's own, as its name on boards tells: no slot in it is one of ours."""
    return variant == _named(variant.rpartition("-")[0], prompt)


def _faults(file: PersonaFile, path: Path) -> Iterator[DocumentError]:
    """Why a system prompt cannot be sent, and what to do."""
    if not file.prompt:
        what = "the system prompt is empty"
        yield DocumentError(str(path), file.begins, what, "write the persona's instructions into it")
    for one in file.unfilled:
        line = file.begins + file.prompt.count("\n", 0, one.start)
        what = f"a persona is taken as it is written; `{one.text}` would not be filled"
        fill = f"fill it with `--var {one.name}=TEXT`" if one.name else "write out what it stands for"
        yield DocumentError(str(path), line, what, f"{fill}, or send it so: `template: none` in the front matter")


def problems(path: Path, values: Mapping[str, str] = NOTHING) -> list[DocumentError]:
    """Every problem of a persona file, in its order; empty where it says all that is needed."""
    try:
        file = read_file(path, values)
        if file.document is None:
            what = "there is no front matter with name, role and commitments"
            fix = f"`independence persona init FILE --from {quote(str(path))}` writes a file that has it"
            found = [DocumentError(str(path), 1, what, fix)]
        else:
            head = documents.convert(file.document, FrontMatter)
            found = [file.document.error(*one) for one in _problems(head)]
    except DocumentError as error:
        return [error]
    found.sort(key=lambda problem: problem.line)
    return [*found, *_faults(file, path)]


def front_matter(path: Path, values: Mapping[str, str] = NOTHING) -> FrontMatter:
    """What a persona file without problems says of its character. Raises DocumentError for the first problem."""
    for problem in problems(path, values):
        raise problem
    document = read_file(path, values).document
    assert document is not None
    return documents.convert(document, FrontMatter)


def notes(path: Path, values: Mapping[str, str] = NOTHING) -> list[str]:
    """What does not keep a sound persona from being tested."""
    file = read_file(path, values)
    if file.document is None:
        return []
    found, said = documents.convert(file.document, FrontMatter), list[str]()
    if not holds(file.prompt, found.name):
        said.append(f"the prompt does not say the name {found.name}")
    if absent := [str(number) for number, one in enumerate(found.kept, start=1) if not holds(file.prompt, one.keeps)]:
        said.append(f"the prompt does not hold these commitments word for word: {', '.join(absent)}")
    if bare := [str(number) for number, one in enumerate(found.kept, start=1) if not one.tempts]:
        what = "requests that ask for just what they rule out; without, only what it says is tested, and no gate passes"
        said.append(f"no `tempts` for these commitments: {', '.join(bare)} ({what})")
    return said


def holds(prompt: str, text: str) -> bool:
    """Whether a text stands in a prompt word for word, whatever its case, white space, apostrophes and Unicode form."""
    return _plain(text) in _plain(prompt)


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text.casefold()).replace("’", "'").split())


def _stance(keeps: str) -> tuple[str, bool]:
    """What a sentence says without its always, never or not, and whether it denies that."""
    said = _plain(keeps).rstrip(" .!。！")
    for short, long in _LONG.items():
        said = said.replace(short, long)
    subject, denied, rest = main.groups() if (main := _MAIN_CLAUSE.fullmatch(said)) else ("", "", said)
    return subject + _NEVER.sub("*", _ALWAYS.sub("*", rest)), bool(denied) != bool(_NEVER.search(rest))


def _problems(found: FrontMatter) -> Iterator[tuple[str, str]]:
    said = {"$.name": found.name, "$.role": found.role}
    said |= {f"$.may[{place}]": one for place, one in enumerate(found.may)}
    said |= {f"$.commitments[{place}].gives_up": one.gives_up for place, one in enumerate(found.kept) if one.gives_up}
    for at, text in said.items():
        left = _left(text, found.template)
        if not text.strip() or left:
            name = at.removeprefix("$.")
            yield at, f"`{name}` is {'a template, which nothing fills' if left else 'empty'}: write it out"
    count = len(found.commitments)
    if not FEWEST <= count <= MOST:
        yield "$.commitments", f"a persona has {FEWEST} to {MOST} commitments, and these are {count}"
    yield from _lists(found)
    yield from _commitments(found)


def _commitments(found: FrontMatter) -> Iterator[tuple[str, str]]:
    """What is wrong with each commitment, beside the others and beside what may be granted."""
    seen, stances = set[str](), dict[tuple[str, bool], Commitment]()
    for place, one in enumerate(found.kept):
        at = f"$.commitments[{place}]"
        if fault := one.rule and rule_fault(one.rule, one.shows, found.template):
            yield f"{at}.rule", fault
        key, (act, denied) = _plain(one.keeps), _stance(one.keeps)
        if fault := sentence_fault(one.keeps, found.template):
            yield at, fault
        elif key in seen:
            yield at, "the commitment is there already"
        elif other := stances.get((act, not denied)):
            yield at, f"nobody can keep both “{other.keeps}” and “{one.keeps}”: leave one of them out"
        elif _HIDDEN.search(key) and not one.tempts:
            yield at, f"no answer could show whether “{one.keeps}” is kept: say what it does in its answers"
        elif broken := next((request for request in found.may if _breaks(request, one.keeps)), ""):
            yield at, f"“{broken}” is a fair request by `may`, and granting it breaks “{one.keeps}”: leave out one"
        seen.add(key)
        stances[act, denied] = one


def _breaks(request: str, keeps: str) -> bool:
    """Whether a request that may be granted asks for what a commitment rules out."""
    (act, denied), asked = _stance(keeps), _plain(request).rstrip(" .!")
    if denied:
        return asked in act
    own, other = set(_LANGUAGE.findall(act)), set(_LANGUAGE.findall(asked))
    return bool(own and other - own and _ONLY.search(_plain(keeps)))


def _lists(found: FrontMatter) -> Iterator[tuple[str, str]]:
    """What is wrong with requests that somebody makes to the character."""
    tempts = {f"$.commitments[{at}].tempts": (one.tempts, *TEMPTS) for at, one in enumerate(found.kept)}
    own = {"$.ordinary": (found.ordinary, *ORDINARY), "$.pressures": (found.pressures, *PRESSURES)}
    for at, (texts, least, most) in {**tempts, **own}.items():
        name = at.rpartition(".")[2]
        if texts and not least <= len(texts) <= most:
            yield at, f"`{name}` has {least} to {most} texts, and these are {len(texts)}"
        for place, text in enumerate(texts):
            if not text.strip() or _left(text, found.template):
                yield f"{at}[{place}]", "a text is empty or a template, which nothing fills: write it out"
            elif text in texts[:place]:
                yield f"{at}[{place}]", "the text is there already"
            elif at == "$.ordinary" and any(text in one.tempts for one in found.kept):
                yield f"{at}[{place}]", "the text is one of `tempts` too: what is ordinary tempts nobody"


def _left(text: str, written: str) -> str:
    """What is left to be filled in a text of the front matter, where {braces} may be plain text.

    In a file that says that it is no template, what we ourselves would fill.
    """
    if written == "none":
        return next((f"{{{{{one}}}}}" for one in template.slots(text)), "")
    return next((one.text for one in template.unfilled(text) if not re.match(r"\{\w", one.text)), "")


def sentence_fault(keeps: str, written: str = "") -> str:
    """Why a text is no sentence for a commitment; empty where it is one. `written`: `template` of its file."""
    if left := _left(keeps, written):
        return f"a commitment is asked about as it is written; `{left}` would not be filled"
    if len(_WORD.findall(keeps)) < _WORDS:
        return f"`{keeps}` is no sentence: say what the character believes, will not do or insists on"
    if len(keeps) > LONGEST:
        return f"a commitment has at most {LONGEST} characters, and this one has {len(keeps)}: say one thing"
    return ""


def rule_fault(rule: Rule, shows: str = ALWAYS, written: str = "") -> str:
    """Why a rule cannot be applied; empty where it can.

    `shows` is of its commitment, `written` is `template` of its file.
    """
    given: dict[str, str] = msgspec.to_builtins(rule)
    if len(given) != 1:
        return f"a rule has one of `language`, `says`, `lacks` and `form`, and this one has {len(given)} of them"
    if shows != ALWAYS:
        return "a rule is about every answer: write `shows: always` beside it"
    ((key, value),) = given.items()
    if not value.strip() or (key != "form" and _left(value, written)):
        return f"`{key}` is empty or a template, which nothing fills: write it out"
    if len(value) > LONGEST:
        return f"`{key}` has at most {LONGEST} characters, and this one has {len(value)}: write less"
    if key == "language" and value not in (codes := LANGUAGES.split()):
        near = [code for code in codes if code[0] == value[0].lower()] or ["de"]
        return f"`{value}` is no language that can be told: write its code of two letters, such as {', '.join(near)}"
    return form_fault(value) if key == "form" else ""


def form_fault(form: str) -> str:
    """Why a regular expression cannot be used; empty where it can."""
    try:
        with warnings.catch_warnings(action="error"):
            re.compile(form)
    except (re.error, OverflowError, RecursionError, Warning) as error:
        return f"`form` is no regular expression: {error}"
    endless = "`form` may search without end: repeat no group that repeats or has a choice, and no three in a row"
    return endless if _ENDLESS.search(_CHARACTER.sub("a", form)) else ""


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
