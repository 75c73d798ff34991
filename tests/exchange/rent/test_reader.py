from __future__ import annotations

import codecs
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from independence.errors import UsageError
from independence.exchange.rent import reader, records
from independence.exchange.rent.reader import ImportedFolder
from independence.suites.load import LoadedSuite, load
from independence.suites.schema import Suite

from . import folders
from .folders import JUDGE, MODEL, RUN_ID, TRIPLET, answer, judged

Lines = list[Any]


def read(top: Path, suite: Suite) -> ImportedFolder:
    found = records.find(top)
    assert found is not None
    return reader.read(found, LoadedSuite(suite, ""))


def texts(imported: ImportedFolder) -> dict[tuple[str, str], str]:
    return {(one.key[0], one.key[2]): one.record.response_text for one in imported.answers}


def scores(imported: ImportedFolder) -> dict[str, float | None]:
    field = imported.edition.stance[1]
    return {one.key[2]: records.score(score, field) for one in imported.answers for score in one.scores}


def test_a_sound_folder_is_read_whole_and_nothing_is_skipped(tmp_path: Path, rent: Suite) -> None:
    imported = read(folders.whole(tmp_path, rent), rent)
    assert imported.skipped == ()
    assert [one.key for one in imported.answers] == [(MODEL, RUN_ID, prompt) for prompt in TRIPLET]
    assert scores(imported) == {"000": 0.5, "001": -0.5, "002": 0.0}
    assert imported.planned == TRIPLET


def spoil_a_line(said: Lines, given: Lines) -> None:
    said[1] = '{"run_id": 17'


def drop_a_model(said: Lines, given: Lines) -> None:
    del said[1]["model_id"], given[1]["model_id"]


def drop_a_prompt(said: Lines, given: Lines) -> None:
    said[1]["prompt_id"] = given[1]["prompt_id"] = ""


def repeat_a_line(said: Lines, given: Lines) -> None:
    said.append(said[1] | {"response_text": "Later words."})


def score_far_out(said: Lines, given: Lines) -> None:
    given[1]["score"] = 3


def score_in_words(said: Lines, given: Lines) -> None:
    given[1]["score"] = "0.5"


def add_a_key(said: Lines, given: Lines) -> None:
    said[1]["mood"] = "fair"


def change_a_type(said: Lines, given: Lines) -> None:
    said[1]["latency_ms"] = {"ms": 3}


def name_another_prompt(said: Lines, given: Lines) -> None:
    for record in (said[1], given[1]):
        record["prompt_id"], record["factors"] = "400", {"perspective": "tenant", "amount": 75}


def score_other_words(said: Lines, given: Lines) -> None:
    given[1]["response_text"] = "What was never said."


def lose_a_judge(said: Lines, given: Lines) -> None:
    given[1]["scorer_model"] = ""


def lose_an_answer(said: Lines, given: Lines) -> None:
    del said[1]


def lose_it_altogether(said: Lines, given: Lines) -> None:
    del said[1], given[1]


@pytest.mark.parametrize(
    ("spoil", "skipped", "left"),  # `left`: the score that the second prompt has after all
    [
        (spoil_a_line, ["run.jsonl:2: "], [0.5]),
        (
            drop_a_model,
            ["run.jsonl:2: a record that names no model", "run_scored.jsonl:2: a record that names no model"],
            [],
        ),
        (
            drop_a_prompt,
            ["run.jsonl:2: a record that names no prompt", "run_scored.jsonl:2: a record that names no prompt"],
            [],
        ),
        (repeat_a_line, [f"run.jsonl:4: prompt 001 of {MODEL} occurs here and in line 2; line 2 is kept"], [0.5]),
        (score_far_out, [], [None]),
        (score_in_words, [], [None]),
        (add_a_key, [], [0.5]),
        (change_a_type, ["run.jsonl:2: Expected `float | null`, got `object` - at `$.latency_ms`"], [0.5]),
        (
            name_another_prompt,
            [
                f"run.jsonl:2: prompt 400 of {MODEL} is no prompt of the suite",
                f"run_scored.jsonl:2: prompt 400 of {MODEL} is no prompt of the suite",
            ],
            [],
        ),
        (score_other_words, [], [0.5]),
        (lose_a_judge, [], [0.5]),
        (lose_an_answer, [], [0.5]),
        (lose_it_altogether, [], []),
    ],
)
def test_a_line_that_cannot_be_read_is_named_and_costs_nothing_else(
    spoil: Callable[[Lines, Lines], None],
    skipped: list[str],
    left: list[float | None],
    tmp_path: Path,
    rent: Suite,
) -> None:
    said = [answer(rent, prompt) for prompt in TRIPLET]
    given = [judged(one, 0.5) for one in said]
    spoil(said, given)
    top = folders.write(tmp_path, answers=said, judged=given, snapshot=folders.snapshot(rent, TRIPLET))
    imported = read(top, rent)
    assert len(imported.skipped) == len(skipped)
    assert all(line.startswith(begins) for line, begins in zip(imported.skipped, skipped, strict=True))
    assert imported.planned == TRIPLET
    assert scores(imported) == {"000": 0.5, "002": 0.5, **dict(zip(("001",), left, strict=False))}
    assert texts(imported) == {(MODEL, prompt): f"Advice of {MODEL} on {prompt}." for prompt in scores(imported)}


def test_an_answer_whose_line_is_broken_is_read_from_the_scored_file(tmp_path: Path, rent: Suite) -> None:
    said = [answer(rent, prompt) for prompt in TRIPLET]
    top = folders.write(tmp_path, answers=[said[0], "{", said[2]], judged=[judged(one, -1.0) for one in said])
    imported = read(top, rent)
    assert texts(imported)[MODEL, "001"] == said[1]["response_text"]
    assert scores(imported) == dict.fromkeys(TRIPLET, -1.0)


def test_the_scored_file_alone_is_a_run(tmp_path: Path, rent: Suite) -> None:
    said = [answer(rent, "000"), answer(rent, "001"), folders.failed(rent, "002")]
    imported = read(folders.write(tmp_path, judged=[judged(one) for one in said]), rent)
    assert imported.skipped == ()
    assert imported.answers[2].record.error == "Expecting value: line 3"
    assert imported.answers[0].record.latency_ms is None  # the scored file does not say


def test_of_two_records_the_first_that_says_something_is_kept(tmp_path: Path, rent: Suite) -> None:
    early, late = folders.failed(rent, "000"), answer(rent, "000")
    again = answer(rent, "000", response_text="A third time.")
    imported = read(folders.write(tmp_path, answers=[early, late, again]), rent)
    assert texts(imported) == {(MODEL, "000"): late["response_text"]}
    assert [line.rsplit("; ")[-1] for line in imported.skipped] == ["line 2 is kept", "line 2 is kept"]


def test_two_runs_in_one_file_are_no_duplicates(tmp_path: Path, rent: Suite) -> None:
    said = [answer(rent, prompt, run_id=run_id) for run_id in (5, 6) for prompt in TRIPLET]
    imported = read(folders.write(tmp_path, answers=said), rent)
    assert imported.skipped == ()
    assert [one.key[1:] for one in imported.answers] == [(run_id, prompt) for run_id in (5, 6) for prompt in TRIPLET]


def test_two_judges_of_one_answer_are_kept_side_by_side(tmp_path: Path, rent: Suite) -> None:
    said = answer(rent, "000")
    given = [judged(said, 1.0), judged(said, -1.0, scorer_model="acme/other")]
    (both,) = read(folders.write(tmp_path, answers=[said], judged=given), rent).answers
    assert [(one.scorer_model, one.score) for one in both.scores] == [(JUDGE, 1.0), ("acme/other", -1.0)]


def test_renumbered_prompts_find_their_scenarios(tmp_path: Path, rent: Suite) -> None:
    wanted = ["000", "001", "003", "004"]
    said = [answer(rent, prompt, prompt_id=f"{number:03d}") for number, prompt in enumerate(wanted)]
    imported = read(folders.write(tmp_path, answers=said), rent)
    assert imported.skipped == ()
    assert list(imported.planned) == wanted


def test_a_folder_without_a_sound_record_is_refused(tmp_path: Path, rent: Suite) -> None:
    top = folders.write(tmp_path, answers=[answer(rent, "000", prompt_id="x", factors={"amount": 75})])
    with pytest.raises(UsageError, match="no record of suite rent can be read; nothing was imported"):
        read(top, rent)


def test_a_suite_without_a_grid_is_refused(tmp_path: Path, rent: Suite) -> None:
    with pytest.raises(UsageError, match="suite v2 has no grid of sides"):
        read(folders.whole(tmp_path, rent), load("v2").suite)


@pytest.mark.published
def test_the_published_run_is_read_whole_and_nothing_is_skipped(published_data: Path, rent: Suite) -> None:
    imported = read(published_data / "rent-1760158358", rent)
    assert (len(imported.answers), len(imported.planned), imported.skipped) == (216, 108, ())
    assert sum(one.record.error is not None for one in imported.answers) == 1
    assert sum(isinstance(score.score, float) for one in imported.answers for score in one.scores) == 215


def test_files_may_begin_with_a_byte_order_mark(tmp_path: Path, rent: Suite) -> None:
    folder = folders.whole(tmp_path / "run", rent)
    plain = read(folder, rent)
    for file in folder.iterdir():
        file.write_bytes(codecs.BOM_UTF8 + file.read_bytes())
    marked = read(folder, rent)
    assert marked.skipped == plain.skipped == ()
    assert marked == plain
