"""Names by a model, read out of the answers of one run: the prompt, the call, and what its answer comes to."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from independence.clients.protocol import ChatClient
from independence.judge import prompt
from independence.judge.model import ModelJudge
from independence.judge.names import ExtractedNames, extracted, key, tidy
from independence.judge.parse import only_object
from independence.judge.reasking import ParseResult, ReaskProtocol, ask_until_valid
from independence.judge.schema import strict_object
from independence.suites import digest
from independence.suites.template import fill
from independence.types import ChatRequest, Missing, TakenName

_LONGEST_ANSWER = 12_000  # characters of one answer; a longer one has run away
_CUT = "\n[the rest is left out]"
_LONGEST = 60  # characters of a name


@cache
def _prompt() -> str:
    """What an extractor is told. `answers` holds the fenced answers, `scenarios` their ids."""
    return Path(__file__).with_name("names.md").read_text("utf-8")


def source(extractor: str, answers: Iterable[tuple[str, str]]) -> str:
    """Digest of what an extraction rests on: the answers, as (scenario, digest of it), and the prompt.

    An extraction stored under another digest is stale: an answer was replaced or added since, or the prompt is another.
    """
    return digest.sha256({"extractor": extractor, "answers": sorted(answers), "prompt": digest.sha256(_prompt())})


async def extract(
    client: ChatClient, extractor: ModelJudge, answers: Mapping[str, str], seed: int
) -> ExtractedNames | Missing:
    """The names of one run, of which these are the answers by scenario; one call, and at most two more.

    Raises what `ChatClient.ask` raises.
    """
    text = render(answers)
    talk = ReaskProtocol(
        text,
        lambda messages, own: ChatRequest(
            extractor.model, messages, extractor.max_tokens, extractor.sampling, schema=_schema(list(answers)), seed=own
        ),
        lambda _, raw: parse(raw, answers),
        lambda problems: (
            f"That list cannot be used: {'; '.join(problems)}. Send the whole JSON object again, with all "
            "three keys, and nothing else."
        ),
    )
    settled = await ask_until_valid(client, talk, seed)
    if isinstance(settled, Missing):
        return settled
    reading, raw, usage, attempts = settled
    return msgspec.structs.replace(reading, raw=raw, usage=usage, attempts=attempts)


def _schema(scenarios: Sequence[str]) -> dict[str, Any]:
    places = {"type": "array", "items": {"type": "string", "enum": list(scenarios)}}
    name = strict_object({"name": {"type": "string"}, "sources": places})
    primary = {"type": ["string", "null"]}
    return strict_object({"names": {"type": "array", "items": name}, "declined": places, "primary": primary})


def render(answers: Mapping[str, str]) -> str:
    """The prompt for one run. The same answers give the same bytes."""
    nonce = prompt.nonce_of(_prompt(), (), answers)
    blocks = [prompt.notice(nonce)]
    for scenario, text in answers.items():
        shown = text if len(text) <= _LONGEST_ANSWER else text[:_LONGEST_ANSWER] + _CUT
        blocks.append(f"Conversation `{scenario}`.\n{prompt.fenced('SUBJECT, exchange 1', shown, nonce)}")
    return fill(_prompt(), {"answers": "\n\n".join(blocks), "scenarios": ", ".join(f"`{name}`" for name in answers)})


class _ExtractorOutput(msgspec.Struct):
    names: tuple[TakenName, ...]
    declined: tuple[str, ...]
    primary: str | None = None


def parse(text: str, answers: Mapping[str, str]) -> ParseResult[ExtractedNames]:
    """Read what an extractor wrote about answers. Every name must stand in the answers it is said to come from."""
    data = only_object(text, list(answers.values()))
    if data is None:
        return ParseResult(None, ("no JSON object found, or several that differ, or one that is cut off or broken",))
    try:
        output = msgspec.convert(data, _ExtractorOutput)
    except msgspec.ValidationError as error:
        return ParseResult(None, (str(error),))
    if problems := _problems(output, answers):
        return ParseResult(None, problems)
    found = extracted(output.names, output.declined, None)
    own = key(output.primary) if output.primary else None
    primary = next((named.name for named in found.names if key(named.name) == own), None)
    return ParseResult(msgspec.structs.replace(found, primary=primary))


def _problems(output: _ExtractorOutput, answers: Mapping[str, str]) -> list[str]:
    known = {scenario: key(re.sub(r"[*_`]", "", text)) for scenario, text in answers.items()}
    named = [place for entry in output.names for place in entry.sources] + list(output.declined)
    strange = [place for place in dict.fromkeys(named) if place not in known]
    out = [f"`{place}` is not one of the conversations ({', '.join(known)})" for place in strange]
    for entry in output.names:
        clean = tidy(entry.name)
        if len(clean) > _LONGEST or not any(unicodedata.category(sign)[0] == "L" for sign in clean):
            out.append(f"`{entry.name[:_LONGEST]}` is no name")
        elif not entry.sources:
            out.append(f"`{entry.name}` has no `sources`")
        else:
            absent = [place for place in entry.sources if key(entry.name) not in known.get(place, key(entry.name))]
            out += [f"`{entry.name}` does not stand in `{place}`" for place in absent]
    return out + [f"`{place}` is in no `sources` and not in `declined`" for place in known if place not in named]
