"""The rule judge: no model, no key, no network. Grades by phrases, word overlap, names and style alone."""

from independence.judge.cues.grading import grade

__all__ = ["grade"]
