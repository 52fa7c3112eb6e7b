"""What counts of what a student handed in. Hostile files are expected; nothing of them is run."""

from grader.submission.archive import Collected, unpack
from grader.submission.model import Submission
from grader.submission.questions import right_answers
from grader.submission.reading import read
from grader.submission.release import boxes

__all__ = ["Collected", "Submission", "boxes", "read", "right_answers", "unpack"]
