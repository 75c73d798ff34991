"""What only `independence view` answers, beside the documents: what a run is doing, and ratings by people."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from independence.store.progress import ProgressRow
from independence.types import Scalar


class ChangesDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`api/changes`, and the event `changes` of its stream. Another `version` means that there are new results."""

    schema: int
    version: str
    at: float  # the server's clock, seconds since 1970; what `runs` tells in moments is by it
    writable: bool  # false: ratings cannot be sent, only downloaded
    runs: tuple[ProgressRow, ...]  # the newest first; `gone`: killed, and nobody has resumed it


LiveCell = tuple[int, int, int, int, int, int]


class LiveFailure(msgspec.Struct, frozen=True, kw_only=True):
    """Calls of one subject that came to nothing in the same words."""

    subject: str  # slug
    label: str
    what: str  # id of a turn; of a verdict the judge
    kind: str  # `GaveUp`, `Refused` ...: asked again by the same command; else why it is missing
    detail: str  # of the last one
    times: int
    scenarios: int  # in how many
    scenario: str  # of the last one
    run: int
    at: str  # when that was


class LiveDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`api/live/BOARD`, and the event `board`: how far every subject is with every scenario.

    `cells[i][j]` is subject i with scenario j, in dialogues: planned; of them held by a process now; answered; of those
    judged; failed and not taken up again. The rest waits. Last the number of the run to look at: one in progress, else
    one that failed, else the first.
    """

    schema: int
    board: str
    subjects: tuple[str, ...]  # slugs
    labels: tuple[str, ...]
    scenarios: tuple[str, ...]
    cells: tuple[tuple[LiveCell | None, ...], ...]  # null: nothing is planned
    answers: int
    verdicts: int
    failures: tuple[LiveFailure, ...]  # the newest first


class Rating(msgspec.Struct, frozen=True, kw_only=True):
    """One dialogue scored by a person who did not see who wrote it."""

    item: str  # first 16 hexadecimal digits of the dialogue's digest
    values: dict[str, Scalar]  # by the rubric's fields, all of them
    seconds: float | None = None
    guess: str = ""  # whom the rater took it to be by


class PairRating(msgspec.Struct, frozen=True, kw_only=True):
    """Two dialogues of one scenario compared by a person. `first` was shown first."""

    first: str  # item
    second: str
    better: Literal["first", "second", "equal", "skipped"]
    seconds: float | None = None


class RatingsFile(msgspec.Struct, frozen=True, kw_only=True):
    """`ratings.json`, as the page saves it and sends it to `api/ratings`."""

    schema: int
    rater: str  # a name of their own choice
    dataset: str = ""
    ratings: tuple[Rating, ...] = ()
    pairs: tuple[PairRating, ...] = ()


class RatingsReceipt(msgspec.Struct, frozen=True, kw_only=True):
    """What `api/ratings` says when it has stored them."""

    schema: int
    stored: int  # verdicts that were not there before
    notes: tuple[str, ...]


SERVED_ROOTS: Final = (ChangesDocument, LiveDocument, RatingsFile, RatingsReceipt)
