"""Proxies in the grader for the objects of the student's engine: each use of one is a request to the worker.

The tests and workflows use the engine's public names on them and see no difference. A proxy is equal to nothing but
itself, and the worker can do one thing only with the grader's own objects: call the functions that it was given.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

from grader.checker.rpc.peer import Peer
from solution.engine import SimulatedClock

# The most frequent methods: they are found and called in one message instead of two.
_METHODS = {"run", "signal", "call_activity", "now", "wait_signal", "to_json", "from_json"}
_CALLABLE = (FunctionType, MethodType, BuiltinFunctionType)


class Proxy:
    """An object of the worker."""

    __slots__ = ("_peer",)

    def __init__(self, peer: Peer) -> None:
        object.__setattr__(self, "_peer", peer)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # protocols of Python itself, such as __deepcopy__, are no requests
            raise AttributeError(name)
        if name in _METHODS:
            return lambda *args, **named: self._peer.ask("invoke", self, name, args, tuple(named.items()))
        return self._peer.ask("get", self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{name}: what the engine made is only read")

    def __call__(self, *args: Any, **named: Any) -> Any:
        return self._peer.ask("call", self, args, tuple(named.items()))

    def __instancecheck__(self, instance: Any) -> bool:
        return isinstance(instance, Proxy) and self._peer.ask("isinstance", instance, self) is True

    def __iter__(self) -> Iterator[Any]:
        found = self._peer.ask("list", self)
        return iter(found if isinstance(found, list) else [])

    def __len__(self) -> int:
        found = self._peer.ask("len", self)
        return found if type(found) is int and found >= 0 else 0

    def __getitem__(self, key: Any) -> Any:
        return self._peer.ask("item", self, key)

    def __contains__(self, item: Any) -> bool:
        return self._peer.ask("has", self, item) is True

    def __bool__(self) -> bool:
        return self._peer.ask("true", self) is True

    def __str__(self) -> str:
        return _text(self._peer.ask("str", self))

    def __repr__(self) -> str:
        return _text(self._peer.ask("repr", self))

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


def _text(found: Any) -> str:
    return found if type(found) is str else "something that is not a string"


class Engine:
    """The engine's module for the tests. The clock of the tests is the grader's own."""

    SimulatedClock = SimulatedClock

    def __init__(self, module: Proxy) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


def describe(peer: Peer, value: Any) -> dict[str, Any]:
    """What the worker may know of an object of the grader: the parameters of a function, the methods of a clock."""
    if isinstance(value, Proxy):
        raise peer.end("an object of an earlier process is used again")
    if isinstance(value, SimulatedClock):
        return {"methods": {name: peer.encode(getattr(value, name)) for name in ("now", "sleep")}}
    if isinstance(value, _CALLABLE):
        return {"name": value.__name__, "parameters": _parameters(value)}
    return {"methods": {}}


def _parameters(function: Any) -> list[Any] | None:
    if not isinstance(function, FunctionType):
        return None
    return [[p.name, int(p.kind), p.default is not p.empty] for p in inspect.signature(function).parameters.values()]


def perform(operation: str, target: Any, arguments: list[Any]) -> Any:
    """The result of a callback. The worker may only call a function that it was given."""
    if operation != "call" or not isinstance(target, _CALLABLE):
        raise TypeError("only a function can be called")
    args, named = arguments
    return target(*args, **dict(named))


def make_proxy(peer: Peer, description: dict[str, Any]) -> Proxy:
    """The proxy for an object of the worker."""
    return Proxy(peer)
