"""What the 14 tests use: the bench that runs an engine, and the messages of failures."""
