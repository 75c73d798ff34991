"""The plan: which dialogues a run consists of. Pure: the same suite, subjects and numbers give the same keys."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from independence.config.options import SuitePart
from independence.config.subjects import Subject
from independence.errors import UsageError, suggestion
from independence.stats.allocation import RunNoise
from independence.store.scopes import BoardScope
from independence.suites import digest, grid, script
from independence.suites.schema import Scenario, Suite
from independence.suites.script import DialogueScript
from independence.types import Condition

# What the stored runs of each subject say of the variance of every scenario, by config_dir.
StoredNoise = Callable[[sqlite3.Connection, BoardScope], Mapping[str, RunNoise]]

# Dialogues that one command plans. Planned and compared with a store, 500,000 take a third of a GB of memory, and twice
# as many twice that; a mistyped number of runs must not fill it.
MOST = 1_000_000


class Trial(msgspec.Struct, frozen=True, gc=False):
    """One dialogue of one subject: the unit of planned work."""

    key: str
    subject: Subject
    dialogue: DialogueScript
    run: int
    seed_base: float  # in [0, 1): see `dialogue.turn_seed`
    parent: Trial | None = None
    shape: str = ""


class Selection(msgspec.Struct, frozen=True):
    """What a run covers."""

    conditions: tuple[Condition, ...]
    runs: int
    experiments: tuple[str, ...] = ()  # empty: all
    scenarios: frozenset[str] | None = None  # None: all of these experiments
    seed: int = 0  # another seed draws everything anew; 0 is not part of a trial's key
    only_run: int | None = None  # this run alone
    # (config_dir, condition) -> scenario -> runs, where scenarios are repeated unequally; else `runs` of each
    replicates: Mapping[tuple[str, Condition], Mapping[str, int]] = {}

    def covers(self, scenario: Scenario) -> bool:
        """Whether a scenario is asked for its own sake."""
        named = not self.experiments or scenario.experiment in self.experiments
        return named and (self.scenarios is None or scenario.id in self.scenarios)

    def repeated(self, config_dir: str, condition: Condition, scenario: str) -> int:
        """How many runs of a scenario a subject gets."""
        own = self.replicates.get((config_dir, condition))
        return self.runs if own is None else own.get(scenario, 0)


def select(
    suite: Suite, variants: Sequence[str], modes: Sequence[str], runs: int, experiments: Sequence[str]
) -> Selection:
    """Check names against the suite. Raises UsageError naming what exists."""
    if runs < 1:
        raise UsageError(f"--runs {runs}: at least 1 run is needed")
    chosen_variants = list(dict.fromkeys(variants)) or [suite.default.variant]
    chosen_modes = list(dict.fromkeys(modes)) or [suite.default.mode]
    _known("variant", chosen_variants, suite.variants, suite)
    _known("mode", chosen_modes, suite.delivery.modes, suite)
    check_experiments(suite, experiments)
    conditions = tuple(Condition(variant, mode) for variant in chosen_variants for mode in chosen_modes)
    return Selection(conditions, runs, tuple(experiments))


def narrowed(suite: Suite, selection: Selection, part: SuitePart) -> Selection:
    """The selection with a part of its grid's scenarios alone. Raises UsageError where there is no such part."""
    if part.sample_seed is not None and part.limit is None and part.scenarios is None:
        raise UsageError(f"--seed {part.sample_seed} says which part is drawn; add --scenarios N, of a grid --limit N")
    if not part.no_neutral and part.limit is None:
        return selection
    kept = [scenario for scenario in suite.scenarios if selection.covers(scenario)]
    if part.no_neutral:
        spare = grid.uninvolved(suite.grid) if suite.grid else ()
        if not spare:
            raise UsageError(f"--no-neutral leaves out an uninvolved side, and suite {suite.suite} has none")
        kept = [scenario for scenario in kept if scenario.side not in spare]
    if part.limit is not None:
        if not all(scenario.cell for scenario in kept):
            raise UsageError(f"--limit draws whole cells of a grid, and not all of suite {suite.suite} is one")
        return msgspec.structs.replace(selection, scenarios=grid.sample(kept, part.limit, part.sample_seed or 0))
    return msgspec.structs.replace(selection, scenarios=frozenset(scenario.id for scenario in kept))


def check_experiments(suite: Suite, experiments: Iterable[str]) -> None:
    """Raises UsageError for an experiment that the suite does not have."""
    _known("experiment", experiments, suite.experiments, suite)


def _known(what: str, names: Iterable[str], known: Iterable[str], suite: Suite) -> None:
    for name in names:
        if name not in known:
            raise UsageError(f"suite {suite.suite} has no {what} `{name}`", suggestion(name, known, "it has"))


def dialogues(suite: Suite, selection: Selection) -> list[DialogueScript]:
    """Every dialogue of a selection; a scenario that another follows is included with it."""
    ids = {scenario.id for scenario in suite.scenarios if selection.covers(scenario)}
    for scenario in reversed(suite.scenarios):
        if scenario.id in ids and scenario.follows:
            ids.add(scenario.follows)
    chosen = [scenario for scenario in suite.scenarios if scenario.id in ids]
    return [script.compose(suite, scenario, condition) for condition in selection.conditions for scenario in chosen]


def trials(suite: Suite, selection: Selection, subjects: Iterable[Subject]) -> list[Trial]:
    """Every trial of a selection, subjects in order, parents before the trials that follow them."""
    extra: dict[str, object] = {"seed": selection.seed} if selection.seed else {}
    scripts = [(dialogue, _dialogue_shape(dialogue) | extra) for dialogue in dialogues(suite, selection)]
    followed = {dialogue.scenario.follows for dialogue, _ in scripts}
    subjects = tuple(subjects)
    _refuse_vast(selection, [dialogue for dialogue, _ in scripts], subjects)
    out: list[Trial] = []
    for subject in subjects:
        by_place: dict[tuple[str, Condition, int], Trial] = {}
        own = {"model": subject.model, "endpoint": subject.endpoint, "parent": None, **subject.sent.keyed}
        # Of dialogues that continue another, each run has a parent of its own.
        alone = [None if dialogue.scenario.follows else _keys(shape | own) for dialogue, shape in scripts]
        counts = [selection.repeated(subject.config_dir, d.condition, d.scenario.id) for d, _ in scripts]
        for run in range(selection.only_run or 1, (selection.only_run or max(counts)) + 1):
            for (dialogue, shape), count, shared in zip(scripts, counts, alone, strict=True):
                if run > count:
                    continue
                scenario = dialogue.scenario
                parent = by_place[scenario.follows, dialogue.condition, run] if scenario.follows else None
                keys = shared or _keys(shape | own | {"parent": parent.key if parent else None})
                trial = Trial(keys.of(run), subject, dialogue, run, keys.seed_base, parent=parent, shape=keys.shape)
                if scenario.id in followed:
                    by_place[scenario.id, dialogue.condition, run] = trial
                out.append(trial)
    return out


def _refuse_vast(selection: Selection, scripts: Sequence[DialogueScript], subjects: Sequence[Subject]) -> None:
    """Raises UsageError for a plan that no command could carry out; making it would fill the memory."""
    count = sum(
        selection.repeated(subject.config_dir, dialogue.condition, dialogue.scenario.id)
        for subject in subjects
        for dialogue in scripts
    )
    if count > MOST:
        runs = f"{selection.runs:,} runs" if selection.runs < 10**12 else "so many runs"
        raise UsageError(f"{runs} make more than {MOST:,} dialogues, the most of one command; ask for fewer")


def calls(suite: Suite) -> int:
    """Calls of one run under the suite's condition; dialogues that say the same are asked once."""
    made = trials(suite, select(suite, (), (), 1, ()), [Subject("any/model", "any", "model")])
    return sum(dialogue.generated for dialogue in {trial.key: trial.dialogue for trial in made}.values())


def _dialogue_shape(dialogue: DialogueScript) -> dict[str, object]:
    context = {"context": digest.sha256(dialogue.context)} if dialogue.context else {}
    return context | {
        "system": digest.sha256(dialogue.system),
        "turns": digest.sha256([(turn.human, turn.reply) for turn in dialogue.turns]),
        "delivery": dialogue.condition.mode,
        "tool": digest.sha256(digest.tool_sent(dialogue.tool)),
        "max_tokens": dialogue.max_tokens,
    }


class _Keys(NamedTuple):
    """What the trials of one dialogue of one subject have in common, whatever their run."""

    shape: str
    seed_base: float
    begun: hashlib._Hash  # has read what a key is made of, up to the number of the run
    after: bytes  # the rest of it

    def of(self, run: int) -> str:
        """The key of a run."""
        whole = self.begun.copy()  # takes less time than to begin anew
        whole.update(b"%d%b" % (run, self.after))
        return whole.hexdigest()


def _keys(fields: dict[str, object]) -> _Keys:
    # Quotes within a text are escaped: only the name of a field is followed by a colon.
    before, after = digest.canonical(fields | {"run": 0}).split(b'"run":0,')
    return _Keys(
        shape=(before + after).decode(),
        seed_base=int(digest.sha256(fields | {"parent": None})[:13], 16) / 16**13,
        begun=hashlib.sha256(before + b'"run":'),
        after=b"," + after,
    )


def root(trial: Trial) -> Trial:
    """The dialogue that a trial and those before it continue; itself where it continues none."""
    return trial if trial.parent is None else root(trial.parent)


def sharded(trials: Sequence[Trial], number: int, count: int) -> tuple[list[Trial], list[Trial]]:
    """Shard `number`, counted from 1, of `count`, and the rest: every trial is in one shard, whoever grades it.

    It goes by the trial's key, so that plans which ask the same thing divide it alike; what continues a dialogue is in
    that one's shard.
    """
    own: tuple[list[Trial], list[Trial]] = ([], [])
    for trial in trials:
        own[int(root(trial).key[:16], 16) % count != number - 1].append(trial)
    return own
