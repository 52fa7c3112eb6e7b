"""The judge's warm process: `grader.bank.warm SECONDS`."""

import sys

from grader.bank.judge import serve

serve(float(sys.argv[1]))
