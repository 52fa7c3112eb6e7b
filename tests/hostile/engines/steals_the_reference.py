"""Reads the reference implementation that is substituted for other TODOs, as text and as code, and leaks it in every way."""

import inspect
import linecache
import sys


def _stolen():
    module = sys.modules["lab.engine"]
    found = ["".join(linecache.getlines("lab/engine.py"))]
    for function in (module.Context.call_activity, module.Context.wait_signal, module.DurableEngine.run):
        try:
            found.append(inspect.getsource(function))
        except OSError:
            pass
        found.append(repr(function.__code__.co_consts + function.__code__.co_names))
    return "".join(found)[-20_000:]


class Context:
    def now(self):
        text = _stolen()
        self._history.append(Command("now", text, [text], value=text))
        raise RuntimeError(text)
