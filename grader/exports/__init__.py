"""Marks for other systems: Gradescope, Canvas, Moodle, GitHub Classroom, and a plain table. From a Book to text."""
