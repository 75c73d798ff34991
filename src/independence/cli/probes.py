"""The four cheap calls of `doctor`: what is asked, and what the answer says about the model."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from independence.clients import flags
from independence.clients.probe import Probed
from independence.config.subjects import Subject
from independence.engine import plan
from independence.engine.plan import Selection
from independence.judge import prompt, schema
from independence.judge.parse import parse
from independence.judge.spec import JudgeSpec
from independence.report.findings import Finding
from independence.suites import load
from independence.suites.delivery import DialogueSetting, Exchange, messages, offered
from independence.suites.schema import Field
from independence.suites.transcript import TranscriptTurn
from independence.types import ChatRequest, Condition, Message, Reply, Sampling, Tool

SUITE: Final = "v2"  # its tool protocol is the one that is tried
MAX_TOKENS: Final = 512  # short answers are asked for; the rest is for models that must reason first
WORDS: Final = 5280  # of the long prompt, each at least one token; Ollama cuts at 4,096 unless told otherwise
_DAYS: Final = 240
_DAY: Final = "Day {}: the boat came back late and the men put it on the sand and went up to the house again."
_SECRET: Final = "quillwort"  # noqa: S105 - a plant that no model brings up by itself
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
_WINDOW_FIX: Final = (
    "give the server a longer context (Ollama: num_ctx in the Modelfile, llama.cpp: -c, LM Studio: when it loads)"
)
_TOOL_STATUS: Final = frozenset({"400", "404", "422", "500", "501"})  # how servers refuse tools or replayed calls
_TOO_LONG: Final = re.compile(r"context|too long|token|exceed|length", re.IGNORECASE)
_NOTABLE: Final = {
    flags.CACHE_HIT: "a stored reply came back although that is refused in every request: switch response caching off",
    flags.TEMPLATE_TOKENS: "tokens of the chat template leak into the text: check the template of the server",
    flags.TOOL_SYNTAX: "the tool call leaks into the text: check the tool parser of the server",
    flags.CUT_ARGUMENTS: "arguments of tool calls come cut off: take another provider, or check the tool parser",
    flags.FINISH_ERROR: "the provider broke off in the middle: take another if it happens again",
}


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


def verdict(judge: JudgeSpec) -> ChatRequest:
    """A small rubric on two exchanges, with its JSON schema."""
    text = prompt.render(_RUBRIC, {}, _LINES, _FIELDS)
    return ChatRequest(
        judge.model, (Message("user", text),), MAX_TOKENS, judge.sampling,
        schema=schema.json_schema(_FIELDS), seed=_SEED,
    )  # fmt: skip


def window(model: str, provider: str | None = None) -> ChatRequest:
    """A prompt of at least `WORDS` tokens with a word at its beginning that is asked for at its end."""
    days = "\n".join(_DAY.format(day) for day in range(1, _DAYS + 1))
    text = (
        f"Remember this word: {_SECRET}.\n\n{days}\n\n"
        "Which word were you to remember, at the very beginning? Answer with that one word."
    )
    return ChatRequest(model, (Message("user", text),), MAX_TOKENS, Sampling(0.0, "none", provider), seed=_SEED)


def _of_subject(subject: Subject, said: tuple[Message, ...], tool: Tool | None = None) -> ChatRequest:
    return ChatRequest(subject.model, said, MAX_TOKENS, subject.sent, tool=tool, seed=_SEED)


def read_plain(of: str, probed: Probed) -> Finding:
    """Whether the model answers at all."""
    if probed.reply is None:
        return _unanswered("answer", of, probed)
    return _answered("answer", of, probed, _served(probed.reply, probed.seconds))


def read_replay(of: str, probed: Probed) -> Finding:
    """Whether it goes on from tool calls it did not make, and speaks through the tool."""
    if probed.reply is None:
        finding = _unanswered("tool call", of, probed)
        refused = bool(probed.attempts) and probed.attempts[-1].outcome in _TOOL_STATUS
        return finding._replace(fix=f"where `answer` is ok: {_TOOL_FIX}; else {probed.fix}") if refused else finding
    if probed.reply.channel == "tool":
        return _answered("tool call", of, probed, "it speaks through the tool, after two replayed calls")
    found = "it answered in plain content, beside the tool; a run takes that and records it"
    return Finding("tool call", of, "warn", found, f"if no answer comes through the tool: {_TOOL_FIX}", probed.usd)


def read_verdict(of: str, probed: Probed) -> Finding:
    """Whether a judge fills in the form."""
    reply = probed.reply
    if reply is None:
        finding = _unanswered("verdict", of, probed)._replace(result="fail")
        return finding._replace(fix=_JUDGE_FIX) if probed.missing else finding
    parsed = parse(reply.raw or reply.text, _FIELDS)
    if parsed.problems:
        found = f"no verdict can be read: {'; '.join(parsed.problems)}"
        return Finding("verdict", of, "fail", found, _JUDGE_FIX, probed.usd)
    refused = flags.SCHEMA_REFUSED in reply.flags
    found = "complete" + ", though the endpoint rejects JSON schemas and was asked without" * refused
    return _answered("verdict", of, probed, found)


def read_window(of: str, probed: Probed) -> Finding:
    """Whether the beginning of a long prompt reaches the model."""
    came = probed.reply.text if probed.reply else probed.missing.raw if probed.missing else ""
    tokens = probed.prompt_tokens
    if _SECRET in came.lower():
        found = f"the first word of {max(tokens, WORDS):,} tokens came back"
        return Finding("long prompt", of, "ok", found, usd=probed.usd)
    if probed.reply is None and probed.missing is None:
        finding = _unanswered("long prompt", of, probed)
        return finding._replace(fix=_WINDOW_FIX) if _TOO_LONG.search(probed.problem) else finding
    if tokens >= WORDS:
        found = f"all {tokens:,} tokens were read, but the word at their beginning did not come back"
        fix = "fine for a weak model; else look at the context the server was started with"
        return Finding("long prompt", of, "warn", found, fix, probed.usd)
    read = f"only {tokens:,} tokens of them were read" if tokens else "the word at their beginning did not come back"
    found = f"a prompt of {WORDS:,} tokens or more is cut without an error: {read}"
    return Finding("long prompt", of, "fail", found, _WINDOW_FIX, probed.usd)


def _unanswered(check: str, of: str, probed: Probed) -> Finding:
    # A run gives an answer four times the tokens, so reasoning alone is no proof that none would come.
    short = probed.missing is not None and probed.missing.reason == "no_answer"
    return Finding(check, of, "warn" if short else "fail", probed.problem, probed.fix, probed.usd)


def _answered(check: str, of: str, probed: Probed, found: str) -> Finding:
    assert probed.reply is not None
    notable = [_NOTABLE[flag] for flag in probed.reply.flags if flag in _NOTABLE]
    if notable:
        return Finding(
            check, of, "warn", f"{found}; flagged {', '.join(probed.reply.flags)}", "; ".join(notable), probed.usd
        )
    return Finding(check, of, "ok", found, usd=probed.usd)


def _served(reply: Reply, seconds: float) -> str:
    by = f" by {reply.served_provider}" if reply.served_provider else ""
    effort = ", reasoning effort left out because the server rejects it" * (flags.EFFORT_REFUSED in reply.flags)
    return f"answered{by} in {seconds:.1f} s{effort}"
