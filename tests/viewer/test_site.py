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
from independence.report.pages import paths
from independence.store.file import database
from independence.viewer import app, bundle, site
from independence.viewer.app import ViewerSettings
from independence.viewer.folder_pages import FolderPages
from independence.viewer.store_pages import StorePages
from tests.e2e import command
from tests.stores import Stores

from .raw import ask


def written(store: Path, folder: Path, *, force: bool = False) -> Path:
    with independence.Store(store) as held:
        site.export_site(held, folder, force=force)
    return folder


@pytest.fixture(scope="module")
def toy(stores: Stores) -> Path:
    """It has documents of every kind."""
    return stores("toy")


@pytest.fixture(scope="module")
def exported(toy: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(toy, tmp_path_factory.mktemp("site") / "out")


def files(folder: Path) -> Iterator[tuple[str, bytes]]:
    for file in sorted(folder.rglob("*")):
        if file.is_file() and file.name != output.MANIFEST:
            yield file.relative_to(folder).as_posix(), file.read_bytes()


async def test_the_server_sends_the_bytes_that_an_export_writes(toy: Path, exported: Path) -> None:
    compared = 0
    with StorePages(toy) as pages:
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


def test_a_store_exported_twice_gives_the_same_bytes(toy: Path, exported: Path, tmp_path: Path) -> None:
    assert dict(files(written(toy, tmp_path / "again"))) == dict(files(exported))


def test_a_newer_export_replaces_the_documents_of_an_older_one(toy: Path, tmp_path: Path) -> None:
    store, folder = Path(shutil.copy(toy, tmp_path)), tmp_path / "out"
    before = {name for name, _ in files(written(store, folder))}
    note = folder / next(name for name in sorted(before) if name.endswith("texts.json"))
    note.write_text("mine now")
    with closing(database.connect(store)) as connection:
        connection.execute("UPDATE subjects SET label = 'renamed' WHERE label LIKE '%half%'")
        connection.execute("DELETE FROM verdicts WHERE judge LIKE 'sim/%'")
        command.meant(connection)
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


def test_a_file_of_somebody_else_is_not_written_over(toy: Path, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("mine")
    with pytest.raises(UsageError, match="would be written over"):
        written(toy, tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["index.html"]
    assert (tmp_path / "index.html").read_text() == "mine"
    written(toy, tmp_path, force=True)
    (tmp_path / "index.html").write_text("mended by hand")
    with pytest.raises(UsageError, match="changed since"):
        written(toy, tmp_path)


def test_a_name_cannot_end_the_boot_document(toy: Path) -> None:
    with closing(database.connect_existing(toy)) as connection, paths.reading(connection) as documents:
        held = documents.board_list()
    evil = msgspec.structs.replace(held.boards[0], title="</script><script>alert(1)</script>")
    page = bundle.index(msgspec.structs.replace(held, boards=(evil,)), served=False)
    assert b"<script>alert" not in page
    boot = page.split(b'type="application/json">')[1].split(b"</script>")[0]
    assert msgspec.json.decode(boot)["board_list"]["boards"][0]["title"] == evil.title


def test_a_site_is_scored_by_the_rule_that_was_asked_for_and_refused_where_no_suite_can_have_it(
    stores: Stores, tmp_path: Path
) -> None:
    for name, rule, said in (
        ("sides", "published", "--scoring is about an index, and suite sides"),
        ("toy", "published", "was never published under a rule of its own"),
        ("toy", "v2", "--scoring v2 needs the field"),
        ("toy", "best", "no scoring rule `best`"),
    ):
        asked = ("export", str(tmp_path / "out"), "--db", str(stores(name)), "--scoring", rule)
        assert said in command.refused(*asked, "--as", "site")
        assert "--scoring is about --as site" in command.refused(*asked)
    assert not (tmp_path / "out").exists()
