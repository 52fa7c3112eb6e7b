"""`python -m grader` is `lab-grader`."""

import sys

if not sys.flags.safe_path:  # -m puts the current folder first: among submissions, a json.py there is not Python's own
    sys.path.append(sys.path.pop(0))

from grader.cli import main

sys.exit(main())
