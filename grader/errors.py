"""Errors that the command line shows to the instructor in one line."""


class GraderError(Exception):
    """The request or the set-up is wrong. The message says what happened and what to do; recorded marks stay."""
