"""A figure as SVG: small, accessible, and in the colours of the reader's theme."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Final, NamedTuple
from xml.etree import ElementTree

from independence.report.plots import canvas, palette
from independence.report.plots.palette import Tone

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SVG: Final = "http://www.w3.org/2000/svg"
_LINK: Final = "{http://www.w3.org/1999/xlink}href"
_FONT: Final = 'system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif'
_NUMBER: Final = re.compile(r"-?\d+\.\d{2,}")
_SPACE: Final = re.compile(r"\s*([A-Za-z])\s*")
_PAINT: Final = re.compile(r"(fill|stroke):(#[0-9a-f]{6})")
_BY_LIGHT: Final = {tone.light: tone for tone in palette.TONES}


class FigureMeta(NamedTuple):
    """What a figure is called. `id` is kebab-case and unique on a page; `description` is read where it is not seen."""

    id: str
    title: str
    description: str


def finished(figure: Figure, meta: FigureMeta) -> str:
    """The document."""
    for artist in figure.findobj():
        artist.set_clip_on(False)
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None})
    # The SVG backend escaped every text in it, and its document type has no entities.
    root = ElementTree.fromstring(out.getvalue())  # noqa: S314
    for child in [child for child in root if not child.tag.endswith("}g") and child.find("*[@patternUnits]") is None]:
        root.remove(child)  # matplotlib's metadata and its rules for every element of a page
    scope = f"plot-{meta.id}"
    classes: dict[str, str] = {}
    for element in [*root.iter()]:
        _slim(element, scope, classes)
    for parent in reversed([*root.iter()]):
        parent[:] = [inner for child in parent for inner in (child if _is_bare(child) else [child])]
    _head(root, meta, scope, classes)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _is_bare(element: ElementTree.Element) -> bool:
    """True for a group that says nothing of its content."""
    return element.tag == "g" and not element.attrib


def _slim(element: ElementTree.Element, scope: str, classes: dict[str, str]) -> None:
    """Classes for styles, ids that are unique on a page, hover text for marked groups, and no more digits than seen."""
    attributes = element.attrib
    element.tag = element.tag.rpartition("}")[2]
    element.text, element.tail = element.text if element.tag == "text" else None, None
    name = attributes.pop("id", "")
    if name.startswith(canvas.TIP):
        attributes["class"] = "tip"
        tip = ElementTree.Element("title")
        tip.text = name.removeprefix(canvas.TIP)
        element.insert(0, tip)
    elif element.tag != "g":
        attributes |= {"id": f"{scope}-{name}"} if name else {}
    if link := attributes.pop(_LINK, None):
        attributes["href"] = f"#{scope}-{link[1:]}"
    if attributes.get("transform", "").startswith("rotate(-0 "):
        del attributes["transform"]
    for key in attributes.keys() & {"d", "x", "y", "transform"}:
        attributes[key] = _NUMBER.sub(
            lambda found: f"{float(found[0]):.1f}", _SPACE.sub(r"\1", attributes[key]).strip()
        )
    if style := attributes.pop("style", ""):
        style = style.replace("url(#", f"url(#{scope}-")
        attributes["class"] = classes.setdefault(style, f"s{len(classes)}")


def _head(root: ElementTree.Element, meta: FigureMeta, scope: str, classes: dict[str, str]) -> None:
    """Give the document its size, name, description and style sheet."""
    _, _, width, height = root.attrib["viewBox"].split()
    root.attrib.clear()
    root.attrib |= {
        "xmlns": _SVG,
        "id": scope,
        "width": width,
        "height": height,
        "viewBox": f"0 0 {width} {height}",
        "role": "img",
        "aria-labelledby": f"{scope}-title {scope}-desc",
    }
    texts = {"title": canvas.visible(meta.title), "desc": canvas.visible(meta.description)}
    for place, (tag, text) in enumerate({**texts, "style": _sheet(scope, classes)}.items()):
        element = ElementTree.Element(tag, {"id": f"{scope}-{tag}"} if tag in texts else {})
        element.text = text
        root.insert(place, element)


def _sheet(scope: str, classes: dict[str, str]) -> str:
    rules = "".join(f"#{scope} .{name}{{{_rule(style)}}}" for style, name in classes.items())
    used: dict[Tone, None] = {palette.ACCENT: None}
    used |= {_BY_LIGHT[found[1]]: None for found in _PAINT.findall(rules) if found[1] in _BY_LIGHT}
    light, dark = palette.declared("light", used), palette.declared("dark", used)
    return (
        # `svg:root` is true of a file and false of an inlined figure, whose page declares the properties itself.
        f"svg:root{{{light}}}@media(prefers-color-scheme:dark){{svg:root{{{dark}}}}}"
        f"#{scope}{{font-family:{_FONT};font-variant-numeric:tabular-nums;stroke-linejoin:round}}"
        f"#{scope} *{{pointer-events:none}}#{scope} .tip *{{pointer-events:all}}"
        f"{rules}#{scope} .tip:hover>path{{fill:var(--plot-accent);fill-opacity:.1}}"
    )


def _rule(style: str) -> str:
    """A style with roles for colours; the light colour comes first, for renderers that know no properties."""
    parts = [part for part in style.replace(": ", ":").split("; ") if not part.startswith("font-family")]
    # Older matplotlibs write a font in one; readers' fonts have a half-bold.
    plain = ";".join(parts).replace("'DejaVu Sans'", _FONT).replace("font-weight:700", "font-weight:600")
    return _PAINT.sub(lambda found: found[0] + _themed(found[1], found[2]), plain)


def _themed(key: str, colour: str) -> str:
    return f";{key}:var(--plot-{_BY_LIGHT[colour].name})" if colour in _BY_LIGHT else ""
