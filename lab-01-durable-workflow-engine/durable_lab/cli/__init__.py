"""The command `durable-lab`."""

from durable_lab.cli.main import main

__all__ = ["main"]
