"""What reads a submission, in the sandbox: Python and JSON that a stranger wrote go in, one JSON document comes out.

The standard library only, no file is opened, and nothing of a submission is executed. `entry.py` is the entry.
"""
