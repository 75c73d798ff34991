"""What a prompt says of its character, by a model: the prompt, the call, and what its answer comes to.

Beside each sentence the model copies the passage of the prompt that says so, and code looks for it there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from independence.clients.protocol import ChatClient
from independence.judge import prompt as prompts
from independence.judge import quotation
from independence.judge.model import ModelJudge
from independence.judge.names import key, tidy
from independence.judge.parse import last_object, without_copies
from independence.judge.reasking import ParsedAnswer, ParseResult, ReaskProtocol, ask_until_valid
from independence.judge.schema import strict_object
from independence.suites.persona_file import FEWEST, MOST, sentence_fault
from independence.suites.template import fill, slots
from independence.types import ChatRequest, Missing

MAX_TOKENS: Final = 2_048  # of an answer
TYPICAL_TOKENS: Final = 500
_SEED: Final = 7
_LONGEST_NAME: Final = 60  # characters, of a role too
_LONGEST_GRANT: Final = 80
_SHOWN: Final = 60  # characters of a sentence in a complaint
_FIRST_PERSON = re.compile(r"\bI\b|\b(?:my|me|mine|myself)\b")
_NEXT_SENTENCE = re.compile(r"(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bDr)[.!?…][\"”’')]*\s+[\"“‘'(]*[A-Z]|\?[\"”’')]*$")


class DrawnSentence(NamedTuple):
    """What a character holds to, or may grant, and the passage of its prompt that says so."""

    sentence: str
    passage: str


class DrawnPersona(NamedTuple):
    """What a prompt says of its character; empty where it says nothing."""

    name: str
    role: str
    commitments: tuple[DrawnSentence, ...]
    may: tuple[DrawnSentence, ...]
    problems: tuple[str, ...] = ()  # with what the model said, which is left out where it cannot be used


class _Pair(msgspec.Struct):
    passage: str
    sentence: str


class _Output(msgspec.Struct):
    commitments: tuple[_Pair, ...]
    may: tuple[_Pair, ...] = ()
    name: str | None = None
    role: str | None = None


@cache
def _prompt() -> str:
    """What the model is told. `prompt` is the fenced prompt of the character."""
    return Path(__file__).with_name("persona.md").read_text("utf-8")


def render(text: str) -> str:
    """The prompt about a prompt. The same one gives the same bytes."""
    nonce = prompts.nonce_of(_prompt(), (), {"prompt": text})
    return fill(_prompt(), {"prompt": f"{prompts.notice(nonce)}\n\n{prompts.fenced('PROMPT', text, nonce)}"})


async def extract(client: ChatClient, reader: ModelJudge, text: str) -> ParsedAnswer[DrawnPersona] | Missing:
    """What a prompt says of its character. What has a fault is asked for once more, and then left out.

    Raises what `ChatClient.ask` raises.
    """
    rendered, faulty = render(text), list[DrawnPersona]()

    def read(raw: str) -> ParseResult[DrawnPersona]:
        found, problems = parse(without_copies(raw, prompts.passages(rendered)), text)
        if found is None:
            return ParseResult(faulty[0] if faulty else None, problems)
        if found.problems and not faulty:
            faulty.append(found)
            return ParseResult(None, found.problems)
        return ParseResult(max([found, *faulty], key=lambda one: len(one.commitments)))

    talk = ReaskProtocol(
        rendered,
        lambda messages, seed: ChatRequest(
            reader.model, messages, reader.max_tokens, reader.sampling, schema=_schema(), seed=seed
        ),
        lambda _, raw: read(raw),
        lambda problems: (
            f"That cannot be used as it is: {'; '.join(problems)}. Send the whole JSON object again, with all four "
            "keys, and nothing else. Leave out what the prompt does not say."
        ),
    )
    return await ask_until_valid(client, talk, _SEED)


def _schema() -> dict[str, Any]:
    text, pair = {"type": ["string", "null"]}, {"passage": {"type": "string"}, "sentence": {"type": "string"}}
    pairs = {"type": "array", "items": strict_object(pair)}
    return strict_object({"name": text, "role": text, "commitments": pairs, "may": pairs})


def parse(text: str, prompt: str) -> ParseResult[DrawnPersona]:
    """Read what a model wrote about a prompt; what has a fault is left out, and named in `problems`."""
    data = last_object(text)
    if data is None:
        return ParseResult(None, ("no JSON object found, or the last one is cut off or broken",))
    try:
        output = msgspec.convert(data, _Output)
    except msgspec.ValidationError as error:
        return ParseResult(None, (str(error),))
    name, role = (tidy(prompts.visible(one or "")) for one in (output.name, output.role))
    problems = list[str]()
    if name and (len(name) > _LONGEST_NAME or key(name) not in key(prompt)):
        problems.append(f"the name `{name[:_SHOWN]}` is not in the prompt")
        name = ""
    if len(role) > _LONGEST_NAME or slots(role):
        problems.append(f"the role `{role[:_SHOWN]}…` is not a few words")
        role = ""
    commitments = _sound(output.commitments, prompt, _commitment_fault, problems)
    may = _sound(output.may, prompt, _grant_fault, problems)
    if not FEWEST <= (count := len(output.commitments)) <= MOST:
        problems.append(f"the commitments are {count}, and {FEWEST} to {MOST} are wanted")
    return ParseResult(DrawnPersona(name, role, commitments[:MOST], may, tuple(problems)))


def _sound(
    pairs: Iterable[_Pair], prompt: str, fault_of: Callable[[str], str], problems: list[str]
) -> tuple[DrawnSentence, ...]:
    """Those without a fault; the faults are added to `problems`."""
    found = dict[str, DrawnSentence]()
    for pair in pairs:
        said, passage = (" ".join(prompts.visible(one).split()) for one in (pair.sentence, pair.passage))
        fault = "" if quotation.found(passage, [prompt]) else "its passage is not word for word in the prompt"
        if fault := fault_of(said) or fault:
            problems.append(f"`{said[:_SHOWN]}{'…' * (len(said) > _SHOWN)}`: {fault}")
        else:
            found.setdefault(said.casefold(), DrawnSentence(said, passage))
    return tuple(found.values())


def _commitment_fault(said: str) -> str:
    if not _FIRST_PERSON.search(said):
        return "it is not in the first person"
    return "it is not one plain sentence" if _NEXT_SENTENCE.search(said) else sentence_fault(said)


def _grant_fault(said: str) -> str:
    return "" if said and len(said) <= _LONGEST_GRANT and not slots(said) else "it is not a few words"
