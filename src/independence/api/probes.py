"""The cheap calls of `doctor`: what is asked, and what the answer says about the model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

import aiohttp

from independence.clients import features
from independence.clients.catalogue import Catalogue
from independence.clients.client import OpenAIClient
from independence.clients.connection import EndpointConnection
from independence.clients.delivery import Probe, Shape, lacking, unverified
from independence.clients.limits import Budget
from independence.clients.protocol import ChatClient, GaveUp, Parked, Policy, Refused
from independence.clients.throttle import Throttle
from independence.config.endpoints import Endpoint
from independence.config.subjects import SIM, Subject
from independence.engine import delivery, plan
from independence.engine.plan import Selection
from independence.engine.resume import PendingTrial
from independence.errors import KeyRejected, OutOfCredit
from independence.judge import prompt, schema
from independence.judge.model import ModelJudge
from independence.judge.parse import parse
from independence.report.files import checks
from independence.report.files.checks import Finding
from independence.suites import load
from independence.suites.schema import Field
from independence.suites.script import DialogueSetting, Exchange, messages, offered
from independence.types import Attempt, ChatRequest, Condition, Message, Missing, MissingReason, Reply, TranscriptTurn

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
_TOOL_STATUS: Final = frozenset({"400", "404", "422", "500", "501"})  # how servers refuse tools or replayed calls


class ProbeResult(NamedTuple):
    """What became of a call: a reply, or a problem and what to do about it."""

    attempts: tuple[Attempt, ...]
    reply: Reply | None = None
    problem: str = ""
    fix: str = ""
    missing: MissingReason | None = None  # what came where it is no reply
    general: bool = False  # not about this request: the next one would fare the same

    @property
    def usd(self) -> float:
        """Dollars of all attempts, those of unknown cost as they were reserved."""
        return sum(attempt.usage.cost_usd + attempt.unknown_usd for attempt in self.attempts)


def of_subject(subject: Subject) -> dict[str, ChatRequest]:
    """The calls to a subject: a question in plain chat, and the third message of a `tool_role` dialogue.

    The calls before that message were never made by the model itself.
    """
    human = "Good morning. Tell me in one short sentence what you would like to talk about."
    plain = (Message("system", "You are a guest at a harbour café."), Message("user", human))
    suite = load.load(SUITE).suite
    dialogue = plan.dialogues(suite, Selection((Condition(suite.default.variant, "tool_role"),), runs=1))[0]
    assert dialogue.tool is not None
    talk = (
        Exchange("Good morning. Which berth would you take?", _BERTH),
        Exchange("And in winter? One short sentence will do."),
    )
    said = messages(DialogueSetting(dialogue.system, tool=dialogue.tool), talk)
    tool = offered(dialogue.tool)
    return {
        "answer": ChatRequest(subject.model, plain, MAX_TOKENS, subject.sent, seed=_SEED),
        "tool call": ChatRequest(subject.model, said, MAX_TOKENS, subject.sent, tool=tool, seed=_SEED),
    }


def of_judge(judge: ModelJudge) -> dict[str, ChatRequest]:
    """The call to a judge: a small rubric on two exchanges, with its JSON schema."""
    said = (Message("user", prompt.render(_RUBRIC, {}, _LINES, _FIELDS)),)
    form = schema.json_schema(_FIELDS)
    return {"verdict": ChatRequest(judge.model, said, MAX_TOKENS, judge.sampling, schema=form, seed=_SEED)}


def shapes(subject: Subject | None, judge: ModelJudge | None) -> dict[str, Shape]:
    """By delivery mode, or `judge`: how a run of the suite would ask, for the delivery probe."""
    suite = load.load(SUITE).suite
    conditions = tuple(Condition(suite.default.variant, mode) for mode in suite.delivery.modes)
    asked = subject or Subject("", SIM, "")
    trials = plan.trials(suite, Selection(conditions, runs=1), [asked])
    todo = [
        PendingTrial(trial, trial.dialogue.generated if subject else 0, (judge,) if judge else ()) for trial in trials
    ]
    return {key.delivery: shape for key, shape in delivery.shapes(suite, todo).items()}


async def probe(client: OpenAIClient, of: str, how: str, shape: Shape) -> Finding:
    """Whether every part of a request reaches the model."""
    assert isinstance(client.connection, EndpointConnection)
    budget = client.connection.budget
    before = budget.spent
    try:
        found = await Probe(client, shape).run()
    except (KeyRejected, OutOfCredit, Parked, GaveUp, Refused) as stop:
        return checks.finding("delivery", "failed", of, usd=budget.spent - before, how=how, problem=str(stop))
    facts: dict[str, object] = {"how": how, "calls": found.calls}
    if found.lost:
        facts["problem"], facts["fix"] = lacking(found, shape)
    elif not found.verified:
        facts["problem"] = unverified(found)
    facts["forms"] = "".join(f"; {features.told(form)}" for form in client.connection.used(shape.request))
    case = "lost" if found.lost else "whole" if found.verified else "unverified"
    return checks.finding("delivery", case, of, usd=budget.spent - before, **facts)


def connect(endpoint: Endpoint, session: aiohttp.ClientSession, listed: Catalogue) -> OpenAIClient:
    """A client without a cost cap, with few retries and without progress messages."""
    policy = Policy(base_backoff_s=endpoint.backoff_s, retries=min(RETRIES, endpoint.retries), reasks=0)
    connection = EndpointConnection(
        endpoint, session, listed, budget=Budget(None), throttle=Throttle(1), notify=lambda _wait: None
    )
    return OpenAIClient(connection, policy)


async def make(client: ChatClient, request: ChatRequest) -> ProbeResult:
    """Make the call. What goes wrong is part of the result."""
    try:
        answer = await client.ask(request)
    except (KeyRejected, OutOfCredit) as error:
        fix = "add credit to the account of this key" if isinstance(error, OutOfCredit) else error.fix
        return ProbeResult(error.attempts, problem=error.problem, fix=fix, general=True)
    except (Parked, GaveUp, Refused) as stop:
        advice = checks.texts()["stopped"]
        ended = stop.attempts[-1].outcome if stop.attempts else ""
        fix = stop.fix or advice.get(ended, advice["otherwise"]).fix
        return ProbeResult(stop.attempts, problem=stop.problem, fix=fix, general=isinstance(stop, GaveUp))
    if isinstance(answer, Missing):
        texts = checks.texts()["missing"]
        text = texts.get(answer.attempts[-1].outcome if answer.attempts else "", texts[answer.reason])
        problem = f"{text.found} ({answer.detail})" if text.found and answer.detail else text.found or answer.detail
        return ProbeResult(answer.attempts, problem=problem, fix=text.fix, missing=answer.reason)
    return ProbeResult(answer.attempts, answer)


def read(check: str, of: str, result: ProbeResult) -> Finding:
    """What a result says: whether the model answers at all, through the tool, or with the form filled in."""
    reply = result.reply
    if reply is None:
        case = _unanswered(check, result)
        return checks.finding(check, case, of, usd=result.usd, problem=result.problem, fix=result.fix)
    if check == "tool call" and reply.channel != "tool":
        return checks.finding(check, "beside", of, usd=result.usd)
    problems = parse(reply.raw or reply.text, _FIELDS).problems if check == "verdict" else ()
    if problems:
        return checks.finding(check, "unreadable", of, usd=result.usd, problem="; ".join(problems))
    found = checks.finding(
        check, "answered", of, usd=result.usd,
        by=f" by {reply.served_provider}" if reply.served_provider else "",
        seconds=sum(attempt.seconds for attempt in result.attempts),
        effort=", without a reasoning effort, which the endpoint does not take"
        * (features.EFFORT_REFUSED in reply.flags),
        schemaless=", though the endpoint takes no JSON schema and was asked without"
        * ("schema_refused" in reply.flags),
    )  # fmt: skip
    known = checks.texts()["flagged"]
    advice = [known[flag].fix for flag in reply.flags if flag in known]
    if not advice:
        return found
    return found._replace(
        result="warn", found=f"{found.found}; flagged {', '.join(reply.flags)}", fix="; ".join(advice)
    )


def _unanswered(check: str, result: ProbeResult) -> str:
    if check == "verdict":
        return "silent" if result.missing else "failed"
    if check == "tool call" and result.attempts and result.attempts[-1].outcome in _TOOL_STATUS:
        return "refused"
    return "unfinished" if result.missing == "no_answer" else "failed"
