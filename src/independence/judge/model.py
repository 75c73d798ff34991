"""The model judge: what it writes before it grades, step by step, and its verdict on a rendered rubric.

A step is a call of its own, and kept. Later prompts quote what it came to, so that the verdict may rest on it alone;
without it there is no verdict.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple

import msgspec

from independence.clients import protocol
from independence.clients.protocol import ChatClient
from independence.config.registry import Registry
from independence.config.subjects import SIM
from independence.errors import UsageError
from independence.judge import kinds, published_prompt, quotation
from independence.judge.kinds import CUES, HYBRID, OFFLINE, JudgeSources
from independence.judge.parse import ParsedVerdict, UnreadableNumber, parse, parse_number
from independence.judge.prompt import passages_with_double_quotes, render, visible
from independence.judge.protocol import FinishedDialogue, Judge
from independence.judge.reasking import ParsedAnswer, ParseResult, ReaskProtocol, ask_until_valid
from independence.judge.schema import check, json_schema
from independence.suites import digest
from independence.suites.schema import Field, Rubric
from independence.types import Answer, ChatRequest, Grade, Message, Missing, Reply, Sampling, Usage, Verdict

_TEMPERATURE = 0.0
_MISQUOTED = "`quote` is not word for word what the SUBJECT said, in whole words and at least three"


class ModelJudge(Judge, frozen=True, kw_only=True):
    """A model that is asked by the prompt of the rubric."""

    temperature: float | None = _TEMPERATURE  # None: its configuration says that the model takes none
    effort: str = "none"
    provider: str | None = None  # the only one that may answer
    extra_body: str | None = None  # what else its requests hold, as `Sampling` has it

    reads_rubric_steps: ClassVar[bool] = True

    @property
    def sampling(self) -> Sampling:
        """The settings its model is asked with."""
        return Sampling(self.temperature, self.effort, self.provider, extra_body=self.extra_body)

    @property
    def request_settings(self) -> dict[str, float | int | str | None]:
        """What its requests are sent with."""
        later = {"provider": self.provider, "extra_body": self.extra_body}
        later = {name: value for name, value in later.items() if value}
        return {"temperature": self.temperature, "max_tokens": self.max_tokens, "effort": self.effort, **later}

    @cached_property
    def settings(self) -> str:
        """Its name and what its requests are sent with."""
        return digest.canonical({"judge": self.name, **self.request_settings}).decode()

    async def grade(self, dialogue: FinishedDialogue, client: ChatClient | None = None) -> Grade:
        """Ask for the verdict by the rubric's prompt. Raises what `ChatClient.ask` raises."""
        assert client is not None
        rubric = dialogue.rubric
        if rubric.prompt_as:
            text = published_prompt.render(rubric.prompt, dialogue.variables, dialogue.turns)
            asker = msgspec.structs.replace(self, effort=published_prompt.EFFORT)
            return await grade(client, asker, text, rubric, dialogue.seed, with_schema=False)
        text = render(
            rubric.prompt,
            dialogue.variables,
            dialogue.turns,
            rubric.fields,
            dialogue.written,
            verdict=rubric.verdict,
            quote=rubric.quote or "",
        )
        quotable = list[str]()
        if rubric.quote:
            quotable += [visible(line.answer) for line in dialogue.turns if not line.scripted]
            quotable += map(visible, dialogue.written.values())
        return await grade(client, self, text, rubric, dialogue.seed, quotable=quotable)

    async def write_step(self, prompt: str, client: ChatClient, seed: int) -> Answer:
        """Ask for a step's text: a reply that is whole and not blank. Raises what `ChatClient.ask` raises."""
        request = ChatRequest(self.model, (Message("user", prompt),), self.max_tokens, self.sampling, seed=seed)
        answer = await client.ask(request)
        if isinstance(answer, Missing):
            return answer
        if not answer.text.strip():
            return Missing("no_answer", "blank", answer.raw, answer.attempts)
        if protocol.TRUNCATED in answer.flags:  # a part of a list would be graded as if it were the whole
            return Missing("no_answer", "cut off at its budget", answer.raw or answer.text, answer.attempts)
        return answer


def configure(name: str, sources: JudgeSources) -> ModelJudge:
    """A judge that is a model. Raises UsageError for a name that is none, or that no model can have."""
    judge = named(name, sources.registry)
    if judge.endpoint == SIM and sources.suite.judged_as_published:
        what = f"judge `{name}` reads prompts of this package alone, and suite {sources.suite.suite} has published ones"
        raise UsageError(what, f"name a model, or `{CUES}`, which reads no prompt")
    return judge


def named(name: str, known: Registry) -> ModelJudge:
    """A judge that is a model of a registry, by label or id. Raises UsageError like `configure`."""
    if not name:
        raise UsageError("--judge is empty:", f"name a model id, `{CUES}`, `{OFFLINE}` or `{HYBRID}:MODEL`")
    kind = kinds.of(name)
    if kind.human:
        raise kinds.graded_by_person(name)
    if kind is not kinds.MODEL:
        raise UsageError(f"judge `{name}` is no model", "a hybrid and an audit buy their verdicts from one")
    labelled = [subject for subject in known.subjects if subject.label == name]
    listed = labelled or [subject for subject in known.subjects if subject.model_id == name]
    subject = listed[0] if listed else known.default(name)
    return ModelJudge(
        subject.model_id,
        endpoint=subject.endpoint,
        model=subject.model,
        temperature=_TEMPERATURE if subject.temperature_supported else None,
        provider=subject.sampling.provider if labelled else None,
        extra_body=subject.sampling.extra_body,
    )


async def grade(
    client: ChatClient,
    judge: ModelJudge,
    prompt: str,
    rubric: Rubric,
    seed: int,
    quotable: Sequence[str] = (),
    *,
    with_schema: bool = True,
) -> Grade:
    """Ask for a verdict on a rendered rubric; at most two re-asks. Raises what `ChatClient.ask` raises.

    A verdict that is a `number` has one field, and is asked for without a JSON schema. One whose quotation is in none
    of the `quotable` texts is asked for once more, and then taken as it is.
    """
    verdict = rubric.verdict
    schema = json_schema(rubric.fields, rubric.quote or "") if with_schema and verdict == "object" else None
    reader = _VerdictReader(prompt, rubric, quotable)
    talk = ReaskProtocol(
        prompt, lambda said, own: _request(judge, said, schema, own), reader.read, lambda wrong: _again(wrong, verdict)
    )
    settled = await ask_until_valid(client, talk, seed)
    first = reader.misquoting
    if isinstance(settled, Missing) and first:  # the second question cost nothing but itself
        spent = sum((one.usage for one in settled.attempts), Usage())
        settled = ParsedAnswer(first.parsed, "", spent, settled.attempts)
    if isinstance(settled, Missing):
        return settled
    parsed, raw, usage, attempts = settled
    if first and first.parsed is parsed:
        raw = first.raw  # not that of the second answer
    if not rubric.quote:
        return Verdict(parsed.values, parsed.reasoning, raw, usage, attempts)
    there = not first or quotation.found(parsed.quote, quotable)
    return Verdict(parsed.values, parsed.reasoning, raw, usage, attempts, quote=parsed.quote, quote_found=there)


class _Misquoting(NamedTuple):
    parsed: ParsedVerdict
    raw: str


class _VerdictReader:
    """Reads the answers to one prompt, and remembers the first verdict whose quotation is nowhere."""

    def __init__(self, prompt: str, rubric: Rubric, quotable: Sequence[str]) -> None:
        self.misquoting: _Misquoting | None = None
        self._prompt, self._rubric, self._quotable = prompt, rubric, quotable

    def read(self, answer: Reply, raw: str) -> ParseResult[ParsedVerdict]:
        """What an answer comes to. A verdict that misquotes is taken where it is not the first of its prompt."""
        rubric, first = self._rubric, self.misquoting
        # Thoughts that were moved out of the text may hold numbers; a brace that was taken off may belong to an object.
        if rubric.verdict == "object":
            parsed = parse(raw, rubric.fields, passages_with_double_quotes(self._prompt))
        else:
            parsed = _number(answer, rubric.fields)
        if parsed.problems:
            return ParseResult(first.parsed if first else None, parsed.problems)
        if rubric.quote and not first and not quotation.found(parsed.quote, self._quotable):
            self.misquoting = _Misquoting(parsed, raw)
            return ParseResult(None, [_MISQUOTED])
        return ParseResult(parsed)


def _request(judge: ModelJudge, messages: tuple[Message, ...], schema: dict[str, Any] | None, seed: int) -> ChatRequest:
    return ChatRequest(
        judge.model,
        messages,
        judge.max_tokens,
        judge.sampling,
        schema=schema,
        seed=seed,
    )


def _number(reply: Reply, fields: Mapping[str, Field]) -> ParsedVerdict:
    """The value of the one field, read from the text alone."""
    ((name, field),) = fields.items()
    low, high = field.range or (0.0, 1.0)
    value = parse_number(reply.text, low, high)
    if isinstance(value, UnreadableNumber):
        return ParsedVerdict({}, "", [value.why])
    values, wrong = check({name: value}, fields)
    return ParsedVerdict(values, "", wrong)


def _again(problems: Sequence[str], verdict: Literal["object", "number"]) -> str:
    wanted = (
        "Send the whole JSON object again, with every field, and nothing else."
        if verdict == "object"
        else "Send the number alone and nothing else."
    )
    return f"That verdict cannot be used: {'; '.join(problems)}. {wanted}"
