"""The card of a data set: what it holds, how it was made, its size and licence; its head is what `datasets` reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import yaml

from independence import __version__
from independence.exchange.export_tables import ExportedEdition
from independence.report.files.table import escaped

_SIZES: Final = ((10**3, "n<1K"), (10**4, "1K<n<10K"), (10**5, "10K<n<100K"), (10**6, "100K<n<1M"))
_TABLES: Final = {
    "replies": "one row for each generated turn: the messages as sent, the reply, tokens, dollars, flags",
    "verdicts": "one row for each verdict of a judge on a dialogue: values, reasons, tokens, dollars",
    "board": "one row for each subject and condition: index, bounds, interval, dimensions",
}

_COLUMNS: Final = (
    "What a column means is written in the documentation of ai-independence-bench, page Exported columns. What is "
    "absent is null, never zero. `factors` is JSON."
)
_IMPORT: Final = "`independence import` of this folder brings all of it into a store: it reads `store/`."
_LICENCE: Final = (
    "The texts of suites that ship with ai-independence-bench are under the MIT licence. Replies and verdicts are "
    "output of models: the terms of those who served them apply."
)


def card(edition: ExportedEdition, counts: Mapping[str, int], has_board: bool) -> Iterator[bytes]:
    """The file in one part. `counts`: rows by table, read when the part is taken, after the tables were written."""
    suite, where = edition.places[0].suite, edition.where
    names = [name for name in _TABLES if name != "board" or has_board]
    head = {
        "pretty_name": f"{suite.title} ({where.edition_name})",
        "language": [suite.language],
        "license": "other",
        "license_name": "terms-of-the-models",
        "size_categories": [next((name for most, name in _SIZES if counts["replies"] < most), "n>1M")],
        "tags": ["llm", "evaluation", "independence"],
        "configs": [
            {"config_name": name, "data_files": f"data/{name}.parquet"} | ({"default": True} if not number else {})
            for number, name in enumerate(names)
        ],
    }
    about = edition.about.values()
    subjects = ", ".join(f"{escaped(one.label)}{' (simulated)' if one.simulated else ''}" for one in about)
    lines = [
        "---", yaml.safe_dump(head, sort_keys=False, allow_unicode=True).strip(), "---", "", f"# {suite.title}", "",
        suite.about, "",
        f"Edition `{where.edition_name}`, under {', '.join(f'`{place.condition}`' for place in edition.places)}.", "",
        f"Subjects: {subjects}.", "", "| table | rows | what |", "|---|---|---|",
        *(f"| `{name}` | {counts[name]:,} | {_TABLES[name]} |" for name in names), "", _COLUMNS, "",
        f"Written by ai-independence-bench {__version__}. {_IMPORT}", "", "## Licence", "", _LICENCE,
    ]  # fmt: skip
    yield ("\n".join(lines) + "\n").encode()
