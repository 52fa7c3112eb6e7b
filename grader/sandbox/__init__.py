"""The sandbox for students' code: bubblewrap, a system-call filter, limits on everything."""
