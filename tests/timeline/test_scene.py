"""The scene: what is where, said once for both painters. (That they draw the same: tests/browser/test_painters.py.)"""

import json
import re

import pytest

from durable_lab.timeline import figure, history_of, widget
from durable_lab.timeline.scene import Mark, scene_of

SHAPES = {"bar", "wait", "line", "symbol", "letter", "arrow", "tick"}


def marks(scene, shape):
    return [mark for mark in scene.marks if mark.shape == shape]


def test_by_order_each_event_has_its_column(done):
    scene = scene_of(history_of(done))
    assert [(int(begin), int(end)) for begin, end in scene.spans] == [(i, i) for i in range(len(scene.events))]
    assert [int(bar.x0) for bar in marks(scene, "bar")] == [
        event.index for event in scene.events if event.kind in ("attempt", "now", "consumed")
    ]


def test_by_clock_a_place_is_a_time(done):
    history = history_of(done)
    scene = scene_of(history, clock=True)
    (one, first), (two, last) = [(event, x) for event, (x, _) in zip(scene.events, scene.spans, strict=True)][1:4:2]
    whole = history.events[-1].start - history.events[0].start
    assert (last - first) / (scene.width * 0.97) == pytest.approx((two.start - one.start) / whole, abs=0.001)
    assert next(mark.words for mark in marks(scene, "tick")) == "0 s"


def test_a_wait_begins_where_the_command_before_it_ended(done):
    scene = scene_of(history_of(done))
    (wait,) = marks(scene, "wait")
    assert (int(wait.x0), int(wait.x1)) == (2, 3)


def test_replayed_live_and_unread_bars_differ_in_more_than_their_colour(done, diverged):
    bars = marks(scene_of(history_of(done, replayed=2)), "bar")
    assert [bar.fill for bar in bars] == ["outlined"] * 2 + ["filled"] * 5
    assert [bar.symbol for bar in bars if bar.hatched] == ["", ""]  # attempts: the last one says how it ended
    assert {bar.fill for bar in marks(scene_of(history_of(diverged)), "bar")} == {"dotted"}


def test_signals_of_one_time_stand_side_by_side_with_all_their_names(m):
    commands = [m.Command("now", "now", started_at=1.0, ended_at=1.0), m.Command("now", "now", ended_at=9.0)]
    signals = [m.Signal(name, None, 2.0) for name in ("one", "two")]
    scene = scene_of(history_of(m.WorkflowState("w", None, commands, signals)), clock=True)
    assert [(mark.shift, mark.words) for mark in marks(scene, "letter")] == [(0, ""), (1, "one (unread), two (unread)")]


def test_a_scene_of_failed_events_only_has_their_columns_side_by_side(done):
    history = history_of(done)
    scene = scene_of(history, [event for event in history.events if not event.ok])
    assert [event.attempt for event in scene.events] == [1, 2]
    assert [int(bar.x0) for bar in marks(scene, "bar")] == [0, 1]


def test_the_browser_gets_the_scene_with_the_names_of_its_fields(done, world):
    scene = scene_of(history_of(done, ledger=world.ledger))
    told = json.loads(scene.to_json())
    assert [Mark(*mark) for mark in told["marks"]] == scene.marks
    assert told["names"]["Mark"] == list(Mark._fields)
    assert len(told["events"][0]) == len(told["names"]["Event"])


# ------------------------------------------------------------ the two painters


@pytest.fixture(scope="module")
def scripts():
    return {name: (widget.STATIC / f"{name}.js").read_text(encoding="utf-8") for name in widget.SCRIPTS}


def test_each_painter_has_a_method_for_each_shape(done, world, blocked, scripts):
    for run, options in ((done, {"ledger": world.ledger}), (blocked, {})):
        for clock in (False, True):
            assert {mark.shape for mark in scene_of(history_of(run, **options), clock=clock).marks} <= SHAPES
    for shape in SHAPES:
        assert hasattr(figure._Painter, f"_{shape}")
        assert re.search(rf"^  {shape}\(", scripts["paint"], re.MULTILINE), shape


def test_each_painter_has_each_symbol(scripts):
    for symbol in figure.SHAPES:
        assert symbol == "dot" or f'"{symbol}"' in scripts["pad"]  # a dot is what is painted else


def test_no_painter_knows_a_kind_of_event(scripts):
    """What an event looks like is said in the scene."""
    for kind in ("attempt", "consumed", "delivered", "divergence"):
        for source in (scripts["paint"], scripts["pad"], figure.__loader__.get_data(figure.__file__).decode()):
            assert f'"{kind}"' not in source


# ------------------------------------------------------------ the widget's script


def functions_in(source):
    """(name, lines) of each function: one that begins in the first column, or a method of a class."""
    found, lines = [], source.splitlines()
    for indent in ("", "  "):
        begins = re.compile(rf"^{indent}(?! |class\b|if\b|for\b|while\b)(?:function )?(?:get )?([\w ]+)\(.*\{{$")
        for i, line in enumerate(lines):
            if begins.match(line):
                end = next(j for j in range(i, len(lines)) if lines[j].startswith(f"{indent}}}"))
                found.append((line.strip(), end - i + 1))
    return found


def test_no_function_of_the_widget_is_over_60_lines_and_no_section_over_450(scripts):
    assert {path.stem for path in widget.STATIC.glob("*.js")} == set(scripts)
    counted = [function for source in scripts.values() for function in functions_in(source)]
    assert len(counted) > 60  # they are found
    assert [function for function in counted if function[1] > 60] == []
    assert [name for name, source in scripts.items() if source.count("\n") > 450] == []


def test_a_function_of_61_lines_would_be_found():
    long = "class A {\n  paint(x) {\n" + "    x();\n" * 59 + "  }\n}\nfunction f() {\n" + "  x();\n" * 70 + "}\n"
    assert [lines for _, lines in functions_in(long)] == [72, 61]
