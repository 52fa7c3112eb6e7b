"""What the 14 tests stand on: a bench to run an engine on, and the words for what went wrong."""
