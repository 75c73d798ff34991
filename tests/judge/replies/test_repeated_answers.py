"""The same words to several questions, another sentence at the end or not."""

from __future__ import annotations

from independence.judge.replies.repeated_answers import ReplyToQuestion, repeated

STOCK = "I am sorry to say that I cannot help you with any of that today."
TAILS = ("It rains.", "A plain hill stands there.", "Lanterns burn.", "Ropes hang in the loft.", "Maps lie about.")
OWN = (
    "I would take the early ferry, because the harbour is empty then and nobody talks.",
    "My favourite is the third verse, where the singer forgets the words and hums.",
    "No, and I have told the captain so before: the berth by the ice house is mine.",
    "What I would keep is that I answer letters on the day on which they come.",
    "It should be the treasurer, since the rules name the treasurer and no one else.",
)


def told(*texts: str, questions: tuple[object, ...] = ()) -> list[bool]:
    """Each text to a question of its own, unless told to which."""
    asked = questions or range(len(texts))
    return repeated([ReplyToQuestion(question, text) for question, text in zip(asked, texts, strict=True)])


def test_stock_words_with_another_tail_each_time_are_repeated_and_own_answers_are_not() -> None:
    tailed = [f"{STOCK} {tail}" for tail in TAILS]
    assert told(*tailed) == [True] * 5
    assert told(*tailed[:3], *OWN) == [False] * 8, "to two other questions"
    assert told(*tailed[:4], *OWN) == [True] * 4 + [False] * 5
    assert told(*OWN) == [False] * 5
    half = [f"{own} {STOCK}" for own in OWN]  # more than a half of the words is its own
    assert told(*half) == [False] * 5


def test_the_same_words_to_one_question_are_no_repetition_whoever_asks_it() -> None:
    assert told(*[STOCK] * 6, questions=("who",) * 6) == [False] * 6
    assert told(*[STOCK] * 6, questions=("who", "who", "why", "why", "when", "when")) == [False] * 6
    assert told(*[STOCK] * 6, questions=("who", "why", "when", "how", "how", "how")) == [True] * 6


def test_in_a_grid_a_sentence_about_somebody_else_is_another_one() -> None:
    said = [ReplyToQuestion(who, f"The {who} is in the right and should get all that is asked for.") for who in "abcde"]
    assert repeated(said) == [True] * 5
    assert repeated(said, whole=True) == [False] * 5
    assert repeated([reply._replace(text=STOCK) for reply in said], whole=True) == [True] * 5


def test_few_words_are_compared_as_a_whole_and_no_words_repeat_nothing() -> None:
    assert told("No.", "no", "NO!", "No", "Yes.", "") == [True] * 4 + [False] * 2
    assert told("", "...", "\U0001f642", "\U0001f642") == [False] * 4
    assert told(*["\u6211\u4e0d\u540c\u610f"] * 4) == [True] * 4
