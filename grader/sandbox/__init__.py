"""The sandbox for students' code: bubblewrap, a system-call filter, and limits on all resources."""
