# What others may use, and what is loaded when the first rubric asks for it.
from independence.judge.cues import character as character
from independence.judge.cues import favour as favour
from independence.judge.cues import identity as identity
from independence.judge.cues import reading as reading
from independence.judge.cues import words as words
