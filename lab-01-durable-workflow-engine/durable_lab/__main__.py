"""`python -m durable_lab` is `durable-lab`."""

import sys

if not sys.flags.safe_path:  # -m puts the current folder first, and a random.py there is not Python's own
    sys.path.append(sys.path.pop(0))

from durable_lab.cli import main

sys.exit(main())
