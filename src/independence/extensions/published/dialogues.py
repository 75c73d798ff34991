"""The published directory layout, and the files of one run as its dialogues and verdicts, in the suite's order.

`<slug>[+<provider tag>]@<effort>-t<temperature>/run_<N>/<experiment>/<variant>/<mode>/<turn id>.json`, with `/` written
as `--` in the slug and as `-` in the provider tag. A tree without `run_<N>` is run 1. The older layout names a
configuration by its slug alone; the rest is taken for the publisher's defaults: temperature 0.7, and the reasoning
effort of the published table.

A verdict is complete, typed and in range, or missing with a reason.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from independence.config.subjects import SUFFIX, default_effort
from independence.exchange.output import distinct_names
from independence.exchange.sent_requests import PublishedRequest, published_request
from independence.extensions.published.responses import (
    EMPTY_VERDICT,
    VERDICT_EXTRAS,
    ZERO_IDENTITY,
    PublishedCost,
    ResponseFile,
    broken_history,
    record_flags,
    reply_flags,
)
from independence.extensions.published.scoring_rules import ScoringRule, rules, void
from independence.judge.parse import parse
from independence.judge.schema import check
from independence.store import context
from independence.store.dialogues import Dialogue, StoredVerdict
from independence.store.queries import PUBLISHED
from independence.store.records import CallRow, TrialRow
from independence.store.scopes import OF_PUBLISHERS
from independence.suites import digest
from independence.suites.schema import Field, Rubric, Scenario, Suite
from independence.suites.without_texts import published_fields
from independence.types import Answer, Attempt, Condition, Grade, Missing, Reply, Verdict

_CONFIG = re.compile(rf"(?P<slug>.+?){SUFFIX}", re.DOTALL)
_OLDER = re.compile(r"[^@]*[^@-]--[^@-][^@]*")
_OLDER_TEMPERATURE = 0.7
BACKSLASH = "%5C"  # in names of files: on some systems the sign itself divides a path
_DEPTH = 4  # parts of a response file's path below its run
_RUN = re.compile(r"run_(\d+)")
_WORDS = "reasoning"  # the judge's prose, not a score


class PublishedPath(NamedTuple):
    """A file of a run: `rest` is its path below the run's directory."""

    config_dir: str
    model_id: str
    run: int
    rest: tuple[str, ...]
    older: bool = False  # of the older layout


class TurnPosition(NamedTuple):
    """Where a turn file belongs in the suite."""

    scenario: Scenario
    before: tuple[str, ...]  # ids of the generated turns the subject saw first, in order


@functools.lru_cache(maxsize=4096)
def configured_model(name: str) -> str | None:
    """The model id in a directory name of the grammar; None where it is not a configuration."""
    match = _CONFIG.fullmatch(name)
    return match["slug"].replace("--", "/") if match else None


def folder_names(configs: Iterable[str]) -> dict[str, str]:
    """Configuration -> the folder that it is written to, which reads back as it if it fits a name."""
    slugs = {config: _CONFIG.fullmatch(config) for config in configs}
    ends = {config: config[match.end("slug") :] if match else "" for config, match in slugs.items()}
    return distinct_names(
        {config: (config.removesuffix(end).replace("\\", BACKSLASH), end) for config, end in ends.items()}
    )


def older_dir(name: str) -> str | None:
    """The name in the grammar of a directory of the older layout; None where it is not one."""
    if _OLDER.fullmatch(name) is None:
        return None
    return f"{name}@{default_effort(name.replace('--', '/'))}-t{_OLDER_TEMPERATURE}"


def names_configuration(name: str) -> bool:
    """Whether a directory can be a configuration of either layout."""
    return configured_model(name) is not None or older_dir(name) is not None


def published_path(parts: tuple[str, ...]) -> PublishedPath | None:
    """Find the configuration and run of a file by its path; None where no part of it names a configuration."""
    parts = tuple(part.replace(BACKSLASH, "\\") for part in parts)
    for depth, part in enumerate(parts[:-1]):
        if model_id := configured_model(part):
            return _placed(part, model_id, parts[depth + 1 :])
    for depth, part in enumerate(parts[:-1]):
        if (today := older_dir(part)) and (model_id := configured_model(today)):
            found = _placed(today, model_id, parts[depth + 1 :])
            if len(found.rest) == _DEPTH:  # any folder may have such a name
                return found._replace(older=True)
    return None


def _placed(config_dir: str, model_id: str, below: tuple[str, ...]) -> PublishedPath:
    run = _RUN.fullmatch(below[0])
    number, rest = (int(run[1]), below[1:]) if run else (1, below)
    return PublishedPath(config_dir, model_id, number, rest)


def turn_positions(suite: Suite) -> dict[str, TurnPosition]:
    """Turn id -> where it belongs, for every generated turn of the suite."""
    out: dict[str, TurnPosition] = {}
    for scenario in suite.scenarios:
        seen = _inherited(suite, scenario)
        for turn_id in generated(scenario):
            out[turn_id] = TurnPosition(scenario, seen)
            seen = (*seen, turn_id)
    return out


def generated(scenario: Scenario) -> tuple[str, ...]:
    """Ids of the turns the subject answers, in order."""
    return tuple(turn.id for turn in scenario.turns if turn.reply is None)


def verdict_turn(scenario: Scenario) -> str:
    """Id of the turn whose file carries the verdict over the whole dialogue."""
    return scenario.verdict_id or generated(scenario)[-1]


def _inherited(suite: Suite, scenario: Scenario) -> tuple[str, ...]:
    if scenario.follows is None:
        return ()
    parent = suite.scenario(scenario.follows)
    return _inherited(suite, parent) + generated(parent)


def current_verdict(one: Dialogue, judge: str | None, rubric: str | None) -> StoredVerdict | None:
    """A judge's verdict on a dialogue as it is now: by the rubric of its edition, else the first published one."""
    reached = [turn.reply.after for turn in one.turns if not (turn.reply.missing or turn.reply.stale)][-1:]
    current = [row for row in one.verdicts if row.judge == judge and row.context in reached]
    ours = [row for row in current if row.rubric == rubric]
    return next(iter([*ours[-1:], *(row for row in current if row.rubric in OF_PUBLISHERS)]), None)


class PublishedVerdict(NamedTuple):
    """A published grade. `grade` None: the file carries no verdict."""

    grade: Grade | None = None
    judge_model: str = ""
    flags: tuple[str, ...] = ()  # what is odd about it


class ImportedTrial(NamedTuple):
    """One dialogue, as far as its files are there."""

    scenario: Scenario
    condition: Condition
    calls: tuple[CallRow, ...]  # in turn order, at least one; `Missing(no_answer)` where the stored text is blank
    verdict: PublishedVerdict = PublishedVerdict()


class ImportedRun(NamedTuple):
    """One run of one configuration. Its key in a store is (config_dir, run, scenario, variant, mode)."""

    config_dir: str
    run: int
    model_id: str  # by the directory's name
    trials: tuple[ImportedTrial, ...]  # in the suite's order
    name_extraction: bytes = b""  # the file as it was published, empty where there is none


class SuiteLayout(NamedTuple):
    """A suite as readers of published files need it."""

    suite: Suite
    turns: dict[str, TurnPosition]  # by id
    rule: ScoringRule | None  # the suite's published scoring rule


def suite_layout(suite: Suite) -> SuiteLayout:
    """The layout of a suite, with the scoring rule that it was published with."""
    name = suite.index.published_rule if suite.index else None
    return SuiteLayout(suite, turn_positions(suite), rules().get(name) if name else None)


def trial_row(
    suite: Suite, edition: str, scenario: Scenario, *, config_dir: str, run: int, condition: Condition
) -> TrialRow:
    """A planned trial of an import. Its key is its place: the exact wording that was asked is not known."""
    where = {"edition": edition, "suite": suite.suite, "config_dir": config_dir, "run": run, "scenario": scenario.id,
             "condition": condition}  # fmt: skip
    return TrialRow(
        key=digest.sha256(where), suite=suite.suite, edition=edition, config_dir=config_dir, variant=condition.variant,
        mode=condition.mode, experiment=scenario.experiment, scenario=scenario.id, run=run, parent=None,
        turns=sum(turn.reply is None for turn in scenario.turns), shape=digest.canonical(where).decode(),
    )  # fmt: skip


def trials(
    config_dir: str, run: int, condition: Condition, files: Mapping[str, ResponseFile], by: SuiteLayout
) -> Iterator[ImportedTrial]:
    """The dialogues of one run under one condition; scenarios without a file are left out. `files` by turn id."""
    seen = {turn_id: published_request(bytes(file.request_messages)) for turn_id, file in files.items()}
    stored = {turn_id: file.text for turn_id, file in files.items()}
    for scenario in by.suite.scenarios:
        if not any(turn_id in files for turn_id in generated(scenario)):
            continue
        place = trial_row(by.suite, PUBLISHED, scenario, config_dir=config_dir, run=run, condition=condition)
        calls, at = list[CallRow](), context.begin(place.key)
        for number, turn_id in enumerate(generated(scenario)):
            if turn_id in files:
                file, request = files[turn_id], seen[turn_id]
                broken = broken_history(request, by.turns[turn_id].before, seen, stored)
                answer = _answer(file, request, (*reply_flags(file, request, by.suite), *broken, *record_flags(file)))
                after = context.extend(at, answer)
                calls.append(CallRow(
                    trial=place.key, turn=number, turn_id=turn_id, context=at, after=after, answer=answer,
                    messages=bytes(file.request_messages), answered_at=file.metadata.timestamp or None,
                ))  # fmt: skip
                at = after
        graded, rubric = files.get(verdict_turn(scenario)), by.suite.rubrics[scenario.rubric]
        verdict = published_verdict(graded, rubric, by.rule) if graded else PublishedVerdict()
        yield ImportedTrial(scenario, condition, tuple(calls), verdict)


def _answer(file: ResponseFile, request: PublishedRequest, flags: tuple[str, ...]) -> Answer:
    cost = file.gen_cost or PublishedCost()
    attempts = (Attempt("ok", cost.elapsed_seconds, cost.usage),)
    if not file.text:
        return Missing("no_answer", "the stored answer is blank", file.response or "", attempts)
    calls = tuple(call.typed() for call in file.response_tool_calls or ())
    return Reply(
        file.text, "tool" if any(call.function.name == request.tool for call in calls) else "content",
        thinking=file.content_thinking or "", reasoning=file.reasoning_content or "", tool_calls=calls,
        finish_reason=file.finish_reason or None, flags=flags, usage=cost.usage, attempts=attempts,
    )  # fmt: skip


def published_verdict(file: ResponseFile, rubric: Rubric, rule: ScoringRule | None) -> PublishedVerdict:
    """Read the verdict of a response file. Fields outside the rubric are left out and flagged.

    An empty object means that the publisher could not read what the judge wrote: it is read again from that text.
    """
    scores = file.judge_scores
    if scores is None:
        return PublishedVerdict()
    cost = file.judge_cost or PublishedCost()
    fields = published_fields(rubric.fields)
    grade = _grade(scores, fields, file.judge_raw_response or "", cost)
    flags = []
    if not scores:
        flags.append(EMPTY_VERDICT)
    if rule and isinstance(grade, Verdict) and void(grade.values, rule):
        flags.append(ZERO_IDENTITY)
    if scores.keys() - fields.keys() - {_WORDS}:
        flags.append(VERDICT_EXTRAS)
    return PublishedVerdict(grade, cost.judge_model, tuple(flags))


def _grade(scores: dict[str, Any], fields: Mapping[str, Field], raw: str, cost: PublishedCost) -> Grade:
    attempts = (Attempt("ok", cost.elapsed_seconds, cost.usage),)
    if not scores and raw:
        found = parse(raw, fields)
        if not found.problems:
            return Verdict(found.values, found.reasoning, raw, cost.usage, attempts)
    values, _ = check(scores, fields)
    if len(values) < len(fields):
        lacking = ", ".join(name for name in fields if name not in values)
        return Missing("unreadable_verdict", f"no usable {lacking}", raw, attempts)
    words = scores.get(_WORDS)
    return Verdict(values, words if isinstance(words, str) else "", raw, cost.usage, attempts)
