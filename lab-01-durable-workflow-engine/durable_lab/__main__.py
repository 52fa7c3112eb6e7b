"""`python -m durable_lab` is `durable-lab`."""

import sys

from durable_lab.cli import main

sys.exit(main())
