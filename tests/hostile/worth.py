"""The points of a submission that lacks one thing."""

from durable_lab.lesson.questions import all_questions, digest
from grader.handin import boxes
from grader.handin.release import current
from grader.rubric import weights


def right_letter(name, letter):
    """Is this the right answer?"""
    return digest(name, letter) == all_questions()[name]["answer"]


def without_todo_2():
    """A hundred points but for TODO 2 and half of the tests that fail without it in the whole engine."""
    return 100 - weights()["todo"]["2"] - _whole_without_todo_2()


def without_lesson_3():
    """A hundred points but for lesson 03: TODO 2, the three tests that need it, its questions, its boxes."""
    table, lesson = weights(), current().lessons["03_determinism"]
    questions, predictions = (table["lessons"][name] for name in ("questions", "predictions"))
    lost = table["todo"]["2"] + _whole_without_todo_2()
    lost += questions * len(lesson.questions) / len(all_questions())
    return round(100 - lost - round(predictions * len(lesson.boxes) / sum(boxes().values()), 2), 2)


def _whole_without_todo_2():
    """Two of the 14 tests fail without it, and each costs half, because no other TODO is at fault."""
    return weights()["whole"]["points"] * 2 / 14 / 2
