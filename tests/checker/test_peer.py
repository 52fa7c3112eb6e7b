"""The peer protocol: two peers in one process, connected back to back, share one view of memory."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.checker.rpc.errors import is_remote
from grader.checker.rpc.limits import CONTAINERS, KEYS
from grader.checker.rpc.peer import Ended, Peer


class Pair:
    """Two peers; `left` asks, and `right` does what `do` says, on its own objects."""

    def __init__(self, do=None):
        self.lines, self.do = [], do or (lambda operation, target, arguments: arguments[0])
        self.right = Peer(self.lines.append, self._next, 1, self._describe, self._standin, self._perform)
        self.left = Peer(self._deliver, self._next, 0, self._describe, self._standin, self._call)

    def _deliver(self, line):
        """One line to the right, which answers it before this returns."""
        self.lines.append(line)
        if b'"ask"' in line:
            self.right._answer(*self.right._receive_message()[1])

    def _next(self):
        return self.lines.pop(0)

    def _perform(self, operation, target, arguments):
        return self.do(operation, target, arguments)

    def _call(self, operation, target, arguments):
        return target(*arguments)

    def _describe(self, peer, value):
        return {"is a": type(value).__name__}

    def _standin(self, peer, told):
        return type("Standin", (), told)()

    def ask(self, *arguments):
        return self.left.ask("do", None, *arguments)


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text() | st.integers(), inner)
    | st.frozensets(st.integers(0, 0)) | st.sets(st.integers(0, 0)),
    max_leaves=12,
)  # fmt: skip


@given(PLAIN)
def test_a_value_comes_back_with_its_types(value):
    kept = []
    pair = Pair(lambda operation, target, arguments: (kept.append(arguments[0]), arguments[0])[1])
    back = pair.ask(value)
    assert repr(back) == repr(value)
    assert repr(kept[0]) == repr(value)
    if isinstance(value, (list, dict)):
        assert back is value, "what was shared comes back as itself"


def test_a_change_by_the_grader_is_seen_by_the_worker_and_a_change_by_the_worker_stays_its_own():
    far = []

    def do(operation, target, arguments):
        if arguments[0] == "keep":
            far.append(arguments[1])
        elif arguments[0] == "change":
            far[0]["items"].append("from the right")
            far[0]["more"] = [far[0]]
        return far[0]

    pair = Pair(do)
    mine = {"items": [1]}
    pair.ask("keep", mine)
    mine["items"].append(2)
    assert pair.ask("look") is mine
    assert far[0] == {"items": [1, 2]}
    pair.ask("change")
    assert mine == {"items": [1, 2]}, "what the grader compares with is its own"
    theirs = pair.ask("look")
    assert theirs["items"] == [1, 2, "from the right"]
    assert theirs["more"][0] is theirs, "a cycle is a cycle on both sides"
    theirs["items"].append("from the left")
    assert pair.ask("look")["items"][-1] == far[0]["items"][-1] == "from the left"


def test_a_list_around_what_the_worker_has_changed_is_seen_with_the_change():
    kept = []

    def do(operation, target, arguments):
        if arguments[0] == "keep":
            kept.extend([arguments[1], [arguments[1][0]], (arguments[1],)])
        else:
            kept[0][0][0]["deep"].clear()
        return kept

    pair = Pair(do)
    mine = [({"deep": [1]},)]
    pair.ask("keep", mine)
    around, beside, in_a_tuple = pair.ask("change")
    assert mine == [({"deep": [1]},)]
    assert (around, beside, in_a_tuple) == ([({"deep": []},)], [({"deep": []},)], ([({"deep": []},)],))
    assert around[0][0] is beside[0][0]


def test_an_alias_stays_an_alias():
    kept = []
    pair = Pair(lambda operation, target, arguments: kept.append(arguments[0]))
    inner = [1]
    pair.ask([inner, inner])
    assert kept[0][0] is kept[0][1]


def test_an_object_is_a_handle_and_comes_home_as_itself():
    class Thing:
        pass

    thing = Thing()
    pair = Pair(lambda operation, target, arguments: arguments[0])
    assert pair.ask(thing) is thing


def test_an_exception_crosses_with_its_class_message_and_identity():
    class Declined(ValueError):
        pass

    error, seen = Declined("no money"), []

    def do(operation, target, arguments):
        try:
            raise arguments[0]
        except ValueError as mirrored:
            seen.append([type(mirrored).__name__, str(mirrored), mirrored.args, isinstance(mirrored, arguments[1])])
            raise

    pair = Pair(do)
    with pytest.raises(Declined) as caught:
        pair.ask(error, Declined)
    assert caught.value is error
    assert seen == [["Declined", "no money", ("no money",), True]]


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_an_exception_that_would_end_the_grader_arrives_as_another_one(kind):
    def do(operation, target, arguments):
        raise kind("now")

    with pytest.raises(BaseException, match="now") as caught:
        Pair(do).ask(1)
    assert type(caught.value).__name__ == kind.__name__
    assert not isinstance(caught.value, (KeyboardInterrupt, SystemExit, GeneratorExit, Exception))


def left(lines):
    """A peer whose other side has only these lines to say."""
    rest = iter(lines)

    def receive():
        try:
            return next(rest)
        except StopIteration:
            raise Ended("nothing more") from None

    return Peer(
        lambda line: None, receive, 0, lambda p, v: {}, lambda p, told: object(), lambda o, t, a: t(*a) if t else None
    )


GOOD = [
    {"ok": [1], "heap": {}},
    {"ok": [{"h": 1}], "heap": {"1": [1, {"h": 3}], "3": {"k": [["a", {"t": [1, {"f": "nan"}]}]]}}},
    {"error": [{"m": 0, "is": {}, "class": {"n": "ValueError"}, "args": ["x"], "text": "x"}], "heap": {}},
    {"error": [{"m": 1, "is": {}, "class": {"m": 2, "name": "E", "bases": [{"n": "OSError"}]}, "args": [], "text": ""}],
     "heap": {}},
    {"ask": ["call", {"y": 0}, {"t": []}, {"t": []}], "heap": {}},
]  # fmt: skip


ANYTHING = st.none() | st.integers() | st.floats() | st.text() | st.sampled_from(
    [{}, [], {"y": -1}, {"h": 2}, {"n": "open"}, {"n": "SystemExit"}, {"m": 9}, {"t": 5}, {"k": 1}, {"b": "zz"}]
)  # fmt: skip


@given(st.data())
def test_nothing_that_a_worker_sends_is_an_error_of_the_grader(data):
    """Good messages with one place changed to anything: an answer, an exception of the worker's, or Ended."""
    message = json.loads(json.dumps(data.draw(st.sampled_from(GOOD))))
    place = message
    for _ in range(data.draw(st.integers(1, 5))):
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            break
        key = data.draw(st.sampled_from(keys))
        if not isinstance(place[key], (dict, list)) or data.draw(st.booleans()):
            place[key] = data.draw(ANYTHING)
            break
        place = place[key]
    peer = left([json.dumps(message).encode()])
    error = None
    try:
        peer.ask("do")
    except BaseException as raised:
        error = raised
    assert error is None or isinstance(error, Ended) or is_remote(error), f"an error of ours: {error!r}"


@pytest.mark.parametrize(
    "line",
    [
        b"", b"\xff\xfe", b"null", b"[]", b"{}", b"nonsense", b'{"ok":[1]}', b'{"heap":{},"ok":[]}',
        b'{"heap":{},"no":[1]}',
        b'{"heap":{},"ok":[1],"error":[1]}', b'{"heap":{"0":[]},"ok":[1]}', b'{"heap":{"-1":[]},"ok":[1]}',
        b'{"heap":{"1":{"k":[[{"h":1},1]]}},"ok":[1]}', b'{"heap":{},"ok":[{"h":5}]}',
        b'{"heap":{},"ok":[{"n":"open"}]}',
        b'{"heap":{},"error":[1]}', b'{"heap":{},"ask":[]}', b"[" * 100_000, b'{"heap":{},"ok":[' + b"9" * 5000 + b"]}",
        json.dumps({"heap": {}, "ok": [{"s": list(range(KEYS + 1))}]}).encode(),
        json.dumps({"heap": {str(2 * i + 1): [] for i in range(CONTAINERS + 1)}, "ok": [1]}).encode(),
    ],
    ids=range(21),
)  # fmt: skip
def test_a_message_that_makes_no_sense_ends_the_conversation(line):
    peer = left([line, b'{"heap":{},"ok":["too late"]}'])
    with pytest.raises(Ended):
        peer.ask("do")
    assert peer.ended
    with pytest.raises(Ended, match=peer.ended[:20]):
        peer.ask("do")


def test_a_number_that_is_none_crosses_as_such():
    pair = Pair()
    assert math.isnan(pair.ask(math.nan))
    assert pair.ask(-math.inf) == -math.inf
