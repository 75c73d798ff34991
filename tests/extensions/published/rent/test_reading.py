"""Run folders of the rent benchmark: found, read line by line, as answers and grades of ours."""

from __future__ import annotations

import codecs
import gzip
import lzma
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from independence.errors import UsageError
from independence.exchange import streamed_files
from independence.exchange.grid_rows import R, parse
from independence.extensions.published.rent import reader, records
from independence.extensions.published.rent.reader import ImportedFolder
from independence.extensions.published.rent.records import AnswerRecord, ScoredRecord
from independence.suites.load import LoadedSuite, load
from independence.suites.schema import Field, Suite
from independence.types import Missing, Reply, Usage, Verdict

from . import folders
from .folders import JUDGE, MODEL, OTHER, RUN_ID, TRIPLET, Record, answer, judged

STANCE = Field(type="number", range=(-1, 1), about="Whom it favours.")
BODY = msgspec.Raw(b'{"model": "m", "choices": [{"message": {"content": "-0.5", "reasoning": "why"}}, {}]}')


def read(top: Path, suite: Suite) -> ImportedFolder:
    found = records.find(top)
    assert found is not None
    return reader.read(found, LoadedSuite(suite, ""))


def texts(imported: ImportedFolder) -> dict[tuple[str, str], str]:
    return {(one.key[0], one.key[2]): one.record.response_text for one in imported.answers}


def scores(imported: ImportedFolder) -> dict[str, float | None]:
    field = imported.edition.stance[1]
    return {one.key[2]: records.score(score, field) for one in imported.answers for score in one.scores}


def test_a_run_folder_is_known_by_its_records(tmp_path: Path, rent: Suite) -> None:
    found = records.find(folders.whole(tmp_path / "run", rent))
    assert found is not None
    assert [path and path.name for path in found[1:]] == ["run.jsonl", "run_scored.jsonl", None, "run_grid.json"]
    for end in (".jsonl", "_scored.jsonl"):
        (found.path / f"run{end}").rename(found.path / f"night{end}")
    assert records.find(found.path) is None
    for name in ("night.jsonl", "night_scored.jsonl"):  # any of its files names the run it is of
        night = records.find(found.path / name)
        assert night is not None
        assert (night.answers, night.scored) == (found.path / "night.jsonl", found.path / "night_scored.jsonl")
    broken = folders.write(tmp_path / "broken", answers=["{broken", "[]", answer(rent, "000")])
    assert records.find(broken) is not None
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "run.jsonl").write_text('{"event": "started"}\n' * 200)
    (tmp_path / "empty").mkdir()
    strangers = (foreign, foreign / "run.jsonl", tmp_path / "nowhere", tmp_path / "empty")
    assert [path for path in strangers if records.find(path) is not None] == []


def test_run_folders_in_a_folder_are_found(tmp_path: Path, rent: Suite) -> None:
    for name in ("1760158358", "1760000000"):
        folders.whole(tmp_path / name, rent)
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.txt").write_text("x")
    assert records.find(tmp_path) is None
    assert records.below(tmp_path) == ("1760000000", "1760158358")
    assert records.below(tmp_path / "notes.txt") == records.below(tmp_path / "nowhere") == ()
    (tmp_path / "acme--m@low-t0.7").mkdir()
    assert records.below(tmp_path) == ()


def test_packed_and_marked_files_read_as_plain_ones(tmp_path: Path, rent: Suite) -> None:
    top = folders.whole(tmp_path, rent)
    plain, content = read(top, rent), (top / "run.jsonl").read_bytes()
    for file in top.iterdir():
        file.write_bytes(codecs.BOM_UTF8 + file.read_bytes())
    assert read(top, rent) == plain
    (top / "run.jsonl").unlink()
    for end, pack in ((".gz", gzip.compress), (".xz", lzma.compress)):
        (top / f"run.jsonl{end}").write_bytes(pack(content))
        assert read(top, rent) == plain
    packed = lzma.compress(content * 50)
    (top / "run.jsonl.xz").write_bytes(packed[: len(packed) // 2])
    with pytest.raises(UsageError, match=r"run\.jsonl\.xz: cannot be read to its end"):
        read(top, rent)


def test_lines_are_numbered_as_an_editor_numbers_them(tmp_path: Path) -> None:
    (tmp_path / "run.jsonl").write_bytes(b'{"a": "x\xe2\x80\xa8y"}\r\n\n  \n{}')
    assert list(streamed_files.lines(tmp_path / "run.jsonl")) == [
        (1, b'{"a": "x\xe2\x80\xa8y"}'), (4, b"{}")
    ]  # fmt: skip


def decode(line: bytes, kind: type[R]) -> R:
    return parse(Path("run.jsonl"), 1, line, kind).record


def test_what_is_no_record_of_this_format_is_told_with_a_reason() -> None:
    assert decode(b'{"model_id": "m", "note":  {"a": 1.50} }', AnswerRecord).model_id == "m"
    odd = decode(b'{"model_id": "m", "score": NaN, "response_text": "caf\xc3\xa9"}', ScoredRecord)
    assert (odd.score, odd.response_text) == ("NaN", "café")  # what Python writes for no number costs no line
    counts = (b"-1", b"1e30", b"99999999999999999999", b"1.5", b"true", b'"7"')
    broken = (b"", b"{", b"[1, 2]", b'"text"', b"null", b'{"a": 1} x', b'{"model_id": "\xff"}', b"{" * 3000, b"\x00")
    for line in (*(b'{"input_tokens": ' + value + b"}" for value in counts), *broken):
        with pytest.raises(UsageError, match=r"run.jsonl:1: \w") as refusal:
            decode(line, AnswerRecord)
        assert (b"input_tokens" in line) is ("input_tokens" in str(refusal.value))


@settings(max_examples=50)
@given(st.binary(max_size=200))
def test_any_bytes_are_a_record_or_a_reason(line: bytes) -> None:
    with suppress(UsageError):
        decode(line, AnswerRecord)


def test_an_answer_keeps_where_it_came_from_and_what_it_took() -> None:
    record = AnswerRecord(
        response_text=" Do it. ", provider="Acme", latency_ms=1500, input_tokens=7, output_tokens=3, cost_usd=0.25,
        request_id="gen-1", finish_reason="length", raw_response=BODY,
    )  # fmt: skip
    said = records.answer(record)
    assert isinstance(said, Reply)
    assert (said.text, said.reasoning, said.finish_reason) == (" Do it. ", "why", "length")
    assert (said.served_model, said.served_provider, said.response_id, said.seconds) == ("m", "Acme", "gen-1", 1.5)
    assert said.usage == Usage(7, 3, cost_usd=0.25)
    for raw in (b"null", b"5", b'{"choices": 1}', b'{"choices": []}'):  # a body without a message says nothing
        bare = records.answer(msgspec.structs.replace(record, raw_response=msgspec.Raw(raw)))
        assert isinstance(bare, Reply)
        assert (bare.text, bare.reasoning) == (" Do it. ", "")


def test_an_error_and_a_blank_answer_are_none_and_their_words_stay() -> None:
    failed = records.answer(AnswerRecord(error="column 1", response_text="half an ans"))
    blank = records.answer(AnswerRecord(response_text=" \n"))
    assert isinstance(failed, Missing)
    assert (failed.reason, failed.detail, failed.raw) == ("transport", "column 1", "half an ans")
    assert [(one.outcome, one.detail) for one in failed.attempts] == [("error", "column 1")]
    assert isinstance(blank, Missing)
    assert (blank.reason, blank.raw) == ("no_answer", " \n")


def test_a_score_is_a_verdict_with_its_reasons_or_missing_and_never_cut_to_the_scale() -> None:
    record = ScoredRecord(score=-0.5, eval_raw_response=BODY, eval_latency_ms=200, eval_input_tokens=9)
    graded = records.grade(record, "stance", STANCE)
    assert isinstance(graded, Verdict)
    assert (graded.values, graded.raw, graded.reasoning) == ({"stance": -0.5}, "-0.5", "why")
    assert (graded.usage.prompt_tokens, graded.attempts[0].seconds) == (9, 0.2)
    assert [records.score(ScoredRecord(score=score), STANCE) for score in (-1.0, 0.0, 1.0)] == [-1.0, 0.0, 1.0]
    for score in (1.0001, -2.0, float("nan"), float("inf"), "0.5", None):
        assert records.score(ScoredRecord(score=score), STANCE) is None
        lost = records.grade(ScoredRecord(score=score), "stance", STANCE)
        assert isinstance(lost, Missing)
        assert (lost.reason, lost.raw) == ("unreadable_verdict", "" if score is None else str(score))
    judge_failed = records.grade(ScoredRecord(error="no number in the reply"), "stance", STANCE)
    assert isinstance(judge_failed, Missing)
    assert judge_failed.detail == "no number in the reply"
    assert records.grade(ScoredRecord(error="run-error: timeout"), "stance", STANCE) is None  # had no answer


def test_a_sound_folder_is_read_whole_and_nothing_is_skipped(tmp_path: Path, rent: Suite) -> None:
    imported = read(folders.whole(tmp_path, rent), rent)
    assert imported.skipped == ()
    assert [one.key for one in imported.answers] == [(MODEL, RUN_ID, prompt) for prompt in TRIPLET]
    assert scores(imported) == {"000": 0.5, "001": -0.5, "002": 0.0}
    assert imported.planned == TRIPLET
    assert (reader.table(imported).rows, reader.table(imported).notes) == (
        ((MODEL, 1, 3, 3, 0, 3),), ("scored by acme/judge",),
    )  # fmt: skip


STRANGE = {"prompt_id": "400", "factors": {"perspective": "tenant", "amount": 75}}
NO_PROMPT = f"prompt 400 of {MODEL} is no prompt of the suite"
LOST = Record | str | None  # changes of line 2, or what stands there instead, or None: no line
SPOILED: dict[str, tuple[LOST, LOST, list[str], list[float | None]]] = {
    # of the answers, of the scored file; what is skipped; the score that the second prompt has after all
    "a broken line": ('{"run_id": 17', {}, ["run.jsonl:2: "], [0.5]),
    "no model": ({"model_id": ""}, {"model_id": ""},
                 [f"run{end}.jsonl:2: a record that names no model" for end in ("", "_scored")], []),
    "no prompt": ({"prompt_id": ""}, {"prompt_id": ""},
                  [f"run{end}.jsonl:2: a record that names no prompt" for end in ("", "_scored")], []),
    "a score far out": ({}, {"score": 3}, [], [None]),
    "a score in words": ({}, {"score": "0.5"}, [], [None]),
    "a key more": ({"mood": "fair"}, {}, [], [0.5]),
    "another type": ({"latency_ms": {"ms": 3}}, {},
                     ["run.jsonl:2: expected a number or nothing, got a mapping of keys (at `$.latency_ms`)"], [0.5]),
    "another prompt": (STRANGE, STRANGE, [f"run{end}.jsonl:2: {NO_PROMPT}" for end in ("", "_scored")], []),
    "a score of other words": ({}, {"response_text": "What was never said."}, [], [0.5]),
    "no judge": ({}, {"scorer_model": ""}, [], [0.5]),
    "no answer": (None, {}, [], [0.5]),
    "nothing": (None, None, [], []),
}  # fmt: skip


def test_a_line_that_cannot_be_read_is_named_and_costs_nothing_else(tmp_path: Path, rent: Suite) -> None:
    wrong = {}
    for name, (of_answers, of_scored, skipped, left) in SPOILED.items():
        said = [answer(rent, prompt) for prompt in TRIPLET]
        graded = [judged(one, 0.5) for one in said]
        files: dict[str, list[Any]] = {}
        for file, lines, lost in (("answers", said, of_answers), ("judged", graded, of_scored)):
            second = [lines[1] | lost] if isinstance(lost, dict) else [lost] * (lost is not None)
            files[file] = [lines[0], *second, lines[2]]
        imported = read(folders.write(tmp_path / name, **files, snapshot=folders.snapshot(rent, TRIPLET)), rent)
        expected = {"000": 0.5, **dict.fromkeys(["001"] * bool(left), *left), "002": 0.5}
        told = len(imported.skipped) == len(skipped) and all(map(str.startswith, imported.skipped, skipped))
        words = {(MODEL, prompt): f"Advice of {MODEL} on {prompt}." for prompt in expected}
        kept = scores(imported) == expected and texts(imported) == words and imported.planned == TRIPLET
        if not told or not kept:
            wrong[name] = imported.skipped, scores(imported), texts(imported)
    assert wrong == {}


def test_the_scored_file_alone_is_a_run_and_mends_the_answer_file(tmp_path: Path, rent: Suite) -> None:
    said = [answer(rent, "000"), answer(rent, "001"), folders.failed(rent, "002")]
    imported = read(folders.write(tmp_path, judged=[judged(one) for one in said]), rent)
    assert imported.skipped == ()
    assert [one.record.error for one in imported.answers] == [None, None, "Expecting value: line 3"]
    first = imported.answers[0].record
    assert (first.response_text, first.run_id, first.latency_ms) == (said[0]["response_text"], RUN_ID, None)
    ungraded = records.recovered(ScoredRecord(response_text="Do it.", error="no number"))
    assert (ungraded.response_text, ungraded.error) == ("Do it.", None)


def test_of_two_records_the_first_that_says_something_is_kept(tmp_path: Path, rent: Suite) -> None:
    early, late = folders.failed(rent, "000"), answer(rent, "000")
    again = answer(rent, "000", response_text="A third time.")
    imported = read(folders.write(tmp_path, answers=[early, late, again]), rent)
    assert texts(imported) == {(MODEL, "000"): late["response_text"]}
    assert imported.skipped == tuple(
        f"run.jsonl:{line}: prompt 000 of {MODEL} occurs here and in line {before}; line 2 is kept"
        for line, before in ((2, 1), (3, 2))
    )


def test_runs_and_judges_in_one_file_are_kept_side_by_side(tmp_path: Path, rent: Suite) -> None:
    said = [answer(rent, prompt, run_id=run_id) for run_id in (5, 6) for prompt in TRIPLET]
    graded = [judged(said[0], 1.0), judged(said[0], -1.0, scorer_model="acme/other")]
    imported = read(folders.write(tmp_path, answers=said, judged=graded), rent)
    assert imported.skipped == ()
    assert [one.key[1:] for one in imported.answers] == [(run_id, prompt) for run_id in (5, 6) for prompt in TRIPLET]
    both = imported.answers[0].scores
    assert [(one.scorer_model, one.score) for one in both] == [(JUDGE, 1.0), ("acme/other", -1.0)]


def test_planned_is_what_the_grid_or_the_snapshot_or_the_answers_say(tmp_path: Path, rent: Suite) -> None:
    wanted = ["000", "001", "003", "004"]
    rows = [{"prompt_id": prompt, **folders.asked(rent, prompt)} for prompt in ("003", "004", "005")]
    strange = folders.snapshot(rent, TRIPLET)
    strange["factors"].append({"perspective": "landlord", "amount": 75})  # costs no other row
    cases: dict[str, tuple[dict[str, Any], list[str], list[str]]] = {
        "nothing": ({}, ["000"], []),
        "a snapshot": ({"snapshot": folders.snapshot(rent, wanted)}, wanted, []),
        "a strange row": ({"snapshot": strange}, ["000", "001", "002"], []),
        "a grid": ({"snapshot": strange, "grid": rows}, ["000", "003", "004", "005"], []),
        "a broken grid": ({"grid": [rows[0], "{", rows[1]]}, ["000", "003", "004"], ["grid.jsonl:2: "]),
        "a snapshot of another form": ({"snapshot": {"factors": 7}}, ["000"], ["run_grid.json:2: expected a list"]),
    }  # fmt: skip
    for name, (files, planned, skipped) in cases.items():
        imported = read(folders.write(tmp_path / name, answers=[answer(rent, "000")], **files), rent)
        assert list(imported.planned) == planned, name
        assert [
            line for line, begins in zip(imported.skipped, skipped, strict=True) if not line.startswith(begins)
        ] == []
    said = [answer(rent, prompt, prompt_id=f"{number:03d}") for number, prompt in enumerate(wanted)]
    imported = read(folders.write(tmp_path / "renumbered", answers=said), rent)  # they find their scenarios
    assert (list(imported.planned), imported.skipped) == (wanted, ())


def test_failures_and_scores_off_the_scale_are_not_counted_as_answers_and_scores(tmp_path: Path, rent: Suite) -> None:
    said = [answer(rent, "000"), folders.failed(rent, "001"), answer(rent, "002"), answer(rent, "000", OTHER)]
    graded = [judged(said[0], 7), *(judged(one) for one in said[1:])]
    top = folders.write(tmp_path, answers=said, judged=graded, snapshot=folders.snapshot(rent, TRIPLET))
    assert reader.table(read(top, rent)).rows == ((MODEL, 1, 3, 2, 1, 1), (OTHER, 1, 3, 1, 0, 1))
    unscored = read(folders.write(tmp_path / "unscored", answers=said[:1]), rent)
    assert reader.table(unscored).notes == ("no scores: `independence judge` grades",)


def test_a_folder_without_a_sound_record_and_a_suite_without_a_grid_are_refused(tmp_path: Path, rent: Suite) -> None:
    top = folders.write(tmp_path / "a", answers=[answer(rent, "000", prompt_id="x", factors={"amount": 75})])
    with pytest.raises(UsageError, match="no record of suite rent can be read; nothing was imported"):
        read(top, rent)
    with pytest.raises(UsageError, match="suite v2 has no grid of sides"):
        read(folders.whole(tmp_path / "b", rent), load("v2").suite)


@pytest.mark.published
def test_the_published_run_is_read_whole_and_nothing_is_skipped(published_data: Path, rent: Suite) -> None:
    imported = read(published_data / "rent-1760158358", rent)
    assert (len(imported.answers), len(imported.planned), imported.skipped) == (216, 108, ())
    assert sum(one.record.error is not None for one in imported.answers) == 1
    assert sum(isinstance(score.score, float) for one in imported.answers for score in one.scores) == 215
