"""Walks all frames and modules up to its caller, and leaks their names, locals and globals."""

import sys


class DurableEngine:
    def run(self, workflow, state):
        frame, found = sys._getframe(), []
        while frame:
            found.append(
                f"{frame.f_code.co_filename}:{frame.f_code.co_name}:{list(frame.f_locals)}:{list(frame.f_globals)}"
            )
            frame = frame.f_back
        for thing in (
            workflow,
            workflow.__closure__,
            workflow.__code__.co_consts,
            getattr(workflow, "__wrapped__", ""),
        ):
            found.append(repr(thing))
        for cell in workflow.__closure__ or ():
            found.append(repr(cell.cell_contents))
        raise RuntimeError("\n".join(found))
