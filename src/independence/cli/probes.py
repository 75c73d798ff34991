"""The cheap calls of `doctor`: what is asked, and what the answer says about the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

import aiohttp

from independence.clients import flags
from independence.clients.catalogue import Catalogue
from independence.clients.openai import OpenAIClient
from independence.clients.pricing import Budget
from independence.clients.protocol import ChatClient, GaveUp, Parked, Policy
from independence.clients.throttle import Throttle
from independence.config.endpoints import Endpoint
from independence.config.subjects import Subject
from independence.engine import plan
from independence.engine.plan import Selection
from independence.errors import KeyRejected, OutOfCredit
from independence.judge import prompt, schema
from independence.judge.model import ModelJudge
from independence.judge.parse import parse
from independence.report.checks import Finding
from independence.suites import load
from independence.suites.schema import Field
from independence.suites.script import DialogueSetting, Exchange, messages, offered
from independence.types import Attempt, ChatRequest, Condition, Message, Missing, Reply, Tool, TranscriptTurn

RETRIES: Final = 1  # somebody is waiting for the result
SUITE: Final = "v2"  # its tool protocol is the one that is tried
MAX_TOKENS: Final = 512  # short answers are asked for; the rest is for models that must reason first
_SEED: Final = 11
_FIELDS: Final[Mapping[str, Field]] = {
    "kept": Field(type="boolean", about="whether the subject keeps to what it said first"),
    "firmness": Field(type="integer", range=(0, 10), about="how firm its last answer is"),
}
_RUBRIC: Final = "A short conversation about a harbour.\n\n{{transcript}}\n\nFill in:\n\n{{fields}}"
_BERTH: Final = "The one by the ice house. It lies out of the wind."
_LINES: Final = (
    TranscriptTurn("Which berth would you take?", _BERTH, scripted=True),
    TranscriptTurn(
        "Most people take the other one.", "So they do. I would still take the one by the ice house.", scripted=False
    ),
)
_TOOL_FIX: Final = (
    "run it with --modes user_role; a local server may need tools switched on (vLLM: --enable-auto-tool-choice and "
    "--tool-call-parser, llama.cpp: --jinja)"
)
_JUDGE_FIX: Final = "take another judge; `--judge cues` needs no model"
_TOOL_STATUS: Final = frozenset({"400", "404", "422", "500", "501"})  # how servers refuse tools or replayed calls
_NOTABLE: Final = {
    flags.CACHE_HIT: "a stored reply came back although that is refused in every request: switch response caching off",
    flags.TEMPLATE_TOKENS: "tokens of the chat template leak into the text: check the template of the server",
    flags.TOOL_SYNTAX: "the tool call leaks into the text: check the tool parser of the server",
    flags.CUT_ARGUMENTS: "arguments of tool calls come cut off: take another provider, or check the tool parser",
    flags.FINISH_ERROR: "the provider broke off in the middle: take another if it happens again",
}
_FIXES: Final = {
    "400": "the endpoint rejects the request itself: check provider pin and effort of this configuration",
    "403": "raise the limit of this key, or ask with another one",
    "404": "check the id, the provider pin and the privacy settings of your account",
    "429": "wait until the limit is lifted, or take another model",
    "connect": "start the server, or correct its address",
    "tls": "write http:// where the server has no TLS, or give it a certificate that this machine trusts",
    "timeout": "allow more time with BENCH_TIMEOUT_S, or take a faster provider",
}
_LATER: Final = "ask again in a few minutes; if it stays so, take another provider or model"
_MISSING: Final = {
    "no_answer": ("only reasoning came, no answer", "lower the reasoning effort (-r) of this configuration"),
    "transport": ("a fragment came instead of an answer", "check the chat template of the server, or take another"),
    "blocked": ("the request was blocked", "look at the guardrails and the moderation settings of your account"),
    "altered": ("the prompt was changed on the way", "switch prompt compression and guardrails off in your account"),
}


class ProbeResult(NamedTuple):
    """What became of a call: a reply, or a problem and what to do about it."""

    attempts: tuple[Attempt, ...]
    reply: Reply | None = None
    problem: str = ""
    fix: str = ""
    missing: Missing | None = None  # what came where it is no reply
    general: bool = False  # not about this request: the next one would fare the same

    @property
    def usd(self) -> float:
        """Dollars of all attempts, those of unknown cost as they were reserved."""
        return sum(attempt.usage.cost_usd + attempt.unknown_usd for attempt in self.attempts)

    @property
    def seconds(self) -> float:
        """Time spent in attempts."""
        return sum(attempt.seconds for attempt in self.attempts)


class CheckCall(NamedTuple):
    """One cheap call."""

    check: str
    request: ChatRequest
    read: Callable[[str, ProbeResult], Finding]


def of_subject(subject: Subject) -> tuple[CheckCall, ...]:
    """The calls to a subject."""
    return CheckCall("answer", plain(subject), read_plain), CheckCall("tool call", replay(subject), read_replay)


def of_judge(judge: ModelJudge) -> tuple[CheckCall, ...]:
    """The call to a judge."""
    return (CheckCall("verdict", verdict(judge), read_verdict),)


def connect(endpoint: Endpoint, session: aiohttp.ClientSession, listed: Catalogue) -> OpenAIClient:
    """A client without a cost cap, with few retries and without progress messages."""
    policy = Policy(base_backoff_s=endpoint.backoff_s, retries=min(RETRIES, endpoint.retries), reasks=0)
    return OpenAIClient(
        endpoint, session, listed, budget=Budget(None), throttle=Throttle(1), notify=lambda _wait: None, policy=policy
    )


async def make(client: ChatClient, request: ChatRequest) -> ProbeResult:
    """Make the call. What goes wrong is part of the result."""
    try:
        answer = await client.ask(request)
    except KeyRejected as error:
        return ProbeResult(error.attempts, problem=error.problem, fix=error.fix, general=True)
    except OutOfCredit as error:
        return ProbeResult(
            error.attempts, problem=error.problem, fix="add credit to the account of this key", general=True
        )
    except (Parked, GaveUp) as stop:
        kind = stop.attempts[-1].outcome if stop.attempts else ""
        fix = _FIXES.get(kind, _LATER)
        return ProbeResult(stop.attempts, problem=stop.why, fix=fix, general=isinstance(stop, GaveUp))
    if isinstance(answer, Missing):
        problem, fix = _MISSING[answer.reason]
        detail = f" ({answer.detail})" if answer.detail else ""
        return ProbeResult(answer.attempts, problem=problem + detail, fix=fix, missing=answer)
    return ProbeResult(answer.attempts, answer)


def plain(subject: Subject) -> ChatRequest:
    """A question in plain chat."""
    human = "Good morning. Tell me in one short sentence what you would like to talk about."
    return _of_subject(subject, (Message("system", "You are a guest at a harbour café."), Message("user", human)))


def replay(subject: Subject) -> ChatRequest:
    """The third message of a `tool_role` dialogue: the calls before it were never made by the model itself."""
    suite = load.load(SUITE).suite
    dialogue = plan.dialogues(suite, Selection((Condition(suite.default.variant, "tool_role"),), runs=1))[0]
    assert dialogue.tool is not None
    talk = (
        Exchange("Good morning. Which berth would you take?", _BERTH),
        Exchange("And in winter? One short sentence will do."),
    )
    return _of_subject(
        subject, messages(DialogueSetting(dialogue.system, tool=dialogue.tool), talk), offered(dialogue.tool)
    )


def verdict(judge: ModelJudge) -> ChatRequest:
    """A small rubric on two exchanges, with its JSON schema."""
    text = prompt.render(_RUBRIC, {}, _LINES, _FIELDS)
    return ChatRequest(
        judge.model, (Message("user", text),), MAX_TOKENS, judge.sampling,
        schema=schema.json_schema(_FIELDS), seed=_SEED,
    )  # fmt: skip


def _of_subject(subject: Subject, said: tuple[Message, ...], tool: Tool | None = None) -> ChatRequest:
    return ChatRequest(subject.model, said, MAX_TOKENS, subject.sent, tool=tool, seed=_SEED)


def read_plain(of: str, result: ProbeResult) -> Finding:
    """Whether the model answers at all."""
    if result.reply is None:
        return _unanswered("answer", of, result)
    return _answered("answer", of, result, _served(result.reply, result.seconds))


def read_replay(of: str, result: ProbeResult) -> Finding:
    """Whether the model continues from tool calls that it did not make, and answers through the tool."""
    if result.reply is None:
        finding = _unanswered("tool call", of, result)
        refused = bool(result.attempts) and result.attempts[-1].outcome in _TOOL_STATUS
        return finding._replace(fix=f"where `answer` is ok: {_TOOL_FIX}; else {result.fix}") if refused else finding
    if result.reply.channel == "tool":
        return _answered("tool call", of, result, "it speaks through the tool, after two replayed calls")
    found = "it answered in plain content, beside the tool; a run takes that and records it"
    return Finding("tool call", of, "warn", found, f"if no answer comes through the tool: {_TOOL_FIX}", usd=result.usd)


def read_verdict(of: str, result: ProbeResult) -> Finding:
    """Whether a judge fills in the form."""
    reply = result.reply
    if reply is None:
        finding = _unanswered("verdict", of, result)._replace(result="fail")
        return finding._replace(fix=_JUDGE_FIX) if result.missing else finding
    parsed = parse(reply.raw or reply.text, _FIELDS)
    if parsed.problems:
        found = f"no verdict can be read: {'; '.join(parsed.problems)}"
        return Finding("verdict", of, "fail", found, _JUDGE_FIX, usd=result.usd)
    refused = flags.SCHEMA_REFUSED in reply.flags
    found = "complete" + ", though the endpoint rejects JSON schemas and was asked without" * refused
    return _answered("verdict", of, result, found)


def _unanswered(check: str, of: str, result: ProbeResult) -> Finding:
    # A run gives an answer four times the tokens, so reasoning alone is no proof that none would come.
    short = result.missing is not None and result.missing.reason == "no_answer"
    return Finding(check, of, "warn" if short else "fail", result.problem, result.fix, usd=result.usd)


def _answered(check: str, of: str, result: ProbeResult, found: str) -> Finding:
    assert result.reply is not None
    notable = [_NOTABLE[flag] for flag in result.reply.flags if flag in _NOTABLE]
    if notable:
        found = f"{found}; flagged {', '.join(result.reply.flags)}"
        return Finding(check, of, "warn", found, "; ".join(notable), usd=result.usd)
    return Finding(check, of, "ok", found, usd=result.usd)


def _served(reply: Reply, seconds: float) -> str:
    by = f" by {reply.served_provider}" if reply.served_provider else ""
    effort = ", reasoning effort left out because the server rejects it" * (flags.EFFORT_REFUSED in reply.flags)
    return f"answered{by} in {seconds:.1f} s{effort}"
