"""The checker: the tests hold the pen. They run here; the student's engine answers from a sandbox, in JSON."""
