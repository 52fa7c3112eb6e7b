"""Exceptions of the other side: a class here for each class there, so that `except` and `isinstance` mean the same.

    {"m": 3, "is": {"line": 7, "in": "run", "code": "raise Declined('no')"}, "class": {"m": 4, "name": "Declined",
     "bases": [{"n": "ValueError"}]}, "args": ["no"], "text": "no"}

describes the exception with handle 3, of the class with handle 4, which is sent for the first time. Here it becomes an
exception of a class `Declined(ValueError)`, whose text is the one sent: its own `__str__` is code of the other side.
"""

from typing import Any

from .limits import CLASSES

PLAIN = (str, int, bool, type(None), float)
_TEXT = 12_000  # characters of one exception
_NEVER = (KeyboardInterrupt, SystemExit, GeneratorExit)  # no exception of the worker may end the grader


def text_of(error: BaseException) -> str:
    """The text of an exception of this side; empty if its `__str__` fails."""
    try:
        return f"{error!s:.{_TEXT}}"
    except Exception:
        return ""


def mirrored_class(name: str, bases: list[Any]) -> type:
    """A class for an exception class of the other side."""
    if sum(len(base.__mro__) for base in bases) > CLASSES:
        raise ValueError("too many classes of exceptions")
    own = [base for base in bases if isinstance(base, type) and issubclass(base, BaseException)]
    own = [BaseException if issubclass(base, _NEVER) else base for base in own] or [BaseException]
    return type(str(name), tuple(dict.fromkeys(own)), {"__str__": _remote_text, "__getattr__": _remote_attribute})


def mirrored_error(peer: Any, cls: Any, args: tuple[Any, ...], sent: dict[str, Any]) -> BaseException:
    """An exception for one of the other side. `sent` has its text, and under "is" what is known of its origin."""
    if not issubclass(cls, BaseException):
        raise TypeError
    if issubclass(cls, _NEVER) and peer.side == 0:
        cls = mirrored_class(cls.__name__, [])
    plain = tuple(arg if type(arg) in PLAIN else "..." for arg in args)
    if plain != args and cls.__str__ is not _remote_text:  # to write out its arguments would ask the other side
        cls = mirrored_class(cls.__name__, [cls])
    try:
        made: BaseException = cls(*plain)
    except Exception:  # UnicodeDecodeError, for example, requires arguments of certain types
        made = cls.__new__(cls)
    made.args = plain
    text = f"{sent['text']!s:.{_TEXT}}"
    vars(made).update(_text=text, _size=len(f"{text}{plain}"), _peer=peer, _origin=sent["is"])
    return made


def is_remote(error: BaseException) -> bool:
    """Whether this is an exception of the other side."""
    return "_origin" in vars(error)


def remote_origin(error: BaseException) -> Any:
    """What the other side says of the place where its exception was raised; it may say anything."""
    return vars(error)["_origin"]


def _remote_text(error: Any) -> str:
    return str(vars(error).get("_text", ""))


def _remote_attribute(error: Any, name: str) -> Any:
    if name.startswith("_") or "_peer" not in vars(error):
        raise AttributeError(name)
    return vars(error)["_peer"].ask("get", error, name)
