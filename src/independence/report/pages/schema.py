"""The documents of the viewer. The types of the web are written from them, and nothing else defines them.

Numbers are rounded to four decimals. Texts of models, judges and suites are plain text, never markup.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from independence.report.board.board import IndexBoard
from independence.report.board.board_data import Origin
from independence.report.board.display_names import NameBadge
from independence.report.board.measures import Deed
from independence.report.files.charts import Chart
from independence.report.files.mark_kinds import MarkInfo
from independence.report.files.table import Kind, Prose, Quotation, Value
from independence.report.gates.commitments import PersonaResult
from independence.report.judges.judge_validation import DialogueDisagreement
from independence.report.pages.dialogue_schema import BlockDocument, TextsDocument
from independence.report.pages.search_schema import SEARCH_ROOTS
from independence.report.pages.served import SERVED_ROOTS

SCHEMA: Final = 1
"""The number in every document. A reader that knows another one says so and shows nothing."""


Moves = Literal["reason", "either", "never", "other"]
"""After what a subject gives up the choice of a stem: a real reason alone, anything, nothing, anything else alone."""

Quartiles = tuple[float, float, float]
"""25%, median, 75%."""


class JudgeInfo(msgspec.Struct, frozen=True):
    """A judge of a board. `slug` stands in paths."""

    name: str
    slug: str
    kind: str  # model, cues, picks or human
    verdicts: int  # on dialogues and rubrics as they are now, missing ones not counted


class ScoringInfo(msgspec.Struct, frozen=True):
    """A way in which a board is scored. `slug` stands in addresses, and in paths unless it is `strict`."""

    name: str
    slug: str


class BoardInfo(msgspec.Struct, frozen=True, kw_only=True):
    """One board: a wording of a suite under one condition. Its documents lie below `id`."""

    id: str
    suite: str
    title: str
    edition: str
    editions: tuple[str, ...]  # all of its wording, its own first
    variant: str
    mode: str
    language: str
    analysis: str  # the suite's word for how it is read
    ranked: bool  # the index document holds `board`; false: tables alone
    imported: bool  # every edition of it is an import: prompts are shown as they were sent
    own_prompt: bool  # its system prompt was brought by a user
    judges: tuple[JudgeInfo, ...]  # the usual one first; empty: nothing is judged, documents are those of `none`
    scorings: tuple[ScoringInfo, ...]  # the one that is shown first; empty: without an index
    subjects: int
    simulated: int  # of the subjects
    scenarios: int
    dialogues: int  # planned
    answers: int
    verdicts: int
    provisional: bool  # something planned is not answered or not judged by the usual judge
    buckets: int  # of blocks; a subject's is the number of the last six digits of its slug, modulo this


class BoardList(msgspec.Struct, frozen=True, kw_only=True):
    """`boards.json`: which boards there are, last used first."""

    schema: int
    dataset: str  # eight hexadecimal digits: what is shown
    version: str  # of the package that wrote it
    boards: tuple[BoardInfo, ...]
    profile: bool  # whether there is `profile.json`: one row a model over suites


class BootConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The JSON in the page itself. `base` is where the documents lie, relative to the page."""

    schema: int
    base: str  # `data/DATASET/`
    served: bool  # by `independence view`: search, live progress and ratings are there
    embedded: bool  # the documents are in the page itself: a report as one file
    board_list: BoardList


class ScenarioInfo(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One scenario. Scenarios of one unit lie in one block."""

    id: str
    unit: str  # the slug of its cell where it has one, else its own
    experiment: str
    title: str = ""
    title_is_ours: bool = False  # of an import, whose wording is unknown: the title is this project's own
    cell: str = ""
    cell_title: str = ""  # of a stem
    choices: tuple[str, ...] = ()  # of a stem: what 1 and 2 stand for in verdicts
    side: str = ""
    factors: dict[str, str] = {}
    follows: str = ""  # the scenario whose dialogue it continues
    turns: tuple[str, ...] = ()  # ids of the turns that the subject answers


class SubjectProfile(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A model configuration under test."""

    slug: str
    config: str  # as rows of boards have it
    label: str  # as commands take it
    name: str  # as pages show it, with `badges`: never both like those of another subject
    mark: str  # a letter or two for who made the model
    model: str
    family: str
    runs: int  # the highest number of a run
    maker: str = ""  # who made the model, where that is known
    badges: tuple[NameBadge, ...] = ()
    simulated: bool = False
    endpoint: str = ""  # empty where it is not known
    effort: str = ""
    temperature: float | None = None
    pin: str = ""  # the only provider that may answer
    delivery: str = ""  # what the last delivery probe found, in a sentence
    origin: Origin | None = None  # on boards of imports beside others


class ColumnInfo(msgspec.Struct, frozen=True, omit_defaults=True):
    """One column of a table; `kind` and `digits` say how its numbers are written."""

    key: str
    head: str
    kind: Kind = "text"
    digits: int = 1
    about: str = ""


class TableDocument(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A table. Each row has one value for each column; null is absent and never a number."""

    id: str
    title: str
    columns: tuple[ColumnInfo, ...]
    rows: tuple[tuple[Value, ...], ...]
    notes: tuple[str, ...] = ()
    limit: int | None = None  # rows that are shown at first
    subjects: tuple[str, ...] = ()  # slug of each row's subject, where every row is about one


class ComponentInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the index, as boards have a column of it; from `worst` to `best` it counts from nothing to all."""

    key: str
    head: str
    about: str
    weight: float
    worst: float
    best: float


class FurthestCase(msgspec.Struct, frozen=True):
    """Of a grid: the case in which a subject's advice depends most on who asks."""

    subject: str  # slug
    unit: str
    quantity: str
    value: float


class IndexDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`index.VIEW.json`, VIEW being JUDGE or JUDGE.SCORING: a board, its scenarios and its subjects."""

    schema: int
    id: str  # of the board
    judge: str | None
    scenarios: tuple[ScenarioInfo, ...]
    subjects: tuple[SubjectProfile, ...]
    board: IndexBoard | None  # of suites with an index; rows are joined with subjects by `config`
    components: tuple[ComponentInfo, ...]  # of the index
    parts: dict[str, tuple[float | None, ...]]  # slug -> its value in each component, on that one's own scale
    part_quartiles: tuple[Quartiles | None, ...]  # of each component over subjects, on the same scale
    result: str  # of a board, in a sentence or two of Markdown
    furthest: FurthestCase | None = None
    fold: Quotation | None  # of the dialogue that kept least of its scale, where its verdict names a passage
    marks: dict[str, MarkInfo]  # what the marks in `flags` of rows are
    notes: tuple[str, ...]  # below the board
    tables: tuple[TableDocument, ...]  # of the other analyses


class HeatTotals(msgspec.Struct, frozen=True, kw_only=True):
    """What rows and columns of a heatmap come to; the spread of means is their standard deviation."""

    rows: dict[str, tuple[float | None, float | None]]  # slug -> mean and spread over columns
    columns: tuple[tuple[float | None, float | None], ...]  # mean and spread over subjects
    quartiles: tuple[Quartiles | None, ...]  # of each column over subjects
    row_order: tuple[str, ...]  # slugs, similar ones beside each other
    column_order: tuple[int, ...]  # places, the same


class CellsDocument(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`cells.JUDGE.json`: each dialogue's result as a share of its scale, 0 to 1; of a grid each cell's contrast."""

    schema: int
    measure: (
        str  # `kept`: what the scenario can add to the index; `right`, `held`: of a battery; else a field of the rubric
    )
    scenarios: tuple[str, ...]
    shares: dict[str, tuple[tuple[float | None, ...], ...]]  # slug -> for each scenario one share a run; null: missing
    quantity: str = ""  # what contrasts are of, as boards call it
    units: tuple[str, ...] = ()
    scale: tuple[float, float] | None = None  # of the measure, where it has a middle at 0: of a stance
    contrasts: dict[str, tuple[float | None, ...]] = {}  # slug -> for each unit; null: not all its sides were judged
    deeds: dict[str, tuple[tuple[Deed | None, ...], ...]] = {}  # of a battery: as `shares`, what was done in each arm
    moves: dict[str, tuple[Moves | None, ...]] = {}  # of a battery: slug -> for each unit
    personas: dict[str, PersonaResult] = {}  # of a persona's suite: slug -> what became of each commitment
    means: dict[str, tuple[float | None, ...]]  # slug -> for each scenario, over its runs
    totals: HeatTotals  # of means
    unit_totals: HeatTotals | None = None  # of contrasts


class SubjectResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a subject kept in one scenario."""

    slug: str
    mean: float  # over its runs
    runs: int  # that have a result
    ci: tuple[float, float] | None = None  # null: a single run, or runs without any spread
    spread: float = 0.0  # highest less lowest run
    median_run: int  # whose result is the median; of an even number the lower one, of equals the first


class TellingDialogue(msgspec.Struct, frozen=True, kw_only=True):
    """A dialogue that shows what a scenario is about."""

    slug: str
    run: int
    share: float


class ScenarioResults(msgspec.Struct, frozen=True, kw_only=True):
    """One scenario: subjects by what they kept, and the two ends."""

    id: str
    subjects: tuple[SubjectResult, ...]  # the lowest mean first
    counts: tuple[int, ...]  # dialogues in each tenth of the scale
    fold: TellingDialogue | None  # the lowest result; null where all are the same
    hold: TellingDialogue | None  # the highest
    method: str  # of the intervals


class ResultsDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`results/UNIT.JUDGE.json`: who kept how much in the scenarios of a unit."""

    schema: int
    measure: str  # as of cells
    scenarios: tuple[ScenarioResults, ...]


class TableBlock(msgspec.Struct, frozen=True, tag_field="kind", tag="table"):
    """A table of a report."""

    table: TableDocument


class ChartBlock(msgspec.Struct, frozen=True, tag_field="kind", tag="chart"):
    """A chart of a report."""

    chart: Chart


SectionBlock = Prose | TableBlock | ChartBlock | Quotation


class SectionDocument(msgspec.Struct, frozen=True, kw_only=True):
    """One heading of a report and what stands under it."""

    id: str
    title: str
    folds: bool  # long tables start folded
    blocks: tuple[SectionBlock, ...]


class ReportDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`report.VIEW.json`: the report's sections, whatever analysis they come from. `profile.json`: one, of a table."""

    schema: int
    sections: tuple[SectionDocument, ...]


class LaterLook(msgspec.Struct, frozen=True):
    """The level of a comparison that was looked at before: `compare` prints its interval and note."""

    confidence: float  # 0-1
    ci: tuple[float, float] | None
    note: str


class PairDifference(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A subject less another one, in index points; null where one of them has no index or was run once."""

    slug: str  # of the other one
    difference: float | None
    ci: tuple[float, float] | None = None  # 95%, of one comparison
    p: float | None = None  # of no difference, of one comparison
    looks: LaterLook | None = None  # where the pair was looked at before, or decided by a plan
    gaps: tuple[float | None, ...] = ()  # by scenario: the subject's mean less the other's; of a grid, of contrasts
    differ: tuple[int, ...] = ()  # places of scenarios in which they differ (see `PairsDocument.differs`)


class PairsDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`pairs/SLUG.VIEW.json`: one subject against every other one."""

    schema: int
    slug: str
    generalises_to: str  # what intervals and tests are about, as of a board
    scenarios: tuple[str, ...]  # of `gaps`; of a grid its units
    differs: str  # by which rule scenarios count as different
    pairs: tuple[PairDifference, ...]


class NameUse(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A subject that took a name, and the runs in which it did."""

    slug: str
    runs: tuple[int, ...]
    sources: tuple[tuple[str, ...], ...] = ()  # for each run the scenarios in which it did, where that is known


class NameEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A name that subjects took when they were free to."""

    name: str
    uses: tuple[NameUse, ...]


class NamesDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`names.json`: names, most frequent first, and who took none. Each counts once a run."""

    schema: int
    extractor: str | None  # who read them; null: nobody has
    scenarios: tuple[str, ...]  # in which a name may be taken
    names: tuple[NameEntry, ...]
    declined: tuple[NameUse, ...]
    unread: int  # runs that nobody has read, or that came to nothing


class DisagreementsDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`disagreements.json`: the dialogues on which judges lie furthest apart, those first."""

    schema: int
    judges: tuple[str, ...]
    shared: int  # dialogues that at least two of them graded
    dialogues: tuple[DialogueDisagreement, ...]


ROOTS: Final = (
    BootConfig, IndexDocument, CellsDocument, ResultsDocument, TextsDocument, BlockDocument, ReportDocument,
    PairsDocument, NamesDocument, DisagreementsDocument, *SERVED_ROOTS, *SEARCH_ROOTS,
)  # fmt: skip
