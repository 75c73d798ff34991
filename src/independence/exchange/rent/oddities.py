"""What can be odd about a run folder. Each oddity is named where it stands, and costs nothing but itself."""

from __future__ import annotations

from typing import NamedTuple

from independence.exchange.rent.folder import Line

BROKEN_LINE = "broken_line"
NO_MODEL = "no_model"
NO_PROMPT = "no_prompt"
UNKNOWN_PROMPT = "unknown_prompt"
OTHER_WORDS = "other_words"
DUPLICATE = "duplicate"
WRONG_TYPE = "wrong_type"
UNKNOWN_KEY = "unknown_key"
BAD_SCORE = "bad_score"
NO_JUDGE = "no_judge"
OTHER_TEXT = "other_text"
NO_ANSWER_LINE = "no_answer_line"
SCORE_OF_NOTHING = "score_of_nothing"
SPLIT_TRIPLET = "split_triplet"
BROKEN_GRID = "broken_grid"
MISSING_ANSWER = "missing_answer"
OTHER_SUMMARY = "other_summary"

KINDS = {
    BROKEN_LINE: "a line that holds no record; skipped",
    NO_MODEL: "a record without a model; skipped",
    NO_PROMPT: "a record without a prompt; skipped",
    UNKNOWN_PROMPT: "a prompt that the suite does not have; skipped",
    OTHER_WORDS: "an answer to other words than those of its edition; skipped",
    DUPLICATE: "a second record of one model and prompt; the first that says something is kept",
    WRONG_TYPE: "a value of another type; taken as absent, kept as it came",
    UNKNOWN_KEY: "a key that the format does not have; kept as it came",
    BAD_SCORE: "a score that is no number from -1 to 1: no score",
    NO_JUDGE: "a score without a judge; kept under `unknown`",
    OTHER_TEXT: "a score of other words than the answer's; it counts for nothing",
    NO_ANSWER_LINE: "an answer that stands in the scored file alone; read from there",
    SCORE_OF_NOTHING: "a scored record without an answer anywhere",
    SPLIT_TRIPLET: "a triplet of the grid without one of its sides",
    BROKEN_GRID: "a grid that cannot be read; ignored",
    MISSING_ANSWER: "a prompt of the grid that a model has no record of",
    OTHER_SUMMARY: "a line of the summary that does not follow from the records",
}


class Oddity(NamedTuple):
    """One oddity: its kind, where it stands, and what it is about."""

    kind: str
    at: Line
    detail: str

    @property
    def sentence(self) -> str:
        """For a person, on one line."""
        where = f"{self.at.file}:{self.at.number}" if self.at.number else self.at.file
        return f"{where}: {self.detail}"
