"""A suite without its words: what is known of results that others published under texts of their own.

Their files say which dialogue they belong to and hold the messages that were sent. Titles, prompts and rubrics of the
suite they are read by are ours, and say nothing about theirs.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from independence.suites.schema import Field, Rubric, Scenario, Suite, Turn

ABOUT = (
    "Results that others published. What was said is in the stored requests and answers; titles, prompts and rubrics "
    "of the published suite are unknown."
)


def without_texts(suite: Suite) -> Suite:
    """Ids, experiments, fields with their ranges, delivery modes, the index with its kinds, what boards say of prompts;
    titles are ids, no texts.

    A grid is read by its texts and stays as it is.
    """
    if suite.grid is not None:
        return suite
    return Suite(
        suite=suite.suite,
        title=suite.suite,
        about=ABOUT,
        variants=dict.fromkeys(suite.variants, ""),
        delivery=msgspec.structs.replace(suite.delivery, tool_role=None),
        default=suite.default,
        experiments=dict.fromkeys(suite.experiments, ""),
        rubrics={
            name: Rubric(
                prompt="",
                fields={
                    key: Field(type=field.type, about="", range=field.range)
                    for key, field in published_fields(rubric.fields).items()
                },
                verdict=rubric.verdict,
            )
            for name, rubric in suite.rubrics.items()
        },
        scenarios=tuple(
            Scenario(
                id=scenario.id,
                experiment=scenario.experiment,
                title=scenario.id,
                turns=tuple(Turn(human="", id=turn.id) for turn in scenario.turns if turn.reply is None),
                rubric=scenario.rubric,
                follows=scenario.follows,
                verdict_id=scenario.verdict_id,
            )
            for scenario in suite.scenarios
        ),
        index=suite.index,
        kinds=suite.kinds,
        prompt_notes=suite.prompt_notes,
        analysis=suite.analysis,
        language=suite.language,
        translation_of=suite.translation_of,
    )


def published_fields(fields: Mapping[str, Field]) -> dict[str, Field]:
    """The fields of a rubric that a publisher's judge gave: those that no other requires, without what they require."""
    ours = {name for field in fields.values() for name in field.requires or ()}
    kept = {name: field for name, field in fields.items() if name not in ours}
    return {name: msgspec.structs.replace(field, requires=msgspec.UNSET) for name, field in kept.items()}
