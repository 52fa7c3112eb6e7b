"""What instructors collect becomes a folder for each student, and nothing is written anywhere else."""

import bz2
import io
import json
import lzma
import os
import stat
import struct
import tarfile
import zipfile

import pytest

from grader.exports.roster import _names
from grader.klass.book import Entry
from grader.submission import limits, read, unpack
from grader.submission.archive import ArchiveError
from tests.submission.handin import REFERENCE

ENGINE = REFERENCE.encode()
pytestmark = pytest.mark.timeout(30)


def zipped(files, **how):
    """A zip of these (name, data); a name may be a ZipInfo."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, **how) as archive:
        for name, data in files:
            archive.writestr(name, data)
    return made.getvalue()


def tarred(files, pack=lambda data: data):
    """A tar of these (name or TarInfo, data)."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name, data in files:
            info = name if isinstance(name, tarfile.TarInfo) else tarfile.TarInfo(name)
            info.size = len(data) if info.isreg() else 0
            archive.addfile(info, io.BytesIO(data) if info.isreg() else None)
    return pack(made.getvalue())


@pytest.fixture
def taken(tmp_path):
    """Unpacks an archive with this name and content. Returns what was collected by student, and the rest."""

    def take(name, data):
        (tmp_path / name).write_bytes(data)
        made = unpack(tmp_path / name, tmp_path / "into")
        assert {path.name for path in tmp_path.iterdir()} == {name, "into"}, "something was written outside"
        assert not any(path.is_symlink() for path in (tmp_path / "into").rglob("*"))
        return {one.student: one for one in made}, made.refusals

    return take


def files(one):
    """The files of one student by path; the note that unpack leaves is not one of them."""
    paths = [path for path in one.folder.rglob("*") if path.is_file() and path.name != ".unpacked.json"]
    return sorted(path.relative_to(one.folder).as_posix() for path in paths)


def test_a_zip_as_moodle_gives_it(taken):
    students, rest = taken(
        "class.zip",
        zipped(
            [
                ("Ada Lovelace_123456_assignsubmission_file_/engine.py", ENGINE),
                ("Ada Lovelace_123456_assignsubmission_file_/notes.pdf", b"x"),
                ("Zoë O'Brien_7_assignsubmission_file/my work.zip", zipped([("lab/engine.py", ENGINE)])),
                ("Kim_8_assignsubmission_file_engine.py", ENGINE),
                ("Nobody_9_assignsubmission_file_/", b""),
            ]
        ),
    )
    assert {name: files(one) for name, one in students.items()} == {
        "Ada Lovelace_123456_assignsubmission_file": ["engine.py"],
        "Zoë O'Brien_7_assignsubmission_file": ["my work/lab/engine.py"],
        "Kim_8_assignsubmission_file": ["engine.py"],
        "Nobody_9_assignsubmission_file": [],
    }
    assert not any(one.refusals for one in students.values())
    assert rest == ()
    for name, folder in students.values():
        assert (read(folder, name).whole == REFERENCE) is (name[0] != "N")
    assert "Participant 123456".casefold().replace(" ", "") in _names(
        Entry("Ada Lovelace_123456_assignsubmission_file", None)
    )


def test_a_zip_as_canvas_gives_it(taken, made):
    book = json.dumps(made[True]["03_determinism"]).encode()
    students, rest = taken(
        "submissions.zip",
        zipped(
            [
                ("lovelaceada_4711_99_03_determinism-1.ipynb", book),
                ("lovelaceada_4711_98_engine-2.py", ENGINE),
                ("lovelaceada_4711_97_photo.png", b"x"),
                ("hoppergrace_LATE_12_34_work.tar.gz", tarred([("engine.py", ENGINE)], lambda data: gz(data))),
                ("readme.txt", b"x"),
            ]
        ),
    )
    assert {name: files(one) for name, one in students.items()} == {
        "lovelaceada_4711": ["03_determinism-1.ipynb", "engine-2.py"],
        "hoppergrace_12": ["work/engine.py"],
    }
    assert rest == ()
    grace = students["hoppergrace_12"]
    assert grace.late == read(grace.folder, "grace").late == "Canvas marks it as handed in late."
    ada = read(students["lovelaceada_4711"].folder, "ada")
    assert set(ada.alone) == {1, 2, 3, 4, 5}
    assert "4711" in _names(Entry("lovelaceada_4711", None))


def gz(data):
    import gzip

    return gzip.compress(data)


@pytest.mark.parametrize("around", ["", "submitted/", "a/b/"])
def test_a_folder_or_an_archive_for_each_student_in_an_archive(taken, around):
    students, _ = taken(
        "class.zip",
        zipped(
            [
                (f"{around}ann/lab-01/lab/engine.py", ENGINE),
                (f"{around}bob/engine.py", ENGINE),
                (f"{around}eve.zip", zipped([("lab/engine.py", ENGINE)])),
                (f"{around}max.tar.gz", tarred([("engine.py", ENGINE)], gz)),
                (f"{around}marks.csv", b"x"),
                ("__MACOSX/._ann", b"x"),
            ]
        ),
    )
    assert {name: files(one) for name, one in students.items()} == {
        "ann": ["lab-01/lab/engine.py"],
        "bob": ["engine.py"],
        "eve": ["eve/lab/engine.py"],
        "max": ["max/engine.py"],
    }


@pytest.mark.parametrize("around", ["", "lab-01/", "Users/ann/Documents/"])
@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("ann.zip", zipped),
        ("ann.tar", tarred),
        ("ann.tar.gz", lambda files: tarred(files, gz)),
        ("ann.tgz", lambda files: tarred(files, gz)),
        ("ann.tar.bz2", lambda files: tarred(files, bz2.compress)),
        ("ann.tar.xz", lambda files: tarred(files, lzma.compress)),
        ("ann.tar.gz", zipped),
    ],
)
def test_an_archive_of_one_student(taken, name, pack, around):
    students, _ = taken(name, pack([(f"{around}lab/engine.py", ENGINE), (f"{around}notebooks/own.ipynb", b"{}")]))
    assert list(students) == ["ann"]
    assert {path.removeprefix(around) for path in files(students["ann"])} == {"lab/engine.py", "notebooks/own.ipynb"}
    assert read(students["ann"].folder, "ann").whole == REFERENCE


def test_a_folder_of_folders_is_copied_without_links_and_pipes(tmp_path):
    source = tmp_path / "collected"
    for name in ("ann", "bob"):
        (source / name / "lab").mkdir(parents=True)
        (source / name / "lab" / "engine.py").write_bytes(ENGINE)
    (source / "bob" / "ann").symlink_to(source / "ann")
    (source / "bob" / "x.ipynb").symlink_to(source / "ann" / "lab" / "engine.py")
    (source / "eve").symlink_to(source / "ann")
    os.mkfifo(source / "bob" / "engine.py")
    (source / "max.zip").write_bytes(zipped([("engine.py", ENGINE)]))
    made = unpack(source, tmp_path / "into")
    assert {one.student: files(one) for one in made} == {
        "ann": ["lab/engine.py"],
        "bob": ["lab/engine.py"],
        "max": ["max/engine.py"],
    }
    assert next(one for one in made if one.student == "bob").refusals == (
        "bob/engine.py was left out: it is a named pipe.",
        "bob/x.ipynb was left out: it is a link.",
    )
    assert made.refusals == ("eve was left out: it is a link.",)


CLIMBING = ["../x.py", "a/../../x.py", "/etc/x.py", "C:\\x.py", "C:x.py", "..\\x.py", "\\x.py", "a/" * 99 + "x.py"]


@pytest.mark.parametrize("pack", [zipped, tarred])
@pytest.mark.parametrize("bad", [*CLIMBING, "x" * 250 + ".py"])
def test_names_that_climb_out_are_left_out_and_said(taken, pack, bad):
    students, _ = taken("ann.zip", pack([("engine.py", ENGINE), (bad, b"evil")]))
    assert files(students["ann"]) == ["engine.py"]
    [said] = students["ann"].refusals
    assert "was left out: its name " in said
    assert read(students["ann"].folder, "ann").refusals["archive"] == said


def test_a_name_that_climbs_out_is_told_to_the_student_whose_it_claims_to_be(taken):
    students, rest = taken(
        "class.zip",
        zipped([("ann/engine.py", ENGINE), ("bob/engine.py", ENGINE), ("bob/../../x.py", b""), ("/x", b"")]),
    )
    assert (len(students["bob"].refusals), len(students["ann"].refusals), len(rest)) == (1, 0, 1)


@pytest.mark.parametrize(
    ("name", "made"), [("a\0b.py", "a.py"), ("lab\\engine.py", "lab/engine.py"), ("a\nb.py", "a_b.py")]
)
def test_odd_names_become_plain_ones(taken, name, made):
    info = zipfile.ZipInfo("x")
    info.filename = name
    students, _ = taken("ann.zip", zipped([("own.ipynb", b"{}"), (info, b"1")]))
    assert [path for path in files(students["ann"]) if path != "own.ipynb"] in ([made], [])


def test_links_and_devices_in_archives_are_left_out(taken):
    link = zipfile.ZipInfo("link.ipynb")
    link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    students, _ = taken("ann.zip", zipped([("engine.py", ENGINE), (link, b"/etc/passwd")]))
    assert students["ann"].refusals == ("link.ipynb was left out: it is a link.",)
    assert files(students["ann"]) == ["engine.py"]


@pytest.mark.parametrize(
    ("kind", "word"),
    [
        (tarfile.SYMTYPE, "a link"),
        (tarfile.LNKTYPE, "a link"),
        (tarfile.CHRTYPE, "a device or a pipe"),
        (tarfile.FIFOTYPE, "a device or a pipe"),
    ],
)
def test_links_and_devices_in_tars_are_left_out(taken, kind, word):
    info = tarfile.TarInfo("x.ipynb")
    info.type, info.linkname = kind, "../../secret"
    students, _ = taken("ann.tar", tarred([("engine.py", ENGINE), (info, b"")]))
    assert students["ann"].refusals == (f"x.ipynb was left out: it is {word}.",)


def test_encrypted_files_are_left_out(taken):
    data = bytearray(zipped([("engine.py", ENGINE), ("own.ipynb", b"{}")]))
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + at] |= 1
    students, _ = taken("ann.zip", bytes(data))
    assert students["ann"].refusals == ("engine.py was left out: it is encrypted.",)
    assert files(students["ann"]) == ["own.ipynb"]


@pytest.mark.parametrize("name", ["ann.zip", "ann.tar.gz", "ann.tar", "ann"])
@pytest.mark.parametrize(
    "data", [b"", b"PK\x03\x04junk", b"PK\x05\x06", b"\x1f\x8bjunk", b"BZhjunk", b"\xfd7zXZ\0junk", b"x" * 9999]
)
def test_what_is_no_archive_is_said_of_its_student(taken, name, data):
    students, _ = taken(name, data)
    assert files(students["ann"]) == []
    if students["ann"].refusals:
        assert students["ann"].refusals == (f"{name} is damaged, or no archive.",)
    else:
        assert read(students["ann"].folder, "ann").refusals


@pytest.mark.parametrize("cut", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("pack", [zipped, tarred, lambda files: tarred(files, gz)])
def test_a_damaged_archive_does_not_stop_the_others(taken, pack, cut):
    random_bytes = os.urandom(20_000).hex().encode()
    whole = pack([("engine.py", ENGINE), ("notes.py", random_bytes)])
    students, _ = taken(
        "class.zip",
        zipped(
            [("ann/engine.py", ENGINE), ("bob/work.zip", whole[: int(len(whole) * cut)]), ("eve/engine.py", ENGINE)]
        ),
    )
    assert list(students) == ["ann", "bob", "eve"]
    assert len(students["bob"].refusals) >= (pack is zipped)
    assert files(students["eve"]) == ["engine.py"]


def test_a_flipped_byte_is_found_and_leaves_no_half_of_a_file(taken):
    data = bytearray(zipped([("own.ipynb", b"{}"), ("engine.py", ENGINE)]))
    data[data.index(b"engine.py") + 500] ^= 0xFF
    students, _ = taken("ann.zip", bytes(data))
    assert files(students["ann"]) == ["own.ipynb"]
    assert "engine.py was left out: it is damaged" in students["ann"].refusals[0]


def test_an_archive_in_an_archive_in_an_archive_is_left_out(taken):
    inner = zipped([("work.zip", zipped([("engine.py", ENGINE)])), ("own.ipynb", b"{}")])
    students, _ = taken("class.zip", zipped([("ann/work.zip", inner), ("bob/work.rar", b"Rar!")]))
    assert files(students["ann"]) == ["work/own.ipynb"]
    assert students["ann"].refusals == ("work.zip was left out: it is an archive within an archive.",)
    assert "hand in a .zip or .tar.gz" in students["bob"].refusals[0]


@pytest.mark.parametrize("pack", [zipped, lambda files: tarred(files, gz)])
def test_a_bomb_is_left_out_and_costs_no_other_student(taken, monkeypatch, pack):
    monkeypatch.setattr(limits, "NOTEBOOK", 10_000_000)
    monkeypatch.setattr(limits, "STUDENT_TOTAL", 15_000_000)
    bomb = pack([("x.ipynb", bytes(11_000_000)), *((f"{i}.ipynb", bytes(4_000_000)) for i in range(9))])
    students, _ = taken("class.zip", zipped([("ann/work.zip", bomb), ("bob/engine.py", ENGINE)]))
    ann = students["ann"]
    assert sum(path.stat().st_size for path in ann.folder.rglob("*.ipynb")) <= 15_000_000
    assert len(ann.refusals) >= 1
    assert files(students["bob"]) == ["engine.py"]


def test_sixty_megabytes_of_output_in_a_zip_are_no_bomb(taken, made):
    book = json.loads(json.dumps(made[True]["03_determinism"]))
    book["cells"][3]["outputs"] = [{"text": "x" * 60_000_000}]
    students, _ = taken("ann.zip", zipped([("03_determinism.ipynb", json.dumps(book).encode())]))
    assert students["ann"].refusals == ()
    assert set(read(students["ann"].folder, "ann").alone) == {2}


def test_a_zip_whose_files_overlap_is_a_bomb(taken):
    """All entries are the same bytes: 10 kB that unpack to many gigabytes (after David Fifield)."""
    data = zipped([("0.py", bytes(9_000_000))])
    at = data.index(b"PK\x01\x02")
    entry, end = data[at : data.index(b"PK\x05\x06")], bytearray(data[data.index(b"PK\x05\x06") :])
    entries = b"".join(entry.replace(b"0.py", b"%c%c%c%c" % (97 + i // 26, 97 + i % 26, 46, 112)) for i in range(600))
    end[8:12] = struct.pack("<HH", 600, 600)
    end[12:16] = struct.pack("<L", len(entries))
    students, _ = taken("ann.zip", data[:at] + entries + bytes(end))
    assert "a thousand times its size" in students["ann"].refusals[0]


def test_too_many_files(taken, monkeypatch):
    monkeypatch.setattr(limits, "STUDENT_FILES", 10)
    students, _ = taken("ann.zip", zipped([(f"{i:03}.py", b"") for i in range(20)]))
    assert len(files(students["ann"])) == 10
    assert read(students["ann"].folder, "ann").refusals["archive"].endswith("And 5 more.")
    monkeypatch.setattr(limits, "ARCHIVE_ENTRIES", 10)
    again, _ = taken("ann.zip", zipped([(f"{i:03}.py", b"") for i in range(20)]))
    assert again["ann"].refusals == ("ann.zip lists too many files.",)


def test_names_that_differ_in_large_and_small_letters(taken):
    students, _ = taken(
        "ann.zip", zipped([("lab/engine.py", ENGINE), ("LAB/Engine.py", b"x"), ("lab/engine.py/x.py", b"")])
    )
    assert files(students["ann"]) == ["lab/engine.py"]
    assert len(students["ann"].refusals) == 2


def test_students_whose_names_would_share_a_folder_get_two(tmp_path):
    names = ["ann", "Ann", "a/b", "a:b", "a_b", "a?b", "x" * 150, "x" * 151, "CON"]
    data = zipped([(f"{name}/engine.py", name.encode()) for name in names])
    (tmp_path / "class.zip").write_bytes(data)
    made = unpack(tmp_path / "class.zip", tmp_path / "into")
    assert len({folder.name.casefold() for _, folder in made}) == len(made)
    assert len(made) >= len(names) - 2  # "a:b" and "a?b" are one name where files are written
    again = unpack(tmp_path / "class.zip", tmp_path / "into")
    assert list(again) == list(made)


def test_unpacking_twice_makes_the_same_and_touches_nothing_of_others(tmp_path):
    (tmp_path / "class.zip").write_bytes(zipped([("ann/engine.py", ENGINE), ("bob/engine.py", ENGINE)]))
    into = tmp_path / "into"
    first = unpack(tmp_path / "class.zip", into)
    (into / "ann" / "left.py").touch()
    (into / "marks.sqlite").touch()
    assert unpack(tmp_path / "class.zip", into) == first
    assert files(first[0]) == ["engine.py"]
    assert (into / "marks.sqlite").exists()
    (tmp_path / "other.zip").write_bytes(zipped([("zoe/engine.py", ENGINE), ("bob/engine.py", ENGINE)]))
    (into / "zoe").mkdir()
    with pytest.raises(ArchiveError, match="was not unpacked by us"):
        unpack(tmp_path / "other.zip", into)
    with pytest.raises(ArchiveError, match="does not exist"):
        unpack(tmp_path / "no such.zip", into)


def test_a_stray_notebook_beside_the_students_folders_makes_no_student_of_the_class(taken):
    students, rest = taken(
        "class.zip",
        zipped([("notes.ipynb", b"{}"), *((f"{name}/engine.py", ENGINE) for name in ("ann", "bob", "eve"))]),
    )
    assert list(students) == ["ann", "bob", "eve"]
    assert rest == ("notes.ipynb was left out: it belongs to no student.",)
    students, _ = taken(
        "class.zip", zipped([(f"{i}.ipynb", b"{}") for i in range(3)] + [(f"{i}/x.ipynb", b"") for i in "abc"])
    )
    assert list(students) == ["class"]
