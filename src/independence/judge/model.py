"""The model judge: what it writes before it grades, step by step, and its verdict on a rendered rubric.

A step is a call of its own, and kept. Later prompts quote what it came to, so that the verdict may rest on it alone;
without it there is no verdict.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import ClassVar, Self

import msgspec

from independence.clients import protocol
from independence.clients.protocol import ChatClient, GaveUp, Parked
from independence.config.subjects import PYTHON, SIM, Subject
from independence.errors import IndependenceError, UsageError
from independence.judge import prompt as prompts
from independence.judge import quotation
from independence.judge.kinds import CUES, JudgeSources
from independence.judge.parse import ParsedVerdict, UnreadableNumber, parse, parse_number
from independence.judge.protocol import MOST_TOKENS, FinishedDialogue, Judge
from independence.judge.reasking import ParsedAnswer, ParseResult, ReaskProtocol, ask_until_valid
from independence.judge.schema import KEY, check, json_schema
from independence.suites import digest
from independence.suites.schema import Field, Rubric
from independence.types import Answer, ChatRequest, Grade, Message, Missing, Reply, Sampling, Usage, Verdict

_TEMPERATURE = 0.0
_WANTED = {
    "object": "Send the whole JSON object again, with every field, and nothing else.",
    "number": "Send the number alone and nothing else.",
}
CONFIRMED = "confirmed"  # the field of a second reading
_CONFIRMING = Field(type="boolean", about="true if the passage, read for itself, shows this; false if it does not")
_MISQUOTED = "`quote` is not word for word what the SUBJECT said, in whole words and at least three"


class ModelJudge(Judge, frozen=True, kw_only=True):
    """A model that is asked by the prompt of the rubric."""

    temperature: float | None = _TEMPERATURE  # None: its configuration says that the model takes none
    effort: str = "none"
    provider: str | None = None  # the only one that may answer
    extra_body: str | None = None  # what else its requests hold, as `Sampling` has it

    reads_rubric_steps: ClassVar[bool] = True

    @classmethod
    def of(cls, subject: Subject, pin: str | None, weights: str | None) -> Self:
        """The model of a configuration as judge; with other weights it is another one."""
        return cls(
            f"{subject.model_id}+{weights}" if weights else subject.model_id,
            endpoint=subject.endpoint,
            model=subject.model,
            temperature=_TEMPERATURE if subject.temperature_supported else None,
            provider=pin,
            max_tokens=subject.sampling.max_tokens or MOST_TOKENS,
            extra_body=subject.sampling.extra_body,
        )

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
        said = [prompts.visible(line.answer) for line in dialogue.turns if not line.scripted]
        said += map(prompts.visible, dialogue.written.values())
        if rubric.prompt_as:
            text = prompts.render_published(rubric.prompt, dialogue.variables, dialogue.turns)
            asker = msgspec.structs.replace(self, effort=prompts.PUBLISHED_EFFORT)
            return await grade(client, asker, text, rubric, dialogue.seed, said, with_schema=False)
        text = prompts.render(
            rubric.prompt,
            dialogue.variables,
            dialogue.turns,
            rubric.fields,
            dialogue.written,
            verdict=rubric.verdict,
            quote=rubric.quote or "",
        )
        given = await grade(client, self, text, rubric, dialogue.seed, said)
        return given if isinstance(given, Missing) else await self._confirmed(given, dialogue, said, client)

    async def _confirmed(
        self, given: Verdict, dialogue: FinishedDialogue, said: Sequence[str], client: ChatClient
    ) -> Grade:
        """A verdict, and what a second reading, of less than the whole dialogue, does not confirm in it taken back."""
        for name, field in dialogue.rubric.fields.items():
            if not (field.confirmed and dialogue.rubric.confirm and given.values[name]):
                continue
            if field.confirmed == "quote" and not given.quote_found:
                what = f"`{name}` rests on a quotation that is in no answer"
                return Missing("unreadable_verdict", what, given.raw, given.attempts)
            passage = (given.quote or "") if field.confirmed == "quote" else "\n\n".join(said)
            rubric = Rubric(prompt=dialogue.rubric.confirm, fields={CONFIRMED: _CONFIRMING})
            text = prompts.render_passage(
                rubric.prompt, {**dialogue.variables, "claim": field.about}, passage, rubric.fields
            )
            try:
                second = await grade(client, self, text, rubric, dialogue.seed)
            except (Parked, GaveUp, IndependenceError) as stop:
                stop.attempts = given.attempts + stop.attempts
                raise
            if isinstance(second, Missing):
                return msgspec.structs.replace(second, attempts=given.attempts + second.attempts)
            given = msgspec.structs.replace(
                given,
                values=given.values | {name: second.values[CONFIRMED]},
                reasoning=f"{given.reasoning}\n\nSecond reading of `{name}`: {second.reasoning}",
                raw=f"{given.raw}\n\n{second.raw}",
                usage=given.usage + second.usage,
                attempts=given.attempts + second.attempts,
            )
        return given

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


def asked(judge: Judge) -> ModelJudge | None:
    """The model that gives a judge's verdicts; None where it is none, a simulated one or a function."""
    return judge if isinstance(judge, ModelJudge) and judge.endpoint not in (SIM, PYTHON) else None


def configure(name: str, sources: JudgeSources) -> Judge:
    """A judge that is a model. Raises UsageError for a name that is none, or that no model can have."""
    judge = sources.model(name)
    if judge.endpoint == SIM and sources.suite.judged_as_published:
        what = f"judge `{name}` reads prompts of this package alone, and suite {sources.suite.suite} has published ones"
        raise UsageError(what, f"name a model, or `{CUES}`, which reads no prompt")
    return judge


async def grade(
    client: ChatClient,
    judge: ModelJudge,
    prompt: str,
    rubric: Rubric,
    seed: int,
    said: Sequence[str] = (),
    *,
    with_schema: bool = True,
) -> Grade:
    """Ask for a verdict on a rendered rubric; at most two re-asks. Raises what `ChatClient.ask` raises.

    A verdict that is a `number` has one field, and is asked for without a JSON schema. One whose quotation is in none
    of the texts that were `said` is asked for once more, and then taken as it is. Where an object may come from one of
    them, the next has to carry a key that none of them can hold: a digest of the prompt and of the judge's own words.
    """
    with_schema, key = with_schema and rubric.verdict == "object", ""
    misquoting: list[tuple[ParsedVerdict, str]] = []  # the first verdict whose quotation is nowhere, and its text

    def request(messages: tuple[Message, ...], own: int) -> ChatRequest:
        schema = json_schema(rubric.fields, rubric.quote or "", key) if with_schema else None
        return ChatRequest(judge.model, messages, judge.max_tokens, judge.sampling, schema=schema, seed=own)

    def read(answer: Reply, raw: str) -> ParseResult[ParsedVerdict]:
        nonlocal key
        parsed = _read(answer, raw, rubric, said, key)
        key = key or (digest.sha256({"prompt": prompt, "written": raw})[:12] if parsed.whose else "")
        if parsed.problems:
            return ParseResult(misquoting[0][0] if misquoting else None, parsed.problems)
        if rubric.quote and not misquoting and not quotation.found(parsed.quote, said):
            misquoting.append((parsed, raw))
            return ParseResult(None, [_MISQUOTED])
        return ParseResult(parsed)

    def complaint(problems: Sequence[str]) -> str:
        keyed = f' Begin it with "{KEY}": "{key}", which tells it from any other object.' if key else ""
        return f"That verdict cannot be used: {'; '.join(problems)}. {_WANTED[rubric.verdict]}{keyed}"

    settled = await ask_until_valid(client, ReaskProtocol(prompt, request, read, complaint), seed)
    if isinstance(settled, Missing) and misquoting:  # the second question cost nothing but itself
        spent = sum((one.usage for one in settled.attempts), Usage())
        settled = ParsedAnswer(misquoting[0][0], "", spent, settled.attempts)
    if isinstance(settled, Missing):
        return settled
    parsed, raw, usage, attempts = settled
    if misquoting and misquoting[0][0] is parsed:
        raw = misquoting[0][1]  # not that of the second answer
    if not rubric.quote:
        return Verdict(parsed.values, parsed.reasoning, raw, usage, attempts)
    there = not misquoting or quotation.found(parsed.quote, said)
    return Verdict(parsed.values, parsed.reasoning, raw, usage, attempts, quote=parsed.quote, quote_found=there)


def _read(reply: Reply, raw: str, rubric: Rubric, said: Sequence[str], key: str) -> ParsedVerdict:
    # Thoughts that were moved out of the text may hold numbers; a brace that was taken off may belong to an object.
    return parse(raw, rubric.fields, said, key) if rubric.verdict == "object" else _number(reply, rubric.fields)


def _number(reply: Reply, fields: Mapping[str, Field]) -> ParsedVerdict:
    """The value of the one field, read from the text alone."""
    ((name, field),) = fields.items()
    low, high = field.range or (0.0, 1.0)
    value = parse_number(reply.text, low, high)
    if isinstance(value, UnreadableNumber):
        return ParsedVerdict({}, "", [value.why])
    values, wrong = check({name: value}, fields)
    return ParsedVerdict(values, "", wrong)
