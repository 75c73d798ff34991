"""Looking at models for `doctor`: what their listing says, then the cheap calls, four in all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import aiohttp

from independence.cli import probes
from independence.cli.doors import Door
from independence.cli.terminal import note
from independence.clients import probe
from independence.clients.catalogue import ModelInfo
from independence.clients.failures import RequestFailure
from independence.clients.probe import Probed
from independence.config.endpoints import Endpoint
from independence.config.subjects import Subject
from independence.judge.spec import JudgeSpec
from independence.report import checks
from independence.report.checks import CheckedModel
from independence.report.findings import Finding
from independence.types import ChatRequest

MOST_CALLS = 4


class Pair(NamedTuple):
    """Who is looked at."""

    subject: Subject | None = None
    judge: JudgeSpec | None = None


class Call(NamedTuple):
    """One cheap call."""

    check: str
    request: ChatRequest
    read: Callable[[str, Probed], Finding]


class Visit(NamedTuple):
    """One model to look at and to call."""

    patient: CheckedModel
    endpoint: str
    calls: tuple[Call, ...]
    listed: bool = True  # whether to say what the catalogue says of it


async def carry_out(pair: Pair, found: Mapping[str, Door | None], session: aiohttp.ClientSession) -> list[Finding]:
    """Look at subject and judge, one after the other: a local server may answer one request at a time."""
    out: list[Finding] = []
    for visit in _visits(pair):
        made = sum(finding.usd is not None for finding in out)
        out += await _visit(visit, found[visit.endpoint], session, MOST_CALLS - made)
    return out


def _visits(pair: Pair) -> Iterator[Visit]:
    subject, judge = pair
    if subject is not None:
        calls: tuple[Call, ...] = (
            Call("answer", probes.plain(subject), probes.read_plain),
            Call("tool call", probes.replay(subject), probes.read_replay),
            Call("long prompt", probes.window(subject.model, subject.sampling.provider), probes.read_window),
        )
        patient = CheckedModel(
            "model", subject.model_id, subject.model, subject.sampling.effort or "", subject.temperature_supported
        )  # fmt: skip
        yield Visit(patient, subject.endpoint, calls)
    if judge is not None:
        calls = (Call("verdict", probes.verdict(judge), probes.read_verdict),)
        twice = subject is not None and (subject.endpoint, subject.model) == (judge.endpoint, judge.model)
        if not twice:
            calls = (*calls, Call("long prompt", probes.window(judge.model), probes.read_window))
        patient = CheckedModel("judge", judge.name, judge.model, judge.effort)
        yield Visit(patient, judge.endpoint, calls, listed=not twice)


async def _visit(visit: Visit, door: Door | None, session: aiohttp.ClientSession, left: int) -> list[Finding]:
    """Findings about one model, from its listing and from at most `left` calls."""
    name = visit.patient.name
    if door is None:
        return [Finding(visit.patient.role, name, "skipped", "its endpoint cannot be asked")]
    found = await door.asked.find(door.listed, visit.patient.model)
    listed = door.listed if isinstance(found, RequestFailure) else found
    info, endpoint = listed.info(visit.patient.model), door.asked.endpoint
    out = [*checks.of_model(visit.patient, listed, info)] if visit.listed else []
    why = door.barred or ("it is not in the catalogue" if listed.known and info is None else "")
    client = probe.connect(endpoint, session, listed)
    for call in visit.calls:
        if not _applies(call, endpoint, info):
            continue
        if why or not left:
            why_not = why or f"{MOST_CALLS} calls are spent; ask about this one alone"
            out.append(Finding(call.check, name, "skipped", why_not))
            continue
        left -= 1
        note(f"asking {name}: {call.check}")
        probed = await probe.probe(client, call.request)
        out.append(call.read(name, probed))
        if probed.general and call.check == "answer":
            why = "the call before found its endpoint in trouble"
    return out


def _applies(call: Call, endpoint: Endpoint, info: ModelInfo | None) -> bool:
    """A long prompt is worth its money only where the listing does not say how long it may be, or may not be heeded."""
    if call.check == "tool call":
        return info is None or not info.rejects("tools")
    if call.check == "long prompt":
        return endpoint.dialect == "local" or info is None or info.context_length is None
    return True
