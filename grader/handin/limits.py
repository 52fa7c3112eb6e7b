"""How much is read of one hand-in. An honest one stays far below; sizes are in bytes unless they say otherwise."""

NOTEBOOK = 100_000_000  # on disk, outputs and all
NOTEBOOK_KEPT = 4_000_000  # without its outputs
CODE = 500_000  # characters read as Python of one hand-in
CELLS = 3_000  # of one notebook
CELL = 100_000  # characters of one cell that is read as Python
ENGINE = 300_000
FILES = 5_000  # looked at in one folder
DEPTH = 16  # folders within folders
NOTEBOOKS = 40  # read of one hand-in
TOTAL = 400_000_000  # read of one hand-in

NESTING = 50  # brackets within brackets
DEFINITIONS = 200  # of the student's own that one engine takes
CHAIN = 500  # words and signs of one expression that may nest: `a.b.c`, `- - - x`, `x + y + z`
LAMBDAS = 100  # on one line
BRANCHES = 200  # `elif`s of one text

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
