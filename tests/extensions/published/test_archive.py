"""Files of a published result set: found in folders and archives, placed by their paths, read where they are sound."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import tarfile
import tracemalloc
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from independence.config import documents
from independence.config.subjects import Subject
from independence.errors import UsageError
from independence.exchange.streamed_files import MEMBERS, WHOLE
from independence.extensions.published.dialogues import PublishedPath, configured_model, published_path, turn_positions
from independence.extensions.published.responses import ResponseFile
from independence.extensions.published.result_set import LARGEST, ResultFile, can_be, files
from independence.suites.schema import Suite
from independence.types import Sampling, Usage

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
def test_an_archive_holds_the_same_files_as_its_folder(cache: Path, mode: str) -> None:
    archive = cache.parent / "set.bin"
    for prefix in ("cache", ".", "bench-main/results/cache"):
        archive.write_bytes(packed(cache, mode, prefix))
        assert sorted(map(from_configuration, files(archive))) == sorted(map(from_configuration, files(cache)))


def test_a_folder_is_found_by_itself_by_its_cache_and_by_one_configuration(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = list(files(cache))
    assert len(expected) == 3
    assert list(files(cache.parent)) == list(files(cache / CONFIG)) == expected
    monkeypatch.chdir(cache / CONFIG)
    assert len(list(files(Path()))) == 3


def test_a_result_set_is_told_from_other_files_by_its_name_or_its_head(cache: Path) -> None:
    content = {
        "set.bin": packed(cache), "set.xz": packed(cache, "w:xz"), "set.tgz": b"cut", "set.tar.xz": b"", "notes": b"",
        "notes.txt": b"a line\n" * 100, "notes.gz": gzip.compress(b"a line\n" * 100), "cut.gz": gzip.compress(b"x")[:9],
    }  # fmt: skip
    for name, data in content.items():
        (cache.parent / name).write_bytes(data)
    (cache.parent / "empty").mkdir()
    names = [*content, "empty", "nothing", "nothing.tar", "cache", f"cache/{CONFIG}", "."]
    assert [name for name in names if can_be(cache.parent / name)] == [
        "set.bin", "set.xz", "set.tgz", "set.tar.xz", "nothing.tar", "cache", f"cache/{CONFIG}", ".",
    ]  # fmt: skip


def test_neither_links_in_an_archive_nor_huge_files_are_read(cache: Path) -> None:
    top = cache / CONFIG / "run_1"
    (top / "link.json").symlink_to("/etc/hostname")
    with (top / "largest.json").open("wb") as largest, (top / "huge.json").open("wb") as huge:
        largest.truncate(LARGEST)
        huge.truncate(LARGEST + 1)
    archive = cache.parent / "set.tar"
    archive.write_bytes(packed(cache))
    for path in (archive, cache):
        read = {file.parts[-1]: file.content for file in files(path)}
        assert (len(read["largest.json"] or b""), read["huge.json"]) == (LARGEST, None)
    assert "link.json" not in {file.parts[-1] for file in files(archive)}


@settings(max_examples=40)
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


def test_a_damaged_archive_is_refused(cache: Path) -> None:
    cut = {
        (mode, kept): packed(cache, mode)[: int(len(packed(cache, mode)) * kept)]
        for mode in ("w:gz", "w:bz2", "w:xz")
        for kept in (0.1, 0.5, 0.9, 0.99)
    }
    trailer, header = bytearray(packed(cache, "w:gz")), bytearray(packed(cache))
    trailer[-6] ^= 0xFF  # a checksum behind the last file: all files still unpack
    header[header.index(b"cache/", tarfile.BLOCKSIZE)] ^= 0x20  # in the middle, and not to be taken for the end
    damaged = cut | {"trailer": bytes(trailer), "header": lzma.compress(bytes(header))}
    archive = cache.parent / "set.bin"
    said = {}
    for name, content in damaged.items():
        archive.write_bytes(content)
        with pytest.raises(UsageError, match="damaged") as refusal:
            list(files(archive))
        said[name] = str(refusal.value)
    assert "end mark" in said["header"]


def header(name: str, size: int, kind: bytes) -> bytes:
    member = tarfile.TarInfo(name)
    member.size, member.type = size, kind
    return member.tobuf(tarfile.GNU_FORMAT)


def test_no_member_of_an_archive_takes_more_memory_than_a_file_may_have(tmp_path: Path) -> None:
    """Long names and extended headers are read whole; here they claim, and packed they hold, far more than a file."""
    archive, size = tmp_path / "set.tar.gz", 4 * LARGEST
    for kind in (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.XHDTYPE, tarfile.XGLTYPE):
        with gzip.open(archive, "wb", compresslevel=1) as packing:
            packing.write(header("x", size, kind))
            packing.write(bytes(size))
        tracemalloc.start()
        with pytest.raises(UsageError, match=r"set\.tar\.gz: not a tar archive, or a damaged one \(a header of it has"):
            list(files(archive))
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert most < LARGEST / 4, kind


@pytest.mark.deep
def test_an_archive_of_more_bytes_or_files_than_any_set_has_is_refused_before_it_fills_the_memory(
    tmp_path: Path,
) -> None:
    """Packed they are small."""
    block, name = bytes(tarfile.BLOCKSIZE), f"cache/{CONFIG}/run_1/x.json"
    for members, size in ((WHOLE // LARGEST + 1, LARGEST), (MEMBERS + 1, 0)):
        archive = tmp_path / "set.tar.gz"
        with gzip.open(archive, "wb", compresslevel=1) as packing:
            for _ in range(members):
                packing.write(header(name, size, tarfile.REGTYPE))
                for _ in range(size // LARGEST):
                    packing.write(bytes(LARGEST))
            packing.write(2 * block)
        with pytest.raises(UsageError, match=r"set\.tar\.gz: more than 256 MB or 100,000 files when unpacked"):
            for _ in files(archive):
                pass


def test_members_that_point_out_of_their_folder_are_read_as_files_and_written_nowhere(tmp_path: Path) -> None:
    archive, there = tmp_path / "set.tar", tmp_path / "outside.json"
    names = (f"../../{CONFIG}/run_1/up.json", str(there), f"cache/{CONFIG}/run_1/../../../outside.json")
    kinds = (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE)
    with archive.open("wb") as out:
        for name in names:
            out.write(header(name, 2, tarfile.REGTYPE) + b"{}".ljust(tarfile.BLOCKSIZE, b"\0"))
        for kind in kinds:
            member = tarfile.TarInfo(f"cache/{CONFIG}/run_1/{kind!r}.json")
            member.type, member.linkname = kind, "/etc/hostname"
            out.write(member.tobuf(tarfile.GNU_FORMAT))
        out.write(bytes(2 * tarfile.BLOCKSIZE))
    assert {(file.parts[-1], file.content) for file in files(archive)} == {("up.json", b"{}"), ("outside.json", b"{}")}
    assert not there.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["set.tar"]


def test_what_is_no_result_set_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing of the kind")
    for name, what in (
        ("notes.txt", r"notes\.txt: not a tar archive"),
        ("nowhere", "nowhere: no such file"),
        ("", "no configuration directory found"),
    ):
        with pytest.raises(UsageError, match=what):
            list(files(tmp_path / name))


_WORD = st.from_regex(r"[a-z0-9](?:-?[a-z0-9._:])*", fullmatch=True).filter(lambda word: not word.endswith("-"))
_TAG = st.none() | st.lists(st.from_regex(r"[a-z0-9]{1,8}", fullmatch=True), min_size=1, max_size=2).map("/".join)


@settings(max_examples=30)
@given(
    st.lists(_WORD, min_size=1, max_size=3).map("/".join), _TAG,
    st.sampled_from(["none", "low", "medium", "high", "off", "x-high"]), st.integers(0, 200),
)  # fmt: skip
def test_a_directory_name_written_for_a_subject_names_its_model(
    model: str, tag: str | None, effort: str, hundredths: int
) -> None:
    subject = Subject(model, "openrouter", model, Sampling(hundredths / 100, effort, tag))
    assert configured_model(subject.config_dir) == model


def test_published_forms_of_a_name_are_read_and_others_are_no_configuration() -> None:
    names = {
        "google--gemma-4-31b-it:free@none-t0.7": "google/gemma-4-31b-it:free",
        "moonshotai--kimi-k2.5+moonshotai-int4@none-t0.7": "moonshotai/kimi-k2.5",
        "local--google--gemma@low-t1.0": "local/google/gemma",
        "@cf--meta--llama@low-t0.0": "@cf/meta/llama",
        **dict.fromkeys(("run_1", "cache", "acme--small-1", "acme@low", "acme@low-t", "acme@low-tx", "@low-t1", "")),
    }
    assert {name: configured_model(name) for name in names} == names


NEW = "a--b@low-t0.7"
IDENTITY = ("identity", "v", "m", "direct.json")
OLDER = "acme--small-1@low-t0.7"


def test_a_file_is_placed_by_the_first_part_that_names_a_configuration() -> None:
    gemini = "google--gemini-2.5-flash"
    placed: dict[tuple[str, ...], PublishedPath | None] = {
        ("bench-main", "cache", NEW, "run_12", *IDENTITY): PublishedPath(NEW, "a/b", 12, IDENTITY),
        (NEW, *IDENTITY): PublishedPath(NEW, "a/b", 1, IDENTITY),
        # the older layout: its effort is the one that its publisher sent to that model
        ("acme--small-1", *IDENTITY): PublishedPath(OLDER, "acme/small-1", 1, IDENTITY, older=True),
        ("a--folder", "acme--small-1", *IDENTITY): PublishedPath(OLDER, "acme/small-1", 1, IDENTITY, older=True),
        ("acme--small-1", "run_3", *IDENTITY): PublishedPath(OLDER, "acme/small-1", 3, IDENTITY, older=True),
        (gemini, *IDENTITY): PublishedPath(f"{gemini}@none-t0.7", "google/gemini-2.5-flash", 1, IDENTITY, older=True),
        # a folder that happens to have two hyphens is no configuration
        ("my--results", "cache", NEW, "run_1", *IDENTITY): PublishedPath(NEW, "a/b", 1, IDENTITY),
        **dict.fromkeys(
            [("my--results", "notes", "direct.json"), (), ("README.md",), ("cache", "direct.json"), (NEW,)]
        ),
    }
    assert {parts: published_path(parts) for parts in placed} == placed


def test_every_turn_knows_what_was_shown_before_it(suite: Suite) -> None:
    first, second = suite.scenario("negotiation"), suite.scenario("name_gender")
    chained = msgspec.structs.replace(suite, scenarios=(first, msgspec.structs.replace(second, follows="negotiation")))
    by_turn = turn_positions(suite)
    assert by_turn["pq12"].before == ("pq01", "pq04", "pq07")
    assert (by_turn["pt03_turn2"].scenario.id, by_turn["rs01"].before) == ("pt03", ())
    inherited = ("negotiation_turn1", "negotiation_turn2", "name_gender_turn1")
    assert turn_positions(chained)["name_gender_turn2"].before == inherited


def response_file(content: bytes) -> ResponseFile:
    return documents.json_of(content, Path("a.json"), ResponseFile)


def test_a_full_file_is_read_and_stray_keys_are_ignored() -> None:
    cost = {"prompt_tokens": 3, "completion_tokens": 4, "cost_usd": 0.5, "_byok_original_cost_usd": 1.0}
    written = {
        "metadata": {"model": "acme/small-1", "timestamp": "2026-03-01T10:00:00+00:00", "scenario_id": "direct"},
        "response": " Hello there. \n", "finish_reason": None, "gen_cost": cost, "judge_raw": None,
        "request_messages": [{"role": "system", "content": "Be."}],
    }  # fmt: skip
    record = response_file(json.dumps(written).encode())
    assert (record.text, record.finish_reason) == ("Hello there.", None)
    assert record.gen_cost is not None
    assert record.gen_cost.usage == Usage(3, 4, cost_usd=0.5)
    assert bytes(record.request_messages) == b'[{"role": "system", "content": "Be."}]'
    old, blank = response_file(b'{"response": "x"}'), response_file(b'{"response": null}')
    assert old.finish_reason is msgspec.UNSET  # of a writer that did not keep it
    assert blank.text == ""


def test_what_is_no_response_file_is_refused_with_its_line() -> None:
    deep = b'{"response": "x", "judge_scores": {"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}}"
    broken = (b"", b"null", b"[]", b"{", b'{"metadata": {}}', b'{"response": 3}', b'{"response": "\xff"}', deep)
    for content in broken:
        with pytest.raises(UsageError, match=r"^a\.json:1: \w"):
            response_file(content)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


@settings(max_examples=50)
@given(st.dictionaries(st.sampled_from(["response", "metadata", "gen_cost", "judge_scores", "finish_reason"]), _JSON))
def test_no_json_object_makes_reading_fail(values: dict[str, object]) -> None:
    with suppress(UsageError):
        assert isinstance(response_file(json.dumps(values).encode()).text, str)
