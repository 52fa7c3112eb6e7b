"""Grading a class: each submission is a durable run; what is said to its author, and of all to the instructor."""
