"""nbgrader's cycle on a course folder: make it, generate, release, collect, autograde, feed back, export."""
