"""What the site has beyond `docs/`: the README as its first page, and what is said of contributing and of changes.

A hook of MkDocs (`hooks:` in mkdocs.yml). The files stay where GitHub shows them; here their links are made to fit.
"""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "RELEASING.md": "releasing.md",
}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the files of the root."""
    for source, page in PAGES.items():
        file = File.generated(config, page, content=from_docs((ROOT / source).read_text("utf-8")))
        file.edit_uri = f"../{source}"
        files.append(file)
    return files


def from_docs(text: str) -> str:
    """The text of a file of the root with its links as they are from `docs/`."""
    for source, page in PAGES.items():
        text = re.sub(rf"\]\({re.escape(source)}(?=[)#])", f"]({page}", text)
    return text.replace("](docs/", "](")


def on_page_markdown(markdown: str, **_: object) -> str:
    """Links from `docs/` to files of the root lead to their pages; other files of the repository are named alone."""
    for source, page in PAGES.items():
        markdown = re.sub(rf"\]\(\.\./{re.escape(source)}(?=[)#])", f"]({page}", markdown)
    return re.sub(r"\[([^\]]*)\]\(\.\./[^)]*\)", r"\1", markdown)
