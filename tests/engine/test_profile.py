"""What to expect of a call: the subject's own calls before others', others' before published means."""

from __future__ import annotations

import pytest

from independence.engine.plan import Trial
from independence.engine.profile import EVERYBODY, OWN, PUBLISHED, SUITE, Cell, Guess, Profile
from independence.judge.spec import DEFAULT_JUDGE, JudgeSpec
from independence.suites.load import Loaded

from . import planned

ME = planned.SUBJECT.config_dir
JUDGE = JudgeSpec("acme/judge", endpoint="openrouter", model="acme/judge")
PLACE = ("firm/tool_role", "radio", 0)


@pytest.fixture
def radio(toy_suite: Loaded) -> Trial:
    return planned.trials(toy_suite.suite)["radio", 1]


def kinds(guess: Guess) -> set[str]:
    return {factor.name[0] for factor in guess.factors}


def test_an_empty_profile_gives_the_published_means(radio: Trial) -> None:
    guess = Profile().completion(radio, 0)
    assert (guess.tokens, guess.source) == (341.0, PUBLISHED)
    assert kinds(guess) == {"subject", "turn", "pair"}
    assert Profile().prompt(radio, 0, 77.0)[:2] == (77.0, PUBLISHED)
    assert Profile().verdict(JUDGE, radio)[:2] == (149.0, PUBLISHED)
    assert Profile().grading(JUDGE, radio, 88.0)[:2] == (88.0, PUBLISHED)


def test_the_unknown_spreads_add_up_to_that_of_all_published_answers(radio: Trial) -> None:
    # 0.25 from run to run comes on top; the four together are the 0.69 of all answers.
    spread = sum(factor.sd**2 for factor in Profile().completion(radio, 0).factors) + 0.25**2
    assert spread**0.5 == pytest.approx(0.69, abs=0.01)


def test_what_others_took_stands_in_for_a_new_subject(radio: Trial) -> None:
    others = {(EVERYBODY, "radio", 0): Cell(500.0, 40, subjects=4)}
    guess = Profile(completions=others, prompts={(EVERYBODY, *PLACE): Cell(900.0, 40, 4)}).completion(radio, 0)
    assert (guess.tokens, guess.source) == (500.0, SUITE)
    assert kinds(guess) == {"subject", "pair"}
    few = Profile(completions={(EVERYBODY, "radio", 0): Cell(500.0, 1)}).completion(radio, 0)
    subject = {guess: next(f.sd for f in guess.factors if f.name[0] == "subject") for guess in (guess, few)}
    assert 0.52 < subject[guess] < subject[few]  # one other subject says less than four


def test_a_subjects_own_calls_leave_nothing_open_but_their_mean(radio: Trial) -> None:
    profile = Profile(completions={(ME, "radio", 0): Cell(80.0, 25), (EVERYBODY, "radio", 0): Cell(500.0, 65, 2)})
    guess = profile.completion(radio, 0)
    assert (guess.tokens, guess.source) == (80.0, OWN)
    assert [factor.sd for factor in guess.factors] == [pytest.approx(0.25 / 5)]


def test_a_turn_it_was_not_asked_is_what_others_took_at_its_own_length(radio: Trial) -> None:
    others = {(EVERYBODY, "radio", 0): Cell(500.0, 40, 4)}
    guess = Profile(completions=others, levels={ME: Cell(3.0, 12)}).completion(radio, 0)
    assert (guess.tokens, guess.source) == (1500.0, OWN)
    assert kinds(guess) == {"pair"}
    assert Profile(levels={ME: Cell(3.0, 12)}).completion(radio, 0).tokens == pytest.approx(3 * 341)


def test_prompts_are_read_off_requests_in_the_same_words(radio: Trial) -> None:
    profile = Profile(prompts={(ME, *PLACE): Cell(600.0, 3), (EVERYBODY, *PLACE): Cell(700.0, 9, 3)})
    assert profile.prompt(radio, 0, 1.0) == Guess(600.0, OWN, ())
    assert profile.prompt(radio, 1, 1.0).tokens == 1.0
    stranger = Profile(prompts={(EVERYBODY, *PLACE): Cell(700.0, 9, 3)}).prompt(radio, 0, 1.0)
    assert (stranger.tokens, stranger.source, kinds(stranger)) == (700.0, SUITE, {"tokenizer"})


def test_a_judge_is_known_by_its_verdicts_on_the_scenario_or_on_any(radio: Trial) -> None:
    here, anywhere = {(JUDGE.name, "radio"): Cell(40.0, 5)}, {(JUDGE.name, ""): Cell(60.0, 9)}
    assert Profile(verdicts=here | anywhere).verdict(JUDGE, radio) == Guess(40.0, OWN, ())
    assert Profile(verdicts=anywhere).verdict(JUDGE, radio) == Guess(60.0, OWN, ())
    read = Profile(gradings={(JUDGE.name, "radio"): Cell(1500.0, 5)})
    assert read.grading(JUDGE, radio, 1.0) == Guess(1500.0, OWN, ())
    other = Profile(gradings={(EVERYBODY, "radio"): Cell(1200.0, 5)}).grading(JUDGE, radio, 1.0)
    assert (other.tokens, other.source, kinds(other)) == (1200.0, SUITE, {"judge tokenizer"})


def test_the_published_means_are_the_published_judges_own(radio: Trial) -> None:
    published = JudgeSpec(DEFAULT_JUDGE, endpoint="openrouter", model=DEFAULT_JUDGE)
    assert Profile().verdict(published, radio).factors == ()
    assert kinds(Profile().verdict(JUDGE, radio)) == {"judge"}
