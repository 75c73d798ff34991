from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from independence.errors import UsageError
from independence.exchange.rent import folder, reader
from independence.exchange.rent.folder import KINDS
from independence.exchange.rent.reader import ImportedFolder
from independence.suites.load import load
from independence.suites.schema import Suite

from . import folders
from .folders import JUDGE, MODEL, OTHER, RUN_ID, TRIPLET, answer, judged

Lines = list[Any]


def read(top: Path, suite: Suite) -> ImportedFolder:
    found = folder.find(top)
    assert found is not None
    return reader.read(found, suite)


def met(imported: ImportedFolder) -> dict[str, int]:
    return dict(Counter(one.kind for one in imported.oddities))


def texts(imported: ImportedFolder) -> dict[tuple[str, str], str]:
    return {(one.key[0], one.key[2]): one.record.response_text for one in imported.answers}


def scores(imported: ImportedFolder) -> dict[str, float | None]:
    return {one.key[2]: score.score for one in imported.answers for score in one.scores}


def test_a_sound_folder_is_read_whole_and_nothing_is_odd(tmp_path: Path, rent: Suite) -> None:
    imported = read(folders.whole(tmp_path, rent), rent)
    assert imported.oddities == ()
    assert [one.key for one in imported.answers] == [(MODEL, RUN_ID, prompt) for prompt in TRIPLET]
    assert scores(imported) == {"000": 0.5, "001": -0.5, "002": 0.0}
    assert imported.planned == TRIPLET
    assert json.loads(imported.snapshot)["selected"] == 3


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
    ("spoil", "expected", "where"),
    [
        (spoil_a_line, {"broken_line": 1, "no_answer_line": 1}, ("run.jsonl", 2)),
        (drop_a_model, {"no_model": 2, "missing_answer": 1}, ("run.jsonl", 2)),
        (drop_a_prompt, {"no_prompt": 2, "missing_answer": 1}, ("run.jsonl", 2)),
        (repeat_a_line, {"duplicate": 1}, ("run.jsonl", 4)),
        (score_far_out, {"bad_score": 1}, ("run_scored.jsonl", 2)),
        (score_in_words, {"bad_score": 1}, ("run_scored.jsonl", 2)),
        (add_a_key, {"unknown_key": 1}, ("run.jsonl", 2)),
        (change_a_type, {"wrong_type": 1}, ("run.jsonl", 2)),
        (name_another_prompt, {"unknown_prompt": 2, "missing_answer": 1}, ("run.jsonl", 2)),
        (score_other_words, {"other_text": 1}, ("run_scored.jsonl", 2)),
        (lose_a_judge, {"no_judge": 1}, ("run_scored.jsonl", 2)),
        (lose_an_answer, {"no_answer_line": 1}, ("run_scored.jsonl", 2)),
        (lose_it_altogether, {"missing_answer": 1}, ("run.jsonl", 0)),
    ],
)
def test_each_oddity_is_named_where_it_stands_and_costs_nothing_else(
    spoil: Callable[[Lines, Lines], None],
    expected: dict[str, int],
    where: tuple[str, int],
    tmp_path: Path,
    rent: Suite,
) -> None:
    said = [answer(rent, prompt) for prompt in TRIPLET]
    given = [judged(one, 0.5) for one in said]
    spoil(said, given)
    top = folders.write(tmp_path, answers=said, judged=given, snapshot=folders.snapshot(rent, TRIPLET))
    imported = read(top, rent)
    assert met(imported) == expected
    assert where in [(one.at.file, one.at.number) for one in imported.oddities]
    assert expected.keys() <= KINDS.keys()
    others = {(MODEL, prompt): f"Advice of {MODEL} on {prompt}." for prompt in ("000", "002")}
    assert others.items() <= texts(imported).items()
    assert {"000": 0.5, "002": 0.5}.items() <= scores(imported).items()


def test_an_answer_whose_line_is_broken_is_read_from_the_scored_file(tmp_path: Path, rent: Suite) -> None:
    said = [answer(rent, prompt) for prompt in TRIPLET]
    top = folders.write(tmp_path, answers=[said[0], "{", said[2]], judged=[judged(one, -1.0) for one in said])
    imported = read(top, rent)
    assert texts(imported)[MODEL, "001"] == said[1]["response_text"]
    assert scores(imported) == dict.fromkeys(TRIPLET, -1.0)


def test_the_scored_file_alone_is_a_run(tmp_path: Path, rent: Suite) -> None:
    said = [answer(rent, "000"), answer(rent, "001"), folders.failed(rent, "002")]
    imported = read(folders.write(tmp_path, judged=[judged(one) for one in said]), rent)
    assert met(imported) == {}
    assert imported.answers[2].record.error == "Expecting value: line 3"
    assert imported.answers[0].record.latency_ms is None  # the scored file does not say


def test_of_two_records_the_first_that_says_something_is_kept(tmp_path: Path, rent: Suite) -> None:
    early, late = folders.failed(rent, "000"), answer(rent, "000")
    again = answer(rent, "000", response_text="A third time.")
    imported = read(folders.write(tmp_path, answers=[early, late, again]), rent)
    assert texts(imported) == {(MODEL, "000"): late["response_text"]}
    assert [one.detail.rsplit("; ")[-1] for one in imported.oddities if one.kind == "duplicate"] == [
        "line 2 is kept", "line 2 is kept"
    ]  # fmt: skip


def test_two_runs_in_one_file_are_no_duplicates(tmp_path: Path, rent: Suite) -> None:
    said = [answer(rent, prompt, run_id=run_id) for run_id in (5, 6) for prompt in TRIPLET]
    imported = read(folders.write(tmp_path, answers=said), rent)
    assert met(imported) == {}
    assert len(imported.answers) == 6


def test_a_record_that_lost_its_run_belongs_to_the_run_of_the_folder(tmp_path: Path, rent: Suite) -> None:
    said = [answer(rent, prompt) for prompt in TRIPLET]
    given = [judged(one, 1.0) for one in said]
    said[0]["run_id"], given[1]["run_id"] = None, "7"
    imported = read(folders.write(tmp_path, answers=said, judged=given), rent)
    assert met(imported) == {"wrong_type": 1}
    assert {one.key[1] for one in imported.answers} == {RUN_ID}
    assert scores(imported) == dict.fromkeys(TRIPLET, 1.0)


def test_two_judges_of_one_answer_are_kept_side_by_side(tmp_path: Path, rent: Suite) -> None:
    said = answer(rent, "000")
    given = [judged(said, 1.0), judged(said, -1.0, scorer_model="acme/other")]
    (both,) = read(folders.write(tmp_path, answers=[said], judged=given), rent).answers
    assert [(one.line.record.scorer_model, one.score) for one in both.scores] == [(JUDGE, 1.0), ("acme/other", -1.0)]


def test_renumbered_prompts_find_their_scenarios(tmp_path: Path, rent: Suite) -> None:
    wanted = ["000", "001", "003", "004"]
    said = [answer(rent, prompt, prompt_id=f"{number:03d}") for number, prompt in enumerate(wanted)]
    imported = read(folders.write(tmp_path, answers=said), rent)
    assert met(imported) == {}
    assert list(imported.planned) == wanted


def test_a_score_of_an_answer_that_is_nowhere_is_named(tmp_path: Path, rent: Suite) -> None:
    said = answer(rent, "000")
    lost = judged(answer(rent, "001", response_text=""))
    imported = read(folders.write(tmp_path, answers=[said], judged=[judged(said), lost]), rent)
    assert met(imported) == {"score_of_nothing": 1}
    assert imported.oddities[0].sentence == f"run_scored.jsonl:2: prompt 001 of {MODEL} has no answer anywhere"


def test_without_a_grid_the_answers_show_which_triplets_are_split(tmp_path: Path, rent: Suite) -> None:
    said = [answer(rent, prompt) for prompt in ("000", "001", "002", "003", "004")]
    imported = read(folders.write(tmp_path, answers=said), rent)
    assert [(one.kind, one.at.number) for one in imported.oddities] == [("split_triplet", 4)]


def test_a_summary_that_does_not_follow_from_the_records_is_named(tmp_path: Path, rent: Suite) -> None:
    top = folders.whole(tmp_path, rent)
    head = "model_id,n,mean_score,p_neg,p_neu,p_pos,landlord_n,landlord_agree_p,landlord_uplift,"
    head += "tenant_n,tenant_agree_p,tenant_uplift\r\n"
    row = f"{MODEL},3,0.0000,0.3333,0.3333,0.3333,1,1.0000,1.0000,1,1.0000,1.0000\r\n"
    (top / "run_scored.csv").write_bytes((head + row).encode())
    assert met(read(top, rent)) == {}
    (top / "run_scored.csv").write_bytes((head + row.replace("1.0000,1.0000\r", "1.0000,0.5000\r")).encode())
    (oddity,) = read(top, rent).oddities
    assert oddity.sentence == f"run_scored.csv:2: {MODEL}: tenant_uplift do not follow from the records"


def test_a_second_model_without_an_answer_to_a_prompt_has_a_hole(tmp_path: Path, rent: Suite) -> None:
    said = [answer(rent, prompt) for prompt in TRIPLET] + [answer(rent, "000", OTHER)]
    top = folders.write(tmp_path, answers=said, snapshot=folders.snapshot(rent, TRIPLET, [MODEL, OTHER]))
    imported = read(top, rent)
    assert met(imported) == {"missing_answer": 2}
    assert all(OTHER in one.detail for one in imported.oddities)


def test_a_folder_without_a_sound_record_is_refused(tmp_path: Path, rent: Suite) -> None:
    top = folders.write(tmp_path, answers=[answer(rent, "000") | {"model_id": None}])
    with pytest.raises(UsageError, match="no record of suite rent can be read; nothing was imported"):
        read(top, rent)


def test_a_suite_without_a_grid_is_refused(tmp_path: Path, rent: Suite) -> None:
    with pytest.raises(UsageError, match="suite v2 has no grid of sides"):
        read(folders.whole(tmp_path, rent), load("v2").suite)


@pytest.mark.published
def test_the_published_run_is_read_whole_and_nothing_is_odd(published_data: Path, rent: Suite) -> None:
    imported = read(published_data / "rent-1760158358", rent)
    assert imported.oddities == ()
    assert (len(imported.answers), len(imported.planned), imported.others) == (216, 108, ())
    assert sum(one.record.error is not None for one in imported.answers) == 1
    assert sum(score.score is not None for one in imported.answers for score in one.scores) == 215
