"""What counts of what a student handed in. Hostile files are expected; nothing of them is run."""

from grader.handin.archive import Collected, unpack
from grader.handin.inside.document import Submission
from grader.handin.reading import read
from grader.handin.release import boxes, right_answers

__all__ = ["Collected", "Submission", "boxes", "read", "right_answers", "unpack"]
