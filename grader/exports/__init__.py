"""Marks for other systems, as text: Gradescope, Canvas, Moodle, GitHub Classroom, and a plain table."""
