"""What a lesson's cells use: fill a TODO, check it, predict, answer, run on the engine under study, and see it."""

from durable_lab.lesson.checking import check
from durable_lab.lesson.fill import todo
from durable_lab.lesson.predict import predict
from durable_lab.lesson.questions import question
from durable_lab.lesson.trying import attempt_run, engine, fresh

__all__ = ["attempt_run", "check", "engine", "fresh", "predict", "question", "todo"]
