from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from independence.report.site import typescript

COMMITTED = Path(__file__).parents[3] / "web" / "src" / "schema.ts"


class Leaf(msgspec.Struct, tag_field="kind", tag="leaf"):
    """An end."""

    pair: tuple[int, str]
    later: float | msgspec.UnsetType = msgspec.UNSET


class Tree(msgspec.Struct, omit_defaults=True):
    """A stem
    and its leaves."""

    leaves: tuple[Leaf, ...]
    mixed: list[int | None]
    named: dict[str, bool] = {}


def test_the_committed_types_are_those_of_the_structs() -> None:
    assert COMMITTED.read_text(encoding="utf-8") == typescript.types()


def test_what_a_document_may_lack_is_optional_and_nothing_else() -> None:
    _, _, tree, leaf = typescript.types([Tree]).split("\n\n")
    assert tree == (
        "/** A stem and its leaves. */\nexport interface Tree {\n  readonly leaves: readonly Leaf[];\n"
        "  readonly mixed: readonly (number | null)[];\n  readonly named?: Readonly<Record<string, boolean>>;\n}"
    )
    assert leaf == (
        '/** An end. */\nexport interface Leaf {\n  readonly kind: "leaf";\n'
        "  readonly pair: readonly [number, string];\n  readonly later?: number;\n}\n"
    )


def test_a_type_that_documents_have_no_use_for_is_refused() -> None:
    with pytest.raises(KeyError):
        typescript.types([msgspec.defstruct("Odd", [("at", set[int])])])
