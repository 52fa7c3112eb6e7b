"""Make a course folder: nbgrader's settings, and the instructor's version of the assignment."""

from __future__ import annotations

import shutil
from pathlib import Path

import nbformat

from durable_lab.todos import SKELETON
from grader.errors import GraderError
from grader.nbgrader_course.cells import notebooks
from grader.nbgrader_course.names import ASSIGNMENT, EXCHANGE, beside, unusable

_CONFIG = '''\
"""nbgrader's settings for this course. They are in grader/nbgrader_course/config.py of the lab, and follow its updates.

Add your own settings below.
"""

from pathlib import Path

try:
    from grader.nbgrader_course.config import settings
except ImportError as error:  # nbgrader would run students' code unprotected
    raise SystemExit(f"{{__file__}}: start nbgrader from the lab's own environment ({{error}}).") from None

c = get_config()  # noqa: F821 - nbgrader defines it
c.merge(settings(Path(__file__).parent, {name!r}{exchange}))
'''
_STUDENTS = '''\
"""nbgrader's settings for students: for /etc/jupyter on a shared machine, or for each student's ~/.jupyter."""

c = get_config()  # noqa: F821 - nbgrader defines it
c.CourseDirectory.course_id = {name!r}
c.Exchange.root = {exchange!r}
'''


def make_course(folder: Path, name: str = "durable", *, exchange: Path | None = None) -> Path:
    """Write a course into `folder`, which is created if needed. Returns its absolute path.

    name      nbgrader's course id
    exchange  the folder that students and instructors share; by default a folder in the course, for a single user
    The settings that students need are in for-students/. An existing course gets the lab's present texts; submissions
    and the gradebook stay as they are. Raises GraderError if nbgrader cannot use such a path.
    """
    folder = folder.resolve()
    if why := unusable(folder) or unusable(exchange or folder):
        raise GraderError(why)
    source = folder / "source" / ASSIGNMENT
    source.mkdir(parents=True, exist_ok=True)
    for stem, book in notebooks().items():
        (source / f"{stem}.ipynb").write_text(nbformat.writes(book) + "\n", encoding="utf-8")
    (source / "lab").mkdir(exist_ok=True)
    for path in beside():
        shutil.copyfile(SKELETON / Path(path).name, source / path)
    if not exchange:
        (folder / EXCHANGE).mkdir(exist_ok=True)
    told = f", exchange=Path({str(exchange.resolve())!r})" if exchange else ""
    _settings(folder, _CONFIG.format(name=name, exchange=told))
    _settings(
        folder / "for-students", _STUDENTS.format(name=name, exchange=str((exchange or folder / EXCHANGE).resolve()))
    )
    return folder


def _settings(folder: Path, text: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "nbgrader_config.py").write_text(text, encoding="utf-8")
