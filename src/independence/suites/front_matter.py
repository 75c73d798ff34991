"""The front matter of a persona file: where it stands, and its YAML, in which a sentence needs no quotation marks.

It stands at the very top, below nothing but blank lines and comments, between two lines `---`, and is a mapping with a
key of ours. Whatever else begins with `---`, as a rule or the front matter of another program, is part of the prompt.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Collection, Iterator
from typing import Final, NamedTuple

import yaml

from independence.config import documents
from independence.config.documents import YamlDocument
from independence.errors import DocumentError, nearest

# Keys whose values are sentences, as all items of lists are.
TEXTS: Final = ("name", "role", "keeps", "gives_up", "language", "says", "lacks", "form")
# Behind these ` # ` begins a comment, as YAML has it; sentences may hold it.
_LABELS: Final = ("name", "role", "language")
_BEGIN = re.compile(r"(?:[ \t]*(?:#[^\n]*|<!--(?:(?!-->).)*-->[ \t]*)?\n)*---[ \t]*(?:\n|$)", re.DOTALL)
_END = re.compile(r"^---[ \t]*$\n?", re.MULTILINE)
_FIRST_KEY = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n)*([\w-]+)[ \t]*:(?=\s|$)")
_KEY = re.compile(r"^([\w-]+)[ \t]*:(?=\s|$)", re.MULTILINE)
_TEXT = re.compile(rf"(( *)(-[ \t]+)?(?:({'|'.join(TEXTS)}):[ \t]+)?)(\S.*)")
_OTHER_KEY = re.compile(r"\s*(?:- +)?(\w+):(?=\s|$)")
_COMMENT = re.compile(r"\s*#(?=\s|$)")


class Parts(NamedTuple):
    """What stands between the lines of dashes, and how it stands in the file."""

    written: str
    above: int  # lines above it
    below: str  # the prompt; "" where the front matter has no end
    ended: bool = True


def parts(text: str) -> Parts | None:
    """What looks like a front matter, and what stands below it; None where a text does not begin so."""
    begin = _BEGIN.match(text)
    if begin is None:
        return None
    end = _END.search(text, begin.end())
    above = text.count("\n", 0, begin.end())
    if end is None:
        return Parts(text[begin.end() :], above, "", ended=False)
    return Parts(text[begin.end() : end.start()], above, text[end.end() :])


def parse(found: Parts, path: str, ours: Collection[str]) -> YamlDocument | None:
    """The front matter, with lines as in the file; None where it is none of ours, but part of a prompt.

    `ours`: the keys of ours. Raises DocumentError for one of ours that has no end, or is not valid YAML, or has
    a key that is none.
    """
    first = _FIRST_KEY.match(found.written)
    if not found.ended:
        if first and _meant(first[1], ours):
            raise DocumentError(path, found.above, "the front matter has no end: write a line `---` below it")
        return None
    written = plain_sentences(unicodedata.normalize("NFC", found.written))
    try:
        document = documents.parse("\n" * found.above + written, path)
    except DocumentError:
        if first and any(_meant(key, ours) for key in _KEY.findall(written)):
            raise
        return None
    keys = list(document.data) if isinstance(document.data, dict) else []
    known = sum(_meant(str(key), ours) for key in keys)
    # Prose has colons too: `You are Mira. Answer as:` is a key to YAML.
    if not known or (known == 1 and any(re.search(r"\s", str(key)) for key in keys)):
        return None
    for key in keys:
        if key not in ours:
            near = nearest(str(key), ours)
            fix = f"did you mean `{near}`?" if near else "`independence persona init FILE --from` it takes its prompt"
            raise document.error(f"$.{key}", f"unknown key `{key}`", fix)
    return document


def _meant(key: str, ours: Collection[str]) -> bool:
    return key in ours or key.casefold().startswith("commitment")


def plain_sentences(written: str) -> str:
    """YAML in which those texts are quoted that YAML would cut, refuse or take for something else.

    What it reads as it is written, and texts that are quoted or a block, stay. Lines stay where they are.

    plain_sentences("- I never use #love: it is cheap.")  # '- "I never use #love: it is cheap."'
    """
    return "\n".join(_quoted(written.split("\n")))


def _quoted(lines: list[str]) -> Iterator[str]:
    at = 0
    while at < len(lines):
        found, end = _TEXT.fullmatch(lines[at]), at + 1
        if found is None or not (found[3] or found[4]):
            yield lines[at]
            at = end
            continue
        before, indent, dash, key, text = found.groups()
        column = len(indent) + len(dash or "") * bool(key)
        while end < len(lines) and (not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > column):
            end += 1
        while not lines[end - 1].strip():
            end -= 1
        more = lines[at + 1 : end]
        misplaced = any((other := _OTHER_KEY.match(line)) and other[1] in TEXTS for line in more)
        other = None if key else _OTHER_KEY.match(text)
        if misplaced or (other and nearest(other[1], TEXTS)) or _read_as_written(key or "", [text, *more]):
            yield from lines[at:end]
        else:
            yield before + json.dumps(_said(key or "", [text, *more]), ensure_ascii=False)
            yield from [""] * len(more)
        at = end


def _said(key: str, lines: list[str]) -> str:
    """What the lines of a text say."""
    said = " ".join(line.strip() for line in lines if not _COMMENT.match(line) or line is lines[0])
    return re.split(r"\s#\s", said)[0].rstrip() if key in _LABELS else said


def _read_as_written(key: str, lines: list[str]) -> bool:
    """Whether YAML reads a text as a person means it."""
    try:
        value = yaml.safe_load("\n".join(lines))
    except (yaml.YAMLError, ValueError):
        return False
    if isinstance(value, dict):
        return lines[0].startswith("{") and value.keys() <= set(TEXTS)
    return isinstance(value, str) and (lines[0][0] in "\"'|>" or value.split() == _said(key, lines).split())
