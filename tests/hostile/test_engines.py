"""Hostile engines as a file and in notebooks: the small files in `engines/` and `wire/`."""

import re
import socket
import textwrap

import pytest

from durable_lab import source
from tests.hostile.attack import Attack, attacks

ENGINES, WIRE = attacks("engines"), attacks("wire")
METHODS = {"call_activity": 1, "now": 2, "wait_signal": 3, "run": 4, "signal": 5}


@pytest.fixture
def listener():
    """A server on this machine, and one with an abstract name; no process in a sandbox may connect to them."""
    name = f"\0a-server-of-a-hostile-test-{id(object())}"
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as local:
        local.bind(name)
        local.listen()
        yield {"port": server.getsockname()[1], "abstract": name}
        for sock in (server, local):
            sock.setblocking(False)
            with pytest.raises(BlockingIOError):
                sock.accept()


@pytest.mark.parametrize("attack", [*ENGINES, *WIRE], ids=lambda attack: attack.path.stem)
@pytest.mark.long(every=20)
def test_a_hostile_engine_gets_the_points_that_it_earned(attack: Attack, survive, planted, listener, tmp_path):
    engine = attack.engine(secrets=planted[1], **listener)
    folder = tmp_path / "mallory"
    (folder / "lab").mkdir(parents=True)
    (folder / "lab" / "engine.py").write_text(engine, encoding="utf-8")
    report = survive(folder, hangs=attack.said["HANGS"], whole=engine)
    assert report.points == attack.said["EARNS"], {part.name: part.points for part in report.parts}


def in_cells(attack: Attack, engine: str, hand_in):
    """The same attack in notebooks: each function in the cell of its TODO, all the rest in a cell of its own."""
    for name, number in METHODS.items():
        for owner in ("Context", "DurableEngine"):
            if f"{owner}.{name}" in source.functions(attack.text):
                method = textwrap.dedent(source.text_of(engine, f"{owner}.{name}"))
                for book in hand_in.books.values():
                    for cell in book["cells"]:
                        if re.match(rf"@todo\(\d\)\ndef {name}\(", "".join(cell["source"])):
                            cell["source"] = f"@todo({number})\n{method}"
    for stem in hand_in.books:
        hand_in.add(stem, attack.text, at=1)
    return hand_in.write()


CELLS = [attack for attack in ENGINES if attack.path.stem in {
    "exits_in_an_activity", "loops_and_catches_everything", "is_equal_to_everything", "says_completed_whatever",
    "steals_the_reference", "reads_everything_into_an_error", "leaves_a_daemon", "borrows_the_inner_functions",
    "raises_a_keyboard_interrupt", "forks_without_end",
}]  # fmt: skip


@pytest.mark.parametrize("attack", CELLS, ids=lambda attack: attack.path.stem)
@pytest.mark.long(every=10)
def test_the_same_in_the_cells_of_notebooks(attack: Attack, survive, planted, listener, untouched):
    engine = attack.engine(secrets=planted[1], **listener)
    report = survive(in_cells(attack, engine, untouched), hangs=attack.said["HANGS"], whole=engine)
    assert report.points == 0, {part.name: part.points for part in report.parts}


def test_they_are_many_and_each_says_what_it_tries():
    assert len(ENGINES) + len(WIRE) >= 90
    for attack in (*ENGINES, *WIRE):
        first = attack.text.partition("\n")[0]
        assert re.fullmatch(r'"""[A-Z`0-9].*[.:]"""', first), f"{attack.path.name}: {first}"
