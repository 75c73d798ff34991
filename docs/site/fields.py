"""The fields of records in the Python reference: a table of their types, defaults and the comments beside them.

An extension of Griffe, which reads the sources for mkdocstrings (`extensions` in mkdocs.yml).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from griffe import Attribute, Class, DocstringParameter, DocstringSectionParameters, Expr, Extension, Module

RECORDS = {"msgspec.Struct", "typing.NamedTuple"}


class Fields(Extension):  # type: ignore[misc]  # mypy does not follow Griffe
    """Adds the table to the docstring of every record."""

    def on_package(self, *, pkg: Module, **_: Any) -> None:
        """Once the package is read whole."""
        for record in classes(pkg):
            family = [*reversed(record.mro()), record]
            if record.docstring and any(RECORDS & bases(one) for one in family):
                rows = {one.name: row(one) for base in family for one in base.attributes.values() if is_field(one)}
                if rows:
                    record.docstring.parsed.append(DocstringSectionParameters([*rows.values()], title="Fields:"))


def classes(within: Module) -> Iterator[Class]:
    """Every class of the modules of a package."""
    for member in within.members.values():
        if isinstance(member, Module):
            yield from classes(member)
        elif isinstance(member, Class):
            yield member


def bases(one: Class) -> set[str]:
    """What a class is made from, by full names."""
    return {base.canonical_path if isinstance(base, Expr) else base for base in one.bases}


def is_field(one: Attribute) -> bool:
    """Whether an attribute is a public field, and not a property."""
    return one.annotation is not None and "property" not in one.labels and not one.name.startswith("_")


def row(one: Attribute) -> DocstringParameter:
    """A field with the comment of its line."""
    comment = one.source.rpartition("  # ")[2] if "  # " in one.source else ""
    return DocstringParameter(one.name, annotation=one.annotation, value=one.value, description=comment)
