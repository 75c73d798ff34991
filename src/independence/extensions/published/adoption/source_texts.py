"""Texts, numbers and records of a source by their references, each fit for a suite of ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from independence.errors import UsageError
from independence.extensions.published.adoption.constants import Constant, Constants
from independence.extensions.published.adoption.source import PythonSource
from independence.suites.template import slots

_GAP: Final = "\n\n"  # between the parts of a system prompt


class SourceTexts:
    """What references name: `MODULE:NAME`, or `MODULE:FUNCTION/VARIABLE`. Methods raise DocumentError or UsageError."""

    def __init__(self, source: PythonSource) -> None:
        self._source = source
        self._constants = Constants(source)

    def records(self, reference: str) -> list[dict[str, Constant]]:
        """The records of a list that has nothing else."""
        found = self.value(reference)
        records = [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []
        if not records or not isinstance(found, list) or len(records) != len(found):
            raise self.error(reference, "is no list of records")
        return records

    def filled(self, template: str, record: Mapping[str, Constant], where: str) -> str:
        """A template filled with the fields of a record."""
        try:
            return template.format_map(record)
        except KeyError as error:
            raise self.error(where, f"a record has no `{error.args[0]}`") from None

    def of_record(self, what: str, record: Mapping[str, Constant], where: str) -> str:
        """A text of the record at hand, or of the source."""
        if not what.startswith("."):
            return self.trimmed(what, self.text(what))
        value = record.get(what[1:])
        if not isinstance(value, str):
            raise self.error(where, f"a record has no text `{what[1:]}`")
        return self.trimmed(where, value)

    def added(self, reference: str) -> str:
        """A part of a system prompt that the published program adds to the one before, after a blank line."""
        text = self.text(reference)
        if not text.startswith(_GAP):
            raise self.error(reference, "is not set off from the text before it by one blank line")
        return self.trimmed(reference, text.removeprefix(_GAP))

    def scripted(self, function: str, key: str, beside: Mapping[str, str]) -> str:
        """What a function of the prompt builder has the subject or the human say before the dialogue begins."""
        text = self._constants.text_under("prompt_builder", function, key, beside)
        return self.trimmed(f"prompt_builder:{function}", text)

    def trimmed(self, reference: str, text: str) -> str:
        """A text that neither begins nor ends blank, and that no variable is filled into."""
        if not text or text != text.strip():
            raise self.error(reference, "a text is empty, or begins or ends blank")
        return self.clean(reference, text)

    def clean(self, reference: str, text: str) -> str:
        """A text that no variable is filled into."""
        if slots(text):
            raise self.error(reference, f"a text holds `{{{{{slots(text)[0]}}}}}`, which would be filled")
        return text

    def value(self, reference: str) -> Constant:
        """What a reference names."""
        module, _, name = reference.partition(":")
        function, _, variable = name.partition("/")
        if variable:
            return self._constants.assigned(module, function, variable)
        return self._constants.named(module, name)

    def text(self, reference: str) -> str:
        """The text that a reference names."""
        value = self.value(reference)
        if not isinstance(value, str):
            raise self.error(reference, "is no text")
        return value

    def number(self, reference: str) -> float:
        """The number that a reference names."""
        value = self.value(reference)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.error(reference, "is no number")
        return value

    def error(self, reference: str, what: str) -> UsageError:
        """The error for what is wrong with a reference, with its file and line."""
        module, _, name = reference.partition(":")
        file = self._source.file(module)
        owner = name.partition("/")[0]
        told = what if "`" in what or owner in what else f"`{owner}`: {what}"
        return file.error(file.line(owner), told)
