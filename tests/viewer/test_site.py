"""The same viewer as files: byte for byte what the server sends, and never over files of somebody else."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

import independence
from independence.errors import UsageError
from independence.exchange import output
from independence.report.site import paths
from independence.store import database
from independence.viewer import app, bundle, site
from independence.viewer.app import ViewerSettings
from independence.viewer.folder_pages import FolderPages
from independence.viewer.store_pages import StorePages
from tests.e2e import command
from tests.stores import Stores

from .raw import ask

KEY = "sk-or-v1-0123456789abcdef0123456789abcdef"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Simulated subjects, graded by rules and by a model of the panel."""
    path = tmp_path_factory.mktemp("demo") / "demo.db"
    line = "run -m sim/half,sim/never,sim/always --runs 2 -j cues -j sim/judge --quiet --yes"
    done = command.run(*line.split(), "--db", str(path), env={"OPENROUTER_API_KEY": KEY})
    assert done.code == 0, done.err
    return path


def written(store: Path, folder: Path, *, force: bool = False) -> Path:
    with independence.Store(store) as held:
        site.export_site(held, folder, force=force)
    return folder


@pytest.fixture(scope="module")
def exported(demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(demo, tmp_path_factory.mktemp("site") / "out")


def files(folder: Path) -> Iterator[tuple[str, bytes]]:
    for file in sorted(folder.rglob("*")):
        if file.is_file() and file.name != output.MANIFEST:
            yield file.relative_to(folder).as_posix(), file.read_bytes()


@pytest.fixture(params=["demo", "sides", "rent", "toy", "published"])
def both(request: pytest.FixtureRequest, tmp_path: Path, stores: Stores) -> tuple[Path, Path]:
    """A store, and its site as files."""
    if request.param == "demo":
        return request.getfixturevalue("demo"), request.getfixturevalue("exported")
    store = stores(request.param)
    return store, written(store, tmp_path / "site")


async def test_the_server_sends_the_bytes_that_an_export_writes(both: tuple[Path, Path]) -> None:
    store, exported = both
    compared = 0
    with StorePages(store) as pages:
        async with app.serving(pages, ViewerSettings()) as address:
            for name, content in files(exported):
                if name.startswith(("data/", "app-")):
                    found = await ask(address, f"/{name}")
                    assert (name, found.status, found.body == content) == (name, 200, True)
                    compared += 1
            page = await ask(address)
    assert compared == len(list(files(exported))) - 2  # the page itself, and what GitHub Pages asks for
    assert page.body.replace(b'"served":true', b'"served":false') == (exported / "index.html").read_bytes()


async def test_an_exported_site_is_served_as_it_lies_there(exported: Path) -> None:
    async with app.serving(FolderPages(exported), ViewerSettings()) as address:
        for name, content in files(exported):
            assert (await ask(address, f"/{name}")).body == content
        scripts = next(name for name, _ in files(exported) if name.endswith(".js"))
        found = await ask(address, f"/{scripts}")
        assert found.headers["content-type"].startswith("text/javascript")
        assert "immutable" in found.headers["cache-control"]


def test_a_store_exported_twice_gives_the_same_bytes(demo: Path, exported: Path, tmp_path: Path) -> None:
    assert dict(files(written(demo, tmp_path / "again"))) == dict(files(exported))


def test_a_newer_export_replaces_the_documents_of_an_older_one(demo: Path, tmp_path: Path) -> None:
    store, folder = tmp_path / "demo.db", tmp_path / "out"
    shutil.copy(demo, store)
    before = {name for name, _ in files(written(store, folder))}
    note = folder / next(name for name in sorted(before) if name.endswith("texts.json"))
    note.write_text("mine now")
    with closing(database.connect(store)) as connection:
        connection.execute("UPDATE subjects SET label = 'renamed' WHERE model_id = 'half'")
        connection.execute("DELETE FROM verdicts WHERE judge LIKE 'sim/%'")
    after = {name for name, _ in files(written(store, folder))}
    data = {name.split("/")[1] for name in after - {note.relative_to(folder).as_posix()} if name.startswith("data/")}
    assert len(data) == 1
    assert data != {name.split("/")[1] for name in before if name.startswith("data/")}
    assert note.read_text() == "mine now"


def test_the_page_names_no_file_that_is_not_there(exported: Path) -> None:
    page = (exported / "index.html").read_text("utf-8")
    named = [part.split('"')[0] for part in page.split('="./')[1:]]
    assert len(named) >= 4
    assert [name for name in named if not (exported / name).is_file()] == []


def test_no_document_holds_a_key(exported: Path) -> None:
    assert [name for name, content in files(exported) if KEY.encode() in content] == []


def test_a_file_of_somebody_else_is_not_written_over(demo: Path, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("mine")
    with pytest.raises(UsageError, match="would be written over"):
        written(demo, tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["index.html"]
    assert (tmp_path / "index.html").read_text() == "mine"
    written(demo, tmp_path, force=True)
    written(demo, tmp_path)
    (tmp_path / "index.html").write_text("mended by hand")
    with pytest.raises(UsageError, match="changed since"):
        written(demo, tmp_path)


def test_a_name_cannot_end_the_boot_document(demo: Path) -> None:
    with closing(database.connect_existing(demo)) as connection, paths.reading(connection) as documents:
        held = documents.board_list()
    evil = msgspec.structs.replace(held.boards[0], title="</script><script>alert(1)</script>")
    page = bundle.index(msgspec.structs.replace(held, boards=(evil,)), served=False)
    assert b"<script>alert" not in page
    boot = page.split(b'type="application/json">')[1].split(b"</script>")[0]
    assert msgspec.json.decode(boot)["board_list"]["boards"][0]["title"] == evil.title
