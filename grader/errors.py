"""What keeps a class from being graded, in one line for the instructor: what happened, and what to do next."""


class GraderError(Exception):
    """Asked or set up wrongly. What was graded before stays as it is."""
