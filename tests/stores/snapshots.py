"""The content of a folder, for comparison."""

from pathlib import Path


def snapshot(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}
