"""Reading charts back: what a finished SVG says and where."""

from __future__ import annotations

import re
from typing import NamedTuple
from xml.etree import ElementTree

from independence.report.plots import canvas
from independence.report.plots.svg import FigureMeta

META = FigureMeta("chart", "A chart", "What it shows")
HOSTILE = "<script>alert(1)</script>$x^2$&\u202e\x1b[31m漢\ud800"
_NS = "{http://www.w3.org/2000/svg}"


class Written(NamedTuple):
    """A text: what, where it begins and ends, the middle of its height."""

    text: str
    left: float
    right: float
    y: float


def parsed(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg.encode())


def style(svg: str) -> dict[str, str]:
    """Class name to declarations."""
    sheet = parsed(svg).findtext(f"{_NS}style") or ""
    return dict(re.findall(r"\.(s\d+)\{([^}]*)\}", sheet))


def texts(svg: str) -> list[Written]:
    """Every horizontal text with the room it may take in a wide face."""
    rules = style(svg)
    found = []
    for element in parsed(svg).iter(f"{_NS}text"):
        if "transform" in element.attrib:
            continue
        rule = rules[element.attrib["class"]]
        size = float(re.search(r"font-size:([\d.]+)px", rule)[1])
        with canvas.drawing():
            width = canvas.text_width(element.text or "", size)
        anchor = re.search(r"text-anchor:(\w+)", rule)[1]
        left = float(element.attrib["x"]) - {"start": 0, "middle": width / 2, "end": width}[anchor]
        found.append(Written(element.text or "", left, left + width, float(element.attrib["y"]) - 0.35 * size))
    return found


def tips(svg: str) -> list[str]:
    """What the chart tells when pointed at."""
    return [title.text or "" for group in parsed(svg).iter(f"{_NS}g") for title in group.findall(f"{_NS}title")]


def overlaps(written: list[Written], height: float = 11) -> list[tuple[str, str]]:
    """Pairs of texts that share ink."""
    return [
        (one.text, other.text)
        for place, one in enumerate(written)
        for other in written[place + 1 :]
        if abs(one.y - other.y) < height and one.left < other.right - 0.5 and other.left < one.right - 0.5
    ]


def size(svg: str) -> tuple[float, float]:
    root = parsed(svg)
    return float(root.attrib["width"]), float(root.attrib["height"])


def drawn(svg: str, tone: str) -> list[ElementTree.Element]:
    """Every shape whose stroke or fill has a role."""
    named = {name for name, rule in style(svg).items() if f"var(--plot-{tone})" in rule}
    return [element for element in parsed(svg).iter() if element.get("class") in named]
