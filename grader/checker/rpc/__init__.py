"""The protocol between the grader and a process in the sandbox. Standard library only: it is loaded on both sides.

Read in this order: peer.py (requests, callbacks, responses), codec.py (values as JSON, objects as handles), heap.py
(lists and dicts that both sides see), errors.py (exceptions of the other side), limits.py.
"""
