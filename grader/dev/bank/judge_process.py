"""The judge's warm process: `grader.dev.bank.judge_process SECONDS`."""

import sys

from grader.dev.bank.judge import serve

serve(float(sys.argv[1]))
