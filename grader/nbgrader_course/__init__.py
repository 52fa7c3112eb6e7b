"""nbgrader's cycle on a course folder: generate, release, collect, autograde, feedback, export.

make, config, names       the course folder, and nbgrader's settings for it
cells, release            the assignment: the lessons with nbgrader's metadata; a stub replaces each answer
exchange, archive         collecting submissions
prepare, repair, marking  autograde: submissions as nbgrader can take them; reports become scores and comments
show, kernel, inside      running students' notebooks in the sandbox, only to show their output
page, clean               feedback pages; sanitising what students wrote
steps                     the steps of the cycle, as the command line calls them
"""
