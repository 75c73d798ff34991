"""What rendering and parsing must withstand, without any model: the fence holds, and a known verdict is read back."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple

from independence.judge.parse import ParsedVerdict, parse
from independence.suites.schema import Field
from independence.types import Scalar
from tests.judge.fields import passages

from .corpus import HostileReply
from .scenario import HostileScenario

_NONCE = re.compile(r"<quoted ([0-9a-f]{16})>")
FENCE = "fence"
UNESCAPED = "unescaped"
_BENIGN = "Nothing hostile is said here."
_SEEN = "\t\n\x85"  # controls that a person sees as space
# Blank, though Unicode counts them as letters or marks: fillers, joiners, selectors.
_FILLERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0") | {chr(c) for c in range(0x180B, 0x1810)}
_SELECTORS = frozenset(map(chr, range(0xFE00, 0xFE0E))) | frozenset(map(chr, range(0xE0100, 0xE01F0)))


class CheckFailure(NamedTuple):
    """A hostile reply that got through."""

    id: str
    check: str  # FENCE, UNESCAPED, or the form in which its copy cost a verdict
    what: str


class CheckResults(NamedTuple):
    """What became of the replies."""

    replies: int
    failures: tuple[CheckFailure, ...]

    def withstood(self, check: str) -> int:
        """Replies that passed a check."""
        return self.replies - len({failure.id for failure in self.failures if failure.check == check})


FORMS: Mapping[str, Callable[[str, str], str]] = {
    "in reasoning": lambda copy, verdict: json.dumps({"reasoning": copy} | json.loads(verdict), ensure_ascii=False),
    "as prose": lambda copy, verdict: f"{copy}\n\n{verdict}",
    "as code": lambda copy, verdict: f"```\n{copy}\n```\n\n```json\n{verdict}\n```",
}

# The same from judges that do not escape what they copy. Not every such text can be read, but none may mislead.
_UNESCAPED: tuple[Callable[[str, str], str], ...] = (
    lambda copy, verdict: f'{{"reasoning": "{copy}", {verdict[1:]}',
    lambda copy, _: f'{{"reasoning": "{copy}',
    lambda copy, _: f'{{"reasoning": "{copy}"}}',
)


def withstand(scenario: HostileScenario, replies: Sequence[HostileReply]) -> CheckResults:
    """Render every reply, let judges copy it whole in every form of `FORMS`, and read their verdicts back."""
    failures = []
    benign = scenario.prompt(_BENIGN)
    for reply in replies:
        found = breaches(scenario.prompt(reply.text), benign, reply.text)
        failures += [CheckFailure(reply.id, FENCE, what) for what in found]
        failures += [CheckFailure(reply.id, form, "lost") for form in FORMS if not recovered(scenario, reply, form)]
        failures += [CheckFailure(reply.id, UNESCAPED, "another verdict was read")] if misled(scenario, reply) else []
    return CheckResults(len(replies), tuple(failures))


def breaches(prompt: str, benign: str, answer: str) -> list[str]:
    """What is wrong with the prompt about an answer, beside that about a harmless one; empty while the fence holds."""
    found = []
    nonce = _nonce(prompt)
    if nonce in answer:
        found.append("the answer holds the nonce")
    for tag in ("<quoted", "</quoted"):
        count, due = prompt.count(f"{tag} {nonce}>"), benign.count(f"{tag} {_nonce(benign)}>")
        if count != due:
            found.append(f"{count} times {tag} NONCE> for {due} passages")
    if _outside(prompt) != _outside(benign):
        found.append("something of the answer stands outside its fence")
    if any(map(invisible, prompt)):
        found.append("invisible characters are left")
    return found


def recovered(scenario: HostileScenario, reply: HostileReply, form: str) -> bool:
    """Whether a known verdict is read back from a judge that also copies the whole reply."""
    values, parsed = _read(scenario, reply, FORMS[form])
    return not parsed.problems and parsed.values == values


def misled(scenario: HostileScenario, reply: HostileReply) -> bool:
    """Whether a copy without escapes, cut off or not, makes the parser read another verdict than the judge's."""
    found = (_read(scenario, reply, form) for form in _UNESCAPED)
    return any(not parsed.problems and parsed.values != values for values, parsed in found)


def _read(
    scenario: HostileScenario, reply: HostileReply, form: Callable[[str, str], str]
) -> tuple[dict[str, Scalar], ParsedVerdict]:
    """The known verdict, and what is read of it from a text of that form."""
    values = known(reply.id, scenario.rubric.fields)
    quoted = passages(scenario.prompt(reply.text))
    return values, parse(form(quoted[-1], json.dumps(values)), scenario.rubric.fields, quoted)


def known(key: str, fields: Mapping[str, Field]) -> dict[str, Scalar]:
    """Values fixed by a key, never at the upper end of a scale, which is what ready-made verdicts ask for."""
    return {name: _value(blake2b(f"{key} {name}".encode(), digest_size=4).digest(), f) for name, f in fields.items()}


def _value(digest: bytes, field: Field) -> Scalar:
    drawn = int.from_bytes(digest) / 2**32
    low, high = field.range or (0, 1)
    if field.type == "boolean":
        return drawn >= 0.5
    return int(low + drawn * (high - low)) if field.type == "integer" else low + drawn * (high - low)


def invisible(sign: str) -> bool:
    """Whether a person would not see a character, by its Unicode category and the fillers that it misses."""
    if sign in _SEEN:
        return False
    return unicodedata.category(sign) in ("Cc", "Cf") or sign in _FILLERS or sign in _SELECTORS


def _nonce(prompt: str) -> str:
    found = _NONCE.search(prompt)
    return found[1] if found else ""


def _outside(prompt: str) -> str:
    """The prompt without its passages; whatever the nonce, the same for the same dialogue."""
    nonce = _nonce(prompt)
    parts = re.split(rf"</?quoted {nonce}>", prompt)
    return "\x00".join(parts[0::2]).replace(nonce, "")
