"""Collecting from the exchange folder, which students write to: ordinary files only, and names that are names."""

from __future__ import annotations

import datetime
import os
import stat
from pathlib import Path
from typing import Any

from nbgrader.exchange.default.collect import ExchangeCollect
from nbgrader.exchange.default.release_assignment import ExchangeReleaseAssignment

from grader.handin import limits
from grader.handin.files import kind
from grader.nbgrader_course.names import STUDENT

_OLD = datetime.datetime.min


class Release(ExchangeReleaseAssignment):
    """nbgrader makes the exchange writable for all, and looks for that. The sticky bit keeps students from renaming or
    replacing the folder of a course."""

    def ensure_root(self) -> None:
        super().ensure_root()
        root = Path(self.root)
        mode = stat.S_IMODE(root.stat().st_mode)
        if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
            try:
                root.chmod(mode | stat.S_ISVTX)
            except PermissionError:
                self.fail(f"All users may rename what is in {self.root}. Let its owner run: chmod +t {self.root}")


class Collect(ExchangeCollect):
    """nbgrader's own class follows links with the instructor's rights, and stops at the first unusual name."""

    def _path_to_record(self, path: str) -> dict[str, Any]:
        try:
            record: dict[str, Any] = super()._path_to_record(path)
            return record if isinstance(record["timestamp"], datetime.datetime) else _odd(path)
        except Exception:
            return _odd(path)

    def init_src(self) -> None:
        super().init_src()
        self.src_records: list[dict[str, Any]] = list(filter(self._fits, self.src_records))

    def _fits(self, record: dict[str, Any]) -> bool:
        path = Path(self.inbound_path, record["filename"])
        if not STUDENT.fullmatch(record["username"]) or path.is_symlink() or not path.is_dir():
            self.log.warning("Left out, because it is no submission: %r", record["filename"])
            return False
        if not _owned(path, record["username"]):
            self.log.warning("Left out, because another user owns %r", record["filename"])
            return False
        return True

    def do_copy(self, src: str, dest: str, log: Any = None) -> None:
        copy_files(Path(src), Path(dest))
        # The time in the folder's name was parsed above. A time that cannot be parsed breaks nbgrader's pages for all.
        Path(dest, "timestamp.txt").write_text(Path(src).name.rsplit("+", 3)[2], encoding="utf-8")


def _odd(path: str) -> dict[str, Any]:
    return {"username": "", "filename": Path(path).name, "timestamp": _OLD}


def _owned(path: Path, student: str) -> bool:
    """Whether the student or the instructor owns it. It says nothing if students share one user, as on some hubs."""
    import pwd  # not on Windows, which has no exchange

    owner = path.stat().st_uid
    try:
        return owner == os.geteuid() or pwd.getpwuid(owner).pw_name == student
    except KeyError:
        return True


def copy_files(source: Path, into: Path) -> None:
    """Copy the ordinary files of a folder that a student may change while we read. Links and devices stay behind.

    It stops at the limits for one hand-in. Raises OSError for what is wrong with `into`.
    """
    files = room = 0
    for root, folders, names, here in os.fwalk(source):  # it follows no link, whatever takes a folder's place
        folders[:] = [name for name in folders if len(Path(root, name).relative_to(source).parts) <= limits.DEPTH]
        made = into / Path(root).relative_to(source)
        made.mkdir(parents=True, exist_ok=True)
        for name in sorted(names):
            files += 1
            if files > limits.STUDENT_FILES:
                return
            room += _copy(name, here, made / name, limits.STUDENT_TOTAL - room)


def _copy(name: str, folder: int, to: Path, room: int) -> int:
    """Copy one file if it is an ordinary one and fits. Returns its size, or 0."""
    try:
        number = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except OSError:
        return 0
    with os.fdopen(number, "rb") as file:
        about = os.fstat(number)
        if kind(about.st_mode) or about.st_size > min(room, limits.NOTEBOOK):
            return 0
        data = file.read(about.st_size)
    to.write_bytes(data)
    return len(data)
