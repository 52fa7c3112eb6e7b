"""The code in the sandbox: it runs the student's engine for the grader, which calls it by the protocol in rpc/.

confine.py runs this file with the standard library only; rpc/ is beside it. File descriptor 0 is a socket, over which
the grader sends a socket for each process that it wants. The first process of the sandbox never runs student code: it
only forks those that do, one at a time, so that nothing of one process is left in the next one.
"""

import dataclasses
import gc
import importlib
import inspect
import linecache
import marshal
import os
import random
import socket
import sys
import traceback
import types
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grader.checker.rpc.peer import Ended, Peer
    from grader.sandbox.confine import Confinement
else:
    from rpc.peer import Ended, Peer

# What an engine may import is loaded before its source arrives.
for _name in ("contextlib", "copy", "enum", "functools", "itertools", "json", "math", "re", "typing"):
    importlib.import_module(_name)

FILE = "lab/engine.py"
_MISSING = object()


def main(confinement: "Confinement", skeleton: str) -> None:
    with open(skeleton, encoding="utf-8") as file:  # noqa: PTH123 - pathlib is a slow import
        warm_up(file.read())
    grader = socket.socket(fileno=os.dup(0))
    confinement.replace_files()
    grader.sendall(b"ready\n")
    gc.freeze()  # the collector of a fork does not touch what was there before, so that no memory is copied for it
    running = None
    while (asked := socket.recv_fds(grader, 1, 1))[0]:
        (channel,) = asked[1]
        if running:
            confinement.end(running)
        running = confinement.fork(channel, serve)
        os.close(channel)


def warm_up(skeleton: str) -> None:
    """Keep the code that `dataclasses` compiles for the classes of the given engine: each process needs it again."""
    compiled: dict[str, types.CodeType] = {}
    learning = True

    def execute(text: str, *variables: Any) -> None:
        code = compiled.get(text) or compile(text, "<string>", "exec", dont_inherit=True)
        if learning:
            compiled[text] = code
        exec(code, *variables)

    vars(dataclasses)["exec"] = execute
    load(marshal.dumps(compile(skeleton, FILE, "exec")), "")
    learning = False
    del sys.modules["lab"], sys.modules["lab.engine"]
    gc.collect()


def serve(number: int) -> None:
    """Be the process of one engine, and talk to the grader over this file descriptor. Never returns."""
    channel = socket.socket(fileno=number)
    lines = channel.makefile("rb")

    def receive() -> bytes:
        line = lines.readline()
        if not line:
            os._exit(0)
        return line

    channel.sendall(b"ready\n")
    peer: Peer = Peer(channel.sendall, receive, 1, describe, make_proxy, lambda *asked: perform(peer, *asked))
    try:
        peer.serve()
    except Ended:
        os._exit(3)


def perform(peer: Peer, operation: str, target: Any, arguments: list[Any]) -> Any:
    """The result of a request of the grader."""
    match operation, arguments:
        case "call", [args, named]:
            return target(*args, **dict(named))
        case "invoke", [name, args, named]:
            return getattr(target, name)(*args, **dict(named))
        case "get", [name]:
            return getattr(target, name)
        case "isinstance", [cls]:
            return isinstance(target, cls)
        case "list", []:
            return list(target)
        case "len", []:
            return len(target)
        case "item", [key]:
            return target[key]
        case "has", [item]:
            return item in target
        case "true", []:
            return bool(target)
        case "str", []:
            return f"{target!s:.12000}"
        case "repr", []:
            return f"{target!r:.12000}"
        case "engine", []:
            peer.forget()
            return sys.modules["lab.engine"]
        case "compile", [source]:
            return marshal.dumps(compile(source, FILE, "exec"))
        case "load", [code, source]:
            return load(code, source)
    raise ValueError(operation)


def load(code: bytes, source: str) -> types.ModuleType:
    """Run the engine's code as the module `lab.engine`. With its source, tracebacks can quote it."""
    package = sys.modules["lab"] = types.ModuleType("lab")
    package.__path__ = []
    module = sys.modules["lab.engine"] = types.ModuleType("lab.engine")
    module.__file__ = FILE
    random.seed(0)  # the same submission always gets the same messages
    if source:
        linecache.cache[FILE] = (len(source), None, source.splitlines(keepends=True), FILE)
    exec(marshal.loads(code), vars(module))
    return module


def describe(peer: Peer, value: Any) -> dict[str, Any]:
    """What the grader may know of an object here; of an exception, the last line of the engine that it passed."""
    if not isinstance(value, BaseException):
        return {}
    frames = [frame for frame in traceback.extract_tb(value.__traceback__) if frame.filename == FILE]
    if frames:
        return {"line": frames[-1].lineno, "in": frames[-1].name, "code": frames[-1].line or ""}
    return {"line": value.lineno, "in": "", "code": ""} if isinstance(value, SyntaxError) else {}


def make_proxy(peer: Peer, description: dict[str, Any]) -> Any:
    """The proxy for a function or a clock of the grader."""
    if "methods" in description:
        return _Proxy({name: peer.decode(method) for name, method in description["methods"].items()})

    def call(args: Any, named: Any) -> Any:
        return peer.ask("call", made, tuple(args), tuple(named))

    made: Any = _function(description["parameters"], call)
    made.__name__ = made.__qualname__ = description["name"]
    return made


class _Proxy:
    """An object of the grader; its methods are functions of the grader."""

    def __init__(self, methods: dict[str, Any]) -> None:
        vars(self).update(methods)

    def __deepcopy__(self, memo: Any) -> "_Proxy":
        return self


def _function(parameters: Any, call: Any) -> Any:
    """A real function with these parameters ([name, kind, has a default]), for engines that look at a signature."""
    if parameters is None:
        return lambda *args, **named: call(args, named.items())
    shown, given, named, starred = [], [], [], False
    for name, kind, has_default in parameters:
        text = f"{name}=_missing" if has_default else name
        if kind == inspect.Parameter.VAR_POSITIONAL:
            shown.append(f"*{name}")
            given.append(f"*{name}")
            starred = True
        elif kind == inspect.Parameter.VAR_KEYWORD:
            shown.append(f"**{name}")
            named.append(f"*{name}.items()")
        elif kind == inspect.Parameter.KEYWORD_ONLY:
            shown += [text] if starred else ["*", text]
            named.append(f"({name!r}, {name})")
            starred = True
        else:
            shown.append(text)
            given.append(name)
    code = (
        f"lambda {', '.join(shown)}: _call([a for a in ({''.join(g + ',' for g in given)}) if a is not _missing], "
        f"[(k, v) for k, v in ({''.join(n + ',' for n in named)}) if v is not _missing])"
    )
    return eval(code, {"_call": call, "_missing": _MISSING})


main(globals()["confinement"], sys.argv[-1])
