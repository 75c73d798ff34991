"""Reads a Dockerfile and does what it says in folders of this machine, as far as that goes without an engine."""

from __future__ import annotations

import fnmatch
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple


class Instruction(NamedTuple):
    """One instruction: its name in capitals, and the rest of its line."""

    name: str
    rest: str

    @property
    def words(self) -> list[str]:
        """What follows, flags such as `--from=x` left out; of the exec form its strings."""
        if self.rest.startswith("["):
            return [str(word) for word in json.loads(self.rest)]
        return [word for word in self.rest.split() if not word.startswith("--")]


def read(text: str) -> list[Instruction]:
    """The instructions, lines that go on joined, comments left out."""
    lines = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    joined = (line.strip() for line in re.sub(r"\\\n\s*", "", lines).splitlines())
    return [Instruction(name.upper(), rest) for name, _, rest in (line.partition(" ") for line in joined if line)]


def filled(text: str, values: Mapping[str, str]) -> str:
    """The text with `$NAME` and `${NAME}` replaced; a name without a value is empty, as in Docker."""
    return re.sub(r"\$(?:\{(\w+)\}|(\w+))", lambda found: values.get(found[1] or found[2], ""), text)


def sent(context: Path, ignore: str) -> Iterator[Path]:
    """The files of a context that `.dockerignore` lets through: the last line that fits decides."""
    rules = [line for line in ignore.splitlines() if line and not line.startswith("#")]
    for path in context.rglob("*"):
        name, kept = path.relative_to(context).as_posix(), True
        for rule in rules:
            pattern = rule.removeprefix("!").removeprefix("**/")
            tails = [name, *(name.split("/", at)[at] for at in range(1, name.count("/") + 1))]
            deep = tails if "**/" in rule else [name]
            if any(fnmatch.fnmatch(tail, pattern) or tail.startswith(f"{pattern}/") for tail in deep):
                kept = rule.startswith("!")
        if kept and path.is_file():
            yield path


class Built(NamedTuple):
    """What a build leaves: the environment, the folder to start in, the command with its default arguments."""

    environment: dict[str, str]
    folder: Path
    entrypoint: list[str]
    cmd: list[str]
    user: list[str]


class Builder:
    """Builds in `root`: each stage has a folder of its own there, in which absolute paths begin.

    `arguments` are those of `docker build --build-arg`; paths that the image needs at one place on disk (an environment
    of Python cannot be moved) are given as paths within `root` by them. `base`: the environment of every stage.
    """

    def __init__(self, context: Path, root: Path, arguments: Mapping[str, str], base: Mapping[str, str]) -> None:
        self.context, self.root, self.given, self.base = context, root, arguments, base
        self.ran: list[str] = []

    def build(self, instructions: list[Instruction]) -> Built:
        """Do all instructions in their order."""
        before_stages = dict[str, str]()
        stage, values, result = 0, before_stages, None
        for name, rest in instructions:
            if name == "ARG":
                key, _, default = rest.partition("=")
                values[key] = self.given.get(key, default or before_stages.get(key, ""))
            elif name == "FROM":
                stage, values = stage + 1, {**self.base}
                result = Built(values, self._place(stage, "/"), [], [], ["0:0"])
            else:
                assert result is not None, f"{name} before FROM"
                result = self._step(stage, Instruction(name, rest), result)
        assert result is not None
        return result

    def _place(self, stage: int, path: str) -> Path:
        place = Path(path) if path.startswith(f"{self.root}/") else self.root / f"stage{stage}" / path.lstrip("/")
        place.mkdir(parents=True, exist_ok=True)
        return place

    def _step(self, stage: int, one: Instruction, now: Built) -> Built:
        rest = filled(one.rest, now.environment)
        match one.name:
            case "RUN":
                self._run(one.rest, now)
            case "COPY":
                self._copy(Instruction("COPY", rest), now)
            case "ENV":
                now.environment.update(pair.split("=", 1) for pair in rest.split())
            case "WORKDIR":
                return now._replace(folder=self._place(stage, rest))
            case "USER" | "ENTRYPOINT" | "CMD":
                return now._replace(**{one.name.lower(): one.words})
            case other:
                assert other in ("VOLUME", "STOPSIGNAL"), f"{other} is not known here"
        return now

    def _run(self, script: str, now: Built) -> None:
        ended = subprocess.run(
            ["/bin/sh", "-c", script], check=False, capture_output=True, text=True, cwd=now.folder, env=now.environment
        )
        assert ended.returncode == 0, f"RUN {script}\n{ended.stdout[-2000:]}\n{ended.stderr[-3000:]}"
        self.ran.append(script)

    def _copy(self, one: Instruction, now: Built) -> None:
        *sources, target = one.words
        if "--from=" in one.rest:
            assert sources == [target], "a path that stages share stays where it is"
            assert os.listdir(target)  # noqa: PTH208
            return
        let_through = list(sent(self.context, (self.context / ".dockerignore").read_text("utf-8")))
        for source in sources:
            origin = self.context / source
            files = [path for path in let_through if path == origin or origin in path.parents]
            assert files, f"COPY {source}: nothing of it is sent"
            for path in files:
                inner = path.relative_to(origin) if path != origin else Path(path.name)
                place = now.folder / target / inner
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, place)
