"""For instructors: from submissions to marks. For the project itself: how the lab is made."""

import sys

from grader.former_names import FormerNames

sys.meta_path.insert(0, FormerNames())
