"""Everything `validate-judges` prints; among it how far judges agree with people, and where two differ most."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from statistics import fmean

import msgspec
import numpy as np

from independence.judge import kinds
from independence.report.files import table_layouts
from independence.report.files.table import Table, Value
from independence.report.judges import judge_agreement, judge_panel
from independence.report.judges.judge_agreement import Measure, alpha_and_ac2, fields, ratings_of, subjects_of
from independence.report.judges.judge_panel import DialogueKey, JudgePanel, Values
from independence.stats import agreement, strict
from independence.store import dialogues, queries
from independence.store.scopes import BoardScope, grading
from independence.suites import digest
from independence.suites.schema import Field
from independence.types import Scalar

WORST = 10


class ValidationOptions(msgspec.Struct, frozen=True):
    """What is asked of a validation."""

    judges: tuple[str, ...] = ()  # none: all that graded something
    models: tuple[str, ...] = ()  # labels, ids or directories; none: all
    worst: int = WORST  # disagreements listed
    longest: int | None = None  # characters of a text shown; None: all


def validate(connection: sqlite3.Connection, scope: BoardScope, wanted: ValidationOptions) -> list[Table]:
    """Boards by judge, agreement, pairs, people, self-preference, costs, largest disagreements. Raises StoreError.

    A suite without an index has neither boards nor self-preference. People, who score a sample, stand against judges in
    a table of their own and take no part in the others but the disagreements.
    """
    whole = judge_panel.read(connection, scope, wanted.judges, wanted.models)
    made = []
    if read := without_people(whole):
        indexed = read.scope.suite.index is not None
        made += [judge_panel.boards(read)] if indexed else []
        made += [*judge_agreement.coefficients(read), judge_agreement.pairs(read)]
        made += [judge_agreement.favours(read)] if indexed else []
        made.append(judge_panel.costs(connection, read))
    scored = human_table(whole)
    made += [scored] if scored else []
    return [*made, *disagreement_tables(connection, whole, wanted.worst, wanted.longest)]


def is_person(judge: str) -> bool:
    """Whether a judge's verdicts are scores that a person gave."""
    return kinds.of(judge).human


def without_people(panel: JudgePanel) -> JudgePanel | None:
    """The panel without people; None where no dialogue was graded by two others."""
    judges = tuple(judge for judge in panel.judges if not is_person(judge))
    given = {
        dialogue: {judge: values for judge, values in every.items() if judge in judges}
        for dialogue, every in panel.given.items()
    }
    alone = panel._replace(judges=judges, given={dialogue: own for dialogue, own in given.items() if own})
    return alone if len(judges) > 1 and alone.shared else None


def human_table(panel: JudgePanel) -> Table | None:
    """Each judge against each person, field by field, then people two by two; None where nobody scored anything."""
    people = [judge for judge in panel.judges if is_person(judge)]
    if not people:
        return None
    others = [judge for judge in panel.judges if not is_person(judge)]
    pairs = [(judge, person) for judge in others for person in people] + list(combinations(people, 2))
    rows = [row for pair in pairs for measure in fields(panel.scope.suite) if (row := _row(panel, pair, measure))]
    return table_layouts.made("judges/judge-people", rows)


def _row(panel: JudgePanel, pair: tuple[str, str], measure: Measure) -> tuple[Value, ...] | None:
    both = ratings_of(panel, measure, pair)
    whole = ~np.isnan(both).any(axis=1)
    both, subjects = both[whole], np.array(subjects_of(panel, measure))[whole].tolist()
    found = agreement.pairwise(both[:, 0], both[:, 1])
    if found is None:
        return None
    named = (panel.heads[pair[0]], panel.heads[pair[1]], measure.name, found.units)
    return (*named, *alpha_and_ac2(measure, both, subjects), found.exact, found.difference, found.spearman)


class DialogueDisagreement(msgspec.Struct, frozen=True, kw_only=True):
    """A dialogue that judges see differently, and the field on which two of them are furthest apart."""

    subject: str  # config_dir; in documents its slug
    scenario: str
    run: int
    gap: float  # mean over the fields that count of highest less lowest score, as a share of the scale, 0 to 1
    field: str
    counts: bool  # in the index; where there is none, every field does
    low_judge: str
    low: Scalar
    high_judge: str
    high: Scalar

    @property
    def dialogue(self) -> DialogueKey:
        """Where it stands."""
        return DialogueKey(self.subject, self.scenario, self.run)


def disputes(panel: JudgePanel, worst: int) -> list[DialogueDisagreement]:
    """The dialogues that judges differ on most; at most `worst`, none without any difference.

    Fields of the index count first: dialogues on which judges differ elsewhere alone come after all others. Of a
    subject's runs of one scenario, which may be the same word for word, only the one furthest apart.
    """
    suite = panel.scope.suite
    scales = {s.id: suite.rubrics[s.rubric].fields for s in suite.scenarios}
    counting = frozenset(strict.frame(suite).fields) if suite.index else frozenset[str]()
    found = [_dispute(dialogue, given, scales[dialogue.scenario], counting) for dialogue, given in panel.shared.items()]
    # Of equal ones those first of which the scores of one field lie furthest apart.
    found.sort(key=lambda pair: (not pair[0].counts, -pair[0].gap, -pair[1], pair[0].dialogue))
    ordered = [dispute for dispute, _ in found if dispute.gap > 0]
    first = {dispute.dialogue[:2]: dispute for dispute in reversed(ordered)}
    return [dispute for dispute in ordered if first[dispute.dialogue[:2]] is dispute][:worst]


def disagreement_tables(
    connection: sqlite3.Connection, panel: JudgePanel, worst: int, longest: int | None = None
) -> list[Table]:
    """The largest disagreements and, in a second table, what was said. `longest`: characters of one text shown."""
    found = disputes(panel, worst)
    scope = panel.scope
    suite = grading(connection, scope)
    rows: list[tuple[Value, ...]] = []
    for number, dispute in enumerate(found, start=1):
        trial = queries.trial_key(connection, scope.where, *dispute.dialogue)
        rubric = digest.rubric(suite, suite.scenario(dispute.dialogue.scenario))
        rows.extend(
            (number, f"subject, {turn.turn_id}", _cut(turn.reply.text, longest))
            for turn in dialogues.turns(connection, [trial]).get(trial, ())
            if not turn.reply.missing
        )
        for judge in (dispute.low_judge, dispute.high_judge):
            reasons = queries.reasoning(connection, trial, judge, rubric)
            rows.append((number, panel.heads[judge], _cut(reasons, longest) or None))
    return [_where(panel, found), table_layouts.made("judges/judge-disagreement-texts", rows)]


def _dispute(
    dialogue: DialogueKey, given: Mapping[str, Values], fields: Mapping[str, Field], counting: Collection[str]
) -> tuple[DialogueDisagreement, float]:
    """How far apart judges are in the fields that count, else in all; and in the one in which they are furthest."""

    def span(name: str) -> tuple[float, tuple[str, Scalar], tuple[str, Scalar]]:
        scores = [(judge, values[name]) for judge, values in given.items()]
        low, high = (end(scores, key=lambda score: score[1]) for end in (min, max))
        ends = fields[name].range or (0.0, 1.0)
        return (float(high[1]) - float(low[1])) / ((ends[1] - ends[0]) or 1.0), low, high

    # A rule judge leaves out a field that it cannot read beside one that it can.
    spans = {name: span(name) for name in fields if all(name in values for values in given.values())}
    counted = {name: own for name, own in spans.items() if name in counting}
    if any(share for share, *_ in counted.values()):
        spans = counted
    field = max(spans, key=lambda name: spans[name][0])
    share, (low_judge, low), (high_judge, high) = spans[field]
    found = DialogueDisagreement(
        subject=dialogue.config_dir, scenario=dialogue.scenario, run=dialogue.run, field=field, low_judge=low_judge,
        low=low, high_judge=high_judge, high=high, gap=fmean(one[0] for one in spans.values()),
        counts=not counting or field in counting,
    )  # fmt: skip
    return found, share


def _where(panel: JudgePanel, found: Sequence[DialogueDisagreement]) -> Table:
    rows: list[tuple[Value, ...]] = []
    for number, dispute in enumerate(found, start=1):
        ends = panel.heads[dispute.low_judge], dispute.low, panel.heads[dispute.high_judge], dispute.high
        name = panel.about[dispute.subject].name
        rows.append((number, name, dispute.scenario, dispute.run, dispute.field, *ends, dispute.gap))
    whole = all(float(score).is_integer() for dispute in found for score in (dispute.low, dispute.high))
    made = table_layouts.made("judges/judge-disagreements", rows, shared=len(panel.shared))
    if not whole:
        return made
    columns = tuple(column._replace(digits=0) if column.kind == "number" else column for column in made.columns)
    return msgspec.structs.replace(made, columns=columns)


def _cut(text: str, longest: int | None) -> str:
    if longest is None or len(text) <= longest:
        return text
    return f"{text[:longest].rstrip()} [{len(text) - longest:,} more characters]"
