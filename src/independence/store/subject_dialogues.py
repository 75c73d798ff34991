"""The dialogues of one subject with what one judge made of them, as columns."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from itertools import compress
from operator import itemgetter
from typing import Any, NamedTuple, Self, TypeVar

import msgspec

from independence.store.spending import Dates, ends

V = TypeVar("V", bound=str | int | None)


class DialogueColumns(NamedTuple):
    """Planned dialogues with one verdict each, in the order in which they are read; no judge where there is none."""

    scenario: list[str]
    run: list[int]
    experiment: list[str]
    particular: list[str | None]  # key of the trial; None where nothing is to be said of it but what stands here
    said: list[str | None]  # as of a `TrialState`; None while it is unfinished, as the next four
    words: list[str | None]
    thought: list[int | None]
    first_at: list[str | None]
    last_at: list[str | None]
    judge: list[str | None]
    valid: list[int]  # whether a verdict came, and is not missing
    rubric: list[str | None]
    layout: list[int | None]  # row in `field_sets`
    values: list[bytes | None]
    judged_at: list[str | None]


class Coded(NamedTuple):
    """A column of few different values."""

    names: list[Any]  # each value once
    codes: bytes  # little-endian `uint32` each: places in `names`

    @classmethod
    def of(cls, column: Sequence[V]) -> Self:
        """A column."""
        names = list(dict.fromkeys(column))
        places = {name: at for at, name in enumerate(names)}
        return cls(names, struct.pack(f"<{len(column)}I", *map(places.__getitem__, column)))

    @property
    def values(self) -> list[Any]:
        """The column itself."""
        return [self.names[at] for at in struct.unpack(f"<{len(self.codes) // 4}I", self.codes)]


class SubjectDialogues(msgspec.Struct, frozen=True):
    """Planned dialogues by run and scenario; what the columns hold, `DialogueColumns` say."""

    scenario: Coded
    run: Coded
    experiment: Coded
    rubric: Coded
    layout: Coded
    values: list[bytes | None]
    said: list[str | None]
    words: str  # of all finished dialogues
    thought: bool  # in any of them
    particular: dict[int, str]  # by place
    judges: list[str]  # whose verdicts these are; several only where nobody asked for one
    valid: int  # verdicts
    dates: Dates  # of replies, and of valid verdicts
    judged_at: list[str]  # empty where no dialogue has several verdicts

    @classmethod
    def of(cls, rows: Iterable[tuple[Any, ...]]) -> Self:
        """From rows with a value of each of `DialogueColumns`. Of several verdicts on a dialogue the order stays."""
        read = DialogueColumns._make(map(list, zip(*sorted(rows, key=itemgetter(1, 0)), strict=True)))
        words = dict(zip(zip(read.run, read.scenario, strict=True), read.words, strict=True))  # once a dialogue
        return cls(
            scenario=Coded.of(read.scenario),
            run=Coded.of(read.run),
            experiment=Coded.of(read.experiment),
            rubric=Coded.of(read.rubric),
            layout=Coded.of(read.layout),
            values=read.values,
            said=read.said,
            words="".join(filter(None, words.values())),
            thought=any(read.thought),
            particular={at: key for at, key in enumerate(read.particular) if key is not None},
            judges=list(dict.fromkeys(filter(None, read.judge))),
            valid=sum(read.valid),
            dates=ends([*read.first_at, *read.last_at], compress(read.judged_at, read.valid)),
            judged_at=[at or "" for at in read.judged_at] if len(words) < len(read.run) else [],
        )

    def __len__(self) -> int:
        return len(self.said)

    def newest(self, rubrics: Mapping[str, str]) -> SubjectDialogues:
        """One verdict a dialogue: of several that count alike the newest; one to be looked at before all others.

        `rubrics`: scenario -> digest that its verdicts count under.
        """
        if not self.judged_at:
            return self
        places: dict[tuple[int, str], list[int]] = {}
        scenario, rubric = self.scenario.values, self.rubric.values
        for at, spot in enumerate(zip(self.run.values, scenario, strict=True)):
            places.setdefault(spot, []).append(at)
        chosen = []
        for own in places.values():
            counting = [at for at in own if rubric[at] == rubrics.get(scenario[at])] or own
            aside = next((at for at in own if at in self.particular), None)
            chosen.append(max(reversed(counting), key=self.judged_at.__getitem__) if aside is None else aside)
        return self._taken(chosen)

    def _taken(self, places: Sequence[int]) -> SubjectDialogues:
        def take(column: Sequence[Any]) -> list[Any]:
            return [column[at] for at in places]

        return msgspec.structs.replace(
            self,
            scenario=Coded.of(take(self.scenario.values)),
            run=Coded.of(take(self.run.values)),
            experiment=Coded.of(take(self.experiment.values)),
            rubric=Coded.of(take(self.rubric.values)),
            layout=Coded.of(take(self.layout.values)),
            values=take(self.values),
            said=take(self.said),
            particular={new: self.particular[at] for new, at in enumerate(places) if at in self.particular},
            judged_at=[],
        )
