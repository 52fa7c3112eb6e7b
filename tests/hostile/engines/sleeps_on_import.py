"""Sleeps for an hour while it is imported: a hundred of these would take four days."""

import time

HANGS = True

time.sleep(3600)
