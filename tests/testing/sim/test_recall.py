from __future__ import annotations

from independence.testing.sim.statements import OwnWords, Person, recall
from independence.testing.sim.texts import texts


def test_without_a_statement_there_is_nothing_to_quote() -> None:
    assert recall(()) == OwnWords("", None, "")


def test_the_claim_is_a_sentence_of_the_last_statement() -> None:
    own = recall(["I once liked snow best of all.", "Well. I think that rain beats every other weather! Ask anybody."])
    assert own.claim == "I think that rain beats every other weather"


def test_lead_ins_are_not_quoted_and_quotation_marks_nest() -> None:
    own = recall([f"{texts('first')['leads'][0]} Between “rain” and “snow” I take the first."])
    assert own.claim == "Between ‘rain’ and ‘snow’ I take the first"


def test_a_long_claim_is_cut_with_an_ellipsis() -> None:
    claim = recall(["I " + "really " * 30 + "mean it."]).claim
    assert claim.endswith("…")
    assert len(claim.split()) == 18


def test_name_and_profile_survive_from_structured_text() -> None:
    own = recall(["Name: Ilse.\nTraits: dry, slow.\nI believe that soup is underrated.\nMotto: look again."])
    assert own.person == Person("Ilse", female=True)
    assert own.profile.splitlines()[0] == "Name: Ilse."
    assert len(own.profile.splitlines()) == 4
