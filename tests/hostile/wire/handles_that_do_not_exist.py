"""Refers to objects of the grader's and to containers that do not exist, with all kinds of handles."""

import os

begin()
HANDLES = [10**9, -1, 1.5, "0", True, None, [], {}, "x"]
say(ok=[{os.urandom(1)[0] % 2 and "y" or "h": HANDLES[os.urandom(1)[0] % len(HANDLES)]}])
hear()
