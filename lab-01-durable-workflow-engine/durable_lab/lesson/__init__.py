"""The functions that the cells of a lesson use: write a TODO, check it, predict, answer, and run on the engine."""

from durable_lab.lesson.checking import check
from durable_lab.lesson.fill import todo
from durable_lab.lesson.predict import predict
from durable_lab.lesson.questions import question
from durable_lab.lesson.trying import attempt_run, engine, fresh

__all__ = ["attempt_run", "check", "engine", "fresh", "predict", "question", "todo"]
