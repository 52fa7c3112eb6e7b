"""The command `lab-grader`."""

from grader.cli.main import main

__all__ = ["main"]
