"""A package of somebody else, as an installer leaves it: a module and the entry points that it declares."""

from __future__ import annotations

from pathlib import Path


def install(folder: Path, name: str, source: str, **declared: str) -> Path:
    """Write package `name` into a folder for `sys.path`.

    `declared`: a kind, such as `dialects`, and its lines `NAME = MODULE:OBJECT`.
    """
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    groups = [f"[independence.{kind}]\n{lines}\n" for kind, lines in declared.items()]
    (info / "entry_points.txt").write_text("\n".join(groups))
    (folder / f"{name}.py").write_text(source)
    return folder
