from __future__ import annotations

import io
import lzma
import tarfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from independence.errors import UsageError
from independence.exchange.published import LARGEST, ResultFile, files

from .trees import CONFIG


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    for name in ("run_1/a.json", "run_1/deep/er/b.json", "run_2/c.json"):
        file = tmp_path / "cache" / CONFIG / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name * 300)
    return tmp_path / "cache"


def packed(cache: Path, mode: str = "w", prefix: str = "cache") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode, format=tarfile.GNU_FORMAT) as tar:  # type: ignore[call-overload]
        tar.add(cache, prefix)
    return buffer.getvalue()


def from_configuration(file: ResultFile) -> tuple[tuple[str, ...], bytes | None]:
    return file.parts[file.parts.index(CONFIG) :], file.content


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
@pytest.mark.parametrize("prefix", ["cache", ".", "bench-main/results/cache"])
def test_an_archive_holds_the_same_files_as_its_folder(cache: Path, mode: str, prefix: str) -> None:
    archive = cache.parent / "set.bin"
    archive.write_bytes(packed(cache, mode, prefix))
    assert sorted(map(from_configuration, files(archive))) == sorted(map(from_configuration, files(cache)))


def test_a_folder_is_found_by_itself_by_its_cache_and_by_one_configuration(cache: Path) -> None:
    expected = list(files(cache))
    assert len(expected) == 3
    assert list(files(cache.parent)) == expected
    assert list(files(cache / CONFIG)) == expected


def test_one_configuration_is_found_from_inside_it(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(cache / CONFIG)
    assert len(list(files(Path()))) == 3


def test_links_in_an_archive_are_not_followed(cache: Path) -> None:
    (cache / CONFIG / "run_1" / "link.json").symlink_to("/etc/hostname")
    archive = cache.parent / "set.tar"
    archive.write_bytes(packed(cache))
    assert all(file.parts[-1] != "link.json" for file in files(archive))


def test_a_file_beyond_the_limit_is_listed_without_being_read(cache: Path) -> None:
    with (cache / CONFIG / "run_1" / "huge.json").open("wb") as huge:
        huge.truncate(LARGEST + 1)
    assert [file.content for file in files(cache) if file.parts[-1] == "huge.json"] == [None]


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_every_cut_of_a_plain_tar_is_refused(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.mktemp("cut")
    for number in range(3):
        file = folder / "cache" / CONFIG / "run_1" / f"{number}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x" * 700 * number)
    whole = packed(folder / "cache")
    content = len(whole.rstrip(b"\0")) // tarfile.BLOCKSIZE * tarfile.BLOCKSIZE + tarfile.BLOCKSIZE
    archive = folder / "cut.tar"
    archive.write_bytes(whole[: data.draw(st.integers(0, content))])
    with pytest.raises(UsageError, match=r"cut\.tar: not a tar archive, or a damaged one"):
        list(files(archive))


@pytest.mark.parametrize("mode", ["w:gz", "w:bz2", "w:xz"])
@pytest.mark.parametrize("kept", [0.1, 0.5, 0.9, 0.99])
def test_a_cut_compressed_archive_is_refused(cache: Path, mode: str, kept: float) -> None:
    whole = packed(cache, mode)
    archive = cache.parent / "cut.bin"
    archive.write_bytes(whole[: int(len(whole) * kept)])
    with pytest.raises(UsageError, match="damaged"):
        list(files(archive))


def test_a_damaged_checksum_behind_the_last_file_is_noticed(cache: Path) -> None:
    whole = bytearray(packed(cache, "w:gz"))
    whole[-6] ^= 0xFF  # inside the gzip trailer: all files still unpack
    archive = cache.parent / "bad.tar.gz"
    archive.write_bytes(whole)
    with pytest.raises(UsageError, match="damaged"):
        list(files(archive))


def test_a_broken_header_in_the_middle_is_not_taken_for_the_end(cache: Path) -> None:
    whole = bytearray(packed(cache))
    second = whole.index(b"cache/", tarfile.BLOCKSIZE)
    whole[second] ^= 0x20
    archive = cache.parent / "bad.tar.xz"
    archive.write_bytes(lzma.compress(bytes(whole)))
    with pytest.raises(UsageError, match="end mark"):
        list(files(archive))


def test_what_is_no_archive_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing of the kind")
    with pytest.raises(UsageError, match=r"notes\.txt: not a tar archive"):
        list(files(tmp_path / "notes.txt"))


def test_a_path_that_does_not_exist_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nowhere: no such file"):
        files(tmp_path / "nowhere")


def test_a_folder_without_configurations_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no configuration directory found"):
        list(files(tmp_path))
