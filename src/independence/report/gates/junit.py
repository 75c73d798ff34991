"""JUnit XML of a check. Texts may be a model's words: they are escaped, without what XML 1.0 does not know."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple
from xml.etree import ElementTree

from independence.report.files.table import spelled_out

_TIME = {"time": "0"}


class Problem(NamedTuple):
    """Why a test case did not pass: `failure`, or `error` where nothing is decided."""

    tag: Literal["failure", "error"]
    type: str
    message: str
    text: str


class Case(NamedTuple):
    """A test case of JUnit."""

    group: tuple[str, ...]  # below the suite
    name: str
    out: str
    problem: Problem | None


def document(name: str, properties: Mapping[str, object], cases: Iterable[Case]) -> str:
    """The file of one test suite of that name."""
    name, cases = f"independence.{name}", list(cases)
    kinds = [one.problem.tag for one in cases if one.problem]
    counts = {"tests": len(cases), "failures": kinds.count("failure"), "errors": kinds.count("error"), "skipped": 0}
    numbers = {key: str(value) for key, value in counts.items()}
    root = ElementTree.Element("testsuites", numbers)
    suite = ElementTree.SubElement(root, "testsuite", {"name": spelled_out(name), **numbers, **_TIME})
    own = ElementTree.SubElement(suite, "properties")
    for key, value in properties.items():
        ElementTree.SubElement(own, "property", {"name": key, "value": spelled_out(str(value))})

    for case in cases:
        values = {"classname": ".".join([name, *case.group]), "name": case.name}
        at = ElementTree.SubElement(suite, "testcase", {key: spelled_out(own) for key, own in values.items()} | _TIME)
        if case.problem:
            why = {"message": spelled_out(case.problem.message), "type": case.problem.type}
            ElementTree.SubElement(at, case.problem.tag, why).text = spelled_out(case.problem.text)
        ElementTree.SubElement(at, "system-out").text = spelled_out(case.out)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'
