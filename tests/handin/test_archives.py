"""Archives from instructors become a folder for each student, and nothing is written elsewhere."""

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

from grader.book import Book, Entry
from grader.exports.roster import matches
from grader.handin import limits, read, unpack
from grader.handin.archive import ArchiveError
from tests.handin.handin import REFERENCE

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
        "Ada Lovelace_123456": ["engine.py"],
        "Zoë O'Brien_7": ["my work/lab/engine.py"],
        "Kim_8": ["engine.py"],
        "Nobody_9": [],
    }
    assert not any(one.refusals for one in students.values())
    assert rest == ()
    for name, folder in students.values():
        assert (read(folder, name).whole == REFERENCE) is (name[0] != "N")
    book = Book(tuple(Entry(name, None) for name in students))
    assert matches(book, [["Participant 8", "Kim"], ["Participant 123456", "Ada Lovelace"]]) == {
        "Kim_8": 0,
        "Ada Lovelace_123456": 1,
    }


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
    book = Book(tuple(Entry(name, None) for name in students))
    assert matches(book, [["Hopper, Grace", "12"], ["Lovelace, Ada", "4711"]]) == {
        "hoppergrace_12": 0,
        "lovelaceada_4711": 1,
    }


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
@pytest.mark.long(every=5)
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
        "bob/ann was left out: it is a link.",
        "bob/engine.py was left out: it is a named pipe.",
        "bob/x.ipynb was left out: it is a link.",
    )
    assert made.refusals == ("eve was left out: it is a link.",)


CLIMBING = ["../x.py", "a/../../x.py", "/etc/x.py", "C:\\x.py", "C:x.py", "..\\x.py", "\\x.py", "a/" * 99 + "x.py"]


@pytest.mark.parametrize("pack", [zipped, tarred])
@pytest.mark.parametrize("bad", [*CLIMBING, "x" * 250 + ".py"])
@pytest.mark.long(every=4)
def test_names_that_climb_out_are_left_out_and_said(taken, pack, bad):
    students, _ = taken("ann.zip", pack([("engine.py", ENGINE), (bad, b"evil")]))
    assert files(students["ann"]) == ["engine.py"]
    [said] = students["ann"].refusals
    assert "was left out: its name " in said
    assert read(students["ann"].folder, "ann").refusals["archive"] == said


def test_a_path_that_leaves_the_folder_is_reported_to_the_student_that_it_names(taken):
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
def test_a_file_that_is_not_an_archive_is_reported_with_its_student(taken, name, data):
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


def test_a_students_archive_may_hold_an_archive_and_no_more(taken):
    deepest = zipped([("deepest.zip", zipped([("x.py", b"")])), ("engine.py", ENGINE)])
    inner = zipped([("work.zip", deepest), ("own.ipynb", b"{}")])
    students, _ = taken("class.zip", zipped([("ann/work.zip", inner), ("bob/work.rar", b"Rar!")]))
    assert files(students["ann"]) == ["work/own.ipynb", "work/work/engine.py"]
    assert students["ann"].refusals == (
        "deepest.zip was left out: it is an archive within an archive within an archive.",
    )
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


# ------------------------------------------------------------ who is who


def names(taken, files, archive="class.zip"):
    """The students in a zip of files with these names, with what each of them has."""
    students, _ = taken(archive, zipped([(name, b"{}") for name in files]))
    return {name: files_of(one) for name, one in students.items()}


def files_of(one):
    return files(one)


BOOK = "03_determinism.ipynb"
FLAT = {
    "Moodle": "{name}_{number}_assignsubmission_file_{file}",
    "Moodle in folders": "{name}_{number}_assignsubmission_file_/{file}",
    "Moodle in folders, newer": "{name}_{number}_assignsubmission_file/{file}",
    "Canvas": "{name}_{number}_77{number}_{file}",
    "Canvas, late": "{name}_LATE_{number}_77{number}_{file}",
    "Canvas, anonymous": "anon_x{number}_77{number}_{file}",
    "Canvas, anonymous and late": "LATE_anon_x{number}_77{number}_{file}",
    "Blackboard": "Lab 1_{name}{number}_attempt_2026-11-29-21-14-05_{file}",
    "Blackboard, a course's name with signs": "Lab_1 (part_2)_{name}{number}_attempt_2026-11-29-21-14-05_{file}",
    "Blackboard, users with signs": "Lab 1_{name}_{number}_attempt_2026-11-29-21-14-05_{file}",
    "Gradescope": "assignment_42_export/submission_{number}/{file}",
    "GitHub Classroom": "submissions/lab-01-{name}{number}/notebooks/{file}",
    "nbgrader": "submitted/{name}{number}/lab-01/{file}",
    "folders": "{name}{number}/{file}",
}


@pytest.mark.parametrize("form", FLAT)
@pytest.mark.parametrize("many", [1, 5])
def test_each_student_appears_once_in_the_form_of_every_system(taken, form, many):
    made = [
        FLAT[form].format(name="ada", number=n + 10, file=file) for n in range(many) for file in (BOOK, "engine.py")
    ]
    students = names(taken, made)
    assert len(students) == many
    assert "class" not in students
    for number, one in zip(range(10, 10 + many), sorted(students), strict=True):
        assert str(number) in one
        assert [path.rpartition("/")[2] for path in students[one]] == [BOOK, "engine.py"]


CHOSEN = [
    "bob_11_assignsubmission_file_03_determinism.ipynb",
    "bob_11_7711_03_determinism.ipynb",
    "_11_assignsubmission_file_x.ipynb",
    "assignsubmission_file_x.ipynb",
    "11_12_13_x.ipynb",
    "Lab 1_bob_11_attempt_2026-11-29-21-14-05_x.ipynb",
    "LATE_11_12_x.ipynb",
    "x_attempt_2026-11-29-21-14-05.txt",
]


@pytest.mark.parametrize("form", [form for form in FLAT if "/" not in FLAT[form]])
@pytest.mark.parametrize("chosen", CHOSEN)
def test_a_file_name_that_a_student_chose_never_changes_the_owner(taken, form, chosen):
    honest = [FLAT[form].format(name=name, number=n, file=BOOK) for name, n in (("ada", 10), ("bob", 11), ("cy", 12))]
    before = names(taken, honest)
    more = [FLAT[form].format(name="ada", number=10, file=f) for f in (chosen, f"x{chosen}", f"x_1_2_{chosen}")]
    after = names(taken, [*honest, *more])
    assert set(after) == set(before)
    assert {who: paths for who, paths in after.items() if "10" not in who} == {
        who: paths for who, paths in before.items() if "10" not in who
    }


def test_text_beside_a_file_makes_no_second_student_and_text_alone_is_listed(taken):
    students, rest = taken(
        "class.zip",
        zipped(
            [
                ("Ada L_1_assignsubmission_file_/engine.py", ENGINE),
                ("Ada L_1_assignsubmission_onlinetext_/onlinetext.html", b"<p>hi"),
                ("Bob B_2_assignsubmission_onlinetext_/onlinetext.html", b"<p>my link"),
                ("Cy_3_assignsubmission_onlinetext_onlinetext.html", b"<p>my link"),
            ]
        ),
    )
    assert {name: one.only for name, one in students.items()} == {"Ada L_1": "", "Bob B_2": "a text", "Cy_3": "a text"}
    assert rest == ()


@pytest.mark.parametrize(
    ("name", "who", "only"),
    [
        ("ada_11_text.html", "ada_11", "a text"),
        ("ada_LATE_11_link.html", "ada_11", "a link"),
        ("anon_aB3xK_link.html", "anon_aB3xK", "a link"),
        ("LATE_anon_aB3xK_text.html", "anon_aB3xK", "a text"),
        ("Lab 1_ada_attempt_2026-11-29-21-14-05.txt", "ada", "a text"),
    ],
)
def test_a_student_who_submitted_only_text_or_a_link_is_listed_as_such(taken, name, who, only):
    other = "Lab 1_bob_attempt_2026-11-29-21-14-05_x.ipynb" if name.startswith("Lab") else "bob_12_13_x.ipynb"
    students, _ = taken("class.zip", zipped([(name, b"x"), (other, b"{}")]))
    assert (students[who].only, files(students[who])) == (only, [])
    assert len(students) == 2


def test_of_several_attempts_in_blackboard_the_last_one_with_a_file_counts(taken):
    start = "Lab 1_ada_attempt_2026-11-"
    students, _ = taken(
        "class.zip",
        zipped(
            [
                (f"{start}20-21-14-05_engine.py", b"old = 1"),
                (f"{start}20-21-14-05.txt", b"Name: Ada"),
                (f"{start}21-00-00-00_engine.py", b"new = 1"),
                (f"{start}22-00-00-00.txt", b"Name: Ada"),
                ("Lab 1_bob_attempt_2026-11-01-00-00-00_engine.py", b""),
            ]
        ),
    )
    assert (students["ada"].folder / "engine.py").read_bytes() == b"new = 1"
    assert set(students) == {"ada", "bob"}


METADATA = """---
submission_1:
  :submitters:
  - :name: Ada Lovelace
    :sid: '1'
    :email: ada@x.edu
  :created_at: 2026-11-29
  :history:
  - :id: 9
    :submitters:
    - :name: Someone Else
submission_2:
  :submitters:
  - :name: 'Kim O''Neil'
    :sid:
  - :name: "Bo"
submission_3:
  :submitters:
  - :name: Twin
submission_4:
  :submitters:
  - :name: Twin
"""


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_gradescopes_own_file_says_who_a_submission_is_of(taken, ends):
    made = [(f"assignment_7_export/submission_{n}/engine.py", b"") for n in range(1, 6)]
    # what a student calls a file is no word of Gradescope's
    made.append(("assignment_7_export/submission_5/submission_metadata.yml", METADATA.replace("_1", "_5").encode()))
    metadata = METADATA.replace("\n", ends).encode()
    students, rest = taken("class.zip", zipped([*made, ("assignment_7_export/submission_metadata.yml", metadata)]))
    names = ["Ada Lovelace", "Kim O'Neil and Bo", "Twin submission_3", "Twin submission_4", "submission_5"]
    assert sorted(students) == sorted(names)
    assert rest == ()
    students, _ = taken("class.zip", zipped([made[0], ("assignment_7_export/submission_metadata.yml", metadata)]))
    assert list(students) == ["Ada Lovelace"]
    students, _ = taken("class.zip", zipped([*made, ("assignment_7_export/submission_metadata.yml", b"\xff: [")]))
    assert len(students) == 5


def test_blackboard_users_that_end_alike_are_not_one(taken):
    made = [f"Lab 1_{who}_attempt_2026-11-29-21-14-05_{BOOK}" for who in ("j_smith", "k_smith", "smith")]
    assert set(names(taken, made)) == {"j_smith", "k_smith", "smith"}


@pytest.mark.parametrize("who", ["Anonymous", "anon", "Lab 1_anonymous"])
def test_a_blackboard_zip_in_which_all_have_one_name_is_refused_with_the_reason(taken, who):
    with pytest.raises(ArchiveError, match=r"cannot be told apart\. Switch anonymous grading off"):
        names(taken, [f"{who}_attempt_2026-11-29-21-14-{n}_{BOOK}" for n in (10, 11, 12)])


@pytest.mark.parametrize("called", ["lab", "notebooks", "solution", "tests", "LAB", "Notebooks"])
@pytest.mark.parametrize("inside", ["{file}", "notebooks/{file}", "lab/engine.py"])
def test_a_student_who_is_called_like_a_part_of_the_lab_makes_no_student_of_the_class(taken, called, inside):
    made = [f"{name}/{inside.format(file=BOOK)}" for name in ("ann", "bob", "cy", called)]
    assert set(names(taken, made)) == {"ann", "bob", "cy", called}


@pytest.mark.parametrize(
    "files",
    [
        [f"{name}/{BOOK}" for name in ("ann", "bob")] + ["lab/engine.py"],
        [f"{name}/{BOOK}" for name in ("ann", "bob")] + ["lab/engine.py", f"notebooks/{BOOK}"],
        [f"{name}/{BOOK}" for name in ("ann", "bob")] + ["03_determinism.ipynb"],
        [f"{n}.ipynb" for n in range(3)] + [f"{name}/x.ipynb" for name in "abc"],
        [f"{name}-{BOOK}" for name in ("ann", "bob")],
        [f"{name}_{BOOK}" for name in ("4711", "4712")],
        [f"{stem}_{name}.ipynb" for name in ("ann", "bob") for stem in ("03_determinism", "05_signals")],
        ["ann.ipynb", "bob.ipynb", "cy.ipynb"],
        [BOOK, "bob_11_7711_05_signals.ipynb"],
        ["ada/engine.py", "Bob B_11_assignsubmission_file_05_signals.ipynb"],
        ["ann.zip", "bob.zip", BOOK],
    ],
)
def test_what_cannot_be_told_apart_is_refused_with_what_to_do(taken, files):
    with pytest.raises(ArchiveError, match=r"cannot be told whose work this is: .* into a folder of their name"):
        names(taken, files)


@pytest.mark.parametrize(
    "files",
    [
        [f"{stem}.ipynb" for stem in ("00_orientation", "03_determinism", "05_signals")] + ["old/03_determinism.ipynb"],
        ["lab/engine.py", f"notebooks/{BOOK}", "backup/03_determinism.ipynb"],
        ["lab/engine.py", f"notebooks/{BOOK}", "solution/engine.py", "grader/x.py", "tests/lab/engine.py"],
        [BOOK, "03_determinism (1).ipynb", "Copy of 03_determinism.ipynb", "03_determinism_v2.ipynb", "engine.py"],
        ["my own.ipynb", "03_determinism-1.ipynb", "03_determinism-2.ipynb"],
        ["lab-01-durable-workflow-engine/lab/engine.py", "lab-01-durable-workflow-engine/README.md"],
    ],
)
def test_the_folders_of_one_student_are_one_student(taken, files):
    assert list(names(taken, files, "ann.zip")) == ["ann"]


@pytest.mark.parametrize("around", ["", "submitted/", "a b/"])
@pytest.mark.parametrize("inside", ["", "lab-01/", "notebooks/", "lab-01-durable-workflow-engine/notebooks/"])
def test_the_only_student_so_far_has_the_name_of_their_folder(tmp_path, around, inside):
    around = around if around != "a b/" else ""
    folder = tmp_path / "handins" / f"{around}maria" / inside
    folder.mkdir(parents=True)
    (folder / BOOK).write_bytes(b"{}")
    (tmp_path / "handins" / "list.csv").touch()
    assert [one.student for one in unpack(tmp_path / "handins", tmp_path / "into")] == ["maria"]


def test_folders_whose_names_are_one_name_to_unicode_or_to_a_system_stay_two_students(taken):
    pairs = [("Zo\u00eb", "Zoe\u0308"), ("ann", "ANN"), ("a*b", "a?b"), ("kim", "kim "), ("\u00df", "SS")]
    for one, other in pairs:
        students, _ = taken("class.zip", zipped([(f"{one}/engine.py", b"1"), (f"{other}/engine.py", b"2")]))
        assert sorted((its.folder / "engine.py").read_bytes() for its in students.values()) == [b"1", b"2"], one
    assert list(names(taken, [f"Zoe\u0308/{BOOK}", f"ann/{BOOK}"])) == ["Zo\u00eb", "ann"]


@pytest.mark.parametrize("name", ["CON", "nul.txt", "ann.", "com1", "a" * 190])
def test_a_student_with_an_odd_name_has_a_folder_that_every_system_can_hold(taken, name):
    students = names(taken, [f"{name}/{BOOK}", f"bob/{BOOK}"])
    [made] = set(students) - {"bob"}
    assert made.partition(".")[0].upper() not in ("CON", "NUL", "COM1")
    assert made == made.strip(" .")
    assert students[made] == [BOOK]


@pytest.mark.parametrize("closed", ["handins/ann", "handins/ann/lab", "handins/ann/lab/engine.py"])
def test_what_this_machine_does_not_let_us_read_is_not_graded(tmp_path, monkeypatch, closed):
    for name in ("ann", "bob"):
        (tmp_path / "handins" / name / "lab").mkdir(parents=True)
        (tmp_path / "handins" / name / "lab" / "engine.py").write_bytes(ENGINE)
    real = {name: getattr(os, name) for name in ("open", "scandir")}

    def refused(name):
        def call(path, *given, **how):
            if str(path) == str(tmp_path / closed):
                raise PermissionError(13, "Permission denied", str(path))
            return real[name](path, *given, **how)

        return call

    with monkeypatch.context() as patched:
        for name in real:
            patched.setattr(os, name, refused(name))
        made = {one.student: one for one in unpack(tmp_path / "handins", tmp_path / "into")}
    assert "Permission denied" in made["ann"].refusals[0]
    assert "Permission denied" in read(made["ann"].folder, "ann").not_graded
    assert not read(made["bob"].folder, "bob").not_graded


def test_a_table_with_a_date_in_its_name_beside_the_students_folders_is_of_no_student(taken):
    assert list(names(taken, [f"ann/{BOOK}", f"bob/{BOOK}", "marks_2026_11_30.csv"])) == ["ann", "bob"]


def test_nothing_is_dropped_in_silence(taken):
    students, _ = taken("class.zip", zipped([("ann/essay.pdf", b""), ("ann/engine.py", b""), ("b/engine.py", b"")]))
    assert students["ann"].passed_over == ("ann/essay.pdf was left out: it is no notebook, Python file or archive.",)
    assert not students["ann"].refusals


ENDINGS = [".ipynb.json", ".ipynb.txt", ".json", ".IPYNB", ".ipynb (1)", ".ipynb.ipynb", ".ipynb.download", ".txt", ""]


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_notebook_whose_ending_a_browser_changed_is_taken_out_and_read(taken, made, ending):
    data = json.dumps(made[True]["03_determinism"]).encode()
    students, _ = taken("class.zip", zipped([(f"ann/03_determinism{ending}", data), ("bob/engine.py", b"")]))
    assert files(students["ann"]) == [f"03_determinism{ending}"]
    assert set(read(students["ann"].folder, "ann").alone) == {2}
