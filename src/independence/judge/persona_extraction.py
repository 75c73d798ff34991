"""What a prompt says of its character, by a model: the prompt, the call, and what its answer comes to.

Beside each sentence the model copies the passage of the prompt that says so, and code looks for it there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec

from independence.clients.protocol import ChatClient
from independence.judge import prompt as prompts
from independence.judge import quotation
from independence.judge.model import ModelJudge
from independence.judge.names import key, tidy
from independence.judge.parse import only_object
from independence.judge.reasking import ParsedAnswer, ParseResult, ReaskProtocol, ask_until_valid
from independence.judge.schema import strict_object
from independence.suites.persona_file import FEWEST, MOST, ORDINARY, TEMPTS, Commitment, sentence_fault
from independence.suites.template import fill, slots
from independence.types import ChatRequest, Missing, Reply

MAX_TOKENS: Final = 2_048  # of an answer
_SEED: Final = 7
_LONGEST: Final = 60  # characters of a name, a role, and a sentence that is complained of
_LONGEST_GRANT: Final = 120
_FIRST_PERSON = re.compile(r"\bI\b|\b(?:my|me|mine|myself)\b")
_NEXT_SENTENCE = re.compile(r"(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bDr)[.!?…][\"”’')]*\s+[\"“‘'(]*[A-Z]|\?[\"”’')]*$")


class DrawnSentence(msgspec.Struct, frozen=True):
    """What a character holds to, or may grant, and the passage of its prompt that says so."""

    passage: str
    sentence: str
    gives_up: str = ""  # of a commitment: what going against it looks like
    tempts: tuple[str, ...] = ()  # of a commitment: requests for just that

    @property
    def commitment(self) -> str | Commitment:
        """As a persona file has it."""
        if not (self.gives_up or self.tempts):
            return self.sentence
        return Commitment(keeps=self.sentence, gives_up=self.gives_up, tempts=self.tempts)


class DrawnPersona(msgspec.Struct, frozen=True, kw_only=True):
    """What a prompt says of its character."""

    commitments: tuple[DrawnSentence, ...]
    may: tuple[DrawnSentence, ...] = ()
    ordinary: tuple[str, ...] = ()  # requests of its everyday work
    name: str | None = None
    role: str | None = None
    problems: tuple[str, ...] = ()  # with what the model said, which is left out where it cannot be used


def render(text: str) -> str:
    """The prompt about a prompt. The same one gives the same bytes."""
    template = Path(__file__).with_name("persona.md").read_text("utf-8")
    nonce = prompts.nonce_of(template, (), {"prompt": text})
    return fill(template, {"prompt": f"{prompts.notice(nonce)}\n\n{prompts.fenced('PROMPT', text, nonce)}"})


async def extract(client: ChatClient, reader: ModelJudge, text: str) -> ParsedAnswer[DrawnPersona] | Missing:
    """What a prompt says of its character. What has a fault is asked for once more, and then left out.

    Raises what `ChatClient.ask` raises.
    """
    rendered, faulty = render(text), list[DrawnPersona]()

    def read(_: Reply, raw: str) -> ParseResult[DrawnPersona]:
        found, problems = parse(raw, text)
        if found and problems and not faulty:
            faulty.append(found)
            return ParseResult(None, problems)
        every = filter(None, (found, *faulty))
        return ParseResult(max(every, key=lambda one: len(one.commitments), default=None), problems)

    text_, told = {"type": "string"}, {"type": ["string", "null"]}
    texts = {"type": "array", "items": text_}
    pair = {"passage": text_, "sentence": text_}
    kept = strict_object({**pair, "gives_up": text_, "tempts": texts})
    schema = strict_object({
        "name": told, "role": told, "commitments": {"type": "array", "items": kept},
        "may": {"type": "array", "items": strict_object(pair)}, "ordinary": texts,
    })  # fmt: skip
    talk = ReaskProtocol(
        rendered,
        lambda messages, seed: ChatRequest(
            reader.model, messages, reader.max_tokens, reader.sampling, schema=schema, seed=seed
        ),
        read,
        lambda problems: (
            f"That cannot be used as it is: {'; '.join(problems)}. Send the whole JSON object again, with all five "
            "keys, and nothing else. Leave out what the prompt does not say."
        ),
    )
    return await ask_until_valid(client, talk, _SEED)


def parse(text: str, prompt: str) -> ParseResult[DrawnPersona]:
    """Read what a model wrote about a prompt; what has a fault is left out, and named in `problems`."""
    data = only_object(text, [prompt])
    try:
        output = msgspec.convert(data, DrawnPersona)
    except msgspec.ValidationError as error:
        return ParseResult(
            None, (str(error) if data else "no JSON object found, or several that differ, or one that is broken",)
        )
    problems = list[str]()
    if not FEWEST <= (count := len(output.commitments)) <= MOST:
        problems.append(f"the commitments are {count}, and {FEWEST} to {MOST} are wanted")
    name, role = (tidy(_visible(one or "")) for one in (output.name, output.role))
    found = DrawnPersona(
        commitments=_sound(output.commitments, prompt, problems, grants=False)[:MOST],
        may=_sound(output.may, prompt, problems, grants=True),
        ordinary=_requests("the everyday requests", output.ordinary, ORDINARY, problems),
        name=name if len(name) <= _LONGEST and key(name) in key(prompt) else "",
        role=role if len(role) <= _LONGEST and not slots(role) else "",
        problems=tuple(problems),
    )
    return ParseResult(found, problems)


def _sound(
    pairs: Iterable[DrawnSentence], prompt: str, problems: list[str], *, grants: bool
) -> tuple[DrawnSentence, ...]:
    """Those without a fault, each once; the faults are added to `problems`."""
    found = dict[str, DrawnSentence]()
    for pair in pairs:
        said, passage = (" ".join(_visible(one).split()) for one in (pair.sentence, pair.passage))
        if fault := _fault(said, passage, prompt, grants=grants):
            problems.append(f"`{said[:_LONGEST]}{'…' * (len(said) > _LONGEST)}`: {fault}")
        else:
            tempts = () if grants else _requests(f"the requests for `{said[:_LONGEST]}`", pair.tempts, TEMPTS, problems)
            gives_up = " ".join(_visible(pair.gives_up).split())[: 2 * _LONGEST_GRANT]
            found.setdefault(said.casefold(), DrawnSentence(passage, said, gives_up, tempts))
    return tuple(found.values())


def _requests(what: str, texts: Iterable[str], counts: tuple[int, int], problems: list[str]) -> tuple[str, ...]:
    """Requests without a fault; where they are too few none, and `problems` says so."""
    least, most = counts
    found = tuple(dict.fromkeys(said for one in texts if (said := " ".join(_visible(one).split())) and not slots(said)))
    if len(found) < least:
        problems.append(f"{what} are {len(found)}, and {least} to {most} different ones are wanted")
    return found[:most] if len(found) >= least else ()


def _visible(text: str) -> str:
    """What a person sees; lone surrogates, which JSON may hold, no file may."""
    return prompts.visible(text).encode(errors="ignore").decode()


def _fault(said: str, passage: str, prompt: str, *, grants: bool) -> str:
    if not quotation.found(passage, [prompt]):
        return "its passage is not word for word in the prompt"
    if grants:
        return "" if 0 < len(said) <= _LONGEST_GRANT and not slots(said) else "it is not a few words"
    if not _FIRST_PERSON.search(said):
        return "it is not in the first person"
    return "it is not one plain sentence" if _NEXT_SENTENCE.search(said) else sentence_fault(said)
