from __future__ import annotations

from independence.clients.catalogue import Catalogue, ModelInfo, Reasoning
from independence.clients.limits import FREE, Prices
from independence.config.subjects import Subject
from independence.report import models
from independence.report.table import Table, Value
from independence.types import Sampling

PINNED = Subject(
    "a/one", "openrouter", "a/one", Sampling(1.0, "none", "host/int4"), active=False, display_label="one+host"
)
PLAIN = Subject("lab/two", "lab", "two")
LISTED = Catalogue(
    {
        info.id: info
        for info in (
            ModelInfo("b/Two", "", 8192, Prices(7.5e-8, 3e-7), frozenset({"seed", "tools", "top_p", "reasoning"})),
            ModelInfo("a/one", prices=FREE, reasoning=Reasoning()),
            ModelInfo("a/three"),
        )
    }
)


def records(table: Table) -> list[dict[str, Value]]:
    return [dict(zip((column.key for column in table.columns), row, strict=True)) for row in table.rows]


def test_a_configuration_is_shown_with_everything_that_tells_it_apart() -> None:
    table = models.configurations([PINNED, PLAIN], "Mine", ["A note."])
    assert (table.title, table.notes) == ("Mine", ("A note.",))
    pinned, plain = records(table)
    assert pinned == {
        "label": "one+host", "model_id": "a/one", "endpoint": "openrouter", "provider": "host/int4",
        "temperature": 1.0, "temperature_sent": True, "effort": "none",
        "active": False, "config_dir": "a--one+host-int4@none-t1.0",
    }  # fmt: skip
    assert (plain["label"], plain["endpoint"], plain["provider"]) == ("lab/two@low-t0.7", "lab", None)
    found = models.resolved([("a/one", "id", PINNED), ("a/one", "id", PLAIN), ("one+host", "label", PINNED)])
    assert [(row["name"], row["found_by"], row["label"]) for row in records(found)] == [
        ("a/one", "id", "one+host"), ("a/one", "id", "lab/two@low-t0.7"), ("one+host", "label", "one+host"),
    ]  # fmt: skip


def test_a_catalogue_is_sorted_priced_per_million_and_silent_about_what_is_not_said() -> None:
    one, three, two = records(models.catalogue("lab", LISTED, ""))
    assert two == {
        "id": "b/Two", "context_length": 8192, "prompt_usd": 0.075, "completion_usd": 0.3, "tools": True,
        "reasoning": True, "supported": "seed",
    }  # fmt: skip
    assert (one["prompt_usd"], one["tools"], one["reasoning"], one["supported"]) == (0.0, None, True, None)
    assert list(three.values()) == ["a/three", None, None, None, None, None, None]
    table = models.catalogue("lab", LISTED, "TWO")
    assert table.title == "1 of 3 models at lab"
    assert [row["id"] for row in records(table)] == ["b/Two"]
    assert list(models.matching(LISTED, "nine")) == []
