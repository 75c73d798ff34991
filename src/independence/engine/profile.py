"""How many tokens a call will take, from what calls took before, and how unsure that is.

An expectation is a mean and the factors it may be off by. A factor is log-normal with mean 1; calls that share one are
off together (a wordy subject is wordy everywhere), all others on their own. The spreads were measured on the published
V2 answers: the logarithm of an answer's tokens has SD 0.69, of which 0.52 lies between subjects, 0.34 between turns,
0.20 in how one subject takes one turn, and 0.25 between runs. Prompts differ by tokenizer (0.27).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

import msgspec

from independence.engine.plan import Trial
from independence.judge.spec import DEFAULT_JUDGE, JudgeSpec

SUBJECT, TURN, PAIR, RUN = 0.52, 0.34, 0.20, 0.25
TOKENIZER, PROMPT_RUN, VERDICT_RUN = 0.27, 0.12, 0.18
ANSWER_TOKENS, VERDICT_TOKENS = 341.0, 149.0  # published means
RUBRIC_TOKENS = 550.0  # where a suite's rubrics are not at hand
STEP_TOKENS = 300.0  # what a judge writes at a step, where nobody has yet: taken to be nearly as long as an answer
CHARACTERS_PER_TOKEN, TOOL_TOKENS = 4.1, 218.0  # least squares over the published requests
OWN: Final = "own runs"
SUITE: Final = "this suite's runs"
PUBLISHED: Final = "published means"
Source = Literal["own runs", "this suite's runs", "published means"]
EVERYBODY = ""  # in place of a config_dir: the mean over subjects, each counting once
ANY = ""  # in place of a scenario: all of them


class Factor(NamedTuple):
    """Something that calls are off by together."""

    name: tuple[str, ...]
    sd: float  # of its logarithm


class Guess(NamedTuple):
    """What to expect of one number of one call."""

    tokens: float
    source: Source
    factors: tuple[Factor, ...]


class Cell(NamedTuple):
    """Mean tokens of stored calls."""

    tokens: float
    calls: int
    subjects: int = 1


Cells = Mapping[tuple[str | int, ...], Cell]


class Asked(NamedTuple):
    """What a judge is asked in one call, and what it is shown there."""

    tokens: float  # of the prompt by itself
    transcript: bool = True
    answer: bool = False  # the last one alone
    steps: tuple[str, ...] = ()  # whose outputs it is shown
    step: str = ""  # what is to be written; empty: the verdict


class Profile(msgspec.Struct, frozen=True):
    """What stored runs say about tokens; empty where there are none. Prompts count only in the edition's own words."""

    completions: Cells = {}  # (config_dir, scenario, turn)
    prompts: Cells = {}  # (config_dir, condition, scenario, turn)
    levels: Mapping[str, Cell] = {}  # config_dir -> its answers' length over what others took for the same
    verdicts: Cells = {}  # (judge, scenario)
    gradings: Cells = {}  # (judge, scenario): tokens of what the judge read
    steps: Cells = {}  # (judge, step)
    rubrics: Mapping[str, tuple[Asked, ...]] = {}  # scenario -> steps of its rubric, and the verdict

    def completion(self, trial: Trial, turn: int) -> Guess:
        """Tokens of an answer: the subject's own, or what others took (else the published mean) times its level."""
        config, scenario = trial.subject.config_dir, trial.dialogue.scenario.id
        own = self.completions.get((config, scenario, turn))
        if own:
            mean = Factor(("own", config, scenario, str(turn)), RUN / own.calls**0.5)
            return Guess(own.tokens, OWN, (mean,))
        usual = self.completions.get((EVERYBODY, scenario, turn))
        pair = Factor(("pair", config, scenario, str(turn)), PAIR)
        factors: tuple[Factor, ...] = (pair,) if usual else (pair, Factor(("turn", scenario, str(turn)), TURN))
        tokens = usual.tokens if usual else ANSWER_TOKENS
        level = self.levels.get(config)
        if level:
            return Guess(tokens * level.tokens, OWN, factors)
        factors += (Factor(("subject", config), SUBJECT * (1 + 1 / usual.subjects) ** 0.5 if usual else SUBJECT),)
        return Guess(tokens, SUITE, factors) if usual else Guess(tokens, PUBLISHED, factors)

    def prompt(self, trial: Trial, turn: int, text: float) -> Guess:
        """Tokens of a request; `text` is the estimate from the length of its texts."""
        config, place = trial.subject.config_dir, (str(trial.dialogue.condition), trial.dialogue.scenario.id, turn)
        own = self.prompts.get((config, *place))
        if own:
            return Guess(own.tokens, OWN, ())
        usual = self.prompts.get((EVERYBODY, *place))
        tokenizer = Factor(("tokenizer", config), TOKENIZER)
        if usual:
            return Guess(usual.tokens, SUITE, (tokenizer,))
        return Guess(text, PUBLISHED, (tokenizer,))

    def verdict(self, judge: JudgeSpec, trial: Trial) -> Guess:
        """Tokens of a verdict: this judge's own, else the published judge's."""
        for scenario in (trial.dialogue.scenario.id, ANY):
            own = self.verdicts.get((judge.name, scenario))
            if own:
                return Guess(own.tokens, OWN, ())
        published = judge.name == DEFAULT_JUDGE
        return Guess(VERDICT_TOKENS, PUBLISHED, () if published else (Factor(("judge", judge.name), SUBJECT),))

    def grading(self, judge: JudgeSpec, trial: Trial, text: float) -> Guess:
        """Tokens a judge reads; `text` is the estimate from the length of its texts."""
        scenario = trial.dialogue.scenario.id
        own = self.gradings.get((judge.name, scenario))
        if own:
            return Guess(own.tokens, OWN, ())
        usual = self.gradings.get((EVERYBODY, scenario))
        tokenizer = Factor(("judge tokenizer", judge.name), TOKENIZER)
        if usual:
            return Guess(usual.tokens, SUITE, (tokenizer,))
        return Guess(text, PUBLISHED, (tokenizer,))

    def step(self, judge: JudgeSpec, step: str) -> Guess:
        """Tokens of what a judge writes at a step."""
        own = self.steps.get((judge.name, step))
        if own:
            return Guess(own.tokens, OWN, ())
        return Guess(min(STEP_TOKENS, judge.max_tokens), PUBLISHED, (Factor(("judge", judge.name), SUBJECT),))

    def reading(self, judge: JudgeSpec, text: float) -> Guess:
        """Tokens a judge reads before it writes a step; `text` is the estimate from the length of its texts."""
        return Guess(text, PUBLISHED, (Factor(("judge tokenizer", judge.name), TOKENIZER),))

    def rubric(self, trial: Trial) -> tuple[Asked, ...]:
        """What a judge is asked about a dialogue, call by call; the verdict comes last."""
        return self.rubrics.get(trial.dialogue.scenario.id, (Asked(RUBRIC_TOKENS),))
