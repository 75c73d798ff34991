"""What matplotlib wrote, made small, accessible and themeable: classes for styles, CSS properties for colours."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple
from xml.etree import ElementTree

from independence.report.plots import lettering, palette

_SVG: Final = "http://www.w3.org/2000/svg"
_LINK: Final = "{http://www.w3.org/1999/xlink}href"
_FONT: Final = 'system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif'
_ID: Final = re.compile(r"[a-z][a-z0-9-]*")
_NUMBER: Final = re.compile(r"-?\d+\.\d+")
_COLOUR: Final = re.compile("#[0-9a-f]{6}")
_BY_SENTINEL: Final = {tone.sentinel: tone for tone in palette.TONES}
_DROPPED: Final = {f"{{{_SVG}}}{name}" for name in ("metadata", "style")}


class About(NamedTuple):
    """What a chart is called. `id` is kebab-case and unique on a page; `description` is read where it is not seen."""

    id: str
    title: str
    description: str


def dressed(raw: str, about: About, tips: Mapping[str, str]) -> str:
    """matplotlib's document as ours. `tips` gives groups (by their gid) the text shown on hover.

    Raises ValueError for an id that is not kebab-case: it becomes part of selectors.
    """
    if not _ID.fullmatch(about.id):
        raise ValueError(f"a chart's id is kebab-case, not {about.id!r}")
    # Every text in it was escaped by the SVG backend, and a DOCTYPE with entities is nothing that it writes.
    root = ElementTree.fromstring(re.sub(r"<!DOCTYPE[^>]*>", "", raw))  # noqa: S314
    _pruned(root)
    styles = _Styles(f"plot-{about.id}")
    for element in list(root.iter()):
        element.tag = _local(element)
        _tidied(element, styles)
        if element.tag == "g" and (tip := tips.get(element.attrib.pop("id", ""))) is not None:
            _titled(element, tip)
    return _document(root, about, styles)


def _local(element: ElementTree.Element) -> str:
    return element.tag.removeprefix(f"{{{_SVG}}}")


def _pruned(parent: ElementTree.Element) -> None:
    """Drop what carries nothing: metadata, empty definitions, and groups that only give a number to their content."""
    kept: list[ElementTree.Element] = []
    for child in list(parent):
        _pruned(child)
        bare = _local(child) == "g" and not child.get("id", "").startswith("tip-") and not set(child.attrib) - {"id"}
        if bare:
            kept += list(child)
        elif child.tag not in _DROPPED and not (_local(child) == "defs" and not len(child)):
            kept.append(child)
    parent[:] = kept
    parent.text = parent.text if _local(parent) == "text" else None
    for child in kept:
        child.tail = None


def _titled(group: ElementTree.Element, tip: str) -> None:
    title = ElementTree.Element("title")
    title.text = tip
    group.insert(0, title)
    group.set("class", "tip")


class _Styles:
    """Style attributes seen so far, each under a class of its own in order of appearance."""

    def __init__(self, scope: str) -> None:
        self.scope = scope
        self.names: dict[str, str] = {}
        self.tones: dict[palette.Tone, None] = {palette.ACCENT: None}

    def named(self, style: str) -> str:
        if style not in self.names:
            self.names[style] = f"s{len(self.names)}"
            self.tones |= {_BY_SENTINEL[found]: None for found in _COLOUR.findall(style) if found in _BY_SENTINEL}
        return self.names[style]

    def css(self) -> str:
        return "".join(f"#{self.scope} .{name}{{{_rule(style)}}}" for style, name in self.names.items())


def _rule(style: str) -> str:
    """A style with roles for sentinels; the light colour first, for renderers without custom properties."""
    parts: list[str] = []
    for part in style.split("; "):
        key, _, value = part.partition(": ")
        if key == "font-family" or part == "stroke-linejoin: round":
            continue
        if key == "font-weight":
            value = "600"  # the measuring face has no half-bold; readers' fonts do
        tone = _BY_SENTINEL.get(value)
        parts += [f"{key}:{value}"] if tone is None else [f"{key}:{tone.light}", f"{key}:{tone.css}"]
    return ";".join(parts)


def _tidied(element: ElementTree.Element, styles: _Styles) -> None:
    attributes = element.attrib
    if link := attributes.pop(_LINK, None):
        attributes["href"] = f"#{styles.scope}-{link[1:]}"
    if (clip := attributes.get("clip-path")) is not None:
        attributes["clip-path"] = clip.replace("url(#", f"url(#{styles.scope}-")
    if element.tag in ("path", "clipPath") and "id" in attributes:
        attributes["id"] = f"{styles.scope}-{attributes['id']}"
    if attributes.get("transform", "").startswith("rotate(-0 "):
        del attributes["transform"]
    for key in ("d", "x", "y", "width", "height", "transform"):
        if key in attributes:
            attributes[key] = _compact(attributes[key])
    if style := attributes.pop("style", None):
        attributes["class"] = styles.named(style)


def _compact(text: str) -> str:
    rounded = _NUMBER.sub(lambda found: f"{float(found[0]):.2f}".rstrip("0").rstrip("."), " ".join(text.split()))
    return re.sub(r" ?([A-Za-z]) ?", r"\1", rounded) if rounded[:1] == "M" else rounded


def _document(root: ElementTree.Element, about: About, styles: _Styles) -> str:
    _, _, width, height = root.get("viewBox", "").split()
    light, dark = palette.declared("light", styles.tones), palette.declared("dark", styles.tones)
    sheet = (
        # `svg:root` is true of a file and false of an inlined chart, whose page declares the properties itself.
        f"svg:root{{{light}}}@media(prefers-color-scheme:dark){{svg:root{{{dark}}}}}"
        f"#{styles.scope}{{font-family:{_FONT};font-variant-numeric:tabular-nums;stroke-linejoin:round}}"
        f"#{styles.scope} *{{pointer-events:none}}#{styles.scope} .tip>*{{pointer-events:all}}"
        f"{styles.css()}#{styles.scope} .tip:hover>path{{fill:var(--plot-accent);fill-opacity:.1}}"
    )
    title, description = lettering.visible(about.title), lettering.visible(about.description)
    root.attrib.clear()
    root.attrib.update(
        {
            "xmlns": _SVG,
            "id": styles.scope,
            "width": width,
            "height": height,
            "viewBox": f"0 0 {width} {height}",
            "role": "img",
            "aria-labelledby": f"{styles.scope}-title {styles.scope}-desc",
        }
    )
    for place, (name, text) in enumerate((("title", title), ("desc", description), ("style", sheet))):
        element = ElementTree.Element(name, {} if name == "style" else {"id": f"{styles.scope}-{name}"})
        element.text = text
        root.insert(place, element)
    return ElementTree.tostring(root, encoding="unicode") + "\n"
