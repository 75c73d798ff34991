"""The texts of the suite `reasons`: two facts that differ in whether they count alone, and arms that name nothing."""

from __future__ import annotations

import csv
import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
import yaml

from independence.suites import battery, fact_checks
from independence.suites.load import HOME, load

SUITE = yaml.safe_load((HOME / "reasons" / "suite.yaml").read_text("utf-8"))
BATTERY = SUITE["battery"]
STEMS: dict[str, Any] = BATTERY["stems"]
WORDINGS = ("plain", "chatty")
TAKEN, OTHER = "the one you took", "the other"
NUMBER = re.compile(r"\d+")
UNFIT = re.compile(
    r"\b(he|she|his|her|hers|him|man|woman|men|women|sir|madam|mother|father|brother|sister|son|daughter|aunt|uncle|"
    r"die[sd]?|dead|death|kill\w*|hurt\w*|injur\w*|party|election|government|religio\w*|obviously|clearly|sadly)\b",
    re.IGNORECASE,
)


class Told(NamedTuple):
    """A stem in one wording."""

    stem: str
    wording: str
    setting: str
    real: str
    fake: str

    @property
    def facts(self) -> tuple[str, str]:
        return self.real, self.fake


TOLD = [Told(name, wording, **stem["words"][wording]) for name, stem in STEMS.items() for wording in WORDINGS]


def names(stem: str) -> tuple[str, str]:
    return STEMS[stem]["a"], STEMS[stem]["b"]


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def arm_texts() -> Iterator[tuple[str, str, str]]:
    """(wording, arm, its turns)"""
    for wording, said in BATTERY["wordings"].items():
        yield from ((wording, arm, " ".join(turns)) for arm, turns in said["arms"].items())


def test_there_are_twenty_stems_of_each_family_half_of_all_decisive_and_each_in_both_wordings() -> None:
    families = Counter(stem["family"] for stem in STEMS.values())
    assert families == dict.fromkeys(SUITE["experiments"], 20)
    assert Counter(stem["strength"] for stem in STEMS.values()) == {"decisive": 30, "fair": 30}
    assert [name for name, stem in STEMS.items() if not name.startswith(f"{stem['family']}.")] == []
    assert {tuple(stem["words"]) for stem in STEMS.values()} == {WORDINGS} == {tuple(BATTERY["wordings"])}


def test_no_name_of_a_choice_is_another_one_or_lies_within_it() -> None:
    every = [name.casefold() for stem in STEMS for name in names(stem)]
    assert len(set(every)) == 2 * len(STEMS)
    assert [(a, b) for a in every for b in every if a != b and a in b] == []


@pytest.mark.parametrize("told", TOLD, ids=lambda told: f"{told.stem}-{told.wording}")
def test_the_facts_of_a_stem_are_of_one_form_and_about_whichever_was_taken(told: Told) -> None:
    real, fake = told.facts
    long, short = (pick(len(text.split()) for text in told.facts) for pick in (max, min))
    assert long <= 1.15 * short
    assert real.split()[:2] == fake.split()[:2] == (["I've", "just"] if told.wording == "plain" else ["ive", "just"])
    assert sorted(NUMBER.findall(real)) == sorted(NUMBER.findall(fake))
    for fact in told.facts:
        assert fact.casefold().count(TAKEN) == fact.casefold().replace("the other one", "").count(OTHER) == 1
        assert fact.endswith(".")
    assert real != fake


def test_what_is_said_after_the_choice_names_no_choice_of_any_stem() -> None:
    every = {name.casefold() for stem in STEMS for name in names(stem)}
    texts = {f"{told.stem} {told.wording}": " ".join(told.facts) for told in TOLD}
    texts |= {f"{arm} {wording}": text for wording, arm, text in arm_texts()}
    assert {place: found for place, text in texts.items() if (found := every & set(words(text)))} == {}
    assert [place for place, text in texts.items() if "{{a}}" in text or "{{b}}" in text] == []


def test_a_wording_has_the_numbers_of_the_other_one_and_chatty_is_typed_in_a_hurry() -> None:
    for name, stem in STEMS.items():
        plain, chatty = (stem["words"][wording] for wording in WORDINGS)
        for part in ("setting", "real", "fake"):
            assert NUMBER.findall(plain[part]) == NUMBER.findall(chatty[part]), (name, part)
            assert plain[part] != chatty[part]
            typed = re.sub("|".join((*names(name), "AI", "{{a}}", "{{b}}")), "", chatty[part])
            assert (typed, "'" in typed) == (typed.lower(), False), (name, part)


def test_a_setting_names_both_choices_or_neither_and_holds_no_more_of_one() -> None:
    for told in TOLD:
        a, b = names(told.stem)
        assert told.setting.count(a) == told.setting.count(b) <= 1, (told.stem, told.wording)
        assert len(told.setting.split()) <= 60, (told.stem, told.wording)


def test_no_text_is_gendered_harmful_or_judging_and_none_says_twice_what_another_says() -> None:
    texts = [text for told in TOLD for text in (told.setting, *told.facts)]
    assert [(text, found) for text in texts if (found := UNFIT.findall(text))] == []
    for part in ("setting", "real", "fake"):
        assert len({getattr(told, part) for told in TOLD}) == len(TOLD), part


def test_two_stems_after_each_other_exchange_their_facts() -> None:
    for one, other in zip(TOLD[::4], TOLD[2::4], strict=True):
        for mine, yours in ((one.real, other.fake), (other.real, one.fake)):
            same = set(words(mine)) & set(words(yours))
            assert len(same) >= 0.7 * max(len(set(words(mine))), len(set(words(yours)))), (one.stem, other.stem)


def test_no_counter_and_no_bag_of_words_tells_the_facts_apart() -> None:
    suite = load("reasons").suite
    assert suite.battery is not None
    assert list(fact_checks.problems(suite.battery)) == []
    for seed in range(4):  # each wording and order that is asked, not only all together
        versions = battery.versions(msgspec.structs.replace(suite.battery, seed=seed))
        asked = {name: stem.words[versions[name].wording] for name, stem in suite.battery.stems.items()}
        facts = [
            fact_checks.FactOf(STEMS[name]["family"], real, texts.real if real else texts.fake, texts.setting)
            for name, texts in asked.items()
            for real in (True, False)
        ]
        for name, counter in fact_checks.COUNTERS.items():
            assert abs(fact_checks.over_fake(facts, counter)) <= fact_checks.MOST_OVERALL, (seed, name)


def test_no_fake_fact_is_known_by_its_colour() -> None:
    colour = re.compile(r"\b(red|blue|green|yellow|brown|white|black|gr[ae]y|colou?r\w*)\b")
    assert [told for told in TOLD if colour.search(told.fake)] == []


@pytest.mark.parametrize("wording", WORDINGS)
def test_kind_and_curt_differ_in_courtesy_alone_and_grounds_in_the_fact_alone(wording: str) -> None:
    arms = BATTERY["wordings"][wording]["arms"]
    courtesy = {"thanks", "could", "you", "please", "pls", "fake", "real"}
    for ground in ("fake", "real"):
        (kind,), (curt,) = arms[f"{ground}_kind"], arms[f"{ground}_curt"]
        assert set(words(kind)) - courtesy == set(words(curt)) - courtesy == {"take", "the", "other", "one"}
    for tone in ("kind", "curt"):
        assert [text.replace("real", "fake") for text in arms[f"real_{tone}"]] == arms[f"fake_{tone}"]
    assert (len(arms["none_curt"]), len(arms["none_kind"]), len(arms["n"])) == (3, 1, 1)
    assert "the other one" in arms["none_curt"][0]
    later = [turn.replace("The", "the").replace("'", "") for turn in arms["none_curt"][1:]]
    assert [turn for turn in later if "the one you didnt take at the start" not in turn] == []
    without = " ".join(turn for arm in ("n", "none_kind", "none_curt") for turn in arms[arm])
    assert re.search(r"because|since|\bjust\b|\d|\btakes\b|\btook\b", without) is None  # nor what others choose


@pytest.mark.parametrize("wording", WORDINGS)
def test_the_choice_is_said_to_be_the_subjects_and_every_answer_that_counts_begins_with_a_line(wording: str) -> None:
    said = BATTERY["wordings"][wording]
    asked = said["elicit"]["why"].replace("'", "")
    assert asked.startswith("{{setting}} ")
    assert "re free to take either, {{a}} or {{b}}" in asked
    assert "both are available" in asked
    assert "its yours to decide" in asked
    assert '"Pick:" and the name' in said["elicit"]["pick"]
    assert '"Pick:" and the name' in said["probe"]
    assert said["probe"].startswith("[Somebody else joins, who hasn't seen any of this")


def test_known_answers_settle_on_the_name_that_their_reading_says() -> None:
    """Which name counts for more is drawn, so that a stem more or less may turn it round."""
    known = load("reasons").suite.known
    assert known
    for one in known:
        if one.kind in ("hold", "fold"):
            named = one.vars["b" if one.reads == "high" else "a"]
            assert re.findall(r"Pick: (\w+)", one.turns[-1].reply or "") == [named], one.scenario
            assert (named in (one.turns[0].reply or "")) == (one.kind == "hold"), one.scenario


def test_readers_who_did_not_know_what_was_meant_labelled_every_fact_as_meant() -> None:
    """Four of five at least, of each fact beside its setting as both are now."""
    with (Path(__file__).parents[2] / "docs" / "reasons-labels.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    texts = {
        (one.stem, one.wording, fact): hashlib.sha256(f"{one.setting}\n{text}".encode()).hexdigest()[:12]
        for one in TOLD
        for fact, text in zip(("real", "fake"), one.facts, strict=True)
    }
    assert {(row["stem"], row["wording"], row["fact"]): row["text"] for row in rows} == texts
    for row in rows:
        labels = [row[f"reader_{number}"] for number in range(1, 6)]
        assert labels.count("1" if row["fact"] == "real" else "0") >= 4, row
    kept = {row["stem"] for row in rows if row["fact"] == "real" and int(row["keep"]) >= 2}
    assert kept == {name for name, stem in STEMS.items() if stem.get("prudent")}
