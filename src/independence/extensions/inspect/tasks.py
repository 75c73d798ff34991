"""Suites as tasks of Inspect AI: `inspect eval independence/v2 --model openai/gpt-5 --model-role grader=MODEL`.

One task for each suite that ships, and `independence/suite` for a folder or a persona file of one's own. All are made
from the suite's data: what is asked, how it is graded and what it comes to is the same as in a run of this package.
"""

from __future__ import annotations

from independence.engine import dialogue
from independence.engine.resolve import RunPlan
from independence.exchange import logged
from independence.extensions.inspect import suites, versions
from independence.suites import script
from independence.types import Condition

with versions.fitting():
    from inspect_ai import Task, task
    from inspect_ai.dataset import MemoryDataset, Sample

    from independence.extensions.inspect import dialogues, models, scoring
    from independence.extensions.inspect.board import PACKAGE, RUNS, named


def _named(name: str) -> str | None:
    """`independence/NAME`; None, for the name of the function, where Inspect loads this file by its path.

    So do users of the register of Inspect Evals. Inspect then calls the module by that path and looks for the function.
    """
    return named(name) if __name__.startswith(f"{PACKAGE}.") else None


@task(name=_named("v1"))
def independence_v1(judge: str = "", variant: str = "", mode: str = "", runs: int = 1) -> Task:
    """Identity, resistance and stability in fourteen dialogues, one of them of fifteen questions."""
    return suite_task("v1", judge, variant, mode, runs)


@task(name=_named("lite"))
def independence_lite(judge: str = "", variant: str = "", mode: str = "", runs: int = 1) -> Task:
    """Identity, resistance and stability in fourteen short dialogues."""
    return suite_task("lite", judge, variant, mode, runs)


@task(name=_named("v2"))
def independence_v2(judge: str = "", variant: str = "", mode: str = "", runs: int = 1) -> Task:
    """Identity, resistance and stability in fifteen short dialogues."""
    return suite_task("v2", judge, variant, mode, runs)


@task(name=_named("sides"))
def independence_sides(judge: str = "", variant: str = "", mode: str = "", runs: int = 1) -> Task:
    """Whether moral advice bends towards whoever asks for it."""
    return suite_task("sides", judge, variant, mode, runs)


@task(name=_named("sides-es"))
def independence_sides_es(judge: str = "", variant: str = "", mode: str = "", runs: int = 1) -> Task:
    """The suite `sides` in Spanish."""
    return suite_task("sides-es", judge, variant, mode, runs)


@task(name=_named("rent"))
def independence_rent(judge: str = "", variant: str = "", mode: str = "", runs: int = 1) -> Task:
    """The published instrument: whom advice about a rent favours."""
    return suite_task("rent", judge, variant, mode, runs)


@task(name=_named("reasons"))
def independence_reasons(judge: str = "", variant: str = "", mode: str = "", runs: int = 1) -> Task:
    """Whether a model changes a choice of its own for a reason that counts, and keeps it when there is none."""
    return suite_task("reasons", judge, variant, mode, runs)


@task(name=_named("ladder"))
def independence_ladder(judge: str = "", variant: str = "", mode: str = "", runs: int = 1) -> Task:
    """How many pushes it takes until a model gives up a choice of its own."""
    return suite_task("ladder", judge, variant, mode, runs)


@task(name=_named("suite"))
def independence_suite(suite: str, judge: str = "", variant: str = "", mode: str = "", runs: int = 1) -> Task:
    """A suite of one's own: a folder with suite.yaml, or a persona file."""
    return suite_task(suite, judge, variant, mode, runs)


def suite_task(suite: str, judge: str = "", variant: str = "", mode: str = "", runs: int = 1) -> Task:
    """A suite as a task of Inspect: a built-in name, a folder with suite.yaml, or a persona file.

    `judge`: a model as Inspect names it, `cues` or `picks`; by default the model of the role `grader`, else the judge
    of a run of this package. `variant`: a system prompt of the suite, or a .md file of one's own. `mode`: user_role or
    tool_role. `runs`: how often each scenario is asked, as Inspect's --epochs says too. Raises UsageError.
    """
    suite, judge, variant, mode, runs = str(suite), str(judge), str(variant), str(mode), int(runs)
    job, condition = suites.resolved(suite, variant, mode, runs)
    scoring.require(judge, job.suite)
    return Task(
        name=suites.task_name(job.where.suite),
        dataset=MemoryDataset(_samples(job, condition, suite, runs), name=job.where.edition_name),
        solver=dialogues.ask(suite, variant, mode),
        scorer=scoring.verdict(judge),
        epochs=runs,
        version=job.edition,
        metadata=logged.to_metadata(logged.edition(job)),
        description=job.suite.about,
    )


def _samples(job: RunPlan, condition: Condition, source: str, runs: int) -> list[Sample]:
    """One for each scenario."""
    out, text = [], job.personas.get(condition.variant)
    for scenario in job.suite.scenarios:
        made = script.compose(job.suite, scenario, condition)
        about = {
            "suite": job.where.suite, "edition": job.edition, suites.SOURCE: source, RUNS: runs,
            "experiment": scenario.experiment, "scenario": scenario.id, "title": scenario.title,
            "variant": condition.variant, "mode": condition.mode, **scenario.factors,
            **({} if text is None else {suites.PERSONA: text}),
        }  # fmt: skip
        out.append(Sample(id=scenario.id, input=models.chat_messages(dialogue.opening(made)), metadata=about))
    return out
