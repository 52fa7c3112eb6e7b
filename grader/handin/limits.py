"""How much is read of one submission. An honest one stays far below; sizes are in bytes unless they say otherwise."""

NOTEBOOK = 100_000_000  # on disk, outputs and all
ENGINE = 300_000
FILES = 5_000  # looked at in one folder
DEPTH = 16  # folders within folders
NOTEBOOKS = 40  # read of one submission
TOTAL = 400_000_000  # read of one submission

# Of what instructors collect. Only notebooks, Python files and archives are taken out of an archive.
ARCHIVE_ENTRIES = 100_000  # of any kind
ARCHIVE_DIRECTORY = 16_000_000  # the table of contents of a zip
ARCHIVE_TOTAL = 8_000_000_000  # all that is taken out
ARCHIVE_RATIO = 1_100  # times its own size: what no honest zip reaches
STUDENT_FILES = 2_000
STUDENT_TOTAL = 400_000_000
NESTED = 100_000_000  # an archive within an archive
METADATA = 16_000_000  # of the file in which Gradescope names the students
PACKED = 2  # archives within archives, of one student
NAME = 200  # bytes of one part of a path
