"""For instructors and for the project itself: how the lab is made, and how it is graded."""
