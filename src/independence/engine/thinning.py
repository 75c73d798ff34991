"""What hybrid judges and audits will buy of a plan, before anything is read: as many verdicts, spread over the plan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from independence.engine import dialogue, routing
from independence.engine.plan import Trial
from independence.engine.resume import Todo
from independence.engine.routing import Candidate
from independence.judge.offline import grading, weights
from independence.judge.spec import JudgeSpec
from independence.suites.schema import Suite


def bought(todo: Sequence[Todo], suite: Suite) -> list[Todo]:
    """The same work with those judges left only where verdicts stand for what they will buy."""
    buyers = dict.fromkeys(spec for item in todo for spec in item.judges if spec.buying is not None)
    asked = {spec: set(_places(todo, spec, suite)) for spec in buyers}
    return [
        item._replace(judges=tuple(spec for spec in item.judges if spec not in asked or at in asked[spec]))
        for at, item in enumerate(todo)
    ]


def _places(todo: Sequence[Todo], spec: JudgeSpec, suite: Suite) -> Iterator[int]:
    assert spec.buying is not None
    known: dict[str, bool] = {}
    fleet = []
    for at, item in enumerate(todo):
        scenario = item.trial.dialogue.scenario.id
        if scenario not in known:
            known[scenario] = _known(item.trial, spec, suite)
        if spec in item.judges:
            fleet.append(Candidate(str(at), scenario, 1.0, known[scenario]))
    drawn = routing.routes(fleet, spec.buying)
    yield from (int(one.key) for one in fleet if drawn[one.key].way != "offline")


def _known(trial: Trial, spec: JudgeSpec, suite: Suite) -> bool:
    """Whether the offline judge was trained on a scenario; answers do not matter for that."""
    lines = dialogue.lines(trial, dialogue.blank(trial, trial.dialogue.generated))
    fields = suite.rubrics[trial.dialogue.scenario.rubric].fields
    return grading.knows(lines, fields, weights.behind(spec.file))
