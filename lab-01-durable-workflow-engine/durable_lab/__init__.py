"""What is given to the student: the world, stores, the timeline, checks and the command `durable-lab`."""
