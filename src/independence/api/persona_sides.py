"""Who is asked when a persona file is checked: a model under its prompt, and beside it, where that is asked for, the
same model without the prompt, another model, or an older prompt.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from independence.config.options import GateOptions, RunOptions
from independence.engine.resolve import RunPlan
from independence.errors import UsageError
from independence.report.gates import persona_page
from independence.store.decisions import Side
from independence.suites import load, persona_suite
from independence.types import Condition

_BASELINE_FILE: Final = ".json"


class PersonaSides(msgspec.Struct, frozen=True, kw_only=True):
    """The sides of a check, by the names of their system prompts."""

    options: RunOptions  # of a run of all of them, and of pairs of model and prompt that are none
    own: str
    without_prompt: bool = False
    older: str = ""  # an older prompt; "": none is named
    other_model: bool = False

    def of(self, run: RunPlan) -> dict[Side, str]:
        """The sides and the heads of their columns, the checked one first.

        Raises UsageError for other counts of subjects.
        """
        subjects = {trial.subject.config_dir: trial.subject.label for trial in run.trials}
        first, *others = subjects
        if len(subjects) != 1 + self.other_model:
            wanted = "one model, and --against another one" if self.other_model else "one model"
            what = f"a persona is checked on {wanted}, and these are {len(subjects)}: {', '.join(subjects.values())}"
            raise UsageError(what, "name one with -m")
        mode = run.trials[0].dialogue.condition.mode
        out = {Side(first, Condition(self.own, mode)): ""}
        if self.without_prompt:
            out[Side(first, Condition(persona_suite.BASELINE, mode))] = persona_page.WITHOUT_PROMPT
        if self.older:
            out[Side(first, Condition(self.older, mode))] = self.older
        return out | {Side(one, Condition(self.own, mode)): subjects[one] for one in others}


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


def planned(asked: RunOptions, gate: GateOptions) -> PersonaSides:
    """The sides of a check. Raises UsageError for options that fit no persona."""
    if asked.variants:
        raise UsageError("a persona file is its own system prompt", "leave out --system-prompt")
    bars = {"--min-index": gate.min_index, "--min-j": gate.min_j, "--max-drop": gate.max_drop}
    most = None if gate.max_runs == GateOptions().max_runs else gate.max_runs
    for flag, value in {**bars, "--max-runs": most}.items():
        if value is not None:
            raise UsageError(f"{flag}: a persona passes where every commitment is kept, without a bar", "leave it out")
    file, against = Path(asked.suite), gate.against
    own = load.persona(file, asked.values)
    variants, models, older = [asked.suite], asked.models, ""
    if gate.without_prompt:
        variants.append(persona_suite.BASELINE)
    if against is not None and against.suffix == _BASELINE_FILE:
        raise UsageError(f"--against {against}: a persona has no index to hold against a baseline", "name an older .md")
    if against is not None and against.suffix == load.PERSONA:
        older, text = load.persona(against, asked.values)
        if text == own.text:
            raise UsageError(f"--against {against}: its prompt is that of {file}", "name another version")
        variants.append(str(against))
    elif against is not None:
        if not asked.models:
            raise UsageError(f"--against {against}: a model is held against another one", "name the first with -m")
        models = (*asked.models, against.as_posix())
    return PersonaSides(
        options=msgspec.structs.replace(asked, variants=tuple(variants), models=models),
        own=own.name,
        without_prompt=gate.without_prompt,
        older=older,
        other_model=against is not None and not older,
    )
