"""Pages name subjects as people do, never guess, and never call two alike."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import yaml

from independence.config.subjects import sampling_in
from independence.report.board import display_names
from independence.report.board.board_data import IMPORTED, MEASURED_HERE
from independence.report.board.display_names import DisplayName, NamedSubject
from independence.report.files import mark_kinds
from independence.types import Sampling


def subject(model_id: str, suffix: str = "@none-t0.7", label: str = "", **others: object) -> NamedSubject:
    config = model_id.replace("/", "--") + suffix
    base = model_id if model_id.startswith(("local/", "sim/")) else model_id.split("/", 1)[-1]
    known = {"endpoint": "", "sampling": sampling_in(config), "simulated": model_id.startswith("sim/"), "runs": 5}
    return NamedSubject(config, label or base + suffix, model_id, **{**known, **others})  # type: ignore[arg-type]


OTHER = subject("openai/gpt-5-nano", "@low-t1.0")  # so that effort and temperature differ on the board


def shown(one: NamedSubject) -> DisplayName:
    return display_names.of_board([one, OTHER])[one.config]


@pytest.mark.parametrize(
    ("one", "name", "maker", "badges"),
    [
        (
            subject("google/gemma-4-31b-it", "+akashml@none-t0.7"),
            "Gemma 4 31B Instruct", "Google", ["AkashML", "no reasoning", "t 0.7"],
        ),
        (subject("anthropic/claude-sonnet-4.5", label="anthropic/claude-sonnet-4.5"), "Claude Sonnet 4.5", "Anthropic",
         ["no reasoning", "t 0.7"]),
        (subject("moonshotai/kimi-k2.5", "+moonshotai-int4@none-t0.7"), "Kimi K2.5", "Moonshot AI",
         ["Moonshot AI", "int4", "no reasoning", "t 0.7"]),
        (subject("poolside/laguna-m.1:free"), "Laguna M.1", "Poolside", ["free", "no reasoning", "t 0.7"]),
        (subject("local/google/gemma-4-26b-a4b", label="gemma-4-26b-a4b+q4-k-m@none-t0.7"), "Gemma 4 26B A4B", "Google",
         ["Q4_K_M", "local", "no reasoning", "t 0.7"]),
        (subject("local/Qwen/Qwen3-8B-AWQ"), "Qwen3 8B", "Qwen", ["AWQ", "local", "no reasoning", "t 0.7"]),
        (subject("local/qwen3-8b-q4_k_m.gguf"), "Qwen3 8B", "", ["Q4_K_M GGUF", "local", "no reasoning", "t 0.7"]),
        (subject("openai-api/gpt-4o-mini", endpoint="openai-api"), "GPT-4o Mini", "OpenAI",
         ["OpenAI API", "no reasoning", "t 0.7"]),
        (subject("nvidia/moonshotai/kimi-k2.5", label="kimi-k2.5+nvidia-nim@none-t0.7"), "Kimi K2.5", "Moonshot AI",
         ["NVIDIA NIM", "no reasoning", "t 0.7"]),
        (subject("openai/gpt-5.2", "@none-t0.7-m800-x1a2b3c"), "GPT-5.2", "OpenAI",
         ["no reasoning", "t 0.7", "800 tokens", "own fields"]),
        (subject("sim/half", runs=1), "sim/half", "", ["no reasoning", "t 0.7", "simulated", "1 run"]),
        (subject("openai/gpt-5.2", label="gpt-5.2@none-t0.7@published", origin=IMPORTED), "GPT-5.2", "OpenAI",
         ["no reasoning", "t 0.7", "imported"]),
        # A label of the user's own is the name; an id that holds an unknown part or maker stays as it is.
        (subject("openai/gpt-5.2", label="Our assistant"), "Our assistant", "OpenAI", ["no reasoning", "t 0.7"]),
        (subject("openai/gpt-5.2", label="prod@none-t0.7"), "prod@none-t0.7", "OpenAI", ["no reasoning", "t 0.7"]),
        (subject("google/zorblax-9-it"), "google/zorblax-9-it", "Google", ["no reasoning", "t 0.7"]),
        (subject("someone/gpt-5:free"), "someone/gpt-5:free", "", ["no reasoning", "t 0.7"]),
        (subject("local/crow-9b-distill_qwen3.5-q8_0"), "crow-9b-distill_qwen3.5-q8_0", "",
         ["local", "no reasoning", "t 0.7"]),
    ],
)  # fmt: skip
def test_a_name_says_what_the_id_says_and_badges_the_rest(
    one: NamedSubject, name: str, maker: str, badges: list[str]
) -> None:
    found = shown(one)
    assert (found.name, found.maker, [badge.text for badge in found.badges]) == (name, maker, badges)


def test_settings_are_shown_where_the_subjects_of_a_board_differ_in_them() -> None:
    alike = display_names.of_board([subject("openai/gpt-5.2"), subject("openai/gpt-5.4")])
    assert [len(one.badges) for one in alike.values()] == [0, 0]
    apart = display_names.of_board([subject("openai/gpt-5.2"), subject("openai/gpt-5.2", "@low-t0.7")])
    assert [[badge.text for badge in one.badges] for one in apart.values()] == [["no reasoning"], ["low effort"]]


def test_subjects_that_would_look_alike_are_called_by_their_labels_or_directories() -> None:
    one, other = subject("openai/gpt-5.2", "@none-t0.7-x1a2b3c"), subject("openai/gpt-5.2", "@none-t0.7-xd4e5f6")
    assert [found.name for found in display_names.of_board([one, other]).values()] == [one.label, other.label]
    same = [one._replace(label="mine"), other._replace(label="mine")]
    assert [found.name for found in display_names.of_board(same).values()] == [one.config, other.config]


def test_every_published_configuration_looks_different() -> None:
    data = os.environ.get("INDEPENDENCE_PUBLISHED_DATA")
    if not data:
        pytest.skip("INDEPENDENCE_PUBLISHED_DATA is not set")
    listed = Path(data) / "published-models.yaml"
    if not listed.exists():
        pytest.skip("INDEPENDENCE_PUBLISHED_DATA has no list of configurations")
    everybody = []
    for one in yaml.safe_load(listed.read_text("utf-8"))["models"]:
        pin = f"+{one['provider'].replace('/', '-')}" if "provider" in one else ""
        suffix = f"{pin}@{one['reasoning_effort']}-t{one['temperature']}"
        everybody.append(subject(one["model_id"], suffix, one.get("display_label", "")))
    found = display_names.of_board(everybody)
    assert len(found) == len(everybody) > 120
    assert len({(one.name, *(badge.text for badge in one.badges)) for one in found.values()}) == len(found)
    as_they_are = [one.model_id for one in everybody if found[one.config].name in one.model_id]
    assert all(model.startswith("local/") for model in as_they_are), as_they_are
    marks = {(one.maker, one.mark) for one in found.values() if one.maker}
    assert len({maker for maker, _ in marks}) == len(marks)


def test_marks_are_of_answers_or_missing_or_remarks() -> None:
    kinds = {
        mark: info.kind
        for mark, info in mark_kinds.of(
            ["evaded", "truncated", "cut_model_id", "schema_refused", "runs_vary", "missing:not_run", "missing:blocked"]
        ).items()
    }
    assert kinds == {
        "evaded": "answer", "truncated": "answer", "cut_model_id": "note", "schema_refused": "note",
        "runs_vary": "note", "missing:not_run": "waiting", "missing:blocked": "missing",
    }  # fmt: skip


def test_sampling_of_another_kind_is_named_by_its_word() -> None:
    found = shown(subject("openai/gpt-5.2", sampling=Sampling(0.0, "xhigh")))
    assert [badge.text for badge in found.badges] == ["xhigh effort", "t 0"]
    assert MEASURED_HERE not in [badge.text for badge in found.badges]
