"""Who is asked when a persona file is checked: a model under its prompt, beside it under the name and the role alone,
and, where `--against` names one, another model or an older prompt.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from independence.config.options import RunOptions
from independence.engine.resolve import RunPlan
from independence.errors import UsageError
from independence.report.analysis import Analysis
from independence.report.gates import commitments, persona_page
from independence.report.gates.commitments import PersonaResult
from independence.report.gates.persona_page import PersonaPage
from independence.store.decisions import Side
from independence.store.scopes import BoardScope
from independence.suites import load, persona_suite

_BASELINES: Final = ".json"


class PersonaSides(msgspec.Struct, frozen=True, kw_only=True):
    """The sides of a check, by the names of their system prompts."""

    options: RunOptions  # of a run of all of them, and of pairs of model and prompt that are none
    prompt: str
    own: str
    older: str = ""  # an older prompt; "": none is named
    other_model: bool = False

    @property
    def measures_other(self) -> bool:
        """Whether there is a third side."""
        return bool(self.older) or self.other_model

    def narrowed(self, run: RunPlan) -> RunPlan:
        """The run of these sides alone, the checked one first. Raises UsageError for other counts of subjects."""
        subjects = list(dict.fromkeys(trial.subject.config_dir for trial in run.trials))
        if len(subjects) != 1 + self.other_model:
            labels = ", ".join(dict.fromkeys(trial.subject.label for trial in run.trials))
            wanted = "one model, and --against another one" if self.other_model else "one model"
            raise UsageError(
                f"a persona is checked on {wanted}, and these are {len(subjects)}: {labels}", "name one with -m"
            )
        pairs = [(subjects[0], self.own), (subjects[0], persona_suite.BASELINE)]
        pairs += [(subjects[-1], self.older or self.own)] if self.measures_other else []
        order = {pair: place for place, pair in enumerate(pairs)}
        kept = [trial for trial in run.trials if (trial.subject.config_dir, trial.dialogue.condition.variant) in order]
        kept.sort(key=lambda trial: order[trial.subject.config_dir, trial.dialogue.condition.variant])
        return msgspec.structs.replace(run, trials=kept)

    def page(
        self, connection: sqlite3.Connection, kind: Analysis, run: RunPlan, sides: Sequence[Side]
    ) -> PersonaPage | None:
        """What became of each commitment on every side; None where nothing is there of the checked one."""
        judge, found, indices = run.judges[0].name, list[PersonaResult | None](), list[float | None]()
        for side in sides:
            scope = BoardScope(run.suite, run.where.under(side.condition))
            found.append(kind.personas(connection, scope, judge).get(side.config_dir))
            gated = kind.gate(connection, scope, judge, side.config_dir)
            indices.append(gated.index.point if gated else None)
        own, baseline, other, *_ = [*found, None]
        if own is None:
            return None
        labels = {trial.subject.config_dir: trial.subject.label for trial in run.trials}
        page = PersonaPage(
            own=own,
            baseline=baseline,
            baseline_index=indices[1],
            other=other,
            other_name=(self.older or labels[sides[-1].config_dir]) if other else "",
            other_index=indices[-1] if other else None,
            changes=tuple(commitments.changes(own, other)) if other else (),
        )
        return msgspec.structs.replace(page, observations=tuple(persona_page.observations(page, self.prompt)))


def is_persona(suite: str) -> bool:
    """Whether a suite is named by a persona file."""
    return Path(suite).suffix == load.PERSONA


def of_file(asked: RunOptions, file: Path) -> RunOptions:
    """The options for a persona file. Raises UsageError for what is none, and for two suites."""
    if file.suffix != load.PERSONA:
        raise UsageError(f"{file}: a persona is a {load.PERSONA} file", "`independence persona init FILE` writes one")
    if asked.suite != RunOptions().suite:
        raise UsageError(f"{file} is a suite of its own", "leave out --suite")
    return msgspec.structs.replace(asked, suite=str(file))


def planned(asked: RunOptions, against: Path | None) -> PersonaSides:
    """The sides of a check. Raises UsageError for options that fit no persona."""
    if asked.variants:
        raise UsageError("a persona file is its own system prompt", "leave out --system-prompt")
    file = Path(asked.suite)
    own = load.persona(file)
    variants, models, older = [asked.suite, persona_suite.BASELINE], asked.models, ""
    held_against = against is not None and against.suffix != _BASELINES
    if against is not None and against.suffix == load.PERSONA:
        name, text = load.persona(against)
        if text == own.text:
            raise UsageError(f"--against {against}: its prompt is that of {file}", "name another version")
        older = name
        variants.append(str(against))
    elif against is not None and held_against:
        if not asked.models:
            raise UsageError(f"--against {against}: a model is held against another one", "name the first with -m")
        models = (*asked.models, against.as_posix())
    options = msgspec.structs.replace(asked, variants=tuple(variants), models=models)
    return PersonaSides(
        options=options, prompt=own.text, own=own.name, older=older, other_model=held_against and not older
    )
